"""Reductions, softmax, scans and random numbers against numpy."""

import numpy as np
import pytest
from arrays import closeness
from pairs import in_pairs

from rulewright import Tensor, dtypes
from rulewright.errors import ArgumentError, DTypeError, ShapeError, UsageError

pytestmark = pytest.mark.usefixtures("quiet_numpy")

close = closeness(2e-6, 1e-6)


AXES = [None, 0, 1, -1, (0, 2), (2, 1), (0, 1, 2)]
SHAPES = [(3, 4, 5), (1, 7, 1), (2, 1, 11)]


@pytest.mark.parametrize(
    ("name", "axis", "keepdim"),
    in_pairs(["sum", "max", "min", "mean", "prod"], AXES, [False, True]),
    ids=str,
)
def test_reductions(rng, name, axis, keepdim):
    for shape in SHAPES:
        a = rng.normal(size=shape).astype(np.float32)
        found = getattr(Tensor(a), name)(axis, keepdim).numpy()
        expected = getattr(np, name)(a.astype(np.float64), axis=axis, keepdims=keepdim)
        assert found.shape == expected.shape and found.dtype == np.float32
        close(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("correction", [0, 1, 2])
def test_moments(rng, name, correction):
    a = rng.normal(size=(3, 5, 7)).astype(np.float32)
    for axis in (None, 1, (0, 2)):
        found = getattr(Tensor(a), name)(axis, correction=correction).numpy()
        close(found, getattr(np, name)(a, axis=axis, ddof=correction), rtol=1e-5)


def test_reductions_of_views(rng):
    a = rng.normal(size=(6, 8)).astype(np.float32)
    t = Tensor(a).T[::2, 1:].flip(0)
    b = np.flip(a.T[::2, 1:], 0)
    close(t.sum(0).numpy(), b.sum(0), rtol=1e-5)
    close(t.max(1).numpy(), b.max(1))


def test_over_nothing():
    empty = Tensor(np.zeros((0, 3), np.float32))
    assert empty.sum(0).tolist() == [0, 0, 0]
    assert empty.prod(0).tolist() == [1, 1, 1]
    assert empty.sum(1).shape == (0,)
    assert np.isnan(empty.mean().item())
    assert not empty.any().item() and empty.all().item()
    with pytest.raises(ShapeError, match="max: axis 0 of shape"):
        empty.max(0)
    assert empty.max(1).shape == (0,)


def test_of_a_scalar():
    assert Tensor(3.0).sum().item() == 3 and Tensor(3.0).max(0).item() == 3
    assert Tensor(3.0).argmax().item() == 0


def test_integers_are_summed_in_int64():
    for kind in ("bool", "int8", "uint8", "int32", "int64"):
        assert Tensor([1, 1], dtype=kind).sum().dtype is dtypes.i64
    assert Tensor(np.full(1000, 100, np.int8)).sum().item() == 100_000
    assert Tensor([1], dtype="uint64").sum().dtype is dtypes.u64
    assert Tensor([3, 4], dtype="int32").max().dtype is dtypes.i32


def test_narrow_floats_are_summed_in_float32(rng):
    a = rng.normal(size=4096).astype(np.float16)
    found = Tensor(a).sum()
    assert found.dtype is dtypes.f16
    assert found.item() == np.float16(a.astype(np.float32).sum(dtype=np.float64))


def test_nan_spreads():
    a = np.array([[1, np.nan, 3], [4, 5, 6]], np.float32)
    for name in ("sum", "max", "min", "mean"):
        close(getattr(Tensor(a), name)(1).numpy(), getattr(np, name)(a, axis=1))


def test_truth():
    a = np.array([[0, 0], [0, 3], [1, 2]])
    assert Tensor(a).any(1).tolist() == [False, True, True]
    assert Tensor(a).all(1).tolist() == [False, False, True]


def test_positions_of_extremes(rng):
    a = rng.integers(0, 4, size=(5, 6, 3)).astype(np.float32)  # with ties
    for axis in (None, 0, 1, 2, -1):
        found = Tensor(a).argmax(axis)
        assert found.dtype is dtypes.i64
        assert (found.numpy() == a.argmax(axis)).all()
        assert (Tensor(a).argmin(axis).numpy() == a.argmin(axis)).all()
    assert Tensor(a).argmax(1, keepdim=True).shape == (5, 1, 3)
    assert Tensor([1.0, float("nan"), 9.0]).argmax().item() == 1
    assert Tensor([float("-inf")] * 2).argmax().item() == 0
    assert Tensor([3, 1, 3]).argmax().item() == 0


def test_softmax_and_its_kin(rng):
    a = (rng.normal(size=(4, 7)) * 30).astype(np.float32)
    wide = a.astype(np.float64)
    for axis in (0, 1, -1):
        powers = np.exp(wide - wide.max(axis, keepdims=True))
        total = powers.sum(axis, keepdims=True)
        close(Tensor(a).softmax(axis).numpy(), powers / total, rtol=1e-5)
        logs = wide - wide.max(axis, keepdims=True) - np.log(total)
        close(Tensor(a).log_softmax(axis).numpy(), logs, rtol=1e-5, atol=1e-5)
        log_total = np.log(np.exp(wide).sum(axis))
        close(Tensor(a).logsumexp(axis).numpy(), log_total, rtol=1e-5)


def test_softmax_without_overflow():
    close(Tensor([1e4, 1e4]).softmax().numpy(), [0.5, 0.5])
    assert Tensor([-np.inf, -np.inf]).logsumexp().item() == -np.inf
    assert Tensor([np.inf, 0.0]).logsumexp().item() == np.inf
    assert Tensor([1e5, 1e5]).logsumexp(0, keepdim=True).shape == (1,)


@pytest.mark.parametrize("size", [0, 1, 5, 256, 257, 700])
def test_cumsum(rng, size):
    a = rng.integers(-9, 9, size=(size, 2))
    found = Tensor(a).cumsum(0)
    assert found.dtype is dtypes.i64
    np.testing.assert_array_equal(found.numpy(), a.cumsum(0))


def test_cumsum_along_other_axes(rng):
    a = rng.normal(size=(3, 4, 5)).astype(np.float32)
    for axis in (0, 1, 2, -1):
        close(Tensor(a).cumsum(axis).numpy(), a.cumsum(axis), rtol=1e-5)


def test_norms(rng):
    a = rng.normal(size=(3, 4)).astype(np.float32)
    close(Tensor(a).norm().item(), np.linalg.norm(a), rtol=1e-6)
    close(Tensor(a).norm(1, axis=0).numpy(), np.abs(a).sum(0), rtol=1e-6)
    close(Tensor(a).norm(np.inf, axis=1).numpy(), np.abs(a).max(1))


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (lambda t: t.sum(2), ShapeError, "axis 2 is out of range; a tensor with 2 axes"),
        (lambda t: t.sum((0, 0)), ShapeError, "named twice"),
        (lambda t: t.sum("x"), ArgumentError, "expected an axis as a whole number"),
        (lambda t: t.softmax(-3), ShapeError, "axis -3 is out of range"),
        (lambda t: t.sum(dtype="bool"), DTypeError, "use any"),
        (lambda t: t.argmax(5), ShapeError, "argmax: axis 5"),
    ],
)
def test_bad_axes(bad, error, message):
    with pytest.raises(error, match=message):
        bad(Tensor([[1.0, 2.0]]))


# ---- creation ---------------------------------------------------------------------------------


def test_filled():
    assert Tensor.full((2, 2), 7).tolist() == [[7, 7], [7, 7]]
    assert Tensor.full((2,), 1.5).dtype is dtypes.f32
    assert Tensor.full((2,), True).dtype is dtypes.bool
    assert Tensor.zeros(2, 3).shape == (2, 3) and Tensor.ones((2, 0)).numpy().shape == (2, 0)
    assert Tensor.ones(3, dtype="int8").tolist() == [1, 1, 1]
    assert Tensor([1, 2]).zeros_like().dtype is dtypes.i64


@pytest.mark.parametrize("args", [(5,), (2, 9), (9, 2, -3), (0,), (3, 3), (0, 1, 0.25), (1.0, 4.0)])
def test_arange(args):
    found, expected = Tensor.arange(*args), np.arange(*args)
    assert found.dtype is (dtypes.i64 if expected.dtype == np.int64 else dtypes.f32)
    close(found.numpy(), expected)


@pytest.mark.parametrize("args", [(0, 1, 5), (-1, 1, 10), (3, -3, 7), (2, 9, 1), (0, 1, 0)])
def test_linspace(args):
    close(Tensor.linspace(*args).numpy(), np.linspace(*args), atol=1e-6)
    if args[2] > 1:
        assert Tensor.linspace(*args).numpy()[-1] == args[1]


def test_diagonal_ones():
    np.testing.assert_array_equal(Tensor.eye(3).numpy(), np.eye(3))
    np.testing.assert_array_equal(Tensor.eye(2, 4).numpy(), np.eye(2, 4))
    np.testing.assert_array_equal(Tensor.tri(3, 4, 1).numpy(), np.tri(3, 4, 1))


def test_meshgrid():
    for indexing in ("ij", "xy"):
        ours = Tensor([1, 2, 3]).meshgrid(Tensor([4, 5]), indexing=indexing)
        numpys = np.meshgrid([1, 2, 3], [4, 5], indexing=indexing)
        for a, b in zip(ours, numpys, strict=True):
            np.testing.assert_array_equal(a.numpy(), b)


# ---- random -----------------------------------------------------------------------------------


def test_threefry_gives_the_published_numbers():
    """The known answers of the authors' Random123, for 20 rounds."""
    from rulewright.tensor.random import threefry2x32

    known = [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 2, (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ]
    for key, counter, expected in known:
        nodes = [Tensor([w], dtype="uint32").uop for w in (*key, *counter)]
        found = threefry2x32(tuple(nodes[:2]), tuple(nodes[2:]))
        assert tuple(Tensor(w, device=Tensor([0]).device).item() for w in found) == expected


def test_equal_seeds_give_equal_numbers():
    Tensor.manual_seed(7)
    first = [Tensor.rand(5).tolist(), Tensor.randn(3, 2).tolist()]
    Tensor.manual_seed(7)
    assert [Tensor.rand(5).tolist(), Tensor.randn(3, 2).tolist()] == first
    assert Tensor.rand(5).tolist() != first[0]


def test_equal_random_programs_are_equal_graphs():
    from rulewright.schedule.callify import callify

    def body(t):
        return callify(t.uop.sink(t.uop)).body

    assert body(Tensor.rand(5) * 2) is body(Tensor.rand(5) * 2)


def test_rand_is_even():
    Tensor.manual_seed(1)
    x = Tensor.rand(20000).numpy()
    assert x.min() >= 0 and x.max() < 1
    counts, _ = np.histogram(x, 20, (0, 1))
    expected = 1000
    assert ((counts - expected) ** 2 / expected).sum() < 43.8  # chi², 19 degrees, p = 0.001
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 0.025


def test_randn_is_normal():
    Tensor.manual_seed(2)
    x = Tensor.randn(20000).numpy()
    assert abs(x.mean()) < 0.03 and abs(x.std() - 1) < 0.02
    assert abs((x**3).mean()) < 0.1 and abs((x**4).mean() - 3) < 0.3


def test_randint_uniform_and_dropout():
    Tensor.manual_seed(3)
    n = Tensor.randint(5000, low=-2, high=3).numpy()
    assert n.dtype == np.int64 and set(n.tolist()) == {-2, -1, 0, 1, 2}
    u = Tensor.uniform(1000, low=2, high=4).numpy()
    assert u.min() >= 2 and u.max() < 4
    assert Tensor.rand(3, dtype="float64").dtype is dtypes.f64
    x = Tensor.ones(4000)
    assert x.dropout(0.5) is x
    Tensor.training = True
    try:
        kept = x.dropout(0.25).numpy()
    finally:
        Tensor.training = False
    assert set(kept.tolist()) <= {0.0, float(np.float32(1) / np.float32(0.75))}
    assert 0.7 < (kept > 0).mean() < 0.8


def test_bad_creation():
    with pytest.raises(ShapeError, match="0 or more, found -1"):
        Tensor.zeros(-1)
    with pytest.raises(UsageError, match="step must not be 0"):
        Tensor.arange(0, 5, 0)
    with pytest.raises(DTypeError, match="rand: expected a float dtype"):
        Tensor.rand(3, dtype="int32")
    with pytest.raises(UsageError, match="low < high"):
        Tensor.randint(3, low=4, high=4)
    with pytest.raises(UsageError, match="probability from 0 to 1"):
        Tensor([1.0]).dropout(2)


@pytest.mark.parametrize("weights", [[1, 2], [[1, 2, 3]], 1])
def test_weights_of_covariances_are_one_for_each_observation(weights):
    with pytest.raises(ShapeError, match="aweights needs a number for each of 3 observations"):
        Tensor.ones(2, 3).cov(aweights=Tensor(weights))
