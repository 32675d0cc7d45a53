"""Guards: conditions on constants and bounds under which two sides agree on all rows."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType
from rulewright.verify.discover.term import CandidateTerm, Ends, Numbers
from rulewright.verify.values.samples import COUNT, Array, column

ROWS = 3000
MOST = 3
"""Clauses of a guard that is looked for."""


@dataclass
class SampleColumns:
    """Columns of the values of names; those of `low` and `high` are bounds of variables.

    The first `own` rows hold the constants and the bounds of the terms that were found.
    """

    columns: dict[str, Array]
    low: dict[str, Array]
    high: dict[str, Array]
    own: int


def rows(
    names: Mapping[str, DType], constants: Numbers, bounds: Ends, rng: np.random.Generator
) -> SampleColumns:
    """Rows for variables `names` with `bounds`, and for `constants`, each with its own value."""
    sampled = SampleColumns({}, {}, {}, COUNT)
    for name, kind in names.items():
        own = column(kind, rng, bounds.get(name))
        rest = column(kind, rng, None, ROWS)
        sampled.columns[name] = np.concatenate([own, rest])
        if kind.is_int:
            _bound(sampled, name, kind, bounds.get(name), rng)
    drawn: list[Array] = []
    for name, (kind, value) in constants.items():
        rest = _constants(kind, drawn, rng)
        drawn += [rest] if kind.is_int else []
        own = np.full(COUNT, kind.const(value), kind.np)
        sampled.columns[name] = np.concatenate([own, rest])
    return sampled


def _bound(
    sampled: SampleColumns,
    name: str,
    kind: DType,
    own: tuple[int, int] | None,
    rng: np.random.Generator,
) -> None:
    """Bounds around the values of each row."""
    values = sampled.columns[name].astype(object)
    ends = (int(kind.min), int(kind.max)) if kind.kind != "Index" else (-(1 << 40), 1 << 40)
    room = rng.choice([0, 0, 1, 3, 9, 1 << 33], (2, len(values))).astype(object)
    low = np.maximum(values - room[0], ends[0])
    high = np.minimum(values + room[1], ends[1])
    if own is not None:
        low[: sampled.own], high[: sampled.own] = own
    elif kind.kind != "Index":
        low[: sampled.own], high[: sampled.own] = ends
    sampled.low[name], sampled.high[name] = low, high


def _constants(kind: DType, drawn: Sequence[Array], rng: np.random.Generator) -> Array:
    """Values of a constant: any, small ones, and what stands in a relation to earlier ones."""
    any_of = column(kind, rng, None, ROWS)
    if not kind.is_int:
        return any_of
    low = max(int(kind.min), -8)
    small = rng.integers(low, 17, ROWS).astype(kind.np)
    pick = rng.integers(0, 4, ROWS)
    values = np.where(pick == 0, any_of, small)
    for other in drawn:
        factor = rng.integers(1, 6, ROWS).astype(kind.np)
        values = np.where(pick == 2, np.multiply(other.astype(kind.np), factor), values)
        values = np.where(pick == 3, other.astype(kind.np), values)
    return values.astype(kind.np)


# ---- clauses -------------------------------------------------------------------------------------

_SIGNS = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne}


def clauses(left: CandidateTerm, data: SampleColumns) -> Iterator[tuple[str, Array]]:
    """Conditions that a guard may ask, simple ones first, and the rows where each holds."""
    for text, holds in _conditions(left, data):
        yield text, np.asarray(holds).astype(np.bool_)


def _conditions(left: CandidateTerm, data: SampleColumns) -> Iterator[tuple[str, Any]]:
    whole = [n for n in left.names("const") if data.columns[n].dtype.kind in "iu"]
    exact = {name: data.columns[name].astype(object) for name in whole}
    for name in left.names("const"):
        values = data.columns[name]
        if name not in whole and values.dtype.kind != "b":
            yield f"{name} != 0", values != 0
            yield f"{name} > 0", values > 0
    for name in whole:
        c = exact[name]
        for text, holds in (("> 0", c > 0), (">= 0", c >= 0), ("!= 0", c != 0), ("> 1", c > 1),
                            ("< 0", c < 0)):  # fmt: skip
            yield f"{name} {text}", holds
        yield f"{name} & ({name} + 1) == 0", (c & (c + 1)) == 0
        yield f"{name} > 0 and {name} & ({name} - 1) == 0", (c > 0) & ((c & (c - 1)) == 0)
    for one, two in permutations(whole, 2):
        for sign, compare in _SIGNS.items():
            if sign not in ("==", "!=") or one < two:
                yield f"{one} {sign} {two}", compare(exact[one], exact[two])
        rest = exact[one] % np.where(exact[two] == 0, 1, exact[two])
        yield f"{two} > 0 and {one} % {two} == 0", (exact[two] > 0) & (rest == 0)
    for name, low in data.low.items():
        high = data.high[name]
        yield f"{name}.vmin >= 0", low >= 0
        yield f"{name}.vmax <= 0", high <= 0
        for other in whole:
            yield f"{name}.vmax < {other}", high < exact[other]
            yield f"{name}.vmax <= {other}", high <= exact[other]
            yield f"{name}.vmin >= {other}", low >= exact[other]
            yield f"{name}.vmin > {other}", low > exact[other]


def guard(good: Array, candidates: Sequence[tuple[str, Array]], own: int) -> list[str] | None:
    """Few clauses that hold for the own rows and for no bad one; None where none were found.

    Of clauses that exclude as many bad rows, the one that keeps more of the good is taken.
    """
    if not good[:own].all():
        return None
    usable = [(text, holds) for text, holds in candidates if holds[:own].all()]
    bad, kept = ~good, np.ones_like(good)
    chosen: list[tuple[str, Array]] = []
    while (bad & kept).any():
        if len(chosen) == MOST or not usable:
            return None
        ranked = [((bad & kept & holds).sum(), -(good & kept & holds).sum()) for _, holds in usable]
        best = min(range(len(usable)), key=lambda i: ranked[i])
        if ranked[best][0] >= (bad & kept).sum():
            return None
        chosen.append(usable[best])
        kept = kept & usable[best][1]
    return [text for text, _ in _needed(bad, chosen)]


def _needed(bad: Array, chosen: list[tuple[str, Array]]) -> list[tuple[str, Array]]:
    """Clauses without those that the others make superfluous."""
    for clause in list(chosen):
        rest = [c for c in chosen if c is not clause]
        if rest and not (bad & np.logical_and.reduce([h for _, h in rest])).any():
            chosen = rest
    return chosen
