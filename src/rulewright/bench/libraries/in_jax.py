"""Workloads in JAX, jitted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rulewright.bench.libraries.base import Function, Library, stepped


class InJax(Library):
    """JAX on its default device."""

    name = "jax"

    def start(self) -> None:
        """float64 stays float64."""
        jax.config.update("jax_enable_x64", True)
        super().start()

    def version(self) -> str:
        """JAX's version."""
        return str(jax.__version__)

    def put(self, array: np.ndarray) -> Any:
        """On the default device."""
        return jax.device_put(array).block_until_ready()

    def finished(self, function: Function, tensors: Sequence[Any]) -> Any:
        """Results come before they are computed: wait for them."""
        return jax.block_until_ready(function(*tensors))

    def compiled(self, function: Function) -> Function:
        """jax.jit."""
        jitted: Function = jax.jit(function)
        return jitted

    def with_gradients(self, loss: Function, wanted: int, rate: float) -> Function:
        """By `jax.value_and_grad`."""
        both = jax.value_and_grad(loss, tuple(range(wanted)))

        def run(*tensors: Any) -> tuple[Any, ...]:
            value, gradients = both(*tensors)
            return value, *stepped(tensors[:wanted], gradients, rate)

        return run

    relu = staticmethod(jax.nn.relu)
    sigmoid = staticmethod(jax.nn.sigmoid)
    gelu = staticmethod(partial(jax.nn.gelu, approximate=True))
    softmax = staticmethod(jax.nn.softmax)
    log_softmax = staticmethod(jax.nn.log_softmax)

    def layernorm(self, x: Any, weight: Any = None, bias: Any = None) -> Any:
        """Centred, divided, scaled: JAX has no function of its own."""
        centred = x - x.mean(-1, keepdims=True)
        normal = centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
        return normal if weight is None else normal * weight + bias

    def conv2d(self, x: Any, weight: Any, stride: int, padding: int, groups: int) -> Any:
        """jax.lax.conv_general_dilated."""
        pads = [(padding, padding)] * 2
        strides = (stride, stride)
        return jax.lax.conv_general_dilated(x, weight, strides, pads, feature_group_count=groups)

    def attention(self, query: Any, key: Any, value: Any, causal: bool) -> Any:
        """Scores, softmax, mean: jax.nn.dot_product_attention takes heads behind tokens."""
        scores = query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.5
        if causal:
            seen = jnp.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
            scores = jnp.where(seen, scores, -jnp.inf)
        return jax.nn.softmax(scores) @ value
