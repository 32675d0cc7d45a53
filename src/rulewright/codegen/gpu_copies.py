"""What a workgroup of a GPU copies into its memory before it is multiplied, and how."""

from __future__ import annotations

from typing import NamedTuple

from rulewright.codegen.copies import packed_values
from rulewright.codegen.gpu_grid import Grid
from rulewright.codegen.nests import reads
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

VECTOR = 4
"""Elements that a work item reads and writes at once."""


class Operand(NamedTuple):
    """One of the values that are multiplied, of a dtype, and how it is copied: so many neighbours
    at once, which are such along what is summed or along the side of the plane. It is plain if it
    is read as it is."""

    dtype: DType
    wide: int
    along_step: bool
    plain: bool


def operand_of(
    reduction: UOp, side: UOp, step: UOp, load_bits: int, of: DType | None = None
) -> Operand | None:
    """What a REDUCE multiplies along a side, in a dtype, or as it is; None if it cannot be copied
    apart."""
    body, values = reduction.src[0], packed_values(reduction, (side, step))
    if body.op is not Ops.MUL or len(values) != 1 or values[0] not in body.src:
        return None
    read, held = reads(values[0]), of or values[0].dtype
    along_step = all(a.ungated.stride(step) == 1 for a in read)
    near = step if along_step else side
    wide = 1
    if len(read) == 1:
        most = max(1, load_bits // read[0].node.dtype.bits)
        if read[0].node.dtype != held:  # converted one by one
            most = min(most, VECTOR)
        wide = read[0].wide(near, most)
    return Operand(held, wide, along_step, values[0].op is Ops.INDEX)


def copy_near(grid: Grid, operand: Operand, side: int, step: int, last: bool) -> None:
    """Copy an operand into memory of the workgroup, with steps `last`, beside each other, or with
    the side so."""
    axes = grid.axes
    fills = axes.pack(*((side, step) if last else (step, side)))
    near = fills[last is operand.along_step]
    # what is turned as it is copied ahead is copied one by one
    turned = operand.plain and last is not operand.along_step
    alone = turned and grid.target.has_text("copy_ahead")
    # what is turned otherwise is read by vectors, and written one by one
    most = operand.wide if last is operand.along_step else min(operand.wide, VECTOR)
    for fill in fills:
        wide = most if fill == near and not alone else 1
        while int(axes.size(fill)) % wide:
            wide //= 2
        if wide > 1:
            fill, neighbours = axes.split(fill, wide)
            axes.set_kind("vector", neighbours)
        axes.set_kind("local", fill)
