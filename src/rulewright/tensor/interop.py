"""Other libraries' arrays: numpy, DLPack, buffers, raw memory; copies and pickles of tensors.

`Tensor(array)` copies. What shares memory says so: `from_numpy`, `from_dlpack`, `from_blob`, and
the way out `np.from_dlpack(tensor)` and `np.array(tensor, copy=False)`. Through shared memory each
side sees what the other writes; what is still lazy reads the memory when it is computed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from rulewright.errors import DeviceError, DTypeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.runtime.buffer import HostBuffer
from rulewright.runtime.device import DISK, Device
from rulewright.runtime.memories import new_buffer, stand_for
from rulewright.tensor import contents, dlpack
from rulewright.tensor.alias import Alias
from rulewright.tensor.assign import own_memory
from rulewright.tensor.kinds import as_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.memory_copy import MemoryCopy
from rulewright.tensor.registry import lock, root_of, set_leaf
from rulewright.tensor.shapes import as_shape, show
from rulewright.tensor.views import rebased

if TYPE_CHECKING:
    import numpy as np

_CPU = 1  # kDLCPU
_LAST_ADDRESS = 2**63 - 1  # of memory that a process can have


class Interop(Members):
    """Arrays in and out, with and without a copy."""

    __slots__ = ()

    # ---- out ------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """For `np.asarray(tensor)`: a fresh array; with `copy=False` one that shares memory."""
        if copy is not False:
            array = self.numpy()
            return array if dtype is None else array.astype(dtype, copy=False)
        shared = self._shared_array()
        if shared is None or dtype not in (None, shared.dtype):
            raise ValueError(
                f"copy=False: a tensor {show(self.shape)} {self.dtype.name} on {self.device} has "
                "no memory of that dtype that numpy could share; allow a copy"
            )
        return shared

    @MemoryCopy
    def data(self) -> memoryview:
        """A copy of the value as a memoryview of its shape. Also: `memoryview(tensor)`, as of
        Python 3.12.

        >>> from rulewright import Tensor
        >>> Tensor([[1, 2], [3, 4]]).data().tolist()
        [[1, 2], [3, 4]]
        """
        return self.numpy().data

    def __buffer__(self, flags: int, /) -> memoryview:
        return self.data()

    def __dlpack_device__(self) -> tuple[int, int]:
        self._check_host()
        return _CPU, 0

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: bool | None = None,
    ) -> Any:
        """For `np.from_dlpack(tensor)` and `torch.from_dlpack(tensor)`: memory is shared where the
        tensor is memory, or a view of it, of this process, that no axis walks backwards (PyTorch
        ends the process at one); `copy=True` gives a copy.

        Raises DeviceError for other devices, BufferError for what cannot be shared if
        `copy=False`.
        """
        self._check_host()
        if stream is not None or dl_device not in (None, (_CPU, 0)):
            raise BufferError("DLPack: this memory is the CPU's, which has no streams")
        array = None if copy else self._shared_array()
        if array is not None and min(array.strides, default=0) < 0:
            array = None
        if array is None and copy is False:
            raise BufferError(
                "DLPack: only memory, and a view of it that no axis walks backwards, can be shared "
                "without a copy; leave out copy=False"
            )
        if array is None or not array.flags.writeable:
            array = self.numpy()
        return dlpack.capsule_of(array, self.dtype, max_version)

    def _check_host(self) -> None:
        if isinstance(self.device, tuple) or not Device[self.device].in_host_memory:
            raise DeviceError(
                f"DLPack: the tensor is on {self.device}, which is not in this process's memory; "
                "use .to('C') first"
            )

    def _shared_array(self) -> np.ndarray[Any, Any] | None:
        """An array over this tensor's memory, if it is memory of this process or a view of it."""
        if not self._device or isinstance(self._device, tuple):
            return None
        if not Device[self._device].in_host_memory:
            return None
        with lock:
            self.realize()
            contents.refuse("memory is shared")
            return contents.array_of_view(self.uop)

    # ---- in -------------------------------------------------------------------------------

    @classmethod
    def from_numpy(cls, array: Any, device: str | None = None, copy: bool | None = None) -> Self:
        """A tensor of a numpy array, without a copy where that is possible.

        Memory is shared if the array is row-major, writable, in this machine's byte order, and the
        device works in this process's memory; else it is copied. `copy=True` always copies, and
        `copy=False` raises UsageError rather than copy. Raises DTypeError for dtypes that no tensor
        has.

        >>> import numpy as np
        >>> from rulewright import Tensor
        >>> array = np.zeros(2)
        >>> x = Tensor.from_numpy(array)
        >>> array[0] = 5
        >>> x.tolist()
        [5.0, 0.0]
        """
        import numpy as np

        if not isinstance(array, np.ndarray):
            raise UsageError(f"from_numpy: expected a numpy array, found {type(array).__name__}")
        where = Device.canonical(device)
        reason = _why_not_shared(array, where)
        if copy is False and reason:
            raise UsageError(f"from_numpy: {reason}, so that it has to be copied")
        if copy or reason:
            return cls(array, device=where)
        return cls._sharing(np.asarray(array), dtypes.from_numpy(array.dtype), where)

    @classmethod
    def _sharing(cls, array: np.ndarray[Any, Any], kind: DType, device: str) -> Self:
        contents.refuse("host memory is shared with a tensor")
        node = new_buffer(kind, tuple(array.shape), device)
        stand_for(node, HostBuffer(device, array, kind))
        return cls._make(node, device, Alias(node))

    @classmethod
    def from_dlpack(cls, data: Any, device: str | None = None, copy: bool | None = None) -> Self:
        """A tensor of anything with `__dlpack__`: PyTorch, JAX, numpy … on the CPU.

        Memory is shared under the conditions of `from_numpy`; `copy` means the same.
        Raises UsageError for other objects, DeviceError for memory of other devices, DTypeError
        for dtypes that no tensor has.

        >>> import numpy as np
        >>> from rulewright import Tensor
        >>> Tensor.from_dlpack(np.arange(3)).tolist()
        [0, 1, 2]
        """
        if not hasattr(data, "__dlpack__") or not hasattr(data, "__dlpack_device__"):
            raise UsageError(
                f"from_dlpack: expected an object with __dlpack__ and __dlpack_device__, found "
                f"{type(data).__name__}"
            )
        where = Device.canonical(device)
        kind = int(data.__dlpack_device__()[0])
        if kind != _CPU:
            raise DeviceError(
                f"from_dlpack: the data is on a DLPack device of type {kind}, expected the CPU "
                f"({_CPU}); move it there first"
            )
        try:
            array = dlpack.array_of(data)
        except (BufferError, RuntimeError, TypeError) as error:
            raise DTypeError(
                f"from_dlpack: the data cannot be taken over ({error}); if that is for its dtype, "
                "convert it to one that tensors have, for instance float32"
            ) from error
        return cls.from_numpy(array, where, copy)

    @classmethod
    def from_blob(
        cls, address: int, shape: Any, dtype: Any = None, device: str | None = None
    ) -> Self:
        """A tensor over row-major memory of this process at an address, which is not copied.

        Whoever owns the memory has to keep it for as long as the tensor, or a view, is used.
        dtype: the default float unless given. Raises UsageError for an address that is not a
        multiple of the element's size, DeviceError for devices with memory of their own.

        >>> import ctypes
        >>> from rulewright import Tensor
        >>> memory = (ctypes.c_float * 3)(1, 2, 3)
        >>> Tensor.from_blob(ctypes.addressof(memory), (3,)).tolist()
        [1.0, 2.0, 3.0]
        """
        import numpy as np

        kind = dtypes.default_float if dtype is None else as_dtype(dtype)
        sizes = as_shape((shape,) if isinstance(shape, int) else shape, "from_blob")
        numbers = tuple(int(s) for s in sizes)
        where = Device.canonical(device)
        size = prod(numbers) * kind.itemsize
        if address <= 0 or address % kind.itemsize or address + size > _LAST_ADDRESS:
            raise UsageError(
                f"from_blob: {address} is no address of {kind.name} elements of shape {numbers}"
            )
        if not Device[where].in_host_memory:
            raise DeviceError(f"from_blob: device {where} cannot use this process's memory")
        raw = (ctypes.c_uint8 * size).from_address(address)
        array = np.frombuffer(memoryview(raw), np.uint8).view(kind.np).reshape(numbers)
        return cls._sharing(array, kind, where)

    # ---- copies ---------------------------------------------------------------------------

    def __copy__(self) -> Self:
        """A tensor that shares this one's memory, and its gradient."""
        copy = self.__class__(self)
        set_leaf(copy, self._requires_grad)
        copy._grad = self.grad
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A tensor with memory of its own, through which no gradient flows back.

        Tensors that are views of one memory are copied to views of one memory.
        """
        with lock:
            alias, base = self._alias, root_of(self)
            key = id(base if alias is None else alias)
            if key not in memo:
                node = own_memory(base.detach(), self.device)
                memo[key] = Alias(node), base, alias
            copied = memo[key][0]
            copy = self._make(rebased(self.uop, base, copied.base), self.device, copied)
        memo[id(self)] = copy
        set_leaf(copy, min(self._requires_grad, 1))
        copy._grad = None if self.grad is None else self.grad.__deepcopy__(memo)
        return copy

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Value, gradient, device, and whether a gradient is wanted; not what it came from."""
        value = self.numpy()
        device = None if self._device == DISK else self._device  # where there need be no such file
        facts = (self.dtype.name, value.shape, device, bool(self._requires_grad))
        return _unpickled, (type(self), value.tobytes(), *facts, self.grad)


def _unpickled(
    cls: type[Interop],
    data: bytes,
    dtype: str,
    shape: tuple[int, ...],
    device: str | None,
    requires_grad: bool,
    grad: Any,
) -> Interop:
    import numpy as np

    kind: DType = as_dtype(dtype)
    array = np.frombuffer(data, np.uint8).view(kind.np).reshape(shape)
    tensor = cls(array, dtype=kind, device=device, requires_grad=requires_grad)
    tensor._grad = grad
    return tensor


def _why_not_shared(array: np.ndarray[Any, Any], device: str) -> str:
    """Why a tensor cannot use an array's memory; empty if it can."""
    kind = dtypes.from_numpy(array.dtype)
    if not Device[device].in_host_memory:
        return f"device {device} has memory of its own"
    if array.dtype != kind.np:
        return "the array is of the other byte order"
    if not array.flags.c_contiguous or not array.flags.aligned:
        return "the array is not row-major"
    return "" if array.flags.writeable else "the array is read-only"
