"""Which values of a program get a variable, and which stand inside the expression that uses them.

A value stands inside when it is used once, in the same block, by a spelling that writes it once;
a load, moreover, only if nothing is written between its place and the place it would move to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render.target import Target, own_dtype

_OPENS, _CLOSES = Ops.group("Opening"), Ops.group("Closing")
_SILENT = _CLOSES | {Ops.BARRIER, Ops.COPIES}
_WRITES = frozenset({Ops.STORE, Ops.BARRIER})
_INLINE = frozenset({Ops.LOAD, Ops.STACK, Ops.LANE})  # and what is elementwise
_AFTER = Ops.AFTER
NEVER_LISTED = Ops.group("Unlisted")


def strip(node: UOp) -> UOp:
    """The value itself, without the order that AFTER adds."""
    while node.op is _AFTER:
        node = node.src[0]
    return node


def pointed_into(place: UOp) -> UOp:
    """The buffer that an INDEX points into."""
    return strip(strip(place).src[0])


def is_joined(node: UOp) -> bool:
    """Whether a node is vectors one behind the other, which only what takes lanes of it writes."""
    return node.op is Ops.STACK and node.src[0].dtype.count > 1


def slots(node: UOp, target: Target) -> list[tuple[UOp, int]]:
    """Each operand that the node's text contains, with how often it is written there."""
    op = node.op
    sources = [s if s.op is not _AFTER else strip(s) for s in node.src]  # a call would show
    if op.elementwise:
        spelling = target.spelling(op, own_dtype(node), sources[0].dtype)
        if spelling is not None:
            uses = spelling.template.uses
            return [(s, uses[p[0]]) for p, s in zip(op.params, sources, strict=True)]
    elif op in _SILENT or is_joined(node):
        return []
    elif node.op is Ops.IF:
        return [(sources[0], 1)]
    elif node.op is Ops.LANE and is_joined(sources[0]):
        return [(strip(source), 1) for source in sources[0].src]
    return [(source, 1) for source in sources]


def plain_loops(uops: Sequence[UOp]) -> set[UOp]:
    """The loops that are written without what their kind asks of the compiler.

    Those of kind "simd" in which an address depends on what a comparison gives as a number: gcc
    12.2, told to make vectors of such a loop, takes the mask of lanes, -1, for the number 1. Those
    of kind "unroll" around a loop that stays one: it would be compiled many times for nothing.
    """
    numbers = {u for u in uops if _is_number_of_bool(u)}
    loops: set[UOp] = set()
    around: list[UOp] = []
    for node in uops:
        if node.op is Ops.RANGE:
            if node.arg[1] != "unroll":
                loops.update(r for r in around if r.arg[1] == "unroll")
            around.append(node)
        elif node.op is Ops.END:
            around = [r for r in around if r not in node.src[1:]]
        elif numbers and node.op is Ops.INDEX:
            position = strip(node.src[1]).toposort(lambda n: n.op is not Ops.LOAD)
            if not numbers.isdisjoint(position):
                loops.update(r for r in around if r.arg[1] == "simd")
    return loops


def _is_number_of_bool(node: UOp) -> bool:
    if node.op is Ops.WHERE:
        return all(s.op is Ops.CONST for s in node.src[1:])
    return node.op is Ops.CAST and node.src[0].dtype.is_bool and node.src[0].op is not Ops.LOAD


class Usage:
    """The answers for one program; `inline` holds the values that need no variable."""

    def __init__(self, uops: Sequence[UOp], target: Target) -> None:
        self.uses: defaultdict[UOp, int] = defaultdict(int)
        self.user: dict[UOp, UOp] = {}
        self.place = {u: i for i, u in enumerate(uops)}
        uses, user = self.uses, self.user
        for node in uops:
            for source, times in slots(node, target):
                uses[source] += times
                user[source] = node
        self.indices = {strip(u.src[1]) for u in uops if u.op is Ops.INDEX}
        for node in uops:  # an element's place is written by everything that reads or writes it
            if node.op is Ops.INDEX:
                times = self.uses[node] * (2 if target.packs(strip(node.src[0]).dtype) else 1)
                self.uses[strip(node.src[1])] += max(times - 1, 0)
        self._blocks(uops)
        self.inline: set[UOp] = set()
        self._final: dict[UOp, int] = {}  # where the text of a value ends up
        for node in reversed(uops):
            self._decide(node)

    def _blocks(self, uops: Sequence[UOp]) -> None:
        self.block: dict[UOp, int] = {}
        self._writes: list[int] = []  # how many writes stand before each place
        stack, count, writes = [0], 0, 0
        for node in uops:
            if node.op in _CLOSES:
                stack.pop()
            self.block[node] = stack[-1]
            self._writes.append(writes)
            writes += node.op in _WRITES or node.op in _CLOSES
            if node.op in _OPENS:
                count += 1
                stack.append(count)

    def _decide(self, node: UOp) -> None:
        user = self.user.get(node)
        here = self.place[node]
        if node.op is Ops.INDEX and user is not None:
            self._final[node] = self._final[user] if self.uses[node] == 1 else here
            return
        movable = node.op.elementwise or node.op in _INLINE
        if not movable or user is None or self.uses[node] != 1:
            self._final[node] = here
            return
        end = self._final[user]
        same_block = self.block[user] == self.block[node]
        still = node.op is not Ops.LOAD or self._writes[here] == self._writes[end]
        if same_block and still:
            self.inline.add(node)
            self._final[node] = end
        else:
            self._final[node] = here


# ---- streams -------------------------------------------------------------------------------------
#
# Which memory a kernel writes past the caches.


def streamed(nodes: Sequence[UOp], target: Target) -> frozenset[UOp]:
    """The PARAMs that are only written, of at least `stream_memory` bytes, a target's limit."""
    least = target.limit("stream_memory")
    if least is None:
        return frozenset()
    places = (strip(node.src[0]) for node in nodes if node.op is Ops.STORE)
    written = {strip(place.src[0]).base for place in places if place.op is Ops.INDEX}
    large = frozenset(
        m for m in written if m.op is Ops.PARAM and prod(m.arg[1]) * m.dtype.itemsize >= least
    )
    if not large:
        return large  # as in nearly every kernel: nobody looks for reads
    taken = (strip(s) for n in nodes for s in (n.src[1:] if n.op is Ops.STORE else n.src))
    return large.difference(strip(n.src[0]).base for n in taken if n.op is Ops.INDEX)


# ---- copies ahead --------------------------------------------------------------------------------
#
# What a target copies into the memory of a workgroup while it computes.


def copied_ahead(nodes: Sequence[UOp], target: Target, usage: Usage) -> frozenset[UOp]:
    """The STOREs that copy elements as they are, 4, 8 or 16 bytes at once, from memory that the
    kernel does not write into that of a workgroup, all of which is read behind barriers; none where
    a target cannot do that."""
    if not target.has_text("copy_ahead"):
        return frozenset()
    stores = [n for n in nodes if n.op is Ops.STORE]
    written = {pointed_into(n.src[0]) for n in stores}
    soon = {strip(n.src[0].src[0]) for n in nodes if n.op is Ops.LOAD and not _is_settled(n)}
    ahead = set()
    for node in stores:
        value = strip(node.src[1])
        if value.op is not Ops.LOAD or usage.uses[value] != 1 or value.dtype.itemsize not in SIZES:
            continue
        source, place = pointed_into(value.src[0]), pointed_into(node.src[0])
        zero = len(value.src) == 1 or (value.src[1].op is Ops.CONST and value.src[1].arg == 0)
        outside = source.op is Ops.PARAM and source not in written
        if outside and zero and place.op is Ops.DEFINE_LOCAL and place not in soon:
            ahead.add(node)
    return frozenset(ahead)


def _is_settled(load: UOp) -> bool:
    """Whether a read comes after a barrier, and after nothing else that was not before that."""
    after: list[UOp] = []
    memory = strip(load.src[0]).src[0]
    while memory.op is _AFTER:
        after += memory.src[1:]
        memory = memory.src[0]
    return {n.op for n in after} in ({Ops.BARRIER}, {Ops.BARRIER, Ops.RANGE})


SIZES = (4, 8, 16)
"""Bytes that are copied at once."""
