"""Products of matrices on CPUs, carried out: the axis choices that `products` has found best."""

from __future__ import annotations

from rulewright.codegen.axes import Axes
from rulewright.codegen.nests import Nest, Reduction, fixed
from rulewright.codegen.pack import packed_values
from rulewright.codegen.products import Product


def tile(axes: Axes, nest: Nest, reduction: Reduction, found: Product) -> int:
    """Make the choices; gives the id of the range over chunks of rows and panels of columns."""
    steps = [axis.arg[0] for axis in reduction.axes if fixed(axis) != 1]
    outer, inner = axes.pad(found.row.arg[0], found.chunk)
    across, columns = axes.pad(found.column.arg[0], found.vectors * found.lanes)
    parts = axes.split(columns, found.lanes) if found.vectors > 1 else (columns,)
    inside = [axis.arg[0] for axis in found.beside]
    if found.panels > 1:
        across, panel = axes.split(across, found.panels)
        inside.append(panel)
    if found.block:
        steps = _cut_block(axes, steps, found.block)
    both = axes.merge(outer, across, "join")
    copies: list[tuple[int, ...]] = []
    if found.packs_rows == "computed":
        axes.set_kind("simd", axes.pack(inner, *steps)[-1])
    tiles, rows = axes.split(inner, found.rows)
    if found.packs_rows == "apart":  # as tiles read them
        around = [id for id in (tiles, *steps) if axes.size(id) != 1]
        axes.set_kind("simd", axes.pack(*around, rows)[-1])
    if found.packs:
        made = axes.pack(*steps, *parts)
        if found.turns:
            _turn(axes, made[len(steps) - 1], made[-1], found.turns)
        else:
            copies.append(made[len(steps) :])
    for other in nest.reductions if found.packs else ():
        if other != reduction and packed_values(other.node, (*other.axes, found.column)):
            rest = [axis.arg[0] for axis in other.axes if fixed(axis) != 1]
            copies.append(axes.pack(*rest, *parts)[len(rest) :])
    for id in filter(axes.has, (*inside, tiles)):
        axes.set_kind("block", id)  # inside of the loops whose copies it reads
    for *vectors, lanes in (*copies, parts):
        for id in vectors:
            axes.set_kind("upcast", id)
        axes.set_kind("simd", lanes)
    axes.set_kind("upcast", rows)
    return both


def _cut_block(axes: Axes, steps: list[int], block: int) -> list[int]:
    """The innermost of the reduced ranges that hold a block; those around it are blocks."""
    inside: list[int] = []
    for step in reversed(steps):
        size = int(axes.size(step))
        if block % size == 0:
            inside.insert(0, step)
            block //= size
            continue
        if block > 1:
            step, inner = axes.split(step, block)
            inside.insert(0, inner)
            block = 1
        axes.set_kind("block", step)
    return inside


def _turn(axes: Axes, step: int, lanes: int, count: int) -> None:
    """Copy squares of so many values, read along `step` and written along `lanes`."""
    axes.set_kind("upcast", axes.split(step, count)[1])
    axes.set_kind("simd", axes.split(lanes, count)[1] if axes.size(lanes) != count else lanes)
