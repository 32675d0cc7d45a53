"""What a run over all inputs found, on record: `spec/exhaustive.txt`.

Minutes a rule are too much for each `rulewright prove`, so `rulewright prove --exhaustive` runs
them and keeps the results. A line is the program that was run, by the hash of its C, the most ulps
and the input at which they are. A rule, a spelling or a meaning that changes makes another program,
of which nothing is on record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rulewright.errors import RulewrightError
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.paths import spec_dir
from rulewright.verify.prove.compiled import ComparisonProgram, Extent
from rulewright.verify.prove.proof import Outcome
from rulewright.verify.prove.scalars import Terms, shown as shown_trial
from rulewright.verify.prove.terms import NeverMatches, Unsupported
from rulewright.verify.prove.trial import Match, Trial, judge_columns, matcher
from rulewright.verify.prove.typed import TypedRule, Typing

_HEAD = """\
# What running rules on all 2^32 inputs found: the most units in the last place, the input, and the
# program that was run. Made by `rulewright prove --exhaustive`; see verify/prove/recorded.py.
"""


class RecordedInstance(NamedTuple):
    """An instance of a rule with its program; `name` is set, rule and dtypes."""

    name: str
    program: ComparisonProgram
    before: UOp
    after: UOp


def record_file() -> Path:
    """Where the records stand."""
    return spec_dir() / "exhaustive.txt"


def text_of_records() -> str:
    """The records as they stand."""
    path = record_file()
    return path.read_text(encoding="utf-8") if path.exists() else ""


@cache
def _records() -> dict[str, tuple[str, Extent]]:
    """Key of a program to its name and what it found."""
    records = {}
    for line in text_of_records().splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(": ")
            ulps, _, at, key = rest.replace(",", "").split()
            records[key] = name, Extent(float(ulps), int(at, 16))
    return records


def recorded(program: ComparisonProgram) -> Extent | None:
    """What a program found at all inputs; None where that is not on record."""
    extent = _records().get(_key(program))
    return None if extent is None else extent[1]


def keep(case: RecordedInstance, extent: Extent) -> None:
    """Put what a program found on record, in the place of what its rule had there."""
    rows = {k: row for k, row in _records().items() if row[0] != case.name}
    rows[_key(case.program)] = case.name, extent
    lines = [f"{name}: {e.worst:.6f} at 0x{e.at:08x}, {k}" for k, (name, e) in rows.items()]
    record_file().write_text(_HEAD + "\n".join(sorted(lines)) + "\n", encoding="utf-8")
    _records.cache_clear()


def _key(program: ComparisonProgram) -> str:
    return blake2b(program.source.encode(), digest_size=16).hexdigest()


def case_of(
    rule: TypedRule, names: Mapping[int, str], match: Match, label: str = ""
) -> RecordedInstance | None:
    """The instance of a rule at some dtypes, if it can be run on all its inputs."""
    equiv = rule.rule.equiv
    if equiv is None or equiv.name != "ulp":
        return None
    try:
        terms = Terms(rule, names)
        leaves = {name: terms.leaf(name, {}) for name in terms.leaves.variables}
        if terms.leaves.constants or terms.leaves.bounded:
            return None
        before = terms.build({}, leaves)
        after = match(before)
        if after is None:
            return None
        program = ComparisonProgram(before, after, list(leaves.values()))
    except (NeverMatches, Unsupported, RulewrightError):
        return None
    return RecordedInstance(f"{label} {rule.describe(names)}", program, before, after)


def at_all_inputs(rule: TypedRule, choice: Typing, match: Match) -> Outcome | None:
    """What is on record of an instance; None where nothing is, or does not show what it says."""
    case = case_of(rule, choice.names, match)
    extent = None if case is None else recorded(case.program)
    if case is None or extent is None:
        return None
    outcome = Outcome(rule.describe(choice.names), "exhaustive", "all inputs")
    inputs = case.program.inputs(extent.at)
    shown = ", ".join(f"{float(x):.9g}" for x in inputs)
    outcome.note = f"all 2^32 inputs, recorded: within {extent.worst:.3f} ulp, at {shown}"
    equiv = rule.rule.equiv
    if equiv is not None and extent.worst <= float(equiv.amount or 0):
        return outcome
    columns = {leaf: np.array([x]) for leaf, x in zip(case.program.leaves, inputs, strict=True)}
    trial = Trial(case.before, case.after)
    verdict = judge_columns(trial, columns, equiv)
    if not verdict.wrong:  # other than the interpreter, C may fuse products and sums
        return None
    outcome.status, outcome.counterexample = "refuted", shown_trial(trial, columns, verdict)
    return outcome


def cases(rule: t.Rule, set_name: str, table: Mapping[str, Any]) -> Iterator[RecordedInstance]:
    """The instances of a rule that can be run on all their inputs."""
    if rule.equiv is None or rule.equiv.name != "ulp":
        return
    try:
        typed = TypedRule(rule, Facts(table))
    except Unsupported:
        return
    match = matcher(rule, table)
    for choice in typed.instances():
        if choice.whole is not None:
            case = case_of(typed, choice.names, match, f"{set_name}.{rule.name}")
            if case is not None:
                yield case
