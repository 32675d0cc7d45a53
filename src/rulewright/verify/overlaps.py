"""Overlaps and critical pairs of a rule set: where two rules fit, and whether it matters.

Two rules overlap where a term fits both at its root; textual order, `priority` or `after` says
which fires. They make a critical pair where one fits a node inside what the other's pattern names.
For each, a witness is built from the unified patterns and matched by both rules; the two results
are rewritten to their ends. The pair is `joined` if these are the same node, `equal` if the
interpreter gives both the same values, `different` if it does not, and `open` if neither was told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rulewright.checks.examples import uses_context
from rulewright.errors import RulewrightError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops, op as op_named
from rulewright.ir.rewrite import rewrite
from rulewright.ir.text import print_term
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import all_files, load_table
from rulewright.lang.matcher_facts import Facts, ordered_rules, rules_of_set
from rulewright.lang.matcher_rows import root_heads
from rulewright.lang.words import put
from rulewright.verify.overlap_unify import Env, Unifier, inner_nodes, named, rename
from rulewright.verify.prove.graphs import Graphs, Needs, Retry, Want
from rulewright.verify.prove.trial import Match, RuleStopsError, Trial, judge_columns, matcher
from rulewright.verify.values.samples import of_leaf, random_for

TRIES = 40
"""Graphs that are built from one unified pattern before it is given up."""

OUTCOMES = ("joined", "equal", "open", "different")


@dataclass(frozen=True)
class Pair:
    """Two rules that fit one term: at its root, or `second` inside what `first` names."""

    first: str
    second: str
    inside: bool
    witness: str
    outcome: str
    results: tuple[str, str]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "results": list(self.results)}


_SCALAR = Want(shape=())
_INTEGERS = (0, 1, 2, 3, 4, 6, 8, 12, 5, 7, 31, -1, -2, -3, -8)
_FLOATS = (0.0, 1.0, 2.0, 0.5, -1.0, -0.0, 3.0)
_BOUNDS = ((0, 9), (0, 0), (0, 3), (1, 7), (-5, 5), (4, 9), (0, 1), (-9, -1))


class _Witness(Graphs):
    """One graph of elementwise ops that a unified pattern matches, by chance."""

    def leaf(self, want: Want) -> UOp:
        """A parameter, or a variable of known bounds."""
        kind = want.dtype or dtypes.i32
        if kind is not dtypes.index and not (kind.is_int and self.chance(0.5)):
            return self.param(kind, ())
        low, high = self.pick(_BOUNDS)
        if kind.is_unsigned:
            low, high = abs(low), abs(low) + high - low
        return self.variable(low, high).cast(kind)

    def constant(self, want: Want) -> UOp:
        """A small number."""
        kind = want.dtype or dtypes.i32
        numbers = _FLOATS if kind.is_float else (0, 1) if kind.is_bool else _INTEGERS
        return UOp.const(kind, self.pick(numbers))

    def node(self, expr: t.OpNode, want: Want) -> UOp:
        """A node of an elementwise op. Raises Retry for others."""
        heads = self.facts.heads(expr.head)
        if expr.args or not all(op_named(n).elementwise or n == "INVALID" for n in heads):
            raise Retry
        return super().node(expr, want)


class Overlaps:
    """The pairs of one rule set of the spec."""

    def __init__(self, name: str) -> None:
        self.name, self.table = name, load_table()
        self.facts = Facts(self.table)
        sets = {str(s.name): s for file in all_files() for s in file.all(t.RuleSetDecl)}
        rules = ordered_rules(rules_of_set(name, sets))
        self.rules = [r for r in rules if not uses_context(r)]
        self.unifier = Unifier(self.facts)
        self.matches: dict[str, Match] = {}

    def match(self, rule: t.Rule) -> Match:
        """The rule as a function."""
        name = str(rule.name)
        if name not in self.matches:
            self.matches[name] = matcher(rule, self.table)
        return self.matches[name]

    def at_roots(self) -> Iterator[Pair]:
        """Pairs that overlap at the root, the one that fires first."""
        heads = {str(r.name): set(root_heads(self.facts, r.pattern)) for r in self.rules}
        for i, first in enumerate(self.rules):
            for second in self.rules[i + 1 :]:
                if heads[str(first.name)] & heads[str(second.name)]:
                    overlap = self._pair(first, second, None)
                    if overlap is not None:
                        yield overlap

    def critical(self) -> Iterator[Pair]:
        """Pairs of which the second fits inside the first's pattern."""
        for first in self.rules:
            for place in inner_nodes(self.facts, first.pattern):
                for second in self.rules:
                    overlap = self._pair(first, second, place)
                    if overlap is not None:
                        yield overlap

    # ---- one pair ----

    def _pair(self, first: t.Rule, second: t.Rule, place: t.Expr | None) -> Pair | None:
        params = tuple(
            replace(p, name=t.Ident(f"{p.name}{mark}"))
            for rule, mark in ((first, "L"), (second, "R"))
            for p in rule.type_params
        )
        chance = random_for(f"{first.name} {second.name}")
        for pattern, mark, env in self._unified(first, second, place):
            unified = replace(
                first, pattern=named(pattern, env), type_params=params, replacement=pattern,
                clauses=(),
            )  # fmt: skip
            needs = Needs(unified, self.facts)
            for _ in range(TRIES):
                witness = _Witness(needs, chance)
                try:
                    term = witness.make(unified.pattern, _SCALAR)
                    inner = term if mark is None else witness.names[str(mark.name)]
                except (Retry, RulewrightError, KeyError, OverflowError):
                    continue
                results = self._results(first, second, term, inner)
                if results is not None:
                    return self._judged(first, second, place is not None, term, results)
        return None

    def _unified(
        self, first: t.Rule, second: t.Rule, place: t.Expr | None
    ) -> Iterator[tuple[t.Expr, t.Var | None, Env]]:
        """Common patterns; where the second is inside, a name stands for its place."""
        right = rename(second.pattern, "R")
        if place is None:
            for unified, env in self.unifier.unify(rename(first.pattern, "L"), right, {}):
                yield unified, None, env
            return
        hole = t.Var(t.Ident("_place"))
        outer = rename(put(first.pattern, place, hole), "L")
        name = t.Var(t.Ident("_placeL"))
        for unified, env in self.unifier.unify(rename(place, "L"), right, {}):
            yield outer, name, {**env, "_placeL": unified}

    def _results(
        self, first: t.Rule, second: t.Rule, term: UOp, inner: UOp
    ) -> tuple[UOp, UOp] | None:
        """What the two rules make of a term, if both fit it and make something else of it."""
        try:
            one = self.match(first)(term)
            two = self.match(second)(inner) if one is not None else None
        except (RulewrightError, OverflowError, ValueError, RuleStopsError):
            return None
        if one is None or two is None:
            return None
        return one, two if inner is term else term.substitute({inner: two})

    def _judged(
        self, first: t.Rule, second: t.Rule, inside: bool, term: UOp, results: tuple[UOp, UOp]
    ) -> Pair:
        one, two = (rewrite(r, self.name) for r in results)
        outcome = "joined" if one is two else _compare(term, one, two, first, second)
        shown = (print_term(one), print_term(two))
        return Pair(str(first.name), str(second.name), inside, print_term(term), outcome, shown)


def _compare(term: UOp, one: UOp, two: UOp, first: t.Rule, second: t.Rule) -> str:
    """Whether two graphs have the same values, wherever the leaves of `term` have some."""
    nodes = UOp.sink(term, one, two).toposort()
    if any(n.op is Ops.INVALID or n.op is Ops.RANGE for n in nodes):
        return "open"  # the index of no element has no value
    rng = random_for(f"{first.name} {second.name}")
    leaves = [n for n in nodes if n.op in (Ops.VAR, Ops.PARAM)]
    columns = {leaf: of_leaf(leaf, 512, rng) for leaf in leaves}
    equiv = next((r.equiv for r in (first, second) if r.equiv), None)
    try:
        with np.errstate(all="ignore"):
            wrong = judge_columns(
                Trial(one, two), columns, equiv or t.Equiv(t.Ident("nan_payload"), None)
            ).wrong
    except RulewrightError:
        return "open"
    return "different" if wrong else "equal"


def counts(pairs: Sequence[Pair]) -> dict[str, int]:
    """How many pairs came out which way."""
    return {outcome: sum(p.outcome == outcome for p in pairs) for outcome in OUTCOMES}
