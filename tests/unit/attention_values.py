"""What attention gives, in float64, and how small attention is done as large is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from arrays import as_dtype

from rulewright import Tensor
from rulewright.schedule import stages


def exact(q: Any, k: Any, v: Any, seen: Any = True) -> np.ndarray:
    """softmax(q @ kᵀ / sqrt(e)) @ v in float64; a query that sees nothing gives zeros."""
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    scores = np.where(seen, q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    top = scores.max(-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = powers.sum(-1, keepdims=True)
    found: np.ndarray = powers / np.where(total == 0, 1, total) @ v
    return found


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Normal numbers of a shape, in float32."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def tensors(arrays: Iterable[np.ndarray], device: str, dtype: str = "f32") -> list[Tensor]:
    """Arrays on a device, in a dtype."""
    return [Tensor(as_dtype(array, dtype), device=device).realize() for array in arrays]


def in_f32(values: Iterable[Tensor]) -> list[np.ndarray]:
    """What such tensors hold, in float32."""
    return [value.numpy().astype(np.float32) for value in values]


def without_caches(monkeypatch: Any) -> None:
    """Have GPUs' caches hold nothing, so that small scores are too many for them."""
    room_of = stages.room_near_by

    def room(order: Any) -> Any:
        known = room_of(order)
        return known._replace(groups=known.groups and known.groups._replace(cached=0))

    monkeypatch.setattr(stages, "room_near_by", room)
