"""Symmetric matrices, of which one half is read.

A matrix that only one half of is read has no slope in the other one. But what it stands for is
symmetric, and so is the slope that is wanted: a step along it leaves a symmetric matrix so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.tensor.own_derivative import with_derivative

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.tensor import Tensor


def mirrored(a: Any, upper: bool = False) -> Any:
    """The symmetric matrices (…, n, n) with this half of `a`; the gradient of each element is
    shared with the one across the diagonal, but where a size is a variable."""
    plain = _of_upper if upper else _of_lower
    if any(not isinstance(size, int) for size in a.shape):
        return plain(a)
    return a._new(with_derivative("mirrored", plain, _shared, (a,), a._device, upper))


def _of_lower(a: Any) -> Any:
    return a.tril() + a.tril(-1).mT


def _of_upper(a: Any) -> Any:
    return a.triu() + a.triu(1).mT


def _shared(upstream: Tensor, _: KernelCall) -> tuple[Tensor]:
    return ((upstream + upstream.mT) * 0.5,)
