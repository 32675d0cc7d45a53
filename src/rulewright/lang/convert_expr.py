"""From lark's parse tree to expressions; declarations follow in `rulewright.lang.convert`.

One method for each grammar rule or alias, named like it. Imported only by the parser, because it
names lark's types.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

from lark import Token, Tree

from rulewright.lang import tree as t

_DOC = "DOC"
_NODES: dict[str, Callable[..., t.Node]] = {
    "field": t.Field, "bind": t.Bind, "cvar": t.ConstVar, "fold": t.Fold, "opname": t.OpName,
    "groupname": t.GroupName, "when": t.When, "let": t.Let, "example": t.Example,
    "reject": t.Reject, "trust": t.Trust, "expands": t.Expands, "after": t.After, "phase": t.Phase,
    "graph": t.Graph,
}  # fmt: skip
"""Rules of the grammar whose parts, in their order, are the fields of a node."""

_THROUGH = frozenset({"type", "eflag", "clause", "opset", "str"})
"""Those that are what their one part is."""


def number(text: str) -> int | float:
    """The value of a NUMBER or SIGNED token: an int unless it has a point or an exponent."""
    return float(text) if any(c in text for c in ".e") else int(text)


def canonical(value: int | float) -> str:
    """The one spelling of a number: Python's repr (`0.1`, `1e-05`, `nan`, `-inf`)."""
    return repr(value)


def unquote(token: str) -> str:
    """The text of a STRING or LONGSTRING token. Long strings are taken as they stand.

    A newline right after the opening quotes of a long string is not part of it.
    """
    if token.startswith('"""'):
        return token[3:-3].removeprefix("\n")
    text: str = json.loads(token, strict=False)  # the escapes are JSON's
    return text


class ExprConverter:
    """The part of the converter that knows expressions; spans carry `path`.

    `line_offset` is added to every line number: chunks of a file are parsed apart after an error.
    """

    def __init__(self, path: str, line_offset: int = 0) -> None:
        self.path = path
        self.offset = line_offset

    # ---- helpers ----

    def span(self, at: Any) -> t.Span:
        """The span of a token or of a tree's metadata."""
        where = at.meta if isinstance(at, Tree) else at
        if isinstance(at, Tree) and where.empty:
            return t.NO_SPAN._replace(file=self.path)
        off = self.offset
        return t.Span(
            self.path, where.line + off, where.column, where.end_line + off, where.end_column
        )

    def ident(self, token: Token) -> t.Ident:
        """A token as a name."""
        return t.Ident(str(token), self.span(token))

    def idents(self, tokens: Iterable[Any]) -> tuple[t.Ident, ...]:
        """The tokens among `tokens` as names; absent optional parts are skipped."""
        return tuple(self.ident(i) for i in tokens if isinstance(i, Token))

    def of(self, at: Tree[Any]) -> Any:
        """Convert a subtree by its rule's name."""
        name = at.data.rstrip("_")
        if name in _THROUGH:
            return self._child(at.children[0])
        if name not in _NODES:
            return getattr(self, "_on_" + name)(at, at.children)
        doc, parts = self.split_doc(at.children)
        told = {"doc": doc} if doc else {}
        return _NODES[name](*map(self._child, parts), span=self.span(at), **told)

    def _child(self, child: Any) -> Any:
        """A child as it is: a subtree, a text or a name."""
        if isinstance(child, Tree):
            return self.of(child)
        return self.string(child) if child.type == "STRING" else self.ident(child)

    @staticmethod
    def split_doc(children: list[Any]) -> tuple[str, list[Any]]:
        """The joined `///` lines in front, and the remaining children."""
        count = 0
        while count < len(children) and getattr(children[count], "type", None) == _DOC:
            count += 1
        lines = [str(d)[3:].removeprefix(" ").rstrip() for d in children[:count]]
        return "\n".join(lines), children[count:]

    def many(self, items: Iterable[Any], *kinds: str) -> list[Any]:
        """The converted subtrees of the given kinds."""
        return [self.of(i) for i in items if isinstance(i, Tree) and i.data in kinds]

    def one(self, items: Iterable[Any], kind: str) -> Any:
        """The converted subtree of a kind, or None."""
        return next(iter(self.many(items, kind)), None)

    def value(self, token: Token) -> int | float | str:
        """A NUMBER, STRING or NAME token as a plain value."""
        if token.type == "NUMBER":
            return number(token)
        return unquote(token) if token.type in ("STRING", "LONGSTRING") else str(token)

    def string(self, token: Token) -> t.Str:
        """A STRING token with its span."""
        return t.Str(unquote(token), span=self.span(token))

    # ---- expressions ----

    def _on_or(self, at: Tree[Any], c: list[Any]) -> t.Connective:
        return t.Connective("or", (self.of(c[0]), self.of(c[1])), span=self.span(at))

    def _on_and(self, at: Tree[Any], c: list[Any]) -> t.Connective:
        return t.Connective("and", (self.of(c[0]), self.of(c[1])), span=self.span(at))

    def _on_not(self, at: Tree[Any], c: list[Any]) -> t.Connective:
        return t.Connective("not", (self.of(c[0]),), span=self.span(at))

    def _on_infix(self, at: Tree[Any], c: list[Any]) -> t.Infix:
        return t.Infix(str(c[1]), self.of(c[0]), self.of(c[2]), span=self.span(at))

    def _on_neg(self, at: Tree[Any], c: list[Any]) -> t.Expr:
        inner, span = self.of(c[0]), self.span(at)
        if isinstance(inner, t.Num):
            return self._number(-inner.value, span)
        if isinstance(inner, t.Typed) and isinstance(inner.expr, t.Num):
            value = self._number(-inner.expr.value, span)
            return t.Typed(value, inner.type, inner.lanes, span=span)
        return t.Unary("-", inner, span=span)

    def _on_inv(self, at: Tree[Any], c: list[Any]) -> t.Unary:
        return t.Unary("~", self.of(c[0]), span=self.span(at))

    def _on_typed(self, at: Tree[Any], c: list[Any]) -> t.Typed:
        lanes: int | t.Ident | None = None
        if len(c) > 2:
            lanes = int(c[2][1:]) if c[2][1:].isdigit() else t.Ident(c[2][1:], self.span(c[2]))
        return t.Typed(self.of(c[0]), self.of(c[1]), lanes, span=self.span(at))

    def _on_method(self, at: Tree[Any], c: list[Any]) -> t.MethodCall:
        args = tuple(self.many(c[2:], "src"))
        return t.MethodCall(self.of(c[0]), self.ident(c[1]), args, span=self.span(at))

    def _on_call(self, at: Tree[Any], c: list[Any]) -> t.Call:
        return t.Call(self.ident(c[0]), tuple(self.many(c[1:], "src")), span=self.span(at))

    def _on_src(self, at: Tree[Any], c: list[Any]) -> t.Source:
        return t.Source(self.of(c[0]), len(c) > 1, span=self.span(at))

    def _on_var(self, at: Tree[Any], c: list[Any]) -> t.Expr:
        if c[0] in ("inf", "nan"):
            return self._number(math.inf if c[0] == "inf" else math.nan, self.span(at))
        return t.Var(self.ident(c[0]), span=self.span(at))

    def _on_wild(self, at: Tree[Any], c: list[Any]) -> t.Wild:
        return t.Wild(span=self.span(at))

    def _on_none(self, at: Tree[Any], c: list[Any]) -> t.NoneLit:
        return t.NoneLit(span=self.span(at))

    def _number(self, value: int | float, span: t.Span) -> t.Num:
        return t.Num(value, canonical(value), span=span)

    def _on_num(self, at: Tree[Any], c: list[Any]) -> t.Num:
        return self._number(number(c[0]), self.span(at))

    def _on_true(self, at: Tree[Any], c: list[Any]) -> t.BoolLit:
        return t.BoolLit(True, span=self.span(at))

    def _on_false(self, at: Tree[Any], c: list[Any]) -> t.BoolLit:
        return t.BoolLit(False, span=self.span(at))

    def _on_tuple(self, at: Tree[Any], c: list[Any]) -> t.TupleExpr:
        items = tuple(self.of(i) for i in c if i is not None)
        return t.TupleExpr(items, span=self.span(at))

    def _on_node(self, at: Tree[Any], c: list[Any]) -> t.OpNode:
        head, *rest = c
        ordered = any(isinstance(i, Token) and i.type == "ORD" for i in rest)
        return t.OpNode(
            self.of(head),
            self.one(rest, "arglist"),
            tuple(self.many(rest, "src")),
            ordered,
            span=self.span(at),
        )

    def _on_leafnode(self, at: Tree[Any], c: list[Any]) -> t.OpNode:
        return t.OpNode(self.of(c[0]), self.of(c[1]), None, span=self.span(at))

    def _on_arglist(self, at: Tree[Any], c: list[Any]) -> tuple[t.Expr, ...]:
        return tuple(self.of(i) for i in c if i is not None)

    def _on_anyop(self, at: Tree[Any], c: list[Any]) -> t.OpSet:
        return t.OpSet(self.idents(c), span=self.span(at))
