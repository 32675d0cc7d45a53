"""Rows kept between two products by tiles of a CPU: attention of bfloat16, and its neighbours."""

from __future__ import annotations

import re

import numpy as np
import pytest
from attention_values import exact, in_f32, numbers, tensors

from rulewright import Context, Tensor
from rulewright.codegen import cpu, rows
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.errors import UsageError
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.text import print_graph, read_graph
from rulewright.runtime.device import Device
from rulewright.schedule import near as schedule_near, stages
from rulewright.schedule.near import Room

NAME = "C_AMX"
native = pytest.mark.skipif(
    Device["C"].target != NAME, reason="this processor, its system or the compiler has no tiles"
)
TOLERANCE = {"rtol": 0.02, "atol": 0.02}
"""Of bfloat16, which weights and results are rounded to: 8 bits of a mantissa."""


@pytest.fixture
def near(monkeypatch):
    """Makes scores of such sizes stay near by, as large ones do."""

    def keep(queries, keys, size, width):
        room = Room(4 * keys * max(size, width))
        monkeypatch.setattr(stages, "room_near_by", lambda order: room)

    return keep


def operands(queries, keys, size=64, width=64, heads=1):
    """Queries, keys and values in bfloat16, and the same in float32."""
    shapes = (1, heads, queries, size), (1, heads, keys, size), (1, heads, keys, width)
    held = tensors([3 * numbers(*s, seed=i) for i, s in enumerate(shapes)], "C", "bf16")
    return held, in_f32(held)


def attended(held, **options):
    """Attention, and its kernel for tiles."""
    made = held[0].scaled_dot_product_attention(*held[1:], **options)
    [kernel] = made.schedule()
    return made, kernel.ast


def program(ast):
    """The kernel for tiles, which do both products."""
    lowered = lower_kernel(ast, NAME)
    assert lowered.choices.count("tc(") == 2
    return lowered


# ---- on any machine ----------------------------------------------------------------------------

SIZES = [(48, 64, 32, 32), (40, 96, 16, 24), (50, 70, 32, 40), (33, 133, 24, 16)]


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_the_interpreter_computes_the_program(near, sizes, is_causal):
    near(*sizes)
    held, values = operands(*sizes)
    made, ast = attended(held, is_causal=is_causal)
    program(ast)
    *_, (_, last) = lowering_stages(ast, NAME)
    assert sum(node.op is Ops.MMA for node in last.src) >= 2
    arrays = [np.zeros(made.numel(), held[0].numpy().dtype), *(x.numpy().ravel() for x in held)]
    run_kernel(last, arrays)
    found = arrays[0].astype("f4").reshape(made.shape)
    seen = np.tril(np.ones(sizes[:2], bool)) if is_causal else True
    np.testing.assert_allclose(found, exact(*values, seen), **TOLERANCE)


@pytest.mark.timeout(60)  # the interpreter runs each stage, in a suite that shares the machine
def test_each_stage_keeps_its_meaning_and_prints_as_text_that_reads_back(near):
    sizes = 20, 32, 16, 16
    near(*sizes)
    held, _ = operands(*sizes)
    _, ast = attended(held, is_causal=True)
    with Context(VERIFY=2):
        program(ast)
    for _, graph in lowering_stages(ast, NAME):
        assert read_graph(print_graph(graph)) is graph


@pytest.fixture
def in_blocks(monkeypatch):
    """Rows are done in blocks of 32, however short they are."""
    monkeypatch.setattr(schedule_near, "LEAST_BLOCK", 32)
    monkeypatch.setattr(schedule_near, "MOST_BLOCK", 32)
    monkeypatch.setattr(rows, "is_long", lambda *args: True)
    monkeypatch.setattr(cpu, "kept_bytes", lambda products: 3 << 20)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("sizes", [(44, 96, 16, 32), (33, 107, 32, 16)])
def test_the_interpreter_computes_the_program_in_blocks(near, in_blocks, sizes, is_causal):
    near(*sizes)
    held, values = operands(*sizes)
    made, ast = attended(held, is_causal=is_causal)
    assert "online(" in program(ast).choices
    *_, (_, last) = lowering_stages(ast, NAME)
    arrays = [np.zeros(made.numel(), held[0].numpy().dtype), *(x.numpy().ravel() for x in held)]
    run_kernel(last, arrays)
    seen = np.tril(np.ones(sizes[:2], bool)) if is_causal else True
    found = arrays[0].astype("f4").reshape(made.shape)
    np.testing.assert_allclose(found, exact(*values, seen), **TOLERANCE)


@pytest.mark.parametrize("sizes", SIZES)
def test_weights_lie_as_tiles_take_them_and_are_rounded_by_vectors(near, sizes):
    near(*sizes)
    _, ast = attended(operands(*sizes)[0])
    source = program(ast).source
    assert "omp simd" not in source and "){acc" not in source  # element by element
    assert "tile_zero(4)" not in source  # both products add to the same registers


def test_long_rows_that_are_filled_go_row_by_row(near):
    """Written out for all rows of a tile, one exponential waits for the registers of the others."""
    near(96, 512, 64, 64)
    _, ast = attended(operands(96, 512)[0], is_causal=True)
    source = program(ast).source
    assert source.count("12582912.0f") <= 4 * 2  # rounding to a power of two, of four vectors


@pytest.mark.parametrize("sizes", [(7, 64, 64, 64), (64, 64, 64, 7), (64, 64, 15, 64)])
def test_what_is_too_small_for_tiles_goes_without(near, sizes):
    near(*sizes)
    _, ast = attended(operands(*sizes, heads=12)[0])
    assert lower_kernel(ast, NAME).choices.count("tc(") < 2


def test_a_tile_that_shares_rows_of_a_warp_is_refused():
    x, y = (Tensor.zeros(32, 32, dtype="f16", device="CUDA_EMULATED").contiguous() for _ in "xy")
    both = x.matmul(y, dtype="f32") + x.cast("f32").sum(1, keepdim=True)
    choices = "r4, r5 = split(r0, 16); r6, r7 = split(r1, 8); r8, r9 = split(r3, 16)"
    with pytest.raises(UsageError, match="expected rows and columns of one product alone"):
        both.contiguous(arg=f"{choices}; tc(r5, r7, r9)").realize()


def test_rows_and_columns_that_change_places_are_refused():
    x, y = (Tensor.zeros(32, 32, dtype="bf16").contiguous() for _ in "xy")
    cut = "r3, r4 = split(r0, 16); r5, r6 = split(r1, 16); r7, r8 = split(r2, 32)"
    with pytest.raises(UsageError, match="expected two ranges that are stored along"):
        x.matmul(y, dtype="f32").contiguous(arg=f"{cut}; tc(r8, r4, r6)").realize()


# ---- on the processor --------------------------------------------------------------------------


@native
@pytest.mark.parametrize(
    ("sizes", "mask"),
    [
        ((512, 512, 64, 64), None), ((512, 512, 64, 64), "causal"), ((1000, 577, 80, 48), None),
        ((333, 1023, 32, 100), "bool"), ((600, 600, 64, 64), "causal"), ((97, 4096, 48, 8), "f32"),
        ((2048, 160, 256, 33), "bool"), ((530, 999, 40, 64), "f32"),
    ],
)  # fmt: skip
def test_attention_of_any_size_is_that_of_numpy(sizes, mask):
    held, values = operands(*sizes, heads=3)
    rng = np.random.default_rng(1)
    seen, options = True, {}
    if mask == "causal":
        seen, options = np.tril(np.ones(sizes[:2], bool)), {"is_causal": True}
    elif mask is not None:
        seen = rng.random(sizes[:2]) < 0.6
        added = np.where(seen, 0, -np.inf).astype(np.float32)
        options = {"attn_mask": Tensor(seen if mask == "bool" else added)}
    made, ast = attended(held, **options)
    program(ast)
    np.testing.assert_allclose(made.numpy().astype("f4"), exact(*values, seen), **TOLERANCE)


@native
@pytest.mark.parametrize(
    ("sizes", "mask"),
    [
        ((600, 4500, 128, 128), None), ((4096, 4096, 96, 80), "causal"),
        ((130, 9001, 64, 72), "f32"), ((700, 8192, 160, 33), "causal"),
    ],
)  # fmt: skip
def test_long_rows_are_done_in_blocks(sizes, mask):
    held, values = operands(*sizes, heads=2 if sizes[0] < 1000 else 1)
    rng, seen, options = np.random.default_rng(1), True, {}
    if mask == "causal":
        seen, options = np.tril(np.ones(sizes[:2], bool)), {"is_causal": True}
    elif mask is not None:
        seen = rng.random(sizes[:2]) < 0.6
        options = {"attn_mask": Tensor(np.where(seen, 0, -np.inf).astype(np.float32))}
    made, ast = attended(held, **options)
    choices = program(ast).choices
    assert "online(" in choices and "thread(" in choices
    np.testing.assert_allclose(made.numpy().astype("f4"), exact(*values, seen), **TOLERANCE)


@native
def test_infinities_and_nan_come_out_where_they_go_in():
    held, values = operands(300, 1001, heads=2)
    values[2][0, 0, 7, 3], values[2][0, 1, 1000, 5] = np.inf, np.nan
    values[0][0, 0, 11, 2] = np.nan
    held = tensors(values, "C", "bf16")
    made, ast = attended(held)
    program(ast)
    found, wanted = made.numpy().astype("f4"), exact(*values)
    assert np.isnan(found[0, 0, 11]).all() and np.isnan(found[0, 1, :, 5]).all()
    assert np.isposinf(np.delete(found[0, 0, :, 3], 11)).all()
    np.testing.assert_allclose(found, wanted, **TOLERANCE)


@native
def test_rows_of_one_product_are_kept_for_what_looks_for_their_largest():
    x, w = tensors([numbers(900, 96), numbers(96, 640, seed=1)], "C", "bf16")
    made = x.matmul(w, dtype="f32").argmax(-1)
    [kernel] = made.schedule()
    assert re.search(r"tc\(.*simd", kernel.lower().choices)
    a, b = (v.astype("f8") for v in in_f32([x, w]))
    np.testing.assert_array_equal(made.numpy(), (a @ b).argmax(-1))
