"""What a full run of `mutate` found, kept with the rules: what kills each mutant, and what lives.

A record is a row a rule: how many mutants `check`, `example`, `measure` and `prove` kill; by name
those that a case kills (with the case), that only a slow proof kills, that are sound, that survive.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mutation.mutants import Mutant
from mutation.run import KILLED, SLOW, Fate, quick_fate, summary, tried
from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec

Row = dict[str, Any]
_COUNTED = ("check", "example", "measure", "prove")


def rows(fates: Sequence[Fate]) -> dict[str, Row]:
    """A row for each rule that has fates."""
    rows_by_rule: dict[str, Row] = {}
    for fate in fates:
        row = rows_by_rule.setdefault(fate.rule, {})
        if fate.by == "case":
            row.setdefault("case", {})[fate.what] = fate.note
        elif fate.note.endswith(SLOW):
            row.setdefault("slow", []).append(fate.what)
        elif fate.by in _COUNTED:
            row[fate.by] = row.get(fate.by, 0) + 1
        else:
            row.setdefault(fate.by, []).append(fate.what)
    return rows_by_rule


def fates_of(record: Mapping[str, Row]) -> Iterator[Fate]:
    """The fates that rows were made of; those that are only counted have no name."""
    for rule, row in record.items():
        for by in _COUNTED:
            yield from (Fate(rule, "", by) for _ in range(row.get(by, 0)))
        yield from (Fate(rule, what, "case", note) for what, note in row.get("case", {}).items())
        yield from (Fate(rule, what, "prove", SLOW) for what in row.get("slow", ()))
        for by in ("sound", "survived"):
            yield from (Fate(rule, what, by) for what in row.get(by, ()))


def read(path: Path) -> dict[str, Row]:
    """The rows of a file; none where there is no file."""
    record: dict[str, Row] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return record


def write(path: Path, fates: Sequence[Fate]) -> None:
    """Put the rows of these fates in the place of what a file says of their rules.

    Rules that are no more are left out; a line a rule.
    """
    known = {**read(path), **rows(fates)}
    names = [rule for _, rule in _rules() if rule in known]
    lines = [f"{json.dumps(n)}: {json.dumps(known[n], sort_keys=True)}" for n in names]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _rules() -> Iterator[tuple[str, str]]:
    for file in parsed_spec():
        for ruleset in file.all(t.RuleSetDecl):
            yield from ((str(ruleset.name), str(rule.name)) for rule in ruleset.rules)


def by_set(record: Mapping[str, Row], reasons: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The numbers of each rule set, and of all."""
    fates = list(fates_of(record))
    sets = {rule: name for name, rule in _rules()}
    numbers_of = {
        name: summary([f for f in fates if sets.get(f.rule) == name], reasons)
        for name in dict.fromkeys(sets.values())
    }
    with_mutants = {name: numbers for name, numbers in numbers_of.items() if numbers["mutants"]}
    return {**with_mutants, "all": summary(fates, reasons)}


def stale(record: Mapping[str, Row], mutants: Collection[Mutant]) -> list[str]:
    """Rules that have other mutants than when they were run: another number, or other names."""
    now: dict[str, set[str]] = {}
    for mutant in mutants:
        now.setdefault(mutant.name, set()).add(mutant.what)
    counts = Counter(fate.rule for fate in fates_of(record))
    named = {
        fate.rule
        for fate in fates_of(record)
        if fate.what and fate.what not in now.get(fate.rule, ())
    }
    return [name for name, what in now.items() if counts[name] != len(what) or name in named]


def still_killed(mutant: Mutant, record: Mapping[str, Row], cases: Path) -> bool:
    """Whether a mutant that was killed still is, by what is quick or by the case that did it.

    Those that a slow proof killed, that are sound or survived are not asked: they are.
    """
    row = record.get(mutant.name, {})
    if mutant.what in (*row.get("slow", ()), *row.get("sound", ()), *row.get("survived", ())):
        return True
    place, _, _ = row.get("case", {}).get(mutant.what, "").partition(": ")
    if place:
        return bool(tried(mutant.rule, cases, cases / place))
    return quick_fate(mutant).by in KILLED
