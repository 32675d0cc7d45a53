"""A kernel of plane rotations, for targets whose loops run in order: tridiagonal symmetric matrices
made diagonal.

Implicit steps with Wilkinson's shift (Golub and Van Loan, "Matrix Computations", 8.3.3) rotate
neighbours until what is beside the diagonal is nothing. All rotations of a step are known before
rows of vectors are rotated, a tile of columns at a time.
"""

from __future__ import annotations

from typing import NamedTuple

from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.custom_kernel import kernel_of, kernel_results
from rulewright.tensor.elimination import PANEL
from rulewright.tensor.statements import ZERO, Statements, loop, matrix_loop, size_of

TILE = 32
"""Columns of vectors that are rotated side by side."""

STEPS = 30
"""Steps for each row, at most: some two are needed."""

_ONE = UOp.index_const(1)


def rotated_columns(size: int) -> int:
    """How many columns the kernel wants in rows of vectors."""
    return size if size <= PANEL else -(-size // TILE) * TILE


def node_diagonal(d: UOp, e: UOp, z: UOp, device: str) -> tuple[UOp, UOp]:
    """Eigenvalues (count, n), rising, of symmetric matrices with the diagonals d (count, n) and e
    (count, n) beside them, of which the last element is 0, not far from 1 or 0; and the transposed
    eigenvectors times z (count, n, k), with `rotated_columns` k. The former may be wider: there are
    few of them, and errors add up."""
    kernel = _kernel(d.dtype, d.max_shape, z.dtype, z.max_shape)
    values, _, vectors = kernel_results(kernel, [d, e, z], device, None)
    return values, vectors


@remembered(256)
def _kernel(wide: DType, shape: tuple[int, ...], kind: DType, of: tuple[int, ...]) -> UOp:
    return kernel_of(_diagonalize, [(wide, shape), (wide, shape), (kind, of)])


class _Block(NamedTuple):
    """Which matrix, the first row of what is rotated, the last, and how many follow the first."""

    matrix: UOp
    low: UOp
    high: UOp
    rows: UOp


def _diagonalize(d: UOp, e: UOp, z: UOp) -> UOp:
    count, size = (int(s) for s in d.max_shape)
    matrix = matrix_loop(count, size**3)
    last, low = (UOp.register(dtypes.index, 1, number) for number in (0, 1))
    s = Statements(matrix)
    s.write(last, (ZERO,), UOp.index_const(size - 1))
    step = UOp.range(STEPS * size, 1, "reduce")
    each = s.inside(step)
    some = UOp.range(each.read(last, ZERO).alu(Ops.MIN, _ONE), 2, "reduce")  # no row is left
    inner = each.inside(some)
    high = inner.read(last, ZERO)
    _split(inner, d, e, float(finfo(z.dtype).eps), matrix, low, high)
    first = inner.read(low, ZERO)
    at = _Block(matrix, first, high, high - first)
    _shift(inner, d, e, at)
    rotation = UOp.range(at.rows, 4, "reduce")
    turn = inner.inside(rotation)
    _rotate(turn, d, e, z, at, rotation)
    inner.close(turn)
    inner.write(last, (ZERO,), at.rows.alu(Ops.CMPEQ, ZERO).where(high - 1, high))
    each.close(inner)
    s.close(each)
    _sort(s, d, z, matrix)
    return s.done().sink(info=(f"diagonal_{count}_{size}", ""))


def _split(s: Statements, d: UOp, e: UOp, eps: float, matrix: UOp, low: UOp, high: UOp) -> None:
    """Make nothing of what is next to nothing beside the diagonal, `eps` times what is on it, and find the first row that is
    connected with the last one."""
    kind = d.dtype
    s.write(low, (ZERO,), ZERO)
    row = UOp.range(high, 3, "reduce")
    inner = s.inside(row)
    near = size_of(inner.read(d, matrix, row)) + size_of(inner.read(d, matrix, row + 1))
    least = near * UOp.const(kind, eps) + UOp.const(kind, _least(kind))
    beside = inner.read(e, matrix, row)
    joined = inner.keep(UOp.register(dtypes.bool, 1, 4), least < size_of(beside))
    inner.write(e, (matrix, row), joined.where(inner.read(e, matrix, row), UOp.const(kind, 0)))
    inner.write(low, (ZERO,), joined.where(inner.read(low, ZERO), row + 1))
    s.close(inner)


def _least(kind: DType) -> float:
    """What is nothing beside 1, and has a square of all bits."""
    return float(finfo(kind).tiny / finfo(kind).eps) ** 0.5


_X, _BULGE = 5, 6
"""Registers: what a rotation clears, and what stands beside that."""


def _shift(s: Statements, d: UOp, e: UOp, at: _Block) -> None:
    """The first column of the matrix less the eigenvalue of its last two rows that is nearer to the
    last element."""
    kind = d.dtype
    before = (at.high - 1).alu(Ops.MAX, ZERO)
    upper, last = s.read(d, at.matrix, before), s.read(d, at.matrix, at.high)
    beside = s.read(e, at.matrix, before)
    half = (upper - last) * UOp.const(kind, 0.5)
    length = (half * half + beside * beside).alu(Ops.SQRT)
    apart = half + (half < UOp.const(kind, 0)).where(-length, length)
    apart = apart.alu(Ops.CMPEQ, UOp.const(kind, 0)).where(UOp.const(kind, 1), apart)
    shift = last - beside / apart * beside
    s.write(UOp.register(kind, 1, _X), (ZERO,), s.read(d, at.matrix, at.low) - shift)
    s.write(UOp.register(kind, 1, _BULGE), (ZERO,), s.read(e, at.matrix, at.low))


def _rotate(s: Statements, d: UOp, e: UOp, z: UOp, at: _Block, rotation: UOp) -> None:
    """Rotate two rows and columns, so that what stood beside the one before is cleared."""
    kind, row = d.dtype, at.low + rotation
    below, zero, one = row + 1, UOp.const(kind, 0), UOp.const(kind, 1)
    matrix = at.matrix

    def kept(number: int, value: UOp) -> UOp:
        return s.keep(UOp.register(kind, 1, number), value)

    x, bulge = (s.read(UOp.register(kind, 1, number), ZERO) for number in (_X, _BULGE))
    length = kept(7, (x * x + bulge * bulge).alu(Ops.SQRT))
    none = length < UOp.const(kind, _least(kind))
    divisor = length.alu(Ops.MAX, UOp.const(kind, _least(kind)))
    cosine = s.read(UOp.register(kind, 1, _X), ZERO) / divisor
    cosine = kept(8, none.where(one, cosine))
    sine = kept(9, s.read(UOp.register(kind, 1, _BULGE), ZERO) / divisor)
    _rotate_rows(s, z, matrix, row, cosine.cast(z.dtype), sine.cast(z.dtype))
    before = (row - 1).alu(Ops.MAX, ZERO)
    value = rotation.alu(Ops.CMPEQ, ZERO).where(s.read(e, matrix, before), length)
    s.write(e, (matrix, before), value)
    upper = kept(10, s.read(d, matrix, row))
    beside = kept(11, s.read(e, matrix, row))
    lower = kept(12, s.read(d, matrix, below))
    first, second = cosine * upper + sine * beside, cosine * beside + sine * lower
    third, fourth = cosine * beside - sine * upper, cosine * lower - sine * beside
    s.write(d, (matrix, row), cosine * first + sine * second)
    s.write(d, (matrix, below), cosine * fourth - sine * third)
    s.write(e, (matrix, row), kept(_X, cosine * second - sine * first))
    after = kept(13, s.read(e, matrix, below))
    s.write(e, (matrix, below), cosine * after)
    s.write(UOp.register(kind, 1, _BULGE), (ZERO,), sine * after)


def _rotate_rows(s: Statements, z: UOp, matrix: UOp, row: UOp, cosine: UOp, sine: UOp) -> None:
    """Rotate two rows of vectors."""
    width = int(z.max_shape[2])
    lanes = width if width <= PANEL else TILE
    tile, lane = loop(width // lanes, 5), UOp.range(lanes, 6, "simd")
    inner, column = s.inside(tile, lane), tile * lanes + lane
    upper, below = (inner.read(z, matrix, which, column) for which in (row, row + 1))
    inner.write(z, (matrix, row, column), cosine * upper + sine * below)
    inner.write(z, (matrix, row + 1, column), cosine * below - sine * upper)
    s.close(inner)


def _sort(s: Statements, d: UOp, z: UOp, matrix: UOp) -> None:
    """Bring the least value that is left to the front, with its vector."""
    size, width = (int(s) for s in z.max_shape[1:])
    kind, lanes = d.dtype, min(width, PANEL)
    least, place = UOp.register(kind, 1, 17), UOp.register(dtypes.index, 1, 18)
    row = loop(size - 1, 11)
    inner = s.inside(row)
    inner.write(least, (ZERO,), inner.read(d, matrix, row))
    inner.write(place, (ZERO,), row)
    other = loop(size - 1 - row, 12)
    search = inner.inside(other)
    at = row + 1 + other
    less = search.read(d, matrix, at) < search.read(least, ZERO)
    less = search.keep(UOp.register(dtypes.bool, 1, 19), less)
    search.write(place, (ZERO,), less.where(at, search.read(place, ZERO)))
    value = less.where(search.read(d, matrix, at), search.read(least, ZERO))
    search.write(least, (ZERO,), value)
    inner.close(search)
    at = inner.read(place, ZERO)
    inner.write(d, (matrix, at), inner.read(d, matrix, row))
    inner.write(d, (matrix, row), inner.read(least, ZERO))
    moved = UOp.range(
        inner.read(place, ZERO).alu(Ops.CMPEQ, row).where(ZERO, UOp.index_const(width // lanes)), 13
    )
    lane, held = UOp.range(lanes, 14, "simd"), UOp.register(z.dtype, lanes, 20)
    turn, column = inner.inside(moved), moved * lanes + lane
    turn.write(held, (lane,), turn.read(z, matrix, row, column), lane)
    lane = UOp.range(lanes, 15, "simd")
    column = moved * lanes + lane
    turn.write(z, (matrix, row, column), turn.read(z, matrix, turn.read(place, ZERO), column), lane)
    lane = UOp.range(lanes, 16, "simd")
    column = moved * lanes + lane
    turn.write(z, (matrix, turn.read(place, ZERO), column), turn.read(held, lane), lane)
    inner.close(turn)
    s.close(inner)
