"""From a wrong result to the rule, pass or device that made it wrong, and a minimal case."""

from rulewright.verify.bisect.finding import Finding, case_text
from rulewright.verify.bisect.reduce import minimal, reduce_graph, same_finding
from rulewright.verify.bisect.search import Job, bisect_graph, bisect_program

__all__ = [
    "Finding", "Job", "bisect_graph", "bisect_program", "case_text", "minimal", "reduce_graph",
    "same_finding",
]  # fmt: skip
