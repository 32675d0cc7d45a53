"""Kernels of random tensor programs, lowered for every target, run as programs by the interpreter.

No device is needed: this is how code for GPUs is tested on machines without one. Workgroup memory
that is read without a barrier is an error.
"""

from __future__ import annotations

import numpy as np
import pytest
from fuzz_programs import Writer, drawn
from hypothesis import given, note, settings, strategies as st
from kernel_inputs import params_of, random_array

from rulewright.codegen.lower import lower_kernel
from rulewright.driver.schedules import compile_function
from rulewright.interp import run_kernel, shadow_kernel
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.schedule.callify import callify
from rulewright.tensor.realize import Plan

GPUS = ["OPENCL", "CUDA", "METAL", "WEBGPU"]
DOUBLES = {"f64"}


def kernels_of(tensor) -> list[UOp]:
    with Context(CACHE=0):
        compiled = compile_function(callify(Plan([tensor]).sink))[0]
    return list(dict.fromkeys(c.kernel for c in compiled.calls if not c.is_copy))


def check(kernel: UOp, target: str, rng: np.random.Generator) -> None:
    params = params_of(kernel)
    given = [random_array(p, rng) for p in params]
    wanted = shadow_kernel(kernel, given)
    found = [array.copy() for array in given]
    run_kernel(lower_kernel(kernel, target).uops, found)
    for array, value in zip(found, wanted, strict=True):
        agrees = value.agrees(array)
        if not agrees.all():
            at = int(np.argmin(agrees))
            raise AssertionError(
                f"{target}: element {at} is {array[at]!r}, the kernel gives {value.exact[at]!r} "
                f"(tolerance {value.tolerance[at]!r})\n{kernel}"
            )


@pytest.mark.parametrize("target", ["C", *GPUS])
@settings(max_examples=25)
@given(st.data())
def test_kernels_of_random_programs(target, data):
    writer = Writer(drawn(data.draw))
    writer.input()
    for _ in range(data.draw(st.integers(1, 6))):
        writer.step()
    note("\n".join(writer.lines))
    for kernel in kernels_of(writer.tensor(writer.tensors[-1])):
        if target in ("METAL", "WEBGPU") and any(
            n.dtype.base in DOUBLES for n in kernel.toposort()
        ):
            continue  # Metal has no double; that it says so is tested with the targets
        check(kernel, target, np.random.default_rng(0))
