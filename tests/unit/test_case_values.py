"""What a case expects is worth what its input is: both are interpreted on the same random data.

A gradient case is compared with central differences instead. Graphs that mean nothing by
themselves (inside open loops, questions without an answer) are left to their text.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from rulewright.interp import evaluate
from rulewright.ir.ops import Ops
from rulewright.ir.read import build_body
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.lang.parse import parse_file
from rulewright.lang.tree import Case, CasePart

CASES = Path(__file__).parents[1] / "cases"
FILES = sorted(CASES.rglob("*.uop"))
Arrays = dict[UOp, np.ndarray]

# what has no value outside of a program
_WITHOUT_VALUE = frozenset({Ops.GRAD, Ops.NOGRAD, Ops.IF, Ops.ENDIF})
_PROGRAM = frozenset({Ops.LOAD, Ops.DEFINE_REG, Ops.DEFINE_LOCAL, Ops.SPECIAL})


def outside_kernels(root: UOp) -> list[UOp]:
    """All nodes but those within the kernels that are called."""
    found: dict[UOp, None] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node not in found:
            found[node] = None
            stack.extend(node.src[1:] if node.op is Ops.CALL else node.src)
    return list(found)


def has_value(root: UOp) -> bool:
    """Is the graph closed, of ops that have a value, and within the interpreter's 64 bits?"""
    nodes = outside_kernels(root)
    ops = {node.op for node in nodes}
    if root.ranges or ops & (_WITHOUT_VALUE | _PROGRAM):
        return False
    if Ops.INVALID in ops and Ops.INDEX not in ops:
        return False  # the index of no element is worth nothing outside of an INDEX
    wide = (n.arg for n in nodes if n.op is Ops.CONST and n.dtype.kind == "Index")
    return all(abs(value) < 2**63 for value in wide)


def closed(root: UOp) -> UOp:
    """The graph with variables in place of the loops that are open around it."""
    loops = [r for r in root.ranges if r.src[0].op is Ops.CONST and r.vmax >= 0]
    return root.substitute({r: UOp.variable(f"loop{r.arg[0]}", 0, int(r.vmax)) for r in loops})


def some_data(node: UOp, rng: np.random.Generator) -> np.ndarray:
    """Small whole numbers, on which float arithmetic is exact in any order."""
    low = 0 if node.dtype.min == 0 else -4
    return rng.integers(low, 5, node.arg[1]).astype(node.dtype.np)


def run(root: UOp, data: Arrays, variables: dict[str, int]) -> tuple[list, Arrays]:
    """Values of a graph, and what memory holds afterwards."""
    own = {node: array.copy() for node, array in data.items()}
    found = evaluate(root, own, variables)
    values = [v for v in (found if isinstance(found, tuple) else (found,)) if v is not None]
    return values, own


def widened(array: np.ndarray) -> np.ndarray:
    """Floats in float64, which holds them all: numpy knows no NaN in bfloat16."""
    is_number = array.dtype.kind in "biu"
    return array if is_number else array.astype(np.float64)


def check_same(before: UOp, after: UOp, rng: np.random.Generator) -> None:
    """Both graphs have the same values and leave the same in memory."""
    nodes = outside_kernels(UOp.sink(before, after))
    memory = sorted((n for n in nodes if n.op in (Ops.PARAM, Ops.BUFFER)), key=str)
    for _ in range(4):
        data = {node: some_data(node, rng) for node in memory}
        variables = {
            n.arg[0]: int(rng.integers(n.arg[1], n.arg[2] + 1))
            for n in sorted((n for n in nodes if n.op is Ops.VAR), key=str)
        }
        values, held = run(before, data, variables)
        expected_values, expected = run(after, data, variables)
        # a store as a root has no value, its memory after it has: compare where both have
        if len(values) == len(expected_values):
            for a, b in zip(values, expected_values, strict=True):
                np.testing.assert_array_equal(widened(np.asarray(a)), widened(np.asarray(b)))
        for node in memory:
            np.testing.assert_array_equal(held[node], expected[node])


def check_gradient(question: UOp, answer: UOp, rng: np.random.Generator) -> None:
    """Every item of an answer is the slope of sum(g * y), by central differences in f64."""
    y, g = question.src
    memory = [n for n in outside_kernels(question) if n.op is Ops.PARAM]
    data = {n: rng.uniform(0.5, 2.0, n.arg[1]).astype(n.dtype.np) for n in memory}
    found = [None if item.op is Ops.NOGRAD else evaluate(item, data) for item in answer.src]
    repeated = {source: y.src.count(source) for source in y.src}
    for source, slope in zip(y.src, found, strict=False):
        if slope is None or source not in data or source.dtype.itemsize < 8:
            continue
        expected = np.zeros_like(data[source])
        for place in np.ndindex(*expected.shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = {n: array.copy() for n, array in data.items()}
                moved[source][place] += step
                ends.append(float((evaluate(y, moved) * data[g]).sum()))
            expected[place] = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(slope * repeated[source], expected, rtol=1e-6, atol=1e-8)


def expectations(case: Case) -> list[tuple[UOp, UOp]]:
    """Pairs of graphs that a case says are worth the same."""
    root = next(build_body(p.body) for p in case.parts if p.kind == "input" and p.body)
    wanted: list[CasePart] = [p for p in case.parts if p.kind in ("rewrite", "entry")]
    pairs = []
    for part in wanted:
        if part.body is not None:
            pairs.append((closed(root), closed(build_body(part.body))))
        elif part.kind == "rewrite":  # only a trace says what it should be: take what it is
            only = [str(name) for name in part.names[1:]] or None
            pairs.append((closed(root), closed(rewrite(root, str(part.names[0]), only=only))))
    return pairs


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(CASES).as_posix()[:-4])
def test_expected_graphs_are_worth_their_input(path: Path) -> None:
    rng = np.random.default_rng(zlib.crc32(path.name.encode()))
    for case in parse_file(path).all(Case):
        if any(part.kind == "error" for part in case.parts):
            continue
        for before, after in expectations(case):
            if before.op is Ops.GRAD and after.op is Ops.TUPLE:
                check_gradient(before, after, rng)
            elif has_value(before) and has_value(after):
                check_same(before, after, rng)
