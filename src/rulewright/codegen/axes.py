"""The ranges of a kernel while choices are made of them (see `choices` for their language)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import reduce
from math import prod
from operator import and_
from typing import Any

from rulewright.codegen.apply import apply_axes, check_merge
from rulewright.codegen.choices import LISTS, Choice
from rulewright.codegen.copies import apart, hold, keep, pack
from rulewright.codegen.cuts import (
    Ends,
    backwards,
    ends_at,
    hidden_blocks,
    loop_count,
    pieces,
    split_tail,
)
from rulewright.codegen.legal import Closers, check_choice, closers
from rulewright.codegen.online import online, range_count, row_ranges
from rulewright.codegen.windows import roll, slide
from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.shapes import Dim, as_dim, at_most, is_multiple
from rulewright.ir.uop import UOp

_IN_ORDER = ("loop", "reduce")
_CHANGED = (dict, list)
"""What is changed in place, rather than exchanged."""


@dataclass
class Axes:
    """A kernel whose ranges are being chosen. `graph()` is the kernel with the choices made."""

    ast: UOp
    choices: list[Choice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._next = 0
        self._clamped: dict[UOp, UOp] = {}  # what padding made of which index
        self._ends = Ends()
        self._sizes: dict[int, Dim] = {}
        self._vanished: dict[int, None] = {}  # ranges of one value that are in the kernel no more
        self._load(self.ast)

    def _load(self, ast: UOp) -> None:
        self.ast = ast
        self._vanished.update(dict.fromkeys(id for id, size in self._sizes.items() if size == 1))
        self._sizes = {}
        self._kinds: dict[int, str] = {}
        self._consumers: dict[int, Choice] = {}
        self._parents: dict[int, tuple[int, ...]] = {}
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
        """Whether there is such a range: one of a single value vanishes with the next copy."""
        return id in self._sizes

    def several(self, *ids: int) -> list[int]:
        """Those of some ranges that have more than one value."""
        return [id for id in ids if self._sizes.get(id, 1) != 1]

    def kind(self, id: int) -> str:
        """The kind of a range now."""
        return self._kinds[id]

    def closers(self, id: int) -> Closers:
        """What closes a range, or the one that it was made of."""
        return self._closers[id]

    def users(self, axis: UOp) -> UOp:
        """All that may use a range: the one store that closes it, else the kernel."""
        closed = self._closers[axis.arg[0]]
        alone = len(closed.ends) == 1 and not closed.reduces and not closed.stages
        return next(iter(closed.ends)) if alone else self.ast

    def sources(self, id: int) -> list[UOp]:
        """The ranges of the kernel, as it was last carried out, that a range is made of."""
        if id in self._nodes:
            return [self._nodes[id]]
        return [node for used in self._parents[id] for node in self.sources(used)]

    def is_joined(self, id: int) -> bool:
        """Whether a range was just made of several: of reduced ones, or of a known size in a kernel
        that reduces nothing."""
        parents = self._parents.get(id, ())
        by = self._consumers.get(parents[0]) if parents else None
        if by is None or by.name != "join":
            return False
        is_plain = not any(closed.reduces for closed in self._closers.values())
        return bool(self._closers[id].reduces) or (is_plain and isinstance(self._sizes[id], int))

    def inside_padded(self, id: int) -> bool:
        """Whether a range is part of one that was padded, and not its outermost part."""
        inner = False
        while id in self._parents:
            whole = self._consumers[self._parents[id][0]]
            inner = inner or id != whole.makes[0]
            if whole.name == "pad":
                return inner
            id = whole.axis
        return False

    def open(self) -> list[int]:
        """The ranges that nothing was made of yet, in the order of their ids."""
        return [id for id in sorted(self._sizes) if self.is_whole(id)]

    def _with_new(
        self, how: str, many: int, id: int, of: int = 0, others: tuple[int, ...] = ()
    ) -> Any:
        """Apply a choice that makes so many ranges; gives their ids."""
        ids = tuple(range(self._next, self._next + many))
        self.apply(Choice(how, id, of, ids, others))
        return ids

    def split(self, id: int, count: int) -> tuple[int, int]:
        """Cut a range in an outer and an inner one of `count`; gives their ids."""
        return self._with_new("split", 2, id, count)

    def pad(self, id: int, count: int) -> tuple[int, int]:
        """Cut a range in iterations of `count` of which the last may compute too much; both ids."""
        return self._with_new("pad", 2, id, count)

    def tail(self, id: int, count: int) -> tuple[int, int]:
        """Do the first `count` iterations and the rest separately; gives both ids."""
        return self._with_new("tail", 2, id, count)

    def online(self, id: int, count: int, beyond: bool = False) -> tuple[int, ...]:
        """Do a row that is weighed and reduced along a range in blocks of `count`, the last perhaps
        `beyond` its end; all new ids."""
        many = range_count(self.ast, self._nodes[id], count, beyond)
        return self._with_new("online", many, id, count)

    def merge(self, outer: int, inner: int, how: str = "merge") -> int:
        """One range for two ("merge", "join" or "keep"); gives its id."""
        return self._with_new(how, 1, outer, inner)[0]

    def as_one(self, ids: Sequence[int]) -> int:
        """One range for several, the outermost first; gives its id."""
        whole = ids[-1]
        for id in reversed(ids[:-1]):
            whole = self.merge(id, whole, "join")
        return whole

    def pack(self, *ids: int) -> tuple[int, ...]:
        """Copy near by what is read along these ranges; gives the ids of those of the copy."""
        return self._with_new("pack", len(ids), ids[0], 0, ids[1:])

    def until(self, id: int, row: int, how: str = "until") -> None:
        """Let a range, and others like it, end at the number of a row; or begin ("since")."""
        self.apply(Choice(how, id, row))

    def slide(self, *groups: tuple[int, ...]) -> tuple[int, ...]:
        """Copy near by what windows read along pairs of a place and a position, and along others.

        Gives the ids of the ranges of the copy, one for each pair and each other range.
        """
        first, *others = [id for group in groups for id in group]
        return self._with_new("slide", len(groups), first, 0, tuple(others))

    def roll(self, *groups: tuple[int, ...], count: int) -> tuple[int, ...]:
        """The same, but rows and columns, the last two groups, are one range of so many elements
        for each position in a step of windows."""
        first, *others = [id for group in groups for id in group]
        return self._with_new("roll", len(groups) - 1, first, count, tuple(others))

    def hold(self, *ids: int, count: int = 0) -> tuple[int, int]:
        """Put near by what is reduced along these ranges; gives the ids of the ranges there.

        If that is more than they have, the last one has so many iterations as `count` says.
        """
        return self._with_new("hold", 2, ids[0], count, ids[1:])

    def apart(self, id: int) -> int:
        """Compute before what is reduced along a range; gives the id of the range that does."""
        return self._with_new("apart", 1, id)[0]

    def pieces(self, id: int) -> tuple[int, ...]:
        """Cut a stored range where conditions on it turn; gives the ids of the loops of each."""
        return self._with_new("pieces", loop_count(self.ast, self._nodes[id]), id)

    def set_kind(self, kind: str, id: int, *others: int) -> None:
        """Give a range its kind, and others too that threads share beside it."""
        self.apply(Choice(kind, id, others=others))

    # ---- applying -------------------------------------------------------------------------

    def apply(self, choice: Choice) -> None:
        """Make one choice. Raises UsageError, and changes nothing, for one that cannot be made."""
        before = {k: copy(v) if isinstance(v, _CHANGED) else v for k, v in vars(self).items()}
        try:
            self._apply(choice)
        except UsageError:
            vars(self).update(before)
            raise

    def _apply(self, choice: Choice) -> None:
        if choice.name in ("tail", "online", "keep", "until", "since", "tc", *LISTS):
            self.settle()
        if choice.name in ("merge", "pad") and not all(id in self._nodes for id in choice.used):
            self.settle()
        if choice.name == "split" and self.is_joined(choice.axis):
            self.settle()  # an index of the whole is simpler than one of its parts
        before = {c.name for c in self._consumers.values()}
        looked_at = {"pad": {"merge", "split"}, "merge": set[str]()}.get(choice.name, {"merge"})
        if looked_at & before:
            self.settle()  # as where merged ranges or groups are looked at before the next choice
        if choice.name == "join" and not all(map(self.has, choice.used)):
            self._bring_back(*choice.used)
        check_choice(self, choice)
        self._carry_out(choice, [self._nodes[id] for id in choice.used if id in self._nodes])
        self.choices.append(choice)

    def _bring_back(self, *pair: int) -> None:
        """Have a range of a single value again that vanished, to be joined with another one."""
        for id, other in (pair, pair[::-1]):
            if id in self._vanished and self.has(other):
                self._add(id, 1, self._kinds[other], self._closers[other])

    def _carry_out(self, choice: Choice, nodes: list[UOp]) -> None:
        name, axis = choice.name, choice.axis
        if name in ("split", "pad"):
            outer = _ceildiv(self._sizes[axis], choice.operand)
            self._make(choice, (outer, choice.operand))
            self._ends.cut(axis, choice.operand, choice.makes, self._sizes)
        elif name in ("merge", "join"):
            if name == "merge":
                check_merge(self.users(nodes[0]), *nodes)
            self._make(choice, (as_dim(self._sizes[axis] * self._sizes[choice.operand]),))
            self._consumers[choice.operand] = choice
        elif name == "keep":
            self._load(keep(self.ast, nodes[0], nodes[1], choice.makes[0]))
        elif name == "tail":
            self._load(split_tail(self.ast, nodes[0], choice.operand, choice.makes))
        elif name == "online":
            self._online(choice, nodes[0])
        elif name in LISTS:
            self._load(self._copied(choice, nodes))
        elif name in ("until", "since"):
            self._until(choice)
        elif name == "reorder":
            self.moves.append((axis, choice.operand))
        else:
            self._kinds.update(dict.fromkeys(choice.used, name))

    def _online(self, choice: Choice, first: UOp) -> None:
        axes, (block, *parts) = row_ranges(self.ast, first), choice.makes
        self._load(online(self.ast, first, choice.operand, choice.makes))
        for axis, part in zip(axes, parts, strict=False):  # what is left over has no end
            self._ends.cut(axis.arg[0], choice.operand, (block, part), self._sizes)

    def _copied(self, choice: Choice, nodes: list[UOp]) -> UOp:
        """The kernel with something put near by."""
        if choice.name == "hold":
            return hold(self.ast, nodes, choice.makes, choice.operand)
        if choice.name == "roll":
            return roll(self.ast, nodes, choice.makes, self._clamped, choice.operand)
        if choice.name == "apart":
            return apart(self.ast, nodes, choice.makes[0])
        if choice.name == "pieces":
            return pieces(self.ast, nodes[0], choice.makes)
        copy = pack if choice.name == "pack" else slide
        return copy(self.ast, nodes, choice.makes, self._clamped)

    def _make(self, choice: Choice, sizes: Sequence[Dim]) -> None:
        kind, closed = self._kinds[choice.axis], self._closers[choice.axis]
        for id, size in zip(choice.makes, sizes, strict=True):
            self._add(id, size, kind, closed)
            self._parents[id] = choice.used
        self._consumers[choice.axis] = choice
        self._next = max(self._next, *(id + 1 for id in choice.makes))

    def settle(self) -> None:
        """Carry out what was chosen so far, so that ranges are nodes again."""
        kinds = {id: node.arg[1] for id, node in self._nodes.items()}
        if self._consumers or self.moves or kinds != self._kinds:
            self._load(apply_axes(self))

    def graph(self) -> UOp:
        """The kernel with all choices made."""
        self._ends.hold = True
        kernel = apply_axes(self)
        self._ends.hold = False
        return kernel

    def expression(self, id: int) -> UOp:
        """The index that an original or cut range became."""
        choice = self._consumers.get(id)
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
        choice = self._consumers.get(id)
        if choice is None or choice.name not in ("split", "pad"):
            return [id]
        return [part for piece in choice.makes for part in self.parts(piece)]

    def wholes(self, id: int) -> list[int]:
        """What a range became part of, and that of others, one after the other."""
        wholes: list[int] = []
        while (choice := self._consumers.get(id)) is not None and choice.name == "join":
            id = choice.makes[0]
            wholes.append(id)
        return wholes

    def makes(self, id: int) -> tuple[tuple[int, ...], int]:
        """What a range was cut into, and by what number."""
        return self._consumers[id].makes, self._consumers[id].operand

    def is_whole(self, id: int) -> bool:
        """Whether nothing was made of a range yet."""
        return id not in self._consumers

    def pads(self, id: int) -> bool:
        """Whether a range was padded to more than its size."""
        choice = self._consumers.get(id)
        if choice is None or choice.name != "pad":
            return False
        return not isinstance(self._sizes[id], int) or self._whole(id) != self._sizes[id]

    def room(self, id: int) -> int:
        """How many values a range has at most, with those that padding adds."""
        return self._whole(id) if self.pads(id) else at_most(self._sizes[id])

    def _whole(self, id: int) -> int:
        return prod(at_most(self._sizes[part]) for part in self.parts(id))

    def padded(self, id: int) -> tuple[UOp, UOp, UOp]:
        """A padded range: at most its last value, whether it is inside its size, and as it is.

        Inner parts that divide its size evenly stay what they are, so that neighbours stay ones.
        """
        parts, size = self.parts(id), self._sizes[id]
        even, first = 1, len(parts)
        while isinstance(size, int) and first > 1:
            more = even * int(self._sizes[parts[first - 1]])
            if size % more:
                break
            even, first = more, first - 1
        outer, inner = (rewrite(self._flat(p), "symbolic") for p in (parts[:first], parts[first:]))
        last = rewrite(UOp.index_const(size // even) - 1, "symbolic")
        highest = outer.alu(Ops.MIN, last)
        self._clamped[highest] = outer
        clamped = _plus(_times(highest, even), inner)
        return clamped, outer <= last, _plus(_times(outer, even), inner)

    def _flat(self, ids: list[int]) -> UOp:
        whole = UOp.index_const(0)
        for number, id in enumerate(ids):
            around = _times(whole, int(self._sizes[id])) if number else whole
            whole = _plus(around, self.expression(id))
        return whole

    def leaf(self, id: int) -> UOp:
        """A range that was not cut further; the constant 0 if it has one value."""
        if self._sizes[id] == 1:
            return UOp.index_const(0)
        return UOp.range(self._end(id), id, self._kinds[id])

    def _until(self, choice: Choice) -> None:
        row, begin = self._nodes.get(choice.operand), choice.name == "since"
        step_of = {} if row is None else {r: 1 for r in ends_at(self.ast, row) if not begin}
        if row is not None:
            step_of |= hidden_blocks(self.ast, row, begin)
        steps = {r.arg[0]: step for r, step in step_of.items()}
        if choice.axis not in steps or row is None:
            raise UsageError(
                f"axis choices: `{choice}`: what r{choice.axis} computes "
                f"{'before' if begin else 'beyond'} r{choice.operand} may count"
            )
        for block in step_of if begin else ():
            self._load(backwards(self.ast, block))
        self._ends.add(steps, choice.operand, int(row.vmax), begin)

    def _end(self, id: int) -> Dim:
        """The trip count of a loop: what it says, or less where it ends at a row."""
        size, bound, kind = self._sizes[id], self._ends.of(id), self._kinds[id]
        if bound is None or kind not in (*_IN_ORDER, "block"):
            return size
        last = UOp.index_const(0)
        outer = (*_IN_ORDER, "thread", "global", *(["block"] if kind != "block" else []))
        for part, stride in bound.parts:
            number = self.expression(part)
            if self._kinds[part] not in outer:
                number = UOp.index_const(0 if bound.begins else int(self._sizes[part]) - 1)
            last = _plus(last, _times(number, stride))
        last = last.alu(Ops.MIN, UOp.index_const(bound.highest)) // bound.step
        if bound.begins:
            end = (UOp.index_const(size) - last).alu(Ops.MAX, UOp.index_const(1))
        else:
            end = (last + 1).alu(Ops.MIN, UOp.index_const(size))
        return as_dim(rewrite(end, "symbolic"))  # one form, however it is asked for

    def ranges(self) -> dict[UOp, int]:
        """The ranges of the kernel as it came, with their ids."""
        return {node: id for id, node in self._nodes.items()}

    def gate(self, id: int) -> UOp | None:
        """The condition under which a cut range is inside its size; None if always."""
        choice = self._consumers.get(id)
        if choice is None or self.pads(id):
            return None
        conditions = [g for g in map(self.gate, choice.makes) if g is not None]
        size = self._sizes[id]
        if choice.name == "split" and not is_multiple(size, choice.operand):
            conditions.append(self.expression(id) < UOp.index_const(size))
        return reduce(and_, conditions) if conditions else None


def _ceildiv(size: Dim, count: int) -> Dim:
    if isinstance(size, int):
        return -(-size // count)
    return as_dim((size + (count - 1)) // count)  # one form, as where indices are simplified


def _times(node: UOp, factor: int) -> UOp:
    return node if node.op is Ops.CONST and node.arg == 0 else node * factor


def _plus(a: UOp, b: UOp) -> UOp:
    if a.op is Ops.CONST and a.arg == 0:
        return b
    return a if b.op is Ops.CONST and b.arg == 0 else a + b
