"""Rules as equations: expressions set with the signs of mathematics, ops and sets linked."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from documentation.html import link
from rulewright.lang import tree as t

_SIGNS = {
    "*": "·",
    "-": "−",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "==": "=",
    "<<": "≪",
    ">>": "≫",
    "~": "¬",
}
_LEVELS = {
    "or": 1, "and": 2, "not": 3, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
    "*": 10, "/": 10, "//": 10, "%": 10,
}  # fmt: skip
_COMPARISON, _UNARY, _POSTFIX, _ATOM = 4, 11, 12, 13
Target = Callable[[str, str], str]
"""Kind and name of something to its place in the site, or nothing."""


class Typesetter:
    """Sets expressions; `target` says where ops, groups, dtypes and externs are described."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def rule(self, rule: t.Rule) -> str:
        """The equation with its guards, lets and types."""
        left, right = self.set(rule.pattern), self.set(rule.replacement)
        lines = [f'<div class="sides">{left} <span class="arrow">⟶</span> {right}</div>']
        for clause in rule.clauses:
            if isinstance(clause, t.Let):
                name = f"<var>{clause.name}</var>"
                lines.append(f"<div><b>let</b> {name} = {self.set(clause.value)}</div>")
            elif isinstance(clause, t.When):
                lines.append(f"<div><b>where</b> {self.set(clause.guard)}</div>")
        if rule.type_params:
            shown = "; ".join(map(self._param, rule.type_params))
            lines.append(f"<div><b>for</b> {shown}</div>")
        return f'<div class="equation">{"".join(lines)}</div>'

    def _param(self, param: t.TypeParam) -> str:
        sets = " | ".join(self._name("dtype", s) for s in param.sets) or "any dtype"
        return f"<var>{param.name}</var> in {sets}"

    def set(self, expr: t.Expr, least: int = 0) -> str:
        """An expression; in brackets if it binds less tightly than `least`."""
        method: Callable[[Any], tuple[str, int]]
        method = getattr(self, f"_on_{type(expr).__name__.lower()}")
        shown, level = method(expr)
        return f"({shown})" if level < least else shown

    def _name(self, kind: str, name: str, shown: str = "") -> str:
        where, text = self.target(kind, str(name)), escape(shown or str(name))
        return link(where, text, "name") if where else text

    # ---- names and constants ----

    def _on_var(self, e: t.Var) -> tuple[str, int]:
        return f"<var>{e.name}</var>", _ATOM

    def _on_wild(self, e: t.Wild) -> tuple[str, int]:
        return "_", _ATOM

    def _on_num(self, e: t.Num) -> tuple[str, int]:
        negative = e.text.startswith("-")
        return e.text.replace("-", "−"), _LEVELS["-"] - 1 if negative else _ATOM

    def _on_str(self, e: t.Str) -> tuple[str, int]:
        return f"“{escape(e.value)}”", _ATOM

    def _on_boollit(self, e: t.BoolLit) -> tuple[str, int]:
        return str(e.value).lower(), _ATOM

    def _on_nonelit(self, e: t.NoneLit) -> tuple[str, int]:
        return "none", _ATOM

    def _on_constvar(self, e: t.ConstVar) -> tuple[str, int]:
        return f'<var class="constant" title="a constant">{e.name}</var>', _ATOM

    def _on_opname(self, e: t.OpName) -> tuple[str, int]:
        if not self.target("op", e.name):  # a type parameter
            return f"<var>{e.name}</var>", _ATOM
        return self._name("op", e.name), _ATOM

    def _on_opset(self, e: t.OpSet) -> tuple[str, int]:
        return f"[{' '.join(self._name('op', n) for n in e.names)}]", _ATOM

    def _on_groupname(self, e: t.GroupName) -> tuple[str, int]:
        return self._name("group", e.name), _ATOM

    # ---- what is made of others ----

    def _sources(self, sources: tuple[t.Source, ...]) -> str:
        return ", ".join(self.set(s.expr) + ("…" if s.rest else "") for s in sources)

    def _on_opnode(self, e: t.OpNode) -> tuple[str, int]:
        args = f"[{', '.join(self.set(a) for a in e.args)}]" if e.args else ""
        operands = "" if e.sources is None else f"({self._sources(e.sources)})"
        mark = "!" if e.ordered else ""
        return f"{self.set(e.head)}{mark}{args}{operands}", _ATOM

    def _on_call(self, e: t.Call) -> tuple[str, int]:
        return f"{self._name('extern', e.name)}({self._sources(e.args)})", _ATOM

    def _on_field(self, e: t.Field) -> tuple[str, int]:
        return f"{self.set(e.expr, _POSTFIX)}.{e.name}", _POSTFIX

    def _on_methodcall(self, e: t.MethodCall) -> tuple[str, int]:
        return f"{self.set(e.expr, _POSTFIX)}.{e.name}({self._sources(e.args)})", _POSTFIX

    def _on_typed(self, e: t.Typed) -> tuple[str, int]:
        lanes = f"×{e.lanes}" if e.lanes is not None else ""
        kind = self._name("dtype", e.type)
        return f"{self.set(e.expr, _POSTFIX)}<sub>{kind}{lanes}</sub>", _POSTFIX

    def _on_bind(self, e: t.Bind) -> tuple[str, int]:
        return f"<var>{e.name}</var>@{self.set(e.pattern, _ATOM)}", _ATOM

    def _on_fold(self, e: t.Fold) -> tuple[str, int]:
        return f"⟦{self.set(e.expr)}⟧", _ATOM

    def _on_tupleexpr(self, e: t.TupleExpr) -> tuple[str, int]:
        inner = ", ".join(self.set(i) for i in e.items)
        return f"({inner}{',' if len(e.items) == 1 else ''})", _ATOM

    def _on_infix(self, e: t.Infix) -> tuple[str, int]:
        level = _LEVELS.get(e.op, _COMPARISON)
        least = level + 1 if level == _COMPARISON else level
        sign = self._name("sign", e.op, _SIGNS.get(e.op, e.op))
        return f"{self.set(e.left, least)} {sign} {self.set(e.right, level + 1)}", level

    def _on_unary(self, e: t.Unary) -> tuple[str, int]:
        sign = self._name("prefix", e.op, _SIGNS.get(e.op, e.op))
        return f"{sign}{self.set(e.operand, _UNARY)}", _UNARY

    def _on_connective(self, e: t.Connective) -> tuple[str, int]:
        level = _LEVELS[e.op]
        if e.op == "not":
            return f"<b>not</b> {self.set(e.operands[0], level)}", level
        left, right = e.operands
        return f"{self.set(left, level)} <b>{e.op}</b> {self.set(right, level + 1)}", level
