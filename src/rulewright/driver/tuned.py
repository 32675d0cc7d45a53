"""Kernels that are to be searched: BEAM=n, and what earlier searches found.

A kernel is marked with `beam(n)` in the place of its axis choices, by the option BEAM when it is
scheduled or by its user. Before it is compiled, the mark becomes the choices found. These are kept
on disk by the kernel, its source as the heuristic has it, the compiler, the processor and the
number of threads.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from rulewright.codegen.choices import search_mark, search_width
from rulewright.codegen.heuristic import says_all
from rulewright.codegen.lower import lower_kernel
from rulewright.codegen.steps import plain_choices, steps
from rulewright.diskcache import DiskCache
from rulewright.driver.beam import Search, SearchRecord, SearchResult, source_key
from rulewright.driver.recent import Recent
from rulewright.driver.trials import Trials
from rulewright.errors import RulewrightError, UsageError
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.text import print_graph
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.profile import span
from rulewright.render import target
from rulewright.runtime.compiler import cpu_identity, find_compiler
from rulewright.runtime.device import BaseDevice
from rulewright.runtime.threads import thread_count
from rulewright.schedule.build import ScheduleItem
from rulewright.warning import warn

MOST_REMEMBERED = 4096  # kernels whose choices are remembered in this process
_remembered: Recent[Any, UOp] = Recent(MOST_REMEMBERED)
_kept = DiskCache("searches")


def mark_of(call: ScheduleItem, width: int) -> str:
    """The mark of a kernel for a search; none where a user wrote how its loops run."""
    return "" if not call.is_kernel or says_all(call.kernel) else search_mark(width)


def tuned(ast: UOp, device: BaseDevice) -> UOp:
    """A kernel with the choices that a search for this device finds, if it is marked for one.

    Raises UsageError for a device whose kernels are not searched.
    """
    width = search_width(ast)
    if not width or device.interprets or options().STOP_AFTER:
        return ast
    if not device.is_searched:
        raise UsageError(
            f"BEAM={width}: only kernels of the device C are searched, found one of {device.name}; "
            "run it in Context(BEAM=0), or without beam(…) in its choices"
        )
    key = (ast, device.target, overlay_key(), options().THREADS, options().CC)
    known = _remembered.get(key)
    if known is None:
        known = _searched(ast, device.target, width)
        _remembered.put(key, known)
    return known


def _searched(ast: UOp, target_name: str, width: int) -> UOp:
    name = ast.arg[0]
    bare = ast.replace(arg=(name, "") if name else None)
    first = lower_kernel(bare, target_name)
    key = record_key(bare, first.source, target_name)
    record = read_record(key)
    if record.width < width:
        label = f"BEAM={width} {first.name}"
        with span("search", first.name), Trials(bare, target_name) as bench:
            search = Search(
                bench, record, lambda t: steps(bare, t, target(target_name)), width, _line, label
            )
            try:
                result = search.run(first.choices, plain_choices(bare))
            except RulewrightError as error:
                warn(f"BEAM={width}: the search gave up, the heuristic's choices stay: {error}")
                return bare
            _say(label, result)
    return bare.replace(arg=(name, record.winner)) if record.winner else bare


def _line(text: str) -> None:
    """A line a round, where no bar shows how far the search is."""
    if not sys.stderr.isatty():
        print(text, file=sys.stderr)


def _say(label: str, result: SearchResult) -> None:
    gain = f"{result.before / result.seconds:.2f}x of" if result.choices else "no better than"
    print(
        f"{label}: {result.seconds * 1e6:.1f} us, {gain} the heuristic's "
        f"{result.before * 1e6:.1f} us ({result.timed} kernels timed)",
        file=sys.stderr,
    )


# ---- what is kept on disk ---------------------------------------------------------------------


def record_key(ast: UOp, source: str, target_name: str) -> str:
    """What a record is kept by: everything that its times depend on."""
    parts = (print_graph(ast), source_key(source), target_name, find_compiler().identity)
    return "\0".join([*parts, cpu_identity(), str(thread_count()), repr(overlay_key())])


def read_record(key: str) -> SearchRecord:
    """The record of earlier searches; an empty one if there is none, or with the option CACHE=0."""
    record = SearchRecord(keep=lambda record: keep_record(key, record))
    data = _kept.get(key, ".json") if options().CACHE else None
    if data is not None:
        row = json.loads(data)
        record.tried, record.width, record.winner = row["tried"], row["width"], row["winner"]
    return record


def keep_record(key: str, record: SearchRecord) -> None:
    """Write a record to disk, unless the option CACHE is 0."""
    if options().CACHE:
        row = {"tried": record.tried, "width": record.width, "winner": record.winner}
        _kept.put(key, json.dumps(row).encode(), ".json")
