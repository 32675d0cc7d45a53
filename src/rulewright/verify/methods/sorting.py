"""Sorting along one axis, and what follows from it."""

from __future__ import annotations

import numpy as np

from rulewright.verify.methods.reference import Array, in_order, middle_number
from rulewright.verify.methods.row import Method, Refusal

_SHAPES = (((3, 5),), ((4, 37),), ((2, 0, 3),), ((2, 3, 0),), ((1,),))
_KINDS = ("f32", "f64", "u8", "bool")
_SOME = (((3, 5),), ((1,),))


def _middle(x: Array, axis: int, part: int) -> Array:
    """The middle values of the axis, or where they stand."""
    return in_order(x, axis)[part].take((x.shape[axis] - 1) // 2, axis)


ROWS = [
    Method("sort", lambda x: (*x.sort(), *x.sort(0, True), *x.sort(dim=-1, descending=True)),
           lambda x: (*in_order(x), *in_order(x, 0, True), *in_order(x, -1, True)), _SHAPES, _KINDS,
           special=True, gives="same i64 same i64 same i64"),
    Method("sort", lambda x: (x.sort()[0], x.sort(0, descending=True)[0]),
           lambda x: (in_order(x)[0], in_order(x, 0, True)[0]), (((3, 5),), ((70,),)), ("f32",),
           gradient=True),
    Method("sort", lambda x: (*x.sort(), *x.sort(descending=True)),
           lambda x: (*in_order(x), *in_order(x, -1, True)), (((2, 1025),),), ("f32", "i64"),
           special=True, gives="same i64 same i64"),
    Method("argsort", lambda x: (x.argsort(), x.argsort(0, descending=True)),
           lambda x: (in_order(x)[1], in_order(x, 0, True)[1]), _SHAPES, ("f32", "i16"),
           special=True, gives="i64"),
    Method("topk", lambda x: (*x.topk(3), *x.topk(2, 0, largest=False), *x.topk(0)),
           lambda x: (in_order(x, -1, True)[0][:, :3], in_order(x, -1, True)[1][:, :3],
           in_order(x, 0)[0][:2], in_order(x, 0)[1][:2], x[:, :0], x[:, :0].astype("i8")),
           (((3, 5),), ((4, 37),)), ("f32", "i32"), special=True,
           gives="same i64 same i64 same i64"),
    Method("topk", lambda x: x.topk(2, sorted=False)[0],
           lambda x: in_order(x, -1, True)[0][..., :2], (((3, 5),),), ("f32",), gradient=True),
    Method("kthvalue", lambda x: (*x.kthvalue(2), *x.kthvalue(1, 0, True)),
           lambda x: (in_order(x)[0][:, 1], in_order(x)[1][:, 1], in_order(x, 0)[0][:1],
           in_order(x, 0)[1][:1]), (((3, 5),), ((1, 2),)), ("f32", "i32"),
           gives="same i64 same i64"),
    *(Method(name, lambda x, name=name: (getattr(x, name)(), *getattr(x, name)(-1),
             *getattr(x, name)(0, keepdim=True)),
             lambda x: (in_order(x.ravel())[0][(x.size - 1) // 2], _middle(x, -1, 0),
             _middle(x, -1, 1), _middle(x, 0, 0)[None], _middle(x, 0, 1)[None]),
             (((3, 5),), ((1, 1),), ((4, 2),)), ("f32", "i32", "f16"),
             gives="same same i64 same i64")
      for name in ("median", "nanmedian")),
    Method("median", lambda x: x.median(-1)[0],
           lambda x: np.where(np.isnan(x).any(-1), np.nan, _middle(x, -1, 0)), _SOME,
           ("f32", "f64"), special=True),
    *(Method(name, lambda x, name=name: (getattr(x, name)(), getattr(x, name)(keepdim=True)),
             lambda x: (np.array(np.nan), np.full([1] * x.ndim, np.nan)), (((0,),), ((2, 0),)),
             ("f32", "f16", "f64"))
      for name in ("median", "nanmedian")),
    Method("nanmedian", lambda x: (x.nanmedian(), x.nanmedian(-1)[0], x.nanmedian(0)[0]),
           lambda x: (middle_number(x.ravel()), middle_number(x), middle_number(x, 0)),
           (((3, 5),), ((6, 7),), ((1, 1),), ((2, 3, 2),)), ("f32", "f64"), special=True),
    Method("nanmedian", lambda x, y: (x > y).where(x, float("nan")).nanmedian(1)[0],
           lambda x, y: middle_number(np.where(x > y, x, np.nan), 1),
           (((5, 7), ()), ((2, 4, 3), ())), ("f32",), domain=("positive", "unit"), gradient=True),
    Method("unique", lambda x: x.unique(return_inverse=True, return_counts=True),
           lambda x: np.unique(x, return_inverse=True, return_counts=True),
           (((4, 9),), ((1,),), ((0,),)), ("i32", "f32", "bool", "u8"), domain="index:7",
           gives="same i64 i64"),
    *(Method("unique",
             lambda x, dim=dim: x.unique(return_inverse=True, return_counts=True, dim=dim),
             lambda x, dim=dim: [part if part.ndim > 1 else part.ravel() for part in np.unique(
             x, return_inverse=True, return_counts=True, axis=dim)],
             (((9, 2),), ((7, 3),), ((2, 9),), ((1, 1),), ((2, 3, 2),)),
             ("i32", "f32", "bool", "u8", "i64"), domain="index:2", gives="same i64 i64")
      for dim in (0, 1, -1)),
    Method("unique", lambda x: x.unique(dim=0, return_counts=True),
           lambda x: (x, np.ones(len(x))), (((0, 3),), ((1,),)), ("f32",), gives="same i64"),
    Method("unique", lambda x: x.unique(), lambda x: np.unique(x, equal_nan=False),
           (((4, 9),), ((1,),)), ("f32",), special=True),
]  # fmt: skip

REFUSALS = [
    Refusal("unique", lambda x: x.unique(dim=1), "ShapeError",
            "unique: parts of axis 1 of (0, 3) have no elements", ((0, 3),), argument="dim"),
    Refusal("sort", lambda x: x.sort(2), "ShapeError", "axis 2"),
    Refusal("topk", lambda x: x.topk(6), "ShapeError", "expected k from 0 to 5"),
    Refusal("kthvalue", lambda x: x.kthvalue(0), "ShapeError", "expected k from 1 to 5"),
    *(Refusal(name, lambda x, name=name: getattr(x, name)(0), "ShapeError",
              f"{name}: axis 0 of shape (0, 3) is empty", ((0, 3),))
      for name in ("median", "nanmedian")),
]  # fmt: skip
