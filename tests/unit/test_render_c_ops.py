"""Every op on every dtype in C, over awkward values, against the interpreter's meaning."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from render_tools import Unit, call, one_op, same_bits

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops

INTEGERS = [d for d in dtypes.all() if d.is_int]
FLOATS = [d for d in dtypes.all() if d.is_float]
BINARY = {
    "Float": ("ADD", "SUB", "MUL", "FDIV", "MAX", "MIN"),
    "Int": (
        "ADD", "SUB", "MUL", "FLOORDIV", "FLOORMOD", "CDIV", "CMOD", "MAX", "MIN", "AND", "OR",
        "XOR", "SHL", "SHR",
    ),
    "Bool": ("MAX", "MIN", "AND", "OR", "XOR"),
}  # fmt: skip
UNARY = {"Float": ("NEG", "RECIP", "SQRT", "TRUNC"), "Int": ("NEG", "NOT"), "Bool": ("NOT",)}
COMPARE = ("CMPLT", "CMPLE", "CMPEQ", "CMPNE")


def kind(dtype: DType) -> str:
    return "Float" if dtype.is_float else "Bool" if dtype.is_bool else "Int"


def awkward(dtype: DType) -> np.ndarray:
    """Values at which things go wrong."""
    if dtype.is_bool:
        return np.array([False, True])
    if dtype.is_int:
        low, high = int(dtype.min), int(dtype.max)
        near = [0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, -1, -2, -3, -7, -8, 100]
        near += [low, low + 1, high, high - 1, high // 2, low // 2 + 3]
        return np.unique(np.array([v for v in near if low <= v <= high], dtype.np))
    values = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.75, 3.0, 448.0, 65504.0, 1e-3, -7e-6, 1e-7, 1e30]
    values += [np.inf, -np.inf, np.nan, 1e-40, 6e-8, 1.0078125, 3.4e38, -1e300, 57344.0, 61440.0]
    with np.errstate(all="ignore"):
        return np.array(values).astype(dtype.np)


def pairs(dtype: DType) -> tuple[np.ndarray, np.ndarray]:
    values = awkward(dtype)
    left, right = np.meshgrid(values, values)
    return left.ravel().copy(), right.ravel().copy()


CASES = [
    (op, dtype)
    for dtype in dtypes.all()
    for op in (*BINARY[kind(dtype)], *UNARY[kind(dtype)], *COMPARE)
]
CASTS = list(itertools.product(dtypes.all(), repeat=2))


def operands(op: str, dtype: DType) -> tuple[np.ndarray, ...]:
    return (awkward(dtype),) if op in UNARY[kind(dtype)] else pairs(dtype)


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


def explain(found, expected, *arrays):
    """The first difference, or nothing."""
    wrong = np.flatnonzero(~same_bits(found, expected))
    if not len(wrong):
        return ""
    i = wrong[0]
    given = ", ".join(str(a[i]) for a in arrays)
    return f"of {given}: found {found[i]}, expected {expected[i]} ({len(wrong)} differences)"


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
