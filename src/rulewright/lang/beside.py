"""Files beside the spec: what users add to it, for as long as the process lasts.

Such a file declares ops, targets, externs, measures and rulesets. They join the table that
`load_table` gives, under names that nothing has yet. `ruleset NAME at = SET` has its rules tried
before those of a set of the spec. `target C extends C { … }` adds spellings of the file's own ops
to C and to all that extends it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulewright.lang.tree import SourceFile

Row = dict[str, Any]


@dataclass(frozen=True)
class SpecFile:
    """A file that was loaded: its place, its text, the rows of what it declares by kind, and what
    stands for the code of its externs."""

    path: str
    text: str = field(repr=False)
    rows: Row = field(repr=False)
    code: str = field(default="", repr=False)

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


def digest(text: str) -> str:
    """A hash of a text."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def add_file(file: SpecFile) -> None:
    """Count a file among those that were loaded, once the table holds what it declares."""
    _loaded.append(file)
    for everything in _keys:
        texts = [f.text + f.code for f in _loaded if everything or f.changes_all]
        _keys[everything] = digest("\0".join(texts)) if texts else ""
    if file.changes_all:
        for forget in on_load:
            forget()
