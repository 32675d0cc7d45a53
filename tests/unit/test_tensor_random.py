"""Random numbers depend on the seed and the call, not on device, fusion or other programs."""

import numpy as np
import pytest

from rulewright import Tensor, jit

DRAWS = {
    "rand": lambda **k: Tensor.rand(7, 9, **k),
    "rand f16": lambda **k: Tensor.rand(33, dtype="float16", **k),
    "rand f64": lambda **k: Tensor.rand(33, dtype="float64", **k),
    "randn": lambda **k: Tensor.randn(7, 9, **k),
    "randint": lambda **k: Tensor.randint(50, low=-5, high=2**40, dtype="int64", **k),
    "uniform": lambda **k: Tensor.uniform(50, low=-1, high=1, **k),
    "kaiming": lambda **k: Tensor.kaiming_normal(5, 8, **k),
    "randperm": lambda **k: Tensor.randperm(37, **k),
    "multinomial": lambda **k: Tensor([0.1, 0.5, 0.4], **k).multinomial(40, replacement=True),
    "once": lambda **k: Tensor(np.arange(1.0, 20), **k).multinomial(19),
    "bernoulli": lambda **k: Tensor(np.full(60, 0.4), **k).bernoulli(),
}


def drawn(name, seed=11, **rest):
    Tensor.manual_seed(seed)
    return DRAWS[name](**rest).numpy()


@pytest.mark.parametrize("name", DRAWS)
def test_devices_draw_alike(name):
    here, other, oracle = (drawn(name, device=d) for d in ("C", "C:1", "INTERP"))
    np.testing.assert_array_equal(here, other)
    if name in ("randn", "kaiming"):  # logarithm and sine to two units in the last place
        np.testing.assert_allclose(here, oracle, rtol=1e-5, atol=1e-6)
    else:
        np.testing.assert_array_equal(here, oracle)


@pytest.mark.parametrize("name", DRAWS)
def test_seeds_and_calls_draw_differently(name):
    first, again, other = drawn(name), drawn(name), drawn(name, seed=12)
    later = DRAWS[name]().numpy()
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other) and not np.array_equal(other, later)


@pytest.mark.parametrize("name", DRAWS)
def test_what_is_fused_draws_alike(name):
    alone = drawn(name)
    Tensor.manual_seed(11)
    lazy = DRAWS[name]()
    after = DRAWS[name]().realize()  # a later draw that runs before
    both = lazy + lazy
    np.testing.assert_array_equal((both - lazy).numpy(), alone + alone - alone)
    np.testing.assert_array_equal(lazy.numpy(), alone)
    assert not np.array_equal(after.numpy(), alone)


def test_a_part_is_drawn_as_in_the_whole():
    whole = drawn("rand")
    Tensor.manual_seed(11)
    np.testing.assert_array_equal(DRAWS["rand"]()[2:4, ::3].numpy(), whole[2:4, ::3])


def test_replays_of_a_jitted_function_draw_anew():
    @jit
    def step(x):
        return x + Tensor.randperm(20)

    zero = Tensor.zeros(20, dtype="int64").contiguous().realize()
    found = [tuple(step(zero).tolist()) for _ in range(6)]
    assert len(set(found)) == 6 and all(sorted(f) == list(range(20)) for f in found)


def test_dropout_keeps_the_mean_while_training():
    Tensor.manual_seed(3)
    x = Tensor.ones(4000)
    Tensor.training = True
    try:
        kept, none = x.dropout(0.25).numpy(), x.dropout(1.0).numpy()
        assert x.dropout(0.25, training=False) is x
    finally:
        Tensor.training = False
    assert set(np.unique(kept)) == {0.0, np.float32(1) / np.float32(0.75)}
    assert abs(kept.mean() - 1) < 0.04 and not none.any()
    assert x.dropout(1.0) is x and not x.dropout(1.0, training=True).numpy().any()


def test_large_permutations_are_permutations():
    for count in (255, 256, 257, 5000):
        found = Tensor.randperm(count).numpy()
        np.testing.assert_array_equal(np.sort(found), np.arange(count))
        assert np.abs(np.corrcoef(found, np.arange(count))[0, 1]) < 4 / np.sqrt(count)


def test_rare_categories_are_drawn_as_often_as_they_should():
    Tensor.manual_seed(4)
    weights = np.ones(1000)
    weights[::10] = 0
    weights[-1] = 100
    found = np.bincount(
        Tensor(weights).multinomial(50000, replacement=True).numpy(), minlength=1000
    )
    assert not found[::10].any()
    shares = weights / weights.sum()
    assert (np.abs(found - 50000 * shares) < 5 * np.sqrt(50000 * shares) + 1e-9).all()


@pytest.mark.parametrize("chance", [0.0, 1 - 2.0**-24])
def test_gumbels_noise_is_finite_whatever_is_drawn(monkeypatch, chance):
    same = staticmethod(lambda *shape, **_: Tensor.full(shape, chance))
    monkeypatch.setattr(Tensor, "rand", same)
    logits = Tensor([[0.0, 1.0, 2.0]])
    np.testing.assert_allclose(logits.gumbel_softmax().numpy(), logits.softmax(-1).numpy(), 1e-5)


def test_what_has_no_weight_is_not_drawn_where_no_time_passes(monkeypatch):
    monkeypatch.setattr(Tensor, "rand", staticmethod(lambda *shape, **_: Tensor.zeros(*shape)))
    weights = Tensor([0.0, 0.0, 2.0, 0.0, 1.0])
    assert weights.multinomial(1).tolist() == [2]
    assert sorted(weights.multinomial(2).tolist()) == [2, 4]
