"""All static checks of `.uop` files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rulewright.checks.decls import check_case, check_decl
from rulewright.checks.equiv import check_tolerance
from rulewright.checks.externs import check_extern_function, check_pass_function
from rulewright.checks.own_ops import beside_problems, declared, meaning_problems, undeclared
from rulewright.checks.rules import check_leaves, check_rules
from rulewright.checks.scopes import check_statement
from rulewright.errors import RuleError, UsageError
from rulewright.lang import tree as t
from rulewright.lang.build import all_files, parsed_spec
from rulewright.lang.diagnostics import Diagnostic, in_order
from rulewright.lang.parse import try_parse
from rulewright.lang.reading import read_source
from rulewright.lang.symbols import Symbols, collect
from rulewright.paths import spec_dir

_FOLLOW_UP = frozenset(["unknown", "unbound", "chain", "beside"])
"""What a declaration that does not parse may cause elsewhere, or is said where all else is well."""

_OF_RULES = frozenset(["rule", "dtype", "measure", "example", "reject", "value"])
"""What a declaration that may not stand where it does may cause in rules."""


def check_paths(paths: Iterable[Path | str]) -> list[Diagnostic]:
    """The problems of files, in order of place. See `rulewright.lang.check`."""
    files, problems = [], []
    for path in paths:
        try:
            text = read_source(path)
        except UsageError as error:
            span = t.Span(str(path), 1, 1, 1, 2)
            problems.append(Diagnostic("text", str(error).removeprefix(f"{path}: "), span))
            continue
        file, errors = try_parse(text, str(path))
        files.append(file)
        problems += errors
    try:
        context = _spec_without(files)
    except RuleError as error:
        return in_order([*problems, *(d for d in error.diagnostics if isinstance(d, Diagnostic))])
    return check_parsed(files, problems, context)


def check_parsed(
    files: Sequence[t.SourceFile],
    errors: Sequence[Diagnostic],
    context: Sequence[t.SourceFile],
    values: bool = True,
) -> list[Diagnostic]:
    """The problems of files with those that their texts had already, in order of place.

    What a declaration that does not parse may cause elsewhere is left out. `values`: as in
    `check_files`.
    """
    more = check_files(files, context, values)
    return in_order([*errors, *(d for d in more if not errors or d.code not in _FOLLOW_UP)])


def _spec_without(files: Sequence[t.SourceFile]) -> list[t.SourceFile]:
    """The files of the spec and those loaded beside it, without those that are being checked.

    A copy of the whole spec elsewhere replaces the spec.
    """
    checked = {Path(f.path).resolve() for f in files}
    shipped, known = len(parsed_spec()), all_files()
    paths = [spec_dir().parent / f.path for f in known[:shipped]]
    paths += [Path(f.path) for f in known[shipped:]]
    names = [path.relative_to(spec_dir()) for path in paths[:shipped]]
    for path in checked:
        if path.name == names[0].name and checked.issuperset(path.parent / n for n in names):
            return list(known[shipped:])
    return [f for path, f in zip(paths, known, strict=True) if path.resolve() not in checked]


def check_files(
    files: Sequence[t.SourceFile], context: Sequence[t.SourceFile] = (), values: bool = False
) -> list[Diagnostic]:
    """The problems of parsed files; `context` holds what they may refer to.

    With `values`, examples are run in the interpreter too, and rewritten to the end.
    """
    symbols, duplicates = collect([*context, *files])
    names = {f.path for f in files}
    items = (item for file in files for item in file.items)
    problems = [*duplicates, *(d for item in items for d in _check_item(item, symbols))]
    unknown = undeclared(i for f in files if _is_beside(f, context) for i in f.all(t.OpDecl))
    rules = [r for f in files for s in f.all(t.RuleSetDecl) for r in s.rules]
    if unknown:  # what is wrong with an op is said once, and not of each rule that has it
        rules = [r for r in rules if unknown.isdisjoint(_ops_of(r))]
    with declared(files):
        if values:
            problems += meaning_problems(i for f in files for i in f.all(t.OpDecl))
        problems += check_rules(rules, symbols, values) if rules else ()
    if rules:  # where they run
        pipelines = [p for f in [*context, *files] for p in f.all(t.Pipeline)]
        problems += check_tolerance(pipelines, symbols)
        problems += check_leaves(names, symbols)
    here = in_order(d for d in problems if d.file in names)
    beside = [d for f in files if _is_beside(f, context) for d in beside_problems(f)]
    if all(d.code in _OF_RULES for d in here):  # which it may have caused
        told = {d.span for d in here}
        here = in_order([*here, *(d for d in beside if d.span not in told)])
    return here


def _ops_of(rule: t.Rule) -> set[str]:
    return {str(n.name) for n in t.walk(rule) if isinstance(n, t.OpName)}


def _is_beside(file: t.SourceFile, context: Sequence[t.SourceFile]) -> bool:
    """Whether a file is none of the spec's, which is there to refer to."""
    outside = not Path(file.path).resolve().is_relative_to(spec_dir().resolve())
    return outside and any(known.all(t.DTypeDecl) for known in context)


def _check_item(item: t.Decl, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from check_decl(item, symbols)
    if isinstance(item, t.Extern):
        yield from check_extern_function(item)
    elif isinstance(item, t.Stage):
        for statement in item.statements:
            yield from check_statement(statement, symbols)
    elif isinstance(item, t.Pipeline):
        for entry in item.entries:
            if entry.action == "pass":
                yield from check_pass_function(entry)
    elif isinstance(item, t.Graph):
        yield from _graph(item.body)
    elif isinstance(item, t.Case):
        yield from _case(item, symbols)


def _graph(body: t.Body) -> list[Diagnostic]:
    from rulewright.ir.read import try_build

    return try_build(body)[1]


def _case(item: t.Case, symbols: Symbols) -> Iterator[Diagnostic]:
    yield from check_case(item, symbols)
    for part in item.parts:
        if part.body is not None:
            yield from _graph(part.body)
