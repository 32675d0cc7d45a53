"""Kernels of one elementwise expression: built, lowered by a target's rules, rendered, run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.render import Target, render_unit, target
from rulewright.runtime.compiler import DEFAULT_FLAGS, compile_c

Expression = Callable[..., UOp]
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
