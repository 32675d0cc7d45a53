"""Long computations that few choices take, written where they are skipped.

A choice between vectors computes both sides. Where one of them is long, goes by wider numbers than
it gives or by products of long integers, and serves nothing else, it stands in a block that runs
only if some lane takes it, as the reduction of large angles does. Others stay: several vectors take
their steps in turns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render.target import Target
from rulewright.render.usage import Usage, slots, strip

LEAST = 48
"""Steps from which on a side is worth a branch: one that is mispredicted costs about as much."""
MOST_DEEP = 8
"""Choices within sides of others that are told apart; deeper ones belong to the side around."""
_WORD = 8  # bytes in which masks are looked at
_LONG = (dtypes.i64, dtypes.u64)


@dataclass(frozen=True)
class Seldom:
    """Steps that only lanes need of which a condition says `side`, in order, and which of them are
    read by the choices."""

    condition: UOp
    side: bool
    steps: tuple[UOp, ...]
    results: tuple[UOp, ...]


@dataclass(eq=False)
class _Side:
    """One side of the choices of a condition that stand in the same side of others, with the steps
    that serve it alone, and sides inside that have blocks of their own."""

    condition: UOp
    number: int
    around: _Side | None
    block: int
    depth: int
    choices: list[UOp] = field(default_factory=list)
    steps: set[UOp] = field(default_factory=set)
    inner: list[_Side] = field(default_factory=list)

    def all_steps(self) -> set[UOp]:
        """The steps, with those of the blocks inside."""
        return self.steps.union(*(part.all_steps() for part in self.inner))


def seldom(uops: Sequence[UOp], usage: Usage, target: Target) -> dict[UOp, list[Seldom]]:
    """What a program computes for few lanes, by the first choice that it serves.

    What it reads from outside stands before that choice, in variables: a read of memory does not
    move behind a write.
    """
    groups: defaultdict[UOp, list[Seldom]] = defaultdict(list)
    chosen = [u for u in uops if _chooses_lanes(u)] if target.has_text("seldom") else []
    narrowest = min(chosen, key=lambda u: u.dtype.itemsize, default=None)
    if narrowest is None or not _is_dear([u for u in uops if u.op.elementwise], narrowest):
        return groups  # as in most programs, where no step is dear
    place = usage.place
    for part in sorted(_sides(uops, usage, target), key=lambda s: -s.depth):
        choices = sorted(part.choices, key=place.__getitem__)
        first = choices[0]
        steps = part.all_steps()
        read = {strip(s) for n in steps for s in n.src}.difference(steps)
        soon = all(place.get(n, -1) < place[first] for n in (*read, part.condition))
        if len(part.steps) >= LEAST and soon and _is_dear(steps, first):
            sources = dict.fromkeys(strip(choice.src[part.number]) for choice in choices)
            results = tuple(s for s in sources if s in part.steps)
            ordered = tuple(sorted(part.steps, key=place.__getitem__))
            groups[first].append(Seldom(part.condition, part.number == 1, ordered, results))
            usage.inline.difference_update(results, [n for n in read if n.op is Ops.LOAD])
            if part.around is not None:
                part.around.inner.append(part)
        elif part.around is not None:
            part.around.steps |= part.steps
            part.around.inner += part.inner
    return groups


def _is_dear(steps: Collection[UOp], choice: UOp) -> bool:
    """Whether steps go by wider numbers than a choice gives, or by products of long integers, for
    which few processors have vectors."""
    wide = any(n.dtype.itemsize > choice.dtype.itemsize for n in steps)
    return wide or any(n.op is Ops.MUL and n.dtype.scalar in _LONG for n in steps)


def _chooses_lanes(node: UOp) -> bool:
    if node.op is not Ops.WHERE or node.dtype.count == 1 or node.dtype.is_bool:
        return False
    return node.dtype.itemsize >= _WORD and strip(node.src[0]).dtype.count > 1


def _sides(uops: Sequence[UOp], usage: Usage, target: Target) -> list[_Side]:
    """The sides of all choices, those around others first; each step is in the innermost that all
    of its users are in."""
    sides: dict[tuple[UOp, int, int, _Side | None], _Side] = {}
    asked: dict[UOp, _Side | None] = {}
    for node in reversed(uops):
        own = asked.get(node)
        if own is not None and node.op.elementwise and own.block == usage.block[node]:
            own.steps.add(node)
        else:
            own = None
        ways: dict[UOp, _Side | None] = {}
        for source in (*(s for s, _ in slots(node, target)), *map(strip, node.src)):
            ways[source] = own
        if _chooses_lanes(node) and (own is None or own.depth < MOST_DEEP):
            condition, *ends = map(strip, node.src)
            for number, end in enumerate(ends, 1):
                if end is not condition and end is not ends[2 - number]:
                    key = condition, number, usage.block[node], own
                    side = sides.get(key)
                    if side is None:
                        depth = 1 if own is None else own.depth + 1
                        side = sides[key] = _Side(condition, number, own, key[2], depth)
                    side.choices.append(node)
                    ways[end] = side
        for source, way in ways.items():
            asked[source] = _around(asked[source], way) if source in asked else way
    return list(sides.values())


def _around(one: _Side | None, other: _Side | None) -> _Side | None:
    """The innermost side that two are in."""
    while one is not other:
        if one is None or other is None:
            return None
        if one.depth >= other.depth:
            one = one.around
        else:
            other = other.around
    return one
