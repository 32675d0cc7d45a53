"""Bounds against brute force: no value of an op lies outside what its `interval` clause says."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from rulewright.interp import evaluate
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

ENDS = (-128, -127, -17, -3, -2, -1, 0, 1, 2, 3, 5, 7, 8, 63, 127, 255)
UNARY = [op for op in Ops if op.elementwise and len(op.params) == 1 and op.row["interval"]]
BINARY = [op for op in sorted(Ops.group("Binary")) if op.row["interval"]]


def _takes(op: Op, dtype: DType) -> bool:
    return dtype.name in dict(map(tuple, op.row["tparams"])).get(op.params[0][1], [dtype.name])


def _cases(ops: list[Op]) -> list[tuple[Op, DType]]:
    kinds = (dtypes.i8, dtypes.u8, dtypes.index, dtypes.bool)
    return [(op, kind) for op in ops for kind in kinds if _takes(op, kind)]


def _bounded(name: str, dtype: DType, low: int, high: int) -> UOp:
    """A value between two bounds: a variable, cast to the dtype."""
    return UOp.variable(name, low, high).cast(dtype)


def _spans(dtype: DType) -> st.SearchStrategy[tuple[int, int]]:
    """Bounds within a dtype; for index, such that all values can be tried."""
    low, high = (-20, 20) if dtype.kind == "Index" else (int(dtype.min), int(dtype.max))
    ends = st.sampled_from([e for e in ENDS if low <= e <= high]) | st.integers(low, high)
    return st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))


def _values(op: Op, result: DType, dtype: DType, spans: list[tuple[int, int]]) -> np.ndarray:
    """All values of an op over operands in the given bounds."""
    grid = np.array(list(itertools.product(*(range(low, high + 1) for low, high in spans))))
    params = [UOp(Ops.PARAM, dtype, (), (slot, (len(grid),), None)) for slot in range(len(spans))]
    arrays = {p: grid[:, p.arg[0]].astype(dtype.np) for p in params}
    return np.asarray(evaluate(UOp(op, result, tuple(params)), arrays))


def _inside(node: UOp, values: np.ndarray) -> None:
    assert node.vmin <= int(values.min()) and int(values.max()) <= node.vmax, (
        f"{node.render()} is in {values.min()} … {values.max()}, not {node.vmin} … {node.vmax}"
    )


@pytest.mark.parametrize("op, dtype", _cases(BINARY), ids=lambda x: x.name)
def test_bounds_of_two_operands_hold(op, dtype):
    @settings(max_examples=40)
    @given(_spans(dtype), _spans(dtype))
    def check(a, b):
        node = _bounded("a", dtype, *a).alu(op, _bounded("b", dtype, *b))
        _inside(node, _values(op, node.dtype, dtype, [a, b]))

    check()


@pytest.mark.parametrize("op, dtype", _cases([op for op in UNARY if op is not Ops.CAST]))
def test_bounds_of_one_operand_hold(op, dtype):
    @settings(max_examples=40)
    @given(_spans(dtype))
    def check(a):
        node = _bounded("a", dtype, *a).alu(op)
        _inside(node, _values(op, node.dtype, dtype, [a]))

    check()


@given(st.data())
def test_bounds_of_casts_hold(data):
    kinds = st.sampled_from([dtypes.i8, dtypes.u8, dtypes.bool, dtypes.i16, dtypes.index])
    source, target = data.draw(kinds), data.draw(kinds)
    span = data.draw(_spans(source if source is not dtypes.i16 else dtypes.i8))
    node = _bounded("a", source, *span).cast(target)
    if node.op is Ops.CAST:
        _inside(node, _values(Ops.CAST, target, source, [span]))


@given(_spans(dtypes.i8), _spans(dtypes.i8), st.integers(-5, 5))
def test_bounds_of_where_hold(a, b, limit):
    x, y = _bounded("a", dtypes.i8, *a), _bounded("b", dtypes.i8, *b)
    node = (x < limit).where(x, y)
    found = [v if v < limit else w for v in (a[0], a[1]) for w in (b[0], b[1])]
    _inside(node, np.array(found))


@pytest.mark.parametrize(
    "node, low, high",
    [
        (UOp.const(dtypes.i32, 7), 7, 7),
        (UOp.const(dtypes.bool, True), 1, 1),
        (UOp.variable("v", -2, 9), -2, 9),
        (UOp.variable("v", -2, 9).bind(4), -2, 9),
        (UOp.range(5, 0), 0, 4),
        (UOp.range(UOp.variable("v", 1, 9), 0), 0, 8),
        (UOp(Ops.SPECIAL, dtypes.index, (UOp.index_const(6),), "g0"), 0, 5),
        (UOp(Ops.LANES, dtypes.index, (), 4), 0, 3),
        (UOp(Ops.IOTA, dtypes.i32, (), (7,)), 0, 6),
        (UOp(Ops.IOTA, dtypes.i32, (), (0,)), 0, 0),
        (UOp(Ops.PARAM, dtypes.u8, (), (0, (4,), None)), 0, 255),
        (UOp(Ops.PARAM, dtypes.bool, (), (0, (4,), None)), 0, 1),
    ],
)
def test_bounds_of_leaves(node, low, high):
    assert (node.vmin, node.vmax) == (low, high)


def test_floats_have_no_bounds_and_integers_made_of_them_those_of_their_dtype():
    x = UOp(Ops.PARAM, dtypes.f32, (), (0, (), None))
    assert (x.vmin, x.vmax) == (-np.inf, np.inf)
    assert (x.cast(dtypes.u8).vmin, x.cast(dtypes.u8).vmax) == (0, 255)
    assert ((x < 0.0).vmin, (x < 0.0).vmax) == (0, 1)


def test_what_may_wrap_has_the_bounds_of_its_dtype():
    x = _bounded("a", dtypes.i8, 100, 120)
    assert ((x + 7).vmin, (x + 7).vmax) == (107, 127)
    assert ((x + 8).vmin, (x + 8).vmax) == (-128, 127)
    assert ((-_bounded("a", dtypes.i8, -128, 0)).vmin) == -128


VARIABLES = {"p": (0, 6), "q": (-4, 5)}


def _combine(children: st.SearchStrategy[UOp]) -> st.SearchStrategy[UOp]:
    ops = [Ops.ADD, Ops.SUB, Ops.MUL, Ops.FLOORDIV, Ops.FLOORMOD, Ops.CDIV, Ops.CMOD]
    binary = st.sampled_from([*ops, Ops.MAX, Ops.MIN, Ops.AND])
    compare = st.sampled_from([Ops.CMPLT, Ops.CMPLE, Ops.CMPEQ, Ops.CMPNE])
    chosen = st.tuples(compare, children, children, children, children).map(
        lambda t: t[1].alu(t[0], t[2]).where(t[3], t[4])
    )
    return st.tuples(binary, children, children).map(lambda t: t[1].alu(t[0], t[2])) | chosen


TREES = st.recursive(
    st.sampled_from([UOp.variable(n, *span) for n, span in VARIABLES.items()])
    | st.integers(-4, 9).map(UOp.index_const),
    _combine,
    max_leaves=7,
)


@given(TREES)
def test_bounds_of_trees_hold_before_and_after_simplifying(tree):
    grid = np.array(list(itertools.product(*(range(a, b + 1) for a, b in VARIABLES.values()))))
    params = {
        UOp.variable(name, *span): UOp(Ops.PARAM, dtypes.index, (), (i, (len(grid),), None))
        for i, (name, span) in enumerate(VARIABLES.items())
    }
    arrays = {p: np.ascontiguousarray(grid[:, p.arg[0]]) for p in params.values()}
    simple = tree.simplify()
    values = np.broadcast_to(evaluate(tree.substitute(params), arrays), len(grid))
    again = np.broadcast_to(evaluate(simple.substitute(params), arrays), len(grid))
    assert (values == again).all()
    _inside(tree, values)
    _inside(simple, values)
