"""Texts and their trees: the spec as it is on disk, with what is open in the editor over it.

A document of the spec is read together with the whole spec, any other together with the spec
alone, as `rulewright check` does. A text is parsed once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import NamedTuple

from rulewright.checks.files import check_parsed
from rulewright.errors import RuleError, UsageError
from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec, spec_files
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.parse import try_parse
from rulewright.lang.reading import read_source
from rulewright.lang.symbols import Symbols, collect
from rulewright.lsp.names import Occurrence, occurrences
from rulewright.paths import spec_dir


class Parsed(NamedTuple):
    """A text's tree, as far as it parses, and its errors of syntax."""

    file: t.SourceFile
    errors: list[Diagnostic]


class Project:
    """What is open, and what lies on disk. Paths are absolute and resolved.

    `folders` are those that the editor has open; names are looked for in the `.uop` files below.
    """

    def __init__(self, folders: tuple[Path, ...] = ()) -> None:
        self.folders = folders
        self.open: dict[Path, str] = {}
        self._parsed: dict[Path, tuple[str, Parsed]] = {}
        self._symbols: tuple[tuple[int, ...], Symbols] | None = None
        self.spec = dict.fromkeys(path.resolve() for path in spec_files())
        self._seed()

    def _seed(self) -> None:
        """Take the spec's trees from where they are kept on disk."""
        try:
            files = parsed_spec()
        except RuleError:  # then each is parsed here, and says itself what is wrong
            return
        for path, file in zip(self.spec, files, strict=True):
            self._parsed[path] = file.text, Parsed(file, [])

    def with_texts(self, texts: Mapping[Path, str]) -> Project:
        """The same with other texts open."""
        project = copy(self)  # trees are shared: each is kept with the text it was made from
        project.open = {**self.open, **texts}
        return project

    # ---- one file ----

    def text(self, path: Path) -> str:
        """What is open, else what is on disk; nothing for a file that cannot be read."""
        if path in self.open:
            return self.open[path]
        try:
            return read_source(path)
        except UsageError:
            return ""

    def parsed(self, path: Path) -> Parsed:
        """The tree of a file as its text is now."""
        text = self.text(path)
        known = self._parsed.get(path)
        if known is None or known[0] != text:
            known = text, Parsed(*try_parse(text, self.name(path)))
            self._parsed[path] = known
        return known[1]

    def name(self, path: Path) -> str:
        """What messages call a file: a file of the spec by its path from the folder above."""
        if path in self.spec:
            return f"spec/{path.relative_to(spec_dir().resolve()).as_posix()}"
        return str(path)

    def path(self, name: str) -> Path:
        """The file that messages call so."""
        path = Path(name)
        return path if path.is_absolute() else spec_dir().resolve().parent / name

    # ---- a file and what it may refer to ----

    def visible(self, path: Path) -> list[Path]:
        """The files that a file is read together with: itself first, then the spec."""
        return [path, *(other for other in self.spec if other != path)]

    def symbols(self, path: Path) -> Symbols:
        """Everything that has a name where this file is read."""
        files = [self.parsed(p).file for p in self.visible(path)]
        key = tuple(map(id, files))
        if self._symbols is None or self._symbols[0] != key:
            self._symbols = key, collect(files)[0]
        return self._symbols[1]

    def occurrences(self, path: Path) -> list[Occurrence]:
        """The names of a file."""
        return occurrences(self.parsed(path).file, self.symbols(path))

    def diagnostics(self, path: Path) -> list[Diagnostic]:
        """What `rulewright check` would say of a file, were it saved, without running numbers."""
        file, errors = self.parsed(path)
        context = [self.parsed(p).file for p in self.visible(path)[1:]]
        return check_parsed([file], errors, context, values=False)

    # ---- many files ----

    def candidates(self, word: str) -> Iterator[Path]:
        """The files known here in whose text a word stands: open, of the spec, in the folders."""
        below = (path for folder in self.folders for path in uop_files_below(folder))
        for path in dict.fromkeys([*self.open, *self.spec, *below]):
            if word in self.text(path):
                yield path


def uop_files_below(folder: Path) -> Iterator[Path]:
    """The `.uop` files below a folder; hidden folders and those of packages are not entered."""
    for top, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "node_modules")
        for name in sorted(files):
            if name.endswith(".uop"):
                yield (Path(top) / name).resolve()
