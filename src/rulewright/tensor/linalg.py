"""Functions of matrices.

Each algorithm is a loop of equal steps: what a step works on is turned to the front, so that all
steps have the same kernels, compiled once, and only their number grows with the matrix. Where
loops run in order, one kernel eliminates: see `lu`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ChoiceError, ShapeError, UsageError
from rulewright.ir.dtype_info import finfo
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.tensor.cholesky import factor as cholesky_factor
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.mirrored import mirrored
from rulewright.tensor.products import product_dtype
from rulewright.tensor.shapes import broadcast_shapes, known_numbers, node_iota, show

if TYPE_CHECKING:
    from rulewright.ir.shapes import Dim


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

    def qr(self, full_matrices: bool = True) -> tuple[Self, Self]:
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
            return self._empty_qr(full_matrices)
        from rulewright.tensor.lu import has_factors
        from rulewright.tensor.orthogonal import qr

        by_kernels = has_factors(a)
        q, r = qr(a, full_matrices, _qr_by_steps) if by_kernels else a._qr_by_steps(full_matrices)
        return q.cast(kind), r.cast(kind)

    def _qr_by_steps(self, full_matrices: bool) -> tuple[Self, Self]:
        a, m, n = self, int(self.shape[-2]), int(self.shape[-1])
        least = min(m, n)
        q, steps = a._unit_matrix(m), min(m - 1, n)
        active = a._new(a.uop.const(a.dtype, 1)).expand([m])
        a, q, _ = repeated(steps, lambda a, q, active: a._reflected(q, active), a, q, active)
        a, q = a.roll((steps, steps), (-2, -1))._kept(), q.roll(steps, -1)._kept()
        a = a.triu()
        if not full_matrices:
            a, q = a._narrowed(a.ndim - 2, (0, least)), q._narrowed(q.ndim - 1, (0, least))
        return q, a

    def _empty_qr(self, full_matrices: bool) -> tuple[Self, Self]:
        a = self.cast(float_dtype(self.dtype))
        m, n = int(a.shape[-2]), int(a.shape[-1])
        if full_matrices:
            return a._unit_matrix(m), a
        least, rank = min(m, n), a.ndim
        return a._narrowed(rank - 1, (0, least)), a._narrowed(rank - 2, (0, least))

    def _reflected(self, q: Self, active: Self) -> tuple[Self, Self, Self]:
        """One reflection that clears the first column below its first element, among the active
        rows; then all turned by one, so that the next is in front."""
        x = self[..., 0] * active
        x = x / x._scale(-1)  # a reflection hangs on the direction alone
        first = x[..., :1]
        below = x[..., 1:].square().sum(-1, keepdim=True)
        needed = below > 0
        size = needed.where(first.square() + below, 1).sqrt()
        head = first + (first < 0).where(-size, size)
        factor = needed.where(2 / (head.square() + needed.where(below, 1)), 0).unsqueeze(-1)
        v = head.cat(x[..., 1:], dim=-1)._kept()
        row = (v.unsqueeze(-1) * self).sum(-2, keepdim=True)._kept()
        column = (q * v.unsqueeze(-2)).sum(-1, keepdim=True)._kept()
        a = (self - factor * v.unsqueeze(-1) * row).roll((-1, -1), (-2, -1))._kept()
        q = (q - factor * column * v.unsqueeze(-2)).roll(-1, -1)._kept()
        return a, q, active._pad([(0, 1)])._narrowed(0, (1, int(active.shape[0]) + 1))._kept()

    # ---- singular values ------------------------------------------------------------------

    def svd(self, full_matrices: bool = True) -> tuple[Self, Self, Self]:
        """(U, S, Vᵀ) with U diag(S) Vᵀ = this, U and V orthogonal, S falling and not negative, by
        way of two diagonals (Golub and Kahan, 1965); on devices whose loops do not run in order by
        one-sided rotations (Hestenes, 1958).

        (…, m, n) gives (…, m, m), (…, k) and (…, n, n) for k = min(m, n), or without
        `full_matrices` (…, m, k), (…, k) and (…, k, n). First derivatives are right, of U and V
        where singular values differ and are not 0; those of derivatives on processors alone. Raises
        ShapeError for fewer than two axes.

        >>> u, s, v = Tensor([[0.0, 2.0], [-1.0, 0.0]]).svd()
        >>> s.tolist()
        [2.0, 1.0]
        """
        from rulewright.tensor.lu import has_factors
        from rulewright.tensor.orthogonal import svd

        a = self._matrices("svd")
        kind = float_dtype(self.dtype)
        m, n = int(a.shape[-2]), int(a.shape[-1])
        if m < n:
            v, s, u = self.mT.svd(full_matrices)
            return u.mT, s, v.mT
        if not a.numel():
            empty = a.sum(-2) if n == 0 else a._narrowed(a.ndim - 2, (0, 0)).sum(-2)
            u = a._unit_matrix(m) if full_matrices else a
            return u.cast(kind), empty.cast(kind), a._unit_matrix(n).cast(kind)
        scale = a._scale((-2, -1))
        a = a / scale
        if has_factors(a):
            u, s, v = svd(a, full_matrices)
            return u.cast(kind), (s * scale.squeeze(-1)).cast(kind), v.cast(kind)
        turned, v = a._constant()._rotated()
        q, r = turned.qr(full_matrices)
        signs = (r.diagonal(0, -2, -1)._kept() < 0).where(-1.0, 1.0).cast(a.dtype)
        if full_matrices and m > n:
            signs = signs.cat(signs._new(signs.uop.const(a.dtype, 1)).expand(
                [*signs.shape[:-1], m - n]), dim=-1)  # fmt: skip
        u = (q * signs.unsqueeze(-2))._kept()
        lengths = turned.square().sum(-2).sqrt()
        u, s, v = a._with_slopes(u._constant(), lengths._constant(), v._constant())
        return u.cast(kind), (s * scale.squeeze(-1)).cast(kind), v.mT.cast(kind)

    def _rotated(self) -> tuple[Self, Self]:
        """(A V, V) with the columns of A V at right angles, the longest first."""
        n = int(self.shape[-1])
        pairs = (n + 1) // 2
        rank = self.ndim
        a, v = self, self._unit_matrix(n)
        if n % 2:  # a column of zeros, which no rotation changes, makes the pairs whole
            a, v = (t._pad([(0, 0)] * (rank - 1) + [(0, 1)]) for t in (a, v))
        a, v = a._kept(), v._kept()
        rounds = _sweeps(n, self.dtype.bits) * (2 * pairs - 1) if n > 1 else 0
        a, v = repeated(rounds, lambda a, v: a._one_round(v, pairs), a, v)
        lengths = a.square().sum(-2)._kept()
        order = lengths._falling_places()
        if n % 2:
            order = order._narrowed(order.ndim - 1, (0, n))
        return a.matmul(order)._kept(), v.matmul(order)._kept()

    def _one_round(self, v: Self, pairs: int) -> tuple[Self, Self]:
        """Columns i and i + pairs made orthogonal by rotation, then new pairs."""
        last = self.ndim - 1
        left, right = (self._narrowed(last, (i * pairs, (i + 1) * pairs)) for i in range(2))
        dot = (left * right).sum(-2, keepdim=True)
        gap = right.square().sum(-2, keepdim=True) - left.square().sum(-2, keepdim=True)
        # tan of the angle: the smaller root of t² dot + t gap - dot = 0
        root = (gap.square() + 4 * dot.square()).sqrt() + gap.abs()
        turns = root > 0
        t = turns.where(2 * dot / turns.where(root, 1), 0)
        t = (gap < 0).where(-t, t)
        c = (1 / (1 + t.square()).sqrt())._kept()
        s = (c * t)._kept()
        return self._turned(c, s, pairs), v._turned(c, s, pairs)

    def _turned(self, c: Self, s: Self, pairs: int) -> Self:
        """Each pair rotated; then the first stays in its place and all others move on by one, so
        that each meets each in 2 * pairs - 1 rounds."""
        last = self.ndim - 1
        left, right = (self._narrowed(last, (i * pairs, (i + 1) * pairs)) for i in range(2))
        left, right = c * left - s * right, s * left + c * right
        if pairs == 1:
            return left.cat(right, dim=-1)._kept()

        def part(x: Self, begin: int, end: int) -> Self:
            return x._narrowed(last, (begin, end))

        moved = [part(left, 0, 1), part(right, 0, 1), part(left, 1, pairs - 1),
                 part(right, 1, pairs), part(left, pairs - 1, pairs)]  # fmt: skip
        return moved[0].cat(*(p for p in moved[1:] if p.shape[-1]), dim=-1)._kept()

    def _falling_places(self) -> Self:
        """The matrix (…, n, n) that sorts these numbers (…, n) when they are multiplied by it."""
        n = int(self.shape[-1])
        mine, theirs = self.unsqueeze(-1), self.unsqueeze(-2)
        i, j = (self._places((n, n), axis) for axis in range(2))
        before = (theirs > mine).logical_or((theirs.eq(mine)).logical_and(j < i))
        rank = before.sum(-1, keepdim=True)._kept()
        return rank.cast(dtypes.i32).eq(j).cast(self.dtype)

    def _with_slopes(self, u: Self, s: Self, v: Self) -> tuple[Self, Self, Self]:
        """(U, S, V) of this, given as constants, with the derivatives by this.

        To first order a change dA turns V by F∘(S P + Pᵀ S) and U by F∘(P S + S Pᵀ), where
        P = Uᵀ dA V and F = 1 / (sⱼ² - sᵢ²), and leans U out of its columns by (dA V - U P) / S
        (Papadopoulo and Lourakis, 2000). The changes are differences that are zero in value.
        """
        n = int(v.shape[-1])
        own = u._narrowed(u.ndim - 1, (0, n))
        av = self.matmul(v)._kept()
        p = own.mT.matmul(av)._kept()
        change = p - p._constant()
        squares = s.square()
        gap = squares.unsqueeze(-2) - squares.unsqueeze(-1)
        far = gap.abs() > squares.max(-1, keepdim=True).unsqueeze(-1) * _SAME[self.dtype.bits]
        factor = far.where(1 / far.where(gap, 1), 0)
        across, down = change * s.unsqueeze(-2), change * s.unsqueeze(-1)
        turn_u, turn_v = factor * (across + across.mT), factor * (down + down.mT)
        new_v = v + v.matmul(turn_v)
        lean = av - av._constant() - own.matmul(change)
        present = s > 0
        lean = lean * present.where(1 / present.where(s, 1), 0).unsqueeze(-2)
        new_u = own + own.matmul(turn_u) + lean
        rest = int(u.shape[-1]) - n
        if rest:
            new_u = new_u.cat(u._narrowed(u.ndim - 1, (n, n + rest)), dim=-1)
        return new_u, s + change.diagonal(0, -2, -1), new_v

    # ---- Cholesky -------------------------------------------------------------------------

    def cholesky(self, upper: bool = False) -> Self:
        """L, zero above its diagonal, with L Lᵀ = this, a symmetric matrix whose eigenvalues are
        positive; NaN where they are not. Only the lower triangle is read; the gradient is
        symmetric. `upper` gives Lᵀ.

        Raises ShapeError unless the last two axes are equal.

        >>> Tensor([[4.0, 2.0], [2.0, 5.0]]).cholesky().tolist()
        [[2.0, 0.0], [1.0, 2.0]]
        """
        from rulewright.tensor.lu import cholesky, has_factors

        a = self._matrices("cholesky", square=True)
        if not a.numel():
            return self.cast(float_dtype(self.dtype))
        symmetric = mirrored(a)._kept()
        by_steps = not has_factors(a)
        factor = cholesky_factor(symmetric, repeated) if by_steps else cholesky(symmetric)
        factor = factor.cast(float_dtype(self.dtype))
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
        from rulewright.tensor.lu import has_factors, solution

        a, right = self._matrices("solve", square=True), self._other(other, "solve")
        if not right.ndim:
            raise ShapeError("solve: the right side needs 1 axis or more, found a scalar")
        if right.ndim == 1 or right.shape == a.shape[:-1]:
            return self.solve(right.unsqueeze(-1)).squeeze(-1)
        if right.shape[-2] != a.shape[-1]:
            raise ShapeError(
                f"solve: {show(self.shape)} needs a right side (…, {a.shape[-1]}, k), "
                f"found {show(right.shape)}"
            )
        kind = float_dtype(product_dtype("solve", None, self.dtype, right.dtype))
        lead = broadcast_shapes([a.shape[:-2], right.shape[:-2]], "solve")
        a = a.cast(accumulator(kind)).expand([*lead, *a.shape[-2:]])
        b = right.cast(accumulator(kind)).expand([*lead, *right.shape[-2:]])
        if not a.numel() or not b.numel():
            return b.cast(kind)._kept()
        if has_factors(a):
            return solution(a, b).cast(kind)
        joined = a.cat(b, dim=-1)
        (solved,) = joined._eliminated(int(a.shape[-1]))
        return solved._narrowed(solved.ndim - 1, (0, int(b.shape[-1]))).cast(kind)

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
        from rulewright.tensor.lu import determinant, has_factors

        a = self._matrices("det", square=True)
        kind = float_dtype(self.dtype)
        if not a.numel():
            return a._new(a.uop.const(kind, 1)).expand(a.shape[:-2])._kept()
        value = determinant(a, _by_steps) if has_factors(a) else _by_steps(a)
        return value.cast(kind)

    def slogdet(self) -> tuple[Self, Self]:
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
            return sign.cast(kind), size.cast(kind)
        q, r = a.qr()
        pivots = r.diagonal(0, -2, -1)
        sign = pivots._constant().sign().prod(-1) * q._constant().det().sign()
        return sign.cast(kind), pivots.abs().log().sum(-1).cast(kind)

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
        kind = float_dtype(self.dtype)
        if rtol is not None and not rtol >= 0:
            raise UsageError(f"pinv: rtol is a number of 0 or more, found {rtol}")
        if not a.numel():
            return a.mT.cast(kind)._kept()
        share = float(finfo(a.dtype).eps) * max(a.shape[-2:]) if rtol is None else rtol
        u, s, v = a.svd(full_matrices=False)
        large = s > share * s._constant().max(-1, keepdim=True)
        parts = large.where(1 / large.where(s, 1), 0)
        return (v.mT * parts.unsqueeze(-2)).matmul(u.mT).cast(kind)

    def eigh(self, UPLO: str = "L") -> tuple[Self, Self]:
        """(values, vectors) of symmetric matrices (…, n, n): this @ vectors = vectors * values,
        the values (…, n) rising, the vectors (…, n, n) columns at right angles of length 1.

        By way of three diagonals and rotations; on devices whose loops do not run in order they are
        the singular values of the matrix moved up so far that none is negative. UPLO: the half that
        is looked at, "L" below the diagonal or "U" above it. Gradients are symmetric. First
        derivatives are right, of vectors where values differ; those of derivatives on processors
        alone. Raises ShapeError unless they are square, ChoiceError for another half.

        >>> values, vectors = Tensor([[2.0, 1.0], [1.0, 2.0]]).eigh()
        >>> values.double().round(4).tolist()
        [1.0, 3.0]
        """
        a = self._matrices("eigh", square=True)
        if UPLO not in ("L", "U"):
            raise ChoiceError(f"eigh: UPLO is 'L' or 'U', found {UPLO!r}")
        kind, n = float_dtype(self.dtype), int(a.shape[-1])
        if not a.numel():
            return a.sum(-1).cast(kind), a._unit_matrix(n).cast(kind)
        from rulewright.tensor.lu import has_factors
        from rulewright.tensor.orthogonal import eigh

        a = mirrored(a, upper=UPLO == "U")
        if has_factors(a):
            values, vectors = eigh(a)
            return values.cast(kind), vectors.cast(kind)
        most = a._constant().abs().sum(-1).max(-1)  # no value is further from 0
        up = (2 * most + most.eq(0)).unsqueeze(-1)._kept()
        u, s, _ = (a + up.unsqueeze(-1) * a._unit_matrix(n)).svd()
        return (s - up).flip(-1).cast(kind), u.flip(-1).cast(kind)

    def _eliminated(self, n: int) -> tuple[Self, ...]:
        """(A | B) with A an n by n unit matrix: A⁻¹ B, before what is left of A. Of A alone also
        its determinant.

        Every step clears the first column but for its pivot, and then turns rows and columns by
        one, so that the next is in front. Without B columns are exchanged as well as rows: behind
        a pivot of 0 all is 0 then, and the slope of the determinant is right there too.
        """
        rank, width = self.ndim, int(self.shape[-1])
        one = self._new(self.uop.const(self.dtype, 1))
        place = self._places((n,), 0)
        front = place.eq(0).unsqueeze(-1)

        def largest(sizes: Self, active: Self) -> Self:
            chosen = active.ne(0).where(sizes, -1)._constant().argmax(-1, keepdim=True)
            return chosen.cast(place.dtype)._kept()

        def step(a: Self, active: Self, *det: Self) -> tuple[Self, ...]:
            sizes = a[..., 0].abs() if width > n else (a.abs() * active).max(-1)
            top = largest(sizes, active)
            rows = place.eq(0).where(top, place.eq(top).where(0, place)).unsqueeze(-1)
            a = a.gather(-2, rows.expand(a.shape))._kept()
            sign = top[..., 0].eq(0).where(one, -one)
            if width == n:
                column = largest(a[..., 0, :].abs(), active)
                here = place.eq(column).unsqueeze(-2)
                chosen = here.where(a, 0).sum(-1, keepdim=True)._kept()
                a = place.eq(0).where(chosen, here.where(a[..., :1], a))._kept()
                sign = column[..., 0].eq(0).where(sign, -sign)
            pivot = a[..., :1, :1]
            # a determinant of 0 stays 0, with its slope; a solution has no values then
            divisor = pivot if width > n else pivot.eq(0).where(one, pivot)
            row = (a[..., :1, :] / divisor)._kept()
            det = tuple((d * sign * pivot[..., 0, 0])._kept() for d in det)
            a = front.where(row, a - a[..., :, :1] * row).roll((-1, -1), (-2, -1))._kept()
            return a, active._pad([(0, 1)])._narrowed(0, (1, n + 1))._kept(), *det

        state = self._kept(), one.expand([n]), *([one.expand(self.shape[:-2])] * (width == n))
        a, _, *det = repeated(n, step, *state)
        return a._narrowed(rank - 1, (0, width)), *det


def _by_steps(a: Any) -> Any:
    """The determinant of each matrix, by elimination in steps."""
    return a._eliminated(int(a.shape[-1]))[1]


def _qr_by_steps(a: Any) -> tuple[Any, ...]:
    """Q, square, and R of each matrix, by reflections in steps."""
    return a._qr_by_steps(True)


def repeated(count: int, step: Callable[..., tuple[Any, ...]], *state: Any) -> tuple[Any, ...]:
    """The state after so many equal steps from one state to the next, which are scheduled once."""
    from rulewright.tensor.function import call_of, function  # which is made of tensors

    traced = step if count <= _TRACED else function(precompile=True)(step)
    again: Callable[..., tuple[Any, ...]] | None = None
    for _ in range(count):
        before, state = state, (again or traced)(*state)
        # what one step made is no constant of the next
        if count > _TRACED and again is None and all(t.uop.op is Ops.RESULT for t in before):
            kinds = [[(t.shape, t.dtype, t.device) for t in each] for each in (before, state)]
            again = call_of(before, state) if kinds[0] == kinds[1] else None
    return state


_TRACED = 2
"""Steps whose Python code runs: the second is the first one from one result to the next."""

_EXPONENT = {32: 0xFF << 23, 64: 0x7FF << 52}
"""The bits of a float that say which power of two is below it."""

_SAME = {32: 1e-6, 64: 1e-13}
"""Squares of singular values nearer than this, relative to the largest, count as equal."""


def _sweeps(n: int, bits: int) -> int:
    """How often each pair of n columns is rotated: Jacobi's method converges quadratically after
    some sweeps, whose number grows with the logarithm of n."""
    return math.ceil(math.log2(max(n, 2))) + (4 if bits == 32 else 5)
