"""Axis choices: how the ranges of a kernel are cut, and what each part becomes.

A kernel comes with ranges of kind "loop" (parallel) and "reduce". Choices are a short program
over them that prints as text and reads back, one statement a choice:

    r2, r3 = split(r0, 16)    r0 == r2 * 16 + r3; a size that 16 does not divide is gated
    r2, r3 = pad(r0, 16)      the same, but the last value is computed again instead of a gate for
                              each read, and what is left over is not stored
    r4, r5 = tail(r1, 960)    the first 960 values and the rest, each with a copy of the body
    r6 = merge(r0, r1)        one range over both, where memory is stepped as if they were one
    r6 = join(r0, r1)         one range over both; r0 == r6 // size(r1), r1 == r6 % size(r1)
    r7 = keep(r1, r3)         what is computed along both is computed once, in a loop r7
    r8, r9 = pack(r2, r1)     what is read along both, and again along others, is copied near by
    simd(r3)                  the kind of r3

Kinds: thread, global, local, loop, block, upcast, simd, vector for parallel ranges; reduce, unroll,
block, upcast, simd and group for reduced ones. The last three are lanes with accumulators of their
own, combined at the end; the rounds of a block are summed for all tiles and parallel blocks before
the next, and added to accumulators in memory near by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod

from rulewright.codegen.apply import apply_axes, check_merge
from rulewright.codegen.keep import keep
from rulewright.codegen.kinds import RANK
from rulewright.codegen.pack import pack
from rulewright.codegen.tail import split_tail
from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp

_STATEMENT = re.compile(r"(?:(r\d+(?:, r\d+)*) = )?(\w+)\((r\d+)((?:, r?\d+)*)\)")
_SIZED = ("split", "pad", "tail")
_PAIRS = ("merge", "join", "keep")
_NAMES = (*RANK, *_SIZED, *_PAIRS, "pack")


@dataclass(frozen=True)
class Choice:
    """One statement: `makes = name(axis, operand)`; the operand is a size or another range.

    `pack` has any number of other ranges, in `others`.
    """

    name: str
    axis: int
    operand: int = 0
    makes: tuple[int, ...] = ()
    others: tuple[int, ...] = ()

    def __str__(self) -> str:
        made = ", ".join(f"r{i}" for i in self.makes) + " = " if self.makes else ""
        other = "".join(f", r{id}" for id in self.others)
        if self.name in _SIZED:
            other = f", {self.operand}"
        elif self.name in _PAIRS:
            other = f", r{self.operand}"
        return f"{made}{self.name}(r{self.axis}{other})"

    @property
    def used(self) -> tuple[int, ...]:
        """The ranges that it takes."""
        pair = (self.operand,) if self.name in _PAIRS else ()
        return (self.axis, *pair, *self.others)


def parse_choices(text: str) -> tuple[Choice, ...]:
    """Choices from their text. Raises UsageError for what is no choice."""
    found = []
    for part in filter(None, (p.strip() for p in text.split(";"))):
        match = _STATEMENT.fullmatch(part)
        if match is None or match[2] not in _NAMES:
            raise UsageError(f"axis choices: expected such as `simd(r3)`, found `{part}`")
        made = tuple(int(id[1:]) for id in (match[1] or "").split(", ") if id)
        others = tuple(int(word.lstrip("r")) for word in match[4].split(", ")[1:])
        operand = 0
        if match[2] != "pack":
            operand, others = (others or (0,))[0], ()
        found.append(Choice(match[2], int(match[3][1:]), operand, made, others))
    return tuple(found)


def print_choices(choices: Iterable[Choice]) -> str:
    """Text that `parse_choices` reads."""
    return "; ".join(map(str, choices))


@dataclass
class Axes:
    """A kernel whose ranges are being chosen. `graph()` is the kernel with the choices made."""

    ast: UOp
    choices: list[Choice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._next = 0
        self._clamped: dict[UOp, UOp] = {}  # what padding made of which index
        self._load(self.ast)

    def _load(self, ast: UOp) -> None:
        self.ast = ast
        self._sizes: dict[int, Dim] = {}
        self._kinds: dict[int, str] = {}
        self._made_of: dict[int, Choice] = {}
        self._nodes: dict[int, UOp] = {}
        for node in ast.toposort():
            if node.op is Ops.RANGE:
                self._add(node.arg[0], node.size, node.arg[1])
                self._nodes[node.arg[0]] = node
        self._next = max(self._next, 1 + max(self._sizes, default=-1))

    def _add(self, id: int, size: Dim, kind: str) -> None:
        if id in self._sizes:
            raise UsageError(f"axis choices: there are two ranges r{id}")
        self._sizes[id], self._kinds[id] = size, kind

    # ---- what the heuristics use ----------------------------------------------------------

    def size(self, id: int) -> Dim:
        """Trip count of a range."""
        return self._sizes[id]

    def has(self, id: int) -> bool:
        """Whether there is such a range: one of a single value vanishes."""
        return id in self._sizes

    def split(self, id: int, count: int) -> tuple[int, int]:
        """Cut a range in an outer and an inner one of `count`; gives their ids."""
        made = self._next, self._next + 1
        self.apply(Choice("split", id, count, made))
        return made

    def pad(self, id: int, count: int) -> tuple[int, int]:
        """Cut a range in rounds of `count` of which the last may compute too much; both ids."""
        made = self._next, self._next + 1
        self.apply(Choice("pad", id, count, made))
        return made

    def tail(self, id: int, count: int) -> tuple[int, int]:
        """Do the first `count` iterations and the rest separately; gives both ids."""
        made = self._next, self._next + 1
        self.apply(Choice("tail", id, count, made))
        return made

    def merge(self, outer: int, inner: int, how: str = "merge") -> int:
        """One range for two ("merge", "join" or "keep"); gives its id."""
        self.apply(Choice(how, outer, inner, (self._next,)))
        return self._next - 1

    def pack(self, *ids: int) -> tuple[int, ...]:
        """Copy near by what is read along these ranges; gives the ids of those of the copy."""
        made = tuple(range(self._next, self._next + len(ids)))
        self.apply(Choice("pack", ids[0], 0, made, ids[1:]))
        return made

    def set_kind(self, kind: str, id: int) -> None:
        """Give a range its kind."""
        self.apply(Choice(kind, id))

    # ---- applying -------------------------------------------------------------------------

    def apply(self, choice: Choice) -> None:
        """Make one choice. Raises UsageError for a range that does not exist any more."""
        if choice.name in ("merge", "tail", "keep", "pack"):
            self._settle()
        used = choice.used
        for id in used:
            if id not in self._sizes or id in self._made_of:
                raise UsageError(f"axis choices: `{choice}`: there is no range r{id} now")
        self.choices.append(choice)
        kind = self._kinds[choice.axis]
        if choice.name in ("split", "pad"):
            size = self._sizes[choice.axis]
            if choice.name == "pad":
                self._check_pad(choice)
            outer = _ceildiv(size, choice.operand)
            self._make(choice, (outer, choice.operand), kind)
        elif choice.name in ("merge", "join"):
            if choice.name == "merge":
                check_merge(self.ast, *(self._nodes[id] for id in used))
            size = self._sizes[choice.axis] * self._sizes[choice.operand]
            self._make(choice, (size,), kind)
            self._made_of[choice.operand] = choice
            if choice.name == "merge":
                self._settle()
        elif choice.name == "keep":
            nodes = [self._nodes[id] for id in used]
            self._load(keep(self.ast, nodes[0], nodes[1], choice.makes[0]))
        elif choice.name == "tail":
            self._tail(choice)
        elif choice.name == "pack":
            nodes = [self._nodes[id] for id in used]
            self._load(pack(self.ast, nodes, choice.makes, self._clamped))
        else:
            self._kinds[choice.axis] = choice.name

    def _make(self, choice: Choice, sizes: Sequence[Dim], kind: str) -> None:
        for id, size in zip(choice.makes, sizes, strict=True):
            self._add(id, size, kind)
        self._made_of[choice.axis] = choice
        self._next = max(self._next, *(id + 1 for id in choice.makes))

    def _check_pad(self, choice: Choice) -> None:
        id = choice.axis
        reduced = {r for n in self.ast.toposort() if n.op is Ops.REDUCE for r in n.src[1:]}
        if self._nodes.get(id) in reduced or not isinstance(self._sizes[id], int):
            raise UsageError(
                f"axis choices: `{choice}`: only a stored range of known size is padded"
            )

    def _tail(self, choice: Choice) -> None:
        self._load(split_tail(self.ast, self._nodes[choice.axis], choice.operand, choice.makes))

    def _settle(self) -> None:
        """Carry out what was chosen so far, so that ranges are nodes again."""
        if self._made_of:
            self._load(self.graph())

    def graph(self) -> UOp:
        """The kernel with all choices made."""
        return apply_axes(self)

    def expression(self, id: int) -> UOp:
        """The index that an original or cut range became."""
        choice = self._made_of.get(id)
        if choice is None:
            return self.leaf(id)
        if choice.name in ("merge", "join"):
            whole = self.expression(choice.makes[0])
            if choice.name == "merge":
                return whole if id == choice.operand else UOp.index_const(0)
            inner = UOp.index_const(self._sizes[choice.operand])
            return whole // inner if id == choice.axis else whole % inner
        if self.pads(id):
            return self.padded(id)[0]
        outer, inner = (self.expression(i) for i in choice.makes)
        return _plus(_times(outer, choice.operand), inner)

    def parts(self, id: int) -> list[int]:
        """The ranges that one was cut into, outermost first; itself if it was not."""
        choice = self._made_of.get(id)
        if choice is None or choice.name not in ("split", "pad"):
            return [id]
        return [part for made in choice.makes for part in self.parts(made)]

    def is_whole(self, id: int) -> bool:
        """Whether nothing was made of a range yet."""
        return id not in self._made_of

    def pads(self, id: int) -> bool:
        """Whether a range was padded to more than its size."""
        choice = self._made_of.get(id)
        if choice is None or choice.name != "pad":
            return False
        return prod(int(self._sizes[p]) for p in self.parts(id)) != self._sizes[id]

    def padded(self, id: int) -> tuple[UOp, UOp, UOp]:
        """A padded range: at most its last value, whether it is inside its size, and as it is.

        Inner parts that divide its size evenly stay what they are, so that neighbours stay ones.
        """
        parts, size = self.parts(id), int(self._sizes[id])
        even, first = 1, len(parts)
        while first > 1 and size % (even * int(self._sizes[parts[first - 1]])) == 0:
            first -= 1
            even *= int(self._sizes[parts[first]])
        outer, inner = (self._flat(p) for p in (parts[:first], parts[first:]))
        last = UOp.index_const(size // even - 1)
        highest = outer.alu(Ops.MIN, last)
        self._clamped[highest] = outer
        clamped = _plus(_times(highest, even), inner)
        return clamped, outer <= last, _plus(_times(outer, even), inner)

    def _flat(self, ids: list[int]) -> UOp:
        whole = UOp.index_const(0)
        for id in ids:
            whole = _plus(_times(whole, int(self._sizes[id])), self.expression(id))
        return whole

    def leaf(self, id: int) -> UOp:
        """A range that was not cut further; the constant 0 if it has one value."""
        if self._sizes[id] == 1:
            return UOp.index_const(0)
        return UOp.range(self._sizes[id], id, self._kinds[id])

    def ranges(self) -> dict[UOp, int]:
        """The ranges of the kernel as it came, with their ids."""
        return {node: id for id, node in self._nodes.items()}

    def gate(self, id: int) -> UOp | None:
        """The condition under which a cut range is inside its size; None if always."""
        choice = self._made_of.get(id)
        if choice is None or choice.name != "split":
            return None
        size = self._sizes[id]
        inner = [g for g in map(self.gate, choice.makes) if g is not None]
        if not (isinstance(size, int) and size % choice.operand == 0):
            inner.append(self.expression(id) < UOp.index_const(size))
        gate = None
        for part in inner:
            gate = part if gate is None else gate & part
        return gate


def _ceildiv(size: Dim, count: int) -> Dim:
    if isinstance(size, int):
        return -(-size // count)
    return (size + (count - 1)) // count


def _times(node: UOp, factor: int) -> UOp:
    return node if node.op is Ops.CONST and node.arg == 0 else node * factor


def _plus(a: UOp, b: UOp) -> UOp:
    if a.op is Ops.CONST and a.arg == 0:
        return b
    return a if b.op is Ops.CONST and b.arg == 0 else a + b
