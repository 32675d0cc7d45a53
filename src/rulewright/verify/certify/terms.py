"""Terms: what an element of memory is, as an expression over what memory held at the start; and
their normal forms, under laws of arithmetic that a step is allowed to use.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from rulewright.interp.meaning import compute
from rulewright.interp.memory import INVALID
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops

Array = np.ndarray[Any, Any]


class TermNode(NamedTuple):
    """An op on terms, or a leaf: "held" (memory, element), "const" (its bits) or "start".

    Beside ops there are "memory", all that one holds, and "read", an element at a place.
    """

    op: Any
    dtype: str
    arg: Any
    src: tuple[int, ...]


class TermTable:
    """A table of terms; operands have smaller numbers than what was made of them."""

    def __init__(self) -> None:
        self.nodes: list[TermNode] = []
        self._known: dict[TermNode, int] = {}

    def add(self, node: TermNode) -> int:
        """The number of a term."""
        number = self._known.get(node)
        if number is None:
            number = self._known[node] = len(self.nodes)
            self.nodes.append(node)
        return number

    def held(self, name: str, kind: DType, count: int) -> Array:
        """What the elements of a memory were at the start."""
        numbers = [self.add(TermNode("held", kind.name, (name, i), ())) for i in range(count)]
        return np.array(numbers, np.int64)

    def const(self, kind: DType, value: Any) -> int:
        """A constant; one NaN is as good as another."""
        number = np.asarray(value).astype(kind.np)
        bits = "nan" if number != number else number.tobytes().hex()
        return self.add(TermNode("const", kind.name, bits, ()))

    def consts(self, kind: DType, values: Array) -> Array:
        """Constants, as many as there are values."""
        flat = np.ascontiguousarray(values).reshape(-1)
        bits = flat.view(f"u{flat.dtype.itemsize}")
        _, first, where = np.unique(bits, return_index=True, return_inverse=True)
        return np.array([self.const(kind, flat[i]) for i in first], np.int64)[where.reshape(-1)]

    def value(self, term: int) -> Any:
        """The number that a constant is; None for other terms."""
        node = self.nodes[term]
        if node.op != "const":
            return None
        kind = dtype(node.dtype).np
        return (
            kind.type(np.nan)
            if node.arg == "nan"
            else np.frombuffer(bytes.fromhex(node.arg), kind)[0]
        )

    def start(self, kind: DType) -> int:
        """What a sum of floats may begin with: 0.0, or nothing, which differs if all are -0.0."""
        return self.add(TermNode("start", kind.name, None, ()))

    def apply(self, op: Op, kind: DType, arg: Any, columns: Sequence[Array]) -> Array:
        """An op on each row of columns of terms; equal rows are one term."""
        rows = columns[0]
        for column in columns[1:]:
            rows = np.unique((rows << 32) | column, return_inverse=True)[1].reshape(-1)
        _, first, where = np.unique(rows, return_index=True, return_inverse=True)
        distinct = zip(*(column[first].tolist() for column in columns), strict=True)
        results = [self.node(op, kind, arg, row) for row in distinct]
        return np.array(results, np.int64)[where.reshape(-1)]

    def node(self, op: Op, kind: DType, arg: Any, src: tuple[int, ...]) -> int:
        """An op on terms; what is exactly the same, of any values, is said in one way."""
        moved = self._of_invalid(op, kind, arg, src)
        if moved is not None:
            return moved
        if all(self.nodes[s].op == "const" for s in src):
            return self._number(op, kind, arg, src)
        if op is Ops.SUB:
            return self.node(Ops.ADD, kind, None, (src[0], self._negated(kind, src[1])))
        if op is Ops.NEG:
            return self._negated(kind, src[0])
        if op is Ops.ADD and src[0] == src[1]:
            return self.node(Ops.MUL, kind, None, (src[0], self.const(kind, 2)))
        if op is Ops.CMPNE:
            return self.node(Ops.NOT, kind, None, (self.node(Ops.CMPEQ, kind, None, src),))
        if op is Ops.NOT and self.nodes[src[0]].op is op:
            return self.nodes[src[0]].src[0]
        if op is Ops.WHERE and (src[1] == src[2] or self.nodes[src[0]].op == "const"):
            return src[1] if self.value(src[0]) or src[1] == src[2] else src[2]
        if op.commutative:
            src = tuple(sorted(src))
        return self.add(TermNode(op, kind.name, arg, src))

    def _of_invalid(self, op: Op, kind: DType, arg: Any, src: tuple[int, ...]) -> int | None:
        """What is computed of an index that may be INVALID: that, or as a number 0."""
        is_index = kind.kind == "Index" and op is not Ops.WHERE
        if not is_index and op is not Ops.CAST:
            return None
        invalid = self.const(dtypes.index, INVALID)
        instead = invalid if is_index else self.const(kind, 0)
        for place, term in enumerate(src):
            node = self.nodes[term]
            if term == invalid:
                return instead
            if node.op is Ops.WHERE and node.src[2] == invalid:
                condition, inner, _ = node.src
                valid = self.node(op, kind, arg, (*src[:place], inner, *src[place + 1 :]))
                return self.node(Ops.WHERE, kind, None, (condition, valid, instead))
        return None

    def _number(self, op: Op, kind: DType, arg: Any, src: tuple[int, ...]) -> int:
        """What an op makes of constants."""
        values = [np.asarray(self.value(s)) for s in src]
        operand = dtype(self.nodes[src[-1]].dtype) if src else kind
        return self.const(kind, compute(op, kind, arg, values, operand))

    def _negated(self, kind: DType, term: int) -> int:
        """Minus a term: as a product, or the term that it is a product of."""
        minus = self.const(kind, -1)
        node = self.nodes[term]
        if node.op is Ops.MUL and len(node.src) == 2 and minus in node.src:
            return node.src[1] if node.src[0] == minus else node.src[0]
        return self.node(Ops.MUL, kind, None, (term, minus))

    def fold(self, op: Op, kind: DType, rows: Array) -> Array:
        """A reduction of each row of terms, in any order; a sum of floats has a start."""
        if op is Ops.ADD and kind.is_float:
            rows = np.pad(rows, ((0, 0), (0, 1)), constant_values=self.start(kind))
        return self.sums(kind, rows, op)

    def sums(self, kind: DType, rows: Array, op: Op = Ops.ADD) -> Array:
        """The terms of each row added up, or combined by another op, in any order."""
        if rows.shape[1] == 1:
            return rows[:, 0]
        ordered = np.sort(rows, axis=1)
        distinct = [self.add(TermNode(op, kind.name, None, tuple(row))) for row in ordered.tolist()]
        return np.array(distinct, np.int64)


class Read(NamedTuple):
    """What is read: an element's dtype, the terms of all elements, and the sizes of the axes."""

    kind: DType
    memory: int
    sizes: tuple[int, ...]


def memory_term(terms: TermTable, kind: DType, elements: Array) -> int:
    """All that a memory holds, as one term."""
    return terms.add(TermNode("memory", kind.name, None, tuple(elements.tolist())))


def read_terms(terms: TermTable, read: Read, columns: Sequence[Array]) -> Array:
    """What each row reads: 0 at an INVALID place, the other value behind the gate.

    The columns: an index an axis, how many elements behind, the gate, the other value.
    """
    rows, where = np.unique(np.stack(columns, 1), axis=0, return_inverse=True)
    distinct = [_read(terms, read, *row) for row in rows.tolist()]
    return np.array(distinct, np.int64)[where.reshape(-1)]


def _read(terms: TermTable, read: Read, *row: int) -> int:
    *indices, behind, gate, other = row
    split = [_split(terms, index) for index in indices]
    kind = dtype(terms.nodes[split[0][1]].dtype)
    place = terms.const(kind, 0)
    for (_, index), size in zip(split, read.sizes, strict=True):
        before = terms.node(Ops.MUL, kind, None, (place, terms.const(kind, size)))
        place = terms.node(Ops.ADD, kind, None, (before, index))
    place = terms.node(Ops.ADD, kind, None, (place, terms.const(kind, behind)))
    term = terms.add(TermNode("read", read.kind.name, None, (read.memory, place)))
    for conditions, _ in split:
        for condition in conditions:
            zero = terms.const(read.kind, 0)
            term = terms.node(Ops.WHERE, read.kind, None, (condition, term, zero))
    return terms.node(Ops.WHERE, read.kind, None, (gate, term, other))


def _split(terms: TermTable, index: int) -> tuple[list[int], int]:
    """The conditions under which an index is valid, and the index where it is."""
    conditions, invalid = [], terms.const(dtypes.index, INVALID)
    while terms.nodes[index].op is Ops.WHERE and terms.nodes[index].src[2] == invalid:
        condition, index, _ = terms.nodes[index].src
        conditions.append(condition)
    if index == invalid:
        return [terms.const(dtypes.bool, False)], terms.const(dtypes.index, 0)
    return conditions, index


# ---- normal forms of terms, under laws of arithmetic that a step is allowed to use, and by -------


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
        parts = [  # of operands that are forms of the same op themselves
            (inner, n * times)
            for s, times in counts.items()
            for inner, n in self._opened(self._forms[s], op, kind.name)
        ]
        if op is Ops.ADD:
            return self._sum(parts, kind)
        if op is Ops.MUL:
            return self._product(parts, kind)
        return self._set(parts, op, kind)

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
