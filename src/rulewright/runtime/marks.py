"""Marks in the place of axis choices: kernels that are searched, or that a library does."""

from __future__ import annotations

from collections.abc import Callable

from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins
from rulewright.ir.uop import UOp
from rulewright.schedule.build import Call


def marked(linear: UOp, mark: Callable[[Call], str], origins: Origins | None = None) -> UOp:
    """A schedule with the marks that `mark` gives its kernels, but for those with choices.

    An earlier stage, which the option STOP_AFTER left, stays as it is.
    """
    changes: dict[UOp, UOp] = {}
    for call in linear.src if linear.op is Ops.LINEAR else ():
        kernel = call.src[0]
        name, choices = kernel.arg or (None, "")
        found = "" if choices else mark(Call(kernel, call.src[1:]))
        if found:
            wanted = kernel.replace(arg=(name, found))
            changes[call] = call.replace(src=(wanted, *call.src[1:]))
    if origins is not None:
        origins.carry(changes)
    return linear.replace(src=tuple(changes.get(call, call) for call in linear.src))
