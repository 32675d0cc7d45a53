"""The language of axis choices: how the ranges of a kernel are cut, and what each part becomes.

A kernel comes with ranges of kind "loop" (parallel) and "reduce". Choices are a short program
over them that prints as text and reads back, one statement a choice:

    r2, r3 = split(r0, 16)    r0 == r2 * 16 + r3; a size that 16 does not divide is gated
    r2, r3 = pad(r0, 16)      the same, but the last value is computed again instead of a gate for
                              each read, and what is left over is not stored
    r4, r5 = tail(r1, 960)    the first 960 values and the rest, each with a copy of the body; of a
                              symbolic number, as many as are a multiple of it and the rest
    r6, r7, … = online(r1, 512) a row that is weighed by softmax and reduced along r1 and others is
                              done in blocks: r6 goes over them, r7 and the next go along one, for
                              each range of the row by number, then along what is left over, if any;
                              without names for that, the last block goes beyond the end of the row
    r6 = merge(r0, r1)        one range over both, where memory is stepped as if they were one
    r6 = join(r0, r1)         one range over both; r0 == r6 // size(r1), r1 == r6 % size(r1)
    r7 = keep(r1, r3)         what is computed along both is computed once, in a loop r7
    r7 = apart(r1)            what is reduced along r1 is computed before, in a loop r7 of its own
    r8, r9 = pack(r2, r1)     what is read along both, and again along others, is copied near by; if
                              r8 or r9 becomes local, into the memory of the workgroup, by all of
                              its items together
    r8, r9 = slide(r2, r3, r4) the same, but r9 goes over what windows r4 at places r3 read; others
                              may stand before and behind the pair
    r8, r9 = roll(r2, r3, r4, r5, r6) the same of windows r4 at rows r3 and r6 at columns r5, but r9
                              goes over rows one behind the other, each as long as r5: a window
                              goes on in the next row; with a number behind them, r9 goes on to
                              that many, for each position in a step of windows
    r8, r9 = hold(r2, r3, r4) what is reduced along all is put near by, in the order of r8 for r2
                              and r9 for the others as if they were one, before it is stored; with a
                              number behind them, r9 goes on to that many, and copies with it
    r7, r8, … = pieces(r0)    r0 is cut where conditions on it turn: each piece has a store of its
                              own, and loops of its own for r0 and what is inside of it
    reorder(r1, r0)           the loop r1 goes around r0, if their kinds stand at one depth
    until(r1, r0)             r1 and other loops end at the number that r0 has at most by then,
                              for what they would compute beyond it counts for nothing; of blocks,
                              the number is that of an element
    since(r1, r0)             r1 goes over blocks, backwards, and they begin at the number that r0
                              has at least
    tc(r3, r4, r5)            tensor cores multiply: r3 are the rows of the product, r4 its columns,
                              r5 is reduced, each as large as the target's small matrices, rows left
                              out where those have one; what is packed lies as the tiles of a CPU
                              take it
    warp(r3, r4, …)           the same for rows that are the result of one product and an operand of
                              the next: lanes hold the small matrices along r3, the row, and all
                              ranges of columns and steps, wherever they are stored, read or reduced
    simd(r3)                  the kind of r3
    thread(r5, r7)            threads share r5 and r7, over one of which each store loops: whoever
                              gets a part of the longest gets as much of the others

Alone, `beam(4)` asks for a search that holds the four best choices, and `blas` for a library that
multiplies the matrices in the place of a kernel with loops.

Kinds: thread, global, local, loop, block, stored, upcast, simd, vector for parallel ranges; reduce,
unroll, block, upcast, simd and group for reduced ones. The last three are lanes with accumulators
of their own, combined at the end; the iterations of a block are summed for all tiles and parallel
blocks before the next, and added to accumulators in memory near by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rulewright.codegen.kinds import RANK
from rulewright.errors import ArgumentError, UsageError
from rulewright.ir.uop import UOp

_STATEMENT = re.compile(r"(?:(r\d+(?:, r\d+)*) = )?(\w+)\((r\d+)((?:, r?\d+)*)\)")
SIZED = ("split", "pad", "tail", "online")
"""Choices that take a range and a size."""
PAIRS = ("merge", "join", "keep", "reorder", "until", "since")
"""Choices that take two ranges."""
LISTS = ("pack", "slide", "roll", "hold", "apart", "pieces")
"""Choices that take any number of ranges."""
COUNTED = ("hold", "roll")
"""Choices that may have a number behind ranges."""
SEVERAL = ("thread", "tc", "warp", *LISTS)
"""Choices that may take more than they have to."""
_NAMES = (*(kind for kind in RANK if kind != "lane"), *SIZED, *PAIRS, *LISTS)


@dataclass(frozen=True)
class Choice:
    """One statement: `makes = name(axis, operand)`; the operand is a size or another range.

    `pack`, `hold` and `thread` have any number of other ranges, in `others`; of `hold` and `roll`,
    the operand is how many the last one goes on to, or 0.
    """

    name: str
    axis: int
    operand: int = 0
    makes: tuple[int, ...] = ()
    others: tuple[int, ...] = ()

    def __str__(self) -> str:
        results = ", ".join(f"r{i}" for i in self.makes) + " = " if self.makes else ""
        other = "".join(f", r{id}" for id in self.others)
        if self.name in SIZED:
            other = f", {self.operand}"
        elif self.name in PAIRS:
            other = f", r{self.operand}"
        elif self.operand:
            other += f", {self.operand}"
        return f"{results}{self.name}(r{self.axis}{other})"

    @property
    def used(self) -> tuple[int, ...]:
        """The ranges that it takes."""
        pair = (self.operand,) if self.name in PAIRS else ()
        return (self.axis, *pair, *self.others)


def parse_choices(text: str) -> tuple[Choice, ...]:
    """Choices from their text. Raises UsageError for what is no choice."""
    choices = []
    for part in filter(None, (p.strip() for p in text.split(";"))):
        match = _STATEMENT.fullmatch(part)
        if match is None or match[2] not in _NAMES:
            raise UsageError(f"axis choices: expected such as `simd(r3)`, found `{part}`")
        makes = tuple(int(id[1:]) for id in (match[1] or "").split(", ") if id)
        words = match[4].split(", ")[1:]
        count = words.pop() if match[2] in COUNTED and words and words[-1].isdigit() else "0"
        others, operand = tuple(int(word.lstrip("r")) for word in words), int(count)
        if match[2] not in SEVERAL:
            operand, others = (others or (0,))[0], ()
        choices.append(Choice(match[2], int(match[3][1:]), operand, makes, others))
    return tuple(choices)


_SEARCH = re.compile(r"beam\(([1-9]\d*)\)")


LIBRARY = "blas"
"""What stands in the place of choices where a library does what a kernel says."""


def is_by_library(ast: UOp) -> bool:
    """Whether a library is asked for in the place of choices."""
    return bool(ast.arg) and ast.arg[1] == LIBRARY


def search_mark(width: int) -> str:
    """What stands in the place of choices that a search of this width is to find."""
    return f"beam({width})"


def search_width(ast: UOp) -> int:
    """How many kernels a search holds that is asked for in the place of choices; 0 if none is."""
    match = _SEARCH.fullmatch(ast.arg[1]) if ast.arg and ast.arg[1] else None
    return int(match[1]) if match else 0


def choices_text(choices: str | Iterable[Choice]) -> str:
    """Choices, as text or as objects, in the one form in which they are printed.

    Raises UsageError for a text that is no choice, ArgumentError for what is neither.
    """
    if isinstance(choices, str):
        is_mark = choices == LIBRARY or _SEARCH.fullmatch(choices)
        return choices if is_mark else print_choices(parse_choices(choices))
    things: tuple[object, ...]
    try:
        things = tuple(choices)
    except TypeError:  # one thing, or none
        things = (choices,)
    listed: list[Choice] = []
    for thing in things:
        if not isinstance(thing, Choice):
            raise ArgumentError(f"axis choices: expected text or Choices, found {thing!r}")
        listed.append(thing)
    return print_choices(parse_choices(print_choices(listed)))


def print_choices(choices: Iterable[Choice]) -> str:
    """Text that `parse_choices` reads."""
    return "; ".join(map(str, choices))
