"""Memory that is filled with numbers: what this process can write itself takes no kernels.

An optimiser's state begins so, two tensors a parameter. One tensor alone has a kernel, which serves
later ones of its size and is shared between threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.ir.ops import Ops
from rulewright.ir.placement import placement
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import buffer_of, is_written

_SPREAD = frozenset(Ops.group("Movement")) - {Ops.PAD}


def fills(effects: Sequence[UOp]) -> bool:
    """Run effects, if each stores one number in all of a new BUFFER in memory of this process.

    Whether they are such, and thus done.
    """
    filled = [fill for effect in effects if (fill := _filled(effect)) is not None]
    if len(filled) != len(effects):
        return False
    import numpy as np

    for buffer, number in filled:
        array = buffer.allocate().as_numpy()
        array.fill(np.array(number.arg, array.dtype))
    return True


def _filled(effect: UOp) -> tuple[Buffer, UOp] | None:
    """The memory that an effect fills, and the CONST with which, if it is such an effect."""
    if effect.op is Ops.AFTER and len(effect.src) == 2:
        effect = effect.src[1]
    if effect.op is not Ops.STORE or len(effect.src) != 2:
        return None
    node, value = effect.src[0], effect.src[1].past(_SPREAD)
    if (
        value.op is not Ops.CONST
        or node.op is not Ops.BUFFER
        or is_written(node)
        or placement(node.arg[2])
    ):
        return None
    buffer = buffer_of(node)
    return (buffer, value) if buffer.device.in_host_memory else None
