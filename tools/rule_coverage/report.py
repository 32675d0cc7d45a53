"""Which rules fired in the cases, the golden programs and the test-suite, and which guards refused.

The suite writes what it counted to a folder, one file a process (`pytest --cover-rules=FOLDER`).
Editors show it beside the lines of `spec/` as Cobertura XML.

A guard clause is shown by a `reject` that the rule takes once the clause is dropped, all others
standing: or that it then cannot answer, as `c % d == 0` without `d != 0`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rule_coverage.count import Counts, guard_clauses, recording
from rulewright.errors import UsageError
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec

if TYPE_CHECKING:
    from cases import Handler
    from rulewright.ir.uop import UOp
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from xml.etree import ElementTree

from rulewright.checks.examples import built, matcher_of, uses_context
from rulewright.ir.uop import UOp
from rulewright.lang.matcher_facts import conjuncts
from rulewright.lang.words import words


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
    table = []
    for file in parsed_spec():
        lines = file.text.split("\n")
        for ruleset in file.all(t.RuleSetDecl):
            for rule in ruleset.rules:
                name = str(rule.name)
                fired = {source: part.fired[name] for source, part in counts.items()}
                clauses = tuple(_clauses(rule, lines, total))
                line = rule.name.span.line
                table.append(Row(str(ruleset.name), name, file.path, line, fired, clauses))
    return table


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


# ---- what is run -------------------------------------------------------------------------------


def run_cases(folder: Path) -> Counts:
    """Run every case below a folder. Whether a case holds is for the tests to say."""
    from cases import load_cases, run_case

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
        source = render(root.src, target(name), str(case.name)).strip()
    else:
        source = lower_kernel(root, name).source.strip()
    return None if source == wanted else f"expected\n{wanted}\nfound\n{source}"


def run_programs() -> Counts:
    """Compile all golden programs for all targets."""
    from rulewright.verify import golden

    with recording() as counts:
        for name in golden.names():
            golden.texts(name)
    return counts


# ---- what the suite counted --------------------------------------------------------------------


def write_counts(counts: Counts, folder: Path, worker: str) -> None:
    """Keep what one process of the suite counted."""
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / f"{worker}.{os.getpid()}.tmp"
    written.write_text(json.dumps(counts.to_json()), encoding="utf-8")
    written.replace(folder / f"{worker}.json")


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


# ---- reviewed lists ----------------------------------------------------------------------------


def read_reasons(path: Path) -> dict[str, str]:
    """A reviewed list: one `name => reason` a line, `#` for comments.

    Raises UsageError for a line without a name or a reason, and for a name given twice.
    """
    reasons: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = (part.strip() for part in line.partition(" => "))
        if not name or not reason:
            raise UsageError(f"{path}:{number}: expected `name => reason`, found {line.strip()!r}")
        if name in reasons:
            raise UsageError(f"{path}:{number}: {name} is listed twice")
        reasons[name] = reason
    return reasons


def cobertura(rows: Sequence[Row], root: Path) -> str:
    """One class a file; the line of a rule is hit when it fires, that of a guard when it refuses.

    A guard's line is a branch of two ways for each of its clauses: it held, it refused. `root` is
    the folder that the file names are relative to.
    """
    hit = [row for row in rows if row.times]
    top = ElementTree.Element(
        "coverage",
        {
            "line-rate": _rate(len(hit), len(rows)),
            "lines-covered": str(len(hit)),
            "lines-valid": str(len(rows)),
            "branch-rate": _rate(*_branches(rows)),
            "complexity": "0",
            "version": "1",
            "timestamp": "0",
        },
    )
    sources = ElementTree.SubElement(top, "sources")
    ElementTree.SubElement(sources, "source").text = str(root)
    packages = ElementTree.SubElement(top, "packages")
    rates = _rates(rows)
    package = ElementTree.SubElement(packages, "package", {"name": "spec", **rates})
    classes = ElementTree.SubElement(package, "classes")
    for file, group in groupby(rows, key=lambda row: row.file):
        _file(classes, file, list(group))
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(top, "unicode") + "\n"


def _file(parent: ElementTree.Element, file: str, rows: Sequence[Row]) -> None:
    names = {"name": file.removesuffix(".uop").replace("/", "."), "filename": file}
    item = ElementTree.SubElement(parent, "class", {**names, **_rates(rows)})
    ElementTree.SubElement(item, "methods")
    lines = ElementTree.SubElement(item, "lines")
    for row in rows:
        ElementTree.SubElement(lines, "line", {"number": str(row.line), "hits": str(row.times)})
        for number, clauses in groupby(row.clauses, key=lambda c: c.line):
            ways = [n for c in clauses for n in (c.asked - c.refused, c.refused)]
            taken = sum(n > 0 for n in ways)
            facts = {
                "number": str(number),
                "hits": str(min(ways)),
                "branch": "true",
                "condition-coverage": f"{100 * taken // len(ways)}% ({taken}/{len(ways)})",
            }
            ElementTree.SubElement(lines, "line", facts)


def _rates(rows: Sequence[Row]) -> dict[str, str]:
    lines = _rate(sum(row.times > 0 for row in rows), len(rows))
    return {"line-rate": lines, "branch-rate": _rate(*_branches(rows)), "complexity": "0"}


def _branches(rows: Sequence[Row]) -> tuple[int, int]:
    """Guard clauses that refused something, and all of them."""
    clauses = [clause for row in rows for clause in row.clauses]
    return sum(clause.refused > 0 for clause in clauses), len(clauses)


def _rate(part: int, whole: int) -> str:
    return f"{part / whole if whole else 1:.4f}"


@dataclass(frozen=True)
class Unshown:
    """Clause `number` of the guards of a rule, which refuses none of its rejects alone."""

    rule: str
    number: int
    clause: str
    file: str
    line: int

    @property
    def name(self) -> str:
        """What reviewed lists call the clause."""
        return f"{self.rule}, {self.clause}"

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: no `reject` of {self.rule} is refused by `{self.clause}` "
            "alone: add one for which the rest of the guard holds, or drop the clause"
        )


def unshown_clauses(rules: Iterable[t.Rule], table: Mapping[str, Any]) -> Iterator[Unshown]:
    """The clauses that no reject shows, in the order of the text.

    Rules that read the context of their pass are left out: an example has none.
    """
    for rule in rules:
        if rule.all(t.When) and not uses_context(rule):
            rejects = [graph for r in rule.all(t.Reject) if isinstance(graph := built(r.expr), UOp)]
            for number, (clause, without) in enumerate(without_each(rule)):
                if not any(_takes(without, node, table) for node in rejects):
                    span = clause.span
                    yield Unshown(str(rule.name), number, words(clause), span.file, span.line)


def without_each(rule: t.Rule) -> Iterator[tuple[t.Expr, t.Rule]]:
    """Each clause of the guards of a rule, with the rule that lacks it."""
    for place, when in enumerate(rule.clauses):
        if not isinstance(when, t.When):
            continue
        parts = conjuncts(when.guard)
        for i, part in enumerate(parts):
            rest = [*parts[:i], *parts[i + 1 :]]
            kept: tuple[t.Clause, ...] = ()
            if rest:
                guard = rest[0] if len(rest) == 1 else t.Connective("and", tuple(rest))
                kept = (replace(when, guard=guard),)
            clauses = (*rule.clauses[:place], *kept, *rule.clauses[place + 1 :])
            yield part, replace(rule, clauses=clauses)


def _takes(rule: t.Rule, node: UOp, table: Mapping[str, Any]) -> bool:
    """Whether a rule fires on a node, or stops there with an error."""
    match = matcher_of([rule], dict(table))
    if node.op not in match:
        return False
    try:
        return match[node.op](node, None) is not None
    except Exception:  # a guard that misses a condition before it may do anything
        return True
