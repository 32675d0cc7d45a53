"""What a graph means for all sizes: an element of a tensor as a term of its indices.

A tensor is a function from indices to values, memory an unknown one. A movement op changes the
indices, an elementwise op is a function of elements (of integers and truth values by its `smt`
clause, else any function), a reduction is an `UnknownReduction`. Reading at an INVALID index gives
0; what is read elsewhere must lie inside: `accesses` says where it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from rulewright.interp.stores import plain
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import pairs
from rulewright.ir.uop import UOp
from rulewright.verify.prove.arithmetic import Arithmetic, SymbolicValue
from rulewright.verify.prove.unknown import Opaque, Paths

Term = Any
At = tuple[Term, ...]

_MEMORY = Ops.group("Outer") | Ops.group("Inner")
_SAME = Ops.group("Same")
_MOVEMENT = Ops.group("Movement")


class ElementContext(NamedTuple):
    """Where a node is looked at: loop variables' values, and the effects so far, in their order."""

    loops: tuple[tuple[UOp, Term], ...] = ()
    effects: tuple[UOp, ...] = ()


class UnknownReduction(NamedTuple):
    """A reduction: `result` is an unknown of which only laws say something.

    `keys` name the loops, `sizes` their sizes; `body` gives what is combined at values of them.
    """

    op: Op
    result: SymbolicValue
    keys: tuple[Any, ...]
    sizes: tuple[Term, ...]
    body: Callable[[Sequence[Term]], SymbolicValue]


class Elements:
    """Elements of the graphs of one path."""

    def __init__(self, paths: Paths, by_position: bool = False, any_nan: bool = False) -> None:
        self.paths, self.by_position = paths, by_position
        self.z3, self.context = paths.symbols.z3, paths.symbols.context
        self.arithmetic = Arithmetic(paths.symbols, any_nan)
        self.folds: list[UnknownReduction] = []
        self.accesses: list[Term] = []
        self.compared: list[Term] = []  # where an INVALID index is: what has no meaning
        self.conditions: list[Term] = []  # under what the present node is looked at
        self.positions: dict[tuple[int, ...], tuple[Term, Any]] = {}
        self.numbers: dict[UOp, int] = {}
        self.memo: dict[tuple[Any, ...], Any] = {}

    # ---- terms ---------------------------------------------------------------------------------

    def term(self, size: Any) -> Term:
        """A size as a term."""
        if isinstance(size, UOp):
            return self.element(size, (), ElementContext()).raw
        return self.paths.term(size)

    def shape(self, node: UOp) -> tuple[Term, ...]:
        """The sizes of a node's axes."""
        return tuple([self.term(size) for size in node.shape or ()])

    def fresh(self, name: str) -> Term:
        """A new whole number."""
        return self.z3.FreshInt(name, self.context)

    def any_index(self, node: UOp, name: str = "i") -> At:
        """Any indices of a node."""
        sizes = self.shape(node)
        at = tuple([self.fresh(name) for _ in sizes])
        self.paths.assume(self.inside(at, sizes))
        return at

    def inside(self, at: Sequence[Term], sizes: Sequence[Term]) -> Term:
        """Whether indices lie in axes of some sizes."""
        if len(at) != len(sizes):
            raise Opaque("more indices than axes")
        pairs_of = zip(at, sizes, strict=True)
        bounds = [self.z3.And(i >= 0, i < size) for i, size in pairs_of]
        return self.z3.And(*bounds) if bounds else self.z3.BoolVal(True, self.context)

    @contextmanager
    def under(self, condition: Term) -> Iterator[None]:
        """Look at something only where a condition holds."""
        self.conditions.append(condition)
        yield
        self.conditions.pop()

    def access(self, condition: Term) -> None:
        """Note that an access must lie inside."""
        if self.conditions:
            condition = self.z3.Implies(self.z3.And(*self.conditions), condition)
        self.accesses.append(condition)

    # ---- nodes ---------------------------------------------------------------------------------

    def element(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        """The element of a node at indices, one for each axis. Raises Opaque for other nodes."""
        op = node.op
        if node.dtype.count > 1:
            raise Opaque("vectors")
        if op in _MEMORY:
            return self._held(node, at, scope)
        if op in _MOVEMENT:
            return self._moved(node, at, scope)
        if op.elementwise:
            operands = [self.element(s, at if s.shape else (), scope) for s in node.src]
            if node.dtype.is_bool and op is not Ops.WHERE:
                self.compared += [o.lost for o in operands if o.lost is not None]
            return self.arithmetic.apply(op, node.dtype, operands)
        if op in _SAME:
            return self.element(node.src[0], at, scope)
        method = _NODES.get(op)
        if method is None:
            raise Opaque(f"{op} has no meaning for all sizes here")
        value: SymbolicValue = method(self, node, at, scope)
        return value

    def _const(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        arg = (
            self.paths.term(node.arg)
            if not node.dtype.is_float and not node.dtype.is_bool
            else node.arg
        )
        return self.arithmetic.const(node.dtype, arg)

    def _invalid(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        raw = self.z3.Int("invalid", self.context)
        return SymbolicValue(dtypes.index, raw, self.z3.BoolVal(True, self.context))

    def _variable(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        return SymbolicValue(dtypes.index, self.z3.Int(node.arg[0], self.context))

    def _bound(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        return self.element(node.src[1], at, scope)

    def _loop(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        for loop, value in reversed(scope.loops):
            if loop is node:
                return SymbolicValue(dtypes.index, value)
        raw = self.z3.Int(f"loop{node.arg[0]}", self.context)
        if ("loop", node) not in self.memo:  # open: it has a value in its range
            self.memo["loop", node] = raw
            self.paths.assume(self.inside([raw], [self.term(node.src[0])]))
        return SymbolicValue(dtypes.index, raw)

    def _iota(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        return self.arithmetic.apply(Ops.CAST, node.dtype, [SymbolicValue(dtypes.index, at[0])])

    # ---- movement ------------------------------------------------------------------------------

    def _moved(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        source = node.src[0]
        self.accesses.append(self.legal(node))
        there, kept = self.moved_back(node, at)
        if kept is None:
            return self.element(source, there, scope)
        with self.under(kept):
            value = self.element(source, there, scope)
        return self.arithmetic.choose(kept, value, self.arithmetic.zero(node.dtype))

    def legal(self, node: UOp) -> Term:
        """Whether the sizes of a movement op fit its source."""
        z3, old, new = self.z3, self.shape(node.src[0]), self.shape(node)
        held = [z3.BoolVal(True, self.context), *[size >= 0 for size in new]]
        if node.op is not Ops.RESHAPE and len(old) != len(node.arg):
            raise Opaque("a movement of axes that its operand does not have")
        if node.op is Ops.RESHAPE:
            held.append(self.paths.product(old) == self.paths.product(new))
        elif node.op is Ops.EXPAND:
            held += [z3.Or(a == 1, a == b) for a, b in zip(old, new, strict=True)]
        elif node.op in (Ops.PAD, Ops.SHRINK):
            for size, pair in zip(old, pairs(node.arg, node.src[1:]), strict=True):
                first, last = (self.term(side) for side in pair)
                order = [first >= 0, last >= 0]
                if node.op is Ops.SHRINK:
                    order = [first >= 0, first <= last, last <= size]
                held += order
        return z3.And(*held)

    def moved_back(self, node: UOp, at: At) -> tuple[At, Term | None]:
        """Indices into the source of a movement op; and where that has them, if not everywhere."""
        old, z3 = self.shape(node.src[0]), self.z3
        if node.op is Ops.RESHAPE:
            return self.unflatten(self.flat(at, self.shape(node)), old), None
        if node.op is Ops.EXPAND:
            return tuple([z3.If(n == 1, 0, i) for n, i in zip(old, at, strict=True)]), None
        if node.op is Ops.PERMUTE:
            by_axis = dict(zip(node.arg, at, strict=True))
            return tuple([by_axis[axis] for axis in range(len(at))]), None
        if node.op is Ops.FLIP:
            flags = zip(old, node.arg, at, strict=True)
            return tuple([n - 1 - i if flag else i for n, flag, i in flags]), None
        begins = [self.term(first) for first, _ in pairs(node.arg, node.src[1:])]
        if node.op is Ops.SHRINK:
            return tuple([i + begin for i, begin in zip(at, begins, strict=True)]), None
        there = tuple([i - before for i, before in zip(at, begins, strict=True)])
        return there, self.inside(there, old)

    def flat(self, at: At, sizes: Sequence[Term]) -> Term:
        """The row-major position of indices."""
        known = self.positions.get(tuple(i.get_id() for i in at)) if len(at) > 1 else None
        if known is not None and [s.get_id() for s in sizes] == [s.get_id() for s in known[1]]:
            return known[0]
        position = self.paths.term(0)
        for place, (i, size) in enumerate(zip(at, sizes, strict=True)):
            position = position * size + i if place else i
        return position

    def unflatten(self, position: Term, sizes: Sequence[Term]) -> At:
        """Indices of a position: unknowns of which it is known what position they have."""
        if len(sizes) < 2:
            return (position,) * len(sizes)
        key = ("unflatten", position.get_id(), *[s.get_id() for s in sizes])
        if key not in self.memo:
            at = tuple([self.fresh("at") for _ in sizes])
            there = self.z3.And(self.flat(at, sizes) == position, self.inside(at, sizes))
            sound = [size >= 0 for size in sizes]
            inside = self.z3.And(position >= 0, position < self.paths.product(sizes), *sound)
            self.paths.assume(self.z3.Implies(inside, there))
            self.positions[tuple(i.get_id() for i in at)] = position, tuple(sizes)
            self.memo[key] = at, position  # which keeps its id
        indices: At = self.memo[key][0]
        return indices

    # ---- memory --------------------------------------------------------------------------------

    def _held(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        """An element of memory, after the effects that have happened."""
        for effect in scope.effects:
            if effect.ranges or effect.op is Ops.RANGE:
                raise Opaque("effects in open loops")
        numbers = [self.numbers.setdefault(e, len(self.numbers)) for e in scope.effects]
        where = (self.flat(at, self.shape(node)),) if self.by_position and at else at
        name = f"{node.op.name.lower()}{node.arg[0]}{numbers or ''}"
        return self.arithmetic.unknown(name, node.dtype, where)

    def _after(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        source = node.src[0]
        known = set(source.toposort())
        effects = [e for e in node.src[1:] if not (stores_itself(e) and _happened(e, known))]
        base = source
        while base.op in _MOVEMENT or base.op in (Ops.AFTER, Ops.SUBBUFFER):
            base = base.src[0]
        if base.op is Ops.INDEX or any(e.op is Ops.RANGE for e in effects):
            raise Opaque("memory in the iterations of a loop")
        if base.op not in _MEMORY or not effects:
            return self.element(source, at, scope)
        whole = len(effects) == 1 and plain(source) is not None and _stores_all(effects[0], source)
        if whole and not scope.effects:
            value = effects[0].src[1]
            return self.element(value, at if value.shape else (), ElementContext(scope.loops))
        # what `source` itself has behind it happened before
        return self.element(source, at, scope._replace(effects=(*effects, *scope.effects)))

    def _part(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        """SUBBUFFER: elements from `offset` on, perhaps read as another dtype."""
        base, (offset, shape) = node.src[0], node.arg
        if base.dtype.bits != node.dtype.bits:
            raise Opaque("a SUBBUFFER of another width")
        position = self.flat(at, [self.term(s) for s in shape]) + self.term(offset)
        value = self.element(base, self.unflatten(position, self.shape(base)), scope)
        same = base.dtype is node.dtype
        return value if same else self.arithmetic.apply(Ops.BITCAST, node.dtype, [value])

    def indices(self, node: UOp, scope: ElementContext) -> tuple[At, Term]:
        """The indices of an INDEX, and whether one is INVALID."""
        values = [self.element(s, (), scope) for s in node.src[1:]]
        lost = [i.lost for i in values if i.lost is not None]
        return tuple([i.raw for i in values]), self.z3.Or(*lost) if lost else None

    def _read(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        """INDEX as a value: 0 where an index is INVALID."""
        source = node.src[0]
        if node.dtype is not source.dtype:
            raise Opaque("an element as another dtype")
        where, lost = self.indices(node, scope)
        inside = self.inside(where, self.shape(source)[: len(where)])
        if lost is None:
            self.access(inside)
            return self.element(source, (*where, *at), scope)
        with self.under(self.z3.Not(lost)):
            self.access(inside)
            value = self.element(source, (*where, *at), scope)
        return self.arithmetic.choose(lost, self.arithmetic.zero(node.dtype), value)

    def _load(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        """LOAD: the element, or `other` where the gate is closed."""
        where, rest = node.src[0], [self.element(s, (), scope) for s in node.src[1:]]
        if len(rest) == 1 or "Read" not in where.op.groups:
            raise Opaque("a LOAD of what is no element")
        if not rest:
            return self.element(where, at, scope)
        with self.under(rest[1].raw):
            value = self.element(where, at, scope)
        return self.arithmetic.choose(rest[1].raw, value, rest[0])

    # ---- reductions ----------------------------------------------------------------------------

    def _reduce(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        loops = [s for s in node.src[1:] if s.op is Ops.RANGE]
        if not loops:
            return self.element(node.src[0], at, scope)
        sizes = [self.element(loop.src[0], (), scope).raw for loop in loops]

        def body(values: Sequence[Term]) -> SymbolicValue:
            inner = (*scope.loops, *zip(loops, values, strict=True))
            return self.element(node.src[0], at, scope._replace(loops=inner))

        return self._fold(node.arg, node.dtype, loops, sizes, body)

    def _reduce_axis(self, node: UOp, at: At, scope: ElementContext) -> SymbolicValue:
        op, axes = node.arg
        if not axes:
            return self.element(node.src[0], at, scope)
        shape = self.shape(node.src[0])

        def body(values: Sequence[Term]) -> SymbolicValue:
            chosen = dict(zip(axes, values, strict=True))
            there = tuple([chosen.get(axis, i) for axis, i in enumerate(at)])
            return self.element(node.src[0], there, scope)

        return self._fold(op, node.dtype, axes, [shape[axis] for axis in axes], body)

    def _fold(
        self, op: Op, kind: DType, keys: Sequence[Any], sizes: Sequence[Term], body: Any
    ) -> SymbolicValue:
        name = f"fold{len(self.memo)}"
        result = self.arithmetic.unknown(name, kind, ())
        self.memo["fold", len(self.memo)] = result
        if kind is dtypes.index and self._may_be_lost(body, len(keys)):
            lost = self.z3.Bool(f"{name}.invalid", self.context)
            result = SymbolicValue(kind, result.raw, lost)
        self.folds.append(UnknownReduction(op, result, tuple(keys), tuple(sizes), body))
        return result

    def _may_be_lost(self, body: Any, loops: int) -> bool:
        """Whether an index that is reduced may be INVALID: then the result is."""
        kept = [[*noted] for noted in (self.accesses, self.folds, self.compared)]
        lost = body([self.fresh("r") for _ in range(loops)]).lost
        self.accesses, self.folds, self.compared = kept
        return lost is not None


def stores_itself(effect: UOp) -> bool:
    """Whether an effect writes what is there."""
    return effect.op is Ops.STORE and len(effect.src) == 2 and effect.src[0] is effect.src[1]


def _happened(effect: UOp, known: set[UOp]) -> bool:
    """Whether all that happens before an effect is known to have happened."""
    return all(n in known for n in effect.src[0].toposort() if n.dtype is dtypes.void)


def _stores_all(effect: UOp, memory: UOp) -> bool:
    ungated = effect.op is Ops.STORE and len(effect.src) == 2
    return ungated and effect.src[0] is memory and not effect.ranges


_NODES: dict[Op, Any] = {
    Ops.CONST: Elements._const, Ops.INVALID: Elements._invalid, Ops.VAR: Elements._variable,
    Ops.BIND: Elements._bound, Ops.RANGE: Elements._loop, Ops.IOTA: Elements._iota,
    Ops.INDEX: Elements._read, Ops.LOAD: Elements._load, Ops.AFTER: Elements._after,
    Ops.SUBBUFFER: Elements._part, Ops.REDUCE: Elements._reduce,
    Ops.REDUCE_AXIS: Elements._reduce_axis,
}  # fmt: skip
