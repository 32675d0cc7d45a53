"""The option INEXACT: off, and what it leaves out."""

import numpy as np
import pytest

from rulewright import Context, Tensor, jit
from rulewright.errors import UsageError

NUMBERS = np.array([0.1, 1 / 3, 2049.5, 1e-9, 70000.0, -0.0], np.float32)


def rounded(x):
    return x.cast("f16").cast("f32") * 2


@pytest.fixture(params=["C", "INTERP"])
def device(request):
    with Context(DEVICE=request.param):
        yield request.param


def test_it_is_off_unless_asked_for_and_no_cache_mixes_the_two(device):
    with np.errstate(over="ignore"):
        expected = NUMBERS.astype("f2").astype("f4") * 2
    for _ in range(3):
        np.testing.assert_array_equal(rounded(Tensor(NUMBERS)).numpy(), expected)
        with Context(INEXACT="halves"):
            np.testing.assert_array_equal(rounded(Tensor(NUMBERS)).numpy(), NUMBERS * 2)


def test_results_in_half_precision_are_rounded(device):
    with Context(INEXACT="halves"):
        x = Tensor(NUMBERS[:4]).cast("f16")
        np.testing.assert_array_equal(x.numpy(), NUMBERS[:4].astype("f2"))
        np.testing.assert_array_equal((x + x).numpy(), NUMBERS[:4].astype("f2") * 2)
        wide = Tensor(NUMBERS[:4].astype("f8")).cast("f32").cast("f64")
        np.testing.assert_array_equal(wide.numpy(), NUMBERS[:4].astype("f8"))


@pytest.mark.parametrize("level", [1, 2, 3])
def test_it_is_within_what_is_verified(level):
    with Context(INEXACT="halves", VERIFY=level):
        assert rounded(Tensor(NUMBERS[:4])).tolist() == (NUMBERS[:4] * 2).tolist()


def test_under_jit_it_is_that_of_the_capture():
    with Context(INEXACT="halves"):
        captured = jit(rounded)
        for number in range(3):
            x = NUMBERS[:4] + np.float32(number)
            np.testing.assert_array_equal(captured(Tensor(x)).numpy(), x * 2)


def test_another_word_is_refused():
    message = "option INEXACT: expected '' or 'halves', found 'all'"
    with pytest.raises(UsageError, match=message), Context(INEXACT="all"):
        pass
