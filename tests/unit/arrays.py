"""Arrays and tensors that many suites begin with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rulewright import Tensor
from rulewright.ir.dtypes import DType, dtypes


def realized(*values: float) -> Tensor:
    """Numbers as f32, in memory."""
    return in_memory(np.array(values, np.float32))


def in_memory(values) -> Tensor:
    """Values on the default device, there before anything reads them."""
    return Tensor(values).realize()


def normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Normal numbers, f32."""
    return rng.standard_normal(shape).astype(np.float32)


def as_dtype(array: np.ndarray, dtype: str) -> np.ndarray:
    """Numbers in a dtype, without a kernel that casts them: each shape would need its own."""
    return array.astype(getattr(dtypes, dtype).np)


def counted(*shape: int) -> np.ndarray:
    """1, 2, 3 and so on, f32."""
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape) + 1


def softmax(x: np.ndarray) -> np.ndarray:
    """Along the last axis, by its definition."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def square() -> Tensor:
    """1, 2, 3, 4 in two rows."""
    return Tensor(np.arange(1, 5, dtype=np.float32).reshape(2, 2))


def parameter(*values: float, dtype: DType | str | None = None) -> Tensor:
    """Numbers that collect a gradient."""
    return Tensor(list(values), dtype, requires_grad=True)


def first_of(found: Any) -> Any:
    """The values of a method that gives values and positions, or of one that gives values."""
    return found[0] if isinstance(found, tuple) else found


def leaf(data) -> Tensor:
    """A tensor that collects a gradient."""
    return Tensor(data, requires_grad=True)


def closeness(rtol: float, atol: float) -> Callable[..., None]:
    """A check that two arrays are as close as that; a call may say another closeness."""

    def close(found: Any, expected: Any, rtol: float = rtol, atol: float = atol) -> None:
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)

    return close
