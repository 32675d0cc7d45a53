"""Buffers: typed pieces of a device's memory, allocated when first needed, and views of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from rulewright.errors import DeviceError, ShapeError, UsageError
from rulewright.ir.expected import refuse, several, whole
from rulewright.runtime.allocator import HostBlock
from rulewright.runtime.device import BaseDevice, Device
from rulewright.runtime.profile import GlobalCounters, span

if TYPE_CHECKING:
    import numpy as np


_new_object = object.__new__


class ElementType(Protocol):
    """What a buffer asks of a dtype: its name, bytes an element, and numpy's equal of it."""

    @property
    def name(self) -> str:
        """Its short name, e.g. "f32"."""

    @property
    def itemsize(self) -> int:
        """Bytes an element."""

    @property
    def np(self) -> np.dtype[Any]:
        """The numpy dtype with the same bits."""


class _Exported:
    """Hands memory to numpy and keeps the buffer alive for as long as an array uses it."""

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.__array_interface__ = {
            "shape": (buffer.nbytes,),
            "typestr": "|u1",
            "data": (buffer.address, buffer.is_readonly),
            "version": 3,
        }


class Buffer:
    """`size` elements of `dtype` on a device; memory comes with `allocate()` or first use.

    With `base`, it is a view: the elements at byte `offset` of `base`, sharing its memory.
    Memory returns to the device's allocator when the last of buffer, views and arrays is gone.
    `is_readonly`: the memory, as that of a file may be, is not to be written into.
    """

    is_readonly = False

    def __init__(
        self,
        device: str | BaseDevice,
        size: int,
        dtype: ElementType,
        base: Buffer | None = None,
        offset: int = 0,
    ) -> None:
        if size < 0:
            raise ShapeError(f"a buffer needs a size of 0 or more elements, found {size}")
        self._block: Any = None
        self.device = Device[device] if isinstance(device, str) else device
        self.size = size
        self.dtype = dtype
        self.nbytes: int = size * dtype.itemsize
        self.base: Buffer | None = (base.base or base) if base is not None else None
        self.offset: int = offset + (base.offset if base is not None else 0)
        if base is not None:
            self.is_readonly = base.is_readonly
            self._check_view(base, offset)

    def another(self) -> Buffer:
        """A buffer of the same device, size and dtype, with memory of its own."""
        buffer = _new_object(Buffer)
        buffer._block, buffer.base, buffer.offset = None, None, 0
        buffer.device, buffer.size, buffer.dtype = self.device, self.size, self.dtype
        buffer.nbytes = self.nbytes
        return buffer

    def _check_view(self, base: Buffer, offset: int) -> None:
        if self.device is not base.device:
            raise DeviceError(f"a view on {self.device.name} of a buffer on {base.device.name}")
        if not 0 <= offset <= base.nbytes - self.nbytes:
            raise UsageError(
                f"view of {self.size} {self.dtype.name} ({self.nbytes} bytes) at byte {offset} "
                f"leaves its base of {base.nbytes} bytes"
            )
        align = max(self.dtype.itemsize, 1)
        if self.offset % align:
            raise UsageError(
                f"view of {self.dtype.name} at byte {self.offset} of its base: the offset must "
                f"be a multiple of the element's {align} bytes"
            )

    @property
    def is_allocated(self) -> bool:
        """Whether memory is behind this buffer."""
        return (self._block if self.base is None else self.base._block) is not None

    @property
    def block(self) -> Any:
        """The device's handle of the memory; a view's is its base's. Allocates."""
        if self.base is not None:
            return self.base.block
        if self._block is None:
            self._block = self.device.allocator.allocate(self.nbytes)
            GlobalCounters.mem_used += self.nbytes
        return self._block

    @property
    def address(self) -> int:
        """Address of the first element, for devices in host memory. Allocates."""
        if not self.device.in_host_memory:
            self._need_host("an address")
        memory = self.base or self
        block = memory._block or memory.block
        return int(block.address) + self.offset

    def allocate(self) -> Buffer:
        """Make sure that there is memory; returns self. Raises DeviceRuntimeError if out of it."""
        _ = self.block
        return self

    def view(self, offset: int, size: int, dtype: ElementType | None = None) -> Buffer:
        """`size` elements at byte `offset`, without a copy.

        Raises UsageError if they leave the buffer or are not aligned to `dtype`.
        """
        return Buffer(self.device, size, dtype or self.dtype, self, offset)

    def copyin(self, data: Any) -> Buffer:
        """Fill from host data of the same number of bytes: an array, bytes or a memoryview."""
        source = _contiguous_bytes(data)
        self._same_bytes(source)
        if self.nbytes:
            with span("copy", f"host to {self.device.name}"):
                self.device.allocator.copy_in(self.block, self.offset, source)
        return self

    def copyout(self, data: Any) -> Any:
        """Copy into writable, contiguous host memory of the same number of bytes; returns it."""
        target = memoryview(_bytes_of(data))
        if target.readonly:
            raise UsageError("copyout needs host memory that can be written to")
        self._same_bytes(target)
        if self.nbytes:
            with span("copy", f"{self.device.name} to host"):
                self.device.allocator.copy_out(self.block, self.offset, target)
        return data

    def numpy(self) -> np.ndarray:
        """The elements as a fresh one-dimensional array; works for every device."""
        import numpy as np

        return self.copyout(np.empty(self.size, self.dtype.np))

    def as_numpy(self) -> np.ndarray:
        """The elements as a one-dimensional array that shares this memory; host devices only."""
        import numpy as np

        self._need_host("an array that shares its memory")
        return np.asarray(_Exported(self)).view(self.dtype.np)

    def _need_host(self, what: str) -> None:
        if not self.device.in_host_memory:
            raise DeviceError(
                f"device {self.device.name} is not in host memory, so it cannot give {what}; "
                "copy with numpy()"
            )

    def _same_bytes(self, view: memoryview) -> None:
        if view.nbytes != self.nbytes:
            raise ShapeError(
                f"a copy between {view.nbytes} bytes of host memory and a buffer of {self.nbytes} "
                f"bytes ({self.size} {self.dtype.name}): the sizes must be equal"
            )

    def __del__(self) -> None:
        try:
            block = self._block
            if block is not None:
                GlobalCounters.mem_used -= self.nbytes
                self.device.allocator.free(block, self.nbytes)
        except (AttributeError, TypeError):  # unfinished, or the process ends
            pass

    def __repr__(self) -> str:
        place = f" offset={self.offset}" if self.base is not None else ""
        state = "" if self.is_allocated else " unallocated"
        return f"<Buffer {self.device.name} {self.size} {self.dtype.name}{place}{state}>"


class _Nowhere:
    """Stands for memory that a launch is given later."""

    address = 0


NOWHERE = _Nowhere()


def check_launch(
    kernel: str, device: BaseDevice, buffers: Any, variables: Any, global_size: Any, local_size: Any
) -> None:
    """Raise ArgumentError for what a launch is given that is none of its kind, DeviceError for
    memory of another device."""
    method = f"kernel {kernel}"
    for buffer in several(buffers, method, "a list of buffers"):
        if not isinstance(buffer, Buffer) and buffer is not NOWHERE:
            refuse(method, f"buffers, such as Buffer({device.name!r}, 4, dtypes.f32)", buffer)
        if isinstance(buffer, Buffer) and buffer.device is not device:
            raise DeviceError(
                f"kernel {kernel} of device {device.name} is launched over memory of "
                f"{buffer.device.name}; copy it: copyin(other.numpy())"
            )
    for value in several(variables, method, "a list of variables"):
        whole(value, method, "a variable")
    for sizes in (global_size, local_size or ()):
        for size in several(sizes, method, "launch sizes as a tuple"):
            whole(size, method, "a launch size")


class HostBuffer(Buffer):
    """Elements in memory of this process that a row-major array owns: not copied, not freed."""

    def __init__(
        self, device: str | BaseDevice, array: np.ndarray[Any, Any], dtype: ElementType
    ) -> None:
        super().__init__(device, array.size, dtype)
        self._need_host("a share of host memory")
        raw = _bytes_of(array)
        self._block = HostBlock(raw, raw.__array_interface__["data"][0])

    def __del__(self) -> None:
        """The array frees the memory."""


def _bytes_of(data: Any) -> Any:
    """Bytes behind an array or buffer; arrays of types that memoryview cannot name pass too."""
    import numpy as np

    array = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
    if not array.flags.c_contiguous:
        raise UsageError("host memory for a copy must be contiguous")
    return array.reshape(-1).view(np.uint8)


def _contiguous_bytes(data: Any) -> memoryview:
    import numpy as np

    if isinstance(data, np.ndarray):
        data = np.ascontiguousarray(data)
    elif isinstance(data, memoryview) and not data.c_contiguous:
        data = data.tobytes()
    return memoryview(_bytes_of(data))
