"""Gradients of linear ops for all sizes: the gradient is the transpose.

A movement, a sum along axes, a copy and a store take each element of their result from elements of
their operands, with factors of 1 or 0: `y[i]` is the sum of `x[j]` where R(i, j). So the gradient
is `h[j]`, the sum of `g[i]` where R(i, j). The answer of a rule is a chain of such ops itself, and
right if its own relation is R the other way round: z3 is asked for sizes and a pair of indices at
which they differ. It says nothing of rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.prove.derivative import CONSTANT, is_unseen
from rulewright.verify.prove.elements import At, ElementContext, Elements
from rulewright.verify.prove.equal import Question
from rulewright.verify.prove.unknown import Opaque

LINEAR = "over the reals"
"""What is assumed of a gradient that is proved."""

Term = Any
_SAME = Ops.group("Stored")
_MOVEMENT = Ops.group("Movement")
_ONTO = Ops.group("Onto")
_FREE = Ops.group("Turn")


class Transposed(Question):
    """One path's question: is the answer to GRAD(y, g) the gradient, for each source of y?"""

    def __init__(self, elements: Elements) -> None:
        super().__init__(elements)
        self.legal: list[Term] = []

    def holds(self, before: UOp, after: UOp) -> bool:
        """Whether each item is right. Raises Opaque where y, or an item, is no linear chain."""
        value, upstream = before.src
        self.value, self.upstream = value, upstream
        answers = after.src if after.op is Ops.TUPLE else (after,)
        stored = value.src[1] if value.op is Ops.STORE else value  # and not what it replaces
        if not stored.dtype.is_float or len(answers) > len(value.src):
            raise Opaque("a gradient of what is no float")
        self.result = self.e.any_index(stored, "i")
        return all(
            self._right(place, answers[place] if place < len(answers) else None)
            for place, source in enumerate(value.src)
            if source.dtype.is_float or source.op is Ops.STORE
        )

    def _right(self, place: int, answer: UOp | None) -> bool:
        source = self.value.src[place]
        source = source.src[1] if source.op is Ops.STORE else source
        at = self.e.any_index(source, "j")
        self.legal = []
        takes = self._takes(place, at, answer)
        before, self.legal = self.legal, []
        if answer is None or answer.op is Ops.NOGRAD:
            return self._shown(before, [self.z3.Not(takes)])
        if answer.dtype is not source.dtype or len(answer.shape or ()) != len(at):
            return False
        sizes = zip(self.e.shape(source), self.e.shape(answer), strict=True)
        self.e.accesses = []
        gives = self._gives(answer, at)
        wanted = [*[a == b for a, b in sizes], *self.legal, *self.e.accesses]
        return self._shown(before, [*wanted, takes == gives])

    # ---- the value -----------------------------------------------------------------------------

    def _takes(self, place: int, at: At, answer: UOp | None) -> Term:
        """Whether the element of the result takes the one at `at` of a source."""
        value, i = self.value, self.result
        if value.op in CONSTANT or (value.op is Ops.STORE and not place):
            return self._never()
        if value.op in _MOVEMENT:
            return self._moved(value, i, at)
        if value.op in _SAME or (value.op is Ops.STORE and len(value.src) == 2):
            return self._same(i, at)
        if value.op is Ops.REDUCE_AXIS and value.arg[0] is Ops.ADD:
            axes = value.arg[1]
            return self._same(
                i, [self.e.paths.term(0) if k in axes else j for k, j in _numbered(at)]
            )
        if value.op is Ops.AFTER and len(value.src) == 2 and value.src[1].op is Ops.STORE:
            return self._stored(place, at, answer)
        raise Opaque(f"{value.op} is not linear, or has no relation here")

    def _moved(self, view: UOp, i: At, j: At) -> Term:
        self.legal.append(self.e.legal(view))
        there, kept = self.e.moved_back(view, i)
        same = self._same(there, j)
        return same if kept is None else self.z3.And(kept, same)

    def _stored(self, place: int, at: At, answer: UOp | None) -> Term:
        """Memory after a STORE: the value where a view shows it, what was there elsewhere."""
        memory, store = self.value.src
        view, i = store.src[0], self.result
        if len(store.src) != 2:
            raise Opaque("a store behind a gate")
        if is_unseen(self.value):
            return self._never() if place else self._same(i, at)
        if view is memory:
            return self._same(i, at) if place else self._never()
        if place:
            return self._shows(view, memory, at, i)
        mask = answer.src[0] if answer is not None and answer.op is Ops.WHERE else None
        if mask is None or not self._covers(mask, view, memory):
            raise Opaque("where a view shows a memory is not known")
        return self.z3.And(self._same(i, at), self.z3.Not(self._element(mask, i)))

    def _shows(self, view: UOp, memory: UOp, at: At, there: At) -> Term:
        """Whether a view shows at `at` the element of the memory at `there`."""
        while view is not memory:
            if view.op not in _ONTO:
                raise Opaque(f"a store through {view.op}")
            self.legal.append(self.e.legal(view))
            at, view = self.e.moved_back(view, at)[0], view.src[0]
        return self._same(at, there)

    def _covers(self, mask: UOp, view: UOp, memory: UOp) -> bool:
        """Whether a mask holds exactly where a view shows the memory.

        It holds wherever that is; and where it holds, it is moved from the very place that does.
        """
        outer, self.legal = self.legal, []
        at, there = self.e.any_index(view, "k"), self.result
        shown = self._shows(view, memory, at, there)
        value, holds = mask, self._element(mask, there)
        place, kept = there, []
        while len(value.shape or ()) != len(at) or value.op in _MOVEMENT - {Ops.EXPAND}:
            if value.op not in _MOVEMENT:
                raise Opaque("a mask that is no moved view")
            place, inside = self.e.moved_back(value, place)
            kept += [] if inside is None else [inside]
            value = value.src[0]
        back = self._shows(view, memory, place, there)
        witness = self.z3.And(*kept, self.e.inside(place, self.e.shape(view)), back)
        before, self.legal = self.legal, outer + self.legal
        return self._shown(before, [self.z3.Implies(shown, holds), self.z3.Implies(holds, witness)])

    # ---- the answer ----------------------------------------------------------------------------

    def _gives(self, node: UOp, at: Sequence[Term | None]) -> Term:
        """Whether an element of the answer has the upstream gradient at the result's indices.

        An index None stands for all of its axis, which are summed.
        """
        if node is self.upstream:
            pairs = zip(at, self.result, strict=True)
            return self.z3.And(self._yes(), *[a == i for a, i in pairs if a is not None])
        if node.op in _SAME or (node.op is Ops.CAST and node.src[0].dtype.is_float):
            return self._gives(node.src[0], at)
        if node.op is Ops.REDUCE_AXIS and node.arg[0] is Ops.ADD:
            return self._gives(
                node.src[0], [None if k in node.arg[1] else a for k, a in _numbered(at)]
            )
        if node.op is Ops.WHERE and None not in at:
            return self._chosen(node, tuple(at))
        if node.op not in _MOVEMENT or (None in at and node.op not in _FREE):
            raise Opaque(f"an answer of {node.op}")
        self.legal.append(self.e.legal(node))
        if None in at:
            return self._gives(node.src[0], self._summed(node, at))
        there, kept = self.e.moved_back(node, tuple(at))
        rest = self._gives(node.src[0], there)
        return rest if kept is None else self.z3.And(kept, rest)

    def _summed(self, node: UOp, at: Sequence[Term | None]) -> list[Term | None]:
        """Indices behind a PERMUTE or a FLIP, some of which stand for all of their axis."""
        filled = tuple([self.e.paths.term(0) if a is None else a for a in at])
        there: list[Term | None] = list(self.e.moved_back(node, filled)[0])
        for axis, a in _numbered(at):
            if a is None:
                there[node.arg[axis] if node.op is Ops.PERMUTE else axis] = None
        return there

    def _chosen(self, node: UOp, at: At) -> Term:
        """A choice between a gradient and zero."""
        condition, yes, no = node.src
        holds = self._element(condition, at)
        if _is_zero(yes):
            return self.z3.And(self.z3.Not(holds), self._gives(no, at))
        if _is_zero(no):
            return self.z3.And(holds, self._gives(yes, at))
        raise Opaque("a choice between two gradients")

    # ---- terms ---------------------------------------------------------------------------------

    def _element(self, node: UOp, at: At) -> Term:
        return self.e.element(node, at if node.shape else (), ElementContext()).raw

    def _yes(self) -> Term:
        return self.z3.BoolVal(True, self.e.context)

    def _never(self) -> Term:
        return self.z3.BoolVal(False, self.e.context)

    def _same(self, a: Sequence[Term], b: Sequence[Term]) -> Term:
        return self.z3.And(self._yes(), *[x == y for x, y in zip(a, b, strict=True)])


def _numbered(at: Sequence[Any]) -> list[tuple[int, Any]]:
    return list(enumerate(at))


def _is_zero(node: UOp) -> bool:
    return node.op is Ops.CONST and node.arg == 0
