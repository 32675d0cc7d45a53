"""Loops of a kernel as the grid and the work items of a GPU, within what a target has room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.nests import divisor
from rulewright.ir.dtypes import DType
from rulewright.ir.shapes import at_most
from rulewright.ir.uop import UOp


class Grid:
    """The axes of a kernel for one target, and those of which choices were made."""

    def __init__(self, axes: Axes, target: Any) -> None:
        self.axes, self.target = axes, target
        self.load_bits = target.limit("load_bits") or 32
        self.groups = target.limit("groups") or 1
        self.dimensions = target.limit("grid_dimensions") or 3
        self.outer = target.limit("grid_outer")
        self.inner = target.limit("grid_inner")
        room = target.limit("local_memory")
        self.bytes = 16384 if room is None else room
        self.done: set[int] = set()

    def neighbours(self, id: int, accessed: Sequence[DType]) -> None:
        """Elements of one work item beside each other: read and written at once, as many of the
        widest dtype as can be."""
        widest = max(accessed, key=lambda dtype: dtype.bits)
        wide = divisor(int(self.axes.size(id)), max(1, self.load_bits // widest.bits))
        if wide < int(self.axes.size(id)) and self.target.joins(widest, max(2, wide)):
            outer, id = self.axes.split(id, wide)
            self.axes.set_kind("upcast", outer)
        self.axes.set_kind("vector", id)

    def local(self, id: int, count: int) -> int:
        """Cut `count` items off an axis; gives the id of the rest."""
        outer, inner = self.axes.split(id, count)
        self.axes.set_kind("local", inner)
        return outer

    def grid(self, loops: list[int]) -> None:
        """Make loops axes of the grid, joining the outermost if there are too many, or too long.
        What the grid has no room for stays a loop of each work item."""
        while len(loops) > self.dimensions or (
            len(loops) > 1 and (self.exceeds(loops[-1], self.inner) or self.any_exceeds(loops[:-1]))
        ):
            loops = [self.axes.merge(loops[0], loops[1], "join"), *loops[2:]]
        if len(loops) == 1:
            loops = self.within(loops[0])
        for id in loops:
            self.axes.set_kind("global", id)

    def within(self, id: int) -> list[int]:
        """A loop as axes of the grid, each no longer than the grid is along it: without what is
        beyond all of them."""
        parts: list[int] = []
        for most in (self.inner, *[self.outer] * (self.dimensions - 1)):
            if most is None or not self.exceeds(id, most):
                return [id, *parts]
            id, part = self.axes.split(id, local_size(self.axes.size(id), most))
            parts.insert(0, part)
        return parts

    def any_exceeds(self, loops: list[int]) -> bool:
        """Whether one of these axes of the grid can only be its innermost, which has more room."""
        return any(self.exceeds(id, self.outer) for id in loops)

    def exceeds(self, id: int, limit: int | None) -> bool:
        """Whether an axis of the grid may be longer than a limit, if there is one."""
        size = self.axes.size(id)
        most = at_most(size)
        return limit is not None and most > limit

    def once(self, axis: UOp, choose: Callable[[int], Any]) -> None:
        """Make a choice for an axis that several nests or reductions may have in common."""
        if axis.arg[0] not in self.done:
            self.done.add(axis.arg[0])
            choose(axis.arg[0])


def local_size(size: Any, want: int) -> int:
    """Items along an axis: a divisor if it is no less than half of what is wanted, else gated."""
    if not isinstance(size, int):
        return want
    if size <= want:
        return size
    even = divisor(size, want)
    return even if even * 2 >= want else want
