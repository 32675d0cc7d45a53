"""NaN, infinities, signed zeros and subnormals through arithmetic, comparisons, choices and casts.

Results of one operation are rounded correctly: numbers in f64 say what of two f32, and of two f64
to which digits are missing.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType
from rulewright.verify.suite.sweep import Sweep
from rulewright.verify.values.samples import random, special

Array = np.ndarray[Any, Any]

_FLOATS = ("f32", "f64", "f16", "bf16")
_SMALL = ("fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz")
_ALL = (*_FLOATS, *_SMALL)


def _line(dtype: DType, rng: np.random.Generator) -> list[Array]:
    return [np.concatenate([special(dtype), random(dtype, 100, rng)])]


def _pairs(dtype: DType, rng: np.random.Generator) -> list[Array]:
    edges = special(dtype)
    grids = np.meshgrid(edges, edges)
    drawn = [random(dtype, 100, rng) for _ in grids]
    return [np.concatenate([g.reshape(-1), d]) for g, d in zip(grids, drawn, strict=True)]


def _constants(dtype: DType) -> list[int | float]:
    return [0.0, -0.0, 1.0, -1.0, 2.0, 0.5]


def _in_numpy(equals: str, arrays: list[Array]) -> Array:
    """In f64, whose results of one operation on shorter floats round to the same."""
    with np.errstate(all="ignore"):
        columns = dict(zip("xyz", (a.astype(np.float64) for a in arrays), strict=False))
        return np.asarray(eval(equals, {"np": np, **columns}))


def _pair(name: str, call: str, equals: str, gives: str = "", signs: bool = True) -> list[Sweep]:
    """Of two tensors, and of a tensor and a constant."""
    wanted = partial(_in_numpy, equals)
    by = re.sub(r"\by\b", "(c)", call)
    more: dict[str, Any] = {"gives": gives, "signs": signs}
    return [
        Sweep(name, call, _pairs, wanted, _FLOATS, **more),
        Sweep(f"{name} by a constant", by, _line, wanted, _FLOATS, constants=_constants, **more),
    ]


def _alone(name: str, call: str, equals: str, gives: str = "", signs: bool = True) -> Sweep:
    return Sweep(name, call, _line, partial(_in_numpy, equals), _ALL, gives, signs=signs)


ROWS = [
    *_pair("add", "x + y", "x + y"),
    *_pair("sub", "x - y", "x - y"),
    *_pair("mul", "x * y", "x * y"),
    *_pair("div", "x / y", "x / y"),
    *_pair("maximum", "x.maximum(y)", "np.maximum(x, y)", signs=False),
    *_pair("minimum", "x.minimum(y)", "np.minimum(x, y)", signs=False),
    *_pair("fmod", "x.fmod(y)", "np.fmod(x, y)"),
    *_pair("copysign", "x.copysign(y)", "np.copysign(x, y)"),
    *_pair("lt", "x < y", "x < y", "bool"),
    *_pair("le", "x <= y", "x <= y", "bool"),
    *_pair("eq", "x == y", "x == y", "bool"),
    *_pair("ne", "x != y", "x != y", "bool"),
    *_pair("not lt", "~(x < y)", "~(x < y)", "bool"),
    *_pair("not ge", "~(x >= y)", "~(x >= y)", "bool"),
    *_pair("where lt", "(x < y).where(x, y)", "np.where(x < y, x, y)"),
    *_pair("where not lt", "(~(x < y)).where(x, y)", "np.where(~(x < y), x, y)"),
    *_pair("where eq", "(x == y).where(x, y)", "np.where(x == y, x, y)"),
    *_pair("clip below", "x.clip(min=y)", "np.maximum(x, y)", signs=False),
    *_pair("difference of equals", "(x - x) * y", "(x - x) * y"),
    *_pair("quotient of equals", "(x / x) * y", "(x / x) * y"),
    _alone("neg", "-x", "-x"),
    _alone("abs", "abs(x)", "abs(x)"),
    _alone("zero times", "x * 0", "x * 0"),
    _alone("zero plus", "x + 0", "x + 0"),
    _alone("minus zero plus", "x + -0.0", "x + -0.0"),
    _alone("zero minus", "0 - x", "0 - x"),
    _alone("minus itself", "x - x", "x - x"),
    _alone("over itself", "x / x", "x / x"),
    _alone("equal to itself", "x == x", "x == x", "bool"),
    _alone("less than itself", "x < x", "x < x", "bool"),
    _alone("maximum with itself", "x.maximum(x)", "x"),
    _alone("isnan", "x.isnan()", "np.isnan(x)", "bool"),
    _alone("isinf", "x.isinf()", "np.isinf(x)", "bool"),
    _alone("isfinite", "x.isfinite()", "np.isfinite(x)", "bool"),
    _alone("signbit", "x.signbit()", "np.where(np.isnan(x), np.signbit(x), np.signbit(x))", "bool"),
    _alone("cast to bool", "x.cast('bool')", "x != 0", "bool"),
    _alone("trunc", "x.trunc()", "np.trunc(x)"),
    _alone("floor", "x.floor()", "np.floor(x)"),
    _alone("ceil", "x.ceil()", "np.ceil(x)"),
    _alone("round", "x.round()", "np.round(x)"),
    _alone("relu", "x.relu()", "np.where(x > 0, x, np.where(np.isnan(x), x, 0.0))", signs=False),
    *(Sweep(f"cast to {kind}", f"x.cast('{kind}')", _line, partial(_in_numpy, "x"), _ALL, kind,
            signs=True) for kind in _ALL),
]  # fmt: skip
