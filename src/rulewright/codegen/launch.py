"""How a kernel is launched: positions in the grid, threads of a CPU, the type of its indices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from rulewright.codegen.estimate import work
from rulewright.codegen.kinds import in_loop_order, kind
from rulewright.errors import UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.shapes import Dim, at_most
from rulewright.ir.uop import UOp

# ---- launch --------------------------------------------------------------------------------------
#
# Ranges of the launch grid become positions in it.
#
# global -> workgroup "g0" … "g2"; local, lane and group -> work item "l0" … "l2". The innermost
# range of a store takes number 0, along which neighbours run together: lanes, where there are any.
# Work items that share a reduction take it before all, but for those beside them that read more
# neighbours, where values go through memory of the workgroup.


_LETTER = {"global": "g", "local": "l", "lane": "l", "group": "l"}


def launch_positions(sink: UOp, _target: Any = None) -> UOp:
    """The kernel with SPECIALs for its global, local and group ranges."""
    names = _names(sink)
    if not names:
        return sink
    special = {r: UOp(Ops.SPECIAL, dtypes.index, r.src, name) for r, name in names.items()}
    whole = dict.fromkeys(special.values())

    def launched(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node.op is Ops.RANGE:
            return special.get(node)
        if node.op is Ops.STORE:
            effect, at = node.replace(src=src), node.src[0].src[1].ranges
            if src[0].src[0].base.op is not Ops.DEFINE_LOCAL:
                return effect
            # beside those that share one reduction stand others that would write the same
            items = [s for s in whole if s.arg[0] == "l"]
            return _gated(effect, [s for s in items if s not in map(special.get, at)])
        if node.op is Ops.SINK:
            pairs = zip(node.src, src, strict=True)  # a store that is no loop of any kind
            stores = [_once_each(n, [*whole]) if s.op is Ops.STORE else n for s, n in pairs]
            return node.replace(src=tuple(stores))
        effect = _once_each(src[0], [s for s in whole if s not in src[1:]])
        return effect.end(*(r for r in src[1:] if r.op is Ops.RANGE))

    return rebuild(sink, launched, frozenset({Ops.RANGE, Ops.STORE, Ops.END, Ops.SINK}))


def _names(sink: UOp) -> dict[UOp, str]:
    """The position that each range of the grid becomes."""
    names: dict[UOp, str] = {}
    sizes: dict[str, Dim] = {}
    nodes = sink.toposort()
    if not any(n.op is Ops.RANGE and kind(n) in _LETTER for n in nodes):
        return names
    stores = [n.src[1:] for n in nodes if n.op is Ops.END]
    groups = [(n,) for n in nodes if n.op is Ops.RANGE and kind(n) == "group"]
    together = _together(nodes)
    handed = [[r for r in ranges if kind(r) == "group"] for ranges in together]
    if not any(n.src[1].ranges for n in nodes if n.op is Ops.SHUFFLE):
        handed = [_nearest(nodes, ranges) for ranges in together] + handed
    for ranges in [*handed, *stores, *groups]:
        for letter in "gl":
            mine = [r for r in ranges if _LETTER.get(kind(r)) == letter]
            for axis in reversed(mine):
                if axis not in names:
                    beside = {*mine, *(r for t in together if axis in t for r in t)}
                    taken = {names.get(r) for r in beside}
                    names[axis] = next(n for k in count() if (n := f"{letter}{k}") not in taken)
                name = names[axis]
                if sizes.setdefault(name, axis.size) != axis.size:
                    raise UsageError(
                        f"axis choices: r{axis.arg[0]} has size {axis.size}, but {name} of this "
                        f"launch already has {sizes[name]}"
                    )
    return names


def _nearest(nodes: Sequence[UOp], ranges: list[UOp]) -> list[UOp]:
    """Of ranges of work items the one along which most reads of memory take neighbours."""
    forms = [linear(n.src[1]) for n in nodes if n.op is Ops.INDEX and n.src[0].base.op is Ops.PARAM]
    near = {
        axis: sum(form.stride(axis) == 1 for form in forms)
        - sum(form.uses(axis) and form.stride(axis) != 1 for form in forms)
        for axis in reversed(ranges)
    }
    return [max(near, key=lambda axis: near[axis])]


def _together(nodes: Sequence[UOp]) -> list[list[UOp]]:
    """Ranges of work items that hand values from one to the other, through lanes or memory of the
    workgroup, and of those beside them, which do so too: each needs a position of its own."""
    together: dict[tuple[UOp, ...], None] = {}
    for node in nodes:
        ranges: tuple[UOp, ...] = ()
        if node.op is Ops.SHUFFLE:
            ranges = node.ranges
        elif node.op is Ops.STORE and node.src[0].src[0].base.op is Ops.DEFINE_LOCAL:
            ranges = node.src[0].src[1].ranges
        if any(kind(r) == "group" for r in ranges):
            items = in_loop_order(r for r in ranges if kind(r) in ("local", "group"))
            together[tuple(items)] = None
    return [list(ranges) for ranges in together]


def _once_each(effect: UOp, missing: list[UOp]) -> UOp:
    """A store into global memory, done by the first of those that would all do the same."""
    if effect.op is not Ops.STORE or effect.src[0].src[0].base.op is not Ops.PARAM:
        return effect
    return _gated(effect, missing)


def _gated(effect: UOp, missing: list[UOp]) -> UOp:
    """A store where all these positions are the first."""
    gate: UOp | None = None
    for special in missing:
        first = special.eq(0)
        gate = first if gate is None else gate & first
    if gate is None:
        return effect
    old = effect.src[2:]
    return effect.src[0].store(effect.src[1], old[0] & gate if old else gate)


def launch_sizes(sink: UOp) -> tuple[tuple[Dim, Dim, Dim], tuple[int, int, int]]:
    """Numbers of workgroups and of work items in a group along three axes."""
    sizes = {n.arg: n.size for n in sink.toposort() if n.op is Ops.SPECIAL}
    groups = tuple(sizes.get(f"g{i}", 1) for i in range(3))
    items = tuple(int(sizes.get(f"l{i}", 1)) for i in range(3))
    return groups, items  # type: ignore[return-value]  # three each


# ---- threads -------------------------------------------------------------------------------------
#
# How the threads of a CPU share a kernel.


BLOCK_WORK = 16_384
"""Operations on elements that are worth handing to another thread (about 1 µs of vector code)."""


def thread_launch(sink: UOp) -> tuple[tuple[Dim, ...], tuple[int, ...] | None]:
    """The trip count of the shared axis, the longest if stores have one each, and how many of its
    iterations go together."""
    sizes = [n.size for n in sink.toposort() if n.op is Ops.RANGE and kind(n) == "thread"]
    if not sizes:
        return (1,), None
    known = [size for size in sizes if isinstance(size, int)]
    count = max(known) if len(known) == len(sizes) else sizes[0]
    most, todo = at_most(count), at_most(work(sink))
    return (count,), (max(1, min(most, BLOCK_WORK * most // max(todo, 1))),)


# ---- indices -------------------------------------------------------------------------------------
#
# Index arithmetic gets a machine type: as narrow as the target likes, as wide as needed.


def index_dtype(sink: UOp, target: Any) -> DType:
    """i32 if the target prefers it and every index and size of the kernel fits, else i64."""
    if target.limit("index_bits") != 32:
        return dtypes.i64
    low, high = dtypes.i32.min, dtypes.i32.max
    for node in sink.toposort():
        if node.dtype is dtypes.index and node.op.name != "INVALID":
            bounds = node.interval
            if bounds.lo < low or bounds.hi > high:
                return dtypes.i64
    return dtypes.i32


def lower_indices(sink: UOp, ctx: Any) -> UOp:
    """The kernel with every `index` value made i32 or i64."""
    chosen = index_dtype(sink, ctx.target)
    index = dtypes.index
    return rebuild(sink, lambda n, src: UOp(n.op, chosen, src, n.arg) if n.dtype is index else None)
