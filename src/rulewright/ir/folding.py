"""Arithmetic on constants, done while rewriting: exactly what the interpreter computes.

Integers wrap to the dtype's width; floats are rounded to the dtype at every op, to nearest even.
An op's value on Python numbers is followed by `DType.const`: for floats narrower than f64 the sum,
product, quotient or root of two values, computed in double and rounded once more, equals the
correctly rounded one (a double has more than twice their precision and two bits).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from rulewright.ir.dtypes import DType
from rulewright.ir.intervals import truncating
from rulewright.ir.ops import Ops


def _floordiv(dtype: DType, a: int, b: int) -> int:
    return a // b if b else 0


def _floormod(dtype: DType, a: int, b: int) -> int:
    return a % b if b else a


def _cdiv(dtype: DType, a: int, b: int) -> int:
    return truncating(a, b) if b else 0


def _cmod(dtype: DType, a: int, b: int) -> int:
    return a - truncating(a, b) * b if b else a


def _divide(dtype: DType, a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _maximum(dtype: DType, a: Any, b: Any) -> Any:
    if a != a or b != b:
        return math.nan
    return max(a, b)


def _minimum(dtype: DType, a: Any, b: Any) -> Any:
    if a != a or b != b:
        return math.nan
    return min(a, b)


def _shift_left(dtype: DType, a: int, b: int) -> int:
    return a << b if 0 <= b < dtype.bits else 0


def _shift_right(dtype: DType, a: int, b: int) -> int:
    return a >> b if 0 <= b < dtype.bits else -(a < 0)


def _not(dtype: DType, a: Any) -> Any:
    return not a if dtype.is_bool else ~a


def _sqrt(dtype: DType, a: float) -> float:
    return math.sqrt(a) if a >= 0 else math.nan


def _trunc(dtype: DType, a: float) -> float:
    return math.copysign(math.trunc(a), a) if math.isfinite(a) else a


_EXACT: dict[str, Callable[..., Any]] = {
    "NEG": lambda dtype, a: -a,
    "NOT": _not,
    "ADD": lambda dtype, a, b: a + b,
    "SUB": lambda dtype, a, b: a - b,
    "MUL": lambda dtype, a, b: a * b,
    "FDIV": _divide,
    "RECIP": lambda dtype, a: _divide(dtype, 1.0, a),
    "FLOORDIV": _floordiv,
    "FLOORMOD": _floormod,
    "CDIV": _cdiv,
    "CMOD": _cmod,
    "MAX": _maximum,
    "MIN": _minimum,
    "AND": lambda dtype, a, b: a & b,
    "OR": lambda dtype, a, b: a | b,
    "XOR": lambda dtype, a, b: a ^ b,
    "SHL": _shift_left,
    "SHR": _shift_right,
    "SQRT": _sqrt,
    "TRUNC": _trunc,
}


@cache
def fold_function(op: str) -> Callable[..., Any]:
    """The function `(dtype, *values) -> value` that computes an elementwise op in `dtype`.

    Ops without an exact rule here (EXP2, SIN …) are computed by their `meaning` in double, and
    rounded to the dtype.
    Raises KeyError for an op whose meaning is more than arithmetic.
    """
    exact = _EXACT.get(op)
    if exact is not None:
        return lambda dtype, *values: dtype.const(exact(dtype, *values))
    return _by_meaning(op)


def _by_meaning(op: str) -> Callable[..., Any]:
    if not getattr(Ops, op).row["meaning"]:
        raise KeyError(op)

    def compute(dtype: DType, *values: Any) -> Any:
        import numpy  # only once such an op is folded

        meaning = getattr(Ops, op).function("meaning", {"np": numpy, "math": math})
        with numpy.errstate(all="ignore"):
            arrays = [numpy.full(1, v, numpy.float64) for v in values]
            return dtype.const(meaning(None, dtype, *arrays)[0].item())

    return compute


def convert_value(dtype: DType, value: Any, source: DType) -> Any:
    """`value` of type `source` cast to `dtype`; None for a float that the integer cannot hold."""
    if dtype.is_bool:
        return bool(value != 0)
    if dtype.is_float and not source.is_float and abs(value) >= 1 << 24:
        import numpy  # one rounding only, as the interpreter's own conversion does

        with numpy.errstate(all="ignore"):
            return float(numpy.array([value], source.np).astype(dtype.np)[0])
    if dtype.is_int and source.is_float:
        if not math.isfinite(value) or not dtype.min <= math.trunc(value) <= dtype.max:
            return None
        return math.trunc(value)
    return dtype.const(value)
