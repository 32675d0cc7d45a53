"""Profile events: what ran when, on which thread, for the PROFILE option.

`with span("compile", name):` costs one option look-up when PROFILE is off. `write_trace` saves
the events as Chrome trace JSON, which chrome://tracing and Perfetto open.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from rulewright.options import options, set_inside

Details = Mapping[str, "int | str"]


@dataclass(frozen=True)
class ProfileEvent:
    """One finished span; times are `time.perf_counter_ns` readings of this process.

    `details` are what `detailed` said: of a kernel its flops, bytes and dtype.
    """

    name: str
    category: str
    start_ns: int
    end_ns: int
    thread: int
    details: Details = field(default_factory=dict, hash=False)

    @property
    def seconds(self) -> float:
        """Length of the span in seconds."""
        return (self.end_ns - self.start_ns) * 1e-9


_events: list[ProfileEvent] = []
_NOTHING = nullcontext()
_details: ContextVar[Details] = ContextVar("rulewright_details", default=MappingProxyType({}))


def record(category: str, name: str, start_ns: int, end_ns: int) -> None:
    """Add one event whose times were taken elsewhere, e.g. by a device."""
    thread = threading.get_ident()
    _events.append(ProfileEvent(name, category, start_ns, end_ns, thread, _details.get()))


def detailed(**details: int | str) -> AbstractContextManager[Details]:
    """Events that end inside of this `with` block have these details."""
    return set_inside(_details, details)


class _Span(AbstractContextManager[None]):
    """Times its `with` block; an exception inside is recorded like any other end."""

    def __init__(self, category: str, name: str) -> None:
        self.category = category
        self.name = name

    def __enter__(self) -> None:
        self.start_ns = time.perf_counter_ns()

    def __exit__(self, *exception: object) -> None:
        record(self.category, self.name, self.start_ns, time.perf_counter_ns())


def span(category: str, name: str) -> AbstractContextManager[None]:
    """A `with` block that records one event when the PROFILE option is on, else does nothing.

    Categories in use: "schedule" (of what is new), "pass", "lower", "compile", "kernel", "copy".
    """
    return _Span(category, name) if options().PROFILE else _NOTHING


@contextmanager
def timed_kernel(name: str) -> Iterator[None]:
    """A `with` block in which a device runs a kernel: an event of its own, if it records none."""
    first, start = len(_events), time.perf_counter_ns()
    yield
    if not any(event.category == "kernel" for event in _events[first:]):
        record("kernel", name, start, time.perf_counter_ns())


def profile_events() -> tuple[ProfileEvent, ...]:
    """All events so far, in the order in which they ended."""
    return tuple(_events)


def clear_profile() -> None:
    """Forget all events."""
    _events.clear()


def chrome_trace() -> dict[str, object]:
    """The events as a Chrome trace object: times in microseconds from the first start."""
    first = min((e.start_ns for e in _events), default=0)
    lanes: dict[int, int] = {}  # thread identifiers are addresses: number them as they appear
    rows = [
        {
            "name": e.name,
            "cat": e.category,
            "ph": "X",
            "ts": (e.start_ns - first) / 1000,
            "dur": (e.end_ns - e.start_ns) / 1000,
            "pid": 0,
            "tid": lanes.setdefault(e.thread, len(lanes)),
            **({"args": dict(e.details)} if e.details else {}),
        }
        for e in _events
    ]
    return {"traceEvents": rows, "displayTimeUnit": "ms"}


def write_trace(path: str | Path) -> Path:
    """Save `chrome_trace()` as JSON. Raises OSError where the file cannot be written."""
    import json

    target = Path(path)
    target.write_text(json.dumps(chrome_trace()), encoding="utf-8")
    return target
