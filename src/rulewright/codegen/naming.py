"""Names of kernels, from what they compute."""

from __future__ import annotations

import re
from typing import Any

from rulewright.errors import UsageError
from rulewright.ir.arguments import is_name
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp

_MOST_SIZES = 8


def kernel_info(info: Any) -> tuple[str | None, str]:
    """What a SINK or LINEAR says of its kernel: its name, None if that is left open, and choices.

    Raises UsageError for what says neither.
    """
    if info is None:
        return None, ""
    if isinstance(info, tuple) and len(info) == 2:
        name, choices = info
        if (name is None or is_name(name)) and isinstance(choices, str | None):
            return name, choices or ""
    raise UsageError(
        "kernel: expected as info its name (an identifier such as 'triple', or none) and its "
        f"choices (text), found {info!r}"
    )


def name_of(sink: UOp) -> str:
    """The name that a kernel was given, else `kernel_name`."""
    return kernel_info(sink.arg)[0] or kernel_name(sink)


def kernel_name(sink: UOp) -> str:
    """`r_` for a kernel that reduces, `e_` for an elementwise one, then the sizes of its loops.

    Stored axes come first, then reduced ones; a symbolic size gives its variables' names. Of more
    than eight sizes the first ones stand there, and how many more there are.
    """
    nodes = sink.toposort()
    stored: dict[UOp, None] = {}
    reduced: dict[UOp, None] = {}
    for node in nodes:
        if node.op is Ops.END:
            for loop in node.src[1:]:
                (reduced if loop.arg[1] == "reduce" else stored)[loop] = None
        elif node.op is Ops.REDUCE:
            reduced.update(dict.fromkeys(node.src[1:]))
    loops = [r for r in (*stored, *reduced) if r.op is Ops.RANGE]
    sizes = [_size(r.size) for r in loops] or ["1"]
    if len(sizes) > _MOST_SIZES:
        sizes = [*sizes[: _MOST_SIZES - 1], f"and{len(sizes) - _MOST_SIZES + 1}"]
    return "_".join(["r" if reduced else "e", *sizes])


def _size(size: Dim) -> str:
    if isinstance(size, int):
        return str(size)
    names = [n.arg[0] for n in size.toposort() if n.op is Ops.VAR]
    return re.sub("[^A-Za-z0-9_]", "", "".join(names))
