"""Guards and lets as terms: in unbounded integers and doubles, evaluated from left to right.

`and` and `or` look at their second operand only where the first leaves the answer open, as the
matchers do; where what is looked at ends in an error of Python, the instance notes it in `raises`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from rulewright.ir.dtypes import dtype
from rulewright.lang import tree as t
from rulewright.verify.prove.asked import MOST_LANES
from rulewright.verify.prove.terms import (
    BOOL,
    DOUBLE,
    EXACT,
    LONGEST_SHIFT,
    SHIFTED,
    Kind,
    Term,
    Unsupported,
    choose,
    constant,
)

if TYPE_CHECKING:
    from rulewright.verify.prove.instance import Instance

_LONGEST_EXACT = 54  # bits of an integer that is surely a double, with its sign
_ARITHMETIC = {
    "+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "floormod", "&": "and", "|": "or",
    "/": "fdiv", "^": "xor", "<": "lt", "<=": "le", "==": "eq", "<<": "shl", ">>": "shr",
}  # fmt: skip

_OF_FLOATS = ("+", "-", "*", "/", "<", "<=", "==")
_OF_TRUTHS = ("&", "|", "^", "<", "<=", "==")  # of two they give a truth value again
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


class GuardEvaluator:
    """Evaluates the guards of an instance."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self.rule, self.domain = instance, instance.rule, instance.domain
        self.floats = self.domain.floats
        self.path: list[Term] = []  # what holds where the present expression is looked at

    # ---- truth ----

    def truth(self, expr: t.Expr) -> Term:
        """Whether a guard holds."""
        if isinstance(expr, t.Connective):
            return self._logic(expr)
        structure = self._structure(expr)
        if structure is not None:
            return structure
        value = self.value(expr)
        return value if value.kind.sort == "bool" else infix("!=", value, self._exact(0))

    def _logic(self, expr: t.Connective) -> Term:
        first = self.truth(expr.operands[0])
        if expr.op == "not":
            return ~first
        self.path.append(first if expr.op == "and" else ~first)
        second = self.truth(expr.operands[1])
        self.path.pop()
        return first & second if expr.op == "and" else first | second

    def _structure(self, expr: t.Expr) -> Term | None:
        """A condition on ops or identity, which any graph may meet or not."""
        if isinstance(expr, t.Field) and expr.name == "valid" and isinstance(expr.expr, t.Var):
            return self._valid(str(expr.expr.name))
        if not isinstance(expr, t.Infix):
            return None
        sides = expr.left, expr.right
        if any(map(_is_count, sides)) and any(isinstance(s, t.Num) for s in sides):
            if any(isinstance(s, t.Num) and s.value >= MOST_LANES for s in sides):
                raise Unsupported("more lanes than are tried")
            label = [str(s.value) if isinstance(s, t.Num) else "lanes" for s in sides]
            holds = self._imagined(expr.op.replace("!=", "==").join(label))
            return ~holds if expr.op == "!=" else holds
        if expr.op not in ("==", "!="):
            return None
        dtypes = [self._dtype_of(s) for s in sides] if self.floats else []
        if dtypes and None not in dtypes:
            same = dtypes[0] == dtypes[1]
            return constant(self.domain, BOOL, same == (expr.op == "=="))
        if all(isinstance(s, t.OpName) or _is_op(s) for s in sides):
            holds = self._imagined(" has the op of ".join(_spelled(s) for s in sides))
        elif all(isinstance(s, t.Var) and self._is_node(str(s.name)) for s in sides):
            holds = self._same_node(*(str(s.name) for s in sides if isinstance(s, t.Var)))
        else:
            return None
        return holds if expr.op == "==" else ~holds

    def _dtype_of(self, expr: t.Expr) -> str | None:
        """The name of the dtype that an expression is; None for any other expression."""
        if isinstance(expr, t.Field) and expr.name == "scalar":
            expr = expr.expr
        if isinstance(expr, t.OpName) and expr.name in self.rule.params:
            return self.instance.kind(self.rule.params[expr.name]).name
        is_dtype = isinstance(expr, t.Var) and expr.name in self.rule.facts.dtypes
        return str(expr.name) if is_dtype and isinstance(expr, t.Var) else None

    def _imagined(self, label: str) -> Term:
        """A condition of which nothing is known."""
        self.instance.imagined = True
        return self._known(label)

    def _known(self, label: str) -> Term:
        symbols = self.instance.symbols
        if label not in symbols:
            symbols[label] = Term(self.domain, BOOL, self.domain.symbol(label, BOOL))
        return symbols[label]

    def _is_node(self, name: str) -> bool:
        return name in self.instance.terms and name not in self.rule.consts

    def _same_node(self, one: str, other: str) -> Term:
        """Whether two names stand for one node: then their values are one."""
        a, b = self.instance.terms[one], self.instance.terms[other]
        if a.kind != b.kind:
            return self._exact(0) == self._exact(1)
        holds = self._imagined(f"{one} is {other}")
        self.instance.assumed.append(~holds | (a == b))
        if a.lost is not None and b.lost is not None:
            self.instance.assumed.append(~holds | (a.lost == b.lost))
        return holds

    def _valid(self, name: str) -> Term:
        """`x.valid`: surely not INVALID. What is not need not be."""
        term = self.instance.terms.get(name)
        if term is None:
            raise Unsupported("field valid")
        if term.lost is None:
            return self._exact(0) == self._exact(0)
        holds = self._known(f"{name}.valid")
        self.instance.assumed.append(~holds | ~term.lost)
        return holds

    # ---- values ----

    def value(self, expr: t.Expr) -> Term:
        """An expression of a guard, in unbounded integers, or in doubles where one is a float."""
        if self.floats and isinstance(expr, t.Num) and not float(expr.value).is_integer():
            return constant(self.domain, DOUBLE, float(expr.value))
        if isinstance(expr, t.Num | t.BoolLit) and float(expr.value).is_integer():
            return self._exact(int(expr.value))
        if isinstance(expr, t.Connective):
            return self._chosen(expr)
        if isinstance(expr, t.Infix):
            return self._infix(expr)
        if isinstance(expr, t.Unary):
            operand = _number(self.value(expr.operand))
            return -operand if expr.op == "-" else ~operand
        if isinstance(expr, t.Field):
            return self._field(expr)
        if isinstance(expr, t.Call):
            return self._call(expr)
        if isinstance(expr, t.Var) and expr.name in self.rule.consts:
            return self._exactly(self.instance.terms[expr.name])
        let = self.rule.lets.get(expr.name) if isinstance(expr, t.Var) else None
        if isinstance(let, t.Expr):
            return self.value(let)
        raise Unsupported(f"{type(expr).__name__.lower()} in a guard")

    def _chosen(self, expr: t.Connective) -> Term:
        """`and` and `or` as values: one of the operands, which is known where both are truths."""
        if expr.op != "not" and any(self.value(o).kind.sort != "bool" for o in expr.operands):
            raise Unsupported(f"`{expr.op}` of numbers")
        return self.truth(expr)

    def _exact(self, value: int) -> Term:
        width = value.bit_length() + 1
        return constant(self.domain, EXACT._replace(bits=width), value)

    def _exactly(self, term: Term) -> Term:
        if term.kind.sort == "float":
            return term.cast(DOUBLE)
        return term.cast(EXACT._replace(bits=term.kind.bits + 1 if term.kind.bits else 0))

    def _infix(self, expr: t.Infix) -> Term:
        ends = [_infinity(side) for side in (expr.left, expr.right)]
        if any(ends) and not self.floats:
            return self._beside_infinity(expr, ends)
        left, right = self.value(expr.left), self.value(expr.right)
        if expr.op not in _OF_TRUTHS:
            left, right = _number(left), _number(right)
        if "float" in (left.kind.sort, right.kind.sort) and expr.op in ("//", "%", "<<", ">>"):
            raise Unsupported(f"`{expr.op}` of floats")
        if expr.op in ("//", "%"):
            self._must_not(right == self._exact(0))
        elif expr.op == "/" and self.floats:
            left, right = _as_double(left), _as_double(right)
            self._must_not(right == constant(self.domain, DOUBLE, 0.0))
        elif expr.op in ("<<", ">>"):
            self._must_not(right < self._exact(0))
            if expr.op == "<<":
                self._must_not(self._exact(LONGEST_SHIFT) < right)
                self.instance.beyond.append(self._met(self._exact(SHIFTED) < right))
        return infix(expr.op, left, right)

    def _beside_infinity(self, expr: t.Infix, ends: list[int]) -> Term:
        """A comparison of integers with infinity, beside which each of them is as 0."""
        if expr.op not in _COMPARED:
            raise Unsupported(f"`{expr.op}` of infinity")
        for side, end in zip((expr.left, expr.right), ends, strict=True):
            if not end:
                self.value(side)  # which may end in an error
        return constant(self.domain, BOOL, _COMPARED[expr.op](*ends))

    def _must_not(self, error: Term) -> None:
        """Note where an error is met."""
        self.instance.raises.append(self._met(error))

    def _met(self, error: Term) -> Term:
        """Where it is: where the guards before let it be."""
        for condition in [*self.instance.conditions, *self.path]:
            error = error & condition
        return error

    def _field(self, expr: t.Field) -> Term:
        if isinstance(expr.expr, t.OpName) and expr.expr.name in self.rule.params:
            kind = self.instance.kind(self.rule.params[expr.expr.name])
            if kind.sort == "float":
                return self._float_field(kind, str(expr.name))
            facts = {"min": kind.lo, "max": kind.hi, "bits": kind.width, "ones": kind.ones}
            if expr.name in facts:
                return self._exact(facts[expr.name])
        known_var = isinstance(expr.expr, t.Var) and expr.expr.name in self.instance.terms
        if known_var and expr.name in ("vmin", "vmax"):
            assert isinstance(expr.expr, t.Var)
            return self._bound(str(expr.expr.name), str(expr.name))
        raise Unsupported(f"field {expr.name}")

    def _float_field(self, kind: Kind, name: str) -> Term:
        if name in ("min", "max"):
            return constant(self.domain, DOUBLE, getattr(dtype(kind.name), name))
        if name == "bits":
            return self._exact(kind.bits)
        raise Unsupported(f"field {name} of a float")

    def _bound(self, name: str, which: str) -> Term:
        """A bound of a variable: any number of its dtype that is one."""
        label, symbols = f"{name}.{which}", self.instance.symbols
        if label not in symbols:
            term = self.instance.terms[name]
            if term.kind.sort == "float":
                raise Unsupported("bounds of a float")
            bound = Term(self.domain, term.kind, self.domain.symbol(label, term.kind))
            inside = bound <= term if which == "vmin" else term <= bound
            self.instance.assumed.append(inside if term.lost is None else inside | term.lost)
            symbols[label] = self._exactly(bound)
            other = symbols.get(f"{name}.{'vmax' if which == 'vmin' else 'vmin'}")
            if term.lost is not None and other is not None:  # else `inside` says so
                low, high = (symbols[f"{name}.{end}"] for end in ("vmin", "vmax"))
                self.instance.assumed.append(low <= high)
        return symbols[label]

    def _call(self, expr: t.Call) -> Term:
        values = [_number(self.value(a.expr)) for a in expr.args]
        if expr.name in ("min", "max") and len(values) > 1:
            extreme = values[0]
            for value in values[1:]:
                extreme, value = _alike(extreme, value)
                pair = (value, extreme) if expr.name == "min" else (extreme, value)
                extreme = choose(pair[0] < pair[1], value, extreme)
            return extreme
        if expr.name == "abs":
            return self._size(values[0])
        if any(v.kind.sort == "float" for v in values):  # an error, or a whole number
            raise Unsupported(f"{expr.name} of a float")
        if expr.name == "gcd" and len(values) == 2:
            return values[0].call("gcd", values[1])
        if expr.name == "ilog2":  # by Python's digits: those of the size, and -1 for 0
            size = self._size(values[0])
            return choose(size == self._exact(0), self._exact(-1), size._unary("ilog2"))
        raise Unsupported(f"function {expr.name}")

    def _size(self, value: Term) -> Term:
        return choose(infix("<", value, self._exact(0)), -value, value)


def infix(sign: str, a: Term, b: Term) -> Term:
    """What an infix sign makes of two terms."""
    if sign in (">", ">="):
        sign, a, b = sign.replace(">", "<"), b, a
    if sign == "!=":
        return ~infix("==", a, b)
    if sign not in _OF_TRUTHS:
        a, b = _number(a), _number(b)
    a, b = _alike(a, b)
    known = _OF_FLOATS if a.kind.sort == "float" else _ARITHMETIC.keys() - {"/"}
    if sign not in known:
        raise Unsupported(f"`{sign}` of integers")
    return a.call(_ARITHMETIC[sign], b)


def _number(term: Term) -> Term:
    """A value as a number, as a truth value is one for Python: 0 or 1."""
    return term.cast(EXACT._replace(bits=2)) if term.kind == BOOL else term


def _infinity(expr: t.Expr) -> int:
    """1 or -1 for an infinity, 0 for anything else."""
    if isinstance(expr, t.Unary) and expr.op == "-":
        return -_infinity(expr.operand)
    is_infinite = isinstance(expr, t.Num) and math.isinf(expr.value)
    return (1 if expr.value > 0 else -1) if is_infinite and isinstance(expr, t.Num) else 0


def _alike(a: Term, b: Term) -> tuple[Term, Term]:
    """Two numbers of a guard, or two truth values; both as doubles where one is."""
    if a.kind != b.kind and BOOL in (a.kind, b.kind):
        a, b = _number(a), _number(b)
    if (a.kind.sort == "float") == (b.kind.sort == "float"):
        return a, b
    return _as_double(a), _as_double(b)


def _as_double(term: Term) -> Term:
    """A number of a guard as Python's float. Raises Unsupported for an integer that may round."""
    if term.kind.sort == "exact" and not 0 < term.kind.bits <= _LONGEST_EXACT:
        raise Unsupported("a long integer among floats")
    return term.cast(DOUBLE)


def _is_count(expr: t.Expr) -> bool:
    return isinstance(expr, t.Field) and expr.name == "count"


def _is_op(expr: t.Expr) -> bool:
    return isinstance(expr, t.Field) and expr.name == "op" and isinstance(expr.expr, t.Var)


def _spelled(expr: t.Expr) -> str:
    inner = expr.expr if isinstance(expr, t.Field) else expr
    assert isinstance(inner, t.Var | t.OpName)
    return str(inner.name)
