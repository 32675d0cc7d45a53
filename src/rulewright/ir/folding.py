"""Arithmetic on constants, done while rewriting: exactly what the interpreter computes.

What an op computes is its clause `smt` in `spec/20-ops.uop`, over Python numbers. Integers wrap to
the dtype's width; floats are rounded to the dtype at every op, to nearest even: for floats narrower
than f64 the sum, product, quotient or root of two values, computed in double and rounded once more,
equals the correctly rounded one (a double has more than twice their precision and two bits).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops


@cache
def fold_function(op: str) -> Callable[..., Any]:
    """The function `(dtype, *values) -> value` that computes an elementwise op in `dtype`.

    Ops without a clause that is exact here (EXP2, SIN …) are computed by their `meaning` in double,
    and rounded to the dtype.
    Raises KeyError for an op whose meaning is more than arithmetic.
    """
    exact = getattr(Ops, op).on_numbers
    if exact is not None:
        return lambda dtype, *values: dtype.const(exact(*values))
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
