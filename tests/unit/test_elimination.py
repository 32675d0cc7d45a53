"""Elimination by kernels: LU factors with the largest pivots, and what is made of them."""

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Context, Tensor, function, jit
from rulewright.ir.dtypes import dtypes
from rulewright.tensor.elimination import PANEL, PANELS, node_factors, padded
from rulewright.tensor.lu import STEPS, has_factors

SIZES = [1, 2, PANEL, PANEL + 1, PANEL * PANELS, PANEL * PANELS + 1, 5 * PANEL]
LARGE = STEPS + 1


def mixed(rng, *shape):
    """Matrices whose largest pivots are not on their diagonals."""
    return rng.normal(size=shape) * np.exp(rng.normal(size=shape))


def slope(fxn, matrix):
    x = Tensor(matrix, requires_grad=True)
    (found,) = fxn(x).gradient(x)
    return x, found


@pytest.mark.parametrize("size", SIZES)
def test_solutions_inverses_and_determinants_are_numpys(rng, size):
    a, b = mixed(rng, 2, size, size), rng.normal(size=(2, size, 3))
    x, y = Tensor(a), Tensor(b)
    scale = np.linalg.cond(a).max()
    np.testing.assert_allclose(x.solve(y).numpy(), np.linalg.solve(a, b), 1e-14 * scale, 1e-12)
    np.testing.assert_allclose(x.inverse().numpy(), np.linalg.inv(a), 1e-14 * scale, 1e-12)
    np.testing.assert_allclose(x.det().numpy(), np.linalg.det(a), 1e-10)
    sign, logarithm = x.slogdet()
    np.testing.assert_array_equal(sign.numpy(), np.linalg.slogdet(a)[0])
    np.testing.assert_allclose(logarithm.numpy(), np.linalg.slogdet(a)[1], 1e-11, 1e-11)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_the_interpreter_follows_their_kernels_through_all_stages(rng, size):
    a, b = mixed(rng, 2, size, size), rng.normal(size=(2, size, 3))
    with Context(VERIFY=2, CACHE=0):
        x, y = Tensor(a), Tensor(b)
        np.testing.assert_allclose(x.solve(y).numpy(), np.linalg.solve(a, b), 1e-10, 1e-10)
        np.testing.assert_allclose(x.det().numpy(), np.linalg.det(a), 1e-10)


@pytest.mark.parametrize("kind", [dtypes.f32, dtypes.f64])
@pytest.mark.parametrize("size", [2, 7, 2 * PANEL, 3 * PANEL])
def test_factors_have_the_largest_pivots(rng, size, kind):
    """L U is the matrix with exchanged rows, and no element of L is larger than 1."""
    assert padded(size) == size
    a = Tensor(mixed(rng, 3, size, size), dtype=kind)
    found = [a._make(node, a.device).numpy() for node in node_factors(a.uop, a.device)]
    lu, order, sign = found
    lower, upper = np.tril(lu, -1) + np.eye(size), np.triu(lu)
    rows = np.take_along_axis(a.numpy(), order[:, :, None], 1)
    np.testing.assert_allclose(lower @ upper, rows, 1e-4 if kind is dtypes.f32 else 1e-12, 1e-3)
    assert abs(lower).max() <= 1
    for each, exchanged in zip(order, sign, strict=True):
        assert np.linalg.det(np.eye(size)[each]) == pytest.approx(exchanged)


@pytest.mark.parametrize("size", SIZES)
def test_cholesky_factors_are_numpys(rng, size):
    a = rng.normal(size=(2, size, size))
    a = a @ a.swapaxes(-1, -2) + np.eye(size)
    np.testing.assert_allclose(Tensor(a).cholesky().numpy(), np.linalg.cholesky(a), 1e-11, 1e-12)
    a[1, size // 2, size // 2] = -1
    found = Tensor(a).cholesky().numpy()
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).any()


def test_right_sides_of_many_columns_and_a_vector(rng):
    a = mixed(rng, 3, 20, 20)
    for columns in (1, 9, 16, 17, 40):
        b = rng.normal(size=(20, columns))
        near = pytest.approx(np.linalg.solve(a, np.stack([b] * 3)), 1e-6, 1e-8)
        assert Tensor(a).solve(Tensor(b)).numpy() == near
    v = rng.normal(size=(3, 20))
    exact = np.linalg.solve(a, v[..., None])[..., 0]
    np.testing.assert_allclose(Tensor(a).solve(Tensor(v)).numpy(), exact, 1e-6, 1e-8)


@pytest.mark.parametrize("size", [5, 40])
def test_singular_matrices_have_no_solution_and_a_determinant_of_zero(size, rng):
    a = mixed(rng, 2, size, size)
    a[0, 3] = 0
    a[1] = 0
    x = Tensor(a)
    assert not np.isfinite(x.inverse().numpy()).all((1, 2)).any()
    np.testing.assert_array_equal(x.det().numpy(), [0, 0])
    zeros = Tensor(np.zeros((size, size)))
    assert [t.item() for t in zeros.slogdet()] == [0, -np.inf]


@pytest.mark.parametrize("size", [4, 33])
def test_nan_reaches_what_is_computed_of_it(size, rng):
    a = mixed(rng, 2, size, size)
    a[0, size // 2, 1] = np.nan
    x = Tensor(a)
    np.testing.assert_array_equal(np.isnan(x.det().numpy()), [True, False])
    assert np.isnan(x.inverse().numpy()).any((1, 2)).tolist() == [True, False]
    np.testing.assert_allclose(x.inverse().numpy()[1], np.linalg.inv(a[1]), 1e-7, 1e-7)


@pytest.mark.parametrize("size", [STEPS, LARGE])
@pytest.mark.parametrize("name", ["det", "slogdet", "inverse", "solve", "cholesky"])
def test_slopes_and_slopes_of_slopes(rng, name, size):
    a, way = (rng.normal(size=(2, size, size)) / size**0.5 for _ in range(2))
    a += np.eye(size) * 2
    weights, right = Tensor(rng.normal(size=a.shape)), Tensor(rng.normal(size=(2, size, 2)))
    fxn = {
        "cholesky": lambda x: ((x @ x.mT).cholesky() * weights).sum(),
        "det": lambda x: x.det().sum(),
        "slogdet": lambda x: x.slogdet()[1].sum(),
        "inverse": lambda x: (x.inverse() * weights).sum(),
        "solve": lambda x: x.mT.solve(right * x[..., :1]).square().sum(),
    }[name]

    def near(at):
        ends = [at(a + step * way) for step in (1e-6, -1e-6)]
        return (ends[0] - ends[1]) / 2e-6

    x, first = slope(fxn, a)
    exact = near(lambda m: fxn(Tensor(m)).item())
    np.testing.assert_allclose((first.numpy() * way).sum(), exact, 1e-5, 1e-5)
    (second,) = (first * weights).sum().gradient(x)
    exact = near(lambda m: (slope(fxn, m)[1] * weights).sum().item())
    np.testing.assert_allclose((second.numpy() * way).sum(), exact, 1e-4, 1e-4)


@pytest.mark.parametrize(
    ("size", "of"), in_turn([1, 3, LARGE], ["cholesky", "upper", "eigh L", "eigh U"])
)
def test_the_slope_of_a_symmetric_matrix_is_symmetric(rng, size, of):
    """Although one half alone is read: a step along it leaves the matrix symmetric."""
    a, way = (rng.normal(size=(2, size, size)) for _ in range(2))
    a, way = a @ a.swapaxes(1, 2) + np.eye(size), way + way.swapaxes(1, 2)
    weights = Tensor(rng.normal(size=a.shape))
    fxn = {
        "cholesky": lambda x: (x.cholesky() * weights).sum(),
        "upper": lambda x: (x.cholesky(upper=True) * weights).sum(),
        "eigh L": lambda x: (x.eigh()[0] * weights[:, 0]).sum(),
        "eigh U": lambda x: (x.eigh(UPLO="U")[0] * weights[:, 0]).sum(),
    }[of]
    found = slope(fxn, a)[1].numpy()
    np.testing.assert_allclose(found, found.swapaxes(1, 2), 1e-9, 1e-9)
    ends = [fxn(Tensor(a + step * way)).item() for step in (1e-6, -1e-6)]
    np.testing.assert_allclose((found * way).sum(), (ends[0] - ends[1]) / 2e-6, 1e-5, 1e-5)


@pytest.mark.parametrize("size", [3, STEPS, LARGE, 40])
def test_the_slope_of_a_determinant_of_zero_is_the_matrix_of_cofactors(size, rng):
    """Which of a matrix of rank n - 1 is made of the vectors that it and its transpose map to 0."""
    a = rng.normal(size=(2, size, size))
    a[0, :, 1], a[1, size // 2] = a[0, :, 0], 0
    u, s, v = np.linalg.svd(a)
    share = np.linalg.det(u) * np.linalg.det(v) * s[:, :-1].prod(-1)
    exact = share[:, None, None] * u[:, :, -1:] * v[:, -1:]
    found = slope(lambda x: x.det().sum(), a)[1].numpy()
    np.testing.assert_allclose(found, exact, 1e-8, abs(exact).max() * 1e-11)


def test_they_go_into_functions_and_captures(rng):
    captured = jit(lambda x: (x.inverse() + x.det()).realize())
    called = function(lambda x: x.inverse() + x.det())
    for _ in range(3):
        a = mixed(rng, LARGE, LARGE)
        exact = np.linalg.inv(a) + np.linalg.det(a)
        for found in (captured(Tensor(a).realize()), called(Tensor(a))):
            np.testing.assert_allclose(found.numpy(), exact, 1e-7, 1e-7)


def test_threads_share_the_matrices(rng):
    a = mixed(rng, 500, 6, 6)
    with Context(THREADS=3):
        inverse = Tensor(a).inverse()
        sources = [item.lower().source for item in inverse.schedule() if item.lower()]
        assert any("factor_500_6" in s and "long t0 = begin; t0 < end" in s for s in sources)
        np.testing.assert_allclose(inverse.numpy(), np.linalg.inv(a), 1e-6, 1e-6)


def test_a_kernel_of_a_large_matrix_is_no_longer_than_that_of_a_small_one(rng):
    def lines(size):
        items = Tensor(rng.normal(size=(size, size))).det().schedule()
        programs = [p for p in (item.lower() for item in items) if p]
        return [p.source.count("\n") for p in programs if p.name == f"factor_1_{size}"]

    assert len(lines(3 * PANEL)) == 1 and lines(3 * PANEL) == lines(9 * PANEL)


def test_where_loops_run_in_any_order_there_are_steps():
    assert has_factors(Tensor.eye(3, device="C"))
    assert not has_factors(Tensor.eye(3, device="INTERP"))
    assert not has_factors(Tensor.eye(1, device="C"))
