"""The kernels of the golden programs for CUDA and METAL, run on the emulated devices."""

from __future__ import annotations

import numpy as np
import pytest
from test_fuzz_targets import params_of, random_array

from rulewright.interp import shadow_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.execute import ExecItem
from rulewright.verify.golden import compile_program, names

DEVICES = ("CUDA_EMULATED", "METAL_EMULATED")


def check(kernel: UOp, device: str, rng: np.random.Generator) -> None:
    params = params_of(kernel)
    given = [random_array(p, rng) for p in params]
    variables = {n.arg[0]: int(n.arg[2]) for n in kernel.toposort() if n.op is Ops.VAR}
    wanted = shadow_kernel(kernel, given, variables)
    buffers = [
        Buffer(device, array.size, param.dtype).copyin(array)
        for param, array in zip(params, given, strict=True)
    ]
    ExecItem(kernel, tuple(buffers)).run(variables, wait=True)
    for buffer, value in zip(buffers, wanted, strict=True):
        assert value.agrees(buffer.numpy()).all(), f"{device}: {kernel}"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", names())
def test_kernels_of_a_golden_program_equal_the_interpreter(name, device):
    calls = [call for call in compile_program(name).calls if not call.is_copy]
    with Context(VERIFY=0):
        for kernel in dict.fromkeys(call.kernel for call in calls):
            check(kernel, device, np.random.default_rng(0))
