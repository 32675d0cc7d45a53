"""What a search found, and as a case file in the manner of `tests/cases`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import indent

from rulewright.errors import RulewrightError, ValidationError
from rulewright.ir.pipeline import entries
from rulewright.ir.text import one_line, print_graph
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table


@dataclass(frozen=True)
class Finding:
    """The step that made a result wrong.

    `step` is an entry of the pipeline, "memory plan", "binding", "schedule cache" or "device NAME".
    `rule` and `place` (file:line) name the rule of that step, or `what` its Python function.
    `graph` is the smallest graph known that the step makes wrong, `before` and `after` what it
    works on and what it makes of it.
    """

    step: str
    problem: str
    graph: UOp
    ruleset: str = ""
    rule: str = ""
    place: str = ""
    what: str = ""
    before: UOp | None = None
    after: UOp | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Two findings of one key have one cause."""
        return self.step, self.rule

    def __str__(self) -> str:
        who = f"rule {self.rule} ({self.place})" if self.rule else self.what
        lines = [f"{self.step}: {who}" if who else self.step, f"  {self.problem}"]
        for name, graph in (("before", self.before), ("after", self.after)):
            lines += [name, str(graph).rstrip("\n")] if graph is not None else []
        return "\n".join(lines)


def problem_of(error: RulewrightError) -> str:
    """What an error says, without graphs."""
    if isinstance(error, ValidationError):
        return error.problem
    return str(error).partition("\n")[0]


# ---- as a case file -----------------------------------------------------------------------------


def case_text(finding: Finding) -> str:
    """The text of a file that fails as long as the step is wrong.

    A rule: a case in which it must not fire. A pass of functions: a case that says what it makes,
    whose value is not that of the input. Any other step: a graph for `rulewright bisect`.
    """
    who = f"rule {finding.rule} ({finding.place})" if finding.rule else finding.what
    doc = [one_line(f"{finding.step}: {who}"), one_line(finding.problem.partition("\n")[0])]
    name = re.sub(r"\W+", "_", f"wrong_{finding.rule or finding.step}").lower()
    section = _section(finding)
    if not section:
        return "\n".join([*(f"# {line}" for line in doc), print_graph(finding.graph, name)])
    lines = ["input {", indent(_body(finding.graph), "  "), "}", *section]
    body = indent("\n".join(lines), "  ")
    return "\n".join([*(f"/// {line}" for line in doc), f"case {name} {{", body, "}", ""])


def _section(finding: Finding) -> list[str]:
    if finding.rule and finding.ruleset:
        known = any(finding.rule in row["rules"] for row in load_table()["rulesets"].values())
        return [f"unchanged {finding.ruleset}" + (f".{finding.rule}" if known else "")]
    plain = [entry.name for entry in entries() if entry.action == "pass"]
    if finding.step in plain and finding.after is not None:
        return [f"entry {finding.step} {{", indent(_body(finding.after), "  "), "}"]
    return []


def _body(graph: UOp) -> str:
    lines = print_graph(graph).splitlines()[1:-1]
    return "\n".join(line.removeprefix("  ") for line in lines)
