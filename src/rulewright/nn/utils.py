"""Limits on gradients, between `backward()` and an optimiser's `step()`; all parameters as one
vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.nn import arguments
from rulewright.nn.names import OF_UTILS, unknown_in_module
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.tensor import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False, foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale all gradients so that their joint norm is at most `max_norm` (Pascanu et al., 2013).

    norm_type: the p of the norm; "inf" is the largest of all. Returns the norm before, lazily, in
    float32 or wider. Parameters without gradient are passed over. error_if_nonfinite: the norm is
    computed now. foreach: PyTorch's word for how it is computed, which says nothing here. Raises
    UsageError for a negative `max_norm`, and where it shall for a norm that is infinite or NaN.
    """
    name = "clip_grad_norm_"
    _check_way(name, foreach)
    max_norm = arguments.number(name, "max_norm", max_norm, 0)
    if isinstance(norm_type, str | float) and norm_type in ("inf", math.inf):
        norm_type = math.inf
    else:
        norm_type = arguments.number(name, "norm_type", norm_type, 0)
    owners = _with_gradient(name, parameters)
    if not owners:
        return Tensor(0.0, dtypes.f32)
    wide = [g.cast(accumulator(g.dtype)) for _, g in _pairs(owners)]
    norms = [g.norm(norm_type).to(owners[0].device) for g in wide]
    total = norms[0].stack(*norms[1:]).norm(norm_type)
    if arguments.flag(name, "error_if_nonfinite", error_if_nonfinite):
        value = total.item()
        if not math.isfinite(value):
            raise UsageError(
                f"{name}: the norm of the gradients is {value}, so that they cannot be scaled; "
                "without error_if_nonfinite they become NaN or zero"
            )
    scale = (max_norm / (total + 1e-6)).minimum(1.0)
    for parameter, gradient in _pairs(owners):
        parameter.grad = (gradient * scale.to(parameter.device)).cast(gradient.dtype)
    return total


def _check_way(name: str, foreach: bool | None) -> None:
    if foreach is not None:
        arguments.flag(name, "foreach", foreach)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Limit every element of all gradients to ±clip_value; `foreach` as of `clip_grad_norm_`.

    Raises UsageError for a negative or undefined limit.
    """
    name = "clip_grad_value_"
    _check_way(name, foreach)
    clip_value = arguments.number(name, "clip_value", clip_value, 0)
    for parameter, gradient in _pairs(_with_gradient(name, parameters)):
        parameter.grad = gradient.clip(-clip_value, clip_value)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of some tensors, one tensor behind the other, as one axis.

    Raises UsageError unless there is a tensor.
    """
    tensors = _tensors("parameters_to_vector", parameters)
    flat = [p.flatten() for p in tensors]
    return flat[0].cat(*flat[1:])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Write the elements of one axis into tensors, in the order of `parameters_to_vector`.

    Gradients do not pass. Raises ShapeError for another number of elements.
    """
    name = "vector_to_parameters"
    tensors = _tensors(name, parameters)
    arguments.sized(name, vec, sum(int(p.numel()) for p in tensors), name="vec")
    parts = vec.detach().split([int(p.numel()) for p in tensors])
    for parameter, part in zip(tensors, parts, strict=True):
        parameter.assign(part.reshape(parameter.shape).cast(parameter.dtype))


def _tensors(name: str, parameters: Iterable[Tensor]) -> list[Tensor]:
    tensors = arguments.tensors(name, "parameters", parameters)
    if not tensors:
        raise arguments.wrong(name, "parameters", "one tensor or more", parameters)
    return tensors


def _with_gradient(name: str, parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    tensors = [parameters] if isinstance(parameters, Tensor) else parameters
    tensors = arguments.tensors(name, "parameters", tensors)
    return [p for p in tensors if p.grad is not None]


def _pairs(owners: list[Tensor]) -> list[tuple[Tensor, Tensor]]:
    return [(p, p.grad.detach()) for p in owners if p.grad is not None]


if not TYPE_CHECKING:  # type checkers know the names there are

    def __getattr__(name: str) -> object:
        raise unknown_in_module(__name__, name, OF_UTILS, __all__)
