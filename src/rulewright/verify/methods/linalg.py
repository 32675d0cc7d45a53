"""Linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import Array, newton_schulz, orthogonal
from rulewright.verify.methods.row import Method, Refusal

_WIDE = ("f32", "f64")
_ANY = (((4, 3),), ((2, 3, 3),), ((3, 4),), ((1, 1),), ((4, 1),), ((1, 3),))
_SMALL = (((3, 2),), ((2, 1, 2),), ((1, 1),))
_FEW = (((4, 3),), ((2, 3, 3),), ((2, 4),))
_EMPTY = (((0, 3),), ((3, 0),), ((2, 0, 0),))
_SQUARE = (((3, 3),), ((2, 4, 4),), ((1, 1),))


def _positive(x: Any) -> Any:
    return x @ x.mT + Tensor.eye(x.shape[-1], dtype=x.dtype)


def _positive_too(x: Array) -> Array:
    return x @ x.swapaxes(-1, -2) + np.eye(x.shape[-1])


def symmetric(result: Any, x: Array) -> Any:
    """How far values and vectors are from being those of x, with vectors at right angles."""
    values, v = (t.numpy().astype(np.float64) for t in result)
    product = v * values[..., None, :] @ v.swapaxes(-1, -2)
    unit = v.swapaxes(-1, -2) @ v
    falls = np.diff(values) < 0
    return max(abs(product - x).max(), abs(unit - np.eye(len(unit[-1]))).max(), falls.sum())


def _error(x: Array) -> Array:
    return 64 * np.finfo(x.dtype).eps * max(1, abs(x).max(initial=0))


ROWS = [
    Method("qr", lambda x: x.qr(), lambda x: tuple(np.linalg.qr(x, "complete")), _ANY, _WIDE,
           gives="same same", tolerance=32),
    Method("qr", lambda x: x.qr(full_matrices=False), lambda x: tuple(np.linalg.qr(x)), _FEW, _WIDE,
           gives="same same", tolerance=32, gradient=True),
    Method("qr", lambda x: x.triu().qr(), lambda x: tuple(np.linalg.qr(np.triu(x), "complete")),
           (((3, 3),),), ("f32",), gives="same same", tolerance=32),
    Method("qr", lambda x: x.qr()[0], lambda x: np.linalg.qr(x, "complete")[0], (((3, 3),),),
           ("i32",), gives="f32", tolerance=32),
    Method("qr", lambda x: x.qr(), lambda x: tuple(np.linalg.qr(x, "complete")), _EMPTY, ("f32",),
           gives="same same"),
    Method("svd", lambda x: x.svd()[1], lambda x: np.linalg.svd(x, compute_uv=False), _SMALL,
           ("f32",), tolerance=32, gradient=True),
    Method("svd", lambda x: x.svd(), None, (((3, 2),), ((3, 4),)), ("f32",),
           check=lambda result, x: orthogonal(result, x, True) < _error(x)),
    Method("svd", lambda x: x.svd(full_matrices=False), None, (((2, 2, 3),),), ("f64",),
           check=lambda result, x: orthogonal(result, x, False) < _error(x)),
    Method("svd", lambda x: (x[..., :1] @ x[..., :1, :]).svd(), None, (((4, 3),),), ("f32",),
           check=lambda result, x: orthogonal(
               result, x[..., :1] @ x[..., :1, :], True) < 16 * _error(x)),
    Method("svd",
           lambda x: (lambda u, s, v: (u[..., :1] @ v[..., :1, :],
           u[..., :2] @ v[..., :2, :]))(*x.svd()),
           lambda x: tuple(u[..., :k] @ v[..., :k, :] for u, _, v in [np.linalg.svd(x)]
           for k in (1, 2)), (((3, 3),), ((3, 2),)), ("f64",), gives="same same", tolerance=4096,
           gradient=True),
    *(Method("qr", lambda x, size=size: (x * size).qr(),
             lambda x, size=size: tuple(np.linalg.qr(x * size, "complete")), _FEW, ("f32",),
             gives="same same", tolerance=64)
      for size in (1e-30, 1e-20, 1e20, 1e30)),
    Method("qr", lambda x: (x * Tensor([1, 1e-21, 1e-38])).qr()[0],
           lambda x: np.linalg.qr(x * np.array([1, 1e-21, 1e-38]), "complete")[0],
           (((4, 3),), ((3, 3),)), ("f32",), tolerance=64),
    *(Method("svd", lambda x, size=size: (x * size).svd()[1],
             lambda x, size=size: np.linalg.svd(x * size, compute_uv=False), _FEW, ("f32",),
             tolerance=64)
      for size in (1e-30, 1e-15, 1e15, 1e30)),
    Method("svd", lambda x: (x * Tensor([[1.0], [1e18], [1], [1]])).svd()[1],
           lambda x: np.linalg.svd(x * np.array([[1], [1e18], [1], [1]]), compute_uv=False),
           (((4, 3),),), ("f32",), tolerance=64),
    Method("svd", lambda x: x.svd()[1], lambda x: np.linalg.svd(x, compute_uv=False), _EMPTY,
           ("f32",)),
    Method("cholesky", lambda x: _positive(x).cholesky(),
           lambda x: np.linalg.cholesky(_positive_too(x)),
           _SQUARE, _WIDE, tolerance=64, gradient=True),
    Method("cholesky", lambda x: _positive(x).tril().cholesky(upper=True),
           lambda x: np.linalg.cholesky(_positive_too(x)).swapaxes(-1, -2), _SQUARE[:1], _WIDE,
           tolerance=64),
    Method("cholesky", lambda: (-Tensor.eye(2)).cholesky()[0], lambda: np.array([np.nan, 0]), ((),),
           ("f32",), gives="f32"),
    Method("trace", lambda x: x.trace(), lambda x: np.trace(x, axis1=-2, axis2=-1),
           (((3, 3),), ((2, 3, 4),), ((0, 2),)), ("f32", "i32", "f16"), gives="sum", gradient=True),
    Method("solve", lambda x, y: _positive(x).solve(y),
           lambda x, y: np.linalg.solve(_positive_too(x), y),
           (((3, 3), (3, 2)), ((2, 3, 3), (3, 1)), ((1, 1), (1, 1))), _WIDE, tolerance=256,
           gradient=True),
    Method("solve", lambda x, y: x.solve(y), lambda x, y: np.linalg.solve(x, y), (((3, 3), (3,)),),
           ("f32",), tolerance=1024),
    Method("solve", lambda x, y: x.solve(y), lambda x, y: y, (((0, 0), (0, 2)), ((2, 2), (2, 0))),
           ("f32",)),
    Method("inverse", lambda x: x.inverse(), lambda x: np.linalg.inv(x), _SQUARE, _WIDE,
           tolerance=1024, gradient=True),
    Method("inverse", lambda x: x.flip(0).triu().flip(0).inverse(),
           lambda x: np.linalg.inv(np.triu(x[::-1])[::-1]), (((3, 3),),), ("f32",),
           domain="nonzero", tolerance=1024),
    Method("det", lambda x: x.det(), lambda x: np.linalg.det(x), _SQUARE, _WIDE, tolerance=256,
           gradient=True),
    Method("det", lambda x: x.det(), lambda x: np.linalg.det(x), (((3, 3),),), ("i32",),
           gives="f32", tolerance=256),
    Method("det", lambda x: x.det(), lambda x: np.linalg.det(x), (((0, 0),), ((2, 0, 0),)),
           ("f32",)),
    Method("det", lambda x: x.tril(-2).det(), lambda x: np.zeros(x.shape[:-2]), _SQUARE, _WIDE,
           gradient=True),
    Method("slogdet", lambda x: x.slogdet(), lambda x: tuple(np.linalg.slogdet(x)),
           (*_SQUARE, ((5, 5),)), _WIDE, gives="same same", tolerance=256, gradient=True),
    Method("slogdet", lambda x: (x * 1e-30).slogdet(),
           lambda x: tuple(np.linalg.slogdet(x * 1e-30)), _SQUARE[:2], ("f32",),
           gives="same same", tolerance=64),
    Method("slogdet", lambda x: x.tril(-1).slogdet(),
           lambda x: (np.zeros(x.shape[:-2]), np.full(x.shape[:-2], -np.inf)), (((3, 3),),),
           ("f32",), gives="same same"),
    Method("slogdet", lambda x: x.slogdet(), lambda x: (np.ones(x.shape[:-2]),
           np.zeros(x.shape[:-2])), (((0, 0),), ((2, 0, 0),)), ("f32",), gives="same same"),
    Method("matrix_power",
           lambda x: tuple(x.matrix_power(n) for n in (0, 1, 2, 5, -1, -3)),
           lambda x: tuple(np.linalg.matrix_power(x, n) for n in (0, 1, 2, 5, -1, -3)),
           (((2, 2),), ((2, 3, 3),)), ("f64",), tolerance=2**16, gradient=True),
    Method("matrix_power", lambda x: (x.matrix_power(0), x.matrix_power(3)),
           lambda x: tuple(np.linalg.matrix_power(x, n) for n in (0, 3)), _SQUARE, ("f32", "i32"),
           gives="f32", tolerance=64),
    Method("pinv", lambda x: (x.pinv(), x.pinv(rtol=1e-3)),
           lambda x: (np.linalg.pinv(x), np.linalg.pinv(x, 1e-3)), _SMALL, _WIDE, tolerance=4096),
    Method("pinv", lambda x: x.pinv(), lambda x: np.linalg.pinv(x), (((2, 3),), ((3, 2),)),
           ("f64",), tolerance=2**16, gradient=True),
    Method("pinv", lambda x: (x[..., :1] @ x[..., :1, :]).pinv(),
           lambda x: np.linalg.pinv(x[..., :1] @ x[..., :1, :], 1e-4), (((3, 2),), ((2, 4),)),
           ("f32",), tolerance=256),
    Method("pinv", lambda x: x.pinv(), lambda x: x.swapaxes(-1, -2), _EMPTY, ("f32",)),
    Method("eigh", lambda x: (x + x.mT).eigh()[0],
           lambda x: np.linalg.eigvalsh(x + x.swapaxes(-1, -2)), (*_SQUARE, ((5, 5),)), _WIDE,
           tolerance=64, gradient=True),
    Method("eigh", lambda x: (lambda v: v[..., :1] @ v[..., :1].mT)((x + x.mT).eigh()[1]),
           lambda x: (lambda v: v[..., :1] @ v[..., :1].swapaxes(-1, -2))(
               np.linalg.eigh(x + x.swapaxes(-1, -2))[1]), (((3, 3),), ((2, 2),)), ("f64",),
           tolerance=4096, gradient=True),
    Method("eigh", lambda x: (x.eigh("U")[0], x.eigh()[0], (x * 0).eigh()[0]),
           lambda x: (np.linalg.eigvalsh(x, "U"), np.linalg.eigvalsh(x), np.zeros(x.shape[:-1])),
           (((3, 3),), ((1, 1),)), _WIDE, tolerance=64),
    Method("eigh", lambda x: (x @ x.mT).eigh(), None, (((4, 4),), ((2, 3, 3),), ((3, 1),)), _WIDE,
           check=lambda result, x: symmetric(result, x @ x.swapaxes(-1, -2)) < 4 * _error(
               x @ x.swapaxes(-1, -2))),
    Method("eigh", lambda x: x.eigh()[0], lambda x: x.sum(-1), (((0, 0),), ((2, 0, 0),)), ("f32",)),
    Method("newton_schulz", lambda x: x.newton_schulz(3, (2, -1.5, 0.5)),
           lambda x: newton_schulz(x, 3, (2, -1.5, 0.5)), (((3, 4),), ((4, 3),), ((2, 2, 3),)),
           _WIDE, tolerance=64, gradient=True),
]  # fmt: skip

REFUSALS = [
    *(Refusal(name, lambda x, name=name: getattr(x[0], name)(), "ShapeError",
              f"{name}: expected matrices")
      for name in ("qr", "svd")),
    *(Refusal(name, lambda x, name=name: getattr(x, name)(), "ShapeError",
              f"{name}: expected square matrices (…, n, n)")
      for name in ("cholesky", "inverse", "det", "slogdet", "eigh")),
    Refusal("matrix_power", lambda x: x.matrix_power(2), "ShapeError", "expected square matrices"),
    Refusal("pinv", lambda x: x.pinv(-1), "UsageError", "of 0 or more, found -1", argument="rtol"),
    Refusal("pinv", lambda x: x[0].pinv(), "ShapeError", "pinv: expected matrices"),
    Refusal("eigh", lambda x: x[:3, :3].eigh("A"), "ChoiceError", "UPLO is 'L' or 'U', found 'A'",
            argument="UPLO"),
    Refusal("solve", lambda x: x.solve(x), "ShapeError", "solve: expected square matrices"),
    Refusal("solve", lambda x, y: x.solve(y), "ShapeError", "needs a right side (…, 2, k)",
            ((2, 2), (3, 2))),
    Refusal("newton_schulz", lambda x: x[0].newton_schulz(1, (1,)), "ShapeError",
            "expected matrices"),
    Refusal("trace", lambda x: x[0].trace(), "ShapeError", "expected 2 axes"),
    Refusal("solve", lambda x: x[:3, :3].solve(1.5), "ShapeError",
            "1 axis or more, found a scalar"),
    Refusal("newton_schulz", lambda x: x.newton_schulz(2, "a"), "ArgumentError", "several numbers",
            argument="params"),
    Refusal("newton_schulz", lambda x: x.newton_schulz(2, ()), "UsageError", "1 of params or more",
            argument="params"),
    Refusal("newton_schulz", lambda x: x.newton_schulz(-1, (1, 2)), "UsageError", "0 steps or more",
            argument="steps"),
]  # fmt: skip
