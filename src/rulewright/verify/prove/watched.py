"""Leaves that know when somebody asks what they are.

A proof for a parameter as a leaf holds for every leaf only if nobody looks: a guard that asks for
`x.op`, or an extern that looks below its operands, may do something else for another node. What the
graph's own walks do (ranges, shapes, substitution) is the same for every node.
"""

from __future__ import annotations

import sys
from typing import Any

from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Op
from rulewright.ir.uop import UOp
from rulewright.verify.prove.unknown import Opaque

FIRST_SLOT = 1_000_000
"""Parameters from here on are watched: equal nodes are one, so no others have such numbers."""

_MAY_LOOK = ("rulewright.ir.", "rulewright.verify.", "rulewright.interp.")


_FIELDS = {
    name: next(vars(base)[name] for base in UOp.__mro__ if name in vars(base))
    for name in ("op", "src", "arg")
}


def _asked(name: str) -> Any:
    """A field of a leaf. Getting it raises Opaque where a guard or an extern asks."""

    def get(self: UOp) -> Any:
        frame = sys._getframe(1)
        module = frame.f_globals.get("__name__")
        # the matcher itself has no module: it tries a pattern against every operand
        matches = module is None and not frame.f_code.co_name.startswith("rule_")
        if matches or (module is not None and module.startswith(_MAY_LOOK)):
            return _FIELDS[name].__get__(self)
        raise Opaque(f"{module or 'a guard'} asks for the {name} of a leaf")

    return property(get)


class Leaf(UOp):
    """A node that stands for any."""

    __slots__ = ()

    @property
    def __class__(self) -> Any:
        return UOp

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise Opaque("a leaf cannot change its type")

    op = _asked("op")
    src = _asked("src")
    arg = _asked("arg")


def leaf(op: Op, kind: DType, src: tuple[UOp, ...] = (), arg: Any = None) -> UOp:
    """A watched node."""
    return Leaf(op, kind, src, arg)
