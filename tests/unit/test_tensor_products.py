"""Matrix products, convolutions, pools and losses against direct sums in numpy."""

from itertools import product

import numpy as np
import pytest
from arrays import closeness, normal

from rulewright import Tensor, dtypes
from rulewright.errors import DTypeError, ShapeError, UsageError

close = closeness(1e-5, 1e-5)


SHAPES = [
    ((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)),
    ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((1, 1), (1, 1)), ((3, 0), (0, 5)),
    ((0, 4), (4, 5)), ((7, 13), (13, 11)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SHAPES, ids=str)
def test_matmul(rng, a, b):
    x, y = normal(rng, *a), normal(rng, *b)
    found = (Tensor(x) @ Tensor(y)).numpy()
    assert found.shape == (x @ y).shape
    close(found, x @ y)


def test_matmul_of_views_and_arrays(rng):
    x, y = normal(rng, 5, 3), normal(rng, 5, 4)
    close((Tensor(x).T @ Tensor(y)).numpy(), x.T @ y)
    close((Tensor(x)[::2].T @ y[::2]).numpy(), x[::2].T @ y[::2])
    close((x.T @ Tensor(y)).numpy(), x.T @ y)


def test_matmul_dtypes(rng):
    a, b = (rng.integers(-9, 9, size=(4, 4)) for _ in range(2))
    found = Tensor(a) @ Tensor(b)
    assert found.dtype is dtypes.i64 and (found.numpy() == a @ b).all()
    assert (Tensor(a).half() @ Tensor(b).half()).dtype is dtypes.f16
    assert (Tensor(a, dtype="int8") @ Tensor(b).float()).dtype is dtypes.f32


def test_narrow_matmul_accumulates_in_float32(rng):
    a, b = normal(rng, 8, 256).astype(np.float16), normal(rng, 256, 8).astype(np.float16)
    found = (Tensor(a) @ Tensor(b)).numpy()
    exact = a.astype(np.float64) @ b.astype(np.float64)
    close(found, exact.astype(np.float16), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("kind", "shape"), [
    ("f4", (300, 4100)), ("f4", (1030, 2064)), ("f8", (300, 2064)), ("f2", (1030, 1040)),
    ("i1", (300, 4100)),
])  # fmt: skip
def test_sums_over_the_rows_of_a_large_matrix(rng, kind, shape):
    """Rows on pages of their own are read side by side."""
    whole = kind.startswith("i")
    w = rng.integers(-9, 9, shape).astype(kind) if whole else rng.normal(size=shape).astype(kind)
    v = w[:, 0].copy()
    wide = np.int64 if whole else np.float64
    matrix, vector = Tensor(w), Tensor(v)
    found = [matrix.sum(0), matrix.max(0), (matrix * 2)[1:].sum(0), vector @ matrix]
    exact = w.astype(wide)
    wanted = [exact.sum(0), w.max(0), (2 * exact)[1:].sum(0), v.astype(wide) @ exact]
    Tensor.realize(*found)
    rough = {"f4": 1e-4, "f8": 1e-11, "f2": 3e-2}.get(kind, 0)
    for ours, theirs in zip(found, wanted, strict=True):
        theirs = theirs.astype(ours.numpy().dtype) if whole else theirs
        close(ours.numpy(), theirs, rtol=rough, atol=rough * 40)


def convolution(x, w, stride, dilation, pads, groups):
    """The definition, one output element at a time."""
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    window = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    outs = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], window, stride, strict=True)]
    found = np.zeros((x.shape[0], w.shape[0], *outs))
    inner, per_group = w.shape[1], w.shape[0] // groups
    for place in product(*map(range, outs)):
        cut = [
            slice(p * s, p * s + k, d)
            for p, s, k, d in zip(place, stride, window, dilation, strict=True)
        ]
        for out in range(w.shape[0]):
            first = out // per_group * inner
            part = x[(slice(None), slice(first, first + inner), *cut)]
            found[(slice(None), out, *place)] = (part * w[out]).reshape(len(x), -1).sum(1)
    return found


CONVOLUTIONS = [
    {}, {"padding": 1}, {"stride": 2}, {"stride": 3, "padding": 2}, {"dilation": 2},
    {"groups": 2}, {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2)},
    {"padding": [1, 0, 2, 1]},
]  # fmt: skip


@pytest.mark.parametrize("options", CONVOLUTIONS, ids=str)
def test_conv2d(rng, options):
    groups = options.get("groups", 1)
    x, w, b = normal(rng, 2, 4, 7, 6), normal(rng, 6, 4 // groups, 3, 2), normal(rng, 6)

    def both(name, default):
        value = options.get(name, default)
        return (value, value) if isinstance(value, int) else tuple(value)

    pads = options.get("padding", 0)
    if isinstance(pads, list):
        left, right, top, bottom = pads
        pairs = [(top, bottom), (left, right)]
    else:
        pairs = [(p, p) for p in both("padding", 0)]
    expected = convolution(x, w, both("stride", 1), both("dilation", 1), pairs, groups)
    found = Tensor(x).conv2d(Tensor(w), Tensor(b), **options).numpy()
    close(found, expected + b.reshape(-1, 1, 1), rtol=1e-4, atol=1e-4)


def test_convolution_over_one_and_three_axes(rng):
    x, w = normal(rng, 2, 3, 9), normal(rng, 4, 3, 4)
    close(Tensor(x).conv2d(Tensor(w)).numpy(), convolution(x, w, [1], [1], [(0, 0)], 1), 1e-4)
    x, w = normal(rng, 1, 2, 4, 5, 3), normal(rng, 2, 2, 2, 2, 2)
    expected = convolution(x, w, [1] * 3, [1] * 3, [(0, 0)] * 3, 1)
    close(Tensor(x).conv2d(Tensor(w)).numpy(), expected, 1e-4)


def windows(x, size, stride, fill, pads):
    x = np.pad(x, [(0, 0)] * 2 + [(p, p) for p in pads], constant_values=fill)
    rows, columns = ((n - k) // s + 1 for n, k, s in zip(x.shape[2:], size, stride, strict=True))
    for r, c in product(range(rows), range(columns)):
        top, left = r * stride[0], c * stride[1]
        yield (r, c), x[:, :, top : top + size[0], left : left + size[1]]


@pytest.mark.parametrize(
    ("size", "stride", "pads"),
    [((2, 2), (2, 2), (0, 0)), ((3, 3), (1, 1), (1, 1)), ((3, 2), (2, 3), (1, 0)),
     ((1, 1), (1, 1), (0, 0)), ((2, 2), (3, 3), (0, 0))],
)  # fmt: skip
def test_pools(rng, size, stride, pads):
    x = normal(rng, 2, 3, 7, 8)
    largest = Tensor(x).max_pool2d(size, stride, padding=pads).numpy()
    for (r, c), part in windows(x, size, stride, -np.inf, pads):
        close(largest[:, :, r, c], part.max((2, 3)))
    mean = Tensor(x).avg_pool2d(size, stride, padding=pads).numpy()
    for (r, c), part in windows(x, size, stride, 0, pads):
        close(mean[:, :, r, c], part.mean((2, 3)))
    inside = Tensor(x).avg_pool2d(size, stride, padding=pads, count_include_pad=False).numpy()
    for (r, c), part in windows(x, size, stride, np.nan, pads):
        close(inside[:, :, r, c], np.nanmean(part, (2, 3)))


def test_max_pool_of_integers_pads_with_the_smallest():
    x = np.full((1, 1, 2, 2), -5, np.int32)
    assert Tensor(x).max_pool2d(2, 1, padding=1).numpy().max() == -5


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (lambda t: t @ t, ShapeError, "the last axis of the first, 3, must equal"),
        (lambda t: t @ 2, ShapeError, "expected 1 axis or more on both sides"),
        (lambda t: t.bool() @ t.bool().T, DTypeError, "expected numbers, found bool"),
        (lambda t: t.conv2d(t), ShapeError, "expected x"),
        (lambda t: t.reshape(1, 2, 3, 1).conv2d(Tensor.ones(1, 3, 1, 1)), ShapeError, "2 channels"),
        (
            lambda t: t.reshape(1, 2, 3, 1).conv2d(Tensor.ones(1, 2, 9, 1)),
            ShapeError,
            "window of 9",
        ),
        (lambda t: t.max_pool2d(5), ShapeError, "window of 5 does not fit"),
        (lambda t: t.max_pool2d(0), UsageError, "kernel_size must be a whole number of 1 or more"),
    ],
)
def test_what_does_not_fit_says_so(bad, error, message):
    with pytest.raises(error, match=message):
        bad(Tensor([[1.0, 2, 3], [4, 5, 6]]))


# ---- losses -----------------------------------------------------------------------------------


def log_softmax(x, axis):
    x = x - x.max(axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


def test_cross_entropy(rng):
    x, target = normal(rng, 5, 7), rng.integers(0, 7, 5)
    logs = log_softmax(x.astype(np.float64), 1)
    losses = -logs[np.arange(5), target]
    t = Tensor(x)
    close(t.cross_entropy(Tensor(target)).item(), losses.mean())
    close(t.cross_entropy(Tensor(target), "sum").item(), losses.sum())
    close(t.cross_entropy(Tensor(target), "none").numpy(), losses)
    smooth = 0.9 * losses - 0.1 * logs.mean(1)
    close(t.cross_entropy(Tensor(target), label_smoothing=0.1).item(), smooth.mean())
    some = target.copy()
    some[[0, 3]] = -100
    close(t.cross_entropy(Tensor(some)).item(), losses[[1, 2, 4]].mean())
    soft = np.eye(7, dtype=np.float32)[target]
    close(t.cross_entropy(Tensor(soft)).item(), losses.mean())
    close(t.log_softmax(1).nll_loss(Tensor(target)).item(), losses.mean())
    close(t.sparse_categorical_crossentropy(Tensor(target)).item(), losses.mean())


def test_cross_entropy_of_images(rng):
    x, target = normal(rng, 2, 5, 3, 4), rng.integers(0, 5, (2, 3, 4))
    logs = log_softmax(x.astype(np.float64), 1)
    expected = -np.take_along_axis(logs, target[:, None], 1).mean()
    close(Tensor(x).cross_entropy(Tensor(target)).item(), expected)


def test_other_losses(rng):
    x, y = normal(rng, 6), rng.integers(0, 2, 6).astype(np.float32)
    p = 1 / (1 + np.exp(-x.astype(np.float64)))
    expected = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    close(Tensor(x).sigmoid().binary_crossentropy(Tensor(y)).item(), expected.mean())
    close(Tensor(x).binary_crossentropy_logits(Tensor(y), "none").numpy(), expected)
    assert Tensor([1000.0]).binary_crossentropy_logits(Tensor([0.0])).item() == 1000
    assert Tensor([1.0]).binary_crossentropy(Tensor([0.0])).item() == 100
    close(Tensor(x).mse_loss(Tensor(y)).item(), ((x - y) ** 2).mean())
    close(Tensor(x).l1_loss(Tensor(y), "sum").item(), np.abs(x - y).sum())
    gap = np.abs(x - y)
    huber = np.where(gap < 1, 0.5 * gap**2, gap - 0.5)
    close(Tensor(x).huber_loss(Tensor(y)).item(), huber.mean())


def test_bad_losses():
    x = Tensor.zeros(4, 3)
    with pytest.raises(ShapeError, match=r"need class numbers of shape \(4,\)"):
        x.cross_entropy(Tensor([1, 2, 3]))
    with pytest.raises(UsageError, match="'mean', 'sum' or 'none', found 'max'"):
        x.mse_loss(x, "max")
    with pytest.raises(ShapeError, match="must have one shape"):
        x.mse_loss(Tensor([1.0]))
    with pytest.raises(DTypeError, match="targets are class numbers"):
        x.nll_loss(Tensor([1.0]))
