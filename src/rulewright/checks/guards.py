"""Guards and lets that may end in an error of Python: division by zero, a negative shift.

They are evaluated, from left to right as the matchers do it, at a few small numbers for whatever
they read. What ends in an error there would end a compilation in it. Guards that ask for more than
constants, bounds and dtypes are left to `rulewright prove`, which runs the matcher itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from types import SimpleNamespace
from typing import Any

from rulewright.checks.types import RuleTypes
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
        from rulewright.checks.evaluate import Binding, Named

        choices = [[v for v in _CONSTANTS if self._holds(n, v)] for n in self.constants]
        pairs = [[b for b in _BOUNDS if self._holds(n, b[0])] for n in self.nodes]
        for chosen in islice(product(*choices, *pairs), _MOST):
            binding, words = Binding(), []
            for name, value in zip([*self.constants, *self.nodes], chosen, strict=True):
                if isinstance(value, tuple):
                    binding.names[name] = Named("value", _node(*value), None)
                    words.append(f"{name}.vmin = {value[0]}, {name}.vmax = {value[1]}")
                else:
                    binding.names[name] = Named("const", value, None)
                    words.append(f"{name} = {value}")
            for name, kind in self.types.params.items():
                binding.types[name] = _dtype(kind.root().allowed)
            at = _failing(self.clauses, binding)
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
    from rulewright.ir.ops import Ops

    return SimpleNamespace(vmin=low, vmax=high, interval=(low, high), op=Ops.PARAM, valid=True)


def _dtype(allowed: frozenset[str]) -> Any:
    from rulewright.ir.dtypes import dtype

    return dtype("i32" if "i32" in allowed or not allowed else sorted(allowed)[0])


def _failing(clauses: Sequence[t.Clause], binding: Any) -> t.Expr | None:
    """The expression that ends in an error; None where none does, or that cannot be told."""
    from rulewright.checks.evaluate import ExpressionEvaluator, NoMatch
    from rulewright.errors import RulewrightError
    from rulewright.lang.build import load_table
    from rulewright.lang.matcher_facts import Facts

    class Finder(ExpressionEvaluator):
        """Remembers the innermost expression that failed."""

        at: t.Expr | None = None

        def value(self, expr: t.Expr) -> Any:
            try:
                return super().value(expr)
            except _ERRORS:
                self.at = self.at or expr
                raise

    evaluator = Finder(Facts(load_table()), binding, None)
    try:
        for clause in clauses:
            if any(isinstance(n, t.Call) and n.name in evaluator.facts.externs
                   for n in t.walk(clause)):  # fmt: skip
                return None
            if isinstance(clause, t.Let):
                evaluator.let(str(clause.name), clause.value)
            elif isinstance(clause, t.When) and not evaluator.value(clause.guard):
                return None
    except _ERRORS:
        return evaluator.at
    except (NoMatch, AttributeError, TypeError, KeyError, RulewrightError):
        return None  # it asks for more than numbers
    return None
