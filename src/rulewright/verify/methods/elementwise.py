"""Rows of the table of methods: elementwise.

Units in the last place of the functions are tested in tests/unit/test_tensor_elementwise_ulp.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rulewright.verify.methods.reference import (
    erf,
    inverse_erf,
    log_gamma,
    next_bfloat16,
    power,
    rounded_to,
    slope_of_log_gamma,
)
from rulewright.verify.methods.row import INTS, NUMBERS, PAIRS, Method, Refusal
from rulewright.verify.methods.text import Expression

_SOME = (((3, 5),), ((),), ((7, 0, 2),))
_TWO = (((3, 5), (5,)), ((2, 1, 3), (4, 1)), ((0,), (1,)))
_BITS = (*INTS, "bool")
_WIDE = ("f32", "f64")
_REAL = ("f32", "f16")
_MOST = ("f32", "i32", "f16", "u8")
_ANY = (*_MOST, "bool")
_NONZERO = ("any", "nonzero")
_NOTHING: tuple[Any, ...] = (None, "a", {})


def _same(name: str, call: Expression, equals: Expression, dtypes: tuple[str, ...],
          **rest: Any) -> Method:  # fmt: skip
    """A row whose results have the dtype of the operand, special values among them."""
    return Method(name, call, equals, _SOME, dtypes, special=True, **rest)


def _function(name: str, equals: Expression, domain: str = "any", **rest: Any) -> Method:
    """A row of a function with real values, that takes integers too."""
    special: dict[str, Any] = {"special": domain == "any", **rest}
    return Method(name, lambda x: getattr(x, name)(), equals, _SOME, ("f32", "bf16", "i32"),
                  domain=domain, gives="float", gradient=True, **special)  # fmt: skip


def _compared(name: str, call: Expression, equals: Expression) -> Method:
    """A row of a comparison."""
    return Method(name, call, equals, _TWO, _ANY, special=True, gives="bool")


ROWS = [
    # ---- arithmetic
    Method("add", lambda x, y: (x.add(y), x + y, y + x, x + 3, 3 + x),
           lambda x, y: (x + y, x + y, x + y, x + x.dtype.type(3), x + x.dtype.type(3)), PAIRS,
           NUMBERS, special=True, gradient=True),
    Method("add", lambda x, y: x + y, lambda x, y: x | y, _TWO, ("bool",)),
    Method("sub", lambda x, y: (x.sub(y), x - y, y - x, x - 2, 2 - x),
           lambda x, y: (x - y, x - y, y - x, x - x.dtype.type(2), x.dtype.type(2) - x), _TWO,
           NUMBERS, special=True, gradient=True),
    Method("mul", lambda x, y: (x.mul(y), x * y, y * x, x * 3, 3 * x),
           lambda x, y: (x * y, x * y, x * y, x * x.dtype.type(3), x * x.dtype.type(3)), _TWO,
           NUMBERS, special=True, gradient=True),
    Method("mul", lambda x, y: x * y, lambda x, y: x & y, _TWO, ("bool",)),
    Method("div", lambda x, y: (x.div(y), x / y, 2 / y), lambda x, y: (x / y, x / y, 2 / y), _TWO,
           _MOST, domain=_NONZERO, gives="float", gradient=True),
    Method("div", lambda x, y: x.div(y), lambda x, y: x / y, _TWO, _REAL, special=True),
    Method("div", lambda x, y: (x.div(y, rounding_mode="trunc"), x.idiv(y)),
           lambda x, y: (np.trunc(x / y).astype(x.dtype), np.trunc(x / y).astype(x.dtype)), _TWO,
           ("f64", "i32", "i8", "u8", "u32"), domain=_NONZERO, gives="same"),
    Method("idiv", lambda x, y: x.idiv(y), lambda x, y: np.trunc(x / y).astype(x.dtype), _TWO,
           ("f64", "i16", "u16"), domain=_NONZERO),
    Method("idiv", lambda x: x.idiv(0), lambda x: np.zeros_like(x), _SOME, INTS),
    Method("floordiv",
           lambda x, y: (x.floordiv(y), x // y, 7 // y, x.div(y, rounding_mode="floor")),
           lambda x, y: (x // y, x // y, x.dtype.type(7) // y, x // y), _TWO, _MOST,
           domain=_NONZERO),
    Method("floordiv", lambda x, y: x.floordiv(y), lambda x, y: x // y, _TWO, _WIDE, special=True),
    Method("mod", lambda x, y: (x.mod(y), x % y, 7 % y),
           lambda x, y: (x % y, x % y, x.dtype.type(7) % y), _TWO, _MOST, domain=_NONZERO),
    Method("mod", lambda x, y: x.mod(y), lambda x, y: x % y, _TWO, _REAL, domain=_NONZERO,
           gradient=True),
    Method("remainder", lambda x, y: x.remainder(y), lambda x, y: x % y, _TWO, _WIDE, special=True),
    Method("fmod", lambda x, y: (x.fmod(y), x.fmod(3)),
           lambda x, y: (np.fmod(x, y), np.fmod(x, x.dtype.type(3))), _TWO, _MOST, domain=_NONZERO),
    Method("fmod", lambda x, y: x.fmod(y), lambda x, y: np.fmod(x, y), _TWO, _WIDE, special=True,
           gradient=True),
    Method("fmod", lambda x: x.fmod(0), lambda x: x, _SOME, INTS),
    _same("neg", lambda x: (x.neg(), -x), lambda x: (-x, -x), _MOST, gradient=True),
    Method("maximum", lambda x, y: (x.maximum(y), x.maximum(1)),
           lambda x, y: (np.maximum(x, y), np.maximum(x, x.dtype.type(1))), _TWO, _MOST,
           special=True, gradient=True),
    Method("maximum", lambda x, y: x.maximum(y), lambda x, y: x | y, _TWO, ("bool",)),
    Method("minimum", lambda x, y: (x.minimum(y), x.minimum(1)),
           lambda x, y: (np.minimum(x, y), np.minimum(x, x.dtype.type(1))), _TWO, _MOST,
           special=True, gradient=True),
    *(Method(name, lambda x, y, name=name: (getattr(x, name)(y), getattr(x, name)(1)),
             lambda x, y, name=name: (getattr(np, name)(x, y), getattr(np, name)(x, 1)), _TWO,
             _MOST, special=True, gradient=True) for name in ("fmax", "fmin")),
    Method("heaviside", lambda x, y: (x.heaviside(y), x.heaviside(0.5), (x * 0).heaviside(y)),
           lambda x, y: (np.heaviside(x, y), np.heaviside(x, 0.5), np.heaviside(x * 0, y)), _TWO,
           ("f32", "f16")),
    Method("heaviside", lambda x, y: (x.heaviside(y), x.heaviside(x)),
           lambda x, y: (np.where(x == 0, y, x > 0), np.where(x == 0, x, x > 0)), _TWO,
           ("f32", "i32", "u8"), special=True),
    Method("addcmul", lambda x, y, z: (z.addcmul(x, y), z.addcmul(x, y, value=2), z.addcmul(x, 3)),
           lambda x, y, z: (z + x * y, z + 2 * x * y, z + x * 3),
           (((3, 5), (5,), (3, 1)), ((), (2,), ())), ("f32", "i32", "f16", "u8"), gradient=True),
    Method("addcdiv", lambda x, y, z: (z.addcdiv(x, y), z.addcdiv(x, y, value=2), z.addcdiv(x, 4)),
           lambda x, y, z: (z + x / y, z + 2 * x / y, z + x / 4),
           (((3, 5), (5,), (3, 1)), ((), (2,), ())), ("f32", "f64", "i32"),
           domain=(*_NONZERO, "any"), gives="float", gradient=True),
    Method("pow", lambda x: (x.pow(3), x ** 2, x ** 1, x ** 0, x.pow(5)),
           lambda x: (x**3, x**2, x, x**0, x**5), _SOME, _MOST, tolerance=16),
    Method("pow", lambda x: (x ** 2, x ** 5, x.square()), lambda x: (x * 1, x * 1, x * 1), _SOME,
           ("bool",), domain="bool", gives="i64"),
    Method("pow", lambda x, y: x ** y, lambda x, y: power(x, y), _TWO, INTS,
           domain=("any", "index:70")),
    Method("pow", lambda x, y: x ** y, lambda x, y: power(x, y), _TWO, ("i32", "i64", "i8"),
           domain="any"),
    Method("pow", lambda x, y: (x ** y, 2 ** y, x ** 0.5, x ** -0.5, x ** -1.5),
           lambda x, y: (x**y, 2.0**y, x**0.5, x**-0.5, x**-1.5), _TWO, _REAL,
           domain=("positive", "any"), tolerance=16, gradient=True),
    Method("pow", lambda x, y: x ** y, lambda x, y: x**y, _TWO, _WIDE, special=True),
    Method("pow", lambda x: (x ** 0.5, x ** -1.0), lambda x: (x**0.5, 1 / x), _SOME, ("i32", "u8"),
           domain="positive", gives="float"),
    # ---- comparison
    _compared("eq", lambda x, y: (x.eq(y), x == y, x == 1, 1 == x),
              lambda x, y: (x == y, x == y, x == 1, 1 == x)),
    _compared("ne", lambda x, y: (x.ne(y), x != y, x != 1, 1 != x),
              lambda x, y: (x != y, x != y, x != 1, 1 != x)),
    _compared("lt", lambda x, y: (x.lt(y), x < y, x < 1, 1 < x),
              lambda x, y: (x < y, x < y, x < 1, 1 < x)),
    _compared("le", lambda x, y: (x.le(y), x <= y, x <= 1, 1 <= x),
              lambda x, y: (x <= y, x <= y, x <= 1, 1 <= x)),
    _compared("gt", lambda x, y: (x.gt(y), x > y, x > 1, 1 > x),
              lambda x, y: (x > y, x > y, x > 1, 1 > x)),
    _compared("ge", lambda x, y: (x.ge(y), x >= y, x >= 1, 1 >= x),
              lambda x, y: (x >= y, x >= y, x >= 1, 1 >= x)),
    Method("isnan", lambda x: x.isnan(), lambda x: np.isnan(x), _SOME, _ANY, special=True,
           gives="bool"),
    Method("isinf",
           lambda x: (x.isinf(), x.isinf(detect_negative=False), x.isinf(detect_positive=False),
           x.isinf(False, False)),
           lambda x: (np.isinf(x), np.isinf(x) & (x > 0), np.isinf(x) & (x < 0),
           np.isinf(x) & False), _SOME, _ANY, special=True, gives="bool"),
    Method("isfinite", lambda x: x.isfinite(), lambda x: np.isfinite(x), _SOME, _ANY, special=True,
           gives="bool"),
    Method("isclose",
           lambda x, y: (x.isclose(y), x.isclose(y, 0.5, 1), x.isclose(y, 0.5, equal_nan=True),
           x.isclose(x), x.isclose(x, equal_nan=True)),
           lambda x, y: (np.isclose(x, y), np.isclose(x, y, 0.5, 1),
           np.isclose(x, y, 0.5, equal_nan=True), np.isclose(x, x),
           np.isclose(x, x, equal_nan=True)), _TWO, ("f32", "f64", "i32", "u8"), special=True,
           gives="bool"),
    Method("allclose", lambda x, y: (x.allclose(y), x.allclose(x), x.allclose(x, equal_nan=True)),
           lambda x, y: (np.allclose(x, y), np.allclose(x, x), np.allclose(x, x, equal_nan=True)),
           _TWO, ("f32", "i32"), special=True),
    # ---- logic and bits
    Method("bitwise_and", lambda x, y: (x.bitwise_and(y), x & y, x & 1),
           lambda x, y: (x & y, x & y, x & x.dtype.type(1)), _TWO, INTS),
    Method("bitwise_and", lambda x, y: (x.bitwise_and(y), x & y, x & True, False & x),
           lambda x, y: (x & y, x & y, x & True, x & False), _TWO, ("bool",)),
    Method("bitwise_or", lambda x, y: (x.bitwise_or(y), x | y, x | 1),
           lambda x, y: (x | y, x | y, x | x.dtype.type(1)), _TWO, INTS),
    Method("bitwise_or", lambda x, y: (x.bitwise_or(y), x | y, x | True, False | x),
           lambda x, y: (x | y, x | y, x | True, x | False), _TWO, ("bool",)),
    Method("bitwise_xor", lambda x, y: (x.bitwise_xor(y), x ^ y, x ^ 1),
           lambda x, y: (x ^ y, x ^ y, x ^ x.dtype.type(1)), _TWO, INTS),
    Method("bitwise_xor", lambda x, y: (x.bitwise_xor(y), x ^ y, x ^ True, False ^ x),
           lambda x, y: (x ^ y, x ^ y, x ^ True, x ^ False), _TWO, ("bool",)),
    Method("bitwise_not", lambda x: (x.bitwise_not(), ~x), lambda x: (~x, ~x), _SOME, _BITS),
    Method("lshift", lambda x, y: (x.lshift(y), x << y, x << 2, 1 << y),
           lambda x, y: (x << y, x << y, x << x.dtype.type(2), x.dtype.type(1) << y), _TWO, INTS,
           domain=("any", "index:8")),
    Method("rshift", lambda x, y: (x.rshift(y), x >> y, x >> 2, 100 >> y),
           lambda x, y: (x >> y, x >> y, x >> x.dtype.type(2), x.dtype.type(100) >> y), _TWO, INTS,
           domain=("any", "index:8")),
    *(Method(name, lambda x, y, name=name: (getattr(x, name)(y), getattr(x, name)(True)),
             lambda x, y, name=name: (getattr(np, name)(x, y), getattr(np, name)(x, True)), _TWO,
             _ANY, special=True, gives="bool")
      for name in ("logical_and", "logical_or", "logical_xor")),
    Method("logical_not", lambda x: x.logical_not(), lambda x: np.logical_not(x), _SOME, _ANY,
           special=True, gives="bool"),
    # ---- choice and bounds
    Method("where", lambda x, y, z: (x.where(y, z), x.where(y, 0), x.where(1, z)),
           lambda x, y, z: (np.where(x, y, z), np.where(x, y, 0), np.where(x, 1, z)),
           (((3, 5), (5,), (3, 1)), ((2, 1), (1, 3), ()), ((0,), (1,), (1,))), ("bool",),
           others=("f32", "f32"), gives="f32"),
    Method("where", lambda x, y, z: (x > 0).where(y, z), lambda x, y, z: np.where(x > 0, y, z),
           (((3, 5), (5,), (3, 1)), ((), (2,), (1,))), special=True, gradient=True),
    Method("where",
           lambda x, y: (x.where(y, y), x.where(True, False), x.where(1, 2), x.where(1, 2.5)),
           lambda x, y: (np.where(x, y, y), x, np.where(x, 1, 2), np.where(x, 1, 2.5)), _TWO,
           ("bool",), others=("i8",), gives="i8 bool i64 f32"),
    Method("masked_fill", lambda x, y: x.masked_fill(y, 3),
           lambda x, y: np.where(y, x.dtype.type(3), x), _TWO, _MOST, ("bool",), special=True,
           gradient=True),
    *(_same(name,
            lambda x, name=name: (getattr(x, name)(1, 3), getattr(x, name)(min=1),
            getattr(x, name)(max=2), getattr(x, name)(2, 1)),
            lambda x: (np.clip(x, *np.array([1, 3], x.dtype)), np.clip(x, x.dtype.type(1), None),
            np.clip(x, None, x.dtype.type(2)), np.minimum(np.maximum(x, x.dtype.type(2)),
            x.dtype.type(1))), _MOST, gradient=True) for name in ("clip", "clamp")),
    Method("clip", lambda x, y, z: x.clip(y, z), lambda x, y, z: np.minimum(np.maximum(x, y), z),
           (((3, 5), (5,), (3, 1)), ((), (2,), (2,))), ("f32", "f64", "i32"), special=True,
           gradient=True),
    Method("nan_to_num", lambda x: (x.nan_to_num(), x.nan_to_num(1, 2, -3)),
           lambda x: (np.nan_to_num(x.astype("f4")), np.nan_to_num(x, nan=1, posinf=2, neginf=-3)),
           _SOME, ("f32",), special=True),
    Method("nan_to_num", lambda x: x.nan_to_num(), lambda x: x, _SOME, (*INTS, "bool")),
    # ---- rounding, sign, size
    *(_same(name, lambda x, name=name: getattr(x, name)(),
            lambda x, name=name: getattr(np, name)(x).astype(x.dtype), _MOST)
      for name in ("trunc", "floor", "ceil", "round")),
    Method("round", lambda x: (x.round(decimals=2), x.round(-1)),
           lambda x: (rounded_to(x, 2), rounded_to(x, -1)), _SOME, _WIDE, special=True),
    _same("frac", lambda x: x.frac(), lambda x: x - np.trunc(x), _REAL, gradient=True),
    _same("abs", lambda x: (x.abs(), abs(x)), lambda x: (abs(x), abs(x)), _ANY, gradient=True),
    _same("sign", lambda x: x.sign(), lambda x: np.sign(x), _MOST),
    Method("sign", lambda x: x.sign(), lambda x: x, _SOME, ("bool",)),
    Method("signbit", lambda x: x.signbit(),
           lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0, _SOME, _MOST,
           domain="nonzero", special=True, gives="bool"),
    Method("copysign", lambda x, y: (x.copysign(y), x.copysign(-0.0)),
           lambda x, y: (np.copysign(x, y), np.copysign(x, -0.0)), _TWO, ("f32", "bf16", "i32"),
           special=True, gives="float", gradient=True),
    *(Method("nextafter", lambda x, y: (x.nextafter(y), x.nextafter(0), x.nextafter(-x)),
             lambda x, y, kind=kind: (np.nextafter(x, y, dtype=kind),
             np.nextafter(x, 0, dtype=kind), np.nextafter(x, -x, dtype=kind)),
             _TWO, (name,), special=True, tolerance=0)
      for name, kind in (("f32", np.float32), ("f64", np.float64), ("f16", np.float16))),
    Method("nextafter", lambda x, y: x.nextafter(y), lambda x, y: next_bfloat16(x, y), _TWO,
           ("bf16",), special=True, tolerance=0),
    _same("square", lambda x: x.square(), lambda x: x * x, _MOST, gradient=True),
    Method("lerp", lambda x, y, z: (x.lerp(y, 0.25), x.lerp(y, z)),
           lambda x, y, z: (x + (y - x) * 0.25, x + (y - x) * z),
           (((3, 5), (5,), (3, 1)), ((), (2,), (1,)), ((0,), (1,), ())), _REAL, gradient=True),
    # ---- exponentials, logarithms, roots
    *(_function(name, lambda x, name=name: getattr(np, name)(x))
      for name in ("exp", "exp2", "expm1")),
    *(Method(name, lambda x, name=name: getattr(x, name)(),
             lambda x, name=name: getattr(np, name)(x), _SOME, ("f32", "f64"), special=True)
      for name in ("log", "log2", "log10", "log1p", "sqrt")),
    *(_function(name, lambda x, name=name: getattr(np, name)(x), "positive")
      for name in ("log", "log2", "log10", "log1p", "sqrt")),
    _function("rsqrt", lambda x: 1 / np.sqrt(x), "positive"),
    _function("reciprocal", lambda x: 1 / x, "nonzero"),
    Method("reciprocal", lambda x: x.reciprocal(), lambda x: 1 / x, _SOME, _REAL, special=True),
    Method("logaddexp", lambda x, y: (x.logaddexp(y), x.logaddexp(1.5)),
           lambda x, y: (np.logaddexp(x, y), np.logaddexp(x, 1.5)), _TWO, _REAL, special=True,
           gradient=True),
    # ---- trigonometry
    *(_function(name, lambda x, name=name: getattr(np, name)(x))
      for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")),
    *(_function(name, lambda x, full=full: getattr(np, full)(x))
      for name, full in (("atan", "arctan"), ("asinh", "arcsinh"))),
    _function("erf", lambda x: erf(x)),
    Method("erfinv", lambda x: x.erfinv(), lambda x: np.vectorize(inverse_erf, [float])(x), _SOME,
           ("f32", "f64", "f16"), domain="unit", gradient=True, tolerance=16),
    Method("erfinv", lambda x: (x.sign().erfinv(), (x.sign() * 2).erfinv()),
           lambda x: (np.where(x == 0, x, x * np.inf), np.where(x == 0, x, np.nan)), _SOME, _REAL,
           domain="nonzero"),
    Method("lgamma", lambda x: x.lgamma(), lambda x: log_gamma(x), (((3, 5),), ((7, 0, 2),)),
           ("f32", "f64", "bf16", "i32"), special=True, gives="float", tolerance=64, gradient=True),
    Method("lgamma", lambda x: (x.lgamma(), (x * 20).lgamma(), (x * 1e-3).lgamma()),
           lambda x: (log_gamma(x), log_gamma(x * 20), log_gamma(x * 1e-3)), _SOME,
           ("f32", "f64", "f16"), domain="positive", gradient=True),
    Method("digamma", lambda x: x.digamma(),
           lambda x: slope_of_log_gamma(x), (((3, 5),), ((7, 0, 2),)),
           ("f32", "f64", "bf16", "i32"), special=True, gives="float", tolerance=64, gradient=True),
    Method("digamma", lambda x: (x.digamma(), (x * 20).digamma(), (x * 1e-3).digamma()),
           lambda x: (slope_of_log_gamma(x), slope_of_log_gamma(x * 20),
           slope_of_log_gamma(x * 1e-3)), (((3, 5),), ((2, 1, 4),)), ("f32", "f64", "f16"),
           domain="positive", gradient=True),
    Method("lgamma", lambda x: x.round().lgamma(), lambda x: log_gamma(np.round(x)), _SOME,
           ("f32",), special=True),
    Method("lgamma", lambda x: x.lgamma(), lambda x: log_gamma(x), _SOME, ("f64",),
           domain="nonzero", gradient=True, tolerance=64),
    Method("digamma", lambda x: x.round().digamma(), lambda x: slope_of_log_gamma(np.round(x)),
           _SOME, ("f32",), special=True),
    Method("digamma", lambda x: x.digamma(), lambda x: slope_of_log_gamma(x), _SOME, ("f64",),
           domain="nonzero", gradient=True, tolerance=64),
    *(Method(name, lambda x, name=name: getattr(x, name)(),
             lambda x, full=full: getattr(np, full)(x), _SOME, _REAL, domain=domain, gradient=True)
      for name, full, domain in (("asin", "arcsin", "unit"), ("acos", "arccos", "unit"),
                                 ("atanh", "arctanh", "unit"), ("acosh", "arccosh", "above1"))),
    *(Method(name, lambda x, name=name: getattr(x, name)(),
             lambda x, full=full: getattr(np, full)(x), _SOME, _REAL, special=True)
      for name, full in (("asin", "arcsin"), ("acos", "arccos"), ("atanh", "arctanh"),
                         ("acosh", "arccosh"))),
    Method("acosh", lambda x: (x * 10000).acosh(), lambda x: np.arccosh(x * 10000), _SOME,
           ("f32", "f64")),
    Method("atan2", lambda x, y: (x.atan2(y), x.atan2(1)),
           lambda x, y: (np.arctan2(x, y), np.arctan2(x, 1)), _TWO, ("f32", "bf16", "i32"),
           special=True, gives="float", gradient=True),
    Method("hypot", lambda x, y: (x.hypot(y), x.hypot(2)),
           lambda x, y: (np.hypot(x, y), np.hypot(x, 2)), _TWO, _REAL, special=True, gradient=True),
]  # fmt: skip

REFUSALS: list[Refusal] = [
    Refusal("add", lambda x, y: x + y, "ShapeError", "do not broadcast", ((3, 5), (4,))),
    Refusal("sub", lambda x: x - x, "DTypeError", "bool", dtypes=("bool",)),
    Refusal("neg", lambda x: -x, "DTypeError", "use ~", dtypes=("bool",)),
    Refusal("div", lambda x: x.div(2, rounding_mode="up"), "UsageError", "rounding_mode"),
    Refusal("pow", lambda x: x ** -1, "UsageError", "integers have no power -1", dtypes=("i32",)),
    Refusal("pow", lambda x: x ** x, "DTypeError", "found bool", dtypes=("bool",)),
    Refusal("bitwise_and", lambda x: x & x, "DTypeError", "expected bool or integers"),
    Refusal("bitwise_not", lambda x: ~x, "DTypeError", "found f32"),
    Refusal("lshift", lambda x: x << x, "DTypeError", "integers", dtypes=("bool",)),
    Refusal("clip", lambda x: x.clip(), "UsageError", "found neither"),
    Refusal("isclose", lambda x: x.isclose(x, rtol=-1), "UsageError", "tolerances"),
    Refusal("round", lambda x: x.round(1), "UsageError", "no decimals", dtypes=("i32",)),
    *(
        Refusal("nextafter", lambda x: x.nextafter(x), "DTypeError",
                f"16 bits or more, found {kind}", dtypes=(kind,))
        for kind in ("i32", "bool", "fp8e4m3")
    ),
    Refusal("frac", lambda x: x.frac(), "DTypeError", "expected floats", dtypes=("i32",)),
    Refusal("isclose", lambda x: x.isclose(x, rtol=float("nan")), "UsageError",
            "tolerances are 0 or more", argument="rtol"),
    *(Refusal(name, partial(call, value=value), "TypeError",
              "expected a tensor, a number or an array", argument="other")
      for name, call in (("add", lambda x, value: x + value), ("sub", lambda x, value: x - value),
                         ("mul", lambda x, value: x * value), ("div", lambda x, value: x / value),
                         ("lt", lambda x, value: x < value))
      for value in _NOTHING),
]  # fmt: skip
