"""Kernels for targets whose loops run in order: rows sorted, least elements, scans.

Rows are sorted by the digits of their elements, from the last digit to the first (Knuth, "The Art
of Computer Programming", volume 3, 5.2.5): a pass counts how often each digit occurs, and then puts
every element behind those with smaller digits and the earlier ones with its own. A few least
elements of a row are found one after the other, each the least of those behind the one before.

An accumulator goes along the axis: in vectors over the axes behind it if these are long enough, and
else along one row after the other, which threads share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.ir.devices import target_of
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.tensor.adjoint import gradients
from rulewright.tensor.custom_kernel import Blank, kernel_values
from rulewright.tensor.statements import Statements

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.tensor import Tensor

DIGIT = 8
"""Bits of a digit: as many counters as stay in the first cache, and places that are written to."""

THREAD_WORK = 1 << 14
"""Elements from which on threads share the rows."""

OWN_MEMORY = 1 << 15
"""Bytes: more than counters of all digits of a number, or what is accumulated side by side."""

_COUNT = dtypes.i32


def has_ordered_loops(device: Any) -> bool:
    """Whether a device's loops run in order, one iteration after the other, and an iteration has
    as much memory of its own as kernels for such loops ask for."""
    if isinstance(device, tuple):  # kernels for such loops work on whole memories
        return False
    row = load_table()["targets"].get(target_of(device), {})
    own = row.get("limits", {}).get("own_memory", OWN_MEMORY)
    return "ordered_loops" in row.get("features", ()) and own >= OWN_MEMORY


def node_sorted(rows: UOp, spans: Iterable[tuple[int, int]], device: str) -> UOp:
    """Rows (rows, size) of i64 numbers in the order of their bits from the first to the end of each
    span, the last of which counts most; those that have the same bits stay in their order."""
    shifts = tuple([shift for first, end in spans for shift in range(first, end, DIGIT)])
    spare = Blank(rows.dtype, rows.max_shape)
    both = kernel_values(_radix_sort, device, spare, rows, shifts=shifts)
    return both[(len(shifts) - 1) % 2]


def node_least(rows: UOp, best: int, device: str) -> UOp:
    """The least (rows, best) of the different numbers of rows (rows, size), the least one first."""
    empty = Blank(rows.dtype, (rows.max_shape[0], best))
    return kernel_values(_least_of_rows, device, empty, rows)[0]


def node_least_places(rows: UOp, best: int, device: str) -> UOp:
    """Places (rows, best) of the least elements of rows (rows, size), i32: the least one first, of
    equal ones the first."""
    empty = Blank(_COUNT, (rows.max_shape[0], best))
    return kernel_values(_places_of_least, device, empty, rows)[0]


# ---- sorting -------------------------------------------------------------------------------------


def _radix_sort(spare: UOp, x: UOp, shifts: Sequence[int]) -> UOp:
    """Rows of x in order, by passes to and fro between x and `spare`: where the last one ends."""
    rows, size = x.max_shape
    shared = rows > 1 and rows * size >= THREAD_WORK
    row = UOp.range(rows, 0, "thread" if shared else "loop")
    counts = [UOp.register(_COUNT, 1 << DIGIT, number) for number in range(len(shifts))]
    counted = _counted(counts, x, row, size, shifts)
    source = x
    for number, shift in enumerate(shifts):
        target = (spare, x)[number % 2]
        starts = _starts(counts[number], counted, number)
        source = target.after(_moved(target, source, row, size, starts, number, shift))
    return source.src[1].end(row).sink(info=(f"sort_{rows}_{size}", ""))


def _digit(element: UOp, shift: int) -> UOp:
    return ((element >> shift) & ((1 << DIGIT) - 1)).cast(dtypes.index)


def _counted(counts: list[UOp], x: UOp, row: UOp, size: int, shifts: Sequence[int]) -> UOp:
    """What counts how often each digit occurs in a row, at every place."""
    clear, each = UOp.range(1 << DIGIT, 1), UOp.range(size, 2, "reduce")
    effects: list[UOp] = []
    for count in counts:
        first = count.after(row, *effects).index(clear).store(UOp.const(_COUNT, 0))
        effects = [first]
    ready, effects = effects[0].end(clear), []
    for count, shift in zip(counts, shifts, strict=True):
        seen = count.after(ready, each, *effects).index(_digit(x.index(row, each), shift))
        effects = [seen.store(seen + 1)]
    return effects[0].end(each)


def _starts(counts: UOp, counted: UOp, number: int) -> UOp:
    """Counts of a digit, each made the number of elements whose digit is smaller."""
    zero, digit = UOp.index_const(0), UOp.range(1 << DIGIT, 3 + 2 * number, "reduce")
    total = UOp.register(_COUNT, 1, 100 + number)
    ready = total.after(counted).index(zero).store(UOp.const(_COUNT, 0))
    count, so_far = counts.after(counted, digit).index(digit), total.after(ready, digit).index(zero)
    added = so_far.store(so_far + count)
    return counts.after(count.store(total.after(added).index(zero) - count).end(digit))


def _moved(
    target: UOp, source: UOp, row: UOp, size: int, starts: UOp, number: int, shift: int
) -> UOp:
    """What moves each element of a row to its place, behind those with its digit before it."""
    each = UOp.range(size, 4 + 2 * number, "reduce")
    element = source.index(row, each)
    count = starts.after(each).index(_digit(element, shift))
    counted = count.store(count + 1)
    place = starts.after(each, counted).index(_digit(element, shift)) - 1
    return target.after(each).index(row, place.cast(dtypes.index)).store(element).end(each)


# ---- a few of the least --------------------------------------------------------------------------


def _least_of_rows(out: UOp, x: UOp) -> UOp:
    """The least numbers, of which none are equal: each is the least of those above the last one."""
    rows, size = x.max_shape
    row, most = UOp.range(rows, 0), UOp.const(x.dtype, x.dtype.max)
    effects: list[UOp] = []
    last: UOp | None = None
    for number in range(out.max_shape[1]):
        step = UOp.range(size, number + 1, "reduce")
        value = x.index(row, step)
        above = value if last is None else (last < value).where(value, most)
        last = above.reduce(Ops.MIN, step)
        effects.append(out.index(row, UOp.index_const(number)).store(last).end(row))
    return UOp.sink(*effects, info=(f"least_{rows}_{size}", ""))


def _places_of_least(out: UOp, x: UOp) -> UOp:
    """Places of the least elements: of those behind the last one found, by value and then by place,
    the least value, and the first place where it is."""
    rows, size = x.max_shape
    row, most = UOp.range(rows, 0), UOp.const(x.dtype, x.dtype.max)
    effects: list[UOp] = []
    last: tuple[UOp, UOp] | None = None

    def behind(step: UOp) -> tuple[UOp, UOp | None]:
        value = x.index(row, step)
        if last is None:
            return value, None
        later = last[1] < step.cast(_COUNT)
        return value, (last[0] < value) | (value.alu(Ops.CMPEQ, last[0]) & later)

    for number in range(out.max_shape[1]):
        step = UOp.range(size, 2 * number + 1, "reduce")
        value, free = behind(step)
        least = (value if free is None else free.where(value, most)).reduce(Ops.MIN, step)
        step = UOp.range(size, 2 * number + 2, "reduce")
        value, free = behind(step)
        is_least = value.alu(Ops.CMPEQ, least)
        is_least = is_least if free is None else is_least & free
        place = is_least.where(step.cast(_COUNT), UOp.const(_COUNT, size)).reduce(Ops.MIN, step)
        effects.append(out.index(row, UOp.index_const(number)).store(place).end(row))
        last = least, place
    return UOp.sink(*effects, info=(f"least_places_{rows}_{size}", ""))


LANES, MOST_LANES = 16, 512
"""Neighbours that are accumulated side by side, at least and at most: one page of memory."""

ROWS_BESIDE = 4, 2
"""Rows that one thread accumulates at once, if their number allows: an addition of floats waits
for the one before it, and not for those of other rows."""

APART = 512
"""Bytes: rows that lie whole multiples of it apart are slower to follow side by side than one
after the other."""

SCAN_THREAD_WORK = 1 << 15
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
    divisor = max([n for n in sizes if n % LANES == 0] or sizes, default=0)
    whole = inner if inner <= 4 * MOST_LANES else None
    return divisor if divisor >= 4 * LANES else whole or divisor or None


def node_scanned(x: UOp, scan: Scan, device: str, start: UOp | None = None) -> UOp:
    """x (outer, size, inner) combined along its axis of `size`, beginning with `start` (outer,
    inner) of the dtype that it is combined in."""
    empty, starts = Blank(scan.kind, x.max_shape), () if start is None else (start,)
    slope = _gradient(scan)
    return kernel_values(_along, device, empty, x, *starts, grad_fxn=slope, scan=scan)[0]


class _Rows(NamedTuple):
    """Rows along which accumulators go side by side: which one, and how many neighbours behind
    the axis, or rows, these are of."""

    row: UOp
    part: int
    beside: int
    inner: int

    def lanes(self, number: int) -> UOp:
        return UOp.range(self.part * self.beside, number, "simd" if self.part > 1 else "upcast")

    def at(self, lane: UOp) -> tuple[UOp, UOp]:
        """Which row, and which of the neighbours behind the axis."""
        row, part, inner = self.row, self.part, self.inner
        if self.beside > 1:
            return row * self.beside + lane, UOp.index_const(0)
        if part == inner:
            return row, lane
        return row // (inner // part), row % (inner // part) * part + lane

    def place(self, along: UOp, lane: UOp) -> tuple[UOp, UOp, UOp]:
        """Of what is so far along the axis."""
        row, behind = self.at(lane)
        return row, along, behind

    def element(self, memory: UOp, along: UOp, lane: UOp) -> UOp:
        """That of a place along the axis."""
        return memory.index(*self.place(along, lane))


def _rows(*memories: UOp) -> _Rows:
    """Of memories of one shape."""
    (outer, size, inner), kinds = memories[0].max_shape, [memory.dtype for memory in memories]
    part = lanes_behind(inner) or 1
    apart = any(size * kind.itemsize % APART == 0 for kind in kinds)
    waits = inner == 1 and kinds[0].is_float and not apart
    beside = next(n for n in (*ROWS_BESIDE, 1) if outer % n == 0) if waits else 1
    rows = outer * (inner // part) // beside
    shared = rows > 1 and outer * size * inner >= SCAN_THREAD_WORK
    return _Rows(UOp.range(rows, 0, "thread" if shared else "loop"), part, beside, inner)


def _along(out: UOp, x: UOp, *start: UOp, scan: Scan) -> UOp:
    side, size = _rows(x, out), x.max_shape[1]
    row, step = side.row, UOp.range(size, 1, "reduce")
    place = size - 1 - step if scan.backward else step
    held = UOp.register(scan.wide, side.part * side.beside, 0)
    set_, add, put = (side.lanes(2 + i) for i in range(3))

    identity = UOp.const(scan.wide, _identity(scan))
    initial = start[0].index(*side.at(set_)) if start else identity
    ready = held.after(row).index(set_).store(initial).end(set_)
    so_far = held.after(ready, step).index(add)
    value = side.element(x, place, add).cast(scan.wide)
    added = so_far.store(_combined(scan.op, so_far, value)).end(add)
    combined = held.after(ready, step, added).index(put).cast(scan.kind)
    stored = side.element(out, place, put).store(combined).end(row, step, put)
    return stored.sink(info=("scan_" + "_".join(map(str, x.max_shape)), ""))


def node_extremes(x: UOp, op: Op, device: str) -> tuple[UOp, UOp]:
    """The largest (`Ops.MAX`) or least element up to each one along the axis of `size` of x (outer,
    size, inner), and where it last was, i64; NaN is beyond all."""
    blanks = [Blank(kind, x.max_shape) for kind in (x.dtype, dtypes.i64)]
    slope = _to_places if x.dtype.is_float else None
    values, places = kernel_values(_extremes_along, device, *blanks, x, grad_fxn=slope, op=op)
    return values, places


def _extremes_along(values: UOp, places: UOp, x: UOp, op: Op) -> UOp:
    side, size, kind = _rows(x, places), x.max_shape[1], x.dtype
    s, count = Statements(side.row), side.part * side.beside
    best, last = UOp.register(kind, count, 0), UOp.register(dtypes.i64, count, 1)
    for number, register in ((2, best), (3, last)):
        start = op.identity(kind) if register is best else 0
        lane = side.lanes(number)
        s.write(register, (lane,), UOp.const(register.dtype, start), lane)
    step = UOp.range(size, 1, "reduce")
    inner = s.inside(step)

    def compared(lane: UOp) -> tuple[UOp, UOp, UOp]:
        """Whether an element is the best so far, the element, and the best before it."""
        value, so_far = side.element(x, step, lane), inner.read(best, lane)
        beyond = so_far <= value if op is Ops.MAX else value <= so_far
        return beyond | value.alu(Ops.CMPNE, value) if kind.is_float else beyond, value, so_far

    lane = side.lanes(4)
    place = compared(lane)[0].where(step.cast(dtypes.i64), inner.read(last, lane))
    inner.write(last, (lane,), place, lane)
    lane = side.lanes(5)
    inner.write(best, (lane,), UOp.where(*compared(lane)), lane)
    for number, memory, register in ((6, values, best), (7, places, last)):
        lane = side.lanes(number)
        inner.write(memory, side.place(step, lane), inner.read(register, lane), lane)
    s.close(inner)
    return s.done().sink(info=("extremes_" + "_".join(map(str, x.max_shape)), ""))


def _to_places(g: Tensor, _places: Tensor, call: KernelCall) -> Any:
    """Of the values that are scanned: each extreme's gradient goes where it was reached."""
    return None, None, g.zeros_like().scatter_add(1, call.results[1], g)


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
    if scan.op is Ops.ADD:
        return partial(_summed_back, scan)
    return partial(_multiplied_back if scan.op is Ops.MUL else _through_blocks, scan)


def _summed_back(scan: Scan, g: Tensor, call: KernelCall) -> Any:
    """Of sums up to each element: those of the gradient from each one on, and all to the start."""
    back = Scan(Ops.ADD, scan.wide, scan.kind, not scan.backward)
    summed = g._new(node_scanned(g.uop, back, g.device))
    return (None, summed, *(g.cast(scan.wide).sum(1) for _ in call.sources[2:]))


def _through_blocks(scan: Scan, g: Tensor, call: KernelCall) -> Any:
    """Of others: that of the scan that is written in operations which have gradients."""
    x, *start = (source for source in call.sources[1:] if source is not None)
    scanned = x.cast(scan.wide)._scan_in_blocks(scan.op, 1)
    for before in start:
        first = before.unsqueeze(1)
        op = scan.op
        scanned = first.logaddexp(scanned) if op is None else first._binary(op, scanned, "scan")
    targets = [source.uop for source in (x, *start)]
    by_target = gradients({scanned.cast(scan.kind).uop: g.uop}, targets, set(targets))
    return (None, *(g._new(by_target[target]) for target in targets))


def _multiplied_back(scan: Scan, g: Tensor, call: KernelCall) -> Any:
    """Of products: of each element that of those before it, times what it and those behind it give
    without it. Nothing is divided, so that zeros are as other numbers."""
    _, x, *start = call.sources
    if x is None or start or not x.dtype.is_float:
        return _through_blocks(scan, g, call)
    blanks = [Blank(kind, x.uop.max_shape) for kind in (scan.wide, x.dtype)]
    slope = partial(_multiplied_back_again, scan)
    nodes = kernel_values(_without_each, g.device, *blanks, g.uop, x.uop, grad_fxn=slope)
    return None, g._new(nodes[1])


def _multiplied_back_again(scan: Scan, _: Any, g: Tensor, call: KernelCall) -> Any:
    """The derivative of that, through operations."""
    upstream, x = (source for source in call.sources[2:] if source is not None)
    scanned = x.cast(scan.wide)._scan_in_blocks(scan.op, 1).cast(scan.kind)
    back = gradients({scanned.uop: upstream.uop}, [x.uop], {x.uop})[x.uop]
    targets = [upstream.uop, x.uop]
    by_target = gradients({back: g.uop}, targets, set(targets))
    return None, None, *(g._new(by_target[target]) for target in targets)


def _without_each(before: UOp, out: UOp, g: UOp, x: UOp) -> UOp:
    """Products of the elements `before` each one; and with these what each gets of g."""
    side = _rows(x, out)
    s = Statements(side.row)
    held = UOp.register(before.dtype, side.part * side.beside, 0)
    _products_before(s, side, held, before, x)
    _from_the_end(s, side, held, before, out, g, x)
    return s.done().sink(info=("products_back_" + "_".join(map(str, x.max_shape)), ""))


def _products_before(s: Statements, side: _Rows, held: UOp, before: UOp, x: UOp) -> None:
    first, put, multiplied = (side.lanes(number) for number in (3, 4, 5))
    s.write(held, (first,), UOp.const(held.dtype, 1), first)
    step = UOp.range(x.max_shape[1], 1, "reduce")
    inner = s.inside(step)
    inner.write(before, side.place(step, put), inner.read(held, put), put)
    factor = side.element(x, step, multiplied).cast(held.dtype)
    inner.write(held, (multiplied,), inner.read(held, multiplied) * factor, multiplied)
    s.close(inner)


def _from_the_end(
    s: Statements, side: _Rows, held: UOp, before: UOp, out: UOp, g: UOp, x: UOp
) -> None:
    """What is behind an element gives r: it gets g + r times the product before it, and the one
    before it x * (g + r)."""
    size = x.max_shape[1]
    first, added, put, multiplied = (side.lanes(number) for number in (6, 7, 8, 9))
    s.write(held, (first,), UOp.const(held.dtype, 0), first)
    step = UOp.range(size, 2, "reduce")
    at, inner = size - 1 - step, s.inside(step)
    upstream = side.element(g, at, added).cast(held.dtype)
    inner.write(held, (added,), inner.read(held, added) + upstream, added)
    got = inner.read(held, put) * inner.read(before, *side.place(at, put))
    inner.write(out, side.place(at, put), got.cast(out.dtype), put)
    factor = side.element(x, at, multiplied).cast(held.dtype)
    inner.write(held, (multiplied,), inner.read(held, multiplied) * factor, multiplied)
    s.close(inner)
