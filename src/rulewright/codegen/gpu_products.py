"""Sums of products in a nest, as work items and tensor cores of a GPU compute them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

from rulewright.codegen.cores import TensorCore, product_of
from rulewright.codegen.nests import Nest
from rulewright.ir.shapes import at_most
from rulewright.ir.uop import UOp

CHAIN = 16
"""Reductions of up to this many values have no loop."""
LEAST_SIDE = 32
"""Rows and columns below which a workgroup does not do fewer for others to have some too."""


@dataclass(frozen=True)
class WarpProduct:
    """A sum of products that tensor cores compute, and the axes of their small matrices."""

    core: TensorCore
    row: UOp
    column: UOp
    step: UOp


def warp_product(nest: Nest, target: Any, shared: bool = False) -> WarpProduct | None:
    """The largest tiles of a nest that tensor cores of a target multiply: those that read what they
    multiply from memory of a workgroup, or others.

    None for a nest that does more than one sum, and where an axis is smaller than the small
    matrices: what is beyond the end of one that they do not divide is 0.
    """
    in_order = any(a.arg[1] == "reduce" for a in nest.axes)
    if in_order or len(nest.reductions) != 1 or not target.row["cores"]:
        return None
    [reduction] = nest.reductions
    products: list[WarpProduct] = []
    for step in reduction.axes:
        for row, column in permutations([a for a in nest.axes if a in reduction.outer], 2):
            axes = (row, column, step)
            product = product_of(reduction.node, *axes)
            known = product.cores(target) if product else []
            core = next((c for c in known if c.shared == shared), None)
            fits = core and core.lanes <= (target.limit("local_size") or core.lanes)
            if (
                core
                and fits
                and all(at_most(a.size) >= n for a, n in zip(axes, core.sizes, strict=True))
            ):
                products.append(WarpProduct(core, *axes))
    last = {axis: place for place, axis in enumerate(nest.axes)}
    return max(
        products,
        key=lambda p: (int(p.step.vmax), int(p.row.vmax) + int(p.column.vmax), last[p.column]),
        default=None,
    )


class ProductAxes(NamedTuple):
    """The axes of a sum of products: stored rows and columns, and what is summed."""

    row: UOp
    column: UOp
    step: UOp


def item_product(nest: Nest, target: Any) -> ProductAxes | None:
    """The axes of a sum of products that work items compute without tensor cores.

    None if something is small, or if they could not read neighbours at once.
    """
    in_order = any(a.arg[1] == "reduce" for a in nest.axes)
    if in_order or len(nest.reductions) != 1 or not target.limit("banks"):
        return None
    [reduction] = nest.reductions
    stored = [a for a in nest.axes if a in reduction.outer and at_most(a.size) >= LEAST_SIDE]
    products = []
    for step in (a for a in reduction.axes if at_most(a.size) >= CHAIN):
        for row, column in permutations(stored, 2):
            product = product_of(reduction.node, row, column, step)
            near = nest.accesses[0].score(column) > 0
            if product and near and target.has_vectors(product.dtype):
                products.append(ProductAxes(row, column, step))
    return max(products, key=lambda p: (int(p.step.vmax), int(p.row.vmax)), default=None)
