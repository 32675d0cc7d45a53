"""Attention on GPUs whose tensor cores do both of its products, with the scores in registers."""

from __future__ import annotations

import numpy as np
import pytest
from attention_values import exact, in_f32, numbers, tensors, without_caches
from pairs import in_turn

from rulewright import Context, Tensor
from rulewright.codegen.cores import cores
from rulewright.codegen.lane_rows import passes_on
from rulewright.codegen.lower import lower_fresh, lower_kernel
from rulewright.errors import UsageError
from rulewright.lang.build import load_table
from rulewright.render import target
from rulewright.verify import golden

DEVICES = ("CUDA_EMULATED", "CUDA_SM90_EMULATED", "METAL_EMULATED")
ERROR = {"f16": 2e-3, "bf16": 2e-2, "f32": 1e-4}


@pytest.fixture(autouse=True)
def no_caches(monkeypatch):
    without_caches(monkeypatch)


def halves(arrays, device):
    return tensors(arrays, device, "f16")


def check(value, expected, error):
    [item] = value.schedule()
    assert "warp(" in str(item.lower().choices)
    np.testing.assert_allclose(value.cast("f32").numpy(), expected, rtol=error, atol=error)


CAUSAL = np.tril(np.ones((70, 70), bool))
SEEN = np.random.default_rng(3).random((70, 45)) > 0.4
SEEN[5] = False  # sees nothing
SEEN[6, 16:] = False
SHAPES = {  # queries, keys, elements of a key and of a value, and what is seen
    "whole": (64, 128, 32, 32, None),
    "primes": (67, 61, 17, 7, None),
    "one key in the last block": (33, 65, 24, 40, None),
    "two queries": (2, 70, 16, 16, None),
    "rests": (50, 100, 72, 80, None),
    "few": (40, 32, 2, 2, None),
    "causal": (70, 70, 32, 24, CAUSAL),
    "seen": (70, 45, 16, 20, SEEN),
    "head of 64": (48, 80, 64, 64, None),
    "head of 128": (20, 48, 128, 128, None),
}


@pytest.mark.parametrize(
    ("name", "device"), in_turn(SHAPES, DEVICES[:2]) + in_turn(SHAPES, DEVICES[2:])
)
def test_values(name, device):
    queries, keys, size, width, seen = SHAPES[name]
    arrays = [numbers(2, *shape) for shape in ((queries, size), (keys, size), (keys, width))]
    q, k, v = halves(arrays, device)
    mask = Tensor(seen, device=device) if name == "seen" else None
    value = q.scaled_dot_product_attention(k, v, attn_mask=mask, is_causal=name == "causal")
    check(value, exact(*in_f32((q, k, v)), True if seen is None else seen), ERROR["f16"])


@pytest.mark.parametrize(
    ("device", "dtype"), [(d, "bf16") for d in DEVICES] + [("METAL_EMULATED", "f32")]
)
def test_other_dtypes(dtype, device):
    q, k, v = tensors([numbers(2, 37, 24, seed=i) for i in range(3)], device, dtype)
    expected = exact(*in_f32((q, k, v)))
    check(q.scaled_dot_product_attention(k, v), expected, ERROR[dtype])


@pytest.mark.parametrize("device", DEVICES)
def test_heads_share_keys_numbers_are_added_and_views_are_read(device):
    q, k = halves([numbers(1, heads, 40, 16, seed=heads) for heads in (4, 2)], device)
    bias, sent = numbers(4, 40, 40, seed=9), np.repeat(k.numpy().astype(np.float32), 2, 1)
    turned = q.permute(0, 2, 1, 3).contiguous().realize().permute(0, 2, 1, 3)
    value = turned.scaled_dot_product_attention(
        k, k, attn_mask=Tensor(bias, device=device), enable_gqa=True
    )
    scores = q.numpy().astype(np.float64) @ sent.swapaxes(-1, -2) / 4 + bias
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    check(value, powers / powers.sum(-1, keepdims=True) @ sent, ERROR["f16"])


@pytest.mark.parametrize("device", ["CUDA_EMULATED", "METAL_EMULATED"])
def test_dropout_leaves_out_the_weights_that_it_does_elsewhere(device):
    arrays, values = [numbers(1, 40, 16, seed=i) for i in range(3)], []
    for on in (device, "INTERP"):
        q, k, v = halves(arrays, on)
        Tensor.manual_seed(5)
        values.append(q.scaled_dot_product_attention(k, v, dropout_p=0.5).cast("f32").numpy())
    np.testing.assert_allclose(*values, rtol=ERROR["f16"], atol=ERROR["f16"])


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_no_number_spoils_its_row_alone(device):
    q, k, v = (numbers(1, 40, 16, seed=i) for i in range(3))
    q[0, 7, 3], q[0, 9, 0] = np.nan, np.inf
    value = Tensor.scaled_dot_product_attention(*halves((q, k, v), device))
    found = value.cast("f32").numpy()
    spoilt = np.isin(np.arange(40), (7, 9))
    assert np.isnan(found[0, spoilt]).all()
    expected = exact(np.where(np.isfinite(q), q, 0), k, v)
    np.testing.assert_allclose(found[0, ~spoilt], expected[0, ~spoilt], rtol=1e-2, atol=5e-3)


@pytest.mark.parametrize(
    ("order", "device"), in_turn([0, 1, 2], ["CUDA_EMULATED", "METAL_EMULATED"])
)
def test_no_order_of_threads_makes_a_difference(device, order):
    q, k, v = halves([numbers(1, 70, 16, seed=i) for i in range(3)], device)
    with Context(THREAD_ORDER=order):
        check(q.scaled_dot_product_attention(k, v), exact(*in_f32((q, k, v))), ERROR["f16"])


@pytest.mark.timeout(120)  # the interpreter goes through what is written out
@pytest.mark.parametrize("device", ["CUDA_EMULATED", "METAL_EMULATED"])
def test_each_stage_computes_the_same(device):
    q, k, v = halves([numbers(1, n, 8, seed=n) for n in (20, 33, 33)], device)
    with Context(VERIFY=2):  # each stage against the interpreter
        check(q.scaled_dot_product_attention(k, v), exact(*in_f32((q, k, v))), ERROR["f16"])


# ---- when ----------------------------------------------------------------------------------------


def core(on, of, shared=False):
    return next(c for c in cores(target(on)) if c.of == of and c.shared == shared)


def test_layouts_say_whether_results_are_operands_as_they_are():
    assert passes_on(core("CUDA", "f16"), core("CUDA", "f16"))
    assert passes_on(core("METAL", "bf16"), core("METAL", "bf16"))
    assert not passes_on(core("CUDA", "i8"), core("CUDA", "i8"))  # steps in fours, columns in pairs
    assert not passes_on(core("CUDA", "f16"), core("CUDA", "f32"))
    assert not passes_on(core("CUDA_SM90", "f16", shared=True), core("CUDA", "f16"))
    assert not passes_on(core("C_AMX", "bf16"), core("C_AMX", "bf16"))  # a lane alone


def fused(size, keys=64, dtype="f16"):
    """The kernel of an attention, and the tensors that it is made from."""
    arrays = [numbers(1, n, size, seed=n) for n in (40, keys, keys)]
    q, k, v = tensors(arrays, "CUDA_EMULATED", dtype)
    [item] = q.scaled_dot_product_attention(k, v).schedule()
    return item.ast


@pytest.mark.parametrize(
    ("limits", "block"),
    [({}, 64), ({"local_memory": 24_000}, 32), ({"local_memory": 12_000}, 16),
     ({"local_memory": 4096}, None), ({"local_size": 16}, None)],
)  # fmt: skip
def test_keys_of_a_block_are_as_many_as_there_is_room_for(limits, block, monkeypatch):
    ast = fused(64, 80)
    for limit in limits.items():
        monkeypatch.setitem(load_table()["targets"]["CUDA"]["limits"], *limit)
    made = str(lower_fresh(ast, "CUDA").choices)
    assert ("warp(" in made) == (block is not None)
    if block is not None:
        assert f"online(r7, {block})" in made


def test_dtypes_that_only_one_product_has_cores_for_are_done_by_work_items():
    assert "warp(" in lower_kernel(fused(16), "CUDA").choices
    assert "warp(" not in lower_kernel(fused(16, dtype="f32"), "CUDA").choices


@pytest.mark.parametrize("on", ["OPENCL", "WEBGPU", "C"])
def test_targets_without_such_cores_have_the_same_kernel_otherwise(on):
    [call] = golden.compile_program("attention_long").calls
    made = lower_kernel(call.kernel, on)
    assert made.source and "warp(" not in made.choices


CUT = "r3, r4 = split(r0, 16); r5, r6 = split(r1, 8); r7, r8 = split(r2, 16); "


@pytest.mark.parametrize(
    ("choices", "device", "message"),
    [
        (CUT + "warp(r4, r6, r8)", "CUDA_EMULATED", "expected rows of two products that tensor co"),
        ("warp(r0, r1, r2)", "CUDA_EMULATED", "warp: no tensor core for what r2 reduces"),
        (CUT + "warp(r4, r6)", "CUDA_EMULATED", "expected rows of two products that tensor cores"),
        (CUT + "warp(r4, r6, r8)", "C", "this target has no workgroups"),
    ],
)
def test_what_is_no_row_between_two_products_is_refused(choices, device, message):
    x, y = halves([numbers(32, 32, seed=i) for i in range(2)], device)
    with pytest.raises(UsageError, match=message):
        x.matmul(y, dtype="f32").contiguous(arg=choices).realize()
