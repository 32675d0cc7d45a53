"""From lark's parse tree to the syntax tree of `rulewright.lang.tree`.

`_NODES` says for most rules and aliases of the grammar what their converted parts make; a method of
`Converter`, named like it, for those that need the tokens. Imported only by the parser, because it
names lark's types.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from lark import Token, Tree

from rulewright.lang import tree as t

_DOC = "DOC"


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


# ---- what parts make, in their order -------------------------------------------------------------

_Make = Callable[..., Any]


def _some(parts: Iterable[Any], kind: type[Any]) -> tuple[Any, ...]:
    """The parts that are of a class."""
    return tuple(part for part in parts if isinstance(part, kind))


def _first(parts: Iterable[Any], kind: type[Any]) -> Any:
    """The first part that is of a class, or None."""
    return next(iter(_some(parts, kind)), None)


def _tuple(*parts: Any, **told: Any) -> tuple[Any, ...]:
    return parts


def _named(make: _Make) -> _Make:
    """What has a name and a list of parts."""
    return lambda name, *parts, **told: make(name, parts, **told)


def _number(value: int | float, **told: Any) -> t.Num:
    return t.Num(value, canonical(value), **told)


def _typed(expr: t.Expr, kind: t.Ident, lanes: t.Ident | None = None, **told: Any) -> t.Typed:
    count = lanes[1:] if lanes is not None else ""
    many = int(count) if count.isdigit() else t.Ident(count, lanes.span) if lanes else None
    return t.Typed(expr, kind, many, **told)


def _negated(inner: t.Expr, **told: Any) -> t.Expr:
    """A minus before a number is part of it."""
    if isinstance(inner, t.Num):
        return _number(-inner.value, **told)
    if isinstance(inner, t.Typed) and isinstance(inner.expr, t.Num):
        return t.Typed(_number(-inner.expr.value, **told), inner.type, inner.lanes, **told)
    return t.Unary("-", inner, **told)


def _variable(name: t.Ident, **told: Any) -> t.Expr:
    if name in ("inf", "nan"):
        return _number(math.inf if name == "inf" else math.nan, **told)
    return t.Var(name, **told)


def _node(head: Any, *parts: Any, **told: Any) -> t.OpNode:
    ordered = _first(parts, t.Ident) is not None
    return t.OpNode(head, _first(parts, tuple), _some(parts, t.Source), ordered, **told)


def _gauge(name: t.Ident, *ops: t.Ident, **told: Any) -> t.Call:
    args = tuple(t.Source(t.OpName(op, span=op.span), span=op.span) for op in ops)
    return t.Call(name, args, **told)


def _param(*parts: Any, **told: Any) -> t.Param:
    *name, kind = parts
    return t.Param(_first(name, t.Ident), kind.type, kind.rest, **told)


def _legal(kind: t.Ident, pattern: t.Expr, *parts: Any, **told: Any) -> t.Legal:
    when, message = _first(parts, t.When), _first(parts, t.Str)
    guard, said = when and when.guard, message and message.value
    return t.Legal(kind == "allow", pattern, _some(parts, t.TypeParam), guard, said, **told)


def _stage(name: t.Ident, *parts: Any, **told: Any) -> t.Stage:
    return t.Stage(name, _some(parts, t.Ident), _some(parts, t.Legal), **told)


def _target(name: t.Ident, *parts: Any, **told: Any) -> t.TargetDecl:
    return t.TargetDecl(name, _first(parts, t.Ident), _some(parts, t.TargetFact), **told)


def _pipeline(name: t.Ident, *parts: Any, **told: Any) -> t.Pipeline:
    kinds = (t.Equiv, t.Phase, t.EntryDecl)
    return t.Pipeline(name, *(_some(parts, kind) for kind in kinds), **told)


_NODES: dict[str, _Make] = {
    # rules whose parts are the fields of a node
    "field": t.Field, "bind": t.Bind, "cvar": t.ConstVar, "fold": t.Fold, "opname": t.OpName,
    "groupname": t.GroupName, "when": t.When, "let": t.Let, "example": t.Example,
    "reject": t.Reject, "trust": t.Trust, "expands": t.Expands, "after": t.After, "phase": t.Phase,
    "graph": t.Graph, "line": t.Line, "none": t.NoneLit,
    # those of a name and a list
    **{rule: _named(make) for rule, make in {
        "dtset": t.DTypeSet, "promote": t.Promote, "group": t.Group, "measure": t.Measure,
        "prove": t.Prove, "call": t.Call, "case": t.Case,
    }.items()},
    # lists
    **dict.fromkeys(("schema", "tparams", "tset", "setbody", "arglist"), _tuple),
    "setsum": lambda *parts, **told: tuple(name for name in parts if name != "+"),
    # declarations
    "dtype": lambda name, kind, *facts, **told: t.DTypeDecl(name, kind, facts, **told),
    "ptype": lambda kind, *rest, **told: t.Param(None, kind, bool(rest), **told),
    "tparam": lambda name, sets=(), **told: t.TypeParam(name, sets, **told),
    "tlower": lambda *names, **told: t.TargetFact("lower", names[0], (), names, **told),
    "body": lambda *parts, **told: t.Body(parts[:-1], parts[-1], **told),
    "gauge": _gauge, "param": _param, "legal": _legal, "stage": _stage, "target": _target,
    "pipeline": _pipeline,
    # expressions
    **{f"{word}_": (lambda *operands, word=word, **told: t.Connective(word, operands, **told))
       for word in ("or", "and", "not")},
    "infix": lambda left, op, right, **told: t.Infix(str(op), left, right, **told),
    "inv": partial(t.Unary, "~"), "neg": _negated, "typed": _typed, "var": _variable,
    "wild": lambda name, **told: t.Wild(**told),
    "true": partial(t.BoolLit, True), "false": partial(t.BoolLit, False),
    "method": lambda expr, name, *args, **told: t.MethodCall(expr, name, args, **told),
    "src": lambda expr, *rest, **told: t.Source(expr, bool(rest), **told),
    "num": lambda text, **told: _number(number(text), **told),
    "tuple_": lambda *items, **told: t.TupleExpr(items, **told),
    "anyop": lambda *names, **told: t.OpSet(names, **told),
    "node": _node, "leafnode": lambda head, args, **told: t.OpNode(head, args, None, **told),
}  # fmt: skip
"""Rules of the grammar by name, and what their converted parts make."""

_THROUGH = frozenset(
    {"type", "eflag", "clause", "opset", "str_", "setmember", "opclause", "lname", "of", "of_one"}
)
"""Those that are what their one part is."""


class Converter:
    """Turns one file's parse tree into a `SourceFile`; spans carry `path`.

    `line_offset` is added to every line number: chunks of a file are parsed apart after an error.
    """

    def __init__(self, path: str, line_offset: int = 0) -> None:
        self.path = path
        self.offset = line_offset

    def start(self, at: Tree[Any], text: str) -> t.SourceFile:
        """A whole file."""
        items = tuple(self.of(i) for i in at.children)
        return t.SourceFile(self.path, text, items, span=self.span(at))

    def of(self, at: Tree[Any]) -> Any:
        """Convert a subtree by its rule's name."""
        if at.data in _THROUGH:
            return self._child(at.children[0])
        told: dict[str, Any] = {"span": self.span(at)}
        children = at.children
        if children and isinstance(children[0], Token) and children[0].type == _DOC:
            told["doc"], children = self.split_doc(children)
        make = _NODES.get(at.data)
        if make is None:
            return getattr(self, "_on_" + at.data)(at, children, **told)
        return make(*[self._child(child) for child in children if child is not None], **told)

    def _child(self, child: Any) -> Any:
        """A child as it is: a subtree, a text or a name."""
        if isinstance(child, Tree):
            return self.of(child)
        return self.string(child) if child.type == "STRING" else self.ident(child)

    def span(self, at: Any) -> t.Span:
        """The span of a token or of a tree's metadata."""
        where = at
        if isinstance(at, Tree):
            where = at.meta
            if where.empty:
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

    def words(self, parts: Iterable[Any], *kinds: str) -> tuple[t.Ident, ...]:
        """The words with which parts of some kinds begin."""
        trees = [i for i in parts if isinstance(i, Tree) and i.data in kinds]
        return tuple(t.Ident(str(i.data), self.span(i)) for i in trees)

    @staticmethod
    def split_doc(children: list[Any]) -> tuple[str, list[Any]]:
        """The joined `///` lines in front, and the remaining children."""
        count = 0
        while count < len(children) and getattr(children[count], "type", None) == _DOC:
            count += 1
        lines = [str(d)[3:].removeprefix(" ").rstrip() for d in children[:count]]
        return "\n".join(lines), children[count:]

    def many(self, items: Iterable[Any], *kinds: str) -> tuple[Any, ...]:
        """The converted subtrees of the given kinds."""
        return tuple(self.of(i) for i in items if isinstance(i, Tree) and i.data in kinds)

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

    # ---- rules that need the tokens ----

    def _on_fact(self, at: Tree[Any], c: list[Any], **told: Any) -> t.Fact:
        return t.Fact(self.ident(c[0]), self.value(c[1]), **told)

    _on_opfact = _on_fact

    def _on_op(self, at: Tree[Any], c: list[Any], **told: Any) -> t.OpDecl:
        name, *rest = c
        clauses = [i.children[0] for i in rest if isinstance(i, Tree) and i.data == "opclause"]
        types, schema = self.one(rest, "tparams") or (), self.one(rest, "schema")
        params, result = self.many(rest, "param"), self.one(rest, "type")
        flags, facts = self.idents(clauses), self.many(clauses, "opfact")
        return t.OpDecl(self.ident(name), types, schema, params, result, flags, facts, **told)

    def _on_extern(self, at: Tree[Any], c: list[Any], **told: Any) -> t.Extern:
        kind, name, *rest = c
        target: Any = next(i for i in rest if isinstance(i, Token))
        texts = {
            i.data: self.string(i.children[0])  # type: ignore[arg-type]  # always a token
            for i in rest
            if isinstance(i, Tree) and i.data in ("model", "because")
        }
        told["once"] = self.words(rest, "model", "because")
        params, result = self.many(rest, "param"), self.one(rest, "ptype")
        function, flags = self.string(target), self.many(rest, "eflag")
        return t.Extern(
            self.ident(name), self.ident(kind), params, result, function, flags,
            texts.get("model"), texts.get("because"), **told,
        )  # fmt: skip

    def _on_ruleset(self, at: Tree[Any], c: list[Any], **told: Any) -> t.RuleSetDecl:
        name, *rest = c
        parts, rules = (self.one(rest, kind) or () for kind in ("setsum", "setbody"))
        return t.RuleSetDecl(self.ident(name), self.many(rest, "fact"), parts, rules, **told)

    def _on_rule(self, at: Tree[Any], c: list[Any], **told: Any) -> t.Rule:
        name, *rest = c
        special: dict[str, Any] = {"tparams": (), "equiv": None, "priority": 0}
        told["once"] = self.words(rest, "equiv", "priority")
        special |= {i.data: self.of(i) for i in rest if i.data in special}
        before, after, *clauses = (self.of(i) for i in rest if i.data not in special)
        parts = (*special.values(), before, after, tuple(clauses))
        return t.Rule(self.ident(name), *parts, **told)

    def _on_equiv(self, at: Tree[Any], c: list[Any], **told: Any) -> t.Equiv:
        return t.Equiv(self.ident(c[0]), number(c[1]) if len(c) > 1 else None, **told)

    _on_tolerate = _on_equiv

    def _on_priority(self, at: Tree[Any], c: list[Any], **told: Any) -> int:
        return int(c[0])

    def _fact(self, at: Tree[Any], c: list[Any], **told: Any) -> t.TargetFact:
        kind, name, *rest = at.data.removeprefix("t"), *c
        last: Any = rest[-1] if rest else None
        last = last.children[0] if isinstance(last, Tree) else last
        value = None if last is None else self.value(last)
        sets, one = self.one(rest, "tset") or (), self.one(rest, "of_one")
        of = one or self.one(rest, "of") or ()
        return t.TargetFact(kind, self.ident(name), sets, value, of, one is not None, **told)

    _on_ttype = _on_tvector = _on_tliteral = _on_ttext = _on_tlimit = _on_tfeature = _fact
    _on_tspell = _on_thelper = _on_tspell_lanes = _on_thelper_lanes = _fact

    def _on_tcore(self, at: Tree[Any], c: list[Any], **told: Any) -> t.TargetFact:
        sets, result, *facts = c
        held = self.many(facts, "fact")
        return t.TargetFact(t.CORE, self.ident(result), self.of(sets), None, held=held, **told)

    def _on_entry(self, at: Tree[Any], c: list[Any], **told: Any) -> t.EntryDecl:
        name, action, source, result = c
        what = action.children[0]
        text = unquote(what) if what.type == "STRING" else str(what)
        kind, place = action.data.removeprefix("a"), t.Ident(text, self.span(what))
        return t.EntryDecl(self.ident(name), kind, place, *self.idents((source, result)), **told)

    def _part(self, at: Tree[Any], c: list[Any], **told: Any) -> t.CasePart:
        strings = [i for i in c if getattr(i, "type", None) == "STRING"]
        strings += [i.children[0] for i in c if isinstance(i, Tree) and i.data == "text"]
        names = self.idents(i for i in c if getattr(i, "type", None) != "STRING")
        text = unquote(strings[0]) if strings else None
        kind = {"step": "entry", "legalat": "legal"}.get(str(at.data), str(at.data))
        return t.CasePart(kind, names, self.one(c, "body"), text, **told)

    _on_input = _on_rewrite = _on_unchanged = _on_step = _on_legalat = _on_illegal = _part
    _on_trace = _on_error = _on_source = _part
