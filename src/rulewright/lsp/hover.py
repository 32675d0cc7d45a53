"""What there is to say about a name, as Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulewright.checks.externs import find_function
from rulewright.lang import signature, tree as t
from rulewright.lsp.names import FUNCTION, KINDS, PYTHON, TYPE, VARIABLE, Occurrence, bound_names
from rulewright.lsp.project import Project
from rulewright.lsp.questions import Definition, declaration, python_place
from rulewright.verify.prove import Proof

Prove = Callable[[t.SourceFile, str], Proof | None]
"""The proof of a rule of a file; None where that has too many mistakes."""


def hover(project: Project, path: Path, name: Occurrence, prove: Prove) -> str:
    """The text for a name; empty if there is nothing to say."""
    if name.kind == PYTHON:
        return _python(name.name, name.span)
    if name.kind == FUNCTION:
        return f"`{name.name}`: Python's, over unbounded integers"
    if name.kind in (VARIABLE, TYPE):
        return _local(project, path, name)
    target = declaration(project, path, name)
    if target is None or target.declared is None:
        return ""
    writer = _Writer(project, path, target, prove)
    parts = [*writer.about(target.declared), target.declared.doc]
    place = f"{project.name(target.path)}:{target.span.line}"
    return "\n\n".join([*(p for p in parts if p), place])


def _fenced(text: str, language: str = "uop") -> str:
    return f"```{language}\n{text}\n```"


def _python(target: str, span: t.Span) -> str:
    """A Python function: its signature, its docstring, its place."""
    function = find_function(t.Ident(target, span))
    if not callable(function):
        return ""
    try:
        shown = f"def {function.__name__}{inspect.signature(function)}"
    except (TypeError, ValueError, AttributeError):
        shown = target
    place = python_place(target, span)
    where = f"{place.path.name}:{place.span.line} of {target.partition(':')[0]}" if place else ""
    parts = [_fenced(shown, "python"), inspect.getdoc(function) or "", where]
    return "\n\n".join(p for p in parts if p)


def _local(project: Project, path: Path, name: Occurrence) -> str:
    """A variable or type parameter of the rule, statement or graph around it."""
    file = project.parsed(path).file
    inside = (n for n in t.walk(file) if not isinstance(n, t.SourceFile))
    around = next((n for n in inside if n.span == name.scope), None)
    if name.kind == VARIABLE:
        if isinstance(around, t.Rule):
            return f"`{name.name}`: {bound_names(around).get(name.name, 'a name')}"
        return f"`{name.name}`: a node"
    for param in getattr(around, "type_params", ()):
        if param.name == name.name:
            scalars = sorted(project.symbols(path).dtypes_of(param.sets))
            return f"{_fenced(signature.type_params([param]))}\n\n{', '.join(scalars)}"
    return ""


class _Writer:
    """One method for each kind of declaration; each gives paragraphs that precede the doc."""

    def __init__(self, project: Project, path: Path, target: Definition, prove: Prove) -> None:
        self.project, self.prove = project, prove
        self.symbols = project.symbols(path)
        self.file = project.parsed(target.path).file

    def about(self, item: t.Decl) -> list[str]:
        method: Callable[[Any], list[str]] | None
        method = getattr(self, f"_on_{type(item).__name__.lower()}", None)
        return method(item) if method else [f"{KINDS[type(item)]} `{item.name}`"]

    def _on_rule(self, item: t.Rule) -> list[str]:
        span = item.pattern.span.to(item.replacement.span)
        guards = [signature.source(self.file.text, w.span) for w in item.all(t.When)]
        head = f"rule {item.name}{signature.type_params(item.type_params)}"
        equation = signature.source(self.file.text, span)
        shown = [head, f"  {equation}", *(f"  {guard}" for guard in guards)]
        level = f"needs `equiv {signature.equiv(item.equiv)}`" if item.equiv else ""
        return [_fenced("\n".join(shown)), level, self._status(item)]

    def _status(self, item: t.Rule) -> str:
        proof = self.prove(self.file, str(item.name))
        if proof is None:
            return signature.status(item)
        by = f" by {proof.method}" if proof.method else ""
        width = f", integers up to {proof.width} bits" if proof.width.isdigit() else ""
        note = f" ({proof.note})" if proof.note else ""
        shown = f"**{proof.status}**{by}{width}{note}"
        return f"{shown}\n\n{_fenced(proof.counterexample)}" if proof.counterexample else shown

    def _on_opdecl(self, item: t.OpDecl) -> list[str]:
        groups = [g for g, members in sorted(self.symbols.members.items()) if item.name in members]
        rows = [f"{f.name}: `{f.value}`" for f in item.facts]
        rows += [f"laws: {', '.join(item.flags)}"] if item.flags else []
        rows += [f"in {', '.join(groups)}"] if groups else []
        return [_fenced(f"op {signature.op(item)}"), "  \n".join(rows)]

    def _on_group(self, item: t.Group) -> list[str]:
        return [_fenced(f"group {item.name}"), ", ".join(self.symbols.members[str(item.name)])]

    def _on_dtypedecl(self, item: t.DTypeDecl) -> list[str]:
        sets = [s for s, inside in sorted(self.symbols.scalars.items()) if item.name in inside]
        return [
            _fenced(f"dtype {item.name} : {item.kind}"),
            signature.facts(item.facts),
            f"in {', '.join(sets)}" if sets else "",
        ]

    def _on_dtypeset(self, item: t.DTypeSet) -> list[str]:
        scalars = sorted(self.symbols.scalars[str(item.name)])
        return [_fenced(f"dtypes {item.name}"), ", ".join(scalars)]

    def _on_extern(self, item: t.Extern) -> list[str]:
        flags = " ".join(item.flags)
        why = f"not a rule because it {item.because.value}" if item.because else ""
        shown = _fenced(f"extern {item.kind} {signature.extern(item)} {flags}".rstrip())
        return [shown, why, _python(item.target.value, item.target.span)]

    def _on_rulesetdecl(self, item: t.RuleSetDecl) -> list[str]:
        shown = f"ruleset {item.name} {signature.facts(item.options)}".rstrip()
        parts = f"all of {', '.join(item.parts)}" if item.parts else f"{len(item.rules)} rules"
        return [_fenced(shown), parts]

    def _on_stage(self, item: t.Stage) -> list[str]:
        above = f" extends {', '.join(item.extends)}" if item.extends else ""
        return [_fenced(f"stage {item.name}{above}"), f"{len(item.statements)} statements"]

    def _on_phase(self, item: t.Phase) -> list[str]:
        return [_fenced(f"phase {item.name}")]

    def _on_entrydecl(self, item: t.EntryDecl) -> list[str]:
        shown = f"entry {item.name} = {item.action} {item.what} from {item.source} to {item.result}"
        return [_fenced(shown)]
