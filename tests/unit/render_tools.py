"""Kernels of one elementwise expression: built, lowered by a target's rules, rendered, run."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence

import numpy as np

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.codegen.program import KernelProgram
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.render import Target, join_kernels, render_unit, target
from rulewright.runtime.compiler import DEFAULT_FLAGS, compile_c

Expression = Callable[..., UOp]
C_TARGETS = ["C", "C_AVX2", "C_SSE", "C_NEON"]
C_FLAGS = {
    "native": list(DEFAULT_FLAGS),
    "baseline": [f for f in DEFAULT_FLAGS if not f.startswith(("-march", "-mcpu"))],
}
_UNLISTED = (Ops.CONST, Ops.PARAM, Ops.VAR, Ops.AFTER)


def program(
    expression: Expression, inputs: Sequence[DType], output: DType, size: int, on: Target
) -> tuple[UOp, ...]:
    """`out[i] = expression(in1[i], in2[i], …)` for i < size, as the uops of a program."""
    index = dtypes.i64 if on.name == "C" else dtypes.i32
    kind = "simd" if on.has("simd") else "loop"
    loop = UOp(Ops.RANGE, index, (UOp.const(index, size),), (0, kind))
    shape = (size,)
    out = UOp(Ops.PARAM, output, (), (0, shape, None))
    values = [
        UOp(Ops.PARAM, dtype, (), (slot, shape, None)).index(loop).load()
        for slot, dtype in enumerate(inputs, 1)
    ]
    end = out.index(loop).store(expression(*values)).end(loop)
    for ruleset in on.lower:
        end = rewrite(end, ruleset)
    listed = [u for u in end.toposort() if u.op not in (*_UNLISTED, Ops.RANGE)]
    return (loop, *listed)


def one_op(op_name: str) -> Expression:
    """The expression that is one op on all inputs."""
    return lambda first, *rest: first.alu(getattr(Ops, op_name), *rest)


class Unit:
    """Several such kernels in one C translation unit."""

    def __init__(self) -> None:
        self.programs: list[tuple[tuple[UOp, ...], str]] = []

    def add(self, expression: Expression, inputs: Sequence[DType], output: DType, size: int) -> str:
        """Add a kernel; its name."""
        name = f"k{len(self.programs)}"
        self.programs.append((program(expression, inputs, output, size, target("C")), name))
        return name

    def compile(self, flags: Sequence[str] = DEFAULT_FLAGS) -> ctypes.CDLL:
        """The compiled unit."""
        return ctypes.CDLL(str(compile_c(render_unit(self.programs, target("C")), flags)))


def call(library: ctypes.CDLL, name: str, out: np.ndarray, *arrays: np.ndarray) -> np.ndarray:
    """Run a kernel over arrays; the output array."""
    buffers = [out, *arrays]
    pointers = (ctypes.c_void_p * len(buffers))(*(b.ctypes.data for b in buffers))
    function = library[name]
    function(pointers, None, ctypes.c_int64(0), ctypes.c_int64(1))
    return out


def same_bits(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where two arrays agree: equal, both zero of either sign apart, or both NaN."""
    if found.dtype.kind in "biu":
        return np.asarray(found == expected)
    wide, wanted = found.astype(np.float64), expected.astype(np.float64)
    equal = (wide == wanted) & (np.signbit(wide) == np.signbit(wanted))
    return np.asarray(equal | (np.isnan(wide) & np.isnan(wanted)))


def explain(found, expected, *arrays):
    """The first difference, or nothing."""
    wrong = np.flatnonzero(~same_bits(found, expected))
    if not len(wrong):
        return ""
    i = wrong[0]
    given = ", ".join(str(a[i]) for a in arrays)
    return f"of {given}: found {found[i]}, expected {expected[i]} ({len(wrong)} differences)"


# ---- cases: every op on every dtype ----

BINARY = {
    "Float": ("ADD", "SUB", "MUL", "FDIV", "FMOD", "MAX", "MIN"),
    "Int": (
        "ADD", "SUB", "MUL", "FLOORDIV", "FLOORMOD", "CDIV", "CMOD", "MAX", "MIN", "AND", "OR",
        "XOR", "SHL", "SHR",
    ),
    "Bool": ("MAX", "MIN", "AND", "OR", "XOR"),
}  # fmt: skip
UNARY = {"Float": ("NEG", "RECIP", "SQRT", "TRUNC"), "Int": ("NEG", "NOT"), "Bool": ("NOT",)}
COMPARE = ("CMPLT", "CMPLE", "CMPEQ", "CMPNE")


def kind(dtype: DType) -> str:
    return "Float" if dtype.is_float else "Bool" if dtype.is_bool else "Int"


def awkward(dtype: DType) -> np.ndarray:
    """Values at which things go wrong."""
    if dtype.is_bool:
        return np.array([False, True])
    if dtype.is_int:
        low, high = int(dtype.min), int(dtype.max)
        near = [0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, -1, -2, -3, -7, -8, 100]
        near += [low, low + 1, high, high - 1, high // 2, low // 2 + 3]
        return np.unique(np.array([v for v in near if low <= v <= high], dtype.np))
    values = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.75, 3.0, 448.0, 65504.0, 1e-3, -7e-6, 1e-7, 1e30]
    values += [np.inf, -np.inf, np.nan, 1e-40, 6e-8, 1.0078125, 3.4e38, -1e300, 57344.0, 61440.0]
    with np.errstate(all="ignore"):
        return np.array(values).astype(dtype.np)


def pairs(dtype: DType) -> tuple[np.ndarray, np.ndarray]:
    values = awkward(dtype)
    left, right = np.meshgrid(values, values)
    return left.ravel().copy(), right.ravel().copy()


CASES = [
    (op, dtype)
    for dtype in dtypes.all()
    for op in (*BINARY[kind(dtype)], *UNARY[kind(dtype)], *COMPARE)
]
CASTS = list(itertools.product(dtypes.all(), repeat=2))


def operands(op: str, dtype: DType) -> tuple[np.ndarray, ...]:
    return (awkward(dtype),) if op in UNARY[kind(dtype)] else pairs(dtype)


def run_vectors(
    value: Tensor, on: str, flags: Sequence[str], out: np.ndarray, given: np.ndarray
) -> np.ndarray:
    """What the one kernel of a value, which reads `given`, computes for a target of the C family.

    Whatever the host has, with these flags of the compiler; no loop is left to it to vectorise.
    """
    vectors = Vectors(on, flags)
    vectors.add(value, out, given)
    vectors.run()
    return out


class Vectors:
    """Kernels of one value each, in one unit: added one by one, then run."""

    def __init__(self, on: str, flags: Sequence[str]) -> None:
        self.on, self.flags = on, flags
        self.kernels: list[tuple[KernelProgram, str, np.ndarray, np.ndarray]] = []

    def add(self, value: Tensor, out: np.ndarray, given: np.ndarray) -> None:
        """A kernel that reads `given` and writes `out`."""
        (item,) = value.schedule()
        made = lower_kernel(item.ast, self.on)
        assert "#pragma omp simd" not in made.source
        self.kernels.append((made, f"k{len(self.kernels)}", out, given))

    def run(self) -> None:
        """Compile them together, and run each once."""
        written = [made.written.under(made.name, name) for made, name, _, _ in self.kernels]
        unit = ctypes.CDLL(str(compile_c(join_kernels(written, target(self.on)), self.flags)))
        for made, name, out, given in self.kernels:
            buffers = (ctypes.c_void_p * 2)(out.ctypes.data, given.ctypes.data)
            unit[name](buffers, None, ctypes.c_long(0), ctypes.c_long(made.launch[0][0]))
