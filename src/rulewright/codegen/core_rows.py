"""Kernels that keep rows near by between two products, both by the tensor cores of a CPU.

Attention of narrow floats: a tile of queries, as many as a small matrix has rows, goes through all
keys, whose scores are put near by; what is made of them is done row by row, and rounded to what is
multiplied by the values. That lies near by as the tensor core takes it, a small matrix behind the
other, so that nothing is copied between the two products but keys, values and the queries.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rulewright.codegen.axes import Axes
from rulewright.codegen.core_products import lies
from rulewright.codegen.cores import TensorCore, product_of
from rulewright.codegen.nests import Reduction, fixed
from rulewright.codegen.rows import Rows, chunk, filled, lanes_of, set_kinds, until
from rulewright.ir.dtypes import dtype
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


class RowProduct(NamedTuple):
    """A product of a tile of rows: its sum, columns and steps, and what multiplies them.

    `left` is the row near by that it reads, if it does not read memory; columns that are `turned`
    lie along a sum that is no multiple of a depth."""

    reduction: Reduction
    column: UOp
    step: UOp
    core: TensorCore
    left: UOp | None
    turned: bool


def core_rows(rows: Rows, target: Any) -> list[RowProduct] | None:
    """How tensor cores of one lane do the products of such a kernel; None if they do not do all of
    them by small matrices of one size, or several in the same loops."""
    if not target.row["cores"]:
        return None
    products = [_row_product(rows.row, *product, target) for product in rows.products]
    known = [product for product in products if product is not None]
    loops = {axis for product in known for axis in (product.step, product.column)}
    apart = len(loops) == 2 * len(products)
    return known if apart and len({product.core.sizes for product in known}) == 1 else None


def _row_product(row: UOp, reduction: Reduction, column: UOp, target: Any) -> RowProduct | None:
    *others, step = reduction.axes
    product = None if others else product_of(reduction.node, row, column, step)
    core = product and product.core(target)
    if not product or not core or core.lanes > 1 or core.sizes[0] == 1:
        return None
    sizes = [fixed(a) or 1 for a in (row, column, step)]
    left, right = product.left[core.of], product.right[core.of]
    near = left.src[0] if left.op is Ops.INDEX and left.src[0].op is Ops.STAGE else None
    copied = (right,) if near is not None else (left, right)
    if any(n.op is Ops.STAGE for value in copied for n in value.toposort()):
        return None
    depth = core.sizes[2]
    if any(2 * size < part for size, part in zip(sizes, core.sizes, strict=True)):
        return None
    if near is not None and len(near.src) > 2:
        return None
    turned = sizes[2] % depth > 0 and lies(right, step)
    return RowProduct(reduction, column, step, core, near, turned)


def kept_bytes(products: list[RowProduct]) -> int:
    """Memory near by for copies of columns, and for rows: their sums, and twice what is made of
    them, as a mask and powers are."""
    needed = 0
    for product in products:
        columns, steps = (fixed(a) or 1 for a in (product.column, product.step))
        rows, size = product.core.sizes[0], product.reduction.node.dtype.itemsize
        narrow = dtype(product.core.of).itemsize
        needed += columns * (steps * narrow + rows * size)
        needed += 0 if product.left is None else rows * steps * (2 * size + narrow)
    return needed


def choose_core_rows(axes: Axes, rows: Rows, products: list[RowProduct], target: Any) -> list[int]:
    """Make the choices; gives the ids of the loops that are left over the row."""
    core = products[0].core
    height, width, depth = core.sizes
    ends = until(axes, rows, depth)
    chunks, inner = axes.pad(rows.row.arg[0], chunk(rows, height, target))
    tiles, row = axes.split(inner, height)
    kinds: dict[int, str] = {}
    for product in products:
        kinds |= _multiplied(axes, product, row)
    for fill in rows.fills:  # where these may end, small matrices and panels of sums do
        most = max(core.registers, 1) * width
        kinds[filled(axes, fill, most, depth, ends)] = "simd"
    return set_kinds(axes, rows, kinds, (chunks, tiles), lanes_of(rows, target), ends)


def _multiplied(axes: Axes, product: RowProduct, row: int) -> dict[int, str]:
    """Cut and copy what a tensor core multiplies; gives kinds of loops over small matrices."""
    _, width, depth = product.core.sizes
    last, step = axes.split(product.step.arg[0], depth)
    count = min(-(-(fixed(product.column) or 1) // width), max(product.core.registers, 1))
    panels, panel = axes.pad(product.column.arg[0], count * width)
    vectors, column = axes.split(panel, width)
    there = axes.several
    if product.left is None:
        axes.pack(*there(last), row, step)
    if product.turned:  # with zeros beyond the end, so that pairs of neighbours are turned
        copy = axes.pack(*there(panels, vectors), column, *there(last), step)
        axes.set_kind("simd", copy[-1])
    else:
        axes.pack(*there(panels, last, vectors), column, step)
    axes.set_kind("tc", row, column, step)
    return {panels: "block", vectors: "upcast"}
