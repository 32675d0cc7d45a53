"""A long reduction in two steps: the extern of `split_long_reduce` in `spec/60-schedule.uop`."""

from __future__ import annotations

from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.schedule.chosen import below
from rulewright.schedule.near import device_row

LEAST_PER_OUTPUT = 32768  # reduced elements an output below which one kernel does
MOST_OUTPUTS = 4096  # outputs that are work enough for every core without parts of their sums
ENOUGH_ROWS = 64  # outputs that are as much if each is of neighbours in memory
MOST_PARTS, FEWEST_PARTS = 256, 8  # how many parts the first step may have
LEAST_RUN = 64  # neighbours of each part that lie together, or vectors cannot read them
MOST_PARTIAL = 1 << 22  # elements that the first step may leave
MOST_COLUMNS = 1 << 14  # outputs of which each part of the rows leaves a row
ROW_PARTS, LEAST_ROWS = 8, 256  # parts that rows of a large matrix are added up in; rows, at least
LEAST_ELEMENTS = 1 << 16  # elements of such a matrix, at least, whatever the device

_ELEMENTWISE = Ops.group("Elementwise")
_MOVED = Ops.group("Movement") | _ELEMENTWISE


def split_reduce(node: UOp) -> UOp | None:
    """A reduction of very many elements to few as two, with partial results in memory between.

    None if it is short, if its output is large, if no reduced axis can be divided, or if it chooses
    elements by position: then no loop will be left of it.
    """
    axes = node.arg[1]
    source = node.src[0]
    if _chooses(source):
        return None
    shape = source.shape or ()
    sizes = [size for size in shape if isinstance(size, int)]
    if len(sizes) < len(shape) or not node.size:
        return None
    outputs = prod(size for axis, size in enumerate(sizes) if axis not in axes)
    innermost = min(axes, default=-1) == len(shape) - len(axes)
    if (
        outputs > (ENOUGH_ROWS - 1 if innermost else MOST_OUTPUTS)
        or prod(sizes) // outputs < LEAST_PER_OUTPUT
    ):
        far = _far_rows(node, sizes, outputs)
        return None if far is None else _in_two_steps(node, far, ROW_PARTS, apart=True)
    for axis in axes:
        parts = _parts(sizes[axis], outputs)
        if parts is None or prod(sizes[axis:]) // parts < LEAST_RUN:
            continue
        if not _repeated(source, axis):
            return _in_two_steps(node, axis, parts)
    return None


def _far_rows(node: UOp, sizes: list[int], outputs: int) -> int | None:
    """The axis of the rows of a large matrix, by which a vector is multiplied, if parts of them are
    summed first, by threads.

    Each reads whole rows: they come from memory faster than pieces of them, which threads have that
    share columns. None for few rows, and on targets whose threads read neighbours together. Sums of
    the rows alone are left to the kernels that read the same matrix.
    """
    source, axes, size = node.src[0], node.arg[1], prod(sizes)
    if source.op is not Ops.MUL or all(s.op is not Ops.EXPAND for s in source.src):
        return None
    if outputs > MOST_COLUMNS or size < LEAST_ROWS * outputs or size < LEAST_ELEMENTS:
        return None  # before it is asked for the device, which is looked for below it
    least = device_row(node.device).get("limits", {}).get("row_parts_memory")
    if least is None or size * source.dtype.itemsize < least:
        return None
    order = _order_in_memory(source)
    if not order or order[0] not in axes or order[-1] in axes:
        return None
    rows = sizes[order[0]]
    return order[0] if rows > ROW_PARTS and rows % ROW_PARTS == 0 else None


def _parts(size: int, outputs: int) -> int | None:
    for parts in range(MOST_PARTS, FEWEST_PARTS - 1, -1):
        if size % parts == 0 and size > parts and parts * outputs <= MOST_PARTIAL:
            return parts
    return None


def _repeated(source: UOp, axis: int) -> bool:
    """Is the axis one that an EXPAND repeats, so that its elements are all the same?"""
    return source.op is Ops.EXPAND and (source.src[0].shape or ())[axis] == 1


def _chooses(source: UOp) -> bool:
    """Is it WHERE(position == …, x, 0), which the rule `sum_of_chosen` reads in one place?"""
    if source.op is Ops.PERMUTE:
        source = source.src[0]
    if source.op is not Ops.WHERE:
        return False
    condition = below(source.src[0])
    return condition.op is Ops.CMPEQ and any(below(s).op is Ops.IOTA for s in condition.src)


def _order_in_memory(value: UOp) -> tuple[int, ...]:
    """The axes of more than one element as they follow in the memories that are read for each
    element of a value; nothing if these differ in it, or where only parts of them are read."""
    stack = [(value, tuple(_long_axes(value)))]
    seen, orders = set(stack), set[tuple[int, ...]]()
    while stack:
        node, axes = stack.pop()
        below: list[tuple[UOp, tuple[int, ...]]] = []
        if node.op is Ops.PERMUTE:
            names = dict(zip((node.arg[a] for a in _long_axes(node)), axes, strict=True))
            below = [(node.src[0], tuple(names[a] for a in sorted(names)))]
        elif node.op is Ops.RESHAPE and _sizes(node) == _sizes(node.src[0]):
            below = [(node.src[0], axes)]
        elif node.op in _ELEMENTWISE:
            below = [(s, axes) for s in node.src if s.shape == node.shape]
        elif node.op is not Ops.EXPAND:  # what is repeated is read seldom
            orders.add(axes if node.past({Ops.RESHAPE}).op not in _MOVED else ())
        stack += [pair for pair in below if pair not in seen]
        seen.update(below)
    return orders.pop() if len(orders) == 1 else ()


def _long_axes(node: UOp) -> list[int]:
    """The axes of more than one element."""
    return [axis for axis, size in enumerate(node.shape or ()) if size != 1]


def _sizes(node: UOp) -> list[Dim]:
    """Their sizes."""
    return [size for size in node.shape or () if size != 1]


def _in_two_steps(node: UOp, axis: int, parts: int, apart: bool = False) -> UOp:
    """The reduction of parts of an axis, and that of their results: neighbours in memory, or those
    of each part `apart`."""
    combine, axes = node.arg
    source = node.src[0]
    shape = source.shape or ()
    wide = source.reshape((*shape[:axis], parts, shape[axis] // parts, *shape[axis + 1 :]))
    inner = tuple(a + (a >= axis) for a in axes)
    if apart:
        wide = wide.permute((axis, *(a for a in range(len(shape) + 1) if a != axis)))
        inner, axis = tuple(a + (a < axis) for a in inner), 0
    partial = UOp(Ops.REDUCE_AXIS, node.dtype, (wide,), (combine, inner)).contiguous()
    whole = UOp(Ops.REDUCE_AXIS, node.dtype, (partial,), (combine, (axis,)))
    return whole.reshape(node.shape or ())
