"""Streams, memory and graphs of the CUDA device, in whatever order the driver may do things.

Random runs over a stand-in for the driver are compared with numpy. Each wait, note, edge and
update is then left out in turn, which has to show.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import contextmanager

import numpy as np
import pytest
from cuda_devices import cuda, cuda_standin

from rulewright.errors import DeviceRuntimeError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import NOWHERE, Buffer
from rulewright.runtime.cuda import graphs, launches, memory, pinned, streams
from rulewright.runtime.device import Use

SIZE = 96  # elements
SCALE_AND_ADD = """
extern "C" __global__ void scale_and_add(
    float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b,
    long long scale) {
  int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = a[i] * scale + b[i];
}
"""
GRID = (3,), (32,)


@pytest.fixture(autouse=True)
def small_copies(monkeypatch):
    """Copies of these few elements go through all that large ones do: pieces, streams, chunks."""
    monkeypatch.setattr(pinned, "CHUNKS", {64: 2, 256: 3})
    monkeypatch.setattr(pinned, "LARGEST", 256)
    monkeypatch.setattr(memory, "LARGEST", 256)
    monkeypatch.setattr(memory, "SMALL", 64)


class Run:
    """Buffers, and what is in them as numpy has it; `moves` are done in an order that is drawn."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.device = cuda()
        program = self.device.compile(SCALE_AND_ADD, "scale_and_add")
        self.kernel = self.device.runtime(program)
        self.buffers: list[Buffer] = []
        self.values: list[np.ndarray] = []
        for _ in range(4):
            self.fill(self.append())
        self.later: list[tuple[np.ndarray, np.ndarray]] = []  # pinned arrays, what they will hold
        self.row = self.make_row()

    def append(self) -> int:
        self.buffers.append(Buffer("CUDA", SIZE, dtypes.f32))
        self.values.append(np.zeros(SIZE, np.float32))
        return len(self.buffers) - 1

    def some(self) -> np.ndarray:
        return np.float32(self.draw.randrange(1, 9)) + np.arange(SIZE, dtype=np.float32) % 7

    def fill(self, at: int) -> None:
        data = self.some()
        self.buffers[at].copyin(data)
        self.values[at] = data.copy()
        data[:] = -1000  # the host's memory is the host's again

    def three(self) -> list[int]:
        return self.draw.sample(range(len(self.buffers)), 3)

    # ---- moves ----------------------------------------------------------------------------

    def copy_in(self) -> None:
        self.fill(self.draw.randrange(len(self.buffers)))

    def copy_a_piece_in(self) -> None:
        at, first = self.draw.randrange(len(self.buffers)), self.draw.randrange(SIZE // 16) * 16
        data = self.some()[:8]
        self.buffers[at].view(first * 4, 8).copyin(data)
        self.values[at][first : first + 8] = data

    def copy_pinned_in(self) -> None:
        """From an array that is dropped at once, or written again behind `synchronize`."""
        at = self.draw.randrange(len(self.buffers))
        array = self.device.pinned(SIZE, np.float32)
        array[:] = self.values[at] = self.some()
        self.buffers[at].copyin(array)
        if self.draw.random() < 0.3:
            self.device.synchronize()
            array[:] = -1000

    def launch(self) -> None:
        self.launch_over(*self.three())

    def launch_over(self, out: int, a: int, b: int) -> None:
        scale = self.draw.randrange(-2, 3)
        chosen = [self.buffers[i] for i in (out, a, b)]
        self.kernel.bind(chosen, [scale], *GRID)()
        self.values[out] = self.kept(self.values[a] * np.float32(scale) + self.values[b], out)

    def kept(self, values: np.ndarray, at: int) -> np.ndarray:
        if np.abs(values).max() < 1e6:
            return values
        self.buffers[at].copyin(np.ones(SIZE, np.float32))
        return np.ones(SIZE, np.float32)

    def make_row(self) -> object:
        """Kernels as one: slot 2 = 2·slot 0 + own, own = 3·slot 2 + slot 1, slot 0 = own + own."""
        own = Buffer("CUDA", SIZE, dtypes.f32).copyin(np.zeros(SIZE, np.float32))
        first, second, third = [NOWHERE, NOWHERE, own], [own, NOWHERE, NOWHERE], [NOWHERE, own, own]
        rows = [(first, 2), (second, 3), (third, 1)]
        bound = [self.kernel.bind(buffers, [scale], *GRID) for buffers, scale in rows]
        uses = [Use(0, 0, 2, 0), Use(0, 1, 0, 0), Use(1, 1, 2, 0), Use(1, 2, 1, 0), Use(2, 0, 0, 0)]
        self.own = np.zeros(SIZE, np.float32)
        return self.device.launch_row(bound, uses)

    def run_row(self) -> None:
        self.row_over(*self.three())

    def row_over(self, zero: int, one: int, two: int) -> None:
        for slot, at in enumerate((zero, one, two)):
            self.row.put(slot, self.buffers[at])
        scale = self.draw.randrange(-1, 2)
        self.row.number(1, 0, scale)
        self.row.run()
        self.values[two] = self.values[zero] * 2 + self.own
        self.own = self.values[two] * np.float32(scale) + self.values[one]
        self.values[zero] = self.own + self.own
        if max(np.abs(v).max() for v in (self.own, *self.values)) > 1e6:
            self.row = self.make_row()
            for at in (zero, one, two):
                self.fill(at)

    def let_go(self) -> None:
        """Free a buffer while it may be in use, and take another, in the same memory or not."""
        at = self.draw.randrange(len(self.buffers))
        del self.buffers[at], self.values[at]
        if self.draw.random() < 0.3:
            self.device.allocator.trim()
        self.fill(self.append())

    def look(self) -> None:
        self.look_at(self.draw.randrange(len(self.buffers)))

    def look_at(self, at: int) -> None:
        np.testing.assert_array_equal(self.buffers[at].numpy(), self.values[at])

    def look_later(self) -> None:
        self.look_later_at(self.draw.randrange(len(self.buffers)))

    def look_later_at(self, at: int) -> None:
        """A copy to the host that is not waited for: what comes behind must not overtake it."""
        array = self.device.pinned(SIZE, np.float32)
        allocator, address = self.device.allocator, array.ctypes.data
        block = allocator.pinned.block_at(address, array.nbytes)
        buffer = self.buffers[at]
        allocator._queue_out(buffer.block, buffer.offset, block, address, array.nbytes)
        self.later.append((array, self.values[at].copy()))

    def end(self) -> None:
        self.device.synchronize()
        for array, values in self.later:
            np.testing.assert_array_equal(array, values)
        for buffer, values in zip(self.buffers, self.values, strict=True):
            np.testing.assert_array_equal(buffer.numpy(), values)


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


MOVES = ("copy_in", "copy_a_piece_in", "copy_pinned_in", "launch", "launch", "run_row", "run_row",
         "let_go", "look", "look_later")  # fmt: skip


def random_run(seed: int) -> None:
    with cuda_standin(seed) as driver:
        run = Run(seed)
        for _ in range(40):
            getattr(run, run.draw.choice(MOVES))()
        run.end()
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
