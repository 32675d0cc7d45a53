"""Checks of patterns: what may stand in one, and the names that it binds."""

from __future__ import annotations

from rulewright.checks.nodes import check_node
from rulewright.lang import tree as t
from rulewright.lang.scope import Scope, in_words
from rulewright.lang.symbols import unknown


def read_pattern(scope: Scope, expr: t.Expr, rest: bool = False) -> None:
    """Bind the names of a pattern and note its problems; `rest` for `xs..`."""
    if isinstance(expr, t.Var):
        scope.bind(expr.name, "nodes" if rest else "node")
    elif rest and not isinstance(expr, t.Wild):
        scope.report("pattern", "a variadic pattern is a name or `_`, as in `xs..`", expr.span)
    elif isinstance(expr, t.ConstVar):
        scope.bind(expr.name, "const")
    elif isinstance(expr, t.Typed):
        scope.type_name(expr)
        read_pattern(scope, expr.expr)
    elif isinstance(expr, t.Bind):
        scope.bind(expr.name, "node")
        read_pattern(scope, expr.pattern)
    elif isinstance(expr, t.Infix | t.Unary):
        for operand in t.children(expr):
            assert isinstance(operand, t.Expr)
            read_pattern(scope, operand)
    elif isinstance(expr, t.OpNode):
        _node(scope, expr)
    elif isinstance(expr, t.OpName | t.GroupName | t.OpSet):
        _head(scope, expr)
    elif not isinstance(expr, t.Wild | t.Num | t.BoolLit):
        scope.report("pattern", f"{in_words(expr)} cannot stand in a pattern", expr.span)


def _head(scope: Scope, expr: t.OpName | t.GroupName | t.OpSet) -> None:
    scope.found += check_node(t.OpNode(expr, None, None, span=expr.span), scope.symbols)


def _node(scope: Scope, expr: t.OpNode) -> None:
    scope.found += check_node(expr, scope.symbols)
    for arg in expr.args or ():
        _argument(scope, arg)
    rests = [s for s in expr.sources or () if s.rest]
    if len(rests) > 2:
        message = "at most two variadic patterns may stand in one list"
        scope.report("pattern", message, rests[2].span)
    for source in expr.sources or ():
        read_pattern(scope, source.expr, source.rest)


def _argument(scope: Scope, arg: t.Expr) -> None:
    """A field in brackets: a name is bound to its value, a literal must be equal."""
    if isinstance(arg, t.Var):
        scope.bind(arg.name, "value")
    elif isinstance(arg, t.Bind):
        scope.bind(arg.name, "value")
        _argument(scope, arg.pattern)
    elif isinstance(arg, t.TupleExpr):
        for item in arg.items:
            _argument(scope, item)
    elif isinstance(arg, t.OpName):
        if arg.name not in scope.symbols.ops:
            scope.found.append(unknown("op", arg.name, scope.symbols.ops))
    elif isinstance(arg, t.OpSet | t.GroupName):
        _head(scope, arg)
    elif not isinstance(arg, t.Wild | t.Num | t.Str | t.BoolLit | t.NoneLit):
        scope.report("pattern", f"{in_words(arg)} cannot stand in an argument", arg.span)
