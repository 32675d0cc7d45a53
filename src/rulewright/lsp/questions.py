"""Answers about names: where they are declared, where they are used, what there is to say."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rulewright.checks.externs import find_function
from rulewright.lang import tree as t
from rulewright.lsp.names import KINDS, PYTHON, Occurrence, at
from rulewright.lsp.project import Project


class Definition(NamedTuple):
    """A place in a file. `declared` is the declaration there, if it is one of `.uop` text."""

    path: Path
    span: t.Span
    declared: t.Decl | None = None


def name_at(project: Project, path: Path, line: int, column: int) -> Occurrence | None:
    """The name that stands at a place of a file."""
    return at(project.occurrences(path), line, column)


def declaration(project: Project, path: Path, name: Occurrence) -> Definition | None:
    """Where a name is declared: in its own file first, then in the spec; an extern's Python too."""
    if name.kind == PYTHON:
        return python_place(name.name, name.span)
    if name.scope is not None:
        first = next(o for o in project.occurrences(path) if o.identity == name.identity)
        return Definition(path, first.span)
    for other in project.visible(path):
        for item in declarations(project.parsed(other).file):
            if KINDS.get(type(item)) == name.kind and item.name == name.name:
                return Definition(other, item.name.span, item)
    return None


def definitions(project: Project, path: Path, name: Occurrence) -> list[Definition]:
    """Where to go: the declaration; at the declaration of an extern, its Python function."""
    target = declaration(project, path, name)
    if target is None:
        return []
    if isinstance(target.declared, t.Extern) and name.declares:
        function = target.declared.target
        return [place] if (place := python_place(function.value, function.span)) else []
    return [target]


def python_place(target: str, span: t.Span) -> Definition | None:
    """File and line of the function that `module:function` names; None if there is none."""
    function = find_function(t.Ident(target, span))
    try:
        function = inspect.unwrap(function)
        file = inspect.getsourcefile(function)
        line = inspect.getsourcelines(function)[1]
    except (TypeError, OSError):
        return None
    return Definition(Path(file), t.Span(file, line, 1, line, 1)) if file else None


def declarations(file: t.SourceFile) -> Iterator[t.Decl]:
    """Every declaration of a file, also those inside of rulesets and pipelines."""
    for item in file.items:
        if isinstance(item, t.Promote):
            continue
        yield item
        if isinstance(item, t.RuleSetDecl):
            yield from item.rules
        elif isinstance(item, t.Pipeline):
            yield from (*item.phases, *item.entries)


def references(project: Project, path: Path, name: Occurrence) -> list[tuple[Path, Occurrence]]:
    """Every place where a name stands for the same thing, the declaration among them.

    What the spec declares is looked for in the spec, in what is open and in the editor's folders;
    what another file declares means something in that file alone.
    """
    if name.scope is not None:
        here = project.occurrences(path)
        return [(path, o) for o in here if o.identity == name.identity]
    home = declaration(project, path, name)
    if home is None or name.kind == PYTHON:
        return [(path, o) for o in project.occurrences(path) if o.identity == name.identity]
    if home.path not in project.spec:
        here = project.occurrences(home.path)
        return [(home.path, o) for o in here if o.identity == name.identity]
    places = []
    for other in project.candidates(name.name):
        same = [o for o in project.occurrences(other) if o.identity == name.identity]
        if other in project.spec or not any(o.declares for o in same):
            places += [(other, o) for o in same]
    return places
