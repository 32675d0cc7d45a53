"""What stands in a file, and what could be written next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol.types import CompletionItem, CompletionItemKind, DocumentSymbol, SymbolKind

from rulewright.lang import signature, tree as t
from rulewright.lang.matcher_facts import BUILTINS, PROPERTIES
from rulewright.lsp.names import KINDS, TYPE, VARIABLE
from rulewright.lsp.positions import TextPositions
from rulewright.lsp.project import Project
from rulewright.lsp.textmate import keywords

_SYMBOLS = {
    "rule": SymbolKind.Method,
    "ruleset": SymbolKind.Class,
    "op": SymbolKind.Operator,
    "dtype": SymbolKind.Struct,
    "dtype set": SymbolKind.Enum,
    "group": SymbolKind.Enum,
    "extern": SymbolKind.Function,
    "stage": SymbolKind.Interface,
    "target": SymbolKind.Module,
    "pipeline": SymbolKind.Namespace,
    "entry": SymbolKind.Event,
}


def outline(file: t.SourceFile, places: TextPositions) -> list[DocumentSymbol]:
    """The declarations of a file, with rules inside of their sets and entries in pipelines."""
    return [_symbol(i, places) for i in file.items if not isinstance(i, t.Promote)]


def _symbol(item: t.Decl, places: TextPositions) -> DocumentSymbol:
    inside: tuple[t.Decl, ...] = ()
    if isinstance(item, t.RuleSetDecl):
        inside = item.rules
    elif isinstance(item, t.Pipeline):
        inside = item.entries
    kind = KINDS[type(item)]
    return DocumentSymbol(
        name=str(item.name),
        detail=kind,
        kind=_SYMBOLS.get(kind, SymbolKind.Object),
        range=places.range(item.span),
        selection_range=places.range(item.name.span),
        children=[_symbol(i, places) for i in inside],
    )


def completions(project: Project, path: Path, line: int, column: int) -> list[CompletionItem]:
    """What may stand at a place: properties behind a dot, else names and keywords."""
    before = project.text(path).split("\n")[line - 1][: column - 1]
    if re.search(r"\w\.\w*$", before):
        return [CompletionItem(n, kind=CompletionItemKind.Property) for n in sorted(PROPERTIES)]
    items = [*_locals(project, path, line), *_globals(project, path)]
    items += [CompletionItem(w, kind=CompletionItemKind.Keyword) for w in keywords()]
    return list({item.label: item for item in reversed(items)}.values())[::-1]


def _locals(project: Project, path: Path, line: int) -> Iterator[CompletionItem]:
    """The names of the rule or graph around a line."""
    for name in project.occurrences(path):
        if name.scope and name.scope.line <= line <= name.scope.end_line:
            kind = {VARIABLE: CompletionItemKind.Variable, TYPE: CompletionItemKind.TypeParameter}
            yield CompletionItem(name.name, kind=kind[name.kind])


def _globals(project: Project, path: Path) -> Iterator[CompletionItem]:
    symbols = project.symbols(path)
    for op in symbols.ops.values():
        yield _item(op, CompletionItemKind.Operator, signature.op(op))
    for extern in symbols.externs.values():
        yield _item(extern, CompletionItemKind.Function, signature.extern(extern))
    tables = (symbols.groups, symbols.dtypes, symbols.dtype_sets, symbols.rulesets, symbols.stages)
    for table in tables:
        for item in table.values():
            yield _item(item, CompletionItemKind.Constant, KINDS[type(item)])
    for name in BUILTINS:
        yield CompletionItem(name, kind=CompletionItemKind.Function)


def _item(item: t.Decl, kind: CompletionItemKind, detail: str) -> CompletionItem:
    return CompletionItem(str(item.name), kind=kind, detail=detail, documentation=item.doc or None)
