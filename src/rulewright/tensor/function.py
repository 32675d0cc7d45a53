"""`function`: a Python function of tensors as one node of the graph, which can be called again.

While a function is traced a write into a tensor from outside leaves its memory alone: the tensor,
and all views of it, stand for the value that the memory would have. That value becomes one more
result of the call, and is assigned once the tensors are what they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MethodType
from typing import Any, NamedTuple, overload

from rulewright.errors import FunctionError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.alias import Alias
from rulewright.tensor.assign import assign
from rulewright.tensor.core import Core
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
from rulewright.tensor.history import differentiable
from rulewright.tensor.nested import leaves, rebuilt, tensors_of
from rulewright.tensor.registry import hide, hiding, lock, root_of, set_base
from rulewright.tensor.shapes import show
from rulewright.tensor.trace import Before, R, Trace, Traced, before_of
from rulewright.tensor.views import memory_of, rebased


class FunctionWrite(NamedTuple):
    """What `before` becomes, or all of its memory if `whole`. `views` is what its views had in
    common meanwhile."""

    before: Before
    value: UOp
    views: Alias | None
    whole: bool


def own_writes(owner: Function[Any], stands: Mapping[UOp, Before]) -> list[FunctionWrite]:
    """The writes into tensors that a trace has stand-ins for."""
    writes = []
    for stand, before in stands.items():
        new = before.tensor.uop
        if new is not stand:
            _check(owner, before, stand, new)
            writes.append(FunctionWrite(before, new, before.tensor._alias, False))
    return writes


def outer_writes(owner: Function[Any], others: Sequence[Before]) -> list[FunctionWrite]:
    """The writes into other tensors, which are then what they were, as are views made since."""
    writes: dict[object, FunctionWrite] = {}
    for before in others:
        tensor = before.tensor
        alias = tensor._alias
        if tensor.uop is before.uop or (alias or tensor) in writes:
            continue
        new = tensor.uop if alias is None else alias.base
        if before.alias not in (None, alias):
            owner.refuse_memory(tensor)
        _check(owner, before, before.base, new)
        writes[alias or tensor] = FunctionWrite(before, new, alias, True)
    for write in writes.values():
        _restore(write)
    return list(writes.values())


def _restore(write: FunctionWrite) -> None:
    before, value, alias, _ = write
    if alias is None:
        before.tensor.uop = before.uop
        return
    for tensor in alias.views():
        tensor.uop = rebased(tensor.uop, value, before.base)
    set_base(alias, before.base)


def _check(owner: Function[Any], before: Before, old: UOp, new: UOp) -> None:
    """Raise FunctionError unless the new value fits into the old one's memory, left as it was, and
    no gradient ends there, which would not be told from that of the old value."""
    memory = memory_of(new)
    kernel = new.op is Ops.AFTER and new.base is old.base
    same = memory is not None and new is not old and memory.base is old.base
    if kernel or same or (new.shape, new.dtype) != (old.shape, old.dtype):
        owner.refuse_memory(before.tensor)
    group = before.alias.views() if before.alias else []
    if any(t._requires_grad for t in [before.tensor, *group]):
        raise FunctionError(
            f"{owner.title} writes to a tensor of shape {show(before.tensor.shape)} that "
            "requires a gradient itself; return the new value, and assign it outside"
        )


def check_apart(
    owner: Function[Any],
    writes: Sequence[FunctionWrite],
    stands: Mapping[UOp, Before],
    computed: Sequence[UOp],
) -> None:
    """Raise FunctionError if memory that is written is also used by way of another tensor."""
    aliases = [w.before.alias for w in writes if w.before.alias is not None]
    if not aliases:
        return
    used = set(UOp.sink(*computed).toposort())
    for write in writes:
        before = write.before
        others = [
            stand
            for stand, b in stands.items()
            if b.alias is before.alias and b.tensor is not before.tensor
        ]
        twice = before.alias is not None and aliases.count(before.alias) > 1
        memory = memory_of(before.base)
        own = any(b.tensor is before.tensor for b in stands.values())
        around = own and memory is not None and memory.base in used
        if before.alias is not None and (twice or around or any(s in used for s in others)):
            raise FunctionError(
                f"{owner.title} writes to a tensor of shape {show(before.tensor.shape)} and uses "
                "the same memory by way of another tensor, as which it would not see the write; "
                "pass one of the two, and take views of it inside"
            )


def apply(
    writes: Sequence[FunctionWrite], values: Sequence[UOp], passed: Mapping[UOp, UOp]
) -> None:
    """Assign what a call gave for each write. `passed` maps stand-ins to what they stand for."""
    sources = [_sources(write.value, passed) for write in writes]
    grown = set(differentiable(dict.fromkeys(s for flowing in sources for s in flowing)))
    for write, value, flowing in zip(writes, values, sources, strict=True):
        before = write.before
        target, alias = before.tensor, before.alias
        if write.whole and alias is not None and before.uop is not before.base:
            target = target._make(before.base, target._device, alias)
        flows = any(source in grown for source in flowing)
        assign(target, value if flows else value.detach(), target._device)


def _sources(value: UOp, passed: Mapping[UOp, UOp]) -> list[UOp]:
    """What gradients of a value could flow to, if these require one."""
    nodes = value.toposort(lambda n: n.op not in (Ops.DETACH, Ops.FUNCTION))
    return [passed.get(n, n) for n in nodes if n in passed or n.op is Ops.BUFFER]


class Function(Traced[R]):
    """A function whose calls are nodes of the graph; see `function`."""

    error = FunctionError
    doing = "traced"
    why = "its arguments have no values"
    lost = "outside of the call it has no value"

    def __init__(
        self, traced: Callable[..., R], precompile: bool, grad_fxn: Callable[..., Any] | None
    ) -> None:
        super().__init__("function", traced, precompile, grad_fxn)
        self.title = f"function {self.name}"
        self.precompile, self.grad_fxn = precompile, grad_fxn
        self._last: tuple[tuple[UOp, ...], Closed | None] = ((), None)

    def __get__(self, instance: Any, owner: type | None = None) -> Callable[..., R]:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> R:
        """Trace the function over these arguments, and call what was traced."""
        with lock:
            try:
                return _Call(self, args, kwargs).result
            except RecursionError:
                if not tracing.depth:  # no function around this one: it is not what recurs
                    raise
                raise FunctionError(
                    f"{self.title} calls itself, directly or through others, more often "
                    f"than Python's stack allows ({tracing.depth} calls): a call is traced whole, "
                    "so that it has to end for these arguments without values of tensors"
                ) from None

    def _closed(self, computed: tuple[UOp, ...], kind: str) -> Closed | None:
        """The node of a trace; a trace like the last one finds its nodes and is that one's."""
        if computed and self._last[0] == computed:
            return self._last[1]
        trace = closed(computed, self.name, kind) if computed else None
        if trace is not None and all(i.op is Ops.PARAM for i in trace.inputs):
            self._last = computed, trace
        return trace


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


class _Call:
    """One call: the function runs over stand-ins for its tensors."""

    def __init__(self, owner: Function[Any], args: Any, kwargs: dict[str, Any]) -> None:
        self.owner = owner
        tensors = tensors_of(owner.function, args, kwargs)
        self.tensors = [t for t in tensors if t._device or memory_of(t.uop) is not None]
        self.uops = [t.uop for t in self.tensors]
        self.passed = frozenset(self.uops)
        if any(not isinstance(size, int) for t in self.tensors for size in t.shape):
            self.result = owner.function(*args, **kwargs)
            return
        self.stands: dict[UOp, Before] = {}
        self.writes: list[FunctionWrite] = []
        self.trace = Trace(without=self.tensors)
        with self.trace.noting():
            with self._standing():
                value = owner.function(*args, **kwargs)
                self._note_writes()
                nodes = self._nodes(value)
            self.result = self._answered(value, nodes)
            del value
        self.writes = []
        self.trace.check_kept(owner, lambda tensor: self._depends(tensor.uop))

    @contextmanager
    def _standing(self) -> Iterator[None]:
        """Inside the block the tensors are parameters; afterwards they are what they were."""
        before = [before_of(t) for t in self.tensors]
        changed: list[Before] = []
        state = tracing.owner, tracing.depth, tracing.stands, tracing.mark
        tracing.owner, tracing.depth, tracing.mark = self.owner, tracing.depth + 1, self.trace.mark
        try:
            with hiding():
                for each in before:
                    tensor = each.tensor
                    stand = stand_in(tensor.uop, tensor.device)
                    self.stands[stand] = each
                    hide(tensor, stand)
                try:
                    yield
                finally:
                    changed = self.trace.changed()
        finally:
            tracing.owner, tracing.depth, tracing.stands, tracing.mark = state
            for each in [*before, *changed]:
                each.put_back()
            self.trace.before.clear()

    def _note_writes(self) -> None:
        """What was written into tensors from outside; gradients stay what they are."""
        owner, others = self.owner, self.trace.changed()
        grads = {id(each.grad) for each in self.stands.values() if each.grad is not None}
        grads.update(id(grad) for *_, grad in self.trace.before if grad is not None)
        for each in [*self.stands.values(), *others]:
            if each.tensor.grad is not each.grad or id(each.tensor) in grads:
                raise FunctionError(
                    f"{owner.title} changes the gradient of a tensor of shape "
                    f"{show(each.tensor.shape)} from outside; use gradient(), return what it "
                    "gives, and set grad outside"
                )
        self.writes = own_writes(owner, self.stands) + outer_writes(owner, others)

    # ---- results --------------------------------------------------------------------------

    def _nodes(self, value: Any) -> dict[int, UOp]:
        """The nodes of the results that depend on parameters, views by what they are views of."""
        arguments = {id(t) for t in self.tensors}
        nodes = {}
        for leaf in leaves(value):
            for tensor in [leaf] if isinstance(leaf, Core) else tensors_of(leaf):
                if id(tensor) in arguments or not self._depends(tensor.uop):
                    continue
                if tensor is not leaf:
                    self.owner.refuse_result(leaf)
                nodes[id(tensor)] = root_of(tensor)
        return nodes

    def _depends(self, node: UOp) -> bool:
        """Whether a node is computed from parameters; what is passed for them is not."""
        return any(n in self.stands for n in node.toposort(lambda n: n not in self.passed))

    def _answered(self, value: Any, nodes: dict[int, UOp]) -> Any:
        passed = dict(zip(self.stands, self.uops, strict=True))
        returned = list(dict.fromkeys(n for n in nodes.values() if n not in self.stands))
        written = [w.value for w in self.writes if self._depends(w.value)]
        computed = list(dict.fromkeys([*returned, *written]))
        plain = [t.uop for t in tensors_of(value) if memory_of(t.uop) is None]
        check_apart(self.owner, self.writes, self.stands, [*computed, *plain])
        new = dict(zip(computed, self._called(computed, passed, len(returned)), strict=True))
        apply(self.writes, [new.get(w.value, w.value) for w in self.writes], passed)
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

    def _called(
        self, computed: list[UOp], passed: dict[UOp, UOp], returned: int
    ) -> tuple[UOp, ...]:
        """What the call gives for the nodes of a trace; of these some are returned."""
        kind = "whole" if self.owner.precompile else "inline"
        trace = self.owner._closed(tuple(computed), kind)
        if trace is None:  # sizes depend on variables: part of the graph right away
            return UOp.sink(*computed).substitute(passed).src
        function, arguments = trace.function, [passed.get(i, i) for i in trace.inputs]
        if self.owner.grad_fxn is not None:
            number = derivative_id(self.owner.grad_fxn)
            function = function.replace(arg=(*function.arg[:2], number))
            places = [arguments.index(u) if u in arguments else None for u in self.uops]
            derivatives[function] = Derivative(self.owner.grad_fxn, tuple(places), returned)
        return called(function, arguments)


def call_between(
    before: Sequence[Core], after: Sequence[Core]
) -> Callable[..., tuple[Core, ...]] | None:
    """The call that made tensors of others, for any like these: its function is not traced again.

    None unless the former are all results of one call, and the latter are different results, which
    are like those, in their places: what else could be one of them is a constant of the function.
    """
    nodes, places = [t.uop for t in after], {t.uop: place for place, t in enumerate(before)}
    alike = len(places) == len(nodes) and all(
        (a.shape, a.dtype, a._device) == (b.shape, b.dtype, b._device)
        for a, b in zip(after, before, strict=True)
    )
    calls = {n.src[0] for n in nodes if n.op is Ops.RESULT}
    if not alike or len(calls) != 1 or any(n.op is not Ops.RESULT for n in [*nodes, *places]):
        return None
    traced, *arguments = calls.pop().src
    items = [n.arg[0] for n in nodes]

    def call(*tensors: Core) -> tuple[Core, ...]:
        passed = [tensors[places[a]].uop if a in places else a for a in arguments]
        results = called(traced, passed)
        pairs = zip(items, tensors, strict=True)
        return tuple([like._make(results[item], like._device) for item, like in pairs])

    return call


def _shown(view: Core, base: UOp, of: Core) -> Core:
    """The view of `of` that a traced tensor is of `base`."""
    if view.uop is base:
        return of
    if of._alias is None:
        of._alias = Alias(of.uop)
    return of._make(rebased(view.uop, base, of.uop), of._device, of._alias)
