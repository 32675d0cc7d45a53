"""Small matrices that lanes read together: where they are taken, values, what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from emulated_kernels import launch
from outside_tools import run
from staged_products import DEVICES, product, with_lanes

from rulewright import Context, Tensor
from rulewright.codegen.lower import lowering_stages
from rulewright.errors import DeviceRuntimeError, InterpreterError
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops

PLAIN = "k2 k4 m1 m2 m4 | k1"


def source(tensor):
    return "".join(kernel.lower().source for kernel in tensor.schedule())


# ---- where they are taken, and values ------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("columns", "count"), [(16, 2), (48, 4)])
def test_copies_of_halves_are_read_as_matrices_whatever_lies_beside(
    rng, dtype, turned, columns, count
):
    """Of the left side steps lie beside each other; of the right side columns, or steps too. Those
    of two tiles are read at once, if a warp has as many."""
    made, wanted = product(rng, DEVICES[0], dtype, (64, columns, 40), turned)
    left, right = re.findall(r"^ +(ldmatrix\w+)\(&", source(made), re.M)
    assert left == "ldmatrix_x4" and "= local" not in source(made)
    assert right == f"ldmatrix_x{count}{'' if turned else '_turned'}"
    with Context(VERIFY=0):
        np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-4, atol=1e-3)


def test_a_left_side_that_lies_by_columns_is_turned_as_it_is_read(rng):
    x, y = (rng.standard_normal((48, 32)).astype("f2") for _ in range(2))
    left, right = (Tensor(t).to(DEVICES[0]).realize() for t in (x, y))
    made = left.T.matmul(right, dtype="f32")
    assert "ldmatrix_x4_turned(&" in source(made)
    with Context(VERIFY=2):
        found = made.numpy()
    np.testing.assert_allclose(found, x.T.astype("f8") @ y, rtol=1e-4, atol=1e-3)


THREE = (
    "r3, r4 = split(r2, 32); r5, r6 = pack(r0, r4); local(r5); r7, r8 = pack(r1, r4); local(r7); "
    "r9, r10 = split(r0, 16); global(r9); r11, r12 = split(r1, 8); upcast(r11); tc(r10, r12, r4)"
)


def test_of_an_odd_number_of_tiles_each_is_read_by_itself(rng):
    made, wanted = product(rng, DEVICES[0], "i8", (32, 24, 64), turned=True)
    made = made.contiguous(arg=THREE)
    assert source(made).count("  ldmatrix_x2(&") == 3
    with Context(VERIFY=0):
        np.testing.assert_array_equal(made.numpy(), wanted)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("dtype", "device"),
    [("i8", DEVICES[0]), ("fp8e4m3", "CUDA_SM90_EMULATED"), ("fp8e5m2", "CUDA_SM90_EMULATED")],
)
def test_rows_of_bytes_are_read_as_matrices_where_steps_lie_beside_each_other(
    rng, dtype, device, turned
):
    """And one by one where they do not: bytes are not turned."""
    made, wanted = product(rng, device, dtype, (33, 40, 70), turned)
    assert source(made).count("  ldmatrix_x4(&") == 1 + turned
    assert ("= local" in source(made)) != turned
    with Context(VERIFY=0):
        np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-5, atol=1e-3)


def test_bytes_keep_their_meaning_through_all_stages(rng):
    made, wanted = product(rng, DEVICES[0], "i8", (32, 32, 32), turned=True)
    assert source(made).count("  ldmatrix_x4(&") == 2
    with Context(VERIFY=2):
        np.testing.assert_array_equal(made.numpy(), wanted)


@pytest.mark.parametrize(
    ("device", "dtype"), [(DEVICES[0], "f32"), (DEVICES[1], "f16"), (DEVICES[1], "i8")]
)
def test_other_elements_and_devices_do_without(rng, device, dtype):
    made, _ = product(rng, device, dtype, (32, 32, 64), turned=True)
    assert "ldmatrix" not in source(made)


SMALL = """target SMALL extends CUDA {
  text fragment_16 = "k1 k2 m1 m2 m4 | k4"
}
"""
LOWERS = """
from rulewright import Tensor, load_spec
from rulewright.codegen.lower import lower_kernel
load_spec("small.uop")
x, y = Tensor.rand(32, 32).cast("f16").realize(), Tensor.rand(32, 32).cast("f16").realize()
[kernel] = x.matmul(y, dtype="f32").schedule()
for on in ("CUDA", "SMALL"):
    made = lower_kernel(kernel.ast, on).source
    calls = ("  ldmatrix_x4_turned(&", "  ldmatrix_x4(&", "= local")
    print(*map(made.count, calls))
"""


def test_a_target_that_gives_lanes_other_elements_reads_one_by_one(tmp_path):
    """Its layout is that of no operand."""
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "small.uop").write_text(SMALL)
    taken, *others = run(tmp_path / "site", code=LOWERS).splitlines()
    assert taken.split()[:2] == ["1", "1"] and taken.split()[2] == "0"
    assert others[0].split()[:2] == ["0", "0"] and int(others[0].split()[2]) > 4


# ---- the interpreter -----------------------------------------------------------------------------


def lowered(rng):
    """The program of a product, and arrays for its buffers."""
    made, _ = product(rng, DEVICES[0], "f16", (16, 16, 16))
    [kernel] = made.schedule()
    *_, (_, program) = lowering_stages(kernel.ast, "CUDA")
    return program, [np.zeros(256, "f4"), np.ones(256, "f2"), np.ones(256, "f2")]


WRONG = {
    ("k2 k4 m1 m2 m4 | k8", 2): "expected the bits k1 k2 k4 m1 m2 m4, each once",
    ("k4 k8 m1 m2 m4 | k1 k2", 2): "expected rows of 16 elements, 16 of 32 lanes",
    ("no layout", 2): "expected a layout such as",
    (PLAIN, 3): "24 of 32 lanes, and a result of 6; found 8 and ",
    (PLAIN, 8): "64 of 32 lanes",
    (PLAIN, 0): "0 of 32 lanes",
}


@pytest.mark.parametrize("arg", WRONG)
def test_the_interpreter_refuses_what_gives_no_small_matrices(rng, arg):
    program, arrays = lowered(rng)
    run_kernel(program, arrays)
    assert (arrays[0] == 16).all()
    changes = {n: n.replace(arg=arg) for n in program.src if n.op is Ops.FRAGMENT}
    assert changes
    with pytest.raises(InterpreterError, match=WRONG[arg]):
        run_kernel(program.substitute(changes), arrays)


def test_the_interpreter_refuses_half_a_warp(rng):
    program, arrays = lowered(rng)
    with pytest.raises(InterpreterError, match="expected 32 lanes that run together"):
        run_kernel(with_lanes(program, 16), arrays)


# ---- emulated devices ----------------------------------------------------------------------------

READS = """  __shared__ __align__(16) unsigned short s[2][64 * 8];
  for (int e = t; e < 512; e += 64) s[b][e] = (unsigned short)e;
  __syncthreads();
  unsigned x[2], at = (unsigned)__cvta_generic_to_shared(&s[b][%s]);
  %sasm volatile("ldmatrix.sync.aligned.m8n8.x2%s.shared.b16 {%%0, %%1}, [%%2];"
      : "=r"(x[0]), "=r"(x[1]) : "r"(at));
  unsigned short two[4];
  memcpy(two, x, sizeof x);
  out[i] = two[%d];"""


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("item", [0, 3])
def test_emulated_lanes_get_the_elements_that_the_manual_says(turned, item):
    """Element i of row r of matrix j is numbered 64j + 8r + i; lane t has a pair in row t / 4."""
    made = launch(READS % ("t % 16 * 8", "", ".trans" if turned else "", item), DEVICES[0])
    lane = np.arange(32)
    row, column = lane // 4, lane % 4 * 2 + item % 2
    row, column = (column, row) if turned else (row, column)
    wanted = item // 2 * 64 + row * 8 + column
    assert made.numpy().reshape(4, 32).tolist() == [wanted.tolist()] * 4


def test_rows_at_odd_places_and_lanes_that_stay_away_are_reported():
    with pytest.raises(DeviceRuntimeError, match=r"misaligned: .* a row that is a multiple of 16"):
        launch(READS % ("t % 16 * 8 + 1", "", "", 0), DEVICES[0])
    with pytest.raises(DeviceRuntimeError, match="reads the value of lane 0 of its warp, which"):
        launch(READS % ("t % 16 * 8", "if (t % 32) ", "", 0), DEVICES[0])


def test_rows_that_are_not_there_yet_are_reported():
    body = re.sub(r"__syncthreads\(\);", "", READS % ("t % 16 * 8", "", "", 0))
    with pytest.raises(DeviceRuntimeError, match=r"(data race|uninitialised): .* shared s\["):
        launch(body, DEVICES[0])
    with pytest.raises(DeviceRuntimeError, match=r"out of bounds: .* takes element 32768"):
        launch(READS % ("4096 * 8", "", "", 0), DEVICES[0])
