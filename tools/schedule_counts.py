"""Kernels and bytes of scratch memory of schedules, beside those of tinygrad.

    python tools/schedule_counts.py [NAME ...]

Prints a line a program of `schedule_programs.py`: kernels here and there, planned bytes here and
there, and `<` where this project needs more. tinygrad's numbers stand in `schedule_counts.json`
with its version and how they were counted; so do, for each program that needs more here, why, and
how many it needs at most. Exits 1 if a program needs more than it may.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

from rulewright.tensor.realize import schedule
from schedule_programs import PROGRAMS

KNOWN = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


class Counts(NamedTuple):
    """What a schedule needs: how many kernels, and planned bytes between them."""

    kernels: int
    bytes: int

    def within(self, other: Counts) -> bool:
        """Whether neither is more."""
        return self.kernels <= other.kernels and self.bytes <= other.bytes


def counted(name: str) -> Counts:
    """The counts of a program; transfers between devices are no kernels."""
    scheduled = schedule(PROGRAMS[name]())
    if scheduled is None:
        return Counts(0, 0)
    return Counts(sum(not item.is_copy for item in scheduled.items), scheduled.compiled.plan.after)


def theirs(name: str) -> Counts:
    """tinygrad's counts of a program."""
    return Counts(*KNOWN["tinygrad"][name])


def allowed(name: str) -> Counts:
    """What a program may need: no more than with tinygrad, unless it is known to need more."""
    known = KNOWN["more here"].get(name)
    return theirs(name) if known is None else Counts(*known["counts"])


def main(names: list[str]) -> int:
    """Count and print; the number of programs that need more than they may."""
    bad, total = 0, [0, 0, 0, 0]
    for name in names or PROGRAMS:
        ours, other = counted(name), theirs(name)
        total = [a + b for a, b in zip(total, (*ours, *other), strict=True)]
        bad += not ours.within(allowed(name))
        print(_line(name, ours, other), "" if ours.within(other) else "<", flush=True)
    print(_line("total", Counts(*total[:2]), Counts(*total[2:])))
    return bad


def _line(name: str, ours: Counts, other: Counts) -> str:
    kernels = f"{ours.kernels:4} / {other.kernels:4} kernels"
    return f"{name:30} {kernels}  {ours.bytes:9} / {other.bytes:9} bytes"


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
