"""Derivatives of graphs: the walk against the arrows.

For each node y with upstream gradient g the rule set `gradient` rewrites GRAD(y, g) to a TUPLE
with one gradient for each source of y. This module walks and adds up, goes through called functions
(whose derivatives are traced once, or given by the user), and holds the externs of these rules: the
adjoint of a movement takes a gradient of its result to one of its source, so that what was cut off
gets zero, what was padded is dropped, what was repeated is summed.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from rulewright.collector import without_gc
from rulewright.errors import FunctionError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.placement import names_of
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.ir.watch import checks
from rulewright.options import options
from rulewright.tensor.assign import unmoved, view_chain
from rulewright.tensor.function_nodes import Derivative, called, closed, derivatives
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.shapes import node_broadcast_to, node_joined, reaching, show
from rulewright.tensor.views import rebased

if TYPE_CHECKING:
    from rulewright.tensor.tensor import Tensor


def unexpand(y: UOp, g: UOp) -> UOp:
    """The gradient summed over the axes that were repeated; narrow floats in float32."""
    old, new = y.src[0].shape or (), y.shape or ()
    axes = tuple(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a == 1 and b != 1)
    if not axes:
        return g
    kind = accumulator(g.dtype)
    return UOp(Ops.REDUCE_AXIS, kind, (g.cast(kind),), (Ops.ADD, axes)).cast(g.dtype)


def expand_like(x: UOp, value: UOp) -> UOp:
    """A reduced value repeated to the shape of x, what was reduced."""
    return value.expand(x.shape or ())


def outside_view(memory: UOp, view: UOp, g: UOp) -> UOp:
    """The gradient of a memory with zeros where a view of it shows."""
    inside = node_broadcast_to(UOp.const(dtypes.bool, True), view.shape or ())
    for node in view_chain(view, memory):
        inside = unmoved(node, inside)
    return inside.where(UOp.const(g.dtype, 0), g)


def inside_view(memory: UOp, view: UOp, g: UOp) -> UOp:
    """What a view of a memory shows of the memory's gradient."""
    return rebased(view, memory, g)


FEWEST = 8
"""Parts that are worth it: each element of a sum of few is added up as quickly as it is chosen."""


def added(parts: list[UOp]) -> UOp:
    """The sum of one node or more, in order; what parts of an axis add, as a loop over x[0], x[1]
    and so on leaves it, is one node along the axis. The list keeps the sum alone."""
    if len(parts) >= FEWEST:
        parts[:] = _put_together(parts)
    parts[:] = [reduce(UOp.__add__, parts)]
    return parts[0]


def _put_together(parts: Sequence[UOp]) -> list[UOp]:
    """The parts with one in the place of those that do not overlap along an axis."""
    joined: list[UOp] = []
    groups: dict[int, list[UOp]] = {}
    for part in parts:
        axis = _padded_axis(part)
        (joined if axis is None else groups.setdefault(axis, [])).append(part)
    for axis, group in groups.items():
        for row in _rows(group, axis):
            joined += [_along(row, axis)] if len(row) >= FEWEST else row
    return joined


def _padded_axis(part: UOp) -> int | None:
    """The one axis that a PAD by numbers makes longer; None for other nodes."""
    if part.op is not Ops.PAD:
        return None
    axes = [axis for axis, pads in enumerate(part.arg) if pads != (0, 0)]
    shape = part.src[0].shape or ()
    numbers = [*shape, *(end for pads in part.arg for end in pads)]
    known = all(isinstance(number, int) for number in numbers)
    return axes[0] if len(axes) == 1 and known else None


def _rows(parts: Sequence[UOp], axis: int) -> list[list[UOp]]:
    """PADs in as few rows as there can be, in each row one behind the other."""
    rows: list[list[UOp]] = []
    ends: list[int] = []
    for part in sorted(parts, key=lambda p: int(p.arg[axis][0])):
        first = part.arg[axis][0]
        row = next((row for row, end in enumerate(ends) if end <= first), len(rows))
        if row == len(rows):
            rows.append([])
            ends.append(0)
        rows[row].append(part)
        ends[row] = first + part.src[0].max_shape[axis]
    return rows


def _along(row: Sequence[UOp], axis: int) -> UOp:
    """What PADs of a row pad, one behind the other, with zeros between."""
    shape, nodes, end = row[0].max_shape, [], 0
    for part in row:
        nodes += _zeros(part, axis, part.arg[axis][0] - end)
        nodes.append(part.src[0])
        end = part.arg[axis][0] + part.src[0].max_shape[axis]
    return node_joined([*nodes, *_zeros(row[0], axis, shape[axis] - end)], axis)


def _zeros(like: UOp, axis: int, size: int) -> list[UOp]:
    """So many zeros along the axis of a node, if any."""
    shape = like.max_shape
    zero = UOp.const(like.dtype, 0)
    return [node_broadcast_to(zero, (*shape[:axis], size, *shape[axis + 1 :]))] if size else []


_CUTS = frozenset({Ops.DETACH, Ops.CONST, Ops.BUFFER, Ops.FUNCTION})


@without_gc()
def gradients(
    seeds: Mapping[UOp, UOp], targets: Sequence[UOp], ends: Container[UOp] = ()
) -> dict[UOp, UOp]:
    """The sum of the gradients of some roots by each target that they depend on.

    `seeds` gives each root's weight, of its shape. No gradient is followed beyond `ends`.

    Raises UsageError, naming the op, where there is no gradient rule on the way.
    """
    wanted = set(targets)

    def enter(node: UOp) -> bool:
        return node.op not in _CUTS and node not in ends

    needed = reaching(seeds, wanted, enter)
    parts_of = {node: [seed] for node, seed in seeds.items()}
    results: dict[UOp, dict[int, UOp]] = {}  # of calls: gradients by the number of the result
    for node in reversed(UOp.sink(*seeds).toposort(enter)):
        if node not in needed or node in ends or needed.isdisjoint(node.src):
            continue
        parts: list[tuple[UOp, UOp]] = []
        if node in results:
            parts = call_gradients(node, results[node], needed)
        elif node in parts_of and node.op is Ops.RESULT:
            results.setdefault(node.src[0], {})[node.arg[0]] = added(parts_of[node])
        elif node in parts_of:
            parts = _sources(node, added(parts_of[node]))
        for source, part in parts:
            if source in needed:
                parts_of.setdefault(source, []).append(part)
    return {target: added(parts_of[target]) for target in targets if target in parts_of}


def _sources(node: UOp, upstream: UOp) -> list[tuple[UOp, UOp]]:
    """Each source of a node with its gradient, where it has one."""
    rules = ruleset("gradient").match().get(Ops.GRAD)
    question = UOp(Ops.GRAD, dtypes.void, (node, upstream))
    answer = rules(question, None) if rules is not None else None
    if answer is None and node.op is Ops.AFTER and node.src[1].op is Ops.CALL:
        raise UsageError(
            f"no gradient rule for {node.src[1].src[0].arg[0]}, which a user wrote: pass grad_fxn "
            "where it is called, or use .detach() where no gradient is wanted"
        )
    if answer is None:
        raise UsageError(
            f"no gradient rule for {node.op.name} with {node.dtype.name} result: "
            "add one to spec/55-gradient/ or by load_rules(at='gradient'), "
            "or use .detach() where no gradient is wanted"
        )
    if options().VERIFY > 1:
        checks().check_gradient(question, answer)
    pairs = zip(node.src, answer.src, strict=False)  # symbolic sizes at the end have none
    return [(source, part) for source, part in pairs if part.op is not Ops.NOGRAD]


class KernelCall(NamedTuple):
    """What a `grad_fxn` is told of the call: the tensors passed, and the tensors that came out.

    Of a kernel's sources, those that are only written are None.
    """

    sources: tuple[Tensor | None, ...]
    results: tuple[Tensor, ...]


class _Traced(NamedTuple):
    function: UOp | None
    takes: tuple[int, ...]  # its arguments: those of the function, then upstream gradients
    gives: tuple[int, ...]  # the arguments that its results are the gradients of


_traced: WeakKeyDictionary[UOp, dict[Any, _Traced]] = WeakKeyDictionary()


def call_gradients(
    call: UOp, upstream: Mapping[int, UOp], needed: Container[UOp]
) -> list[tuple[UOp, UOp]]:
    """Arguments of a call with their gradients, given gradients of some of its results."""
    function, arguments = call.src[0], call.src[1:]
    if function.op is not Ops.FUNCTION:
        raise UsageError(
            "no gradient goes through a kernel that was chosen before: take it first, or detach()"
        )
    derivative = derivatives.get(function)
    if derivative is not None:
        return _from_user(derivative, call, upstream)
    items = tuple(sorted(upstream))
    wanted = tuple(slot for slot, a in enumerate(arguments) if a in needed and a.dtype.is_float)
    known = _traced.setdefault(function, {})
    if (items, wanted) not in known:
        known[items, wanted] = _trace(function, items, wanted, len(arguments))
    traced = known[items, wanted]
    if traced.function is None:
        return []
    everything = [*arguments, *(upstream[item] for item in items)]
    computed = called(traced.function, [everything[at] for at in traced.takes])
    return [(arguments[slot], part) for slot, part in zip(traced.gives, computed, strict=True)]


def _trace(function: UOp, items: tuple[int, ...], wanted: tuple[int, ...], count: int) -> _Traced:
    """The function of arguments and upstream gradients that computes gradients of `wanted`."""
    order = function.toposort(lambda n: n.op is not Ops.FUNCTION or n is function)
    params = {n.arg[0]: n for n in order if n.op is Ops.PARAM}
    device = next((p.arg[2] for p in params.values()), None)
    seeds: dict[UOp, UOp] = {}
    for at, item in enumerate(items):
        result = function.src[item]
        seed = UOp(Ops.PARAM, result.dtype, (), (count + at, result.shape, device))
        seeds[result] = seeds[result] + seed if result in seeds else seed
    computed = gradients(seeds, [params[slot] for slot in wanted if slot in params])
    gives = tuple(slot for slot in wanted if slot in params and params[slot] in computed)
    name = f"{function.arg[0]}_backward"
    trace = closed([computed[params[slot]] for slot in gives], name, function.arg[1])
    if not gives or trace is None:
        return _Traced(None, (), ())
    return _Traced(trace.function, tuple(p.arg[0] for p in trace.inputs), gives)


def _from_user(
    derivative: Derivative, call: UOp, upstream: Mapping[int, UOp]
) -> list[tuple[UOp, UOp]]:
    """What the user's function answers, checked."""
    from rulewright.tensor.tensor import Tensor

    function, arguments = call.src[0], call.src[1:]
    device = next((a.device for a in arguments if a.device is not None), None)

    def tensor(node: UOp) -> Tensor:
        return Tensor._make(node, names_of(device))

    results = called(function, arguments)[: derivative.results]
    if any(item >= len(results) for item in upstream):
        raise FunctionError(
            f"the gradient that was given for {function.arg[0]} is one of what it returns, not of "
            "what it writes: return that too, or detach() it"
        )
    weights = [
        tensor(upstream.get(i, node_broadcast_to(UOp.const(r.dtype, 0), r.shape or ())))
        for i, r in enumerate(results)
    ]
    sources = tuple(tensor(arguments[a]) if a is not None else None for a in derivative.arguments)
    answer = derivative.function(*weights, KernelCall(sources, tuple(map(tensor, results))))
    parts = _as_list(answer, len(derivative.arguments), function.arg[0])
    checked = []
    for place, (slot, part) in enumerate(zip(derivative.arguments, parts, strict=True)):
        if slot is None or part is None:
            continue
        source = arguments[slot]
        if not isinstance(part, Tensor) or part.shape != source.shape:
            what = show(part.shape) if isinstance(part, Tensor) else repr(part)
            raise FunctionError(
                f"the gradient that was given for {function.arg[0]} answers {what} for tensor "
                f"{place}, expected a tensor of shape {show(source.shape or ())} or None"
            )
        if source.dtype.is_float:
            checked.append((source, part.cast(source.dtype).uop))
    return checked


def _as_list(answer: Any, count: int, name: str) -> Sequence[Any]:
    parts = list(answer) if isinstance(answer, list | tuple) else [answer]
    if len(parts) != count:
        raise FunctionError(
            f"the gradient that was given for {name} answers {len(parts)} gradients, expected "
            f"{count}: one for each tensor that was passed, None where there is none"
        )
    return parts
