"""`function`: a Python function of tensors as one node of the graph, which can be called again."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from types import MethodType, ModuleType
from typing import Any, Generic, TypeVar, overload

from rulewright.errors import FunctionError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor import engine
from rulewright.tensor.assign import memory_of
from rulewright.tensor.core import Alias, Core
from rulewright.tensor.function_nodes import (
    Closed,
    Derivative,
    called,
    closed,
    derivative_id,
    derivatives,
    stand_in,
    tracing,
)
from rulewright.tensor.function_writes import (
    Before,
    Write,
    apply,
    before_of,
    changed,
    check_apart,
    outer_writes,
    own_writes,
    snapshot,
)
from rulewright.tensor.jit_arguments import rebuilt
from rulewright.tensor.registry import live_tensors, lock, noting_tensors, rebased, root_of
from rulewright.tensor.shapes import show

R = TypeVar("R")


class Function(Generic[R]):
    """A function whose calls are nodes of the graph; see `function`."""

    def __init__(
        self, traced: Callable[..., R], precompile: bool, grad_fxn: Callable[..., Any] | None
    ) -> None:
        if not callable(traced):
            raise FunctionError(f"function: expected a function, found {type(traced).__name__}")
        self.function = traced
        self.precompile, self.grad_fxn = precompile, grad_fxn
        self._last: tuple[tuple[UOp, ...], Closed | None] = ((), None)
        update_wrapper(self, traced, updated=())

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> R:
        """Trace the function over these arguments, and call what was traced."""
        with lock:
            try:
                return _Trace(self, args, kwargs).result
            except RecursionError:
                if not tracing.depth:  # no function around this one: it is not what recurs
                    raise
                raise FunctionError(
                    f"function {self.name} calls itself, directly or through others, more often "
                    f"than Python's stack allows ({tracing.depth} calls): a call is traced whole, "
                    "so that it has to end for these arguments without values of tensors"
                ) from None

    def _closed(self, computed: tuple[UOp, ...], kind: str) -> Closed | None:
        """The node of a trace; a trace like the last one finds its nodes and is that one's."""
        if computed and self._last[0] == computed:
            return self._last[1]
        made = closed(computed, self.name, kind) if computed else None
        if made is not None and all(i.op is Ops.PARAM for i in made.inputs):
            self._last = computed, made
        return made

    @property
    def name(self) -> str:
        """The name of the function, which its node shows."""
        return getattr(self.function, "__name__", type(self.function).__name__)


@overload
def function(traced: Callable[..., R], /) -> Function[R]: ...
@overload
def function(
    *, precompile: bool = False, grad_fxn: Callable[..., Any] | None = None
) -> Callable[[Callable[..., R]], Function[R]]: ...
def function(
    traced: Callable[..., R] | None = None,
    /,
    *,
    precompile: bool = False,
    grad_fxn: Callable[..., Any] | None = None,
) -> Any:
    """Make each call of a function of tensors one node: CALL of a FUNCTION over parameters.

    The function's Python code runs at each call, with parameters in place of the tensors among its
    arguments: in lists, tuples, dicts, and attributes of objects such as layers. Memory that it
    uses besides is passed along. Two calls that do the same over other tensors are calls of one
    FUNCTION, whose derivative is traced once too. What the function writes into tensors from
    outside, such as the running statistics of a BatchNorm, is assigned to them after the call.
    Results, gradients and random numbers are those of the plain function.

    precompile: schedule the function once, however often it is called, instead of letting each
    call fuse with what is around it. Its results are put in memory; its derivative computes again
    what it needs (checkpointing). For a layer of which a network has many this makes scheduling
    many times faster.
    grad_fxn: the derivative, if not that of the operations: a function of one gradient for each
    tensor returned and a `KernelCall` of the tensors passed and returned; it answers a gradient,
    or None, for each tensor among the arguments.

    A call whose shapes depend on variables is one of the plain function.

    Raises FunctionError if the function needs values of tensors, changes gradients, writes to
    memory that it also uses by way of another tensor, keeps tensors that it does not return, or
    calls itself without end.

    >>> from rulewright import Tensor, function
    >>> @function
    ... def norm(x):
    ...     return (x * x).sum(-1).sqrt()
    >>> norm(Tensor([[3.0, 4.0]])).tolist()
    [5.0]
    """
    if not isinstance(precompile, bool):
        raise FunctionError(f"function: expected precompile as True or False, found {precompile!r}")
    if grad_fxn is not None and not callable(grad_fxn):
        raise FunctionError(f"function: expected grad_fxn as a function, found {grad_fxn!r}")
    if traced is not None:
        return Function(traced, precompile, grad_fxn)
    return lambda inner: Function(inner, precompile, grad_fxn)


def tensors_of(*values: Any) -> list[Core]:
    """The tensors in containers and in attributes of objects, each once, in order."""
    found: dict[int, Core] = {}
    seen: set[int] = set()
    stack = list(reversed(values))
    while stack:
        value = stack.pop()
        if isinstance(value, Core):
            found.setdefault(id(value), value)
            continue
        below = _parts(value)
        if below and id(value) not in seen:
            seen.add(id(value))
            stack.extend(reversed(below))
    return list(found.values())


def _parts(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, type | ModuleType):
        return []
    if isinstance(value, MethodType):
        return [value.__self__]
    return list(getattr(value, "__dict__", {}).values())


class _Trace:
    """One call: the function runs over stand-ins for its tensors."""

    def __init__(self, owner: Function[Any], args: Any, kwargs: dict[str, Any]) -> None:
        self.owner = owner
        found = tensors_of(owner.function, args, kwargs)
        self.tensors = [t for t in found if t._device or memory_of(t.uop) is not None]
        self.uops = [t.uop for t in self.tensors]
        self.passed = frozenset(self.uops)
        if any(not isinstance(size, int) for t in self.tensors for size in t.shape):
            self.result = owner.function(*args, **kwargs)
            return
        self.stands: dict[UOp, Before] = {}
        self.writes: list[Write] = []
        with noting_tensors() as noted:
            with self._standing():
                value = owner.function(*args, **kwargs)
                self._note_writes()
                nodes = self._nodes(value)
            self.result = self._answered(value, nodes)
            del value
        self.writes = []
        self._check_kept(noted)

    @contextmanager
    def _standing(self) -> Iterator[None]:
        """Inside the block the tensors are parameters; afterwards they are what they were."""
        mine = {id(t) for t in self.tensors}
        before = [before_of(t) for t in self.tensors]
        others = self.others = snapshot(t for t in live_tensors() if id(t) not in mine)
        state = tracing.depth, tracing.stands, tracing.mark
        tracing.depth, tracing.mark = tracing.depth + 1, engine.age()
        try:
            for each in before:
                tensor = each.tensor
                stand = stand_in(tensor.uop, tensor.device)
                self.stands[stand], tensor.uop, tensor._alias = each, stand, None
            yield
        finally:
            tracing.depth, tracing.stands, tracing.mark = state
            for each in [*before, *changed(others)]:
                each.put_back()
            del self.others

    def _note_writes(self) -> None:
        """What was written into tensors from outside; gradients stay what they are."""
        name, others = self.owner.name, changed(self.others)
        grads = {id(each.grad) for each in self.stands.values() if each.grad is not None}
        grads.update(id(grad) for *_, grad in self.others if grad is not None)
        for each in [*self.stands.values(), *others]:
            if each.tensor.grad is not each.grad or id(each.tensor) in grads:
                raise FunctionError(
                    f"function {name} changes the gradient of a tensor of shape "
                    f"{show(each.tensor.shape)} from outside; use gradient(), return what it "
                    "gives, and set grad outside"
                )
        self.writes = own_writes(name, self.stands) + outer_writes(name, others)

    # ---- results --------------------------------------------------------------------------

    def _nodes(self, value: Any) -> dict[int, UOp]:
        """The nodes of the results that depend on parameters, views by what they are views of."""
        arguments = {id(t) for t in self.tensors}
        return {
            id(t): root_of(t)
            for t in tensors_of(value)
            if id(t) not in arguments and self._depends(t.uop)
        }

    def _depends(self, node: UOp) -> bool:
        """Whether a node is computed from parameters; what is passed for them is not."""
        return any(n in self.stands for n in node.toposort(lambda n: n not in self.passed))

    def _answered(self, value: Any, nodes: dict[int, UOp]) -> Any:
        given = dict(zip(self.stands, self.uops, strict=True))
        returned = list(dict.fromkeys(n for n in nodes.values() if n not in self.stands))
        written = [w.value for w in self.writes if self._depends(w.value)]
        computed = list(dict.fromkeys([*returned, *written]))
        plain = [t.uop for t in tensors_of(value) if memory_of(t.uop) is None]
        check_apart(self.owner.name, self.writes, self.stands, [*computed, *plain])
        new = dict(zip(computed, self._called(computed, given, len(returned)), strict=True))
        apply(self.writes, [new.get(w.value, w.value) for w in self.writes], given)
        views = {w.views: w.before.tensor for w in self.writes if w.views is not None}
        aliases: dict[UOp, Core] = {}

        def change(tensor: Core) -> Core:
            node = nodes.get(id(tensor))
            if node is None:
                return tensor
            if tensor._alias in views:
                return _shown(tensor, node, views[tensor._alias])
            if node in self.stands:
                return _shown(tensor, node, self.stands[node].tensor)
            if node not in aliases:
                aliases[node] = tensor._make(new[node], tensor._device)
            return _shown(tensor, node, aliases[node])

        return rebuilt(value, change)

    def _called(self, computed: list[UOp], given: dict[UOp, UOp], returned: int) -> tuple[UOp, ...]:
        """What the call gives for the nodes of a trace; of these some are returned."""
        kind = "whole" if self.owner.precompile else "inline"
        made = self.owner._closed(tuple(computed), kind)
        if made is None:  # sizes depend on variables: part of the graph right away
            return UOp.sink(*computed).substitute(given).src
        function, arguments = made.function, [given.get(i, i) for i in made.inputs]
        if self.owner.grad_fxn is not None:
            number = derivative_id(self.owner.grad_fxn)
            function = function.replace(arg=(*function.arg[:2], number))
            places = [arguments.index(u) if u in arguments else None for u in self.uops]
            derivatives[function] = Derivative(self.owner.grad_fxn, tuple(places), returned)
        return called(function, arguments)

    def _check_kept(self, noted: list[Any]) -> None:
        """Raise FunctionError for a tensor over parameters that outlives the trace."""
        if not self._kept(noted):
            return
        gc.collect()
        kept = self._kept(noted)
        if kept:
            raise FunctionError(
                f"function {self.owner.name} keeps a tensor of shape {show(kept[0].shape)} without "
                "returning it; return it, and keep it outside"
            )

    def _kept(self, noted: list[Any]) -> list[Core]:
        alive = [t for t in (link() for link in noted) if t is not None]
        return [t for t in alive if self._depends(t.uop)]


def _shown(view: Core, base: UOp, of: Core) -> Core:
    """The view of `of` that a traced tensor is of `base`."""
    if view.uop is base:
        return of
    if of._alias is None:
        of._alias = Alias(of.uop)
    return of._make(rebased(view.uop, base, of.uop), of._device, of._alias)
