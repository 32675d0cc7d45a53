"""Integers at their edges: ends that wrap, shifts past the width, divisors of 0 and -1, casts.

Expected values are computed with Python's own integers, which have no width, and wrapped.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.verify.methods.row import INTS, kind_named
from rulewright.verify.methods.text import Expression, text_of
from rulewright.verify.suite.sweep import Sweep, beside_constants
from rulewright.verify.values.samples import before_cast, line, pairs, random, special

Array = np.ndarray[Any, Any]
Scalar = Callable[..., int]
_line, _pairs = partial(line, 40), partial(pairs, 40)


def _constants(dtype: DType) -> list[int | float]:
    low, high, bits = int(dtype.min), int(dtype.max), dtype.bits
    signed = [low, -1, -2] if low else []
    return [*signed, 0, 1, 2, 7, 8, bits - 1, bits, high]


def _wanted(scalar: Scalar, gives: str, arrays: list[Array]) -> Array:
    """A function of Python's integers at each row, wrapped; or truths."""
    bits = 8 * arrays[0].dtype.itemsize
    rows = zip(*(array.tolist() for array in arrays), strict=True)
    values = [scalar(*row, bits) for row in rows]
    if gives == "bool":
        return np.array(values, np.bool_)
    kind = kind_named(gives) if gives else next(d for d in dtypes.all() if d.np == arrays[0].dtype)
    return np.array([kind.const(int(value)) for value in values], kind.np)


def _toward_zero(a: int, b: int) -> int:
    return 0 if b == 0 else math.trunc(Fraction(a, b))


def _shifted_right(a: int, b: int, bits: int) -> int:
    return a >> b if 0 <= b < bits else (-1 if a < 0 else 0)


_SIGNED = tuple(kind for kind in INTS if kind[0] == "i")
_PAIRS: dict[str, tuple[Expression, Scalar]] = {
    "add": (lambda x, y: x + y, lambda a, b, bits: a + b),
    "sub": (lambda x, y: x - y, lambda a, b, bits: a - b),
    "mul": (lambda x, y: x * y, lambda a, b, bits: a * b),
    "floordiv": (lambda x, y: x // y, lambda a, b, bits: a // b if b else 0),
    "mod": (lambda x, y: x % y, lambda a, b, bits: a % b if b else a),
    "div trunc": (
        lambda x, y: x.div(y, rounding_mode="trunc"),
        lambda a, b, bits: _toward_zero(a, b),
    ),
    "fmod": (lambda x, y: x.fmod(y), lambda a, b, bits: a - b * _toward_zero(a, b)),
    "lshift": (lambda x, y: x << y, lambda a, b, bits: a << b if 0 <= b < bits else 0),
    "rshift": (lambda x, y: x >> y, _shifted_right),
    "and": (lambda x, y: x & y, lambda a, b, bits: a & b),
    "or": (lambda x, y: x | y, lambda a, b, bits: a | b),
    "xor": (lambda x, y: x ^ y, lambda a, b, bits: a ^ b),
    "maximum": (lambda x, y: x.maximum(y), lambda a, b, bits: max(a, b)),
    "minimum": (lambda x, y: x.minimum(y), lambda a, b, bits: min(a, b)),
}
_COMPARED: dict[str, tuple[Expression, Scalar]] = {
    "lt": (lambda x, y: x < y, lambda a, b, bits: a < b),
    "le": (lambda x, y: x <= y, lambda a, b, bits: a <= b),
    "eq": (lambda x, y: x == y, lambda a, b, bits: a == b),
    "ne": (lambda x, y: x != y, lambda a, b, bits: a != b),
}
_ALONE: dict[str, tuple[Expression, Scalar]] = {
    "neg": (lambda x: -x, lambda a, bits: -a),
    "abs": (lambda x: abs(x), lambda a, bits: abs(a)),
    "not": (lambda x: ~x, lambda a, bits: ~a),
    "square": (lambda x: x * x, lambda a, bits: a * a),
    "cube": (lambda x: x**3, lambda a, bits: a**3),
    "sign": (lambda x: x.sign(), lambda a, bits: (a > 0) - (a < 0)),
    "neg of neg": (lambda x: -x.neg(), lambda a, bits: a),
}
_STEPS: tuple[tuple[Expression, dict[str, Any]], ...] = (
    (lambda x: (x + x) // 2, {}), (lambda x: (x * 6) // 3, {}), (lambda x: (x << 3) >> 3, {}),
    (lambda x: (x + 1) > x, {"gives": "bool"}), (lambda x: (x - 1) < x, {"gives": "bool"}),
    (lambda x: (x * 2) % 2, {}), (lambda x: (x // 2) * 2 + x % 2, {}),
    (lambda x: (x + 7) // 8, {}), (lambda x: (x * 3 + x * 5) // 8, {}),
    (lambda x: (x >> 1) << 1, {}), (lambda x: x - x // 3 * 3, {}),
    (lambda x: (x ^ -1) + 1, {"dtypes": _SIGNED}), (lambda x: (x & 7) * 8 // 8, {}),
    (lambda x: -x // 3, {}), (lambda x: ~x // 3, {}), (lambda x: x * x // 3, {}),
)  # fmt: skip
"""Chains that wrap on the way: what algebra on whole numbers would get wrong."""


def _pair(name: str, call: Expression, scalar: Scalar, gives: str = "") -> list[Sweep]:
    """Of two tensors, and of a tensor and a constant."""
    sweep = Sweep(name, call, _pairs, partial(_wanted, scalar, gives), INTS, gives)
    return beside_constants(sweep, _line, _constants)


def _in_numpy(call: Expression, arrays: list[Array]) -> Array:
    """A chain of steps, each of which wraps in numpy as it has to."""
    with np.errstate(all="ignore"):
        return np.asarray(call(*arrays))


# ---- casts -------------------------------------------------------------------------------------


def _whole_to_float(arrays: list[Array]) -> tuple[Array, Array]:
    """Whole numbers in f64, and what is missing there."""
    near = arrays[0].astype(np.float64)
    return near, np.array([float(v - int(n)) for v, n in zip(arrays[0].tolist(), near.tolist(),
                                                             strict=True)])  # fmt: skip


def _float_to_whole(gives: str, arrays: list[Array]) -> Array:
    """Toward zero; the nearest end beyond the ends; NaN is 0."""
    kind = kind_named(gives)
    low, high = int(kind.min), int(kind.max)

    def whole(value: float) -> int:
        if math.isnan(value):
            return 0
        return (
            (low if value < 0 else high) if math.isinf(value) else min(max(int(value), low), high)
        )

    with np.errstate(invalid="ignore"):  # of a NaN of a small float
        values = arrays[0].astype(np.float64).tolist()
    return np.array([whole(value) for value in values], kind.np)


def _floats_at_ends(dtype: DType, rng: np.random.Generator) -> list[Array]:
    """Special numbers, random ones, and those around the ends of integers and of halves."""
    powers = [2.0**bits for bits in (7, 8, 15, 16, 31, 32, 63, 64)]
    ends = np.array([sign * p for p in powers for sign in (1, -1)] + [0.5, 1.5, 2.5, -0.5, -1.5])
    with np.errstate(over="ignore"):
        near = ends.astype(dtype.np)
        around = [near, np.nextafter(near, dtype.np.type(0)), np.nextafter(near, near * 2)] if (
            dtype.np.kind == "f") else [near]  # fmt: skip
    return [np.concatenate([special(dtype), random(dtype, 60, rng), *around])]


_FLOATS = ("f32", "f64", "f16", "bf16", "fp8e4m3", "fp8e5m2")

ROWS = [
    *(row for name, (call, scalar) in _PAIRS.items() for row in _pair(name, call, scalar)),
    *(row for name, (call, one) in _COMPARED.items() for row in _pair(name, call, one, "bool")),
    *(Sweep(name, call, _line, partial(_wanted, scalar, ""), INTS)
      for name, (call, scalar) in _ALONE.items()),
    *(Sweep(text_of(call), call, _line, partial(_in_numpy, call), **{"dtypes": INTS, **rest})
      for call, rest in _STEPS),
    *(Sweep(f"cast to {kind}", lambda x, kind=kind: x.cast(kind), _line,
            partial(_wanted, lambda a, bits: a, kind), INTS, kind) for kind in INTS),
    Sweep("cast to bool", lambda x: x.cast("bool"), _line,
          partial(_wanted, lambda a, bits: a != 0, "bool"), INTS, "bool"),
    *(Sweep(f"cast to {kind}", lambda x, kind=kind: x.cast(kind),
            partial(before_cast, kind_named(kind), 40), _whole_to_float, INTS, kind)
      for kind in ("f64", "f32", "f16", "bf16")),
    *(Sweep(f"floats cast to {kind}", lambda x, kind=kind: x.cast(kind), _floats_at_ends,
            partial(_float_to_whole, kind), _FLOATS, kind) for kind in INTS),
]  # fmt: skip
