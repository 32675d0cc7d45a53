"""From two terms of equal value to the widest rule that has them as an instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

import numpy as np

from rulewright.errors import RulewrightError
from rulewright.ir.dtypes import DType, dtype
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.verify.discover.guards import SampleColumns, clauses, guard, rows
from rulewright.verify.discover.term import (
    CandidateTerm,
    Ends,
    Numbers,
    evaluate,
    in_dtypes,
    is_typed,
)
from rulewright.verify.values.comparison import agree

_LETTERS = "cdefghkm"
_PARAMS = "TUVW"
_SETS = ("Any", "Number", "Int", "Bits", "Wrapping", "Float", "Unsigned", "Signed")
_WORK_OUT = ("ADD", "SUB", "MUL", "MIN", "MAX", "AND", "OR", "XOR", "FLOORDIV", "FLOORMOD", "SHL")
_WAYS = 8  # ways to work the constants of a result out


@dataclass(frozen=True)
class Shape:
    """A rule to be: its sides with names for constants, its guard, and the terms it came from.

    `kinds` says for each dtype of the terms which type parameter stands for it, and its set; one
    that is not there is named itself.
    """

    left: CandidateTerm
    right: CandidateTerm
    kinds: Mapping[str, tuple[str, tuple[str, ...]]]
    guard: tuple[str, ...]
    sides: tuple[CandidateTerm, CandidateTerm]
    bounds: Ends
    values: Numbers


def shapes_of(left: CandidateTerm, right: CandidateTerm, bounds: Ends) -> Iterator[Shape]:
    """Rules that turn `left` into `right`, the most general first."""
    seen = set()
    for named, values in _namings(left):
        for result in islice(_results(right, named, values), _WAYS):
            if (named, result) in seen:
                continue
            seen.add((named, result))
            kept = {n: v for n, v in values.items() if n in named.names("const")}
            guards = _guarded(named, result, bounds, kept)
            if guards is not None:
                shape = Shape(named, result, {}, guards, (left, right), bounds, kept)
                yield replace(shape, kinds=_widest(shape))


# ---- constants -----------------------------------------------------------------------------------


def _namings(left: CandidateTerm) -> Iterator[tuple[CandidateTerm, dict[str, tuple[DType, Any]]]]:
    """The left side with names for its constants, the most general first.

    A name stands for any value, then for a constant at each place, then for equal constants; 0 is
    named too, or stands as it is, and so are 1 and -1. At last nothing is named.
    """
    seen = set()
    for kept in ((), (0,), (0, 1, -1)):
        for way in ("any", "each", "equal"):
            naming = _Naming(way, kept)
            named = naming.of(left)
            if naming.values and named not in seen:
                seen.add(named)
                yield named, naming.values
    yield left, {}


class _Naming:
    """Gives names to the constants of a left side, but for those of some values."""

    def __init__(self, way: str, kept: tuple[int, ...]) -> None:
        self.way, self.kept = way, kept
        self.values: dict[str, tuple[DType, Any]] = {}

    def of(self, term: CandidateTerm) -> CandidateTerm:
        """The term with names in the place of constants."""
        if term.kind != "value":
            return replace(term, parts=tuple(self.of(p) for p in term.parts))
        kept = term.head in self.kept or (self.kept and term.dtype.is_bool)
        if kept or term.head != term.head or len(self.values) == len(_LETTERS):
            return term
        mine = (term.dtype, term.head)
        same = [n for n, other in self.values.items() if _same(other, mine)]
        name = same[0] if same and self.way == "equal" else _LETTERS[len(self.values)]
        self.values[name] = mine
        return CandidateTerm("var" if self.way == "any" else "const", name, term.dtype)


def _same(a: tuple[DType, Any], b: tuple[DType, Any]) -> bool:
    return a[0] is b[0] and repr(a[1]) == repr(b[1])


def _results(right: CandidateTerm, left: CandidateTerm, values: Numbers) -> Iterator[CandidateTerm]:
    """The right side with its constants worked out from those of the left, in several ways."""
    places = [t for t in right.walk() if t.kind == "value"]
    as_variables = bool(values.keys() & set(left.names("var")))
    ways = [list(_ways(place, values, as_variables)) for place in places]
    for chosen in product(*ways):
        yield _filled(right, iter(chosen))


def _filled(term: CandidateTerm, chosen: Iterator[CandidateTerm]) -> CandidateTerm:
    """A side with other terms in the places of its constants."""
    return term.changed(lambda part: next(chosen) if part.kind == "value" else None)


def _ways(place: CandidateTerm, values: Numbers, as_variables: bool) -> Iterator[CandidateTerm]:
    """Terms over named constants whose value is a constant; the number itself last."""
    kind = place.dtype
    leaf = "var" if as_variables else "const"
    names = [CandidateTerm(leaf, n, k) for n, (k, _) in values.items() if k is kind]
    wanted = (kind, place.head)
    for term in names:
        if _same(values[term.head], wanted):
            yield term
    if leaf == "const":
        terms = worked_out(names)
        yield from (t for t in terms if _same((kind, _value_of(t, values)), wanted))
    yield place


def worked_out(names: Sequence[CandidateTerm]) -> Iterator[CandidateTerm]:
    """One op over named constants of a dtype, or over one and the number 1."""
    for a in names:
        for op in ("NEG", "NOT"):
            result = CandidateTerm("op", op, a.dtype, (a,))
            if is_typed(result):
                yield result
    for op in _WORK_OUT:
        for a, b in product(names, repeat=2):
            result = CandidateTerm("op", op, a.dtype, (a, b))
            if a != b and is_typed(result):
                yield result
    for op in ("ADD", "SUB"):
        for a in names:
            if a.dtype.is_int:
                yield CandidateTerm("op", op, a.dtype, (a, CandidateTerm("value", 1, a.dtype)))


def _value_of(term: CandidateTerm, values: Numbers) -> Any:
    columns = {n: np.asarray(k.const(v)).astype(k.np) for n, (k, v) in values.items()}
    return UOp.const(term.dtype, evaluate(term, columns).item()).arg


def constants_of(left: CandidateTerm) -> list[CandidateTerm]:
    """Constants that a right side may hold: those of the left side, and what they come to."""
    places = [t for t in left.walk() if t.kind == "value"]
    constants: dict[tuple[str, str], CandidateTerm] = {}
    for kind in dict.fromkeys(t.dtype for t in left.walk()):
        mine = [t for t in places if t.dtype is kind]
        values = {f"k{i}": (kind, t.head) for i, t in enumerate(mine)}
        names = [CandidateTerm("const", name, kind) for name in values]
        numbers = [*(t.head for t in mine), *([False, True] if kind.is_bool else [0, 1])]
        numbers += [_value_of(term, values) for term in worked_out(names)]
        for number in numbers:
            term = CandidateTerm("value", kind.const(number), kind)
            constants.setdefault((kind.base, repr(term.head)), term)
    return list(constants.values())


# ---- guards --------------------------------------------------------------------------------------


def rows_of(left: CandidateTerm, bounds: Ends, values: Numbers) -> SampleColumns:
    """Rows of values for the names of a left side, the same at every call."""
    names = {t.head: t.dtype for t in left.walk() if t.kind == "var"}
    kinds = {t.head: t.dtype for t in left.walk() if t.kind == "const"}
    chosen = {name: (kinds[name], value) for name, (_, value) in values.items()}
    return rows(names, chosen, bounds, np.random.default_rng(7))


def _guarded(
    left: CandidateTerm, right: CandidateTerm, bounds: Ends, values: Numbers
) -> tuple[str, ...] | None:
    data = rows_of(left, bounds, values)
    good = agree(evaluate(left, data.columns), evaluate(right, data.columns))
    good = np.broadcast_to(good, next(iter(data.columns.values())).shape)
    if good.all():
        return ()
    with np.errstate(invalid="ignore"):  # a NaN is not above 0
        needed = guard(good, list(clauses(left, data)), data.own)
    return None if needed is None else tuple(needed)


# ---- dtypes --------------------------------------------------------------------------------------


def _widest(shape: Shape) -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each dtype of a rule the widest set with which the sides still agree."""
    chosen: dict[str, tuple[str, tuple[str, ...]]] = {}
    used = list(dict.fromkeys(t.dtype.base for t in shape.left.walk()))
    if len(used) > 1 and any(t.head not in ("CAST",) for t in shape.left.walk() if t.kind == "op"):
        used = [base for base in used if base != "bool"] or used
    for base in used:
        for sets in _sets_with(base):
            if all(_holds(shape, base, other) for other in members(sets)):
                chosen[base] = (_PARAMS[len(chosen)], sets)
                break
    return chosen


def members(sets: Sequence[str]) -> list[str]:
    """The dtypes of a union of sets and dtypes."""
    table = load_table()["dtype_sets"]
    return list(dict.fromkeys(n for s in sets for n in table.get(s, (s,))))


def _sets_with(base: str) -> Iterator[tuple[str, ...]]:
    for name in _SETS:
        if base in members([name]):
            yield (name,)
    if dtype(base).is_int:
        yield from (sets for sets in (("Signed", "index"), ("Unsigned", "index")) if
                    base in members(sets))  # fmt: skip


def _holds(shape: Shape, base: str, other: str) -> bool:
    """Whether a rule holds on rows with another dtype in the place of one."""
    kinds = {base: dtype(other)}
    left, right = in_dtypes(shape.left, kinds), in_dtypes(shape.right, kinds)
    literal = [t.head for side in (left, right) for t in side.walk()
               if t.kind == "value" and t.dtype.base == other]  # fmt: skip
    if any(v not in (0, 1) or isinstance(v, float) != dtype(other).is_float for v in literal):
        return False
    if not (is_typed(left) and is_typed(right)):
        return False
    bounds = {n: b for n, b in shape.bounds.items() if other == base}
    try:
        data = rows_of(left, bounds, shape.values)
        good = agree(evaluate(left, data.columns), evaluate(right, data.columns))
    except (RulewrightError, OverflowError, ValueError):
        return False
    with np.errstate(invalid="ignore"):
        wanted = [holds for text, holds in clauses(left, data) if text in shape.guard]
    kept = np.logical_and.reduce(wanted) if wanted else np.array(True)
    return bool((good | ~kept).all())
