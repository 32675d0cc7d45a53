"""What a search found, and as a case file in the manner of `tests/cases`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from rulewright.errors import RewriteError, RulewrightError, ValidationError
from rulewright.ir.ops import Op
from rulewright.ir.pipeline import Entry, entries
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import Match, Rules, RuleSet, ruleset
from rulewright.ir.text import one_line, print_graph
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.options import Context
from rulewright.verify.validate.rules import place_of


@dataclass(frozen=True)
class Finding:
    """The step that made a result wrong.

    `step` is an entry of the pipeline, "memory plan", "binding", "schedule cache" or "device NAME".
    `rule` and `place` (file:line) name the rule of that step, or `what` its Python function.
    `graph` is the smallest graph known that the step makes wrong, `before` and `after` what it
    works on and what it makes of it. `refused`: a device ended in an error, with no result at all.
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
    refused: bool = False

    @property
    def key(self) -> tuple[str, str, bool]:
        """Two findings of one key have one cause."""
        return self.step, self.rule, self.refused

    def __str__(self) -> str:
        who = f"rule {self.rule} ({self.place})" if self.rule else self.what
        lines = [f"{self.step}: {who}" if who else self.step, f"  {self.problem}"]
        for name, graph in (("before", self.before), ("after", self.after)):
            lines += [name, str(graph).rstrip("\n")] if graph is not None else []
        return "\n".join(lines)


def of_error(error: ValidationError, step: str, ruleset: str) -> Finding:
    """The finding that an error of one rule application is."""
    before, after = error.before, error.after
    assert isinstance(before, UOp) and isinstance(after, UOp)
    where = (error.problem, before, ruleset, error.rule, error.place)
    return Finding(step, *where, before=before, after=after)


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


# ---- which rule of an entry is to blame ----------------------------------------------------------


Problem = Callable[[UOp], str]
"""What is wrong with a graph that an entry made, or made in part."""


def blame(
    entry: Entry, graph: UOp, ctx: Any, problem: str, result: UOp | None, wrong: Problem
) -> Finding:
    """The finding for an entry that makes `result` of `graph` (None: it fails)."""
    finding = _by_itself(entry, graph, ctx)
    if finding is None and entry.action != "pass":
        finding = _by_count(entry, graph, ctx, wrong)
    if finding is not None:
        return finding
    what = f"pass {entry.what}" if entry.action == "pass" else f"rules {entry.what}"
    return Finding(entry.name, problem, graph, what=what, before=graph, after=result)


def _by_itself(entry: Entry, graph: UOp, ctx: Any) -> Finding | None:
    """The first application that is wrong whatever its operands are."""
    try:
        with Context(VERIFY=3):
            entry._run(graph, ctx)
    except ValidationError as error:
        return of_error(error, entry.name, ruleset_of(entry, ctx, error.rule))
    except Exception:  # it fails in another way: no rule is wrong before that
        return None
    return None


def rulesets_of(entry: Entry, ctx: Any) -> list[str]:
    """The sets that an entry runs, in order; none for a pass."""
    if entry.action == "rules":
        return [entry.what]
    return list(getattr(ctx.target, entry.what)) if entry.action == "lower" else []


def ruleset_of(entry: Entry, ctx: Any, rule: str) -> str:
    """The set of an entry that holds a rule; a pass simplifies with `symbolic`."""
    for name in rulesets_of(entry, ctx):
        if any(rule in module.RULES for module in ruleset(name).modules()):
            return name
    return "symbolic"


def _by_count(entry: Entry, graph: UOp, ctx: Any, wrong: Problem) -> Finding | None:
    """The application with which the graph becomes wrong, found by stopping after ever fewer."""
    for name in rulesets_of(entry, ctx):
        whole = FirstSteps(ruleset(name))
        if not _wrong_after(graph, whole, ctx, wrong):
            graph = rewrite(graph, ruleset(name), ctx)
            continue
        right, bad = 0, len(whole.steps)
        while bad - right > 1:
            half = (right + bad) // 2
            if _wrong_after(graph, FirstSteps(ruleset(name), half), ctx, wrong):
                bad = half
            else:
                right = half
        last = FirstSteps(ruleset(name), bad)
        problem = _wrong_after(graph, last, ctx, wrong)
        if not problem or not last.steps:
            return None
        rule, before, after = last.steps[-1]
        place = place_of(ruleset(name), rule)
        return Finding(entry.name, problem, graph, name, rule, place, "", before, after)
    return None


def _wrong_after(graph: UOp, rules: FirstSteps, ctx: Any, wrong: Problem) -> str:
    try:
        return wrong(rewrite(graph, rules, ctx))
    except RewriteError:
        return ""  # no end is no wrong value
    except RulewrightError as error:
        return problem_of(error)


class FirstSteps(RuleSet):
    """A set of rules that stops matching after so many rewrites; `steps` are those it did."""

    def __init__(self, rules: RuleSet, most: int | None = None) -> None:
        super().__init__(rules.row)
        self.inner, self.most = rules, most
        self.steps: list[tuple[str, UOp, UOp]] = []

    def match(self) -> Match:
        """The matcher of the whole set, which falls silent."""

        def note(rule: str, before: UOp, after: UOp) -> None:
            self.steps.append((rule, before, after))

        whole: dict[Op, Rules] = self.inner.variant(note, None, ())
        return {op: self._limited(rules) for op, rules in whole.items()}

    def _limited(self, rules: Rules) -> Rules:
        def limited(node: UOp, ctx: Any) -> UOp | None:
            if self.most is not None and len(self.steps) >= self.most:
                return None
            return rules(node, ctx)

        return limited
