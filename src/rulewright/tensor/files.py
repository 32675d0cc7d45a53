"""Files as tensors: read where they are used, and written."""

from __future__ import annotations

import os
from math import prod
from typing import Any

from rulewright.driver.regions import region_of
from rulewright.errors import ArgumentError, FileError, ShapeError, UsageError
from rulewright.ir.dtypes import DType
from rulewright.runtime.device import DISK
from rulewright.runtime.memories import buffer_of, new_buffer, stand_for
from rulewright.temporary import whole_file
from rulewright.tensor import contents
from rulewright.tensor.alias import Alias
from rulewright.tensor.kinds import as_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import as_shape


class Files(Members):
    """Tensors on DISK."""

    __slots__ = ()

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        dtype: Any = "uint8",
        shape: Any = None,
        offset: int = 0,
        writable: bool = False,
    ) -> Self:
        """A tensor of a file's bytes from `offset` on, on the device DISK. Nothing is read yet.

        Views of it (slices, reshapes, `bitcast`) read nothing either. What is computed once it is
        moved, `x.to("C")`, and what is asked for, `numpy()` or `item()`, reads the elements that it
        needs, and no others. There is no memory for results on DISK: that is a DeviceError.
        What is written into a `writable` one, from any device, is in the file once realized.

        dtype: of the elements, in this machine's byte order; a byte that is not 0 is a true bool.
        shape: one axis of all that there is unless given.
        Raises MissingFileError without the file, FileError for a folder and for one that must not
        be read or written, ShapeError for a file that is too short or has no whole number of
        elements, UsageError for an offset at which no element can begin.

        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> from rulewright import Tensor
        >>> path = Path(mkdtemp(), "numbers")
        >>> _ = path.write_bytes(bytes([1, 0, 2, 0, 3, 0]))
        >>> x = Tensor.from_file(path, "int16")
        >>> x.device, x[1:].to("C").sum().item()
        ('DISK', 5)
        """
        contents.refuse("a file is opened")
        if not isinstance(path, str | os.PathLike):
            raise ArgumentError(f"from_file: path is the name of a file, found {path!r}")
        kind: DType = as_dtype(dtype)
        if kind.is_bool:
            if writable:
                raise UsageError("from_file: bool is not written; open bytes, dtype='uint8'")
            return cls.from_file(path, "uint8", shape, offset).bitcast(kind)
        name = os.fspath(path)
        if os.path.isdir(name):
            raise FileError(f"from_file: expected a file, found a folder at {name}")
        asked = None if shape is None else as_shape((shape,), "from_file")
        return cls._of_file(name, kind, asked, offset, writable)

    @classmethod
    def _of_file(cls, name: str, kind: DType, asked: Any, offset: int, writable: bool) -> Self:
        """`from_file` of a file whose bytes are elements, those of a bool 0 or 1."""
        from rulewright.runtime.disk import FileBuffer, MappedFile, reader

        file = MappedFile(name, bool(writable))
        sizes = _sizes(name, file.size, kind, asked, offset)
        device = reader()
        node = new_buffer(kind, sizes, device)
        stand_for(node, FileBuffer(device, file, offset, prod(sizes), kind))
        return cls._make(node, DISK, Alias(node))

    def _file_as(self, kind: DType) -> Self | None:
        """Bytes of a file that lie one behind the other, as elements of another size: a view where
        elements may begin. None for others, and on other devices."""
        region = region_of(self.uop) if self._device == DISK else None
        if region is None:
            return None
        rows, before = self.shape[:-1], buffer_of(region.base)
        row = int(self.shape[-1]) * self.dtype.itemsize
        offset = region.first * self.dtype.itemsize
        if row % kind.itemsize or (before.address + offset) % kind.itemsize:
            return None
        sizes = (*map(int, rows), row // kind.itemsize)
        node = new_buffer(kind, sizes, region.base.arg[2])
        stand_for(node, before.view(offset, prod(sizes), kind))
        return self._make(node, DISK, Alias(node))

    def _read_from_file(self) -> Self:
        """This on the device that reads files."""
        from rulewright.runtime.disk import reader

        return self._on_device(reader())

    def _in_file(self, path: str) -> Self:
        """This in a new file, or in the place of one: its bytes in row-major order, all or none.

        Raises FileError where there can be no such file.
        """
        value = self.numpy()
        with whole_file("to", path) as file:
            file.write(value.reshape(-1).view("u1").data)
        return self._of_file(path, self.dtype, value.shape, 0, writable=True)


def _sizes(path: str, length: int, kind: DType, shape: Any, offset: Any) -> tuple[int, ...]:
    """The shape of elements that begin at a byte of a file of so many bytes."""
    if not isinstance(offset, int) or offset < 0 or offset % kind.itemsize:
        raise UsageError(
            f"from_file: offset: expected a multiple of the {kind.itemsize} bytes of {kind.name}, "
            f"found {offset!r}; bitcast a tensor of bytes that was moved, x[offset:].to('C')"
        )
    rest = length - offset
    if shape is None:
        if rest < 0 or rest % kind.itemsize:
            raise ShapeError(
                f"from_file: {path} has {length} bytes, {rest} of them behind byte {offset}: no "
                f"whole number of {kind.name}, which has {kind.itemsize} each"
            )
        return (rest // kind.itemsize,)
    sizes = tuple(map(int, shape))
    if prod(sizes) * kind.itemsize > rest:
        raise ShapeError(
            f"from_file: {path} has {length} bytes, {rest} of them behind byte {offset}; "
            f"{kind.name} elements of shape {sizes} are {prod(sizes) * kind.itemsize}"
        )
    return sizes
