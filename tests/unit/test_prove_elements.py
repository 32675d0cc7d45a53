"""What an op means in a proof for all sizes is what the interpreter computes on small shapes."""

from __future__ import annotations

from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from pairs import in_turn

from rulewright.interp.memory import INVALID
from rulewright.interp.run import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.prove.elements import ElementContext, Elements
from rulewright.verify.prove.smt import SmtDomain
from rulewright.verify.prove.unknown import Paths

INDEX = dtypes.index
DIMS = (0, 1, 2, 3)
SHAPES = [s for rank in (0, 1, 2) for s in product(DIMS, repeat=rank)] + [(2, 1, 2)]


def _tensor(shape, slot=0):
    return UOp(Ops.PARAM, INDEX, (), (slot, shape, None))


def _agree(graphs, memory):
    """Every element of each graph is the interpreter's, for what is in memory."""
    for by_position in (False, True):
        paths = Paths(SmtDomain(), 1)
        z3, elements = paths.symbols.z3, Elements(paths, by_position)
        given = []
        for node, array in memory.items():
            for at in np.ndindex(array.shape):
                held = elements.element(node, tuple(map(paths.term, at)), ElementContext())
                given.append(held.raw == int(array[at]))
        claims = []
        for graph in graphs:
            expected = evaluate(graph, {n: a.copy() for n, a in memory.items()})
            for at in np.ndindex(expected.shape):
                found = elements.element(graph, tuple(map(paths.term, at)), ElementContext())
                if expected[at] == INVALID:
                    claims.append(found.lost)
                else:
                    claims.append(found.raw == int(expected[at]))
                    claims += [] if found.lost is None else [z3.Not(found.lost)]
        assert claims
        wrong = z3.Not(z3.And(*claims, *elements.accesses))
        assert paths.ask([*given, wrong], 50_000_000) == z3.unsat


def _numbers(shape):
    return np.arange(1, prod(shape) + 1, dtype=np.int64).reshape(shape)


def _moved(op, shape, arguments):
    x = _tensor(shape)
    graphs = [UOp(op, INDEX, (x,), arg) for arg in arguments]
    if any(prod(g.shape) for g in graphs):
        _agree(graphs, {x: _numbers(shape)})


def _apart(axes):
    """Arguments that are some for each axis: in turn, and others for each of several axes."""
    return in_turn(*(choices[at:] + choices[:at] for at, choices in enumerate(axes)))


@pytest.mark.parametrize("shape", SHAPES)
def test_permute_and_flip(shape):
    _moved(Ops.PERMUTE, shape, list(permutations(range(len(shape)))))
    _moved(Ops.FLIP, shape, list(product((False, True), repeat=len(shape))))


@pytest.mark.parametrize("shape", SHAPES)
def test_pad_and_shrink(shape):
    pads = [(0, 0), (1, 0), (0, 2), (2, 1)]
    _moved(Ops.PAD, shape, _apart([pads] * len(shape)))
    parts = [[(b, e) for b in range(n + 1) for e in range(b, n + 1)] for n in shape]
    _moved(Ops.SHRINK, shape, _apart(parts))


@pytest.mark.parametrize("shape", SHAPES)
def test_expand_and_reshape(shape):
    wide = [(1, 2, 3) if n == 1 else (n,) for n in shape]
    _moved(Ops.EXPAND, shape, list(product(*wide)))
    total = prod(shape)
    shapes = [s for rank in (0, 1, 2, 3) for s in product(range(7), repeat=rank)]
    _moved(Ops.RESHAPE, shape, [s for s in shapes if prod(s) == total][:12])


@pytest.mark.parametrize("offset", [0, 1, 3])
def test_part_of_memory(offset):
    x = _tensor((8,))
    _agree([UOp(Ops.SUBBUFFER, INDEX, (x,), (offset, (2, 2)))], {x: _numbers((8,))})


OPERANDS = np.array([-7, -3, -1, 0, 1, 2, 3, 8])
BINARY = [Ops.ADD, Ops.SUB, Ops.MUL, Ops.MAX, Ops.MIN, Ops.FLOORDIV, Ops.FLOORMOD]


@pytest.mark.parametrize("op", BINARY, ids=str)
def test_index_arithmetic(op):
    x, y = _tensor((64,)), _tensor((64,), 1)
    pairs = np.array(list(product(OPERANDS, repeat=2)))
    _agree([x.alu(op, y)], {x: pairs[:, 0].copy(), y: pairs[:, 1].copy()})


def test_counting_elements_and_scalars_beside_tensors():
    x, one = _tensor((3,)), _tensor((), 1)
    graphs = [UOp(Ops.IOTA, INDEX, (), (3,)), x + one, (x < one).where(x, one), x.detach()]
    _agree(graphs, {x: np.array([5, -2, 7]), one: np.array(5)})


def test_reads_at_an_invalid_index_give_zero_and_closed_gates_the_other_value():
    x, gate = _tensor((3,)), _tensor((), 1)
    never = UOp(Ops.INVALID, INDEX)
    held = (gate < 2).where(UOp.index_const(1), never)
    element = x.index(held)
    graphs = [element, x.index(never), x.index(held + 1), held * 0, never.cast(dtypes.i32)]
    for opens in (gate < 5, gate < 1):
        graphs.append(UOp(Ops.LOAD, INDEX, (element, UOp.index_const(9), opens)))
    for value in (0, 1, 2, 3):
        _agree(graphs, {x: np.array([4, 5, 6]), gate: np.array(value)})
