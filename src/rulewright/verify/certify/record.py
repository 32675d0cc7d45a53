"""Making a certificate: a program is compiled once more, and each entry is noted as it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from rulewright.codegen.lower import Lowering, lower_fresh
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import scheduling
from rulewright.ir.uop import UOp
from rulewright.lang.build import whole_key
from rulewright.options import PROVE, Context
from rulewright.render import target
from rulewright.schedule.build import forget_functions, schedule_function
from rulewright.verify.certify.certificate import Certificate, CertifiedStep, Chain
from rulewright.verify.certify.steps import Claim, compare

if TYPE_CHECKING:
    from rulewright.ir.pipeline import Entry

_Noted = tuple[str, UOp, UOp, tuple[str, ...]]
"""The name of an entry, the graph before and after it, and the rule sets that it ran."""

_notes: ContextVar[tuple[list[_Noted], str] | None] = ContextVar("rulewright_noted", default=None)


def note(entry: Entry, before: UOp, after: UOp) -> None:
    """Note what an entry of the pipeline made, if a certificate is being made here."""
    noting = _notes.get()
    if noting is not None:
        notes, on = noting
        rules = entry.action == "rules"
        sets = (entry.what,) if rules else getattr(target(on), entry.what, ()) if on else ()
        notes.append((entry.name, before, after, tuple(sets)))


@contextmanager
def _noted(on: str) -> Iterator[list[_Noted]]:
    """What entries make here, for a target; "" where there is none yet."""
    notes: list[_Noted] = []
    token = _notes.set((notes, on))
    try:
        with Context(VERIFY=PROVE):
            yield notes
    finally:
        _notes.reset(token)


def certify(
    function: UOp, compiled: Any, lowered_as: Callable[[UOp], tuple[UOp, str]]
) -> Certificate:
    """What can be shown of the compilation of a function, which was made `compiled`.

    `lowered_as` gives for a call of a kernel the kernel with the choices that it is to have, and
    its target, "" where it is not lowered. Raises ValidationError for a step that is seen to be
    wrong.
    """
    forget_functions()  # so that their entries run, and are noted
    with _noted("") as noted:
        schedule_function(function)
    parts = _apart(noted)
    last = parts[0][-1][2]
    if last is not compiled.linear:
        parts[0].append(("marks", last, compiled.linear, ()))
    chains = [Chain("", tuple(_steps(part, ""))) for part in parts]
    for call in kernels_called(compiled.linear):
        kernel, on = lowered_as(call)
        if on:
            chains.append(_of_kernel(call.src[0], kernel, on))
    return Certificate(whole_key(), tuple(chains), *_memory(compiled.plan))


def _apart(noted: list[_Noted]) -> list[list[_Noted]]:
    """The entries of a schedule; then those of functions that it calls, which ran in between."""
    groups: list[list[_Noted]] = []
    open_: list[list[_Noted]] = []
    for item in noted:
        if item[0] == scheduling()[0].name:
            open_.append([])
            groups.append(open_[-1])
        open_[-1].append(item)
        if item[0] == scheduling()[-1].name:
            open_.pop()
    return groups


def kernels_called(linear: UOp) -> list[UOp]:
    """Calls of a schedule, one for each kernel; none of copies between devices."""
    calls = {call.src[0]: call for call in linear.src}
    return [c for k, c in calls.items() if not any(n.op is Ops.COPY for n in k.src[0].src)]


def _of_kernel(ast: UOp, kernel: UOp, on: str) -> Chain:
    with _noted(on) as noted:
        program = lower_fresh(kernel, on)
    if kernel is not ast:
        noted.insert(0, ("choices", ast, kernel, ()))
    return Chain(on, tuple(_steps(noted, on)), program.name, program.source)


def _steps(noted: list[_Noted], on: str) -> Iterator[CertifiedStep]:
    """What is claimed of each entry, and of the way to it where the last one left another graph."""
    left: UOp | None = None
    for entry, before, after, sets in noted:
        if left is not None and left is not before:
            yield CertifiedStep("join", left, before, (), claim(left, before, (), on))
        yield CertifiedStep(entry, before, after, sets, claim(before, after, sets, on))
        left = after


def claim(before: UOp, after: UOp, sets: tuple[str, ...], on: str) -> Claim:
    """What can be said of one step, which ran these rule sets for a target."""
    with Context(VERIFY=0):
        return compare(before, after, sets, Lowering(target(on)) if on else None)


def _memory(
    plan: Any,
) -> tuple[tuple[tuple[int, int, int], ...], tuple[tuple[str, str, int], ...]]:
    order = {arena: number for number, arena in enumerate(plan.arenas)}
    memory = tuple(
        (int(node.arg[0]), order[arena], int(offset))
        for node, (arena, offset) in plan.placements.items()
    )
    arenas = tuple((a.device, a.lane, int(size)) for a, size in plan.arenas.items())
    return memory, arenas
