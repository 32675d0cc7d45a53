"""What recomputing a tensor node would cost: facts found once, sources before consumers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim, at_most
from rulewright.ir.uop import UOp
from rulewright.schedule.chosen import picks

# ---- keep ----------------------------------------------------------------------------------------
#
# What to keep of a reduction: the last value that everything made of it passes through.
#
# Of `relu(a @ b + c)` with one consumer beyond, that is the whole; if the derivative asks for the
# sum `a @ b + c` too, the sum is kept and each consumer applies its own few operations to it.
# Keeping both, or anything further on, would only add memory.


_MOVES = Ops.group("Movement")


def kept_points(
    order: Sequence[UOp], users: Mapping[UOp, Sequence[UOp]], is_near: Callable[[UOp], bool]
) -> dict[UOp, UOp]:
    """The values to keep of the REDUCE_AXIS nodes of a graph, and the view of each that all share.

    `order` has sources first. Only elementwise and movement nodes for which `is_near` holds lie
    between a reduction, what is kept of it and the view. (A tree of immediate post-dominators;
    where paths part for good, or leave those nodes, is a root.)
    """
    after: dict[UOp, UOp] = {}  # node -> the next one that all its paths meet
    depth: dict[UOp, int] = {}
    for node in reversed(order):
        meeting = _meeting(users[node], after, depth, is_near)
        depth[node] = 0
        if meeting is not None:
            after[node], depth[node] = meeting, depth[meeting] + 1
    return dict(_last(node, after) for node in order if node.op is Ops.REDUCE_AXIS)


def _meeting(
    users: Sequence[UOp],
    after: Mapping[UOp, UOp],
    depth: Mapping[UOp, int],
    is_near: Callable[[UOp], bool],
) -> UOp | None:
    """The first node that the paths from all users meet in."""
    if not all((user.op.elementwise or user.op in _MOVES) and is_near(user) for user in users):
        return None
    meeting: UOp | None = None
    for user in users:
        meeting = user if meeting is None else _common(meeting, user, after, depth)
        if meeting is None:
            return None
    return meeting


def _common(a: UOp, b: UOp, after: Mapping[UOp, UOp], depth: Mapping[UOp, int]) -> UOp | None:
    while a is not b:
        if depth[a] < depth[b]:
            a, b = b, a
        if a not in after:
            return None
        a = after[a]
    return a


def _last(node: UOp, after: Mapping[UOp, UOp]) -> tuple[UOp, UOp]:
    """The last on the way that is a value, and the last of all: a view of it, if it is another."""
    value = node
    while node in after:
        node = after[node]
        value = value if node.op in _MOVES else node
    return value, node


MEMORY = Ops.group("Memory") | {Ops.AFTER}
"""Nodes that are read where they lie; recomputing them costs a load."""

_COSTLY = Ops.group("Costly")
_MOVEMENT = Ops.group("Movement")
WEIGHT_OF_COSTLY = 10
LEAST_COSTLY = 8  # simple operations an element from which on repeating them is dear
_FEW = 16  # one part in so many of a value's elements is few
MOST_LEAVES = 3  # a value that reads more memories than this is kept rather than computed twice
_NEAREST = 64  # nodes among which a product is looked for
_MUCH_WORK = 1 << 20  # products from which on a sum of them is worth a kernel of its own
_MANY = 1 << 20  # sums of weights stop here: shared sub-graphs would count without end


class NodeFacts(NamedTuple):
    """Cost of one element of a node if nothing between it and memory is kept.

    `weight` counts simple operations, `leaves` are the first memories read, up to one more than
    MOST_LEAVES, `reduced` is the number of elements of the largest reduction on the way (0: none),
    and `summed` the same if no other value on the way is kept either; `terms` says how many
    elements a reduction right below sums to one. `is_kept`: where all that is made of a reduction
    has passed, which is what to keep of it if it is asked for at several places. `again` counts
    operations as `weight` does, but those that are for a whole row or more once, as they are where
    no sum of products has an element's loops around them. `added` is as `reduced`, but for sums
    that pick one element, of which no loop is left.
    """

    weight: int
    leaves: tuple[UOp, ...]
    reduced: int
    is_kept: bool = False
    summed: int = 0
    terms: int = 1
    again: int = 0
    added: int = 0


_NOTHING = NodeFacts(0, (), 0)


def elements(node: UOp) -> int:
    """Number of elements of a node, symbolic sizes at their upper bound."""
    return _count(node.shape or ())


@lru_cache(maxsize=4096)
def _count(shape: tuple[Dim, ...]) -> int:
    return prod(map(at_most, shape))


def _facts_of(node: UOp, known: dict[UOp, NodeFacts]) -> NodeFacts:
    op, src = node.op, node.src
    if op in MEMORY or op is Ops.CONTIGUOUS or op is Ops.COPY:
        return NodeFacts(0, (node.base,), 0)
    if not src:
        return _NOTHING
    first = known[src[0]]
    if op in _MOVEMENT and len(src) == 1 and first.terms == 1:
        facts = first._replace(is_kept=False) if first.is_kept else first
        return facts if op is not Ops.EXPAND else facts._replace(again=_spread(node, facts.again))
    if op is Ops.REDUCE_AXIS:
        shape = src[0].max_shape
        terms = prod([shape[axis] for axis in node.arg[1]])
        count = elements(node)
        added = first.added if picks(node) else count
        return NodeFacts(0, first.leaves, count, False, count, terms, added=added)
    again = weight = (WEIGHT_OF_COSTLY if op in _COSTLY else 1) if op.elementwise else 0
    leaves, reduced, added, most, terms = first.leaves, 0, 0, 0, 1
    for source in src:
        more_weight, more, elsewhere, _, summed, more_terms, more_again, own = known[source]
        weight += more_weight
        again += more_again
        if more and more != leaves and len(leaves) <= MOST_LEAVES:  # which does not matter of more
            leaves = tuple(dict.fromkeys((*leaves, *more)))[: MOST_LEAVES + 1]
        reduced = elsewhere if elsewhere > reduced else reduced
        added = own if own > added else added
        most = summed if summed > most else most
        if more_terms > terms and elements(source) >= elements(node):
            terms = more_terms
    again = _spread(node, again) if op is Ops.EXPAND else min(again, _MANY)
    return NodeFacts(min(weight, _MANY), leaves, reduced, False, most, terms, again, added)


def _spread(node: UOp, operations: int) -> int:
    """Operations an element of an EXPAND: what is done once is for all that it is spread to."""
    return -(-operations * elements(node.src[0]) // max(elements(node), 1))


def gather_facts(order: list[UOp], users: dict[UOp, list[UOp]]) -> dict[UOp, NodeFacts]:
    """Facts of every node of a graph, given its nodes with sources first, and `users_of` them."""
    plain: dict[UOp, NodeFacts] = {}
    for node in order:
        plain[node] = _facts_of(node, plain)
    kept = kept_points(order, users, lambda node: is_near_reduction(node, plain[node]))
    shared = {view: value for value, view in kept.items() if len(users[view]) > 1}
    own: dict[UOp, NodeFacts] = {}
    seen: dict[UOp, NodeFacts] = {}  # as consumers see them
    for node in order:
        alike = all([seen[s] is plain[s] for s in node.src])
        facts = plain[node] if alike else _facts_of(node, seen)
        facts = own[node] = facts._replace(is_kept=True) if node in kept else facts
        if node in shared:
            facts = NodeFacts(0, (shared[node],), 0, summed=facts.summed, terms=facts.terms)
        seen[node] = facts
    return own


def users_of(order: list[UOp]) -> dict[UOp, list[UOp]]:
    """The nodes that each node of a graph is a source of."""
    users: dict[UOp, list[UOp]] = {node: [] for node in order}
    for node in order:
        for source in dict.fromkeys(node.src):
            users[source].append(node)
    return users


def is_near_reduction(node: UOp, facts: NodeFacts) -> bool:
    """Does a node follow a reduction that has about as many elements as the node itself?"""
    return facts.reduced > 0 and facts.reduced * 4 > elements(node)


def reads_several(node: UOp, facts: NodeFacts) -> bool:
    """Is a value made of several memories that are about as large as itself?

    Of one alone, and of few numbers beside it, nothing is saved by memory for the value."""
    return sum(elements(leaf) * 4 > elements(node) for leaf in facts.leaves) > 1


def is_large_product(node: UOp, facts: NodeFacts) -> bool:
    """Is a node a sum of products for which each element in memory is read again and again?"""
    body = (node.src[0] if node.op is Ops.REDUCE_AXIS else node).past(_MOVES | {Ops.CAST})
    if body is node or body.op is not Ops.MUL or not facts.leaves:
        return False
    work, data = elements(node.src[0]), sum(elements(leaf) for leaf in facts.leaves)
    return work >= max(_MUCH_WORK, 8 * data)


def ends_products(top: UOp, facts: Mapping[UOp, NodeFacts]) -> bool:
    """Is a value made of a large product by elementwise operations, of which the nearest few are
    looked through?"""
    return any(is_large_product(node, facts[node]) for node in _nearest(top))


def has_own_windows(top: UOp, facts: Mapping[UOp, NodeFacts]) -> bool:
    """Is a value made of a large product, not of matrices, by elementwise operations?

    So is what windows see that have weights of their own for each channel: all results of one
    factor are results of the other too. A row of them that is kept shares nothing, and is read as
    it suits the row, which may lie across memory.
    """
    products = [node for node in _nearest(top) if is_large_product(node, facts[node])]
    return any(node.op is Ops.REDUCE_AXIS and not _is_of_matrices(node) for node in products)


def _is_of_matrices(node: UOp) -> bool:
    """Is each factor of a sum of products the same along an axis of the results?"""
    body = node.src[0].past({Ops.CAST})
    kept = [axis for axis in range(len(body.shape or ())) if axis not in node.arg[1]]
    return body.op is not Ops.MUL or all(_repeats(factor, kept) for factor in body.src)


def _repeats(factor: UOp, axes: Sequence[int]) -> bool:
    """Is a factor the same along one of these axes?"""
    factor = factor.past({Ops.CAST})
    if factor.op is not Ops.EXPAND:
        return False
    before, after = factor.src[0].shape or (), factor.shape or ()
    return any(before[axis] == 1 != after[axis] for axis in axes)


def holds_read_values(top: UOp) -> bool:
    """Is a value made of what is read, and of reductions that have few elements beside it at most?

    So are distances to a mean; scores, which are sums themselves, are not.
    """
    nodes, size = _nearest(top), elements(top)
    near = any(n.op is Ops.REDUCE_AXIS and elements(n) * 4 > size for n in nodes)
    return len(nodes) < _NEAREST and not near


def _nearest(top: UOp) -> list[UOp]:
    """A value and what it is made of by elementwise operations and views, as far as the nearest
    few go."""
    nodes = [top]
    for node in nodes:
        if len(nodes) < _NEAREST and (node.op.elementwise or "Movement" in node.op.groups):
            nodes += [s for s in dict.fromkeys(node.src) if s not in nodes]
    return nodes


def is_spread(node: UOp, facts: Mapping[UOp, NodeFacts]) -> bool:
    """Is a value one cheap operation away from few costly ones, and made of nothing else that is
    read: positions that are computed, compared with all others? Those are better kept."""
    few = elements(node) // _FEW
    read = [s for s in node.src if facts[s].leaves or facts[s].weight >= LEAST_COSTLY]
    costly = any(facts[s].weight >= LEAST_COSTLY for s in read)
    return costly and node.op not in _COSTLY and all(_is_few(s, few) for s in read)


def compares_few(node: UOp, facts: Mapping[UOp, NodeFacts]) -> bool:
    """Is a condition few cheap operations away from few costly values? Kept, conditions of all
    pairs would be more memory than what they are made of."""
    if not node.dtype.is_bool:
        return False
    few, steps, is_near = elements(node) // _FEW, [node], False
    for step in steps:
        if step.op in _COSTLY or not step.op.elementwise or len(steps) > LEAST_COSTLY:
            return False
        for source in step.src:
            if facts[source].weight < LEAST_COSTLY:
                continue
            if _is_few(source, few):
                is_near = True
            elif (below := _below(source)) not in steps:
                steps.append(below)
    return is_near


def _is_few(node: UOp, few: int) -> bool:
    """Does a view show at most so many elements?"""
    return elements(_below(node)) <= few


def _below(node: UOp) -> UOp:
    """What a view shows."""
    while "Movement" in node.op.groups:
        node = node.src[0]
    return node
