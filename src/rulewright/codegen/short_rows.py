"""Short rows that lie behind each other, done as one: `pixels * scale` of three channels.

Rows of 3 fill no vector, and masks for each cost more than what they compute. Whole vectors go
across rows: 8 rows of 3 are 3 vectors of 8. What each row reads again, such as a number for each
channel, is a vector that repeats, and is read once.
"""

from __future__ import annotations

from math import gcd
from typing import Any, NamedTuple

from rulewright.codegen.lanes import LEAST_LANES, in_lanes
from rulewright.codegen.nests import Access, Nest, fixed
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

MOST_VECTORS = 8
"""Vectors after which a row begins with a vector again, at most."""
LEAST_ROWS = 64
"""Rows from which on their code is worth it."""


class ShortRows(NamedTuple):
    """Rows along `row` of values along `near`.

    So many vectors are `values`, which are those of whole rows.
    """

    row: UOp
    near: UOp
    values: int
    vectors: int


def short_rows(nest: Nest, lanes: int, target: Any) -> ShortRows | None:
    """Which short rows a store without reductions has that lie behind each other; None for none.

    Rows longer than a vector are so done only if what is read lies as what is stored, or is the
    same for all rows or along each.
    """
    form = nest.accesses[0].form
    near = next((a for a in nest.private if form.stride(a) == 1), None)
    size = 0 if near is None else fixed(near) or 0
    if nest.reductions or near is None or size < 2 or size % lanes == 0:
        return None
    row = next((a for a in nest.private if form.stride(a) == size), None)
    if row is None or (fixed(row) or 0) < LEAST_ROWS or lanes < LEAST_LANES:
        return None
    count = size * lanes // gcd(size, lanes)
    rows = ShortRows(row, near, count, count // lanes)
    fits = rows.vectors <= MOST_VECTORS and all(
        _is_repeated(read, rows) or _is_read(read, rows, size < lanes) for read in nest.accesses[1:]
    )
    return rows if fits and _has_lanes(nest, rows, lanes, target) else None


def _is_repeated(read: Access, rows: ShortRows) -> bool:
    """Whether each row reads the same."""
    return read.form.uses(rows.near) and not read.form.uses(rows.row)


def _is_read(read: Access, rows: ShortRows, apart: bool) -> bool:
    """Whether it is known where the next value is read, and the next row; if not `apart`, all of
    them lie behind each other, or a row reads one."""
    near, row = read.form.stride(rows.near), read.form.stride(rows.row)
    if near is None or row is None:
        return False
    return apart or near == 0 or (near, row) == (1, fixed(rows.near))


def _has_lanes(nest: Nest, rows: ShortRows, lanes: int, target: Any) -> bool:
    """Whether the value has vectors, and hangs on places in rows by what it reads alone."""
    value = nest.store.src[1]
    outside = value.toposort(lambda n: n.op is not Ops.INDEX)
    if rows.near in outside or rows.row in outside or len(nest.store.src) > 2:
        return False
    lane = UOp.range(lanes, -1, "simd")
    first = {rows.row: UOp.index_const(0), rows.near: lane}
    return in_lanes(value.substitute(first), lane, lanes, target) is not None


def repeats(store: UOp, across: UOp) -> bool:
    """Whether a store of vectors along a simd range reads by what is left of places, so that each
    value of the range `across` them reads its own."""
    reads = [n for n in store.src[1].toposort() if n.op is Ops.INDEX and across in n.ranges]
    return any(linear(n.src[1]).stride(across) is None for n in reads)
