"""Workloads in PyTorch, as it runs them at once and as `torch.compile` does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from rulewright.bench.libraries.base import Function, Library, stepped


class InTorch(Library):
    """PyTorch on the CPU, each operation run at once."""

    name = "torch"

    def version(self) -> str:
        """PyTorch's version."""
        return str(torch.__version__)

    def put(self, array: np.ndarray) -> Any:
        """A copy; bfloat16, which numpy does not have, by way of float32."""
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16)
        return torch.from_numpy(array.copy())

    def get(self, tensor: Any) -> np.ndarray:
        """By way of float64, for numpy has no bfloat16."""
        array: np.ndarray = tensor.detach().double().numpy()
        return array

    def finished(self, function: Function, tensors: Sequence[Any]) -> Any:
        """Nothing is kept for gradients, unless the function asks for some itself."""
        with torch.no_grad():
            return function(*tensors)

    def with_gradients(self, loss: Function, wanted: int, rate: float) -> Function:
        """By `torch.autograd.grad`."""

        def run(*tensors: Any) -> tuple[Any, ...]:
            leaves = [t.detach().requires_grad_() for t in tensors[:wanted]]
            with torch.enable_grad():
                value = loss(*leaves, *tensors[wanted:])
            gradients = torch.autograd.grad(value, leaves)
            return value, *stepped(leaves, gradients, rate)

        return run

    relu = staticmethod(torch.relu)
    sigmoid = staticmethod(torch.sigmoid)
    gelu = staticmethod(partial(F.gelu, approximate="tanh"))
    softmax = staticmethod(partial(torch.softmax, dim=-1))
    log_softmax = staticmethod(partial(torch.log_softmax, dim=-1))

    def layernorm(self, x: Any, weight: Any = None, bias: Any = None) -> Any:
        """F.layer_norm."""
        return F.layer_norm(x, x.shape[-1:], weight, bias)

    def permute(self, x: Any, axes: tuple[int, ...]) -> Any:
        """A view."""
        return x.permute(axes)

    def take(self, table: Any, rows: Any) -> Any:
        """F.embedding."""
        return F.embedding(rows, table)

    def conv2d(self, x: Any, weight: Any, stride: int, padding: int, groups: int) -> Any:
        """F.conv2d."""
        return F.conv2d(x, weight, stride=stride, padding=padding, groups=groups)

    def attention(self, query: Any, key: Any, value: Any, causal: bool) -> Any:
        """F.scaled_dot_product_attention."""
        return F.scaled_dot_product_attention(query, key, value, is_causal=causal)


class InTorchCompiled(InTorch):
    """PyTorch with `torch.compile`, which compiles the gradients of what it has compiled too."""

    name = "torch.compile"

    def compiled_forward(self, function: Function) -> Function:
        """Compiled for these shapes; what was compiled for other workloads would count as tries."""
        torch.compiler.reset()
        optimized: Function = torch.compile(function, dynamic=False)
        return optimized
