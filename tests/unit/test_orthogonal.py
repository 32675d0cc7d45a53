"""Orthogonal factors by kernels: Q and R, eigenvalues and singular values, beside numpy's."""

import numpy as np
import pytest
from pairs import in_pairs, in_turn

from rulewright import Context, Tensor, Variable, jit
from rulewright.codegen.lower import lowering_stages
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.tensor import lu
from rulewright.tensor.elimination import PANEL

SHAPES = [(1, 4), (2, 2), (2, 5), (5, 2), (PANEL, PANEL), (PANEL + 1, 3), (3, PANEL + 1),
          (2 * PANEL + 1, 2 * PANEL), (2 * PANEL, 3 * PANEL + 5)]  # fmt: skip
SIZES = [2, 3, 7, PANEL, PANEL + 1, 3 * PANEL]
KINDS = [dtypes.f32, dtypes.f64]


def eps(kind):
    return float(np.finfo(kind.name.replace("f", "float")).eps)


def of_kind(kind, rng, *shape):
    """Plain matrices, and those of other sizes, of rank 1, and with a column of zeros."""
    a = rng.normal(size=(6, *shape))
    a[1] *= 1e15
    a[2] *= 1e-15
    a[3] = a[3, :, :1] @ a[3, :1]
    a[4, :, shape[-1] // 2] = 0
    a[5] = 1
    return Tensor(a, dtype=kind)


def assert_near(found, exact, kind, most=64):
    """Up to so many units in the last place of the largest singular value."""
    scale = np.linalg.norm(exact, 2, (1, 2), keepdims=True)
    scale[scale == 0] = 1
    np.testing.assert_allclose(found / scale, exact / scale, 0, most * eps(kind))


def assert_orthogonal(q, kind):
    unit = np.broadcast_to(np.eye(q.shape[-1]), (len(q), q.shape[-1], q.shape[-1]))
    assert_near(q.swapaxes(-1, -2) @ q, unit, kind)


def wide(*tensors):
    return [t.numpy().astype(np.float64) for t in tensors]


@pytest.mark.parametrize(("shape", "full", "kind"), in_pairs(SHAPES, [True, False], KINDS))
def test_q_and_r(rng, shape, full, kind):
    a = of_kind(kind, rng, *shape)
    q, r = wide(*a.qr(full_matrices=full))
    assert_near(q @ r, *wide(a), kind)
    assert_orthogonal(q, kind)
    assert not np.tril(r, -1).any()
    exact = np.linalg.qr(wide(a)[0][0], "complete" if full else "reduced")
    np.testing.assert_allclose(q[0], exact[0], 0, 1e4 * eps(kind))
    np.testing.assert_allclose(r[0], exact[1], 0, 1e5 * eps(kind))


@pytest.mark.parametrize(("size", "kind"), in_turn(SIZES, KINDS))
def test_eigenvalues_and_vectors(rng, size, kind):
    a = of_kind(kind, rng, size, size)
    a = a + a.mT
    values, vectors = wide(*a.eigh())
    assert_orthogonal(vectors, kind)
    assert_near(vectors * values[:, None] @ vectors.swapaxes(-1, -2), *wide(a), kind)
    exact = np.linalg.eigvalsh(wide(a)[0])
    assert_near(values[:, None], exact[:, None], kind)
    assert (np.diff(values) >= 0).all()


@pytest.mark.parametrize(("shape", "full", "kind"), in_pairs(SHAPES, [True, False], KINDS))
def test_singular_values_and_vectors(rng, shape, full, kind):
    a, least = of_kind(kind, rng, *shape), min(shape)
    u, s, v = wide(*a.svd(full_matrices=full))
    assert_orthogonal(u, kind)
    assert_orthogonal(v.swapaxes(-1, -2), kind)
    assert_near(u[..., :least] * s[:, None] @ v[:, :least], *wide(a), kind)
    assert_near(s[:, None], np.linalg.svd(*wide(a), compute_uv=False)[:, None], kind)
    assert (np.diff(s) <= 0).all() and (s >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_equal_graded_and_zero(rng, kind):
    n = 2 * PANEL + 3
    q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    grades = 10.0 ** -np.linspace(0, 30, n)
    equal = q @ (np.repeat([3.0, -1, 0, 2, 5], 7)[:n, None] * q.T)
    few = np.eye(n, k=1)
    graded = rng.normal(size=(n, n)) * grades * grades[:, None]
    for a in (equal, few, graded, graded[::-1, ::-1], np.zeros((n, n)), np.eye(n)):
        x = Tensor(a[None], dtype=kind)
        u, s, v = wide(*x.svd())
        assert_near(u * s[:, None] @ v, *wide(x), kind)
        assert_orthogonal(u, kind)
        assert_orthogonal(v, kind)
        values, vectors = wide(*(x + x.mT).eigh())
        assert_near(vectors * values[:, None] @ vectors.swapaxes(-1, -2), *wide(x + x.mT), kind)
        assert_orthogonal(vectors, kind)


@pytest.mark.parametrize(("size", "kind"), in_turn([12, 40, 48, 64], KINDS))
def test_many_values_are_next_to_nothing(rng, size, kind):
    """Steps without a shift do not part values that are nothing beside the largest."""
    number = np.arange(size)
    far = np.subtract.outer(number, number)
    q, z = (np.linalg.qr(rng.normal(size=(size, size)))[0] for _ in range(2))
    few = np.where(number < 3, 1, 1e-17)
    matrices = [1 / (1 + np.add.outer(number, number)), np.exp(-(far**2) / 20), q * few @ z,
                q * 10.0 ** (-20 * number / size) @ z, np.vander(np.linspace(-1, 1, size)),
                np.eye(size, k=1) + np.diag(1e-17 * rng.normal(size=size))]  # fmt: skip
    a = Tensor(np.array(matrices), dtype=kind)
    u, s, v = wide(*a.svd())
    (exact,) = wide(a)
    assert_near(u * s[:, None] @ v, exact, kind)
    assert_near(s[..., None], np.linalg.svd(exact, compute_uv=False)[..., None], kind)
    a = a + a.mT
    values, vectors = wide(*a.eigh())
    assert_near(vectors * values[:, None] @ vectors.swapaxes(-1, -2), *wide(a), kind)


def qr_loss(full):
    def loss(x, weights):
        q, r = x.qr(full_matrices=full)
        return (q * weights[0]).sum() + (r * weights[1]).square().sum()

    return loss


def eigh_loss(x, weights):
    values, vectors = (x + x.mT).eigh()
    return (values * weights[1][..., 0]).sum() + (vectors * weights[0]).square().sum()


def svd_loss(x, weights):
    u, s, v = x.svd(full_matrices=False)
    return (u * weights[0]).square().sum() + (v * weights[1]).square().sum() + (s * s * s).sum()


@pytest.mark.parametrize(("loss", "shape"), [
    *((qr_loss(False), shape) for shape in [(4, 3), (3, 3), (3, 5), (PANEL + 1, PANEL + 1)]),
    *((qr_loss(True), shape) for shape in [(3, 5), (4, 3)]),
    *((eigh_loss, (n, n)) for n in (2, 5)),
    *((svd_loss, shape) for shape in [(3, 3), (5, 3), (3, 5), (4, 1), (1, 3)]),
])  # fmt: skip
def test_slopes_and_slopes_of_slopes(rng, loss, shape):
    assert_slopes(rng, loss, shape)


@pytest.mark.parametrize(("loss", "shape"), [
    (qr_loss(False), (3, 4)), (qr_loss(True), (3, 2)), (eigh_loss, (3, 3)),
    *((svd_loss, shape) for shape in [(3, 3), (4, 2), (2, 3)]),
])  # fmt: skip
def test_slopes_where_loops_run_in_any_order(rng, loss, shape, monkeypatch):
    monkeypatch.setattr(lu, "has_factors", lambda a: False)
    assert_slopes(rng, loss, shape)


@pytest.mark.parametrize("device", ["C", "CUDA_EMULATED"])
def test_slopes_of_matrices_whose_number_is_a_variable(rng, device):
    """Those that there could be besides have no inverse, and no slope."""
    a, count = rng.normal(size=(4, 3, 3)), Variable("count", 1, 4).bind(2)

    def loss(x):
        q, r = x.qr()
        u, s, v = x.svd()
        values, vectors = (x + x.mT).eigh()
        lower = (x @ x.mT + Tensor.eye(3, dtype=x.dtype, device=device)).cholesky()
        parts = q * r.abs(), u * v * s.unsqueeze(-1), vectors.square() * values.unsqueeze(-1)
        return sum(((part * lower).sum() for part in parts), lower.sum())

    x = Tensor(a, requires_grad=True, device=device)
    slopes = [loss(x[:n]).gradient(x)[0].numpy() for n in (count, 2)]
    assert np.abs(slopes[1][:2]).min() > 0 and (slopes[1][2:] == 0).all()
    np.testing.assert_allclose(slopes[0], slopes[1], 0, 1e-9)


def assert_slopes(rng, loss, shape):
    a, way = (rng.normal(size=(2, *shape)) for _ in range(2))
    square = loss.__qualname__.startswith("qr_loss") and loss.__closure__[0].cell_contents
    least = shape[0] if square else min(shape)
    weights = [Tensor(rng.normal(size=(2, m, n))) for m, n in
               [(shape[0], least), (least, shape[1])]]  # fmt: skip
    mixed = rng.normal(size=a.shape)

    def slope(matrix):
        x = Tensor(matrix, requires_grad=True)
        (first,) = loss(x, weights).gradient(x)
        return x, first

    def near(at):
        ends = [at(a + step * way) for step in (1e-6, -1e-6)]
        return (ends[0] - ends[1]) / 2e-6

    x, first = slope(a)
    exact = near(lambda m: loss(Tensor(m), weights).item())
    np.testing.assert_allclose((first.numpy() * way).sum(), exact, 1e-5, 1e-5)
    (second,) = (first * Tensor(mixed)).sum().gradient(x)
    exact = near(lambda m: (slope(m)[1].numpy() * mixed).sum())
    np.testing.assert_allclose((second.numpy() * way).sum(), exact, 1e-4, 1e-4)


def test_a_column_of_zeros_has_a_slope(rng):
    a = rng.normal(size=(3, 3))
    a[:, 1] = 0
    x = Tensor(a, requires_grad=True)
    (slope,) = x.qr()[1].sum().gradient(x)
    assert np.isfinite(slope.numpy()).all()


def test_they_go_into_captures(rng):
    def both(x):
        values, vectors = (x + x.mT).eigh()
        u, s, v = x.svd()
        return ((vectors * values.unsqueeze(-2)) @ vectors.mT + (u * s) @ v).realize()

    captured = jit(both)
    for _ in range(3):
        a = rng.normal(size=(20, 20))
        exact = 2 * a + a.T
        np.testing.assert_allclose(captured(Tensor(a).realize()).numpy(), exact, 0, 1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_stages_of_small_ones_are_checked(rng, size):
    a = Tensor(rng.normal(size=(size, size)), dtype=dtypes.f64)
    with Context(VERIFY=1):
        q, r = a.qr()
        u, s, v = a.svd()
        values, vectors = (a + a.mT).eigh()
        for product, exact in (
            (q @ r, a),
            (u * s @ v, a),
            (vectors * values @ vectors.mT, a + a.mT),
        ):
            np.testing.assert_allclose(product.numpy(), exact.numpy(), 0, 1e-13)


@pytest.mark.parametrize("shape", [(2, 2, 2), (1, 3, 3)])
def test_the_interpreter_follows_each_stage(rng, shape):
    a = rng.normal(size=shape)
    symmetric = a + a.swapaxes(1, 2)
    with Context(VERIFY=2, CACHE=0):
        values, vectors = Tensor(symmetric).eigh()
        singular = Tensor(a).svd()[1].numpy()
        product = (vectors * values.unsqueeze(-2) @ vectors.mT).numpy()
    np.testing.assert_allclose(product, symmetric, 0, 1e-12)
    np.testing.assert_allclose(singular, np.linalg.svd(a, compute_uv=False), 1e-10)


def test_a_loop_that_ends_where_memory_says_is_there_once(rng):
    a = rng.normal(size=(1, 2, 2))
    for item in Tensor(a + a.swapaxes(1, 2)).eigh()[0].schedule():
        for name, graph in lowering_stages(item.ast, "C"):
            loops = [n for n in graph.toposort() if n.op is Ops.RANGE]
            assert len({loop.arg for loop in loops}) == len(loops), name


def test_threads_share_the_matrices(rng):
    a = rng.normal(size=(300, 6, 6))
    with Context(THREADS=3):
        s = Tensor(a).svd()[1]
        sources = [item.lower().source for item in s.schedule() if item.lower()]
        assert any("singular_300_6" in s and "long t0 = begin; t0 < end" in s for s in sources)
        np.testing.assert_allclose(s.numpy(), np.linalg.svd(a, compute_uv=False), 0, 1e-13)


def test_kernels_of_large_matrices_are_no_longer_than_those_of_small_ones(rng):
    def lines(size):
        x = Tensor(rng.normal(size=(size, size)))
        items = [*x.eigh()[0].schedule(), *x.svd()[1].schedule()]
        programs = [p for p in (item.lower() for item in items) if p]
        return {p.name.split("_")[0]: p.source.count("\n") for p in programs
                if p.name.endswith(f"_1_{size}")}  # fmt: skip

    small = lines(4 * PANEL)
    assert set(small) == {"tridiagonal", "diagonal", "bidiagonal", "singular"}
    assert small == lines(12 * PANEL)
