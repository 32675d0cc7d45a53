"""Overlaps and critical pairs of a rule set: where two rules fit, and whether it matters.

Two rules overlap where a term fits both at its root; textual order, `priority` or `after` says
which fires. They make a critical pair where one fits a node inside what the other's pattern names.
For each, a witness is built from the unified patterns and matched by both rules; the two results
are rewritten to their ends. The pair is `joined` if these are the same node, `equal` if the
interpreter gives both the same values, `different` if it does not, and `open` if neither was told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from rulewright.lang.matcher_patterns import root_heads
from rulewright.lang.words import exchanged, put
from rulewright.verify.prove.graphs import Graphs, Needs, Retry, Want
from rulewright.verify.prove.trial import Match, RuleStopsError, Trial, judge_columns, matcher
from rulewright.verify.values.samples import generator, of_leaf

Env = Mapping[str, t.Expr]


def rename(expr: t.Expr, mark: str) -> t.Expr:
    """A pattern with `mark` behind each of its names and type parameters; bindings are left out."""

    def change(node: t.Node) -> t.Node | None:
        if isinstance(node, t.Var | t.ConstVar):
            return replace(node, name=t.Ident(f"{node.name}{mark}"))
        if isinstance(node, t.Bind):
            return rename(node.pattern, mark)
        if isinstance(node, t.Typed):
            kind = t.Ident(f"{node.type}{mark}") if str(node.type).isupper() else node.type
            return replace(node, expr=rename(node.expr, mark), type=kind)
        if isinstance(node, t.OpNode) and node.args:  # whose names are compared as they are
            sources = tuple(replace(s, expr=rename(s.expr, mark)) for s in node.sources or ())
            return replace(node, sources=sources if node.sources is not None else None)
        return None

    return exchanged(expr, change)


class Unifier:
    """Finds common instances of patterns."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def unify(self, a: t.Expr, b: t.Expr, env: Env) -> Iterator[tuple[t.Expr, Env]]:
        """Each common pattern, one for each way round, with what names stand for in it."""
        if isinstance(b, t.Typed) and not isinstance(a, t.Typed):
            a, b = b, a
        if isinstance(a, t.Typed):
            for inner, known in self.unify(a.expr, b, env):
                yield replace(a, expr=inner), known
        elif isinstance(a, t.Var):
            yield from self._name(a, b, env)
        elif isinstance(b, t.Var):
            yield from self._name(b, a, env)
        elif isinstance(a, t.Wild):
            yield b, env
        elif isinstance(b, t.Wild):
            yield a, env
        elif isinstance(a, t.ConstVar) or isinstance(b, t.ConstVar):
            yield from self._constant(a, b, env)
        elif isinstance(a, t.Num | t.BoolLit) or isinstance(b, t.Num | t.BoolLit):
            if a == b:
                yield a, env
        else:
            yield from self._nodes(self.facts.as_node(a), self.facts.as_node(b), env)

    def _name(self, a: t.Var, b: t.Expr, env: Env) -> Iterator[tuple[t.Expr, Env]]:
        name = str(a.name)
        if _ends_at(b, env) == _ends_at(a, env):
            yield a, env
        elif name in env:
            for inner, known in self.unify(env[name], b, env):
                if not _occurs(name, inner, known):
                    yield a, {**known, name: inner}
        elif not _occurs(name, b, env):
            yield a, {**env, name: b}

    def _constant(self, a: t.Expr, b: t.Expr, env: Env) -> Iterator[tuple[t.Expr, Env]]:
        if not isinstance(a, t.ConstVar):
            a, b = b, a
        assert isinstance(a, t.ConstVar)
        name = f"${a.name}"
        if isinstance(b, t.ConstVar | t.Num | t.BoolLit) and env.get(name, b) == b:
            yield b, {**env, name: b}

    def _nodes(self, a: t.Expr, b: t.Expr, env: Env) -> Iterator[tuple[t.Expr, Env]]:
        if not isinstance(a, t.OpNode) or not isinstance(b, t.OpNode):
            return
        if (a.args or b.args) and a.args != b.args:
            return
        heads = [h for h in self.facts.heads(a.head) if h in self.facts.heads(b.head)]
        one, two = a.sources or (), b.sources or ()
        if not heads or len(one) != len(two) or any(s.rest for s in (*one, *two)):
            return
        names = tuple(map(t.Ident, heads))
        head = t.OpSet(names) if len(names) > 1 else t.OpName(names[0])
        for sources, known in self._lists(one, two, env):
            yield t.OpNode(head, a.args, sources, ordered=True), known
        if all(self.facts.commutative(h) for h in heads) and not (a.ordered and b.ordered):
            for swapped, known in self._lists(one[::-1], two, env):
                sources = swapped[::-1] if a.ordered else swapped
                yield t.OpNode(head, a.args, sources, ordered=True), known

    def _lists(
        self, a: tuple[t.Source, ...], b: tuple[t.Source, ...], env: Env
    ) -> Iterator[tuple[tuple[t.Source, ...], Env]]:
        if not a:
            yield (), env
            return
        for first, known in self.unify(a[0].expr, b[0].expr, env):
            for rest, final in self._lists(a[1:], b[1:], known):
                yield (t.Source(first), *rest), final


def _ends_at(expr: t.Expr, env: Env) -> t.Expr:
    """The last of a chain of names that stand for each other."""
    while isinstance(expr, t.Var) and isinstance(env.get(str(expr.name)), t.Var):
        expr = env[str(expr.name)]
    return expr


def _occurs(name: str, expr: t.Expr, env: Env) -> bool:
    """Whether a name stands in an expression, or in what its names stand for."""
    names = {str(n.name) for n in t.walk(expr) if isinstance(n, t.Var)}
    return name in names or any(_occurs(name, env[n], env) for n in names if n in env)


def named(expr: t.Expr, env: Env) -> t.Expr:
    """A pattern in which each name that stands for something is bound to that."""

    def change(node: t.Node) -> t.Node | None:
        key = f"${node.name}" if isinstance(node, t.ConstVar) else str(getattr(node, "name", ""))
        known = env.get(key) if isinstance(node, t.Var | t.ConstVar) else None
        if known is None or known == node:
            return None
        inner = named(known, env)
        return t.Bind(node.name, inner) if isinstance(node, t.Var) else inner

    return exchanged(expr, change)


def inner_nodes(facts: Facts, expr: t.Expr) -> Iterator[t.Expr]:
    """The op nodes inside a pattern, without its root."""
    node = facts.as_node(t.bare(expr))
    if not isinstance(node, t.OpNode):
        return
    for source in node.sources or ():
        below = t.bare(source.expr)
        if isinstance(facts.as_node(below), t.OpNode):
            yield below
        yield from inner_nodes(facts, source.expr)


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
        chance = generator(f"{first.name} {second.name}")
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
    rng = generator(f"{first.name} {second.name}")
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
