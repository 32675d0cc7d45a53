"""What a schedule on record costs: its kernels, operations and bytes, beside what is made now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rulewright.codegen.estimate import estimate
from rulewright.errors import RulewrightError, UsageError
from rulewright.ir.shapes import Dim
from rulewright.ir.text import read_graph
from rulewright.schedule.build import calls_of
from rulewright.verify.golden import Record, texts

_SCHEDULE = "schedule.uop"


class ProgramWork(NamedTuple):
    """Kernels that run, operations on elements, and bytes read and written; texts if symbolic."""

    kernels: int
    flops: Dim
    bytes: Dim


def work_of(schedule: str) -> ProgramWork:
    """The work of a schedule's text. Raises UsageError for a text that is none."""
    try:
        calls = [call for call in calls_of(read_graph(schedule)) if not call.is_copy]
    except RulewrightError as error:
        raise UsageError(
            f"expected a schedule, found a text that does not read: {error}"
        ) from error
    flops: Dim = 0
    moved: Dim = 0
    for call in calls:
        estimates = estimate(call.kernel)
        flops, moved = flops + estimates.flops, moved + estimates.bytes
    return ProgramWork(len(calls), flops, moved)


def changes(
    record: Record, programs: Iterable[str]
) -> list[tuple[str, ProgramWork | None, ProgramWork]]:
    """Of each program the work on record, if there is any that can be read, and that of now."""
    rows: list[tuple[str, ProgramWork | None, ProgramWork]] = []
    for name in programs:
        path = record.folder / name / _SCHEDULE
        try:
            before = work_of(path.read_text(encoding="utf-8")) if path.is_file() else None
        except UsageError:
            before = None
        rows.append((name, before, work_of(texts(name, ())[_SCHEDULE])))
    return rows
