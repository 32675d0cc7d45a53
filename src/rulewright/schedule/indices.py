"""Indices in their simplest form, while one graph is looked at: each is simplified once."""

from __future__ import annotations

from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.schedule.requests import trips

Indices = tuple[UOp, ...]


class SimpleIndices:
    """What became of indices so far."""

    def __init__(self) -> None:
        self.single: dict[UOp, UOp] = {}
        self.known: dict[Indices, Indices] = {}

    def of(self, index: UOp) -> UOp:
        """An index in its simplest form, where a loop of one iteration is at 0."""
        if index.op is Ops.RANGE or index.op is Ops.CONST:
            return index
        known = self.single.get(index)
        if known is not None:
            return known
        once = [r for r in index.ranges if trips(r) == 1]  # a loop of one iteration hides others
        index = index.substitute(dict.fromkeys(once, UOp.index_const(0))) if once else index
        return rewrite(index, "symbolic", memo=self.single)

    def all_of(self, indices: Indices) -> Indices:
        """The same of several: the very tuple that is given where all are in that form."""
        simple = self.known.get(indices)
        if simple is None:
            simple = tuple([self.of(index) for index in indices])
            simple = indices if simple == indices else simple
            self.known[indices] = self.known[simple] = simple
        return simple
