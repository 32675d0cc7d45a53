"""A kernel of plane rotations, for targets whose loops run in order: tridiagonal symmetric matrices
made diagonal.

Implicit steps with Wilkinson's shift (Golub and Van Loan, "Matrix Computations", 8.3.3) rotate
neighbours until what is beside the diagonal is nothing. All rotations of a step are known before
rows of vectors are rotated, a tile of columns at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.custom_kernel import kernel_values
from rulewright.tensor.elimination import PANEL
from rulewright.tensor.statements import ONE, ZERO, Statements, loop, matrix_loop, size_of, within

TILE = 32
"""Columns of vectors that are rotated side by side."""

STEPS = 30
"""Steps for each row, at most: some two are needed."""


def rotated_columns(size: int) -> int:
    """How many columns the kernel wants in rows of vectors."""
    return size if size <= PANEL else -(-size // TILE) * TILE


def node_diagonal(numbers: tuple[UOp, UOp], z: UOp, device: str) -> tuple[UOp, UOp]:
    """Eigenvalues (count, n), rising, of symmetric matrices with the diagonals (count, n) and what
    is beside them (count, n), of which the last element is 0, not far from 1 or 0; and the
    transposed eigenvectors times z (count, n, k), with `rotated_columns` k. The former may be
    wider: there are few of them, and errors add up."""
    values, _, vectors = kernel_values(_diagonalize, device, *numbers, z)
    return values, vectors


class RotatedBlock(NamedTuple):
    """Which matrix, the first row of what is rotated, the last, and how many follow the first."""

    matrix: UOp
    low: UOp
    high: UOp
    rows: UOp


def _diagonalize(d: UOp, e: UOp, z: UOp) -> UOp:
    count, size = d.max_shape
    matrix = matrix_loop(count, size**3)
    limits = float(finfo(z.dtype).eps), least_of(d.dtype)
    sweeps = begun(d, e, matrix, (0, 1), limits)
    inner, at = sweeps.inner, sweeps.at
    _shift(inner, d, e, at)
    rotation = UOp.range(at.rows, 4, "reduce")
    turn = inner.inside(rotation)
    _rotate(turn, d, e, z, at, rotation)
    inner.close(turn)
    s = sweeps.ended()
    place_first(s, d, (z,), matrix, 17, largest=False)
    return s.done().sink(info=(f"diagonal_{count}_{size}", ""))


class Sweeps(NamedTuple):
    """Statements in the loop over sweeps as long as rows are left, with the block that each is
    about; and those around it."""

    around: tuple[Statements, Statements]
    inner: Statements
    last: UOp
    at: RotatedBlock

    def ended(self) -> Statements:
        """Statements behind all sweeps: a block of one row is done, and its row is the last."""
        s, each = self.around
        high = self.at.high
        done = self.at.rows.alu(Ops.CMPEQ, ZERO)
        self.inner.write(self.last, (ZERO,), done.where(high - 1, high))
        each.close(self.inner)
        s.close(each)
        return s


def begun(
    d: UOp, e: UOp, matrix: UOp, registers: tuple[int, int], limits: tuple[float, float]
) -> Sweeps:
    """Sweeps over the last block of diagonals of a matrix that `split_block` cuts off; in registers
    of these numbers are its last row and its first."""
    size = d.max_shape[1]
    last, low = (UOp.register(dtypes.index, 1, number) for number in registers)
    s = Statements(matrix)
    s.write(last, (ZERO,), UOp.index_const(size - 1))
    each = s.inside(UOp.range(STEPS * size, 1, "reduce"))
    some = UOp.range(each.read(last, ZERO).alu(Ops.MIN, ONE), 2, "reduce")  # no row is left
    inner = each.inside(some)
    high = within(inner.read(last, ZERO), size)
    split_block(inner, d, e, limits, matrix, low, high)
    first = within(inner.read(low, ZERO), size)
    return Sweeps((s, each), inner, last, RotatedBlock(matrix, first, high, high - first))


def split_block(
    s: Statements, d: UOp, e: UOp, limits: tuple[float, float], matrix: UOp, low: UOp, high: UOp
) -> None:
    """Make nothing of what is next to nothing beside the diagonal, the first limit times what is on
    it and the second one, and find the first row that is connected with the last one."""
    kind = d.dtype
    s.write(low, (ZERO,), ZERO)
    row = UOp.range(high, 3, "reduce")
    inner = s.inside(row)
    near = size_of(inner.read(d, matrix, row)) + size_of(inner.read(d, matrix, row + 1))
    least = near * UOp.const(kind, limits[0]) + UOp.const(kind, limits[1])
    beside = inner.read(e, matrix, row)
    joined = inner.keep(UOp.register(dtypes.bool, 1, 4), least < size_of(beside))
    inner.write(e, (matrix, row), joined.where(inner.read(e, matrix, row), UOp.const(kind, 0)))
    inner.write(low, (ZERO,), joined.where(inner.read(low, ZERO), row + 1))
    s.close(inner)


def least_of(kind: DType) -> float:
    """What is nothing beside 1, and has a square of all bits."""
    return float(finfo(kind).tiny / finfo(kind).eps) ** 0.5


_X, _BULGE = 5, 6
"""Registers: what a rotation clears, and what stands beside that."""


def _shift(s: Statements, d: UOp, e: UOp, at: RotatedBlock) -> None:
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


def _rotate(s: Statements, d: UOp, e: UOp, z: UOp, at: RotatedBlock, rotation: UOp) -> None:
    """Rotate two rows and columns, so that what stood beside the one before is cleared."""
    kind, row = d.dtype, at.low + rotation
    below, matrix = row + 1, at.matrix

    def kept(number: int, value: UOp) -> UOp:
        return s.keep(UOp.register(kind, 1, number), value)

    cosine, sine, length = turn_of(s, kind, (_X, _BULGE), (7, 8, 9))
    rotate_rows(s, z, matrix, row, cosine, sine, 5)
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


def turn_of(
    s: Statements, kind: DType, of: tuple[int, int], into: tuple[int, int, int]
) -> tuple[UOp, UOp, UOp]:
    """Cosine and sine of the rotation that clears the second of two registers, and what the first
    one is then; in registers. Two that are nothing are not rotated."""
    first, second = (UOp.register(kind, 1, number) for number in of)
    length, cosine, sine = (UOp.register(kind, 1, number) for number in into)
    x, y = s.read(first, ZERO), s.read(second, ZERO)
    value = s.keep(length, (x * x + y * y).alu(Ops.SQRT))
    none = value < UOp.const(kind, least_of(kind))
    divisor = value.alu(Ops.MAX, UOp.const(kind, least_of(kind)))
    quotient = s.read(first, ZERO) / divisor
    s.write(cosine, (ZERO,), none.where(UOp.const(kind, 1), quotient))
    s.write(sine, (ZERO,), none.where(UOp.const(kind, 0), s.read(second, ZERO) / divisor))
    return s.read(cosine, ZERO), s.read(sine, ZERO), s.read(length, ZERO)


def rotate_rows(
    s: Statements, z: UOp, matrix: UOp, row: UOp, cosine: UOp, sine: UOp, number: int
) -> None:
    """Rotate two rows of vectors; loops have a number, and one more."""
    width = z.max_shape[2]
    lanes = width if width <= PANEL else TILE
    tile, lane = loop(width // lanes, number), UOp.range(lanes, number + 1, "simd")
    inner, column = s.inside(tile, lane), tile * lanes + lane
    cosine, sine = cosine.cast(z.dtype), sine.cast(z.dtype)
    upper, below = (inner.read(z, matrix, which, column) for which in (row, row + 1))
    inner.write(z, (matrix, row, column), cosine * upper + sine * below)
    inner.write(z, (matrix, row + 1, column), cosine * below - sine * upper)
    s.close(inner)


def place_first(
    s: Statements, d: UOp, vectors: Sequence[UOp], matrix: UOp, number: int, largest: bool
) -> None:
    """Bring the largest or least value that is left to the front, with its rows of vectors; loops
    and registers have a number, and those behind it."""
    size, kind = d.max_shape[1], d.dtype
    best, place = UOp.register(kind, 1, number), UOp.register(dtypes.index, 1, number + 1)
    row = loop(size - 1, number)
    inner = s.inside(row)
    inner.write(best, (ZERO,), inner.read(d, matrix, row))
    inner.write(place, (ZERO,), row)
    other = loop(size - 1 - row, number + 1)
    search = inner.inside(other)
    at = row + 1 + other
    value, so_far = search.read(d, matrix, at), search.read(best, ZERO)
    better = so_far < value if largest else value < so_far
    better = search.keep(UOp.register(dtypes.bool, 1, number + 2), better)
    search.write(place, (ZERO,), better.where(at, search.read(place, ZERO)))
    value = better.where(search.read(d, matrix, at), search.read(best, ZERO))
    search.write(best, (ZERO,), value)
    inner.close(search)
    at = within(inner.read(place, ZERO), size)
    inner.write(d, (matrix, at), inner.read(d, matrix, row))
    inner.write(d, (matrix, row), inner.read(best, ZERO))
    for z in vectors:
        number += 3
        width = z.max_shape[2]
        lanes, at = min(width, PANEL), within(inner.read(place, ZERO), size)
        tiles = at.alu(Ops.CMPEQ, row).where(ZERO, UOp.index_const(width // lanes))
        tile, lane = UOp.range(tiles, number, "reduce"), UOp.range(lanes, number + 1, "simd")
        turn, column = inner.inside(tile, lane), tile * lanes + lane
        held = UOp.register(z.dtype, lanes, number)
        turn.write(held, (lane,), turn.read(z, matrix, row, column))
        turn.write(z, (matrix, row, column), turn.read(z, matrix, at, column))
        turn.write(z, (matrix, at, column), turn.read(held, lane))
        inner.close(turn)
    s.close(inner)
