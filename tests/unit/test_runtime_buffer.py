"""Buffers, views and the allocator that reuses their memory."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rulewright.errors import DeviceError, DeviceRuntimeError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime import allocator as allocator_module
from rulewright.runtime.allocator import ALIGNMENT, HostAllocator, size_class
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.device import BaseDevice, Device
from rulewright.runtime.profile import GlobalCounters


class OwnMemory(BaseDevice):
    """A host device whose allocator nobody else uses."""

    in_host_memory = True

    def __init__(self) -> None:
        super().__init__("OWN")
        self._allocator = HostAllocator("OWN")

    @property
    def allocator(self) -> HostAllocator:
        return self._allocator


@pytest.fixture
def own() -> OwnMemory:
    return OwnMemory()


@given(st.integers(0, 1 << 40))
def test_size_classes_waste_a_32nd_at_most(nbytes: int) -> None:
    size = size_class(nbytes)
    assert size % ALIGNMENT == 0 and size >= nbytes and size_class(size) == size
    assert size <= max(nbytes * 33 / 32, nbytes + ALIGNMENT)


def test_memory_comes_with_first_use_and_is_aligned(own: OwnMemory) -> None:
    buffer = Buffer(own, 10, dtypes.f32)
    assert not buffer.is_allocated and own.allocator.statistics().live == 0
    assert buffer.nbytes == 40 and "unallocated" in repr(buffer)
    assert buffer.allocate() is buffer and buffer.is_allocated
    assert buffer.address % ALIGNMENT == 0
    assert repr(buffer) == "<Buffer OWN 10 f32>"


@pytest.mark.parametrize("nbytes", [65_535, 65_536, 100_001, 4 << 20])
def test_memory_of_many_pages_begins_with_one(nbytes: int) -> None:
    block = HostAllocator("OWN").allocate(nbytes)
    alignment = 4096 if size_class(nbytes) >= 65_536 else ALIGNMENT
    assert block.address % alignment == 0 and len(block.bytes) >= nbytes


def test_memory_is_reused(own: OwnMemory) -> None:
    first = Buffer(own, 1000, dtypes.f32)
    address = first.address
    del first
    assert own.allocator.statistics().cached == size_class(4000)
    second = Buffer(own, 995, dtypes.f32)  # another size, the same class
    assert second.address == address
    statistics = own.allocator.statistics()
    assert (statistics.fresh, statistics.reused, statistics.cached) == (1, 1, 0)
    assert statistics.live == statistics.peak == size_class(4000)


def test_trim_gives_everything_cached_back(own: OwnMemory) -> None:
    buffers = [Buffer(own, 1 << n, dtypes.u8).allocate() for n in range(6, 16)]
    total = sum(size_class(b.nbytes) for b in buffers)
    assert own.allocator.statistics().live == total
    del buffers
    assert own.allocator.trim() == total
    assert own.allocator.trim() == 0
    assert own.allocator.statistics().cached == own.allocator.statistics().live == 0
    assert own.allocator.statistics().peak == total


def test_cache_never_outgrows_the_peak(own: OwnMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator_module, "_CACHE_FLOOR", 0)
    for size in range(1, 60):
        Buffer(own, size * 4096, dtypes.u8).allocate()
        statistics = own.allocator.statistics()
        assert statistics.cached <= statistics.peak


def test_exhausted_memory_trims_then_is_an_error(
    own: OwnMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    Buffer(own, 100_000, dtypes.u8).allocate()
    kept = Buffer(own, 100, dtypes.u8).allocate()
    real, room = HostAllocator._new, own.allocator

    def limited(self: HostAllocator, nbytes: int):
        if room._cached + room._live + nbytes > 150_000:
            raise MemoryError("no more")
        return real(self, nbytes)

    monkeypatch.setattr(HostAllocator, "_new", limited)
    assert Buffer(own, 120_000, dtypes.u8).allocate().is_allocated  # after giving back the cached
    with pytest.raises(DeviceRuntimeError, match=r"OWN has no 1,\d+,\d+ bytes left.* in use"):
        Buffer(own, 1_000_000, dtypes.u8).allocate()
    assert kept.is_allocated


def test_memory_that_an_allocator_refuses_is_an_error_of_the_device(
    own: OwnMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: HostAllocator, nbytes: int):
        raise OSError("no card")

    monkeypatch.setattr(HostAllocator, "_new", refuse)
    with pytest.raises(DeviceRuntimeError, match=r"OWN gave no 1,\d+,\d+ bytes: OSError: no card"):
        Buffer(own, 1_000_000, dtypes.u8).allocate()
    with pytest.raises(DeviceRuntimeError, match="no card"):
        Buffer(own, 0, dtypes.u8).allocate()


def test_allocator_under_threads(own: OwnMemory) -> None:
    """Every live block is somebody's alone."""
    wrong = []

    def work(mark: int) -> None:
        for turn in range(200):
            buffer = Buffer(own, 64 * (1 + turn % 4), dtypes.u8)
            array = buffer.as_numpy()
            array[:] = mark
            if not (array == mark).all():
                wrong.append(mark)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and own.allocator.statistics().live == 0


@pytest.mark.parametrize("dtype", [dtypes.f32, dtypes.bf16, dtypes.bool, dtypes.i64, dtypes.f16])
def test_copies_go_both_ways(own: OwnMemory, dtype) -> None:
    data = np.arange(24).reshape(4, 6).astype(dtype.np)
    buffer = Buffer(own, 24, dtype).copyin(data)
    assert (buffer.numpy() == data.ravel()).all() and buffer.numpy().dtype == dtype.np
    buffer.copyin(data.T)  # not contiguous: the values in its own order
    assert (buffer.numpy() == data.T.ravel()).all()
    out = bytearray(buffer.nbytes)
    assert buffer.copyout(out) is out and bytes(out) == np.ascontiguousarray(data.T).tobytes()
    buffer.copyin(bytes(buffer.nbytes))
    assert not buffer.as_numpy().any()
    buffer.copyin(memoryview(data.tobytes()))
    assert (buffer.as_numpy() == data.ravel()).all()


def test_copies_check_sizes_and_writability(own: OwnMemory) -> None:
    buffer = Buffer(own, 4, dtypes.f32)
    with pytest.raises(ShapeError, match=r"between 12 bytes .* buffer of 16 bytes \(4 f32\)"):
        buffer.copyin(np.zeros(3, np.float32))
    with pytest.raises(ShapeError):
        buffer.copyout(bytearray(15))
    with pytest.raises(UsageError, match="written to"):
        buffer.copyout(bytes(16))
    with pytest.raises(UsageError, match="contiguous"):
        buffer.copyout(np.zeros((4, 2), np.float32)[:, 0])


def test_empty_buffers(own: OwnMemory) -> None:
    buffer = Buffer(own, 0, dtypes.f32).copyin(b"")
    assert buffer.numpy().shape == (0,) and buffer.as_numpy().shape == (0,)
    assert buffer.view(0, 0).nbytes == 0
    with pytest.raises(ShapeError, match="found -1"):
        Buffer(own, -1, dtypes.f32)


def test_as_numpy_shares_memory_and_keeps_it(own: OwnMemory) -> None:
    buffer = Buffer(own, 8, dtypes.i32).copyin(np.arange(8, dtype=np.int32))
    array = buffer.as_numpy()
    array[3] = 99
    assert buffer.numpy()[3] == 99
    part = array[2:5]
    del buffer, array
    gc.collect()
    assert own.allocator.statistics().live > 0
    Buffer(own, 8, dtypes.i32).copyin(np.zeros(8, np.int32))
    assert part.tolist() == [2, 99, 4]
    del part
    gc.collect()
    assert own.allocator.statistics().live == 0


def test_views_share_memory_without_a_copy(own: OwnMemory) -> None:
    base = Buffer(own, 64, dtypes.u8)
    view = base.view(16, 4, dtypes.f32)
    assert not base.is_allocated and not view.is_allocated
    view.copyin(np.float32([1, 2, 3, 4]))
    assert base.is_allocated and view.address == base.address + 16
    assert base.numpy()[16:32].tobytes() == np.float32([1, 2, 3, 4]).tobytes()
    inner = view.view(4, 2)
    assert inner.base is base and inner.offset == 20 and inner.dtype is dtypes.f32
    assert inner.numpy().tolist() == [2, 3]
    assert "offset=20" in repr(inner)
    del base, view
    gc.collect()
    assert inner.numpy().tolist() == [2, 3]
    del inner
    assert own.allocator.statistics().live == 0


@pytest.mark.parametrize(
    ("offset", "size", "message"),
    [
        (52, 4, r"view of 4 f32 \(16 bytes\) at byte 52 leaves its base of 64 bytes"),
        (-4, 4, "leaves its base"),
        (0, 17, "leaves its base"),
        (2, 1, "f32 at byte 2 of its base: the offset must be a multiple of .* 4 bytes"),
    ],
)
def test_bad_views_are_errors(own: OwnMemory, offset: int, size: int, message: str) -> None:
    base = Buffer(own, 64, dtypes.u8)
    with pytest.raises(UsageError, match=message):
        base.view(offset, size, dtypes.f32)


def test_a_view_stays_on_its_device(own: OwnMemory) -> None:
    with pytest.raises(DeviceError, match="a view on C of a buffer on OWN"):
        Buffer("C", 4, dtypes.u8, base=Buffer(own, 8, dtypes.u8))


def test_counter_follows_live_memory() -> None:
    gc.collect()
    before = GlobalCounters.mem_used
    buffer = Buffer("INTERP", 1000, dtypes.f64)
    assert GlobalCounters.mem_used == before
    buffer.allocate()
    assert GlobalCounters.mem_used == before + 8000
    view = buffer.view(0, 10)
    del buffer
    assert GlobalCounters.mem_used == before + 8000
    del view
    assert GlobalCounters.mem_used == before


def test_devices_of_one_kind_have_memory_of_their_own() -> None:
    assert Device["INTERP:1"].allocator is not Device["INTERP"].allocator
    buffer = Buffer("interp:1", 4, dtypes.u8)
    assert buffer.device is Device["INTERP:1"]
