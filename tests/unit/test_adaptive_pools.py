"""Adaptive pools of long axes, whose positions times sizes 32 bits do not hold."""

import numpy as np

from rulewright import Tensor


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
