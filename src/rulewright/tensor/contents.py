"""The contents of BUFFERs, as tensors make and read them, and what a capture is told of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import TYPE_CHECKING, Any
from weakref import ref

from rulewright.driver.capture import recorder
from rulewright.driver.regions import piece_of, region_of
from rulewright.errors import UsageError
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.placement import placement, text_of
from rulewright.ir.shapes import pairs
from rulewright.ir.uop import UOp
from rulewright.runtime.memories import buffer_of, new_buffer
from rulewright.tensor.metadata import caller

if TYPE_CHECKING:
    import numpy as np

    from rulewright.runtime.buffer import Buffer


def buffer_with(array: np.ndarray[Any, Any], kind: DType, device: str) -> UOp:
    """A BUFFER node that holds a copy of host data."""
    node = new_buffer(kind, tuple(array.shape), device)
    buffer = buffer_of(node).allocate().copyin(array.reshape(-1))
    active = recorder()
    if active is not None:
        active.data[buffer] = array.reshape(-1).copy()
    return node


def node_with(array: np.ndarray[Any, Any], kind: DType, device: Any) -> UOp:
    """A copy of host data on a device; of several each has all of it."""
    if not isinstance(device, tuple):
        return buffer_with(array, kind, device)
    return UOp(Ops.COPY, kind, (buffer_with(array, kind, device[0]),), text_of(device))


def random_words(array: np.ndarray[Any, Any], kind: DType, device: str) -> UOp:
    """A BUFFER node of the random generator's words, which every replay of a capture renews."""
    node = buffer_with(array, kind, device)
    active = recorder()
    if active is not None:
        active.random.append(buffer_of(node))
    return node


def refuse(what: str) -> None:
    """Raise JitError if this thread captures: `what` cannot be repeated by a replay."""
    active = recorder()
    if active is not None:
        active.refuse(f"{what} at {caller()}")


def note_copied(data: object, what: str) -> None:
    """Note that host memory is copied. Raises JitError if this thread captures, unless replays look
    at that memory: at arrays of numpy that stand around the function."""
    active = recorder()
    if active is not None and not active.watch(data):
        arrays = "closures, globals and attributes may hold arrays of numpy"
        active.refuse(f"{what} ({arrays}) at {caller()}")


def note_rebound(tensor: object) -> None:
    """Note that a tensor is given another memory."""
    active = recorder()
    if active is not None:
        active.rebound[id(tensor)] = ref(tensor)


def note_valued(tensors: Iterable[object]) -> None:
    """Note that tensors without memory of their own are given another value."""
    active = recorder()
    if active is not None:
        active.valued.update((id(tensor), ref(tensor)) for tensor in tensors)


def read(node: UOp) -> np.ndarray[Any, Any]:
    """The contents of a BUFFER as a fresh array of its shape.

    Raises UsageError if nothing has been written there.
    """
    refuse("a value is read")
    buffer = buffer_of(node)
    if not buffer.is_allocated and buffer.size:
        raise UsageError(
            f"a buffer of {buffer.size} {node.dtype.name} on {node.arg[2]} was never written; "
            "realize the tensor that fills it"
        )
    return buffer.numpy().reshape(node.arg[1])


def read_run(node: UOp) -> np.ndarray[Any, Any] | None:
    """Elements that stand side by side in memory of this process, or one of a view of that, as a
    fresh array.

    None for any other node, which takes a kernel; a loop over elements or rows takes none.
    """
    region = region_of(node)
    if region is None:
        return _read_one(node)
    buffer = buffer_of(region.base)
    if not _is_at_hand(buffer):
        return None
    refuse("a value is read")
    elements = piece_of(buffer, region.first, prod(region.shape)).as_numpy()
    return elements.reshape(region.shape).copy()


def _read_one(node: UOp) -> np.ndarray[Any, Any] | None:
    """The element of a view that has no other, as of a column."""
    base = node.base
    if node.size != 1 or base.op is not Ops.BUFFER or placement(base.arg[2]) is not None:
        return None
    array = array_of_view(node) if _is_at_hand(buffer_of(base)) else None
    if array is None:
        return None
    refuse("a value is read")
    return array.copy()


def _is_at_hand(buffer: Buffer) -> bool:
    """Whether this is memory of this process that holds something."""
    return buffer.device.in_host_memory and buffer.is_allocated


def values_there(node: UOp) -> np.ndarray[Any, Any] | None:
    """Elements that are known without computing: constant, or side by side in memory of this
    process. None for others, and while a function is captured, whose replays have other values."""
    if recorder() is not None:
        return None
    if node.base.op is Ops.CONST:
        import numpy as np

        return np.array(node.base.arg, node.dtype.np)
    return read_run(node)


# ---- views as arrays ------------------------------------------------------------------

_MOST_AXES = 32  # that arrays of each numpy may have


def array_of_view(node: UOp) -> np.ndarray[Any, Any] | None:
    """Memory, or views of it, as an array over the same bytes; None for anything else."""
    import numpy as np

    views = []
    while node.op in _VIEWS:
        views.append(node)
        node = node.src[0]
    if node.op is not Ops.BUFFER or not buffer_of(node).size:
        return None
    shapes = [n.shape or () for n in (node, *views)]
    if any(len(s) > _MOST_AXES or not all(isinstance(n, int) for n in s) for s in shapes):
        return None
    array = buffer_of(node).as_numpy().reshape(node.arg[1])
    for view in reversed(views):
        below, array = array, _VIEWS[view.op](array, view)
        if not np.may_share_memory(array, below):
            return None  # strides cannot say this RESHAPE
    return array


def _shrunk(array: Any, node: UOp) -> Any:
    return array[tuple(slice(int(lo), int(hi)) for lo, hi in pairs(node.arg, node.src[1:]))]


def _expanded(array: Any, node: UOp) -> Any:
    import numpy as np

    return np.broadcast_to(array, [int(size) for size in node.shape or ()])


_VIEWS: dict[Any, Callable[[Any, UOp], Any]] = {
    Ops.RESHAPE: lambda array, node: array.reshape(node.shape),
    Ops.PERMUTE: lambda array, node: array.transpose(node.arg),
    Ops.FLIP: lambda array, node: array[tuple(slice(None, None, -1 if f else 1) for f in node.arg)],
    Ops.SHRINK: _shrunk,
    Ops.EXPAND: _expanded,
    Ops.DETACH: lambda array, node: array,
    Ops.BITCAST: lambda array, node: array.view(node.dtype.np),
}
