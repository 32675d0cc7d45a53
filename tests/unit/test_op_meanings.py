"""What the `meaning` of an op says as terms of z3, and where it says none."""

from __future__ import annotations

import pytest

from rulewright.ir.meanings import as_terms
from rulewright.ir.ops import Ops
from rulewright.lang.build import load_table
from rulewright.lang.parse import parse_text
from rulewright.lang.table import op_row
from rulewright.lang.tree import OpDecl


def _terms(types: str, operands: str, meaning: str, result: str = "T", **flags: bool) -> str:
    text = f'op OWN<T: {types}>({operands}) : {result}  shape "same"  meaning "{meaning}"'
    (item,) = parse_text(text).all(OpDecl)
    return as_terms(op_row(item, load_table()["dtype_sets"]), flags.get("unrounded", False))


def test_arithmetic_of_the_spec_has_no_clause_of_its_own() -> None:
    for op in (Ops.NEG, Ops.RECIP, Ops.SQRT, Ops.ADD, Ops.XOR, Ops.CMPNE, Ops.WHERE):
        assert not op.row["smt"] and op.smt, op
    assert Ops.RECIP.smt == "one(x) / x" and Ops.WHERE.smt == "If(condition, yes, no)"
    assert Ops.MAX.smt == Ops.MAX.row["smt"], "of -0.0 and 0.0 it leaves open more than numpy"
    assert not Ops.SIN.smt and not Ops.CAST.smt and not Ops.STORE.smt


@pytest.mark.parametrize(
    ("types", "meaning", "term"),
    [
        ("f32 | f64", "np.multiply(np.multiply(x, y), x)", "x * y * x"),
        ("Float", "np.subtract(x, np.trunc(y))", "x - trunc(y)"),
        ("Int", "np.where(np.less(x, y), np.add(x, one(dtype)), y)", "If(x < y, x + one(x), y)"),
        ("Bits", "np.bitwise_and(x, np.invert(y))", "x & ~y"),
    ],
)
def test_steps_are_signs(types: str, meaning: str, term: str) -> None:
    assert _terms(types, "x: T, y: T", meaning) == term


@pytest.mark.parametrize(
    ("types", "meaning", "result"),
    [
        ("Float", "np.multiply(np.multiply(x, y), x)", "T"),  # of f16 it is rounded once
        ("Float", "np.less(np.add(x, y), x)", "bool"),
        ("f32", "np.where(np.less(x, y), x, y)", "T"),  # its NaN has the bits that x has
        ("f32", "np.less(x, y)", "T"),
        ("Int", "np.divide(x, y)", "T"),
        ("bool", "np.add(x, y)", "T"),
        ("Float", "np.invert(x)", "T"),
        ("Int", "np.add(x, 3)", "T"),
        ("Int", "x + y", "T"),
        ("Int", "np.add(x, one(x))", "T"),
        ("Int", "np.add(x, np.less(x, y))", "T"),
        ("Int", "np.add(x)", "T"),
        ("Int", "np.add()", "T"),
        ("Int", "floordiv(x, y)", "T"),
        ("Float", "np.exp(x)", "T"),
        ("Int", "np.less(one(dtype), x)", "bool"),
    ],
)
def test_what_is_no_term_or_another_is_unknown(types: str, meaning: str, result: str) -> None:
    assert _terms(types, "x: T, y: T", meaning, result) == ""


def test_a_choice_keeps_the_bits_of_a_nan_where_the_op_is_said_to() -> None:
    meaning = "np.where(np.less(x, y), x, y)"
    assert _terms("f32", "x: T, y: T", meaning, unrounded=True) == "If(x < y, x, y)"


def test_operands_may_be_of_a_dtype_that_is_named() -> None:
    floats = "x: f32, y: f32"
    assert _terms("bool", floats, "np.add(x, y)", "f32") == "x + y"
    assert _terms("bool", floats, "np.where(np.less(x, y), x, y)", "f32") == ""
    assert _terms("bool", "x: Int, y: Int", "np.add(x, y)", "Int") == "", "which, is not said"


@pytest.mark.parametrize("levels", [190, 250])
def test_a_meaning_of_too_many_levels_is_unknown(levels: int) -> None:
    deep = "np.negative(" * levels + "x" + ")" * levels
    assert as_terms(dict(Ops.NEG.row, meaning=deep), True).strip("-()") in ("x", "")
