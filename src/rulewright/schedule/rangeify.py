"""From shaped tensor nodes to loops: applies a stage plan, so that rules can do the rest.

Stores and staged nodes get one RANGE an axis, reductions become REDUCE over ranges. After that
every value is asked for through INDEX, and the rules of `spec/50-movement.uop` sink each INDEX
through movement and elementwise ops down to memory.
"""

from __future__ import annotations

from itertools import count

from rulewright.ir.ops import Op, Ops
from rulewright.ir.origins import Origins, rebuild
from rulewright.ir.uop import UOp
from rulewright.schedule.facts import MEMORY
from rulewright.schedule.near import NearRow
from rulewright.schedule.requests import Root
from rulewright.schedule.stages import StagePlan, plan_stages


def rangeify(sink: UOp, origins: Origins | None = None) -> UOp:
    """A function of shaped nodes as one of indexed scalars, loops and STAGEs."""
    plan = plan_stages(sink)
    rename = _loop_names(plan)
    memo: dict[UOp, UOp] = {}
    own: dict[UOp, dict[Root, UOp]] = {}  # what a kernel has of a node that each one computes
    unstaged: dict[UOp, UOp] = {}  # what a node is as the target of a store: never a copy of it

    def looped(node: UOp, src: tuple[UOp, ...]) -> UOp:
        root = plan.root(node)
        if root and own:
            src = tuple([own.get(s, {}).get(root, memo[s]) for s in node.src])
        unstaged[node] = node
        if node.op in _PLACES:
            at_place = (unstaged[node.src[0]], *src[1:])
            unstaged[node] = UOp(node.op, node.dtype, at_place, node.arg)
            src = at_place if node.op in _ORDERED else src
        new = _looped(node, node.over(src), plan, rename)
        if root is None and (own or node in plan.rows):
            own.update(_by_each(node, own, memo, plan, rename))
        return new

    result = rebuild(sink, looped, memo=memo)
    if origins is not None:
        for node, root in [*plan.stores.items(), *plan.staged.items()]:
            origins.notes[memo[node]] = origins.gather(root.nodes)
    return result


def _by_each(
    node: UOp,
    own: dict[UOp, dict[Root, UOp]],
    memo: dict[UOp, UOp],
    plan: StagePlan,
    rename: dict[UOp, UOp],
) -> dict[UOp, dict[Root, UOp]]:
    """What each kernel that keeps rows of a node, or of what it is computed from, has of it."""
    rows = plan.rows.get(node, {})
    roots = dict.fromkeys(rows)
    for source in node.src:
        roots |= dict.fromkeys(own.get(source, ()))
    by_root = {}
    for root in roots:
        src = tuple([own.get(s, {}).get(root, memo[s]) for s in node.src])
        new = _inlined(node, node.replace(src=src), plan, rename)
        by_root[root] = _row(new, rows[root], rename) if root in rows else new
    return {node: by_root} if by_root else {}


_ORDERED = Ops.group("Ordered")
_PLACES = Ops.group("Movement") | _ORDERED | {Ops.BITCAST, Ops.SUBBUFFER}


def _loop_names(plan: StagePlan) -> dict[UOp, UOp]:
    """Fresh numbers for all loops: of one kernel, an outer loop's is below an inner loop's."""
    numbers = count()
    roots = [*plan.stores.values(), *plan.staged.values()]
    loops = [loop for root in roots for loop in root.ordered_loops()]
    loops += [row.fill for rows in plan.rows.values() for row in rows.values()]
    reduced = {part for block in plan.blocks.values() for part in block}
    for inner in plan.reduce_loops.values():
        loops += [part for loop in inner for part in plan.blocks.get(loop, (loop,))]
    kinds = {loop: "reduce" if loop in reduced else loop.arg[1] for loop in loops}
    return {loop: loop.replace(arg=(next(numbers), kinds[loop])) for loop in loops}


def _looped(node: UOp, new: UOp, plan: StagePlan, rename: dict[UOp, UOp]) -> UOp:
    new = _inlined(node, new, plan, rename)
    if node.op is Ops.STORE:
        return _store(new, plan.stores[node], rename)
    if node not in plan.staged or node.op is Ops.COPY:
        return new
    loops = tuple(rename[loop] for loop in plan.staged[node].loops)
    return UOp(Ops.STAGE, new.dtype, (_element(new, loops), *loops), "global")


def _inlined(node: UOp, new: UOp, plan: StagePlan, rename: dict[UOp, UOp]) -> UOp:
    """A node where it is computed, inside of the loops of who asks."""
    if node.op is not Ops.REDUCE_AXIS:
        return new
    loops = plan.reduce_loops.get(node, ())
    blocks = [plan.blocks.get(loop) for loop in loops]
    places = [b.at(b.inner) if b else loop for loop, b in zip(loops, blocks, strict=True)]
    parts = [part for loop, b in zip(loops, blocks, strict=True) for part in b or (loop,)]
    return _reduce(new, *([x.substitute(rename) for x in indices] for indices in (places, parts)))


def _element(value: UOp, loops: tuple[UOp, ...]) -> UOp:
    """What a kernel stores of a value, marked with the axis choices that the value comes with."""
    if value.op is not Ops.CONTIGUOUS:
        return value.index(*loops)
    element = value.src[0].index(*loops)
    return element if value.arg is None else element.contiguous(value.arg)


def _row(node: UOp, row: NearRow, rename: dict[UOp, UOp]) -> UOp:
    """One row of a node, for the one kernel that asks: the same whatever its other indices are."""
    fill = rename[row.fill]
    indices = tuple(i.substitute(rename) for i in row.indices)
    stage = UOp(Ops.STAGE, node.dtype, (node.index(*indices), fill), "reg")
    shape = node.shape or ()
    before, after = shape[: row.axis], shape[row.axis + 1 :]
    alone = (*(1 for _ in before), 1, fill.size, *(1 for _ in after))
    return stage.reshape(alone).expand((*before, row.blocks, fill.size, *after)).reshape(shape)


def _reduce(node: UOp, places: list[UOp], loops: list[UOp]) -> UOp:
    """REDUCE_AXIS over explicit loops, of what is at these places; axes of size 1 stay."""
    if not loops:
        return node  # nobody asks for it
    combine: Op = node.arg[0]
    axes: tuple[int, ...] = node.arg[1]
    source, shape = node.src[0], node.src[0].shape or ()
    rest = tuple(axis for axis in range(len(shape)) if axis not in axes)
    value = source.permute((*axes, *rest)).index(*places).reduce(combine, *loops)
    return value.reshape(node.shape or ())


def _store(node: UOp, root: Root, rename: dict[UOp, UOp]) -> UOp:
    target, value = node.src[:2]
    if value.op is Ops.COPY and target.op in MEMORY:
        return node  # a transfer of whole buffers is no loop
    loops = tuple(rename[loop] for loop in root.loops)
    outer_first = tuple(rename[loop] for loop in root.ordered_loops())
    return target.index(*loops).store(_element(value, loops)).end(*outer_first)
