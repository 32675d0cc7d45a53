"""Linear algebra."""

from __future__ import annotations

from rulewright.verify.methods.row import Method, Refusal, refusals

_WIDE = ("f32", "f64")
_ANY = (((4, 3),), ((2, 3, 3),), ((3, 4),), ((1, 1),), ((4, 1),), ((1, 3),))
_SMALL = (((3, 2),), ((2, 1, 2),), ((1, 1),))
_FEW = (((4, 3),), ((2, 3, 3),), ((2, 4),))
_EMPTY = (((0, 3),), ((3, 0),), ((2, 0, 0),))
_SQUARE = (((3, 3),), ((2, 4, 4),), ((1, 1),))
_POSITIVE = "(x @ x.mT + Tensor.eye(x.shape[-1], dtype=x.dtype))"
_POSITIVE_NP = "(x @ x.swapaxes(-1, -2) + np.eye(x.shape[-1]))"
_ERROR = "64 * np.finfo(x.dtype).eps * max(1, abs(x).max(initial=0))"

ROWS = [
    Method("qr", "x.qr()", "tuple(np.linalg.qr(x, 'complete'))", _ANY, _WIDE, gives="same same",
           tolerance=32),
    Method("qr", "x.qr(full_matrices=False)", "tuple(np.linalg.qr(x))", _FEW, _WIDE,
           gives="same same", tolerance=32, gradient=True),
    Method("qr", "x.triu().qr()", "tuple(np.linalg.qr(np.triu(x), 'complete'))", (((3, 3),),),
           ("f32",), gives="same same", tolerance=32),
    Method("qr", "x.qr()[0]", "np.linalg.qr(x, 'complete')[0]", (((3, 3),),), ("i32",),
           gives="f32", tolerance=32),
    Method("qr", "x.qr()", "tuple(np.linalg.qr(x, 'complete'))", _EMPTY, ("f32",),
           gives="same same"),
    Method("svd", "x.svd()[1]", "np.linalg.svd(x, compute_uv=False)", _SMALL, ("f32",),
           tolerance=32, gradient=True),
    Method("svd", "x.svd()", "", (((3, 2),), ((3, 4),)), ("f32",),
           check="orthogonal(found, x, True) < " + _ERROR),
    Method("svd", "x.svd(full_matrices=False)", "", (((2, 2, 3),),), ("f64",),
           check="orthogonal(found, x, False) < " + _ERROR),
    Method("svd", "(x[..., :1] @ x[..., :1, :]).svd()", "", (((4, 3),),), ("f32",),
           check="orthogonal(found, x[..., :1] @ x[..., :1, :], True) < 16 * " + _ERROR),
    Method("svd", "(lambda u, s, v: (u[..., :1] @ v[..., :1, :], u[..., :2] @ v[..., :2, :]))"
           "(*x.svd())", "tuple(u[..., :k] @ v[..., :k, :] for u, _, v in [np.linalg.svd(x)] "
           "for k in (1, 2))", (((3, 3),), ((3, 2),)), ("f64",), gives="same same",
           tolerance=4096, gradient=True),
    Method("svd", "x.svd()[1]", "np.linalg.svd(x, compute_uv=False)", _EMPTY, ("f32",)),
    Method("cholesky", f"{_POSITIVE}.cholesky()", f"np.linalg.cholesky({_POSITIVE_NP})", _SQUARE,
           _WIDE, tolerance=64, gradient=True),
    Method("cholesky", f"{_POSITIVE}.tril().cholesky(upper=True)",
           f"np.linalg.cholesky({_POSITIVE_NP}).swapaxes(-1, -2)", _SQUARE[:1], _WIDE,
           tolerance=64),
    Method("cholesky", "(-Tensor.eye(2)).cholesky()[0]", "np.array([np.nan, 0])", ((),), ("f32",),
           gives="f32"),
    Method("trace", "x.trace()", "np.trace(x, axis1=-2, axis2=-1)",
           (((3, 3),), ((2, 3, 4),), ((0, 2),)), ("f32", "i32", "f16"), gives="sum",
           gradient=True),
    Method("solve", f"{_POSITIVE}.solve(y)", f"np.linalg.solve({_POSITIVE_NP}, y)",
           (((3, 3), (3, 2)), ((2, 3, 3), (3, 1)), ((1, 1), (1, 1))), _WIDE, tolerance=256,
           gradient=True),
    Method("solve", "x.solve(y)", "np.linalg.solve(x, y)", (((3, 3), (3,)),), ("f32",),
           tolerance=1024),
    Method("solve", "x.solve(y)", "y", (((0, 0), (0, 2)), ((2, 2), (2, 0))), ("f32",)),
    Method("inverse", "x.inverse()", "np.linalg.inv(x)", _SQUARE, _WIDE, tolerance=1024,
           gradient=True),
    Method("inverse", "x.flip(0).triu().flip(0).inverse()", "np.linalg.inv(np.triu(x[::-1])[::-1])",
           (((3, 3),),), ("f32",), domain="nonzero", tolerance=1024),
    Method("det", "x.det()", "np.linalg.det(x)", _SQUARE, _WIDE, tolerance=256, gradient=True),
    Method("det", "x.det()", "np.linalg.det(x)", (((3, 3),),), ("i32",), gives="f32",
           tolerance=256),
    Method("det", "x.det()", "np.linalg.det(x)", (((0, 0),), ((2, 0, 0),)), ("f32",)),
    Method("det", "x.tril(-2).det()", "np.zeros(x.shape[:-2])", _SQUARE, _WIDE, gradient=True),
    Method("newton_schulz", "x.newton_schulz(3, (2, -1.5, 0.5))",
           "newton_schulz(x, 3, (2, -1.5, 0.5))", (((3, 4),), ((4, 3),), ((2, 2, 3),)), _WIDE,
           tolerance=64, gradient=True),
]  # fmt: skip

REFUSALS = [
    *(Refusal(name, f"x[0].{name}()", "ShapeError", f"{name}: expected matrices")
      for name in ("qr", "svd")),
    *(Refusal(name, f"x.{name}()", "ShapeError", f"{name}: expected square matrices (…, n, n)")
      for name in ("cholesky", "inverse", "det")),
    Refusal("solve", "x.solve(x)", "ShapeError", "solve: expected square matrices"),
    Refusal("solve", "x.solve(y)", "ShapeError", "needs a right side (…, 2, k)", ((2, 2), (3, 2))),
    Refusal("newton_schulz", "x[0].newton_schulz(1, (1,))", "ShapeError", "expected matrices"),
    Refusal("trace", "x[0].trace()", "ShapeError", "expected 2 axes"),
    *refusals("cholesky", tensor="x[:3, :3]", upper="flag"),
    *refusals("qr", full_matrices="flag"),
    *refusals("svd", full_matrices="flag"),
    *refusals("solve", tensor="x[:3, :3]", other="operand"),
    Refusal("solve", "x[:3, :3].solve(1.5)", "ShapeError", "1 axis or more, found a scalar"),
    *refusals("newton_schulz", "params=(1, 2)", steps="whole"),
    *refusals("newton_schulz", "2, (1, 2)", eps="number"),
    Refusal("newton_schulz", "x.newton_schulz(2, 'a')", "ArgumentError", "several numbers",
            argument="params"),
    Refusal("newton_schulz", "x.newton_schulz(2, ())", "UsageError", "1 of params or more",
            argument="params"),
    Refusal("newton_schulz", "x.newton_schulz(-1, (1, 2))", "UsageError", "0 steps or more",
            argument="steps"),
]  # fmt: skip
