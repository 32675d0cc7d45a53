"""Profile events summed up: kernels by name, and where the time of a run went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rulewright.bench.report import time_text
from rulewright.bench.roofline import Roofline
from rulewright.profile import ProfileEvent

HEADERS = ("kernel", "calls", "time", "share", "a call", "GFLOP/s", "GB/s", "of roofline")
# What a run does, by the category of its events.
PARTS = {
    "kernel": "kernels",
    "copy": "copies",
    "compile": "compiling",
    "lower": "lowering",
    "schedule": "scheduling",
}


@dataclass
class KernelProfile:
    """All runs of kernels of one name: how many, seconds, operations, bytes, least seconds.

    `least` is what the roofline would let them take; 0 without one.
    """

    name: str
    calls: int = 0
    seconds: float = 0.0
    flops: int = 0
    moved: int = 0
    least: float = 0.0

    def add(self, event: ProfileEvent, top: Roofline | None) -> None:
        """Count one run."""
        flops, moved = (int(event.details.get(key, 0)) for key in ("flops", "bytes"))
        self.calls += 1
        self.seconds += event.seconds
        self.flops += flops
        self.moved += moved
        if top is not None:
            self.least += top.seconds(flops, moved, str(event.details.get("dtype", "f32")))


def kernels(events: Iterable[ProfileEvent], top: Roofline | None) -> list[KernelProfile]:
    """Kernels by name, those that took longest first."""
    by_name: dict[str, KernelProfile] = {}
    for event in events:
        if event.category == "kernel":
            by_name.setdefault(event.name, KernelProfile(event.name)).add(event, top)
    return sorted(by_name.values(), key=lambda k: (-k.seconds, k.name))


def row(kernel: KernelProfile, total: float) -> tuple[str, ...]:
    """A row under HEADERS; `total` is the seconds of all kernels."""
    seconds = max(kernel.seconds, 1e-9)
    rates = [f"{work / seconds * 1e-9:.3g}" for work in (kernel.flops, kernel.moved)]
    return (
        kernel.name,
        str(kernel.calls),
        time_text(kernel.seconds),
        f"{100 * kernel.seconds / max(total, 1e-9):.1f} %",
        time_text(kernel.seconds / kernel.calls),
        *(rates if kernel.flops or kernel.moved else ("", "")),
        f"{100 * kernel.least / seconds:.3g} %" if kernel.least else "",
    )


def parts(events: Sequence[ProfileEvent], seconds: float) -> list[tuple[str, float]]:
    """Where the seconds of a run went, in the order of PARTS; the rest is Python.

    A moment counts once, for the first of PARTS that goes on then in any thread: compilers run at
    once, and spans lie inside of others.
    """
    spans = {
        category: [(e.start_ns, e.end_ns) for e in events if e.category == category]
        for category in PARTS
    }
    shares, taken = [], 0.0
    covered: list[tuple[int, int]] = []
    for category, name in PARTS.items():
        covered = union([*covered, *spans[category]])
        so_far = sum(end - start for start, end in covered) * 1e-9
        shares.append((name, so_far - taken))
        taken = so_far
    return [*shares, ("Python", max(seconds - taken, 0.0))]


def union(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans (start, end) that do not overlap and cover the same moments, in order."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged
