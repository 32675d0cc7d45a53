"""Streams, memory and graphs of the CUDA device, in whatever order the driver may do things.

Random runs over a stand-in for the driver are compared with numpy. Each wait, note, edge and
update is then left out in turn, which has to show.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

import pytest
from cuda_devices import cuda, cuda_standin
from cuda_runs import Run

from rulewright.errors import DeviceRuntimeError
from rulewright.runtime.cuda import graphs, launches, memory, pinned, streams


@pytest.fixture(autouse=True)
def small_copies(monkeypatch):
    """Copies of these few elements go through all that large ones do: pieces, streams, chunks."""
    monkeypatch.setattr(pinned, "CHUNKS", {64: 2, 256: 3})
    monkeypatch.setattr(pinned, "LARGEST", 256)
    monkeypatch.setattr(memory, "LARGEST", 256)
    monkeypatch.setattr(memory, "SMALL", 64)


def short_run() -> None:
    """A few moves, each of which has to wait for the one before, and all of which are looked at."""
    run = Run(0)
    run.launch_over(0, 1, 2)  # kernels behind copies
    run.fill(1)  # a copy behind kernels
    run.look_at(0)
    run.row_over(1, 2, 3)
    run.fill(2)  # a copy behind a graph
    run.row_over(2, 1, 0)  # a graph behind a copy
    run.look_later_at(0)
    run.launch_over(0, 1, 3)  # kernels behind a copy to the host
    run.draw.random = lambda: 0.0
    run.copy_pinned_in()
    run.end()


def random_run(seed: int) -> None:
    with cuda_standin(seed) as driver:
        Run(seed).any_moves(40)
        assert not driver.faults


@pytest.mark.parametrize("seed", range(24))
def test_a_run_gives_what_numpy_gives(seed):
    random_run(seed)


# ---- planted faults -------------------------------------------------------------------------


def nothing(*_: object) -> None:
    """Left out."""


def _without_edges(patch: pytest.MonkeyPatch) -> None:
    build = graphs.CudaGraph._build

    def built(self: graphs.CudaGraph) -> None:
        class Forgetful(list):
            def __getitem__(self, at):
                return [] if isinstance(at, slice) else list.__getitem__(self, at)

        self._nodes = Forgetful()
        build(self)

    patch.setattr(graphs.CudaGraph, "_build", built)


def _follows_too_little(patch: pytest.MonkeyPatch) -> None:
    """Wait for an event that was recorded before the operation in question."""
    mark = streams.Stream.mark

    def early(self: streams.Stream, count: int):
        return self._marks[0] if self._marks else mark(self, count)

    patch.setattr(streams.Stream, "mark", early)


def _reused_events(patch: pytest.MonkeyPatch) -> None:
    """An event is recorded anew before it has come."""

    def take(self: streams.Events):
        if not self._free:
            self._free.append(cuda().check(streams.driver().cuEventCreate(2)))
        return self._free[0]

    patch.setattr(streams.Events, "take", take)
    patch.setattr(streams.Events, "give", nothing)


def _leave_out(module: object, name: str) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(module, name, nothing)


def _says(owner: object, name: str, answer: object) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(owner, name, lambda *_: answer)


FAULTS = {
    "a kernel does not wait for copies": _leave_out(launches, "order"),
    "nobody waits for kernels": _leave_out(launches, "note"),
    "a graph does not wait for copies": _leave_out(graphs, "order"),
    "nobody waits for graphs": _leave_out(graphs, "note"),
    "copies wait for nobody": _leave_out(memory, "order"),
    "nobody waits for copies": _leave_out(memory, "note"),
    "memory is freed, and copies are read, too early": _leave_out(memory, "wait_for"),
    "chunks and pinned memory are used too early": _leave_out(pinned, "wait_for"),
    "streams do not follow": _leave_out(streams.Stream, "follow"),
    "a stream is taken to be behind the others": _says(streams.Stream, "is_behind", True),
    "the host does not wait": _leave_out(streams.Stream, "wait"),
    "events come too early": _follows_too_little,
    "events are used twice": _reused_events,
    "kernels of a graph in any order": _without_edges,
    "a graph keeps its arguments": _leave_out(graphs.CudaGraph, "_set_changed"),
}


@contextmanager
def planted(name: str):
    with pytest.MonkeyPatch.context() as patch:
        FAULTS[name](patch)
        yield


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_shows(name):
    def is_seen(seed: int) -> bool:
        try:
            random_run(seed)
        except (AssertionError, DeviceRuntimeError):
            return True
        return False

    with planted(name):
        assert any(is_seen(seed) for seed in range(200))


def is_missed(dropped: int) -> bool | None:
    """Whether no order shows that the wait of this number is left out; None if there is none."""
    asked = False
    for order in range(60):
        with cuda_standin(order) as driver:
            driver.dropped = dropped
            try:
                short_run()
            except (AssertionError, DeviceRuntimeError):
                return False
            if driver.faults:
                return False
            asked = asked or next(driver.waits) > dropped
    return True if asked else None


def test_each_wait_is_needed():
    assert is_missed(-1)
    missed = {}
    for number in range(100):
        if (found := is_missed(number)) is None:
            break
        missed[number] = found
    print(missed)
    assert len(missed) > 15 and not any(missed.values())
