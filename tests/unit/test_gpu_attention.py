"""Attention on GPUs without scores in memory: when the schedule takes it, and what comes of it."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from attention_values import exact, in_f32, numbers, tensors, without_caches
from pairs import in_turn

from rulewright import Context, Tensor
from rulewright.ir.ops import Ops

DEVICES = ("CUDA_EMULATED", "CUDA_SM90_EMULATED", "METAL_EMULATED")


@pytest.fixture
def no_caches(monkeypatch):
    without_caches(monkeypatch)


def only_kernel(value):
    """The one kernel of a value, none of whose memories has an element for each score."""
    [item] = value.schedule()
    return item


CAUSAL = np.tril(np.ones((70, 70), bool))
SEEN = np.random.default_rng(3).random((70, 45)) > 0.4
SEEN[5] = False  # sees nothing
SEEN[6, 16:] = False
SHAPES = {  # queries, keys, elements of a key and of a value, and what is seen
    "plain": (64, 64, 32, 32, None),
    "odd": (67, 61, 17, 9, None),
    "one key in the last block": (33, 65, 24, 40, None),
    "wide": (40, 48, 64, 64, None),
    "few keys": (64, 32, 4, 4, None),
    "causal": (70, 70, 32, 24, CAUSAL),
    "seen": (70, 45, 16, 20, SEEN),
}


@pytest.mark.parametrize(
    ("name", "device"), in_turn(SHAPES, DEVICES[:2]) + in_turn(SHAPES, DEVICES[2:])
)
def test_values(name, device, no_caches):
    queries, keys, size, width, seen = SHAPES[name]
    arrays = [numbers(2, 3, *shape) for shape in ((queries, size), (keys, size), (keys, width))]
    q, k, v = tensors(arrays, device)
    mask = Tensor(seen, device=device) if name == "seen" else None
    value = q.scaled_dot_product_attention(k, v, attn_mask=mask, is_causal=name == "causal")
    ast = only_kernel(value).ast
    memories = [prod(n.arg[1]) for n in ast.toposort() if n.op is Ops.PARAM]
    assert 2 * 3 * queries * keys not in memories
    expected = exact(*arrays, True if seen is None else seen)
    np.testing.assert_allclose(value.numpy(), expected, rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_numbers_may_be_added_to_scores(device, no_caches):
    arrays, bias = [numbers(2, 2, 50, 16, seed=i) for i in range(3)], numbers(2, 1, 50, 50, seed=9)
    q, k, v = tensors(arrays, device)
    value = q.scaled_dot_product_attention(k, v, attn_mask=Tensor(bias, device=device))
    only_kernel(value)
    q, k, v = (a.astype(np.float64) for a in arrays)
    powers = np.exp(q @ k.swapaxes(-1, -2) / 4 + bias)
    expected = powers / powers.sum(-1, keepdims=True) @ v
    np.testing.assert_allclose(value.numpy(), expected, rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_heads_share_keys_and_values(device, no_caches):
    arrays = [numbers(1, heads, 40, 16, seed=heads) for heads in (4, 2)]
    q, k = tensors(arrays, device)
    value = q.scaled_dot_product_attention(k, k * 2, enable_gqa=True)
    only_kernel(value)
    q, k = arrays[0], np.repeat(arrays[1], 2, 1)
    np.testing.assert_allclose(value.numpy(), exact(q, k, k * 2), rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("device", ["CUDA_EMULATED", "METAL_EMULATED"])
@pytest.mark.parametrize(("dtype", "error"), [("f16", 2e-3), ("bf16", 2e-2)])
def test_halves(dtype, error, device, no_caches):
    """Scores, and what they weigh, are computed in f32."""
    q, k, v = tensors([numbers(1, 2, 66, 8, seed=i) for i in range(3)], device, dtype)
    value = q.scaled_dot_product_attention(k, v, is_causal=True)
    only_kernel(value)
    expected = exact(*in_f32((q, k, v)), np.tril(np.ones((66, 66), bool)))
    np.testing.assert_allclose(value.cast("f32").numpy(), expected, rtol=error, atol=error)


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_no_number_spoils_its_row_alone(device, no_caches):
    x, v = numbers(3, 40, 40), numbers(3, 40, 8, seed=1)
    x[0, 1, 20:], x[1, 2, 39], x[2, 3, :16] = -np.inf, np.nan, -np.inf
    spoilt = np.zeros(x.shape[:2], bool)
    spoilt[0, 1] = spoilt[1, 2] = spoilt[2, 3] = True  # an infinity times 0 is no number
    y = Tensor(x, device=device).matmul(Tensor(np.eye(40, dtype=np.float32), device=device))
    expected = np.where(spoilt[..., None], 0, x).astype(np.float64)
    weights = np.exp(expected - expected.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ v
    found = (y.softmax(-1) @ Tensor(v, device=device)).numpy()
    assert np.isnan(found[spoilt]).all()
    np.testing.assert_allclose(found[~spoilt], expected[~spoilt], rtol=1e-4, atol=2e-6)


def kernel_count(device, dtype, heads, length, size):
    shape = (heads, length, size)
    q, k, v = (Tensor(np.zeros(shape, dtype), device=device) for _ in range(3))
    return len(q.scaled_dot_product_attention(k, v).schedule())


@pytest.mark.parametrize(
    ("device", "dtype", "heads", "length", "size", "count"),
    [
        ("CUDA_EMULATED", "float32", 10, 1024, 64, 3),  # 40 MiB of scores stay in the cache
        ("CUDA_EMULATED", "float32", 11, 1024, 64, 1),
        ("CUDA_SM90_EMULATED", "float32", 12, 1024, 64, 3),
        ("CUDA_SM90_EMULATED", "float32", 13, 1024, 64, 1),
        ("METAL_EMULATED", "float32", 3, 1024, 64, 1),
        ("CUDA_EMULATED", "float32", 11, 1024, 256, 3),  # more sums than registers
        ("CUDA_EMULATED", "float16", 32, 1024, 128, 1),  # by tensor cores
        ("CUDA_EMULATED", "float16", 32, 1024, 136, 4),  # more sums than their registers
        ("CUDA_EMULATED", "float16", 128, 1024, 136, 4),
        ("CUDA_SM90_EMULATED", "float16", 32, 1024, 128, 1),
        ("METAL_EMULATED", "float16", 32, 1024, 128, 1),
        ("METAL_EMULATED", "float16", 32, 1024, 136, 4),
    ],
)
def test_scores_are_in_memory_where_that_takes_less_time(device, dtype, heads, length, size, count):
    assert kernel_count(device, dtype, heads, length, size) == count


@pytest.mark.timeout(120)  # the interpreter goes through what is written out
def test_each_stage_computes_the_same(no_caches):
    arrays = [numbers(1, 34, 2, seed=seed) for seed in range(3)]
    q, k, v = tensors(arrays, "CUDA_EMULATED")
    with Context(VERIFY=2):  # each stage against the interpreter
        found = q.scaled_dot_product_attention(k, v, is_causal=True).numpy()
    expected = exact(*arrays, np.tril(np.ones((34, 34), bool)))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-6)


def test_gradients_keep_their_scores_in_memory(no_caches):
    """Several kernels need them."""
    arrays = [numbers(1, 2, 40, 16, seed=i) for i in range(3)]
    on_gpu = [Tensor(a, device="CUDA_EMULATED", requires_grad=True) for a in arrays]
    as_meant = [Tensor(a.astype(np.float64), device="INTERP", requires_grad=True) for a in arrays]
    for q, k, v in (on_gpu, as_meant):
        (q.scaled_dot_product_attention(k, v) ** 2).sum().backward()
    for x, y in zip(on_gpu, as_meant, strict=True):
        np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-3, atol=1e-5)
