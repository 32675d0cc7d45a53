"""Rows of the table of methods: elementwise.

Units in the last place of the functions are tested in tests/unit/test_tensor_elementwise_ulp.py.
"""

from __future__ import annotations

from typing import Any

from rulewright.verify.methods.row import INTS, NUMBERS, PAIRS, Method, Refusal, refusals

_SOME = (((3, 5),), ((),), ((7, 0, 2),))
_TWO = (((3, 5), (5,)), ((2, 1, 3), (4, 1)), ((0,), (1,)))
_BITS = (*INTS, "bool")
_WIDE = ("f32", "f64")
_REAL = ("f32", "f16")
_MOST = ("f32", "i32", "f16", "u8")
_ANY = (*_MOST, "bool")
_NONZERO = ("any", "nonzero")


def _same(name: str, call: str, equals: str, dtypes: tuple[str, ...], **rest: Any) -> Method:
    """A row whose results have the dtype of the operand, special values among them."""
    return Method(name, call, equals, _SOME, dtypes, special=True, **rest)


def _function(name: str, equals: str, domain: str = "any", **rest: Any) -> Method:
    """A row of a function with real values, that takes integers too."""
    special: dict[str, Any] = {"special": domain == "any", **rest}
    return Method(name, f"x.{name}()", equals, _SOME, ("f32", "bf16", "i32"),
                  domain=domain, gives="float", gradient=True, **special)  # fmt: skip


ROWS = [
    # ---- arithmetic
    Method("add", "(x.add(y), x + y, y + x, x + 3, 3 + x)",
           "(x + y, x + y, x + y, x + x.dtype.type(3), x + x.dtype.type(3))",
           PAIRS, NUMBERS, special=True, gradient=True),
    Method("add", "x + y", "x | y", _TWO, ("bool",)),
    Method("sub", "(x.sub(y), x - y, y - x, x - 2, 2 - x)",
           "(x - y, x - y, y - x, x - x.dtype.type(2), x.dtype.type(2) - x)",
           _TWO, NUMBERS, special=True, gradient=True),
    Method("mul", "(x.mul(y), x * y, y * x, x * 3, 3 * x)",
           "(x * y, x * y, x * y, x * x.dtype.type(3), x * x.dtype.type(3))",
           _TWO, NUMBERS, special=True, gradient=True),
    Method("mul", "x * y", "x & y", _TWO, ("bool",)),
    Method("div", "(x.div(y), x / y, 2 / y)", "(x / y, x / y, 2 / y)", _TWO, _MOST,
           domain=_NONZERO, gives="float", gradient=True),
    Method("div", "x.div(y)", "x / y", _TWO, _REAL, special=True),
    Method("div", "(x.div(y, rounding_mode='trunc'), x.idiv(y))",
           "(np.trunc(x / y).astype(x.dtype), np.trunc(x / y).astype(x.dtype))",
           _TWO, ("f64", "i32", "i8", "u8", "u32"), domain=_NONZERO, gives="same"),
    Method("idiv", "x.idiv(y)", "np.trunc(x / y).astype(x.dtype)", _TWO, ("f64", "i16", "u16"),
           domain=_NONZERO),
    Method("idiv", "x.idiv(0)", "np.zeros_like(x)", _SOME, INTS),
    Method("floordiv", "(x.floordiv(y), x // y, 7 // y, x.div(y, rounding_mode='floor'))",
           "(x // y, x // y, x.dtype.type(7) // y, x // y)", _TWO, _MOST, domain=_NONZERO),
    Method("floordiv", "x.floordiv(y)", "x // y", _TWO, _WIDE, special=True),
    Method("mod", "(x.mod(y), x % y, 7 % y)", "(x % y, x % y, x.dtype.type(7) % y)",
           _TWO, _MOST, domain=_NONZERO),
    Method("mod", "x.mod(y)", "x % y", _TWO, _REAL, domain=_NONZERO, gradient=True),
    Method("remainder", "x.remainder(y)", "x % y", _TWO, _WIDE, special=True),
    Method("fmod", "(x.fmod(y), x.fmod(3))", "(np.fmod(x, y), np.fmod(x, x.dtype.type(3)))",
           _TWO, _MOST, domain=_NONZERO),
    Method("fmod", "x.fmod(y)", "np.fmod(x, y)", _TWO, _WIDE, special=True, gradient=True),
    Method("fmod", "x.fmod(0)", "x", _SOME, INTS),
    _same("neg", "(x.neg(), -x)", "(-x, -x)", _MOST, gradient=True),
    Method("maximum", "(x.maximum(y), x.maximum(1))",
           "(np.maximum(x, y), np.maximum(x, x.dtype.type(1)))",
           _TWO, _MOST, special=True, gradient=True),
    Method("maximum", "x.maximum(y)", "x | y", _TWO, ("bool",)),
    Method("minimum", "(x.minimum(y), x.minimum(1))",
           "(np.minimum(x, y), np.minimum(x, x.dtype.type(1)))",
           _TWO, _MOST, special=True, gradient=True),
    *(Method(name, f"(x.{name}(y), x.{name}(1))", f"(np.{name}(x, y), np.{name}(x, 1))",
             _TWO, _MOST, special=True, gradient=True) for name in ("fmax", "fmin")),
    Method("heaviside", "(x.heaviside(y), x.heaviside(0.5), (x * 0).heaviside(y))",
           "(np.heaviside(x, y), np.heaviside(x, 0.5), np.heaviside(x * 0, y))", _TWO,
           ("f32", "f16")),
    Method("heaviside", "(x.heaviside(y), x.heaviside(x))",
           "(np.where(x == 0, y, x > 0), np.where(x == 0, x, x > 0))", _TWO,
           ("f32", "i32", "u8"), special=True),
    Method("addcmul", "(z.addcmul(x, y), z.addcmul(x, y, value=2), z.addcmul(x, 3))",
           "(z + x * y, z + 2 * x * y, z + x * 3)", (((3, 5), (5,), (3, 1)), ((), (2,), ())),
           ("f32", "i32", "f16", "u8"), gradient=True),
    Method("addcdiv", "(z.addcdiv(x, y), z.addcdiv(x, y, value=2), z.addcdiv(x, 4))",
           "(z + x / y, z + 2 * x / y, z + x / 4)", (((3, 5), (5,), (3, 1)), ((), (2,), ())),
           ("f32", "f64", "i32"), domain=(*_NONZERO, "any"), gives="float", gradient=True),
    Method("pow", "(x.pow(3), x ** 2, x ** 1, x ** 0, x.pow(5))",
           "(x**3, x**2, x, x**0, x**5)", _SOME, _MOST, tolerance=16),
    Method("pow", "(x ** 2, x ** 5, x.square())", "(x * 1, x * 1, x * 1)", _SOME, ("bool",),
           domain="bool", gives="i64"),
    Method("pow", "x ** y", "power(x, y)", _TWO, INTS, domain=("any", "index:70")),
    Method("pow", "x ** y", "power(x, y)", _TWO, ("i32", "i64", "i8"), domain="any"),
    Method("pow", "(x ** y, 2 ** y, x ** 0.5, x ** -0.5, x ** -1.5)",
           "(x**y, 2.0**y, x**0.5, x**-0.5, x**-1.5)", _TWO, _REAL, domain=("positive", "any"),
           tolerance=16, gradient=True),
    Method("pow", "x ** y", "x**y", _TWO, _WIDE, special=True),
    Method("pow", "(x ** 0.5, x ** -1.0)", "(x**0.5, 1 / x)", _SOME, ("i32", "u8"),
           domain="positive", gives="float"),
    # ---- comparison
    *(Method(name, f"(x.{name}(y), x {sign} y, x {sign} 1, 1 {sign} x)",
             f"(x {sign} y, x {sign} y, x {sign} 1, 1 {sign} x)", _TWO, _ANY, special=True,
             gives="bool")
      for name, sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"),
                         ("ge", ">="))),
    Method("isnan", "x.isnan()", "np.isnan(x)", _SOME, _ANY, special=True, gives="bool"),
    Method("isinf", "(x.isinf(), x.isinf(detect_negative=False), x.isinf(detect_positive=False), "
           "x.isinf(False, False))",
           "(np.isinf(x), np.isinf(x) & (x > 0), np.isinf(x) & (x < 0), np.isinf(x) & False)",
           _SOME, _ANY, special=True, gives="bool"),
    Method("isfinite", "x.isfinite()", "np.isfinite(x)", _SOME, _ANY, special=True, gives="bool"),
    Method("isclose", "(x.isclose(y), x.isclose(y, 0.5, 1), x.isclose(y, 0.5, equal_nan=True), "
           "x.isclose(x), x.isclose(x, equal_nan=True))",
           "(np.isclose(x, y), np.isclose(x, y, 0.5, 1), np.isclose(x, y, 0.5, equal_nan=True), "
           "np.isclose(x, x), np.isclose(x, x, equal_nan=True))",
           _TWO, ("f32", "f64", "i32", "u8"), special=True, gives="bool"),
    Method("allclose", "(x.allclose(y), x.allclose(x), x.allclose(x, equal_nan=True))",
           "(np.allclose(x, y), np.allclose(x, x), np.allclose(x, x, equal_nan=True))",
           _TWO, ("f32", "i32"), special=True),
    # ---- logic and bits
    *(Method(f"bitwise_{name}", f"(x.bitwise_{name}(y), x {sign} y, x {sign} 1)",
             f"(x {sign} y, x {sign} y, x {sign} x.dtype.type(1))", _TWO, INTS)
      for name, sign in (("and", "&"), ("or", "|"), ("xor", "^"))),
    *(Method(f"bitwise_{name}", f"(x.bitwise_{name}(y), x {sign} y, x {sign} True, False {sign} x)",
             f"(x {sign} y, x {sign} y, x {sign} True, x {sign} False)", _TWO, ("bool",))
      for name, sign in (("and", "&"), ("or", "|"), ("xor", "^"))),
    Method("bitwise_not", "(x.bitwise_not(), ~x)", "(~x, ~x)", _SOME, _BITS),
    Method("lshift", "(x.lshift(y), x << y, x << 2, 1 << y)",
           "(x << y, x << y, x << x.dtype.type(2), x.dtype.type(1) << y)", _TWO, INTS,
           domain=("any", "index:8")),
    Method("rshift", "(x.rshift(y), x >> y, x >> 2, 100 >> y)",
           "(x >> y, x >> y, x >> x.dtype.type(2), x.dtype.type(100) >> y)", _TWO, INTS,
           domain=("any", "index:8")),
    *(Method(f"logical_{name}", f"(x.logical_{name}(y), x.logical_{name}(True))",
             f"(np.logical_{name}(x, y), np.logical_{name}(x, True))", _TWO, _ANY, special=True,
             gives="bool")
      for name in ("and", "or", "xor")),
    Method("logical_not", "x.logical_not()", "np.logical_not(x)", _SOME, _ANY, special=True,
           gives="bool"),
    # ---- choice and bounds
    Method("where", "(x.where(y, z), x.where(y, 0), x.where(1, z))",
           "(np.where(x, y, z), np.where(x, y, 0), np.where(x, 1, z))",
           (((3, 5), (5,), (3, 1)), ((2, 1), (1, 3), ()), ((0,), (1,), (1,))), ("bool",),
           others=("f32", "f32"), gives="f32"),
    Method("where", "(x > 0).where(y, z)", "np.where(x > 0, y, z)",
           (((3, 5), (5,), (3, 1)), ((), (2,), (1,))), special=True, gradient=True),
    Method("where", "(x.where(y, y), x.where(True, False), x.where(1, 2), x.where(1, 2.5))",
           "(np.where(x, y, y), x, np.where(x, 1, 2), np.where(x, 1, 2.5))", _TWO, ("bool",),
           others=("i8",), gives="i8 bool i64 f32"),
    Method("masked_fill", "x.masked_fill(y, 3)", "np.where(y, x.dtype.type(3), x)", _TWO, _MOST,
           ("bool",), special=True, gradient=True),
    *(_same(name, f"(x.{name}(1, 3), x.{name}(min=1), x.{name}(max=2), x.{name}(2, 1))",
            "(np.clip(x, *np.array([1, 3], x.dtype)), np.clip(x, x.dtype.type(1), None), "
            "np.clip(x, None, x.dtype.type(2)), np.minimum(np.maximum(x, x.dtype.type(2)), "
            "x.dtype.type(1)))", _MOST, gradient=True) for name in ("clip", "clamp")),
    Method("clip", "x.clip(y, z)", "np.minimum(np.maximum(x, y), z)",
           (((3, 5), (5,), (3, 1)), ((), (2,), (2,))), ("f32", "f64", "i32"), special=True,
           gradient=True),
    Method("nan_to_num", "(x.nan_to_num(), x.nan_to_num(1, 2, -3))",
           "(np.nan_to_num(x.astype('f4')), np.nan_to_num(x, nan=1, posinf=2, neginf=-3))",
           _SOME, ("f32",), special=True),
    Method("nan_to_num", "x.nan_to_num()", "x", _SOME, (*INTS, "bool")),
    # ---- rounding, sign, size
    *(_same(name, f"x.{name}()", f"np.{name}(x).astype(x.dtype)", _MOST)
      for name in ("trunc", "floor", "ceil", "round")),
    Method("round", "(x.round(decimals=2), x.round(-1))", "(rounded_to(x, 2), rounded_to(x, -1))",
           _SOME, _WIDE, special=True),
    _same("frac", "x.frac()", "x - np.trunc(x)", _REAL, gradient=True),
    _same("abs", "(x.abs(), abs(x))", "(abs(x), abs(x))", _ANY, gradient=True),
    _same("sign", "x.sign()", "np.sign(x)", _MOST),
    Method("sign", "x.sign()", "x", _SOME, ("bool",)),
    Method("signbit", "x.signbit()", "np.signbit(x) if x.dtype.kind == 'f' else x < 0", _SOME,
           _MOST, domain="nonzero", special=True, gives="bool"),
    Method("copysign", "(x.copysign(y), x.copysign(-0.0))",
           "(np.copysign(x, y), np.copysign(x, -0.0))", _TWO, ("f32", "bf16", "i32"),
           special=True, gives="float", gradient=True),
    *(Method("nextafter", "(x.nextafter(y), x.nextafter(0), x.nextafter(-x))",
             f"(np.nextafter(x, y, dtype={kind}), np.nextafter(x, 0, dtype={kind}), "
             f"np.nextafter(x, -x, dtype={kind}))", _TWO, (name,), special=True, tolerance=0)
      for name, kind in (("f32", "np.float32"), ("f64", "np.float64"), ("f16", "np.float16"))),
    Method("nextafter", "x.nextafter(y)", "next_bfloat16(x, y)", _TWO, ("bf16",), special=True,
           tolerance=0),
    _same("square", "x.square()", "x * x", _MOST, gradient=True),
    Method("lerp", "(x.lerp(y, 0.25), x.lerp(y, z))", "(x + (y - x) * 0.25, x + (y - x) * z)",
           (((3, 5), (5,), (3, 1)), ((), (2,), (1,)), ((0,), (1,), ())), _REAL, gradient=True),
    # ---- exponentials, logarithms, roots
    *(_function(name, f"np.{name}(x)") for name in ("exp", "exp2", "expm1")),
    *(Method(name, f"x.{name}()", f"np.{name}(x)", _SOME, ("f32", "f64"), special=True)
      for name in ("log", "log2", "log10", "log1p", "sqrt")),
    *(_function(name, f"np.{name}(x)", "positive")
      for name in ("log", "log2", "log10", "log1p", "sqrt")),
    _function("rsqrt", "1 / np.sqrt(x)", "positive"),
    _function("reciprocal", "1 / x", "nonzero"),
    Method("reciprocal", "x.reciprocal()", "1 / x", _SOME, _REAL, special=True),
    Method("logaddexp", "(x.logaddexp(y), x.logaddexp(1.5))",
           "(np.logaddexp(x, y), np.logaddexp(x, 1.5))", _TWO, _REAL, special=True, gradient=True),
    # ---- trigonometry
    *(_function(name, f"np.{name}(x)")
      for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")),
    *(_function(name, f"np.{full}(x)")
      for name, full in (("atan", "arctan"), ("asinh", "arcsinh"))),
    _function("erf", "erf(x)"),
    Method("erfinv", "x.erfinv()", "np.vectorize(inverse_erf, [float])(x)", _SOME,
           ("f32", "f64", "f16"), domain="unit", gradient=True, tolerance=16),
    Method("erfinv", "(x.sign().erfinv(), (x.sign() * 2).erfinv())",
           "(np.where(x == 0, x, x * np.inf), np.where(x == 0, x, np.nan))", _SOME, _REAL,
           domain="nonzero"),
    Method("lgamma", "x.lgamma()", "log_gamma(x)", (((3, 5),), ((7, 0, 2),)),
           ("f32", "f64", "bf16", "i32"), special=True, gives="float", tolerance=64, gradient=True),
    Method("lgamma", "(x.lgamma(), (x * 20).lgamma(), (x * 1e-3).lgamma())",
           "(log_gamma(x), log_gamma(x * 20), log_gamma(x * 1e-3))", _SOME,
           ("f32", "f64", "f16"), domain="positive", gradient=True),
    Method("digamma", "x.digamma()", "slope_of_log_gamma(x)", (((3, 5),), ((7, 0, 2),)),
           ("f32", "f64", "bf16", "i32"), special=True, gives="float", tolerance=64, gradient=True),
    Method("digamma", "(x.digamma(), (x * 20).digamma(), (x * 1e-3).digamma())",
           "(slope_of_log_gamma(x), slope_of_log_gamma(x * 20), slope_of_log_gamma(x * 1e-3))",
           (((3, 5),), ((2, 1, 4),)), ("f32", "f64", "f16"), domain="positive", gradient=True),
    *(Method(name, f"x.round().{name}()", f"{value}(np.round(x))", _SOME, ("f32",), special=True)
      for name, value in (("lgamma", "log_gamma"), ("digamma", "slope_of_log_gamma"))),
    *(Method(name, f"x.{name}()", f"{value}(x)", _SOME, ("f64",), domain="nonzero", gradient=True,
             tolerance=64)
      for name, value in (("lgamma", "log_gamma"), ("digamma", "slope_of_log_gamma"))),
    *(Method(name, f"x.{name}()", f"np.{full}(x)", _SOME, _REAL, domain=domain, gradient=True)
      for name, full, domain in (("asin", "arcsin", "unit"), ("acos", "arccos", "unit"),
                                 ("atanh", "arctanh", "unit"), ("acosh", "arccosh", "above1"))),
    *(Method(name, f"x.{name}()", f"np.{full}(x)", _SOME, _REAL, special=True)
      for name, full in (("asin", "arcsin"), ("acos", "arccos"), ("atanh", "arctanh"),
                         ("acosh", "arccosh"))),
    Method("acosh", "(x * 10000).acosh()", "np.arccosh(x * 10000)", _SOME, ("f32", "f64")),
    Method("atan2", "(x.atan2(y), x.atan2(1))", "(np.arctan2(x, y), np.arctan2(x, 1))", _TWO,
           ("f32", "bf16", "i32"), special=True, gives="float", gradient=True),
    Method("hypot", "(x.hypot(y), x.hypot(2))", "(np.hypot(x, y), np.hypot(x, 2))", _TWO,
           _REAL, special=True, gradient=True),
]  # fmt: skip

REFUSALS: list[Refusal] = [
    Refusal("add", "x + y", "ShapeError", "do not broadcast", ((3, 5), (4,))),
    Refusal("add", "x + None", "UsageError", "expected a tensor"),
    Refusal("sub", "x - x", "DTypeError", "bool", dtypes=("bool",)),
    Refusal("neg", "-x", "DTypeError", "use ~", dtypes=("bool",)),
    Refusal("div", "x.div(2, rounding_mode='up')", "UsageError", "rounding_mode"),
    Refusal("pow", "x ** -1", "UsageError", "integers have no power -1", dtypes=("i32",)),
    Refusal("pow", "x ** x", "DTypeError", "found bool", dtypes=("bool",)),
    Refusal("bitwise_and", "x & x", "DTypeError", "expected bool or integers"),
    Refusal("bitwise_not", "~x", "DTypeError", "found f32"),
    Refusal("lshift", "x << x", "DTypeError", "integers", dtypes=("bool",)),
    Refusal("where", "x.where(1, 2)", "DTypeError", "expected a bool condition"),
    Refusal("clip", "x.clip()", "UsageError", "found neither"),
    Refusal("isclose", "x.isclose(x, rtol=-1)", "UsageError", "tolerances"),
    Refusal("round", "x.round(1)", "UsageError", "no decimals", dtypes=("i32",)),
    *(
        Refusal(
            "nextafter",
            "x.nextafter(x)",
            "DTypeError",
            f"16 bits or more, found {kind}",
            dtypes=(kind,),
        )
        for kind in ("i32", "bool", "fp8e4m3")
    ),
    Refusal("frac", "x.frac()", "DTypeError", "expected floats", dtypes=("i32",)),
    *(
        row
        for name in (
            "add",
            "allclose",
            "atan2",
            "copysign",
            "div",
            "eq",
            "floordiv",
            "fmod",
            "ge",
            "gt",
            "hypot",
            "idiv",
            "isclose",
            "le",
            "logaddexp",
            "logical_and",
            "logical_or",
            "logical_xor",
            "lt",
            "maximum",
            "minimum",
            "mod",
            "mul",
            "ne",
            "remainder",
            "sub",
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "lshift",
            "rshift",
        )
        for row in refusals(name, tensor="x.int()", other="operand")
    ),
    *refusals("fmax", other="operand"),
    *refusals("nextafter", other="operand"),
    *refusals("fmin", other="operand"),
    *refusals("heaviside", values="operand"),
    *(
        row
        for name in ("addcmul", "addcdiv")
        for row in (
            *refusals(name, "tensor2=1", tensor1="operand"),
            *refusals(name, "1", tensor2="operand"),
            *refusals(name, "x, x", value="number"),
        )
    ),
    *refusals("pow", exponent="operand"),
    *refusals("div", "x", rounding_mode="text"),
    *refusals("isclose", "x", rtol="number", atol="number", equal_nan="flag"),
    *refusals("allclose", "x", rtol="number", atol="number", equal_nan="flag"),
    Refusal(
        "isclose",
        "x.isclose(x, rtol=float('nan'))",
        "UsageError",
        "tolerances are 0 or more",
        argument="rtol",
    ),
    *refusals("isinf", detect_positive="flag", detect_negative="flag"),
    *refusals("nan_to_num", nan="number", posinf="number", neginf="number"),
    *refusals("clip", min="operand", max="operand"),
    *refusals("clamp", min="operand", max="operand"),
    *refusals("masked_fill", "value=0", mask="operand"),
    *refusals("masked_fill", "x > 0", value="operand"),
    *refusals("lerp", "weight=0.5", end="operand"),
    *refusals("lerp", "x", weight="operand"),
    *refusals("round", decimals="whole"),
    *refusals("where", "no=1", "(x > 0)", yes="operand"),
    *refusals("where", "1", "(x > 0)", no="operand"),
    *(
        Refusal(
            name,
            f"x {sign} {value}",
            "TypeError",
            "expected a tensor, a number or an array",
            argument="other",
        )
        for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/"), ("lt", "<"))
        for value in ("None", "'a'", "{}")
    ),
]
