"""Making a certificate: a program is compiled once more, and each entry is noted as it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from rulewright.codegen.choices import is_by_library
from rulewright.codegen.lower import Lowering, lower_fresh, write
from rulewright.driver.memory import Arena, Key, MemoryPlan
from rulewright.driver.schedules import memory_steps
from rulewright.errors import RulewrightError, ValidationError
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import Entry, phases, scheduling
from rulewright.ir.uop import UOp
from rulewright.lang.build import whole_key
from rulewright.options import Context, set_inside
from rulewright.render import join_kernels, parameters, target
from rulewright.schedule.build import calls_of, forget_functions, is_kernel, schedule_function
from rulewright.verify.certify.certificate import ASSUMED, Certificate, CertifiedStep, Chain
from rulewright.verify.certify.steps import ORDER, Claim, compare, known_statuses
from rulewright.verify.validate.plan import check_plan

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
    with set_inside(_notes, (notes, on)), Context(VERIFY="prove"):
        yield notes


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
    """Calls of a schedule, one for each kernel; none of copies and functions of the host."""
    calls = {call.src[0]: call for call in linear.src}
    return [c for k, c in calls.items() if is_kernel(k)]


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


def _memory(plan: Any) -> tuple[tuple[tuple[int, int, int], ...], tuple[tuple[str, str, int], ...]]:
    order = {arena: number for number, arena in enumerate(plan.arenas)}
    memory = tuple(
        (int(node.arg[0]), order[arena], int(offset))
        for node, (arena, offset) in plan.placements.items()
    )
    arenas = tuple((a.device, a.lane, int(size)) for a, size in plan.arenas.items())
    return memory, arenas


# ---- checking a certificate again, from its text alone: each claim, and that steps are a chain ---


class ClaimVerdict(NamedTuple):
    """What was found about one claim: the chain and step, what it is, and what is wrong, if so."""

    chain: str
    step: str
    status: str
    note: str
    problem: str = ""


def recheck(certificate: Certificate) -> Iterator[ClaimVerdict]:
    """Every claim of a certificate, made anew."""
    if certificate.spec != whole_key():
        yield ClaimVerdict("", "spec", "", "", "the certificate was made with another spec")
    if missing := [text for text in ASSUMED if text not in certificate.assumed]:
        yield ClaimVerdict("", "assumed", "", "", f"the certificate leaves out: {missing[0]}")
    if not certificate.chains:
        yield ClaimVerdict("", "schedule", "", "", "the certificate has no steps")
        return
    for chain in certificate.chains:
        yield from _chain(chain)
    yield from _whole(certificate)


def _chain(chain: Chain) -> Iterator[ClaimVerdict]:
    where = chain.name or "schedule"
    left: UOp | None = None
    for step in chain.steps:
        problem = ""
        if left is not None and left is not step.before:
            problem = "the step does not begin where the one before it ended"
        left = step.after
        stated, shown = step.claim.status, step.claim
        if not problem:
            try:
                shown = claim(step.before, step.after, step.sets, chain.target)
            except ValidationError as error:
                problem = f"refuted: {error.problem}"
        if not problem and ORDER.index(shown.status) > ORDER.index(stated):
            problem = f"stated as {stated}, found {shown.status}: {shown.note}"
        yield ClaimVerdict(where, step.entry, shown.status, _told(shown), problem)


def _told(claim: Claim) -> str:
    """The note of a claim, and its rules with what is known of them."""
    known = known_statuses(claim.rules)
    rules = [f"{r} ({known.get(r, '`rulewright prove` says')})" for r in claim.rules]
    return "; ".join(part for part in (claim.note, ", ".join(rules)) if part)


def _whole(certificate: Certificate) -> Iterator[ClaimVerdict]:
    """Whether kernels, sources and memory are those of the schedule."""
    first, *others = certificate.chains
    kernels = [chain for chain in others if chain.target]
    linear = first.steps[-1].after if first.steps else None
    if linear is None or linear.op is not Ops.LINEAR:
        yield ClaimVerdict("schedule", "end", "", "", "the schedule is no list of calls")
        return
    begun = {chain.steps[0].before for chain in kernels if chain.steps}
    missing = [call for call in kernels_called(linear) if call.src[0] not in begun]
    if missing and not kernels:
        yield ClaimVerdict("schedule", "kernels", "unchecked", "none is lowered for a target")
    for _ in missing if kernels else ():
        yield ClaimVerdict("schedule", "kernels", "", "", "a kernel of the schedule has no steps")
    for chain in kernels:
        yield ClaimVerdict(chain.name, "source", *_source(chain))
    yield ClaimVerdict("schedule", "memory plan", *_placed(certificate, linear))


def _source(chain: Chain) -> tuple[str, str, str]:
    last = chain.steps[-1].after if chain.steps else None
    if last is None or last.op is not Ops.LINEAR:
        return "", "", "the steps do not end in a program"
    on, behind = target(chain.target), {step.entry: step.after for step in chain.steps}
    try:
        machine, chosen = (behind[phases(name)[-1].name] for name in ("lower", "choose"))
        slots = [p.arg[0] for p in parameters(machine.toposort())]
        source = join_kernels([write(last.src, chosen, slots, on, chain.name)], on)
    except (KeyError, RulewrightError) as error:
        return "", "", f"the last stage has no text: {error}"
    note = "a call of a library" if is_by_library(chosen) else "the last stage as text"
    return "written", note, "" if source == chain.source else "the source is another one"


def _placed(certificate: Certificate, linear: UOp) -> tuple[str, str, str]:
    """The plan of the memory that only this schedule uses: nothing live shares a byte."""
    arenas = [Arena(device, lane) for device, lane, _ in certificate.arenas]
    calls = calls_of(linear)
    memories = {m for call in calls for m in call.memories}
    scratch = {m.arg[0]: m for m in memories if m.op is Ops.SCRATCH}
    held = memories - set(scratch.values())
    sizes = {arenas[number]: size for number, (_, _, size) in enumerate(certificate.arenas)}
    try:
        places: dict[Key, tuple[Arena, int]] = {
            scratch[slot]: (arenas[arena], at) for slot, arena, at in certificate.memory
        }
        check_plan(MemoryPlan(places, sizes, 0, 0, 0), memory_steps(calls), held, 1)
    except (KeyError, IndexError) as error:
        return "", "", f"the plan names memory that is not there: {error}"
    except ValidationError as error:
        return "", "", error.problem
    return "proved", f"{len(places)} buffers", ""
