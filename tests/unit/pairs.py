"""Some of the combinations of several arguments, chosen so that no value is left out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

ALL = os.environ.get("SEARCH", "") not in ("", "0")
"""Whether all combinations are tried, as `tox -e nightly` does."""


def in_pairs(*arguments: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Combinations in which any two values of different arguments stand together; all at night.

    For code that hangs on two of its arguments at a time: what chooses a loop hangs on a shape and
    a dtype, what is computed in it on a method and a dtype. In the order of the full product.
    """
    every = list(product(*(list(values) for values in arguments)))
    return every if ALL else covering(every)


def in_turn(*arguments: Iterable[Any]) -> list[tuple[Any, ...]]:
    """As many combinations as the longest argument has values, which the others' stand beside in
    turn: each value is there. All at night.

    For arguments that nothing looks at together, as an order of realising and where operands lie.
    What chooses the loops of a kernel does look at its shape, dtype and method together: it lost
    lines that a whole product reached.
    """
    values = [list(each) for each in arguments]
    return list(product(*values)) if ALL else turns(values)


def turns(values: list[list[Any]]) -> list[tuple[Any, ...]]:
    """Each argument in its order, begun one further on each time: values of another argument that
    are alike at the same distance stand beside others then.
    """
    longest = max(map(len, values), default=1)
    return [tuple(v[(at + at // len(v)) % len(v)] for v in values) for at in range(longest)]


def covering(every: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Few of these that have all their pairs: each time one of those with most that are new."""
    places = list(combinations(range(len(every[0])), 2))
    pairs = [{(i, j, repr(one[i]), repr(one[j])) for i, j in places} for one in every]
    left, chosen = set().union(*pairs), set()
    while left:
        best = max(range(len(every)), key=lambda at: (len(pairs[at] & left), -at))
        chosen.add(best)
        left -= pairs[best]
    return [one for at, one in enumerate(every) if at in chosen]
