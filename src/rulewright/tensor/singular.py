"""A kernel that makes bidiagonal matrices diagonal, for targets whose loops run in order.

Implicit steps of Golub and Kahan (Golub and Van Loan, "Matrix Computations", 8.6.2), which need no
shift where an element of the diagonal is nothing: one step then brings it to the end (Demmel and
Kahan, "Accurate singular values of bidiagonal matrices", 1990).
"""

from __future__ import annotations

from typing import NamedTuple

from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.custom_kernel import kernel_values
from rulewright.tensor.rotations import RotatedBlock, begun, place_first, rotate_rows, turn_of
from rulewright.tensor.statements import ONE, ZERO, Statements, matrix_loop, size_of


def node_singular(
    numbers: tuple[UOp, UOp], sides: tuple[UOp, UOp], device: str
) -> tuple[UOp, UOp, UOp]:
    """Singular values (count, n), falling, of matrices with the diagonals (count, n) and what is
    above them (count, n), of which the last element is 0, not far from 1 or 0; and the transposed
    left and right vectors times the sides (count, n, k), with `rotated_columns` k. The former may
    be wider: there are few of them, and errors add up."""
    values, _, left, right = kernel_values(_diagonalize, device, *numbers, *sides)
    return values, left, right


class _Matrices(NamedTuple):
    """The diagonal, what is above it, and rows of left and right vectors."""

    d: UOp
    e: UOp
    u: UOp
    v: UOp


_LAST, _LOW, _WEAK, _X, _BULGE, _LENGTH, _COSINE, _SINE, _UPPER, _ABOVE, _LOWER, _AFTER = range(
    20, 32
)


def _diagonalize(d: UOp, e: UOp, u: UOp, v: UOp) -> UOp:
    count, size = d.max_shape
    of, matrix = _Matrices(d, e, u, v), matrix_loop(count, size**3)
    weak, eps = UOp.register(dtypes.index, 1, _WEAK), float(finfo(u.dtype).eps)
    sweeps = begun(d, e, matrix, (_LAST, _LOW), (eps, eps / 4))
    inner, at = sweeps.inner, sweeps.at
    inner.write(weak, (ZERO,), ZERO)
    row = UOp.range(at.rows + 1, 4, "reduce")
    look = inner.inside(row)
    nothing = size_of(look.read(d, matrix, at.low + row)) < UOp.const(d.dtype, eps / 16)
    look.write(weak, (ZERO,), nothing.where(ONE, look.read(weak, ZERO)))
    inner.close(look)
    _shift(inner, d, e, at, inner.read(weak, ZERO))
    rotation = UOp.range(at.rows, 5, "reduce")
    turn = inner.inside(rotation)
    _rotate(turn, of, at, rotation)
    inner.close(turn)
    before = (at.high - 1).alu(Ops.MAX, ZERO)
    rest = at.rows.alu(Ops.CMPEQ, ZERO).where(inner.read(e, matrix, before), _number(inner, d, _X))
    inner.write(e, (matrix, before), rest)
    s = sweeps.ended()
    _order(s, of, matrix)
    return s.done().sink(info=(f"singular_{count}_{size}", ""))


def _number(s: Statements, d: UOp, number: int) -> UOp:
    return s.read(UOp.register(d.dtype, 1, number), ZERO)


def _shift(s: Statements, d: UOp, e: UOp, at: RotatedBlock, weak: UOp) -> None:
    """The first column of B Bᵀ less the square of the least singular value of its last two rows,
    over the first element."""
    kind = d.dtype
    zero, one, half = (UOp.const(kind, number) for number in (0, 1, 0.5))
    before = (at.high - 1).alu(Ops.MAX, ZERO)
    first, last = (size_of(s.read(d, at.matrix, row)) for row in (before, at.high))
    above = s.read(e, at.matrix, before)
    square, total, apart = above * above, first + last, first - last
    largest = (total * total + square).alu(Ops.SQRT) + (apart * apart + square).alu(Ops.SQRT)
    largest = largest * half
    none = weak.alu(Ops.CMPEQ, ONE) | largest.alu(Ops.CMPEQ, zero)
    least = first * (last / none.where(one, largest))
    begin = s.read(d, at.matrix, at.low)
    x = size_of(begin)
    value = (x - least) * (x + least) / none.where(one, begin)
    s.write(UOp.register(kind, 1, _X), (ZERO,), none.where(begin, value))
    s.write(UOp.register(kind, 1, _BULGE), (ZERO,), s.read(e, at.matrix, at.low))


def _rotate(s: Statements, of: _Matrices, at: RotatedBlock, rotation: UOp) -> None:
    """Rotate two columns, so that what stood beside the element before is cleared, and then two
    rows, so that what came below the diagonal is."""
    d, e, row, matrix = of.d, of.e, at.low + rotation, at.matrix
    below = row + 1
    cosine, sine, length = turn_of(s, d.dtype, (_X, _BULGE), (_LENGTH, _COSINE, _SINE))
    before = (row - 1).alu(Ops.MAX, ZERO)
    value = rotation.alu(Ops.CMPEQ, ZERO).where(s.read(e, matrix, before), length)
    s.write(e, (matrix, before), value)
    rotate_rows(s, of.v, matrix, row, cosine, sine, 6)

    def kept(number: int, value: UOp) -> UOp:
        return s.keep(UOp.register(d.dtype, 1, number), value)

    upper, above = kept(_UPPER, s.read(d, matrix, row)), kept(_ABOVE, s.read(e, matrix, row))
    lower = kept(_LOWER, s.read(d, matrix, below))
    kept(_X, cosine * upper + sine * above)
    kept(_BULGE, sine * lower)
    above, lower = kept(_ABOVE, cosine * above - sine * upper), kept(_LOWER, cosine * lower)
    cosine, sine, length = turn_of(s, d.dtype, (_X, _BULGE), (_LENGTH, _COSINE, _SINE))
    s.write(d, (matrix, row), length)
    s.write(d, (matrix, below), cosine * lower - sine * above)
    kept(_X, cosine * above + sine * lower)
    after = kept(_AFTER, s.read(e, matrix, below))
    s.write(e, (matrix, below), cosine * after)
    kept(_BULGE, sine * after)
    rotate_rows(s, of.u, matrix, row, cosine, sine, 8)


def _order(s: Statements, of: _Matrices, matrix: UOp) -> None:
    """Make values positive, with their right vectors, and bring the largest that is left to the
    front."""
    d, size, width = of.d, of.d.max_shape[1], of.v.max_shape[2]
    zero = UOp.const(d.dtype, 0)
    row = UOp.range(size, 10, "reduce")
    inner, column = s.inside(row), UOp.range(width, 11)
    negative = inner.keep(UOp.register(dtypes.bool, 1, 32), inner.read(d, matrix, row) < zero)
    value = inner.read(of.v, matrix, row, column)
    inner.write(of.v, (matrix, row, column), negative.where(-value, value), column)
    inner.write(d, (matrix, row), size_of(inner.read(d, matrix, row)))
    s.close(inner)
    place_first(s, d, (of.u, of.v), matrix, 40, largest=True)
