"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.row import FLOATS, NUMBERS, Method, Refusal, Variants
from rulewright.verify.methods.text import Expression

_MATMUL = (
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((4,), (2, 4, 3)),
    ((2, 3, 4), (4,)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
    ((7, 13), (13, 11)),
    ((1, 1), (1, 1)),
)
_MATRICES = (((3, 4), (4, 5)), ((1, 0), (0, 2)), ((7, 1), (1, 11)))
_BATCHES = (((2, 3, 4), (2, 4, 5)), ((0, 3, 4), (0, 4, 1)))
_TILES = (
    ((32, 48), (48, 24)),
    ((33, 19), (19, 40)),
    ((16, 8), (8, 17)),
    ((2, 17, 40), (40, 16)),
    ((2, 1, 16, 32), (3, 32, 8)),
)
"""Products large enough for tensor cores, which they divide, or do not."""
_TURNED = (((32, 24), (40, 24)), ((2, 19, 35), (2, 33, 35)))
_AND_BIAS = (((32, 24), (24, 40), (40,)), ((2, 19, 35), (2, 35, 33), (19, 1)))
_LINEAR = (((3, 4), (4, 5), (5,)), ((4,), (4, 1), (1,)), ((2, 0, 4), (4, 3), (3,)))
_FORMULAS = {
    "ij,jk->ik": (((3, 4), (4, 5)), ((0, 4), (4, 2)), ((3, 0), (0, 2))),
    "ij,jk": (((3, 4), (4, 5)),),
    "bij,bkj->bik": (((2, 3, 4), (2, 5, 4)),),
    "i,j->ji": (((3,), (5,)),),
    "i,i->": (((4,), (4,)),),
    "ij,ij->i": (((3, 4), (3, 4)),),
    "...ij,...jk->...ik": (((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (7, 4, 2)), ((3, 4), (4, 5))),
    "i...,i...->...": (((3, 2, 4), (3, 4)),),
    "ab,cb": (((3, 4), (5, 4)),),
    "ii,ij->j": (((4, 4), (4, 3)),),
    ",ij->ji": (((), (3, 4)),),
    " i j , j -> i ": (((3, 4), (4,)),),
}
_ALONE = {
    "ij->ji": (((3, 4),), ((0, 2),)),
    "ij->j": (((3, 4),), ((0, 2),)),
    "ij->": (((3, 4),), ((1, 1),)),
    "ba": (((3, 4),),),
    "ii": (((4, 4),), ((1, 1),)),
    "ii->i": (((4, 4),),),
    "ijij->ji": (((2, 3, 2, 3),),),
    "...ij->...ji": (((2, 3, 4),), ((3, 4),)),
}


def _of_two(name: str, equals: Expression, shapes: Variants, **more: Any) -> Method:
    return Method(name, lambda x, y: getattr(x, name)(y), equals, shapes, gradient=True, **more)


ROWS = [
    _of_two("matmul", lambda x, y: x @ y, _MATMUL, dtypes=NUMBERS),
    Method("matmul", lambda x, y: x @ y, lambda x, y: x @ y, _MATMUL, ("f32", "i64"), ("f64",),
           gives="f64"),
    Method("matmul", lambda x, y: x.matmul(y, dtype=dtypes.f32),
           lambda x, y: x @ y, _MATRICES, ("f16", "bf16"), gives="f32", tolerance=64),
    Method("matmul", lambda x, y: x @ y, lambda x, y: x @ y, _MATRICES, ("i8",), ("f16",),
           gives="f16"),
    _of_two("dot", lambda x, y: x @ y, _MATMUL),
    _of_two("mm", lambda x, y: x @ y, _MATRICES, dtypes=NUMBERS[:4]),
    _of_two("mv", lambda x, y: x @ y, (((3, 4), (4,)), ((0, 2), (2,)))),
    _of_two("bmm", lambda x, y: x @ y, _BATCHES),
    *(Method(name,
             lambda x, y, z, name=name: (getattr(z, name)(x, y),
             getattr(z, name)(x, y, beta=2, alpha=3), getattr(z, name)(x, y, beta=0)),
             lambda x, y, z: (z + x @ y, 2 * z + 3 * (x @ y), x @ y), shapes, NUMBERS[:4],
             gradient=True, tolerance=64)
      for name, shapes in (
          ("addmm", (((3, 4), (4, 5), (3, 5)), ((7, 1), (1, 11), (11,)), ((1, 0), (0, 2), ()))),
          ("addmv", (((3, 4), (4,), (3,)), ((5, 2), (2,), ()))),
          ("baddbmm", (((2, 3, 4), (2, 4, 5), (3, 1)), ((0, 3, 4), (0, 4, 1), ()))))),
    Method("addmm", lambda x, y, z: (z * float("nan")).addmm(x, y, beta=0),
           lambda x, y, z: x @ y, (((3, 4), (4, 5), (5,)),), ("f32",), tolerance=64),
    Method("kron", lambda x, y: x.kron(y),
           lambda x, y: np.kron(x, y), (((3, 4), (2, 5)), ((3,), (2, 2)), ((), (3,)),
           ((2, 1, 2), (3,)), ((), ()), ((2, 0), (3, 2))), ("f32", "i32", "bool", "f16"),
           gradient=True),
    _of_two("outer", lambda x, y: np.multiply.outer(x, y), (((3,), (5,)), ((1,), (0,))),
            dtypes=NUMBERS),
    _of_two("inner",
            lambda x, y: np.inner(x, y), (((3, 4), (5, 4)), ((4,), (4,)), ((2, 3, 4), (2, 4)),
            ((), (3,)), ((3, 0), (2, 0)))),
    Method("linear", lambda x, y, z: x.linear(y, z), lambda x, y, z: x @ y + z, _LINEAR,
           gradient=True),
    Method("linear", lambda x, y: x.linear(y),
           lambda x, y: x @ y, (((3, 4), (4, 5)), ((0, 4), (4, 1)))),
    Method("linear", lambda x, y, z: x.linear(y, z),
           lambda x, y, z: x * y + z, (((3, 4), (4,), (4,)),), gradient=True),
    Method("linear", lambda x, y, z: x.linear(y, z, dtype=dtypes.f64),
           lambda x, y, z: x @ y + z, _LINEAR, ("f16",), gives="f64"),
    Method("sequential", lambda x: x.sequential([Tensor.neg, lambda t: t + 1]), lambda x: 1 - x),
    Method("sequential", lambda x: x.sequential([]), lambda x: x),
    *(Method("einsum", lambda x, y, f=f: Tensor.einsum(f, x, y),
             lambda x, y, f=f: np.einsum(f, x, y), shapes,
             NUMBERS[:5] if f == "ij,jk->ik" else FLOATS[:3], gradient=True)
      for f, shapes in _FORMULAS.items()),
    *(Method("einsum", lambda x, f=f: Tensor.einsum(f, x), lambda x, f=f: np.einsum(f, x), shapes,
             NUMBERS[:3], gradient=True)
      for f, shapes in _ALONE.items()),
    Method("einsum", lambda x: Tensor.einsum("...->", x), lambda x: x.sum(), (((2, 3),), ((),)),
           gradient=True),
    Method("einsum", lambda x, y, z, w: Tensor.einsum("ij,jk,kl,lm->mi", x, y, z, w),
           lambda x, y, z, w: np.einsum("ij,jk,kl,lm->mi", x, y, z, w),
           (((2, 3), (3, 4), (4, 5), (5, 2)),), gradient=True),
    Method("einsum", lambda x, y, z: Tensor.einsum("ij,ik,il->jkl", [x, y, z]),
           lambda x, y, z: np.einsum("ij,ik,il->jkl", x, y, z), (((2, 3), (2, 4), (2, 5)),),
           gradient=True),
    Method("einsum", lambda x, y: Tensor.einsum("i,ij->j", x, y, dtype=dtypes.f32),
           lambda x, y: np.einsum("i,ij->j", x, y), (((3,), (3, 4)),), ("f16", "i32"), gives="f32",
           tolerance=64),
    # what tensor cores multiply, on targets that have them
    Method("matmul", lambda x, y: x @ y, lambda x, y: x @ y, _TILES, ("f32", "f16", "bf16")),
    Method("matmul", lambda x, y: x.matmul(y, dtype=dtypes.f32),
           lambda x, y: x @ y, _TILES, ("f16", "bf16"), gives="f32", tolerance=64),
    Method("matmul", lambda x, y: x.matmul(y, dtype=dtypes.i32),
           lambda x, y: x.astype("i4") @ y.astype("i4"), _TILES, ("i8", "u8"), gives="i32"),
    Method("matmul", lambda x, y: x.matmul(y.mT, dtype=dtypes.f32),
           lambda x, y: x @ np.swapaxes(y, -1, -2), _TURNED, ("f16", "bf16"), gives="f32",
           tolerance=64),
    Method("matmul", lambda x, y: x.matmul(y.mT, dtype=dtypes.i32),
           lambda x, y: x.astype("i4") @ np.swapaxes(y, -1, -2).astype("i4"), _TURNED, ("i8", "u8"),
           gives="i32"),
    Method("matmul", lambda x, y, z: (x.matmul(y, dtype=dtypes.f32) + z).relu(),
           lambda x, y, z: np.maximum(x @ y + z, 0), _AND_BIAS, ("f16", "bf16"), gives="f32",
           tolerance=64),
    Method("matmul", lambda x, y, z: (x.matmul(y, dtype=dtypes.i32) - z).clamp(-99, 99),
           lambda x, y, z: np.clip(x.astype("i4") @ y.astype("i4") - z, -99, 99), _AND_BIAS,
           ("i8", "u8"), gives="i32"),
    Method("tensordot", lambda x, y: x.tensordot(y), lambda x, y: np.tensordot(x, y),
           (((2, 3, 4), (3, 4, 5)), ((3, 4), (3, 4)), ((2, 0, 4), (0, 4, 5))), NUMBERS[:6],
           tolerance=32, gradient=True),
    Method("tensordot", lambda x, y: (x.tensordot(y, 1), x.tensordot(y, ([1, -3], [0, 2]))),
           lambda x, y: (np.tensordot(x, y, 1), np.tensordot(x, y, ([1, -3], [0, 2]))),
           (((2, 4, 4), (4, 3, 2)),), ("f32", "f64", "i32"), gives="same same", tolerance=32),
    Method("tensordot", lambda x, y: (x.tensordot(y, 0), x.tensordot(y, (0, 1))),
           lambda x, y: (np.tensordot(x, y, 0), np.tensordot(x, y, (0, 1))),
           (((3, 2), (4, 3)), ((1, 2), (2, 1))), ("f32",), gives="same same", tolerance=32),
]  # fmt: skip

REFUSALS = [
    Refusal("tensordot", lambda x: x.tensordot(x.T), "ShapeError",
            "have sizes (3, 5) and (5, 3); they must be equal"),
    Refusal("tensordot", lambda x: x.tensordot(x, 3), "ShapeError",
            "dims is from 0 to 2, what both have, found 3", argument="dims"),
    Refusal("tensordot", lambda x: x.tensordot(x, "a"), "ArgumentError",
            "dims is a number, or axes of each operand", argument="dims"),
    Refusal("tensordot", lambda x: x.tensordot(x, ([0, 1], [0])), "ArgumentError",
            "as many axes of each operand", argument="dims"),
    Refusal("tensordot", lambda x: x.tensordot(x, ([5], [0])), "AxisError", "tensordot",
            argument="dims"),
    Refusal("matmul", lambda x: x @ x, "ShapeError",
            "the last axis of the first, 5, must equal the last"),
    Refusal("matmul", lambda x: x @ 2, "ShapeError", "expected 1 axis or more on both sides"),
    Refusal("matmul", lambda x, y: x @ y, "ShapeError", "do not broadcast", ((2, 3, 4), (3, 4, 5))),
    Refusal("matmul", lambda x: x @ x.T, "DTypeError", "expected numbers, found bool",
            dtypes=("bool",)),
    Refusal("mm", lambda x, y: x.mm(y), "ShapeError", "mm: expected tensors of 2 and 2",
            ((3, 4), (4,))),
    Refusal("mv", lambda x: x.mv(x), "ShapeError", "mv: expected tensors of 2 and 1 axes"),
    Refusal("bmm", lambda x, y: x.bmm(y), "ShapeError", "the first of one size",
            ((2, 3, 4), (3, 4, 5))),
    Refusal("addmm", lambda x: x.addmm(x, x), "ShapeError", "the last axis of the first, 5"),
    Refusal("addmv", lambda x: x.addmv(x, x), "ShapeError",
            "addmv: expected tensors of 2 and 1 axes"),
    Refusal("baddbmm", lambda x: x.baddbmm(x, x), "ShapeError",
            "baddbmm: expected tensors of 3 and 3"),
    Refusal("addmm", lambda x: x[:, :2].addmm(x, x.T), "ShapeError", "cannot become (3, 3)",
            argument="self"),
    Refusal("outer", lambda x: x.outer(x), "ShapeError", "outer: expected two vectors"),
    Refusal("inner", lambda x, y: x.inner(y), "ShapeError", "the last axes of (3,) and (4,)",
            ((3,), (4,))),
    Refusal("linear", lambda x: x.linear(x), "ShapeError", "must equal the last but one"),
    Refusal("einsum", lambda x: Tensor.einsum("ij,jk", x), "UsageError",
            "names 2 operands, found 1"),
    Refusal("einsum", lambda x: Tensor.einsum("ijk->i", x), "ShapeError",
            "names 3 axes, the operand"),
    Refusal("einsum", lambda x: Tensor.einsum("i->i", x), "ShapeError",
            "names 1 axes, the operand"),
    Refusal("einsum", lambda x: Tensor.einsum("ij->ii", x), "UsageError", "names 'i' twice"),
    Refusal("einsum", lambda x: Tensor.einsum("ij->k", x), "UsageError", "which no operand has"),
    Refusal("einsum", lambda x: Tensor.einsum("i1->i", x), "UsageError", "expected letters"),
    Refusal("einsum", lambda x: Tensor.einsum("......i", x), "UsageError", "at most one '...'"),
    Refusal("einsum", lambda x: Tensor.einsum("ii->i", x), "ShapeError",
            "a diagonal needs equal ones"),
    Refusal("einsum", lambda x: Tensor.einsum("ij,jk", x, x), "ShapeError",
            "called 'j' have sizes (5, 3)"),
    Refusal("einsum", lambda x: Tensor.einsum("ij->", x), "DTypeError", "found bool",
            dtypes=("bool",)),
    Refusal("einsum", lambda x: Tensor.einsum("ij->ji", None), "UsageError",
            "expected data, found None", argument="operands"),
    Refusal("einsum", lambda x: Tensor.einsum("ij->ji", x, dtype="a"), "DTypeError",
            "unknown dtype 'a'", argument="dtype"),
    Refusal("sequential", lambda x: x.sequential([3]), "ArgumentError",
            "functions as layers, found 3"),
    Refusal("sequential", lambda x: x.sequential(3), "ArgumentError", "layers is a list or tuple"),
]  # fmt: skip
