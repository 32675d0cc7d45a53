"""One effect for each value of a range."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import Any

from rulewright.codegen.kinds import kind
from rulewright.codegen.lanes import is_consecutive, wide_index
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp


def replicated(effects: Iterable[UOp], axis: UOp, target: Any) -> tuple[UOp, ...]:
    """Of each effect one for each value of the axis, or one for all if they can be joined."""
    iterations = [{axis: UOp.index_const(k)} for k in range(int(axis.vmax) + 1)]
    return tuple([new for e in effects for new in _replicated(e, axis, target, iterations)])


def _replicated(effect: UOp, axis: UOp, target: Any, iterations: list[dict[UOp, UOp]]) -> list[UOp]:
    """One effect for each iteration, or one for all; `iterations` are what nodes that effects share
    became in each."""
    if (whole := _moved(effect, axis, target)) is not None:
        return [whole]
    first = iterations[0]
    walked = effect.toposort(lambda n: n not in first and axis in n.ranges)
    inside = [n for n in walked if n not in first and axis in n.ranges]
    wide: dict[UOp, UOp] = {}
    if kind(axis) == "vector":
        for node in inside:
            if _consecutive(node, axis, target):
                wide[node] = wide_index(node, axis, len(iterations))
    again = [n for n in inside if n.op is Ops.AFTER and axis in n.src[1:]]
    if wide or again:
        iterations = [{axis: changes[axis]} for changes in iterations]  # of this effect alone
        inside = _open_nodes(effect, axis, {*wide, *again, axis})
    opened = dict.fromkeys(inside) if wide or again else _left_open(inside, axis)
    copies: list[UOp] = []
    for k, changes in enumerate(iterations):
        for node, w in wide.items():
            changes[node] = UOp(Ops.LANE, node.dtype, (w,), (k,))
        for node in again:  # memory that one iteration hands to the next
            rest = [s for s in node.src[1:] if s is not axis]
            changes[node] = node.src[0].after(*rest, *copies[-1:])
        for node, ranges in opened.items():
            src = tuple([changes.get(s, s) for s in node.src])
            changes[node] = new = UOp(node.op, node.dtype, src, node.arg)
            if ranges is not None:
                new.note_ranges(ranges)
        copies.append(changes.get(effect, effect))
    place = effect.src[0]
    if effect.op is Ops.STORE and kind(axis) == "vector" and _consecutive(place, axis, target):
        values = tuple(copy.src[1] for copy in copies)
        stack = UOp(Ops.STACK, values[0].dtype.vec(len(iterations)), values)
        return [wide_index(place, axis, len(iterations)).store(stack, *copies[0].src[2:])]
    return copies


def _left_open(inside: list[UOp], axis: UOp) -> dict[UOp, tuple[UOp, ...] | None]:
    """The ranges that are open at each node in an iteration of an axis; None where loops, whose
    ends depend on the axis, become others."""
    if any(n.op is Ops.RANGE for n in inside):
        return dict.fromkeys(inside)
    return {node: tuple([r for r in node.ranges if r is not axis]) for node in inside}


def _open_nodes(root: UOp, axis: UOp, known: set[UOp]) -> list[UOp]:
    """The nodes in which `axis` is open, operands first, without those `known` and below them."""
    walked = root.toposort(lambda n: n not in known and axis in n.ranges)
    return [n for n in walked if n not in known and axis in n.ranges]


def _consecutive(node: UOp, axis: UOp, target: Any) -> bool:
    """Whether a node is an INDEX of memory of many work items that names aligned neighbours."""
    if node.op is not Ops.INDEX or node.src[0].base.op not in _SHARED or node.dtype.count > 1:
        return False
    return target.joins(node.dtype, int(axis.vmax) + 1) and _aligned(node, axis)


def wide_reads(value: UOp, axis: UOp, target: Any) -> dict[UOp, int]:
    """The reads in a value that name neighbours along an axis, and how many at once: those of
    memory of many work items, on a target that has vectors for them."""
    size, wide = int(axis.vmax) + 1, {}
    for node in value.toposort(lambda n: axis in n.ranges) if target is not None else ():
        if node.op is Ops.INDEX and node.src[0].op is Ops.PARAM and is_consecutive(node, axis):
            first = _first(node, axis)
            fits = (n for n in (4, 2) if size % n == 0 and target.joins(node.dtype, n))
            count = next((n for n in fits if is_multiple(first, n)), 1)
            if count > 1:
                wide[node] = count
    return wide


_SHARED = (Ops.PARAM, Ops.DEFINE_LOCAL)


def _aligned(node: UOp, axis: UOp) -> bool:
    """Whether an INDEX names neighbours along the axis, of which the first is at a multiple."""
    if not is_consecutive(node, axis):
        return False
    return is_multiple(_first(node, axis), int(axis.vmax) + 1)


def _first(node: UOp, axis: UOp) -> UOp:
    """Where an INDEX is at the first value of an axis, if its gate is open."""
    index = node.src[1]
    index = index.src[1] if index.op is Ops.WHERE else index
    return rewrite(index.substitute({axis: _ZERO}), "symbolic")


_ZERO = UOp.index_const(0)


def is_multiple(index: UOp, count: int) -> bool:
    """Whether an index is a multiple of a number, as far as sums and products show."""
    if count == 1:
        return True
    if index.op is Ops.CONST:
        return bool(index.arg % count == 0)
    if index.op in (Ops.ADD, Ops.SUB, Ops.MIN, Ops.MAX):
        return all(is_multiple(part, count) for part in index.src)
    if index.op is Ops.MUL and index.src[1].op is Ops.CONST:
        return is_multiple(index.src[0], count // gcd(count, index.src[1].arg))
    return False


def _moved(effect: UOp, axis: UOp, target: Any) -> UOp | None:
    """A copy of elements as they are, of all neighbours at once; None for other effects."""
    if kind(axis) != "vector" or effect.op is not Ops.STORE or len(effect.src) > 2:
        return None
    place, value = effect.src
    if value.op is not Ops.INDEX or value.dtype.count > 1 or place.dtype != value.dtype:
        return None
    count = int(axis.vmax) + 1
    if not target.moves(value.dtype, count):
        return None
    if not _aligned(place, axis) or not _aligned(value, axis):
        return None
    return wide_index(place, axis, count).store(wide_index(value, axis, count))
