"""Files as memory: buffers over maps of files, of which only what is used is ever read.

A tensor of a file says that it is on DISK. Its memory is one of this process, as that of the device
that reads it: what is copied to a device is read by the kernel that needs it, and nothing else is.
"""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

from rulewright.errors import DeviceError, FileError, MissingFileError
from rulewright.runtime.buffer import Buffer, ElementType, HostBuffer
from rulewright.runtime.device import DISK, BaseDevice, Device

if TYPE_CHECKING:
    import numpy as np

    from rulewright.runtime.allocator import CachingAllocator


class DiskDevice(BaseDevice):
    """Holds files. It has no memory but theirs and no kernels."""

    in_host_memory = True

    @property
    def allocator(self) -> CachingAllocator:
        """None: raises DeviceError."""
        raise DeviceError(f"{DISK} has no memory but that of files")


class MappedFile:
    """A file of this many bytes in memory, to read, or to write through to it."""

    def __init__(self, path: str, is_writable: bool) -> None:
        """Raises MissingFileError, or FileError for a folder and what may not be opened so."""
        self.path = path
        try:
            with open(path, "r+b" if is_writable else "rb") as file:
                self.size = os.fstat(file.fileno()).st_size
                access = mmap.ACCESS_WRITE if is_writable else mmap.ACCESS_READ
                self.map = mmap.mmap(file.fileno(), self.size, access=access) if self.size else None
        except FileNotFoundError:
            raise MissingFileError(f"expected a file, found nothing at {path}") from None
        except (OSError, ValueError) as error:
            raise FileError(f"cannot map {path} into memory: {error}") from None

    def bytes(self, offset: int, size: int) -> np.ndarray:
        """Some of the bytes, which are read when they are looked at."""
        import numpy as np

        return np.frombuffer(self.map or b"", np.uint8, size, offset)

    def check(self) -> None:
        """Raise FileError if the file has become shorter: what it has lost cannot be read."""
        if self.map is not None and self.map.size() < self.size:
            raise FileError(
                f"{self.path} had {self.size} bytes when it was opened and has {self.map.size()} "
                "now; copy what is needed, x.to('C').realize(), before a file is cut"
            )


class _FileBlock:
    """Memory of a file, which is as long as it was whenever it is used."""

    def __init__(self, file: MappedFile, raw: np.ndarray) -> None:
        self._file, self._bytes = file, raw
        self._address: int = raw.__array_interface__["data"][0]

    @property
    def address(self) -> int:
        """Of the first byte. Raises FileError for a file that has become shorter."""
        self._file.check()
        return self._address

    @property
    def bytes(self) -> np.ndarray:
        """All of them. Raises FileError for a file that has become shorter."""
        self._file.check()
        return self._bytes


class FileBuffer(HostBuffer):
    """`size` elements of a file from a byte on, as memory of a device that uses this process's."""

    def __init__(
        self, device: str, file: MappedFile, offset: int, size: int, dtype: ElementType
    ) -> None:
        raw = file.bytes(offset, size * dtype.itemsize)
        super().__init__(device, raw.view(dtype.np), dtype)
        self._block = _FileBlock(file, raw)
        self.is_readonly = not raw.flags.writeable


def is_of_file(buffer: Buffer) -> bool:
    """Whether the memory is that of a file."""
    return isinstance(buffer.base or buffer, FileBuffer)


def reader() -> str:
    """The device whose memory files are: the default one if it uses this process's, else C, or
    INTERP where there is no C compiler."""
    default = Device.default
    if default != DISK and Device[default].in_host_memory:
        return default
    return "INTERP" if Device.why_not("C") else "C"
