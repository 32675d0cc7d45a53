"""Positions that are computed: each is worked out once, and one element is read for it."""

import numpy as np
import pytest

from rulewright import GlobalCounters, Tensor


def work_of(value):
    """Operations on elements that it takes to compute a value."""
    GlobalCounters.reset()
    value.realize()
    return GlobalCounters.global_ops


@pytest.mark.parametrize("mode", ["linear", "cubic", "nearest", "nearest-exact"])
@pytest.mark.parametrize("corners", [False, True])
def test_a_resized_image_takes_the_work_of_its_elements(mode, corners, rng):
    """It does not hang on how many there are to choose from."""
    works = []
    for size in (15, 60):
        x = Tensor(rng.normal(size=(2, 3, size, size)).astype(np.float32)).realize()
        works.append(work_of(x.interpolate((90, 90), mode=mode, align_corners=corners)))
    assert works[1] < 2 * works[0]


def test_positions_that_several_read_are_worked_out_once(rng):
    a = rng.normal(size=(64, 300)).astype(np.float32)
    x = Tensor(a).realize()
    place = ((Tensor.arange(200) * 1.5).sin().abs() * 299).int()
    at = place.numpy()
    picked = x[:, place] + x[:, place].exp() * (x * 2)[:, place]
    assert work_of(picked) < 64 * 200 * 40  # 300 times as much if all were looked through
    expected = a[:, at] + np.exp(a[:, at]) * (a * 2)[:, at]
    np.testing.assert_allclose(picked.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int32, np.int64])
def test_positions_that_cannot_be_negative_are_those_that_they_are(kind, rng):
    a = rng.normal(size=(7, 120)).astype(np.float32)
    at = rng.integers(0, 120, 50).astype(kind)
    np.testing.assert_array_equal(Tensor(a)[:, Tensor(at)].numpy(), a[:, at])
    signed = at if np.iinfo(kind).min == 0 else at - kind(120)
    np.testing.assert_array_equal(Tensor(a)[:, Tensor(signed)].numpy(), a[:, at])
    bounded = Tensor(at).int().clip(0, 60)
    np.testing.assert_array_equal(Tensor(a)[:, bounded].numpy(), a[:, np.clip(at, 0, 60)])
