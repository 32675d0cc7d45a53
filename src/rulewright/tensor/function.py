"""`function`: a Python function of tensors as one node of the graph, which can be called again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import MethodType
from typing import Any, overload

from rulewright.errors import FunctionError
from rulewright.ir.ops import Ops
from rulewright.ir.placement import placement
from rulewright.ir.uop import UOp
from rulewright.tensor.alias import Alias
from rulewright.tensor.core import Core
from rulewright.tensor.function_nodes import (
    Closed,
    Derivative,
    called,
    closed,
    derivatives,
    function_id,
    stand_in,
    tracing,
)
from rulewright.tensor.function_writes import (
    FunctionWrite,
    apply,
    check_apart,
    outer_writes,
    own_writes,
)
from rulewright.tensor.nested import leaves, rebuilt, tensors_of
from rulewright.tensor.registry import drop_moves, hide, hiding, lock, root_of
from rulewright.tensor.shapes import show
from rulewright.tensor.trace import Before, R, Trace, Traced, before_of
from rulewright.tensor.views import memory_of, rebased


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
    arguments: in lists, tuples, dicts, and attributes of objects such as layers. Results may be in
    containers and dataclasses. Memory that it uses besides is passed along. Two calls that do the
    same over other tensors are calls of one FUNCTION, whose derivative is traced once too. What the
    function writes into tensors from outside, such as the running statistics of a BatchNorm, is
    assigned to them after the call.
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


@contextmanager
def standing(
    owner: Traced[Any], tensors: Sequence[Core], trace: Trace
) -> Iterator[dict[UOp, Before]]:
    """Inside the block tensors are parameters, in order, which say what they stand for; afterwards
    they, and others from outside of the trace, are what they were."""
    before = [before_of(t) for t in tensors]
    changed: list[Before] = []
    stands: dict[UOp, Before] = {}
    state = tracing.owner, tracing.depth, tracing.stands, tracing.mark
    tracing.owner, tracing.depth, tracing.mark = owner, tracing.depth + 1, trace.mark
    try:
        with hiding():
            for each in before:
                stand = stand_in(each.tensor.uop, each.tensor.device)
                stands[stand] = each
                hide(each.tensor, stand)
            try:
                yield stands
            finally:
                changed = trace.changed()
    finally:
        tracing.owner, tracing.depth, tracing.stands, tracing.mark = state
        drop_moves()
        for each in [*before, *changed]:
            each.put_back()
        trace.before.clear()


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
        self.writes: list[FunctionWrite] = []
        self.trace = Trace(without=self.tensors)
        with self.trace.noting():
            with standing(owner, self.tensors, self.trace) as self.stands:
                value = owner.function(*args, **kwargs)
                self._note_writes()
                nodes = self._nodes(value)
            self.result = self._answered(value, nodes)
            del value
        self.writes = []
        self.trace.check_kept(owner, lambda tensor: self._depends(tensor.uop))

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
        if any(placement(i.device) for i in trace.inputs):  # which is scheduled with the caller
            function = function.replace(arg=(function.arg[0], "inline", *function.arg[2:]))
        if self.owner.grad_fxn is not None:
            number = function_id(self.owner.grad_fxn)
            function = function.replace(arg=(*function.arg[:2], number))
            places = [arguments.index(u) if u in arguments else None for u in self.uops]
            derivatives[function] = Derivative(self.owner.grad_fxn, tuple(places), returned)
        return called(function, arguments)


def call_of(
    passed: Sequence[Core], results: Sequence[Core]
) -> Callable[..., tuple[Core, ...]] | None:
    """The call that made results of what was passed, for any tensors like these: its function is
    not traced again.

    None unless they are different results of one call, to which all of these and no two of the
    same were passed. What was passed besides is a constant of the function.
    """
    nodes, places = [t.uop for t in results], {t.uop: place for place, t in enumerate(passed)}
    calls = {n.src[0] if n.op is Ops.RESULT else None for n in nodes}
    call = calls.pop() if len(calls) == 1 else None
    if call is None or len(places) < len(passed) or not set(places).issubset(call.src):
        return None
    traced, *arguments = call.src
    items = [(n.arg[0], t._device) for n, t in zip(nodes, results, strict=True)]

    def again(*tensors: Core) -> tuple[Core, ...]:
        uops = [tensors[places[a]].uop if a in places else a for a in arguments]
        new = called(traced, uops)
        return tuple([tensors[0]._make(new[item], device) for item, device in items])

    return again


class Once:
    """A function of tensors and of nothing else, which is traced for the first ones that it is
    given; all others have their shapes, dtypes and devices."""

    def __init__(self, traced: Callable[..., Any]) -> None:
        self.function = function(precompile=True)(traced)
        self._again: Callable[..., tuple[Core, ...]] | None = None

    def __call__(self, *tensors: Any) -> Any:
        """What the function returns: a tensor, or a tuple of tensors."""
        if self._again is not None:
            results = self._again(*tensors)
            return results if len(results) > 1 else results[0]
        value = self.function(*tensors)
        self._again = call_of(tensors, value if isinstance(value, tuple) else (value,))
        return value


def _shown(view: Core, base: UOp, of: Core) -> Core:
    """The view of `of` that a traced tensor is of `base`."""
    if view.uop is base:
        return of
    if of._alias is None:
        of._alias = Alias(of.uop)
    return of._make(rebased(view.uop, base, of.uop), of._device, of._alias)
