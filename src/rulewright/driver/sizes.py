"""What the sizes of programs that are otherwise alike have in common.

A form says each size of a program as a number of times a variable, or a product of two, and some
more. Three programs show which. Sizes that are as a form says, for some values of its variables,
are those of a program of variable size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import prod
from typing import NamedTuple

Sizes = tuple[int, ...]

FEW = 256
"""A size that a variable may well have, if memory for it is no matter."""

_MOST_VARIABLES = 2


class SizeForm(NamedTuple):
    """A size: `times` the product of the variables with these numbers, and `more`."""

    times: int
    variables: tuple[int, ...]
    more: int

    def at(self, values: Sequence[int]) -> int:
        """The size for these values of the variables."""
        return self.times * prod(values[k] for k in self.variables) + self.more


@dataclass(frozen=True)
class Form:
    """What each size is, the places of those that are the variables, and bounds of these."""

    sizes: tuple[SizeForm, ...]
    places: tuple[int, ...]
    bounds: tuple[tuple[int, int], ...]

    def values(self, sizes: Sizes) -> Sizes | None:
        """The values of the variables for which these are the sizes; None if there are none."""
        values = tuple(sizes[place] for place in self.places)
        within = all(
            low <= value <= high for value, (low, high) in zip(values, self.bounds, strict=True)
        )
        fits = within and all(
            size == form.at(values) for size, form in zip(sizes, self.sizes, strict=True)
        )
        return values if fits else None


def form_of(samples: Sequence[Sizes], growth: int) -> Form | None:
    """The form of three samples of sizes, of one variable if that is enough; None if there is none.

    Its variables may be up to twice as large as those known, or `growth` times if that is few, as
    far as no size is less than one then that was more.
    """
    columns = list(zip(*samples, strict=True))
    places: list[int] = []
    while True:
        known = [columns[place] for place in places]
        sizes = [_fitted(column, known) for column in columns]
        rest = [place for place, size in enumerate(sizes) if size is None]
        if not rest:
            return _bounded([s for s in sizes if s is not None], places, columns, growth)
        steps = [(abs(columns[place][1] - columns[place][0]), place) for place in rest]
        moving = [step for step in steps if step[0]]
        if not moving or len(places) == _MOST_VARIABLES:
            return None
        places.append(min(moving)[1])  # of which others are multiples


def _fitted(column: Sizes, known: Sequence[Sizes]) -> SizeForm | None:
    """A size by the values of variables in each sample; None if it needs another variable."""
    if len(set(column)) == 1:
        return SizeForm(0, (), column[0])
    numbers = range(len(known))
    for variables in [*((k,) for k in numbers), *combinations_with_replacement(numbers, 2)]:
        first, second, *_ = (
            prod(known[k][sample] for k in variables) for sample in range(len(column))
        )
        if first == second:
            continue
        times, left = divmod(column[1] - column[0], second - first)
        size = SizeForm(times, variables, column[0] - times * first)
        if not left and all(size.at(v) == c for *v, c in zip(*known, column, strict=True)):
            return size
    return None


def _bounded(
    sizes: Sequence[SizeForm], places: Sequence[int], columns: Sequence[Sizes], growth: int
) -> Form | None:
    lows, few = [1] * len(places), FEW >> 2 * (len(places) - 1)
    largest = [max(columns[place]) for place in places]
    highs = [1 << (max(2 * n, min(growth * n, few)) - 1).bit_length() for n in largest]
    alone = [(size, column) for size, column in zip(sizes, columns, strict=True)]
    for size, column in alone:
        if len(size.variables) != 1:
            continue
        (k,), least = size.variables, min(1, *column)
        if size.times > 0:
            lows[k] = max(lows[k], -((size.more - least) // size.times))
        else:
            highs[k] = min(highs[k], (size.more - least) // -size.times)
    products = [(size, column) for size, column in alone if len(size.variables) == 2]
    if any(size.times < 0 or size.at(lows) < min(1, *column) for size, column in products):
        return None
    return Form(tuple(sizes), tuple(places), tuple(zip(lows, highs, strict=True)))
