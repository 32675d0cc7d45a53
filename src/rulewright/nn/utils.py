"""Limits on gradients, between `backward()` and an optimiser's `step()`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rulewright.errors import UsageError
from rulewright.tensor.tensor import Tensor


def clip_grad_norm_(
    parameters: Tensor | Sequence[Tensor], max_norm: float, norm_type: float = 2.0
) -> Tensor:
    """Scale all gradients so that their joint norm is at most `max_norm` (Pascanu et al., 2013).

    Returns the norm before, lazily. Parameters without gradient are passed over. Raises
    UsageError for a negative `max_norm`.
    """
    if max_norm < 0:
        raise UsageError(f"clip_grad_norm_: expected a norm of 0 or more, found {max_norm}")
    owners = _with_gradient(parameters)
    if not owners:
        return Tensor(0.0)
    norms = [g.float().norm(norm_type).to(owners[0].device) for _, g in _pairs(owners)]
    total = norms[0].stack(*norms[1:]).norm(norm_type)
    scale = (max_norm / (total + 1e-6)).minimum(1.0)
    for parameter, gradient in _pairs(owners):
        parameter.grad = (gradient * scale.to(parameter.device)).cast(gradient.dtype)
    return total


def clip_grad_value_(parameters: Tensor | Sequence[Tensor], clip_value: float) -> None:
    """Limit every element of all gradients to ±clip_value.

    Raises UsageError for a negative or undefined limit.
    """
    if not clip_value >= 0 or math.isinf(clip_value):
        raise UsageError(f"clip_grad_value_: expected a limit of 0 or more, found {clip_value}")
    for parameter, gradient in _pairs(_with_gradient(parameters)):
        parameter.grad = gradient.clip(-clip_value, clip_value)


def _with_gradient(parameters: Tensor | Sequence[Tensor]) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p for p in given if p.grad is not None]


def _pairs(owners: list[Tensor]) -> list[tuple[Tensor, Tensor]]:
    return [(p, p.grad.detach()) for p in owners if p.grad is not None]
