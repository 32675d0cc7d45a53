"""Checking a certificate again, from its text alone: each claim, and that steps are a chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rulewright.codegen.choices import is_by_library
from rulewright.codegen.lower import write
from rulewright.driver.memory import Arena, Key, MemoryPlan
from rulewright.driver.schedules import memory_steps
from rulewright.errors import RulewrightError, ValidationError
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import phases
from rulewright.ir.uop import UOp
from rulewright.lang.build import whole_key
from rulewright.render import join_kernels, parameters, target
from rulewright.schedule.build import calls_of
from rulewright.verify.certify.certificate import Certificate, Chain
from rulewright.verify.certify.record import claim, kernels_called
from rulewright.verify.certify.steps import ORDER, Claim
from rulewright.verify.certify.unfold import known_statuses
from rulewright.verify.validate.plan import check_plan


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
    for call in kernels_called(linear):
        if kernels and call.src[0] not in begun:
            yield ClaimVerdict(
                "schedule", "kernels", "", "", "a kernel of the schedule has no steps"
            )
    for chain in kernels:
        yield ClaimVerdict(chain.name, "source", *_source(chain))
    yield ClaimVerdict("schedule", "memory plan", *_memory(certificate, linear))


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


def _memory(certificate: Certificate, linear: UOp) -> tuple[str, str, str]:
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
