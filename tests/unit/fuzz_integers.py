"""Random integer expressions, what z3 takes them to mean, and how a failing one is made small.

The meaning is written here once more, from the text of `spec/20-ops.uop`, so that a mistake in what
the prover and the interpreter share would show.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import z3

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

MACHINE = (dtypes.i8, dtypes.u8, dtypes.i16, dtypes.u16, dtypes.i32, dtypes.u32)
RING = (Ops.ADD, Ops.SUB, Ops.MUL, Ops.MAX, Ops.MIN, Ops.NEG)
DIVISION = (Ops.FLOORDIV, Ops.FLOORMOD, Ops.CDIV, Ops.CMOD)
BITWISE = (Ops.AND, Ops.OR, Ops.XOR, Ops.NOT, Ops.SHL, Ops.SHR)
COMPARE = (Ops.CMPLT, Ops.CMPLE, Ops.CMPEQ, Ops.CMPNE)
LOGIC = (Ops.AND, Ops.OR, Ops.XOR, Ops.NOT)
SMALL = (-8, -3, -2, -1, 0, 0, 1, 1, 2, 3, 4, 5, 8, 12, 16)


# ---- making --------------------------------------------------------------------------------------


def expression(random: Random) -> UOp:
    """Two to nine operations over a machine type and another, or over indices."""
    kind = dtypes.index if random.random() < 0.4 else random.choice(MACHINE)
    pool = [_leaf(random, kind, i) for i in range(3)] + [_constant(random, kind) for _ in range(3)]
    for _ in range(random.randint(2, 9)):
        pool.append(_grown(random, pool, kind))
    return pool[-1]


def _leaf(random: Random, kind: DType, number: int) -> UOp:
    if kind is not dtypes.index and random.random() < 0.5:
        return UOp(Ops.PARAM, kind, (), (number, (), None))
    low = random.choice((0, 0, 0, 1, 4)) if kind.min == 0 else random.choice((0, 0, -3, -9, 2))
    bounded = UOp.variable(f"v{number}", low, low + random.choice((0, 1, 3, 7, 30, 100)))
    return bounded if kind is dtypes.index else UOp(Ops.CAST, kind, (bounded,))


def _constant(random: Random, kind: DType) -> UOp:
    extremes = () if kind is dtypes.index else (kind.min, kind.max, kind.bits - 1)
    return UOp.const(kind, random.choice((*SMALL, *SMALL, *extremes)))


def _grown(random: Random, pool: list[UOp], kind: DType) -> UOp:
    def one(wanted: DType) -> UOp:
        fitting = [n for n in pool if n.dtype is wanted]
        late = fitting[-3:] if random.random() < 0.6 else fitting
        return random.choice(late) if late else _constant(random, wanted)

    choice = random.random()
    if choice < 0.12:
        return UOp(Ops.WHERE, kind, (one(dtypes.bool), one(kind), one(kind)))
    if choice < 0.3:
        return UOp(random.choice(COMPARE), dtypes.bool, (one(kind), one(kind)))
    if choice < 0.38:
        return _applied(random.choice(LOGIC), dtypes.bool, one)
    if choice < 0.46 and kind is not dtypes.index:
        other = random.choice(MACHINE)
        return UOp(Ops.CAST, kind, (UOp(Ops.CAST, other, (one(kind),)),))
    if kind is dtypes.index:
        op = random.choice((*RING, Ops.FLOORDIV, Ops.FLOORMOD))
        if op in DIVISION:  # a division by a symbol is left to the interpreter's fuzzing
            return UOp(op, kind, (one(kind), UOp.const(kind, random.choice((2, 3, 4, 8, 12)))))
        return _applied(op, kind, one)
    return _applied(random.choice((*RING, *DIVISION, *BITWISE)), kind, one)


def _applied(op: Op, kind: DType, one: Callable[[DType], UOp]) -> UOp:
    return UOp(op, kind, tuple(one(kind) for _ in op.params))


# ---- meaning -------------------------------------------------------------------------------------


WIDE = dtypes.i64
"""What a variable is that only machine types know."""


class Meaning:
    """z3 terms of a graph: bit-vectors for machine types, Int for indices, Bool.

    Variables are Ints too, unless `is_machine`: then they are bit-vectors, which z3 need not
    connect with Ints.
    """

    def __init__(self, is_machine: bool = False) -> None:
        self.is_machine = is_machine
        self.facts: list[Any] = []
        self.terms: dict[UOp, Any] = {}

    def of(self, root: UOp) -> Any:
        for node in root.toposort():
            if node not in self.terms:
                self.terms[node] = self._term(node, [self.terms[s] for s in node.src])
        return self.terms[root]

    def _term(self, node: UOp, src: list[Any]) -> Any:
        kind = node.dtype
        if node.op is Ops.CONST:
            return _literal(kind, node.arg)
        if node.op is Ops.VAR:
            name, low, high = node.arg
            symbol = z3.BitVec(name, WIDE.bits) if self.is_machine else z3.Int(name)
            self.facts += [symbol >= low, symbol <= high]
            return symbol
        if node.op is Ops.PARAM:
            return z3.BitVec(f"p{node.arg[0]}", kind.bits)
        if node.op is Ops.CAST:
            old = node.src[0].dtype
            is_wide = self.is_machine and old is dtypes.index
            return _cast(src[0], WIDE if is_wide else old, kind)
        if node.op is Ops.WHERE:
            return z3.If(*src)
        if kind is dtypes.bool and node.op in LOGIC:
            return {Ops.AND: z3.And, Ops.OR: z3.Or, Ops.XOR: z3.Xor, Ops.NOT: z3.Not}[node.op](*src)
        return _OPS[node.op](node.src[0].dtype, *src)


def _literal(kind: DType, value: Any) -> Any:
    if kind is dtypes.bool:
        return z3.BoolVal(bool(value))
    return z3.IntVal(value) if kind is dtypes.index else z3.BitVecVal(value, kind.bits)


def _cast(x: Any, old: DType, new: DType) -> Any:
    if old is dtypes.bool:
        return z3.If(x, _literal(new, 1), _literal(new, 0))
    if new is dtypes.bool:
        return x != _literal(old, 0)
    if old is dtypes.index:
        return x if new is dtypes.index else z3.Int2BV(x, new.bits)
    if new is dtypes.index:
        return z3.BV2Int(x, is_signed=old.min < 0)
    if new.bits <= old.bits:
        return z3.Extract(new.bits - 1, 0, x)
    return (z3.SignExt if old.min < 0 else z3.ZeroExt)(new.bits - old.bits, x)


def _less(kind: DType, a: Any, b: Any) -> Any:
    if kind is dtypes.bool:
        return z3.And(z3.Not(a), b)
    unsigned = kind is not dtypes.index and kind.min == 0
    return z3.ULT(a, b) if unsigned else a < b


def _truncated(kind: DType, a: Any, b: Any) -> Any:
    """Quotient toward zero; 0 for a division by 0."""
    quotient = z3.UDiv(a, b) if kind.min == 0 else a / b
    return z3.If(b == 0, _literal(kind, 0), quotient)


def _floored(kind: DType, a: Any, b: Any) -> Any:
    if kind is dtypes.index:
        return z3.If(b == 0, 0, z3.If(b > 0, a / b, (-a) / (-b)))  # z3 rounds down for b > 0
    found = _truncated(kind, a, b)
    if kind.min == 0:
        return found
    inexact = z3.And(b != 0, found * b != a, (a < 0) != (b < 0))
    return z3.If(inexact, found - 1, found)


def _shift(kind: DType, left: bool, a: Any, count: Any) -> Any:
    """By a count that is no bit of the type: all bits are gone."""
    outside = z3.Or(_less(kind, count, _literal(kind, 0)), z3.UGE(count, kind.bits))
    if left:
        return z3.If(outside, _literal(kind, 0), a << count)
    if kind.min == 0:
        return z3.If(outside, _literal(kind, 0), z3.LShR(a, count))
    return z3.If(outside, a >> (kind.bits - 1), a >> count)


_OPS: dict[Op, Callable[..., Any]] = {
    Ops.ADD: lambda k, a, b: a + b,
    Ops.SUB: lambda k, a, b: a - b,
    Ops.MUL: lambda k, a, b: a * b,
    Ops.NEG: lambda k, a: -a,
    Ops.MAX: lambda k, a, b: z3.If(_less(k, a, b), b, a),
    Ops.MIN: lambda k, a, b: z3.If(_less(k, b, a), b, a),
    Ops.FLOORDIV: _floored,
    Ops.FLOORMOD: lambda k, a, b: a - _floored(k, a, b) * b,
    Ops.CDIV: _truncated,
    Ops.CMOD: lambda k, a, b: a - _truncated(k, a, b) * b,
    Ops.AND: lambda k, a, b: a & b,
    Ops.OR: lambda k, a, b: a | b,
    Ops.XOR: lambda k, a, b: a ^ b,
    Ops.NOT: lambda k, a: ~a,
    Ops.SHL: lambda k, a, b: _shift(k, True, a, b),
    Ops.SHR: lambda k, a, b: _shift(k, False, a, b),
    Ops.CMPLT: _less,
    Ops.CMPLE: lambda k, a, b: z3.Not(_less(k, b, a)),
    Ops.CMPEQ: lambda k, a, b: a == b,
    Ops.CMPNE: lambda k, a, b: a != b,
}


def _is_machine(root: UOp) -> bool:
    """Whether variables do nothing but become numbers of a machine type."""
    others = [n for n in root.toposort() if n.op is not Ops.VAR]
    others = [n for n in others if n.op is not Ops.CAST or n.dtype not in MACHINE]
    return not any(
        kind is dtypes.index for n in others for kind in (n.dtype, *(s.dtype for s in n.src))
    )


def verdict(before: UOp, *after: UOp, effort: int = 400_000) -> str:
    """ "equal", "unknown" where z3's effort is spent, else the values at which one differs."""
    meaning = Meaning(all(map(_is_machine, (before, *after))))
    left = meaning.of(before)
    claim = z3.simplify(z3.And([left == meaning.of(node) for node in after]))
    if z3.is_true(claim):
        return "equal"
    solver = z3.Solver()
    solver.set("rlimit", effort)
    solver.add(*meaning.facts, z3.Not(claim))
    answer = solver.check()
    if answer == z3.unsat:
        return "equal"
    return "unknown" if answer == z3.unknown else str(solver.model())


# ---- shrinking -----------------------------------------------------------------------------------


def shrink(root: UOp, fails: Callable[[UOp], bool]) -> UOp:
    """A smaller graph that fails too: a part of it, or with a node replaced by one of its own."""
    while True:
        nodes = root.toposort()
        parts = [n for n in nodes if n is not root]
        bypassed = [
            root.substitute({n: s})
            for n in nodes
            for s in n.src
            if s.dtype is n.dtype and n is not root
        ]
        smaller = sorted({*parts, *bypassed}, key=lambda n: len(n.toposort()))
        found = next((n for n in smaller if len(n.toposort()) < len(nodes) and fails(n)), None)
        if found is None:
            return root
        root = found
