"""What holds of factors of matrices, in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def orthogonal(found: Any, x: Array, full: bool) -> float:
    """The largest error of (U, S, Vᵀ): against x, against orthogonality, shapes and order."""
    u, s, v = (t.numpy().astype(np.float64) for t in found)
    m, n = x.shape[-2:]
    least = min(m, n)
    if u.shape[-2:] != (m, m if full else least) or v.shape[-2:] != (n if full else least, n):
        return float("inf")
    if (s < 0).any() or (np.diff(s) > 0).any() or s.shape[-1] != least:
        return float("inf")
    errors = [
        (u[..., :least] * s[..., None, :]) @ v[..., :least, :] - x,
        u.swapaxes(-1, -2) @ u - np.eye(u.shape[-1]),
        v @ v.swapaxes(-1, -2) - np.eye(v.shape[-2]),
    ]
    return float(max(abs(e).max(initial=0) for e in errors))


def newton_schulz(x: Array, steps: int, params: tuple[float, ...], eps: float = 1e-7) -> Array:
    """x / |x|, then sum of params[i] (x xᵀ)**i x, again and again."""
    if x.shape[-2] > x.shape[-1]:
        return newton_schulz(x.swapaxes(-1, -2), steps, params, eps).swapaxes(-1, -2)
    x = x / (np.sqrt((x * x).sum((-2, -1), keepdims=True)) + eps)
    for _ in range(steps):
        square = x @ x.swapaxes(-1, -2)
        x = sum(p * np.linalg.matrix_power(square, i) @ x for i, p in enumerate(params))
    return x
