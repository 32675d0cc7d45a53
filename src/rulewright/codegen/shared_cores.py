"""Matrices that tensor cores read from memory of a workgroup: how copies lie there, and are named.

Such a core takes 16 bytes at a time of neighbours along one axis, its inner one. Those of all rows of the
other axis lie behind each other, and then come the next 16 bytes of each: "k8 m64 k8" of elements of 2
bytes. So a copy of a workgroup is laid with the inner axis cut in two: what is left of it counts the
rows of the copy, which may lie apart (`staging`), and its units are innermost. Which axis is inner is said
by the cores of a target, and of those by how what is copied lies: units are copied at once then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING, Protocol

from rulewright.codegen.kinds import kind
from rulewright.codegen.nests import reads
from rulewright.codegen.numbering import joined
from rulewright.codegen.replicate import is_multiple
from rulewright.errors import UsageError
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.lang.layouts import Part, Places

if TYPE_CHECKING:
    from rulewright.codegen.cores import TensorCore

UNIT_BYTES = 16
"""Neighbours that such a core reads at a time."""


class Ranges(Protocol):
    """Where new ranges come from."""

    def range(self, size: int, to: str) -> UOp:
        """One of a size and a kind."""


def shared_copy(
    value: UOp, choices: Sequence[Places], axes: Mapping[UOp, str], fresh: Ranges
) -> UOp:
    """A value that is multiplied, as an element of a copy that lies as one of these: that in which
    neighbours lie beside each other where they are read, if there is one.

    Raises UsageError for a value that is no element of a copy that a workgroup makes.
    """
    staged = value.op is Ops.INDEX and value.src[0].op is Ops.STAGE
    if not staged or all(kind(r) != "local" for r in value.src[0].src[1:]):
        raise _refused("a copy in memory of the workgroup (`pack` with a range of kind local)")
    names = {name: axis for axis, name in axes.items()}
    inner = [names[places.parts[0].axis] for places in choices]
    axis = next((axis for axis in inner if _reads_along(value, axis)), inner[0])
    return _laid(value, axis, _unit(value), fresh)


def _refused(expected: str) -> UsageError:
    return UsageError(
        f"axis choices: tc: such a tensor core reads what it multiplies from memory of the "
        f"workgroup: expected {expected}"
    )


def _unit(value: UOp) -> int:
    return UNIT_BYTES // value.dtype.itemsize


def _reads_along(value: UOp, axis: UOp) -> bool:
    """Whether neighbours along an axis of what is copied are read from beside each other."""
    stage, *places = value.src
    fills = [f for p, f in zip(places, stage.src[1:], strict=True) if axis in p.ranges]
    return bool(fills) and all(a.ungated.stride(fills[-1]) == 1 for a in reads(stage.src[0]))


def _laid(value: UOp, axis: UOp, unit: int, fresh: Ranges) -> UOp:
    """An element of a copy with units along an axis innermost, and the rest of that axis outermost."""
    stage, *places = value.src
    pairs = list(zip(places, stage.src[1:], strict=True))
    others = [(place, fill) for place, fill in pairs if axis not in place.ranges]
    outer, inner, changes = [], [], {}
    for place, fill in reversed([pair for pair in pairs if pair not in others]):
        count, left = int(fill.vmax) + 1, unit // prod(int(f.vmax) + 1 for _, f in inner)
        if left == 1:
            outer.insert(0, (place, fill))
        elif left % count == 0:
            inner.insert(0, (place, fill))
        elif count % left == 0:
            whole, part = (fresh.range(size, kind(fill)) for size in (count // left, left))
            changes[fill] = whole * left + part
            outer.insert(0, (place // left, whole))
            inner.insert(0, (place % left, part))
        else:
            break
    if not outer or prod(int(f.vmax) + 1 for _, f in inner) != unit:
        raise _refused(f"copies of a multiple of {unit} elements along what it reads at once")
    sizes = [int(fill.vmax) + 1 for _, fill in outer]
    rows, step = fresh.range(prod(sizes), "local"), 1
    parts = {}
    for (_, fill), size in zip(reversed(outer), reversed(sizes), strict=True):
        part = rows // step if step > 1 else rows
        parts[fill] = part % size if step * size < prod(sizes) else part
        step *= size
    own = rewrite(stage.src[0].substitute(changes).substitute(parts), "symbolic")
    fills = [rows, *(fill for _, fill in (*others, *inner))]
    copy = UOp(Ops.STAGE, own.dtype, (own, *fills), stage.arg)
    there = [joined([place for place, _ in outer], sizes), *(p for p, _ in (*others, *inner))]
    return copy.index(*(rewrite(place, "symbolic") for place in there))


def shared_matrix(
    value: UOp, core: TensorCore, which: int, axes: Mapping[UOp, str]
) -> tuple[UOp, str]:
    """What lies in memory of the workgroup from the first element of a matrix to its last, and where
    in it each element is.

    Raises UsageError if the matrix does not lie as such a core reads it.
    """
    if value.op is not Ops.INDEX or value.src[0].base.op is not Ops.DEFINE_LOCAL:
        raise _refused("a copy in memory of the workgroup")
    (memory, index), unit = value.src, _unit(value)
    ranges = {name: axis for axis, name in axes.items() if name in "mk kn".split()[which]}
    for near, far in permutations(ranges):
        whole, rest = int(ranges[near].vmax) + 1, int(ranges[far].vmax) + 1
        outer, inner = UOp.range(max(1, whole // unit), -1), UOp.range(unit, -2)
        each = index.substitute({ranges[near]: outer * unit + inner})
        form = linear(rewrite(each, "symbolic"))
        step = form.stride(outer)
        first = {axis: UOp.index_const(0) for axis in ranges.values()}
        begin = rewrite(index.substitute(first), "symbolic")
        lies = form.stride(inner) == 1 and form.stride(ranges[far]) == unit
        parts = Part(near, unit, 1), Part(far, rest, unit), Part(near, whole // unit, step or 0)
        taken = any(_alike(parts, places.parts) for places in core.places(which))
        if lies and taken and step and step % unit == 0 and is_multiple(begin, unit):
            places = Places(parts)
            held = UOp(Ops.INDEX, value.dtype.vec(places.span), (memory, begin))
            return held, str(places)
    raise _refused(f"units of {unit} elements, those of all rows behind each other")


def _alike(parts: Sequence[Part], others: Sequence[Part]) -> bool:
    """Whether parts are the same but for how far apart the last ones lie."""
    return [p[:2] for p in parts] == [p[:2] for p in others]
