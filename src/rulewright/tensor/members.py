"""The base of the mixins: Python's operators, and signatures of what other mixins define."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Self

    from rulewright.ir.dtypes import DType
    from rulewright.tensor.reduce import Axes


class Members(Core):
    """The base of each mixin of `Tensor`: its state, its operators, and names of other mixins.

    No mixin is used alone. What one calls of another is declared at the end, abstract and for type
    checkers alone: they tell a mixin that defines it otherwise, and a `Tensor` that lacks it.
    Operators are one line over a named method; reflected ones have the tensor on the right.
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Self:
        return self._arithmetic(Ops.ADD, Ops.OR, other)

    def __radd__(self, other: Any) -> Self:
        return self._arithmetic(Ops.ADD, Ops.OR, other, swapped=True)

    def __sub__(self, other: Any) -> Self:
        return self._arithmetic(Ops.SUB, None, other)

    def __rsub__(self, other: Any) -> Self:
        return self._arithmetic(Ops.SUB, None, other, swapped=True)

    def __mul__(self, other: Any) -> Self:
        return self._arithmetic(Ops.MUL, Ops.AND, other)

    def __rmul__(self, other: Any) -> Self:
        return self._arithmetic(Ops.MUL, Ops.AND, other, swapped=True)

    def __truediv__(self, other: Any) -> Self:
        return self._divide(other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._divide(other, swapped=True)

    def __floordiv__(self, other: Any) -> Self:
        return self._divide_down(other)

    def __rfloordiv__(self, other: Any) -> Self:
        return self._divide_down(other, swapped=True)

    def __mod__(self, other: Any) -> Self:
        return self._divide_down(other, remainder=True)

    def __rmod__(self, other: Any) -> Self:
        return self._divide_down(other, remainder=True, swapped=True)

    def __and__(self, other: Any) -> Self:
        return self._bitwise(Ops.AND, other)

    def __rand__(self, other: Any) -> Self:
        return self._bitwise(Ops.AND, other, swapped=True)

    def __or__(self, other: Any) -> Self:
        return self._bitwise(Ops.OR, other)

    def __ror__(self, other: Any) -> Self:
        return self._bitwise(Ops.OR, other, swapped=True)

    def __xor__(self, other: Any) -> Self:
        return self._bitwise(Ops.XOR, other)

    def __rxor__(self, other: Any) -> Self:
        return self._bitwise(Ops.XOR, other, swapped=True)

    def __lshift__(self, other: Any) -> Self:
        return self._bitwise(Ops.SHL, other)

    def __rlshift__(self, other: Any) -> Self:
        return self._bitwise(Ops.SHL, other, swapped=True)

    def __rshift__(self, other: Any) -> Self:
        return self._bitwise(Ops.SHR, other)

    def __rrshift__(self, other: Any) -> Self:
        return self._bitwise(Ops.SHR, other, swapped=True)

    def __neg__(self) -> Self:
        return self.neg()

    def __pos__(self) -> Self:
        return self

    def __invert__(self) -> Self:
        return self.bitwise_not()

    def __lt__(self, other: Any) -> Self:
        return self.lt(other)

    def __le__(self, other: Any) -> Self:
        return self.le(other)

    def __gt__(self, other: Any) -> Self:
        return self.gt(other)

    def __ge__(self, other: Any) -> Self:
        return self.ge(other)

    def __eq__(self, other: Any) -> Self:  # type: ignore[override]  # elementwise, as in numpy
        return NotImplemented if other is None or isinstance(other, str) else self.eq(other)

    def __ne__(self, other: Any) -> Self:  # type: ignore[override]  # elementwise, as in numpy
        return NotImplemented if other is None or isinstance(other, str) else self.ne(other)

    def __contains__(self, item: Any) -> bool:
        return bool(self.eq(item).any())

    def __hash__(self) -> int:
        return id(self)

    def __iadd__(self, other: Any) -> Self:
        return self._update(operator.add, other)

    def __isub__(self, other: Any) -> Self:
        return self._update(operator.sub, other)

    def __imul__(self, other: Any) -> Self:
        return self._update(operator.mul, other)

    def __itruediv__(self, other: Any) -> Self:
        return self._update(operator.truediv, other)

    def __ifloordiv__(self, other: Any) -> Self:
        return self._update(operator.floordiv, other)

    def __imod__(self, other: Any) -> Self:
        return self._update(operator.mod, other)

    def __ipow__(self, other: Any) -> Self:
        return self._update(operator.pow, other)

    def __iand__(self, other: Any) -> Self:
        return self._update(operator.and_, other)

    def __ior__(self, other: Any) -> Self:
        return self._update(operator.or_, other)

    def __ixor__(self, other: Any) -> Self:
        return self._update(operator.xor, other)

    # ---- what other mixins define ---------------------------------------------------------

    if TYPE_CHECKING:
        # Creation, in creation.py
        @classmethod
        @abstractmethod
        def _created(cls, node: UOp, device: str | None, requires_grad: bool = False) -> Self: ...
        @classmethod
        @abstractmethod
        def arange(
            cls,
            start: int | float,
            stop: int | float | None = None,
            step: int | float = 1,
            dtype: Any = None,
            device: str | None = None,
            requires_grad: bool = False,
        ) -> Self: ...
        @abstractmethod
        def tril(self, diagonal: int = 0) -> Self: ...
        # Elementwise, in elementwise.py
        @abstractmethod
        def _operand(self, other: Any, method: str) -> Core: ...
        @abstractmethod
        def _pair(self, other: Any, method: str) -> tuple[UOp, UOp, str | None]: ...
        @abstractmethod
        def _joint_device(self, other: Core, method: str) -> str | None: ...
        @abstractmethod
        def _binary(self, op: Op, other: Any, method: str, swapped: bool = False) -> Self: ...
        @abstractmethod
        def _arithmetic(
            self, op: Op, logical: Op | None, other: Any, swapped: bool = False
        ) -> Self: ...
        @abstractmethod
        def _divide(self, other: Any, swapped: bool = False) -> Self: ...
        @abstractmethod
        def _divide_down(
            self, other: Any, remainder: bool = False, swapped: bool = False
        ) -> Self: ...
        @abstractmethod
        def neg(self) -> Self: ...
        @abstractmethod
        def maximum(self, other: Any) -> Self: ...
        @abstractmethod
        def minimum(self, other: Any) -> Self: ...
        @abstractmethod
        def eq(self, other: Any) -> Self: ...
        @abstractmethod
        def ne(self, other: Any) -> Self: ...
        @abstractmethod
        def lt(self, other: Any) -> Self: ...
        @abstractmethod
        def le(self, other: Any) -> Self: ...
        @abstractmethod
        def gt(self, other: Any) -> Self: ...
        @abstractmethod
        def ge(self, other: Any) -> Self: ...
        @abstractmethod
        def isnan(self) -> Self: ...
        @abstractmethod
        def isinf(self, detect_positive: bool = True, detect_negative: bool = True) -> Self: ...
        @abstractmethod
        def isfinite(self) -> Self: ...
        @abstractmethod
        def isclose(
            self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
        ) -> Self: ...
        @abstractmethod
        def clip(self, min: Any = None, max: Any = None) -> Self: ...
        # Execution, in execution.py
        @abstractmethod
        def realize(self, *others: Self) -> Self: ...
        @abstractmethod
        def numpy(self) -> np.ndarray[Any, Any]: ...
        @abstractmethod
        def _on_device(self, device: str | None) -> Self: ...
        @abstractmethod
        def assign(self, value: Any) -> Self: ...
        @abstractmethod
        def _update(self, function: Callable[[Self, Any], Self], other: Any) -> Self: ...
        # Indexing, in indexing.py
        @abstractmethod
        def gather(self, dim: int, index: Any) -> Self: ...
        @abstractmethod
        def scatter(self, dim: int, index: Any, src: Any, reduce: str | None = None) -> Self: ...
        @abstractmethod
        def masked_select(
            self, mask: Any, size: int | None = None, fill_value: float = 0
        ) -> Self: ...
        # Joining, in joining.py
        @abstractmethod
        def cat(self, *others: Any, dim: int = 0) -> Self: ...
        @abstractmethod
        def roll(
            self, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None
        ) -> Self: ...
        @abstractmethod
        def pad(self, padding: Sequence[Any], mode: str = "constant", value: float = 0) -> Self: ...
        @abstractmethod
        def _pad_with(self, pads: Sequence[tuple[Dim, Dim]], value: Any) -> Self: ...
        # Linalg, in linalg.py
        @abstractmethod
        def _constant(self) -> Self: ...
        # Logic, in logic.py
        @abstractmethod
        def cast(self, dtype: Any) -> Self: ...
        @abstractmethod
        def bitcast(self, dtype: Any) -> Self: ...
        @abstractmethod
        def _bitwise(self, op: Op, other: Any, swapped: bool = False) -> Self: ...
        @abstractmethod
        def bitwise_not(self) -> Self: ...
        @abstractmethod
        def logical_not(self) -> Self: ...
        @abstractmethod
        def logical_and(self, other: Any) -> Self: ...
        @abstractmethod
        def logical_or(self, other: Any) -> Self: ...
        @abstractmethod
        def _wrap(self, other: Any, name: str = "operand") -> Members: ...
        @abstractmethod
        def where(self, yes: Any, no: Any) -> Self: ...
        # Maths, in maths.py
        @abstractmethod
        def exp(self) -> Self: ...
        @abstractmethod
        def log(self) -> Self: ...
        @abstractmethod
        def log1p(self) -> Self: ...
        @abstractmethod
        def logaddexp(self, other: Any) -> Self: ...
        @abstractmethod
        def sqrt(self) -> Self: ...
        @abstractmethod
        def rsqrt(self) -> Self: ...
        @abstractmethod
        def floor(self) -> Self: ...
        @abstractmethod
        def abs(self) -> Self: ...
        @abstractmethod
        def square(self) -> Self: ...
        @abstractmethod
        def pow(self, exponent: Any) -> Self: ...
        @abstractmethod
        def expm1(self) -> Self: ...
        @abstractmethod
        def tanh(self) -> Self: ...
        @abstractmethod
        def erf(self) -> Self: ...
        # Movement, in movement.py
        @abstractmethod
        def reshape(self, *shape: Any) -> Self: ...
        @abstractmethod
        def permute(self, *order: Any) -> Self: ...
        @abstractmethod
        def expand(self, *shape: Any) -> Self: ...
        @abstractmethod
        def shrink(self, bounds: Sequence[tuple[Any, Any] | None]) -> Self: ...
        @abstractmethod
        def flip(self, *axis: Any) -> Self: ...
        @abstractmethod
        def _pad(self, pads: Sequence[tuple[Dim, Dim]]) -> Self: ...
        @abstractmethod
        def _narrowed(self, axis: int, span: tuple[Dim, Dim]) -> Self: ...
        @abstractmethod
        def squeeze(self, dim: int | Sequence[int] | None = None) -> Self: ...
        @abstractmethod
        def unsqueeze(self, dim: int) -> Self: ...
        @abstractmethod
        def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Self: ...
        @abstractmethod
        def unflatten(self, dim: int, sizes: Sequence[int]) -> Self: ...
        @abstractmethod
        def _repeated(self, times: Sequence[Dim]) -> Self: ...
        @abstractmethod
        def transpose(self, dim0: int = 1, dim1: int = 0) -> Self: ...
        @property
        @abstractmethod
        def mT(self) -> Self: ...
        @abstractmethod
        def moveaxis(
            self, source: int | Sequence[int], destination: int | Sequence[int]
        ) -> Self: ...
        @abstractmethod
        def repeat_interleave(self, repeats: Any, dim: int | None = None) -> Self: ...
        @abstractmethod
        def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Self: ...
        # Picking, in picking.py
        @abstractmethod
        def __getitem__(self, key: Any) -> Self: ...
        @abstractmethod
        def _part(self, key: Any) -> tuple[Self, list[tuple[int, Any]]]: ...
        @abstractmethod
        def _positions(self, item: Any) -> Self: ...
        @abstractmethod
        def _host_positions(self, array: Any) -> Self: ...
        @abstractmethod
        def _written(self, picks: list[tuple[int, Any]], value: Any, accumulate: bool) -> Self: ...
        @abstractmethod
        def _as_value(self, value: Any, most: int) -> Self: ...
        # Pooling, in pooling.py
        @abstractmethod
        def _windows(
            self, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
        ) -> Self: ...
        @abstractmethod
        def _window(self, axis: int, k: int, stride: int, dilation: int) -> Self: ...
        # Products, in products.py
        @abstractmethod
        def _other(self, operand: Any, name: str = "operand") -> Self: ...
        @abstractmethod
        def matmul(self, other: Any, dtype: Any = None) -> Self: ...
        @abstractmethod
        def _accumulate_last(self, kind: DType, axes: int = 1) -> Self: ...
        # Random, in random.py
        @abstractmethod
        def dropout(self, p: float = 0.5) -> Self: ...
        # Reduce, in reduce.py
        @abstractmethod
        def _reduce(self, op: Op, axis: Axes, keepdim: bool, kind: DType, method: str) -> Self: ...
        @abstractmethod
        def sum(
            self, axis: Axes = None, keepdim: bool = False, dtype: Any = None, *, dim: Axes = None
        ) -> Self: ...
        @abstractmethod
        def mean(
            self, axis: Axes = None, keepdim: bool = False, dtype: Any = None, *, dim: Axes = None
        ) -> Self: ...
        @abstractmethod
        def norm(
            self, p: Any = 2.0, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None
        ) -> Self: ...
        @abstractmethod
        def max(self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None) -> Self: ...
        @abstractmethod
        def min(self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None) -> Self: ...
        @abstractmethod
        def any(self, axis: Axes = None, keepdim: bool = False, *, dim: Axes = None) -> Self: ...
        @abstractmethod
        def argmax(
            self, axis: int | None = None, keepdim: bool = False, *, dim: int | None = None
        ) -> Self: ...
        @abstractmethod
        def argmin(
            self, axis: int | None = None, keepdim: bool = False, *, dim: int | None = None
        ) -> Self: ...
        # Scans, in scans.py
        @abstractmethod
        def log_softmax(
            self, axis: int = -1, dtype: Any = None, *, dim: int | None = None
        ) -> Self: ...
        @abstractmethod
        def cumsum(self, axis: int = 0, dtype: Any = None, *, dim: int | None = None) -> Self: ...
