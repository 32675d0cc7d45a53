"""Kernels of elimination, for targets whose loops run in order: LU factors, triangular solutions.

A panel of columns is factored with the largest pivots, which exchange whole rows; the rows that it
leaves to its right are solved for, and their product with the columns below is taken off what is
left (Golub and Van Loan, "Matrix Computations", 3.4). Panels of a few columns make a block, which
the rest of the matrix sees at once. Loops end where others have come to, so that the kernel of a
large matrix is no longer than that of a small one.
"""

from __future__ import annotations

from typing import NamedTuple

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.custom_kernel import Blank, kernel_values

PANEL = 16
"""Columns that are factored before those to their right in the block see them."""

PANELS = 2
"""Panels that are factored before the rest of the matrix sees them."""

ROWS = 8
"""Rows of a tile of a product."""

VECTOR = 64
"""Bytes that are computed side by side, at least."""

THREAD_WORK = 1 << 15
"""Multiplications from which on threads share the matrices."""

_ZERO = UOp.index_const(0)
_NUMBER = dtypes.i32


def padded(size: int) -> int:
    """How many rows and columns the kernels want for matrices of a size."""
    return size if size <= PANEL else -(-size // PANEL) * PANEL


def odd_panels(size: int) -> int:
    """How far apart rows of so many elements lie, being `padded`: an odd number of panels, so that
    rows lie in all sets of a cache, one below the other."""
    return size if size <= PANEL else size // PANEL // 2 * (2 * PANEL) + PANEL


def lanes_of(kind: DType, size: int, columns: int) -> int:
    """Neighbours that are computed side by side, of so many columns at least of right sides: with
    small matrices no more than there are."""
    least = VECTOR // kind.itemsize
    if columns <= least:
        return columns if size <= PANEL else least
    return 2 * least


def matrix_range(count: int, work: int) -> UOp:
    """Which matrix, of so many with so much work each: threads share those that are worth it."""
    shared = count > 1 and count * work >= THREAD_WORK
    return UOp.range(count, 0, "thread" if shared else "loop")


# ---- factors -------------------------------------------------------------------------------------


def node_factors(a: UOp, device: str) -> tuple[UOp, UOp, UOp]:
    """Of matrices (count, n, n or more), `n` being `padded`: U with L below its diagonal, the rows
    of each matrix (count, n) that L U is made of, i32, and 1 or -1 for an even or odd exchange
    (count,). Columns behind n are left as they are."""
    count, size, _ = a.max_shape
    order, sign = Blank(_NUMBER, (count, size)), Blank(a.dtype, (count,))
    factors, rows, signs = kernel_values(_factor, device, a, order, sign)
    return factors, rows, signs


class _Loops(NamedTuple):
    """Where the loops are: which matrix, those around the columns of a panel, its first column,
    which column of it, and how many there are."""

    matrix: UOp
    around: tuple[UOp, ...]
    first: UOp
    column: UOp
    columns: int

    @property
    def pivot(self) -> UOp:
        return self.first + self.column

    @property
    def all(self) -> tuple[UOp, ...]:
        return self.matrix, *self.around, self.column


def _loops(matrix: UOp, size: int) -> _Loops:
    if size <= PANEL:
        return _Loops(matrix, (), _ZERO, UOp.range(size, 3, "reduce"), size)
    panels = size // PANEL
    column = UOp.range(PANEL, 3, "reduce")
    if panels <= PANELS:
        panel = UOp.range(panels, 2, "reduce")
        return _Loops(matrix, (panel,), panel * PANEL, column, PANEL)
    block = UOp.range(-(-panels // PANELS), 1, "reduce")
    left = panels - block * PANELS
    panel = UOp.range(left.alu(Ops.MIN, UOp.index_const(PANELS)), 2, "reduce")
    first = (block * PANELS + panel) * PANEL
    return _Loops(matrix, (block, panel), first, column, PANEL)


def _factor(a: UOp, order: UOp, sign: UOp) -> UOp:
    count, size, _ = a.max_shape
    matrix, each = matrix_range(count, size**3 // 3), UOp.range(size, 4)
    numbers, parity = UOp.register(_NUMBER, size, 0), UOp.register(sign.dtype, 1, 1)
    numbered = numbers.after(matrix).index(each).store(each.cast(_NUMBER)).end(each)
    even = parity.after(numbered).index(_ZERO).store(UOp.const(sign.dtype, 1))
    at = _loops(matrix, size)
    top = _largest(a.after(*at.all), at, size)
    done = _exchanged(a.after(*at.all), at, top, size)
    so_far = parity.after(even, done, *at.all).index(_ZERO)
    done = so_far.store(top.alu(Ops.CMPNE, at.pivot).where(-so_far, so_far))
    done = _exchanged_numbers(numbers.after(numbered, done, *at.all), at, top)
    divisor = a.after(*at.all, done).index(matrix, at.pivot, at.pivot)
    divisor = divisor.alu(Ops.CMPEQ, _number(a, 0)).where(_number(a, 1), divisor)
    done = _eliminated(a, at, (divisor, done), size, ())
    each = UOp.range(size, 5)
    done = sign.after(done).index(matrix).store(parity.after(done).index(_ZERO))
    ordered = order.after(each, done).index(matrix, each).store(numbers.after(done).index(each))
    return ordered.end(matrix, each).sink(info=(f"factor_{count}_{size}", ""))


def node_eliminated(a: UOp, device: str) -> UOp:
    """U of matrices (count, n, n or more) that are symmetric and positive, `n` being `padded`, with
    L below its diagonal: L U is the matrix. NaN from the first pivot on that is not positive."""
    return kernel_values(_eliminate, device, a)[0]


def _eliminate(a: UOp) -> UOp:
    count, size, _ = a.max_shape
    matrix = matrix_range(count, size**3 // 3)
    at = _loops(matrix, size)
    pivot = a.after(*at.all).index(matrix, at.pivot, at.pivot)
    divisor = (_number(a, 0) < pivot).where(pivot, _number(a, float("nan")))
    done = _eliminated(a, at, (divisor,), size, (matrix,))
    return done.sink(info=(f"eliminate_{count}_{size}", ""))


def _number(a: UOp, value: float) -> UOp:
    return UOp.const(a.dtype, value)


def _eliminated(
    a: UOp, at: _Loops, divisor: tuple[UOp, ...], size: int, ends: tuple[UOp, ...]
) -> UOp:
    """What clears the columns of all panels and takes their products off the rest, where rows are
    divided by a divisor once what follows it is done; `ends` are loops that end then."""
    block = at.around[:-1]
    done = _cleared(a.after(*at.all, *divisor[1:]), at, divisor[0], size, () if at.around else ends)
    if at.around:
        end = UOp.index_const(size)
        if block:
            end = ((block[0] + 1) * (PANEL * PANELS)).alu(Ops.MIN, end)
        inner = at.around[-1:] if block else (*ends, *at.around)
        rest = _Rest(at.first, PANEL, end, size, inner)
        done = _taken_off(a.after(at.matrix, *at.around, done), at, rest, 20)
    if block:
        known = PANEL * PANELS
        first = (block[0] * known).alu(Ops.MIN, UOp.index_const(size - known))
        rest = _Rest(first, known, UOp.index_const(size), size, (*ends, *block))
        done = _taken_off(a.after(at.matrix, *block, done), at, rest, 30)
    return done


def _largest(a: UOp, at: _Loops, size: int) -> UOp:
    """The row of the largest element of a column, of the pivot's row and those below."""
    rows, none = UOp.range(size - at.pivot, 6, "reduce"), UOp.const(a.dtype, 0)
    best, place = UOp.register(a.dtype, 1, 2), UOp.register(dtypes.index, 1, 3)
    begun = best.after(*at.all).index(_ZERO).store(UOp.const(a.dtype, -1))
    begun = place.after(begun).index(_ZERO).store(at.pivot)
    value = a.index(at.matrix, at.pivot + rows, at.pivot)
    value = (value < none).where(-value, value)
    before, there = best.after(begun, rows).index(_ZERO), place.after(begun, rows).index(_ZERO)
    larger = before < value
    chosen = there.store(larger.where(at.pivot + rows, there))
    stored = best.after(begun, rows, chosen).index(_ZERO).store(larger.where(value, before))
    return place.after(stored.end(rows)).index(_ZERO)


def _exchanged(a: UOp, at: _Loops, top: UOp, size: int) -> UOp:
    """What exchanges the rows of the pivot and of the largest element."""
    part, lane = UOp.range(size // at.columns, 7), UOp.range(at.columns, 8, "simd")
    held, here = UOp.register(a.dtype, at.columns, 4), part * at.columns + lane
    stored = held.after(part).index(lane).store(a.index(at.matrix, top, here))
    a = a.after(stored)
    stored = a.index(at.matrix, top, here).store(a.index(at.matrix, at.pivot, here))
    value = held.after(stored).index(lane)
    return a.after(stored).index(at.matrix, at.pivot, here).store(value).end(part, lane)


def _exchanged_numbers(numbers: UOp, at: _Loops, top: UOp) -> UOp:
    held = UOp.register(numbers.dtype, 1, 5).after(*numbers.src[1:])
    stored = held.index(_ZERO).store(numbers.index(top))
    numbers = numbers.after(stored)
    stored = numbers.index(top).store(numbers.index(at.pivot))
    return numbers.after(stored).index(at.pivot).store(held.after(stored).index(_ZERO))


def _cleared(a: UOp, at: _Loops, divisor: UOp, size: int, ends: tuple[UOp, ...]) -> UOp:
    """What takes the pivot's row, times a factor that stays in its column, off the rows below."""
    row, lane = UOp.range(size - 1 - at.pivot, 9), UOp.range(at.columns, 10, "simd")
    factor = a.index(at.matrix, at.pivot + 1 + row, at.pivot) / divisor
    place = a.index(at.matrix, at.pivot + 1 + row, at.first + lane)
    less = place - factor * a.index(at.matrix, at.pivot, at.first + lane)
    is_factor = lane.alu(Ops.CMPEQ, at.column)
    value = (at.column < lane).where(less, is_factor.where(factor, place))
    return place.store(value).end(*ends, at.column, row, lane)


class _Rest(NamedTuple):
    """Factored columns, from `first` on `known` of them, and where those end that do not know of
    them yet, in matrices of so many rows; and the loops that end then."""

    first: UOp
    known: int
    end: UOp
    size: int
    ends: tuple[UOp, ...]


def _taken_off(a: UOp, at: _Loops, rest: _Rest, number: int) -> UOp:
    """What solves for the rows of factored columns to their right, and takes their product with the
    columns below off the rest, a tile of columns at a time."""
    first, known, end, size, ends = rest
    width = max(VECTOR // a.dtype.itemsize, PANEL)
    behind, held = first + known, UOp.register(a.dtype, known * width, number)
    tile, row = UOp.range((end - behind) // width, number), UOp.range(known, number + 1, "reduce")
    inner, lane = UOp.range(row, number + 2, "reduce"), UOp.range(width, number + 3, "simd")
    left = behind + tile * width
    begun = held.after(tile, row, *a.src[1:])
    above = a.index(at.matrix, first + row, first + inner) * begun.index(inner * width + lane)
    place = a.index(at.matrix, first + row, left + lane)
    stored = begun.index(row * width + lane).store(place - above.reduce(Ops.ADD, inner))
    value = held.after(stored).index(row * width + lane)
    solved = a.after(stored).index(at.matrix, first + row, left + lane).store(value)
    a = a.after(solved.end(row, lane))
    below, each = (
        UOp.range((size - behind) // ROWS, number + 4),
        UOp.range(ROWS, number + 5, "upcast"),
    )
    inner, lane = UOp.range(known, number + 6, "reduce"), UOp.range(width, number + 7, "simd")
    mine = behind + below * ROWS + each
    above = held.after(*a.src[1:]).index(inner * width + lane)
    product = (a.index(at.matrix, mine, first + inner) * above).reduce(Ops.ADD, inner)
    place = a.index(at.matrix, mine, left + lane)
    return place.store(place - product).end(*ends, tile, below, each, lane)


# ---- triangular matrices -------------------------------------------------------------------------


def node_solved(t: UOp, b: UOp, upper: bool, unit: bool, device: str) -> UOp:
    """X (count, n, k) with T X = B, `n` being `padded` and k whole `lanes_of`: T is the lower or
    upper triangle of t (count, n, n or more), with ones on its diagonal if `unit`."""
    return kernel_values(_solve, device, b, t, upper=upper, unit=unit)[0]


def _solve(x: UOp, t: UOp, upper: bool, unit: bool) -> UOp:
    """A panel of rows after the other: the product with all rows that are known is taken off, a
    tile of columns at a time, and then the rows of the panel are solved for."""
    count, size, columns = x.max_shape
    width, panel = lanes_of(x.dtype, size, columns), min(size, PANEL)
    matrix = matrix_range(count, size * size * columns)
    around = () if size == panel else (UOp.range(size // panel, 1, "reduce"),)
    step = around[0] * panel if around else _ZERO
    first = size - panel - step if upper else step
    tile = UOp.range(columns // width, 2)
    done: tuple[UOp, ...] = ()
    if around:
        below, each = UOp.range(panel // ROWS, 3), UOp.range(ROWS, 4, "upcast")
        inner, lane = UOp.range(step, 5, "reduce"), UOp.range(width, 6, "simd")
        row, behind = first + below * ROWS + each, first + panel + inner if upper else inner
        known = x.after(matrix, *around, tile)
        product = t.index(matrix, row, behind) * known.index(matrix, behind, tile * width + lane)
        place = known.index(matrix, row, tile * width + lane)
        done = (place.store(place - product.reduce(Ops.ADD, inner)).end(below, each, lane),)
    turn, lane = UOp.range(panel, 7, "reduce"), UOp.range(width, 9, "simd")
    inner = UOp.range(turn, 8, "reduce")
    row, behind = first + turn, first + inner
    if upper:
        row, behind = first + panel - 1 - turn, first + panel - 1 - inner
    x = x.after(matrix, *done, *around, tile, turn)
    product = t.index(matrix, row, behind) * x.index(matrix, behind, tile * width + lane)
    place = x.index(matrix, row, tile * width + lane)
    value = place - product.reduce(Ops.ADD, inner)
    value = value if unit else value / t.index(matrix, row, row)
    ends = (matrix, *around, tile, turn, lane)
    name = f"solve_{'upper' if upper else 'lower'}_{count}_{size}_{columns}"
    return place.store(value).end(*ends).sink(info=(name, ""))
