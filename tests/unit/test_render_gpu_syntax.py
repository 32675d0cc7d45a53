"""Metal and CUDA sources as far as a C++ compiler can judge them: a shim stands for the languages.

It finds what a parser finds: unknown names, wrong types, missing parentheses. Address spaces,
attributes and limits are for the real compilers (NVRTC in tests/cuda).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from render_tools import CASES, COMPARE, one_op, operands, program

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import Target, render, render_unit, target, write_kernel

COMPILER = next(filter(None, map(shutil.which, ("g++", "clang++", "c++"))), None)
FUNCTIONS = ("EXP", "EXP2", "LOG", "LOG2", "SIN", "COS", "ATAN", "TANH", "ERF")
COMMON = """
struct uint3 { unsigned x, y, z; };
#define VECTOR(type, name) \\
  struct name##2 { type x, y; name##2(type, type); }; \\
  struct name##4 { type x, y, z, w; name##4(type, type, type, type); \\
    explicit name##4(type = {}); }; \\
  name##2 make_##name##2(type, type); name##4 make_##name##4(type, type, type, type);
VECTOR(signed char, char) VECTOR(unsigned char, uchar) VECTOR(short, short)
VECTOR(unsigned short, ushort) VECTOR(int, int) VECTOR(unsigned, uint) VECTOR(long, long)
VECTOR(unsigned long, ulong) VECTOR(float, float) VECTOR(double, double)
#define FUNCTION(name) float name(float);
"""
METAL = (
    COMMON
    + """
#define kernel extern "C"
#define device
#define constant const
#define thread
#define threadgroup static
typedef signed char int8; typedef unsigned char uchar; typedef unsigned short ushort;
typedef unsigned int uint; typedef unsigned long ulong;
struct half { half(); explicit half(float); operator float() const; };
struct bfloat { bfloat(); explicit bfloat(float); operator float() const; };
VECTOR(bool, bool) VECTOR(half, half) VECTOR(bfloat, bfloat)
template <class T, class F> T as_type(F);
half operator ""h(long double);
const float INFINITY = __builtin_inff(), NAN = __builtin_nanf("");
namespace precise { FUNCTION(sqrt) FUNCTION(exp) FUNCTION(exp2) FUNCTION(log) FUNCTION(log2)
FUNCTION(sin) FUNCTION(cos) FUNCTION(atan) FUNCTION(tanh)
float pow(float, float); float fmod(float, float); }
FUNCTION(trunc) float fma(float, float, float);
namespace mem_flags { enum flag { mem_threadgroup }; }
void threadgroup_barrier(mem_flags::flag);
template <class T, int M, int N> struct simdgroup_matrix { T *thread_elements(); };
template <class T> void simdgroup_multiply_accumulate(simdgroup_matrix<float, 8, 8>,
  simdgroup_matrix<T, 8, 8>, simdgroup_matrix<T, 8, 8>, simdgroup_matrix<float, 8, 8>);
template <class T> T simd_shuffle_xor(T, unsigned short);
"""
)
CUDA = (
    COMMON
    + """
#define __global__
#define __device__
#define __shared__ static
#define __forceinline__
#define __launch_bounds__(n)
#define __align__(n)
extern uint3 blockIdx, threadIdx;
struct __half { }; struct __nv_bfloat16 { };
__half __float2half(float); float __half2float(__half); __half __ushort_as_half(unsigned short);
__nv_bfloat16 __float2bfloat16(float); float __bfloat162float(__nv_bfloat16);
__nv_bfloat16 __ushort_as_bfloat16(unsigned short);
float __int_as_float(int); double __longlong_as_double(long long);
FUNCTION(sqrtf) FUNCTION(truncf) FUNCTION(expf) FUNCTION(exp2f) FUNCTION(logf) FUNCTION(log2f)
FUNCTION(sinf) FUNCTION(cosf) FUNCTION(atanf) FUNCTION(tanhf) FUNCTION(erff)
double sqrt(double); double trunc(double); double exp(double); double exp2(double);
double log(double); double log2(double); double sin(double); double cos(double);
double atan(double); double tanh(double); double erf(double);
float fmaf(float, float, float); double fma(double, double, double);
float fmodf(float, float); double fmod(double, double);
unsigned long __cvta_generic_to_shared(const void *);
template <class T> T __shfl_xor_sync(unsigned, T, int, int = 32);
void __syncthreads(); void __pipeline_commit(); void __pipeline_wait_prior(unsigned long);
void __pipeline_memcpy_async(void *, const void *, unsigned long, unsigned long = 0);
extern "C" void *memcpy(void *, const void *, unsigned long);
"""
)
SHIMS = {"METAL": METAL, "CUDA": CUDA}
HEADERS = ("#include", "using namespace")


def problems(on: str, source: str) -> str:
    """What the compiler says about a source behind the shim of its language."""
    lines = [line for line in source.split("\n") if not line.startswith(HEADERS)]
    # a word that names an address space is a storage class of C++, but not in a cast
    text = SHIMS[on] + re.sub(r"(?<=\()threadgroup\b", "", "\n".join(lines))
    command = [COMPILER, "-std=c++17", "-fsyntax-only", "-w", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def ops_of(dtype: DType, on: Target) -> str:
    """Every op on a dtype, and its conversions, as one source."""
    every = [(op, kind) for op, kind in CASES if kind is dtype]
    programs = [
        (one_op(op), [dtype] * len(operands(op, dtype)), dtypes.bool if op in COMPARE else dtype)
        for op, _ in every
    ]
    if dtype.is_float:
        programs += [(one_op(op), [dtype], dtype) for op in FUNCTIONS]
    present = [d for d in dtypes.all() if d.base in on.row["types"]]
    programs += [(lambda x, r=result: x.cast(r), [dtype], result) for result in present]
    made = [(program(*each, 8, on), f"k{n}") for n, each in enumerate(programs)]
    return render_unit(made, on)


PAIRS = [
    (name, dtype)
    for name in SHIMS
    for dtype in dtypes.all()
    if COMPILER and dtype.base in target(name).row["types"]
]


@pytest.mark.parametrize(("name", "dtype"), PAIRS, ids=lambda p: getattr(p, "name", p))
def test_ops(name, dtype):
    assert not problems(name, ops_of(dtype, target(name)))


def workgroup() -> list[UOp]:
    """Local memory, a barrier, vectors, gates and a variable."""
    i32, f32 = dtypes.i32, dtypes.f32
    lane = UOp(Ops.SPECIAL, i32, (UOp.const(i32, 4),), "l0")
    group = UOp(Ops.SPECIAL, i32, (UOp.const(i32, 8),), "g1")
    room = UOp(Ops.DEFINE_LOCAL, f32, (), (0, 4))
    total = UOp(Ops.DEFINE_REG, f32, (), (0, 1))
    params = [UOp(Ops.PARAM, f32, (), (slot, (64,), None)) for slot in range(2)]
    start = lane * 4
    gate = group < UOp.variable("n", 0, 8).cast(i32)
    four = UOp(Ops.INDEX, f32.vec(4), (params[1], start))
    zero = UOp.const(f32.vec(4), 0.0)
    vector = UOp(Ops.LOAD, f32.vec(4), (four, zero, gate))
    first = UOp(Ops.LANE, f32, (vector,), (0,))
    mine = room.index(lane)
    put = mine.store(first)
    barrier = UOp(Ops.BARRIER, dtypes.void, (put,))
    other = room.after(barrier).index(UOp.const(i32, 3) - lane)
    read = other.load()
    cell = total.index(UOp.const(i32, 0))
    keep = cell.store(read)
    out = UOp(Ops.INDEX, f32.vec(4), (params[0], start))
    last = total.after(keep).index(UOp.const(i32, 0))
    kept = last.load()
    stack = UOp(Ops.STACK, f32.vec(4), (first, kept, first, kept))
    store = out.store(stack, gate)
    return [
        lane, group, room, total, start, gate.src[1], gate, four, vector, first, mine, put,
        barrier, other.src[1], other, read, cell, keep, out, last, kept, stack, store,
    ]  # fmt: skip


@pytest.mark.parametrize("name", SHIMS if COMPILER else ())
def test_workgroup(name):
    source = render(workgroup(), target(name), "workgroup")
    assert not problems(name, source)
    assert problems(name, source.replace("barrier", "barier").replace("sync", "snyc"))


GOLDEN = Path(__file__).parents[2] / "golden"
FILES = {"METAL": "metal.metal", "CUDA": "cuda.cu"}
SOURCES = [
    (name, path)
    for name, file in FILES.items()
    for path in sorted(GOLDEN.glob(f"*/{file}"))
    if COMPILER
]


@pytest.mark.parametrize(
    ("name", "path"), SOURCES, ids=lambda p: p if isinstance(p, str) else p.parent.name
)
def test_golden(name, path):
    kernels = re.split(r"^// kernel .*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for kernel in filter(str.strip, kernels):
        assert not problems(name, kernel)


@pytest.mark.parametrize(
    ("name", "sized"),
    [("C", False), *((name, sized) for name in (*SHIMS, "OPENCL") for sized in (False, True))],
)
def test_a_written_kernel_takes_another_name(name, sized):
    on = target(name)
    sum_ = program(one_op("ADD"), [dtypes.f32] * 2, dtypes.f32, 8, on)
    written = write_kernel(workgroup() if sized else sum_, on, "void_sum")
    assert len(re.findall(r"\bvoid_sum\b", written.text)) == 1
    other = written.under("void_sum", "void_sum__1").text
    assert re.findall(r"\bvoid_sum\w*\(", other) == ["void_sum__1("]
    assert other.replace("void_sum__1", "void_sum") == written.text
