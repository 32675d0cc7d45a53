"""Races that a rule makes: orders in which a kernel may run, of which the interpreter knows one.

There what is read without an AFTER is what was there before the kernel. On a machine it is what
stores before it left there, and work items run in any order. `check_races` tries indices without
data and lets most positions pass that are read; here they are as a trial has them.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rulewright.codegen.kinds import GRID
from rulewright.errors import ValidationError
from rulewright.interp.memory import INVALID
from rulewright.ir.dtypes import dtypes
from rulewright.ir.node import reached
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.validate.races import check_races

if TYPE_CHECKING:
    from rulewright.verify.prove.trial import Trial

Array = np.ndarray[Any, Any]
_MOST_STEPS = 1 << 16  # of a store's loops that are looked at


def races_anew(trial: Trial) -> str:
    """How what a rule made races, in a line; nothing where the graph before does so too."""
    nodes = trial.after.toposort()
    if not any(n.op is Ops.STORE and n.ranges for n in nodes):
        return ""
    races = _of_items if any(map(_is_item, nodes)) else _at_data
    return "" if races(trial, trial.before) else races(trial, trial.after)


def _of_items(trial: Trial, side: UOp) -> str:
    try:
        check_races(UOp.sink(side))
    except ValidationError as error:
        return str(error)
    return _at_data(trial, side)


def _at_data(trial: Trial, side: UOp) -> str:
    stores = [n for n in side.toposort() if n.op is Ops.STORE and n.src[0].op is Ops.INDEX]
    writes = [write for store in stores if (write := _write(trial, store)) is not None]
    return next(filter(None, (_stale(trial, w, writes) or _shared(w, writes) for w in writes)), "")


class _Write(NamedTuple):
    """A STORE, the memory that it writes, its loops with those that are work items first, and of
    each step of them the element, below 0 where there is none."""

    store: UOp
    memory: UOp
    loops: tuple[UOp, ...]
    places: Array

    @property
    def items(self) -> tuple[UOp, ...]:
        """Those of the loops that are work items."""
        return tuple(filter(_is_item, self.loops))

    def item_numbers(self) -> Array:
        """The work item of each step, as a number."""
        inner = prod(map(_size, self.loops[len(self.items) :]))
        return np.arange(self.places.size) // inner


def _is_item(node: UOp) -> bool:
    return node.op is Ops.RANGE and node.arg[1] in GRID


def _size(loop: UOp) -> int:
    return int(loop.vmax) + 1


def _write(trial: Trial, store: UOp) -> _Write | None:
    """What a STORE writes; None for what is no flat memory, or too much."""
    memory, *indices = store.src[0].src
    loops = tuple(sorted(store.ranges, key=lambda r: (not _is_item(r), r.arg[0])))
    if memory.base.op is not Ops.PARAM or len(indices) != 1:
        return None
    places = _places(trial, indices[0], store.src[2:], loops)
    return None if places is None else _Write(store, memory.base, loops, places)


def _places(
    trial: Trial, index: UOp, gates: tuple[UOp, ...], loops: tuple[UOp, ...]
) -> Array | None:
    """An index in each step of some loops; None where they are not counted, or too many."""
    steps = prod(map(_size, loops))
    if not 0 < steps <= _MOST_STEPS or any(r.src[0].op is not Ops.CONST for r in loops):
        return None
    if index.dtype is not dtypes.index or index.shape != ():  # of several elements at once
        return None
    for gate in gates:
        index = gate.where(index, UOp(Ops.INVALID, dtypes.index))
    if not loops:
        return np.ravel(trial.run(index))
    return np.ravel(trial.run(UOp(Ops.STAGE, dtypes.index, (index, *loops), "global")))


def _stale(trial: Trial, write: _Write, writes: list[_Write]) -> str:
    """How a store reads an element as it was before the kernel, though a store before it, or
    another step of its own, writes there."""
    earlier = write.store.toposort()
    others = [w for w in writes if w.memory is write.memory and w is not write]
    before = [w.places for w in others if w.store in earlier]
    unique, count = np.unique(write.places, return_counts=True)
    by_others = np.concatenate([unique[count > 1], *before])
    for read in _computed_from(write.store.src[1]):
        if read.op is not Ops.INDEX or read.src[0] is not write.memory or len(read.src) != 2:
            continue
        inner = tuple(r for r in read.toposort() if r.op is Ops.RANGE and r not in write.loops)
        places = _places(trial, read.src[1], (), (*write.loops, *inner))
        if places is None or read is write.store.src[0]:
            continue
        own = np.repeat(write.places, prod(map(_size, inner)))
        wrong = np.isin(places, by_others) | (np.isin(places, unique) & (places != own))
        wrong &= places >= 0
        if wrong.any():
            return f"element {places[wrong][0]} of what is written is read as it was before"
    return ""


def _shared(write: _Write, writes: list[_Write]) -> str:
    """How a work item goes on from an element that another one writes."""
    if not write.items or write.memory not in write.store.src[1].toposort():
        return ""
    alike = [w for w in writes if w.memory is write.memory and w.items == write.items]
    pairs = np.stack([np.concatenate([w.places for w in alike]),
                      np.concatenate([w.item_numbers() for w in alike])])  # fmt: skip
    unique, count = np.unique(np.unique(pairs, axis=1)[0], return_counts=True)
    shared = np.intersect1d(unique[(count > 1) & (unique != INVALID)], write.places)
    return f"race: several work items write element {shared[0]}" if shared.size else ""


def _computed_from(value: UOp) -> list[UOp]:
    """The nodes that a value is computed from, without effects that happened before."""
    return [*reached([value], lambda n: n.src[:1] if n.op is Ops.AFTER else n.src)]
