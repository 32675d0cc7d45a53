"""Register tiles of a target whose vectors are values: named variables and no loops over them.

Accumulators that are numbered by tile ranges (upcast, unroll, simd) alone become variables, one
for each vector, and the loops over the tile are written out. Everything else keeps loops with
constant trip counts, which the compiler of the target unrolls or vectorises as it is told.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from operator import mul
from typing import Any, NamedTuple

from rulewright.codegen.copies import COSTLY
from rulewright.codegen.interleave import at_a_time, several
from rulewright.codegen.kinds import kind, unused
from rulewright.codegen.lanes import (
    LEAST_LANES,
    lane_axis,
    lanes_of,
    most_lanes,
    turning_points,
    vectorised,
)
from rulewright.codegen.registers import constant, named_registers
from rulewright.codegen.replicate import replicated
from rulewright.codegen.short_rows import repeats
from rulewright.codegen.turn import interleaved, turned, turned_in_units
from rulewright.ir.dtypes import dtypes
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp

_COSTLY_WEIGHT = 20  # operations that a transcendental one becomes
_WRITTEN_OUT = ("upcast", "unroll")
_DIVIDES = Ops.group("FloorDivision")
_PLAIN = ("block", "stored")
MOST_EFFECTS = 64
"""Effects that one is written out as, at most."""
MOST_OPERATIONS = 128
"""Operations that what is made of a tile is written out as, at most; more are in loops."""
LEAST_CUT = 4
"""Vectors of a range from which on those that need a mask are told from the others."""
MOST_MASKED = 400
"""The same where vectors have masks: compilers are better at what is between two such loops."""


class Piece(NamedTuple):
    """Part of a simd range: where it begins, its loop if it is several vectors, lanes of one and
    how many of those are meant."""

    first: UOp
    loop: UOp | None
    lanes: int
    meant: int


def expand_tiles(sink: UOp, target: Any) -> UOp:
    """The kernel with its tiles in variables, and loops for what has no vector form."""
    blocks = [n for n in sink.toposort() if n.op is Ops.RANGE and kind(n) in _PLAIN]
    plain = {n: UOp.range(n.size, n.arg[0], "loop") for n in blocks}
    return named_registers(_with_room(_Tiles(sink.substitute(plain), target).result))


class _Tiles:
    def __init__(self, sink: UOp, target: Any) -> None:
        self.target = target
        order = sink.toposort()
        self.next_range = unused(order, Ops.RANGE)
        self.next_memory = unused(order, Ops.DEFINE_REG)
        self.counts = _Plan(order, target).counts
        self.arrays: dict[UOp, UOp] = {}
        self.ends = [n for n in order if n.op is Ops.END]
        self.cut: dict[UOp, list[Piece] | None] = {}
        self.vectors: dict[tuple[UOp, Piece], UOp | None] = {}
        done: dict[UOp, tuple[UOp, ...]] = {}
        for node in order:
            src = tuple([new for s in node.src for new in done[s]])
            if node.op is Ops.END:
                loops = [done[r][0] for r in node.src[1:]]
                done[node] = self.effects(done[node.src[0]][0], loops)
            else:
                done[node] = (node if src == node.src else UOp(node.op, node.dtype, src, node.arg),)
        self.result = done[sink][0]

    def effects(self, store: UOp, ranges: list[UOp]) -> tuple[UOp, ...]:
        """What an END over `store` becomes."""
        places = _places(store)
        touched = {place.src[0].base for place in places}
        if not self.counts.keys().isdisjoint(touched):
            written = self.finished(store, ranges, places)
            if written is None and not self.is_kept(store, ranges):
                written = self.written_out(store, ranges)
            if written is not None:
                return written
        end = store.end(*ranges)
        columns = turned(end, self.target) or turned_in_units(end, self.target)
        if columns is not None:
            loops = [r for r in ranges if kind(r) not in (*_WRITTEN_OUT, "simd")]
            return tuple(column.end(*loops) for column in columns)
        pairs = interleaved(end, self.target)
        if pairs is not None:
            return (pairs.end(*(r for r in ranges if kind(r) not in (*_WRITTEN_OUT, "simd"))),)
        if store.op is Ops.STORE and any(kind(r) == "upcast" and repeats(store, r) for r in ranges):
            written = self.written_out(store, ranges)
            if written is not None:
                return written
        if self.reads_tile(places):
            store, *ranges = self.in_loops(store, ranges).src
        return self.in_vectors(store, ranges) or (self.in_loops(store, ranges),)

    def reads_tile(self, places: list[UOp]) -> bool:
        """Whether one of these places hangs on ranges and is in a tile."""
        return any(p.src[1].ranges and p.src[0].base in self.counts for p in places)

    def written_out(self, store: UOp, ranges: list[UOp]) -> tuple[UOp, ...] | None:
        """One effect for each vector of the tile; None if there is no vector form."""
        end = store.end(*ranges)
        form = _vector_form(end, self.target, self.next_range)
        if form is None:
            return None
        self.next_range += 1
        effects: tuple[UOp, ...] = (form.src[0],) if form.op is Ops.END else (form,)
        loops = list(form.src[1:]) if form.op is Ops.END else []
        tile = [r for r in loops if kind(r) in _WRITTEN_OUT]
        for axis in sorted(reversed(tile), key=lambda r: -int(r.vmax)):
            # what is read along the shorter side is held while the longer one is walked
            effects = replicated(effects, axis, self.target)
        return tuple(e.end(*(r for r in loops if kind(r) not in _WRITTEN_OUT)) for e in effects)

    def is_kept(self, store: UOp, ranges: list[UOp]) -> bool:
        """Whether a store puts much into rows that are kept: it goes on row by row."""
        memory = store.src[0].src[0].base if store.op is Ops.STORE else store
        kept = memory.op is Ops.DEFINE_REG and memory not in self.counts
        return kept and _operations(store, ranges) > MOST_OPERATIONS

    def finished(self, store: UOp, ranges: list[UOp], places: list[UOp]) -> tuple[UOp, ...] | None:
        """A store of much that is made of a tile, in loops over vectors of an array that the tile
        was copied to; None for others, and if there is no vector form.
        """
        touched = {place.src[0].base for place in places}
        held = any(m.op is Ops.DEFINE_REG and m not in self.counts for m in touched)
        if store.op is not Ops.STORE or store.src[0].src[0].base in self.counts or held:
            return None
        operations = _operations(store, ranges)
        if operations <= MOST_OPERATIONS or all(kind(r) != "simd" for r in ranges):
            return None
        copied = self.from_arrays(store, places, {}).end(*ranges)
        form = _vector_form(copied, self.target, self.next_range)
        if form is None or form.op is not Ops.END:
            return None
        if len(form.src[0].src) > 2 and operations <= MOST_MASKED:
            return None
        tile = [r for r in form.src[1:] if kind(r) in _WRITTEN_OUT]
        self.next_range += 1  # that of several vectors in the range
        loops = {r: UOp.range(r.size, self.next_range + k, "loop") for k, r in enumerate(tile)}
        self.next_range += len(tile)
        return (form.substitute(loops),)

    def in_vectors(self, store: UOp, ranges: list[UOp]) -> tuple[UOp, ...] | None:
        """A store as loops over vectors, of fewer lanes for what is left over; None if it has no
        vector form.
        """
        place = store.src[0] if store.op is Ops.STORE else store
        axis = lane_axis(store.end(*ranges))
        if place.op is not Ops.INDEX or axis is None:
            return None
        pieces = self.pieces(axis)
        others = [r for r in ranges if r is not axis]
        effects: list[UOp] = []
        for piece in pieces or ():
            vector, loop = self.vector(store, axis, piece), piece.loop
            if vector is None:
                return None
            if _is_nowhere(vector):
                continue
            alone = sum(axis in end.src[1:] for end in self.ends) == 1
            count = at_a_time(store, axis) if alone else 1
            for part, loops in several(vector, loop, count, self.next_range):
                effects.append(self.in_loops(part, [*others, *loops]))
            self.next_range += 2 if count > 1 else 0
        return tuple(effects) or None

    def vector(self, store: UOp, axis: UOp, piece: Piece) -> UOp | None:
        """What a store does in a piece of a simd range; None if it has no vector form."""
        if (store, piece) not in self.vectors:
            first, loop, count, meant = piece
            at = first if loop is None else loop * count + first
            moved, lane = _moved(store, axis, at, count)
            if meant < count:
                moved = _limited(moved, lane, meant)
            effect: UOp | None = moved
            if count > 1 and not _is_nowhere(moved):
                effect = vectorised(moved, lane, count, self.target)
            self.vectors[store, piece] = effect
        return self.vectors[store, piece]

    def pieces(self, axis: UOp) -> list[Piece] | None:
        """How a simd range is cut: first element, loop over vectors if there are several, lanes.

        Stores that share the range share the loops, for one may write what another has read in the
        same iteration. None if its size is not known, or if one of several stores has no vector
        form.
        """
        if axis not in self.cut:
            self.cut[axis] = self.cut_up(axis) if isinstance(axis.size, int) else None
        return self.cut[axis]

    def cut_up(self, axis: UOp) -> list[Piece] | None:
        stores = [end.src[0] for end in self.ends if axis in end.src[1:]]
        lanes = min(most_lanes(store, axis, self.target) for store in stores)
        if any(self.counts_narrowly(store, axis, lanes) for store in stores):
            return None
        bounds = _bounds(stores, axis, lanes)
        if self.target.has_text("store_masked"):
            longest = max([end - first for first, end in pairwise(bounds)], default=0)
            cuts = bounds[-1] > lanes <= longest  # else no piece would be more than a vector's part
            for ends in ([0, bounds[-1]], bounds)[cuts:]:
                pieces = self.laid_out(_pieces(ends, lanes, True))
                parts = [p for p in pieces if p.meant < p.lanes or len(ends) < len(bounds)]
                if all(self.vector(store, axis, p) is not None for store in stores for p in parts):
                    return self.shared(pieces, stores, axis)
        return self.shared(self.laid_out(_pieces(bounds, lanes, False)), stores, axis)

    def counts_narrowly(self, store: UOp, axis: UOp, lanes: int) -> bool:
        """Whether numbers of positions would fill a part of each vector only, as wider ones that
        are computed of them do not: the compiler of the target has vectors of both."""
        positions = (n for n in store.toposort() if n.op is Ops.CAST and axis in n.ranges)
        bits = [n.dtype.bits for n in positions if n.src[0].dtype is dtypes.index]
        return any(b * lanes < (self.target.limit("vector_bits") or 128) for b in bits)

    def laid_out(self, pieces: list[tuple[int, int, int, int]]) -> list[Piece]:
        """Pieces with loops of their own over several vectors."""
        laid = []
        for first, iterations, count, meant in pieces:
            loop = UOp.range(iterations, self.next_range, "loop") if iterations > 1 else None
            self.next_range += loop is not None
            laid.append(Piece(UOp.index_const(first), loop, count, meant))
        return laid

    def shared(self, pieces: list[Piece], stores: list[UOp], axis: UOp) -> list[Piece] | None:
        """The pieces, if all of several stores have a vector form in them."""
        if len(stores) > 1:
            for store in stores:
                if self.reads_tile(_places(store)):
                    return None
                if any(self.vector(store, axis, piece) is None for piece in pieces):
                    return None
        return pieces

    def in_loops(self, store: UOp, ranges: list[UOp]) -> UOp:
        """The same with loops; it reads tiles from an array that they were copied to.

        Only to keep other accumulators in registers are the loops unrolled: it is the dearest that
        can be asked of a compiler.
        """
        places = _places(store)
        touched = {place.src[0].base for place in places}
        held = {m for m in touched if m.op is Ops.DEFINE_REG} - self.counts.keys()
        how = "unroll" if held else "loop"
        changes: dict[UOp, UOp] = {
            r: UOp.range(r.size, r.arg[0], how) for r in ranges if kind(r) in _WRITTEN_OUT
        }
        copied = self.from_arrays(store, places, changes)
        return copied.end(*(changes.get(r, r) for r in ranges))

    def from_arrays(self, store: UOp, places: list[UOp], changes: dict[UOp, UOp]) -> UOp:
        """A STORE with other ranges that reads tiles from arrays that they were copied to."""
        changes = dict(changes)
        for node in places:
            if node.src[0].base in self.counts and node.src[1].ranges:
                index = node.src[1].substitute(changes)
                changes[node] = UOp(Ops.INDEX, node.dtype, (self.array(node.src[0]), index))
        return store.substitute(changes)

    def array(self, tile: UOp) -> UOp:
        """Memory with what a tile holds at this point."""
        if tile not in self.arrays:
            register, count = tile.base, self.counts[tile.base]
            size = register.arg[1]
            memory = UOp(Ops.DEFINE_REG, register.dtype, (), (self.next_memory, size))
            self.next_memory += 1
            copies = []
            for first in range(0, size, count):
                at, wide = UOp.index_const(first), register.dtype.vec(count)
                element = UOp(Ops.INDEX, wide, (tile, at))
                copies.append(UOp(Ops.INDEX, wide, (memory, at)).store(element))
            self.arrays[tile] = memory.after(*copies)
        return self.arrays[tile]


def _operations(store: UOp, ranges: list[UOp]) -> int:
    """What a STORE is written out as, without the arithmetic of places; a vector counts as one."""
    sizes = {r: int(r.vmax) + 1 for r in ranges if kind(r) in _WRITTEN_OUT}
    nodes = [n for n in store.src[1].toposort(lambda n: n.op is not Ops.INDEX) if n.src]
    weights = [_COSTLY_WEIGHT if n.op in COSTLY else 1 for n in nodes]
    times = [prod([sizes[r] for r in n.ranges if r in sizes]) for n in nodes]
    return sum(map(mul, weights, times))


def _bounds(stores: list[UOp], axis: UOp, lanes: int) -> list[int]:
    """Where a simd range is cut: where conditions turn, and around the vectors in which one turns
    at a lane that hangs on other ranges, so that the others need no mask."""
    size = int(axis.vmax) + 1
    cuts = {0, size}
    for first, last in {pair for store in stores for pair in turning_points(store, axis)}:
        if first == last:
            cuts.add(first)
        elif size >= LEAST_CUT * lanes:
            cuts |= {first // lanes * lanes, min(-(-last // lanes) * lanes, size)}
    return sorted(cuts)


def _moved(store: UOp, axis: UOp, at: UOp, count: int) -> tuple[UOp, UOp]:
    """A STORE of `count` lanes from a place on, conditions that hold for all of them decided;
    and the range over the lanes."""
    lane = UOp.range(count, axis.arg[0], "simd")
    # what the range is not open in stays: it is another store's, and simplified with that
    known = {n: n for n in store.toposort(lambda n: axis in n.ranges) if axis not in n.ranges}
    moved = store.substitute({axis: at + lane if count > 1 else at}, {**known})
    cut = any(n.op in _DIVIDES and axis in n.ranges for n in store.toposort(_is_no_after))
    if cut or turning_points(store, axis):
        moved = rewrite(moved, "symbolic", memo=known)
    return moved, lane


def _is_nowhere(effect: UOp) -> bool:
    """Whether a STORE is one of no element."""
    return effect.op is Ops.STORE and effect.src[0].src[1].op is Ops.INVALID


def _limited(store: UOp, lane: UOp, meant: int) -> UOp:
    """A STORE in which nothing is accessed beyond so many lanes, but of rows of the work item's own
    memory, which gets room for whole vectors."""
    inside, invalid = lane < UOp.index_const(meant), UOp(Ops.INVALID, dtypes.index)
    changes = {
        place: UOp(Ops.INDEX, place.dtype, (place.src[0], inside.where(place.src[1], invalid)))
        for place in _places(store)
        if lane in place.src[1].ranges and not _ends_with(place, lane, meant)
    }
    return store.substitute(changes)


def _ends_with(place: UOp, lane: UOp, meant: int) -> bool:
    """Whether a place is in memory of the work item that ends with so many lanes."""
    memory, form = place.src[0].base, linear(place.src[1])
    is_own = memory.op is Ops.DEFINE_REG and not form.opaque and form.strides == {lane: 1}
    return is_own and form.constant + meant == memory.arg[1]


def _with_room(sink: UOp) -> UOp:
    """The kernel whose own memories have room for the vectors that go beyond their end."""
    ends: dict[UOp, int] = {}
    for node in sink.toposort():
        if node.op is Ops.INDEX and node.dtype.count > 1 and node.src[0].base.op is Ops.DEFINE_REG:
            memory, first = node.src[0].base, constant(node.src[1])
            if first is not None and first + node.dtype.count > ends.get(memory, memory.arg[1]):
                ends[memory] = first + node.dtype.count
    return sink.substitute({m: m.replace(arg=(m.arg[0], end)) for m, end in ends.items()})


def _pieces(bounds: list[int], lanes: int, masks: bool) -> list[tuple[int, int, int, int]]:
    """Elements in vectors: (first, iterations, lanes, lanes that are meant) each.

    What is left over is one vector with a mask, or vectors of fewer and fewer lanes and then
    elements one by one. No piece goes beyond one of the bounds.
    """
    pieces = []
    for first, end in pairwise(bounds):
        count = lanes
        while first < end:
            iterations, rest = divmod(end - first, count)
            if iterations:
                pieces.append((first, iterations, count, count))
                first += iterations * count
            if masks and 2 * rest > count >= LEAST_LANES:
                pieces.append((first, 1, count, rest))
                first += rest
            count = count // 2 if count > LEAST_LANES else 1
    return pieces


class _Plan:
    """Which registers are tiles that can be variables, and how many lanes one has."""

    def __init__(self, order: list[UOp], target: Any) -> None:
        ends = [n for n in order if n.op is Ops.END]
        tiles = _tiles(order)
        writers: dict[UOp, list[UOp]] = {m: [] for m in tiles}
        for end in ends:
            place = end.src[0].src[0] if end.src[0].op is Ops.STORE else None
            if place is not None and place.src and place.src[0].base in writers:
                writers[place.src[0].base].append(end)
        self.counts: dict[UOp, int] = {}
        for memory, own in writers.items():
            counts = {_lanes(end, target) for end in own}
            if len(counts) == 1 and (count := counts.pop()):
                self.counts[memory] = count


def _lanes(end: UOp, target: Any) -> int:
    """Lanes of the vectors that an END can be written out with; 1 for scalars, 0 if it cannot."""
    form = _vector_form(end, target, 0)
    if form is None:
        return 0
    store = form.src[0] if form.op is Ops.END else form
    return store.src[0].dtype.count


def _vector_form(end: UOp, target: Any, fresh: int) -> UOp | None:
    """An END with its simd range done in vectors; None if it has to stay a loop.

    A range of several vectors leaves an upcast range `fresh` over them.
    """
    store, ranges = end.src[0], list(end.src[1:])
    if store.op is not Ops.STORE:
        return None
    simd = [r for r in ranges if kind(r) == "simd"]
    if simd:
        axis = lane_axis(end)
        count = lanes_of(end, axis, target) if axis is not None else 0
        if axis is None or not count:
            return None
        lane = UOp.range(count, axis.arg[0], "simd")
        vectors = int(axis.vmax + 1) // count
        if vectors > 1:
            outer = UOp.range(vectors, fresh, "upcast")
            store = store.substitute({axis: outer * count + lane})
            ranges.insert(ranges.index(axis), outer)
        wide = vectorised(store, axis if vectors == 1 else lane, count, target)
        if wide is None or (len(wide.src) > 2 and wide.src[0].src[0].base.op is Ops.DEFINE_REG):
            return None  # of a variable there is no part
        store, ranges = wide, [r for r in ranges if r is not axis]
    written = prod(int(r.vmax) + 1 for r in ranges if kind(r) in _WRITTEN_OUT)
    return store.end(*ranges) if written <= MOST_EFFECTS else None


def _places(store: UOp) -> list[UOp]:
    """The elements that a STORE itself touches, without what has to be done before."""
    return [n for n in store.toposort(_is_no_after) if n.op is Ops.INDEX]


def _is_no_after(node: UOp) -> bool:
    """Whether a node waits for nothing that has to be done before."""
    return node.op is not Ops.AFTER


def _tiles(order: list[UOp]) -> list[UOp]:
    """Registers all of whose places are numbered by tile ranges alone, and of one width."""
    lanes: dict[UOp, int] = {}  # the lanes of its places; 0 for what is no tile
    for node in order:
        if node.op is Ops.INDEX and node.src[0].base.op is Ops.DEFINE_REG:
            tile = all(kind(r) in (*_WRITTEN_OUT, "simd") for r in node.src[1].ranges)
            memory, count = node.src[0].base, node.dtype.count if tile else 0
            lanes[memory] = count if lanes.get(memory, count) == count else 0
    return [memory for memory, count in lanes.items() if count]
