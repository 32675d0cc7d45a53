"""The search: equal terms, oriented by the measure of a set, widened, proved and ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from rulewright.errors import RewriteError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.text import print_term
from rulewright.ir.uop import UOp
from rulewright.verify.discover import seen
from rulewright.verify.discover.accept import Accepted, Judge
from rulewright.verify.discover.general import constants_of, shapes_of
from rulewright.verify.discover.seen import Standing
from rulewright.verify.discover.term import (
    Bank,
    Candidate,
    CandidateTerm,
    Work,
    evaluate,
    term_of,
    variables,
)
from rulewright.verify.values.samples import COUNT, column

_NAMES = "xyzwuvabpqrst"
_PER_SHAPE = 3_000  # terms that are looked at for one left side
_SHAPES = 6  # ways to widen two terms to a rule
_ALWAYS = ("ADD", "MUL", "AND", "OR", "NOT", "CMPLT")
"""Ops of a result, beside those of the left side."""


@dataclass(frozen=True)
class Space:
    """What terms are made of. `bounds` are those of index variables."""

    ops: tuple[Op, ...]
    kinds: tuple[DType, ...]
    variables: int = 2
    constants: tuple[float, ...] = (0, 1, 2, 4)
    bounds: tuple[int, int] = (0, 3)


@dataclass(frozen=True)
class Limits:
    """How far to look: ops of a left side and of a result, terms in all, rules that are told.

    `tries` is how many pairs of equal terms are widened and proved.
    """

    size: int = 3
    result: int = 2
    terms: int = 30_000
    rules: int = 5
    tries: int = 40


class EqualPair(NamedTuple):
    """Two graphs of equal value, of which the first is to become the second."""

    left: UOp
    right: UOp
    fits: int
    less: int = 0  # ops


class RuleSearch:
    """Finds rules for the set `name`. `graphs` are those that pass the entries at which it runs.

    `equiv` are levels that a rule may need, weakest last; `done(terms, pairs)` is told now and then
    how many terms were looked at and pairs tried.
    """

    def __init__(
        self,
        name: str,
        space: Space,
        limits: Limits,
        graphs: Sequence[Standing] = (),
        equiv: Sequence[str] = (),
        done: Callable[[int, int], None] | None = None,
    ) -> None:
        self.set, self.space, self.limits = ruleset(name), space, limits
        self.judge = Judge(name, graphs, equiv)
        self.done = done
        self.work = Work(limits.terms, self._tell)
        self.memo: dict[UOp, UOp] = {}
        self.tried: set[tuple[UOp, UOp]] = set()
        self.equals: dict[UOp, list[UOp]] = {}

    def _tell(self, terms: int) -> None:
        """Say how many terms were looked at, and how many pairs tried."""
        if self.done is not None:
            self.done(terms, len(self.tried))

    def normal(self, node: UOp) -> UOp:
        """What the rules of the set, and those found before, make of a graph."""
        try:
            return rewrite(node, self.set, memo=self.memo)
        except RewriteError:  # it goes round in a cycle: nothing to build on
            self.memo.clear()
            return UOp.const(dtypes.bool, False)

    # ---- pairs of equal terms ----

    def enumerated(self) -> list[EqualPair]:
        """Equal terms of the space: first what the graphs hold most often, then what loses most."""
        kinds = tuple(dict.fromkeys((*self.space.kinds, dtypes.bool)))
        bank = Bank(self._leaves(), self.space.ops, kinds, self.normal, self.work)
        standing: Counter[str] = Counter()
        for node, count in seen.shapes(self.judge.nodes, self.space.ops, self.limits.size):
            standing[_form(node)] += count
        pairs: dict[tuple[UOp, UOp], EqualPair] = {}
        for _ in range(self.limits.size):
            for new, known in bank.grow():
                for a, b in ((new, known), (known, new)):
                    if _may_become(a, b):
                        left, right = _renamed(a.node, b.node)
                        fits = standing[_form(left)]
                        pairs[left, right] = EqualPair(left, right, fits, a.size - b.size)
        return sorted(pairs.values(), key=lambda pair: (-pair.fits, -pair.less))

    def standing(self) -> Iterator[EqualPair]:
        """Terms that stand in the graphs, most frequent first, with equal ones of fewer ops."""
        for node, count in seen.shapes(self.judge.nodes, self.space.ops, self.limits.size):
            if self.work.full:
                return
            if self.normal(node) is node:
                if node not in self.equals:
                    self.equals[node] = list(self._equals(node))
                for right in self.equals[node]:
                    yield EqualPair(node, right, count)

    def _equals(self, node: UOp) -> Iterator[UOp]:
        """Graphs of the variables and constants of one that come to the same."""
        term, names = _named(node)
        rng = np.random.default_rng(11)
        leaves = [Candidate(v, 0, column(v.dtype, rng, _bounds(v))) for v in variables(node)]
        wanted = evaluate(term, {names[leaf.node]: leaf.values for leaf in leaves})
        target = Candidate(node, _named(node)[0].size, np.broadcast_to(wanted, COUNT))
        constants = [UOp.const(c.dtype, c.head) for c in constants_of(term)]
        leaves += [_constant(node) for node in constants]
        kinds = list(dict.fromkeys([*(n.node.dtype for n in leaves), node.dtype, dtypes.bool]))
        here = {n.op for n in node.toposort() if n.op.elementwise}
        ops = [o for o in self.space.ops if o in here or o.name in _ALWAYS]
        work = Work(min(_PER_SHAPE, self.work.limit - self.work.count))
        bank = Bank(leaves, ops, kinds, self.normal, work)
        most = min(self.limits.result, target.size)
        equal = bank.first.get(target.key)
        if equal is not None:
            yield equal.node
        while equal is None and len(bank.levels) <= most:
            for _ in bank.grow():
                pass
            equal = bank.first.get(target.key)
            if equal is not None and _commuted(equal.node) != _commuted(node):
                yield equal.node
        self.work.count += work.count
        self.work.tell()

    def _leaves(self) -> list[Candidate]:
        """Variables and constants of the space."""
        rng = np.random.default_rng(5)
        leaves = []
        for number in range(self.space.variables):
            for place, kind in enumerate(self.space.kinds):
                slot = number * len(self.space.kinds) + place
                node = UOp(Ops.PARAM, kind, (), (slot, (), None))
                if kind is dtypes.index:
                    node = UOp.variable(f"x{slot}", *self.space.bounds)
                leaves.append(Candidate(node, 0, column(kind, rng, _bounds(node))))
        constants = [UOp.const(kind, v) for kind in self.space.kinds for v in self.space.constants]
        return leaves + [_constant(node) for node in dict.fromkeys(constants)]

    # ---- rules ----

    def discover(self, standing: bool) -> list[Accepted]:
        """The rules that the set lacks, those first by which the graphs lose most nodes.

        Where left sides are those that stand in the graphs, what found rules leave of these is
        looked at again, until nothing is found.
        """
        rules: list[Accepted] = []
        with self.judge:
            new = self._accepted(self.standing() if standing else self.enumerated())
            while new:
                rules += new
                new = self._accepted(self.standing()) if standing else []
        best = sorted(rules, key=lambda rule: (-rule.saved, -rule.fits))
        return best[: self.limits.rules]

    def _accepted(self, pairs: Iterable[EqualPair]) -> list[Accepted]:
        """The rules that pairs of equal terms are instances of."""
        rules: list[Accepted] = []
        for pair in pairs:
            if len(self.tried) == self.limits.tries:
                break
            if self.normal(pair.left) is not pair.left or self.normal(pair.right) is pair.left:
                continue  # the rules present, and those found so far, reach it
            if (pair.left, pair.right) in self.tried:
                continue
            self.tried.add((pair.left, pair.right))
            self.work.tell()
            rule = self._rule(pair)
            taken = None if rule is None else self.judge.take(rule)
            if taken is not None:
                rules.append(taken)
                self.memo.clear()
        return rules

    def rules(self, pairs: Iterable[EqualPair]) -> list[Accepted]:
        """The rules that given pairs of equal terms are instances of."""
        with self.judge:
            return self._accepted(pairs)

    def _rule(self, pair: EqualPair) -> Accepted | None:
        term, names = _named(pair.left)
        right = term_of(pair.right, names)
        bounds = {names[v]: b for v in names if (b := _bounds(v)) is not None}
        for shape in islice(shapes_of(term, right, bounds), _SHAPES):
            rule = self.judge.rule(shape)
            if rule is not None:
                return rule
        return None


def _may_become(left: Candidate, right: Candidate) -> bool:
    """Whether the second of two equal terms has no more ops and no other variables."""
    known = {*variables(right.node)} <= {*variables(left.node)}
    return left.size >= right.size and known and _commuted(left.node) != _commuted(right.node)


def _named(node: UOp) -> tuple[CandidateTerm, dict[UOp, str]]:
    """A graph as a term, its variables named in the order of the text."""
    names = dict(zip(variables(node), _NAMES, strict=False))
    return term_of(node, names), names


def _bounds(node: UOp) -> tuple[int, int] | None:
    """Those of a symbolic index; None for what may be anything."""
    if node.op is not Ops.VAR or node.arg[1] <= -seen.UNBOUNDED or node.arg[2] >= seen.UNBOUNDED:
        return None
    return int(node.arg[1]), int(node.arg[2])


def _constant(node: UOp) -> Candidate:
    return Candidate(node, 0, np.full(COUNT, node.arg).astype(node.dtype.np))


def _renamed(left: UOp, right: UOp) -> tuple[UOp, UOp]:
    """Both sides with variables numbered in the order of the left one's text."""
    fresh = {old: seen.leaf(i, old) for i, old in enumerate(variables(left))}
    return left.substitute(fresh), right.substitute(fresh)


def _commuted(node: UOp) -> str:
    """What terms share that are one but for the order of commutative operands."""
    if not node.src:
        return print_term(node)
    parts = [_commuted(s) for s in node.src]
    inside = ", ".join(sorted(parts) if node.op.commutative else parts)
    return f"{node.op}({inside}):{node.dtype.name}"


def _form(node: UOp) -> str:
    """What terms share that differ in constants and bounds alone."""
    if node.op is Ops.CONST:
        return f"${node.dtype.name}"
    if not node.op.elementwise:
        return node.dtype.name
    parts = [_form(s) for s in node.src]
    return f"{node.op}({', '.join(sorted(parts) if node.op.commutative else parts)})"
