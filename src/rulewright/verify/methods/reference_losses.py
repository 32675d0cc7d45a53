"""Losses in numpy, from their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def reduced(losses: Array, how: str = "mean", count: Any = None) -> Array:
    """The losses, their sum, or that divided by a count (their number unless given)."""
    if how == "none":
        return losses
    return (
        losses.sum() if how == "sum" else losses.sum() / (losses.size if count is None else count)
    )


def log_softmax(x: Array, axis: int) -> Array:
    """log(exp(x) / sum(exp(x)))."""
    top = x.max(axis, keepdims=True)
    return x - top - np.log(np.exp(x - top).sum(axis, keepdims=True))


def _rows(x: Array) -> Array:
    """Classes last: (rows, classes)."""
    return np.moveaxis(x, 1 if x.ndim > 1 else 0, -1).reshape(-1, x.shape[1 if x.ndim > 1 else 0])


def nll(
    logs: Array, target: Array, how: str = "mean", weight: Array = None, ignore: int = -100,
    smoothing: float = 0.0,
) -> Array:  # fmt: skip
    """-w[t] log p[t] for each row, smoothed by the mean of -w log p; a mean by sum of w[t]."""
    rows, classes = _rows(logs), target.reshape(-1)
    weight = np.ones(rows.shape[1]) if weight is None else weight
    losses, total = np.zeros(len(rows)), 0.0
    for i, (row, t) in enumerate(zip(rows, classes, strict=True)):
        if t == ignore:
            continue
        total += weight[t]
        losses[i] = -(1 - smoothing) * weight[t] * row[t] - smoothing * (weight * row).mean()
    return reduced(losses.reshape(target.shape), how, total)


def cross_entropy(x: Array, target: Array, *args: Any, **options: Any) -> Array:
    """`nll` of the log softmax; of probabilities, minus the sum of t w log p."""
    logs = log_softmax(x, 1 if x.ndim > 1 else 0)
    if target.dtype.kind != "f":
        return nll(logs, target, *args, **options)
    return _of_probabilities(logs, target, *args, **options)


def _of_probabilities(
    logs: Array, target: Array, how: str = "mean", weight: Any = None, smoothing: float = 0.0
) -> Array:
    rows, goal = _rows(logs), _rows(target)
    goal = goal * (1 - smoothing) + smoothing / goal.shape[1]
    losses = -(goal * rows * (1 if weight is None else weight)).sum(1)
    return reduced(losses.reshape(logs.shape[:1] + logs.shape[2:] if logs.ndim > 1 else ()), how)


def binary(p: Array, t: Array) -> Array:
    """-(t log p + (1 - t) log(1 - p)), logs from -100 on."""
    return -(t * np.maximum(np.log(p), -100) + (1 - t) * np.maximum(np.log(1 - p), -100))


def binary_logits(x: Array, t: Array, positive: Any = 1.0) -> Array:
    """The same of sigmoid(x), the part with t times `positive`."""
    return positive * t * np.log1p(np.exp(-x)) + (1 - t) * np.log1p(np.exp(x))


def huber(x: Array, t: Array, delta: float = 1.0) -> Array:
    """d²/2, beyond delta its tangent."""
    d = np.abs(x - t)
    return np.where(d < delta, d * d / 2, delta * d - delta * delta / 2)


def kullback_leibler(x: Array, t: Array) -> Array:
    """t (log t - x), 0 for t = 0."""
    return np.where(t == 0, 0, t * (np.log(np.where(t == 0, 1, t)) - x))


def cosine(x: Array, y: Array, axis: int, eps: float = 1e-8) -> Array:
    """x·y / (|x| |y|)."""
    sizes = [np.maximum(np.sqrt((v * v).sum(axis)), eps) for v in (x, y)]
    return (x * y).sum(axis) / (sizes[0] * sizes[1])
