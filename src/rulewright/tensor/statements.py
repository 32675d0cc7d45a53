"""Statements of a kernel in the order in which they are written."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.tensor.elimination import matrix_range

ZERO, ONE = UOp.index_const(0), UOp.index_const(1)


class Statements:
    """Reads and writes in some loops, each behind all writes before it.

    A value that was read is used up to the next write of what it was read from; one that is needed
    longer is written into a register. A loop of one iteration is ZERO, and none.
    """

    def __init__(self, *loops: UOp, effects: Sequence[UOp] = ()) -> None:
        self.loops = tuple(loop for loop in loops if loop is not ZERO)
        self.effects = tuple(effects)
        self._own = self.loops

    def read(self, memory: UOp, *at: UOp) -> UOp:
        """An element."""
        return memory.after(*self.loops, *self.effects).index(*at)

    def write(self, memory: UOp, at: Sequence[UOp], value: UOp, *loops: UOp) -> None:
        """Store a value, in loops of its own that end then."""
        store = memory.after(*self.loops, *self.effects).index(*at).store(value)
        self.effects = (store.end(*(loop for loop in loops if loop is not ZERO)),)

    def keep(self, register: UOp, value: UOp) -> UOp:
        """Write a value into a register of one element, and read it."""
        self.write(register, (ZERO,), value)
        return self.read(register, ZERO)

    def inside(self, *loops: UOp) -> Statements:
        """Those in further loops, behind what was written."""
        inner = Statements(*self.loops, *loops, effects=self.effects)
        inner._own = inner.loops[len(self.loops) :]
        return inner

    def close(self, inner: Statements) -> None:
        """Go on behind the loops of statements that are `inside` of these."""
        (effect,) = inner.effects
        self.effects = (effect.end(*inner._own),)

    def done(self) -> UOp:
        """All of it, in its loops."""
        (effect,) = self.effects
        return effect.end(*self._own)


def loop(size: Dim, number: int) -> UOp:
    """A loop in order; ZERO if it has one iteration."""
    axis = UOp.range(size, number, "reduce")
    return ZERO if axis.vmax == 0 and axis.src[0].simplify().vmin == 1 else axis


def matrix_loop(count: int, work: int) -> UOp:
    """Which matrix, of so many with so much work each; ZERO if it is one."""
    return matrix_range(count, work) if count > 1 else ZERO


def within(index: UOp, size: int) -> UOp:
    """An index that was read, of so many elements: it is one, which nothing else says."""
    return index.alu(Ops.MAX, ZERO).alu(Ops.MIN, UOp.index_const(size - 1))


def combined(value: UOp, op: Op, *loops: UOp) -> UOp:
    """The value combined over loops."""
    return value.reduce(op, *(loop for loop in loops if loop is not ZERO))


def size_of(value: UOp) -> UOp:
    """The value without its sign."""
    return value.alu(Ops.MAX, -value)
