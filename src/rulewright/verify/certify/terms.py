"""Terms: what an element of memory is, as an expression over what memory held at the start.

Equal expressions have one number. What hangs on nothing is computed and becomes a constant. A read
at a place that data says is a term of all that memory holds, and of the place.
"""

from __future__ import annotations

from collections.abc import Sequence
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
