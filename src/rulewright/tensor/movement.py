"""Movement: new shapes of the same elements. Everything here rests on the six movement ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.kinds import common_dtype
from rulewright.tensor.nodes import node_broadcast_to, node_iota
from rulewright.tensor.shapes import (
    as_shape,
    check_size,
    fill_unknown,
    normal_axes,
    normal_axis,
    numel,
    same_size,
    show,
    unpack,
)

if TYPE_CHECKING:
    from typing_extensions import Self


class Movement(Core):
    """Shapes: the movement ops and what follows from them."""

    __slots__ = ()

    # ---- the six ops ----------------------------------------------------------------------

    def reshape(self, *shape: Any) -> Self:
        """The same elements in row-major order with another shape; one size may be -1.

        A size of None keeps the old size of that axis. Raises ShapeError if the number of
        elements differs.
        """
        given = [self.shape[i] if s is None else s for i, s in enumerate(unpack(shape))]
        return self._view(self.uop.reshape(fill_unknown(given, self.numel(), "reshape")))

    def permute(self, *order: Any) -> Self:
        """Axis i of the result is axis `order[i]` of this. Raises ShapeError if it is no order."""
        given = unpack(order)
        axes = tuple(normal_axis(a, self.ndim, "permute") for a in given)
        if sorted(axes) != list(range(self.ndim)):
            raise ShapeError(
                f"permute: expected each of {self.ndim} axes once, found {tuple(given)}"
            )
        return self._view(self.uop.permute(axes))

    def expand(self, *shape: Any) -> Self:
        """Axes of size 1 repeated to `shape`, new axes in front; -1 keeps a size.

        Raises ShapeError where a size other than 1 would change.
        """
        given = unpack(shape)
        missing = len(given) - self.ndim
        if missing < 0:
            raise ShapeError(f"expand: {show(self.shape)} has more axes than {tuple(given)}")
        old = (1,) * missing + self.shape
        wanted = [
            o if s is None or (isinstance(s, int) and s == -1) else check_size(s, "expand")
            for o, s in zip(old, given, strict=True)
        ]
        for o, s in zip(old, wanted, strict=True):
            if not same_size(o, s) and not same_size(o, 1):
                raise ShapeError(
                    f"expand: {show(self.shape)} cannot become {show(wanted)}: "
                    "only axes of size 1 can be repeated"
                )
        return self._view(node_broadcast_to(self.uop, tuple(wanted)))

    def shrink(self, bounds: Sequence[tuple[Any, Any] | None]) -> Self:
        """The part begin <= i < end of each axis; None keeps an axis.

        Raises ShapeError for bounds outside of the axis.
        """
        if len(bounds) != self.ndim:
            raise ShapeError(f"shrink: expected {self.ndim} pairs of bounds, found {len(bounds)}")
        wanted: list[tuple[Dim, Dim]] = []
        for axis, (pair, size) in enumerate(zip(bounds, self.shape, strict=True)):
            begin, end = (0, size) if pair is None else (_bound(pair[0]), _bound(pair[1]))
            if not (_known_le(0, begin) and _known_le(begin, end) and _known_le(end, size)):
                raise ShapeError(
                    f"shrink: bounds {show((begin, end))} leave axis {axis} "
                    f"of size {show((size,))[1:-2]}"
                )
            wanted.append((begin, end))
        return self._view(self.uop.shrink(tuple(wanted)))

    def flip(self, *axis: Any) -> Self:
        """The given axes reversed; without any, all."""
        axes = normal_axes(list(unpack(axis)) or None, self.ndim, "flip")
        flags = tuple(i in axes for i in range(self.ndim))
        return self._view(self.uop.flip(flags))

    def _pad(self, pads: Sequence[tuple[Dim, Dim]]) -> Self:
        """Zeros before and after each axis."""
        return self._new(self.uop.pad(tuple(pads)))

    # ---- what follows from them -----------------------------------------------------------

    def view(self, *shape: Any) -> Self:
        """`reshape`."""
        return self.reshape(*shape)

    def transpose(self, dim0: int = 1, dim1: int = 0) -> Self:
        """Two axes swapped."""
        order = list(range(self.ndim))
        if order:
            a, b = (normal_axis(d, self.ndim, "transpose") for d in (dim0, dim1))
            order[a], order[b] = order[b], order[a]
        return self.permute(order)

    @property
    def T(self) -> Self:
        """All axes in reverse order."""
        return self.permute(list(range(self.ndim))[::-1])

    @property
    def mT(self) -> Self:
        """The last two axes swapped."""
        return self.transpose(-2, -1)

    def squeeze(self, dim: int | Sequence[int] | None = None) -> Self:
        """Without the axes of size 1; with `dim`, only without those of them."""
        axes = normal_axes(dim, self.ndim, "squeeze")
        return self.reshape(
            [s for i, s in enumerate(self.shape) if i not in axes or not same_size(s, 1)]
        )

    def unsqueeze(self, dim: int) -> Self:
        """A new axis of size 1 at position `dim` of the result."""
        at = normal_axis(dim, self.ndim + 1, "unsqueeze")
        return self.reshape([*self.shape[:at], 1, *self.shape[at:]])

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Self:
        """The axes from `start_dim` to `end_dim`, both included, as one."""
        first = normal_axis(start_dim, self.ndim, "flatten")
        last = normal_axis(end_dim, self.ndim, "flatten")
        if last < first:
            raise ShapeError(f"flatten: start_dim {start_dim} lies after end_dim {end_dim}")
        middle = numel(self.shape[first : last + 1])
        return self.reshape([*self.shape[:first], middle, *self.shape[last + 1 :]])

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Self:
        """Axis `dim` as several axes of the given sizes; one may be -1."""
        at = normal_axis(dim, self.ndim, "unflatten")
        parts = fill_unknown(list(sizes), self.shape[at], "unflatten")
        return self.reshape([*self.shape[:at], *parts, *self.shape[at + 1 :]])

    def repeat(self, *repeats: Any) -> Self:
        """The tensor `repeats[i]` times along axis i, new axes in front."""
        times = as_shape(repeats, "repeat")
        if len(times) < self.ndim:
            raise ShapeError(
                f"repeat: expected {self.ndim} numbers or more for shape {show(self.shape)}, "
                f"found {len(times)}"
            )
        shape = (1,) * (len(times) - self.ndim) + self.shape
        split = [part for s in shape for part in (1, s)]
        spread = [part for n, s in zip(times, shape, strict=True) for part in (n, s)]
        final = [n * s for n, s in zip(times, shape, strict=True)]
        return self.reshape(split).expand(spread).reshape(final)

    def repeat_interleave(self, repeats: int, dim: int | None = None) -> Self:
        """Each element (or slice along `dim`) `repeats` times in a row."""
        if dim is None:
            return self.flatten().repeat_interleave(repeats, 0)
        at = normal_axis(dim, self.ndim, "repeat_interleave")
        count, shape = check_size(repeats, "repeat_interleave"), self.shape
        spread = self.reshape([*shape[: at + 1], 1, *shape[at + 1 :]])
        spread = spread.expand([*shape[: at + 1], count, *shape[at + 1 :]])
        return spread.reshape([*shape[:at], shape[at] * count, *shape[at + 1 :]])

    def moveaxis(self, source: int, destination: int) -> Self:
        """One axis at another place, the others in their order."""
        order = list(range(self.ndim))
        order.remove(normal_axis(source, self.ndim, "moveaxis"))
        at = normal_axis(destination, self.ndim, "moveaxis")
        order.insert(at, normal_axis(source, self.ndim, "moveaxis"))
        return self.permute(order)

    def cat(self, *others: Self, dim: int = 0) -> Self:
        """This and others, one after the other along an axis.

        Raises ShapeError if any other axis differs in size.
        """
        parts = [self, *others]
        at = normal_axis(dim, self.ndim, "cat")
        _check_joinable(parts, at)
        kind = common_dtype(*(p.dtype for p in parts))
        sizes: list[Any] = [p.shape[at] for p in parts]
        total = sum(sizes[1:], sizes[0])
        ends: list[Any] = [sum(sizes[1 : i + 1], sizes[0]) for i in range(len(sizes))]
        nodes = []
        for part, size, end in zip(parts, sizes, ends, strict=True):
            pads: list[tuple[Dim, Dim]] = [(0, 0)] * part.ndim
            pads[at] = (end - size, total - end)
            nodes.append(part.uop.cast(kind).pad(tuple(pads)))
        joined = nodes.pop()
        place = node_iota(total, at, joined.shape or ())
        for node, end in zip(reversed(nodes), reversed(ends[:-1]), strict=True):
            joined = (place < UOp.index_const(end)).where(node, joined)
        return self._make(joined, one_device(parts, "cat"))

    def stack(self, *others: Self, dim: int = 0) -> Self:
        """This and others of the same shape along a new axis."""
        parts = [t.unsqueeze(dim) for t in (self, *others)]
        return parts[0].cat(*parts[1:], dim=normal_axis(dim, self.ndim + 1, "stack"))

    def split(self, sizes: int | Sequence[int], dim: int = 0) -> tuple[Self, ...]:
        """Parts along an axis: of one size (the last may be smaller), or of the given sizes."""
        at = normal_axis(dim, self.ndim, "split")
        total = int(self.shape[at])
        if isinstance(sizes, int):
            if sizes <= 0:
                raise ShapeError(f"split: expected a size of 1 or more, found {sizes}")
            sizes = [min(sizes, total - i) for i in range(0, max(total, 1), sizes)]
        if sum(sizes) != total:
            raise ShapeError(f"split: sizes {tuple(sizes)} do not add up to {total}")
        ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
        spans = [(e - s, e) for s, e in zip(sizes, ends, strict=True)]
        return tuple(self._narrowed(at, span) for span in spans)

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Self, ...]:
        """At most `chunks` parts along an axis, of equal size but the last."""
        if chunks <= 0:
            raise ShapeError(f"chunk: expected 1 part or more, found {chunks}")
        size = int(self.shape[normal_axis(dim, self.ndim, "chunk")])
        return self.split(-(-size // chunks) or 1, dim)

    def narrow(self, dim: int, start: int, length: int) -> Self:
        """`length` elements of an axis from `start` on."""
        at = normal_axis(dim, self.ndim, "narrow")
        return self._narrowed(at, (start, start + length))

    def _narrowed(self, axis: int, span: tuple[Dim, Dim]) -> Self:
        return self.shrink([span if i == axis else None for i in range(self.ndim)])

    def roll(self, shifts: int, dims: int) -> Self:
        """Elements shifted along an axis; what leaves at the end enters at the start."""
        at = normal_axis(dims, self.ndim, "roll")
        size = int(self.shape[at])
        cut = size - shifts % size if size else 0
        tail, head = self._narrowed(at, (cut, size)), self._narrowed(at, (0, cut))
        return tail.cat(head, dim=at)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Self:
        """The diagonal of two axes as the last axis: elements (i, i + offset)."""
        a, b = (normal_axis(d, self.ndim, "diagonal") for d in (dim1, dim2))
        rest = [i for i in range(self.ndim) if i not in (a, b)]
        moved = self.permute([*rest, a, b])
        rows, columns = int(moved.shape[-2]), int(moved.shape[-1])
        skip_rows, skip_columns = max(-offset, 0), max(offset, 0)
        count = max(0, min(rows - skip_rows, columns - skip_columns))
        keep = [None] * len(rest)
        if count == 0:
            return moved.shrink([*keep, (0, 0), None]).reshape([*moved.shape[:-2], 0])
        part = moved.shrink(
            [*keep, (skip_rows, skip_rows + count), (skip_columns, skip_columns + count)]
        )
        lead = part.shape[:-2]  # in rows of one element more, the diagonal is the first column
        flat = part.reshape([*lead, count * count])._pad([(0, 0)] * len(rest) + [(0, count)])
        wide = flat.reshape([*lead, count, count + 1])
        return wide.shrink([*keep, None, (0, 1)]).reshape([*lead, count])


def _bound(value: Any) -> Dim:
    return value if isinstance(value, UOp) else int(value.__index__())


def _known_le(a: Dim, b: Dim) -> bool:
    """Whether a <= b is not known to be false."""
    low = a if isinstance(a, int) else a.vmin
    return bool(low <= (b if isinstance(b, int) else b.vmax))


def _check_joinable(parts: Sequence[Movement], axis: int) -> None:
    first = parts[0].shape
    for part in parts[1:]:
        same = len(part.shape) == len(first) and all(
            i == axis or same_size(a, b)
            for i, (a, b) in enumerate(zip(part.shape, first, strict=True))
        )
        if not same or not first:
            raise ShapeError(
                f"cat: shapes {show(first)} and {show(part.shape)} must have equal sizes "
                f"but along axis {axis}"
            )
