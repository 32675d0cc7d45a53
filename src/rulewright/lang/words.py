"""Expressions of rules on one line, and trees with one node exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from rulewright.lang import tree as t

_N = TypeVar("_N", bound=t.Node)


def put(root: _N, old: t.Node, new: t.Node) -> _N:
    """`root` with the very node `old`, which stands in one place of it, replaced."""
    tree: _N = _put(root, old, new)
    return tree


def _put(node: Any, old: t.Node, new: t.Node) -> Any:
    """`put`; the node itself where `old` is not in it."""
    if node is old:
        return new
    for name, value in vars(node).items():
        if isinstance(value, t.Node):
            placed: Any = _put(value, old, new)
            if placed is not value:
                return replace(node, **{name: placed})
        elif value.__class__ is tuple:  # a span is a tuple of another class
            for at, item in enumerate(value):
                placed = _put(item, old, new) if isinstance(item, t.Node) else item
                if placed is not item:
                    return replace(node, **{name: (*value[:at], placed, *value[at + 1 :])})
    return node


def exchanged(root: _N, change: Callable[[t.Node], t.Node | None]) -> _N:
    """`root` with each node replaced that `change` has another for, from above."""

    def visit(value: Any) -> Any:
        if value.__class__ is tuple:
            return tuple(map(visit, value))
        if not isinstance(value, t.Node):
            return value
        other = change(value)
        if other is not None:
            return other
        return replace(value, **{f.name: visit(getattr(value, f.name)) for f in fields(value)})

    tree: _N = visit(root)
    return tree


_WRITERS: Mapping[type[t.Expr], Callable[[Any], str]] = {
    t.Var: lambda e: str(e.name),
    t.Wild: lambda e: "_",
    t.Num: lambda e: str(e.text),
    t.Str: lambda e: f'"{e.value}"',
    t.BoolLit: lambda e: str(e.value).lower(),
    t.NoneLit: lambda e: "none",
    t.ConstVar: lambda e: f"${e.name}",
    t.OpName: lambda e: str(e.name),
    t.OpSet: lambda e: f"[{' '.join(e.names)}]",
    t.GroupName: lambda e: str(e.name),
    t.Typed: lambda e: f"{words(e.expr)}:{e.type}" + (f"*{e.lanes}" if e.lanes else ""),
    t.Bind: lambda e: f"{e.name}@{words(e.pattern)}",
    t.Infix: lambda e: f"{_operand(e.left)} {e.op} {_operand(e.right)}",
    t.Unary: lambda e: f"{e.op}{_operand(e.operand)}",
    t.Field: lambda e: f"{words(e.expr)}.{e.name}",
    t.MethodCall: lambda e: f"{words(e.expr)}.{e.name}({_list(e.args)})",
    t.Call: lambda e: f"{e.name}({_list(e.args)})",
    t.Fold: lambda e: f"{{{words(e.expr)}}}",
    t.Connective: lambda e: (
        f"not {_operand(e.operands[0])}"
        if e.op == "not"
        else f" {e.op} ".join(_operand(o) for o in e.operands)
    ),
    t.TupleExpr: lambda e: f"({', '.join(words(i) for i in e.items)})",
    t.OpNode: lambda e: (
        words(e.head)
        + ("!" if e.ordered else "")
        + (f"[{', '.join(words(a) for a in e.args)}]" if e.args is not None else "")
        + (f"({_list(e.sources)})" if e.sources is not None else "")
    ),
}


def words(expr: t.Expr) -> str:
    """An expression on one line."""
    return _WRITERS[type(expr)](expr)


def _operand(expr: t.Expr) -> str:
    text = words(expr)
    return f"({text})" if isinstance(expr, t.Infix | t.Connective) else text


def _list(sources: Iterable[t.Source]) -> str:
    return ", ".join(words(s.expr) + (".." if s.rest else "") for s in sources)
