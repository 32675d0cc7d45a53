"""Terms: graphs of elementwise ops in which variables and constants have names.

A term is what a rule's side becomes in text. Its dtypes are those of one instance; names stand for
columns of values, one of which is a row of samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops, op
from rulewright.ir.uop import UOp

Array = np.ndarray[Any, Any]
Columns = Mapping[str, Array]

LEAVES = (Ops.PARAM, Ops.VAR)
"""What stands for a variable in a graph that is enumerated."""


@dataclass(frozen=True)
class CandidateTerm:
    """`kind` is "op" (of `head`, an op's name), "var" or "const" (a name), or "value" (a number).

    `dtype` is scalar. A constant that is worked out is an "op" over constants.
    """

    kind: str
    head: Any
    dtype: DType
    parts: tuple[CandidateTerm, ...] = ()

    def walk(self) -> Iterator[CandidateTerm]:
        """This term and all below it, operands last."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def names(self, kind: str) -> list[str]:
        """The names of a kind, in the order of the text."""
        return list(dict.fromkeys(t.head for t in self.walk() if t.kind == kind))

    @property
    def worked_out(self) -> bool:
        """Whether this is a constant that is known while rewriting."""
        return self.kind != "var" and all(part.worked_out for part in self.parts)

    @property
    def size(self) -> int:
        """How many ops stand in it that remain when it is rewritten."""
        return 0 if self.kind == "var" or self.worked_out else 1 + sum(p.size for p in self.parts)


def term_of(node: UOp, names: Mapping[UOp, str]) -> CandidateTerm:
    """A graph as a term. `names` are those of its variables."""
    kind = node.dtype.scalar
    if node in names:
        return CandidateTerm("var", names[node], kind)
    if node.op is Ops.CONST:
        return CandidateTerm("value", node.arg, kind)
    return CandidateTerm("op", node.op.name, kind, tuple(term_of(s, names) for s in node.src))


def variables(node: UOp) -> list[UOp]:
    """The variables of a graph, in the order of the text."""
    leaves: dict[UOp, None] = {}

    def visit(at: UOp) -> None:
        if at.op in LEAVES:
            leaves[at] = None
        for source in at.src:
            visit(source)

    visit(node)
    return list(leaves)


def evaluate(term: CandidateTerm, columns: Columns) -> Array:
    """The column of a term's values; integers of the index type are taken to fit into 64 bits."""
    if term.kind in ("var", "const"):
        return columns[term.head]
    if term.kind == "value":
        return np.asarray(UOp.const(term.dtype, term.head).arg).astype(term.dtype.np)
    return apply(term.head, term.dtype, [(p.dtype, evaluate(p, columns)) for p in term.parts])


def apply(name: str, dtype: DType, operands: list[tuple[DType, Array]]) -> Array:
    """What an op makes of columns: the meaning that the interpreter runs."""
    kinds, arrays = zip(*operands, strict=True)
    kind = next((k for k in reversed(kinds) if k is not dtypes.bool), kinds[-1])
    return compute(op(name), dtype, None, arrays, kind)


def in_dtypes(term: CandidateTerm, kinds: Mapping[str, DType]) -> CandidateTerm:
    """The same term at other dtypes; those that are not named stay."""
    parts = tuple(in_dtypes(part, kinds) for part in term.parts)
    return replace(term, dtype=kinds.get(term.dtype.base, term.dtype), parts=parts)


def is_typed(term: CandidateTerm) -> bool:
    """Whether each op takes the dtypes that it is given here."""
    from rulewright.lang.build import load_table

    if term.kind != "op":
        return True
    row = op(term.head).row
    allowed = {name: frozenset(names) for name, names in row["tparams"]}
    bound: dict[str, str] = {}
    declared = [kind for _, kind, _ in row["params"]]
    pairs = [*zip(declared, (p.dtype.base for p in term.parts), strict=True)]
    for kind, base in [*pairs, (row["result"], term.dtype.base)]:
        if kind in allowed:
            fits = base in allowed[kind] and bound.setdefault(kind, base) == base
        else:
            fits = base in load_table()["dtype_sets"].get(kind, (kind,))
        if not fits:
            return False
    return all(is_typed(part) for part in term.parts)
