"""Rows of the table of methods: indexing."""

from __future__ import annotations

from functools import partial

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import added, masked_scattered, scattered, with_item
from rulewright.verify.methods.row import Method, Refusal
from rulewright.verify.methods.text import Expression

_F = ("f32",)
_SOME = ("f32", "bool")
_MOST = ("f32", "i64", "bool", "f16")
_CUBE = (((5, 6, 7),),)
_IDS = ("any", "index:5")


def _get(keys: Expression) -> Method:
    """Reading by each of the keys; `t` makes what they hold, a tensor or an array."""
    return Method("__getitem__", partial(keys, t=Tensor), partial(keys, t=np.array), _CUBE, _F,
                  gradient=True)  # fmt: skip


def _set(writes: Expression) -> Method:
    """Writing by pairs of a key and a value: into a value that is not computed yet, and memory."""
    return Method(
        "__setitem__",
        lambda x, y: [(z.__setitem__(key, value), z)[1]
                      for key, value in writes(x, y, Tensor) for z in (x + 0, x.clone())],
        lambda x, y: [with_item(x, key, value)
                      for key, value in writes(x, y, np.array) for _ in range(2)],
        (((5, 6, 7), (5, 6, 7)),), _F, gradient=True,
    )  # fmt: skip


_ALL = slice(None)

_BRACKETS = [
    _get(lambda x, t: (
        x[0], x[-1], x[1, 2], x[1:3], x[:, 1], x[::2], x[::-1], x[4:0:-2, :, 1::3],
        x[-2:, None, :-1], x[..., 1], x[0, ..., 2], x[None, ..., None], x[3:1], x[100:],
        x[-100:100:3], x[()], x[..., ::-2], x[:, 5::-3, 0], x[np.int32(2)], x[True], x[False])),
    _get(lambda x, t: (
        x[[2, 0, 1]], x[[-1, 0]], x[:, [1, 1, 3]], x[[0, 1], [2, 3]], x[[0, 1], :, [2, 3]],
        x[:, [1, 2], [3, 4]], x[[[0, 1], [2, 3]]], x[1:3, [[0], [1]], [0, 1, 2]], x[None, [1]],
        x[..., [0, -1]], x[::-1, [3, -1, 0]], x[:, [], 1:], x[2, [0, -6]])),
    _get(lambda x, t: (
        x[t([2, 0, -5])], x[:, t([[1, 1], [3, -1]])], x[t([0, 1]), t([2, 3])], x[t(3)],
        x[t([0, 4]), ..., t([6, -7])], x[t([], dtype="int64")], x[..., None, t([2])],
        x[np.array([1, 2], "uint8")], x[1:4, t([5]), ::2])),
    _get(lambda x, t: (
        x[t([0, 1, 1, 0, 1]) > 0], x[x > 0.5], x[:, x[0] > 0.5], x[x[..., 0] > 0.5],
        x[[True, False, True, True, False]], x[x[:, :, 0] > 0.5, 1:3], x[x[:, 0, 0] < -99],
        x[[False, True, False, True, False], [2, 3]], x[t(True)])),
    Method("__getitem__", lambda x, y: (x[y], x[y, 0], x[y, ::2], x[None, y], x[y, y - 2]),
           lambda x, y: (x[y], x[y, 0], x[y, ::2], x[None, y], x[y, y - 2]),
           (((5, 6), (3,)), ((5, 6), (2, 0))), _MOST, ("i64",), _IDS),
    *(Method("__getitem__", lambda x, y: (x[y], x[:, y]), lambda x, y: (x[y], x[:, y]),
             (((5, 300), (2, 3)),), _F, (kind,), _IDS) for kind in ("i8", "u8", "i32", "u64")),
    Method("__getitem__", lambda x, y: x[y],
           lambda x, y: np.where((y >= -3) & (y < 3), x[np.clip(y, -3, 2)], 0), (((3,), (9,)),),
           ("f32", "i32"), ("i64",), ("any", "distinct")),
    Method("__getitem__", lambda x, y: (x[y, y[::-1]], x[0, y]),
           lambda x, y: [np.where((a >= -3) & (a < 3) & (b >= -4) & (b < 4),
           x[np.clip(a, -3, 2), np.clip(b, -4, 3)], 0) for a, b in ((y, y[::-1]), (0 * y, y))],
           (((3, 4), (12,)),), _F, ("i64",), ("any", "distinct")),
    _set(lambda x, y, t: [
        (0, 9), ((_ALL, slice(None, None, -2)), y[:, ::2]), ((..., 2), y[:, :, 0]),
        (slice(3, 1), y[:0]), ((None, 1), y[:1]), (True, y), (False, 5)]),
    _set(lambda x, y, t: [
        ([3, 0], y[:2]), (t([1, 4, -1]), y[2]), (t([2, 2, 0, 2]), y[:4]),
        ((slice(1, 4), t([[0], [5]]), [1, -2]), 7), ((t([0, 1]), 2, t([2, 3])), y[0, :2, 0]),
        ((t([0, 1]), _ALL, t([2, 3])), y[:2, :, 0]), (t(3), y[0]),
        ((None, t([4, 0]), ..., [1, 1]), 3), ((slice(None, None, -1), [], _ALL), 5),
        ([[0, 1], [1, 4]], y[:2, :1, :1])]),
    _set(lambda x, y, t: [
        (t([0, 1, 1, 0, 1]) > 0, y[:3]), (t([0, 1, 1, 0, 1]) > 0, y[0]), (x > 0, 1),
        ((_ALL, [False, True, True, False, False, False]), y[:, :2]),
        (([True, False, False, False, True], [1, 2]), y[0, :2]), (x[:, :, 0] < 0, y[0, 0]),
        ((slice(1, 3), x[0, :, 0] < 0), 4), (x[0, 0, 0] < 99, y), (x > 99, y[0, 0, 0])]),
    Method("__setitem__", lambda x, y: (x.__setitem__(y, 1), x)[1],
           lambda x, y: with_item(x, y, 1), (((5, 6), (3,)),), _MOST, ("i64",), _IDS),
    *(Method("__setitem__", lambda x, y: (x.__setitem__((slice(None), y), 1), x)[1],
             lambda x, y: with_item(x, (slice(None), y), 1), (((5, 300), (2, 3)),), _F, (kind,),
             _IDS)
      for kind in ("i8", "u8", "i32", "u64")),
    Method("index_put",
           lambda x, y, z: (x.index_put((y,), z), x.index_put((y, y), 3, accumulate=True),
           x.index_put([y], z, True)),
           lambda x, y, z: (with_item(x, y, z), added(x, (y, y), 3), added(x, y, z)),
           (((5, 6), (4,), (4, 6)), ((5, 5), (9,), (9, 1))), ("f32", "i64"), ("i64", "i8"),
           ("any", "index:5", "any")),
]  # fmt: skip

_PAIR = ("any", "index:3")
_TRIO = ("any", "index:3", "any")
_INTO = (((3, 5), (2, 5), (2, 5)), ((3, 1), (7, 1), (8, 2)), ((3, 2), (4, 1), (4, 1)),
         ((3, 2), (0, 2), (0, 2)))  # fmt: skip

_POSITIONS = [
    Method("gather", lambda x, y: (x.gather(0, y), x.gather(-1, y.T), x.gather(0, y - 3)),
           lambda x, y: (np.take_along_axis(x[:, : y.shape[1]], y, 0),
           np.take_along_axis(x[: y.shape[1]], y.T, 1),
           np.take_along_axis(x[:, : y.shape[1]], y, 0)),
           (((3, 3), (2, 3)), ((3, 3), (7, 1)), ((3, 5), (2, 0))), _MOST, ("i64",), _PAIR,
           gradient=True),
    Method("gather", lambda x, y: x.gather(0, y),
           lambda x, y: x.reshape(-1)[y], (((), ()), ((3,), ())), _F, ("i32",), ("any", "index:1")),
    *(Method("gather", lambda x, y: x.gather(1, y), lambda x, y: np.take_along_axis(x, y, 1),
             (((2, 300), (2, 3)),), _F, (kind,), _PAIR) for kind in ("i8", "u8", "i32", "u64")),
    Method("take", lambda x, y: (x.take(y), x.take(y - 3)),
           lambda x, y: (np.take(x, y), np.take(x, y - 3)), (((3, 5), (2, 2)), ((3,), (0,))), _SOME,
           ("i64",), _PAIR, gradient=True),
    Method("take_along_dim", lambda x, y: (x.take_along_dim(y, 0), x.take_along_dim(y)),
           lambda x, y: (np.take_along_axis(x, y, 0), x.reshape(-1)[y.reshape(-1)]),
           (((3, 5), (2, 5)), ((3, 1), (2, 1))), _SOME, ("i64",), _PAIR, gradient=True),
    Method("take_along_dim", lambda x, y: x.take_along_dim(y, 1),
           lambda x, y: np.take_along_axis(np.broadcast_to(x, y.shape), y, 1),
           (((1, 3), (4, 3)),), _F, ("i64",), _PAIR),
    Method("index_select", lambda x, y: (x.index_select(0, y), x.index_select(-1, y[:1])),
           lambda x, y: (x[y], x[:, y[:1]]), (((3, 5), (4,)), ((3, 3), (1,))), _SOME, ("i64",),
           _PAIR, gradient=True),
    Method("index_select", lambda x, y: x.index_select(0, y),
           lambda x, y: x[y.reshape(-1)], (((3, 5), ()),), _F, ("i32",), _PAIR),
    Method("embedding", lambda x, y: y.embedding(x),
           lambda x, y: x[y], (((3, 5), (2, 4)), ((3, 1), (0,))), ("f32", "f16"), ("i64",), _PAIR,
           gradient=True),
    Method("scatter",
           lambda x, y, z: (x.scatter(0, y, z), x.scatter(0, y - 3, 2),
           x.scatter(0, y, z, reduce="add"), x.scatter(0, y, z, reduce="multiply")),
           lambda x, y, z: (scattered(x, 0, y, z), scattered(x, 0, y, 2),
           scattered(x, 0, y, z, "sum"), scattered(x, 0, y, z, "prod")), _INTO, ("f32", "i64"),
           ("i64", "same"), _TRIO, gradient=True),
    Method("scatter", lambda x, y, z: (x.scatter(1, y, z), x.scatter(-1, y, True)),
           lambda x, y, z: (scattered(x, 1, y, z), scattered(x, 1, y, 1)),
           (((2, 3), (2, 5), (2, 6)),), _MOST, ("i64", "same"), _TRIO),
    Method("scatter", lambda x, y: x.scatter(0, y, 5), lambda x, y: np.full((), 5.0), (((), ()),),
           _F, ("i64",), ("any", "index:1")),
    Method("scatter_add", lambda x, y, z: x.scatter_add(0, y, z),
           lambda x, y, z: scattered(x, 0, y, z, "sum"), _INTO, ("f32", "i64", "f16", "u8"),
           ("i64", "same"), _TRIO, tolerance=32),
    *(
        Method("scatter_reduce",
               lambda x, y, z, how=how: (x.scatter_reduce(0, y, z, how),
               x.scatter_reduce(0, y, z, reduce=how, include_self=False)),
               lambda x, y, z, how=how: (scattered(x, 0, y, z, how),
               scattered(x, 0, y, z, how, False)), _INTO, ("f32", "f64", "i64"), ("i64", "same"),
               _TRIO, gradient=how != "prod", tolerance=16)
        for how in ("sum", "prod", "mean", "amax", "amin")
    ),
    Method("index_add", lambda x, y, z: (x.index_add(0, y, z), x.index_add(0, y - 3, z, alpha=3)),
           lambda x, y, z: (added(x, y, z), added(x, y, 3 * z)),
           (((3, 5), (4,), (4, 5)), ((3,), (2,), (2,)), ((3, 2), (0,), (0, 2)),
           ((3, 0), (2,), (2, 0))), ("f32", "i64", "f16", "u8"), ("i64", "same"), _TRIO,
           gradient=True),
    Method("index_add", lambda x, y, z: x.index_add(-1, y, z, alpha=2),
           lambda x, y, z: added(x, (slice(None), y), 2 * z),
           (((2, 3), (4,), (2, 4)), ((0, 3), (2,), (0, 2))), ("f64", "i32"), ("i32", "same"), _TRIO,
           gradient=True),
    Method("index_copy", lambda x, y, z: (x.index_copy(0, y, z), x.index_copy(-2, y - 3, z)),
           lambda x, y, z: (with_item(x, y, z), with_item(x, y, z)),
           (((3, 5), (4,), (4, 5)), ((3, 2), (0,), (0, 2)), ((3, 0), (2,), (2, 0))), _MOST,
           ("i64", "same"), _TRIO, gradient=True),
    Method("index_fill", lambda x, y, z: (x.index_fill(0, y, 1), x.index_fill(0, y - 3, z)),
           lambda x, y, z: (with_item(x, y, 1), with_item(x, y, z)),
           (((3, 5), (4,), ()), ((3,), (2,), ()), ((3, 2), (0,), ())), _MOST, ("i64", "same"),
           _TRIO, gradient=True),
    Method("index_add",
           lambda x, y, z: (x.index_add(0, y, z), x.index_copy(0, y, z), x.index_fill(0, y, 2)),
           lambda x, y, z: (x + z, z, 0 * x + 2), (((), (), ()), ((), (1,), ())), ("f32", "i32"),
           ("i64", "same"), ("any", "index:1", "any")),
]  # fmt: skip

_MASKS = [
    Method("masked_scatter", lambda x, y, z: x.masked_scatter(y, z),
           lambda x, y, z: masked_scattered(x, y, z),
           (((3, 4), (3, 4), (20,)), ((3, 4), (4,), (3, 4)), ((2, 0), (2, 0), (3,)),
            ((), (), (1,))),
           _MOST, others=("bool", "same"), gradient=True),
    Method("masked_scatter", lambda x, y, z: x.masked_scatter(y, z)[y],
           lambda x, y, z: np.pad(z, (0, 12))[: y.sum()], (((3, 4), (3, 4), (2,)),), ("f32",),
           others=("bool", "same")),
    Method("masked_fill", lambda x, y: (x.masked_fill(y, 7), x.masked_fill(y[:1], -1)),
           lambda x, y: (np.where(y, 7, x), np.where(y[:1], -1, x)),
           (((3, 5), (3, 5)), ((4, 1), (4, 3))), ("f32", "i64"), ("bool",), ("any", "bool"),
           gradient=True, special=True),
    Method("masked_select", lambda x, y: (x.masked_select(y), x.masked_select(y[0])),
           lambda x, y: (x[y], x[np.broadcast_to(y[0], x.shape)]),
           (((3, 5), (3, 5)), ((2, 0), (2, 0))), _MOST, ("bool",), ("any", "bool"), gradient=True,
           special=False),
    Method("masked_select", lambda x, y: x.masked_select(y),
           lambda x, y: x.reshape(-1)[y.reshape(-1)], (((), ()),), _F, ("bool",), ("any", "bool")),
    Method("where",
           lambda x, y, z: (x.where(y, z), x.where(2.0, z), x.where(y, -1),
           x.where(1, 0).cast(y.dtype)),
           lambda x, y, z: (np.where(x, y, z), np.where(x, 2.0, z), np.where(x, y, -1), x * 1.0),
           (((3, 5), (3, 5), (3, 5)), ((3, 1), (1, 5), (5,)), ((), (0, 2), ())), ("bool",),
           ("f32", "f32"), gives="f32", special=True),
    Method("where", lambda x, y, z: (x > 0).where(y, z), lambda x, y, z: np.where(x > 0, y, z),
           (((3, 5), (3, 5), (3, 5)), ((3, 1), (1, 5), (5,))), ("f32", "f64"), gradient=True),
    Method("nonzero", lambda x: (x.nonzero(), *x.nonzero(as_tuple=True)),
           lambda x: (np.argwhere(x), *np.nonzero(x)), (((3, 5),), ((0, 2),)), _MOST, domain="bool",
           gives="i64"),
    Method("nonzero", lambda x: x.nonzero(), lambda x: np.argwhere(x), (((),), ((7,),)),
           ("f32", "bool"), special=True, gives="i64"),
    Method("one_hot", lambda x: (x.one_hot(5), x.one_hot(3)),
           lambda x: [(x[..., None] == np.arange(n)) * 1 for n in (5, 3)],
           (((3, 5),), ((),), ((0, 2),)), ("i64", "i8", "u16"), domain="index:5", gives="i64"),
    Method("one_hot", lambda x: x.one_hot(), lambda x: (x[..., None] == np.arange(x.max() + 1)) * 1,
           (((3, 5),),), ("i64", "u8"), domain="index:9", gives="i64"),
]  # fmt: skip

ROWS = [*_BRACKETS, *_POSITIONS, *_MASKS]

_ONE = ((3,), (3,))
_INT = ("f32", "i64")

REFUSALS = [
    Refusal("masked_scatter", lambda x: x.masked_scatter(x[:2] > 0, x), "ShapeError",
            "(2, 5) cannot become (3, 5)", argument="mask"),
    Refusal("masked_scatter", lambda x: x.masked_scatter(x, x), "DTypeError",
            "masked_scatter: expected a bool mask, found f32", argument="mask"),
    Refusal("embedding", lambda x, y: y.embedding(y), "ShapeError",
            "expected a weight (classes, size), found (3,)", _ONE, _INT),
    Refusal("one_hot", lambda x, y: y.one_hot(-2), "ShapeError", "a size must be 0 or more", _ONE,
            _INT),
    Refusal("scatter", lambda x, y: x.scatter(0, y, y), "DTypeError", "expected src of f32", _ONE,
            _INT, "src"),
    Refusal("scatter_add", lambda x, y: x.scatter_add(0, y, y), "DTypeError", "found i64", _ONE,
            _INT, "src"),
    Refusal("scatter_reduce", lambda x, y: x.scatter_reduce(0, y, y, "sum"), "DTypeError",
            "cast it first", _ONE, _INT, "src"),
    Refusal("masked_select", lambda x: x.masked_select(x > 0, size=-1), "ShapeError", "found -1",
            argument="size"),
    Refusal("__getitem__",
            lambda x: x[3], "IndexError", "index 3 is out of range for axis 0 of size 3"),
    Refusal("__getitem__", lambda x: x[:, -6], "PositionError", "axis 1 of size 5"),
    Refusal("__getitem__", lambda x: x[[0, 3]], "IndexError", "index 3 is out of range for axis 0"),
    Refusal("__getitem__", lambda x: x[:, np.array([5])], "IndexError", "axis 1 of size 5"),
    Refusal("__getitem__", lambda x: x[0, 0, 0], "ShapeError",
            "3 indices for a tensor with 2 axes"),
    Refusal("__getitem__", lambda x: x[..., ...], "UsageError", "one Ellipsis"),
    Refusal("__getitem__", lambda x: x[1.5], "UsageError", "found 1.5"),
    Refusal("__getitem__", lambda x: x["a"], "UsageError", "found 'a'"),
    Refusal("__getitem__", lambda x: x["a":], "UsageError", "slice"),
    Refusal("__getitem__", lambda x: x[::0], "UsageError", "slice"),
    Refusal("__getitem__", lambda x: x[x], "UsageError", "must hold integers"),
    Refusal("__getitem__", lambda x: x[[0.5]], "UsageError", "must hold integers or bools"),
    Refusal("__getitem__", lambda x: x[[True, False]], "ShapeError", "must be equal"),
    Refusal("__getitem__", lambda x: x[:, x > 0], "ShapeError",
            "3 indices for a tensor with 2 axes"),
    Refusal("__getitem__", lambda x: x[[0, 1], [0, 1, 2]], "ShapeError", "do not broadcast"),
    Refusal("__setitem__", lambda x: x.__setitem__([0, 1], x), "ShapeError",
            "does not fit into the part"),
    Refusal("__setitem__", lambda x: x.__setitem__(0, x[:2]), "ShapeError", "does not fit"),
    Refusal("__setitem__", lambda x: x.__setitem__(7, 1), "IndexError", "out of range"),
    Refusal("__setitem__", lambda x: x.expand(2, 3, 5).__setitem__(slice(0, 2), 1), "ShapeError",
            "share memory"),
    Refusal("index_put", lambda x: x.index_put((slice(1, 2),), 1), "UsageError",
            "tensor of positions"),
    Refusal("gather", lambda x: x.gather(0, x), "UsageError", "must hold integers"),
    Refusal("gather", lambda x: x.gather(0, Tensor([1])), "ShapeError", "does not fit a tensor"),
    Refusal("take_along_dim", lambda x: x.take_along_dim(Tensor([1]), 0), "ShapeError",
            "2 axes, found 1"),
    Refusal("index_select", lambda x: x.index_select(0, Tensor([[1]])), "ShapeError",
            "1 axis, found 2"),
    Refusal("scatter", lambda x, y: x.scatter(0, y, 1, reduce="sum"), "UsageError",
            "'add' or 'multiply'", _ONE, _INT),
    Refusal("scatter", lambda x, y: x.scatter(0, y, x[:2]), "ShapeError",
            "is smaller than the index", _ONE, _INT),
    Refusal("scatter_add", lambda x, y: x.scatter_add(1, y, x), "ShapeError",
            "axis 1 is out of range", _ONE, _INT),
    Refusal("scatter_reduce", lambda x, y: x.scatter_reduce(0, y, x, "max"), "UsageError",
            "reduce is one of", _ONE, _INT),
    *(row for name in ("index_add", "index_copy") for row in (
        Refusal(name, lambda x, y, name=name: getattr(x, name)(0, y, x[:2]), "ShapeError",
                "expected a source of shape (3,)", _ONE, _INT),
        Refusal(name, lambda x, y, name=name: getattr(x, name)(0, y, y), "DTypeError",
                "of f32, as this is, found i64", _ONE, _INT, "source"),
        Refusal(name, lambda x, y, name=name: getattr(x, name)(0, y.reshape(1, 3), x), "ShapeError",
                "an index of 1 axis", _ONE, _INT, "index"),
        Refusal(name, lambda x, y, name=name: getattr(x, name)(0, x, x), "PositionError",
                "must hold integers", _ONE, _INT, "index"),
        Refusal(name, lambda x, y, name=name: getattr(x, name)(2, y, x), "AxisError", "axis 2",
                _ONE, _INT, "dim"))),
    Refusal("index_fill", lambda x, y: x.index_fill(0, y, x), "ShapeError", "expected one value",
            _ONE, _INT, "value"),
    Refusal("index_fill", lambda x, y: x.index_fill(2, y, 1), "AxisError", "axis 2", _ONE, _INT,
            "dim"),
    Refusal("index_fill", lambda x, y: x.index_fill(0, x, 1), "PositionError", "must hold integers",
            _ONE, _INT, "index"),
    Refusal("masked_select", lambda x: x.masked_select(x), "UsageError", "expected a bool mask"),
    Refusal("where", lambda x: x.where(1, 2), "DTypeError", "expected a bool condition"),
    Refusal("one_hot", lambda x: x.one_hot(3), "DTypeError", "expected integers"),
    Refusal("one_hot", lambda x: x[:0].cast("int64").one_hot(), "UsageError", "give it"),
    *(Refusal("embedding", lambda x, weight=weight: Tensor([1, 2]).embedding(weight(x)), error,
              says)
      for weight, error, says in (
          (lambda x: Tensor([1, 2]), "ShapeError",
           "expected a weight (classes, size), found (2,)"),
          (lambda x: x.reshape(1, 3, 5), "ShapeError", "found (1, 3, 5)"),
          (lambda x: "a", "UsageError", "embedding weight: expected a tensor"))),
]  # fmt: skip
