"""The interpreter on terms: what memory holds after a graph, as expressions of what it held before.

Values have three parts, as in shadow mode: a number, a term, and whether the term counts. Numbers
that hang on nothing that memory held stay numbers, so loops, indices and gates run as they are. A
place or a branch that hangs on data has no one expression: `Undecided` says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from rulewright.interp.evaluator import Evaluator
from rulewright.interp.memory import Write, poison, written
from rulewright.interp.program import ProgramEvaluator, Region
from rulewright.interp.shadow import lift
from rulewright.interp.stores import plain
from rulewright.interp.values import Array, Parts, Value, spread, stretched
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.verify.certify.terms import Read, TermTable, memory_term, read_terms

MOST_HELD = 1 << 22
"""Elements of a memory whose expressions are followed."""


class Undecided(Exception):
    """What happens hangs on data, or is beyond what terms say."""


def memory_terms(
    graph: UOp, memory: Sequence[UOp], variables: Mapping[str, int], terms: TermTable
) -> dict[UOp, Array]:
    """The term of each element of `memory`, PARAMs or BUFFERs, after a graph of any stage.

    Raises Undecided where what is read or written hangs on data, InterpreterError where the graph
    has no meaning.
    """
    held = {node: _unknown(node, terms) for node in memory}
    _run(graph, held, dict(variables), terms)
    return {node: _ids(held[node].parts, node.dtype.scalar, terms) for node in memory}


def _unknown(node: UOp, terms: TermTable) -> Value:
    """Memory of which nothing is known."""
    shape = node.arg[1]
    if prod(shape) > MOST_HELD:
        raise Undecided(f"{node.op}[{node.arg[0]}] has more than {MOST_HELD} elements")
    ids = terms.held(f"{node.op.name}{node.arg[0]}", node.dtype, prod(shape)).reshape(shape)
    return Value((np.zeros(shape, node.dtype.np), ids.astype(np.float64), np.ones(shape)))


def _run(root: UOp, held: dict[UOp, Value], variables: dict[str, int], terms: TermTable) -> None:
    """Leave in `held` what a graph, a program or a schedule leaves in memory."""
    if root.op is Ops.LINEAR and root.src and root.src[0].op not in (Ops.CALL, Ops.LINEAR):
        TermProgram(root.src, held, variables, terms).launch_all()
        return
    for item in root.src if root.op is Ops.LINEAR else (root,):
        if item.op is Ops.LINEAR:
            _run(item, held, variables, terms)
            continue
        evaluator = TermEvaluator(held, variables, terms)
        evaluator.run(item)
        for base in dict.fromkeys(write.base for write in evaluator.log):
            _apply(held, base, evaluator.log)


def _apply(held: dict[UOp, Value], base: UOp, log: Sequence[Write]) -> None:
    value = held.get(base) or Value((poison(base.arg[1], base.dtype),))
    flat = written(base, Value(lift(value.parts)), log)
    held[base] = Value(tuple(p.reshape(value.data.shape) for p in flat))


def _ids(parts: Parts, kind: DType, terms: TermTable) -> Array:
    """The terms of values: constants where they are numbers."""
    exact, ids, counts = (p.reshape(-1) for p in lift(parts))
    fixed = counts == 0
    term_ids = np.where(fixed, 0, ids).astype(np.int64)
    if fixed.any():
        term_ids[fixed] = terms.consts(kind, exact[fixed])
    return term_ids


def _hangs(value: Any) -> bool:
    """Whether a value hangs on data."""
    return isinstance(value, Value) and len(value.parts) == 3 and bool(value.parts[2].any())


class TermEvaluator(Evaluator):
    """Evaluates graphs on terms."""

    def __init__(
        self, memory: dict[UOp, Value], variables: Mapping[str, int], terms: TermTable
    ) -> None:
        super().__init__(memory, variables)
        self.terms = terms

    def inner(self, memory: dict[UOp, Value]) -> TermEvaluator:
        """An evaluator of what is called with this memory."""
        return TermEvaluator(memory, self.variables, self.terms)

    def on_parts(self, node: UOp, parts: Sequence[Parts]) -> Parts:
        """An elementwise op on aligned parts."""
        exact = super().on_parts(node, [p[:1] for p in parts])[0]
        if all(len(p) == 1 for p in parts):
            return (exact,)
        triples = [[np.broadcast_to(a, exact.shape) for a in lift(p)] for p in parts]
        if node.op is Ops.WHERE and not triples[0][2].any():
            taken = triples[0][0]
            chosen = [np.where(taken, a, b) for a, b in zip(*triples[1:], strict=True)]
            return tuple(chosen) if chosen[2].any() else (exact,)
        return self._computed(node, exact, triples)

    def _computed(self, node: UOp, exact: Array, triples: Sequence[Sequence[Array]]) -> Parts:
        """Terms where an operand is one, numbers elsewhere."""
        some = np.logical_or.reduce([t[2] != 0 for t in triples])
        columns = [
            _ids(tuple(a[some] for a in t), s.dtype.scalar, self.terms)
            for t, s in zip(triples, node.src, strict=True)
        ]
        ids = np.zeros(exact.shape)
        if some.any():
            ids[some] = self.terms.apply(node.op, node.dtype.scalar, node.arg, columns)
        return exact, ids, some.astype(np.float64)

    def reduced(self, op: Op, source: UOp, value: Value, axes: tuple[int, ...]) -> Value:
        """`value` with axes of its shape reduced to size 1, in any order."""
        exact = Value(value.parts[:1], value.axes, value.lanes)
        plain: Value = super().reduced(op, source, exact, axes)
        if len(value.parts) == 1 or not value.data.size:
            return plain
        at = tuple(len(value.axes) + i for i in axes)
        kept = [i for i in range(value.data.ndim) if i not in at]
        moved = tuple(np.transpose(p, [*kept, *at]) for p in value.parts)
        rows = _ids(moved, source.dtype.scalar, self.terms)
        ids = self.terms.fold(op, source.dtype.scalar, rows.reshape(plain.data.size, -1))
        shape = plain.data.shape
        parts = plain.data, ids.astype(np.float64).reshape(shape), np.ones(shape)
        return Value(parts, value.axes, value.lanes)

    def multiplied(self, node: UOp, a: Parts, b: Parts, c: Parts) -> Parts:
        """c + a b: sums of products, in any order."""
        exact = super().multiplied(node, a[:1], b[:1], c[:1])[0]
        if len(a) == 1:
            return (exact,)
        kind, depth = node.dtype.scalar, a[0].shape[-1]
        shape = (*exact.shape, depth)
        left = tuple(np.broadcast_to(p[..., :, None, :], shape) for p in a)
        right = tuple(np.broadcast_to(np.swapaxes(p, -1, -2)[..., None, :, :], shape) for p in b)
        columns = [
            self._converted(_ids(p, s.dtype.scalar, self.terms), kind)
            for p, s in zip((left, right), node.src, strict=False)
        ]
        products = self.terms.apply(Ops.MUL, kind, None, columns).reshape(-1, depth)
        addends = _ids(tuple(np.broadcast_to(p, exact.shape) for p in c), kind, self.terms)
        rows = np.column_stack([products, addends])
        ids = self.terms.sums(kind, rows).astype(np.float64).reshape(exact.shape)
        return exact, ids, np.ones(exact.shape)

    def _converted(self, ids: Array, kind: DType) -> Array:
        """Terms as another dtype."""
        if self.terms.nodes[ids[0]].dtype == kind.name:
            return ids
        return self.terms.apply(Ops.CAST, kind, None, [ids])

    def read(self, node: UOp) -> Value:
        """INDEX as a value, or LOAD: at places that do not hang on data."""
        access, rest = (node.src[0], node.src[1:]) if node.op is Ops.LOAD else (node, ())
        places = [self.known(s) for s in (*access.src[1:], *rest[1:])]
        if not any(map(_hangs, places)):
            return super().read(node)
        return self._read_by_terms(node, access, rest)

    def _read_by_terms(self, node: UOp, access: UOp, rest: Sequence[UOp]) -> Value:
        """What is read at places that hang on data."""
        nodes = [*access.src[1:], *rest]
        values = [self.known(s) for s in nodes]
        if any(v.lanes for v in values[: len(access.src) - 1]):
            raise Undecided("a vector of places hangs on data")
        read = self._memory(access)
        axes = self.axes.merge(values)
        parts = [lift(spread(v, axes, 0, True)) for v in values]
        lanes = (*[1] * len(axes), node.dtype.count)
        shape = np.broadcast_shapes(lanes, *(p[0].shape for p in parts))
        columns = [
            _ids(tuple(stretched(a, shape) for a in p), s.dtype.scalar, self.terms)
            for p, s in zip(parts, nodes, strict=True)
        ]
        count, size = len(access.src) - 1, prod(shape)
        other = columns[count] if rest else np.full(size, self.terms.const(read.kind, 0))
        passes = self.terms.const(dtypes.bool, True)
        gate = columns[count + 1] if len(rest) > 1 else np.full(size, passes)
        behind = np.arange(size) % node.dtype.count
        ids = read_terms(self.terms, read, [*columns[:count], behind, gate, other])
        shape = shape if node.dtype.count > 1 else shape[:-1]
        known = np.zeros(shape, node.dtype.np), ids.astype(np.float64).reshape(shape)
        return Value((*known, np.ones(shape)), axes, node.dtype.count > 1)

    def _memory(self, access: UOp) -> Read:
        """The memory that an access names, as a term."""
        holder = plain(access.src[0])
        if holder is not None and "Inner" in holder.op.groups:
            raise Undecided("where memory of a kernel is read hangs on data")
        value: Value = self.known(access.src[0])
        sizes, kind = value.data.shape, access.src[0].dtype
        if value.axes or value.lanes or len(sizes) != len(access.src) - 1:
            raise Undecided("a part of what is read hangs on data")
        held = memory_term(self.terms, kind, _ids(value.parts, kind, self.terms))
        return Read(kind, held, sizes)

    def write(self, node: UOp) -> list[Write]:
        """STORE: to places that do not hang on data."""
        if node.src[0].op is Ops.BITCAST:
            raise Undecided("a store through a view of another dtype")
        places = node.src[0].src[1:] if node.src[0].op is Ops.INDEX else ()
        self._decided([*places, *node.src[2:]], "what is written")
        return super().write(node)

    def _decided(self, nodes: Sequence[UOp], what: str) -> None:
        for node in nodes:
            if _hangs(self.value(node)):
                raise Undecided(f"{what} hangs on data")

    def size(self, node: UOp) -> int:
        """How many values a loop variable takes in all."""
        self._decided(node.src[:1], "the size of a loop")
        return super().size(node)

    def subbuffer(self, node: UOp) -> Value:
        """A view of a part of a buffer, in its own dtype."""
        if node.dtype is not node.src[0].dtype:
            raise Undecided("a view of another dtype")
        offset, shape = node.arg
        value: Value = self.known(node.src[0])
        flat = [p.reshape(-1)[offset : offset + prod(shape)] for p in value.parts]
        return Value(tuple(p.reshape(shape) for p in flat))

    def _recount(self, node: UOp, value: Value) -> Value:
        if len(value.parts) == 3:
            raise Undecided("the bits of a vector as another number of lanes")
        return super()._recount(node, value)


class TermProgram(TermEvaluator, ProgramEvaluator):
    """Runs programs on terms."""

    def __init__(
        self,
        items: Sequence[UOp],
        memory: dict[UOp, Value],
        variables: Mapping[str, int],
        terms: TermTable,
    ) -> None:
        ProgramEvaluator.__init__(self, items, memory, variables)
        self.terms = terms

    def put(self, done: Write) -> None:
        """Change memory as a write says."""
        held = self.memory[done.base].parts
        for target, source in zip(held, lift(done.parts), strict=True):
            target.flat[done.positions] = source

    def _branch(self, block: Region) -> None:
        assert block.head is not None
        self._decided(block.head.src[:1], "a branch")
        super()._branch(block)
