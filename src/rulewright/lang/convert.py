"""From lark's parse tree to the syntax tree of `rulewright.lang.tree`: declarations.

`Converter` has one method for each grammar rule or alias, named like it. Imported only by the
parser, because it names lark's types.
"""

from __future__ import annotations

from typing import Any

from lark import Token, Tree

from rulewright.lang import tree as t
from rulewright.lang.convert_expr import ExprConverter, number, unquote


class Converter(ExprConverter):
    """Turns one file's parse tree into a `SourceFile`."""

    def start(self, at: Tree[Any], text: str) -> t.SourceFile:
        """A whole file."""
        items = tuple(self.of(i) for i in at.children)
        return t.SourceFile(self.path, text, items, span=self.span(at))

    # ---- dtypes, ops, externs ----

    def _on_dtype(self, at: Tree[Any], c: list[Any]) -> t.DTypeDecl:
        doc, (name, kind, *facts) = self.split_doc(c)
        rows = tuple(self.of(f) for f in facts)
        return t.DTypeDecl(self.ident(name), self.ident(kind), rows, doc=doc, span=self.span(at))

    def _on_fact(self, at: Tree[Any], c: list[Any]) -> t.Fact:
        return t.Fact(self.ident(c[0]), self.value(c[1]), span=self.span(at))

    def _on_dtset(self, at: Tree[Any], c: list[Any]) -> t.DTypeSet:
        doc, (name, *members) = self.split_doc(c)
        names = self.idents(m.children[0] for m in members if m)
        return t.DTypeSet(self.ident(name), names, doc=doc, span=self.span(at))

    def _on_promote(self, at: Tree[Any], c: list[Any]) -> t.Promote:
        name, *targets = self.idents(c)
        return t.Promote(name, tuple(targets), span=self.span(at))

    def _on_group(self, at: Tree[Any], c: list[Any]) -> t.Group:
        doc, rest = self.split_doc(c)
        name, *members = self.idents(rest)
        return t.Group(name, tuple(members), doc=doc, span=self.span(at))

    def _on_measure(self, at: Tree[Any], c: list[Any]) -> t.Measure:
        doc, (name, *gauges) = self.split_doc(c)
        measures = tuple(self.of(g) for g in gauges)
        return t.Measure(self.ident(name), measures, doc=doc, span=self.span(at))

    def _on_gauge(self, at: Tree[Any], c: list[Any]) -> t.Call:
        name, *ops = self.idents(i for i in c if i is not None)
        args = tuple(t.Source(t.OpName(op, span=op.span), span=op.span) for op in ops)
        return t.Call(name, args, span=self.span(at))

    def _on_op(self, at: Tree[Any], c: list[Any]) -> t.OpDecl:
        doc, (name, *rest) = self.split_doc(c)
        clauses = [i.children[0] for i in rest if isinstance(i, Tree) and i.data == "opclause"]
        return t.OpDecl(
            self.ident(name),
            tuple(self.one(rest, "tparams") or ()),
            self.one(rest, "schema"),
            tuple(self.many(rest, "param")),
            self.one(rest, "type"),
            self.idents(clauses),
            tuple(self.many(clauses, "opfact")),
            doc=doc,
            span=self.span(at),
        )

    def _on_opfact(self, at: Tree[Any], c: list[Any]) -> t.Fact:
        return t.Fact(self.ident(c[0]), unquote(c[1]), span=self.span(at))

    def _on_schema(self, at: Tree[Any], c: list[Any]) -> tuple[t.Param, ...]:
        return tuple(self.many(c, "param"))

    def _on_param(self, at: Tree[Any], c: list[Any]) -> t.Param:
        name = self.ident(c[0]) if isinstance(c[0], Token) else None
        kind, *rest = c[-1].children
        return t.Param(name, self.of(kind), bool(rest), span=self.span(at))

    def _on_ptype(self, at: Tree[Any], c: list[Any]) -> t.Param:
        return t.Param(None, self.of(c[0]), len(c) > 1, span=self.span(at))

    def _on_tparams(self, at: Tree[Any], c: list[Any]) -> tuple[t.TypeParam, ...]:
        return tuple(self.many(c, "tparam"))

    def _on_tparam(self, at: Tree[Any], c: list[Any]) -> t.TypeParam:
        sets = self.one(c, "tset") or ()
        return t.TypeParam(self.ident(c[0]), sets, span=self.span(at))

    def _on_tset(self, at: Tree[Any], c: list[Any]) -> tuple[t.Ident, ...]:
        return self.idents(c)

    def _on_extern(self, at: Tree[Any], c: list[Any]) -> t.Extern:
        doc, (kind, name, *rest) = self.split_doc(c)
        target: Any = next(i for i in rest if isinstance(i, Token))
        texts = {
            i.data: self.string(i.children[0])  # type: ignore[arg-type]  # always a token
            for i in rest
            if isinstance(i, Tree) and i.data in ("model", "because")
        }
        return t.Extern(
            self.ident(name),
            self.ident(kind),
            tuple(self.many(rest, "param")),
            self.one(rest, "ptype"),
            self.string(target),
            tuple(self.many(rest, "eflag")),
            texts.get("model"),
            texts.get("because"),
            doc=doc,
            span=self.span(at),
        )

    # ---- rules ----

    def _on_ruleset(self, at: Tree[Any], c: list[Any]) -> t.RuleSetDecl:
        doc, (name, *rest) = self.split_doc(c)
        return t.RuleSetDecl(
            self.ident(name),
            tuple(self.many(rest, "fact")),
            self.one(rest, "setsum") or (),
            self.one(rest, "setbody") or (),
            doc=doc,
            span=self.span(at),
        )

    def _on_setsum(self, at: Tree[Any], c: list[Any]) -> tuple[t.Ident, ...]:
        return tuple(i for i in self.idents(c) if i != "+")

    def _on_setbody(self, at: Tree[Any], c: list[Any]) -> tuple[t.Rule, ...]:
        return tuple(self.many(c, "rule"))

    def _on_rule(self, at: Tree[Any], c: list[Any]) -> t.Rule:
        doc, (name, *rest) = self.split_doc(c)
        special: dict[str, Any] = {"tparams": None, "equiv": None, "priority": 0}
        parts: list[Any] = []
        for item in rest:
            if item.data in special:
                special[item.data] = self.of(item)
            else:
                parts.append(self.of(item))
        pattern, replacement, *clauses = parts
        return t.Rule(
            self.ident(name),
            special["tparams"] or (),
            special["equiv"],
            special["priority"] or 0,
            pattern,
            replacement,
            tuple(clauses),
            doc=doc,
            span=self.span(at),
        )

    def _on_equiv(self, at: Tree[Any], c: list[Any]) -> t.Equiv:
        amount = number(c[1]) if len(c) > 1 else None
        return t.Equiv(self.ident(c[0]), amount, span=self.span(at))

    _on_tolerate = _on_equiv

    def _on_priority(self, at: Tree[Any], c: list[Any]) -> int:
        return int(c[0])

    def _on_prove(self, at: Tree[Any], c: list[Any]) -> t.Prove:
        return t.Prove(self.ident(c[0]), tuple(self.many(c, "fact")), span=self.span(at))

    # ---- stages, targets, pipeline ----

    def _on_stage(self, at: Tree[Any], c: list[Any]) -> t.Stage:
        doc, (name, *rest) = self.split_doc(c)
        legal = tuple(self.many(rest, "legal"))
        return t.Stage(self.ident(name), self.idents(rest), legal, doc=doc, span=self.span(at))

    def _on_legal(self, at: Tree[Any], c: list[Any]) -> t.Legal:
        kind, pattern, *rest = c
        guard = self.one(rest, "when")
        message = next((unquote(i) for i in rest if isinstance(i, Token)), None)
        return t.Legal(
            kind == "allow",
            self.of(pattern),
            tuple(self.many(rest, "tparam")),
            guard and guard.guard,
            message,
            span=self.span(at),
        )

    def _on_target(self, at: Tree[Any], c: list[Any]) -> t.TargetDecl:
        doc, (name, *rest) = self.split_doc(c)
        extends = self.idents(rest)
        facts = tuple(self.of(i) for i in rest if isinstance(i, Tree))
        return t.TargetDecl(
            self.ident(name), extends[0] if extends else None, facts, doc=doc, span=self.span(at)
        )

    def _fact(self, at: Tree[Any], c: list[Any]) -> t.TargetFact:
        name, *rest = c
        sets = self.one(rest, "tset") or ()
        text: Any = next((i for i in rest if isinstance(i, Tree) and i.data == "text"), None)
        value: Any = self.value(text.children[0]) if text else None
        last: Any = rest[-1] if rest else None
        if isinstance(last, Token):
            value = self.value(last)
        kind = at.data.removeprefix("t")
        return t.TargetFact(kind, self.ident(name), sets, value, span=self.span(at))

    _on_ttype = _on_tvector = _on_tliteral = _fact
    _on_ttext = _on_tlimit = _on_tfeature = _fact

    def _on_tspell(self, at: Tree[Any], c: list[Any]) -> t.TargetFact:
        kind, name, *rest = at.data.removeprefix("t"), *c
        value = self.value(rest[-1].children[0])
        sets, one = self.one(rest, "tset") or (), self.one(rest, "of_one")
        of = one or self.one(rest, "of") or ()
        span = self.span(at)
        return t.TargetFact(kind, self.ident(name), sets, value, of, one is not None, span=span)

    _on_thelper = _on_tspell_lanes = _on_thelper_lanes = _on_tspell

    def _on_tcore(self, at: Tree[Any], c: list[Any]) -> t.TargetFact:
        sets, result, *facts = c
        name, held, span = self.ident(result), tuple(self.of(f) for f in facts), self.span(at)
        return t.TargetFact(t.CORE, name, self.of(sets), None, held=held, span=span)

    def _on_of(self, at: Tree[Any], c: list[Any]) -> tuple[t.Ident, ...]:
        return self.one(c, "tset") or ()

    _on_of_one = _on_of

    def _on_tlower(self, at: Tree[Any], c: list[Any]) -> t.TargetFact:
        names = self.idents(c)
        return t.TargetFact("lower", names[0], (), names, span=self.span(at))

    def _on_pipeline(self, at: Tree[Any], c: list[Any]) -> t.Pipeline:
        doc, (name, *rest) = self.split_doc(c)
        return t.Pipeline(
            self.ident(name),
            tuple(self.many(rest, "tolerate")),
            tuple(self.many(rest, "phase")),
            tuple(self.many(rest, "entry")),
            doc=doc,
            span=self.span(at),
        )

    def _on_entry(self, at: Tree[Any], c: list[Any]) -> t.EntryDecl:
        doc, (name, action, source, result) = self.split_doc(c)
        what = action.children[0]
        text = unquote(what) if what.type == "STRING" else str(what)
        return t.EntryDecl(
            self.ident(name),
            action.data.removeprefix("a"),
            t.Ident(text, self.span(what)),
            self.ident(source),
            self.ident(result),
            doc=doc,
            span=self.span(at),
        )

    # ---- graphs and cases ----

    def _on_body(self, at: Tree[Any], c: list[Any]) -> t.Body:
        *lines, result = c
        items = tuple(self.of(i) for i in lines)
        return t.Body(items, self.of(result), span=self.span(at))

    def _on_line(self, at: Tree[Any], c: list[Any]) -> t.Line:
        return t.Line(self.ident(c[0].children[0]), self.of(c[1]), span=self.span(at))

    def _on_case(self, at: Tree[Any], c: list[Any]) -> t.Case:
        doc, (name, *parts) = self.split_doc(c)
        sections = tuple(self._part(i, i.children) for i in parts)
        return t.Case(self.ident(name), sections, doc=doc, span=self.span(at))

    def _part(self, at: Tree[Any], c: list[Any]) -> t.CasePart:
        body = self.one(c, "body")
        strings = [i for i in c if getattr(i, "type", None) == "STRING"]
        strings += [i.children[0] for i in c if isinstance(i, Tree) and i.data == "text"]
        names = self.idents(i for i in c if getattr(i, "type", None) != "STRING")
        text = unquote(strings[0]) if strings else None
        kind = {"step": "entry", "legalat": "legal"}.get(str(at.data), str(at.data))
        return t.CasePart(kind, names, body, text, span=self.span(at))
