"""A kernel that makes square matrices bidiagonal, for targets whose loops run in order.

Householder's reflections from the left and from the right in turns (Golub and Van Loan, "Matrix
Computations", 5.4.8), both of which are left as `reflections` leaves them.
"""

from __future__ import annotations

from typing import NamedTuple

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.reflections import ColumnPanel, Reflections
from rulewright.tensor.statements import ZERO, Statements, combined, matrix_loop
from rulewright.tensor.tridiagonal import RowTiles, add_of_register, reduced, reflect_row


class Bidiagonal(NamedTuple):
    """The diagonals (count, n) of matrices Pᵀ A Q, n being `padded`; what is above them, with 0 at
    the end; P and Q."""

    diagonal: UOp
    above: UOp
    left: Reflections
    right: Reflections


def node_bidiagonal(a: UOp, columns: int, device: str) -> Bidiagonal:
    """Of matrices (count, n, n or more), n being `padded`, of which so many rows and columns, 2 or
    more, are not 0."""
    results = reduced(a, columns, columns - 1, _bidiagonalize, 2, device)
    rest, diagonal, above, *sides = results
    left, right = (Reflections(rest, *sides[i : i + 2]) for i in (0, 2))
    return Bidiagonal(diagonal, above, left, right)


class _Half(NamedTuple):
    """V and T of the reflections of a side."""

    v: UOp
    t: UOp


def _bidiagonalize(a: UOp, d: UOp, e: UOp, *sides: UOp, columns: int) -> UOp:
    left, right = _Half(*sides[:2]), _Half(*sides[2:])
    count, panels, size, lanes = left.v.max_shape
    matrix = matrix_loop(count, size**3)
    number = UOp.range(panels, 1, "reduce") if panels > 1 else ZERO
    at = ColumnPanel(matrix, number, number * lanes)
    s = Statements(matrix)
    each, zero = UOp.range(size, 2), UOp.const(a.dtype, 0)
    s.write(e, (matrix, each), zero, each)
    panel = s.inside(number)
    for first, side in ((3, left), (7, right)):
        row, lane = UOp.range(size, first), UOp.range(lanes, first + 1, "simd")
        panel.write(side.v, (matrix, number, row, lane), zero, row, lane)
        row, lane = UOp.range(lanes, first + 2), UOp.range(lanes, first + 3, "simd")
        panel.write(side.t, (matrix, number, row, lane), zero, row, lane)
    most = (UOp.index_const(columns - 1) - at.first).alu(Ops.MIN, UOp.index_const(lanes))
    column = UOp.range(most, 11, "reduce") if columns > 2 else ZERO
    inner = panel.inside(column)
    _reflect_both(inner, a, (d, e), (left, right), at, column)
    panel.close(inner)
    s.close(panel)
    last, each = UOp.index_const(columns - 1), UOp.range(size - columns + 1, 12)
    s.write(d, (matrix, last + each), s.read(a, matrix, last + each, last + each), each)
    return s.done().sink(info=(f"bidiagonal_{count}_{size}", ""))


def _reflect_both(
    s: Statements, a: UOp, beside: tuple[UOp, UOp], sides: tuple[_Half, _Half], at: ColumnPanel,
    column: UOp,
) -> None:  # fmt: skip
    """Clear a column below the diagonal, and a row behind the element that follows there: A less
    x wᵀ for the one and then z yᵀ for the other, at once."""
    (d, e), (left, right) = beside, sides
    size, lanes = left.v.max_shape[2:]
    kind, step, matrix = a.dtype, at.first + column, at.matrix
    zero = UOp.const(kind, 0)
    x, w, y, z = (UOp.register(kind, size, number) for number in (1, 2, 3, 4))
    below, behind = RowTiles(step, size, lanes), RowTiles(step + 1, size, lanes)
    # x
    tile, lane, place = below.places(20, "loop")
    s.write(x, (place,), zero, tile, lane)
    each = UOp.range(size - step, 22)
    s.write(x, (step + each,), s.read(a, matrix, step + each, step), each)
    turn = reflect_row(s, x, below, 23)
    s.write(d, (matrix, step), turn.new)
    each = UOp.range(size - step, 30)
    s.write(left.v, (matrix, at.number, step + each, column), s.read(x, step + each), each)
    # w and y
    tile, lane, place = behind.places(31, "loop")
    row = UOp.range(size - step, 33, "reduce")
    product = s.read(x, step + row) * s.read(a, matrix, step + row, place)
    product = turn.tau * product.reduce(Ops.ADD, row)
    s.write(w, (place,), (step < place).where(product, zero), tile, lane)
    tile, lane, place = behind.places(34, "loop")
    value = s.read(a, matrix, step, place) - s.read(w, place)
    s.write(y, (place,), (step < place).where(value, zero), tile, lane)
    add_of_register(s, x, left.v, left.t, at, column, step, turn, 36)
    turn = reflect_row(s, y, behind, 40)
    s.write(e, (matrix, step), turn.new)
    pivot = step + 1
    each = UOp.range(size - pivot, 47)
    s.write(right.v, (matrix, at.number, pivot + each, column), s.read(y, pivot + each), each)
    # z, and what is left
    tile, lane, place = behind.places(48, "reduce")
    along = combined(s.read(w, place) * s.read(y, place), Ops.ADD, tile, lane)
    along = s.keep(UOp.register(kind, 1, 5), along)
    row = UOp.range(size - pivot, 50)
    tile, lane, place = behind.places(51, "reduce")
    product = combined(
        s.read(a, matrix, pivot + row, place) * s.read(y, place), Ops.ADD, tile, lane
    )
    value = turn.tau * (product - s.read(x, pivot + row) * along)
    s.write(z, (pivot + row,), value, row)
    row = UOp.range(size - pivot, 53)
    tile, lane, place = behind.places(54, "loop")
    value = s.read(a, matrix, pivot + row, place) - s.read(x, pivot + row) * s.read(w, place)
    value = value - s.read(z, pivot + row) * s.read(y, place)
    s.write(a, (matrix, pivot + row, place), value, row, tile, lane)
    add_of_register(s, y, right.v, right.t, at, column, pivot, turn, 56)
