"""Squares of a matrix that are transposed in registers while they are packed."""

from shutil import which

import numpy as np
import pytest
from codegen_kernels import axis, matmul, param

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.codegen.turn import transposed, turned
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import target


@pytest.mark.parametrize("count", [2, 4, 8, 16])
@pytest.mark.parametrize("dtype", [dtypes.f32, dtypes.f64, dtypes.i32])
def test_vectors_are_the_columns_of_the_rows(count, dtype, rng):
    source, goal = param(1, count * count, dtype), param(0, count * count, dtype)
    wide = dtype.vec(count)
    at = [UOp.index_const(count * number) for number in range(count)]
    columns = transposed([UOp(Ops.INDEX, wide, (source, i)) for i in at])
    stores = [UOp(Ops.INDEX, wide, (goal, i)).store(c) for i, c in zip(at, columns, strict=True)]
    square = rng.integers(-99, 99, (count, count)).astype(dtype.np)
    found = np.zeros(count * count, dtype.np)
    run_kernel(UOp.sink(*stores), [found, square.reshape(-1)])
    np.testing.assert_array_equal(found.reshape(count, count), square.T)


def copy(step, inner, kinds=("upcast", "simd")):
    """A copy of 16 by 16 that steps so far in what it reads along the stored rows and columns."""
    i, j = axis(16, 0, kinds[0]), axis(16, 1, kinds[1])
    value = param(1, 4096).index(i * step + j * inner)
    return param(0, 256).index(i * 16 + j).store(value).end(i, j)


def test_a_square_is_turned_only_where_its_rows_are_read_as_columns():
    c = target("C")
    assert len(turned(copy(1, 200), c)) == 16
    for other in (copy(200, 1), copy(3, 200), copy(1, 200, ("loop", "simd"))):
        assert turned(other, c) is None


@pytest.mark.parametrize("name", ["C", "C_AVX2", "C_SSE", "C_NEON"])
@pytest.mark.parametrize(("length", "turns"), [(64, True), (67, True), (36, True), (7, False)])
def test_a_transposed_operand_is_packed_by_squares(name, length, turns):
    """What is left over beside whole squares is gathered."""
    source = lower_kernel(matmul(64, 64, length, transposed=True), name).source
    assert ("shuffle(" in source) == turns


SIDES = {"C": 64, "C_AVX2": 32, "C_SSE": 16, "C_NEON": 16}
"""Bytes of a vector of each target, which are a row of a square."""


@pytest.mark.parametrize("dtype", ["f32", "f64", "i32"])
@pytest.mark.parametrize(("rows", "columns"), [(256, 320), (64, 1088), (1024, 96), (320, 250)])
def test_lines_that_squares_are_parts_of_are_read_in_stripes(dtype, rows, columns, rng):
    """Blocks of 64 by a line, where a line is longer than a row of a square."""
    a = rng.integers(-99, 99, (rows, columns))
    x, y = Tensor(a, dtype=dtype).realize(), Tensor(a.T * 2 + 1, dtype=dtype).realize()
    [kernel] = (x.T + y).schedule()
    fits = rows % 64 == 0 and columns % (64 // x.dtype.itemsize) == 0
    for name, side in SIDES.items():
        turns = fits and 4 * x.dtype.itemsize <= side < 64  # vectors of two are not turned
        assert ("reorder" in lower_kernel(kernel.ast, name).choices) == turns
    with Context(VERIFY=1):
        np.testing.assert_array_equal((x.T + y).numpy(), a.T * 3 + 1)


def test_stripes_are_the_transposition_to_the_interpreter(rng):
    a = rng.integers(-99, 99, (128, 512)).astype(np.float32)
    x = Tensor(a).realize()
    [kernel] = (x.T * 2).schedule()
    *_, (_, program) = lowering_stages(kernel.ast, "C_AVX2")
    result = np.zeros(a.size, np.float32)
    run_kernel(program, [result, a.reshape(-1)])
    np.testing.assert_array_equal(result.reshape(512, 128), a.T * 2)


CONDITIONS = {
    "above 0": lambda x, other: x > 0,
    "both": lambda x, other: (x > 0) & other,
    "either": lambda x, other: (x > 0) | (x * x < 4),
    "of doubles": lambda x, other: x * 0.5 > 1,
}


@pytest.mark.parametrize("compiler", ["as it is", "without __builtin_shufflevector"])
@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_on_a_product_are_stored_turned(name, compiler, rng, tmp_path):
    """Rows of conditions are put together lane by lane, whatever was compared; gcc before 12 has
    one function less for it."""
    header = tmp_path / "older.h"
    header.write_text("#define __has_builtin(name) 0\n")
    if which("gcc") is None:
        pytest.skip("there is no gcc here")
    older = f"gcc -Wno-builtin-macro-redefined -include {header}"
    kind = np.float64 if name == "of doubles" else np.float32
    pairs = []
    for rows, columns in [(2, 4), (2, 24), (4, 8), (4, 16), (8, 8), (2, 64)]:
        a, b = rng.integers(-3, 4, (rows, 6)), rng.integers(-3, 4, (6, columns))
        other = rng.integers(0, 2, (columns, rows)).astype(bool)
        product = (Tensor(a.astype(kind)) @ Tensor(b.astype(kind))).T
        found = CONDITIONS[name](product, Tensor(other))
        pairs.append((found, CONDITIONS[name]((a @ b).T, other)))
    with Context(**({} if compiler == "as it is" else {"CC": older})):
        Tensor.realize(*(found for found, _ in pairs))
    for found, wanted in pairs:
        np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize("shape", [(511, 500), (300, 301), (8, 127, 128)])
def test_squares_of_odd_and_of_several_small_matrices_are_turned(shape, rng):
    """Also where there is too little for threads: what is left over is copied beside them."""
    x = rng.standard_normal(shape, dtype=np.float32)
    value = Tensor(x).transpose(-1, -2).contiguous()
    (item,) = value.schedule()
    assert "upcast" in lower_kernel(item.ast, "C_AVX2").choices
    np.testing.assert_array_equal(value.numpy(), x.swapaxes(-1, -2))
