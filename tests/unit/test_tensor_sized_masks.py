"""`size=` of nonzero, masked_select and bincount: no shape hangs on a value, as a jit needs it."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Context, GlobalCounters, Tensor, jit
from rulewright.errors import JitError


def filled(rows: np.ndarray, size: int, value: float) -> np.ndarray:
    """The first rows, and a value for what is missing."""
    missing = np.full((max(size - len(rows), 0), *rows.shape[1:]), value, rows.dtype)
    return np.concatenate([rows[:size], missing])


@pytest.mark.parametrize(
    ("size", "shape"), in_turn([0, 1, 4, 20], [(7,), (3, 4), (2, 3, 2), (0,), (2, 0, 3)])
)
def test_as_many_as_are_asked_for(shape, size, rng):
    array, values = rng.integers(0, 2, shape), rng.standard_normal(shape).astype(np.float32)
    x = Tensor(array)
    places = filled(np.argwhere(array), size, -5)
    assert np.array_equal(x.nonzero(size=size, fill_value=-5).numpy(), places)
    for axis, found in enumerate(x.nonzero(as_tuple=True, size=size, fill_value=-5)):
        assert np.array_equal(found.numpy(), places[:, axis])
    picked = Tensor(values).masked_select(x > 0, size=size, fill_value=7)
    assert np.array_equal(picked.numpy(), filled(values[array > 0], size, 7))


@pytest.mark.parametrize("device", ["C", "INTERP"])
@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
def test_places_do_not_hang_on_how_they_are_looked_for(share, device, rng):
    held = rng.random(300) < share
    with Context(DEVICE=device):
        for size in (1, 40, 300, 310):
            places = Tensor(held).nonzero(size=size, fill_value=-1).numpy()
            assert np.array_equal(places, filled(np.argwhere(held), size, -1))


def test_each_element_is_looked_at_once_where_loops_run_in_order(rng):
    held, size = Tensor(rng.random(1 << 16) < 0.5).realize(), 1 << 15
    before = GlobalCounters.global_ops
    held.nonzero(size=size).realize()
    assert GlobalCounters.global_ops - before < 20 * (1 << 16)  # searching takes 68 for each


def test_gradients_reach_what_is_selected():
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    (slope,) = (x.masked_select(x > 1, size=5) * Tensor([1.0, 2, 3, 4, 5])).sum().gradient(x)
    assert slope.tolist() == [0.0, 1.0, 2.0]


def test_other_numbers_are_not_counted():
    assert Tensor([1, -2, 9, 1]).bincount(size=3).tolist() == [0, 2, 0]
    weights = Tensor([0.5, 1.0, 2.0, 4.0])
    assert Tensor([1, -2, 9, 1]).bincount(weights, size=2).tolist() == [0.0, 4.5]


def test_a_jit_takes_them():
    @jit
    def step(x):
        return x.nonzero(size=3, fill_value=-1), x.masked_select(x > 1, size=2), x.bincount(size=4)

    for values in ([1, 0, 2], [0, 0, 0], [3, 3, 3], [0, 1, 2]):
        array = np.array(values)
        places, large, counts = step(Tensor(array).realize())
        assert np.array_equal(places.numpy(), filled(np.argwhere(array), 3, -1))
        assert np.array_equal(large.numpy(), filled(array[array > 1], 2, 0))
        assert np.array_equal(counts.numpy(), np.bincount(array, minlength=4))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: x.nonzero(), r"`size=` of nonzero says it"),
        (lambda x: x[x > 1], r"`where` and `masked_select\(size=\)` take one"),
        (lambda x: x.bincount(minlength=9), "`size=` of bincount says how many counts"),
        (lambda x: x.unique(), "how many elements differ is read"),
    ],
)
def test_without_it_a_jit_says_what_to_write(function, said):
    step = jit(function)
    step(Tensor([1, 2, 2]).realize())
    with pytest.raises(JitError, match=said):
        step(Tensor([1, 2, 2]).realize())
