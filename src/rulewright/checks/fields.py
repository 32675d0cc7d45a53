"""Values of argument fields: what a pattern takes from one must be what another one takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rulewright.checks.nodes import FIELD_WORDS
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols

_ALIKE = {"ints": "dims"}  # a tuple of whole numbers is one of sizes


class _Use(NamedTuple):
    """A name in the brackets of a node: what kind of value the field holds."""

    name: t.Ident
    op: str
    field: t.Param

    @property
    def kind(self) -> str:
        return _ALIKE.get(self.field.type, str(self.field.type))


def check_fields(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    """Names that stand for values of one kind in the pattern and of another one elsewhere."""
    first: dict[str, _Use] = {}
    for use in [*_uses(rule.pattern, symbols), *_uses(rule.replacement, symbols)]:
        known = first.setdefault(str(use.name), use)
        if known.kind != use.kind:
            wanted, words = FIELD_WORDS[use.field.type][0], FIELD_WORDS[known.field.type][0]
            message = f"{use.op}: `{use.field.name}` is {wanted}, but `{use.name}` is {words}"
            note = f"`{known.field.name}` of {known.op}"
            yield Diagnostic("argument", message, use.name.span, known.name.span, note)


def _uses(expr: t.Expr, symbols: Symbols) -> Iterator[_Use]:
    for node in t.walk(expr):
        heads = symbols.heads(node.head) if isinstance(node, t.OpNode) else ()
        if not isinstance(node, t.OpNode) or len(heads) != 1:
            continue
        for param, arg in zip(symbols.ops[heads[0]].schema or (), node.args or (), strict=False):
            if isinstance(arg, t.Var | t.Bind) and param.type in FIELD_WORDS:
                yield _Use(arg.name, heads[0], param)
