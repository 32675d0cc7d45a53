"""Symbolic expressions as text: what Python would compute from it is the value."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rulewright.interp import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

N, M = UOp.variable("n", 1, 10), UOp.variable("m", -3, 7)
I0, R1 = UOp.range(8, 0), UOp.range(4, 1, "reduce")
X = UOp(Ops.PARAM, dtypes.f32, (), (0, (4,), None))
P = "param[0, (4,), none]"


@pytest.mark.parametrize(
    "node, text",
    [
        ((N + 1) * 4, "(n + 1) * 4"),
        (N + 1 * 4, "n + 4"),
        (I0 // 4 % 3, "i0 // 4 % 3"),
        (I0 // (R1 * 3), "i0 // (r1 * 3)"),
        (N - (M - 1), "n - (m - 1)"),
        ((N - M) - 1, "n - m - 1"),
        (N + (M + 1), "n + m + 1"),
        (N * -1 + M, "m - n"),
        (N + -3, "n - 3"),
        (N * -1, "-n"),
        (-(N + 1), "-(n + 1)"),
        ((N < 3) & (M <= N), "(n < 3) & (m <= n)"),
        ((N < M).eq(N < 3), "(n < m) == (n < 3)"),
        (~(N < 3), "3 <= n"),
        (N.maximum(M).minimum(3), "min(max(n, m), 3)"),
        ((N < 3).where(N, M + 1), "where(n < 3, n, m + 1)"),
        (N.bind(3) + 1, "n + 1"),
        (N.cast(dtypes.f32) * 0.5, "f32(n) * 0.5"),
        (UOp.const(dtypes.f32, 2.0).alu(Ops.SQRT), "sqrt(2.0)"),
        (UOp.const(dtypes.bool, True), "True"),
        (X.index(N + 1), f"{P}[n + 1]"),
        (X.index(N) + (X.index(M) + 1.0), f"{P}[n] + ({P}[m] + 1.0)"),
    ],
)  # fmt: skip
def test_expressions_as_text(node, text):
    assert node.render() == text


def _combine(children: st.SearchStrategy[UOp]) -> st.SearchStrategy[UOp]:
    binary = st.sampled_from(
        [Ops.ADD, Ops.SUB, Ops.MUL, Ops.FLOORDIV, Ops.FLOORMOD, Ops.MAX, Ops.MIN]
    )
    pairs = st.tuples(binary, children, children).map(lambda t: t[1].alu(t[0], t[2]))
    return pairs | children.map(lambda node: -node)


EXPRESSIONS = st.recursive(
    st.sampled_from([N, M]) | st.integers(-3, 5).map(UOp.index_const), _combine, max_leaves=8
)


@given(EXPRESSIONS, st.integers(1, 10), st.integers(-3, 7))
def test_python_computes_what_the_text_says(node, n, m):
    # the interpreter takes x // 0 as 0 and x % 0 as x: leave those to Python's error
    try:
        value = eval(node.render(), {"n": n, "m": m, "min": min, "max": max})
    except ZeroDivisionError:
        return
    assert value == int(evaluate(node, {}, {"n": n, "m": m}))


@given(EXPRESSIONS)
def test_no_parentheses_around_a_name_or_the_whole(node):
    text = node.render()
    assert "(n)" not in text and "(m)" not in text
    assert not (text.startswith("(") and _closes(text) == len(text) - 1)


def _closes(text: str) -> int:
    """Where the first parenthesis of a text closes."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
    return -1
