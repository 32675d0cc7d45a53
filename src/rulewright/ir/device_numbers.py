"""One kernel for the parts that several devices have: it is told the number of its device.

What a device computes of its part may depend on which part that is. Where the devices follow each
other, as C:1 and C:2 do, the number of the part is that of the device less a constant: a BIND of a
variable to the device's number until kernels are made, the variable in kernels. Each item of a
schedule has its value, by the device that it writes to.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.ir.dtypes import dtypes
from rulewright.ir.expected import DEVICE_NUM
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def number_of(device: str | None) -> int:
    """The number of a device: of "C" 0, of "C:1" 1."""
    return int((device or "").partition(":")[2] or 0)


def part_number(devices: Sequence[str], part: int) -> UOp | int:
    """The number of the part that a device has; by the device's number where there is one way to
    say it for all."""
    first, last = number_of(devices[0]), number_of(devices[-1])
    kinds = {device.partition(":")[0] for device in devices}
    if len(kinds) > 1 or [number_of(d) for d in devices] != list(range(first, last + 1)):
        return part
    variable = UOp(Ops.VAR, dtypes.index, (), (DEVICE_NUM, first, last))
    number = variable.bind(first + part)
    return number - first if first else number


def is_device_number(node: UOp) -> bool:
    """Whether a BIND or a VAR is the number of a device."""
    variable = node.src[0] if node.op is Ops.BIND else node
    return variable.op is Ops.VAR and variable.arg[0] == DEVICE_NUM


def with_variables(kernel: UOp, device: str | None) -> UOp:
    """A kernel that runs on a device with variables for the number of that device; for the numbers
    of other devices with these."""
    own = number_of(device)
    return kernel.substitute({
        node: node.src[0] if node.src[1].arg == own else node.src[1]
        for node in kernel.toposort()
        if node.op is Ops.BIND and is_device_number(node)
    })  # fmt: skip


def device_numbers(kernel: UOp, device: str | None) -> dict[str, int]:
    """The values of such variables in a kernel that runs on a device."""
    variables = [node for node in kernel.toposort() if node.op is Ops.VAR]
    return {v.arg[0]: number_of(device) for v in variables if is_device_number(v)}
