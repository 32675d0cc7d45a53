"""Slopes of losses over classes: rows are reduced as rows, and no sum has a place for each."""

import re

import numpy as np
import pytest

from rulewright import Tensor, jit
from rulewright.errors import DTypeError

SHAPES = [(5, 3), (1, 1000), (500, 1), (37, 997), (500, 1000), (512, 5000), (1000, 500), (300, 260)]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def one_hot(classes, count):
    return (classes[:, None] == np.arange(count)).astype(np.float64)


class Rows:
    """Scores of rows for some classes, the right class of each row, and other probabilities."""

    def __init__(self, rng, shape):
        self.x = rng.normal(size=shape)
        self.classes = rng.integers(0, shape[1], shape[0])
        self.hot = one_hot(self.classes, shape[1])
        self.soft = softmax(rng.normal(size=shape))


def cross_entropy(rows):
    slope = (softmax(rows.x) - rows.hot) / len(rows.x)
    return (lambda x, y, soft: x.cross_entropy(y)), slope


def smoothed(rows):
    wanted = 0.9 * rows.hot + 0.1 / rows.x.shape[1]
    slope = (softmax(rows.x) - wanted) / len(rows.x)
    return (lambda x, y, soft: x.cross_entropy(y, label_smoothing=0.1)), slope


def picked_twice(rows):
    """The logarithm of the right class, and of the one above it, which others do not see."""
    above = (rows.classes + 1) % rows.x.shape[1]
    slope = 3 * softmax(rows.x) - rows.hot - 2 * one_hot(above, rows.x.shape[1])

    def loss(x, y, soft):
        logs, next_one = x.log_softmax(-1), (y + 1) % x.shape[1]
        return -(logs.gather(1, y.unsqueeze(1)) + 2 * logs.gather(1, next_one.unsqueeze(1))).sum()

    return loss, slope


def distilled(rows):
    """Of classes, and of probabilities at half the scores."""
    slope = softmax(rows.x) / len(rows.x) - rows.hot / len(rows.x)
    slope += (softmax(rows.x / 2) - rows.soft) / 2

    def loss(x, y, soft):
        return x.cross_entropy(y) + (x / 2).log_softmax(-1).kl_div(soft, reduction="sum")

    return loss, slope


LOSSES = [cross_entropy, smoothed, picked_twice, distilled]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("loss", LOSSES)
def test_slopes_are_those_of_softmax(rng, loss, shape):
    rows = Rows(rng, shape)
    ours, slope = loss(rows)
    y, soft = Tensor(rows.classes).realize(), Tensor(rows.soft.astype("f4")).realize()

    def gradient(x):
        return ours(x, y, soft).gradient(x)[0]

    x = Tensor(rows.x.astype("f4"))
    for found in (gradient(x), jit(gradient)(x)):
        np.testing.assert_allclose(found.numpy(), slope, 1e-4, 1e-5)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("loss", LOSSES)
def test_what_a_thread_keeps_is_of_a_few_rows(rng, loss, shape):
    rows = Rows(rng, shape)
    ours, _ = loss(rows)
    x = Tensor(rows.x.astype("f4")).realize()
    y, soft = Tensor(rows.classes).realize(), Tensor(rows.soft.astype("f4")).realize()
    for item in ours(x, y, soft).gradient(x)[0].schedule():
        source = item.lower().source
        kept = sum(int(count) for count in re.findall(r"acc\d+\[(\d+)\]", source))
        assert kept <= 8 * (shape[1] + 1024)


def test_class_numbers_that_are_floats_are_told_from_probabilities():
    scores = Tensor([[1.0, 2.0, 3.0]] * 2)
    message = r"class numbers are integers, found f32 of shape \(2,\); cast them, .* \(2, 3\)"
    with pytest.raises(DTypeError, match=message):
        scores.cross_entropy(Tensor([0.0, 2.0]))
