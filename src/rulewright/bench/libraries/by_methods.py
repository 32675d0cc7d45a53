"""What Rulewright and tinygrad spell alike: lazy tensors whose operations are methods."""

from __future__ import annotations

from operator import methodcaller
from typing import Any

from rulewright.bench.libraries.base import Function, Library, stepped


class ByMethods(Library):
    """A library of lazy tensors with these methods."""

    def plain(self, function: Function) -> Function:
        """The function, its lazy results computed."""

        def run(*tensors: Any) -> Any:
            result = function(*tensors)
            first, *rest = result if isinstance(result, tuple) else (result,)
            first.realize(*rest)
            return result

        return run

    def with_gradients(self, loss: Function, wanted: int, rate: float) -> Function:
        """By `Tensor.gradient`."""

        def run(*tensors: Any) -> tuple[Any, ...]:
            value = loss(*tensors)
            gradients = value.gradient(*tensors[:wanted])
            return value, *stepped(tensors[:wanted], gradients, rate)

        return run

    relu = staticmethod(methodcaller("relu"))
    sigmoid = staticmethod(methodcaller("sigmoid"))
    gelu = staticmethod(methodcaller("gelu"))
    softmax = staticmethod(methodcaller("softmax", -1))
    log_softmax = staticmethod(methodcaller("log_softmax", -1))

    def layernorm(self, x: Any, weight: Any = None, bias: Any = None) -> Any:
        """A method, then scaled and shifted."""
        return x.layernorm() if weight is None else x.layernorm() * weight + bias

    def permute(self, x: Any, axes: tuple[int, ...]) -> Any:
        """A view."""
        return x.permute(*axes)

    def conv2d(self, x: Any, weight: Any, stride: int, padding: int, groups: int) -> Any:
        """A method."""
        return x.conv2d(weight, groups=groups, stride=stride, padding=padding)

    def attention(self, query: Any, key: Any, value: Any, causal: bool) -> Any:
        """A method."""
        return query.scaled_dot_product_attention(key, value, is_causal=causal)
