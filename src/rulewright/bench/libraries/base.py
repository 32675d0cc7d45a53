"""What every library does for a workload: hold its inputs, run it, and spell its operations.

A workload is written once, over this vocabulary; each library spells an operation as its users
would. Operators, slices, `.T`, `.sum()` and `.reshape(…)` are alike everywhere and need no name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rulewright.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from rulewright.bench.workload import Workload

Function = Callable[..., Any]


class Library(ABC):
    """A library of tensors. Tensors are its own; axes and shapes are as in numpy."""

    name: str

    @abstractmethod
    def version(self) -> str:
        """Its version, as it tells it."""

    @abstractmethod
    def put(self, array: np.ndarray) -> Any:
        """A tensor of its own with these values, ready in memory."""

    def get(self, tensor: Any) -> np.ndarray:
        """The values of a tensor as float64."""
        import numpy as np

        return np.asarray(tensor).astype(np.float64)

    def start(self) -> None:
        """Get ready to run. Raises whatever the library raises where it cannot."""
        self.get(self.put(_one()))

    # ---- running -------------------------------------------------------------------------------

    def prepare(self, case: Workload, tensors: Sequence[Any]) -> Callable[[], Any]:
        """A call of a workload over tensors that waits for its result: a tensor or a tuple."""
        function: Function = partial(case.program, self)
        if case.jit:
            function = self.compiled_forward(function)
        if case.wanted:
            function = self.with_gradients(function, case.wanted, case.rate)
        function = self.compiled(function) if case.jit else self.plain(function)
        return partial(self.finished, function, tensors)

    def finished(self, function: Function, tensors: Sequence[Any]) -> Any:
        """Call a function, and wait until its result is in memory."""
        return function(*tensors)

    def compiled_forward(self, function: Function) -> Function:
        """The forward pass compiled alone, where a library does not compile its gradients."""
        return function

    def compiled(self, function: Function) -> Function:
        """The whole function compiled, gradients and all; a library without does nothing."""
        return function

    def plain(self, function: Function) -> Function:
        """The function as it runs without being compiled."""
        return function

    def with_gradients(self, loss: Function, wanted: int, rate: float) -> Function:
        """A function that gives the loss, and the gradients by the first `wanted` arguments.

        With a rate, instead of a gradient g by p it gives p - rate * g.
        """
        raise UsageError(f"{self.name} has no gradients; leave it out of this workload")

    # ---- the vocabulary ------------------------------------------------------------------------

    relu: Function
    """max(x, 0)."""
    sigmoid: Function
    """1 / (1 + exp(-x))."""
    gelu: Function
    """x times the normal distribution function of x, approximated by tanh."""
    softmax: Function
    """exp(x) over its sum, over the last axis."""
    log_softmax: Function
    """The logarithm of softmax, over the last axis."""

    @abstractmethod
    def layernorm(self, x: Any, weight: Any = None, bias: Any = None) -> Any:
        """Mean 0 and variance 1 over the last axis (epsilon 1e-5), then scaled and shifted."""

    def permute(self, x: Any, axes: tuple[int, ...]) -> Any:
        """The axes in another order."""
        return x.transpose(axes)

    def take(self, table: Any, rows: Any) -> Any:
        """Rows of a table (m, n) by their numbers, of any shape; the result ends in n."""
        return table[rows]

    @abstractmethod
    def conv2d(self, x: Any, weight: Any, stride: int, padding: int, groups: int) -> Any:
        """Images (batch, in, h, w) under filters (out, in / groups, kh, kw)."""

    @abstractmethod
    def attention(self, query: Any, key: Any, value: Any, causal: bool) -> Any:
        """softmax(query @ keyᵀ / √e) @ value, of (…, tokens, e)."""


def stepped(values: Sequence[Any], gradients: Sequence[Any], rate: float) -> list[Any]:
    """The gradients, or with a rate the values after a step against them."""
    if not rate:
        return list(gradients)
    return [v - rate * g for v, g in zip(values, gradients, strict=True)]


def _one() -> np.ndarray:
    import numpy as np

    return np.ones(1, np.float32)
