"""What a processor is told to fetch before it is read: memory then works while it computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, prod
from typing import TYPE_CHECKING, NamedTuple

from rulewright.ir.linear import LinearForm, linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render.target import Target
from rulewright.render.template import Text
from rulewright.render.usage import pointed_into, strip

if TYPE_CHECKING:
    from fractions import Fraction

Loops = tuple[UOp, ...]
Large = Mapping[UOp, LinearForm]
"""Reads of large memory, in order, each with its index."""


class Ahead(NamedTuple):
    """What a kernel asks for: beside reads, with how many elements further on that is, and panels
    by the loop whose iterations ask for them."""

    reads: dict[UOp, int]
    panels: dict[UOp, list[Panel]]
    far: set[UOp]  # reads that ask for more than the first cache holds beside what it is used for


def asked_ahead(nodes: Sequence[UOp], target: Target) -> Ahead:
    """What is asked for of memories of at least `prefetch_memory` bytes, where a target says so."""
    least, line = target.limit("prefetch_memory"), target.limit("line") or 1
    if least is None:
        return Ahead({}, {}, set())
    loads = [n for n in nodes if n.op is Ops.LOAD]
    large = {n: linear(strip(n.src[0]).src[1]) for n in loads if _bytes_outside(n) >= least}
    if not large:
        return Ahead({}, {}, set())
    nests = _nests(nodes)
    near = _streams(large, nests, line) | _rows(large, line) | _blocks(large, nests, line)
    far = _pieces(large, nests, target)
    return Ahead(near | far, _panels(large, nests, target), set(far))


def _bytes_outside(load: UOp) -> int:
    """Bytes of the memory that is read; -1 if it is the kernel's own."""
    source = pointed_into(load.src[0])
    return prod(source.arg[1]) * source.dtype.itemsize if source.op is Ops.PARAM else -1


def _begins_line(load: UOp, index: LinearForm, line: int) -> bool:
    """Whether a read is the first one of a line, if memory begins with one."""
    return index.constant * load.dtype.scalar.itemsize % line == 0


# ---- streams -------------------------------------------------------------------------------------
#
# A loop over neighbours that computes much for each of them holds too few reads at once for memory
# to be busy. There what is some lines further on is asked for: `exp` of 16M values took 0.57.

_MUCH = 16  # operations for each read
_FURTHER = 2048  # bytes


def _streams(large: Large, nests: _Nests, line: int) -> dict[UOp, int]:
    """Reads of vectors one behind the other, with how many elements further on to ask."""
    ahead: dict[UOp, int] = {}
    for loops, reads in nests.reads.items():
        if not loops or nests.work.get(loops, 0) < _MUCH * len(reads):
            continue
        widths: dict[UOp, int] = {}
        for read in reads:
            memory = pointed_into(read.src[0])
            widths[memory] = widths.get(memory, 0) + read.dtype.count
        for read in (r for r in reads if r in large and r.dtype.count > 1):
            alone_or_all = read.dtype.count, widths[pointed_into(read.src[0])]
            is_stream = large[read].stride(loops[-1]) in alone_or_all
            if is_stream and _begins_line(read, large[read], line):
                ahead[read] = _FURTHER // read.dtype.scalar.itemsize
    return ahead


# ---- rows ----------------------------------------------------------------------------------------
#
# Of rows that are gone through several times the first reads wait for memory, and the others leave
# it idle: there the row that the thread does next is asked for.

_LEAST_ROW, _MOST_ROW = 1024, 32768  # bytes: what stays near by until it is read again


def _rows(large: Large, line: int) -> dict[UOp, int]:
    """Reads of vectors again, along rows, with how many elements further on the next row is."""
    first: dict[tuple[UOp, int], UOp] = {}  # the loop that reads rows of a memory first
    second: dict[tuple[UOp, int], UOp] = {}
    ahead: dict[UOp, int] = {}
    for node, index in large.items():
        if node.dtype.count == 1 or len(node.ranges) != 2:
            continue
        rows, inner = sorted(node.ranges, key=lambda r: r.arg[1] != "thread")
        step = index.stride(rows) or 0
        is_row = _LEAST_ROW <= step * node.dtype.scalar.itemsize <= _MOST_ROW
        if rows.arg[1] != "thread" or not is_row:
            continue
        key = pointed_into(node.src[0]), step
        again = first.setdefault(key, inner) is not inner
        if again and second.setdefault(key, inner) is inner and _begins_line(node, index, line):
            ahead[node] = step
    return ahead


# ---- blocks --------------------------------------------------------------------------------------
#
# A large matrix may be read a few rows at a time, and of these a line or two at a time: then each
# row is gone along too slowly for the processor to see that it is. There the rows that come next
# are asked for.

_FAR_ROW = 2048  # bytes from one row to the next
_MOST_PIECE = 2  # lines of a row that are read at once: of more, it fetches the next ones by itself
_MOST_AGAIN = 2  # times that a block is read


def _blocks(large: Large, nests: _Nests, line: int) -> dict[UOp, int]:
    """Reads of vectors in blocks of rows, with how many elements further on the same place of the
    next block is."""
    ahead: dict[UOp, int] = {}
    copied = {loops for loops, _ in nests.copies.values()}
    for loops, reads in nests.reads.items():
        if not loops or loops in copied:
            continue
        vectors = [read for read in reads if read.dtype.count > 1 and read in large]
        steps = {read: step for read in vectors if (step := _next_block(read, large[read], loops))}
        if sum(read.dtype.itemsize for read in steps) <= _MOST_PIECE * line:
            ahead.update((r, s) for r, s in steps.items() if _begins_line(r, large[r], line))
    return ahead


def _next_block(read: UOp, index: LinearForm, loops: Loops) -> int:
    """How far it is to the next block, if a loop goes on where the innermost one ends and a block
    is not read many times; else 0."""
    steps = [index.stride(loop) or 0 for loop in loops]
    if not isinstance(loops[-1].size, int) or index.opaque:
        return 0
    step = steps[-1] * loops[-1].size
    if steps[-1] * read.dtype.scalar.itemsize < _FAR_ROW or step not in steps:
        return 0
    inside = loops[steps.index(step) :]
    again = _iterations(tuple(loop for loop in inside if not index.uses(loop)))
    return step if again <= _MOST_AGAIN else 0


# ---- pieces of rows ------------------------------------------------------------------------------
#
# Threads that add up rows of a large matrix may share its columns: then each goes along a piece of
# a row, and a few rows at a time, and memory waits where each piece begins. There the same place of
# the rows that come next is asked for.

_LEAST_OF_ROW, _MOST_OF_ROWS = 4096, 1 << 16  # bytes: of a piece; of all that are read side by side


def _pieces(large: Large, nests: _Nests, target: Target) -> dict[UOp, int]:
    """Reads along pieces of rows that are added up, with how many elements further on the same
    place of the next rows is."""
    line, least = target.limit("line") or 1, target.limit("prefetch_far_memory") or 0
    ahead: dict[UOp, int] = {}
    far = {read for read in large if read.dtype.count > 1 and _bytes_outside(read) >= least}
    for loops, reads in nests.reads.items():
        vectors = [read for read in reads if read in far]
        sized = all(isinstance(loop.size, int) for loop in loops)
        if len(loops) < 2 or loops[-2].arg[1] != "reduce" or not vectors or not sized:
            continue
        for read in vectors:
            index, size = large[read], read.dtype.scalar.itemsize
            step, along = (index.stride(loop) or 0 for loop in loops[-2:])
            piece = int(loops[-1].size) * along
            is_piece = along == read.dtype.count and _LEAST_OF_ROW // size <= piece < step
            fits = piece * size * len(vectors) <= _MOST_OF_ROWS
            if is_piece and fits and _begins_line(read, index, line):
                ahead[read] = step
    return ahead


# ---- panels --------------------------------------------------------------------------------------
#
# A panel of a large matrix is copied to be multiplied by rows: the copy waits for memory, and the
# products leave it idle. There, if rows are few, each iteration asks for its share of the panel
# that is next.

_LEAST_PANEL = 1 << 15  # bytes: shorter copies hardly wait
_MOST_LINES = 4  # that one iteration asks for
_MOST_ITERATIONS = 16  # for each line: with more, waiting is little beside computing


class Panel(NamedTuple):
    """What the next iteration of a loop copies: `width` elements side by side, and again each `row`
    elements, if that is not 0. The first is so many elements after `first` for each iteration of
    the loops `around`. Each iteration of the `loops` inside asks for `share` elements, which are on
    so many `lines` at most."""

    memory: UOp
    first: int
    around: tuple[tuple[UOp, int], ...]
    loops: Loops
    share: Fraction
    width: int
    row: int
    lines: int

    def places(self, names: Mapping[UOp, Text]) -> Iterator[str]:
        """Where each line begins that an iteration asks for, in C, less `first`."""
        start = " + ".join(f"{names[loop].text} * {stride}" for loop, stride in self.around)
        number = names[self.loops[0]].text
        for loop in self.loops[1:]:
            number = f"({number} * {loop.size} + {names[loop].text})"
        at_first = f"{number} * {self.share.numerator}"
        if self.share.denominator > 1:
            at_first += f" / {self.share.denominator}"
        for line in range(self.lines):
            behind = line * ceil(self.share) // self.lines
            at = f"{at_first} + {behind}" if behind else at_first
            if self.row:
                at = f"({at}) / {self.width} * {self.row} + ({at}) % {self.width}"
            yield f"{start} + {at}"


def _panels(large: Large, nests: _Nests, target: Target) -> dict[UOp, list[Panel]]:
    """The panels, by the loop whose iterations ask for them."""
    panels: dict[UOp, list[Panel]] = {}
    for memory, (around, reads) in nests.copies.items():
        inside = max(nests.readers.get(memory, [()]), key=_iterations)
        shared = sum(a is b for a, b in zip(around, inside, strict=False))
        sized = all(isinstance(loop.size, int) for loop in (*around, *inside))
        if reads[0] in large and 0 < shared < len(inside) and sized:
            panel = _panel(reads, around[:shared], around[shared:], inside[shared:], target)
            if panel is not None:
                panels.setdefault(inside[-1], []).append(panel)
    return panels


def _iterations(loops: Loops) -> int:
    return prod(int(loop.vmax) + 1 for loop in loops)


class _Nests(NamedTuple):
    """By the loops in which it is done, what is read outside, and how many operations are; by
    memory near by the loops in which it is read; and, if it is filled from one memory outside,
    those in which it is, and the reads there."""

    reads: dict[Loops, list[UOp]]
    work: dict[Loops, int]
    readers: dict[UOp, list[Loops]]
    copies: dict[UOp, tuple[Loops, list[UOp]]]


def _nests(nodes: Sequence[UOp]) -> _Nests:
    nests = _Nests({}, {}, {}, {})
    stores: dict[Loops, set[UOp]] = {}
    loops: Loops = ()
    for node in nodes:
        if node.op is Ops.RANGE:
            loops += (node,)
        elif node.op is Ops.END:
            loops = loops[:-1]
        elif node.op is Ops.LOAD and pointed_into(node.src[0]).op is Ops.PARAM:
            nests.reads.setdefault(loops, []).append(node)
        elif node.op is Ops.LOAD:
            nests.readers.setdefault(pointed_into(node.src[0]), []).append(loops)
        elif node.op in _COMPUTED:
            nests.work[loops] = nests.work.get(loops, 0) + 1
        elif node.op is Ops.STORE:
            stores.setdefault(loops, set()).add(pointed_into(node.src[0]))
    for loops, filled in stores.items():
        sources = nests.reads.get(loops, [])
        if len(filled) == 1 == len({pointed_into(read.src[0]) for read in sources}):
            nests.copies.setdefault(next(iter(filled)), (loops, sources))
    return nests


def _panel(
    reads: list[UOp], around: Loops, filling: Loops, loops: Loops, target: Target
) -> Panel | None:
    """What `reads` in the loops `filling` copy, in iterations of those around, if it is a panel."""
    from fractions import Fraction

    indices = [strip(read.src[0]).src[1] for read in reads]
    forms = [linear(index) for index in indices]
    strides = forms[0].strides
    if any(n.op is Ops.VAR or n.op not in _AFFINE for i in indices for n in i.toposort()):
        return None
    if any(form.strides != strides or form.opaque for form in forms) or not strides.get(around[-1]):
        return None
    starts = sorted({form.constant for form in forms})
    steps = {b - a for a, b in pairwise(starts)}
    axes = [(1, reads[0].dtype.count), *((strides.get(r, 0), int(r.size)) for r in filling)]
    rows = _merged([*axes, *((step, len(starts)) for step in steps)]) if len(steps) < 2 else None
    if rows is None:
        return None
    (_, width), (row, count) = rows
    memory, line, total = pointed_into(reads[0].src[0]), target.limit("line") or 1, width * count
    size, iterations = memory.dtype.itemsize, _iterations(loops)
    share = Fraction(total, iterations)
    lines = ceil(share * size / line)
    fits = _LEAST_PANEL <= total * size <= (target.limit("near_memory") or 0)
    if not fits or lines > _MOST_LINES or iterations * line > _MOST_ITERATIONS * total * size:
        return None
    moved = tuple((loop, strides[loop]) for loop in around if strides.get(loop))
    first = starts[0] + strides[around[-1]]
    return Panel(memory, first, moved, loops, share, width, row, lines)


_AFFINE, _COMPUTED = Ops.group("Affine"), Ops.group("Elementwise")


def _merged(axes: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Steps of so many elements, so often, as neighbours and rows of them; None for what is not
    that."""
    merged = [(1, 1)]
    for stride, size in sorted(axis for axis in axes if axis[0] and axis[1] > 1):
        last, count = merged[-1]
        if stride < last * count:
            return None
        if stride == last * count:
            merged[-1] = last, count * size
        else:
            merged.append((stride, size))
    if merged[0] == (1, 1) or len(merged) > 2:
        return None
    return merged[0], merged[1] if len(merged) > 1 else (0, 1)
