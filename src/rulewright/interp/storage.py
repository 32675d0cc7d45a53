"""Memory inside a kernel: registers, and memory that the work items of a workgroup share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp.memory import Place, Write, as_vectors, describe, locate, poison
from rulewright.interp.shadow import lift
from rulewright.interp.values import Array, AxisOrder, Value, full, spread
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def _own(array: Array) -> Array:
    """A copy in row-major order, so that its flat view writes into it."""
    return array.copy(order="C")


class Storage:
    """Registers or workgroup memory: one copy for each value of the loop variables in `axes`.

    Vectors are kept as consecutive scalars.
    """

    def __init__(self, node: UOp) -> None:
        self.size, self.count = node.arg[1], node.dtype.count
        self.value = Value((poison((self.size * self.count,), node.dtype),))
        self._places: dict[tuple[UOp, int], tuple[Value, Value, Place]] = {}

    def widen(self, wanted: Sequence[UOp], axes: AxisOrder, sizes: dict[UOp, int]) -> None:
        """Give each value of the `wanted` loop variables its own copy. A loop that has another
        number of iterations than before begins with what the last of them left."""
        copies = dict(zip(self.value.axes, self.value.data.shape, strict=False))
        for axis in wanted:
            if copies.get(axis, sizes[axis]) != sizes[axis]:
                self.drop(axis)
        merged = axes.sort({*self.value.axes, *wanted})
        if merged != self.value.axes:
            grown = full(self.value, merged, [sizes[a] for a in merged])
            self.value = grown.each(_own)

    def drop(self, axis: UOp) -> None:
        """Leave a loop: what its last iteration wrote stays."""
        if axis in self.value.axes:
            at = self.value.axes.index(axis)
            kept = tuple(a for a in self.value.axes if a is not axis)
            self.value = Value(tuple(_own(p.take(-1, axis=at)) for p in self.value.parts), kept)

    def place(
        self, node: UOp, index: Value, axes: AxisOrder, gate: Value | None, lanes: int
    ) -> Place:
        """Flat positions over all copies of what `node` accesses at `index`."""
        before = self._places.get((node, lanes))
        if before and before[0] is index and before[1] is self.value and gate is None:
            return before[2]
        own = list(zip(self.value.axes, self.value.data.shape, strict=False))
        indices = [*(Value((np.arange(n),), (axis,)) for axis, n in own), index]
        place = locate(node, indices, [*(n for _, n in own), self.size], axes, gate)
        place = as_vectors(node, place, self.count, lanes, self.value.data.size)
        if gate is None:
            self._places[node, lanes] = index, self.value, place
        return place

    def flat(self) -> Value:
        """The contents of all copies in one row."""
        return Value(tuple(p.reshape(-1) for p in self.value.parts))

    def put(self, write: Write) -> None:
        """Apply a write."""
        if len(write.parts) == 3 and len(self.value.parts) == 1:
            self.value = Value(lift(self.value.parts), self.value.axes)
            self.value = self.value.each(_own)
        parts = lift(write.parts) if len(self.value.parts) == 3 else write.parts
        for target, source in zip(self.value.parts, parts, strict=True):
            target.reshape(-1)[write.positions] = source

    def touch(
        self, node: UOp, place: Place, item: Value | None, axes: AxisOrder, write: bool
    ) -> None:
        """Note that work items access elements; registers are their own."""

    def barrier(self) -> None:
        """All work items have come to one point."""


_NOBODY, _SEVERAL = -1, -2


class SharedStorage(Storage):
    """Workgroup memory: it knows which work item wrote and read each element since a BARRIER."""

    def __init__(self, node: UOp) -> None:
        super().__init__(node)
        nobody = np.full(self.value.data.shape, _NOBODY)
        self.marks = Value((nobody, nobody.copy()))

    def widen(self, wanted: Sequence[UOp], axes: AxisOrder, sizes: dict[UOp, int]) -> None:
        """Give each value of the `wanted` loop variables its own copy."""
        super().widen(wanted, axes, sizes)
        if self.marks.axes != self.value.axes:
            grown = full(self.marks, self.value.axes, self.value.data.shape[:-1])
            self.marks = grown.each(_own)

    def drop(self, axis: UOp) -> None:
        """Leave a loop: what its last iteration wrote stays."""
        super().drop(axis)
        if self.marks.axes != self.value.axes:
            at = self.marks.axes.index(axis)
            self.marks = Value(
                tuple(_own(p.take(-1, axis=at)) for p in self.marks.parts), self.value.axes
            )

    def barrier(self) -> None:
        """Forget who accessed what."""
        for part in self.marks.parts:
            part[...] = _NOBODY

    def touch(
        self, node: UOp, place: Place, item: Value | None, axes: AxisOrder, write: bool
    ) -> None:
        """Raise InterpreterError if another work item's access is not in a settled order."""
        if item is None:
            return
        where, who = _flat(place, item, axes)
        writer, reader = (p.reshape(-1) for p in self.marks.parts)
        strange = (writer[where] != _NOBODY) & (writer[where] != who)
        if write:
            strange |= (reader[where] != _NOBODY) & (reader[where] != who)
        if strange.any():
            done = "writes" if write else "reads"
            raise InterpreterError(
                f"{describe(node)}: work item {who[strange][0]} {done} an element that another one "
                "accessed since the last BARRIER; put a BARRIER between them"
            )
        if write:
            writer[where] = who
            return
        reader[where] = np.where(reader[where] == _NOBODY, who, reader[where])
        reader[where] = np.where(reader[where] == who, who, _SEVERAL)


def _flat(place: Place, item: Value, axes: AxisOrder) -> tuple[Array, Array]:
    """Positions that are accessed, and by which work item, as two rows."""
    where = Value((place.positions,), place.axes, place.lanes)
    merged = axes.merge([where, item])
    positions = spread(where, merged, 0, place.lanes)[0]
    who = spread(item, merged, 0, place.lanes)[0]
    shape = np.broadcast_shapes(positions.shape, who.shape)
    rows = [np.broadcast_to(p, shape).reshape(-1) for p in (positions, who)]
    if place.valid is not None:
        gate = Value((place.valid,), place.axes, place.lanes)
        keep = np.broadcast_to(spread(gate, merged, 0, place.lanes)[0], shape).reshape(-1)
        rows = [row[keep] for row in rows]
    return rows[0], rows[1]


def storage_for(node: UOp) -> Storage:
    """New memory for a DEFINE_LOCAL or DEFINE_REG."""
    return SharedStorage(node) if node.op is Ops.DEFINE_LOCAL else Storage(node)
