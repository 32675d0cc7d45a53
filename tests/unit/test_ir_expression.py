"""Symbolic expressions as text: what Python would compute from it is the value."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rulewright.errors import ArgumentError
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


@given(EXPRESSIONS, st.integers(1, 10), st.integers(-3, 7), st.integers(0, 5))
def test_powers_absolute_values_and_divmod_are_pythons(node, n, m, power):
    value = int(evaluate(node, {}, {"n": n, "m": m}))
    parts = (node**power, abs(node), *divmod(node, 3), *divmod(3, N))
    expected = (value**power, abs(value), *divmod(value, 3), *divmod(3, n))
    assert [int(evaluate(part, {}, {"n": n, "m": m})) for part in parts] == [*expected]


def test_powers_are_products():
    assert (N**3).render() == "n * n * n" and (N**0).render() == "1"
    assert (N.bind(3) ** 2).vmax == 100
    for power in (-1, 64, 0.5, True, N):
        with pytest.raises(ArgumentError, match=r"^\*\*: expected (a power from 0|the power as)"):
            N**power
    with pytest.raises(TypeError, match="unsupported operand"):
        N ** "2"


def test_what_has_no_sign_is_its_own_absolute_value():
    byte = UOp.const(dtypes.u8, 100)
    assert abs(byte) is byte and int(abs(UOp.const(dtypes.i8, -5))) == 5


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
