"""Validation of compilation: what the option VERIFY asks for.

1: after each pipeline entry, accesses within bounds, no race, no hazard in the order of kernels;
no overlap in memory; calls bound to the memory meant · 2: the interpreter runs the graph before and
after each entry · 3: after each rule application too · prove: as 1, and certificates.

The checks share no code with what they check: they use the language, the graphs, the interpreter
and the records that a plan of memory is written in, never the scheduler, the code generator or the
renderer.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from rulewright.errors import ValidationError
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import Entry, lowering, phases
from rulewright.ir.rulesets import RuleSet, Trace
from rulewright.ir.uop import UOp
from rulewright.options import PROVE, Context, options
from rulewright.verify.validate import plan
from rulewright.verify.validate.bounds import check_bounds
from rulewright.verify.validate.meanings import wrong_flag, wrong_interval, wrong_meaning
from rulewright.verify.validate.order import check_order
from rulewright.verify.validate.races import check_races
from rulewright.verify.validate.rules import Watcher, check_gradient, difference
from rulewright.verify.validate.values import check_values, hides_calls

__all__ = [
    "check_binding", "check_entry", "check_gradient", "check_plan", "check_schedule",
    "check_static", "difference", "watched", "wrong_flag", "wrong_interval", "wrong_meaning",
]  # fmt: skip


def check_entry(entry: Entry, before: UOp, after: UOp) -> None:
    """Raise ValidationError if an entry of the pipeline made something wrong."""
    level = options().VERIFY
    with Context(VERIFY=0):
        check_static(entry, before, after)
        if level == PROVE:
            from rulewright.verify.certify import record

            record.note(entry, before, after)
        elif level > 1 and not hides_calls(before):
            check_values(before, after)


def check_static(entry: Entry, before: UOp, after: UOp) -> None:
    """Raise ValidationError for what is wrong with a graph whatever memory holds."""
    check_bounds(after)
    if entry.result in {step.result for step in lowering()}:
        check_races(after)
    elif entry.result == phases("kernelize")[-1].result:
        for kernel in dict.fromkeys(n.src[0] for n in after.toposort() if n.op is Ops.CALL):
            check_races(kernel)
    elif entry.result == phases("arrange")[-1].result:
        check_order(before, after)


def watched(rules: RuleSet, trace: Trace | None) -> Trace:
    """A trace that raises ValidationError for a rule application that changes a value."""
    return Watcher(rules, trace)


def check_schedule(function: UOp, linear: UOp) -> None:
    """At VERIFY=2, raise ValidationError if a schedule does not give the values of its function."""
    level = options().VERIFY
    with Context(VERIFY=0):
        if 1 < level < PROVE and not any(n.op is Ops.CALL for n in function.toposort()):
            _named("schedule", lambda: check_values(function, linear, seeds=1))


def check_plan(memory: Any, steps: Sequence[Any], held: Set[Any], alignment: int) -> None:
    """Raise ValidationError for buffers of a plan that overlap while both are in use."""
    _named("memory plan", lambda: plan.check_plan(memory, steps, held, alignment))


def check_binding(
    linear: UOp, placements: Any, items: Sequence[Any], arguments: Sequence[Any]
) -> None:
    """Raise ValidationError for items that are not bound to the memory that their calls name."""
    _named("binding", lambda: plan.check_binding(linear, placements, items, arguments))


def _named(step: str, check: Any) -> None:
    """Run a check of a step that is no entry of the pipeline; its error says so."""
    try:
        check()
    except ValidationError as error:
        error.entry = error.entry or step
        raise
