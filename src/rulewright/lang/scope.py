"""Names in rules: what binds them, and what kind of thing they are.

A name is a node (`x`), a list of nodes (`xs..`), a constant's value (`$c`), a plain value (an
argument field, a let) or a dtype (a type parameter).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

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
    "Logic": "`and`, `or` or `not`",
    "Str": "text",
    "NoneLit": "`none`",
    "Fold": "`{…}`",
    "Call": "a call",
    "Field": "a property",
    "Method": "a call",
    "TupleExpr": "a tuple",
    "OpSet": "a choice of ops",
    "GroupName": "a group",
}


def in_words(expr: t.Expr) -> str:
    """What an expression is, in the reader's words."""
    return _EXPRESSION_WORDS.get(type(expr).__name__, "this")


@dataclass
class Scope:
    """The names of one rule and the problems found, while its parts are read in order."""

    symbols: Symbols
    types: dict[str, t.TypeParam]
    kinds: dict[str, str] = field(default_factory=dict)
    places: dict[str, t.Ident] = field(default_factory=dict)
    uses: Counter[str] = field(default_factory=Counter)
    lets: set[str] = field(default_factory=set)
    found: list[Diagnostic] = field(default_factory=list)

    def report(self, code: str, message: str, span: t.Span, help: str = "") -> None:
        """Note a problem."""
        self.found.append(Diagnostic(code, message, span, help=help))

    def bind(self, name: t.Ident, kind: str) -> None:
        """A name in a pattern or let; a second time in a pattern it means the same again."""
        self.uses[name] += 1
        known = self.kinds.setdefault(str(name), kind)
        self.places.setdefault(str(name), name)
        if known != kind:
            message = f"`{name}` is {KIND_WORDS[known]} and {KIND_WORDS[kind]}"
            first = self.places[name].span
            problem = Diagnostic("kind", message, name.span, first, f"{KIND_WORDS[known]} here")
            self.found.append(problem)

    def is_node(self, expr: t.Expr) -> bool:
        """Whether an expression is a name that stands for a node or for several."""
        return isinstance(expr, t.Var) and self.kinds.get(expr.name) in ("node", "nodes")

    def type_name(self, expr: t.Typed) -> None:
        """The type after a colon: a type parameter or a dtype."""
        known = (self.types, self.symbols.dtypes)
        for name in (expr.type, expr.lanes):
            if isinstance(name, t.Ident) and not any(name in k for k in known):
                self.found.append(unknown("dtype or type parameter", name, *known))
