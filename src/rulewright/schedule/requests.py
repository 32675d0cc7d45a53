"""What consumers ask of a tensor node: which elements, inside which loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.schedule.facts import elements

SMALL_LOOP = 1 << 16  # element operations below which repeating beats another kernel
MOST_MASKED = 8  # reads of an element of a PAD that may each test whether it exists
FEWEST_ROWS = 16  # rows a fused row reduction needs, for enough parallel work
TINY = 4096  # elements of a whole kernel that may run on one core
MANY_CHANNELS = 16  # results from which on an image is copied near by for them


@dataclass(eq=False)
class Root:
    """A kernel to be: the loops of its store, the row reductions fused into it, what it reads,
    and the tensor nodes that it computes.

    `order` says which axis of what is staged each loop is, as they lie in memory."""

    loops: tuple[UOp, ...]
    target: UOp | None = None
    rows: list[frozenset[UOp]] = field(default_factory=list)
    reads: list[tuple[UOp, tuple[UOp, ...]]] = field(default_factory=list)
    nodes: list[UOp] = field(default_factory=list)
    order: tuple[int, ...] = ()

    def places(self) -> tuple[UOp, ...]:
        """The loops in the order of the axes of what is stored."""
        by_axis = dict(zip(self.order or range(len(self.loops)), self.loops, strict=True))
        return tuple([by_axis[axis] for axis in range(len(self.loops))])

    def ordered_loops(self) -> tuple[UOp, ...]:
        """The loops, those of fused rows outermost."""
        depth = {loop: -sum(loop in row for row in self.rows) for loop in self.loops}
        return tuple(sorted(self.loops, key=lambda loop: depth[loop]))


@dataclass(eq=False)
class Request:
    """Elements that a consumer asks for: indices, the loops around, and the kernel it is in.

    `others` are further kernels that ask for the same: those whose loops the indices do not use.
    """

    indices: tuple[UOp, ...]
    loops: tuple[UOp, ...]
    root: Root
    others: tuple[Root, ...] = ()

    def at(self, indices: tuple[UOp, ...], loops: tuple[UOp, ...]) -> Request:
        """What the same kernels ask of a source."""
        return Request(indices, loops, self.root, self.others)

    @property
    def roots(self) -> tuple[Root, ...]:
        """All kernels that ask."""
        return self.root, *self.others

    @cached_property
    def used(self) -> frozenset[UOp]:
        """The loops that the indices depend on; one of a single iteration is as good as none."""
        return frozenset([r for index in self.indices for r in index.ranges if trips(r) > 1])

    @cached_property
    def is_masked(self) -> bool:
        """Whether only some of the elements asked for exist."""
        return any(index is not without_validity(index) for index in self.indices)

    @cached_property
    def in_reduction(self) -> bool:
        """Whether the indices move with a loop that reduces."""
        return any([loop.arg[1] == "reduce" for loop in self.used])

    @cached_property
    def repeats(self) -> int:
        """How often each element is asked for: the trip count of the loops that are not used."""
        used = self.used
        return prod([trips(loop) for loop in self.loops if loop not in used])


def by_root(asked: Sequence[Request]) -> dict[Root, list[Request]]:
    """What each kernel asks for; nothing where kernels share a request."""
    requests: dict[Root, list[Request]] = {}
    for request in asked:
        if request.others:
            return {}
        requests.setdefault(request.root, []).append(request)
    return requests


def trips(loop: UOp) -> int:
    """How often a loop runs, at most."""
    size = loop.src[0]
    return int(size.arg if size.op is Ops.CONST else size.vmax)


def without_validity(index: UOp) -> UOp:
    """An index without the condition under which it is valid."""
    while index.op is Ops.WHERE and index.src[2].op is Ops.INVALID:
        index = index.src[1]
    return index


def innermost(loops: tuple[UOp, ...]) -> UOp:
    """The last loop that runs more than once."""
    return next((loop for loop in reversed(loops) if trips(loop) > 1), loops[-1])


def is_stored_plainly(asked: Sequence[Request]) -> bool:
    """Is it all that one kernel stores, with nothing computed after it?"""
    nodes = asked[0].root.nodes
    return len(asked) == 1 and all("Movement" in node.op.groups for node in nodes)


def reads_often(node: UOp, request: Request) -> bool:
    """Is each element read so often, by the steps of a reduction, that its mask is dear?

    It is not where so many results read it that it is copied near by for them."""
    reads = prod(trips(loop) for loop in request.loops)
    near = _slides if node.op is Ops.PAD else _is_beside
    if request.repeats >= MANY_CHANNELS and near(node, request):
        return False
    return request.in_reduction and reads > max(MOST_MASKED * elements(node), SMALL_LOOP)


def _slides(node: UOp, request: Request) -> bool:
    """Do windows slide along what is stored: do stored loops, with the innermost, go along the
    padded axes, and further than loops that reduce along them?"""
    padded = (i for i, pair in zip(request.indices, node.arg, strict=True) if pair != (0, 0))
    longest = [max(i.ranges, key=trips) for i in padded if i.ranges]
    stored = all(loop.arg[1] != "reduce" for loop in longest)
    loops = request.root.loops
    return stored and bool(loops) and innermost(loops) in request.used


def padded_parts(node: UOp) -> list[UOp]:
    """The padded parts that a node puts together, as along an axis of a `cat`."""
    return [s for s in node.src[1:] if s.op is Ops.PAD] if node.op is Ops.WHERE else []


def _is_beside(node: UOp, request: Request) -> bool:
    """Are neighbours asked for by results that are neighbours, for which panels are copied?"""
    loops = request.root.loops
    return bool(loops) and innermost(loops) in request.used


def is_outermost(request: Request) -> bool:
    """Do the indices use just the first loops, so that the value is computed once anyway?"""
    used = request.used
    flags = [loop in used for loop in request.loops if trips(loop) > 1]
    return flags == sorted(flags, reverse=True)


def can_fuse_rows(request: Request, across: bool = False) -> bool:
    """May a value that depends on some outer loops only be computed ahead of the others?

    Others are the inner loops of the kernel, or the reduction alone that asks. `across`: even
    where the kernel stores neighbours from different rows.
    """
    rows, loops = request.used, request.root.loops
    if any(i.op not in (Ops.RANGE, Ops.CONST) for i in request.indices):
        return False
    inner = [loop for loop in loops if loop not in rows and trips(loop) > 1]
    if not rows <= set(loops) or (inner and innermost(loops) in rows and not across):
        return False
    if not all(rows <= other or other <= rows for other in request.root.rows):
        return False
    many = prod(trips(loop) for loop in rows) >= FEWEST_ROWS
    return many or prod(trips(loop) for loop in request.loops) <= TINY
