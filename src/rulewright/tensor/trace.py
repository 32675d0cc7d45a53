"""Traces: what Python code does with tensors while it runs once, for `function` and for `jit`.

One for both is what is written here and in `nested`: a function that others wrap (`Traced`), what
it does to tensors from outside and which it keeps (`Trace`), what it may not do, in one wording,
and how containers are walked and made again. They differ in what stands for arguments, and so in
what runs:

- `function` answers a node that has a derivative. Its code runs at each call, so that nothing has
  to be guarded, over PARAMs, which have no values: nothing can be computed inside. They stand in
  the very tensors that are passed, where objects hold these too, which are then what they were.
- `jit` keeps kernels that ran. Code runs over memory and may compute, take gradients and realise in
  between; what it writes stays written. New tensors over the memory of arguments stand for these,
  so that the same tensor, found outside, is told from them; `guards` say what else a replay depends
  on.

A jit of what `function` traces could do neither: its code would know no values of its own kernels,
and gradients would be results. So each may be called inside of the other.
"""

from __future__ import annotations

import gc
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any, ClassVar, Generic, NamedTuple, NoReturn, TypeVar

from rulewright.errors import UsageError
from rulewright.ir.uop import UOp
from rulewright.runtime.memories import age
from rulewright.tensor.alias import Alias
from rulewright.tensor.core import Core
from rulewright.tensor.metadata import metadata_of
from rulewright.tensor.registry import live_tensors, noting_tensors, set_base
from rulewright.tensor.shapes import show

R = TypeVar("R")


class Traced(ABC, Generic[R]):
    """A function that another one wraps; the base of what `jit` and `function` make.

    `error` is the class of what is raised for it, `doing` the word for what is done with it, `why`
    why its code may not read values, and `lost` what becomes of tensors that it keeps. Messages
    begin with `title`; `settings` are what another one of the same is made of.
    """

    error: ClassVar[type[UsageError]]
    doing: ClassVar[str]
    why: ClassVar[str]
    lost: ClassVar[str]

    def __init__(self, title: str, function: Callable[..., R], *settings: Any) -> None:
        if not callable(function):
            raise self.error(f"{title}: expected a function, found {type(function).__name__}")
        self.title = title
        self.function = function
        self.settings = function, *settings
        update_wrapper(self, function, updated=())

    @abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> R:
        """What the function returns for these arguments."""

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled by name where it stands as its function's decoration; else made anew."""
        path = getattr(self.function, "__qualname__", "")
        named: Any = sys.modules.get(getattr(self.function, "__module__", None) or "")
        for name in path.split("."):
            named = getattr(named, name, None)
        return path if named is self else (type(self), self.settings)

    # ---- what it may not do ---------------------------------------------------------------

    def refuse(self, what: str) -> NoReturn:
        """Raise the error for what cannot be done inside."""
        raise self.error(
            f"{self.title}: {what}, inside a function that is being {self.doing}; {self.why}, so "
            "do this outside, and pass or return what it needs as tensors"
        )

    def refuse_result(self, value: Any) -> NoReturn:
        """Raise the error for a result in which tensors cannot be changed."""
        raise self.error(
            f"{self.title}: the function returns a {type(value).__name__}: expected tensors, "
            "numbers, strings, None, or lists, tuples, dicts and dataclasses (but for eq=False) of "
            "these"
        )

    def refuse_memory(self, tensor: Core) -> NoReturn:
        """Raise the error for a tensor that is not assigned to, but replaced."""
        raise self.error(
            f"{self.title}: a tensor of shape {show(tensor.shape)} from outside is given another "
            "memory inside the function, by replace() or by a kernel in UOps; assign() to it, or "
            "return the value and assign it outside"
        )


class Before(NamedTuple):
    """A tensor as it was when a trace began; `base` is that of its alias, or its node."""

    tensor: Core
    uop: UOp
    alias: Alias | None
    base: UOp
    grad: Core | None

    def put_back(self) -> None:
        """Let the tensor be what it was."""
        tensor = self.tensor
        if tensor._node is not self.uop:  # to look at it would end that others wait
            tensor._stand_for(self.uop)
            tensor._alias = self.alias
        if self.alias is not None:
            set_base(self.alias, self.base)
        tensor._grad = self.grad


Entry = tuple[Core, UOp, Alias | None, UOp, Core | None]


def before_of(tensor: Core) -> Before:
    """A tensor as it is."""
    alias = tensor._alias
    base = tensor.uop if alias is None else alias.base
    return Before(tensor, tensor.uop, alias, base, tensor.grad)


class Trace:
    """What one run of Python code does with tensors: which it changes, makes and keeps.

    `before` are the tensors from outside as they were, but for those `without`: what `Before`
    holds, in plain tuples, which cost a tenth. Their memory is older than `mark`; what is made
    meanwhile is younger.
    """

    def __init__(self, without: Iterable[Core] = ()) -> None:
        others = {id(tensor) for tensor in without}
        self.before: list[Entry] = [
            (t, t.uop, a, t.uop if a is None else a.base, t.grad)
            for t in live_tensors()
            if id(t) not in others
            for a in [t._alias]
        ]
        self.mark = age()
        self._links: list[Any] = []

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Inside the block, the tensors that this thread makes are noted."""
        with noting_tensors() as self._links:
            yield

    def outside(self) -> list[Core]:
        """The tensors from outside, oldest first."""
        return [entry[0] for entry in self.before]

    def written(self) -> list[Core]:
        """Those of them that stand for another value than before."""
        return [entry[0] for entry in self.before if entry[0].uop is not entry[1]]

    def changed(self) -> list[Before]:
        """Those of them that have another value or another gradient than before, as they were."""
        return [Before(*e) for e in self.before if e[0].uop is not e[1] or e[0].grad is not e[4]]

    def check_kept(self, owner: Traced[Any], counts: Callable[[Core], bool]) -> None:
        """Raise the owner's error for a tensor that its code made, that counts, and that somebody
        still holds."""
        if self._first(counts) is None:
            return
        gc.collect()  # of what refers to itself nobody may hold anything any more
        kept = self._first(counts)
        if kept is not None:
            raise owner.error(
                f"{owner.title}: a tensor of shape {show(kept.shape)} made inside the function "
                f"({metadata_of(kept.uop)}) is kept without being returned; {owner.lost}: return "
                "it, or assign() to a tensor made outside"
            )

    def _first(self, counts: Callable[[Core], bool]) -> Core | None:
        alive = (tensor for tensor in (link() for link in self._links) if tensor is not None)
        return next((tensor for tensor in alive if counts(tensor)), None)
