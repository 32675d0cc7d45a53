"""Guards and lets that may end in an error of Python: division by zero, a negative shift.

They are evaluated, from left to right as the matchers do it, at a few small numbers for whatever
they read. What ends in an error there would end a compilation in it. Guards that ask for more than
constants, bounds and dtypes are left to `rulewright prove`, which runs the matcher itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from types import SimpleNamespace
from typing import Any

from rulewright.checks.types import RuleTypes
from rulewright.ir.dtypes import dtype
from rulewright.ir.matching import ilog2
from rulewright.ir.ops import Ops
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols

_SIGNS = ("//", "%", "<<", ">>")
_CONSTANTS = (0, 1, -1, 2)
_BOUNDS = ((0, 0), (0, 1), (1, 2), (-1, 0), (-1, 2), (2, 2))
_ERRORS = (ZeroDivisionError, OverflowError, ValueError)
_MOST = 4096  # assignments of numbers that are looked at


def check_guards(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    """The first place of a rule's guards that ends in an error, and the numbers at which."""
    clauses = [c for c in rule.clauses if isinstance(c, t.When | t.Let)]
    if any(isinstance(n, t.Infix) and n.op in _SIGNS for c in clauses for n in t.walk(c)):
        problem = next(_Guards(rule, symbols, clauses).problems(), None)
        if problem is not None:
            yield problem


class _Guards:
    """The guards of one rule."""

    def __init__(self, rule: t.Rule, symbols: Symbols, clauses: Sequence[t.Clause]) -> None:
        self.clauses = clauses
        self.types = RuleTypes(rule, symbols)
        read = {str(n.name) for c in clauses for n in t.walk(c) if isinstance(n, t.Var)}
        bound = [n for n in t.walk(rule.pattern) if isinstance(n, t.ConstVar | t.Var | t.Bind)]
        self.constants = _names(n for n in bound if isinstance(n, t.ConstVar) and n.name in read)
        self.nodes = _names(n for n in bound if not isinstance(n, t.ConstVar) and n.name in read)

    def problems(self) -> Iterator[Diagnostic]:
        """One for each assignment that ends in an error."""
        choices = [[v for v in _CONSTANTS if self._holds(n, v)] for n in self.constants]
        pairs = [[b for b in _BOUNDS if self._holds(n, b[0])] for n in self.nodes]
        for chosen in islice(product(*choices, *pairs), _MOST):
            names: dict[str, Any] = {op.name: op for op in Ops}
            names |= {name: _dtype(k.root().allowed) for name, k in self.types.params.items()}
            words = []
            for name, value in zip([*self.constants, *self.nodes], chosen, strict=True):
                if isinstance(value, tuple):
                    names[name] = _node(*value)
                    words.append(f"{name}.vmin = {value[0]}, {name}.vmax = {value[1]}")
                else:
                    names[name] = value
                    words.append(f"{name} = {value}")
            at = _failing(self.clauses, names)
            if at is not None:
                message = f"this ends in an error where {', '.join(words) or 'it is reached'}"
                help = "conditions before it, joined by `and`, must rule that out: `d != 0 and …`"
                yield Diagnostic("guard", message, at.span, help=help)

    def _holds(self, name: str, value: int) -> bool:
        """Whether some dtype that a name may have holds a number."""
        known = self.types.names.get(name)
        if value >= 0 or known is None:
            return True
        return any(name[0] not in "ub" for name in known.root().allowed)


def _names(expressions: Iterator[t.Expr]) -> list[str]:
    return list(dict.fromkeys(str(getattr(n, "name", "")) for n in expressions))


def _node(low: int, high: int) -> Any:
    """What guards ask of a node."""
    return SimpleNamespace(vmin=low, vmax=high, interval=(low, high), op=Ops.PARAM, valid=True)


def _dtype(allowed: frozenset[str]) -> Any:
    return dtype("i32" if "i32" in allowed or not allowed else sorted(allowed)[0])


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min, "max": max, "abs": abs, "len": len, "gcd": math.gcd, "ilog2": ilog2,
    "isnan": math.isnan, "isfinite": math.isfinite,
}  # fmt: skip


class _Evaluation:
    """Values of expressions where names stand for numbers; `at` is the innermost that failed.

    Raises LookupError and TypeError for one that asks for more than numbers.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.at: t.Expr | None = None

    def value(self, expr: t.Expr) -> Any:
        """The value of an expression, in unbounded integers."""
        try:
            return self._value(expr)
        except _ERRORS:
            self.at = self.at or expr
            raise

    def _value(self, expr: t.Expr) -> Any:
        if isinstance(expr, t.Num | t.Str | t.BoolLit):
            return expr.value
        if isinstance(expr, t.Var | t.OpName):
            return self.names[expr.name]
        if isinstance(expr, t.Infix):
            return _OPERATORS[expr.op](self.value(expr.left), self.value(expr.right))
        if isinstance(expr, t.Unary):
            inner = self.value(expr.operand)
            return -inner if expr.op == "-" else ~inner
        if isinstance(expr, t.Connective):
            first = self.value(expr.operands[0])
            if expr.op == "not":
                return not first
            return first if bool(first) == (expr.op == "or") else self.value(expr.operands[1])
        if isinstance(expr, t.Field):
            return getattr(self.value(expr.expr), expr.name)
        if isinstance(expr, t.Call):
            return _FUNCTIONS[expr.name](*(self.value(a.expr) for a in expr.args))
        raise TypeError(type(expr).__name__)


def _failing(clauses: Sequence[t.Clause], names: dict[str, Any]) -> t.Expr | None:
    """The expression that ends in an error; None where none does, or that cannot be told."""
    evaluation = _Evaluation(names)
    for clause in clauses:
        try:
            if isinstance(clause, t.Let):
                names[str(clause.name)] = evaluation.value(clause.value)
            elif isinstance(clause, t.When) and not evaluation.value(clause.guard):
                return None
        except _ERRORS:
            return evaluation.at
        except (AttributeError, TypeError, LookupError):
            if isinstance(clause, t.When):
                return None  # it asks for more than numbers
    return None
