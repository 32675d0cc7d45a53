"""The rules of `spec/62-inexact.uop`, where the option INEXACT asks for them.

They change values by more than the order of sums does, so that none runs unless it is asked for. A
program's schedules and kernels are kept apart from those without.
"""

from __future__ import annotations

from rulewright.ir.origins import Origins
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.options import options

_RULES = {"halves": "unrounded"}
"""The ruleset that a word of the option stands for."""


def unrounded(function: UOp, origins: Origins | None = None) -> UOp:
    """A function of buffers by the rules that are asked for; itself without any.

    Notes on nodes are carried to what they become.
    """
    asked = options().INEXACT
    if not asked:
        return function
    became: dict[UOp, UOp] = {}
    result = rewrite(function, _RULES[asked], memo=became)
    if origins is not None:
        origins.carry(became)
    return result
