"""One instance of a rule as terms: what is matched, under which condition, and what it becomes.

Graphs compute in their dtypes, folds `{}` in the dtype of what they make, guards in unbounded
integers: as the matchers do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_

from rulewright.ir.dtypes import dtype
from rulewright.lang import tree as t
from rulewright.lang.build import infix_ops
from rulewright.lang.matcher_facts import COMPARE_SIGNS
from rulewright.verify.prove.guards import GuardEvaluator
from rulewright.verify.prove.terms import (
    BOOL,
    Domain,
    Kind,
    NeverMatches,
    Term,
    Unsupported,
    apply_op,
    choose,
    constant,
    floats_of,
)
from rulewright.verify.prove.typed import TypedPart, TypedRule
from rulewright.verify.values.comparison import level_of


class Instance:
    """A rule at certain dtypes, evaluated in a domain.

    `assumed` is what holds of any graph: that bounds are bounds. `conditions` must hold for the
    rule to match: the guard. `raises` is where a guard or a let ends in an error of Python,
    evaluated from left to right, `beyond` where it computes what is too long for z3. `imagined`
    says that a condition is of structure, of which terms show nothing: what holds for either answer
    holds, and a counterexample need not be one.
    Where an op leaves its result open (the sign of a zero, a second rounding), the rule is right if
    every result of the right side is one that the left side may give. A node of the pattern that
    the replacement keeps has one result in both.
    Raises Unsupported for what the domain cannot say, NeverMatches where a literal does not exist
    in its dtype.
    """

    def __init__(self, rule: TypedRule, kinds: Mapping[int, Kind], domain: Domain) -> None:
        self.rule, self.kinds, self.domain = rule, kinds, domain
        self.terms: dict[str, Term] = {}
        self.symbols: dict[str, Term] = {}  # what guards ask of names: bounds, ops
        self.assumed: list[Term] = []
        self.conditions: list[Term] = []
        self.raises: list[Term] = []
        self.beyond: list[Term] = []
        self.imagined = False
        self.guards = GuardEvaluator(self)
        self.wildcards = 0
        self.undefined: list[Term] = []  # where an INVALID index is compared
        self.asked: list[str] = getattr(domain, "asked", [])  # choices that ops left open
        self.asked_in: dict[str, list[str]] = {}  # those in a named part of the pattern
        self.inputs: list[Term] = []  # the floats that a graph reads
        self.before = self.graph(rule.pattern)
        asked = dict.fromkeys(self.asked)
        self.asked.clear()
        no_meaning, self.undefined = self.undefined, []
        for clause in rule.rule.clauses:
            if isinstance(clause, t.When):
                self.conditions.append(self.guards.truth(clause.guard))
            elif isinstance(clause, t.Let) and isinstance(rule.lets[str(clause.name)], t.Expr):
                self.guards.value(clause.value)
        self.after = self.graph(rule.replacement)
        free = [name for name in asked if name not in self.asked]
        self.differs = self._differs(no_meaning, free)

    def _unlike(self, free: list[str]) -> Term:
        """Where no choice of what was left open in the pattern gives the result."""
        differs = self.before != self.after
        if self.before.kind.sort == "float":
            level = level_of(self.rule.rule.equiv)
            domain = floats_of(self.before)
            differs = Term(domain, BOOL, domain.unlike(self.before, self.after, level))
            if level == "finite":
                nothing = [x - x for x in self.inputs]  # NaN for an infinity, and for NaN
                for number in [self.before, *nothing]:
                    differs = differs & (number == number)
        if free:
            domain = floats_of(self.before)
            agrees = domain.some_choice(free, (~differs).raw)
            differs = ~Term(domain, BOOL, agrees)
        return differs

    def _differs(self, no_meaning: list[Term], free: list[str]) -> Term:
        """Where the results are not the same, and the one before has a meaning."""
        differs = self._unlike(free)
        for term, other in ((self.before, self.after), (self.after, self.before)):
            if term.lost is not None:  # two INVALID indices are one, whatever stands for them
                lost = self._no() if other.lost is None else other.lost
                differs = choose(term.lost, ~lost, differs)
        for comparison in self.undefined:
            differs = differs | comparison
        for comparison in no_meaning:
            differs = differs & ~comparison
        return differs

    @property
    def wrong(self) -> Term:
        """Where the rule matches and changes the result, or ends in an error."""
        wrong = self.differs
        for condition in self.conditions:
            wrong = wrong & condition
        for error in self.raises:
            wrong = wrong | error
        for assumption in self.assumed:
            wrong = wrong & assumption
        return wrong

    @property
    def matches(self) -> Term:
        """Where the rule matches."""
        holds = constant(self.domain, BOOL, 1)
        for condition in [*self.assumed, *self.conditions]:
            holds = holds & condition
        return holds

    def kind(self, slot: int) -> Kind:
        """The dtype of a slot here."""
        return self.kinds[self.rule.types.find(slot)]

    # ---- graphs ----

    def graph(self, part: TypedPart) -> Term:
        """The value of a pattern or of a replacement."""
        begun = len(self.asked)
        operands = [self.graph(p) for p in part.parts]
        if part.what == "bind":
            self.asked_in[part.value] = self.asked[begun:]
        kind = self.kind(part.slot)
        if part.what == "op":
            return self._op(part.value, kind, operands)
        if part.what == "bind":
            self.terms[part.value] = operands[0]
            return operands[0]
        if part.what == "fold":
            return self.fold(part.value, kind).cast(kind)
        if part.what == "literal":
            return self._literal(part.value, kind)
        if part.what == "invalid":
            invalid = constant(self.domain, kind, 0)
            invalid.lost = constant(self.domain, BOOL, 1)
            return invalid
        if part.what == "wild":
            self.wildcards += 1
            return self._symbol(f"_{self.wildcards}", kind, part.what)
        return self._name(part, kind)

    def _op(self, name: str, kind: Kind, operands: list[Term]) -> Term:
        """An op with what INVALID among its operands does: see its row in 20-ops.uop."""
        result = apply_op(name, kind, operands)
        lost = [o.lost for o in operands if o.lost is not None]
        if not lost:
            return result
        if name == "WHERE":
            yes, no = (self._no() if o.lost is None else o.lost for o in operands[1:])
            result.lost = choose(operands[0], yes, no)
            return result
        either = reduce(or_, lost)
        if kind == BOOL:
            self.undefined.append(either)
        elif kind.name == "index":
            result.lost = either
        else:
            result = choose(either, constant(self.domain, kind, 0), result)
        return result

    def _no(self) -> Term:
        return constant(self.domain, BOOL, 0)

    def _symbol(self, name: str, kind: Kind, what: str = "") -> Term:
        term = Term(self.domain, kind, self.domain.symbol(name, kind))
        if what in ("var", "wild") and kind.name == "index" and self.domain.invalid:
            term.lost = self._symbol(f"{name}.invalid", BOOL)
        if what in ("var", "wild") and kind.sort == "float":
            self.inputs.append(term)
        return term

    def _name(self, part: TypedPart, kind: Kind) -> Term:
        name = str(part.value)
        self.asked += self.asked_in.get(name, ())
        if name not in self.terms:
            let = self.rule.lets.get(name)
            self.terms[name] = (
                self.graph(let)
                if isinstance(let, TypedPart)
                else self._symbol(name, kind, part.what)
            )
        return self.terms[name]

    def _literal(self, value: int | float | bool, kind: Kind) -> Term:
        # a literal of a pattern is the constant itself; one of a replacement is made to fit
        in_pattern = not hasattr(self, "before")
        if kind.sort == "float":
            number = dtype(kind.name).const(value)
            if in_pattern and str(float(number)) != str(float(value)):  # -0.0 is not 0.0
                raise NeverMatches
            return constant(self.domain, kind, number)
        if isinstance(value, float) and not value.is_integer():
            raise NeverMatches
        if in_pattern and kind.sort == "bits" and kind.wrapped(int(value)) != value:
            raise NeverMatches
        return constant(self.domain, kind, int(value))

    # ---- folds ----

    def fold(self, expr: t.Expr, kind: Kind) -> Term:
        """The value of `{expr}`, computed in a dtype."""
        if isinstance(expr, t.Infix):
            inner: Kind | None = kind
            if expr.op in COMPARE_SIGNS:
                inner = self._const_kind(expr)
            if inner is None:  # of properties alone, as in a guard
                return self.guards.value(expr)
            pair = [self.fold(side, inner).cast(inner) for side in (expr.left, expr.right)]
            name, swapped = infix_ops()[expr.op]
            return apply_op(name, pair[0].kind, pair[::-1] if swapped else pair)
        if isinstance(expr, t.Unary):
            operand = self.fold(expr.operand, kind).cast(kind)
            return -operand if expr.op == "-" else ~operand
        if isinstance(expr, t.Call) and expr.name.upper() in self.rule.facts.ops:
            operands = [self.fold(a.expr, kind).cast(kind) for a in expr.args]
            return apply_op(expr.name.upper(), kind, operands)
        if isinstance(expr, t.Connective):
            raise Unsupported("logic of constants")
        if isinstance(expr, t.Num | t.BoolLit):
            number = expr.value if kind.sort == "float" else int(expr.value)
            return constant(self.domain, kind, number)
        if isinstance(expr, t.Var) and expr.name in self.rule.consts:
            return self.terms[expr.name].cast(kind)
        return self.guards.value(expr).cast(kind)

    def _const_kind(self, expr: t.Expr) -> Kind | None:
        names = [e.name for e in t.walk(expr) if isinstance(e, t.Var)]
        kinds = [self.terms[n].kind for n in names if n in self.rule.consts]
        return kinds[0] if kinds else None
