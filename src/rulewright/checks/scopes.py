"""Unknown, unbound, unused and misused names of rules and of stages' statements."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checks.scope import RuleScope, read_pattern
from rulewright.checks.values import Reader
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols

_NUMBERS = ("+", "-", "*", "/", "//", "%", "<<", ">>")
_INSTEAD = {"const": "write `CONST()` for any constant", "nodes": "write `_..`"}


def check_rule_scope(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    """The problems of a rule's names, and of its nodes as they are written."""
    scope = RuleScope(symbols, {str(p.name): p for p in rule.type_params})
    reader = Reader(scope)
    read_pattern(scope, rule.pattern)
    for clause in rule.clauses:
        if isinstance(clause, t.When):
            reader.value(clause.guard)
            yield from _conditions(clause.guard)
        elif isinstance(clause, t.Let):
            reader.let(clause)
    reader.node(rule.replacement)
    yield from scope.diagnostics
    if not any(d.code == "unbound" for d in scope.diagnostics):  # a misspelt use looks like both
        yield from _unused(scope)


def check_statement(item: t.Legal, symbols: Symbols) -> Iterator[Diagnostic]:
    """The same for a statement of a stage."""
    scope = RuleScope(symbols, {str(p.name): p for p in item.type_params})
    read_pattern(scope, item.pattern)
    if item.guard is not None:
        Reader(scope).value(item.guard)
        yield from _conditions(item.guard)
    yield from scope.diagnostics
    yield from _unused(scope)


def _conditions(guard: t.Expr) -> Iterator[Diagnostic]:
    """Parts of a guard that are surely numbers or text: Python would take them for true."""
    if isinstance(guard, t.Connective):
        for operand in guard.operands:
            yield from _conditions(operand)
    elif isinstance(guard, t.Num | t.Str | t.ConstVar) or (
        isinstance(guard, t.Infix) and guard.op in _NUMBERS
    ):
        kind = "text" if isinstance(guard, t.Str) else "a number"
        message = f"expected a condition, found {kind}"
        yield Diagnostic("guard", message, guard.span, help="compare it: `… == 0`")


def _unused(scope: RuleScope) -> Iterator[Diagnostic]:
    """Names that nothing refers to; `_` says that on purpose. Binding one counts as a use."""
    for name, place in scope.places.items():
        if scope.uses[name] > 1:
            continue
        hint = _INSTEAD.get(scope.kinds[name], "write `_`")
        if name in scope.lets:
            hint = "leave the `let` out"
        yield Diagnostic("unused", f"`{name}` is never used", place.span, help=hint)
