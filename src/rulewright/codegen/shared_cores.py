"""Matrices that tensor cores read from memory of a workgroup: how copies lie there, and are named.

Such a core takes a unit at a time of neighbours along one axis, its inner one: 16 bytes of CUDA's.
Units of all rows along the other axis lie behind each other, and then come the next ones of each,
as in "k8 m64 k8" of elements of 2 bytes. So a copy of a workgroup is laid with its inner axis cut
in two: the units are innermost, and what is left counts the rows of the copy, which may lie apart
(`staging`). The target says which axes can be inner: where both can, that one is whose neighbours
are read from beside each other, for units are copied at once then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rulewright.codegen.kinds import kind
from rulewright.codegen.nests import reads
from rulewright.codegen.numbering import joined, places_of
from rulewright.codegen.replicate import is_multiple
from rulewright.errors import UsageError
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.lang.layouts import MemoryLayout

if TYPE_CHECKING:
    from rulewright.codegen.cores import TensorCore


class Ranges(Protocol):
    """Where new ranges come from."""

    def range(self, size: int, to: str) -> UOp:
        """One of a size and a kind."""


class _Fill(NamedTuple):
    """A range of a copy, and which of its values an element of the copy has."""

    place: UOp
    range: UOp


def shared_copy(
    value: UOp, layouts: Sequence[MemoryLayout], axes: Mapping[str, UOp], fresh: Ranges
) -> UOp:
    """A value that is multiplied, as an element of a copy that lies in one of these ways.

    Raises UsageError for a value that is no element of a copy that a workgroup makes, and for a
    copy of no whole units.
    """
    if value.op is not Ops.INDEX or value.src[0].op is not Ops.STAGE:
        raise _refused("a copy of each (`pack`)")
    stage, *places = value.src
    if all(kind(r) != "local" for r in stage.src[1:]):
        raise _refused("a copy with a range of kind local of each")
    fills = [_Fill(*pair) for pair in zip(places, stage.src[1:], strict=True)]
    units = {axes[unit.axis]: unit.size for unit, *_ in (layout.digits for layout in layouts)}
    axis = next((axis for axis in units if _reads_along(stage, fills, axis)), next(iter(units)))
    return _laid(stage, fills, axis, units[axis], fresh)


def _refused(expected: str) -> UsageError:
    return UsageError(
        "axis choices: tc: such a tensor core reads what it multiplies from memory of the "
        f"workgroup: expected {expected}"
    )


def _reads_along(stage: UOp, fills: Sequence[_Fill], axis: UOp) -> bool:
    """Whether neighbours along an axis of what is copied are read from beside each other."""
    along = [fill.range for fill in fills if axis in fill.place.ranges]
    return bool(along) and all(a.ungated.stride(along[-1]) == 1 for a in reads(stage.src[0]))


def _laid(stage: UOp, fills: Sequence[_Fill], axis: UOp, unit: int, fresh: Ranges) -> UOp:
    """The element of a copy with units along an axis innermost, and the rest of it outermost."""
    outer: list[_Fill] = []
    inner: list[_Fill] = []
    changes: dict[UOp, UOp] = {}
    for fill in reversed([fill for fill in fills if axis in fill.place.ranges]):
        count, left = places_of([fill.range]), unit // places_of([f.range for f in inner])
        if left == 1:
            outer.insert(0, fill)
        elif left % count == 0:
            inner.insert(0, fill)
        elif count % left == 0:
            whole, part = (fresh.range(n, kind(fill.range)) for n in (count // left, left))
            changes[fill.range] = whole * left + part
            outer.insert(0, _Fill(fill.place // left, whole))
            inner.insert(0, _Fill(fill.place % left, part))
        else:
            break
    if not outer or places_of([f.range for f in inner]) != unit:
        raise _refused(f"copies of whole units of {unit} elements")
    rows, parts = _one_range([f.range for f in outer], fresh)
    sizes = [places_of([f.range]) for f in outer]
    others = [fill for fill in fills if axis not in fill.place.ranges]
    row = _Fill(joined([f.place for f in outer], sizes), rows)
    own = rewrite(stage.src[0].substitute(changes).substitute(parts), "symbolic")
    whole_copy = [row, *others, *inner]
    src = (own, *(fill.range for fill in whole_copy))
    copy = UOp(Ops.STAGE, own.dtype, src, stage.arg)
    return copy.index(*(rewrite(fill.place, "symbolic") for fill in whole_copy))


def _one_range(ranges: Sequence[UOp], fresh: Ranges) -> tuple[UOp, dict[UOp, UOp]]:
    """One range for several, and what they are of it."""
    whole, step = fresh.range(places_of(ranges), "local"), 1
    parts = {}
    for each in reversed(ranges):
        part = whole // step if step > 1 else whole
        parts[each] = part if each is ranges[0] else part % places_of([each])
        step *= places_of([each])
    return whole, parts


def shared_matrix(
    value: UOp, core: TensorCore, which: int, axes: Mapping[UOp, str]
) -> tuple[UOp, str]:
    """What lies in memory of the workgroup from the first element of a matrix to its last, and
    where in it each element is.

    Raises UsageError if the matrix does not lie as such a core reads it.
    """
    if value.op is not Ops.INDEX or value.src[0].base.op is not Ops.DEFINE_LOCAL:
        raise _refused("a copy of each (`pack`)")
    memory, index = value.src
    ranges = {name: axis for axis, name in axes.items() if name in ("mk", "kn")[which]}
    first = {axis: UOp.index_const(0) for axis in ranges.values()}
    begin = rewrite(index.substitute(first), "symbolic")
    for layout in core.memory(which):
        unit, rows, whole = layout.digits
        outer, inner = UOp.range(whole.size, -1), UOp.range(unit.size, -2)
        each = index.substitute({ranges[unit.axis]: outer * unit.size + inner})
        form = linear(rewrite(each, "symbolic"))
        step = form.stride(outer) or 0
        lies = form.stride(inner) == 1 and form.stride(ranges[rows.axis]) == rows.distance
        if lies and step > 0 and step % unit.size == 0 and is_multiple(begin, unit.size):
            own = MemoryLayout((unit, rows, whole._replace(distance=step)))
            held = UOp(Ops.INDEX, value.dtype.vec(own.span), (memory, begin))
            return held, str(own)
    units = " or ".join(str(layout.digits[0].size) for layout in core.memory(which))
    raise _refused(f"units of {units} elements, those of all rows behind each other")
