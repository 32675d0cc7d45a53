"""Goldens: schedules, memory plans and kernel sources on record, one folder a program.

`golden/NAME/` holds `schedule.uop`, `memory.txt` and kernels: `c.c` and so on, a file a target.
Targets are the descriptions in `spec/80-targets`, or in files beside it, never this machine, so the
bytes agree on every host. Values are never on record: they come from the interpreter and numpy.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rulewright.codegen.estimate import estimate
from rulewright.errors import RulewrightError, UsageError, listed
from rulewright.ir.shapes import Dim
from rulewright.ir.text import read_graph
from rulewright.options import Context, in_ci
from rulewright.paths import checkout
from rulewright.render import target
from rulewright.schedule.build import calls_of
from rulewright.temporary import write_whole

if TYPE_CHECKING:
    from rulewright.driver.schedules import CompiledSchedule
    from rulewright.ir.uop import UOp

TARGETS = ("C", "OPENCL", "CUDA", "METAL", "WEBGPU")
"""The targets whose sources are on record in a checkout."""


def source_file(name: str) -> str:
    """The file that holds a program's kernels for a target."""
    on = target(name)
    suffix = on.row["texts"]["source_suffix"] if on.has_text("source_suffix") else ".txt"
    return f"{name.lower()}{suffix}"


MOST_LINES = 300
_SCHEDULE = "schedule.uop"


@dataclass(frozen=True)
class Difference:
    """What is wrong with one file: its path, what happened, and the diff if any."""

    path: str
    problem: str  # "changed", "missing", "orphan", "too long" or an error's message
    diff: str = ""
    label: str = "golden"

    def __str__(self) -> str:
        return f"{self.label}/{self.path}: {self.problem}" + (f"\n{self.diff}" if self.diff else "")


def files_of(targets: Sequence[str]) -> tuple[str, ...]:
    """The names of the files of a program that is on record for some targets."""
    return (_SCHEDULE, "memory.txt", *map(source_file, targets))


class Record(NamedTuple):
    """A folder of goldens, the targets whose sources it holds, and what the folder is called.
    is_ours: it has goldens alone, of at most MOST_LINES lines; a user's may have other files."""

    folder: Path
    targets: tuple[str, ...] = TARGETS
    label: str = "golden"
    is_ours: bool = True


def golden_dir() -> Path:
    """The folder of the goldens. Raises UsageError outside a checkout."""
    return checkout("golden")


def names() -> list[str]:
    """All programs, in alphabetical order."""
    from rulewright.verify.golden_programs import PROGRAMS

    return sorted(PROGRAMS)


def check_names(chosen: Iterable[str]) -> None:
    """Raise UsageError for the name of no program."""
    known = names()
    for name in chosen:
        if name not in known:
            raise UsageError(f"no golden program {name!r}; {listed('there are', known, name)}")


# ---- what should be on record ------------------------------------------------------------------


def compile_program(name: str) -> CompiledSchedule:
    """The schedule of a program, made from nothing. Raises UsageError for an unknown name."""
    from rulewright.driver.schedules import compile_function
    from rulewright.schedule.callify import callify
    from rulewright.tensor.realize import Plan
    from rulewright.verify.golden_programs import PROGRAMS

    check_names([name])
    with Context(CACHE=0, DEVICE="C", DEBUG=0, SEED=0, STOP_AFTER=""):
        tensors = PROGRAMS[name]()
        return compile_function(callify(Plan(tensors).sink))[0]


def texts(name: str, targets: Sequence[str] = TARGETS) -> dict[str, str]:
    """File name to the text that should be on record for a program."""
    compiled = compile_program(name)
    kernels = list(dict.fromkeys(c.kernel for c in compiled.calls if c.is_kernel))
    files = {_SCHEDULE: f"{compiled.linear}\n", "memory.txt": memory_text(compiled)}
    for on in targets_of(name, targets):
        files[source_file(on)] = source_text(kernels, on)
    return files


def targets_of(name: str, targets: Sequence[str]) -> list[str]:
    """Those of some targets whose sources are on record for a program."""
    from rulewright.verify.golden_programs import ONLY

    return [on for on in targets if on in ONLY.get(name, targets)]


def memory_text(compiled: CompiledSchedule) -> str:
    """The kernels with the memories that each touches, and where internal ones lie."""
    lines = []
    for number, call in enumerate(compiled.calls):
        touched = ", ".join(_memory_name(m) for m in call.memories)
        what = "kernel" if call.is_kernel else "copy" if call.is_copy else "host"
        lines.append(f"{number}: {what} over {touched}")
    plan = compiled.plan
    for node in sorted(compiled.scratch, key=lambda n: int(n.arg[0])):
        arena, offset = plan.placements[node]
        where = f"{arena.device} {arena.lane} arena at byte {offset}"
        lines.append(f"{_memory_name(node)}: {node.dtype.name} {node.arg[1]} in {where}")
    for arena in sorted(plan.arenas, key=lambda a: (a.device, a.lane)):
        lines.append(f"{arena.device} {arena.lane} arena: {plan.arenas[arena]} bytes")
    lines.append(f"internal memory: {plan.before} bytes, planned {plan.after} bytes")
    return "\n".join(lines) + "\n"


def _memory_name(node: UOp) -> str:
    return f"{node.op.name.lower()} {node.arg[0]}"


def source_text(kernels: Sequence[UOp], target_name: str) -> str:
    """The sources of kernels for a target, each under a line that says how it is launched."""
    from rulewright.codegen.lower import lower_kernel

    parts = []
    for number, kernel in enumerate(kernels):
        try:
            lowered = lower_kernel(kernel, target_name)
            head = f"// kernel {number}: {lowered.name}, launch {lowered.launch}"
            parts.append(f"{head}\n{lowered.source.rstrip()}\n")
        except RulewrightError as error:
            parts.append(f"// kernel {number}: not for {target_name}: {error}\n")
    return "\n".join(parts) if parts else "// no kernel\n"


# ---- comparing and writing ---------------------------------------------------------------------


def compare(record: Record, chosen: Sequence[str] = ()) -> Iterator[Difference]:
    """What differs from the record, program by program; orphans at the end if all are compared."""
    for name in chosen or names():
        yield from _compare(record, name, texts(name, record.targets))
    if not chosen:
        yield from orphans(record)


def _compare(record: Record, name: str, wanted: dict[str, str]) -> Iterator[Difference]:
    for file, text in wanted.items():
        path, place = record.folder / name / file, f"{name}/{file}"
        yield from _too_long(record, place, text)
        if not path.is_file():
            problem = "missing; `--update` makes it"
            yield Difference(place, problem, label=record.label)
            continue
        old = path.read_text(encoding="utf-8")
        if old != text:
            diff = _diff(f"{record.label}/{place}", f"now/{place}", old, text)
            yield Difference(place, "changed", diff, record.label)


def _too_long(record: Record, path: str, text: str) -> Iterator[Difference]:
    count = text.count("\n")
    if record.is_ours and count > MOST_LINES:
        problem = f"too long: {count} lines, at most {MOST_LINES}; use a smaller program"
        yield Difference(path, problem, label=record.label)


def _diff(before: str, after: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), before, after, lineterm="")
    return "\n".join(lines)


def orphans(record: Record) -> list[Difference]:
    """Files that belong to no program; in a user's folder, those beside a schedule on record that
    are named as these targets' are: others may be another target's, or none of ours."""
    wanted = {
        f"{name}/{file}" for name in names() for file in files_of(targets_of(name, record.targets))
    }
    if record.is_ours:
        files = record.folder.rglob("*")
    else:
        kept = record.folder.glob(f"*/{_SCHEDULE}")
        files = (path.with_name(name) for path in kept for name in files_of(record.targets))
    paths = sorted(p for p in files if p.is_file())
    held = [p.relative_to(record.folder).as_posix() for p in paths]
    problem = "orphan: no program makes it; `--update` removes it"
    return [
        Difference(path, problem, label=record.label)
        for path in held
        if path not in wanted and path != "README.md"
    ]


def update(record: Record, chosen: Sequence[str] = ()) -> list[str]:
    """Write what is new or has changed and remove orphans; the paths concerned.

    Raises UsageError where CI is set: what is on record is decided by a person. Raises it too if a
    text is too long to be read.
    """
    if in_ci():
        raise UsageError("golden --update is refused while CI is set: bless goldens by hand")
    changed: list[str] = []
    for name in chosen or names():
        wanted = texts(name, record.targets)
        for file, text in wanted.items():
            for problem in _too_long(record, f"{name}/{file}", text):
                raise UsageError(str(problem))
        changed += _write(record.folder, name, wanted)
    if not chosen:
        changed += _remove(record.folder, (orphan.path for orphan in orphans(record)))
    return changed


def _write(folder: Path, name: str, wanted: dict[str, str]) -> Iterator[str]:
    (folder / name).mkdir(parents=True, exist_ok=True)
    for file, text in wanted.items():
        path = folder / name / file
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_whole("golden", path, text)
            yield f"{name}/{file}"


def _remove(folder: Path, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        (folder / path).unlink()
        if not any((folder / path).parent.iterdir()):
            (folder / path).parent.rmdir()
        yield path


# ---- what a schedule on record costs: its kernels, operations and bytes, beside what is made now -


class ProgramWork(NamedTuple):
    """Kernels that run, operations on elements, and bytes read and written; texts if symbolic."""

    kernels: int
    flops: Dim
    bytes: Dim


def work_of(schedule: str) -> ProgramWork:
    """The work of a schedule's text. Raises UsageError for a text that is none."""
    try:
        calls = [call for call in calls_of(read_graph(schedule)) if call.is_kernel]
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
