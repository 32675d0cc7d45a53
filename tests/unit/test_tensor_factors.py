"""Factors, inverses and determinants: loops of equal steps, which are scheduled once."""

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor, Variable, function, jit
from rulewright.errors import ShapeError
from rulewright.tensor import cholesky, lu
from rulewright.tensor.matrix_steps import repeated

SIZES = [1, 2, 3, 5, 26]  # fewer steps than are worth a function, and more


def positive(rng, *shape):
    a = rng.normal(size=shape)
    return a @ a.swapaxes(-1, -2) + np.eye(shape[-1]) * shape[-1]


METHODS = {
    "det": (lambda x: x.det(), np.linalg.det),
    "inverse": (lambda x: x.inverse(), np.linalg.inv),
    "cholesky": (lambda x: x.cholesky(), np.linalg.cholesky),
    "solve": (lambda x: x.solve(x[..., 0]), lambda a: np.linalg.solve(a, a[..., :1])[..., 0]),
    "qr": (lambda x: (lambda q, r: q @ r)(*x.qr()), lambda a: a),
    "r": (lambda x: x.qr()[1].abs(), lambda a: np.abs(np.linalg.qr(a)[1])),
    "svd": (lambda x: x.svd()[1], lambda a: np.linalg.svd(a)[1]),
}


@pytest.fixture
def in_steps(monkeypatch):
    """As where loops run in any order."""
    monkeypatch.setattr(lu, "has_factors", lambda a: False)


@pytest.mark.parametrize(("size", "name", "steps"), in_pairs(SIZES, METHODS, [False, True]))
def test_values_are_numpys(rng, name, size, steps, monkeypatch):
    if steps:
        monkeypatch.setattr(lu, "has_factors", lambda a: False)
    ours, theirs = METHODS[name]
    size = min(size, 6) if name == "svd" else size  # whose steps are many more
    a = positive(rng, 2, size, size)
    np.testing.assert_allclose(ours(Tensor(a)).numpy(), theirs(a), 1e-9, 1e-9)


@pytest.mark.parametrize("name", ["det", "qr", "svd"])
def test_they_go_into_functions_and_captures(rng, name):
    ours, theirs = METHODS[name]
    called = function(lambda x: ours(x) * 2)
    precompiled = function(precompile=True)(called)
    captured = jit(lambda x: ours(x * 2).realize())
    size = 6 if name == "svd" else 25
    for _ in range(3):
        a = positive(rng, size, size)
        for found in (called(Tensor(a)), precompiled(Tensor(a))):
            np.testing.assert_allclose(found.numpy(), theirs(a) * 2, 1e-9, 1e-9)
        np.testing.assert_allclose(captured(Tensor(a).realize()).numpy(), theirs(2 * a), 1e-9, 1e-9)


@pytest.mark.parametrize(("name", "size"), [
    ("det", 2), ("inverse", 2), ("cholesky", 25), ("solve", 2),
])  # fmt: skip
def test_slopes_and_slopes_of_slopes(rng, name, size, in_steps):
    ours, _ = METHODS[name]
    a, way = positive(rng, size, size), positive(rng, size, size) / 20
    weights = rng.normal(size=way.shape)

    def slope(matrix):
        x = Tensor(matrix, requires_grad=True)
        (found,) = ours(x).log().sum().gradient(x) if name == "det" else ours(x).sum().gradient(x)
        return x, found

    def loss(matrix):
        y = ours(Tensor(matrix))
        return (y.log() if name == "det" else y).sum().item()

    x, first = slope(a)
    near = (loss(a + 1e-5 * way) - loss(a - 1e-5 * way)) / 2e-5
    np.testing.assert_allclose((first.numpy() * way).sum(), near, 1e-5, 1e-8)
    (second,) = (first * Tensor(weights)).sum().gradient(x)
    ends = [(slope(a + step * way)[1].numpy() * weights).sum() for step in (1e-5, -1e-5)]
    np.testing.assert_allclose((second.numpy() * way).sum(), (ends[0] - ends[1]) / 2e-5, 1e-5, 1e-8)


def test_a_larger_matrix_has_more_steps_and_no_more_kernels_to_compile(rng, in_steps):
    schedules = [Tensor(positive(rng, n, n)).cholesky().schedule() for n in (24, 60)]
    steps, kernels = zip(*((len(items), len({i.ast for i in items})) for items in schedules),
                         strict=True)  # fmt: skip
    assert steps[1] > 2 * steps[0] and kernels[0] == kernels[1]


@pytest.mark.parametrize("size", [5, 8, 11, 16, 23])
def test_cholesky_factors_of_large_matrices_are_made_of_blocks(size, rng, monkeypatch, in_steps):
    """Values and slopes, of blocks of four columns, the last of fewer, in up to three levels."""
    monkeypatch.setattr(cholesky, "BLOCK", 4)
    a, way = positive(rng, 2, size, size), positive(rng, 2, size, size) / 20
    x = Tensor(a, requires_grad=True)
    lower = x.cholesky()
    np.testing.assert_allclose(lower.numpy(), np.linalg.cholesky(a), 1e-12, 1e-12)
    upper = np.linalg.cholesky(a).swapaxes(-1, -2)
    np.testing.assert_allclose(x.cholesky(upper=True).numpy(), upper, 1e-12, 1e-12)
    weights = rng.normal(size=a.shape)
    (slope,) = (lower * Tensor(weights)).sum().gradient(x)
    ends = [(np.linalg.cholesky(a + step * way) * weights).sum() for step in (1e-6, -1e-6)]
    np.testing.assert_allclose((slope.numpy() * way).sum(), (ends[0] - ends[1]) / 2e-6, 1e-6)


def test_a_matrix_that_is_not_positive_has_no_factor_whatever_block_shows_it(
    rng, monkeypatch, in_steps
):
    monkeypatch.setattr(cholesky, "BLOCK", 4)
    a = positive(rng, 2, 13, 13)
    a[1, 9, 9] = -1
    found = Tensor(a).cholesky().numpy()
    np.testing.assert_allclose(found[0], np.linalg.cholesky(a[0]), 1e-12, 1e-12)
    assert np.isnan(found[1]).any()


@pytest.mark.parametrize("size", [65, 130])
def test_cholesky_factors_with_the_blocks_as_they_are(size, rng, in_steps):
    a = positive(rng, size, size)
    np.testing.assert_allclose(Tensor(a).cholesky().numpy(), np.linalg.cholesky(a), 1e-12, 1e-12)


def test_equal_steps_are_traced_from_one_result_to_the_next():
    """The first state is a constant of the steps too, which have to tell the one from the other."""
    one, traced = Tensor(1.0), []

    def step(fibonacci, before):
        traced.append(fibonacci)
        return (fibonacci + before * one).contiguous(), fibonacci.contiguous()

    value, before = repeated(20, step, one, Tensor(0.0))
    assert (value.item(), before.item()) == (10946, 6765)
    assert len(traced) < 6


def test_steps_that_swap_their_states_are_traced_each_time():
    value, other = repeated(5, lambda a, b: (b, (a * 2).contiguous()), Tensor([1.0]), Tensor([3.0]))
    assert (value.item(), other.item()) == (3 * 4, 1 * 8)


@pytest.mark.parametrize(
    "name", ["cholesky", "det", "eigh", "inverse", "pinv", "qr", "slogdet", "svd"]
)
def test_sizes_of_matrices_are_known(name):
    n = Variable("n", 1, 8).bind(3)
    x = Tensor.ones(8, 8)[:n, :n]
    with pytest.raises(ShapeError, match=rf"{name}: expected matrices of known sizes.*\(n, n\)"):
        getattr(x, name)()
    with pytest.raises(ShapeError, match="solve: expected matrices of known sizes"):
        x.solve(x)


def test_a_matrix_that_is_known_is_squared_as_often_as_its_exponential_needs(rng):
    counts = []
    for norm in (0.5, 3.0, 100.0):
        matrix = rng.normal(size=(3, 3))
        matrix += matrix.T
        matrix *= norm / np.abs(matrix).sum(0).max()
        numbers, vectors = np.linalg.eigh(matrix)
        expected = vectors * np.exp(numbers) @ vectors.T
        x = Tensor(matrix, device="INTERP")
        known, computed = x.matrix_exp(), (x * 2 - x).matrix_exp()
        counts.append([len(each.schedule()) for each in (known, computed)])
        for each in (known, computed):
            tolerance = 1e-12 * np.abs(expected).max()
            np.testing.assert_allclose(each.numpy(), expected, rtol=1e-12, atol=tolerance)
    few, some, many = (known for known, _ in counts)
    assert few < some < many < min(computed for _, computed in counts)
