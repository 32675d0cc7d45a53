"""Adaptive pools of long axes, whose positions times sizes 32 bits do not hold."""

import numpy as np

from rulewright import Tensor, nn


def test_windows_of_long_axes_are_in_their_places():
    size, count = 70000, 60000
    found = Tensor.arange(size).float().adaptive_max_pool1d(count).numpy()
    ends = [-(-(i + 1) * size // count) for i in range(count)]
    assert np.array_equal(found, np.array(ends, np.float32) - 1)


def test_the_widest_window():
    for size, count in ((7, 3), (7, 9), (12, 9), (5, 8), (9, 6), (1, 4)):
        x = np.arange(size, dtype=np.float32)
        spans = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        means = [x[a:b].mean() for a, b in spans]
        found = Tensor(x).adaptive_avg_pool1d(count).numpy()
        np.testing.assert_allclose(found, means, rtol=1e-6)


def spread(size, count):
    """Means of windows, as a matrix."""
    spans = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    return np.array([[(a <= j < b) / (b - a) for j in range(size)] for a, b in spans])


def test_areas_are_means_along_any_number_of_axes():
    x = np.arange(120, dtype=np.float64).reshape(1, 2, 5, 4, 3) ** 1.5
    wanted = np.einsum("ncdhw,ad,bh,ew->ncabe", x, spread(5, 7), spread(4, 2), spread(3, 3))
    np.testing.assert_allclose(Tensor(x).interpolate((7, 2, 3), "area").numpy(), wanted, 1e-12)
    line = np.einsum("ncdhw,ew->ncdhe", x, spread(3, 6))
    layer = nn.Upsample(scale_factor=2, mode="area")
    np.testing.assert_allclose(layer(Tensor(x[0, :, 0])).numpy(), line[0, :, 0], 1e-12)


def test_steps_of_a_scale_factor_may_be_those_of_the_sizes():
    x = np.arange(5, dtype=np.float32) ** 2
    for factor, count, words in ((1.7, 8, {"recompute_scale_factor": True}), (1.7, 8, {})):
        step = 5 / count if words else 1 / factor
        places = (np.arange(count) + 0.5) * step - 0.5
        wanted = np.interp(places, np.arange(5), x)
        options = {"scale_factor": factor, "mode": "linear", "align_corners": None} | words
        for result in (
            Tensor(x)[None, None].interpolate(**options),
            nn.Upsample(**options)(Tensor(x)[None, None]),
        ):
            np.testing.assert_allclose(result.numpy()[0, 0], wanted, 1e-5, 1e-5)
