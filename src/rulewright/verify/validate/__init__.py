"""Validation of compilation: what the option VERIFY asks for.

1: after each pipeline entry, indices within bounds, no race, no hazard, no overlap in memory ·
2: the interpreter runs the graph before and after each entry · 3: after each rule application too.

The checks share no code with what they check: they use the language, the graphs and the
interpreter, never the scheduler, the code generator or the renderer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright.ir.rulesets import RuleSet, Trace
from rulewright.ir.uop import UOp
from rulewright.options import Context, options
from rulewright.verify.validate.rules import Watcher
from rulewright.verify.validate.values import check_values

if TYPE_CHECKING:
    from rulewright.ir.pipeline import Entry

__all__ = ["check_entry", "watched"]


def check_entry(entry: Entry, before: UOp, after: UOp) -> None:
    """Raise ValidationError if an entry of the pipeline made something wrong."""
    level = options().VERIFY
    with Context(VERIFY=0):
        if level > 1:
            check_values(before, after)


def watched(rules: RuleSet, trace: Trace | None) -> Trace:
    """A trace that raises ValidationError for a rule application that changes a value."""
    return Watcher(rules, trace)
