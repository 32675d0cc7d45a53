"""A user's file of rules: checked like the spec, compiled in front of one of its sets."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

from rulewright.checks.beside import load_spec
from rulewright.checks.equiv import check_loaded
from rulewright.checks.files import check_files
from rulewright.errors import RuleError, UsageError, listed
from rulewright.ir.expected import refuse
from rulewright.ir.rulesets import (
    FileRuleSet,
    LoadedRules,
    Overlay,
    RuleSet,
    ruleset as known_ruleset,
)
from rulewright.lang import tree as t
from rulewright.lang.allowed import allow_externs
from rulewright.lang.beside import beside_files
from rulewright.lang.build import all_files, load_table, spec_files
from rulewright.lang.diagnostics import rule_error
from rulewright.lang.matcher import generate_rules
from rulewright.lang.parse import parse_text, try_parse
from rulewright.lang.reading import read_source
from rulewright.lang.symbols import collect
from rulewright.lang.table import extern_row, ruleset_row
from rulewright.paths import spec_dir

Row = dict[str, Any]


def load_rules(
    path: str | Path, at: str = "symbolic", externs: Collection[str] = (), ruleset: str = ""
) -> LoadedRules:
    """Load the rules of a `.uop` file in front of the ruleset `at`, in this thread or task.

    All of them, or those of one `ruleset` of the file.

    They are tried before the set's own rules, wherever `at` is used by itself or as a part. The
    answer is a context manager and a handle with `close()`. The file's own externs are functions of
    modules that the spec takes some from, or of `externs`: no other module is imported.

    Raises RuleError with every problem of the file, and then loads nothing: also for a rule that
    changes more than the pipeline which runs `at` tolerates. UsageError for an unknown set, for a
    missing file and for one that is no UTF-8 text, ArgumentError for arguments of other kinds.
    """
    if not isinstance(path, str | os.PathLike):
        refuse("load_rules", "the path of a file", path)
    for name in (at, ruleset):
        if not isinstance(name, str):
            refuse("load_rules", "the name of a ruleset", name)
    known_ruleset(at)
    try:
        text = read_source(path)
    except UsageError as error:
        error.args = (f"load_rules: {error}",)
        raise
    key = blake2b(f"{ruleset}\n{text}".encode(), digest_size=16).hexdigest()
    with allow_externs(externs):
        return LoadedRules(Overlay(at, key, _compile(text, path, at, ruleset)))


def _compile(text: str, path: str | Path, at: str, name: str) -> ModuleType:
    """The matcher of a user's file, or of the set of this name."""
    source = user_matcher_source(text, str(path), at, name)
    module = ModuleType(f"rulewright_rules_{Path(path).stem}")
    exec(compile(source, f"<matcher of {path}>", "exec"), module.__dict__)
    return module


def checked_file(text: str, path: str, at: str = "") -> t.SourceFile:
    """A user's file, parsed and checked; it may declare externs and use what the spec declares.

    With `at`, its rules are to run in front of that set, where no more may change than the
    pipeline tolerates. Raises RuleError with every problem that the checks find, and for a file
    without rules.
    """
    file = parse_text(text, path)
    problems = check_files([file], all_files())
    if at and not problems:
        rules = [rule for item in file.all(t.RuleSetDecl) for rule in item.rules]
        problems = list(check_loaded(rules, at, collect(all_files())[0]))
    if problems:
        raise rule_error(problems, lambda name: text if name == path else None)
    if not any(item.rules for item in file.all(t.RuleSetDecl)):
        raise RuleError(f"{path}: expected a ruleset with rules, found none")
    return file


def user_matcher_source(text: str, path: str, at: str = "", name: str = "") -> str:
    """The source of the matcher of all rules in a user's file, or of one of its sets, in order.

    Raises what `checked_file` raises, and UsageError for a set that the file does not have.
    """
    file = checked_file(text, path, at)
    if any(file.all(t.OpDecl)):
        raise UsageError(
            f"load_rules: {path} declares ops: load_spec(path) takes them in with their rules, "
            "whose sets say `at = SET`"
        )
    sets = {str(item.name): item for item in file.all(t.RuleSetDecl)}
    wanted = _with_parts(_chosen(Path(path), name, list(sets)), sets) if name else list(sets)
    rules = [rule for n, item in sets.items() if n in wanted for rule in item.rules]
    return _generate(path, file, rules)


def _with_parts(name: str, sets: Mapping[str, t.RuleSetDecl]) -> set[str]:
    """A set of a file and those of the same file that it is the sum of."""
    parts = [str(part) for part in sets[name].parts if part in sets]
    return {name}.union(*(_with_parts(part, sets) for part in parts))


def user_sets(text: str, path: str) -> dict[str, tuple[Row, str]]:
    """Each set of a user's file: its row, and the matcher source of the rules that it holds.

    The source is empty for a set that only has parts. Raises what `checked_file` raises.
    """
    file = checked_file(text, path)
    return {
        str(item.name): (
            ruleset_row(item),
            _generate(str(item.name), file, item.rules) if item.rules else "",
        )
        for item in file.all(t.RuleSetDecl)
    }


def _generate(name: str, file: t.SourceFile, rules: Sequence[t.Rule]) -> str:
    table = load_table()
    externs = {str(item.name): extern_row(item) for item in file.all(t.Extern)}
    return generate_rules(name, rules, {**table, "externs": {**table["externs"], **externs}})


def file_ruleset(path: Path, name: str = "") -> RuleSet:
    """The set of this name in a file, or the last one if no name is given.

    The file is a user's or one of the spec; one that declares ops is loaded beside the spec, for as
    long as the process lasts. Raises RuleError with every problem of a user's file,
    UsageError if it has no such set, or is no UTF-8 text.
    """
    if path.resolve() in [known.resolve() for known in spec_files()]:
        place = f"spec/{path.resolve().relative_to(spec_dir().resolve()).as_posix()}"
        rows = load_table()["rulesets"]
        names = [known for known, row in rows.items() if row["file"] == place]
        return known_ruleset(_chosen(path, name, names))
    text = read_source(path)
    if _declares_ops(text, str(path)) or path.resolve() in _loaded_paths():
        return known_ruleset(_chosen(path, name, list(load_spec(path).rulesets)))
    sets = user_sets(text, str(path))
    return FileRuleSet(_chosen(path, name, list(sets)), sets)


def _declares_ops(text: str, path: str) -> bool:
    file, _ = try_parse(text, path)
    return any(file.all(t.OpDecl))


def _loaded_paths() -> list[Path]:
    return [Path(file.path).resolve() for file in beside_files()]


def _chosen(path: Path, name: str, names: list[str]) -> str:
    if name and name not in names:
        raise UsageError(f"{path} has no ruleset {name!r}; {listed('it has', names, name)}")
    if not names:
        raise UsageError(f"{path} has no ruleset")
    return name or names[-1]
