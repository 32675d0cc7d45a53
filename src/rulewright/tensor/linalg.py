"""Functions of matrices.

Where loops run in order, a kernel eliminates, reflects or rotates: see `lu` and `orthogonal`. Other
devices do so by equal steps: see `matrix_steps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.errors import ChoiceError, ShapeError, UsageError
from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import dtypes
from rulewright.ir.shapes import Dim
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.mirrored import mirrored
from rulewright.tensor.products import product_dtype
from rulewright.tensor.several_results import QR, SVD, Eigen, SignAndLog
from rulewright.tensor.shapes import broadcast_shapes, known_numbers, node_iota, show, show_size


class Linalg(Members):
    """Factors and other functions of the last two axes, for all leading axes at once."""

    __slots__ = ()

    # ---- what the loops share -------------------------------------------------------------

    def _matrices(self, method: str, square: bool = False, known: bool = True) -> Self:
        """This in float32 or wider. Raises ShapeError unless it holds matrices, of known sizes."""
        fits = self.ndim >= 2 and (not square or self.shape[-1] == self.shape[-2])
        if not fits:
            raise ShapeError(
                f"{method}: expected {'square ' if square else ''}matrices (…, "
                f"{'n, n' if square else 'm, n'}), found {show(self.shape)}"
            )
        if known and not all(isinstance(size, int) for size in self.shape[-2:]):
            raise ShapeError(
                f"{method}: expected matrices of known sizes, found {show(self.shape)}"
            )
        return self.cast(accumulator(float_dtype(self.dtype)))

    def _kept(self) -> Self:
        """This in memory, so that the next step begins from there."""
        return self._new(self.uop.contiguous())

    def _constant(self) -> Self:
        """This without gradient."""
        return self._new(self.uop.detach())

    def _unit_matrix(self, size: int) -> Self:
        """(…, size, size) with this tensor's leading axes, dtype and device."""
        shape = (*self.shape[:-2], size, size)
        rows, columns = (self._places(shape, axis) for axis in (self.ndim - 2, self.ndim - 1))
        return rows.eq(columns).cast(self.dtype)

    def _places(self, shape: tuple[Dim, ...], axis: int) -> Self:
        """Positions along an axis."""
        return self._new(node_iota(shape[axis], axis, shape, dtypes.i32))

    def _scale(self, axis: Any) -> Self:
        """The power of two below the largest size along axes, which stay, as a constant: divided
        by it, elements may be squared, and squared again, without overflow or all vanishing."""
        kind = self.dtype
        bits = dtypes.u32 if kind is dtypes.f32 else dtypes.u64
        most = self._constant().abs().max(axis, keepdim=True)
        power = most.bitcast(bits).bitwise_and(_EXPONENT[kind.bits]).bitcast(kind)
        return power.maximum(float(finfo(kind).tiny))._kept()

    # ---- QR -------------------------------------------------------------------------------

    def qr(self, full_matrices: bool = True) -> QR[Self]:
        """(Q, R) with Q R = this, Q orthogonal, R zero below its diagonal, by Householder's
        reflections with the signs of LAPACK.

        (…, m, n) gives (…, m, m) and (…, m, n), or without `full_matrices` (…, m, k) and
        (…, k, n) for k = min(m, n). Raises ShapeError for fewer than two axes.

        >>> q, r = Tensor([[3.0, 1.0], [4.0, 2.0]]).qr()
        >>> q.shape, r[:, 0].tolist()
        ((2, 2), [-5.0, 0.0])
        """
        a = self._matrices("qr")
        kind = float_dtype(self.dtype)
        if not a.numel():
            return QR(self._empty_qr(full_matrices))
        from rulewright.tensor.orthogonal import qr

        q, r = qr(a, full_matrices)
        return QR((q.cast(kind), r.cast(kind)))

    def _empty_qr(self, full_matrices: bool) -> tuple[Self, Self]:
        a = self.cast(float_dtype(self.dtype))
        m, n = int(a.shape[-2]), int(a.shape[-1])
        if full_matrices:
            return a._unit_matrix(m), a
        least, rank = min(m, n), a.ndim
        return a._narrowed(rank - 1, (0, least)), a._narrowed(rank - 2, (0, least))

    # ---- singular values ------------------------------------------------------------------

    def svd(self, full_matrices: bool = True) -> SVD[Self]:
        """(U, S, Vᵀ) with U diag(S) Vᵀ = this, U and V orthogonal, S falling and not negative, by
        way of two diagonals (Golub and Kahan, 1965); on devices whose loops do not run in order by
        one-sided rotations (Hestenes, 1958).

        (…, m, n) gives (…, m, m), (…, k) and (…, n, n) for k = min(m, n), or without
        `full_matrices` (…, m, k), (…, k) and (…, k, n). Derivatives of U and V are right where
        singular values differ and are not 0. Raises ShapeError for fewer than two axes.

        >>> u, s, v = Tensor([[0.0, 2.0], [-1.0, 0.0]]).svd()
        >>> s.tolist()
        [2.0, 1.0]
        """
        from rulewright.tensor.orthogonal import svd

        a = self._matrices("svd")
        kind = float_dtype(self.dtype)
        m, n = int(a.shape[-2]), int(a.shape[-1])
        if m < n:
            v, s, u = self.mT.svd(full_matrices)
            return SVD((u.mT, s, v.mT))
        if not a.numel():
            empty = a.sum(-2) if n == 0 else a._narrowed(a.ndim - 2, (0, 0)).sum(-2)
            u = a._unit_matrix(m) if full_matrices else a
            return SVD((u.cast(kind), empty.cast(kind), a._unit_matrix(n).cast(kind)))
        scale = a._scale((-2, -1))
        u, s, v = svd(a / scale, full_matrices)
        return SVD((u.cast(kind), (s * scale.squeeze(-1)).cast(kind), v.cast(kind)))

    # ---- Cholesky -------------------------------------------------------------------------

    def cholesky(self, upper: bool = False) -> Self:
        """L, zero above its diagonal, with L Lᵀ = this, a symmetric matrix whose eigenvalues are
        positive; NaN where they are not. Only the lower triangle is read; the gradient is
        symmetric. `upper` gives Lᵀ.

        Raises ShapeError unless the last two axes are equal.

        >>> Tensor([[4.0, 2.0], [2.0, 5.0]]).cholesky().tolist()
        [[2.0, 0.0], [1.0, 2.0]]
        """
        from rulewright.tensor.lu import cholesky

        a = self._matrices("cholesky", square=True)
        if not a.numel():
            return self.cast(float_dtype(self.dtype))
        factor = cholesky(mirrored(a)._kept()).cast(float_dtype(self.dtype))
        return factor.mT if upper else factor

    # ---- functions of matrices -------------------------------------------------------------

    def trace(self) -> Self:
        """Sum of the diagonal of the last two axes.

        >>> Tensor([[1, 2], [3, 4]]).trace().item()
        5
        """
        return self.diagonal(0, -2, -1).sum(-1)

    def newton_schulz(self, steps: int, params: Sequence[float], eps: float = 1e-7) -> Self:
        """Singular values brought towards 1 by an odd polynomial, again and again: with X of
        Frobenius norm 1 (but for `eps`), X becomes sum of params[i] (X Xᵀ)**i X.

        The last two axes are the matrices. Raises ShapeError for fewer axes, UsageError for less
        than 0 steps or no params (Björck and Bowie,
        1971; Jordan et al., 2024).

        >>> Tensor([[3.0, 0.0], [0.0, 4.0]]).newton_schulz(12, (1.5, -0.5)).trace().item()
        2.0
        """
        if self.ndim < 2:
            raise ShapeError(f"newton_schulz: expected matrices, found {show(self.shape)}")
        if steps < 0 or not params:
            raise UsageError(
                f"newton_schulz: expected 0 steps or more and 1 of params or more, "
                f"found {steps} and {params!r}"
            )
        if int(self.shape[-2]) > int(self.shape[-1]):
            return self.mT.newton_schulz(steps, params, eps).mT
        x = self / (self.norm(2, (-2, -1), keepdim=True) + eps)
        for _ in range(steps):
            square = x._new(x.matmul(x.mT).uop.contiguous())
            power, total = x, x * params[0]
            for factor in params[1:]:
                power = square.matmul(power)
                total = total + power * factor
            x = x._new(total.uop.contiguous())
        return x

    # ---- elimination ----------------------------------------------------------------------

    def solve(self, other: Any) -> Self:
        """X with this X = other, by elimination with the largest pivots.

        This is (…, n, n), other (…, n, k), or (n,) or (…, n) of this without its last axis. Where
        a matrix has no inverse the result is not finite. Raises ShapeError if sizes do not fit.

        >>> Tensor([[2.0, 0.0], [0.0, 4.0]]).solve(Tensor([2.0, 2.0])).tolist()
        [1.0, 0.5]
        """
        from rulewright.tensor.lu import solution

        a, right = self._matrices("solve", square=True), self._other(other, "solve")
        if not right.ndim:
            raise ShapeError("solve: the right side needs 1 axis or more, found a scalar")
        if right.ndim == 1 or right.shape == a.shape[:-1]:
            return self.solve(right.unsqueeze(-1)).squeeze(-1)
        if right.shape[-2] != a.shape[-1]:
            raise ShapeError(
                f"solve: {show(self.shape)} needs a right side (…, {show_size(a.shape[-1])}, k), "
                f"found {show(right.shape)}"
            )
        kind = float_dtype(product_dtype("solve", None, self.dtype, right.dtype))
        lead = broadcast_shapes([a.shape[:-2], right.shape[:-2]], "solve")
        a = a.cast(accumulator(kind)).expand([*lead, *a.shape[-2:]])
        b = right.cast(accumulator(kind)).expand([*lead, *right.shape[-2:]])
        if not a.numel() or not b.numel():
            return b.cast(kind)._kept()
        return solution(a, b).cast(kind)

    def inverse(self) -> Self:
        """The inverse of each matrix, see `solve`. Raises ShapeError unless they are square.

        >>> Tensor([[2.0, 0.0], [0.0, 4.0]]).inverse().tolist()
        [[0.5, 0.0], [0.0, 0.25]]
        """
        a = self._matrices("inverse", square=True)
        return a.solve(a._unit_matrix(int(a.shape[-1]))).cast(float_dtype(self.dtype))

    def det(self) -> Self:
        """The determinant of each matrix: the pivots' product. Raises ShapeError unless they are
        square.

        >>> Tensor([[0.0, 2.0], [3.0, 1.0]]).det().item()
        -6.0
        """
        from rulewright.tensor.lu import determinant

        a = self._matrices("det", square=True)
        kind = float_dtype(self.dtype)
        if not a.numel():
            return a._new(a.uop.const(kind, 1)).expand(a.shape[:-2])._kept()
        return determinant(a).cast(kind)

    def slogdet(self) -> SignAndLog[Self]:
        """The sign of the determinant of each matrix, and the logarithm of its size, which neither
        overflows nor underflows: 0 and minus infinity where it is 0.

        Raises ShapeError unless they are square.

        >>> [t.tolist() for t in Tensor([[0.0, 1.0], [-1.0, 0.0]]).slogdet()]
        [1.0, 0.0]
        """
        from rulewright.tensor.lu import has_factors, log_determinant

        a = self._matrices("slogdet", square=True)
        kind = float_dtype(self.dtype)
        if has_factors(a):
            sign, size = log_determinant(a)
            return SignAndLog((sign.cast(kind), size.cast(kind)))
        q, r = a.qr()
        pivots = r.diagonal(0, -2, -1)
        sign = pivots._constant().sign().prod(-1) * q._constant().det().sign()
        return SignAndLog((sign.cast(kind), pivots.abs().log().sum(-1).cast(kind)))

    # ---- powers and eigenvalues -----------------------------------------------------------

    def matrix_power(self, n: int) -> Self:
        """The product of n times each matrix: a unit matrix for 0, of the inverse for n < 0.

        Raises ShapeError unless they are square.

        >>> Tensor([[1.0, 1.0], [0.0, 1.0]]).matrix_power(5).tolist()
        [[1.0, 5.0], [0.0, 1.0]]
        """
        known_numbers(n, "matrix_power", "n")
        a = self._matrices("matrix_power", square=True, known=False)
        square = a.inverse() if n < 0 else a
        result, left = None, abs(n)
        while left:
            if left % 2:
                result = square if result is None else result.matmul(square)
            left //= 2
            square = square.matmul(square)._kept() if left else square
        power: Any = a._unit_matrix(int(a.shape[-1])) if result is None else result
        return power.cast(float_dtype(self.dtype))._equal()

    def pinv(self, rtol: float | None = None) -> Self:
        """The pseudoinverse (…, n, m) of each matrix (…, m, n) of Moore and Penrose.

        rtol: singular values up to this share of the largest count as 0; the dtype's epsilon
        times the larger of m and n if it is not said. Derivatives as of `svd`. Raises ShapeError
        for fewer than two axes, UsageError for a negative rtol.

        >>> Tensor([[2.0, 0.0], [0.0, 0.0]]).pinv().tolist()
        [[0.5, 0.0], [0.0, 0.0]]
        """
        a = self._matrices("pinv")
        kind, share = float_dtype(self.dtype), a._least_share("pinv", rtol)
        if not a.numel():
            return a.mT.cast(kind)._kept()
        u, s, v = a.svd(full_matrices=False)
        return (v.mT * s._inverted(share).unsqueeze(-2)).matmul(u.mT).cast(kind)

    def _least_share(self, method: str, rtol: float | None) -> float:
        """Up to which share of the largest singular value of these matrices one counts as 0."""
        if rtol is not None and not rtol >= 0:
            raise UsageError(f"{method}: rtol is a number of 0 or more, found {rtol}")
        size: Any = max(self.shape[-2:])
        return float(finfo(self.dtype).eps) * size if rtol is None else rtol

    def _are_large(self, share: float) -> Self:
        """Which singular values do not count as 0."""
        return self > share * self._constant().max(-1, keepdim=True)

    def _inverted(self, share: float) -> Self:
        """The inverse of singular values, 0 of those that count as 0."""
        large = self._are_large(share)
        return large.where(1 / large.where(self, 1), 0)

    def eigh(self, UPLO: str = "L") -> Eigen[Self]:
        """(values, vectors) of symmetric matrices (…, n, n): this @ vectors = vectors * values,
        the values (…, n) rising, the vectors (…, n, n) columns at right angles of length 1.

        By way of three diagonals and rotations; on devices whose loops do not run in order they are
        the singular values of the matrix moved up so far that none is negative. UPLO: the half that
        is looked at, "L" below the diagonal or "U" above it. Gradients are symmetric, of vectors
        right where values differ. Raises ShapeError unless they are square, ChoiceError for another
        half.

        >>> values, vectors = Tensor([[2.0, 1.0], [1.0, 2.0]]).eigh()
        >>> values.double().round(4).tolist()
        [1.0, 3.0]
        """
        a = self._matrices("eigh", square=True)
        if UPLO not in ("L", "U"):
            raise ChoiceError(f"eigh: UPLO is 'L' or 'U', found {UPLO!r}")
        kind, n = float_dtype(self.dtype), int(a.shape[-1])
        if not a.numel():
            return Eigen((a.sum(-1).cast(kind), a._unit_matrix(n).cast(kind)))
        from rulewright.tensor.orthogonal import eigh

        a = mirrored(a, upper=UPLO == "U")
        scale = a._scale((-2, -1))
        values, vectors = eigh(a / scale)
        return Eigen(((values * scale.squeeze(-1)).cast(kind), vectors.cast(kind)))


_EXPONENT = {32: 0xFF << 23, 64: 0x7FF << 52}
"""The bits of a float that say which power of two is below it."""
