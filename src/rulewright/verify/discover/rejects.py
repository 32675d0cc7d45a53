"""What a found rule must leave alone: a neighbour for each clause of its guard, for its dtypes, and
for its form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.verify.discover.general import Shape, members, rows_of
from rulewright.verify.discover.guards import clauses
from rulewright.verify.discover.term import CandidateTerm, in_dtypes, is_typed
from rulewright.verify.discover.write import Draft, graph, with_numbers

_OTHER = ("f32", "i32", "u8", "index", "bool")


def candidates(shape: Shape, draft: Draft) -> Iterator[list[str]]:
    """For each thing that a rule asks, graphs that lack it alone; the first refused one serves."""
    for clause in shape.guard:
        yield list(_without(shape, clause))
    for clause in draft.extra:
        name, _, what = clause.partition(".")
        yield list(_other_leaf(shape, name, what))
    dtyped = list(_other_dtypes(shape))
    if dtyped:
        yield dtyped
    if not shape.guard and not draft.extra:
        yield [graph(term, shape.bounds) for term in _other_forms(shape.sides[0])]


def _without(shape: Shape, wanted: str) -> Iterator[str]:
    """Instances in whose rows one clause alone does not hold."""
    data = rows_of(shape.left, shape.bounds, shape.values)
    with np.errstate(invalid="ignore"):
        known = dict(clauses(shape.left, data))
    others = [known[c] for c in shape.guard if c != wanted]
    fits = ~known[wanted] & (np.logical_and.reduce(others) if others else True)
    columns = list(data.columns.values())  # an example of small numbers is read at a glance
    places = sorted(np.flatnonzero(fits), key=lambda i: sum(abs(float(c[i])) for c in columns))
    for place in places[:20]:
        values = {n: (k, data.columns[n][place].item()) for n, (k, _) in shape.values.items()}
        bounds = {n: (int(data.low[n][place]), int(data.high[n][place])) for n in data.low
                  if n in shape.bounds or any(f"{n}." in c for c in shape.guard)}  # fmt: skip
        yield graph(with_numbers(shape.left, values), bounds)


def _other_leaf(shape: Shape, name: str, what: str) -> Iterator[str]:
    """Instances in which a variable is what a clause excludes."""
    kind = next(t.dtype for t in shape.left.walk() if t.head == name)
    if what == "valid":
        text = "INVALID():index"
    else:
        text = f"{dtypes.bool.const(True) if kind.is_bool else kind.const(3)}:{kind.base}".lower()
    marker = CandidateTerm("var", "marker", kind)
    changed = shape.sides[0].changed(
        lambda part: marker if part.kind == "var" and part.head == name else None
    )
    full = graph(changed, shape.bounds, [*shape.sides[0].names("var"), "marker"])
    slot = len(shape.sides[0].names("var"))
    for old in (f"PARAM[{slot}]:{kind.base}", 'VAR["marker", -99, 99]'):
        if old in full:
            yield full.replace(old, text)


def _other_dtypes(shape: Shape) -> Iterator[str]:
    """The same of dtypes that the ops take and the rule does not."""
    for base, (_, sets) in shape.kinds.items():
        for other in _OTHER:
            if other not in members(sets):
                changed = _converted(shape.sides[0], base, dtype(other))
                if is_typed(changed):
                    yield graph(changed, {})


def _converted(term: CandidateTerm, base: str, kind: DType) -> CandidateTerm:
    return in_dtypes(term, {base: kind}).changed(
        lambda p: replace(p, head=p.dtype.const(p.head)) if p.kind == "value" else None
    )


def _other_forms(term: CandidateTerm) -> Iterator[CandidateTerm]:
    """Neighbours: of a variable that stood twice one is another; so is a number; an op is none."""
    places = list(_places(term))
    for path, part in reversed(places):
        twice = sum(p.kind == "var" and p.head == part.head for _, p in places) > 1
        if part.kind == "var" and twice:
            yield _at(term, path, CandidateTerm("var", "other", part.dtype))
    for path, part in places:
        if part.kind == "value":
            yield _at(term, path, _next(part))
    for path, part in places[1:]:
        if part.kind == "op":
            yield _at(term, path, CandidateTerm("var", "other", part.dtype))


def _next(part: CandidateTerm) -> CandidateTerm:
    value = (not part.head) if part.dtype.is_bool else part.dtype.const(part.head + 1)
    return replace(part, head=value)


def _places(
    term: CandidateTerm, path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], CandidateTerm]]:
    yield path, term
    for i, part in enumerate(term.parts):
        yield from _places(part, (*path, i))


def _at(term: CandidateTerm, path: tuple[int, ...], new: CandidateTerm) -> CandidateTerm:
    if not path:
        return new
    parts = list(term.parts)
    parts[path[0]] = _at(parts[path[0]], path[1:], new)
    return replace(term, parts=tuple(parts))
