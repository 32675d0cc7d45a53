"""Quantiles, modes, binary search and counts."""

from __future__ import annotations

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import counted, most_frequent
from rulewright.verify.methods.row import Method, Refusal

_ROWS = (((3, 5),), ((1, 1),), ((4, 2),))
_QUANTILES = ("linear", "lower", "higher", "midpoint", "nearest")
_PLACES = (((5,), (3, 4)), ((1,), ()), ((0,), (2,)), ((9,), (0, 2)))
_BESIDE = (((2, 3, 5), (2, 3, 4)), ((3, 1), (3, 1)), ((2, 0), (2, 2)), ((0, 4), (0, 3)))

ROWS = [
    *(Method("quantile",
             lambda x, how=how: (x.quantile(0.25, interpolation=how),
             x.quantile(0.6, -1, interpolation=how), x.quantile(Tensor([0.0, 0.3, 1.0]), 0, True,
             interpolation=how)),
             lambda x, how=how: (np.quantile(x, 0.25, method=how),
             np.quantile(x, 0.6, -1, method=how),
             np.quantile(x, np.array([0.0, 0.3, 1.0], np.float32).astype(float), 0, keepdims=True,
             method=how)), _ROWS, ("f32", "f16", "i32") if how == "linear" else ("f32",),
             gives="float", gradient=how in ("linear", "midpoint"), tolerance=16)
      for how in _QUANTILES),
    Method("quantile",
           lambda x: (x.quantile(0.5), x.quantile(Tensor([0.5, 0.5])), x.quantile(0.5, 0)),
           lambda x: (x, np.array([x, x]), x), (((),),), ("f32", "f64")),
    Method("quantile",
           lambda x: (x.quantile(0.5, keepdim=True), x.quantile(Tensor([0.25, 0.5]), keepdim=True),
           x.quantile(Tensor([0.25, 0.5]), 1)),
           lambda x: (np.quantile(x, 0.5, keepdims=True),
           np.quantile(x, [0.25, 0.5], keepdims=True), np.quantile(x, [0.25, 0.5], 1)),
           (((3, 5),), ((2, 1),)), ("f32", "f64"), tolerance=16),
    Method("quantile", lambda x, y: (x.quantile(y.abs(), -1), x.quantile(y.abs())),
           lambda x, y: (np.quantile(x, abs(y), -1), np.quantile(x, abs(y))),
           (((3, 5), (4,)), ((2, 7), ())), ("f64", "f32"), domain=("distinct", "unit"),
           gradient=True, tolerance=32),
    Method("quantile", lambda x: (x.quantile(0, -1), x.quantile(1, -1)),
           lambda x: (np.where(np.isnan(x).any(-1), np.nan, x.min(-1)),
           np.where(np.isnan(x).any(-1), np.nan, x.max(-1))), _ROWS, ("f32", "f64"), special=True),
    Method("nanquantile",
           lambda x: (x.nanquantile(0, -1), x.nanquantile(1, 0, True), x.nanquantile(1)),
           lambda x: (np.nanmin(x, -1), np.nanmax(x, 0, keepdims=True), np.nanmax(x)),
           (((3, 9),), ((4, 3),)), ("f32", "f64"), special=True),
    Method("nanquantile", lambda x, y: (x > y).where(x, float("nan")).nanquantile(0.3, 0),
           lambda x, y: np.nanquantile(np.where(x > y, x, np.nan), 0.3, 0),
           (((9, 3), ()), ((8, 1), ())), ("f32", "f64"), gradient=True, tolerance=16),
    Method("nanquantile", lambda x: (x * float("nan")).nanquantile(0.3),
           lambda x: np.array(np.nan), _ROWS, ("f32",)),
    Method("mode", lambda x: (*x.mode(), *x.mode(0, keepdim=True), *x.mode(dim=0)),
           lambda x: (*most_frequent(x, -1), *(t[None] for t in most_frequent(x, 0)),
           *most_frequent(x, 0)), (((4, 9),), ((1, 1),), ((7, 3),)),
           ("i32", "f32", "u8", "bool", "f16"), domain="index:4",
           gives="same i64 same i64 same i64"),
    Method("mode", lambda x: x.mode()[0], lambda x: most_frequent(x, -1)[0], (((4, 6),), ((2, 1),)),
           ("f64",), gradient=True),
    Method("mode", lambda x: x.mode(), lambda x: (x, np.array(0)), (((),),), ("f32", "i64"),
           gives="same i64"),
    # ---- places
    Method("searchsorted",
           lambda x, y: (x.searchsorted(y), x.searchsorted(y, right=True), x.searchsorted(1),
           x.searchsorted(y, side="right", out_int32=True)),
           lambda x, y: (np.searchsorted(x, y), np.searchsorted(x, y, "right"),
           np.searchsorted(x, 1), np.searchsorted(x, y, "right")), _PLACES,
           ("i32", "f32", "u8", "f16", "i64", "f64", "bf16"), domain="sorted",
           gives="i64 i64 i64 i32"),
    Method("searchsorted", lambda x, y: (x.searchsorted(y), x.searchsorted(y, right=True)),
           lambda x, y: [np.array([np.searchsorted(x[at], y[at], side)
           for at in np.ndindex(x.shape[:-1])], int).reshape(y.shape)
           for side in ("left", "right")], _BESIDE[:2], ("f32", "i32"), domain="sorted",
           gives="i64"),
    Method("searchsorted", lambda x, y: x.searchsorted(y, sorter=x.argsort()),
           lambda x, y: np.searchsorted(np.sort(x), y), _PLACES[:2], ("f32", "i32"), gives="i64"),
    Method("searchsorted",
           lambda x, y: (x.sort()[0].searchsorted(y), x.sort()[0].searchsorted(y, right=True)),
           lambda x, y: (np.searchsorted(np.sort(x), y), np.searchsorted(np.sort(x), y, "right")),
           (((30,), (9,)), ((7,), (2, 5)), ((2,), (4,))), ("f32", "f64"), gives="i64",
           special=True),
    Method("searchsorted", lambda x, y: x.searchsorted(y), lambda x, y: np.searchsorted(x, y),
           (((6,), (8,)),), ("f32", "f64"), domain=("sorted", "any"), special=True, gives="i64"),
    Method("bucketize", lambda x, y: (y.bucketize(x), y.bucketize(x, right=True, out_int32=True)),
           lambda x, y: (np.searchsorted(x, y), np.searchsorted(x, y, "right")), _PLACES,
           ("f32", "i32"), domain="sorted", gives="i64 i32"),
    # ---- counts
    Method("bincount", lambda x: (x.bincount(), x.bincount(minlength=9)),
           lambda x: (np.bincount(x), np.bincount(x, minlength=9)), (((20,),), ((1,),), ((0,),)),
           ("i64", "i32", "u8", "i8", "u64"), domain="index:7", gives="i64"),
    Method("bincount", lambda x, y: x.bincount(y), lambda x, y: np.bincount(x, y, minlength=0),
           (((20,), (20,)),), ("i64", "u8"), ("f32",), domain=("index:7", "any"), gives="f32"),
    Method("bincount", lambda x, y: x.bincount(y),
           lambda x, y: np.bincount(x, y), (((20,), (20,)), ((1,), (1,))), ("i64", "u8"), ("i32",),
           domain=("index:7", "any"), gives="f64"),
    Method("histc",
           lambda x: (x.histc(7, -2, 3), x.histc(4), x.histc(1, 1, 1), x.histc(bins=3, max=2)),
           lambda x: (counted(x, 7, -2, 3), counted(x, 4, x.min(), x.max()),
           counted(x, 1, x.min(), x.max()), counted(x, 3, 0, 2)), (((3, 15),), ((40,),)),
           ("f32", "f16", "f64", "i32"), gives="float"),
    Method("histc", lambda x: (x.histc(3), x.histc(3, -1, 1)), lambda x: (np.zeros(3), np.zeros(3)),
           (((0,),), ((2, 0),)), ("f32",)),
    Method("histc", lambda x: x.histc(3, -1, 1), lambda x: counted(x, 3, -1, 1), (((30,),),),
           ("f32", "f64"), special=True),
    Method("histc", lambda x: (x * 0 + 2).histc(3),
           lambda x: np.eye(3)[1] * x.size, (((5,),), ((),)), ("f32",)),
]  # fmt: skip

REFUSALS = [
    *(row for name in ("quantile", "nanquantile")
      for row in (
          Refusal(name, lambda x, name=name: getattr(x, name)(1.5), "UsageError",
                  "expected q from 0 to 1, found 1.5"),
          Refusal(name, lambda x, name=name: getattr(x, name)(0.5, 0), "PositionError", "is empty",
                  ((0, 3),), argument="dim"),
          Refusal(name, lambda x, name=name: getattr(x, name)(Tensor([[0.5]])), "ShapeError",
                  "1 axis at most"),
          Refusal(name, lambda x, name=name: getattr(x, name)(0.5, interpolation="cubic"),
                  "ChoiceError", "one of linear", argument="interpolation"))),
    Refusal("mode", lambda x: x.mode(), "PositionError", "is empty", ((3, 0),)),
    Refusal("searchsorted", lambda x: Tensor([1, 3]).searchsorted(2, side="middle"), "ChoiceError",
            "'left' or 'right'", argument="side"),
    Refusal("searchsorted", lambda x: Tensor([1, 3]).searchsorted(2, right=True, side="left"),
            "ChoiceError", "'left' beside right=True", argument="side"),
    Refusal("searchsorted", lambda x: x.searchsorted(x[0]), "ShapeError", "found (5,)"),
    Refusal("searchsorted", lambda x: x.sum().searchsorted(2), "ShapeError", "needs an axis"),
    Refusal("bucketize", lambda x: x.bucketize(x), "ShapeError", "1 axis, found 2"),
    Refusal("bincount", lambda x: x.bincount(), "DTypeError", "expected integers, found f32",
            ((3,),)),
    Refusal("bincount", lambda x: x.bincount(), "ShapeError", "expected 1 axis", dtypes=("i32",)),
    Refusal("bincount", lambda x: (-x).bincount(), "UsageError", "0 or more, found -1", ((3,),),
            ("i32",)),
    Refusal("bincount", lambda x: x.bincount(x[:2]), "ShapeError", "weights of shape (3,)", ((3,),),
            ("i32",)),
    Refusal("histc", lambda x: x.histc(0), "UsageError", "1 bin or more"),
    Refusal("histc", lambda x: x.histc(3, 2, 1), "UsageError", "min <= max", argument="min"),
]  # fmt: skip
