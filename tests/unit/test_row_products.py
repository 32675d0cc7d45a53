"""Large products beside reductions of their rows: each is done as it would be alone."""

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.ir.ops import Ops

EPSILON = 1e-5


def root_mean(x):
    return x * (x.square().mean(-1, keepdim=True) + EPSILON).rsqrt()


def squares(x, w):
    """The squared distance of each row of x to each of w."""
    return x.square().sum(-1, keepdim=True) + w.square().sum(-1) - 2 * (x @ w.T)


def kurtosis(x):
    apart = x - x.mean(-1, keepdim=True)
    return (apart**4).mean(-1, keepdim=True) / x.var(-1, keepdim=True) ** 2


def np_root_mean(x):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)


def np_layer_norm(x):
    x = x - x.mean(-1, keepdims=True)
    return np_root_mean(x)


def np_squares(x, w):
    return (x * x).sum(-1, keepdims=True) + (w * w).sum(-1) - 2 * x @ w.T


def np_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def np_kurtosis(x):
    apart = x - x.mean(-1, keepdims=True)
    return (apart**4).mean(-1, keepdims=True) / x.var(-1, ddof=1, keepdims=True) ** 2


def np_spread(x):
    return abs(x - x.mean(-1, keepdims=True)).max(-1, keepdims=True)


PROGRAMS = {
    "root mean": (lambda x, w: root_mean(x) @ w.T, lambda x, w: np_root_mean(x) @ w.T),
    "layer norm": (
        lambda x, w: x.layernorm() @ w.T,
        lambda x, w: np_layer_norm(x) @ w.T,
    ),
    "residual": (lambda x, w: (root_mean(x) + x) @ w.T, lambda x, w: (np_root_mean(x) + x) @ w.T),
    "softmax": (lambda x, w: x.softmax(-1) @ w.T, lambda x, w: np_softmax(x) @ w.T),
    "columns": (lambda x, w: w.softmax(-1) @ x.T, lambda x, w: np_softmax(w) @ x.T),
    "scaled": (
        lambda x, w: (x @ w.T) * (x.square().mean(-1, keepdim=True) + EPSILON).rsqrt(),
        lambda x, w: np_root_mean(x) @ w.T,
    ),
    "spread": (
        lambda x, w: (x @ w.T) * (x - x.mean(-1, keepdim=True)).abs().max(-1, keepdim=True),
        lambda x, w: (x @ w.T) * np_spread(x),
    ),
    "variance": (
        lambda x, w: (x @ w.T) * x.var(-1, keepdim=True),
        lambda x, w: (x @ w.T) * x.var(-1, ddof=1, keepdims=True),
    ),
    "kurtosis": (
        lambda x, w: (x @ w.T) * kurtosis(x),
        lambda x, w: (x @ w.T) * np_kurtosis(x),
    ),
    "position": (
        lambda x, w: (x @ w.T) + x.argmax(-1, keepdim=True),
        lambda x, w: (x @ w.T) + x.argmax(-1)[:, None],
    ),
    "small product": (
        lambda x, w: (x @ w.T) * (x @ w[:7].T).sum(-1, keepdim=True),
        lambda x, w: (x @ w.T) * (x @ w[:7].T).sum(-1, keepdims=True),
    ),
    "distances": (squares, np_squares),
    "nearest": (lambda x, w: squares(x, w).min(-1), lambda x, w: np_squares(x, w).min(-1)),
    "gated": (
        lambda x, w: (root_mean(x) @ w.T).sigmoid() * (root_mean(x) @ (w + 1).T),
        lambda x, w: (np_root_mean(x) @ (w + 1).T) / (1 + np.exp(-np_root_mean(x) @ w.T)),
    ),
}
SIZES = [(5, 7, 11), (64, 128, 1000), (16, 768, 3072), (65, 131, 20011), (1000, 1500, 1000)]


def operands(rng, rows, length, columns):
    x, w = rng.normal(size=(rows, length)), rng.normal(size=(columns, length))
    return x.astype(np.float32), w.astype(np.float32)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_are_reduced_beside_a_product_of_any_size(name, size, rng):
    x, w = operands(rng, *size)
    program, by_numpy = PROGRAMS[name]
    expected = by_numpy(x.astype(np.float64), w.astype(np.float64))
    result = program(Tensor(x), Tensor(w)).numpy()
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5 * abs(expected).max())


@pytest.mark.parametrize(
    "name", ["root mean", "layer norm", "scaled", "distances", "spread", "variance", "kurtosis"]
)
def test_the_kernel_of_a_large_product_reduces_nothing_else(name, rng):
    x, w = (Tensor(a).realize() for a in operands(rng, 64, 256, 2048))
    last = PROGRAMS[name][0](x, w).schedule()[-1].ast
    assert sum(n.op is Ops.REDUCE for n in last.toposort()) == 1


@pytest.mark.parametrize("name", ["root mean", "distances", "nearest"])
def test_slopes_beside_a_large_product(name, rng):
    """Along one direction, by differences of numpy's values in f64."""
    x, w = operands(rng, 16, 300, 3000)
    direction = rng.normal(size=x.shape)
    program, by_numpy = PROGRAMS[name]
    y = Tensor(x, requires_grad=True)
    program(y, Tensor(w)).sum().backward()
    wide, step = w.astype(np.float64), 1e-6
    ahead, behind = (by_numpy(x + s * direction, wide).sum() for s in (step, -step))
    slope = (y.grad.numpy().astype(np.float64) * direction).sum()
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * step), rtol=1e-3)
