"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.errors import RulewrightError, ValidationError
from rulewright.ir.uop import UOp


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
