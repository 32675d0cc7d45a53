"""Functions of probability and angles, and what vectors say of each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import Array
from rulewright.verify.methods.row import NUMBERS, Method, Refusal, Variants
from rulewright.verify.methods.text import Expression

_SOME = (((3, 5),), ((),), ((7, 0, 2),))
_TWO = (((3, 5), (5,)), ((2, 1, 3), (4, 1)), ((0,), (1,)))
_REAL = ("f32", "f64", "bf16", "i32")
_ROWS = (((4, 3), (5, 3)), ((2, 1, 2, 3), (3, 4, 3)), ((1, 1), (2, 1)), ((0, 2), (3, 2)))


def erfc(x: Array) -> Any:
    """1 - erf(x) with its own digits, an element at a time."""
    return np.vectorize(math.erfc, [float])(x)


def x_log_y(x: Array, y: Array) -> Any:
    """x log(y), 0 where x is 0 and y is a number."""
    return np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log(np.where(x == 0, 1.0, y))) + 0 * (
        np.where(np.isnan(y), y, 0.0)
    )


def distances(x: Array, y: Array, p: float) -> Any:
    """Of each row from each."""
    return np.linalg.norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


def _function(name: str, equals: Expression, **rest: Any) -> Method:
    return Method(name, lambda x: getattr(x, name)(), equals, _SOME, _REAL, gives="float",
                  gradient=True, **{"special": True, **rest})  # fmt: skip


def half_places(half: str, row: int, col: int, offset: int) -> Any:
    """Positions in one half of a matrix, as numpy finds them."""
    return np.stack(getattr(np, f"{half}_indices")(row, offset, col)).astype(np.int64)


_PAIRS: Variants = (((4, 3), (3,)), ((2, 1, 3), (5, 3)), ((3,), (3,)))

ROWS = [
    _function("erfc", lambda x: erfc(x), tolerance=16),
    Method("erfc", lambda x: (x * 3).erfc(), lambda x: erfc(x * 3), (((40,),), ((2,),)),
           ("f32", "f64"), tolerance=16, gradient=True),
    _function("logit", lambda x: np.log(x / (1 - x)), domain="prob"),
    Method("logit", lambda x: (x.logit(), x.logit(0.125), x.logit(eps=0.0)),
           lambda x: (np.log(x / (1 - x)), np.log(np.clip(x, 0.125, 0.875) /
                      (1 - np.clip(x, 0.125, 0.875))), np.log(np.clip(x, 0, 1) /
                      (1 - np.clip(x, 0, 1)))), _SOME, ("f32", "f64"), special=True),
    Method("xlogy", lambda x, y: (x.xlogy(y), x.xlogy(3), (x * 0).xlogy(y)),
           lambda x, y: (x_log_y(x, y), x_log_y(x, x * 0 + 3.0), x_log_y(x * 0, y)), _TWO,
           ("f32", "f16", "i32"), domain=("any", "positive"), gives="float", gradient=True),
    Method("xlogy", lambda x, y: x.xlogy(y), lambda x, y: x_log_y(x, y), _TWO, ("f32", "f64"),
           special=True),
    _function("sinc", lambda x: np.where(x == np.round(x), x == 0, np.sinc(x)), special=False),
    Method("sinc", lambda x: (x * 0).sinc(), lambda x: x * 0 + 1, _SOME, ("f32", "f16")),
    _function("deg2rad", lambda x: np.deg2rad(x)),
    _function("rad2deg", lambda x: np.rad2deg(x)),
    *(Method("cdist", lambda x, y, p=p: x.cdist(y, p), lambda x, y, p=p: distances(x, y, p), _ROWS,
             ("f32", "f64"), gradient=p != 0, tolerance=16)
      for p in (0, 1, 1.5, 2, math.inf)),
    Method("cdist", lambda x: x.cdist(x), lambda x: distances(x, x, 2), (((3, 4),), ((2, 3, 2),)),
           ("f32", "f16"), tolerance=16),
    Method("cdist", lambda x, y: x.cdist(y), lambda x, y: distances(x, y, 2), _ROWS[:1], ("i32",),
           gives="f32"),
    Method("cross", lambda x, y: (x.cross(y), y.cross(x)),
           lambda x, y: (np.cross(x, y), np.cross(y, x)), _PAIRS, NUMBERS, gradient=True),
    Method("cross", lambda x, y: x.cross(y, dim=0), lambda x, y: np.cross(x, y, axis=0),
           (((3, 4), (3, 4)), ((3, 2, 2), (3, 1, 2))), ("f32", "i32"), gradient=True),
    Method("cov", lambda x: (x.cov(), x.cov(correction=0), x[0].cov()),
           lambda x: (np.cov(x), np.cov(x, ddof=0), np.cov(x[0])), (((3, 5),), ((1, 4),)),
           ("f32", "f64"), tolerance=32, gradient=True),
    Method("cov", lambda x: x.cov(), lambda x: np.cov(x), (((3, 5),),), ("i32",), gives="f32"),
    Method("cov", lambda x: x[:, :1].cov(), lambda x: np.full((3, 3), np.nan), (((3, 5),),),
           ("f32",)),
    Method("cov", lambda x, w: (x.cov(aweights=w), x.cov(aweights=w, correction=0),
                                x[0].cov(aweights=w, fweights=Tensor.arange(5))),
           lambda x, w: (np.cov(x, aweights=w), np.cov(x, ddof=0, aweights=w),
                         np.cov(x[0], aweights=w, fweights=np.arange(5))), (((3, 5), (5,)),),
           ("f32", "f64"), domain=("any", "positive"), tolerance=32, gradient=True),
    Method("cov", lambda x: x.cov(fweights=Tensor.arange(5)),
           lambda x: np.cov(x, fweights=np.arange(5)), (((3, 5),),), ("f32",), tolerance=32),
    Method("corrcoef", lambda x: (x.corrcoef(), x[0].corrcoef()),
           lambda x: (np.corrcoef(x), np.float64(1)), (((3, 5),), ((2, 9),), ((1, 4),)),
           ("f32", "f64"), tolerance=32, domain="distinct"),
    Method("isin", lambda x, y: (x.isin(y), x.isin(y, invert=True), x.isin(1)),
           lambda x, y: (np.isin(x, y), np.isin(x, y, invert=True), np.isin(x, 1)),
           (((3, 5), (2, 2)), ((), (3,)), ((4,), (0,)), ((0, 2), (3,))),
           ("i32", "f32", "u8", "bool"), special=True, gives="bool"),
    Method("isin", lambda x, y: (x.isin(y), x.isin(x[0]), y.isin(x, True)),
           lambda x, y: (np.isin(x, y), np.isin(x, x[0]), np.isin(y, x, invert=True)),
           (((3, 5), (90,)), ((70, 2), (7, 20))), ("f32", "i32", "u8"), special=True,
           gives="bool"),
    Method("tril_indices",
           lambda: (Tensor.tril_indices(3, 5), Tensor.tril_indices(4, 2, -1),
           Tensor.tril_indices(2, 2, 9), Tensor.tril_indices(0, 3)),
           lambda: (half_places("tril", 3, 5, 0), half_places("tril", 4, 2, -1),
           half_places("tril", 2, 2, 9), half_places("tril", 0, 3, 0)), ((),), gives="i64"),
    Method("triu_indices",
           lambda: (Tensor.triu_indices(3, 5), Tensor.triu_indices(4, 2, 1),
           Tensor.triu_indices(2, 2, -9), Tensor.triu_indices(col=0, row=3, offset=1)),
           lambda: (half_places("triu", 3, 5, 0), half_places("triu", 4, 2, 1),
           half_places("triu", 2, 2, -9), half_places("triu", 3, 0, 1)), ((),), gives="i64"),
    Method("triu_indices", lambda: Tensor.triu_indices(3, 3, dtype="i32"),
           lambda: half_places("triu", 3, 3, 0).astype(np.int32), ((),), gives="i32"),
]  # fmt: skip

REFUSALS = [
    Refusal("logit", lambda x: x.logit(0.75), "UsageError", "from 0 to 0.5, found 0.75"),
    Refusal("cdist", lambda x: x.cdist(x, -1), "UsageError", "of 0 or more, found -1",
            argument="p"),
    Refusal("cdist", lambda x: x.cdist(x[:, 1:]), "ShapeError", "found (3, 5) and (3, 4)"),
    Refusal("cdist", lambda x: x[0].cdist(x), "ShapeError", "expected rows (…, m, k)"),
    Refusal("cross", lambda x: x.cross(x, dim=1), "ShapeError", "axis 1 needs 3 elements, found"),
    *(Refusal(name, lambda x, name=name: getattr(x[None], name)(), "ShapeError",
              f"{name}: expected 1 or 2 axes, found (1, 3, 5)") for name in ("cov", "corrcoef")),
    *(Refusal(name, lambda x, name=name: getattr(Tensor, name)(-1, 2), "ShapeError", "0 or more",
              argument="row")
      for name in ("tril_indices", "triu_indices")),
]  # fmt: skip
