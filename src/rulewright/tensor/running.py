"""Kernels that combine the elements of an axis up to each one, for targets with loops in order.

An accumulator goes along the axis: in vectors over the axes behind it if these are long enough, and
else along one row after the other, which threads share.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.ir.dtypes import DType
from rulewright.ir.known import remembered
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.custom_build import kernel_of, kernel_results
from rulewright.tensor.gradient import gradients

if TYPE_CHECKING:
    from rulewright.tensor.function_gradient import KernelCall
    from rulewright.tensor.tensor import Tensor

LANES, MOST_LANES = 16, 512
"""Neighbours that are accumulated side by side, at least and at most: one page of memory."""
ROWS_BESIDE = 4, 2
"""Rows that one thread accumulates at once, if their number allows: an addition waits for the one
before it, and not for those of other rows."""
THREAD_WORK = 1 << 15
"""Elements from which on threads share the rows."""


class Scan(NamedTuple):
    """What a scan combines by (None adds exponentials), in which dtype it does and which it gives;
    and whether it goes from the end of the axis."""

    op: Op | None
    wide: DType
    kind: DType
    backward: bool = False


def lanes_behind(inner: int) -> int | None:
    """How many neighbours an accumulator goes over, of so many behind the axis; None for a large
    number that has no good divisor."""
    if inner < LANES:
        return 1
    sizes = [n for n in range(LANES, min(inner, MOST_LANES) + 1) if inner % n == 0]
    found = max([n for n in sizes if n % LANES == 0] or sizes, default=0)
    whole = inner if inner <= 4 * MOST_LANES else None
    return found if found >= 4 * LANES else whole or found or None


def node_scanned(x: UOp, scan: Scan, device: str, start: UOp | None = None) -> UOp:
    """x (outer, size, inner) combined along its axis of `size`, beginning with `start` (outer,
    inner) of the dtype that it is combined in."""
    outer, size, inner = (int(s) for s in x.max_shape)
    kernel = _kernel((outer, size, inner), x.dtype, scan, start is not None)
    blank = UOp.const(scan.kind, 0).reshape((1, 1, 1)).expand((outer, size, inner))
    given = [blank, x] if start is None else [blank, x, start]
    return kernel_results(kernel, given, device, _gradient(scan), whole={0})[0]


@remembered(256)
def _kernel(shape: tuple[int, int, int], kind: DType, scan: Scan, starts: bool) -> UOp:
    memories: list[Any] = [(scan.kind, shape), (kind, shape)]
    if starts:
        memories.append((scan.wide, (shape[0], shape[2])))
    return kernel_of(partial(_along, shape=shape, scan=scan), memories)


def _along(out: UOp, x: UOp, *start: UOp, shape: tuple[int, int, int], scan: Scan) -> UOp:
    outer, size, inner = shape
    part = lanes_behind(inner) or 1
    beside = next(n for n in (*ROWS_BESIDE, 1) if outer % n == 0) if inner == 1 else 1
    rows = outer * (inner // part) // beside
    shared = rows > 1 and outer * size * inner >= THREAD_WORK
    row = UOp.range(rows, 0, "thread" if shared else "loop")
    step = UOp.range(size, 1, "reduce")
    place = size - 1 - step if scan.backward else step
    held = UOp.register(scan.wide, part * beside, 0)
    kind = "simd" if part > 1 else "upcast"
    set_, add, put = (UOp.range(part * beside, 2 + i, kind) for i in range(3))

    def at(lane: UOp) -> tuple[UOp, UOp]:
        """Which row, and which of the neighbours behind the axis."""
        if beside > 1:
            return row * beside + lane, UOp.index_const(0)
        if part == inner:
            return row, lane
        return row // (inner // part), row % (inner // part) * part + lane

    def element(memory: UOp, lane: UOp) -> UOp:
        return memory.index(at(lane)[0], place, at(lane)[1])

    identity = UOp.const(scan.wide, _identity(scan))
    initial = start[0].index(*at(set_)) if start else identity
    ready = held.after(row).index(set_).store(initial).end(set_)
    so_far = held.after(ready, step).index(add)
    value = element(x, add).cast(scan.wide)
    added = so_far.store(_combined(scan.op, so_far, value)).end(add)
    found = held.after(ready, step, added).index(put).cast(scan.kind)
    stored = element(out, put).store(found).end(row, step, put)
    return stored.sink(info=("scan_" + "_".join(map(str, shape)), ""))


def _identity(scan: Scan) -> Any:
    return float("-inf") if scan.op is None else scan.op.identity(scan.wide)


def _combined(op: Op | None, a: UOp, b: UOp) -> UOp:
    """Two values combined. Exponentials are added relative to the larger one: a NaN stays, and of
    equal infinities there is no difference."""
    if op is not None:
        return a.alu(op, b)
    zero, one = UOp.const(a.dtype, 0.0), UOp.const(a.dtype, 1.0)
    apart = a.alu(Ops.CMPEQ, b).where(zero, a - b)
    apart = (apart < zero).where(apart, -apart)
    return a.alu(Ops.MAX, b) + (apart.alu(Ops.EXP) + one).alu(Ops.LOG)


# ---- gradients -----------------------------------------------------------------------------------


@remembered(64)
def _gradient(scan: Scan) -> Callable[..., Any]:
    return partial(_summed_back if scan.op is Ops.ADD else _through_blocks, scan)


def _summed_back(scan: Scan, g: Tensor, call: KernelCall) -> Any:
    """Of sums up to each element: those of the gradient from each one on, and all to the start."""
    back = Scan(Ops.ADD, scan.wide, scan.kind, not scan.backward)
    found = g._new(node_scanned(g.uop, back, g.device))
    return (None, found, *(g.cast(scan.wide).sum(1) for _ in call.sources[2:]))


def _through_blocks(scan: Scan, g: Tensor, call: KernelCall) -> Any:
    """Of others: that of the scan that is written in operations which have gradients."""
    x, *start = (source for source in call.sources[1:] if source is not None)
    found = x.cast(scan.wide)._scan_in_blocks(scan.op, 1)
    for before in start:
        first = before.unsqueeze(1)
        both = first.logaddexp(found) if scan.op is None else first._binary(scan.op, found, "scan")
        found = both
    targets = [source.uop for source in (x, *start)]
    made = gradients(found.cast(scan.kind).uop, g.uop, targets, set(targets))
    return (None, *(g._new(made[target]) for target in targets))
