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
    reorder(r1, r0)           the loop r1 goes around r0, if their kinds stand at one depth
    until(r1, r0)             r1 and other loops end at the number that r0 has at most by then,
                              for what they would compute beyond it counts for nothing
    simd(r3)                  the kind of r3

Alone, `beam(4)` asks for a search that holds the four best choices.

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
from rulewright.codegen.legal import Closers, check_choice, closers
from rulewright.codegen.pack import pack
from rulewright.codegen.tail import split_tail
from rulewright.codegen.until import Ends, ends_at
from rulewright.errors import ArgumentError, UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.shapes import Dim, as_dim
from rulewright.ir.uop import UOp

_STATEMENT = re.compile(r"(?:(r\d+(?:, r\d+)*) = )?(\w+)\((r\d+)((?:, r?\d+)*)\)")
_SIZED = ("split", "pad", "tail")
_PAIRS = ("merge", "join", "keep", "reorder", "until")
_IN_ORDER = ("loop", "reduce")
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


_SEARCH = re.compile(r"beam\(([1-9]\d*)\)")


def search_mark(width: int) -> str:
    """What stands in the place of choices that a search of this width is to find."""
    return f"beam({width})"


def search_width(ast: UOp) -> int:
    """How many kernels a search holds that is asked for in the place of choices; 0 if none is."""
    match = _SEARCH.fullmatch(ast.arg[1]) if ast.arg and ast.arg[1] else None
    return int(match[1]) if match else 0


def choices_text(given: str | Iterable[Choice]) -> str:
    """Choices, as text or as objects, in the one form in which they are printed.

    Raises UsageError for a text that is no choice, ArgumentError for what is neither.
    """
    if isinstance(given, str):
        return given if _SEARCH.fullmatch(given) else print_choices(parse_choices(given))
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    for choice in found:
        if not isinstance(choice, Choice):
            raise ArgumentError(f"axis choices: expected text or Choices, found {choice!r}")
    return print_choices(parse_choices(print_choices(found)))


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
        self._ends = Ends()
        self._load(self.ast)

    def _load(self, ast: UOp) -> None:
        self.ast = ast
        self._sizes: dict[int, Dim] = {}
        self._kinds: dict[int, str] = {}
        self._made_of: dict[int, Choice] = {}
        self._made_from: dict[int, tuple[int, ...]] = {}
        self._nodes: dict[int, UOp] = {}
        self._closers: dict[int, Closers] = {}
        self.moves: list[tuple[int, int]] = []  # (a loop, the one that it goes around)
        closed = closers(ast)
        for node in ast.toposort():
            if node.op is Ops.RANGE:
                self._add(node.arg[0], node.size, node.arg[1], closed.get(node, Closers()))
                self._nodes[node.arg[0]] = node
        self._next = max(self._next, 1 + max(self._sizes, default=-1))

    def _add(self, id: int, size: Dim, kind: str, closed: Closers) -> None:
        if id in self._sizes:
            raise UsageError(f"axis choices: there are two ranges r{id}")
        self._sizes[id], self._kinds[id], self._closers[id] = size, kind, closed

    # ---- what the heuristics use ----------------------------------------------------------

    def size(self, id: int) -> Dim:
        """Trip count of a range."""
        return self._sizes[id]

    def has(self, id: int) -> bool:
        """Whether there is such a range: one of a single value vanishes."""
        return id in self._sizes

    def kind(self, id: int) -> str:
        """The kind of a range now."""
        return self._kinds[id]

    def closers(self, id: int) -> Closers:
        """What closes a range, or the one that it was made of."""
        return self._closers[id]

    def sources(self, id: int) -> list[UOp]:
        """The ranges of the kernel, as it was last carried out, that a range is made of."""
        if id in self._nodes:
            return [self._nodes[id]]
        return [node for used in self._made_from[id] for node in self.sources(used)]

    def inside_padded(self, id: int) -> bool:
        """Whether a range is part of one that was padded, and not its outermost part."""
        inner = False
        while id in self._made_from:
            whole = self._made_of[self._made_from[id][0]]
            inner = inner or id != whole.makes[0]
            if whole.name == "pad":
                return inner
            id = whole.axis
        return False

    def open(self) -> list[int]:
        """The ranges that nothing was made of yet, in the order of their ids."""
        return [id for id in sorted(self._sizes) if self.is_whole(id)]

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

    def until(self, id: int, row: int) -> None:
        """Let a range, and others like it, end at the number of a row."""
        self.apply(Choice("until", id, row))

    def set_kind(self, kind: str, id: int) -> None:
        """Give a range its kind."""
        self.apply(Choice(kind, id))

    # ---- applying -------------------------------------------------------------------------

    def apply(self, choice: Choice) -> None:
        """Make one choice. Raises UsageError, and chooses nothing, for one that cannot be made."""
        if choice.name in ("merge", "tail", "keep", "pack", "until"):
            self._settle()
        check_choice(self, choice)
        self._carry_out(choice, [self._nodes[id] for id in choice.used if id in self._nodes])
        self.choices.append(choice)

    def _carry_out(self, choice: Choice, nodes: list[UOp]) -> None:
        name, axis = choice.name, choice.axis
        if name in ("split", "pad"):
            outer = _ceildiv(self._sizes[axis], choice.operand)
            self._make(choice, (outer, choice.operand))
            self._ends.cut(axis, choice.operand, choice.makes, self._sizes)
        elif name in ("merge", "join"):
            if name == "merge":
                check_merge(self.ast, *nodes)
            self._make(choice, (self._sizes[axis] * self._sizes[choice.operand],))
            self._made_of[choice.operand] = choice
            if name == "merge":
                self._settle()
        elif name == "keep":
            self._load(keep(self.ast, nodes[0], nodes[1], choice.makes[0]))
        elif name == "tail":
            self._load(split_tail(self.ast, nodes[0], choice.operand, choice.makes))
        elif name == "pack":
            self._load(pack(self.ast, nodes, choice.makes, self._clamped))
        elif name == "until":
            self._until(choice)
        elif name == "reorder":
            self.moves.append((axis, choice.operand))
        else:
            self._kinds[axis] = name

    def _make(self, choice: Choice, sizes: Sequence[Dim]) -> None:
        kind, closed = self._kinds[choice.axis], self._closers[choice.axis]
        for id, size in zip(choice.makes, sizes, strict=True):
            self._add(id, size, kind, closed)
            self._made_from[id] = choice.used
        self._made_of[choice.axis] = choice
        self._next = max(self._next, *(id + 1 for id in choice.makes))

    def _settle(self) -> None:
        """Carry out what was chosen so far, so that ranges are nodes again."""
        kinds = {id: node.arg[1] for id, node in self._nodes.items()}
        if self._made_of or self.moves or kinds != self._kinds:
            self._load(apply_axes(self))

    def graph(self) -> UOp:
        """The kernel with all choices made."""
        self._ends.hold = True
        made = apply_axes(self)
        self._ends.hold = False
        return made

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
        return UOp.range(self._end(id), id, self._kinds[id])

    def _until(self, choice: Choice) -> None:
        row = self._nodes.get(choice.operand)
        found = [] if row is None else [r.arg[0] for r in ends_at(self.ast, row)]
        if choice.axis not in found or row is None:
            raise UsageError(
                f"axis choices: `{choice}`: what r{choice.axis} computes beyond "
                f"r{choice.operand} may count"
            )
        self._ends.add(found, choice.operand, int(row.vmax))

    def _end(self, id: int) -> Dim:
        """The trip count of a loop: what it says, or less where it ends at a row."""
        size, found = self._sizes[id], self._ends.of(id)
        if found is None or self._kinds[id] not in _IN_ORDER:
            return size
        step, parts, highest = found
        last = UOp.index_const(0)
        for part, stride in parts:
            tile = self._kinds[part] not in (*_IN_ORDER, "block", "thread")
            number = UOp.index_const(int(self._sizes[part]) - 1) if tile else self.expression(part)
            last = _plus(last, _times(number, stride))
        last = last.alu(Ops.MIN, UOp.index_const(highest))
        end = (last // step + 1).alu(Ops.MIN, UOp.index_const(int(size)))
        return as_dim(rewrite(end, "symbolic"))  # one form, however it is asked for

    def ranges(self) -> dict[UOp, int]:
        """The ranges of the kernel as it came, with their ids."""
        return {node: id for id, node in self._nodes.items()}

    def gate(self, id: int) -> UOp | None:
        """The condition under which a cut range is inside its size; None if always."""
        choice = self._made_of.get(id)
        if choice is None or self.pads(id):
            return None
        found = [g for g in map(self.gate, choice.makes) if g is not None]
        size = self._sizes[id]
        even = isinstance(size, int) and choice.operand and size % choice.operand == 0
        if choice.name == "split" and not even:
            found.append(self.expression(id) < UOp.index_const(size))
        gate = None
        for part in found:
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
