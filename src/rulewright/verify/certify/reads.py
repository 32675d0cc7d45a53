"""Reads at places that data says: a term of all that memory holds, and of the place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rulewright.interp.memory import INVALID
from rulewright.interp.values import Array
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Ops
from rulewright.verify.certify.terms import Node, Terms


class Read(NamedTuple):
    """What is read: an element's dtype, the terms of all elements, and the sizes of the axes."""

    kind: DType
    memory: int
    sizes: tuple[int, ...]


def memory_term(terms: Terms, kind: DType, elements: Array) -> int:
    """All that a memory holds, as one term."""
    return terms.add(Node("memory", kind.name, None, tuple(elements.tolist())))


def read_terms(terms: Terms, read: Read, columns: Sequence[Array]) -> Array:
    """What each row reads: 0 at an INVALID place, the other value behind the gate.

    The columns: an index an axis, how many elements behind, the gate, the other value.
    """
    rows, where = np.unique(np.stack(columns, 1), axis=0, return_inverse=True)
    made = [_read(terms, read, *row) for row in rows.tolist()]
    return np.array(made, np.int64)[where.reshape(-1)]


def _read(terms: Terms, read: Read, *row: int) -> int:
    *indices, behind, gate, other = row
    split = [_split(terms, index) for index in indices]
    kind = dtype(terms.nodes[split[0][1]].dtype)
    place = terms.const(kind, 0)
    for (_, index), size in zip(split, read.sizes, strict=True):
        before = terms.node(Ops.MUL, kind, None, (place, terms.const(kind, size)))
        place = terms.node(Ops.ADD, kind, None, (before, index))
    place = terms.node(Ops.ADD, kind, None, (place, terms.const(kind, behind)))
    found = terms.add(Node("read", read.kind.name, None, (read.memory, place)))
    for conditions, _ in split:
        for condition in conditions:
            zero = terms.const(read.kind, 0)
            found = terms.node(Ops.WHERE, read.kind, None, (condition, found, zero))
    return terms.node(Ops.WHERE, read.kind, None, (gate, found, other))


def _split(terms: Terms, index: int) -> tuple[list[int], int]:
    """The conditions under which an index is valid, and the index where it is."""
    conditions, invalid = [], terms.const(dtypes.index, INVALID)
    while terms.nodes[index].op is Ops.WHERE and terms.nodes[index].src[2] == invalid:
        condition, index, _ = terms.nodes[index].src
        conditions.append(condition)
    if index == invalid:
        return [terms.const(dtypes.bool, False)], terms.const(dtypes.index, 0)
    return conditions, index
