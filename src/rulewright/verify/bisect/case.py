"""A finding as a case file, in the manner of `tests/cases`."""

from __future__ import annotations

import re
from textwrap import indent

from rulewright.ir.pipeline import entries
from rulewright.ir.text import one_line, print_graph
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.verify.bisect.finding import Finding


def case_text(finding: Finding) -> str:
    """The text of a file that fails as long as the step is wrong.

    A rule: a case in which it must not fire. A pass of functions: a case that says what it makes,
    which is not worth the input. Any other step: a graph for `rulewright bisect`.
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
