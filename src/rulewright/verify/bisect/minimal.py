"""The smallest graph that a finding is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rulewright.errors import ValidationError
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.verify.bisect.finding import Finding, problem_of
from rulewright.verify.bisect.reduce import MOST_TRIES, reduce_graph
from rulewright.verify.bisect.search import Job, bisect_graph


def minimal(finding: Finding, device: str, most: int = MOST_TRIES) -> Finding:
    """The same finding on a graph that is reduced as far as it goes."""
    if finding.rule and finding.before is finding.graph:
        graph = reduce_graph(finding.graph, lambda g: _application(g, finding) is not None, most)
        return _application(graph, finding) or finding
    graph = reduce_graph(finding.graph, same_finding(finding, device), most)
    found = bisect_graph(Job(graph, device)) if graph is not finding.graph else None
    return found if found is not None and found.key == finding.key else finding


def same_finding(finding: Finding, device: str) -> Callable[[UOp], bool]:
    """A check that a graph fails in the same step, by the same rule."""

    def fails(graph: UOp) -> bool:
        found = bisect_graph(Job(graph, device))
        return found is not None and found.key == finding.key

    return fails


def _application(graph: UOp, finding: Finding) -> Finding | None:
    """The finding's rule on another graph, if it is wrong there at the root."""
    try:
        with Context(VERIFY=3):
            rewrite(graph, ruleset(finding.ruleset), only=[finding.rule])
    except ValidationError as error:
        if error.before is graph and isinstance(error.after, UOp):
            changed = {"problem": problem_of(error), "graph": graph, "before": graph}
            return replace(finding, after=error.after, **changed)  # type: ignore[arg-type]  # named above
    return None
