"""Counts how often nodes are asked for their operands, which is what every walk does."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType

import pytest

from rulewright.ir import node as node_module
from rulewright.ir.node import Fields
from rulewright.ir.uop import UOp

DEPTHS = (6, 18, 60)
MOST_FIRST = 600_000
"""Reads at the first depth: a walk that takes a shared graph for a tree does a billion."""

MOST_GROWTH = 1.5
"""Each further level is as much work as those before; more than twice that, in these graphs, for
what looks at everything anew at each node."""

_SLOT = Fields.__dict__["src"]


class Reads(Counter[CodeType]):
    """Reads of `src`, by the function that did them."""

    def who(self) -> str:
        """The functions that read most."""
        return ", ".join(
            f"{code.co_filename.rpartition('rulewright/')[2]}:{code.co_name} ({count})"
            for code, count in self.most_common(4)
        )


@contextmanager
def counting(most: float = MOST_FIRST) -> Iterator[Reads]:
    """Inside the block, every read of a node's operands is counted, and who did it; above `most`
    the test fails."""
    read, caller = _SLOT.__get__, sys._getframe
    reads, count = Reads(), 0
    known = reads.get

    def counted(node: UOp) -> object:  # a million calls: nothing here is looked up
        nonlocal count, most
        code = caller(1).f_code
        reads[code] = known(code, 0) + 1
        count += 1
        if count > most:
            most = float("inf")  # while the failure is handled
            pytest.fail(f"more than linear: {count} reads of operands, by {reads.who()}")
        return read(node)

    with _reading(counted):
        yield reads


class _TooMany(BaseException):
    """More reads than there may be."""


def total_reads(run: Callable[[], object], most: float) -> int:
    """How often `run` reads operands: at half the cost of knowing who does."""
    read, count = _SLOT.__get__, 0

    def counted(node: UOp) -> object:
        nonlocal count
        count += 1
        if count > most:
            raise _TooMany
        return read(node)

    try:
        with _reading(counted):
            run()
    except _TooMany:
        with counting(most):  # says who it was
            run()
        pytest.fail(f"more than linear: {count} reads of operands, and fewer when done again")
    return count


@contextmanager
def _reading(counted: Callable[[UOp], object]) -> Iterator[None]:
    """Inside the block, operands are read by this function."""
    Fields.src = property(counted, _SLOT.__set__)
    kept, node_module._LEAST_KEPT = node_module._LEAST_KEPT, sys.maxsize
    try:  # a walk that is done again is counted again
        yield
    finally:
        Fields.src, node_module._LEAST_KEPT = _SLOT, kept


def check_growth(run: Callable[[int], object], depths: tuple[int, int, int] = DEPTHS) -> None:
    """Fail if what `run` does to a graph of some depth grows faster than the depth.

    What it does to any graph cancels out: differences are compared.
    """
    # rule sets are loaded, and kernels known that are the same at any depth
    total_reads(lambda: run(depths[0] + 1), MOST_FIRST)
    counts: list[int] = []
    for depth in depths:
        most = float(MOST_FIRST)
        if len(counts) == 2:
            level = max(counts[1] - counts[0], 0) / (depths[1] - depths[0])
            most = counts[1] + MOST_GROWTH * level * (depths[2] - depths[1]) + 1000
        counts.append(total_reads(lambda depth=depth: run(depth), most))
