"""Sorting of axes that are counted, and of those that are merged."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor, Variable, dtypes, jit
from rulewright.tensor.sorting import BLOCK, COUNTED


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("size", [BLOCK, COUNTED, COUNTED + 1, 3 * COUNTED])
def test_equal_elements_stay_in_their_order(rng, size, descending):
    x = rng.integers(0, 50, size).astype(np.float32)
    x[rng.random(size) < 0.1] = np.nan
    places = Tensor(x).argsort(descending=descending).numpy()
    keys = np.where(np.isnan(x), 99, x)
    assert (places == np.argsort(-keys if descending else keys, kind="stable")).all()


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64"])
def test_all_bits_of_wide_elements_count(rng, dtype):
    """The lower half is sorted first, and then the upper one, which keeps the order."""
    bits = rng.integers(0, 4, (2, 300)).astype(np.uint64)
    x = ((bits[0] << np.uint64(62)) | bits[1]).view(dtype)
    found, places = Tensor(x).sort()
    exact = np.argsort(x, kind="stable")
    assert (places.numpy() == exact).all() and (found.numpy() == x[exact]).all()


def test_bounds_of_dtypes_and_zeros():
    for name in ("int8", "uint8", "int32", "uint32", "int64", "uint64"):
        kind = getattr(dtypes, name)
        low, high = int(kind.min), int(kind.max)
        assert Tensor([high, low, 1], dtype=name).sort()[0].tolist() == sorted([high, low, 1])
    zeros = Tensor([0.0, -0.0, 0.0, -1.0]).argsort()
    assert zeros.tolist() == [3, 0, 1, 2]
    assert Tensor([np.inf, np.nan, -np.inf]).argsort().tolist() == [2, 0, 1]


def test_a_gradient_goes_to_where_the_element_stood(rng):
    x = Tensor([3.0, 1.0, 2.0], requires_grad=True)
    (x.sort()[0] * Tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [100.0, 1.0, 10.0]


def test_a_long_axis_needs_few_kernels():
    assert len(Tensor(np.zeros(1 << 16, np.float32)).argsort().schedule()) < 50
    assert len(Tensor(np.zeros(COUNTED, np.float32)).argsort().schedule()) < 8


def test_rows_are_sorted_each_for_itself(rng):
    x = rng.normal(size=(3, COUNTED + 7, 2)).astype(np.float32)
    np.testing.assert_array_equal(Tensor(x).sort(1)[0].numpy(), np.sort(x, 1))


LONG = [  # shape, how many are looked for, axis
    ((2 * BLOCK,), 5, 0),  # one more is cut in blocks
    ((2 * BLOCK + 1,), 5, 0),
    ((3, 700), 1, 1),
    ((700, 3), 17, 0),
    ((5000,), 40, 0),
    ((70_000,), 3, 0),  # of the best of blocks again those of blocks
    ((4, 1500), 300, 1),  # too many for blocks
    ((2, 5000), 20, 1),  # more than are looked for one after the other, among those of groups
    ((50_257,), 50, 0),
    ((999,), 999, 0),
    ((2000,), 0, 0),
]


@pytest.mark.parametrize(
    ("long", "dtype", "largest"),
    in_pairs(
        LONG,
        ["float32", "float16", "int32", "int64", "float64", "uint8"],
        [True, False],
    ),
    ids=str,
)
def test_the_best_of_a_long_axis(rng, long, dtype, largest):
    """Most of them are equal, so that the first ones have to be found."""
    shape, best, axis = long
    x = rng.integers(0, 50, shape).astype(dtype)
    found, places = Tensor(x).topk(best, axis, largest)
    order = x.astype(np.float64)
    exact = np.argsort(-order if largest else order, axis=axis, kind="stable")
    exact = exact.take(range(best), axis)
    np.testing.assert_array_equal(places.numpy(), exact)
    np.testing.assert_array_equal(found.numpy(), np.take_along_axis(x, exact, axis))


def test_the_largest_integers_and_nan_are_found_behind_what_fills_blocks(rng):
    x = np.full(300, np.iinfo(np.int32).max, np.int32)
    x[299] = 0
    assert Tensor(x).topk(2, largest=False)[1].tolist() == [299, 0]
    assert Tensor(x).topk(3)[1].tolist() == [0, 1, 2]
    y = np.full(300, np.nan, np.float32)
    assert Tensor(y).topk(3, largest=False)[1].tolist() == [0, 1, 2]


def test_so_many_as_there_are_of_a_symbolic_size_are_sorted(rng):
    """What is behind them, in memory and in the network, is not among them: NaN is the last."""
    x = rng.integers(0, 500, 3000).astype(np.float32)
    x[::7] = np.nan
    size = Variable("size", 5, 3000)
    places = jit(lambda x: x.argsort())
    best = jit(lambda x: x.double().topk(5, largest=False)[1])
    for count in (3000, 5, 64, 1024, 2999):
        expected = np.argsort(x[:count], kind="stable")
        part = Tensor(x)[: size.bind(count)]
        assert (places(part).numpy() == expected).all()
        assert (best(part).numpy() == expected[:5]).all()


def test_gradients_of_the_best_go_to_their_places(rng):
    x = Tensor(rng.permutation(3000).astype(np.float32), requires_grad=True)
    (x.topk(4)[0] * Tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    wanted = np.zeros(3000)
    wanted[np.argsort(-x.numpy())[:4]] = [1, 2, 3, 4]
    np.testing.assert_array_equal(x.grad.numpy(), wanted)


def test_values_and_positions_have_names():
    x = Tensor([[3.0, 1.0, 2.0, 1.0]])
    expected = {
        "sort": ([[1, 1, 2, 3]], [[1, 3, 2, 0]]), "topk": ([[3, 2]], [[0, 2]]),
        "kthvalue": ([1], [3]), "median": ([1], [3]), "nanmedian": ([1], [3]), "mode": ([1], [3]),
        "cummax": ([[3, 3, 3, 3]], [[0, 0, 0, 0]]), "cummin": ([[3, 1, 1, 1]], [[0, 1, 1, 3]]),
    }  # fmt: skip
    for name, (values, indices) in expected.items():
        arguments = (2,) if name in ("topk", "kthvalue") else ()
        pair = getattr(x, name)(*arguments, dim=1)
        first, second = pair
        assert pair.values is first and pair.indices is second
        assert (first.tolist(), second.tolist()) == (values, indices), name
    ranked = jit(lambda x: x.sort())
    for step in range(4):
        pair = ranked(Tensor([2.0, float(step), 1.0]))
        order = np.argsort([2.0, step, 1.0], kind="stable")
        assert pair.indices.tolist() == order.tolist()


def test_quantiles_between_a_number_and_an_infinity_are_infinite():
    inf = float("inf")
    low, high = Tensor([0.0, -inf, 2.0, 1.0]), Tensor([inf, 2.0, 0.0, 1.0])
    shares = Tensor([0.0, 0.1, 0.3])
    assert low.quantile(shares).tolist() == [-inf] * 3
    assert high.nanquantile(1 - shares).tolist() == [inf] * 3
    assert low.quantile(0.5).item() == 0.5
    assert high.quantile(0.5).item() == 1.5
