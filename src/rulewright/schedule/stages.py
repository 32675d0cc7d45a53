"""Which tensor nodes get memory of their own, and which are computed inside their consumers.

The walk goes from the stores down to memory. Each consumer asks its sources for elements: a
request holds the indices and the loops that run around it. A node asked at one place is computed
there. A node asked at several places, or inside loops that its index does not use, is either
computed again (cheap), computed once a row ahead of what else runs in the row (a reduction over
the rest of it, as softmax, layernorm and a variance have), or staged: computed by a kernel of its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.shapes import at_most
from rulewright.ir.uop import UOp
from rulewright.schedule.across import lies_across
from rulewright.schedule.callees import written_slots
from rulewright.schedule.chosen import picks
from rulewright.schedule.collect import repays_memory, writes_last
from rulewright.schedule.facts import (
    LEAST_COSTLY,
    MEMORY,
    MOST_LEAVES,
    WEIGHT_OF_COSTLY,
    NodeFacts,
    compares_few,
    elements,
    ends_products,
    gather_facts,
    has_own_windows,
    holds_read_values,
    is_large_product,
    is_near_reduction,
    is_spread,
    reads_several,
    users_of,
)
from rulewright.schedule.hazards import (
    Versions,
    circular_values,
    newest_versions,
    overwritten_memories,
    spoiled_values,
)
from rulewright.schedule.indices import SimpleIndices
from rulewright.schedule.layouts import memory_order
from rulewright.schedule.library import LibraryProducts
from rulewright.schedule.movement import move_index
from rulewright.schedule.near import (
    NearRow,
    Room,
    RowBlock,
    WeighedRows,
    block_of,
    block_size,
    device_row,
    fits_near,
    is_worth_a_row,
    narrowest,
    room_near_by,
    row_axis,
)
from rulewright.schedule.plan import NUMBERS, StagePlan, crowded_values, late_values, most_read
from rulewright.schedule.requests import (
    SMALL_LOOP,
    Request,
    Root,
    by_root,
    can_fuse_rows,
    is_outermost,
    is_stored_plainly,
    padded_parts,
    reads_often,
    trips,
    without_validity,
)
from rulewright.schedule.share import only_stored

MOST_REPEATED_WEIGHT = 40  # simple operations an element that may be done again
LONG_SUM = 8  # terms from which on a sum is kept rather than done again
MOST_PLACES = 4  # requests without being staged that a node of several memories may have

_LEAVES = MEMORY | NUMBERS
_ALWAYS = Ops.group("Stored")


def plan_stages(sink: UOp) -> StagePlan:
    """Decide what is staged in a function of shaped nodes whose root is `sink`.

    A store whose value reads the stored memory at other places gets its value staged first.
    """
    order = sink.toposort()
    users = users_of(order)
    facts = gather_facts(order, users)
    versions = newest_versions(order)
    marks = {node for node in only_stored(order) if node.arg is not None}
    forced: set[UOp] = set()
    room, library = room_near_by(order), LibraryProducts(order, facts)
    weighed, most = WeighedRows(order, users, facts, room), most_read(order)
    while True:
        weighed.start()
        planner = _Planner(facts, versions, forced, marks, library, room, weighed)
        for node in reversed(order):
            planner.visit(node)
        if weighed.drop_apart({node: planner.kernels(node) for node in weighed.sums}):
            continue
        hazards = planner.hazards() | crowded_values(planner.plan, most)
        hazards |= late_values(planner.plan)
        if not hazards - forced:
            return planner.plan
        forced |= hazards


def _is_widened(node: UOp) -> bool:
    """Whether a node only widens what its operand is: if anything, that is kept, being smaller."""
    if node.op is not Ops.CAST or node.src[0].op in _LEAVES:
        return False
    return node.src[0].dtype.itemsize < node.dtype.itemsize


class _Planner:
    """One walk over a graph, consumers first."""

    def __init__(
        self,
        facts: dict[UOp, NodeFacts],
        versions: dict[UOp, Versions],
        forced: set[UOp],
        marks: set[UOp],
        library: LibraryProducts,
        room: Room,
        weighed: WeighedRows,
    ) -> None:
        self.marks, self.library, self.room = marks - forced, library, room
        self.weighed = weighed
        self.facts, self.versions, self.forced = facts, versions, forced
        self.numbers = count()
        self.requests: dict[UOp, dict[tuple[UOp, ...], Request]] = {}
        self.plan = StagePlan({}, {}, {}, {}, {})
        self.simple = SimpleIndices()
        self.calls: dict[UOp, Root] = {}
        self.parts: set[UOp] = (
            set()
        )  # of what is put together, which is staged as a whole if at all
        self.again: set[UOp] = set()  # of what each of several kernels computes, the operands

    def kernels(self, node: UOp) -> list[Root]:
        """The kernels that compute a node: one if it is staged, else each that asks for it."""
        staged = self.plan.staged.get(node)
        asked = self.requests.get(node, {}).values()
        return [staged] if staged else list({root for r in asked for root in r.roots})

    # ---- the walk -------------------------------------------------------------------------

    def visit(self, node: UOp) -> None:
        """Handle a node all of whose consumers have been visited."""
        if node.op is Ops.STORE:
            self._visit_store(node)
        elif node.op is Ops.CALL:
            self._visit_call(node)
        asked = list(self.requests.get(node, {}).values())
        if not asked or (node.op in _LEAVES and node not in self.forced):
            for request in asked:
                for root in request.roots:
                    root.reads.append((node, request.indices))
            return
        computed = self._by_each(node, asked)
        if computed is not None:
            self.again.update(node.src)
        else:
            computed = self._by_one(node, asked)
        if computed is None:
            places = self._loops(node)
            order = memory_order(node, asked)
            root = Root(tuple([places[axis] for axis in order]), order=order)
            self.plan.staged[node] = root
            computed = [Request(places, root.loops, root)]
            if node.op in MEMORY:
                root.reads.append((node, places))
                return
        for request in computed:
            for root in request.roots:
                root.nodes.append(node)
            self._ask_sources(node, request)

    def _visit_store(self, node: UOp) -> None:
        target, value = node.src[:2]
        root = Root(self._loops(value), target)
        self.plan.stores[node] = root
        self._ask(value, Request(root.loops, root.loops, root))

    def _visit_call(self, node: UOp) -> None:
        """What a call only reads may be a copy: of a value, or of memory that is written before."""
        root = self.calls[node] = Root(())
        written = written_slots(node.src[0])
        for slot, argument in enumerate(node.src[1:]):
            if slot not in written:
                loops = self._loops(argument)
                self._ask(argument, Request(loops, loops, root))

    def _loops(self, node: UOp) -> tuple[UOp, ...]:
        return tuple(UOp.range(size, next(self.numbers)) for size in node.shape or ())

    def _ask(self, node: UOp, request: Request) -> None:
        indices = self.simple.all_of(request.indices) if node.shape else ()
        mine = self.requests.setdefault(node, {})
        before = mine.get(indices)
        if before is not None:
            loops = before.loops if before.repeats >= request.repeats else request.loops
            known = dict.fromkeys((*request.others, *before.roots))
            known.pop(request.root, None)
            mine[indices] = Request(indices, loops, request.root, tuple(known))
        else:  # as most nodes are asked by one node, for what that one is asked for
            same = indices is request.indices
            mine[indices] = request if same else request.at(indices, request.loops)

    def _ask_sources(self, node: UOp, request: Request) -> None:
        indices, loops = request.indices, request.loops
        if "Movement" in node.op.groups:
            moved = move_index(node, *indices)
            assert moved is not None
            self._ask(node.src[0], request.at(moved, loops))
        elif node.op is Ops.REDUCE_AXIS:
            inner = self._reduce_loops(node)
            merged = tuple(
                inner[node.arg[1].index(axis)] if axis in node.arg[1] else index
                for axis, index in enumerate(indices)
            )
            around = tuple(loop for loop in loops if loop in request.used)
            self._ask(node.src[0], request.at(merged, (*around, *inner)))
        elif node.op is Ops.INDEX:
            self._ask(node.src[0], request.at((*node.src[1:], *indices), loops))
            for index in node.src[1:]:
                self._ask(index, request.at((), loops))
        else:
            for source in node.src:
                self._ask(source, request)

    def _reduce_loops(self, node: UOp) -> tuple[UOp, ...]:
        if node not in self.plan.reduce_loops:
            shape = node.src[0].shape or ()
            self.plan.reduce_loops[node] = tuple(
                UOp.range(shape[axis], next(self.numbers), "reduce") for axis in node.arg[1]
            )
        return self.plan.reduce_loops[node]

    # ---- the decision ---------------------------------------------------------------------

    def _is_staged(self, node: UOp, asked: Sequence[Request]) -> bool:
        if node in self.marks:
            return False
        if node.op in _ALWAYS or node in self.forced or self.library.is_staged(node, asked):
            return True
        if node.op is Ops.REDUCE_AXIS:
            if repays_memory(node) and not is_stored_plainly(asked):
                is_within = asked[0].in_reduction or asked[0].is_masked
                return is_within or not self._goes_in_place(node, asked)
            once = len(asked) == 1 and not asked[0].is_masked and asked[0].repeats == 1
            if once and picks(node):
                return False  # it is a read
            # no reduction runs within another's steps, nor for elements that are masked out
            if len(asked) > 1 or asked[0].in_reduction or asked[0].is_masked:
                return True
            if self._is_second_product(node, asked[0]) or self._is_beside_product(node, asked[0]):
                return True
            if self._is_too_long(node) or self._is_often_summed(node, asked[0]):
                return True
            return asked[0].repeats > 1 and not self._fuse_rows(asked[0])
        if self._is_padding(node, asked):
            return True
        if not node.op.elementwise:
            return False
        return self._costly_at_places(node, asked) or any(
            self._costly_in_loops(node, request) for request in asked
        )

    def _is_padding(self, node: UOp, asked: Sequence[Request]) -> bool:
        """Is padding, or what puts padded parts together, read too often for conditions?"""
        parts = padded_parts(node)
        self.parts.update(parts)
        is_whole = node.op is Ops.PAD and node not in self.parts
        return (is_whole or bool(parts)) and any(reads_often(node, request) for request in asked)

    def _goes_in_place(self, node: UOp, asked: Sequence[Request]) -> bool:
        """Do loops that run in order add it to memory, or write there what it names, and nothing
        else?"""
        root = asked[0].root
        if len(asked) > 1 or root.target is None or not root.nodes:
            return False
        if "ordered_loops" not in device_row(node.device).get("features", ()):
            return False
        top = root.nodes[0]
        if node.arg[0] is not Ops.ADD:
            return writes_last(top, root.target, node)
        moved = all(n is top or "Movement" in n.op.groups for n in root.nodes)
        return moved and top.op is Ops.ADD and root.target in top.src

    def _is_second_product(self, node: UOp, asked: Request) -> bool:
        """Do all registers of a kernel go to another product already, and not by rows of it?"""
        facts = self.facts
        if not is_large_product(node, facts[node]):
            return False
        if any(row.fill in asked.used for rows in self.plan.rows.values() for row in rows.values()):
            return False
        return self._multiplies(asked.root)

    def _multiplies(self, root: Root) -> bool:
        """Does a kernel compute a large product, as far as it is known?"""
        return any(is_large_product(node, self.facts[node]) for node in root.nodes)

    def _is_often_summed(self, node: UOp, asked: Request) -> bool:
        """Would loops that go on faster than its indices do a sum of some length several times?

        So does the gradient of a pool, which every element of a window asks for."""
        steps, terms = prod(trips(loop) for loop in asked.used), self.facts[node].terms
        return steps >= 2 * elements(node) and terms >= LONG_SUM and steps * terms > SMALL_LOOP

    def _is_beside_product(self, node: UOp, asked: Request) -> bool:
        """Is something else reduced for each result of a large product, or is what is read for
        rows of one, whose tiles have columns too?"""
        tops = asked.root.nodes[:1]
        if not any(ends_products(top, self.facts) for top in tops):
            return False
        if asked.repeats <= 1:
            return not is_large_product(node, self.facts[node])
        return holds_read_values(node.src[0])

    def _costly_at_places(self, node: UOp, asked: Sequence[Request]) -> bool:
        """Is computing the value at each of several places dearer than keeping it?"""
        if len(asked) == 1:
            return False
        facts = self.facts[node]
        if facts.is_kept:
            return True  # the reduction below would have to be kept anyway: keep what follows it
        places = {tuple(without_validity(i) for i in request.indices) for request in asked}
        if len(places) == 1 or compares_few(node, self.facts):
            return False
        if not facts.leaves:  # made of numbers alone: nothing is read to compute it again
            return facts.weight > MOST_REPEATED_WEIGHT and not is_spread(node, self.facts)
        many = len(places) > MOST_PLACES and reads_several(node, facts)
        if many or len(facts.leaves) > MOST_LEAVES:
            return True
        return facts.again * (len(places) - 1) > MOST_REPEATED_WEIGHT

    def _costly_in_loops(self, node: UOp, request: Request) -> bool:
        """Is computing the value in these loops dearer than keeping it?"""
        repeats, facts = request.repeats, self.facts[node]
        reduced = facts.reduced if repeats > 1 or request.is_masked else facts.added
        if (request.in_reduction or request.is_masked) and reduced >= elements(node):
            return True
        if repeats == 1 or is_outermost(request):
            return False
        if self._is_factor_of_windows(node, request):
            return True
        if is_near_reduction(node, facts):
            return not can_fuse_rows(request)
        costly = facts.weight >= LEAST_COSTLY and not is_spread(node, self.facts)
        many = repeats >= 4 and repeats * facts.weight * elements(node) > SMALL_LOOP
        return costly and many and not can_fuse_rows(request)

    def _is_factor_of_windows(self, node: UOp, request: Request) -> bool:
        """Is what is made of several memories multiplied for results along several axes, as a
        gradient is for those of a window's weights? They read it one by one, not in panels."""
        stored = [r for r in request.root.loops if trips(r) > 1 and r not in request.used]
        if len(stored) < 2 or not request.in_reduction or not reads_several(node, self.facts[node]):
            return False
        return self._multiplies(request.root)

    def _by_one(self, node: UOp, asked: list[Request]) -> list[Request] | None:
        """What is to be computed of a node where it is asked for; None if it is to be staged."""
        if lies_across(node, asked, self.facts):
            return None
        staged = self._is_staged(node, asked)
        row = self._row(node, asked) if staged or self._again_in_row(node, asked) else None
        if row is not None:
            return [row]
        if staged and _is_widened(node) and node not in self.forced:
            return asked
        return None if staged else asked

    def _by_each(self, node: UOp, asked: list[Request]) -> list[Request] | None:
        """The same for each of several kernels, where memory for all of a node would be large.

        None if one of them would have to read it from memory."""
        parts = by_root(asked) if len(asked) > 1 else {}
        if len(parts) < 2 or not self._is_too_large(node):
            return None
        before, blocks = [(root, list(root.rows)) for root in parts], set(self.plan.blocks)
        answers = [self._by_one(node, part) for part in parts.values()]
        if None not in answers:
            return [request for part in answers for request in part or ()]
        for root, rows in before:
            root.rows[:] = rows
        self.plan.rows.pop(node, None)
        for loop in self.plan.blocks.keys() - blocks:
            del self.plan.blocks[loop]
        return None

    def _is_too_large(self, node: UOp) -> bool:
        """Is computing a value again for each kernel better than memory for all of it?"""
        size = elements(node)
        if not self.room.near or not 0 < self.room.kept <= size * node.dtype.itemsize:
            return False
        return node in self.again or self.facts[node].summed * 4 > size

    def _is_too_long(self, node: UOp) -> bool:
        """Does a reduction go along rows that no kernel can keep whole, of a value too large?"""
        operand, axes = node.src[0], node.arg[1]
        if len(axes) > 1 or not self._is_too_large(operand):
            return False
        length = operand.max_shape[axes[0]]
        terms = self.facts[operand].terms
        if not block_size(length) or fits_near(operand, length, terms, self.room.near):
            return False
        return not self.weighed.is_among(self.weighed.sums, node)

    def _again_in_row(self, node: UOp, asked: Sequence[Request]) -> bool:
        """Is something costly asked for again by a kernel that keeps rows of it anyway?"""
        costly = node.op.elementwise and self.facts[node].weight >= WEIGHT_OF_COSTLY
        return costly and len(asked) > 1

    def _row(self, node: UOp, asked: Sequence[Request]) -> Request | None:
        """The request for a row of a node that is kept near by; None if it gets a kernel."""
        room = self.room
        if node.op in MEMORY or node.op in _ALWAYS or node in self.forced:
            return None
        if not room.near and room.groups is None:
            return None
        first, axis = asked[0], row_axis(node, asked)
        if axis is None:
            return None
        block = self._block(node, asked, axis)
        size = (node.shape or ())[axis] if block is None else block.inner.size
        most, loops = at_most(size), first.root.loops
        held = self.weighed.block(node, [r.indices[axis] for r in asked], most) or most
        terms, is_cut = self.facts[node].terms, held < most
        if not (is_cut if room.groups else is_worth_a_row(node, terms, asked, held, room.near)):
            return None
        if has_own_windows(node, self.facts) or self._is_between_cores(node, asked):
            return None
        fill = UOp.range(size, next(self.numbers))
        self.weighed.fills.update([fill] if is_cut else [])
        place = fill if block is None else block.at(fill)
        indices = (*first.indices[:axis], place, *first.indices[axis + 1 :])
        rows = first.at((*indices[:axis], *indices[axis + 1 :]), loops)
        again = any(request.repeats > 1 or request.in_reduction for request in asked)
        across = self._is_too_large(node)
        if not (again or rows.used in first.root.rows) or not self._fuse_rows(rows, across):
            return None
        if block is not None and first.indices[axis].op is Ops.RANGE:
            self.plan.blocks[first.indices[axis]] = block
        count = 1 if block is None else int(block.outer.size)
        self.plan.rows.setdefault(node, {})[first.root] = NearRow(indices, axis, fill, count)
        around = [loop for loop in loops if loop in rows.used]
        return first.at(indices, (*around, *([] if block is None else [block.outer]), fill))

    def _is_between_cores(self, node: UOp, asked: Sequence[Request]) -> bool:
        """Is a value made of one large product and an operand of another, both of which tensor
        cores compute from memory faster than rows are computed near by? Weighed rows never are."""
        if narrowest(node).dtype.name not in self.room.cores or not ends_products(node, self.facts):
            return False
        if self.weighed.is_among(self.weighed.nodes, node):
            return False
        return any(self._multiplies(request.root) for request in asked)

    def _block(self, node: UOp, asked: Sequence[Request], axis: int) -> RowBlock | None:
        """The block of a long row that one reduction alone asks for, of a value too large."""
        index = asked[0].indices[axis]
        if any(request.indices[axis] is not index for request in asked):
            return None
        known = self.plan.blocks.get(index) or block_of(index)
        if known is not None or index.op is not Ops.RANGE or index.arg[1] != "reduce":
            return known
        length = (node.shape or ())[axis]
        is_large = isinstance(length, int) and self._is_too_large(node)
        size = block_size(int(length)) if is_large else 0
        if not size or self.weighed.is_among(self.weighed.nodes, node):
            return None
        outer = UOp.range(node.max_shape[axis] // size, next(self.numbers))
        return RowBlock(outer, UOp.range(size, next(self.numbers)))

    def _fuse_rows(self, request: Request, across: bool = False) -> bool:
        possible = can_fuse_rows(request, across)
        if possible:
            request.root.rows.append(request.used)
        return possible

    def hazards(self) -> set[UOp]:
        """Nodes to stage: values that a store would spoil, and memory that is gone when read."""
        stores = self.plan.stores
        roots = {store.src[1]: root for store, root in stores.items()} | self.plan.staged
        return (
            overwritten_memories(roots | self.calls, self.versions)
            | spoiled_values(stores, self.simple.of)
            | circular_values(stores, self.forced, self.facts, self.versions)
        )
