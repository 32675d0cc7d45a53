"""Loads files beside the spec: reads and checks one, and puts what it declares in the table.

`lang.beside` says what such a file is, and keeps those that were loaded.
"""

from __future__ import annotations

import marshal
from collections.abc import Collection
from pathlib import Path
from threading import RLock
from typing import Any

from rulewright.checks.files import check_files
from rulewright.checks.own_ops import beside_problems, declare_rows
from rulewright.diskcache import DiskCache
from rulewright.errors import RuleError, UsageError
from rulewright.ir.expected import refuse
from rulewright.lang import tree as t
from rulewright.lang.allowed import allow_externs, allowed_code
from rulewright.lang.beside import SpecFile, add_file, beside_files, beside_key, digest, on_load
from rulewright.lang.build import all_files, forget_matchers, load_table, spec_key
from rulewright.lang.diagnostics import rule_error
from rulewright.lang.parse import parse_text
from rulewright.lang.reading import read_source
from rulewright.lang.table import extern_row, more_spellings, op_row, ruleset_row, target_rows
from rulewright.options import options

Row = dict[str, Any]

_lock = RLock()
on_load.append(forget_matchers)


def load_spec(path: str | Path, externs: Collection[str] = ()) -> SpecFile:
    """Load the ops, targets and rulesets of a `.uop` file, for as long as the process lasts.

    What it says is checked as the spec is. Its externs are functions of modules that the spec
    takes some from, or of `externs`: no other module is imported. Loading the same text again
    does nothing.

    Raises RuleError with every problem of the file, and then loads nothing; UsageError for a file
    that changed since it was loaded, for a missing one and for one that is no UTF-8 text,
    ArgumentError for arguments of other kinds.

    >>> from rulewright import load_spec
    >>> load_spec("cube.uop").ops           # doctest: +SKIP
    ('CUBE',)
    """
    if not isinstance(path, str | Path):
        refuse("load_spec", "the path of a file", path)
    try:
        text = read_source(path)
    except UsageError as error:
        error.args = (f"load_spec: {error}",)
        raise
    place = Path(path).resolve()
    with _lock:
        for file in beside_files():
            if file.text == text:
                return file
            if Path(file.path).resolve() == place:
                raise UsageError(
                    f"load_spec: {path} has changed since it was loaded; begin a new process"
                )
        with allow_externs(externs):
            spec_file = SpecFile(str(path), text, _rows(text, str(path)), allowed_code())
        _join(spec_file)
    return spec_file


def _rows(text: str, path: str) -> Row:
    """The rows of a file: kept on disk if it was found good, among the same other files."""
    store = DiskCache("lang")
    allowed = f"{options().EXTERNS} {allowed_code()}"
    key = f"beside {path} {digest(text)} {beside_key()} {spec_key()} {allowed}"
    data = store.get(key)
    if data is None:
        data = marshal.dumps(checked_rows(text, path))
        store.put(key, data)
    return dict(marshal.loads(data))


def _join(file: SpecFile) -> None:
    """Put what a file declares into the table."""
    table, rows = load_table(), file.rows
    declare_rows(rows["ops"])
    for kind in ("rulesets", "externs", "targets"):
        table[kind].update(rows[kind])
    for name, more in rows["spellings"].items():
        for row in table["targets"].values():
            if _extends(row, name, table["targets"]):
                for kind, spellings in more.items():
                    row[kind] += [s for s in spellings if s not in row[kind]]
    add_file(file)


def _extends(row: Row | None, name: str, targets: Row) -> bool:
    while row is not None:
        if row["name"] == name:
            return True
        row = targets.get(row["extends"]) if row["extends"] else None
    return False


def checked_rows(text: str, path: str) -> Row:
    """What a file beside the spec declares, as rows by kind.

    Raises RuleError with every problem of the file, and for one that declares nothing.
    """
    file = parse_text(text, path)
    problems = [*beside_problems(file)] or check_files([file], all_files(), values=True)
    if problems:
        raise rule_error(problems, lambda name: text if name == path else None)
    table = load_table()
    sets = table["dtype_sets"]
    targets = file.all(t.TargetDecl)
    own = [item for item in targets if item.extends != item.name]
    rows = {
        "ops": [op_row(item, sets) for item in file.all(t.OpDecl)],
        "targets": target_rows(own, sets, table["targets"]),
        "spellings": {str(i.name): more_spellings(i, sets) for i in targets if i not in own},
        "rulesets": {str(item.name): ruleset_row(item) for item in file.all(t.RuleSetDecl)},
        "externs": {str(item.name): extern_row(item) for item in file.all(t.Extern)},
    }
    if not any(rows.values()):
        raise RuleError(f"{path}: expected ops, targets or rulesets, found none")
    return rows
