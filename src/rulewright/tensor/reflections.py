"""Kernels of Householder's reflections, for targets whose loops run in order.

A panel of columns is reflected, one column after the other. What its reflections do together is
I - V T Vᵀ (Schreiber and Van Loan, "A storage-efficient WY representation", 1989), which the
columns to their right see at once. Loops end where others have come to, so that the kernel of a
large matrix is no longer than that of a small one.
"""

from __future__ import annotations

from typing import NamedTuple

from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.custom_kernel import Blank, kernel_values
from rulewright.tensor.elimination import PANEL, ROWS, VECTOR
from rulewright.tensor.statements import ZERO, Statements, matrix_loop, size_of


class Reflections(NamedTuple):
    """R of matrices (count, m, n or more), m being `padded`, with anything below its diagonal, and
    V (count, panels, m, k) and Tᵀ (count, panels, k, k) of each panel of k columns."""

    r: UOp
    v: UOp
    t: UOp


def node_reflected(a: UOp, steps: int, columns: int, device: str) -> Reflections:
    """Of matrices (count, m, `columns` or more), both `padded`, of which so many columns have
    something below their diagonals."""
    sides = blank_sides(a, min(columns, PANEL), steps)
    values = kernel_values(_reflect, device, a, *sides, steps=steps, columns=columns)
    return Reflections(*values)


def blank_sides(a: UOp, panel: int, steps: int) -> list[Blank]:
    """V and T of so many reflections, in panels, of matrices (count, m, n)."""
    count, rows, _ = a.max_shape
    panels = max(-(-steps // panel), 1)
    return [Blank(a.dtype, (count, panels, size, panel)) for size in (rows, panel)]


def node_applied(q: UOp, of: Reflections, columns: int, device: str) -> UOp:
    """All reflections, times matrices (count, m, `columns` or more) that are unit matrices."""
    return kernel_values(_apply, device, q, of.v, of.t, columns=columns)[0]


class ColumnPanel(NamedTuple):
    """Where a panel is: which matrix, which panel, its first row and column."""

    matrix: UOp
    number: UOp
    first: UOp


def _reflect(r: UOp, v: UOp, t: UOp, steps: int, columns: int) -> UOp:
    count, panels, rows, lanes = v.max_shape
    matrix = matrix_loop(count, rows * columns * columns)
    number = UOp.range(panels, 1, "reduce") if panels > 1 else ZERO
    at = ColumnPanel(matrix, number, number * lanes)
    s = Statements(matrix, number)
    row, lane = UOp.range(rows - at.first, 2), UOp.range(lanes, 3, "simd")
    element = s.read(r, matrix, at.first + row, at.first + lane)
    s.write(v, (matrix, number, at.first + row, lane), element, row, lane)
    row, lane = UOp.range(lanes, 4), UOp.range(lanes, 5, "simd")
    s.write(t, (matrix, number, row, lane), UOp.const(t.dtype, 0), row, lane)
    most = UOp.index_const(steps) - at.first
    most = most.alu(Ops.MIN, UOp.index_const(lanes))
    column = UOp.range(most, 6, "reduce") if steps > 1 else ZERO
    inner = s.inside(column)
    _reflected_column(inner, v, t, at, column)
    s.close(inner)
    _clean(s, r, v, at)
    if columns > lanes:
        right = _Right(at.first + lanes, UOp.index_const(columns), _width(r, columns))
        _apply_block(s, r, v, t, at, right, False)
    return s.done().sink(info=(f"reflect_{count}_{rows}_{columns}", ""))


def _width(memory: UOp, columns: int) -> int:
    return columns if columns <= PANEL else VECTOR // memory.dtype.itemsize


class Turn(NamedTuple):
    """H = I - tau v vᵀ that makes x, divided by its largest size, one element alone: v is 1 there,
    and else x times `inverse`, the size's, times `share`; and what the element is then."""

    inverse: UOp
    share: UOp
    tau: UOp
    new: UOp


def turned(kind: DType, first: UOp, below: UOp, largest: UOp) -> Turn:
    """Of x with a first element, and the sum of squares of the others times `inverse_of` the
    largest. What has not all bits is nothing beside what else there is, and stays."""
    zero, one = UOp.const(kind, 0), UOp.const(kind, 1)
    inverse = inverse_of(largest)
    hat, below = first * inverse, below * inverse
    none = below.alu(Ops.CMPEQ, zero) | (largest < UOp.const(kind, float(finfo(kind).tiny)))
    length = (hat * hat + below).alu(Ops.SQRT)
    length = (hat < zero).where(length, -length)
    share = none.where(zero, one / none.where(one, hat - length))
    tau = none.where(zero, (length - hat) / none.where(one, length))
    return Turn(inverse, share, tau, none.where(first, length / inverse))


def inverse_of(largest: UOp) -> UOp:
    """What elements are multiplied by, so that their squares neither overflow nor vanish."""
    least = UOp.const(largest.dtype, float(finfo(largest.dtype).tiny))
    return UOp.const(largest.dtype, 1) / largest.alu(Ops.MAX, least)


def kept_turn(s: Statements, turn: Turn, number: int) -> Turn:
    """The same in registers from a number on."""
    registers = (UOp.register(turn.tau.dtype, 1, number + i) for i in range(4))
    for register, value in zip(list(registers), turn, strict=True):
        s.write(register, (ZERO,), value)
    return Turn(*(s.read(UOp.register(turn.tau.dtype, 1, number + i), ZERO) for i in range(4)))


def _reflected_column(s: Statements, v: UOp, t: UOp, at: ColumnPanel, column: UOp) -> None:
    """Clear a column of a panel below its pivot, and add what does so to what the reflections do
    together."""
    rows, lanes = v.max_shape[2:]
    kind, pivot = v.dtype, at.first + column
    below, zero = pivot + 1, UOp.const(kind, 0)
    sizes, dots, taken = (UOp.register(kind, lanes, number) for number in (1, 2, 3))

    def element(row: UOp, lane: UOp) -> UOp:
        return s.read(v, at.matrix, at.number, row, lane)

    row, lane = UOp.range(rows - pivot, 7, "reduce"), UOp.range(lanes, 8, "simd")
    largest = size_of(element(pivot + row, lane)).reduce(Ops.MAX, row)
    s.write(sizes, (lane,), largest, lane)
    row, lane = UOp.range(rows - below, 9, "reduce"), UOp.range(lanes, 10, "simd")
    own = element(below + row, column) * inverse_of(s.read(sizes, column))
    s.write(dots, (lane,), (own * element(below + row, lane)).reduce(Ops.ADD, row), lane)
    turn = turned(kind, element(pivot, column), s.read(dots, column), s.read(sizes, column))
    turn = kept_turn(s, turn, 4)
    lane = UOp.range(lanes, 11, "simd")
    s.write(dots, (lane,), element(pivot, lane) + s.read(dots, lane) * turn.share, lane)
    lane = UOp.range(lanes, 12, "simd")
    behind = (column < lane).where(s.read(dots, lane) * turn.tau, zero)
    s.write(taken, (lane,), behind, lane)
    lane = UOp.range(lanes, 13, "simd")
    left = element(pivot, lane) - s.read(taken, lane)
    value = lane.alu(Ops.CMPEQ, column).where(turn.new, left)
    s.write(v, (at.matrix, at.number, pivot, lane), value, lane)
    row, lane = UOp.range(rows - below, 14), UOp.range(lanes, 15, "simd")
    inner = s.inside(row)
    own = inner.read(v, at.matrix, at.number, below + row, column) * turn.inverse * turn.share
    own = inner.keep(UOp.register(kind, 1, 8), own)
    place = at.matrix, at.number, below + row, lane
    left = inner.read(v, *place) - own * inner.read(taken, lane)
    inner.write(v, place, lane.alu(Ops.CMPEQ, column).where(own, left), lane)
    s.close(inner)
    add_reflection(s, t, at, column, dots, turn.tau, 16)


def add_reflection(
    s: Statements, t: UOp, at: ColumnPanel, column: UOp, dots: UOp, tau: UOp, number: int
) -> None:
    """A column of T, by the products of v with the vectors before it; loops have a number, and one
    more."""
    lanes, zero = t.max_shape[3], UOp.const(t.dtype, 0)
    before, lane = UOp.range(column, number, "reduce"), UOp.range(lanes, number + 1, "simd")
    product = s.read(t, at.matrix, at.number, before, lane) * s.read(dots, before)
    value = lane.alu(Ops.CMPEQ, column).where(tau, zero)
    value = (lane < column).where(-tau * product.reduce(Ops.ADD, before), value)
    s.write(t, (at.matrix, at.number, column, lane), value, lane)


def _clean(s: Statements, r: UOp, v: UOp, at: ColumnPanel) -> None:
    """Put the rows of a panel's pivots into R, and what V is there in their place."""
    rows, lanes = v.max_shape[2:]
    row, lane = UOp.range(min(rows, lanes), 18), UOp.range(lanes, 19, "simd")
    inner, place = s.inside(row, lane), (at.matrix, at.number, at.first + row, lane)
    inner.write(r, (at.matrix, at.first + row, at.first + lane), inner.read(v, *place))
    one, zero = UOp.const(v.dtype, 1), UOp.const(v.dtype, 0)
    value = lane.alu(Ops.CMPEQ, row).where(one, inner.read(v, *place))
    inner.write(v, place, (row < lane).where(zero, value))
    s.close(inner)


class _Right(NamedTuple):
    """Columns from first to end, so many at a time."""

    first: UOp
    end: UOp
    width: int


def _apply_block(
    s: Statements, x: UOp, v: UOp, t: UOp, at: ColumnPanel, right: _Right, is_q: bool
) -> None:
    """Take V Tᵀ Vᵀ x off columns of x, or V T Vᵀ x for Q."""
    rows, lanes = v.max_shape[2:]
    width, kind = right.width, x.dtype
    tile = UOp.range((right.end - right.first) // width, 20)
    left = right.first + tile * width
    products, summed = (UOp.register(kind, lanes * width, number) for number in (20, 21))
    inner = s.inside(tile)
    row, each = UOp.range(rows - at.first, 21, "reduce"), UOp.range(lanes, 22, "upcast")
    lane = UOp.range(width, 23, "simd")
    product = inner.read(v, at.matrix, at.number, at.first + row, each)
    product = product * inner.read(x, at.matrix, at.first + row, left + lane)
    inner.write(products, (each * width + lane,), product.reduce(Ops.ADD, row), each, lane)
    each, which = UOp.range(lanes, 24), UOp.range(lanes, 25, "reduce")
    lane = UOp.range(width, 26, "simd")
    factor = inner.read(t, at.matrix, at.number, *((which, each) if is_q else (each, which)))
    product = factor * inner.read(products, which * width + lane)
    inner.write(summed, (each * width + lane,), product.reduce(Ops.ADD, which), each, lane)
    beside = ROWS if rows % ROWS == 0 else 1
    below, each = UOp.range((rows - at.first) // beside, 27), UOp.range(beside, 28, "upcast")
    which, lane = UOp.range(lanes, 29, "reduce"), UOp.range(width, 30, "simd")
    mine = at.first + below * beside + each
    product = inner.read(v, at.matrix, at.number, mine, which)
    product = (product * inner.read(summed, which * width + lane)).reduce(Ops.ADD, which)
    place = at.matrix, mine, left + lane
    inner.write(x, place, inner.read(x, *place) - product, below, each, lane)
    s.close(inner)


def _apply(q: UOp, v: UOp, t: UOp, columns: int) -> UOp:
    count, panels, rows, lanes = v.max_shape
    matrix = matrix_loop(count, rows * columns * columns)
    step = UOp.range(panels, 1, "reduce") if panels > 1 else ZERO
    number = panels - 1 - step if panels > 1 else ZERO
    at = ColumnPanel(matrix, number, number * lanes)
    s = Statements(matrix, step)
    right = _Right(at.first, UOp.index_const(columns), _width(q, columns))
    _apply_block(s, q, v, t, at, right, True)
    return s.done().sink(info=(f"apply_{count}_{rows}_{columns}", ""))
