"""Kernels that call a library: a product of matrices, for each of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulewright.ir.dtypes import DType, dtypes
from rulewright.render.target import Target
from rulewright.render.template import Text
from rulewright.render.unit import Written


@dataclass(frozen=True)
class Matrix:
    """A matrix in the memory of a parameter: where it starts, and how its rows lie.

    They are `apart` elements from each other; if it is `turned`, its columns are. `steps` are the
    distances between the matrices of a batch along its axes.
    """

    slot: int
    start: int
    apart: int
    turned: bool
    steps: tuple[int, ...]


@dataclass(frozen=True)
class CallOfProduct:
    """`out = left @ right` for each of a batch; `sizes` are rows, columns, and what is summed."""

    dtype: DType
    sizes: tuple[int, int, int]
    batch: tuple[int, ...]
    out: Matrix
    left: Matrix
    right: Matrix

    @property
    def name(self) -> str:
        """The name of a kernel that does it."""
        return "_".join(map(str, ("blas", *self.batch, *self.sizes)))


def write_product(call: CallOfProduct, parameters: Sequence[int], on: Target, name: str) -> Written:
    """The kernel that lets the target's library do a product; `parameters` are slots in order."""
    kind = call.dtype.name
    lines = [on.text("kernel").fill({"kernel": on.kernel_name(name)}).text]
    for position, slot in enumerate(parameters):
        line = "parameter_line" if slot == call.out.slot else "parameter_line_read"
        values = {"type": on.type_name(call.dtype), "var": f"data{slot}", "index": str(position)}
        lines.append("  " + on.text(line).fill(values).text)
    for axis, size in enumerate(call.batch):
        values = {"type": on.type_name(dtypes.index), "var": f"i{axis}", "size": str(size)}
        lines.append("  " * (axis + 1) + on.text("loop").fill(values).text)
    words = dict(zip(("rows", "columns", "depth"), map(str, call.sizes), strict=True))
    for role in ("out", "left", "right"):
        matrix: Matrix = getattr(call, role)
        order = on.text("product_of_turned" if matrix.turned else "product_of_plain").fill({}).text
        words |= {role: _place(matrix), f"{role}_apart": str(matrix.apart), f"{role}_order": order}
    depth = len(call.batch)
    text = on.text(f"product_{kind}").fill({slot: Text(word) for slot, word in words.items()})
    lines += ["  " * (depth + 1) + line for line in text.text.split("\n")]
    end = on.text("block_end").fill({}).text
    lines += ["  " * level + end for level in range(depth, -1, -1)]
    helper = on.text(f"product_{kind}_helper").fill({}).text
    return Written("\n".join(lines) + "\n", (call.dtype,), (helper,))


def _place(matrix: Matrix) -> str:
    """The address of a matrix of the batch."""
    steps = [f"i{axis} * {step}" for axis, step in enumerate(matrix.steps) if step]
    start = [str(matrix.start)] if matrix.start else []
    return " + ".join([f"data{matrix.slot}", *steps, *start])
