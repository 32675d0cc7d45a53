"""Answers about names: where they are declared, where they are used, what there is to say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rulewright.checks.externs import find_function
from rulewright.errors import UsageError
from rulewright.lang import tree as t
from rulewright.lang.syntax import CLAUSES
from rulewright.lsp.names import KINDS, PYTHON, TYPE, VARIABLE, Occurrence, at
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


# ---- other names for rules, sets, externs and variables; refused where meanings would change -----


_LOWER, _UPPER = r"[a-z][A-Za-z0-9_]*", r"[A-Z][A-Z0-9_]*"
_CAMEL = r"[A-Z][A-Z0-9]*[a-z][A-Za-z0-9_]*"
_FORMS = {
    **dict.fromkeys(("rule", "ruleset", "extern", "measure", "stage", "entry"), _LOWER),
    **dict.fromkeys(("graph", "case", VARIABLE), _LOWER),
    TYPE: _UPPER,
    **dict.fromkeys(("group", "dtype set"), _CAMEL),
}
"""What may be renamed, and what its names look like. Python knows all else by its name."""


def renamable(project: Project, path: Path, name: Occurrence) -> None:
    """Raises UsageError, with the reason, for a name that cannot be changed."""
    if name.kind not in _FORMS:
        raise UsageError(f"the {name.kind} is known to Python by its name `{name.name}`")
    home = declaration(project, path, name)
    if home is None:
        raise UsageError(f"`{name.name}` is declared nowhere")
    inside = any(home.path.is_relative_to(folder) for folder in project.folders)
    if home.path != path and not inside:
        raise UsageError(f"{name.kind} `{name.name}` is declared outside of the open folders")


def rename(project: Project, path: Path, name: Occurrence, new: str) -> dict[Path, list[t.Span]]:
    """The spans of each file that are to hold the new name.

    Raises UsageError for a name that cannot be changed or a new one that is no such name, is taken,
    or would make some name of the changed files mean another thing.
    """
    renamable(project, path, name)
    if not re.fullmatch(_FORMS[name.kind], new):
        raise UsageError(f"`{new}` is no name for a {name.kind}: expected the form {name.name!r}")
    if new in CLAUSES:
        raise UsageError(f"`{new}` begins a clause")
    spans_of: dict[Path, list[t.Span]] = {}
    for other, place in references(project, path, name):
        spans_of.setdefault(other, []).append(place.span)
    _refuse_taken(project, path, name, new)
    texts = {p: replaced(project.text(p), spans, new) for p, spans in spans_of.items()}
    changed = project.with_texts(texts)
    for other in spans_of:
        _refuse_change(project, changed, other, name, new)
    return spans_of


def replaced(text: str, spans: Iterable[t.Span], new: str) -> str:
    """The text with a new word at each span; a span lies within one line."""
    lines = text.split("\n")
    for span in sorted(spans, reverse=True):
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.column - 1] + new + line[span.end_column - 1 :]
    return "\n".join(lines)


def _refuse_taken(project: Project, path: Path, name: Occurrence, new: str) -> None:
    if name.kind == VARIABLE and (new == "ctx" or new in project.symbols(path).dtypes):
        raise UsageError(f"`{new}` means something in every rule")
    if name.scope is not None:
        taken = any(o.name == new and o.scope == name.scope for o in project.occurrences(path))
    else:
        wanted = name._replace(name=new, declares=False)
        taken = declaration(project, path, wanted) is not None
    if taken:
        raise UsageError(f"there is a {name.kind} `{new}` already")


def _refuse_change(before: Project, after: Project, path: Path, name: Occurrence, new: str) -> None:
    """Compare all names of a changed file with those it had, one by one."""
    if len(after.parsed(path).errors) > len(before.parsed(path).errors):
        raise UsageError(f"`{new}` cannot stand where `{name.name}` stands in {before.name(path)}")
    pairs = zip(before.occurrences(path), after.occurrences(path), strict=False)
    same_number = len(before.occurrences(path)) == len(after.occurrences(path))
    if not same_number or any(_meaning(a, name, new) != _meaning(b, name, new) for a, b in pairs):
        raise UsageError(f"`{new}` would mean something else in {before.name(path)}")


def _meaning(other: Occurrence, name: Occurrence, new: str) -> tuple[str, str, bool, bool]:
    """A name without its place; the old and the new one count as the same."""
    is_it = other.kind == name.kind and other.name in (name.name, new)
    shown = new if is_it else other.name
    return other.kind, shown, other.declares, other.scope is None
