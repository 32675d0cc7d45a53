"""Every op on every dtype in C, over awkward values, against the interpreter's meaning."""

from __future__ import annotations

import numpy as np
import pytest
from render_tools import CASES, CASTS, COMPARE, Unit, awkward, call, explain, one_op, operands

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops


@pytest.fixture(scope="module")
def unit():
    """All kernels, compiled once; names by case."""
    made, names = Unit(), {}
    for op, dtype in CASES:
        arrays = operands(op, dtype)
        result = dtypes.bool if op in COMPARE else dtype
        name = made.add(one_op(op), [dtype] * len(arrays), result, len(arrays[0]))
        names[op, dtype] = name
    for source, result in CASTS:
        size = len(awkward(source))
        names[source, result] = made.add(lambda x, r=result: x.cast(r), [source], result, size)
    return made.compile(), names


@pytest.mark.parametrize(("op", "dtype"), CASES, ids=[f"{o}-{d.name}" for o, d in CASES])
def test_op(unit, op, dtype):
    library, names = unit
    arrays = operands(op, dtype)
    result = dtypes.bool if op in COMPARE else dtype
    found = call(library, names[op, dtype], np.zeros(len(arrays[0]), result.np), *arrays)
    expected = compute(getattr(Ops, op), result, None, arrays, dtype)
    if op in ("MAX", "MIN") and dtype.is_float:  # of -0.0 and 0.0 either may result
        found, expected = found + np.zeros((), dtype.np), expected + np.zeros((), dtype.np)
    assert not explain(found, expected, *arrays)


@pytest.mark.parametrize(
    ("source", "result"), CASTS, ids=[f"{s.name}-to-{r.name}" for s, r in CASTS]
)
def test_cast(unit, source, result):
    library, names = unit
    values = awkward(source)
    found = call(library, names[source, result], np.zeros(len(values), result.np), values)
    expected = compute(Ops.CAST, result, None, (values,), source)
    assert not explain(found, expected, values)
