"""One instance of a rule as terms: what is matched, under which condition, and what it becomes.

Graphs compute in their dtypes, folds `{}` in the dtype of what they make, guards in unbounded
integers: as the matchers do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from rulewright.lang import tree as t
from rulewright.verify.prove.terms import (
    EXACT,
    Domain,
    Kind,
    NeverMatches,
    Term,
    Unsupported,
    apply_op,
    choose,
    constant,
)
from rulewright.verify.prove.typed import Part, TypedRule

_BEYOND = 1 << 65  # what infinity is among integers: more than any of them
_COMPARE = ("<", "<=", ">", ">=", "==", "!=")
_ARITHMETIC = {
    "+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "floormod", "&": "and", "|": "or",
    "^": "xor", "<": "lt", "<=": "le", "==": "eq", "<<": "shl", ">>": "shr",
}  # fmt: skip

Note = Callable[[Part, list[Term], Term], None]
"""Called for each part of a graph that was evaluated, operands first."""


class Instance:
    """A rule at certain dtypes, evaluated in a domain.

    `conditions` collects what must hold for the rule to match: that bounds are bounds, and the
    guard. Raises Unsupported for what the domain cannot say, NeverMatches where a literal does not
    exist in its dtype.
    """

    def __init__(
        self, rule: TypedRule, kinds: Mapping[int, Kind], domain: Domain, note: Note | None = None
    ) -> None:
        self.rule, self.kinds, self.domain, self.note = rule, kinds, domain, note
        self.terms: dict[str, Term] = {}
        self.bounds: dict[str, Term] = {}
        self.conditions: list[Term] = []
        self.wildcards = 0
        self.before = self.graph(rule.pattern)
        for clause in rule.rule.clauses:
            if isinstance(clause, t.When):
                self.conditions.append(self.truth(clause.guard))
        self.after = self.graph(rule.replacement)

    def kind(self, slot: int) -> Kind:
        """The dtype of a slot here."""
        return self.kinds[self.rule.types.find(slot)]

    # ---- graphs ----

    def graph(self, part: Part) -> Term:
        """The value of a pattern or of a replacement."""
        operands = [self.graph(p) for p in part.parts]
        term = self._graph(part, self.kind(part.slot), operands)
        if self.note is not None:
            self.note(part, operands, term)
        return term

    def _graph(self, part: Part, kind: Kind, operands: list[Term]) -> Term:
        if part.what == "op":
            return apply_op(part.value, kind, operands)
        if part.what == "bind":
            self.terms[part.value] = operands[0]
            return operands[0]
        if part.what == "fold":
            return self.fold(part.value, kind)
        if part.what == "literal":
            return self._literal(part.value, kind)
        if part.what == "wild":
            self.wildcards += 1
            return self._symbol(f"_{self.wildcards}", kind)
        return self._name(part.value, kind)

    def _symbol(self, name: str, kind: Kind) -> Term:
        return Term(self.domain, kind, self.domain.symbol(name, kind))

    def _name(self, name: str, kind: Kind) -> Term:
        if name not in self.terms:
            let = self.rule.lets.get(name)
            self.terms[name] = (
                self.graph(let) if isinstance(let, Part) else self._symbol(name, kind)
            )
        return self.terms[name]

    def _literal(self, value: int | float | bool, kind: Kind) -> Term:
        if isinstance(value, float) and not value.is_integer():
            raise NeverMatches
        # a literal of a pattern is the constant itself; one of a replacement is made to fit
        in_pattern = not hasattr(self, "before")
        if in_pattern and kind.sort == "bits" and kind.wrapped(int(value)) != value:
            raise NeverMatches
        return constant(self.domain, kind, int(value))

    # ---- folds ----

    def fold(self, expr: t.Expr, kind: Kind) -> Term:
        """The value of `{expr}`, computed in a dtype."""
        if isinstance(expr, t.Infix):
            inner = kind
            if expr.op in _COMPARE:
                inner = self._const_kind(expr) or kind
            pair = self.fold(expr.left, inner), self.fold(expr.right, inner)
            return _infix(expr.op, *pair)
        if isinstance(expr, t.Unary):
            operand = self.fold(expr.operand, kind)
            return -operand if expr.op == "-" else ~operand
        if isinstance(expr, t.Call) and expr.name.upper() in self.rule.facts.ops:
            return apply_op(expr.name.upper(), kind, [self.fold(a.expr, kind) for a in expr.args])
        if isinstance(expr, t.Num | t.BoolLit):
            return constant(self.domain, kind, int(expr.value))
        if isinstance(expr, t.Var) and expr.name in self.rule.consts:
            return self.terms[expr.name].cast(kind)
        return self.value(expr).cast(kind)

    def _const_kind(self, expr: t.Expr) -> Kind | None:
        names = [e.name for e in t.walk(expr) if isinstance(e, t.Var)]
        found = [self.terms[n].kind for n in names if n in self.rule.consts]
        return found[0] if found else None

    # ---- guards ----

    def truth(self, expr: t.Expr) -> Term:
        """Whether a guard holds."""
        if isinstance(expr, t.Logic):
            truths = [self.truth(e) for e in expr.operands]
            if expr.op == "not":
                return ~truths[0]
            return truths[0] & truths[1] if expr.op == "and" else truths[0] | truths[1]
        if _excludes_op(expr):
            return self._true()  # any graph may stand there: what holds for more holds for these
        found = self.value(expr)
        return found if found.kind.sort == "bool" else found != self._exact(0)

    def _true(self) -> Term:
        return self._exact(0) == self._exact(0)

    def _exact(self, value: int) -> Term:
        width = value.bit_length() + 1
        return constant(self.domain, EXACT._replace(bits=width), value)

    def value(self, expr: t.Expr) -> Term:
        """An expression of a guard, in unbounded integers."""
        if isinstance(expr, t.Num | t.BoolLit) and math.isinf(expr.value):
            return self._exact(_BEYOND if expr.value > 0 else -_BEYOND)
        if isinstance(expr, t.Num | t.BoolLit) and float(expr.value).is_integer():
            return self._exact(int(expr.value))
        if isinstance(expr, t.Logic):
            return self.truth(expr)
        if isinstance(expr, t.Infix):
            return _infix(expr.op, self.value(expr.left), self.value(expr.right))
        if isinstance(expr, t.Unary):
            operand = self.value(expr.operand)
            return -operand if expr.op == "-" else ~operand
        if isinstance(expr, t.Field):
            return self._field(expr)
        if isinstance(expr, t.Call):
            return self._call(expr)
        if isinstance(expr, t.Var) and expr.name in self.rule.consts:
            return self._exactly(self.terms[expr.name])
        given = self.rule.lets.get(expr.name) if isinstance(expr, t.Var) else None
        if isinstance(given, t.Expr):
            return self.value(given)
        raise Unsupported(f"{type(expr).__name__.lower()} in a guard")

    def _exactly(self, term: Term) -> Term:
        return term.cast(EXACT._replace(bits=term.kind.bits + 1 if term.kind.bits else 0))

    def _field(self, expr: t.Field) -> Term:
        if isinstance(expr.expr, t.OpName) and expr.expr.name in self.rule.params:
            kind = self.kind(self.rule.params[expr.expr.name])
            facts = {"min": kind.lo, "max": kind.hi, "bits": kind.width, "ones": kind.ones}
            if expr.name in facts:
                return self._exact(facts[expr.name])
        known_var = isinstance(expr.expr, t.Var) and expr.expr.name in self.terms
        if known_var and expr.name in ("vmin", "vmax"):
            assert isinstance(expr.expr, t.Var)
            return self._bound(str(expr.expr.name), str(expr.name))
        raise Unsupported(f"field {expr.name}")

    def _bound(self, name: str, which: str) -> Term:
        """A bound of a variable: any number of its dtype that is one."""
        label = f"{name}.{which}"
        if label not in self.bounds:
            term = self.terms[name]
            bound = self._symbol(label, term.kind)
            self.conditions.append(bound <= term if which == "vmin" else term <= bound)
            self.bounds[label] = self._exactly(bound)
        return self.bounds[label]

    def _call(self, expr: t.Call) -> Term:
        values = [self.value(a.expr) for a in expr.args]
        if expr.name in ("min", "max") and len(values) > 1:
            found = values[0]
            for value in values[1:]:
                pair = (value, found) if expr.name == "min" else (found, value)
                found = choose(pair[0] < pair[1], value, found)
            return found
        if expr.name == "abs":
            return choose(values[0] < self._exact(0), -values[0], values[0])
        if expr.name == "gcd" and len(values) == 2:
            return values[0].call("gcd", values[1])
        if expr.name == "ilog2":
            return values[0]._unary("ilog2")
        raise Unsupported(f"function {expr.name}")


def _infix(sign: str, a: Term, b: Term) -> Term:
    if sign in (">", ">="):
        sign, a, b = sign.replace(">", "<"), b, a
    if sign == "!=":
        return a != b
    if sign not in _ARITHMETIC:
        raise Unsupported(f"`{sign}` of integers")
    return a.call(_ARITHMETIC[sign], b)


def _excludes_op(expr: t.Expr) -> bool:
    """Whether a condition is `x.op != OP`."""
    if not isinstance(expr, t.Infix) or expr.op != "!=" or not isinstance(expr.right, t.OpName):
        return False
    return isinstance(expr.left, t.Field) and expr.left.name == "op"
