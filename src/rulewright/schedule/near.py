"""Rows that a kernel keeps near by instead of in memory of their own.

The scores of attention are a product whose rows, once they are weights, are an operand of the next
one. All that one row of results needs of them is one row: it is computed near by, by the kernel
that needs it, and no buffer of (queries, keys) elements is there. What is read again for each row
(keys and values) has to be small enough to stay close.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rulewright.ir.devices import target_of
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.lang.layouts import read_layout
from rulewright.schedule.facts import NodeFacts, elements
from rulewright.schedule.requests import Request, Root

LEAST_ROW, MOST_ROW = 32, 16_384  # elements of a row
LEAST_BLOCK, MOST_BLOCK = 128, 256  # elements of a block of one
GROUP_BLOCK = 16  # the same for a workgroup, of each of whose rows a work item has that much
_BASES = frozenset({Ops.BUFFER, Ops.PARAM})


@dataclass(frozen=True, eq=False)
class NearRow:
    """A node that a kernel computes a row at a time, or a block of one: which, along which axis,
    the loop that fills it, and how many blocks there are."""

    indices: tuple[UOp, ...]
    axis: int
    fill: UOp
    blocks: int = 1


class RowBlock(NamedTuple):
    """A reduced loop cut into blocks: a loop over them, and one over the elements of each."""

    outer: UOp
    inner: UOp

    def at(self, inner: UOp) -> UOp:
        """The index of an element of a block."""
        return self.outer * self.inner.size + inner


def block_size(length: int) -> int:
    """Elements of a block of a long row, whole vectors if that can be; 0 if nothing divides it."""
    if length < 2 * MOST_BLOCK:
        return 0
    sizes = [n for n in range(LEAST_BLOCK, MOST_BLOCK + 1) if length % n == 0]
    return max([n for n in sizes if n % 16 == 0] or sizes, default=0)


def weighed_block(length: int) -> int:
    """Elements of a block of a long row of weights, which may leave a rest; 0 for a short row."""
    block = block_size(length)
    return block if length < 2 * MOST_BLOCK or (block and block % 16 == 0) else MOST_BLOCK


class Groups(NamedTuple):
    """Of a target with workgroups: bytes that caches hold from one kernel to the next, sums that a
    work item has registers for, what all items compute in the time in which a byte of memory is
    read, the dtypes that tensor cores multiply as they are, and elements of a row of their results
    for which lanes have registers twice."""

    cached: int
    sums: int
    operations: int
    cores: frozenset[str]
    core_sums: int = 0


class Room(NamedTuple):
    """Bytes that a work item may fill with copies, and that a value may have in memory which
    several kernels could compute instead; 0 where nothing is near by. `groups` if workgroups have
    rows that are weighed near by, and no others. `cores`: the dtypes that tensor cores which read
    memory multiply, on some processor."""

    near: int = 0
    kept: int = 0
    groups: Groups | None = None
    cores: frozenset[str] = frozenset()


def room_near_by(order: Iterable[UOp]) -> Room:
    """What the target of the one device of a graph says of it."""
    return room_of(target_row(order))


def room_of(row: Mapping[str, Any]) -> Room:
    """What a target says of it, given what the spec says of the target."""
    limits, groups = row.get("limits", {}), None
    cached = limits.get("cache_memory")
    whole = [core for core in row.get("cores", ()) if core.get("mantissa") is None]
    if cached is not None:
        sums = limits.get("item_sums", 0)
        operations = limits.get("operations_per_byte", 0)
        row_sums = min((_row_of_lanes(core["c"], sums) for core in whole), default=0)
        groups = Groups(cached, sums, operations, _multiplied_by(whole), row_sums)
    near, kept = limits.get("near_memory", 0), limits.get("kept_memory", 0)
    return Room(near, kept, groups, _multiplied_by(_cores_of_some(row)) if near else frozenset())


def _multiplied_by(cores: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The dtypes that tensor cores multiply."""
    return frozenset(name for core in cores for name in core["dtypes"])


def _cores_of_some(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tensor cores that a target has, or one of those that extend it: schedules are the same
    for all of them."""
    targets = load_table()["targets"]
    names, cores = {row.get("name")}, list(row["cores"])
    while new := {n for n, r in targets.items() if r["extends"] in names} - names:
        names |= new
        cores += [core for name in sorted(new) for core in targets[name]["cores"]]
    return cores


def _row_of_lanes(layout: str, sums: int) -> int:
    """Elements of a row, of which each lane holds so many sums, and as many that are yet to be
    added to them."""
    held = read_layout(layout)
    return sums // 2 * held.size("n") // held.items


def target_row(order: Iterable[UOp]) -> dict[str, Any]:
    """What the spec says of the one device of a graph; nothing for several and for interpreters."""
    rows = _target_rows(order)
    return rows[0] if len(rows) == 1 else {}


def device_row(device: str | None) -> dict[str, Any]:
    """What the spec says of a device; nothing for none, for several and for interpreters."""
    row: dict[str, Any] = load_table()["targets"].get(target_of(device or ""), {})
    return row


def most_buffers(order: Iterable[UOp]) -> int:
    """How many memories a kernel may have on each device of a graph; 0 for any number."""
    limits = [row.get("limits", {}).get("buffers", 0) for row in _target_rows(order)]
    return min(filter(None, limits), default=0)


def _target_rows(order: Iterable[UOp]) -> list[dict[str, Any]]:
    devices = {node.arg[2] for node in order if node.op in _BASES} - {None}
    return [device_row(device) for device in sorted(devices)]


def row_axis(node: UOp, asked: Sequence[Request]) -> int | None:
    """The axis along which one kernel asks for whole rows of a node, and asks for no other row.

    None if several kernels ask, for rows that differ, or for parts of rows.
    """
    shape, first = node.shape or (), asked[0]
    stored = first.root.loops
    if any(r.others or r.root is not first.root or r.is_masked for r in asked):
        return None
    along = None
    for axis, size in enumerate(shape):
        here = [r.indices[axis] for r in asked]
        same = all(i is here[0] and (i in stored or i.op is Ops.CONST) for i in here)
        if same or size == 1:
            continue
        whole = all(_is_whole(i, size) and i not in stored for i in here)
        if along is not None or not whole:
            return None
        along = axis
    return along


def _is_whole(index: UOp, size: Dim) -> bool:
    """Whether an index goes over all of an axis, or over one of its blocks."""
    block = block_of(index)
    if block is not None:
        return size == block.outer.size * block.inner.size
    return index.op is Ops.RANGE and index.size == size


def block_of(index: UOp) -> RowBlock | None:
    """The block that an index goes through; None if it is none."""
    if index.op is not Ops.ADD or index.src[1].op is not Ops.RANGE:
        return None
    first, inner = index.src
    if first.op is not Ops.MUL or first.src[0].op is not Ops.RANGE:
        return None
    block = RowBlock(first.src[0], inner)
    return block if block.at(inner) is index else None


def is_worth_a_row(
    node: UOp, terms: int, asked: Sequence[Request], length: int, limit: int
) -> bool:
    """Is the whole value too large to stay close, and what each row reads again small enough?"""
    if not LEAST_ROW <= length <= MOST_ROW or elements(node) * node.dtype.itemsize <= limit:
        return False
    again = max(terms, *(r.repeats for r in asked), 1)
    return fits_near(node, length, again, limit)


def fits_near(node: UOp, length: int, again: int, limit: int) -> bool:
    """Is what is read again for each row of a value small enough: so much for each element?"""
    return length * node.dtype.itemsize * again <= limit


# ---- weighed -------------------------------------------------------------------------------------
#
# Rows that are weighed by softmax and summed: no kernel has to hold them whole.
#
# The code generator does such a row a block at a time (see `codegen.online`), so that all of it may
# be computed near by, however long it is: the scores of attention, between its two products. That
# takes the largest value of a row and all sums of its weights in one kernel.
#
# On a GPU the choice is one of time. Scores in memory are written once and read once, and so are
# weights: four times their bytes where caches do not hold them. Near by, each score takes 2 (d + e)
# operations, for products of d and e elements, and no bytes. Where tensor cores do both products
# they do so near by too. Else work items do: those of a product that tensor cores do otherwise, in
# next to no time, have to take less than the bytes; others take as long either way.


MOST_WEIGHED = 1 << 20
"""Elements of a row that is weighed, at most."""
_FEW = 16
"""Nodes that are looked at between weights and the largest value that they are relative to."""
_STEPS = Ops.group("Movement") | Ops.group("Scaling")


@dataclass(frozen=True, eq=False)
class WeighedGroup:
    """The largest values of rows and the sums of their weights, and what lies between them."""

    top: UOp
    x: UOp
    sums: list[UOp] = field(default_factory=list)
    between: set[UOp] = field(default_factory=set)

    def is_together(self, kernels: Mapping[UOp, Sequence[Root]]) -> bool:
        """Whether one kernel computes all of it, given those that compute each node."""
        computed_by = [kernels[node] for node in (self.top, *self.sums)]
        return all(len(each) == 1 and each[0] is computed_by[0][0] for each in computed_by)


def is_worth_a_group(group: WeighedGroup, facts: Mapping[UOp, NodeFacts], room: Room) -> bool:
    """Whether workgroups should have weighed rows near by: products whose scores caches do not
    hold, if that takes less time than memory does, or if they are too many for memory."""
    groups, x = room.groups, group.x
    assert groups is not None
    length = (group.top.src[0].shape or ())[group.top.arg[1][0]]
    depth = facts[x].terms
    widths = [elements(s.src[0]) // max(elements(x), 1) for s in group.sums]
    width, size = max(widths), elements(x) * x.dtype.itemsize
    if not isinstance(length, int) or length < LEAST_ROW or size <= groups.cached:
        return False
    by_items = _by_items(_product_of(x), groups), all(_by_items(s, groups) for s in group.sums)
    most = groups.sums if any(by_items) else groups.core_sums
    if not 1 < depth <= most or not 1 < width <= most:
        return False
    if not any(by_items):
        return True
    operations = 0 if by_items[0] else 2 * depth
    operations += 0 if by_items[1] else 2 * width
    too_many = 0 < room.kept <= size
    return too_many or operations <= 4 * x.dtype.itemsize * groups.operations


def _product_of(x: UOp) -> UOp | None:
    """The sum that scores are made of, a few nodes below them at most."""
    stack, seen = [x], 0
    while stack and seen < _FEW:
        node, seen = stack.pop(), seen + 1
        if node.op is Ops.REDUCE_AXIS:
            return node
        if node.op in _STEPS or node.op.elementwise:
            stack += node.src
    return None


def _by_items(node: UOp | None, groups: Groups) -> bool:
    """Whether no tensor cores multiply what is summed."""
    if node is None or node.src[0].op is not Ops.MUL:
        return True
    sides = {narrowest(side).dtype.name for side in node.src[0].src}
    return len(sides) > 1 or not sides <= groups.cores


def narrowest(node: UOp) -> UOp:
    """What a value was before it was widened and moved."""
    while "Movement" in node.op.groups or (
        node.op is Ops.CAST and node.src[0].dtype.bits < node.dtype.bits
    ):
        node = node.src[0]
    return node


class WeighedRows:
    """Which nodes of a graph hold rows that are weighed, or are computed along loops over them."""

    def __init__(
        self,
        order: Sequence[UOp],
        users: Mapping[UOp, Sequence[UOp]],
        facts: Mapping[UOp, NodeFacts],
        room: Room,
    ) -> None:
        is_any = room.near or room.groups
        powers = [n for n in order if is_any and n.op is Ops.EXP and n.src[0].op is Ops.SUB]
        tops = dict.fromkeys(_top_of(*power.src[0].src) for power in powers)
        self.bits = {top: 1 << i for i, top in enumerate(tops) if top is not None}
        self.below = self._all_below(order) if self.bits else {}
        self.users = users
        self.groups = [group for group in map(self._group, powers) if group is not None]
        self.of_groups = room.groups is not None
        if room.groups is not None:
            self.groups = [g for g in self.groups if is_worth_a_group(g, facts, room)]
        self.start()

    def start(self) -> None:
        """Begin a walk over the graph, whose loops are new."""
        self.nodes = {node for group in self.groups for node in group.between}
        self.sums = {node for group in self.groups for node in (group.top, *group.sums)}
        self.fills: set[UOp] = set()
        self.counted = False  # whether an answer was another than for rows that are not weighed

    def block(self, node: UOp, places: Sequence[UOp], length: int) -> int:
        """How much of a row of a node is held at a time, asked for at these places of it; 0 if all
        has to be."""
        inside = node in self.nodes or self.fills.issuperset(places)
        size = GROUP_BLOCK if self.of_groups else weighed_block(length)
        block = size if inside and length <= MOST_WEIGHED else 0
        self.counted |= block > 0
        return block

    def is_among(self, nodes: set[UOp], node: UOp) -> bool:
        """Whether a node is among the rows that are weighed, or among their `sums`."""
        self.counted |= node in nodes
        return node in nodes

    def drop_apart(self, computed: Mapping[UOp, Sequence[Root]]) -> bool:
        """Forget rows of which several kernels compute a part, given those that compute each of
        `sums`; whether there were any, and the walk would be another without them."""
        together = [group for group in self.groups if group.is_together(computed)]
        self.groups, before = together, len(self.groups)
        return self.counted and len(together) < before

    def _group(self, power: UOp) -> WeighedGroup | None:
        shifted = power.src[0]
        x, shift = shifted.src
        top = _top_of(x, shift)
        if top is None or set(self.users[x]) != {shifted, top} or len(self.users[shifted]) > 1:
            return None
        group = WeighedGroup(top, x, [], {x, power})
        if not self._add_sums(group, power):
            return None
        while "Movement" in x.op.groups and len(self.users[x.src[0]]) == 1:
            x = x.src[0]
            group.between.add(x)
        return group

    def _add_sums(self, group: WeighedGroup, power: UOp) -> bool:
        """Find the sums that weights go into; whether all in between is in proportion to them."""
        stack = [power]
        while stack:
            node = stack.pop()
            for user in self.users[node]:
                if user.op is Ops.REDUCE_AXIS and user.arg[0] is Ops.ADD:
                    if user.dtype.bits < power.dtype.bits:
                        return False
                    group.sums.append(user)
                elif user in group.between or not self._is_in_proportion(user, node, group, power):
                    return False
                else:
                    group.between.add(user)
                    stack.append(user)
        return True

    def _is_in_proportion(self, user: UOp, node: UOp, group: WeighedGroup, power: UOp) -> bool:
        """Whether a node is one times what needs no whole row, or the same for all of a row."""
        if user.op not in _STEPS or not user.dtype.is_float:
            return False
        if user.op is Ops.FDIV and user.src[0] is not node:
            return False
        axis = group.top.arg[1][0]
        for other in user.src:
            if other is not node and self.below[other] & self.bits[group.top]:
                whole = other.op is Ops.EXPAND and other.shape == power.shape
                if not whole or (other.src[0].shape or ())[axis] != 1:
                    return False
        return True

    def _all_below(self, order: Sequence[UOp]) -> dict[UOp, int]:
        """Which of the largest values each node is computed from, a bit for each of them."""
        below: dict[UOp, int] = {}
        for node in order:
            mask = self.bits.get(node, 0)
            for source in node.src:
                mask |= below[source]
            below[node] = mask
        return below


def _top_of(x: UOp, shift: UOp) -> UOp | None:
    """The largest values of rows of x that a shift is computed from, one for all of a row."""
    stack, seen = [shift], 0
    while stack and seen < _FEW:
        node, seen = stack.pop(), seen + 1
        if node.op is Ops.REDUCE_AXIS:
            if node.src[0] is x and node.arg[0] is Ops.MAX and len(node.arg[1]) == 1:
                known = all(isinstance(size, int) for size in x.shape or ())
                one = shift.op is Ops.EXPAND and shift.src[0].shape == node.shape
                return node if known and one else None
        elif node.op.elementwise or node.op is Ops.EXPAND:
            stack += node.src
    return None
