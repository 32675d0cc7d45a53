"""The words that `shape` clauses of `spec/20-ops.uop` may use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp

Dim = Union[int, "UOp"]
"""A size: a whole number, or a symbolic index expression."""


def at_most(size: Dim) -> int:
    """A size, or the largest that a symbolic one can be."""
    return size if isinstance(size, int) else int(size.vmax)


def as_dim(size: Dim) -> Dim:
    """A size in normal form: constants become ints, symbolic ones are simplified."""
    if isinstance(size, int):
        return size
    if size.op.name == "CONST":
        known: int = size.arg
        return known
    simple = size.simplify()
    if simple.op.name == "ADD":
        return _sorted_sum(simple)
    return int(simple.arg) if simple.op.name == "CONST" else simple


def is_multiple(size: Dim, count: int) -> bool:
    """Whether a size is a multiple of a number, whatever its variables are."""
    return count > 0 and as_dim(size % count) == 0


def _sorted_sum(size: UOp) -> UOp:
    """A sum with its terms in one order, so that equal sizes are one node: i + j and j + i."""
    terms: list[UOp] = []
    stack = [size]
    while stack:
        term = stack.pop()
        if term.op.name == "ADD":
            stack += reversed(term.src)
        else:
            terms.append(term)
    ordered = sorted(terms, key=lambda t: (t.op.name == "CONST", t.render()))
    if ordered == terms:
        return size
    return reduce(add, ordered)


def dims(arg: Sequence[int | None], sizes: Sequence[UOp]) -> tuple[Dim, ...]:
    """Sizes of a movement argument: a `None` stands for the next source."""
    rest = iter(sizes)
    return tuple([next(rest) if size is None else size for size in arg])


def pairs(
    arg: Sequence[tuple[int | None, int | None]], sizes: Sequence[UOp]
) -> tuple[tuple[Dim, Dim], ...]:
    """Pairs of a PAD or SHRINK argument: a `None` stands for the next source."""
    rest: Iterator[Any] = iter(sizes)
    return tuple([(next(rest) if a is None else a, next(rest) if b is None else b) for a, b in arg])


def split_dims(sizes: Sequence[Dim]) -> tuple[tuple[int | None, ...], tuple[UOp, ...]]:
    """The inverse of `dims`: an argument and its trailing sources."""
    arg = tuple(s if isinstance(s, int) else None for s in sizes)
    return arg, tuple(s for s in sizes if not isinstance(s, int))


def none() -> None:
    """The shape of an effect: it has no value."""


SHAPE_NAMES: dict[str, Any] = {"dims": dims, "pairs": pairs, "none": none}
