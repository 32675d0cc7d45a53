"""Memory of results: each run has new memory, which may be that of a result nobody has any more."""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any
from weakref import getweakrefcount

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import another, buffer_of

MOST_BYTES = 1 << 16  # larger memory costs little beside its kernels, and others may want it


class Spares:
    """For each result the node and memory of the last run, if they are small.

    They serve again once nobody refers to either and nothing has been noted about the node, so
    that nobody can tell them from new ones. That is so when as much refers to them as did when
    they were made.
    """

    def __init__(self, fresh: Sequence[UOp]) -> None:
        self._like = [(n, buffer_of(n)) if n.op is Ops.BUFFER else None for n in fresh]
        self._made: list[Any] = [(None, None)] * len(fresh)
        self._alone: list[tuple[int, int, int] | None] = [None] * len(fresh)

    def forget(self) -> None:
        """Whoever took a node was stopped before its memory was written: none serves again."""
        self._alone = [None] * len(self._alone)

    def _references(self, at: int) -> tuple[int, int, int]:
        node, buffer = self._made[at]
        return getrefcount(node), getweakrefcount(node), getrefcount(buffer)

    def take(self, at: int) -> tuple[UOp, Buffer, bool]:
        """A node and its memory for one result, and whether they are those of the last run."""
        if self._references(at) == self._alone[at]:
            return *self._made[at], True
        like = self._like[at]
        assert like is not None, "a gradient that is read has memory"
        made = another(*like)
        if like[1].nbytes <= MOST_BYTES:
            self._alone[at] = None
            self._made[at] = made
            self._alone[at] = self._references(at)
        return *made, False
