"""Reductions, softmax and scans."""

from __future__ import annotations

from typing import Any

from rulewright.verify.methods.row import FLOATS, NUMBERS, Method, Refusal, refusals

_AXES = (((3, 5),), ((1,),), ((0,),), ((2, 0, 3),), ((2, 3, 0),))
_FULL = (((3, 5),), ((1,),), ((7, 2),))
_CUBE = (((3, 1, 5),), ((2, 4, 3),))
_SCANS = (((3, 5),), ((4, 37),), ((2, 0, 3),), ((2, 3, 0),), ((1,),))
_LONG = (((300,),), ((2, 515),))
_MOST = ("f32", "i32", "f16", "u8")
_ANY = (*_MOST, "bool")
_REAL = ("f32", "bf16", "i32")


def _forms(name: str, equals: str, dtypes: tuple[str, ...], **rest: Any) -> list[Method]:
    """A reduction over every kind of axes, as `equals` with {axis} and {keepdims}."""
    ways = (("None", False), ("0", False), ("(0, -1)", True), ("(1, 2)", False), ("-2", True))
    calls = [f"x.{name}({axis}, keepdim={keep})" for axis, keep in ways[:3]]
    calls += [f"x.{name}(dim=[1, 2])", f"x.{name}(axis=-2, keepdim=True)"]
    values = [equals.format(axis=axis, keepdims=keep) for axis, keep in ways]
    return [Method(name, f"({', '.join(calls)})", f"({', '.join(values)})", _CUBE, dtypes,
                   **rest)]  # fmt: skip


def _numpy(name: str, dtypes: tuple[str, ...], function: str = "", **rest: Any) -> list[Method]:
    text = "np." + (function or name) + "(x, axis={axis}, keepdims={keepdims})"
    return _forms(name, text, dtypes, **rest)


def _scan(name: str, equals: str, dtypes: tuple[str, ...], **rest: Any) -> list[Method]:
    """A scan along both ends of the axes, and along axes of several blocks."""
    call, value = f"x.{name}({{}})", equals
    both = f"({call.format(-1)}, {call.format('dim=0')})"
    shapes: dict[str, Any] = {"shapes": _SCANS, **rest}
    return [
        Method(name, both, f"({value.format(-1)}, {value.format(0)})", dtypes=dtypes,
               **shapes),
        Method(name, call.format(-1), value.format(-1), _LONG, dtypes[:2],
               **{**rest, "special": False}),
    ]  # fmt: skip


_EXTREMES = [
    row
    for name, sign in (("cummax", 1), ("cummin", -1))
    for row in (
        Method(name, f"x.{name}(-1)", f"running(x, -1, {sign})", _SCANS, _ANY, special=True,
               gives="same i64"),
        Method(name, f"x.{name}()", f"running(x, 0, {sign})", _SCANS, ("f32",), gives="same i64"),
        Method(name, f"x.{name}(dim=-1)", f"running(x, -1, {sign})", _LONG, ("f32", "i32"),
               gives="same i64"),
        Method(name, f"x.{name}(-1)[0]", f"running(x, -1, {sign})[0]", (((3, 40),),), ("f32",),
               gradient=True),
    )
]  # fmt: skip

ROWS = [
    Method("sum", "x.sum(-1)", "x.sum(-1)", _AXES, (*NUMBERS, "bool"), gives="sum", gradient=True),
    *_numpy("sum", _ANY, gives="sum", gradient=True),
    Method("sum", "x.sum(-1)", "x.sum(-1)", _FULL, FLOATS, special=True),
    Method("sum", "(x.sum(dtype='f64'), x.sum(-1, dtype='i8'))",
           "(x.sum(dtype=float), x.astype('i1').sum(-1, dtype='i1'))", _FULL, ("i32", "bool"),
           gives="f64 i8"),
    *_numpy("prod", ("f32", "f64", "f16"), domain="prob", gradient=True),
    Method("prod", "x.prod(-1)", "x.prod(-1, dtype='u8' if x.dtype == 'u8' else 'i8')",
           _AXES, ("i32", "u64", "i8", "bool"), gives="sum"),
    Method("prod", "x.prod(-1)", "x.prod(-1)", _AXES, ("f32",), special=True),
    Method("count_nonzero", "(x.count_nonzero(), x.count_nonzero(0), x.count_nonzero(dim=(0, 1)))",
           "(np.count_nonzero(x), np.count_nonzero(x, 0), np.count_nonzero(x, (0, 1)))",
           _CUBE, _ANY, special=True, gives="i64"),
    *_numpy("mean", _REAL, gives="float", gradient=True),
    Method("mean", "(x.mean(-1), x.mean(dtype='f64'))", "(x.mean(-1), x.mean())", _AXES,
           ("f32",), gives="f32 f64"),
    *(row for name in ("var", "std")
      for row in (Method(name, f"(x.{name}(), x.{name}(0, correction=0), x.{name}((0, 2), True), "
                         f"x.{name}(dim=-1, unbiased=False), x.{name}(1, correction=2))",
                         f"(x.{name}(ddof=1), x.{name}(0), x.{name}((0, 2), ddof=1, keepdims=True),"
                         f" x.{name}(-1), x.{name}(1, ddof=2))", (((3, 4, 5),), ((2, 7, 3),)),
                         _REAL, gives="float", gradient=True),
                  Method(name, f"x.{name}(-1)", f"x.{name}(-1, ddof=1)", (((3, 1),), ((0,),)),
                         ("f32",)))),
    Method("std", "(x * 0).std(-1)", "(x * 0).std(-1)", (((3, 4),),), ("f32",), gradient=True),
    *(Method(f"{name}_mean", f"(*x.{name}_mean(), *x.{name}_mean(0, True, correction=0), "
             f"*x.{name}_mean(dim=-1, unbiased=True))",
             f"(x.{name}(ddof=1), x.mean(), x.{name}(0, keepdims=True), x.mean(0, keepdims=True), "
             f"x.{name}(-1, ddof=1), x.mean(-1))", (((3, 4, 5),),), _REAL, gives="float",
             gradient=True) for name in ("var", "std")),
    Method("norm", "(x.norm(), x.norm(1, -1), x.norm(3, 0, True), x.norm(float('inf'), dim=1), "
           "x.norm(-float('inf'), 1), x.norm('fro', (0, 1)), x.norm(0, 0))",
           "(np.sqrt((x * x).sum()), abs(x).sum(-1), (abs(x)**3).sum(0, keepdims=True)**(1 / 3), "
           "abs(x).max(1), abs(x).min(1), np.sqrt((x * x).sum()), np.count_nonzero(x, 0))",
           (((3, 5),), ((1, 1),), ((4, 2),)), FLOATS, tolerance=16, gradient=True),
    Method("normalize", "(x.normalize(), x.normalize(1, dim=0))",
           "(x / np.sqrt((x * x).sum(1, keepdims=True)), x / abs(x).sum(0, keepdims=True))",
           (((3, 5),), ((1, 1),), ((4, 2, 3),), ((2, 0),)), FLOATS, gradient=True),
    *(Method(name, f"(x.{name}(), x.{name}(0), x.{name}(dim=(0, 1), keepdim=True))",
             f"(np.{name}(x), np.{name}(x, 0), np.{name}(x, (0, 1), keepdims=True))",
             (((3, 4, 5),), ((2, 7, 3),)), ("f32", "f64", "bf16", "i32"), special=True,
             gives="sum" if name == "nansum" else "float", tolerance=16)
      for name in ("nansum", "nanmean")),
    Method("nansum", "((x > y).where(x, float('nan')).nansum(0), x.nansum(dtype='f64'))",
           "(np.where(x > y, x, 0).sum(0), x.sum())", (((3, 5), ()), ((2, 0), ())), ("f32",),
           gives="f32 f64", gradient=True),
    Method("nanmean", "((x > y).where(x, float('nan')).nanmean(0), x.nanmean(dtype='f64'))",
           "(np.nanmean(np.where(x > y, x, np.nan), 0), x.mean())", (((9, 2), (2,)), ((2, 0), ())),
           ("f32",), gives="f32 f64", domain=("positive", "any")),
    # ---- extremes and truth
    *(row for name, function in (("max", "max"), ("min", "min"), ("amax", "max"), ("amin", "min"))
      for row in (*_numpy(name, (*_ANY, "bf16"), function, gradient=True),
                  Method(name, f"x.{name}(0)", f"x.{function}(0)", (((3, 5),), ((2, 0),), ((1,),)),
                         ("f32", "f64"), special=True))),
    Method("aminmax", "(*x.aminmax(), *x.aminmax(dim=0), *x.aminmax(-1, True))",
           "(x.min(), x.max(), x.min(0), x.max(0), x.min(-1, keepdims=True), "
           "x.max(-1, keepdims=True))", (((3, 5),), ((1, 1),)), _ANY, special=True,
           gradient=True),
    Method("equal", "(x.equal(x + 0), x.equal(x[:1]), x.equal(y), x[:0].equal(x[:0]))",
           "(not np.isnan(x).any(), x.shape[0] == 1 and not np.isnan(x).any(), "
           "x.shape == y.shape and bool((x == y).all()), True)",
           (((3, 5), (3, 5)), ((1,), ())), ("f32", "i32"), special=True),
    *(row for name in ("any", "all")
      for row in (*_numpy(name, _ANY, special=True, gives="bool"),
                  Method(name, f"x.{name}(-1)", f"x.{name}(-1)", _AXES, ("bool",), gives="bool"))),
    *(row for name, sign in (("argmax", 1), ("argmin", -1))
      for row in (
          Method(name, f"(x.{name}(), x.{name}(-1), x.{name}(dim=0), x.{name}(keepdim=True))",
                 f"(first(x, None, {sign}), first(x, -1, {sign}), first(x, 0, {sign}), "
                 f"first(x, None, {sign}).reshape((1,) * x.ndim))", (((3, 5),), ((1, 1),)),
                 (*_ANY, "bf16"), special=True, gives="i64"),
          Method(name, f"x.{name}(1, True)", f"first(x, 1, {sign})[:, None]", (((4, 33),),),
                 ("i8", "f32"), gives="i64"))),
    # ---- softmax and its kin
    *(Method(name, f"(x.{name}(), x.{name}(0), x.{name}(dim=-1, dtype='f64'))",
             f"({value.format(-1)}, {value.format(0)}, {value.format(-1)})", _AXES, _REAL,
             gives="float float f64", gradient=True)
      for name, value in (("softmax", "softmax(x, {})"), ("log_softmax", "np.log(softmax(x, {}))"),
                          ("softmin", "softmax(-1 * x, {})"))),
    Method("softmax", "x.softmax()", "softmax(x)", (((3, 4),),), ("f32",), special=True),
    *_forms("logsumexp", "log_sum(x, {axis}, {keepdims})", _REAL, gives="float", gradient=True),
    Method("logsumexp", "x.logsumexp(-1)", "log_sum(x, -1)", _AXES, ("f32",), special=True),
    # ---- scans
    *_scan("cumsum", "np.cumsum(x, {}, np.int64 if x.dtype.kind in 'uib' else None)",
           ("f32", "i32", "bf16", "u8", "bool"), gives="sum", gradient=True),
    Method("cumsum", "x.cumsum(0)", "np.cumsum(x, 0).reshape(x.shape)", (((40,),), ((),)), ("f32",),
           special=True),
    Method("cumsum", "x.cumsum(0, dtype='i8')", "np.cumsum(x, 0, 'i1')", (((40,),),), ("i32",),
           gives="i8"),
    *_scan("cumprod", "np.cumprod(x, {}, np.int64 if x.dtype.kind in 'uib' else None)",
           ("f32", "i32", "f16", "bool"), gives="sum", gradient=True, tolerance=32,
           domain="prob"),
    *_scan("logcumsumexp", "running_log_sum(x, {})", ("f32", "f64", "f16"), gradient=True,
           special=True),
    *_EXTREMES,
]  # fmt: skip

REFUSALS = [
    Refusal("sum", "x.sum(2)", "ShapeError", "axis 2"),
    Refusal("sum", "x.sum((0, -2))", "ShapeError", "named twice"),
    Refusal("sum", "x.sum(0, dim=1)", "UsageError", "mean the same"),
    Refusal("sum", "x.sum(dtype='bool')", "DTypeError", "any()"),
    *(Refusal(name, f"x.{name}(0)", "ShapeError", "is empty", ((0, 3),))
      for name in ("max", "min", "argmax", "argmin")),
    Refusal("cumsum", "x.cumsum(2)", "ShapeError", "axis 2"),
    *(row for name in ("all", "amax", "amin", "any", "max", "min", "std", "std_mean", "var",
                       "var_mean", "sum", "prod", "mean", "nansum", "nanmean", "aminmax",
                       "argmax", "argmin", "logsumexp", "norm")
      for row in refusals(name, axis="axis", dim="axis", keepdim="flag")),
    *refusals("equal", other="operand"),
    *(row for name in ("sum", "prod", "mean", "nansum", "nanmean")
      for row in refusals(name, dtype="dtype")),
    *(row for name in ("std", "std_mean", "var", "var_mean")
      for row in refusals(name, correction="whole", unbiased="flag")),
    *refusals("count_nonzero", axis="axis", dim="axis"),
    *refusals("normalize", p="number", dim="axis", eps="number"),
    Refusal("norm", "x.norm('nuc')", "ArgumentError", "p is a number or 'fro', found 'nuc'"),
    Refusal("norm", "x.norm(float('nan'))", "ArgumentError", "p is a number or 'fro', found nan"),
    *(row for name in ("cummax", "cummin", "logcumsumexp", "cumsum", "cumprod")
      for row in refusals(name, axis="axis", dim="axis")),
    *refusals("cumsum", dtype="dtype"),
    *refusals("cumprod", dtype="dtype"),
    *(Refusal(name, f"Tensor.ones(2, 0).{name}(dim=1)", "IndexError", "is empty", argument="self")
      for name in ("max", "min", "argmax", "argmin", "amax", "amin", "median")),
]  # fmt: skip
