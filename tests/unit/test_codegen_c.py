"""Generated C, compiled and run: the same numbers as numpy and the interpreter."""

import platform
import subprocess

import numpy as np
import pytest
from codegen_kernels import (
    KERNELS,
    VARIABLES,
    axis,
    compiled,
    elementwise,
    full_sum,
    inputs,
    layernorm,
    matmul,
    param,
    row_sum,
    run,
    same,
    softmax,
)

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import target
from rulewright.render.usage import plain_loops
from rulewright.runtime.c import VECTOR_TARGETS, vector_target
from rulewright.runtime.clib import load_function
from rulewright.runtime.compiler import (
    DEFAULT_FLAGS,
    compile_many,
    defined_macros,
    find_compiler,
)
from rulewright.runtime.device import Device
from rulewright.runtime.threads import is_granted


@pytest.fixture(scope="module", params=VECTOR_TARGETS)
def functions(request):
    """Every kernel of this file, compiled, by its program; for vectors of each width."""
    kernels = {**KERNELS, **LARGE}.items()
    programs = {name: lower_kernel(kernel, request.param) for name, kernel in kernels}
    return compiled(programs, request.param)


LARGE = {
    "matmul_large": matmul(64, 96, 200),
    "matmul_large_transposed": matmul(40, 48, 784, transposed=True),
    "matmul_large_primes": matmul(61, 1103, 37),
    "softmax_large": softmax(64, 1500),
    "layernorm_large": layernorm(96, 1024),
}


@pytest.mark.parametrize("name", [*KERNELS, *LARGE])
def test_compiled_kernels_agree_with_the_interpreter(name, functions, rng):
    program, function = functions[name]
    arrays = inputs({**KERNELS, **LARGE}[name], rng)
    expected = [a.copy() for a in arrays]
    run_kernel({**KERNELS, **LARGE}[name], expected, VARIABLES)
    run(function, program, arrays, parts=3 if program.threads else 1)
    same(arrays, expected)


def test_large_kernels_are_shared_between_threads(functions):
    for name in LARGE:
        assert functions[name][0].threads, name


@pytest.mark.parametrize("columns", [1, 2, 15, 16, 17, 63, 64, 65, 100, 127, 128, 200, 1025])
def test_row_sums_of_any_length(columns, rng):
    program = lower_kernel(row_sum(3, columns), "C")
    (path,) = compile_many([program.source], DEFAULT_FLAGS, program.name)
    arrays = inputs(row_sum(3, columns), rng)
    run(load_function(path, program.name), program, arrays)
    rows = arrays[1].reshape(3, columns).astype(np.float64)
    np.testing.assert_allclose(arrays[0], rows.sum(1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("place", [0, 5, 63, 64, 330, 332])
def test_maximum_keeps_nan_wherever_it_is(place, functions, rng):
    program, function = functions["row_max"]
    arrays = inputs(KERNELS["row_max"], rng)
    arrays[1][333 + place] = np.nan
    run(function, program, arrays)
    np.testing.assert_array_equal(np.isnan(arrays[0]), [False, True, False])


def test_integer_sums_wrap(rng):
    kernel = full_sum(999, KERNELS["full_sum_of_ints"].src[0].src[1].dtype)
    program = lower_kernel(kernel, "C")
    (path,) = compile_many([program.source], DEFAULT_FLAGS, program.name)
    arrays = inputs(kernel, rng)
    arrays[1][:] = np.iinfo(np.int32).max
    with np.errstate(over="ignore"):
        expected = arrays[1].sum(dtype=np.int32)
    run(load_function(path, program.name), program, arrays)
    assert arrays[0][0] == expected


def test_elementwise_products_are_rounded_before_they_are_added(rng):
    program = lower_kernel(elementwise(1000), "C")
    (path,) = compile_many([program.source], DEFAULT_FLAGS, program.name)
    arrays = inputs(elementwise(1000), rng)
    run(load_function(path, program.name), program, arrays)
    x = arrays[1]
    np.testing.assert_array_equal(arrays[0], (x * np.float32(2) + np.float32(1)) * x)


def test_source_has_no_index_of_a_reduction_in_threads():
    """Every part of the shared axis does its own rows only."""
    program = lower_kernel(LARGE["softmax_large"], "C")
    heads = [n for n in program.uops if n.op is Ops.RANGE and n.arg[1] == "thread"]
    assert len(heads) == 1
    assert program.uops.index(heads[0]) < min(
        i for i, n in enumerate(program.uops) if n.op is Ops.RANGE and n.arg[1] != "thread"
    )


@pytest.mark.parametrize("inner", ["loop", "reduce", "simd", "unroll"])
def test_loops_around_loops_that_stay_are_not_unrolled(inner):
    """The compiler would compile what is in them many times."""
    outer, within = axis(8, 0, "unroll"), axis(4, 1, inner)
    place = param(0, 8 * 4).index(outer * 4 + within)
    end = place.store(UOp.const(dtypes.f32, 1.0)).end(within)
    program = [outer, within, place, end.src[0], end, UOp(Ops.END, end.dtype, (end, outer))]
    assert plain_loops(program) == (set() if inner == "unroll" else {outer})


ON_X86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="reads x86's assembly"
)


def instructions(source, folder):
    """What the device's compiler makes of a kernel, an instruction a line."""
    compiler = find_compiler()
    written = folder / "kernel.c", folder / "kernel.s"
    written[0].write_text(source)
    flags = [*compiler.level.split(), *(f for f in DEFAULT_FLAGS if f != "-shared"), "-S"]
    command = [*compiler.command, *flags, str(written[0]), "-o", str(written[1])]
    done = subprocess.run(command, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    text = [line.strip() for line in written[1].read_text().splitlines()]
    return [line for line in text if line and line[0] not in ".#" and not line.endswith(":")]


@ON_X86
def test_the_inner_loop_of_a_product_keeps_its_tile_in_registers(tmp_path):
    """Between the multiply-adds of a tile nothing goes to the stack."""
    source = lower_kernel(matmul(512, 512, 512), vector_target(find_compiler())).source
    lines = instructions(source, tmp_path)
    products = [i for i, line in enumerate(lines) if "vfmadd" in line]
    assert len(products) >= 8
    between = lines[products[0] : products[-1]]
    assert not [line for line in between if "rsp" in line or "rbp" in line]
    assert len(between) < 3 * len(products), "products follow each other"


@ON_X86
@pytest.mark.parametrize("dtype", ["i8", "u8", "i16", "u16", "i32", "u32"])
def test_the_largest_of_integers_are_one_instruction(dtype, tmp_path):
    target = vector_target(find_compiler())
    if target == "C_SSE":
        pytest.skip("needs vectors of 256 bits")
    x = Tensor.ones(64, 256, dtype=dtype).contiguous().realize()
    for value, word in ((x.max(0), "vpmax"), (x.min(0), "vpmin")):
        (item,) = value.schedule()
        lines = instructions(lower_kernel(item.ast, target).source, tmp_path)
        assert [line for line in lines if line.startswith(word)]
        assert not [line for line in lines if "blend" in line]


CONVERTED = {
    "u8 to f32": ("u8", lambda x: x.float() / 255),
    "i8 to f64": ("i8", lambda x: x.double() * 2),
    "i8 to i32": ("i8", lambda x: x.int() + 1),
    "u8 to i64": ("u8", lambda x: x.long() + 1),
    "i16 to i64": ("i16", lambda x: x.long() + 1),
    "u16 to f32": ("u16", lambda x: x.float() * 2),
    "i16 to f64": ("i16", lambda x: x.double() * 2),
    "i32 to i8": ("i32", lambda x: (x + 1).cast("i8")),
    "i64 to u8": ("i64", lambda x: (x + 1).cast("u8")),
    "i64 to i16": ("i64", lambda x: (x + 1).cast("i16")),
    "bytes of truth for floats": ("bool", lambda m: m.where(2.0, -3.0)),
    "bytes of truth for doubles": ("bool", lambda m: m.where(Tensor(2.0, "f64"), -3.0)),
    "bytes of truth to f32": ("bool", lambda m: m.float()),
    "truth of floats as bytes": ("f32", lambda x: x > 1),
    "truth of i64 as bytes": ("i64", lambda x: x > 1),
    "truth of both": ("f32", lambda x: (x > 1) & (x.bitcast("i32").cast("i8") > 3)),
}


@ON_X86
@pytest.mark.parametrize("name", CONVERTED)
def test_conversions_do_not_go_lane_by_lane(name, tmp_path):
    if "__AVX2__" not in defined_macros(find_compiler()):
        pytest.skip("the processor has no AVX2")
    of, convert = CONVERTED[name]
    [kernel] = convert(Tensor(np.ones(4096), of).realize()).schedule()
    lines = instructions(kernel.lower().source, tmp_path)
    one_by_one = ("movs", "movz", "vpinsr", "vpextr", "cvtsi2s")
    assert not [line for line in lines if line.startswith(one_by_one)]


def test_the_target_of_the_device_is_what_the_compiler_says_of_the_processor():
    compiler = find_compiler()
    macros = defined_macros(compiler)
    expected = "C_SSE"
    for name, macro in (("C_NEON", "__ARM_NEON"), ("C_AVX2", "__AVX2__"), ("C", "__AVX512F__"),
                        ("C_VNNI", "__AVX512VNNI__"), ("C_DOT", "__AVX512BF16__")):  # fmt: skip
        expected = name if macro in macros else expected
    if "__AMX_BF16__" in macros and is_granted(target("C_AMX").limit("state")):
        expected = "C_AMX"
    assert vector_target(compiler) == Device["C"].target == expected
    assert target(expected).limit("vector_bits") in (128, 256, 512)
