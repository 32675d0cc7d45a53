"""Reductions from lane to lane: values, what they need of a workgroup, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from codegen_kernels import axis, param
from emulated_kernels import launch
from outside_tools import run

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.errors import DeviceRuntimeError, InterpreterError
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

DEVICES = ("CUDA_EMULATED", "METAL_EMULATED")
SHUFFLES = ("__shfl_xor_sync(", "simd_shuffle_xor(")
BARRIERS = ("__syncthreads(", "threadgroup_barrier(")
PLAIN = """target PLAIN extends CUDA {
  limit warp = %s
  limit local_size = %s
  spell SHUFFLE: f32 = "plain({x}, {distance})"
}
"""


def given(rng, shape, dtype, device):
    """Random numbers on a device, and the same as an array."""
    if dtype[0] in "iu":
        array = rng.integers(0 if dtype[0] == "u" else -99, 100, shape).astype(dtype)
    elif dtype == "bool":
        array = rng.random(shape) < 0.01
    else:
        array = rng.standard_normal(shape).astype(dtype)
    return Tensor(array).to(device).realize(), array


def source(*tensors, on=None):
    """The source of all kernels of some tensors."""
    kernels = [k for t in tensors for k in t.schedule()]
    programs = [k.lower() if on is None else lower_kernel(k.ast, on) for k in kernels]
    return "".join(p.source for p in programs)


def count(text, words):
    return sum(text.count(word) for word in words)


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


# ---- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("dtype", "columns"), [("i1", 100), ("u2", 300), ("i4", 300), ("u8", 100)])
def test_integers_come_from_lanes_as_they_are(rng, device, dtype, columns):
    x, array = given(rng, (3, columns), dtype, device)
    made = {"sum": x.sum(1), "max": x.max(1)}
    assert count(source(*made.values()), SHUFFLES) > 0
    with Context(VERIFY=0):
        for method, tensor in made.items():
            values = tensor.numpy()
            np.testing.assert_array_equal(values, getattr(array, method)(1).astype(values.dtype))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(1, 64), (2, 3, 65), (5, 255), (2, 700), (0, 80), (3, 0)])
def test_rows_of_any_size_are_summed_and_weighed(rng, device, shape):
    x, array = given(rng, shape, "f4", device)
    wide = array.astype("f8")
    with Context(VERIFY=0):
        np.testing.assert_allclose(x.sum(-1).numpy(), wide.sum(-1), rtol=1e-5, atol=1e-4)
        if array.size:
            np.testing.assert_allclose(x.softmax(-1).numpy(), softmax(wide), rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(x.argmax(-1).numpy(), array.argmax(-1))


@pytest.mark.parametrize(("rows", "together"), [(1030, 5), (1031, 8)])
def test_several_rows_of_a_group_are_apart(rng, rows, together):
    x, array = given(rng, (rows, 66), "f4", DEVICES[0])
    made = x.softmax(1)
    [kernel] = made.schedule()
    assert kernel.lower().launch[1] == (32, together, 1)
    with Context(VERIFY=0):
        np.testing.assert_allclose(made.numpy(), softmax(array.astype("f8")), rtol=1e-5)
        np.testing.assert_allclose(x.sum(1).numpy(), array.sum(1, dtype="f8"), atol=1e-4)


@pytest.mark.parametrize(("shape", "dtype"), [((3, 70), "f4"), ((2, 300), "f4"), ((2, 96), "i4")])
def test_every_stage_keeps_the_meaning(rng, shape, dtype):
    x, array = given(rng, shape, dtype, "CUDA_EMULATED")
    with Context(VERIFY=2):
        np.testing.assert_allclose(x.sum(1).numpy(), array.sum(1), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(x.max(1).numpy(), array.max(1))
        if dtype == "f4":
            found = x.softmax(1).numpy()
            np.testing.assert_allclose(found, softmax(array.astype("f8")), rtol=1e-5)


def test_halves_and_conditions_come_from_lanes_too(rng):
    for device in DEVICES:
        for dtype in ("f2", "bool"):
            x, array = given(rng, (2, 320), dtype, device)
            made = x.max(1)
            assert count(source(made), SHUFFLES) == 8
            np.testing.assert_array_equal(made.numpy(), array.max(1))


def test_nothing_is_lost_of_what_is_not_a_number(rng):
    x, array = given(rng, (3, 96), "f4", "CUDA_EMULATED")
    array[1, 50], array[2, 7] = np.nan, np.inf
    x = Tensor(array).to("CUDA_EMULATED")
    np.testing.assert_array_equal(x.max(1).numpy(), array.max(1))
    np.testing.assert_array_equal(np.isnan(x.sum(1).numpy()), [False, True, False])


@pytest.mark.parametrize("columns", [96, 512])
def test_all_lanes_have_one_zero_of_two(columns):
    zeros = np.where(np.arange(columns) % 3 == 0, -0.0, 0.0).astype("f4")[None]
    x = Tensor(np.repeat(zeros, 2, 0)).to("CUDA_EMULATED").realize()
    made = x.max(1, keepdim=True).reciprocal() * (x + 1.0)
    assert len(made.schedule()) == 1
    for row in made.numpy():
        assert np.isinf(row).all() and len(np.unique(row)) == 1


def test_a_choice_may_share_two_axes_of_a_reduction_or_one_beside_rows(rng):
    x, array = given(rng, (16, 16), "i4", "CUDA_EMULATED")
    for shape, axes, choices in (
        ((4, 8, 8), (1, 2), "group(r1); group(r2)"),
        ((16, 16), 1, "local(r0); group(r1)"),
        ((4, 64), 1, "local(r0); group(r1)"),
        ((8, 32), 1, "r2, r3 = split(r0, 2); local(r3); group(r1); global(r2)"),
    ):
        made = x.reshape(*shape).contiguous().realize().sum(axes).contiguous(arg=choices)
        with Context(VERIFY=2):
            np.testing.assert_array_equal(made.numpy(), array.reshape(shape).sum(axes))


@pytest.mark.parametrize("columns", [32, 64])
@pytest.mark.parametrize("target", ["CUDA", "OPENCL"])
def test_rows_of_two_reductions_are_beside_the_items_of_both(rng, columns, target):
    """Each has positions of its own in the workgroup, though no reduction needs both."""
    i, j = axis(2, 0), axis(2, 1)
    sums = []
    for slot, row in ((1, i), (2, j)):
        step = axis(columns, 1 + slot, "reduce")
        read = param(slot, 2 * columns).index(row * columns + step)
        sums.append(read.reduce(Ops.ADD, step))
    store = param(0, 4).index(i * 2 + j).store(sums[0] + sums[1] * 100.0).end(i, j)
    choices = "local(r0); local(r1); group(r2); group(r3)"
    program = lower_kernel(UOp.sink(store, info=("both", choices)), target)
    assert program.launch[1] == (columns, 2, 2)
    given = [rng.integers(0, 9, (2, columns)).astype("f4") for _ in range(2)]
    arrays = [np.zeros(4, "f4"), *(a.reshape(-1) for a in given)]
    run_kernel(program.uops, arrays)
    first, second = (a.sum(1) for a in given)
    np.testing.assert_array_equal(arrays[0].reshape(2, 2), first[:, None] + second * 100)


def test_a_reduction_in_a_loop_waits_before_what_it_left_is_replaced(rng):
    x, array = given(rng, (6, 512), "f4", "CUDA_EMULATED")
    made = x.sum(1).contiguous(arg="loop(r0); r2, r3 = split(r1, 128); group(r3)")
    assert count(source(made), BARRIERS) == 2
    with Context(VERIFY=2):
        np.testing.assert_allclose(made.numpy(), array.sum(1, dtype="f8"), rtol=1e-5, atol=1e-4)


# ---- what they need ----------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
def test_a_row_of_one_warp_needs_no_memory_of_its_group_and_no_barrier(rng, device):
    x, _ = given(rng, (32, 128), "f4", device)
    for made in (x.sum(1), x.softmax(1), x.layernorm()):
        text = source(made)
        assert count(text, SHUFFLES) > 0 == count(text, (*BARRIERS, "local0[", "local1["))


@pytest.mark.parametrize("device", DEVICES)
def test_a_row_of_several_warps_needs_one_barrier_and_one_value_of_each(rng, device):
    x, _ = given(rng, (64, 512), "f4", device)
    text = source(x.sum(1))
    assert count(text, BARRIERS) == 1 and " float local1[8];" in text
    assert count(text, ("__shared__", "alignas(16) threadgroup")) == 1


def test_products_and_far_columns_do_not_go_by_warps(rng):
    a, b = (given(rng, (64, 64), "f4", DEVICES[0])[0] for _ in range(2))
    far, _ = given(rng, (128, 4096), "f4", DEVICES[0])
    for made in (a @ b, a @ b.T, far.sum(0)):
        assert count(source(made), SHUFFLES) == 0


def test_a_target_without_a_spelling_hands_values_over_in_memory(rng):
    x, _ = given(rng, (8, 512), "f4", DEVICES[0])
    text = source(x.sum(1), on="OPENCL")
    assert "shuffle" not in text and text.count("barrier(CLK") == 2


LOWERS = """
from rulewright import Context, Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("plain.uop")
for columns in (96, 300):
    x = Tensor.rand(8, columns).realize()
    [kernel] = x.sum(1).schedule()
    with Context(VERIFY=2):
        program = lower_kernel(kernel.ast, "PLAIN")
    _, (items, *_) = program.launch
    print(items, program.source.count("plain("), program.source.count("__syncthreads("))
"""


@pytest.mark.parametrize(
    ("items", "said"),
    [("16 48", ["16 4 0", "48 4 1"]), ("16 8", ["8 0 0", "8 0 1"]), ("48 96", ["8 0 0", "96 0 2"])],
)
def test_the_lanes_and_work_items_of_a_target_are_as_many_as_it_says(tmp_path, items, said):
    """A group of fewer than a warp goes through memory, and shorter rows have a work item each.
    What three warps have is read in a loop; 48 lanes, which no halves come from, do nothing."""
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "plain.uop").write_text(PLAIN % (*items.split(),))
    assert run(tmp_path / "site", code=LOWERS).splitlines() == said


# ---- what is refused ---------------------------------------------------------------------------


def lowered(rng):
    """The program of a sum, and arrays for its buffers."""
    x, array = given(rng, (2, 64), "f4", DEVICES[0])
    [kernel] = x.sum(1).schedule()
    *_, (_, program) = lowering_stages(kernel.ast, "CUDA")
    return program, [np.zeros(2, "f4"), array.reshape(-1)]


def with_distances(program, distance):
    return program.substitute(
        {n: n.replace(arg=distance) for n in program.src if n.op is Ops.SHUFFLE}
    )


@pytest.mark.parametrize("distance", [0, 3, 32])
def test_the_interpreter_refuses_lanes_that_are_not_there(rng, distance):
    program, arrays = lowered(rng)
    run_kernel(program, arrays)
    np.testing.assert_allclose(arrays[0], arrays[1].reshape(2, 64).sum(1), rtol=1e-5, atol=1e-5)
    with pytest.raises(InterpreterError, match=rf"multiple of {2 * distance} .*; found 32"):
        run_kernel(with_distances(program, distance), arrays)


def test_the_interpreter_refuses_lanes_that_a_condition_leaves_out(rng):
    program, arrays = lowered(rng)
    [lane] = [n for n in program.src if n.arg == "l0"]
    shuffle = next(n for n in program.src if n.op is Ops.SHUFFLE)
    start = UOp(Ops.IF, program.dtype, (lane < 16,))
    at = program.src.index(shuffle)
    items = (*program.src[:at], start, shuffle, UOp(Ops.ENDIF, program.dtype, (start,)))
    with pytest.raises(InterpreterError, match="a condition leaves out lanes of the warp"):
        run_kernel([*items, *program.src[at + 1 :]], arrays)


# ---- emulated devices --------------------------------------------------------------------------

READ = {
    DEVICES[0]: "__shfl_xor_sync(%s, in[i], %s)",
    DEVICES[1]: "simd_shuffle_xor(in[i], ushort(%s))",
}
ALL = "0xffffffffu"


@pytest.mark.parametrize("device", DEVICES)
def test_emulated_lanes_read_each_other(device):
    read = READ[device] % ((ALL, "5") if device == DEVICES[0] else "5")
    made = launch(f"  out[i] = {read};", device).numpy()
    assert made.tolist() == [float(i ^ 5) for i in range(128)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("condition", "there"), [("t < 48", 16), ("t % 32", 31)])
def test_lanes_that_stay_away_are_reported(device, condition, there):
    read = READ[device] % ((ALL, "16") if device == DEVICES[0] else "16")
    wanted = rf"{there} of 32 lanes of a warp exchange values"
    if device == DEVICES[1]:  # the others may do without them, but not read what they have
        wanted = r"thread .* reads the value of lane \d+ of its warp, which does not come here"
    with pytest.raises(DeviceRuntimeError, match=f"divergent warp: {wanted}"):
        launch(f"  if ({condition}) out[i] = {read};\n  BARRIER\n  out[i] += 1;", device)


def test_lanes_that_a_mask_names_are_enough(rng):
    half = "  if (t % 32 < 16) out[i] = __shfl_xor_sync(0xffffu, in[i], 8);"
    found = launch(half, DEVICES[0]).numpy()
    assert found.tolist() == [float(i ^ 8) if i % 32 < 16 else 0.0 for i in range(128)]
    with pytest.raises(DeviceRuntimeError, match=r"reads the value of lane (1[6-9]|2\d|3[01]) of"):
        launch(half.replace("8)", "16)"), DEVICES[0])


@pytest.mark.parametrize("distance", [32, 64])
def test_no_lane_is_beyond_its_warp(distance):
    with pytest.raises(DeviceRuntimeError, match=r"reads the value of lane \d+ of its warp"):
        launch(f"  out[i] = __shfl_xor_sync({ALL}, in[i], {distance});", DEVICES[0])


def test_lanes_that_have_ended_have_nothing_to_read():
    body = f"  if (t == 9) return;\n  out[i] = __shfl_xor_sync({ALL}, in[i], 1);"
    with pytest.raises(DeviceRuntimeError, match="reads the value of lane 9 of its warp"):
        launch(body, DEVICES[0])
