"""Joining tensors and taking them apart along an axis, and elements around a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, TypeVar, overload

from rulewright.errors import ArgumentError, ChoiceError, ShapeError, UsageError
from rulewright.ir.shapes import Dim, as_dim
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.kinds import common_dtype, constant
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import (
    as_shape,
    check_size,
    is_whole,
    known_le,
    known_numbers,
    larger,
    negative,
    node_cast,
    node_iota,
    node_joined,
    node_padded,
    node_unsqueezed,
    normal_axis,
    pair_of,
    same_size,
    show,
    total,
    unpack,
)
from rulewright.tensor.slices import basic_position, narrowed

T = TypeVar("T", bound=Members)

_MOST_PARTS = 1 << 20  # each is a tensor of its own


class Joining(Members):
    """cat, stack, split and their kin; pad in its modes."""

    __slots__ = ()

    # ---- together -------------------------------------------------------------------------

    @overload
    def cat(self, *others: Any, dim: int = 0) -> Self: ...

    @overload
    def cat(self: T | Sequence[T], dim: int = 0) -> T: ...

    def cat(self: T | Sequence[T], *others: Any, dim: int = 0) -> T:
        """Tensors one after the other along an axis, in their common dtype.

        `a.cat(b, c, dim=1)`, `Tensor.cat(a, b, c, dim=1)` and `Tensor.cat([a, b, c], 1)` are the
        same. `Tensor([])` beside tensors of more axes counts for its dtype alone, as in PyTorch.
        Raises ShapeError if any other axis differs in size, ArgumentError for other operands.

        >>> Tensor.cat([Tensor([[1, 2]]), Tensor([[3, 4]])], dim=1).tolist()
        [[1, 2, 3, 4]]
        """
        parts, dim = tensors_of(self, others, dim, "cat")
        kind = common_dtype(*(p.dtype for p in parts))
        if any(p.ndim > 1 for p in parts):
            parts = [p for p in parts if p.shape != (0,)]
        first = parts[0]
        at = normal_axis(dim, first.ndim, "cat")
        _check_joinable(parts, at)
        node = node_joined([node_cast(p.uop, kind) for p in parts], at)
        return first._make(node, one_device(parts, "cat"))

    @overload
    def stack(self, *others: Any, dim: int = 0) -> Self: ...

    @overload
    def stack(self: T | Sequence[T], dim: int = 0) -> T: ...

    def stack(self: T | Sequence[T], *others: Any, dim: int = 0) -> T:
        """Tensors of one shape along a new axis, given as for `cat`.

        Raises ShapeError if shapes differ.

        >>> Tensor.stack([Tensor([1, 2]), Tensor([3, 4])], dim=-1).tolist()
        [[1, 3], [2, 4]]
        """
        parts, dim = tensors_of(self, others, dim, "stack")
        first = parts[0]
        for part in parts:
            if part.shape != first.shape:
                raise ShapeError(
                    f"stack: shapes {show(first.shape)} and {show(part.shape)} must be equal"
                )
        at = normal_axis(dim, first.ndim + 1, "stack")
        kind = common_dtype(*(p.dtype for p in parts))
        nodes = [node_unsqueezed(node_cast(p.uop, kind), at) for p in parts]
        return first._make(node_joined(nodes, at), one_device(parts, "stack"))

    @overload
    def hstack(self, *others: Any) -> Self: ...

    @overload
    def hstack(self: T | Sequence[T]) -> T: ...

    def hstack(self: T | Sequence[T], *others: Any) -> T:
        """`cat` along the second axis, or the only one; scalars count as one element.

        >>> Tensor.hstack([Tensor([1]), Tensor([2, 3])]).tolist()
        [1, 2, 3]
        """
        parts, _ = tensors_of(self, others, 0, "hstack")
        rows = [p.reshape(1) if p.ndim == 0 else p for p in parts]
        return rows[0].cat(*rows[1:], dim=min(rows[0].ndim - 1, 1))

    @overload
    def vstack(self, *others: Any) -> Self: ...

    @overload
    def vstack(self: T | Sequence[T]) -> T: ...

    def vstack(self: T | Sequence[T], *others: Any) -> T:
        """`cat` along the first axis, where a tensor of one axis counts as one row.

        >>> Tensor.vstack([Tensor([1, 2]), Tensor([3, 4])]).tolist()
        [[1, 2], [3, 4]]
        """
        parts, _ = tensors_of(self, others, 0, "vstack")
        rows = [p.reshape(1, -1) if p.ndim < 2 else p for p in parts]
        return rows[0].cat(*rows[1:], dim=0)

    # ---- apart ----------------------------------------------------------------------------

    def split(self, sizes: int | Sequence[int], dim: int = 0) -> tuple[Self, ...]:
        """Parts along an axis: of one size (the last may be smaller), or of the given sizes.

        The parts are views. Raises ShapeError for sizes that do not add up to the axis.

        >>> [part.tolist() for part in Tensor.arange(5).split(2)]
        [[0, 1], [2, 3], [4]]
        """
        known_numbers(sizes, "split", "sizes")
        at, total = self._axis_to_split(dim, "split")
        if isinstance(sizes, int):
            if sizes < 0 or (sizes == 0 and total):
                raise ShapeError(f"split: expected a size of 1 or more, found {sizes}")
            sizes = [min(sizes, total - i) for i in range(0, max(total, 1), max(sizes, 1))]
        parts = [int(s) for s in as_shape(tuple(sizes), "split")]
        if sum(parts) != total:
            raise ShapeError(f"split: sizes {tuple(sizes)} do not add up to {total}")
        spans = zip(parts, accumulate(parts), strict=True)
        return tuple(self._narrowed(at, (end - size, end)) for size, end in spans)

    def _axis_to_split(self, dim: int, method: str) -> tuple[int, int]:
        at = normal_axis(dim, self.ndim, method)
        if not self.shape:
            raise ShapeError(f"{method}: a tensor without axes has no parts")
        return at, int(self.shape[at])

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Self, ...]:
        """At most `chunks` parts along an axis, of equal size but the last.

        The parts are views. Raises ShapeError for less than 1 part.

        >>> [part.tolist() for part in Tensor.arange(5).chunk(3)]
        [[0, 1], [2, 3], [4]]
        """
        known_numbers(chunks, "chunk", "chunks")
        if chunks <= 0:
            raise ShapeError(f"chunk: expected 1 part or more, found {chunks}")
        _, size = self._axis_to_split(dim, "chunk")
        return self.split(-(-size // chunks) if size else [0] * chunks, dim)

    def tensor_split(
        self, indices_or_sections: int | Sequence[int], dim: int = 0
    ) -> tuple[Self, ...]:
        """Parts along an axis: so many, of sizes that differ by one at most, or cut at positions.

        The parts are views. Raises ShapeError for less than 1 part, or more than 2**20.

        >>> [part.tolist() for part in Tensor.arange(7).tensor_split(3)]
        [[0, 1, 2], [3, 4], [5, 6]]
        """
        known_numbers(indices_or_sections, "tensor_split", "indices_or_sections")
        at, size = self._axis_to_split(dim, "tensor_split")
        if not isinstance(indices_or_sections, int):
            cuts = [slice(int(i)).indices(size)[1] for i in indices_or_sections]
            spans = zip([0, *cuts], [*cuts, size], strict=True)
            return tuple(self._narrowed(at, (a, max(a, b))) for a, b in spans)
        if indices_or_sections <= 0:
            raise ShapeError(f"tensor_split: expected 1 part or more, found {indices_or_sections}")
        if indices_or_sections > _MOST_PARTS:
            raise ShapeError(
                f"tensor_split: expected at most {_MOST_PARTS} parts, found {indices_or_sections}"
            )
        least, more = divmod(size, indices_or_sections)
        return self.split([least + (i < more) for i in range(indices_or_sections)], at)

    def unbind(self, dim: int = 0) -> tuple[Self, ...]:
        """The views at each position of an axis, which they lack.

        >>> [part.tolist() for part in Tensor([[1, 2], [3, 4]]).unbind(1)]
        [[1, 3], [2, 4]]
        """
        at, size = self._axis_to_split(dim, "unbind")
        return tuple(self.select(at, i) for i in range(size))

    def select(self, dim: int, index: int) -> Self:
        """The view at one position of an axis, which it lacks; counted from the end if negative.

        Raises PositionError for a position outside of the axis.

        >>> Tensor([[1, 2], [3, 4]]).select(1, -1).tolist()
        [2, 4]
        """
        at = normal_axis(dim, self.ndim, "select")
        if not self.shape:
            raise ShapeError("select: a tensor without axes has no parts")
        part = self._narrowed(at, basic_position(index, self.shape[at], at))
        return part.reshape([*self.shape[:at], *self.shape[at + 1 :]])

    def narrow(self, dim: int, start: int, length: int) -> Self:
        """The view of `length` elements of an axis from `start` on.

        Raises ShapeError if they leave the axis.

        >>> Tensor.arange(5).narrow(0, 1, 3).tolist()
        [1, 2, 3]
        """
        at = normal_axis(dim, self.ndim, "narrow")
        if not self.shape:
            raise ShapeError("narrow: a tensor without axes has no parts")
        size = self.shape[at]
        if isinstance(start, int) and start < 0:
            return self._narrowed(at, (total(size, start), total(size, start, length)))
        return self._narrowed(at, (start, start + length))

    def roll(self, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Self:
        """Elements shifted along axes; what leaves at the end enters at the start.

        Without `dims` the flattened elements are shifted, by one number. Raises ShapeError unless
        there is one shift an axis.

        >>> Tensor([[1, 2, 3], [4, 5, 6]]).roll(1, 1).tolist()
        [[3, 1, 2], [6, 4, 5]]
        """
        known_numbers(shifts, "roll", "shifts")
        known_numbers(dims, "roll", "dims")
        steps = (shifts,) if isinstance(shifts, int) else tuple(shifts)
        if dims is None and len(steps) == 1:
            return self.flatten().roll(steps, 0).reshape(self.shape)
        if dims is None:
            raise ShapeError(f"roll: {steps} are {len(steps)} shifts; dims= names their axes")
        axes = (dims,) if isinstance(dims, int) else tuple(dims)
        if len(axes) != len(steps):
            raise ShapeError(f"roll: expected a shift for each axis, found {steps} and {axes}")
        rolled = self
        for step, axis in zip(steps, axes, strict=True):
            rolled = rolled._rolled(step, normal_axis(axis, self.ndim, "roll"))
        return rolled

    def _rolled(self, shift: int, at: int) -> Self:
        size = self.shape[at] if self.shape else 0
        if isinstance(size, int):
            cut: Dim = -shift % size if size else 0
        else:
            cut = as_dim(UOp.index_const(-shift) % size)
        if isinstance(cut, int) and cut == 0:
            return self._new(self.uop)
        spans: list[tuple[Dim, Dim]] = [(cut, size), (0, cut)]
        return self._new(node_joined([narrowed(self.uop, at, span) for span in spans], at))

    # ---- padding ---------------------------------------------------------------------------

    def pad(self, padding: Sequence[Any], mode: str = "constant", value: float = 0) -> Self:
        """The tensor with elements around it.

        padding: (before, after) an axis, None for none; or flat as in PyTorch, beginning with
        the last axis: (left, right, top, bottom, …). Negative numbers cut.
        mode: "constant" puts `value` (as this dtype), "reflect" mirrors at the outermost element,
        "replicate" repeats that, "circular" goes on at the other end.
        Raises ShapeError for another number of pairs, or if an axis is too short for the mode;
        ChoiceError for another mode.

        >>> Tensor([1, 2, 3]).pad((2, 1), mode="reflect").tolist()
        [3, 2, 1, 2, 3, 2]
        """
        if mode not in _MODES:
            raise ChoiceError(f"pad: mode is one of {', '.join(_MODES)}, found {mode!r}")
        pairs = _pad_pairs(padding, self.ndim)
        grown = [(larger(a, 0), larger(b, 0)) for a, b in pairs]
        cut = [(larger(negative(a), 0), larger(negative(b), 0)) for a, b in pairs]
        if mode in ("reflect", "replicate"):  # they show what is cut off
            return self._new(self._continued(grown, mode)._cut(cut).uop)
        part = self._cut(cut)
        return part._continued(grown, mode) if mode == "circular" else part._pad_with(grown, value)

    def pad_to(self, *shape: Any) -> Self:
        """Zeros after the elements of each axis until it has the size of `shape`; None keeps one.

        Raises ShapeError for another number of sizes or smaller ones.

        >>> Tensor([[1, 2]]).pad_to(2, 3).tolist()
        [[1, 2, 0], [0, 0, 0]]
        """
        wanted = unpack(shape)
        if len(wanted) != self.ndim:
            raise ShapeError(f"pad_to: expected {self.ndim} sizes, found {len(wanted)}")
        sizes = [
            s if n is None else check_size(n, "pad_to")
            for n, s in zip(wanted, self.shape, strict=True)
        ]
        if not all(known_le(s, n) for n, s in zip(sizes, self.shape, strict=True)):
            raise ShapeError(f"pad_to: {show(self.shape)} does not fit into {show(sizes)}")
        pads = [total(n, negative(s)) for n, s in zip(sizes, self.shape, strict=True)]
        return self._pad([(0, after) for after in pads])

    def diff(self, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Self:
        """Each element of an axis less the one before it, `n` times; of bools whether they differ.

        prepend, append: tensors that are joined to the axis first. Raises ShapeError for a scalar,
        UsageError for a negative number of times, ArgumentError for a symbolic one.

        >>> Tensor([1, 4, 9]).diff().tolist(), Tensor([1, 4, 9]).diff(2).tolist()
        ([3, 5], [2])
        """
        if not self.ndim:
            raise ShapeError("diff: expected 1 axis or more, found a scalar")
        known_numbers(n, "diff", "n")
        if n < 0:
            raise UsageError(f"diff: expected n of 0 or more, found {n}")
        at = normal_axis(dim, self.ndim, "diff")
        ends = (prepend, self, append)
        parts = [self._wrap(end, "diff") for end in ends if end is not None]
        x: Any = self._equal() if len(parts) == 1 else parts[0].cat(*parts[1:], dim=at)
        for _ in range(n):
            size = x.shape[at]
            if isinstance(size, int) and size == 0:
                break
            later, earlier = x._narrowed(at, (1, size)), x._narrowed(at, (0, size - 1))
            x = later ^ earlier if x.dtype.is_bool else later - earlier
        return self._new(x.uop)

    def _cut(self, pairs: Sequence[tuple[Dim, Dim]]) -> Self:
        spans: list[tuple[Dim, Dim] | None] = []
        for (a, b), size in zip(pairs, self.shape, strict=True):
            if (a, b) == (0, 0):
                spans.append(None)
                continue
            if not known_le(total(a, b), size):
                raise ShapeError(
                    f"pad: {show((a, b))[1:-1]} elements cannot be cut from an axis of "
                    f"{show((size,))[1:-2]}"
                )
            spans.append((a, total(size, negative(b))))
        return self.shrink(spans)

    def _pad_with(self, pads: Sequence[tuple[Dim, Dim]], value: Any) -> Self:
        """`value` before and after each axis."""
        if all(p == (0, 0) for p in pads):
            return self._new(self.uop)
        padded, outside = node_padded(self.uop, pads), constant(self.dtype, value)
        if outside is constant(self.dtype, 0):  # -0.0 is another
            return self._new(padded)
        inside = None
        for axis, (before, after) in enumerate(pads):
            if (before, after) == (0, 0):
                continue
            shape = padded.shape or ()
            place = node_iota(shape[axis], axis, shape)
            end = self.shape[axis] + before
            here = (UOp.index_const(before) <= place) & (place < UOp.index_const(end))
            inside = here if inside is None else inside & here
        assert inside is not None
        return self._new(inside.where(padded, outside))

    def _continued(self, pads: Sequence[tuple[Dim, Dim]], mode: str) -> Self:
        padded = self
        for axis, (before, after) in enumerate([(int(a), int(b)) for a, b in pads]):
            if not before and not after:
                continue
            size = self.shape[axis]
            most = max(before, after)
            if not known_le({"reflect": most + 1, "circular": most}.get(mode, 1), size):
                raise ShapeError(
                    f"pad: mode {mode!r} cannot put {before} and {after} elements around axis "
                    f"{axis} of size {show((size,))[1:-2]}"
                )
            front = [padded._edge(axis, size, before, mode, True)] if before else []
            back = [padded._edge(axis, size, after, mode, False)] if after else []
            parts = [*front, padded, *back]
            padded = parts[0].cat(*parts[1:], dim=axis)
        return padded

    def _edge(self, axis: int, size: Dim, count: int, mode: str, front: bool) -> Self:
        """`count` elements that go before, or after, an axis of `size`."""
        if mode == "reflect":
            span = (1, 1 + count) if front else (size - 1 - count, size - 1)
            return self._narrowed(axis, span).flip(axis)
        if mode == "circular":
            return self._narrowed(axis, (size - count, size) if front else (0, count))
        outermost = self._narrowed(axis, (0, 1) if front else (size - 1, size))
        return outermost.expand([count if i == axis else s for i, s in enumerate(self.shape)])


def tensors_of(first: Any, others: tuple[Any, ...], dim: Any, method: str) -> tuple[list[Any], Any]:
    """Tensors given one by one or as one sequence, which the axis may follow; and the axis."""
    tensors = [first, *others]
    if isinstance(first, list | tuple):
        tensors = list(first)
        if len(others) > 1:
            raise ArgumentError(
                f"{method}: expected tensors and an axis, found {others!r} after them"
            )
        dim = others[0] if others else dim
    if not tensors:
        raise ArgumentError(f"{method}: expected one tensor or more, found none")
    for item in tensors:
        if not isinstance(item, Core):
            raise ArgumentError(
                f"{method}: expected tensors, found {item!r} of type {type(item).__name__}; "
                "Tensor(…) makes one"
            )
    return tensors, dim


def _check_joinable(parts: Sequence[Core], axis: int) -> None:
    first = parts[0].shape
    for part in parts:
        same = len(part.shape) == len(first) and all(
            i == axis or same_size(a, b)
            for i, (a, b) in enumerate(zip(part.shape, first, strict=True))
        )
        if not same or not first:
            raise ShapeError(
                f"cat: shapes {show(first)} and {show(part.shape)} must have equal sizes "
                f"but along axis {axis}"
            )


_MODES = ("constant", "reflect", "replicate", "circular")


def _pad_pairs(padding: Sequence[Any], rank: int) -> list[tuple[Dim, Dim]]:
    if all(isinstance(p, UOp) or is_whole(p) for p in padding):
        if len(padding) % 2 or len(padding) > 2 * rank:
            raise ShapeError(
                f"pad: expected pairs for at most {rank} axes, found {len(padding)} numbers"
            )
        numbers = [p if isinstance(p, UOp) else int(p) for p in padding]
        pairs = [(numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 2)][::-1]
        return [(0, 0)] * (rank - len(pairs)) + pairs
    if len(padding) != rank:
        raise ShapeError(f"pad: expected {rank} pairs, found {len(padding)}")
    expected = "pad: expected (before, after) or None for axis"
    more = "; flat paddings are whole numbers"
    return [
        (0, 0) if p is None else pair_of(p, f"{expected} {axis}", more)
        for axis, p in enumerate(padding)
    ]
