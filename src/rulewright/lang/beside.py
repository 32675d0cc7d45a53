"""Files beside the spec: what users add to it, for as long as the process lasts.

Such a file declares ops, targets, externs and rulesets. They join the table that `load_table`
gives, under names that nothing has yet. `ruleset NAME at = SET` has its rules tried before those
of a set of the spec. `target C extends C { … }` adds spellings of the file's own ops to C and to
all that extends it.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from rulewright.diskcache import DiskCache
from rulewright.errors import UsageError
from rulewright.options import options

if TYPE_CHECKING:
    from rulewright.lang.tree import SourceFile

Row = dict[str, Any]

_lock = RLock()


@dataclass(frozen=True)
class SpecFile:
    """A file that was loaded: its place, its text, and the rows of what it declares by kind."""

    path: str
    text: str
    rows: Row

    @property
    def ops(self) -> tuple[str, ...]:
        """The names of the ops that it declares."""
        return tuple(row["name"] for row in self.rows["ops"])

    @property
    def targets(self) -> tuple[str, ...]:
        """The names of the targets that it declares."""
        return tuple(self.rows["targets"])

    @property
    def rulesets(self) -> tuple[str, ...]:
        """The names of the rulesets that it declares."""
        return tuple(self.rows["rulesets"])

    @property
    def changes_all(self) -> bool:
        """Whether it is about targets and rules of the spec too."""
        at = any("at" in row["options"] for row in self.rows["rulesets"].values())
        return bool(at or self.rows["ops"] or self.rows["spellings"])

    @cached_property
    def tree(self) -> SourceFile:
        """Its syntax tree."""
        from rulewright.lang.parse import parse_text

        return parse_text(self.text, self.path)


_loaded: list[SpecFile] = []
_keys = {True: "", False: ""}  # made when a file is loaded, asked for at every call
on_load: list[Callable[[], None]] = []
"""Called after a file was loaded: who keeps what was made of the table forgets it."""


def beside_files() -> tuple[SpecFile, ...]:
    """The files that were loaded, in that order."""
    return tuple(_loaded)


def beside_key(everything: bool = True) -> str:
    """What stands for the files loaded so far, for keys of caches; "" for none.

    `everything`: also those that are about their own targets alone.
    """
    return _keys[everything]


def target_key(name: str) -> str:
    """What a target's kernels depend on of files beside the spec, for keys of caches."""
    own = any(name in file.targets for file in _loaded)
    return beside_key(everything=own)


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
    from rulewright.ir.given import refuse
    from rulewright.lang.allowed import allow_externs
    from rulewright.lang.reading import read_source

    if not isinstance(path, str | Path):
        refuse("load_spec", "the path of a file", path)
    try:
        text = read_source(path)
    except UsageError as error:
        error.args = (f"load_spec: {error}",)
        raise
    place = Path(path).resolve()
    with _lock:
        for file in _loaded:
            if file.text == text:
                return file
            if Path(file.path).resolve() == place:
                raise UsageError(
                    f"load_spec: {path} has changed since it was loaded; begin a new process"
                )
        with allow_externs(externs):
            found = SpecFile(str(path), text, _rows(text, str(path)))
        _join(found)
    return found


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _rows(text: str, path: str) -> Row:
    """The rows of a file: kept on disk if it was found good, among the same other files."""
    from rulewright.lang.beside_rows import checked_rows
    from rulewright.lang.build import spec_key

    store = DiskCache("lang")
    key = f"beside {path} {_digest(text)} {beside_key()} {spec_key()} {options().EXTERNS}"
    data = store.get(key)
    if data is None:
        data = marshal.dumps(checked_rows(text, path))
        store.put(key, data)
    return dict(marshal.loads(data))


def _join(file: SpecFile) -> None:
    """Put what a file declares into the table."""
    from rulewright.lang.build import forget_matchers, load_table
    from rulewright.lang.more_ops import declare_rows

    table, rows = load_table(), file.rows
    declare_rows(rows["ops"])
    for kind in ("rulesets", "externs", "targets"):
        table[kind].update(rows[kind])
    for name, more in rows["spellings"].items():
        for row in table["targets"].values():
            if _extends(row, name, table["targets"]):
                for kind, spellings in more.items():
                    row[kind] += [s for s in spellings if s not in row[kind]]
    _loaded.append(file)
    for everything in _keys:
        texts = [f.text for f in _loaded if everything or f.changes_all]
        _keys[everything] = _digest("\0".join(texts)) if texts else ""
    if file.changes_all:
        forget_matchers()
        for forget in on_load:
            forget()


def _extends(row: Row | None, name: str, targets: Row) -> bool:
    while row is not None:
        if row["name"] == name:
            return True
        row = targets.get(row["extends"]) if row["extends"] else None
    return False
