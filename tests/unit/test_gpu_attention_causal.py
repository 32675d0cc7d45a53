"""Causal attention on GPUs: a workgroup reads no keys beyond those that its rows see."""

from __future__ import annotations

import re

import numpy as np
import pytest
from attention_values import exact, numbers, tensors, without_caches
from pairs import in_pairs, in_turn

from rulewright import Context
from rulewright.codegen.lower import lower_kernel

DEVICES = ("CUDA_EMULATED", "CUDA_SM90_EMULATED", "METAL_EMULATED")
KINDS = [(device, dtype) for device in DEVICES for dtype in ("f32", "f16")]  # f16 by tensor cores
ERROR = {"f32": 1e-4, "f16": 2e-3}


@pytest.fixture(autouse=True)
def no_caches(monkeypatch):
    without_caches(monkeypatch)


def attention(arrays, device, dtype, causal=True):
    q, k, v = tensors(arrays, device, dtype)
    return q.scaled_dot_product_attention(k, v, is_causal=causal)


def drawn(queries, keys, size=16, heads=2):
    return [numbers(heads, n, size, seed=i).astype("f2").astype("f4")
            for i, n in enumerate((queries, keys, keys))]  # fmt: skip


SIZES = [(130, 260), (260, 130), (257, 257), (192, 192), (3, 200)]


@pytest.mark.parametrize(("size", "device", "dtype"), in_pairs(SIZES, DEVICES, ERROR))
def test_values(size, device, dtype):
    queries, keys = size
    arrays = drawn(queries, keys)
    value = attention(arrays, device, dtype)
    [item] = value.schedule()
    assert str(item.lower().choices).startswith("until(")
    expected = exact(*arrays, np.tril(np.ones((queries, keys), bool)))
    error = ERROR[dtype]
    np.testing.assert_allclose(value.cast("f32").numpy(), expected, rtol=error, atol=error)


@pytest.mark.parametrize(("device", "dtype"), KINDS)
def test_blocks_of_keys_that_no_row_of_a_group_sees_are_not_read(device, dtype):
    """What is no number there spoils no row before: weights of 0 would not keep it away."""
    length, last = 384, 320
    q, k, v = drawn(length, length)
    k[:, last:], v[:, last:] = np.nan, np.nan
    value = attention((q, k, v), device, dtype).cast("f32").numpy()
    whole = [x[:, :192] for x in (q, k, v)]
    expected, error = exact(*whole, np.tril(np.ones((192, 192), bool))), ERROR[dtype]
    np.testing.assert_allclose(value[:, :192], expected, rtol=error, atol=error)
    assert np.isnan(value[:, last:]).all()


@pytest.mark.parametrize(
    ("order", "device"), in_turn([0, 1, 2], ["CUDA_EMULATED", "METAL_EMULATED"])
)
def test_no_order_of_threads_makes_a_difference(device, order):
    arrays = drawn(200, 200)
    with Context(THREAD_ORDER=order):
        value = attention(arrays, device, "f16").cast("f32").numpy()
    expected = exact(*arrays, np.tril(np.ones((200, 200), bool)))
    np.testing.assert_allclose(value, expected, rtol=2e-3, atol=2e-3)


def source(dtype, on, causal=True):
    zeros = np.zeros((32, 512, 16), np.float32)
    [item] = attention([zeros] * 3, "CUDA_EMULATED", dtype, causal).schedule()
    return lower_kernel(item.ast, on).source


def symbolic_ends(text):
    """Where loops end whose rounds are no fixed number."""
    ends = re.findall(r"for \(\w+ (\w+) = 0; \1 < ([^;]+);", text)
    return [end for _, end in ends if not end.isdigit()]


@pytest.mark.parametrize("on", ["CUDA", "CUDA_SM90", "METAL"])
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_only_loops_over_keys_of_causal_rows_end_early(dtype, on):
    assert len(symbolic_ends(source(dtype, on))) == 1
    assert symbolic_ends(source(dtype, on, causal=False)) == []


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_keys_are_copied_ahead_as_far_as_they_are_seen(dtype):
    text = source(dtype, "CUDA")
    assert text.count("__pipeline_wait_prior(") == 2  # for rows of the first product; in a round
    assert "__pipeline_memcpy_async(&local" in text.split("__pipeline_wait_prior(")[-1]
