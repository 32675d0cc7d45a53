"""Rows of large memory are asked for while the ones before are computed with."""

import re

import numpy as np
import pytest

from rulewright import Tensor


def kernels(result):
    """Loops of each kernel's source, in order."""
    sources = [item.lower().source for item in result.schedule()]
    return [re.split(r"\bfor \(", s[s.rindex("void ") :]) for s in sources]


def asked(loop):
    """Elements between what is read and what is asked for."""
    fetch = r"__builtin_prefetch\(&data1\[.* \+ (\d+)\](?:, 0, 2)?\);"
    return [int(step) for step in re.findall(fetch, loop)]


def rows(height, width):
    return Tensor(np.zeros((height, width), np.float32)).realize()


@pytest.mark.parametrize("method", ["softmax", "log_softmax"])
def test_the_second_loop_over_a_row_asks_for_the_next_one(method):
    (loops,) = kernels(getattr(rows(2048, 1024), method)(1))
    steps = [set(asked(loop)) for loop in loops]
    assert steps.count({1024}) == 1
    reading = [k for k, loop in enumerate(loops) if "&data1[" in loop]
    assert steps[reading[1]] == {1024}


def test_once_a_line():
    (loops,) = kernels(rows(2048, 1024).layernorm())
    (loop,) = [loop for loop in loops if asked(loop)]
    width = int(re.search(r"f32x(\d+)", loop)[1])
    assert loop.count("&data1[") - len(asked(loop)) == len(asked(loop)) * max(16 // width, 1)


@pytest.mark.parametrize(("height", "width"), [(64, 1024), (1, 1 << 20), (48, 65_536)])
def test_not_of_memory_near_by_nor_of_huge_rows(height, width):
    for loops in kernels(rows(height, width).layernorm()):
        assert not any(asked(loop) for loop in loops)


def test_what_is_read_once_for_little_work_is_not_asked_for():
    for result in (rows(2048, 1024).sum(1), rows(2048, 1024) * 2 + 1):
        for loops in kernels(result):
            assert not any(asked(loop) for loop in loops)


def flat(size, dtype=np.float32):
    return Tensor(np.zeros(size, dtype)).realize()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_that_take_much_work_are_asked_for_some_lines_before(dtype):
    (loops,) = kernels(flat(1 << 21, dtype).exp())
    (loop,) = [loop for loop in loops if asked(loop)]
    item = np.dtype(dtype).itemsize
    assert set(asked(loop)) == {2048 // item}
    read = sum(map(int, re.findall(r"\*\(f\d+x(\d+) \*\)&data1\[", loop)))
    assert len(asked(loop)) == read * item // 64, "once a line"


def test_each_of_several_streams_of_one_memory_is_asked_for():
    (loop,) = (part for part in kernels(flat(1 << 21).exp().sum())[0] if asked(part))
    assert set(asked(loop)) == {2048 // 4}
    assert len(asked(loop)) == 4, "of as many parts that are added up side by side"


def test_short_rows_are_neighbours_one_behind_the_other():
    (loops,) = kernels(rows(1 << 18, 8).layernorm())
    assert {step for loop in loops for step in asked(loop)} == {2048 // 4}


def test_of_several_memories_each_large_one_is_asked_for():
    small, large = Tensor(np.zeros((1, 1024), np.float32)).realize(), rows(2048, 1024)
    (loops,) = kernels((large + small).gelu() * rows(2048, 1024).sigmoid())
    body = "".join(loops)
    by_memory = [len(re.findall(rf"prefetch\(&data{k}\[", body)) for k in (1, 2, 3)]
    assert sorted(map(bool, by_memory)) == [False, True, True]


def test_neighbours_that_lie_apart_or_near_by_are_not_asked_for():
    for result in (flat(1 << 16).exp(), flat(1 << 23)[::2].exp(), rows(2048, 1024).T.exp()):
        for loops in kernels(result):
            assert not any(asked(loop) for loop in loops)


@pytest.mark.parametrize("size", [(1 << 20) + 77, (1 << 22) - 1])
def test_values_of_what_is_asked_for_beyond_the_end(rng, size):
    x = rng.standard_normal(size).astype(np.float32)
    result = Tensor(x).sigmoid().numpy()
    np.testing.assert_allclose(result, 1 / (1 + np.exp(-x.astype(np.float64))), rtol=1e-6)


def far(loops):
    """What one kernel asks for to be in the second cache."""
    (source,) = loops
    return [step for loop in source if ", 0, 2);" in loop for step in asked(loop)]


def test_pieces_of_rows_that_are_added_up_ask_for_the_rows_after_them():
    by_four = far(kernels(rows(8192, 4096).sum(0)))
    assert by_four
    assert set(by_four) == {4 * 4096}
    x = Tensor(np.ones((1, 4100), np.float32)).realize()
    (source,) = kernels(x @ rows(4100, 4096))
    assert any(", 0, 2);" in loop for loop in source)


def test_but_not_of_what_a_cache_may_hold_nor_of_short_pieces():
    for result in (rows(1024, 2048).sum(0), rows(1 << 17, 128).sum(0), rows(2048, 8192).sum(1)):
        assert not any(", 0, 2);" in loop for source in kernels(result) for loop in source)


def test_values_of_pieces_of_rows(rng):
    x = rng.standard_normal((2063, 4112)).astype(np.float32)
    v = rng.standard_normal((1, 2063)).astype(np.float32)
    expected = x.astype(np.float64)
    np.testing.assert_allclose(Tensor(x).max(0).numpy(), x.max(0))
    np.testing.assert_allclose(Tensor(x).sum(0).numpy(), expected.sum(0), atol=1e-3)
    np.testing.assert_allclose((Tensor(v) @ Tensor(x)).numpy(), v @ expected, atol=1e-3)


def test_values_at_the_last_row(rng):
    x = rng.standard_normal((1031, 1024)).astype(np.float32)
    x[-1] = np.linspace(-8, 8, 1024)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(Tensor(x).softmax(1).numpy(), e / e.sum(1, keepdims=True), rtol=2e-6)
