"""Streams, and events between them.

A stream does its operations in order, and streams run beside each other. Operations are numbered;
memory remembers the last operation of each stream that used it (`Block.uses`). Who uses it next in
another stream has that one wait on the device, by an event: `order` before an operation is queued,
`note` behind it. So results are those of doing everything in order, and memory that was freed can
be given out at once: whoever gets it waits where it has to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rulewright.runtime.cuda.driver import driver, name_of

if TYPE_CHECKING:
    from rulewright.runtime.cuda.device import CudaDevice

_MOST_NAMES = 64  # kernels that an error may name


class Block:
    """Memory of the device, or page-locked memory of the host: its address, its bytes, and the
    last operation of each stream that uses it."""

    __slots__ = ("address", "nbytes", "uses")

    def __init__(self, address: int, nbytes: int) -> None:
        self.address, self.nbytes = address, nbytes
        self.uses: dict[Stream, int] = {}


class Stream:
    """A queue of operations. `count` were queued so far; the first `done` are known to have ended.

    All but `wait` is called with the device's lock held and its context current.
    """

    def __init__(self, device: CudaDevice) -> None:
        api = driver()
        flags = int(api.CUstream_flags.CU_STREAM_NON_BLOCKING)
        self.device, self.handle = device, device.check(api.cuStreamCreate(flags))
        self.count = self.done = 0
        self.names: deque[tuple[int, str]] = deque(maxlen=_MOST_NAMES)
        self._marks: deque[tuple[int, Any]] = deque()  # operations before an event, the event
        self._behind: dict[Stream, int] = {}  # operations of others that end before what comes next

    def queued(self, name: str = "") -> None:
        """Count an operation that was queued; of a kernel, with its name."""
        self.count += 1
        if name:
            self.names.append((self.count, name))

    def mark(self, count: int) -> tuple[int, Any]:
        """An event that comes when at least the first `count` operations have ended, and how many
        these are."""
        for number, event in self._marks:
            if number >= count:
                return number, event
        self._poll()
        event = self.device.events.take()
        self.device.check(driver().cuEventRecord(event, self.handle))
        self._marks.append((self.count, event))
        return self.count, event

    def follow(self, other: Stream, count: int) -> None:
        """Have what is queued from now on begin behind the first `count` operations of another."""
        if other is self or other.done >= count or self._behind.get(other, 0) >= count:
            return
        number, event = other.mark(count)
        self.device.check(driver().cuStreamWaitEvent(self.handle, event, 0))
        self._behind[other] = number

    def is_behind(self, others: Iterable[Stream]) -> bool:
        """Whether what is queued from now on begins behind all that is queued in others."""
        behind = self._behind
        return all(s.count <= max(behind.get(s, 0), s.done) for s in others if s is not self)

    def has_ended(self, count: int) -> bool:
        """Whether the first `count` operations have ended; waits for nothing."""
        if self.done < count:
            self.mark(count)
            self._poll()
        return self.done >= count

    def _poll(self) -> None:
        while self._marks:
            number, event = self._marks[0]
            (status,) = driver().cuEventQuery(event)
            if name_of(status) == "CUDA_ERROR_NOT_READY":
                return
            self.device.check((status,))
            self._ended(number)

    def _ended(self, number: int) -> None:
        self.done = max(self.done, number)
        while self._marks and self._marks[0][0] <= number:
            self.device.events.give(self._marks.popleft()[1])
        while self.names and self.names[0][0] <= number:
            self.names.popleft()

    def wait(self, count: int) -> None:
        """Return once the first `count` operations have ended; others may queue meanwhile."""
        with self.device.lock:
            if self.done >= count:
                return
            self.device.use()
            number, event = self.mark(count)
        # Another thread may see the event come, and record it anew: that waits longer, not shorter.
        result = driver().cuEventSynchronize(event)
        with self.device.lock:
            self.device.check(result)
            self._ended(number)


class Events:
    """Events that are recorded again once they have come; none of them takes the time."""

    def __init__(self, device: CudaDevice) -> None:
        self.device = device
        self._free: list[Any] = []

    def take(self) -> Any:
        """An event for which nobody waits."""
        if self._free:
            return self._free.pop()
        api = driver()
        flags = int(api.CUevent_flags.CU_EVENT_DISABLE_TIMING)
        return self.device.check(api.cuEventCreate(flags))

    def give(self, event: Any) -> None:
        """Take back an event that has come. Streams that wait for it do so for what it was."""
        self._free.append(event)


class Stopwatch:
    """Seconds that operations of one stream take on the device, by two events."""

    def __init__(self, device: CudaDevice) -> None:
        api = driver()
        flags = int(api.CUevent_flags.CU_EVENT_DEFAULT)
        self.device = device
        self._events = [device.check(api.cuEventCreate(flags)) for _ in range(2)]

    def record(self, end: bool, stream: Stream) -> None:
        """Note the moment that the stream comes here: the beginning, or the end."""
        self.device.check(driver().cuEventRecord(self._events[end], stream.handle))

    def seconds(self) -> float:
        """Wait for the end; the seconds since the beginning."""
        api = driver()
        result = api.cuEventSynchronize(self._events[True])
        with self.device.lock:
            self.device.check(result)
            milliseconds = self.device.check(api.cuEventElapsedTime(*self._events))
        return float(milliseconds) * 1e-3


class Streams:
    """The streams of one device: kernels, copies from the host, and copies to the host."""

    def __init__(self, device: CudaDevice) -> None:
        self.compute, self.copy_in, self.copy_out = (Stream(device) for _ in range(3))
        self.all = (self.compute, self.copy_in, self.copy_out)


def order(stream: Stream, blocks: Iterable[Block]) -> None:
    """Have what comes next in the stream begin behind all operations that use these blocks."""
    for block in blocks:
        for other, count in block.uses.items():
            if other is not stream:
                stream.follow(other, count)


def note(stream: Stream, blocks: Iterable[Block]) -> None:
    """Note that the operation queued last in the stream uses these blocks."""
    count = stream.count
    for block in blocks:
        block.uses[stream] = count


def wait_for(block: Block) -> None:
    """Return once what uses the block now has ended; what others queue meanwhile stays noted."""
    for stream, count in tuple(block.uses.items()):
        stream.wait(count)
        with stream.device.lock:
            if block.uses.get(stream) == count:
                del block.uses[stream]


def is_idle(block: Block) -> bool:
    """Whether nothing uses the block any more; waits for nothing."""
    return all(stream.has_ended(count) for stream, count in block.uses.items())
