"""Random programs of loads, stores, sums and loops: text in C does what the list does, in order.

What may stand inside another expression, and what must not move over a store, is decided by
`render.usage`; this compares compiled programs with running their lists step by step.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from render_tools import Unit, call

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import parameters
from rulewright.render.usage import strip

PROGRAMS = 60
SIZE = 4
I64, I32 = dtypes.i64, dtypes.i32


class Maker:
    """A random program over two buffers of four i32 numbers and a register of two."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.params = [UOp(Ops.PARAM, I32, (), (slot, (SIZE,), None)) for slot in range(2)]
        self.register = UOp(Ops.DEFINE_REG, I32, (), (0, 2))
        self.uops: list[UOp] = [self.register]
        self.values: list[list[UOp]] = [[]]  # by block, outermost first
        self.loops: list[UOp] = []
        self.last: UOp | None = None  # what must have happened before anything is read
        self.store(self.register, 0)
        self.store(self.register, 1)
        for _ in range(self.random.randrange(6, 24)):
            self.step()
        while self.loops:
            self.close()

    def add(self, node: UOp) -> UOp:
        if node not in self.uops:
            self.uops.append(node)
        return node

    def value(self, node: UOp) -> None:
        if node not in self.uops:  # one from a closed loop is out of reach
            self.values[-1].append(self.add(node))

    def pick(self) -> UOp:
        known = [v for block in self.values for v in block]
        if not known or self.random.random() < 0.1:
            return UOp.const(I32, self.random.randrange(-9, 9))
        return self.random.choice(known)

    def place(self, memory: UOp, at: int | None = None) -> UOp:
        size = 2 if memory is self.register else SIZE
        index = UOp.const(I64, self.random.randrange(size) if at is None else at)
        if at is None and self.loops and self.random.random() < 0.5:
            index = self.loops[-1]
        # a read after a write is another node than the read before it
        seen = memory.after(self.last) if self.last is not None else memory
        return self.add(seen.index(index))

    def store(self, memory: UOp, at: int | None = None) -> None:
        value = self.pick()
        self.last = self.add(self.place(memory, at).store(value))

    def step(self) -> None:
        memory = self.random.choice([*self.params, self.register])
        kind = self.random.choice(["load"] * 4 + ["sum"] * 4 + ["store"] * 3 + ["open", "close"])
        if kind == "load":
            self.value(self.place(memory).load())
        elif kind == "sum":
            op = self.random.choice([Ops.ADD, Ops.MUL, Ops.SUB, Ops.MAX, Ops.XOR])
            left, right = self.pick(), self.pick()
            if not (left.op is Ops.CONST and right.op is Ops.CONST):
                self.value(left.alu(op, right))
        elif kind == "store":
            self.store(memory)
        elif kind == "open" and len(self.loops) < 2:
            loop = UOp(Ops.RANGE, I64, (UOp.const(I64, 2),), (len(self.uops), "loop"))
            self.loops.append(self.add(loop))
            self.values.append([])
        elif kind == "close" and self.loops:
            self.close()

    def close(self) -> None:
        effect = self.last if self.last is not None else self.register
        self.last = self.add(UOp(Ops.END, dtypes.void, (effect, self.loops.pop())))
        self.values.pop()


def evaluate(uops: list[UOp], buffers: list[np.ndarray]) -> None:
    """Run a list step by step on its buffers."""
    memories: dict[UOp, np.ndarray] = {}
    known: dict[UOp, int] = {}
    functions = {
        Ops.ADD: np.add, Ops.MUL: np.multiply, Ops.SUB: np.subtract, Ops.MAX: np.maximum,
        Ops.XOR: np.bitwise_xor,
    }  # fmt: skip

    def value(node: UOp) -> np.int32:
        node = strip(node)
        return np.int32(node.arg) if node.op is Ops.CONST else known[node]

    def memory(place: UOp) -> np.ndarray:
        node = strip(place.src[0])
        return buffers[node.arg[0]] if node.op is Ops.PARAM else memories[node]

    position = 0
    while position < len(uops):
        node = uops[position]
        if node.op is Ops.DEFINE_REG:
            memories[node] = np.zeros(node.arg[1], np.int32)
        elif node.op is Ops.RANGE:
            known[node] = known.get(node, 0)
        elif node.op is Ops.END:
            loop = node.src[1]
            known[loop] += 1
            if known[loop] < loop.src[0].arg:
                position = uops.index(loop)
            else:
                del known[loop]
        elif node.op is Ops.LOAD:
            known[node] = memory(node.src[0])[int(value(node.src[0].src[1]))]
        elif node.op is Ops.STORE:
            memory(node.src[0])[int(value(node.src[0].src[1]))] = value(node.src[1])
        elif node.op in functions:
            known[node] = functions[node.op](*map(value, node.src))
        position += 1


@pytest.fixture(scope="module")
def library():
    unit = Unit()
    unit.programs = [(tuple(Maker(seed).uops), f"k{seed}") for seed in range(PROGRAMS)]
    return unit.compile()


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_program(library, seed):
    rng = np.random.default_rng(seed)
    buffers = [rng.integers(-99, 99, SIZE).astype(np.int32) for _ in range(2)]
    expected = [b.copy() for b in buffers]
    with np.errstate(all="ignore"):
        evaluate(Maker(seed).uops, expected)
    used = [buffers[p.arg[0]] for p in parameters(Maker(seed).uops)]
    if used:
        call(library, f"k{seed}", *used)
    np.testing.assert_array_equal(buffers, expected)
