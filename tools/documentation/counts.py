"""How much of the compiler's knowledge is written as rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec
from rulewright.lang.signature import calls


@dataclass(frozen=True)
class Counts:
    """Rules, how many of them call no extern, and what is declared about their being right."""

    rules: int
    declarative: int
    externs: int
    proved: int
    trusted: int

    def __str__(self) -> str:
        share = 100 * self.declarative // max(1, self.rules)
        return (
            f"{self.rules} rules, {self.declarative} of them ({share} %) purely declarative; "
            f"{self.externs} externs; {self.proved} rules to be proved, {self.trusted} trusted"
        )


def count(files: Iterable[t.SourceFile] | None = None) -> Counts:
    """The counts of some parsed files; of the spec if none are given."""
    files = list(parsed_spec() if files is None else files)
    rules = [r for f in files for s in f.all(t.RuleSetDecl) for r in s.rules]
    externs = {str(e.name) for f in files for e in f.all(t.Extern)}
    return Counts(
        len(rules),
        sum(not calls(rule, externs) for rule in rules),
        len(externs),
        sum(bool(rule.all(t.Prove)) for rule in rules),
        sum(bool(rule.all(t.Trust)) for rule in rules),
    )
