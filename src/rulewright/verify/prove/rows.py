"""Many values of all memory at once: a graph in one more loop, each turn of which has others.

A matcher sees no data, so what a rule made of a graph is to be right for any. Which values meet is
counted, not drawn: of any two memories each pair of values in turn, first those that are equal,
then those next to each other. So it is the same whatever a rule is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import isfinite, isqrt, prod

import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.verify.prove.trial import Array, Trial
from rulewright.verify.values.comparison import needs_shadow
from rulewright.verify.values.samples import bits_type, halfway, named, powers, special

_ROWS = 64
_MOST_ELEMENTS = 1 << 13  # of a value in all turns of all loops
_ALONE = {Ops.SUBBUFFER, Ops.COPY, Ops.MSTACK, Ops.GRAD}
_FIRST = 3000  # slots of the memory of all rows
_TIES = 12
_FAR = 0.618  # of the way round: whoever goes on so comes everywhere


class DataRows:
    """The values that have met in the graphs of one rule."""

    def __init__(self, equiv: t.Equiv | None) -> None:
        self.calm = needs_shadow(equiv)  # floats are of moderate size
        self.finite = equiv is not None and equiv.name == "finite"
        self.begun: Counter[tuple[bool, tuple[DType, ...]]] = Counter()
        self.graphs = 0
        self.rng = np.random.default_rng(0)

    def of(self, trial: Trial) -> tuple[Trial, list[Trial]] | None:
        """A trial in one more loop, and each turn of it alone, the first as the trial is.

        None where memory is of several devices, or looked at in parts, or where it is too much.
        """
        nodes = UOp.sink(trial.before, trial.after).toposort()
        leaves = [n for n in nodes if n in trial.bindings]
        is_alone = any(n.op in _ALONE for n in nodes)
        count = 0 if is_alone or not leaves else min(_ROWS, _MOST_ELEMENTS // _most(nodes))
        if count < 2:
            return None
        held = dict(zip(leaves, self._values(trial, leaves, nodes, count), strict=True))
        loop, wide, bindings = UOp.range(count, _FIRST), {}, {}
        for place, leaf in enumerate(leaves):
            arg = (_FIRST + place, (count, *leaf.arg[1]), leaf.arg[2])
            memory = UOp(Ops.PARAM, leaf.dtype, (), arg)
            wide[leaf], bindings[memory] = memory.index(loop), held[leaf]
        before, after = (_in_loop(side, wide) for side in (trial.before, trial.after))
        turns = [{n: rows[turn] for n, rows in held.items()} for turn in range(count)]
        alone = [replace(trial, bindings={**trial.bindings, **turn}) for turn in turns]
        return Trial(before, after, bindings, trial.variables), alone

    def _values(
        self, trial: Trial, leaves: Sequence[UOp], nodes: Sequence[UOp], count: int
    ) -> Iterator[Array]:
        """Values of each memory in all turns; of an index, which names a place, always the same."""
        kinds = tuple(leaf.dtype for leaf in leaves)
        self.graphs += 1
        is_long = self.graphs % 2 == 0
        decks = [_deck(kind, is_long, *_near(kind, nodes)) for kind in kinds]
        step = max(trial.bindings[leaf].size for leaf in leaves)
        size = _prime_from(max(map(len, decks)))
        begun = self.begun[is_long, kinds]
        self.begun[is_long, kinds] += step * (count - 1)
        for place, (leaf, deck) in enumerate(zip(leaves, decks, strict=True)):
            now = trial.bindings[leaf]
            if self.finite and leaf.dtype.is_float:
                deck = deck[np.isfinite(deck.astype(np.float64))]
            if leaf.dtype is dtypes.index:
                rows = np.repeat(now[None], count, 0)
            elif self.calm and leaf.dtype.is_float:
                rows = self.rng.uniform(-2, 2, (count, *now.shape)).astype(now.dtype)
            else:
                turns = np.maximum(np.arange(count) - 1, 0)[:, None]
                at = begun + step * turns + np.arange(now.size)
                apart = _order(size)[at // size % size]
                rows = np.resize(deck, size)[(at + place * apart) % size]
                rows = rows.reshape(count, *now.shape)
            rows[0] = now
            yield rows


def _in_loop(root: UOp, wide: Mapping[UOp, UOp]) -> UOp:
    """A graph with a row for each memory; an element of it is one of all rows, to be written."""
    new: dict[UOp, UOp] = {}
    for node in root.toposort():
        src = tuple(new[s] for s in node.src)
        if node.op is Ops.INDEX and node.src[0] in wide:
            src = (*src[0].src, *src[1:])
        new[node] = wide[node] if node in wide else node.replace(src=src)
    return new[root]


def _most(nodes: Sequence[UOp]) -> int:
    """Elements of the largest value in all turns of the loops around it."""
    steps = [prod(int(r.vmax) + 1 for r in n.ranges) * prod(n.max_shape or ()) for n in nodes]
    return max(1, *steps)


@cache
def _order(size: int) -> Array:
    """How far apart two values of one deck are: not at all, by one, then any way."""
    far = (1 + np.arange(1, size) * int(size * _FAR)) % size
    return np.array([0, 1, size - 1, *(d for d in far.tolist() if d not in (0, 1, size - 1))])


@cache
def _prime_from(least: int) -> int:
    """The first prime that is no less: numbers of turns then meet each other once in its square."""
    while any(least % d == 0 for d in range(2, isqrt(least) + 1)):
        least += 1
    return least


def _near(kind: DType, nodes: Sequence[UOp]) -> tuple[tuple[DType, ...], tuple[float, ...]]:
    """The floats that a graph rounds to, and the numbers that it names."""
    floats = {n.dtype.scalar for n in nodes if n.dtype.is_float and n.dtype.scalar is not kind}
    consts = [n.arg for n in nodes if n.op is Ops.CONST]
    numbers = {v for v in consts if not isinstance(v, bool) and isfinite(v)}
    return tuple(sorted(floats, key=lambda f: f.name)), tuple(sorted(numbers))


@cache
def _deck(
    kind: DType, is_long: bool, floats: tuple[DType, ...], numbers: tuple[float, ...]
) -> Array:
    """Values of a dtype, in their order: what is special, and near to what a graph names; of a long
    deck powers of two too, and what the floats of the graph round to even."""
    rng = np.random.default_rng(0)
    decks = [special(kind)]
    if kind.is_float:
        decks += [named(numbers, kind)]
    elif not kind.is_bool:
        whole = {int(sign * v) + d for v in numbers for sign in (1, -1) for d in (-1, 0, 1)}
        decks += [np.array([v for v in whole if kind.min <= v <= kind.max], kind.np)]
    if is_long and not kind.is_bool and kind is not dtypes.index:
        decks += [powers(kind), *(halfway(into, _TIES, kind, rng) for into in floats)]
    bits = np.unique(np.concatenate(decks).view(bits_type(kind)))
    values = bits.view(kind.np)
    if not kind.is_float:
        return np.sort(values)
    sign = 1 << (kind.bits - 1)
    places = [sign - b if b & sign else b for b in bits.tolist()]
    return values[np.argsort(places, kind="stable")]
