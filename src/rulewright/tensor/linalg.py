"""Functions of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError, UsageError
from rulewright.tensor.factors import repeated
from rulewright.tensor.kinds import accumulator, float_dtype
from rulewright.tensor.members import Members
from rulewright.tensor.products import product_dtype
from rulewright.tensor.shapes import broadcast_shapes, show

if TYPE_CHECKING:
    from typing_extensions import Self


class Linalg(Members):
    """Other functions of matrices, the last two axes, for all leading axes at once."""

    __slots__ = ()

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
            power, found = x, x * params[0]
            for factor in params[1:]:
                power = square.matmul(power)
                found = found + power * factor
            x = x._new(found.uop.contiguous())
        return x

    # ---- elimination ----------------------------------------------------------------------

    def solve(self, other: Any) -> Self:
        """X with this X = other, by Gauss and Jordan's elimination with the largest pivots.

        This is (…, n, n), other (…, n, k), or (n,) or (…, n) of this without its last axis. Where
        a matrix has no inverse the result is not finite. Raises ShapeError if sizes do not fit.

        >>> Tensor([[2.0, 0.0], [0.0, 4.0]]).solve(Tensor([2.0, 2.0])).tolist()
        [1.0, 0.5]
        """
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
        joined = a.cat(b, dim=-1)
        (found,) = joined._eliminated(int(a.shape[-1]))
        return found._narrowed(found.ndim - 1, (0, int(b.shape[-1]))).cast(kind)

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
        a = self._matrices("det", square=True)
        kind, n = float_dtype(self.dtype), int(a.shape[-1])
        if not a.numel():
            return a._new(a.uop.const(kind, 1)).expand(a.shape[:-2])._kept()
        return a._eliminated(n)[1].cast(kind)

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
            found = active.ne(0).where(sizes, -1)._constant().argmax(-1, keepdim=True)
            return found.cast(place.dtype)._kept()

        def step(a: Self, active: Self, *det: Self) -> tuple[Self, ...]:
            sizes = a[..., 0].abs() if width > n else (a.abs() * active).max(-1)
            top = largest(sizes, active)
            rows = place.eq(0).where(top, place.eq(top).where(0, place)).unsqueeze(-1)
            a = a.gather(-2, rows.expand(a.shape))._kept()
            sign = top[..., 0].eq(0).where(one, -one)
            if width == n:
                column = largest(a[..., 0, :].abs(), active)
                here = place.eq(column).unsqueeze(-2)
                found = here.where(a, 0).sum(-1, keepdim=True)._kept()
                a = place.eq(0).where(found, here.where(a[..., :1], a))._kept()
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
