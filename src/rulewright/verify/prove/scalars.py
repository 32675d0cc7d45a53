"""The tactic for elementwise rules that z3 has no words for: floats, and integers beyond its time.

A graph of the instance is made for each choice of constants (and of bounds, where a guard looks at
them); the rule's own matcher rewrites it; the interpreter runs both sides on columns of values.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Mapping
from itertools import count, product
from typing import Any, NamedTuple

import numpy as np

from rulewright.errors import RulewrightError
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import conjuncts
from rulewright.verify.prove import asked, trial as trials
from rulewright.verify.prove.proof import Outcome
from rulewright.verify.prove.terms import NeverMatches
from rulewright.verify.prove.trial import misfit
from rulewright.verify.prove.typed import TypedPart, TypedRule
from rulewright.verify.values.comparison import needs_shadow
from rulewright.verify.values.samples import (
    LARGE,
    Random,
    Sample,
    every,
    named,
    near_quarter_turns,
    random,
    special,
    ties,
)

Array = np.ndarray[Any, Any]


class Effort(NamedTuple):
    """How much is tried an instance: graphs, values in a column, and values where all are tried.

    `alone` is the column of the one variable of a decomposition: special, random and moderate
    values, each as many, with those around `ties` of `lead` bits. A quarter of it is tried where
    else there is one graph.
    """

    graphs: int = 40
    column: int = 2_000
    room: int = 1 << 17
    alone: int = 1 << 20
    lead: int = 17


QUICK = Effort(graphs=10, column=300, room=1 << 16, alone=1 << 12, lead=13)
_TRIES = 10
"""Choices of several constants for each graph that is wanted: a guard may take few of them."""

_MANY = 100
"""Instances of a rule from which each gets less."""


class Leaves(NamedTuple):
    """What a rule leaves open: name to dtype. A guard reads the bounds of `bounded` variables."""

    variables: dict[str, DType]
    constants: dict[str, DType]
    bounded: frozenset[str]


class Terms:
    """Makes graphs of one instance of a rule."""

    def __init__(
        self,
        rule: TypedRule,
        names: Mapping[int, str],
        lanes: int = 1,
        swaps: Random | None = None,
        one_condition: bool = False,
    ) -> None:
        """`swaps` puts operands of commutative ops the other way round, now and then.

        With `one_condition`, each choice between vectors is one for all lanes. Raises NeverMatches
        where a condition is a value too.
        """
        self.rule, self.names, self.lanes, self.swaps = rule, names, lanes, swaps
        self.leaves = Leaves({}, {}, rule.bounded)
        self.single = _conditions(rule.pattern) if one_condition else frozenset()
        self._visit(rule.pattern)

    def kind(self, part: TypedPart) -> DType:
        """The dtype of a part."""
        lanes = 1 if id(part) in self.single else self.lanes
        return dtype(self.names[self.rule.matched.find(part.slot)]).vec(lanes)

    @property
    def types(self) -> dict[str, DType]:
        """The dtypes of the rule's type parameters."""
        find = self.rule.matched.find
        return {name: dtype(self.names[find(slot)]) for name, slot in self.rule.params.items()}

    def _visit(self, part: TypedPart) -> None:
        for inner in part.parts:
            self._visit(inner)
        if part.what == "const":
            self.leaves.constants[part.value] = self.kind(part)
        elif part.what == "var":
            if self.leaves.variables.setdefault(part.value, self.kind(part)) != self.kind(part):
                raise NeverMatches
        elif part.what == "wild":
            self.leaves.variables[f"_{id(part)}"] = self.kind(part)
        elif part.what == "literal":
            self._literal(part)
        elif part.value == "BITCAST" and self.kind(part).bits != self.kind(part.parts[0]).bits:
            raise NeverMatches

    def _literal(self, part: TypedPart) -> UOp:
        const = UOp.const(self.kind(part), part.value)
        if const.arg != part.value and part.value == part.value:
            raise NeverMatches
        return const

    def leaf(self, name: str, bounds: Mapping[str, tuple[int, int]]) -> UOp:
        """A variable: a parameter, or a bounded index as its dtype."""
        kind = self.leaves.variables[name]
        place = list(self.leaves.variables).index(name)
        if name in bounds and not (kind.is_float or kind.is_bool):
            return UOp.variable(f"x{place}", *bounds[name]).cast(kind)  # an index stays one
        return UOp(Ops.PARAM, kind, (), (place, (), None))

    def build(self, constants: Mapping[str, Any], leaves: Mapping[str, UOp]) -> UOp:
        """The pattern with these constants and variables."""

        def make(part: TypedPart) -> UOp:
            if part.what == "bind":
                return make(part.parts[0])
            if part.what == "var":
                return leaves[part.value]
            if part.what == "wild":
                return leaves[f"_{id(part)}"]
            if part.what == "literal":
                return self._literal(part)
            if part.what == "invalid":
                return UOp(Ops.INVALID, self.kind(part))
            if part.what == "const":
                return UOp.const(self.kind(part), constants[part.value])
            op, sources = op_named(part.value), tuple(make(p) for p in part.parts)
            if self.swaps is not None and op.commutative and self.swaps.random() < 0.3:
                sources = sources[::-1]
            return UOp(op, self.kind(part), sources)

        return make(self.rule.pattern)


def _conditions(pattern: TypedPart) -> frozenset[int]:
    """The parts of a pattern that are conditions of choices, and those within them, by identity."""
    inner: set[int] = set()
    stack = [(pattern, False)]
    while stack:
        part, inside = stack.pop()
        if inside:
            inner.add(id(part))
        chooses = part.what == "op" and part.value == "WHERE"
        stack += [(p, inside or (chooses and k == 0)) for k, p in enumerate(part.parts)]
    return frozenset(inner)


def try_values(
    rule: TypedRule,
    names: Mapping[int, str],
    match: trials.Match,
    rng: Random,
    effort: Effort,
    instances: int,
) -> Outcome:
    """Run an instance on chosen and random values, or on all where there are few.

    Raises NeverMatches where a literal or a bitcast does not exist at these dtypes.
    """
    outcome = Outcome(rule.describe(names), "vacuous")
    terms = Terms(rule, names)
    run = _Run(terms, match, rng, effort, instances)
    for one, columns in run.trials():
        verdict = judged(one, columns, rule.rule.equiv)
        if verdict is None:
            continue
        run.worst = max(run.worst, verdict.worst)
        run.inputs += len(next(iter(columns.values()), ()))
        if verdict.wrong:
            outcome.status = "refuted"
            outcome.method = run.method
            outcome.counterexample = shown(one, columns, verdict)
            return outcome
        outcome.status = "bounded"
    if outcome.status == "bounded":
        outcome.method = run.method
        outcome.status = "proved" if run.complete else "bounded"
        outcome.note = run.note if outcome.status == "bounded" else ""
    return outcome


def judged(
    one: trials.Trial, columns: Mapping[UOp, Array], equiv: t.Equiv | None
) -> trials.Verdict | None:
    """What running both sides says; None for an index beyond 64 bits, which has no value here."""
    problem = misfit(one.before, one.after)
    if problem:
        return trials.Verdict(True, why=problem)
    try:
        return trials.judge_columns(one, columns, equiv)
    except OverflowError:
        return None
    except RulewrightError as error:
        return trials.Verdict(True, why=f"the result has no value: {error}")


def counterexample(
    rule: TypedRule, names: Mapping[int, str], match: trials.Match, values: Mapping[str, int]
) -> str:
    """The graphs of an instance at values of a domain's symbols, where the matcher that ships makes
    something wrong of them; else nothing.

    A float is given by its bits. Raises RuleStopsError where a guard ends in an error.
    """
    terms = Terms(rule, names)
    columns: dict[UOp, Array] = {}
    try:
        kinds = terms.leaves.constants
        constants = {n: k.const(_as_held(values.get(n, 0), k)) for n, k in kinds.items()}
        leaves = {n: _leaf_at(terms, n, s, values, columns) for n, s in _symbols(rule.pattern)}
        before = terms.build(constants, leaves)
    except OverflowError:
        return ""
    after = match(before)
    if after is None:
        return ""
    one = trials.Trial(before, after)
    verdict = judged(one, columns, rule.rule.equiv)
    return shown(one, columns, verdict) if verdict is not None and verdict.wrong else ""


def _leaf_at(
    terms: Terms, name: str, symbol: str, values: Mapping[str, int], columns: dict[UOp, Array]
) -> UOp:
    """A variable that has a value; INVALID, and with the bounds that a guard was told of."""
    ends = [values.get(f"{symbol}.{end}") for end in ("vmin", "vmax")]
    lost, number = values.get(f"{symbol}.invalid"), values.get(symbol, 0)
    if lost and ends == [None, None]:
        return UOp(Ops.INVALID, dtypes.index)
    low, high = ((number if end is None else end) for end in ends)
    if lost:  # its number, which nobody sees, is no bound
        told = [end for end in ends if end is not None]
        number = low = min(told)
        high = max(told)
    leaf = terms.leaf(name, {} if ends == [None, None] else {name: (low, high)})
    root = _Run._root(leaf)
    columns[root] = np.array([_as_held(number, root.dtype)])
    if not lost:
        return leaf
    gate = UOp(Ops.PARAM, dtypes.bool, (), (len(terms.leaves.variables) + len(columns), (), None))
    columns[gate] = np.array([False])
    masked = gate.where(leaf, UOp(Ops.INVALID, dtypes.index))
    return masked % (high - low + 1) + low  # whose bounds are these


def _as_held(number: int, kind: DType) -> Any:
    """A number, or the float of some bits, as numpy has it."""
    if kind.is_float:
        return np.array(number, np.uint64).astype(f"u{kind.itemsize}").view(kind.np)
    return np.array(number).astype(kind.np)


def _symbols(pattern: TypedPart) -> list[tuple[str, str]]:
    """The variables of a pattern as `Terms` names them, and as an `Instance` does."""
    labels: dict[str, str] = {}
    numbers = count(1)
    for part in pattern.walk():
        if part.what == "var":
            labels[part.value] = part.value
        elif part.what == "wild":
            labels[f"_{id(part)}"] = f"_{next(numbers)}"
    return [*labels.items()]


def shown(one: trials.Trial, columns: Mapping[UOp, Array], verdict: trials.Verdict) -> str:
    """The graphs at the element that went wrong."""
    chosen = {leaf: column[verdict.at % len(column)] for leaf, column in columns.items()}
    at = trials.Trial(
        one.before,
        one.after,
        {leaf: np.array(v) for leaf, v in chosen.items() if leaf.op is Ops.PARAM},
        {leaf.arg[0]: int(v) for leaf, v in chosen.items() if leaf.op is Ops.VAR},
    )
    return trials.graphs(at, verdict.why)


class _Run:
    """The trials of one instance."""

    def __init__(
        self, terms: Terms, match: trials.Match, rng: Random, effort: Effort, instances: int
    ) -> None:
        self.terms, self.match, self.rng, self.effort = terms, match, rng, effort
        self.many = instances > _MANY
        concrete = terms.rule.concrete or needs_shadow(terms.rule.rule.equiv)
        self.alone = concrete and instances <= 64 and len(terms.leaves.variables) == 1
        self.complete, self.worst, self.inputs = True, 0.0, 0
        # else other nodes may match
        self.by_value = asked.by_value(terms.rule.rule, terms.rule.facts.externs)
        self.limit = 2 * effort.graphs

    @property
    def note(self) -> str:
        """How far it was tried, and how near to what is allowed it came."""
        equiv = self.terms.rule.rule.equiv
        worst = ""
        if equiv is not None and equiv.name == "ulp":
            worst = f"within {self.worst:.2f} ulp at "
        elif equiv is not None and needs_shadow(equiv):
            worst = f"within {self.worst:.0%} of what is allowed at "
        return f"{worst}{self.inputs} inputs"

    @property
    def method(self) -> str:
        """How it was tried."""
        return "exhaustive values" if self.complete else "samples"

    def trials(self) -> Iterator[tuple[trials.Trial, dict[UOp, Array]]]:
        """Each graph that the rule matches, with a column of values for each leaf."""
        names = list(self.terms.leaves.variables)
        kinds = list(self.terms.leaves.variables.values())
        choices = list(self._constants())
        matched = 0
        room = self.effort.room // (16 if self.many else 1)
        graphs = min(len(choices), self.effort.graphs)
        count = self.effort.column
        if graphs == 1 and not self.many:
            count = self.effort.alone if self.alone else self.effort.alone // 4
        sample = Sample(kinds, room // max(1, graphs // 64), count, self.rng)
        if count == self.effort.alone:
            sample.columns = [np.concatenate([*sample.columns, *self._more(kinds[0])])]
        for constants in choices:
            bounds = self._bounds()
            leaves = {name: self.terms.leaf(name, bounds) for name in names}
            before = self.terms.build(constants, leaves)
            after = self.match(before)
            if after is None:
                self.complete &= self.by_value
                continue
            matched += 1
            self.complete &= self.by_value
            if matched > self.limit and not self.complete:
                return
            self.complete &= sample.complete and not bounds
            columns = {
                self._root(leaves[n]): self._inside(c, n, bounds)
                for n, c in zip(names, sample.columns, strict=True)
            }
            yield trials.Trial(before, after), columns

    def _more(self, kind: DType) -> Iterator[Array]:
        """What the one variable of a decomposition is tried at beside special and random values."""
        yield ties(kind, self.effort.lead)
        if kind.is_float and kind.bits == 32:
            yield near_quarter_turns(kind)
            literals = [n.value for n in t.walk(self.terms.rule.rule) if isinstance(n, t.Num)]
            yield named([float(v) for v in literals], kind)

    @staticmethod
    def _root(leaf: UOp) -> UOp:
        return leaf.src[0] if leaf.op is Ops.CAST else leaf

    def _inside(self, column: Array, name: str, bounds: Mapping[str, tuple[int, int]]) -> Array:
        if name not in bounds or self.terms.leaves.variables[name].is_bool:
            return column
        if self.terms.leaves.variables[name].is_float:
            return column
        low, high = bounds[name]
        clipped = np.clip(column.astype(object), low, high).astype(np.int64)
        swap = self.rng.integers(0, 2, len(clipped)).astype(np.bool_)
        drawn = self.rng.integers(low, high, len(clipped), endpoint=True)
        inside: Array = np.where(swap, drawn, clipped)
        return inside

    def _constants(self) -> Iterator[dict[str, Any]]:
        """Values of the constants: all if there are few."""
        constants = self.terms.leaves.constants
        whole = [every(kind) for kind in constants.values()]
        sizes = [1 << 40 if w is None else len(w) for w in whole]
        rows: Iterator[tuple[Any, ...]]
        if int(np.prod(sizes, dtype=object)) <= 256 // (4 if self.many else 1):
            combined = product(*[w for w in whole if w is not None])
            repeat = self.effort.graphs // (4 if constants else 1)
            times = repeat if self.terms.leaves.bounded else 1
            rows = (row for row in combined for _ in range(times))
        else:
            self.complete = False
            rows = self._some(list(constants.values()))
        for row in rows:
            values = zip(constants.items(), row, strict=True)
            chosen = {name: kind.const(v) for (name, kind), v in values}
            yield solved(self.terms, chosen, self.rng)

    def _some(self, kinds: list[DType]) -> Iterator[tuple[Any, ...]]:
        """Special and random constants; small ones often, so that guards between them hold."""
        count = self.effort.graphs * (_TRIES if len(kinds) > 1 else 1) // (4 if self.many else 1)
        columns = []
        for kind in kinds:
            low, high = (0, 2) if kind.is_bool else (1, 13)
            small = self.rng.integers(low, high, 3 * count).astype(kind.np)
            special_ones = self.rng.choice(special(kind), 2 * count)
            column = np.concatenate([special_ones, random(kind, count, self.rng), small])
            if len(kinds) == 1:
                column = np.concatenate([special(kind), column[2 * count :]])
            self.rng.shuffle(column)
            columns.append(column)
        yield from zip(*columns, strict=True)

    def _bounds(self) -> dict[str, tuple[int, int]]:
        """Bounds for the variables whose bounds matter: narrow, one-sided, or all."""
        all_bounds = {}
        for name in sorted(self.terms.leaves.bounded & self.terms.leaves.variables.keys()):
            kind = self.terms.leaves.variables[name]
            if kind.is_float or kind.is_bool:
                continue
            low, high = int(kind.min), min(int(kind.max), (1 << 63) - 1)
            if kind.kind == "Index":
                low, high = -LARGE, LARGE
            span = int(self.rng.choice([0, 1, 4, 16, 100, high]))
            bottom = int(self.rng.choice([low, max(low, -span), 0, 1, min(100, high)]))
            all_bounds[name] = (bottom, max(bottom, min(high, bottom + span)))
        return all_bounds


def solved(terms: Terms, constants: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The constants, those that a guard says are equal to others computed from these, or from what
    their dtypes are."""
    for name, expr in _equations(terms.rule.rule, constants.keys()):
        number = _number(expr, {**terms.types, **constants})
        if number is not None and rng.random() < 0.9:
            constants[name] = terms.leaves.constants[name].const(number)
    return constants


def _equations(rule: t.Rule, names: Collection[str]) -> Iterator[tuple[str, t.Expr]]:
    """Conditions `name == expression` between constants."""
    guards = [part for clause in rule.all(t.When) for part in conjuncts(clause.guard)]
    for guard in guards:
        if isinstance(guard, t.Infix) and guard.op == "==":
            for one, other in ((guard.left, guard.right), (guard.right, guard.left)):
                if isinstance(one, t.Var) and one.name in names and not isinstance(other, t.Var):
                    yield str(one.name), other


def _number(expr: t.Expr, constants: Mapping[str, Any]) -> Any:
    """An expression of constants and of properties of dtypes, or None."""
    if isinstance(expr, t.Num):
        return expr.value
    if isinstance(expr, t.Var | t.OpName):  # of one letter a dtype's name looks like an op's
        return constants.get(str(expr.name))
    if isinstance(expr, t.Field) and str(expr.name) in _PROPERTIES:
        return getattr(_number(expr.expr, constants), str(expr.name), None)
    if isinstance(expr, t.Infix) and expr.op in _SIGNS:
        pair = _number(expr.left, constants), _number(expr.right, constants)
        return None if None in pair else _SIGNS[expr.op](*pair)
    return None


_PROPERTIES = ("bits", "max", "min", "ones")
_SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
