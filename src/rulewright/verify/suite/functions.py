"""Functions of floats over their whole range, in units of the last place.

Ops may be as wrong as `ulps` of their row in `spec/20-ops.uop` says; methods that are made of
several ops as much as stands here. Operands are every number of a type of 8 bits; of others the
ends, subnormals, signed zeros, infinities, NaN, numbers of every exponent, and the numbers next to
multiples of a quarter turn.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import op
from rulewright.verify.methods.text import Expression
from rulewright.verify.suite.sweep import Sweep
from rulewright.verify.values.exact import exactly, wide
from rulewright.verify.values.samples import every, near_quarter_turns, random, special

Array = np.ndarray[Any, Any]

_FLOATS = tuple(kind.name for kind in sorted(dtypes.set("Float"), key=lambda k: (-k.bits, k.name)))
_FAR = 2.0**40
"""Angles beyond are cases of their own, for not every C library reduces them to all digits."""

_ROUNDED = 0.5 + 2.0**-53
"""What an op that states no bound may be wrong by. No root is halfway between floats, but some are
next to it, which two f64 do not say."""

_COUNT = {64: 60, 32: 600, 16: 600}  # of random numbers: f64 is compared digit by digit


def _line(dtype: DType, rng: np.random.Generator, turns: bool = False) -> list[Array]:
    if dtype.bits <= 8:
        whole = every(dtype)
        return [] if whole is None else [whole]
    count = _COUNT[dtype.bits]
    parts = [special(dtype), random(dtype, count, rng)]
    if turns:
        near = near_quarter_turns(dtype)
        near = near[np.abs(near.astype(np.float64)) < _FAR]
        parts.append(rng.choice(near, min(count, near.size), replace=False))
    return [np.concatenate(parts)]


def _pairs(dtype: DType, rng: np.random.Generator) -> list[Array]:
    """Every two of some special numbers, and random ones of moderate size."""
    chosen = np.array([0.0, -0.0, 1, -1, 0.5, -0.5, 2, -3, 10, np.inf, -np.inf, np.nan])
    info = dtypes.finfo(dtype)
    ends = np.array([info.max, info.smallest_normal, info.smallest_subnormal])
    edges = np.concatenate([chosen, ends, -ends]).astype(dtype.np)
    largest = int(np.log2(info.max))
    x, y = (grid.reshape(-1) for grid in np.meshgrid(edges, edges))
    count = _COUNT.get(dtype.bits, 100) // 2
    base = np.ldexp(rng.uniform(1, 2, count), rng.integers(-20, min(20, largest), count))
    other = rng.uniform(-6, 6, count)
    return [np.concatenate([x, base.astype(dtype.np)]), np.concatenate([y, other.astype(dtype.np)])]


def _wanted(name: str, arrays: list[Array]) -> Any:
    with np.errstate(invalid="ignore"):  # of a NaN of a small float
        columns = [array.astype(np.float64) for array in arrays]
    if arrays[0].dtype.itemsize < 8:
        return wide(name, columns)
    return exactly(name, columns)


def _function(
    name: str, ulps: float = 0.0, call: Expression | None = None, operands: Any = _line, **rest: Any
) -> Sweep:
    """A sweep of a function; its bound is that of the op of its name, if none is stated."""
    bound = ulps or float(op(name.upper()).row["ulps"] or _ROUNDED)
    call = call or (lambda x: getattr(x, name)())
    return Sweep(name, call, operands, partial(_wanted, name), _FLOATS, ulps=bound, **rest)


def _far_angles(dtype: DType, rng: np.random.Generator) -> list[Array]:
    near = near_quarter_turns(dtype)
    return [rng.choice(near[np.abs(near.astype(np.float64)) >= _FAR], 100, replace=False)]


_turns = partial(_line, turns=True)

ROWS = [
    *(_function(name, signs=True) for name in ("exp", "exp2", "log", "log2", "sqrt")),
    *(_function(name, signs=True) for name in ("atan", "tanh", "erf")),
    *(_function(name, operands=_turns, signs=True) for name in ("sin", "cos")),
    _function("pow", call=lambda x, y: x ** y, operands=_pairs),
    _function("expm1", 4, signs=True),
    _function("log10", 4, signs=True),
    _function("log1p", 4, signs=True),
    _function("rsqrt", 2),
    _function("tan", 6, operands=_turns, signs=True),
    *(_function(name, 4, signs=True) for name in ("asin", "acos", "sinh", "cosh", "asinh")),
    *(_function(name, 4, signs=True) for name in ("acosh", "atanh", "sigmoid")),
    _function("atan2", 4, call=lambda x, y: x.atan2(y), operands=_pairs, signs=True),
    *(replace(_function(name, ulps, operands=_far_angles), name=f"{name} far out",
              dtypes=("f64", "f32")) for name, ulps in (("sin", 0), ("cos", 0), ("tan", 6))),
    _function("hypot", 4, call=lambda x, y: x.hypot(y), operands=_pairs),
]  # fmt: skip
