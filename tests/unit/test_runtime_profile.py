"""Profile events, their Chrome trace, and the counters."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from rulewright import profile
from rulewright.options import Context
from rulewright.profile import chrome_trace, profile_events, span, write_trace
from rulewright.runtime.profile import GlobalCounters


@pytest.fixture(autouse=True)
def no_events():
    profile.clear_profile()
    yield
    profile.clear_profile()


def test_off_records_nothing() -> None:
    with Context(PROFILE=0), span("pass", "simplify"):
        pass
    assert profile_events() == ()
    assert chrome_trace()["traceEvents"] == []


def test_nested_spans_lie_inside_each_other() -> None:
    with Context(PROFILE=1):
        with span("pass", "outer"), span("pass", "inner"):
            pass
        with pytest.raises(ValueError), span("compile", "fails"):
            raise ValueError
    inner, outer, fails = profile_events()
    assert [e.name for e in (inner, outer, fails)] == ["inner", "outer", "fails"]
    assert outer.start_ns <= inner.start_ns <= inner.end_ns <= outer.end_ns <= fails.start_ns
    assert outer.seconds >= inner.seconds >= 0


def test_trace_numbers_threads_and_starts_at_zero(tmp_path: Path) -> None:
    profile.record("kernel", "a", 5_000, 7_500)
    thread = threading.Thread(target=profile.record, args=("copy", "b", 6_000, 6_001))
    thread.start()
    thread.join()
    profile.record("kernel", "c", 8_000, 9_000)
    rows = json.loads(write_trace(tmp_path / "trace.json").read_text())["traceEvents"]
    assert [(r["name"], r["cat"], r["ph"], r["ts"], r["dur"], r["tid"]) for r in rows] == [
        ("a", "kernel", "X", 0.0, 2.5, 0),
        ("b", "copy", "X", 1.0, 0.001, 1),
        ("c", "kernel", "X", 3.0, 1.0, 0),
    ]


def test_counters_add_up_and_reset() -> None:
    GlobalCounters.reset()
    memory = GlobalCounters.mem_used
    GlobalCounters.count(ops=10, mem=100, seconds=0.5)
    GlobalCounters.count(ops=1, mem=2)
    assert (GlobalCounters.kernels, GlobalCounters.global_ops) == (2, 11)
    assert (GlobalCounters.global_mem, GlobalCounters.time_sum_s) == (102, 0.5)
    assert repr(GlobalCounters).startswith("<GlobalCounters kernels=2 global_ops=11 global_mem=102")
    GlobalCounters.reset()
    assert (GlobalCounters.kernels, GlobalCounters.time_sum_s) == (0, 0.0)
    assert GlobalCounters.mem_used == memory
