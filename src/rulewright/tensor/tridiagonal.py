"""A kernel that makes symmetric matrices tridiagonal, for targets whose loops run in order.

Householder's reflections from both sides (Golub and Van Loan, "Matrix Computations", 8.3.1), of
which what they do together is left as `reflections` leaves it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.custom_kernel import Blank, kernel_values
from rulewright.tensor.elimination import PANEL
from rulewright.tensor.reflections import (
    ColumnPanel,
    Reflections,
    Turn,
    add_reflection,
    blank_sides,
    inverse_of,
    kept_turn,
    turned,
)
from rulewright.tensor.statements import ZERO, Statements, combined, matrix_loop, size_of


class Tridiagonal(NamedTuple):
    """The diagonals (count, n) of matrices Qᵀ A Q, n being `padded`; what is beside them, with 0 at
    the end; and Q."""

    diagonal: UOp
    beside: UOp
    q: Reflections


def node_tridiagonal(a: UOp, columns: int, device: str) -> Tridiagonal:
    """Of symmetric matrices (count, n, n or more), n being `padded`, of which so many columns, 3 or
    more, are not 0."""
    rest, diagonal, beside, v, t = reduced(a, columns, columns - 2, _tridiagonalize, 1, device)
    return Tridiagonal(diagonal, beside, Reflections(rest, v, t))


def reduced(
    a: UOp, columns: int, steps: int, to_diagonals: Callable[..., UOp], sides: int, device: str
) -> tuple[UOp, ...]:
    """What a kernel leaves of matrices (count, n, n or more) of which so many columns are not 0:
    themselves, two diagonals, and so many reflections from each side."""
    diagonal = Blank(a.dtype, a.max_shape[:2])
    both = blank_sides(a, min(a.max_shape[1], PANEL), steps) * sides
    return kernel_values(to_diagonals, device, a, diagonal, diagonal, *both, columns=columns)


def _tridiagonalize(a: UOp, d: UOp, e: UOp, v: UOp, t: UOp, columns: int) -> UOp:
    count, panels, size, lanes = v.max_shape
    matrix = matrix_loop(count, size**3)
    number = UOp.range(panels, 1, "reduce") if panels > 1 else ZERO
    at = ColumnPanel(matrix, number, number * lanes)
    around = Statements(matrix)
    s = around.inside(number)
    zero = UOp.const(a.dtype, 0)
    row, lane = UOp.range(size, 2), UOp.range(lanes, 3, "simd")
    s.write(v, (matrix, number, row, lane), zero, row, lane)
    row, lane = UOp.range(lanes, 4), UOp.range(lanes, 5, "simd")
    s.write(t, (matrix, number, row, lane), zero, row, lane)
    most = (UOp.index_const(columns - 2) - at.first).alu(Ops.MIN, UOp.index_const(lanes))
    column = UOp.range(most, 6, "reduce") if columns > 3 else ZERO
    inner = s.inside(column)
    _reflect_both(inner, a, e, v, t, at, column)
    s.close(inner)
    around.close(s)
    s = around
    each = UOp.range(size, 70)
    s.write(d, (matrix, each), s.read(a, matrix, each, each), each)
    last, each = UOp.index_const(columns - 2), UOp.range(size - columns + 2, 71)
    value = s.read(a, matrix, last, last + 1)
    s.write(e, (matrix, last + each), each.alu(Ops.CMPEQ, ZERO).where(value, zero), each)
    return s.done().sink(info=(f"tridiagonal_{count}_{size}", ""))


def _reflect_both(
    s: Statements, a: UOp, e: UOp, v: UOp, t: UOp, at: ColumnPanel, column: UOp
) -> None:
    """Clear a column below the element under its diagonal, and a row."""
    size, lanes = v.max_shape[2:]
    kind, step = a.dtype, at.first + column
    pivot, zero = step + 1, UOp.const(a.dtype, 0)
    x, w = UOp.register(kind, size, 1), UOp.register(kind, size, 2)
    tiles = RowTiles(pivot, size, lanes)
    tile, lane, place = tiles.places(47, "loop")
    s.write(x, (place,), (step < place).where(s.read(a, at.matrix, step, place), zero), tile, lane)
    turn = reflect_row(s, x, tiles, 49)
    s.write(e, (at.matrix, step), turn.new)
    each = UOp.range(size - pivot, 55)
    s.write(v, (at.matrix, at.number, pivot + each, column), s.read(x, pivot + each), each)
    tile, lane, place = tiles.places(56, "loop")
    row = UOp.range(size - pivot, 58, "reduce")
    product = s.read(x, pivot + row) * s.read(a, at.matrix, pivot + row, place)
    product = turn.tau * product.reduce(Ops.ADD, row)
    s.write(w, (place,), (place < pivot).where(zero, product), tile, lane)
    tile, lane, place = tiles.places(59, "reduce")
    along = combined(s.read(w, place) * s.read(x, place), Ops.ADD, tile, lane)
    along = s.keep(UOp.register(kind, 1, 9), turn.tau * UOp.const(kind, 0.5) * along)
    tile, lane, place = tiles.places(61, "loop")
    s.write(w, (place,), s.read(w, place) - along * s.read(x, place), tile, lane)
    row = UOp.range(size - pivot, 63)
    tile, lane, place = tiles.places(64, "loop")
    element = s.read(a, at.matrix, pivot + row, place)
    left = element - s.read(x, pivot + row) * s.read(w, place)
    left = left - s.read(w, pivot + row) * s.read(x, place)
    s.write(a, (at.matrix, pivot + row, place), left, row, tile, lane)
    add_of_register(s, x, v, t, at, column, pivot, turn, 66)


class RowTiles(NamedTuple):
    """The tiles of a row from the one on that has a first column."""

    first: UOp
    size: int
    lanes: int

    def places(self, number: int, kind: str) -> tuple[UOp, UOp, UOp]:
        """A loop over the tiles, one over the columns of each, and which column it is."""
        tile, lane = ZERO, UOp.range(self.lanes, number + 1, "simd")
        if self.size == self.lanes:
            return tile, lane, lane
        first = self.first // self.lanes
        tile = UOp.range(self.size // self.lanes - first, number, kind)
        return tile, lane, (first + tile) * self.lanes + lane


def reflect_row(s: Statements, x: UOp, tiles: RowTiles, number: int) -> Turn:
    """What makes a register, which is 0 before the first place of the tiles, that element alone;
    and v in its place. Loops have numbers from one on, and six more."""
    kind, pivot = x.dtype, tiles.first
    zero, one = UOp.const(kind, 0), UOp.const(kind, 1)
    tile, lane, place = tiles.places(number, "reduce")
    largest = combined(size_of(s.read(x, place)), Ops.MAX, tile, lane)
    largest = s.keep(UOp.register(kind, 1, number), largest)
    tile, lane, place = tiles.places(number + 2, "reduce")
    element = s.read(x, place)
    below = (pivot < place).where(element * inverse_of(largest) * element, zero)
    below = s.keep(UOp.register(kind, 1, number + 1), combined(below, Ops.ADD, tile, lane))
    turn = kept_turn(s, turned(kind, s.read(x, pivot), below, largest), number + 2)
    tile, lane, place = tiles.places(number + 4, "loop")
    value = s.read(x, place) * turn.inverse * turn.share
    value = (place < pivot).where(zero, place.alu(Ops.CMPEQ, pivot).where(one, value))
    s.write(x, (place,), value, tile, lane)
    return turn


def add_of_register(
    s: Statements, x: UOp, v: UOp, t: UOp, at: ColumnPanel, column: UOp, pivot: UOp, turn: Turn,
    number: int,
) -> None:  # fmt: skip
    """A column of T of a v that is in a register, by loops from a number on, and one more."""
    size, lanes = v.max_shape[2:]
    row, lane = UOp.range(size - pivot, number, "reduce"), UOp.range(lanes, number + 1, "simd")
    product = s.read(v, at.matrix, at.number, pivot + row, lane) * s.read(x, pivot + row)
    dots = UOp.register(x.dtype, lanes, number)
    s.write(dots, (lane,), product.reduce(Ops.ADD, row), lane)
    add_reflection(s, t, at, column, dots, turn.tau, number + 2)
