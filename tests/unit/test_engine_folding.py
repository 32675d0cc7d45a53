"""Folding computes exactly what the interpreter computes, for every op and dtype."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from engine_graphs import FLOATS

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.folding import convert_value, fold_function
from rulewright.ir.ops import Op, Ops

SKIPPED = ("CAST", "BITCAST", "WHERE", "MULACC", "CMPLT", "CMPLE", "CMPEQ", "CMPNE")
ARITHMETIC = [op for op in Ops if op.elementwise and op.name not in SKIPPED]


def values(kind: DType, random: Random) -> list:
    """Special and random constants of a dtype."""
    if kind.is_bool:
        return [False, True]
    if kind.is_float:
        wide = [random.uniform(-8, 8) * 2.0 ** random.randint(-12, 12) for _ in range(20)]
        return [kind.const(v) for v in (*FLOATS, *wide)]
    special = [kind.min, kind.max, 0, 1, 2, 3, 7, kind.bits - 1, kind.bits]
    special += [] if kind.is_unsigned else [-1, -2, -7]
    if kind is dtypes.index:
        return [v for v in special if abs(v) < 100]
    return special + [random.randint(int(kind.min), int(kind.max)) for _ in range(12)]


def same(a: object, b: object) -> bool:
    """Equal values; NaN is NaN, and signed zeros differ."""
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return a == b


def array_of(values: list, kind: DType) -> np.ndarray:
    """Values as an array of a dtype."""
    if not kind.is_float:
        return np.array(values, kind.np)
    with np.errstate(all="ignore"):
        return np.array(values, np.float64).astype(kind.np)


def kinds_of(op: Op) -> list[DType]:
    """The dtypes an op works in."""
    return [getattr(dtypes, name) for name in dict(op.row["tparams"])["T"] if name != "void"]


@pytest.mark.parametrize("op", ARITHMETIC, ids=lambda op: op.name)
def test_fold_is_the_interpreters_value(op: Op) -> None:
    random = Random(op.name)
    for kind in kinds_of(op):
        pool = values(kind, random)
        columns = [[random.choice(pool) for _ in range(150)] for _ in op.params]
        if op.name in ("MAX", "MIN"):  # of zeros of both signs either may result
            rows = zip(*columns, strict=True)
            kept = [r for r in rows if not (r[0] == r[1] == 0 and kind.is_float)]
            columns = [list(c) for c in zip(*kept, strict=True)]
        arrays = [array_of(c, kind) for c in columns]
        expected = compute(op, kind, None, arrays, kind)
        fold = fold_function(op.name)
        for i, row in enumerate(zip(*columns, strict=True)):
            assert same(fold(kind, *row), expected[i].item() if not kind.is_float else
                        float(expected[i])), (op, kind, row)  # fmt: skip


@pytest.mark.parametrize("source", dtypes.all(), ids=lambda d: d.name)
def test_conversions_are_the_interpreters(source: DType) -> None:
    random = Random(source.name)
    for target in dtypes.all():
        for value in values(source, random):
            found = convert_value(target, value, source)
            if found is None:
                assert source.is_float and target.is_int
                continue
            array = array_of([value], source)
            expected = compute(Ops.CAST, target, None, [array], source)[0]
            wanted = float(expected) if target.is_float else expected.item()
            assert same(found, wanted), (source, target, value)


def test_a_float_outside_the_integer_is_not_converted() -> None:
    for value in (math.nan, math.inf, 3e9, -3e9):
        assert convert_value(dtypes.i32, value, dtypes.f32) is None
    assert convert_value(dtypes.i32, -2.9, dtypes.f32) == -2


def test_an_op_without_meaning_has_no_fold() -> None:
    with pytest.raises(KeyError):
        fold_function("INDEX")


def test_what_the_smt_clause_says_exactly_is_not_computed_in_double() -> None:
    large = 1 << 53  # its successor is no double
    assert fold_function("CMPLT")(dtypes.bool, large, large + 1) is True
    assert fold_function("CMPEQ")(dtypes.bool, large, large + 1) is False
    assert fold_function("WHERE")(dtypes.i64, True, large + 1, 0) == large + 1


def test_a_clause_with_words_that_numbers_have_no_value_for_leaves_the_op_to_its_meaning() -> None:
    assert "unknown" in Ops.POW.row["smt"]
    assert fold_function("POW")(dtypes.f64, 2.0, 0.5) == np.power(2.0, 0.5)
