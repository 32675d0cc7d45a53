"""Solutions and determinants by LU factors, where loops run in order, with their derivatives.

A solution of A X = B leans to Aᵀ⁻¹ G for B and to minus that, times Xᵀ, for A; a determinant to
itself times Aᵀ⁻¹ (Giles, "Collected matrix derivative results", 2008).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.ir.dtype_info import finfo
from rulewright.tensor.adjoint import gradients
from rulewright.tensor.cholesky import cholesky_by_steps
from rulewright.tensor.elimination import (
    lanes_of,
    node_eliminated,
    node_factors,
    node_solved,
    odd_panels,
    padded,
)
from rulewright.tensor.matrix_steps import determinant_by_steps, solved_by_steps
from rulewright.tensor.ordered import has_ordered_loops
from rulewright.tensor.own_derivative import with_derivative, with_derivatives

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.tensor import Tensor

STEPS = 16
"""Columns up to which the slope of a determinant is that of its steps, which is right where the
determinant is 0."""


class Factors(NamedTuple):
    """U of matrices (count, n, n), with L below its diagonal; the rows (count, n) that L U is made
    of; 1 or -1 (count,) for an even or odd exchange of these. All have no gradient, and n is what
    the kernels want."""

    lu: Any
    order: Any
    sign: Any


def has_factors(a: Any) -> bool:
    """Whether these matrices (…, n, n), n > 1, are factored by kernels: those without memory, which
    any device may compute, are not."""
    known = all(isinstance(size, int) and size for size in a.shape)
    return known and a.shape[-1] > 1 and a._device is not None and has_ordered_loops(a.device)


def matrix_results(
    name: str, a: Any, kernels: Callable[..., Any], steps: Callable[..., Any],
    slope: Callable[..., Any], *how: bool,
) -> list[Any]:  # fmt: skip
    """What kernels make of matrices (count, m, n), or steps of (…, m, n), with this derivative.
    Where their number is a variable there are as many as it can be, of which the rest is zeros."""
    free = [axis for axis, size in enumerate(a.shape[:-2]) if not isinstance(size, int)]
    if free:
        pads = [(0, most - size) for most, size in zip(a.uop.max_shape, a.shape, strict=True)]
        results = matrix_results(name, a._pad(pads), kernels, steps, slope, *how)
        for axis in free:
            results = [r._narrowed(axis, (0, a.shape[axis])) for r in results]
        return results
    by_kernels = has_factors(a)
    flat = a.reshape(-1, *a.shape[-2:]) if by_kernels else a
    plain = partial(kernels if by_kernels else steps, *how)
    nodes = with_derivatives(name, plain, slope, (flat,), a._device, (by_kernels, *how))
    results = [a._new(node) for node in nodes]
    return [r.reshape(*a.shape[:-2], *r.shape[1:]) if by_kernels else r for r in results]


def solution(a: Any, b: Any) -> Any:
    """X (…, n, k) with a X = b."""
    if not has_factors(a):
        return solved_by_steps(a, b)
    flat = a.reshape(-1, *a.shape[-2:])
    right = b.reshape(-1, *b.shape[-2:])
    return _solution(flat, right, _factors(flat), False).reshape(b.shape)


def determinant(a: Any) -> Any:
    """The determinant of each matrix (…, n, n)."""
    if not has_factors(a):
        return determinant_by_steps(a)
    flat = a.reshape(-1, *a.shape[-2:])
    by_steps = a.shape[-1] <= STEPS
    return _determinant(flat, _factors(flat), by_steps).reshape(a.shape[:-2])


def log_determinant(a: Any) -> tuple[Any, Any]:
    """The sign of each determinant, and the logarithm of its size."""
    flat = a.reshape(-1, *a.shape[-2:])
    factors = _factors(flat)
    sign = factors.sign * _pivots(factors.lu).sign().prod(-1)
    node = with_derivative("log_det", _logarithm, _slope_of_logarithm, (flat, *factors), a.device)
    return sign.reshape(a.shape[:-2]), a._new(node).reshape(a.shape[:-2])


def _factors(a: Any) -> Factors:
    """Of matrices (count, n, n)."""
    nodes = node_factors(_whole(a._constant()).uop, a.device)
    return Factors(*(a._new(node)._constant() for node in nodes))


def _whole(a: Any) -> Any:
    """Matrices (count, n, n) with as many rows as kernels want, behind n those of a unit matrix."""
    n = int(a.shape[-1])
    size = padded(n)
    width = odd_panels(size)
    if width == n:
        return a
    shape = int(a.shape[0]), size, width
    row, column = (a._places(shape, axis) for axis in (1, 2))
    a = a._pad([(0, 0), (0, size - n), (0, width - n)])
    return row.eq(column).logical_and(row >= n).where(1, a)


def _pivots(lu: Any) -> Any:
    return lu._narrowed(2, (0, int(lu.shape[1]))).diagonal(0, -2, -1)


# ---- solutions -----------------------------------------------------------------------------------


def _solution(a: Any, b: Any, factors: Factors, transposed: bool) -> Any:
    """X (count, n, k) with a X = b, or that of the transposed matrices."""
    plain, slope = _plain_solution(transposed), _slope_of_solution(transposed)
    sources = (a, b, factors.lu, factors.order)
    return b._new(with_derivative("solve", plain, slope, sources, b.device, transposed))


@lru_cache(2)
def _plain_solution(transposed: bool) -> Callable[..., Any]:
    return partial(_solved, transposed)


def _solved(transposed: bool, _: Any, b: Any, lu: Any, order: Any) -> Any:
    n, k = (int(s) for s in b.shape[1:])
    size, lanes = int(lu.shape[1]), lanes_of(b.dtype, n, k)
    columns = -(-k // lanes) * lanes
    places = order._narrowed(1, (0, n)).unsqueeze(-1).expand(b.shape)  # what is padded stays
    singular = _pivots(lu).eq(0).any(-1).unsqueeze(-1).unsqueeze(-1)
    if transposed:
        lu = lu._narrowed(2, (0, size)).mT._kept()
    else:
        b = b.gather(1, places)
    x = b._pad([(0, 0), (0, size - n), (0, columns - k)])
    for upper in (False, True):
        x = x._new(node_solved(lu.uop, x.uop, upper, upper is transposed, x.device))
    x = x._narrowed(1, (0, n))._narrowed(2, (0, k))
    x = singular.where(float("nan"), x)
    return x.zeros_like().scatter(1, places, x) if transposed else x


@lru_cache(2)
def _slope_of_solution(transposed: bool) -> Callable[..., Any]:
    def slopes(upstream: Tensor, call: KernelCall) -> tuple[Any, Any, None, None]:
        a, b, lu, order = call.sources
        x = call.results[0]
        assert lu is not None and order is not None and b is not None
        factors = Factors(lu._constant(), order, None)
        for_b = _solution(a, upstream, factors, not transposed)
        left, right = (x, for_b) if transposed else (for_b, x)
        return -left.matmul(right.mT), for_b, None, None

    return slopes


# ---- determinants --------------------------------------------------------------------------------


def _determinant(a: Any, factors: Factors, by_steps: bool = False) -> Any:
    slope = _slope_of_steps if by_steps else _slope_of_determinant
    return a._new(with_derivative("det", _product, slope, (a, *factors), a.device, by_steps))


def _product(_: Any, lu: Any, __: Any, sign: Any) -> Any:
    return sign * _pivots(lu).prod(-1)


def _logarithm(_: Any, lu: Any, *_rest: Any) -> Any:
    return _pivots(lu).abs().log().sum(-1)


def _inverse_of_transposed(a: Any, factors: Factors) -> Any:
    unit = a._unit_matrix(int(a.shape[-1])).expand(a.shape)
    return _solution(a, unit, factors, True)


def _slope_of_determinant(upstream: Tensor, call: KernelCall) -> tuple[Any, None, None, None]:
    """A pivot of 0 counts as a small one, so that what the slope is a limit of is near."""
    a, lu, order, sign = call.sources
    assert lu is not None and a is not None
    most = lu.abs().max((1, 2), keepdim=True)
    rows, columns = (lu._places(lu.shape, axis) for axis in (1, 2))
    small = most.eq(0).where(1, most) * float(finfo(lu.dtype).eps)
    near = rows.eq(columns).logical_and(lu.eq(0)).where(small, lu)
    factors = Factors(near._constant()._kept(), order, sign)
    share = (upstream * _determinant(a, factors)).unsqueeze(-1).unsqueeze(-1)
    return share * _inverse_of_transposed(a, factors), None, None, None


def _slope_of_logarithm(upstream: Tensor, call: KernelCall) -> tuple[Any, None, None, None]:
    a, *factors = call.sources
    inverse = _inverse_of_transposed(a, Factors(*factors))
    return upstream.unsqueeze(-1).unsqueeze(-1) * inverse, None, None, None


def _slope_of_steps(upstream: Tensor, call: KernelCall) -> tuple[Any, None, None, None]:
    a: Any = call.sources[0]
    by_target = gradients({determinant_by_steps(a).uop: upstream.uop}, [a.uop], {a.uop})
    return a._new(by_target[a.uop]), None, None, None


# ---- Cholesky ------------------------------------------------------------------------------------


def cholesky(a: Any) -> Any:
    """L, zero above its diagonal, with L Lᵀ = a (…, n, n), of which all is read."""
    return matrix_results("cholesky", a, _plain_cholesky, cholesky_by_steps, _slope_of_cholesky)[0]


def _plain_cholesky(a: Any) -> tuple[Any]:
    n, whole = int(a.shape[-1]), _whole(a)
    upper = whole._new(node_eliminated(whole.uop, a.device))
    upper = upper._narrowed(1, (0, n))._narrowed(2, (0, n))
    roots = upper.diagonal(0, -2, -1).sqrt()
    return ((upper / roots.unsqueeze(-1)).mT.tril(),)


def _slope_of_cholesky(upstream: Tensor, call: KernelCall) -> tuple[Any]:
    """L⁻ᵀ P L⁻¹, made symmetric, with P the lower half of Lᵀ G (Murray, 2016)."""
    lower = call.results[0]
    product = lower.mT.matmul(upstream)
    half = product.tril(-1) + product * lower._unit_matrix(int(lower.shape[-1])) * 0.5
    inverse = lower.inverse()
    slope = inverse.mT.matmul(half.matmul(inverse))
    return ((slope + slope.mT) * 0.5,)
