"""Terms: graphs of elementwise ops in which variables and constants have names; and the bank of
them by size, each the first of its value among those that no rule rewrites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops, op as op_named
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.verify.values.comparison import key
from rulewright.verify.values.samples import COUNT, Array

Columns = Mapping[str, Array]
Numbers = Mapping[str, tuple[DType, Any]]
"""Names of constants, each with its dtype and its value."""
Ends = Mapping[str, tuple[int, int]]
"""Names of variables, each with its bounds."""

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

    def changed(self, change: Callable[[CandidateTerm], CandidateTerm | None]) -> CandidateTerm:
        """This term with each outermost part for which `change` gives another one as that."""
        new = change(self)
        if new is not None:
            return new
        return replace(self, parts=tuple(part.changed(change) for part in self.parts))

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
    return compute(op_named(name), dtype, None, arrays, kind)


def in_dtypes(term: CandidateTerm, kinds: Mapping[str, DType]) -> CandidateTerm:
    """The same term at other dtypes; those that are not named stay."""
    parts = tuple(in_dtypes(part, kinds) for part in term.parts)
    return replace(term, dtype=kinds.get(term.dtype.base, term.dtype), parts=parts)


def is_typed(term: CandidateTerm) -> bool:
    """Whether each op takes the dtypes that it is given here."""
    if term.kind != "op":
        return True
    op = op_named(term.head)
    bound: dict[str, str] = {}
    declared = [kind for _, kind, _ in op.params]
    pairs = [*zip(declared, (p.dtype.base for p in term.parts), strict=True)]
    for kind, base in [*pairs, (op.result, term.dtype.base)]:
        if kind in op.tparams:
            fits = base in op.tparams[kind] and bound.setdefault(kind, base) == base
        else:
            fits = base in load_table()["dtype_sets"].get(kind, (kind,))
        if not fits:
            return False
    return all(is_typed(part) for part in term.parts)


# ---- terms by size, each the first of its value among those that no rule rewrites ----------------


Normal = Callable[[UOp], UOp]


class Candidate(NamedTuple):
    """A graph of so many ops, and the column of its values."""

    node: UOp
    size: int
    values: Array

    @property
    def key(self) -> tuple[DType, bytes]:
        """What graphs of the same values share."""
        return self.node.dtype, key(self.values, COUNT)


class Work:
    """How many terms may be looked at, and how many were. `done` is told now and then."""

    def __init__(self, limit: int, done: Callable[[int], None] | None = None) -> None:
        self.limit, self.count, self.done = limit, 0, done

    def spend(self) -> bool:
        """Count one more; whether it may be looked at."""
        if self.full:
            return False
        self.count += 1
        if self.count % 256 == 0:
            self.tell()
        return True

    @property
    def full(self) -> bool:
        """Whether no more may be looked at."""
        return self.count >= self.limit

    def tell(self) -> None:
        """Say how many there were."""
        if self.done is not None:
            self.done(self.count)


def signatures(op: Op, kinds: Sequence[DType]) -> Iterator[tuple[tuple[DType, ...], DType]]:
    """The dtypes of operands, and of the result, that an op may have among some dtypes."""
    by_name = {kind.base: kind for kind in kinds}
    sets = load_table()["dtype_sets"]
    allowed = {name: [n for n in names if n in by_name] for name, names in op.tparams.items()}
    slots = [kind for _, kind, _ in op.params]
    free = [i for i, kind in enumerate(slots) if kind not in allowed]
    choices = [[n for n in sets.get(slots[i], (slots[i],)) if n in by_name] for i in free]
    for own in product(*allowed.values()):
        bound = dict(zip(allowed, own, strict=True))
        for other in product(*choices):
            extra = dict(zip(free, other, strict=True))
            operands = tuple(dtype(extra.get(i) or bound[kind]) for i, kind in enumerate(slots))
            result = dtype(bound.get(op.result, op.result))
            if op is Ops.BITCAST and operands[0].itemsize != result.itemsize:
                continue
            yield operands, result


class Bank:
    """Grows terms of one more op at a time; `normal` says what the rules make of one."""

    def __init__(
        self,
        leaves: Sequence[Candidate],
        ops: Sequence[Op],
        kinds: Sequence[DType],
        normal: Normal,
        work: Work,
    ) -> None:
        self.normal, self.work = normal, work
        self.signatures = [(op, *s) for op in ops for s in signatures(op, kinds)]
        self.levels: list[list[Candidate]] = [[]]
        self.first: dict[tuple[DType, bytes], Candidate] = {}
        for leaf in leaves:
            if self.first.setdefault(leaf.key, leaf) is leaf:
                self.levels[0].append(leaf)

    def grow(self) -> Iterator[tuple[Candidate, Candidate]]:
        """Terms of one op more; each that has the value of an earlier one, with that one."""
        size = len(self.levels)
        level: list[Candidate] = []
        for op, operands, result in self.signatures:
            for chosen in self._operands(op, operands, size - 1):
                if not self.work.spend():
                    self.levels.append(level)
                    return
                entry = self._entry(op, chosen, result, size)
                if entry is None:
                    continue
                known = self.first.setdefault(entry.key, entry)
                if known is entry:
                    level.append(entry)
                else:
                    yield entry, known
        self.levels.append(level)

    def _entry(
        self, op: Op, chosen: Sequence[Candidate], result: DType, size: int
    ) -> Candidate | None:
        """A term that no rule rewrites; of a commutative op either way round. None of constants."""
        if all(e.node.op is Ops.CONST for e in chosen):
            return None
        ways = [chosen, chosen[::-1]] if op.commutative else [chosen]
        for operands in ways:
            node = UOp(op, result, tuple(e.node for e in operands))
            if self.normal(node) is node:
                values = apply(op.name, result, [(e.node.dtype, e.values) for e in operands])
                return Candidate(node, size, values)
        return None

    def _operands(
        self, op: Op, kinds: Sequence[DType], size: int
    ) -> Iterator[tuple[Candidate, ...]]:
        """Known terms of these dtypes with so many ops in all."""
        for sizes in product(range(size + 1), repeat=len(kinds)):
            if sum(sizes) != size or (op.commutative and sizes[0] < sizes[-1]):
                continue
            pools = [
                [e for e in self.levels[s] if e.node.dtype is kind]
                for s, kind in zip(sizes, kinds, strict=True)
            ]
            if op.commutative and sizes[0] == sizes[-1]:
                yield from ((a, b) for i, a in enumerate(pools[0]) for b in pools[1][: i + 1])
            else:
                yield from product(*pools)
