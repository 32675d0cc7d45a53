"""Losses in numpy that `equals` of a row may use, from their definitions, as in `reference`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, product
from typing import Any

import numpy as np

from rulewright.verify.methods.reference import Array


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
    """x·y / (|x| |y|), of what they broadcast to."""
    x, y = np.broadcast_arrays(x, y)
    sizes = [np.maximum(np.sqrt((v * v).sum(axis)), eps) for v in (x, y)]
    return (x * y).sum(axis) / (sizes[0] * sizes[1])


# ---- losses of margins -------------------------------------------------------------------------


def above_0(x: Array) -> Array:
    """max(0, x)."""
    return np.where(x > 0, x, 0)


def multi_margin(x: Array, target: Array, p: int = 1, margin: float = 1, weight: Any = None) -> Any:
    """The mean over classes of w max(0, margin - x[t] + x[i])**p, i other than t, of each row."""
    losses = np.zeros(np.shape(target))
    for at in np.ndindex(losses.shape):
        row, t = x[at], target[at]
        terms = [max(0.0, margin - row[t] + row[i]) ** p for i in range(len(row)) if i != t]
        losses[at] = (1 if weight is None else weight[t]) * sum(terms) / len(row)
    return losses


def multilabel_margin(x: Array, target: Array) -> Array:
    """The sum of max(0, 1 - x[j] + x[i]) for right j and other i of each row, by its length."""
    losses = np.zeros(x.shape[:-1])
    for at in np.ndindex(losses.shape):
        classes = target[at].tolist()
        right = classes[: next((i for i, c in enumerate(classes) if c < 0), len(classes))]
        others = [i for i in range(x.shape[-1]) if i not in right]
        terms = [max(0.0, 1 - x[at][j] + x[at][i]) for j in right for i in others]
        losses[at] = sum(terms) / x.shape[-1]
    return losses


def distance(x: Array, y: Array, p: float = 2, eps: float = 1e-6) -> Array:
    """The p-norm of x - y + eps along the last axis."""
    return (np.abs(x - y + eps) ** p).sum(-1) ** (1 / p)


def angle_loss(x: Array, y: Array, sign: Array, margin: float = 0.0) -> Array:
    """1 - cosine where the sign is 1, max(0, cosine - margin) where it is -1."""
    cosines = (x * y).sum(-1) / np.sqrt(((x * x).sum(-1) + 1e-12) * ((y * y).sum(-1) + 1e-12))
    return np.where(sign == 1, 1 - cosines, np.where(sign == -1, above_0(cosines - margin), 0))


def poisson(x: Array, t: Array, log_input: bool = True, full: bool = False) -> Array:
    """exp(x) - t x, or x - t log x; with log t! by Stirling where t is above 1."""
    losses = np.exp(x) - t * x if log_input else x - t * np.log(x + 1e-8)
    many = np.where(t > 1, t, 1)
    stirling = many * np.log(many) - many + np.log(2 * np.pi * many) / 2
    return losses + np.where(t > 1, stirling, 0) if full else losses


def gaussian(x: Array, t: Array, v: Array, full: bool = False) -> Array:
    """Half of log v + (x - t)² / v, and of log(2 pi)."""
    return (np.log(v) + (x - t) ** 2 / v + (np.log(2 * np.pi) if full else 0)) / 2


# ---- of sequences ------------------------------------------------------------------------------


def all_paths(logs: Array, labels: Array, reached: Sequence[int], counts: Sequence[int]) -> Array:
    """Minus the log of the probability of labels: of each path of classes, of which 0 is blank,
    which says them."""
    losses = []
    for i, (steps, count) in enumerate(zip(reached, counts, strict=True)):
        sums = [
            sum(logs[step, i, label] for step, label in enumerate(path))
            for path in product(range(logs.shape[2]), repeat=steps)
            if [label for label, _ in groupby(path) if label] == list(labels[i, :count])
        ]
        losses.append(-np.logaddexp.reduce(sums))
    return np.array(losses)
