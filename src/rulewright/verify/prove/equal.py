"""Whether two graphs mean the same, for all sizes: z3 over their elements, induction over loops.

Two reductions are one if they have the same op and sizes and combine the same at every iteration.
One with a loop more than the other is one with it if, for each number of iterations, what is left
is what so many iterations give: for no iterations, one and two by looking, and for each more from
the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.interp.stores import plain
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.prove.arithmetic import SymbolicValue
from rulewright.verify.prove.elements import (
    ElementContext,
    Elements,
    UnknownReduction,
    stores_itself,
)
from rulewright.verify.prove.unknown import Opaque

Term = Any
Make = Callable[[], SymbolicValue]

_WORK = 6_000_000
_ROUNDED = (Ops.ADD, Ops.MUL)  # of floats, each result is another in another order
_DEEPEST = 3  # reductions within each other


class Question:
    """What is asked of z3 on one path. `open` is what could not be shown."""

    def __init__(self, elements: Elements) -> None:
        self.e, self.z3, self.paths = elements, elements.z3, elements.paths
        self.open: Term | None = None

    def _shown(self, conditions: Sequence[Term], goals: Sequence[Term]) -> bool:
        """Whether the goals follow."""
        goal = self.z3.And(*goals) if goals else self.z3.BoolVal(True, self.e.context)
        goal = self.z3.simplify(goal)
        if self.z3.is_true(goal):
            return True
        answer = self.paths.ask([*conditions, self.z3.Not(goal)], _WORK)
        if answer != self.z3.unsat:
            self.open = self.z3.And(*conditions, self.z3.Not(goal))
        return bool(answer == self.z3.unsat)


class Equality(Question):
    """One path's question: is the graph after the rule the graph before?"""

    def __init__(self, elements: Elements) -> None:
        super().__init__(elements)
        self.depth = 0

    # ---- graphs --------------------------------------------------------------------------------

    def holds(self, before: UOp, after: UOp) -> bool:
        """Whether one may stand for the other. Raises Opaque for what has no meaning here."""
        if before.dtype is dtypes.void:
            return self._effects(before, after)
        _require_effects(before, after)
        if len(before.shape or ()) != len(after.shape or ()):
            return False
        sizes = self.e.shape(before)
        known = [a == b for a, b in zip(sizes, self.e.shape(after), strict=True)]
        if not self._shown([], known):
            return False
        if before.op is Ops.RANGE and after.op is not Ops.RANGE:  # who loops over it goes once
            iterations = self.e.element(before.src[0], (), ElementContext()).raw
            if not self._shown([], [iterations == 1]):
                return False
        at = self.e.any_index(before)
        if before.op is Ops.INDEX:  # as in bounded runs: compared where all its indices are valid
            _, lost = self.e.indices(before, ElementContext())
            if not self._masked_alike(before, after, lost):
                return False
            if lost is not None:
                self.paths.assume(self.z3.Not(lost))
        return self.equal(
            lambda: self.e.element(before, at, ElementContext()),
            lambda: self.e.element(after, at, ElementContext()),
            [],
        )

    def _masked_alike(self, before: UOp, after: UOp, lost: Term | None) -> bool:
        """Whether elements of one memory, which a STORE may write, are both masked or neither."""
        if after.op is not Ops.INDEX or after.src[0] is not before.src[0]:
            return True
        _, other = self.e.indices(after, ElementContext())
        if lost is None and other is None:
            return True
        never = self.z3.BoolVal(False, self.e.context)
        sides = [never if side is None else side for side in (lost, other)]
        return self._shown([], [sides[0] == sides[1]])

    def _effects(self, before: UOp, after: UOp) -> bool:
        if before is after:
            return True
        bodies = [_iterations(side) for side in (before, after)]
        if bodies[0][1] != bodies[1][1]:
            raise Opaque("effects in other loops")
        before, after = bodies[0][0], bodies[1][0]
        if before is after:
            return True
        if before.op is not Ops.STORE or after.op is not Ops.STORE:
            raise Opaque("effects that are no STORE")
        return self._stores(before, after)

    def _stores(self, before: UOp, after: UOp) -> bool:
        """Writes to the same elements, of the same values, where they happen."""
        _require_effects(before, after)
        if stores_itself(before) and stores_itself(after):
            return True
        memory = [_memory(side) for side in (before, after)]
        if memory[0] is not memory[1]:
            raise Opaque("stores into other memory")
        whole = not any(side.src[0].op is Ops.INDEX for side in (before, after))
        at = self.e.any_index(memory[0]) if whole else ()
        first, conditions = self._meant(lambda: self._write(before, at))
        second, wanted = self._caught(lambda: self._write(after, at))
        (active, where, value), (active2, where2, value2) = first, second
        goals = [*wanted, active == active2]
        same = [a == b for a, b in zip(where, where2, strict=True)]
        same.append(self.e.arithmetic.equal(value, value2))
        goals.append(self.z3.Implies(active, self.z3.And(*same)))
        return self._shown(conditions, goals)

    def _write(
        self, store: UOp, at: tuple[Term, ...]
    ) -> tuple[Term, tuple[Term, ...], SymbolicValue]:
        """When a STORE happens, the place that it writes to, and the value."""
        e, target = self.e, store.src[0]
        active = e.paths.symbols.z3.BoolVal(True, e.context)
        where: tuple[Term, ...] = at
        if target.op is Ops.INDEX:
            where, lost = e.indices(target, ElementContext())
            active = active if lost is None else self.z3.Not(lost)
        for gate in store.src[2:]:
            active = self.z3.And(active, e.element(gate, (), ElementContext()).raw)
        if target.op is Ops.INDEX:
            if len(where) != len(target.src[0].shape or ()) or store.src[1].shape:
                raise Opaque("a store into part of a tensor by its index")
            with e.under(active):
                e.access(e.inside(where, e.shape(target.src[0])))
        value = e.element(store.src[1], at if store.src[1].shape else (), ElementContext())
        if target.op is Ops.BITCAST:
            value = e.arithmetic.apply(Ops.BITCAST, target.src[0].dtype, [value])
        return active, where, value

    # ---- values --------------------------------------------------------------------------------

    def _caught(self, make: Callable[[], Any]) -> tuple[Any, list[Term]]:
        """What is made, with the accesses that it makes."""
        outer, self.e.accesses = self.e.accesses, []
        self.e.compared = []
        result = make()
        accesses, self.e.accesses = self.e.accesses, outer
        return result, accesses

    def _meant(self, make: Callable[[], Any]) -> tuple[Any, list[Term]]:
        """The same of what was there before, of which it is known that it has a meaning."""
        result, accesses = self._caught(make)
        return result, [*accesses, *map(self.z3.Not, self.e.compared)]

    def _looked(
        self, make: Make, before: bool = False
    ) -> tuple[SymbolicValue, list[Term], list[UnknownReduction]]:
        outer, self.e.folds = self.e.folds, []
        value, accesses = self._meant(make) if before else self._caught(make)
        folds, self.e.folds = self.e.folds, outer
        return value, accesses, folds

    def equal(self, before: Make, after: Make, conditions: Sequence[Term]) -> bool:
        """Whether two values are one where `conditions` holds."""
        if self.depth > _DEEPEST:
            raise Opaque("reductions within reductions")
        self.depth += 1
        try:
            return self._equal(before, after, conditions)
        finally:
            self.depth -= 1

    def _equal(self, before: Make, after: Make, conditions: Sequence[Term]) -> bool:
        value, accesses, folds = self._looked(before, True)
        other, wanted, others = self._looked(after)
        known = [*conditions, *accesses]
        for fold in (*folds, *others):
            known += self._laws(fold, fold in folds)
        left = list(folds)
        for fold in others:
            pair = next((f for f in left if self._one(f, fold, known)), None)
            if pair is None:
                return self._fail(value.raw == other.raw)
            known.append(self.e.arithmetic.equal(pair.result, fold.result))
        for fold in folds if not others else ():  # no reduction is left: its loop has gone
            whole = len(fold.sizes) == 1 and value.raw.eq(fold.result.raw)
            if whole and self._by_induction(fold, after, known):
                return True
        return self._shown(known, [*wanted, self.e.arithmetic.equal(value, other)])

    def _fail(self, goal: Term) -> bool:
        self.open = self.z3.Not(goal)
        return False

    # ---- reductions ----------------------------------------------------------------------------

    def _laws(self, fold: UnknownReduction, was_there: bool) -> list[Term]:
        """Of no iterations the identity; of one iteration what is combined.

        A sum of floats may begin at 0.0, so a new one of one -0.0 need not be that.
        """
        kind, whole = fold.result.kind, self.z3
        identity = self.e.arithmetic.const(kind, fold.op.identity(kind))
        none = whole.Or(*[size <= 0 for size in fold.sizes])
        if kind.is_float and fold.op is Ops.ADD and not was_there:
            return [whole.Implies(none, self.e.arithmetic.equal(fold.result, identity))]
        once = whole.And(*[size == 1 for size in fold.sizes])
        with self.e.under(once):
            first, _, _ = self._looked(lambda: fold.body([self.paths.term(0)] * len(fold.sizes)))
        first = SymbolicValue(kind, self.e.arithmetic.exact(first), first.lost)
        return [
            whole.Implies(none, self.e.arithmetic.equal(fold.result, identity)),
            whole.Implies(once, self.e.arithmetic.equal(fold.result, first)),
        ]

    def _one(self, a: UnknownReduction, b: UnknownReduction, conditions: Sequence[Term]) -> bool:
        """Whether two reductions are one."""
        if a.op is not b.op or a.result.kind is not b.result.kind:
            return False
        missing = [k for k in a.keys if k not in b.keys]
        if len(a.keys) == len(b.keys):
            order = [b.keys.index(k) for k in a.keys] if not missing else range(len(a.keys))
        elif len(missing) == 1 and len(a.keys) == len(b.keys) + 1:
            return self._one_loop_less(a, b, missing[0], conditions)
        else:
            return False
        if list(order) != sorted(order) and not self._any_order(a):
            raise Opaque("floats in another order")
        if not self._shown(conditions, [a.sizes[i] == b.sizes[j] for i, j in enumerate(order)]):
            return False
        iterations = [self.e.fresh("r") for _ in a.keys]
        there = [iterations[list(order).index(j)] for j in range(len(b.keys))]
        inside = self.e.inside(iterations, a.sizes)
        return self.equal(lambda: a.body(iterations), lambda: b.body(there), [*conditions, inside])

    def _any_order(self, fold: UnknownReduction) -> bool:
        """Whether the order of iterations is nothing to a reduction.

        A sum of floats rounds, and of several NaNs a maximum is the first.
        """
        if not fold.result.kind.is_float:
            return True
        return fold.op not in _ROUNDED and self.e.arithmetic.any_nan

    def _one_loop_less(
        self, a: UnknownReduction, b: UnknownReduction, gone: Any, conditions: Sequence[Term]
    ) -> bool:
        """Whether `b` combines what all iterations of the loop `gone` give in `a`."""
        iterations = {key: self.e.fresh("r") for key in b.keys}
        sizes = dict(zip(a.keys, a.sizes, strict=True))
        equal = [sizes[k] == n for k, n in zip(b.keys, b.sizes, strict=True)]
        if not self._shown(conditions, equal):
            return False
        at = a.keys.index(gone)

        def body(values: Sequence[Term]) -> SymbolicValue:
            return a.body([values[0] if k is gone else iterations[k] for k in a.keys])

        inner = UnknownReduction(a.op, a.result, (gone,), (a.sizes[at],), body)
        inside = self.e.inside(list(iterations.values()), b.sizes)
        return self._by_induction(
            inner, lambda: b.body([iterations[k] for k in b.keys]), [*conditions, inside]
        )

    def _by_induction(
        self, fold: UnknownReduction, after: Make, conditions: Sequence[Term]
    ) -> bool:
        """Whether a value is what a loop gives, whatever number of iterations it has."""
        z3, kind = self.z3, fold.result.kind
        size = fold.sizes[0]
        value, wanted, folds = self._looked(after)
        if folds or not (z3.is_const(size) and not z3.is_int_value(size)):
            return False
        least = next(k for k in (2, 1, 0) if k == 0 or self._shown(conditions, [size >= k]))
        m, arithmetic = self.e.fresh("m"), self.e.arithmetic
        sorts = (arithmetic.sort(kind), z3.BoolSort(self.e.context))
        name = f"sum{len(self.e.memo)}"
        s, lost = (z3.Function(name + str(n), size.sort(), sort) for n, sort in enumerate(sorts))
        self.e.memo["sum", m] = s
        rule = [*conditions, least <= m, m <= size]
        identity = arithmetic.const(kind, fold.op.identity(kind))

        def of(count: Term) -> SymbolicValue:
            return SymbolicValue(kind, s(count), lost(count) if kind is dtypes.index else None)

        for count in (m, m - 1):
            first, known = self._iteration(fold, self.paths.term(0))
            last, more = self._iteration(fold, count - 1)
            combined = arithmetic.combine(fold.op, of(count - 1), last)
            unrolled = arithmetic.choose(count == 1, first, combined)
            unrolled = arithmetic.choose(count == 0, identity, unrolled)
            rule += [z3.Implies(count >= 1, condition) for condition in (*known, *more)]
            rule.append(z3.Implies(count >= 0, arithmetic.equal(of(count), unrolled)))

        def claimed(count: Term) -> Term:
            raw = z3.substitute(value.raw, (size, count))
            lost = None if value.lost is None else z3.substitute(value.lost, (size, count))
            return arithmetic.equal(of(count), SymbolicValue(kind, raw, lost))

        rule.append(z3.Implies(m - 1 >= least, claimed(m - 1)))
        return self._shown(rule, [claimed(m)]) and self._shown(conditions, wanted)

    def _iteration(self, fold: UnknownReduction, at: Term) -> tuple[SymbolicValue, list[Term]]:
        """What is combined in an iteration, and what is known as it has a meaning."""
        value, known, folds = self._looked(lambda: fold.body([at]), True)
        if folds:
            raise Opaque("a reduction in a loop that goes")
        return value, known


def _iterations(effect: UOp) -> tuple[UOp, list[UOp]]:
    """An effect without the loops that end around it, and these."""
    loops: list[UOp] = []
    while effect.op is Ops.END:
        loops += [r for r in effect.src[1:] if r.op is Ops.RANGE]
        effect = effect.src[0]
    return effect, loops


def _require_effects(before: UOp, after: UOp) -> None:
    """Raise Opaque where an effect below a node is none of what it becomes.

    It may go if it stores what is there; and if both are all of one memory, so that what they are
    worth says what that holds, if it stores into no other.
    """
    kept = set(after.toposort())
    lost = [n for n in before.toposort()[:-1] if n.dtype is dtypes.void and n not in kept]
    memory = plain(before)
    seen = memory is not None and memory is plain(after)
    for effect in lost:
        stores = seen and effect.op is Ops.STORE and plain(effect.src[0]) is memory
        if not stores and not stores_itself(effect):
            raise Opaque("an effect is lost")


def _memory(store: UOp) -> UOp:
    """What a STORE writes into."""
    target = store.src[0]
    return target.src[0] if target.op in (Ops.INDEX, Ops.BITCAST) else target
