"""Tensors on several devices: each has a part of it, or all of it.

What is computed of such tensors is computed by each device of its part; `spec/45-shards.uop` says
how, and what devices copy from each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.errors import DeviceError, ShapeError
from rulewright.ir.ops import Ops
from rulewright.ir.placement import Placement
from rulewright.ir.uop import UOp
from rulewright.runtime.device import DISK, Device
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import normal_axis, show


class Sharding(Members):
    """`shard`, and the same in place."""

    __slots__ = ()

    def shard(self, devices: Sequence[str], axis: int | None = None) -> Self:
        """This on several devices: each has a part along an axis; without one, all of it.

        Parts are equal, but that the last ones have what is left: of 5 rows two devices have 3 and
        2. What is computed of it is on these devices too; `.to(device)` gathers it on one. A sum
        over the axis, and the gradient of what each device has all of, is the sum of what all
        have. Movement across the cut copies what each device lacks: the axis stays cut if its parts
        stay equal, else each gets all. Operands that are cut otherwise go where the first one is.

        Raises ArgumentError if `devices` is one name, DeviceError for unknown devices, one given
        twice or DISK, AxisError for no axis of this, ShapeError for an axis of symbolic size.

        >>> x = Tensor([[1, 2], [3, 4]]).shard(("C:0", "C:1"), axis=0)
        >>> x.device, (x * 2).sum(0).tolist()
        (('C', 'C:1'), [8, 12])
        """
        where = Device.canonical(tuple(devices))
        if DISK in where:
            raise DeviceError(f"shard: {DISK} has no memory but that of files; take other devices")
        at = None if axis is None else normal_axis(axis, self.ndim, "shard")
        if isinstance(where, str):
            return self._on_device(where)
        self._check_cut(len(where), at)
        node = UOp(Ops.COPY, self.dtype, (self.uop,), str(Placement(where, at)))
        return self._make(node, where)

    def _check_cut(self, count: int, axis: int | None) -> None:
        if axis is not None and not (self.shape and isinstance(self.shape[axis], int)):
            raise ShapeError(
                f"shard: axis {axis} of shape {show(self.shape)} has no size that parts in "
                f"{count}; take another axis, or none, and each device has all of it"
            )

    def shard_(self, devices: Sequence[str], axis: int | None = None) -> Self:
        """Let this stand for what `shard` gives; as a leaf it stays one.

        >>> x = Tensor([1.0, 2.0]).shard_(("C:0", "C:1"), axis=0)
        >>> x.device
        ('C', 'C:1')
        """
        return self.replace(self.detach().shard(devices, axis))
