"""Names in rules: what binds them, and what kind of thing they are.

A name is a node (`x`), a list of nodes (`xs..`), a constant's value (`$c`), a plain value (an
argument field, a let) or a dtype (a type parameter). What may stand in a pattern is checked too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rulewright.checks.nodes import check_node
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols, unknown

KIND_WORDS = {
    "node": "a node",
    "nodes": "a list of nodes",
    "const": "a constant's value",
    "value": "a value",
}

_EXPRESSION_WORDS = {
    "Wild": "`_`",
    "Bind": "`name@pattern`",
    "Connective": "`and`, `or` or `not`",
    "Str": "text",
    "NoneLit": "`none`",
    "Fold": "`{…}`",
    "Call": "a call",
    "Field": "a property",
    "MethodCall": "a call",
    "TupleExpr": "a tuple",
    "OpSet": "a choice of ops",
    "GroupName": "a group",
}


def in_words(expr: t.Expr) -> str:
    """What an expression is, in the reader's words."""
    return _EXPRESSION_WORDS.get(type(expr).__name__, "this")


@dataclass
class RuleScope:
    """The names of one rule and the problems found, while its parts are read in order."""

    symbols: Symbols
    types: dict[str, t.TypeParam]
    kinds: dict[str, str] = field(default_factory=dict)
    places: dict[str, t.Ident] = field(default_factory=dict)
    uses: Counter[str] = field(default_factory=Counter)
    heads: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the ops that a node may be
    lets: set[str] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def report(self, code: str, message: str, span: t.Span, help: str = "") -> None:
        """Note a problem."""
        self.diagnostics.append(Diagnostic(code, message, span, help=help))

    def bind(self, name: t.Ident, kind: str) -> None:
        """A name in a pattern or let; a second time in a pattern it means the same again."""
        self.uses[name] += 1
        known = self.kinds.setdefault(str(name), kind)
        self.places.setdefault(str(name), name)
        if known != kind:
            message = f"`{name}` is {KIND_WORDS[known]} and {KIND_WORDS[kind]}"
            first = self.places[name].span
            problem = Diagnostic("kind", message, name.span, first, f"{KIND_WORDS[known]} here")
            self.diagnostics.append(problem)

    def is_node(self, expr: t.Expr) -> bool:
        """Whether an expression is a name that stands for a node or for several."""
        return isinstance(expr, t.Var) and self.kinds.get(expr.name) in ("node", "nodes")

    def type_name(self, expr: t.Typed) -> None:
        """The type after a colon: a type parameter or a dtype."""
        known = (self.types, self.symbols.dtypes)
        for name in (expr.type, expr.lanes):
            if isinstance(name, t.Ident) and not any(name in k for k in known):
                self.diagnostics.append(unknown("dtype or type parameter", name, *known))


# ---- patterns ------------------------------------------------------------------------------------


def read_pattern(scope: RuleScope, expr: t.Expr, rest: bool = False) -> None:
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
        inner = t.bare(expr.pattern)
        if isinstance(inner, t.OpNode):
            scope.heads[str(expr.name)] = scope.symbols.heads(inner.head)
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
        hint = _instead(expr, scope.symbols)
        scope.report("pattern", f"{in_words(expr)} cannot stand in a pattern", expr.span, hint)


def _instead(expr: t.Expr, symbols: Symbols) -> str:
    """What to write in the place of what cannot stand in a pattern."""
    if isinstance(expr, t.Fold):
        return "write the number alone, or `$c` and a `when` that says which"
    if isinstance(expr, t.Call) and expr.name.upper() in symbols.ops:
        return f"ops are UPPER CASE: `{expr.name.upper()}`"
    return ""


def _head(scope: RuleScope, expr: t.OpName | t.GroupName | t.OpSet) -> None:
    scope.diagnostics += check_node(t.OpNode(expr, None, None, span=expr.span), scope.symbols)


def _node(scope: RuleScope, expr: t.OpNode) -> None:
    scope.diagnostics += check_node(expr, scope.symbols)
    for arg in expr.args or ():
        _argument(scope, arg)
    rests = [s for s in expr.sources or () if s.rest]
    if len(rests) > 2:
        message = "at most two variadic patterns may stand in one list"
        scope.report("pattern", message, rests[2].span)
    for source in expr.sources or ():
        read_pattern(scope, source.expr, source.rest)


def _argument(scope: RuleScope, arg: t.Expr) -> None:
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
            scope.diagnostics.append(unknown("op", arg.name, scope.symbols.ops))
    elif isinstance(arg, t.OpSet | t.GroupName):
        _head(scope, arg)
    elif not isinstance(arg, t.Wild | t.Num | t.Str | t.BoolLit | t.NoneLit):
        scope.report("pattern", f"{in_words(arg)} cannot stand in an argument", arg.span)
