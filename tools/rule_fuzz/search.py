"""Looks for graphs at which a rule is wrong, and makes the first one small."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from random import Random
from typing import Any, NamedTuple

import numpy as np

from rule_fuzz.nodes import Dead
from rule_fuzz.patterns import Graph, elements, named
from rulewright.errors import RulewrightError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove.scalars import judged, shown
from rulewright.verify.prove.trial import Match, Meaningless, RuleStopsError, Trial, graphs, judge
from rulewright.verify.values.samples import special

_MOST = 1 << 14
_COLUMN = 200
_FILLED = 4
_ERRORS = (
    RulewrightError,
    Dead,
    ValueError,
    TypeError,
    IndexError,
    OverflowError,
    ZeroDivisionError,
)
_MEMORY = Ops.group("Outer")


class Wrong(NamedTuple):
    """A graph at which a rule is wrong, as text, with how many nodes it has."""

    nodes: int
    text: str


class Search:
    """The graphs of one rule."""

    def __init__(self, rule: t.Rule, facts: Facts, match: Match, rng: Random) -> None:
        self.rule, self.match, self.rng = rule, match, rng
        self.named = named(rule, facts)
        self.matched = 0

    def first(self, attempts: int, smallest_of: int = 1) -> Wrong | None:
        """The smallest of the first few wrong graphs among so many."""
        wrong: list[Wrong] = []
        for graph in self._wrong(attempts):
            wrong.append(graph)
            if len(wrong) == smallest_of:
                break
        return min(wrong, default=None)

    def _wrong(self, attempts: int) -> Iterator[Wrong]:
        for _ in range(attempts):
            graph = Graph(self.rule, self.named, self.rng)
            try:
                before = graph.make()
                if before.dtype is not dtypes.void and elements(before) > _MOST:
                    continue
                after = self.match(before)
            except RuleStopsError:
                continue  # which the prover says by itself
            except _ERRORS:
                continue
            if after is None or after is before:
                continue
            self.matched += 1
            text = self._judged(before, after, graph.nodes.sizes)
            if text:
                yield Wrong(len(before.toposort()), text)

    def _judged(self, before: UOp, after: UOp, sizes: dict[str, int]) -> str:
        if any(_compares_never(n) for n in before.toposort()):
            return ""
        nodes = UOp.sink(before, after).toposort()[:-1]
        leaves = [n for n in nodes if not n.src and n.op is not Ops.CONST]
        scalar = all(n.op.elementwise or not n.src or n.op is Ops.STACK for n in nodes)
        scalar = scalar and all(
            (n.op is Ops.PARAM and n.arg[1] == ()) or n.op in (Ops.VAR, Ops.INVALID) for n in leaves
        )
        try:
            if scalar:
                columns = {n: self._column(n) for n in leaves if n.op is not Ops.INVALID}
                trial = Trial(before, after)
                verdict = judged(trial, columns, self.rule.equiv)
                return shown(trial, columns, verdict) if verdict and verdict.wrong else ""
            for _ in range(_FILLED):
                trial = self._filled(before, after, nodes, sizes)
                verdict = judge(trial, self.rule.equiv)
                of_nans = (
                    verdict.why.count("nan, bits") == 2
                )  # numpy's vectors give others than ends
                if verdict.wrong and not of_nans:
                    return graphs(trial, verdict.why) or "wrong"
        except (Meaningless, *_ERRORS):
            return ""
        return ""

    def _filled(self, before: UOp, after: UOp, nodes: list[UOp], sizes: dict[str, int]) -> Trial:
        trial = Trial(before, after, variables=dict(sizes))
        for node in nodes:
            if node.op in _MEMORY:
                trial.bindings[node] = self._values(node, prod(node.arg[1])).reshape(node.arg[1])
            elif node.op is Ops.VAR:
                name, low, high = node.arg
                trial.variables.setdefault(name, self.rng.randint(low, high))
        for node in nodes:
            if node.op is Ops.BIND:
                trial.variables[node.src[0].arg[0]] = int(node.src[1].arg)
        return trial

    def _column(self, leaf: UOp) -> Any:
        if leaf.op is Ops.VAR:
            low, high = leaf.arg[1:]
            ends = [low, high, min(low + 1, high)]
            drawn = [self.rng.randint(low, high) for _ in range(_COLUMN - len(ends))]
            return np.array([*ends, *drawn], np.int64)
        return self._values(leaf, _COLUMN)

    def _values(self, leaf: UOp, count: int) -> Any:
        """Values of memory: special, small and random ones."""
        kind, draw = leaf.dtype, np.random.default_rng(self.rng.getrandbits(32))
        if kind is dtypes.index:
            return draw.integers(-3, 12, count)
        if kind.is_bool:
            return draw.integers(0, 2, count).astype(kind.np)
        bits = draw.integers(0, 256, count * kind.itemsize).astype(np.uint8).view(kind.np)
        with np.errstate(all="ignore"):
            small = draw.integers(0 if kind.min == 0 else -6, 7, count).astype(kind.np)
        odd = draw.choice(special(kind), count)
        which = draw.random(count)
        if self.rng.random() < 0.3:
            which = np.full(count, which[0] if count else 0.0)
        return np.where(which < 0.4, small, np.where(which < 0.8, odd, bits)).astype(kind.np)


def _compares_never(node: UOp) -> bool:
    """Whether a truth value is made of an index that may be INVALID: it says nothing then."""
    return node.dtype.is_bool and node.op.elementwise and not all(s.valid for s in node.src)
