"""How fast register tiles are that divide the axes of a kernel.

Scores are parts of the speed of the best tile, measured with GCC on float32 matrix products.
"""

from __future__ import annotations

from itertools import permutations
from math import gcd, prod

from rulewright.codegen.nests import Reduction, divisor, fixed
from rulewright.ir.uop import UOp

MOST_ROWS = 12
"""Rows of a register tile, at most."""
WIDE_SCORE = 0.38
"""Speed of one long row of accumulators, of that of the best register tile."""
MASK_SCORE = 0.9
"""Speed of vectors whose accesses have masks."""
WIDE = 1024
"""Accumulators of a reduction along a far axis: more than registers hold, but near memory."""


def best_divisors(registers: int, row: UOp, size: int, lanes: int) -> tuple[float, tuple[int, int]]:
    """The best rows and width that divide an axis and `size`, with its score."""
    wide = divisor(size, WIDE, lanes)
    best, tile = (WIDE_SCORE if wide >= 4 * lanes else 0.0), (1, wide)
    for width in (w for w in range(1, 2 * lanes + 1) if size % w == 0):
        for rows in (r for r in range(1, MOST_ROWS + 1) if (fixed(row) or 1) % r == 0):
            vectors = width // whole_lanes(width, lanes)
            if rows * vectors <= registers - 8:
                score = _row_score(rows) * _width_score(width, lanes) + 1e-3 * vectors
                if score > best:
                    best, tile = score, (rows, width)
    return best, tile


def best_padded(registers: int, row: UOp, size: int, lanes: int) -> tuple[float, tuple[int, int]]:
    """The best rows and width that do not divide an axis and `size`: what lies beyond is computed
    for nothing and not stored, by masks."""
    best: tuple[float, tuple[int, int]] = 0.0, (1, lanes)
    for vectors in range(1, -(-size // lanes) + 1):
        width, height = vectors * lanes, fixed(row) or 1
        for rows in (r for r in range(1, MOST_ROWS + 1) if r * vectors <= registers - 8):
            used = size * height / (-(-size // width) * width * -(-height // rows) * rows)
            score = _row_score(rows * min(vectors, 2)) * used * MASK_SCORE + 2e-3 * rows * vectors
            if score > best[0]:
                best = score, (rows, width)
    return best


def whole_lanes(width: int, lanes: int) -> int:
    """Lanes of the vectors that a row of accumulators is: fewer where it does not fill them."""
    return gcd(width, lanes)


def rows_and_columns(reduction: Reduction, axes: list[UOp]) -> list[tuple[UOp, int]]:
    """The two axes, up to 8 of one and 2 of the other, that need the fewest reads a product."""
    best: tuple[float, list[tuple[UOp, int]]] | None = None
    for row, column in permutations(reversed(axes), 2):
        tile = [(row, divisor(fixed(row) or 1, 8)), (column, divisor(fixed(column) or 1, 2))]
        reads = sum(prod(n for a, n in tile if x.form.uses(a)) for x in reduction.accesses)
        score = reads / prod(n for _, n in tile)
        if best is None or score < best[0]:
            best = score, tile
    assert best is not None
    return best[1]


def _row_score(rows: int) -> float:
    """More rows use each vector again more often."""
    return min(1.0, 0.3 + 0.0875 * rows)


def _width_score(width: int, lanes: int) -> float:
    """A tile stays in registers only if its rows are whole vectors of one width."""
    if width % lanes == 0:
        return 1.0
    whole = whole_lanes(width, lanes)
    if whole >= 4:
        return 0.75 if 2 * whole == lanes else 0.5
    return 0.3 * min(1.0, width / lanes)
