"""Shapes and axes: normal forms, and errors that say what was expected; strides; symbolic sizes;
and the helpers that make nodes of the tensor stage, in which methods of tensors are written.

A view of a view is said in movement ops alone, so every reshape of one could share its memory.
numpy and PyTorch share where strides can say it and copy elsewhere, and programs rely on both.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from itertools import accumulate
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

from rulewright.driver.capture import recorder
from rulewright.errors import ArgumentError, AxisError, ShapeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim, as_dim, split_dims
from rulewright.ir.uop import UOp

Shape = tuple[Dim, ...]
_MOST = 1 << 62  # no size is as large


def show(shape: Sequence[Dim]) -> str:
    """A shape as text, symbolic sizes as their expression."""
    return f"({', '.join(map(show_size, shape))}{',' if len(shape) == 1 else ''})"


def show_size(size: Dim) -> str:
    """A size as text, a symbolic one as its expression."""
    return str(size) if isinstance(size, int) else size.render()


def check_size(size: Any, method: str) -> Dim:
    """A size as an int or an index expression.

    Raises ArgumentError if it is neither, ShapeError if it is negative.
    """
    if isinstance(size, UOp):
        if size.vmin < 0:
            raise ShapeError(f"{method}: a symbolic size may be negative: {size.render()}")
        return as_dim(size)
    try:
        number = None if isinstance(size, bool) else operator.index(size)
    except TypeError:
        number = None
    if number is None:
        raise ArgumentError(
            f"{method}: expected whole numbers as sizes, found {size!r} "
            f"of type {type(size).__name__}"
        )
    if number < 0:
        raise ShapeError(f"{method}: a size must be 0 or more, found {number}")
    if number > MOST:
        raise ShapeError(f"{method}: a size is at most {MOST}, found {number}")
    return number


MOST = 2**63 - 1  # elements that can be counted, and the last position


def check_count(shape: Sequence[Dim]) -> None:
    """Raise ShapeError if the elements of a shape cannot be counted in 64 bits."""
    count = 1
    for size in shape:  # half of what prod() of a list takes
        if size.__class__ is int:
            count *= size
    if count > MOST:
        raise ShapeError(f"shape {show(shape)} has {count} elements; at most {MOST} can be counted")


def as_shape(sizes: Sequence[Any], method: str) -> Shape:
    """`f(2, 3)` and `f((2, 3))` alike as a shape; see `check_size` for errors."""
    return tuple(check_size(s, method) for s in unpack(sizes))


def unpack(args: Sequence[Any]) -> Sequence[Any]:
    """The one sequence in `args` if that is all there is, else `args`."""
    if len(args) != 1:
        return args
    if isinstance(args[0], tuple | list):
        return args[0]
    return several(args[0], args)


def several(value: Any, other: Any) -> Any:
    """The numbers of an array of one axis, as a list; for any other value `other`."""
    if hasattr(value, "__array_interface__") and getattr(value, "ndim", None) == 1:
        return value.tolist()
    return other


def numel(shape: Sequence[Dim]) -> Dim:
    """Number of elements."""
    if all(isinstance(s, int) for s in shape):
        return prod(s for s in shape if isinstance(s, int))
    product: Any = prod(shape, start=UOp.index_const(1))
    return product.simplify()


def is_whole(value: Any) -> bool:
    """Whether Python takes something for a whole number, and it is no truth value."""
    if isinstance(value, bool):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def known_numbers(value: Any, method: str, name: str) -> None:
    """Raise ArgumentError for a symbolic number, or several with one among them."""
    for number in value if isinstance(value, list | tuple) else (value,):
        if isinstance(number, UOp):
            raise ArgumentError(
                f"{method}: {name}: expected a known number, found the symbolic {number.render()}"
            )


def normal_axis(axis: Any, rank: int, method: str) -> int:
    """An axis counted from 0.

    Raises AxisError if there is no such axis, ArgumentError for what is no whole number.
    """
    if not is_whole(axis):
        raise ArgumentError(f"{method}: expected an axis as a whole number, found {axis!r}")
    number = int(axis.__index__())
    low, high = -max(rank, 1), max(rank, 1) - 1  # a scalar may be asked for axis 0 or -1
    if not low <= number <= high:
        raise AxisError(
            f"{method}: axis {number} is out of range; "
            f"a tensor with {rank} axes has axes {low} to {high}"
        )
    return number + max(rank, 1) if number < 0 else number


def normal_axes(axis: Any, rank: int, method: str) -> tuple[int, ...]:
    """One axis, several, or None for all, counted from 0, in rising order.

    Raises AxisError for an axis that is not there, ShapeError for one that is named twice.
    """
    if axis is None:
        return tuple(range(rank))
    named = axis if isinstance(axis, tuple | list) else several(axis, (axis,))
    axes = [normal_axis(a, rank, method) for a in named]
    if len(set(axes)) != len(axes):
        raise ShapeError(f"{method}: an axis is named twice in {tuple(named)}")
    return tuple(sorted(axes)) if rank else ()


def same_size(a: Dim, b: Dim) -> bool:
    """Whether two sizes are known to be equal."""
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)


def total(*parts: Dim) -> Dim:
    """A sum of sizes."""
    if all(isinstance(p, int) for p in parts):
        return sum(p for p in parts if isinstance(p, int))
    return as_dim(sum(parts[1:], UOp.index_const(parts[0])))


def negative(size: Dim) -> Dim:
    """Minus a size."""
    return -size


def proved_le(a: Dim, b: Dim) -> bool:
    """Whether a <= b for all values of variables, as far as is known."""
    if isinstance(a, int) and isinstance(b, int):
        return a <= b
    gap = total(b, negative(a))
    return bool((gap if isinstance(gap, int) else gap.vmin) >= 0)


def smaller(a: Dim, b: Dim) -> Dim:
    """The smaller of two sizes."""
    if proved_le(a, b):
        return a
    return b if proved_le(b, a) else as_dim(UOp.index_const(a).minimum(b))


def larger(a: Dim, b: Dim) -> Dim:
    """The larger of two sizes."""
    if proved_le(a, b):
        return b
    return a if proved_le(b, a) else as_dim(UOp.index_const(a).maximum(b))


def known_le(a: Dim, b: Dim) -> bool:
    """Whether a <= b is not known to be false: by bounds of variables, or by their values now."""
    if proved_le(a, b):
        return True
    if isinstance(a, int) and isinstance(b, int):
        return False  # as nodes they would wrap around
    gap = UOp.index_const(total(b, negative(a)))
    bound = {n: n.src[1] for n in gap.toposort() if n.op is Ops.BIND}
    now = gap.substitute(bound).simplify() if bound else gap
    active = recorder()
    if active is not None and bound:
        active.bounds.append(gap)
    return bool(now.vmax >= 0)


def broadcast_shapes(shapes: Sequence[Shape], method: str) -> Shape:
    """The shape to which all broadcast. Raises ShapeError, naming the axis, if there is none."""
    rank = max(map(len, shapes), default=0)
    result: list[Dim] = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if same_size(size, 1) or same_size(size, result[axis]):
                continue
            if not same_size(result[axis], 1):
                raise ShapeError(
                    f"{method}: shapes {' and '.join(map(show, shapes))} do not broadcast: "
                    f"axis {axis - rank} has sizes {show((result[axis],))[1:-2]} and "
                    f"{show((size,))[1:-2]}; sizes must be equal or 1"
                )
            result[axis] = size
    return tuple(result)


def fill_unknown(shape: Sequence[Any], old: Sequence[Dim], method: str) -> Shape:
    """A shape in which one -1 stands for whatever makes as many elements as the old sizes have.

    Raises ShapeError if that cannot be, or without -1 if the number of elements differs.
    """
    if sum(1 for s in shape if isinstance(s, int) and s == -1) > 1:
        raise ShapeError(f"{method}: only one size may be -1, found {tuple(shape)}")
    known = [check_size(s, method) for s in shape if not (isinstance(s, int) and s == -1)]
    count, rest = numel(old), numel(known)
    if len(known) == len(shape):
        if isinstance(rest, int) and isinstance(count, int) and rest != count:
            raise ShapeError(
                f"{method}: {count} elements cannot have shape {show(known)}, "
                f"which has {rest}; use -1 for one size to have it computed"
            )
        return tuple(known)
    missing: Dim
    if not isinstance(count, int) or not isinstance(rest, int):
        count, rest = _without_common_factors(old, known)
    if not isinstance(count, int) or not isinstance(rest, int):
        missing = as_dim(UOp.index_const(count) // UOp.index_const(rest))
    elif rest == 0 or count % rest:
        elements, sizes = numel(old), [s if isinstance(s, UOp) else int(s) for s in shape]
        raise ShapeError(
            f"{method}: {elements if isinstance(elements, int) else elements.render()} elements "
            f"do not divide by the other sizes of {show(sizes)}"
        )
    else:
        missing = count // rest
    return tuple(missing if isinstance(s, int) and s == -1 else s for s in shape)


def _without_common_factors(sizes: Sequence[Dim], others: Sequence[Dim]) -> tuple[Dim, Dim]:
    """Two products of sizes, without the symbolic factors that are in both."""
    (factors, number), (rest, other) = _factors(sizes), _factors(others)
    for factor in tuple(rest):
        if factor in factors:
            factors.remove(factor)
            rest.remove(factor)
    return as_dim(numel([*factors, number])), as_dim(numel([*rest, other]))


def _factors(sizes: Sequence[Dim]) -> tuple[list[UOp], int]:
    """The symbolic factors of a product of sizes, and the number beside them."""
    factors: list[UOp] = []
    number, waiting = 1, list(sizes)
    while waiting:
        size = as_dim(waiting.pop())
        if isinstance(size, int):
            number *= size
        elif size.op is Ops.MUL:
            waiting += size.src
        else:
            factors.append(size)
    return factors, number


def tuple_of(
    value: Any, count: int, method: str, name: str, least: int | None = 0
) -> tuple[int, ...]:
    """One whole number for all axes, or one an axis, none below `least`.

    Raises ArgumentError if it is neither.
    """
    value = several(value, value)
    values = tuple(value) if isinstance(value, tuple | list) else (value,) * count
    low = -_MOST if least is None else least
    good = all(is_whole(v) and low <= operator.index(v) < _MOST for v in values)
    if len(values) != count or not good:
        raise ArgumentError(
            f"{method}: {name} must be a whole number"
            f"{'' if least is None else f' of {least} or more'}, "
            f"or {count} of them, found {value!r}"
        )
    return tuple(operator.index(v) for v in values)


Strides = tuple[float, ...]
"""Elements between neighbours along each axis; NaN where that is not the same everywhere."""


def pair_of(pair: Any, expected: str, more: str = "") -> tuple[Dim, Dim]:
    """Two sizes, whole numbers or symbolic. Raises ArgumentError, which says what is expected."""
    known = isinstance(pair, tuple | list) and len(pair) == 2
    if not known or not all(isinstance(size, UOp) or is_whole(size) for size in pair):
        raise ArgumentError(f"{expected}, found {pair!r}{more}")
    first, second = (s if isinstance(s, UOp) else int(s.__index__()) for s in pair)
    return first, second


def is_strided(view: UOp, base: UOp, shape: Sequence[int]) -> bool:
    """Whether a view of `base`, reshaped to `shape`, could be said in strides.

    A base lies in row-major order. Symbolic sizes count as the largest they can be; where these do
    not make up one number of elements before and after, it could.
    """
    if view is base:
        return True
    top = view.max_shape
    is_known = 0 not in top and math.prod(top) == math.prod(shape)
    return not is_known or _reshaped(top, _strides(view, base), shape) is not None


_known: WeakKeyDictionary[UOp, tuple[int, Strides]] = WeakKeyDictionary()
"""Strides of views that live, and over which node, by its number."""


def _strides(view: UOp, base: UOp) -> Strides:
    """Those of a view of a base; what is below it is asked once, however long chains become."""
    chain: list[UOp] = []
    strides = _row_major(base.max_shape)
    while view is not base and view.src:
        over, there = _known.get(view, (-1, ()))
        if over == base.serial:
            strides = there
            break
        chain.append(view)
        view = view.src[0]
    for node in reversed(chain):
        strides = _moved(node, strides)
        _known[node] = base.serial, strides
    return strides


def _row_major(shape: Sequence[int]) -> Strides:
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _moved(node: UOp, strides: Strides) -> Strides:
    """The strides of a movement node over a source of these strides."""
    if node.op is Ops.PERMUTE:
        return tuple(strides[axis] for axis in node.arg)
    if node.op is Ops.FLIP:
        return tuple(-s if f else s for s, f in zip(strides, node.arg, strict=True))
    old, new = node.src[0].max_shape, node.max_shape
    if node.op is Ops.EXPAND:
        kept = zip(strides, old, new, strict=True)
        return tuple(s if a == b else 0 for s, a, b in kept)
    if node.op is Ops.RESHAPE:
        moved = _reshaped(old, strides, new)
        return (math.nan,) * len(new) if moved is None else moved
    return strides


def _reshaped(old: Sequence[int], strides: Strides, new: Sequence[int]) -> Strides | None:
    """The strides of a shape over a layout, None if there are none.

    From the last axis on, axes that lie behind each other make up a run, which new axes divide.
    """
    reshaped: list[float] = []
    left = list(new)
    size, taken = 1, 1
    step = strides[-1] if strides else 1
    for axis in range(len(old) - 1, -1, -1):
        size *= old[axis]
        if axis and (old[axis - 1] == 1 or strides[axis - 1] == size * step):
            continue
        while left and (taken < size or left[-1] == 1):
            reshaped.append(taken * step)
            taken *= left.pop()
        if taken != size:
            return None
        size, taken, step = 1, 1, strides[axis - 1] if axis else 1
    return tuple(reversed([*reshaped, *(1 for _ in left)]))


def Variable(name: str, min: int, max: int) -> UOp:
    """A symbolic integer from `min` to `max`, both included.

    `x[:Variable("n", 1, 64).bind(10)]` has a symbolic size whose value is 10 this time; programs
    that differ only in bound values share their kernels. In arithmetic with tensors it is an
    integer scalar, on either side. Raises VariableError if min is above max or the name is no
    identifier, ArgumentError for bounds that are no whole numbers.
    """
    return UOp.variable(name, min, max)


_CONST = Ops.CONST
_MOST_CHOSEN = 128  # nodes that one kernel puts together


def reaching(roots: Iterable[UOp], goals: Container[UOp], enter: Callable[[UOp], bool]) -> set[UOp]:
    """Nodes of some graphs from which a goal can be reached, goals included.

    Nothing is looked for below nodes for which `enter` is false.
    """
    reaching_nodes: set[UOp] = set()
    for node in UOp.sink(*roots).toposort(enter):
        if node in goals or (not reaching_nodes.isdisjoint(node.src) and enter(node)):
            reaching_nodes.add(node)
    return reaching_nodes


def node_broadcast_to(uop: UOp, shape: tuple[Dim, ...]) -> UOp:
    """A node with axes of size 1 put in front and repeated to `shape`."""
    old = uop.shape or ()
    if old == shape:
        return uop
    check_count(shape)
    return uop.reshape((1,) * (len(shape) - len(old)) + old).expand(shape)


def node_unsqueezed(uop: UOp, at: int) -> UOp:
    """A node with a new axis of size 1 at position `at` of the result, counted from 0."""
    shape = uop.shape or ()
    return uop.reshape((*shape[:at], 1, *shape[at:]))


def node_last_swapped(uop: UOp) -> UOp:
    """A node of two axes or more whose last two are swapped."""
    rank = len(uop.shape or ())
    return uop.permute((*range(rank - 2), rank - 1, rank - 2))


def node_reduced(uop: UOp, op: Op, axes: Collection[int], keepdim: bool = False) -> UOp:
    """A node combined over axes, counted from 0."""
    reduced = UOp(Ops.REDUCE_AXIS, uop.dtype, (uop,), (op, tuple(axes))) if axes else uop
    if keepdim:
        return reduced
    return reduced.reshape(tuple(s for i, s in enumerate(uop.shape or ()) if i not in axes))


def node_iota(size: Dim, axis: int, shape: tuple[Dim, ...], kind: DType = dtypes.index) -> UOp:
    """Positions along an axis, as a node of `shape`."""
    check_count(shape)
    arg, sizes = split_dims((size,))
    line = UOp(Ops.IOTA, kind, sizes, arg)
    return line.reshape(tuple(size if i == axis else 1 for i in range(len(shape)))).expand(shape)


def node_padded(uop: UOp, pads: Iterable[tuple[Dim, Dim]]) -> UOp:
    """A node with zeros before and after each axis."""
    padded = uop.pad(tuple(pads))
    check_count(padded.shape or ())
    return padded


def _chosen(nodes: list[UOp], ends: list[Any], place: UOp) -> UOp:
    """The node whose part of the axis a position lies in, found by halving."""
    if len(nodes) == 1:
        return nodes[0]
    half = len(nodes) // 2
    before = _chosen(nodes[:half], ends[:half], place)
    after = _chosen(nodes[half:], ends[half:], place)
    return (place < UOp.index_const(ends[half - 1])).where(before, after)


def node_joined(nodes: list[UOp], axis: int) -> UOp:
    """Nodes one after the other along an axis; of many, groups are put in memory first, for each
    element would else be chosen among all."""
    while len(nodes) > _MOST_CHOSEN:
        count = -(-len(nodes) // (-(-len(nodes) // _MOST_CHOSEN)))
        groups = [nodes[i : i + count] for i in range(0, len(nodes), count)]
        nodes = [node_joined(group, axis).contiguous() for group in groups]
    sizes = [(node.shape or ())[axis] for node in nodes]
    ends = list(accumulate(sizes, total))
    rests = list(accumulate([0, *reversed(sizes[1:])], total))[::-1]
    padded = []
    for node, before, after in zip(nodes, [0, *ends], rests, strict=False):
        pads: list[tuple[Dim, Dim]] = [(0, 0)] * len(node.shape or ())
        pads[axis] = (before, after)
        padded.append(node_padded(node, pads))
    return _chosen(padded, ends, node_iota(ends[-1], axis, padded[0].shape or ()))


def node_cast(uop: UOp, kind: DType) -> UOp:
    """A node converted to `kind`; finite constants are converted right away."""
    if uop.dtype is kind:
        return uop
    if uop.op is _CONST and abs(uop.arg) < 2**53:
        return UOp.const(kind, uop.arg)
    return UOp(Ops.CAST, kind, (uop,))


def _is_free(uop: UOp) -> bool:
    """Whether a scalar node may stand beside any shape without being expanded."""
    if uop.op is not Ops.CAST:
        return uop.op is _CONST
    return uop.src[0].dtype is dtypes.index and not uop.shape  # a symbolic number, not an arange


def nodes_broadcast(nodes: list[UOp], method: str) -> list[UOp]:
    """Nodes of one shape, or scalar constants."""
    shapes = [n.shape or () for n in nodes if not _is_free(n)]
    first = shapes[0] if shapes else ()
    if all(s == first for s in shapes):
        return nodes
    shape = broadcast_shapes(shapes, method)
    return [n if _is_free(n) else node_broadcast_to(n, shape) for n in nodes]


def node_floor(uop: UOp) -> UOp:
    """A float node rounded toward minus infinity."""
    down = uop.alu(Ops.TRUNC)
    return (uop < down).where(down - UOp.const(uop.dtype, 1), down)
