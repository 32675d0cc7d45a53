"""How large the tile of a product is: so many rows by so many vectors of results in registers.

An inner loop of R rows by V vectors has R·V multiply-adds for R + V reads; which of them it
waits for hangs on how wide vectors are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

ALL_HEIGHTS = range(1, 15)
MOST_VECTORS = 6
UNEVEN = 0.01
"""What rows that a tile does not divide cost more, a part of all: chunks of them are uneven too."""


class Pace(NamedTuple):
    """What a tile waits for, in multiply-adds of vectors: so many are under way at once; and what
    reads of a row's value and of a column's vector cost beside them."""

    latency: int
    value: float
    vector: float


WHOLE, HALF = Pace(8, 0.5, 0.7), Pace(12, 0.4, 0.55)
"""Of vectors of WHOLE_BITS, which take the row's value as they read it; and of narrower ones, of
which two are begun at a time."""
WHOLE_BITS = 512


def pace_of(target: Any) -> Pace:
    """That of a target's vectors."""
    return WHOLE if (target.limit("vector_bits") or 128) >= WHOLE_BITS else HALF


def best_tile(
    rows: int,
    columns: int,
    lanes: int,
    target: Any,
    heights: Iterable[int] = ALL_HEIGHTS,
    widest: int = MOST_VECTORS,
    narrowest: int = 1,
) -> tuple[int, int]:
    """The rows and vectors of a tile that needs the fewest cycles for a plane of results; of those
    that are not `narrowest` vectors wide if none of these fits."""
    best: tuple[float, int, int] | None = None
    registers = target.limit("vector_registers") or 16
    pace = pace_of(target)
    for v in range(narrowest, min(widest, MOST_VECTORS) + 1):
        for r in heights:
            if r * v + v + 1 >= registers or r > rows or (v - 1) * lanes >= columns:
                continue
            tiles = -(-rows // r) * -(-columns // (v * lanes))
            reads = pace.value * r + pace.vector * v
            cost = tiles * (max(r * v, pace.latency) + reads) * (1 + UNEVEN * (rows % r > 0))
            if best is None or cost < best[0]:
                best = cost, r, v
    if best is None and narrowest > 1:
        return best_tile(rows, columns, lanes, target, heights, widest)
    if best is None:
        return 1, 1
    return best[1:]
