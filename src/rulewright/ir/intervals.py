"""The words that `interval` clauses of `spec/20-ops.uop` may use.

Each takes operands' bounds (objects with integer `lo` and `hi`) and gives a pair, or None when
nothing better than the dtype's own bounds is known.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

Pair = tuple[int, int]


def bounds(*corners: int) -> Pair:
    """The smallest interval that holds all corners."""
    return min(corners), max(corners)


def ones_above(value: int) -> int:
    """The smallest 2**n - 1 that is not below `value`."""
    return (1 << value.bit_length()) - 1


def _divisors(b: Any) -> list[int]:
    """The divisors at which a quotient can be extreme: the ends, and those around zero."""
    near = [d for d in (-1, 0, 1) if b.lo <= d <= b.hi]
    return [*dict.fromkeys((b.lo, *near, b.hi))]


def quotient_bounds(divide: Callable[[int, int], int], a: Any, b: Any) -> Pair:
    """Bounds of a division of whole numbers, which `divide` computes, also by 0."""
    return bounds(*[divide(x, d) for x, d in product((a.lo, a.hi), _divisors(b))])


def floormod_bounds(a: Any, b: Any) -> Pair | None:
    """Bounds of Python's `%` for a positive divisor."""
    if b.lo <= 0:
        return None
    if b.lo == b.hi and a.lo // b.lo == a.hi // b.lo:
        return a.lo % b.lo, a.hi % b.lo
    return 0, min(b.hi - 1, a.hi) if a.lo >= 0 else b.hi - 1


def cmod_bounds(a: Any, b: Any) -> Pair | None:
    """Bounds of C's `%` for a positive divisor; the sign is the dividend's."""
    if b.lo <= 0:
        return None
    if b.lo == b.hi and a.lo >= 0 and a.lo // b.lo == a.hi // b.lo:
        return a.lo % b.lo, a.hi % b.lo
    low = 0 if a.lo >= 0 else max(a.lo, 1 - b.hi)
    return low, 0 if a.hi <= 0 else min(a.hi, b.hi - 1)


INTERVAL_NAMES: dict[str, Any] = {
    "bounds": bounds,
    "ones_above": ones_above,
    "quotient_bounds": quotient_bounds,
    "floormod_bounds": floormod_bounds,
    "cmod_bounds": cmod_bounds,
}
