"""Padding: elements around a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ArgumentError, ChoiceError, ShapeError
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.kinds import constant
from rulewright.tensor.members import Members
from rulewright.tensor.nodes import node_iota, node_padded
from rulewright.tensor.shapes import (
    check_size,
    is_whole,
    known_le,
    larger,
    negative,
    show,
    total,
    unpack,
)

if TYPE_CHECKING:
    from typing_extensions import Self


class Padding(Members):
    """pad in its modes."""

    __slots__ = ()

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
        given = unpack(shape)
        if len(given) != self.ndim:
            raise ShapeError(f"pad_to: expected {self.ndim} sizes, found {len(given)}")
        sizes = [
            s if n is None else check_size(n, "pad_to")
            for n, s in zip(given, self.shape, strict=True)
        ]
        if not all(known_le(s, n) for n, s in zip(sizes, self.shape, strict=True)):
            raise ShapeError(f"pad_to: {show(self.shape)} does not fit into {show(sizes)}")
        pads = [total(n, negative(s)) for n, s in zip(sizes, self.shape, strict=True)]
        return self._pad([(0, after) for after in pads])

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
        padded = node_padded(self.uop, pads)
        if value == 0:
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
        return self._new(inside.where(padded, constant(self.dtype, value)))

    def _continued(self, pads: Sequence[tuple[Dim, Dim]], mode: str) -> Self:
        found = self
        for axis, (before, after) in enumerate([(int(a), int(b)) for a, b in pads]):
            size = int(self.shape[axis])
            room = {"reflect": size - 1, "circular": size}.get(mode, max(before, after))
            if max(before, after) > room or (size == 0 and before + after):
                raise ShapeError(
                    f"pad: mode {mode!r} cannot put {before} and {after} elements around axis "
                    f"{axis} of size {size}"
                )
            parts = [found._edge(axis, size, before, mode, True), found]
            parts.append(found._edge(axis, size, after, mode, False))
            parts = [p for p in parts if int(p.shape[axis])]
            found = parts[0].cat(*parts[1:], dim=axis) if parts else found
        return found

    def _edge(self, axis: int, size: int, count: int, mode: str, front: bool) -> Self:
        """`count` elements that go before, or after, an axis of `size`."""
        if count == 0:
            return self._narrowed(axis, (0, 0))
        if mode == "reflect":
            span = (1, 1 + count) if front else (size - 1 - count, size - 1)
            return self._narrowed(axis, span).flip(axis)
        if mode == "circular":
            return self._narrowed(axis, (size - count, size) if front else (0, count))
        outermost = self._narrowed(axis, (0, 1) if front else (size - 1, size))
        return outermost.expand([count if i == axis else s for i, s in enumerate(self.shape)])


_MODES = ("constant", "reflect", "replicate", "circular")


def _pad_pairs(padding: Sequence[Any], rank: int) -> list[tuple[Dim, Dim]]:
    if all(isinstance(p, UOp) or is_whole(p) for p in padding):
        if len(padding) % 2 or len(padding) > 2 * rank:
            raise ShapeError(
                f"pad: expected pairs for at most {rank} axes, found {len(padding)} numbers"
            )
        given = [p if isinstance(p, UOp) else int(p) for p in padding]
        pairs = [(given[i], given[i + 1]) for i in range(0, len(given), 2)][::-1]
        return [(0, 0)] * (rank - len(pairs)) + pairs
    if len(padding) != rank:
        raise ShapeError(f"pad: expected {rank} pairs, found {len(padding)}")
    return [(0, 0) if p is None else _pair(p, axis) for axis, p in enumerate(padding)]


def _pair(pair: Any, axis: int) -> tuple[Dim, Dim]:
    known = isinstance(pair, tuple | list) and len(pair) == 2
    if not known or not all(isinstance(n, UOp) or is_whole(n) for n in pair):
        raise ArgumentError(
            f"pad: expected (before, after) or None for axis {axis}, found {pair!r}; "
            "flat paddings are whole numbers"
        )
    before, after = (n if isinstance(n, UOp) else int(n) for n in pair)
    return before, after
