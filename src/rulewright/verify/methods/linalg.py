"""Linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import (
    Array,
    exponential,
    least_squares,
    newton_schulz,
    orthogonal,
)
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
    Method("lstsq", lambda x, y: x.lstsq(y, 1e-6), lambda x, y: least_squares(x, y),
           (((4, 3), (4, 2)), ((3, 4), (3, 1)), ((3, 3), (3, 2)), ((4, 1), (4, 1))), ("f64",),
           gives="same same i64 same", tolerance=2**16),
    Method("lstsq", lambda x, y: x.lstsq(y).solution,
           lambda x, y: np.linalg.lstsq(x, y, rcond=None)[0], (((4, 2), (4,)), ((2, 4), (2, 3))),
           _WIDE, tolerance=2**14, gradient=True),
    Method("lstsq", lambda x, y: x.lstsq(y).solution, lambda x, y: np.linalg.pinv(x) @ y,
           (((2, 4, 3), (2, 4, 2)), ((2, 3, 4), (3, 1))), ("f64",), tolerance=2**16),
    Method("lstsq", lambda x, y: x[..., :1].matmul(x[..., :1, :]).lstsq(y, 1e-4)[::2],
           lambda x, y: (np.linalg.pinv(x[..., :1] @ x[..., :1, :], 1e-4) @ y, np.array(1)),
           (((4, 3), (4, 2)),), ("f32",), gives="same i64", tolerance=256),
    Method("lstsq", lambda x, y: x.lstsq(y)[:2],
           lambda x, y: (np.zeros((x.shape[1], 2)), (y**2).sum(0)[: 2 * (x.shape[0] > x.shape[1])]),
           (((0, 3), (0, 2)), ((3, 0), (3, 2))), ("f32",), gives="same same"),
    Method("cholesky_solve", lambda x, y: y.cholesky_solve(_positive(x).cholesky()),
           lambda x, y: np.linalg.solve(_positive_too(x), y),
           (((3, 3), (3, 2)), ((2, 3, 3), (3, 1)), ((1, 1), (1, 1))), _WIDE, tolerance=256,
           gradient=True),
    Method("cholesky_solve", lambda x, y: y.cholesky_solve(_positive(x).cholesky(True), upper=True),
           lambda x, y: np.linalg.solve(_positive_too(x), y), (((3, 3), (3, 2)),), _WIDE,
           tolerance=256),
    Method("logdet", lambda x: (_positive(x).logdet(), (-x.tril(-1)).logdet()),
           lambda x: (np.linalg.slogdet(_positive_too(x))[1], np.full(x.shape[:-2], -np.inf)),
           _SQUARE, _WIDE, gives="same same", tolerance=256),
    Method("logdet", lambda x: _positive(x).logdet(),
           lambda x: np.linalg.slogdet(_positive_too(x))[1], (((3, 3),),), ("f64",), tolerance=256,
           gradient=True),
    Method("logdet", lambda: Tensor([[[0.0, 1], [1, 0]], [[2, 0], [0, 2]]]).logdet(),
           lambda: np.array([np.nan, np.log(4)]), ((),), ("f32",), gives="f32"),
    Method("matrix_rank",
           lambda x: (x.matrix_rank(), (x[..., :1] @ x[..., :1, :]).matrix_rank(1e-4)),
           lambda x: (np.linalg.matrix_rank(x), np.ones(x.shape[:-2])), _FEW, _WIDE,
           gives="i64 i64"),
    Method("matrix_rank", lambda x: (x * 0).matrix_rank(), lambda x: np.zeros(x.shape[:-2]),
           (*_SMALL, *_EMPTY), ("f32", "i32"), gives="i64"),
    Method("cond", lambda x: (x.cond(), x.cond(-2)),
           lambda x: (np.linalg.cond(x), np.linalg.cond(x, -2)), _SMALL, ("f64",),
           gives="same same", tolerance=2**14),
    Method("cond", lambda x: tuple(_positive(x).cond(p) for p in ("fro", 1, -1, float("inf"))),
           lambda x: tuple(np.linalg.cond(_positive_too(x), p) for p in ("fro", 1, -1, np.inf)),
           _SQUARE, _WIDE, gives="same same same same", tolerance=1024),
    Method("cond", lambda x: _positive(x).cond(), lambda x: np.linalg.cond(_positive_too(x)),
           (((3, 3),),), ("f64",), tolerance=1024, gradient=True),
    Method("matrix_exp", lambda x: (x / 4).matrix_exp(), lambda x: exponential(x / 4), _SQUARE,
           _WIDE, tolerance=256, gradient=True),
    Method("matrix_exp", lambda x: (x.matrix_exp(), (x * 1e-30).matrix_exp()),
           lambda x: (exponential(x), np.zeros(x.shape) + np.eye(x.shape[-1])), _SQUARE[:2],
           ("f64",), gives="same same", tolerance=4096),
    Method("matrix_exp", lambda x: x.matrix_exp(), lambda x: x, (((0, 0),), ((2, 0, 0),)),
           ("f32",)),
    Method("matrix_exp", lambda: Tensor([[[-6e4]], [[-2e5]], [[1e3]]]).matrix_exp().flatten(),
           lambda: np.array([0, np.nan, np.inf]), ((),), ("f32",), gives="f32"),
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
      for name in ("qr", "svd", "matrix_rank", "cond")),
    *(Refusal(name, lambda x, name=name: getattr(x, name)(), "ShapeError",
              f"{name}: expected square matrices (…, n, n)")
      for name in ("cholesky", "inverse", "det", "slogdet", "eigh", "logdet", "matrix_exp")),
    Refusal("lstsq", lambda x, y: x.lstsq(y), "ShapeError", "needs a right side (…, 3, k)",
            ((3, 2), (2, 2))),
    Refusal("lstsq", lambda x: x.lstsq(1.5), "ShapeError", "needs a right side"),
    Refusal("lstsq", lambda x: x[0].lstsq(x), "ShapeError", "lstsq: expected matrices"),
    Refusal("lstsq", lambda x: x.lstsq(x, -1), "UsageError", "of 0 or more, found -1",
            argument="rtol"),
    Refusal("matrix_rank", lambda x: x.matrix_rank(-1), "UsageError", "of 0 or more, found -1",
            argument="rtol"),
    Refusal("cond", lambda x: x.cond(3), "ChoiceError", "p is None, 'fro', ±1, ±2 or ±inf, found 3",
            argument="p"),
    Refusal("cond", lambda x: x.cond("fro"), "ShapeError", "cond: expected square matrices"),
    Refusal("cholesky_solve", lambda x: x.cholesky_solve(x), "ShapeError",
            "cholesky_solve: expected square matrices"),
    Refusal("cholesky_solve", lambda x, y: x.cholesky_solve(y), "ShapeError",
            "needs a right side (…, 2, k)", ((3, 2), (2, 2))),
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
