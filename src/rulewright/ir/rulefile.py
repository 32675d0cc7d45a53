"""A rule set of a file by itself, to rewrite with: what `rulewright rewrite --rules` names."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from rulewright.errors import UsageError
from rulewright.ir.rulesets import Match, RuleSet, merge, ruleset
from rulewright.lang.build import load_table, spec_files
from rulewright.paths import spec_dir

_Sets = dict[str, tuple[dict[str, Any], str]]


class FileRuleSet(RuleSet):
    """A set of a user's file. Its parts may be sets of the same file or of the spec."""

    def __init__(self, name: str, sets: _Sets) -> None:
        row, self._source = sets[name]
        super().__init__(row)
        self._found: list[RuleSet] = [
            FileRuleSet(part, sets) if part in sets else ruleset(part) for part in self.parts
        ]

    @cached_property
    def module(self) -> ModuleType:
        """The generated matcher of the rules that the set holds itself."""
        module = ModuleType(f"rulewright_rules_{self.name}")
        exec(compile(self._source, f"<matcher of {self.name}>", "exec"), module.__dict__)
        return module

    def modules(self) -> tuple[ModuleType, ...]:
        """The matchers to try in order, those of the parts first."""
        own = (self.module,) if self._source else ()
        return (*(module for part in self._found for module in part.modules()), *own)

    def match(self) -> Match:
        """Op to the function that tries the rules."""
        return merge([module.MATCH for module in self.modules()])


def file_ruleset(path: Path, name: str = "") -> RuleSet:
    """The set of this name in a file, or the last one if no name is given.

    The file is a user's or one of the spec. Raises RuleError with every problem of a user's file,
    UsageError if it has no such set, or is no UTF-8 text.
    """
    if path.resolve() in [known.resolve() for known in spec_files()]:
        place = f"spec/{path.resolve().relative_to(spec_dir().resolve()).as_posix()}"
        rows = load_table()["rulesets"]
        names = [known for known, row in rows.items() if row["file"] == place]
        return ruleset(_chosen(path, name, names))
    from rulewright.lang.reading import read_source
    from rulewright.lang.userfile import user_sets

    sets = user_sets(read_source(path), str(path))
    return FileRuleSet(_chosen(path, name, list(sets)), sets)


def _chosen(path: Path, name: str, names: list[str]) -> str:
    if name and name not in names:
        raise UsageError(f"{path} has no ruleset {name!r}; it has {', '.join(names) or 'none'}")
    if not names:
        raise UsageError(f"{path} has no ruleset")
    return name or names[-1]
