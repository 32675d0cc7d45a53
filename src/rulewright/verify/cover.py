"""Which rules fired in the cases, the golden programs and the test-suite, and which guards refused.

The suite writes what it counted to a folder, one file a process (`pytest --cover-rules=FOLDER`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulewright.errors import UsageError
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.verify.cover_count import Counts, guard_clauses, recording
from rulewright.verify.refusals import unshown_clauses

if TYPE_CHECKING:
    from rulewright.checks.run_cases import Handler
    from rulewright.ir.uop import UOp


@dataclass(frozen=True)
class Clause:
    """A guard clause: its place and text, how often it was asked, how often it said no.

    `shown`: a `reject` of the rule is refused by it alone.
    """

    line: int
    text: str
    asked: int
    refused: int
    shown: bool


@dataclass(frozen=True)
class Row:
    """What one rule did. `fired` is by source: cases, programs, suite."""

    set: str
    rule: str
    file: str
    line: int
    fired: Mapping[str, int]
    clauses: tuple[Clause, ...]

    @property
    def times(self) -> int:
        """How often the rule fired in all."""
        return sum(self.fired.values())

    def to_json(self) -> dict[str, Any]:
        """Plain data for `--format json`."""
        clauses = [vars(clause) for clause in self.clauses]
        return {**vars(self), "fired": dict(self.fired), "clauses": clauses}


def rows(counts: Mapping[str, Counts]) -> list[Row]:
    """What every rule of the spec did, in the order of the text. `counts` by source."""
    total = Counts()
    for part in counts.values():
        total.add(part)
    found = []
    for file in parsed_spec():
        lines = file.text.split("\n")
        for ruleset in file.all(t.RuleSet):
            for rule in ruleset.rules:
                name = str(rule.name)
                fired = {source: part.fired[name] for source, part in counts.items()}
                clauses = tuple(_clauses(rule, lines, total))
                line = rule.name.span.line
                found.append(Row(str(ruleset.name), name, file.path, line, fired, clauses))
    return found


def _clauses(rule: t.Rule, lines: Sequence[str], total: Counts) -> Iterator[Clause]:
    unshown = {clause.number for clause in unshown_clauses([rule], load_table())}
    for number, guard in enumerate(guard_clauses(rule)):
        key = str(rule.name), number
        counted = total.asked[key], total.refused[key]
        yield Clause(guard.span.line, _text(guard.span, lines), *counted, number not in unshown)


def _text(span: t.Span, lines: Sequence[str]) -> str:
    """What stands at a place, on one line."""
    taken = list(lines[span.line - 1 : span.end_line])
    taken[-1] = taken[-1][: span.end_column - 1]
    taken[0] = taken[0][span.column - 1 :]
    return " ".join(" ".join(taken).split())


# ---- what is run ---------------------------------------------------------------------------------


def run_cases(folder: Path) -> Counts:
    """Run every case below a folder. Whether a case holds is for the tests to say."""
    from rulewright.checks.run_cases import load_cases, run_case

    with recording() as counts:
        for path in sorted(folder.rglob("*.uop")):
            for case in load_cases(path):
                run_case(case, handlers())
    return counts


def handlers() -> dict[str, Handler]:
    """What runs the sections of cases that the language's own layer cannot."""
    return {"source": _source}


def _source(case: t.Case, root: UOp, part: t.CasePart) -> str | None:
    """The source of a kernel, or of a program (a LINEAR) that is named like the case."""
    from rulewright.codegen.lower import lower_kernel
    from rulewright.ir.ops import Ops
    from rulewright.render import render, target

    name, wanted = str(part.names[0]), (part.text or "").strip()
    if root.op is Ops.LINEAR:
        made = render(root.src, target(name), str(case.name)).strip()
    else:
        made = lower_kernel(root, name).source.strip()
    return None if made == wanted else f"expected\n{wanted}\nfound\n{made}"


def run_programs() -> Counts:
    """Compile all golden programs for all targets."""
    from rulewright.verify import golden

    with recording() as counts:
        for name in golden.names():
            golden.texts(name)
    return counts


# ---- what the suite counted ----------------------------------------------------------------------


def write_counts(counts: Counts, folder: Path, worker: str) -> None:
    """Keep what one process of the suite counted."""
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{worker}.{os.getpid()}.tmp"
    made.write_text(json.dumps(counts.to_json()), encoding="utf-8")
    made.replace(folder / f"{worker}.json")


def read_counts(folder: Path) -> Counts:
    """What all processes of the suite counted. Raises UsageError for a folder without counts."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise UsageError(
            f"expected counts of the test-suite in {folder}, found none; "
            f"run `pytest --cover-rules={folder}`"
        )
    total = Counts()
    for path in files:
        try:
            total.add(Counts.from_json(json.loads(path.read_text(encoding="utf-8"))))
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise UsageError(f"{path} holds no counts of rules: {error}") from None
    return total


# ---- reviewed lists ------------------------------------------------------------------------------


def read_reasons(path: Path) -> dict[str, str]:
    """A reviewed list: one `name => reason` a line, `#` for comments.

    Raises UsageError for a line without a name or a reason, and for a name given twice.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = (part.strip() for part in line.partition(" => "))
        if not name or not reason:
            raise UsageError(f"{path}:{number}: expected `name => reason`, found {line.strip()!r}")
        if name in found:
            raise UsageError(f"{path}:{number}: {name} is listed twice")
        found[name] = reason
    return found
