"""Sums, and other reductions, of what goes to each place: one walk over what goes.

`out[i, d] = REDUCE(WHERE(at[j] == i, value[j, d], identity), j)` looks at every j for every i. In a
loop whose iterations run in order, each value can go straight to its place instead: out[at[j], d]
is read, combined and written back. Of one place, values come in the same order both ways.

Loops around that of the places stay around the walk, each of whose iterations has places of its
own; so threads can share them. Where there are none, they share parts of the rows that go to a
place.

Work items of a GPU all walk over the values, each for some of the places: every one reads where all
values go, and writes what goes to its own. So there is one step for each value and work item, of
which there are as many as the GPU runs at once, rather than one for each value and place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any, NamedTuple

from rulewright.codegen.nests import divisor
from rulewright.ir.dtypes import dtypes
from rulewright.ir.linear import LinearForm, linear
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.sums import conjuncts
from rulewright.ir.uop import UOp
from rulewright.schedule.chosen import Conditional, conditional, is_neutral
from rulewright.schedule.collect import is_shorter

SHARED_WORK = 1 << 18
"""Values from which on threads share a walk."""
LEAST_PART, MOST_PART = 32, 128
"""Neighbours of a place that one thread writes: whole lines of memory, and enough parts."""
LEAST_FILLED = 4
"""Places for a value up to which they are filled in parts, not one after the other."""


def scatter_in_order(sink: UOp, ctx: Any) -> UOp:
    """The kernel with its reduction by place made a walk, or one for each work item.

    A kernel of several effects is left alone: each of them would number its new loops alike.
    """
    if len(sink.src) != 1:
        return sink
    if ctx.target.has("ordered_loops"):
        return rewrite(sink, "scatter")
    return _by_items(sink, ctx.target) if ctx.target.has("workgroups") else sink


def _by_items(sink: UOp, target: Any) -> UOp:
    """The walks of as many work items as a target runs at once, if a grid has room for them."""
    groups, group = target.limit("groups"), target.limit("local_size")
    if not groups or not group:
        return sink
    asked = UOp.sink(*sink.src, UOp.index_const(groups * group), UOp.index_const(group))
    walks = rewrite(asked, "scatter_apart")
    ranges = [n for n in walks.toposort() if n.op is Ops.RANGE]
    blocks = prod(int(r.vmax) + 1 for r in ranges if r.arg[1] == "global")
    most = target.limit("grid_inner")
    return sink if walks is asked or (most is not None and blocks > most) else walks


class _Hit(NamedTuple):
    """A condition that chooses by place: `at` is the loop `row`, and `others` hold."""

    row: UOp
    at: UOp
    others: tuple[UOp, ...]


def walk_over_values(nest: UOp) -> UOp | None:
    """The walk instead of END(STORE(out[place], REDUCE(WHERE(hit, value, identity)))), or of one
    that stores out[place] + REDUCE(…), or what the last number that hits a place chooses for it.

    None if no loop of the store is chosen by data, if iterations may store one element, if the
    reduction reads what is stored, or if there are too few places for the walk to be shorter.
    """
    if not _writes_apart(nest):
        return None
    nest = _one_row(nest)
    hit = _collected(nest)
    if hit is None:
        return None
    outer = _around(nest, hit)
    if not outer:
        nest, outer = _in_parts(nest, hit.row)
        hit = _collected(nest)
        assert hit is not None
    walk = _walk(nest, hit, outer)
    return walk.substitute({loop: _of_kind(loop, kind) for loop, kind in _kinds(walk, outer, hit)})


def walks_of_items(nest: UOp, items: int, group: int) -> UOp | None:
    """The walks of about so many work items, in groups of so many, instead of such a nest, each
    with some of the places along its row.

    None also if there are not more elements than work items.
    """
    if not 0 < group <= items or not _writes_apart(nest):
        return None
    nest = _one_row(nest)
    hit, loops = _collected(nest), nest.src[1:]
    if hit is None or not all(isinstance(r.size, int) and r.arg[1] == "loop" for r in loops):
        return None
    row, others = hit.row, [r for r in loops if r is not hit.row]
    near = linear(nest.src[0].src[0].src[1])
    inner = next((r for r in others if near.stride(r) == 1), None)
    lanes = 1 if inner is None else divisor(int(inner.size), group)
    places, beside = int(row.size), prod(int(r.size) for r in others) // lanes
    if places * beside * lanes < 2 * items:
        return None
    own = min(places, group // lanes)
    parts = max(1, min(-(-places // own), items // (own * lanes * beside)))
    new, count = _first_unused(nest), -(-places // (own * parts))
    sizes = (parts * beside, "global"), (own, "local"), (lanes, "local"), (count, "loop")
    block, item, lane, each = (UOp.range(n, new + i, kind) for i, (n, kind) in enumerate(sizes))
    first = (block // beside * own + item) * count
    walk = _walk(nest, hit, (*others,), first, each)
    swap: dict[UOp, UOp] = {}
    rest = block % beside
    for loop in reversed(others):
        size = int(loop.size) // (lanes if loop is inner else 1)
        swap[loop] = rest % size * lanes + lane if loop is inner else rest % size
        rest = rest // size
    grid = (block, item, lane)
    closed = {n: n.src[0].end(*grid, each) for n in walk.toposort() if n.src[1:] == (each,)}
    store = walk.src[0].substitute(closed).substitute(swap)
    steps = [r for r in walk.src[1:] if r not in others]
    return rewrite(store.end(*grid, *steps), "symbolic")


def _one_row(nest: UOp) -> UOp:
    """The nest with one loop for those that are compared with a position together: the places of
    several axes are numbered as one."""
    total, loops = _total(nest.src[0]), nest.src[1:]
    chosen = conditional(total.src[0]) if total.op is Ops.REDUCE else None
    for part in conjuncts(chosen.condition) if chosen else ():
        for count, at in (part.src, part.src[::-1]) if part.op is Ops.CMPEQ else ():
            number = count.src[0] if count.op is Ops.CAST else count
            digits = _digits(number, loops)
            if len(digits) > 1 and all(_is_data(at, loop) for loop in digits):
                return _merged(nest, digits)
    return nest


def _digits(number: UOp, loops: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """The loops whose numbers are the digits of a number, the highest first; empty if they are
    not, or others are too."""
    form, stride = linear(number), 1
    digits = sorted(form.strides, key=lambda loop: form.strides[loop])
    for loop in digits:
        if loop not in loops or form.strides[loop] != stride or not isinstance(loop.size, int):
            return ()
        stride *= loop.size
    return tuple(reversed(digits)) if not form.constant and not form.opaque else ()


def _merged(nest: UOp, digits: tuple[UOp, ...]) -> UOp:
    """The nest with one loop for several, where the first of them was."""
    whole = UOp.range(prod(int(loop.size) for loop in digits), _first_unused(nest))
    swap, rest = dict[UOp, UOp](), whole
    for loop in reversed(digits):
        swap[loop] = rest if loop is digits[0] else rest % int(loop.size)
        rest = rest // int(loop.size)
    loops = dict.fromkeys(whole if loop in digits else loop for loop in nest.src[1:])
    return rewrite(nest.src[0].substitute(swap).end(*loops), "symbolic")


def _total(store: UOp) -> UOp:
    """The reduction that is stored, or added to what is there, or says what is written there."""
    target, value = store.src
    if _is_written(store):
        return value.src[0].src[0]
    grown = [s for s in value.src if s.op is Ops.REDUCE and s.arg is value.op]
    return grown[0] if grown and target in value.src else value


def _is_written(store: UOp) -> bool:
    """Whether a place keeps what it holds if the number that is found for it is negative."""
    target, value = store.src
    if value.op is not Ops.WHERE or value.src[1] is not target:
        return False
    none = value.src[0]
    return none.op is Ops.CMPLT and none.src[0].op is Ops.REDUCE and none.src[1].arg == 0


def _value(store: UOp, chosen: Conditional) -> UOp:
    """What goes to a place in a step: a value, or what is written for the step's number."""
    if not _is_written(store):
        return chosen.value
    return store.src[1].src[2].substitute({_total(store): chosen.value})


def _collected(nest: UOp) -> _Hit | None:
    """What chooses the place of a value."""
    store, loops = nest.src[0], nest.src[1:]
    memory, total = store.src[0].src[0], _total(store)
    chosen = conditional(total.src[0]) if total.op is Ops.REDUCE else None
    if chosen is None or not is_neutral(total.arg, chosen):
        return None
    if memory in UOp.sink(total, _value(store, chosen)).toposort():
        return None
    counts = total.arg is Ops.MAX and _rises(chosen.value, total.src[1:])
    if _is_written(store) and not (chosen.other.arg < 0 and counts):
        return None
    hit = _hit(chosen.condition, loops)
    values = prod(int(step.vmax) + 1 for step in total.src[1:])
    if hit is None or not is_shorter(int(hit.row.vmax) + 1, values):
        return None
    return hit


def _writes_apart(nest: UOp) -> bool:
    """Whether each iteration of the loops writes an element of its own, as far as strides tell."""
    place, loops = nest.src[0].src[0].src[1], [r for r in nest.src[1:] if r.vmax > 0]
    form = linear(place)
    return not form.opaque and _are_beyond_each_other(form, loops)


def _are_beyond_each_other(form: LinearForm, loops: Iterable[UOp]) -> bool:
    """Is the stride of each loop beyond what the loops of shorter strides reach together?"""
    reach = 0
    for stride, most in sorted((abs(form.strides.get(r, 0)), int(r.vmax)) for r in loops):
        if stride <= reach:
            return False
        reach += stride * most
    return True


def _walk(
    nest: UOp, hit: _Hit, outer: tuple[UOp, ...], first: UOp | None = None, each: UOp | None = None
) -> UOp:
    """In each iteration of the outer loops: every place as it is of no value, if values are not
    added to what is there, then the values.

    Of the places those alone, if a `first` one is named, that a loop `each` counts from there.
    """
    store, row = nest.src[0], hit.row
    target, total = store.src[0], _total(store)
    memory, place = target.src
    steps, chosen = total.src[1:], conditional(total.src[0])
    assert chosen is not None
    inner = tuple(loop for loop in nest.src[1:] if loop not in outer)
    valid = _within(hit.at, row)
    number, invalid = hit.at.cast(dtypes.index), UOp(Ops.INVALID, dtypes.index)
    start = target.store(chosen.other).end(*inner).substitute(_anew(nest, inner))
    if first is not None and each is not None:
        valid = valid & (first <= number) & (number < first + each.src[0])
        mine = (first + each < row.src[0]).where(place.substitute({row: first + each}), invalid)
        start = memory.index(mine).store(chosen.other).end(each)
    at = valid.where(number, invalid)
    value = _value(store, chosen).substitute({row: at})
    for condition in hit.others:
        valid = valid & condition.substitute({row: at})
    there = place.substitute({row: number})
    filled = (start,) if total is store.src[1] else ()
    so_far = memory.after(*filled, *steps).index(valid.where(there, invalid))
    largest = total.arg is Ops.MAX and _rises(chosen.value, steps)  # of those so far
    walk = so_far.store(value if largest else so_far.alu(total.arg, value))
    return walk.end(*outer, *steps, *(loop for loop in inner if loop is not row))


def _kinds(walk: UOp, outer: tuple[UOp, ...], hit: _Hit) -> Iterator[tuple[UOp, str]]:
    """How the loops run: threads share the outermost one that may be shared of a long walk, and
    neighbours that go to one place are a vector."""
    loops = walk.src[1:]
    if outer and prod(int(loop.vmax) + 1 for loop in loops) >= SHARED_WORK:
        yield outer[0], "thread"
    last = loops[-1]
    form = linear(walk.src[0].src[0].src[1])
    conditioned = {r for condition in (hit.at, *hit.others) for r in condition.ranges}
    if len(loops) > 1 and last not in conditioned and last not in outer and form.stride(last) == 1:
        yield last, "simd"


def _of_kind(loop: UOp, kind: str) -> UOp:
    return loop.replace(arg=(loop.arg[0], kind))


def _around(nest: UOp, hit: _Hit) -> tuple[UOp, ...]:
    """The loops of which each iteration has places of its own that lie together: those with
    positions of their own, and those along which values lie further apart than in one iteration."""
    store, loops = nest.src[0], nest.src[1:]
    total, places = _total(store), linear(store.src[0].src[1])
    apart, chosen = places.stride(hit.row), conditional(total.src[0])
    assert chosen is not None
    read = UOp.sink(total, _value(store, chosen)).toposort()
    reads = [linear(n.src[1]) for n in read if n.op is Ops.INDEX]

    def is_around(loop: UOp) -> bool:
        if not apart or (places.stride(loop) or 0) <= apart:
            return False
        used = [form for form in reads if form.uses(loop)]
        steps = [form.stride(total.src[-1]) or 0 for form in used]
        near = all(s <= (f.stride(loop) or 0) for s, f in zip(steps, used, strict=True))
        return loop in hit.at.ranges or near

    return tuple([loop for loop in loops if loop is not hit.row and is_around(loop)])


def _in_parts(nest: UOp, row: UOp) -> tuple[UOp, tuple[UOp, ...]]:
    """The nest with a loop over parts of what goes to a place around it, if that is much."""
    store, loops = nest.src[0], nest.src[1:]
    form, steps = linear(store.src[0].src[1]), _total(store).src[1:]
    inner = next((r for r in loops if r is not row and form.stride(r) == 1), None)
    if inner is None or not isinstance(inner.size, int):
        return nest, ()
    part = _part(inner.size)
    values = prod(int(step.vmax) + 1 for step in steps)
    few = int(row.vmax) + 1 > LEAST_FILLED * values
    if not part or few or values * inner.size < SHARED_WORK:
        return nest, ()
    new = _first_unused(nest)
    whole, each = UOp.range(inner.size // part, new), UOp.range(part, new + 1)
    store = store.substitute({inner: whole * part + each})
    return store.end(whole, *(each if r is inner else r for r in loops)), (whole,)


def _part(size: int) -> int:
    """The largest part of so many neighbours, whole vectors if that can be; 0 if there is none."""
    parts = [n for n in range(LEAST_PART, min(MOST_PART, size - 1) + 1) if size % n == 0]
    return max([n for n in parts if n % 16 == 0] or parts, default=0)


def store_what_changes(nest: UOp) -> UOp | None:
    """The nest without stores of what an element holds, where that is the same for all neighbours.

    None if it is not, or if iterations may write one element.
    """
    (target, value), last = nest.src[0].src, nest.src[-1]
    kept, old, new = value.src
    memory, place = target.src
    if old is not target or last in kept.ranges or not place.valid or not _are_apart(place, kept):
        return None
    other = kept.alu(Ops.NOT).where(place, UOp(Ops.INVALID, dtypes.index))
    return memory.index(other).store(new).end(*nest.src[1:])


def _are_apart(index: UOp, value: UOp) -> bool:
    """Does an index name another element in each iteration of the loops that it and a value are
    in?"""
    form = linear(index)
    loops = dict.fromkeys((*index.ranges, *value.ranges))
    return not form.opaque and _are_beyond_each_other(form, loops)


def _first_unused(nest: UOp) -> int:
    return 1 + max(n.arg[0] for n in nest.toposort() if n.op is Ops.RANGE)


def _anew(nest: UOp, loops: tuple[UOp, ...]) -> dict[UOp, UOp]:
    """Loops of their own for some of those of a nest."""
    first = _first_unused(nest)
    return {r: UOp.range(r.size, first + i, r.arg[1]) for i, r in enumerate(loops)}


def _hit(condition: UOp, loops: tuple[UOp, ...]) -> _Hit | None:
    """How a condition chooses a value of one of the loops."""
    parts = conjuncts(condition)
    for part in parts:
        for row, at in (part.src, part.src[::-1]) if part.op is Ops.CMPEQ else ():
            loop = row.src[0] if row.op is Ops.CAST else row
            if loop in loops and row.dtype.max >= loop.vmax and _is_data(at, loop):
                return _Hit(loop, at, tuple(other for other in parts if other is not part))
    return None


def _is_data(at: UOp, loop: UOp) -> bool:
    """Is it a position that is read, the same for the whole loop?"""
    return loop not in at.ranges and any(n.op is Ops.INDEX for n in at.toposort())


def _rises(value: UOp, steps: tuple[UOp, ...]) -> bool:
    """Whether a value is the number of the step that it belongs to."""
    number = value.src[0] if value.op is Ops.CAST else value
    return steps == (number,) and value.dtype.max >= number.vmax


def _within(at: UOp, row: UOp) -> UOp:
    """Whether a position, as the index that it becomes, is one of the loop's values."""
    number = at.cast(dtypes.index)
    return (UOp.index_const(0) <= number) & (number < row.src[0])
