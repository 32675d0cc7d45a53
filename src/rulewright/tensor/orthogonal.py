"""Orthogonal factors with their derivatives: by kernels where loops run in order, else by steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.adjoint import gradients
from rulewright.tensor.bidiagonal import node_bidiagonal
from rulewright.tensor.elimination import odd_panels, padded
from rulewright.tensor.lu import matrix_results
from rulewright.tensor.matrix_steps import eigh_by_steps, qr_by_steps, svd_by_steps
from rulewright.tensor.reflections import node_applied, node_reflected
from rulewright.tensor.rotations import node_diagonal, rotated_columns
from rulewright.tensor.singular import node_singular
from rulewright.tensor.tridiagonal import node_tridiagonal

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.reflections import Reflections
    from rulewright.tensor.tensor import Tensor


def _columns(a: Any, first: int, end: int) -> Any:
    return a._narrowed(a.ndim - 1, (first, end))


def qr(a: Any, full: bool) -> list[Any]:
    """Q and R of matrices (…, m, n)."""
    m, n = (int(s) for s in a.shape[-2:])
    slope = _slope_of_steps if full and m > n else _slope_of_qr
    return matrix_results("qr", a, _factors, qr_by_steps, slope, full)


def _factors(full: bool, a: Any) -> tuple[Any, Any]:
    m, n = (int(s) for s in a.shape[1:])
    least, steps = min(m, n), min(m - 1, n)
    size = m if full else least
    if not steps:
        return a._unit_matrix(m)._narrowed(2, (0, size)), a
    scale = a._scale(1)  # of each column, on whose direction alone a reflection hangs
    of = node_reflected(_framed(a / scale).uop, steps, padded(n), a.device)
    r = a._new(of.r)._narrowed(1, (0, size))._narrowed(2, (0, n)) * scale
    return _with_q(of, a, m, size), r.triu()


def _with_q(of: Reflections, like: Any, m: int, size: int) -> Any:
    """The first columns of Q (count, m, m), so many."""
    unit = like._unit_matrix(m)._narrowed(2, (0, size))
    q = like._new(node_applied(_framed(unit).uop, of, padded(size), like.device))
    return q._narrowed(1, (0, m))._narrowed(2, (0, size))


def _framed(a: Any) -> Any:
    """Matrices (count, m, n) with as many rows and columns as kernels want, which are 0."""
    _, m, n = (int(s) for s in a.shape)
    return a._pad([(0, 0), (0, padded(m) - m), (0, odd_panels(padded(n)) - n)])


def _slope_of_qr(for_q: Tensor, for_r: Tensor, call: KernelCall) -> tuple[Any]:
    """(G + Q L) R⁻ᵀ of square R, with L the lower half of R Hᵀ - Gᵀ Q, made symmetric (Walter and
    Lehmann, "Algorithmic differentiation of linear algebra functions", 2018). What is right of a
    square R is Qᵀ times the columns of the matrix there."""
    q, r = call.results
    a = call.sources[0]
    assert a is not None
    least, width = int(q.shape[-1]), int(r.shape[-1])
    right = None
    if width > least:
        behind = _columns(for_r, least, width)
        right, beside = q.matmul(behind), _columns(a, least, width).matmul(behind.mT)
        for_q, r, for_r = for_q + beside, _columns(r, 0, least), _columns(for_r, 0, least)
    product = r.matmul(for_r.mT) - for_q.mT.matmul(q)
    lean = for_q + q.matmul(product.tril() + product.tril(-1).mT)
    pivots = r.diagonal(0, -2, -1)
    none = pivots.eq(0)  # where nothing is near, rather than all of the slope NaN
    near = r + none.cast(r.dtype).unsqueeze(-1) * r._unit_matrix(least)
    slope = near.solve(lean.mT).mT
    return (slope if right is None else slope.cat(right, dim=-1),)


def _slope_of_steps(for_q: Tensor, for_r: Tensor, call: KernelCall) -> tuple[Any]:
    a: Any = call.sources[0]
    weights = {
        result.uop: g.uop for result, g in zip(qr_by_steps(True, a), (for_q, for_r), strict=True)
    }
    return (a._new(gradients(weights, [a.uop], {a.uop})[a.uop]),)


# ---- eigenvalues ---------------------------------------------------------------------------------


def eigh(a: Any) -> list[Any]:
    """Eigenvalues, rising, and eigenvectors of symmetric matrices (…, n, n) whose elements are not
    far from 1."""
    return matrix_results("eigh", a, _plain_eigh, eigh_by_steps, _slope_of_eigh)


def _plain_eigh(a: Any) -> tuple[Any, Any]:
    n = int(a.shape[-1])
    if n > 2:
        of = node_tridiagonal(_framed(a).uop, n, a.device)
        d, e = (a._new(node)._narrowed(1, (0, n)) for node in (of.diagonal, of.beside))
        z = _with_q(of.q, a, n, n).mT
    else:
        d, e = a.diagonal(0, -2, -1), a[:, 0]._narrowed(1, (1, 2))._pad([(0, 0), (0, 1)])
        z = a._unit_matrix(n)
    both = node_diagonal(_wide(d, e), _rows(z), a.device)
    values, vectors = (a._new(node) for node in both)
    return values.cast(a.dtype), _columns(vectors, 0, n).mT


def _wide(first: Any, second: Any) -> tuple[UOp, UOp]:
    return first.cast(dtypes.f64).uop, second.cast(dtypes.f64).uop


def _rows(z: Any) -> UOp:
    """Rows of vectors as kernels of rotations want them."""
    n = int(z.shape[-1])
    return z._pad([(0, 0), (0, 0), (0, rotated_columns(n) - n)]).uop


def _slope_of_eigh(for_values: Tensor, for_vectors: Tensor, call: KernelCall) -> tuple[Any]:
    """V (diag(G) + F∘(Vᵀ H)) Vᵀ with F = 1 / (valueⱼ - valueᵢ) where values differ (Giles,
    "Collected matrix derivative results", 2008)."""
    values, vectors = call.results
    gap = values.unsqueeze(-2) - values.unsqueeze(-1)
    factor = inverse_where_far(gap, values.abs().max(-1, keepdim=True).unsqueeze(-1))
    middle = factor * vectors.mT.matmul(for_vectors)
    middle = middle + for_values.unsqueeze(-1) * vectors._unit_matrix(int(vectors.shape[-1]))
    return (vectors.matmul(middle).matmul(vectors.mT),)


def inverse_where_far(gap: Any, largest: Any) -> Any:
    """1 / gap, or 0 where it is nothing beside the largest."""
    far = gap.abs() > largest * _SAME[gap.dtype.bits]
    return far.where(1 / far.where(gap, 1), 0)


_SAME = {32: 1e-6, 64: 1e-13}
"""Values nearer than this, relative to the largest, count as equal."""


# ---- singular values -----------------------------------------------------------------------------


def svd(a: Any, full: bool) -> list[Any]:
    """U (…, m, m), or (…, m, n) unless it is full, singular values, falling, and Vᵀ of matrices
    (…, m, n), m >= n, whose elements are not far from 1."""
    return matrix_results("svd", a, _singular, svd_by_steps, _slope_of_svd, full)


def _singular(full: bool, a: Any) -> tuple[Any, Any, Any]:
    """Of a tall matrix those of its R."""
    m, n = (int(s) for s in a.shape[1:])
    q, square = _factors(full, a) if m > n else (None, a)
    square = square._narrowed(1, (0, n))
    of = node_bidiagonal(_framed(square).uop, n, a.device)
    d, e = (a._new(node)._narrowed(1, (0, n)) for node in (of.diagonal, of.above))
    sides = (_rows(_with_q(of.left, a, n, n).mT), _rows(_with_q(of.right, a, n, n).mT))
    values, *rows = (a._new(x) for x in node_singular(_wide(d, e), sides, a.device))
    u, right = _columns(rows[0], 0, n).mT, _columns(rows[1], 0, n)
    if q is not None:
        u = _columns(q, 0, n).matmul(u)
        u = u.cat(_columns(q, n, m), dim=-1) if full else u
    return u, values.cast(a.dtype), right


def _slope_of_svd(for_u: Tensor, for_s: Tensor, for_v: Tensor, call: KernelCall) -> tuple[Any]:
    """To first order a change dA turns V by F∘(S P + Pᵀ S) and U by F∘(P S + S Pᵀ), where
    P = Uᵀ dA V and F = 1 / (sⱼ² - sᵢ²), and leans U out of its columns by (dA V - U P) / S
    (Papadopoulo and Lourakis, 2000): this is the adjoint. Columns of U behind those have none."""
    u, s, v = call.results
    n = int(v.shape[-1])
    own, for_u = _columns(u, 0, n), _columns(for_u, 0, n)
    squares = s.square()
    gap = squares.unsqueeze(-2) - squares.unsqueeze(-1)
    factor = inverse_where_far(gap, squares.max(-1, keepdim=True).unsqueeze(-1))
    present = s > 0
    inverse = present.where(1 / present.where(s, 1), 0).unsqueeze(-2)
    within = own.mT.matmul(for_u)
    turn_u, turn_v = factor * within, factor * v.matmul(for_v.mT)
    middle = (turn_u + turn_u.mT) * s.unsqueeze(-2) + (turn_v + turn_v.mT) * s.unsqueeze(-1)
    middle = middle + for_s.unsqueeze(-1) * own._unit_matrix(n) - within * inverse
    return ((own.matmul(middle) + for_u * inverse).matmul(v),)
