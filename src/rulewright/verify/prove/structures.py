"""The tactic that every elementwise rule has to pass: its own matcher, on what its leaves may be.

z3 and columns take each leaf for an unknown number, of the dtypes that the prover finds possible.
A matcher sees nodes. So graphs of the pattern are made with all kinds of nodes for leaves:
parameters, constants, conversions, other ops, operands shared with another leaf or one and the
same, bounded variables, INVALID indices, and vectors. The matcher that ships rewrites them, and the
interpreter runs both sides. A difference refutes the rule, whatever z3 said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove import asked
from rulewright.verify.prove.proof import Outcome
from rulewright.verify.prove.scalars import Terms, judged, shown, solved
from rulewright.verify.prove.terms import NeverMatches
from rulewright.verify.prove.trial import Match, Trial
from rulewright.verify.prove.typed import TypedRule, Typing
from rulewright.verify.values.comparison import needs_shadow
from rulewright.verify.values.samples import Random, of_leaf, special

Array = np.ndarray[Any, Any]

_LANES = 3
_COLUMN = 40
_TRIES = 12  # graphs made for each that is wanted
_TURNS = 64  # graphs of which the first is a simple one
_AT_LEAST = 300  # graphs made where none has matched, and z3 says that some does
_SMALL = (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 31, 32, 100, -1, -2, -3, -8)
_INDICES = (-1000, -17, -8, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 100, 1000)
"""Index arithmetic is unbounded, and the interpreter's has 64 bits: products must fit."""

_SOURCES = ("bool", "u8", "i8", "i32", "u32", "i64", "u64", "f32", "f64", "f16", "index")
_SHORT_SOURCES = ("bool", "u8", "i8", "u16", "i16")  # for an index


class Amount(NamedTuple):
    """Graphs a rule, in all; and how many an instance at most and at least."""

    rule: int = 500
    most: int = 60
    least: int = 1


QUICK = Amount(rule=100, most=20)


class Structures:
    """The tactic for all instances of one rule. `count` is how many there are."""

    def __init__(
        self, rule: TypedRule, match: Match, rng: Random, amount: Amount, count: int
    ) -> None:
        self.rule, self.match, self.rng = rule, match, rng
        self.wanted = min(amount.most, max(amount.least, amount.rule // max(1, count)))
        named = map(op_named, asked.ops(rule.rule, rule.facts))
        self.ops = [o for o in named if o.elementwise]
        self.numbers = _numbers_of_guards(rule)
        equiv = rule.rule.equiv
        self.finite = equiv is not None and equiv.name == "finite"
        self.plain = equiv is not None and (needs_shadow(equiv) or self.finite)
        self.vectors = [0, 0]  # tried and matched
        self.begun = 0  # instances: where each gets few graphs, the next goes on with other leaves
        self.lanes = (_LANES, *asked.lanes(rule.rule))
        self._giving: dict[str, list[Op]] = {}

    def giving(self, base: str) -> list[Op]:
        """The elementwise ops that give a dtype."""
        if base not in self._giving:
            elementwise = [o for o in Ops if o.elementwise and o is not Ops.BITCAST]
            self._giving[base] = [o for o in elementwise if base in o.kinds(o.result)]
        return self._giving[base]

    def outcome(self, choice: Typing, matches: bool = False) -> Outcome:
        """What is found at one instance: refuted, bounded, or vacuous where nothing matched.

        `matches` says that something does: then more is tried to meet it.
        """
        outcome = Outcome(self.rule.describe(choice.names), "vacuous")
        for trial, columns in self._trials(choice, _AT_LEAST if matches else 0):
            outcome.graphs += 1
            outcome.status, outcome.method = "bounded", "structures"
            verdict = judged(trial, columns, self.rule.rule.equiv)
            if verdict is not None and verdict.wrong:
                outcome.status = "refuted"
                outcome.counterexample = shown(trial, columns, verdict)
                break
        return outcome

    def _trials(self, choice: Typing, least: int) -> Iterator[tuple[Trial, dict[UOp, Array]]]:
        """Graphs that the rule matches, with a column of values for each of their leaves."""
        matched, first = 0, self.begun
        self.begun += 1
        for attempt in range(max(least, self.wanted * _TRIES)):
            if matched >= self.wanted or (matched and attempt >= self.wanted * _TRIES):
                return
            lanes, turn = 1, first + attempt
            if turn % 4 == 3 and self._may_be_vector():
                lanes = self.lanes[turn // 4 % len(self.lanes)]
            one = lanes > 1 and turn % 8 == 7  # condition for all lanes
            try:
                terms = Terms(self.rule, choice.names, lanes, self.rng, one)
                before = _Graph(self, terms, turn % _TURNS == 0).before()
            except NeverMatches:
                if one:
                    continue
                return
            after = self.match(before)
            self.vectors[0] += lanes > 1
            if after is None or after is before:
                continue
            matched += 1
            self.vectors[1] += lanes > 1
            yield Trial(before, after), self._columns(before, after)

    def _may_be_vector(self) -> bool:
        tried, matched = self.vectors
        return matched > 0 or tried < 200

    def _columns(self, *graphs: UOp) -> dict[UOp, Array]:
        leaves = [n for n in UOp.sink(*graphs).toposort() if n.op in (Ops.PARAM, Ops.VAR)]
        return {leaf: self._column(leaf) for leaf in leaves}

    def _column(self, leaf: UOp) -> Array:
        if leaf.op is Ops.PARAM and leaf.dtype is dtypes.index:
            return self.rng.choice(np.array(_INDICES), _COLUMN)
        return of_leaf(leaf, _COLUMN, self.rng)


def _numbers_of_guards(rule: TypedRule) -> list[int]:
    """Numbers around those that guards name: what is equal to one, or just beyond."""
    nodes = [n for clause in rule.rule.all(t.When) for n in t.walk(clause.guard)]
    numbers = {int(n.value) for n in nodes if isinstance(n, t.Num) and abs(n.value) < 1 << 31}
    return sorted({near for number in numbers for near in (number - 1, number, number + 1)})


class _Graph:
    """One graph of a pattern. A `simple` one has parameters for leaves."""

    def __init__(self, tactic: Structures, terms: Terms, simple: bool) -> None:
        self.tactic, self.terms, self.rng = tactic, terms, tactic.rng
        self.simple = simple
        self.leaves: dict[str, UOp] = {}
        self.slots = 0

    def before(self) -> UOp:
        """The pattern with these leaves."""
        for name, kind in self.terms.leaves.variables.items():
            self.leaves[name] = self._leaf(name, kind)
        return self.terms.build(self._constants(), self.leaves)

    # ---- constants ----

    def _constants(self) -> dict[str, Any]:
        kinds = self.terms.leaves.constants
        values: dict[str, Any] = {}
        for name, kind in kinds.items():
            values[name] = self._value(kind)
            others = [v for n, v in values.items() if n != name and kinds[n] is kind]
            if others and self.rng.random() < 0.4:
                factor = int(self.rng.choice([1, 1, 2, 3, 4]))
                values[name] = kind.const(self._pick(others) * (1 if kind.is_bool else factor))
        return solved(self.terms, values, self.rng)

    def _value(self, kind: DType) -> Any:
        """A constant: small, or at an end of its dtype."""
        if kind.is_bool:
            return bool(self.rng.random() < 0.5)
        if self.tactic.numbers and self.rng.random() < 0.3:
            return kind.const(self._pick(self.tactic.numbers))
        if kind.kind == "Index":
            return int(self._pick(_INDICES))
        if self.rng.random() < 0.6:
            return kind.const(self._pick(_SMALL))
        return kind.const(self.rng.choice(special(kind)).item())

    # ---- leaves ----

    def _pick(self, items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def _leaf(self, name: str, kind: DType) -> UOp:
        if self.simple:
            return self._plain(kind)
        makers: list[Callable[[DType], UOp | None]] = [self._plain, self._constant, self._shared]
        if not self.tactic.plain:
            makers += [self._converted, self._computed, self._computed]
            if kind.count == 1 and not kind.is_float and not kind.is_bool:
                makers += [self._bounded] * (4 if name in self.terms.leaves.bounded else 1)
            if kind is dtypes.index:
                makers += [self._invalid] * 2
        node = self._pick(makers)(kind)
        return self._plain(kind) if node is None else node

    def _plain(self, kind: DType) -> UOp:
        """A parameter; for a vector one a lane."""
        if kind.count > 1:
            return UOp(Ops.STACK, kind, tuple(self._plain(kind.scalar) for _ in range(kind.count)))
        self.slots += 1
        return UOp(Ops.PARAM, kind, (), (self.slots - 1, (), None))

    def _constant(self, kind: DType) -> UOp | None:
        value = self._value(kind.scalar)
        if kind.is_float and self.tactic.finite and not math.isfinite(value):
            return None  # of such an operand nothing is said
        return UOp.const(kind, value)

    def _shared(self, kind: DType) -> UOp | None:
        """What another leaf is."""
        others = [leaf for leaf in self.leaves.values() if leaf.dtype is kind]
        return self._pick(others) if others else None

    def _converted(self, kind: DType) -> UOp:
        names = _SHORT_SOURCES if kind.base == "index" else _SOURCES
        source = dtype(self._pick(names)).vec(kind.count)
        node = self._plain(source)
        return node if source is kind else UOp(Ops.CAST, kind, (node,))

    def _bounded(self, kind: DType) -> UOp:
        """A variable of known bounds, as its dtype."""
        low, high = int(kind.min), min(int(kind.max), (1 << 63) - 1)
        if kind is dtypes.index:
            low, high = -1000, 1000
        ends = sorted(min(high, max(low, int(self._pick(_INDICES)))) for _ in range(2))
        if self.rng.random() < 0.2:
            ends = [low, high]
        self.slots += 1
        return UOp.variable(f"v{self.slots}", *ends).cast(kind)

    def _invalid(self, kind: DType) -> UOp:
        """An index that is INVALID, sometimes or always, or computed from one."""
        never = UOp(Ops.INVALID, dtypes.index, ())
        node = never
        if self.rng.random() < 0.7:
            node = self._plain(dtypes.bool).where(self._plain(kind), never)
        if self.rng.random() < 0.5:  # whose bounds say nothing of that
            node = node % UOp.index_const(int(self._pick((1, 2, 4, 8))))
        return node

    def _computed(self, kind: DType) -> UOp | None:
        """Any op of this dtype; those that the guard names more often."""
        fitting = self.tactic.giving(kind.base)
        named = [o for o in self.tactic.ops if o in fitting]
        op = self._pick(named if named and self.rng.random() < 0.6 else fitting)
        own = {op.result: kind} if op.result in op.tparams else {}
        sources = []
        for _, declared, _ in op.params:
            sources.append(self._operand(self._kind(op, declared, own, kind)))
        return UOp(op, kind, tuple(sources))

    def _kind(self, op: Op, declared: str, own: dict[str, DType], kind: DType) -> DType:
        """The dtype of an operand, by the row of its op."""
        if op is Ops.CAST and kind.base == "index":
            return dtype(self._pick(_SHORT_SOURCES)).vec(kind.count)
        if declared not in op.tparams:
            return dtypes.bool.vec(kind.count) if declared == "bool" else kind
        if declared not in own:
            own[declared] = dtype(self._pick(op.tparams[declared])).vec(kind.count)
        return own[declared]

    def _operand(self, kind: DType) -> UOp:
        """A parameter, another leaf, or a constant."""
        choice = self.rng.random()
        node = self._shared(kind) if choice < 0.3 else None
        if node is not None:
            return node
        node = self._constant(kind) if choice > 0.9 else None
        return self._plain(kind) if node is None else node
