"""Normal forms of terms, under laws of arithmetic that a step is allowed to use, and by
them whether each value that one term may have is a value that another may have.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import chain, product

from rulewright.ir.dtypes import DType, dtype
from rulewright.ir.ops import Op, Ops
from rulewright.verify.certify.terms import TermNode, TermTable

Counts = dict[int, int]
"""Terms with how often each is a summand, or a factor."""

_FLAT = frozenset(o for o in Ops.group("Binary") if o.associative and o.commutative)
_SETS = frozenset(o for o in _FLAT if o.idempotent)


class Forms:
    """Normal forms: integers are a ring, floats are left alone.

    With `sums`, floats are added in any order and products may be fused into sums; with `products`
    they are multiplied in any order. Without `zeros`, sums do not tell 0.0 from nothing.
    """

    def __init__(
        self, terms: TermTable, sums: bool = False, products: bool = False, zeros: bool = True
    ) -> None:
        self.terms, self.sums, self.products, self.zeros = terms, sums, products, zeros
        self._forms: dict[int, int] = {}

    def of(self, root: int) -> int:
        """The normal form of a term."""
        stack: list[int] = [root]
        opened: dict[int, Counts | None] = {}
        while stack:
            at = stack[-1]
            if at in self._forms:
                stack.pop()
                continue
            if at not in opened:
                opened[at] = self._operands(at)
            counts = opened[at]
            operands = self.terms.nodes[at].src if counts is None else counts
            missing = [s for s in operands if s not in self._forms]
            if missing:
                stack.extend(missing)
                continue
            self._forms[at] = self._form(at, opened.pop(at))
        return self._forms[root]

    def parts(self, form: int) -> Counts:
        """The operands of a normal form, each with how often."""
        node = self.terms.nodes[form]
        counts = node.arg if self._law(node) and node.arg else [1] * len(node.src)
        total: Counts = {}
        for term, count in zip(node.src, counts, strict=True):
            total[term] = total.get(term, 0) + count
        return total

    def is_free(self, node: TermNode) -> bool:
        """Whether the operands of a term stand in no order."""
        return self._law(node) is not None or (isinstance(node.op, Op) and node.op.commutative)

    def _law(self, node: TermNode) -> Op | None:
        """The op whose nested uses are one use of many operands, if the node is one."""
        if node.op not in _FLAT and node.op is not Ops.MULACC:
            return None
        op = Ops.ADD if node.op is Ops.MULACC else node.op
        if not dtype(node.dtype).is_float or op in _SETS:
            return op
        free = self.sums if op is Ops.ADD else self.products
        return op if free else None

    def _operands(self, at: int) -> Counts | None:
        """The operands of a flat op, through all its nested uses; None for other ops."""
        op = self._law(self.terms.nodes[at])
        if op is None:
            return None
        waiting, heap, counts = {at: 1}, [-at], Counts()
        while heap:  # later terms first: each is opened once, however often it is used
            here = -heappop(heap)
            times = waiting.pop(here)
            for inner, count in self._opened(here, op, self.terms.nodes[at].dtype):
                into = counts if inner == here else waiting
                if into is waiting and inner not in waiting:
                    heappush(heap, -inner)
                into[inner] = into.get(inner, 0) + times * count
        return counts

    def _opened(self, at: int, op: Op, kind: str) -> list[tuple[int, int]]:
        """What a term is within a flat `op`: its operands with how often, or itself."""
        node = self.terms.nodes[at]
        if node.dtype == kind and node.op is op:
            return list(zip(node.src, node.arg or [1] * len(node.src), strict=True))
        if node.dtype == kind and node.op is Ops.MULACC and op is Ops.ADD:
            a, b, c = node.src
            return [(self.terms.node(Ops.MUL, dtype(kind), None, (a, b)), 1), (c, 1)]
        return [(at, 1)]

    def _form(self, at: int, counts: Counts | None) -> int:
        node = self.terms.nodes[at]
        if counts is None:
            src = tuple(self._forms[s] for s in node.src)
            if not src:
                return at
            if not isinstance(node.op, Op):
                return self.terms.add(node._replace(src=src))
            return self.terms.node(node.op, dtype(node.dtype), node.arg, src)
        op, kind = self._law(node), dtype(node.dtype)
        assert op is not None
        parts = list(
            chain.from_iterable(
                self._nested(self._forms[s], n, op, kind) for s, n in counts.items()
            )
        )
        if op is Ops.ADD:
            return self._sum(parts, kind)
        if op is Ops.MUL:
            return self._product(parts, kind)
        return self._set(parts, op, kind)

    def _nested(self, form: int, count: int, op: Op, kind: DType) -> list[tuple[int, int]]:
        """The parts of an operand that is a form of the same op itself."""
        opened = self._opened(form, op, kind.name)
        return [(s, n * count) for s, n in opened]

    def _sum(self, parts: list[tuple[int, int]], kind: DType) -> int:
        terms, counts, fixed = self.terms, Counts(), 0
        for term, count in parts:
            value = terms.value(term)
            if value is not None and not kind.is_float:
                fixed += int(value) * count
            else:
                counts[term] = counts.get(term, 0) + count
        if kind.is_float:
            return self._many(Ops.ADD, kind, self._with_zeros(counts, kind))
        whole = 1 << kind.bits
        some = {t: n % whole for t, n in counts.items() if n % whole}
        if fixed % whole or not some:
            some[terms.const(kind, _signed(fixed, kind))] = 1
        return self._many(Ops.ADD, kind, some)

    def _with_zeros(self, counts: Counts, kind: DType) -> Counts:
        """Summands of floats: -0.0 is nothing, and 0.0 once is as good as often."""
        zero, nothing = (self.terms.const(kind, z) for z in (0.0, -0.0))
        start = self.terms.start(kind)
        some = {t: n for t, n in counts.items() if t not in (zero, nothing, start)}
        if zero in counts and self.zeros:
            some[zero] = 1
        elif start in counts and self.zeros:
            some[start] = 1
        return some or {nothing: 1}

    def _product(self, parts: list[tuple[int, int]], kind: DType) -> int:
        terms, counts, fixed = self.terms, Counts(), 1
        for term, count in parts:
            node, value = terms.nodes[term], terms.value(term)
            if kind.is_float:
                counts[term] = counts.get(term, 0) + count
            elif value is not None:
                fixed *= int(value) ** count
            elif node.op is Ops.ADD and len(node.src) == 1:  # so many times another term
                fixed *= node.arg[0] ** count
                for inner, times in self._opened(node.src[0], Ops.MUL, kind.name):
                    counts[inner] = counts.get(inner, 0) + times * count
            else:
                counts[term] = counts.get(term, 0) + count
        if kind.is_float:
            return self._many(Ops.MUL, kind, counts)
        if not counts:
            return terms.const(kind, _signed(fixed, kind))
        return self._sum([(self._many(Ops.MUL, kind, counts), fixed)], kind)

    def _set(self, parts: list[tuple[int, int]], op: Op, kind: DType) -> int:
        times: Counts = {}
        for term, count in parts:
            times[term] = times.get(term, 0) + count
        nothing = self.terms.const(kind, op.identity(kind))
        kept = {t: 1 for t, n in times.items() if t != nothing and (op is not Ops.XOR or n % 2)}
        return self._many(op, kind, kept) if kept else nothing

    def _many(self, op: Op, kind: DType, counts: Counts) -> int:
        """A flat op on terms, each so often."""
        if len(counts) == 1 and set(counts.values()) == {1}:
            return next(iter(counts))
        src = tuple(sorted(counts))
        return self.terms.add(TermNode(op, kind.name, tuple(counts[s] for s in src), src))


def _signed(number: int, kind: DType) -> int:
    """A whole number as a value of an integer dtype, wrapped."""
    wrapped = number % (1 << kind.bits)
    return wrapped - (1 << kind.bits) if wrapped > int(kind.max) else wrapped


class Refinement:
    """Compares terms under laws. A sum that says no start may begin at 0.0 or at an operand."""

    def __init__(self, terms: TermTable, sums: bool = False, products: bool = False) -> None:
        self.terms = terms
        self.forms = Forms(terms, sums, products)
        self.loose = Forms(terms, sums, products, zeros=False)
        self._known: dict[tuple[int, int], bool] = {}

    def holds(self, before: int, after: int) -> bool:
        """Whether `after` is a value that `before` allows, whatever the leaves are."""
        root = self.forms.of(before), self.forms.of(after)
        stack = [root]
        while stack:
            pair = stack[-1]
            asked = () if pair in self._known else self._asked(*pair)
            missing = [p for p in asked or () if p not in self._known]
            if missing:
                stack.extend(missing)
                continue
            if pair not in self._known:
                self._known[pair] = asked is not None and all(self._known[p] for p in asked)
            stack.pop()
        return self._known[root]

    def _asked(self, before: int, after: int) -> list[tuple[int, int]] | None:
        """The pairs that must hold for two normal forms to; None if they cannot."""
        if before == after:
            return []
        if self.loose.of(before) != self.loose.of(after):
            return None
        one, other = self.terms.nodes[before], self.terms.nodes[after]
        kind = dtype(one.dtype)
        if not kind.is_float or Ops.ADD not in (one.op, other.op):
            if one.op is not other.op:
                return None
            if not self.forms.is_free(one):
                return list(zip(one.src, other.src, strict=True))
            return self._paired(self.forms.parts(before), self.forms.parts(after))
        old, new = self._summands(before), self._summands(after)
        zero, start = self.terms.const(kind, 0.0), self.terms.start(kind)
        free = start in old
        if not free and (start in new or (zero in old) != (zero in new)):
            return None
        for counts in (old, new):
            counts.pop(zero, None)
            counts.pop(start, None)
        return self._paired(old, new)

    def _summands(self, form: int) -> dict[int, int]:
        """The parts of a sum of floats, or of what is left of one with a single operand."""
        is_sum = self.terms.nodes[form].op is Ops.ADD
        return self.forms.parts(form) if is_sum else {form: 1}

    def _paired(self, old: dict[int, int], new: dict[int, int]) -> list[tuple[int, int]] | None:
        """Pairs of parts that are the same but for zeros; all of a kind must hold."""
        groups: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        for side, counts in enumerate((old, new)):
            for term, count in counts.items():
                groups.setdefault(self.loose.of(term), ({}, {}))[side][term] = count
        pairs: list[tuple[int, int]] = []
        for ours, theirs in groups.values():
            if sum(ours.values()) != sum(theirs.values()):
                return None
            if ours != theirs:
                pairs += product(ours, theirs)
        return pairs
