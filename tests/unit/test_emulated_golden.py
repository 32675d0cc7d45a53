"""The kernels of the golden programs for CUDA and METAL, run on the emulated devices."""

from __future__ import annotations

import numpy as np
import pytest
from emulated_kernels import DEVICES
from kernel_inputs import params_of, random_array

from rulewright.driver.execute import ExecItem, compile_items
from rulewright.interp import shadow_kernel
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.runtime.buffer import Buffer
from rulewright.verify.golden import compile_program, names


def item(kernel: UOp, device: str) -> ExecItem:
    """A kernel over memory of its own."""
    sizes = [(int(np.prod(p.arg[1])), p.dtype) for p in params_of(kernel)]
    return ExecItem(kernel, tuple(Buffer(device, size, dtype) for size, dtype in sizes))


def check(kernel: UOp, device: str, rng: np.random.Generator) -> None:
    given = [random_array(p, rng) for p in params_of(kernel)]
    variables = {n.arg[0]: int(n.arg[2]) for n in kernel.toposort() if n.op is Ops.VAR}
    wanted, made = shadow_kernel(kernel, given, variables), item(kernel, device)
    for buffer, array in zip(made.buffers, given, strict=True):
        buffer.copyin(array)
    made.run(variables, wait=True)
    for buffer, value in zip(made.buffers, wanted, strict=True):
        assert value.agrees(buffer.numpy()).all(), f"{device}: {kernel}"


@pytest.fixture(scope="module")
def programs() -> dict[str, list[UOp]]:
    """The kernels of each program, those for a device compiled together."""
    found = {}
    for name in names():
        calls = [call for call in compile_program(name).calls if not call.is_copy]
        found[name] = list(dict.fromkeys(call.kernel for call in calls))
    with Context(VERIFY=0):
        for device in DEVICES:
            compile_items([item(kernel, device) for each in found.values() for kernel in each])
    return found


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", names())
def test_kernels_of_a_golden_program_equal_the_interpreter(programs, name, device):
    with Context(VERIFY=0):
        for kernel in programs[name]:
            check(kernel, device, np.random.default_rng(0))
