"""Writing into tensors, with the meaning of numpy: every view of the memory sees it.

A tensor and its views share an `Alias`, whose base is the node that stands for the memory. An
assignment makes a new version of the base, AFTER(base, STORE(view, value)), and moves all views
to it. Values that were computed from the old version keep reading the old version; realising
sees to it that they run first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.driver.capture import recorder
from rulewright.errors import DeviceError, FileError, ShapeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.placement import Placement, are_apart, placed_like, placement_of
from rulewright.ir.shapes import Dim, pairs
from rulewright.ir.uop import UOp
from rulewright.runtime.device import DISK
from rulewright.runtime.memories import buffer_of, is_written, new_buffer
from rulewright.tensor import contents
from rulewright.tensor.function_nodes import tracing
from rulewright.tensor.kinds import constant
from rulewright.tensor.modes import has_inputs, is_grad_enabled, settled
from rulewright.tensor.registry import (
    Move,
    is_shared,
    live_tensors,
    lock,
    move,
    moves_of,
    root_of,
    shared,
)
from rulewright.tensor.shapes import broadcast_shapes, node_broadcast_to, node_cast, show
from rulewright.tensor.views import (
    VIEWS,
    below_views,
    chain,
    memory_of,
    rebased,
    shown_by,
    unexpanded,
)
from rulewright.tensor.writes import note_new

if TYPE_CHECKING:
    from rulewright.tensor.core import Core


def memory_under(tensor: Core) -> UOp | None:
    """The memory that a tensor, or what it is a view of, shows."""
    return shown_by(root_of(tensor))


def showing(memory: UOp) -> list[Core]:
    """The live tensors that show a memory, or are views of one that does, oldest first."""
    return [t for t in live_tensors() if below_views(root_of(t)) is memory]


def assign(target: Core, value: UOp, device: str | None) -> None:
    """Write a value into a tensor's memory, or make it the value of a tensor without memory.

    Raises ShapeError if the value does not broadcast to the tensor or the tensor is expanded,
    DeviceError if they are on different devices.
    A tensor of a file takes values of any device. Raises FileError for one that is not writable.
    """
    if target._device == DISK:
        value, device = _to_file(target, value, device), DISK
    value = _fitting(target, value, device)
    with lock:
        base = target._alias.base if target._alias is not None else target.uop
        views = view_chain(target.uop, base)
        memory = memory_of(base)
        if memory is None and views and not tracing.depth and _is_crowded(base):
            move_out(target)
            base = target._alias.base if target._alias is not None else target.uop
            memory = memory_of(base)
        unseen = _is_unseen_here(views) and base.dtype.is_float and _may_flow(base, memory)
        if memory is None and unseen:
            memory = memory_of(_filled(move_out(target)))
        if memory is not None and _is_written_in_place(memory):
            memory = _own(target, memory)
            store = _stored(target.uop, value, memory, unseen)
            _move(target, memory, note_new(memory.after(store)))
        else:
            rebind(target, value if not views else _merged(base, views, value))


def _to_file(target: Core, value: UOp, device: str | None) -> UOp:
    """A value that is written into a file, where the file is memory."""
    memory = memory_under(target)
    if memory is None:
        raise DeviceError("assign: a value that is computed of a file is in no memory to write to")
    if buffer_of(memory.base).is_readonly:
        raise FileError("assign: the file was opened to be read; from_file(path, writable=True)")
    home = memory.base.arg[2]
    is_there = device in (None, DISK, home)
    return value if is_there else UOp(Ops.COPY, value.dtype, (value,), home)


def _is_unseen_here(views: list[UOp]) -> bool:
    """Whether a write goes by way of what is detached, or gets no gradients where it is made."""
    return not is_grad_enabled() or any(node.op is Ops.DETACH for node in views)


def _may_flow(base: UOp, memory: UOp | None) -> bool:
    """Whether a gradient may flow through what is written, or through what a replay writes."""
    from rulewright.tensor.history import depends, has_origin

    if memory is None:
        return has_inputs(base) if tracing.depth else depends(base)
    return memory.op is not Ops.BUFFER or has_origin(memory) or recorder() is not None


def _filled(memory: UOp) -> UOp:
    """New memory, of a view of it."""
    return memory if memory.op is Ops.AFTER else memory.src[0]


MOST_PARTS = 32
"""Parts written into a value without memory, each a choice for all elements, until it gets some."""


def _is_crowded(base: UOp) -> bool:
    """Whether a value is what it is after many writes into parts of it."""
    for _ in range(MOST_PARTS):
        if base.op is not Ops.WHERE:
            return False
        base = base.src[2]
    return True


def rebind(target: Core, new: UOp) -> None:
    """Let a tensor, and what shares its memory, show a new value of the whole memory."""
    _note_valued(target)
    borrowed = shown_by(new)
    if borrowed is not None:  # the value's memory, until one of the two is written
        shared.add(borrowed.base)
    _move(target, target._alias.base if target._alias is not None else target.uop, new)


def _note_valued(target: Core) -> None:
    """Tell a capture of tensors that have a value without memory of their own to write into."""
    if not tracing.depth:
        contents.note_valued([target] if target._alias is None else target._alias.views())


def _is_written_in_place(memory: UOp) -> bool:
    """Whether a write goes into memory now. While a function is traced what is outside of it stays,
    and what has contents already, which a call cannot make: tensors stand for the new value."""
    if not tracing.depth:
        return True
    return int(memory.base.arg[0]) > tracing.mark and not is_written(memory.base)


def _fitting(target: Core, value: UOp, device: str | None) -> UOp:
    if device not in (None, target._device) and target._device is not None:
        raise DeviceError(
            f"assign: the tensor is on {target._device}, the value on {device}; "
            f"move it with .to({target._device!r})"
        )
    shape, theirs = target.shape, value.shape or ()
    if theirs != shape and broadcast_shapes([shape, theirs], "assign") != shape:
        raise ShapeError(f"assign: a value of shape {show(theirs)} does not fit into {show(shape)}")
    fitting = node_broadcast_to(node_cast(value, target.dtype), shape)
    several = isinstance(target._device, tuple)
    return settled(placed_like(fitting, target.uop) if several else fitting)


def view_chain(view: UOp, base: UOp) -> list[UOp]:
    """The movement nodes from a view down to, and without, its base; the view's own first.

    Of an expanded axis that is cut to one element, the axis as it was.
    """
    views, below = [], view
    while below is not base:
        if not below.src:
            raise UsageError("assign: the tensor no longer is a view of its memory")
        views.append(below)
        below = below.src[0]
    if all(node.op is not Ops.EXPAND for node in views):
        return views
    once = unexpanded(view, base)
    if once is None:
        raise ShapeError(
            "assign: the tensor is expanded, so that elements share memory; "
            "use .contiguous() to get memory for each"
        )
    return chain(once, base)


def _stored(view: UOp, value: UOp, memory: UOp, unseen: bool) -> UOp:
    """The STORE of a value into a view of a memory; into a DETACH if no gradient shall see it."""
    views = view_chain(view, memory)
    if unseen:
        value = value.detach()
    if all(node.op in VIEWS for node in views) and are_apart(views[::-1], memory):
        plain = memory
        for node in reversed(views):  # the memory as it is before, in its own dtype
            if node.op not in (Ops.DETACH, Ops.BITCAST):
                plain = node.replace(dtype=memory.dtype, src=(plain, *node.src[1:]))
        return (plain.detach() if unseen else plain).store(_bits(value, memory.dtype))
    return (memory.detach() if unseen else memory).store(_merged(memory, views, value))


def is_unseen(version: UOp) -> bool:
    """Whether no gradient sees what a store changed, AFTER(memory, STORE(DETACH(view), value)):
    that of memory stays what it was."""
    return (
        version.op is Ops.AFTER
        and version.src[1].op is Ops.STORE
        and (version.src[1].src[0].op is Ops.DETACH)
    )


def written_value(version: UOp) -> UOp:
    """What memory holds after a store, AFTER(memory, STORE(view, value)), as a value."""
    memory, store = version.src
    return _merged(memory, view_chain(store.src[0], memory), store.src[1])


def _merged(base: UOp, views: list[UOp], value: UOp) -> UOp:
    """The base with a value in the place of a view of it."""
    if not views:
        return value
    inside = UOp.const(dtypes.bool, True)
    inside = node_broadcast_to(inside, value.shape or ())
    for node in views:
        value, inside = unmoved(node, value), unmoved(node, inside)
    return inside.where(value, base)


def _bits(value: UOp, kind: DType) -> UOp:
    return value if value.dtype is kind else value.bitcast(kind)


def unmoved(node: UOp, value: UOp) -> UOp:
    """The value of the source of a movement node, zero (or false) where the node shows nothing."""
    shape = node.src[0].shape or ()
    if node.op is Ops.RESHAPE:
        return value.reshape(shape)
    if node.op is Ops.PERMUTE:
        return value.permute(tuple(node.arg.index(i) for i in range(len(node.arg))))
    if node.op is Ops.FLIP:
        return value.flip(node.arg)
    if node.op is Ops.BITCAST:
        return value if value.dtype.is_bool else _bits(value, node.src[0].dtype)
    if node.op is Ops.SHRINK:
        parts = zip(shape, value.shape or (), pairs(node.arg, node.src[1:]), strict=True)
        # said by the size of the part, so that the sum is the whole's however each is written
        return value.pad(tuple([(low, size - low - part) for size, part, (low, _) in parts]))
    if node.op is Ops.PAD:
        pads = pairs(node.arg, node.src[1:])
        return value.shrink(tuple((lo, lo + s) for s, (lo, _) in zip(shape, pads, strict=True)))
    return value


def _move(target: Core, old: UOp, new: UOp) -> None:
    """Let the target, and everything that shares its memory, show the new version of it."""
    alias = target._alias
    node = target.uop
    move([Move(target, rebased(node, old, new))] if alias is None else moves_of(alias, old, new))


def _own(target: Core, memory: UOp) -> UOp:
    """The memory that a write to a tensor goes into, which nothing but its views has."""
    if not is_shared(memory.base):
        return memory
    sharing = showing(memory)
    keeper = _keeper(sharing or [target])
    if is_one(keeper, target):
        _part(target, memory, sharing)
        return memory
    return _filled(move_out(target))


def move_out(tensor: Core) -> UOp:
    """Give a tensor and its views a memory of their own, which is filled when it is realised."""
    _note_valued(tensor)
    base = root_of(tensor)
    tensor._device = tensor.device
    memory = own_memory(base, tensor.device)
    _move(tensor, base, memory)
    return memory


def is_one(tensor: Core, other: Core) -> bool:
    """Whether a tensor is another, or a view of the same memory."""
    return tensor is other or (tensor._alias is not None and tensor._alias is other._alias)


def unshare(target: Core, memory: UOp) -> None:
    """Give other tensors that only happen to have this memory a memory of their own.

    Equal graphs are one node, so tensors that were computed alike are realised as one buffer.
    """
    if is_shared(memory.base):
        _part(target, memory, showing(memory))


def part(memory: UOp) -> None:
    """Give all tensors but one that only happen to have this memory a memory of their own."""
    sharing = showing(memory) if is_shared(memory.base) else []
    if sharing:
        _part(_keeper(sharing), memory, sharing)


def _keeper(sharing: list[Core]) -> Core:
    """Which of the tensors that have one memory keeps it: a leaf, for gradients know it by that,
    else the oldest, which may be the state of a jitted function."""
    return next((t for t in sharing if t._requires_grad), sharing[0])


def _part(target: Core, memory: UOp, sharing: list[Core]) -> None:
    """Leave a memory to a tensor and its views; the others that show it get their own."""
    for tensor in sharing:
        if not is_one(tensor, target) and memory_under(tensor) is memory:  # not moved as a view
            move_out(tensor)
    shared.discard(memory.base)


def own_memory(value: UOp, device: Any) -> UOp:
    """A value in a new buffer of its own, which is filled when it is realised."""
    shape = value.shape or ()
    if isinstance(device, tuple):
        device = str(placement_of(value) or Placement(device, None))
    buffer = new_buffer(value.dtype, _largest(shape), device)
    if all(isinstance(s, int) for s in shape):
        return buffer.after(buffer.store(value))
    view = buffer.shrink(tuple((0, s) for s in shape))
    return buffer.after(view.store(value)).shrink(tuple((0, s) for s in shape))


def _largest(shape: tuple[Dim, ...]) -> tuple[int, ...]:
    """Sizes at the upper bounds of their variables: a replay may bind these to more."""
    known = tuple([s for s in shape if isinstance(s, int)])
    if len(known) == len(shape):
        return known
    sizes = UOp.sink(*map(UOp.index_const, shape))
    free = sizes.substitute({n: n.src[0] for n in sizes.toposort() if n.op is Ops.BIND})
    return tuple(int(size.vmax) for size in free.src)


def item_value(target: Core, value: Any) -> tuple[UOp, str | None]:
    """What is assigned, as a node and its device."""
    from rulewright.tensor.core import Core

    if isinstance(value, Core):
        return value.uop, value._device
    if isinstance(value, bool | int | float):
        return constant(target.dtype, value), None
    other = target.__class__(value, device=target._device)
    return other.uop, other._device
