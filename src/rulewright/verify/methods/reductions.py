"""Reductions, softmax and scans."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import first, log_sum, running, running_log_sum, softmax
from rulewright.verify.methods.row import FLOATS, NUMBERS, Method, Refusal
from rulewright.verify.methods.text import Expression

_AXES = (((3, 5),), ((1,),), ((0,),), ((2, 0, 3),), ((2, 3, 0),))
_FULL = (((3, 5),), ((1,),), ((7, 2),))
_CUBE = (((3, 1, 5),), ((2, 4, 3),))
_SCANS = (((3, 5),), ((4, 37),), ((2, 0, 3),), ((2, 3, 0),), ((1,),))
_LONG = (((300,),), ((2, 515),))
_MOST = ("f32", "i32", "f16", "u8")
_ANY = (*_MOST, "bool")
_REAL = ("f32", "bf16", "i32")


def _forms(name: str, equals: Expression, dtypes: tuple[str, ...], **rest: Any) -> Method:
    """A reduction over every kind of axes; `equals` takes the axis and keepdims too."""
    return Method(
        name,
        lambda x: (getattr(x, name)(None, keepdim=False), getattr(x, name)(0, keepdim=False),
                   getattr(x, name)((0, -1), keepdim=True), getattr(x, name)(dim=[1, 2]),
                   getattr(x, name)(axis=-2, keepdim=True)),
        lambda x: (equals(x, None, False), equals(x, 0, False), equals(x, (0, -1), True),
                   equals(x, (1, 2), False), equals(x, -2, True)),
        _CUBE, dtypes, **rest)  # fmt: skip


def _numpy(name: str, dtypes: tuple[str, ...], function: str = "", **rest: Any) -> Method:
    """A reduction as numpy has it, by the same name or another one."""
    theirs = function or name
    return _forms(name, lambda x, axis, keepdims: getattr(np, theirs)(
        x, axis=axis, keepdims=keepdims), dtypes, **rest)  # fmt: skip


def _scan(name: str, equals: Expression, dtypes: tuple[str, ...], **rest: Any) -> list[Method]:
    """A scan along both ends of the axes, and along axes of several blocks."""
    return [
        Method(name, lambda x: (getattr(x, name)(-1), getattr(x, name)(dim=0)),
               lambda x: (equals(x, -1), equals(x, 0)), _SCANS, dtypes, **rest),
        Method(name, lambda x: getattr(x, name)(-1), lambda x: equals(x, -1), _LONG, dtypes[:2],
               **{**rest, "special": False}),
    ]  # fmt: skip


_EXTREMES = [
    row
    for name, sign in (("cummax", 1), ("cummin", -1))
    for row in (
        Method(name, lambda x, name=name: getattr(x, name)(-1),
               lambda x, sign=sign: running(x, -1, sign), _SCANS, _ANY, special=True,
               gives="same i64"),
        Method(name, lambda x, name=name: getattr(x, name)(),
               lambda x, sign=sign: running(x, 0, sign), _SCANS, ("f32",), gives="same i64"),
        Method(name, lambda x, name=name: getattr(x, name)(dim=-1),
               lambda x, sign=sign: running(x, -1, sign), _LONG, ("f32", "i32"), gives="same i64"),
        Method(name, lambda x, name=name: getattr(x, name)(-1)[0],
               lambda x, sign=sign: running(x, -1, sign)[0], (((3, 40),),), ("f32",),
               gradient=True),
    )
]  # fmt: skip

ROWS = [
    Method("sum", lambda x: x.sum(-1), lambda x: x.sum(-1), _AXES, (*NUMBERS, "bool"), gives="sum",
           gradient=True),
    _numpy("sum", _ANY, gives="sum", gradient=True),
    Method("sum", lambda x: x.sum(-1), lambda x: x.sum(-1), _FULL, FLOATS, special=True),
    Method("sum", lambda x: (x.sum(dtype="f64"), x.sum(-1, dtype="i8")),
           lambda x: (x.sum(dtype=float), x.astype("i1").sum(-1, dtype="i1")), _FULL,
           ("i32", "bool"), gives="f64 i8"),
    _numpy("prod", ("f32", "f64", "f16"), domain="prob", gradient=True),
    Method("prod", lambda x: x.prod(-1),
           lambda x: x.prod(-1, dtype="u8" if x.dtype == "u8" else "i8"), _AXES,
           ("i32", "u64", "i8", "bool"), gives="sum"),
    Method("prod", lambda x: x.prod(-1), lambda x: x.prod(-1), _AXES, ("f32",), special=True),
    Method("count_nonzero",
           lambda x: (x.count_nonzero(), x.count_nonzero(0), x.count_nonzero(dim=(0, 1))),
           lambda x: (np.count_nonzero(x), np.count_nonzero(x, 0), np.count_nonzero(x, (0, 1))),
           _CUBE, _ANY, special=True, gives="i64"),
    _numpy("mean", _REAL, gives="float", gradient=True),
    Method("mean", lambda x: (x.mean(-1), x.mean(dtype="f64")),
           lambda x: (x.mean(-1), x.mean()), _AXES, ("f32",), gives="f32 f64"),
    *(row for name in ("var", "std")
      for row in (Method(name,
                         lambda x, name=name: (getattr(x, name)(),
                         getattr(x, name)(0, correction=0), getattr(x, name)((0, 2), True),
                         getattr(x, name)(dim=-1, unbiased=False),
                         getattr(x, name)(1, correction=2)),
                         lambda x, name=name: (getattr(x, name)(ddof=1), getattr(x, name)(0),
                         getattr(x, name)((0, 2), ddof=1, keepdims=True), getattr(x, name)(-1),
                         getattr(x, name)(1, ddof=2)), (((3, 4, 5),), ((2, 7, 3),)), _REAL,
                         gives="float", gradient=True),
                  Method(name, lambda x, name=name: getattr(x, name)(-1),
                         lambda x, name=name: getattr(x, name)(-1, ddof=1), (((3, 1),), ((0,),)),
                         ("f32",)))),
    Method("std", lambda x: (x * 0).std(-1), lambda x: (x * 0).std(-1), (((3, 4),),), ("f32",),
           gradient=True),
    *(Method(name, lambda x, name=name: (*getattr(x, name)(), *getattr(x, name)(0, True,
             correction=0), *getattr(x, name)(dim=-1, unbiased=True)),
             lambda x, one=one: (getattr(x, one)(ddof=1), x.mean(),
             getattr(x, one)(0, keepdims=True), x.mean(0, keepdims=True),
             getattr(x, one)(-1, ddof=1), x.mean(-1)), (((3, 4, 5),),), _REAL,
             gives="float", gradient=True)
      for name, one in (("var_mean", "var"), ("std_mean", "std"))),
    Method("norm",
           lambda x: (x.norm(), x.norm(1, -1), x.norm(3, 0, True), x.norm(float("inf"), dim=1),
           x.norm(-float("inf"), 1), x.norm("fro", (0, 1)), x.norm(0, 0)),
           lambda x: (np.sqrt((x * x).sum()), abs(x).sum(-1),
           (abs(x)**3).sum(0, keepdims=True)**(1 / 3), abs(x).max(1), abs(x).min(1),
           np.sqrt((x * x).sum()), np.count_nonzero(x, 0)), (((3, 5),), ((1, 1),), ((4, 2),)),
           FLOATS, tolerance=16, gradient=True),
    Method("normalize", lambda x: (x.normalize(), x.normalize(1, dim=0)),
           lambda x: (x / np.sqrt((x * x).sum(1, keepdims=True)), x / abs(x).sum(0, keepdims=True)),
           (((3, 5),), ((1, 1),), ((4, 2, 3),), ((2, 0),)), FLOATS, gradient=True),
    *(Method(name,
             lambda x, name=name: (getattr(x, name)(), getattr(x, name)(0),
             getattr(x, name)(dim=(0, 1), keepdim=True)),
             lambda x, name=name: (getattr(np, name)(x), getattr(np, name)(x, 0),
             getattr(np, name)(x, (0, 1), keepdims=True)), (((3, 4, 5),), ((2, 7, 3),)),
             ("f32", "f64", "bf16", "i32"), special=True,
             gives="sum" if name == "nansum" else "float", tolerance=16)
      for name in ("nansum", "nanmean")),
    Method("nansum", lambda x, y: ((x > y).where(x, float("nan")).nansum(0), x.nansum(dtype="f64")),
           lambda x, y: (np.where(x > y, x, 0).sum(0), x.sum()), (((3, 5), ()), ((2, 0), ())),
           ("f32",), gives="f32 f64", gradient=True),
    Method("nanmean",
           lambda x, y: ((x > y).where(x, float("nan")).nanmean(0), x.nanmean(dtype="f64")),
           lambda x, y: (np.nanmean(np.where(x > y, x, np.nan), 0), x.mean()),
           (((9, 2), (2,)), ((2, 0), ())), ("f32",), gives="f32 f64", domain=("positive", "any")),
    # ---- extremes and truth
    *(row for name, function in (("max", "max"), ("min", "min"), ("amax", "max"), ("amin", "min"))
      for row in (_numpy(name, (*_ANY, "bf16"), function, gradient=True),
                  Method(name, lambda x, name=name: getattr(x, name)(0),
                         lambda x, function=function: getattr(x, function)(0),
                         (((3, 5),), ((2, 0),), ((1,),)), ("f32", "f64"), special=True))),
    Method("aminmax", lambda x: (*x.aminmax(), *x.aminmax(dim=0), *x.aminmax(-1, True)),
           lambda x: (x.min(), x.max(), x.min(0), x.max(0), x.min(-1, keepdims=True),
           x.max(-1, keepdims=True)), (((3, 5),), ((1, 1),)), _ANY, special=True, gradient=True),
    Method("equal", lambda x, y: (x.equal(x + 0), x.equal(x[:1]), x.equal(y), x[:0].equal(x[:0])),
           lambda x, y: (not np.isnan(x).any(), x.shape[0] == 1 and not np.isnan(x).any(),
           x.shape == y.shape and bool((x == y).all()), True), (((3, 5), (3, 5)), ((1,), ())),
           ("f32", "i32"), special=True),
    *(row for name in ("any", "all")
      for row in (_numpy(name, _ANY, special=True, gives="bool"),
                  Method(name, lambda x, name=name: getattr(x, name)(-1),
                         lambda x, name=name: getattr(x, name)(-1), _AXES, ("bool",),
                         gives="bool"))),
    *(row for name, sign in (("argmax", 1), ("argmin", -1))
      for row in (
          Method(name,
                 lambda x, name=name: (getattr(x, name)(), getattr(x, name)(-1),
                 getattr(x, name)(dim=0), getattr(x, name)(keepdim=True)),
                 lambda x, sign=sign: (first(x, None, sign), first(x, -1, sign), first(x, 0, sign),
                 first(x, None, sign).reshape((1,) * x.ndim)), (((3, 5),), ((1, 1),)),
                 (*_ANY, "bf16"), special=True, gives="i64"),
          Method(name, lambda x, name=name: getattr(x, name)(1, True),
                 lambda x, sign=sign: first(x, 1, sign)[:, None], (((4, 33),),), ("i8", "f32"),
                 gives="i64"))),
    # ---- softmax and its kin
    *(Method(name,
             lambda x, name=name: (getattr(x, name)(), getattr(x, name)(0),
             getattr(x, name)(dim=-1, dtype="f64")),
             lambda x, value=value: (value(x, -1), value(x, 0), value(x, -1)), _AXES,
             _REAL, gives="float float f64", gradient=True)
      for name, value in (
          ("softmax", lambda x, axis: softmax(x, axis)),
          ("log_softmax", lambda x, axis: np.log(softmax(x, axis))),
          ("softmin", lambda x, axis: softmax(-1 * x, axis)))),
    Method("softmax", lambda x: x.softmax(), lambda x: softmax(x), (((3, 4),),), ("f32",),
           special=True),
    _forms("logsumexp", lambda x, axis, keepdims: log_sum(x, axis, keepdims), _REAL, gives="float",
           gradient=True),
    Method("logsumexp", lambda x: x.logsumexp(-1), lambda x: log_sum(x, -1), _AXES, ("f32",),
           special=True),
    # ---- scans
    *_scan("cumsum",
           lambda x, axis: np.cumsum(x, axis, np.int64 if x.dtype.kind in "uib" else None),
           ("f32", "i32", "bf16", "u8", "bool"), gives="sum", gradient=True),
    Method("cumsum", lambda x: x.cumsum(0), lambda x: np.cumsum(x, 0).reshape(x.shape),
           (((40,),), ((),)), ("f32",), special=True),
    Method("cumsum", lambda x: x.cumsum(0, dtype="i8"),
           lambda x: np.cumsum(x, 0, "i1"), (((40,),),), ("i32",), gives="i8"),
    *_scan("cumprod",
           lambda x, axis: np.cumprod(x, axis, np.int64 if x.dtype.kind in "uib" else None),
           ("f32", "i32", "f16", "bool"), gives="sum", gradient=True, tolerance=32,
           domain="prob"),
    *_scan("logcumsumexp", lambda x, axis: running_log_sum(x, axis), ("f32", "f64", "f16"),
           gradient=True, special=True),
    *_EXTREMES,
]  # fmt: skip

REFUSALS = [
    Refusal("sum", lambda x: x.sum(2), "ShapeError", "axis 2"),
    Refusal("sum", lambda x: x.sum((0, -2)), "ShapeError", "named twice"),
    Refusal("sum", lambda x: x.sum(0, dim=1), "UsageError", "mean the same"),
    Refusal("sum", lambda x: x.sum(dtype="bool"), "DTypeError", "any()"),
    *(Refusal(name, lambda x, name=name: getattr(x, name)(0), "ShapeError", "is empty", ((0, 3),))
      for name in ("max", "min", "argmax", "argmin")),
    Refusal("cumsum", lambda x: x.cumsum(2), "ShapeError", "axis 2"),
    Refusal("norm", lambda x: x.norm("nuc"), "ArgumentError",
            "p is a number or 'fro', found 'nuc'"),
    Refusal("norm", lambda x: x.norm(float("nan")), "ArgumentError",
            "p is a number or 'fro', found nan"),
    *(Refusal(name, lambda x, name=name: getattr(Tensor.ones(2, 0), name)(dim=1), "IndexError",
              "is empty", argument="self")
      for name in ("max", "min", "argmax", "argmin", "amax", "amin", "median")),
]  # fmt: skip
