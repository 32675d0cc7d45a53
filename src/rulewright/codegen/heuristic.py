"""The choice of axes: good defaults from pinned limits of a target, never from the host."""

from __future__ import annotations

from typing import Any

from rulewright.codegen.axes import Axes, parse_choices, print_choices
from rulewright.codegen.cpu import choose_cpu
from rulewright.codegen.gpu import choose_gpu
from rulewright.codegen.naming import kernel_name
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def choose_axes(sink: UOp, ctx: Any) -> UOp:
    """The kernel with its axes chosen; its info becomes (name, choices).

    Choices that the kernel brings, in its info, are taken instead of the heuristic's.
    """
    name, given = _info(sink)
    axes = Axes(sink)
    if given is not None:
        for choice in parse_choices(given):
            axes.apply(choice)
    elif ctx.target.has("workgroups"):
        choose_gpu(axes, ctx.target)
    else:
        choose_cpu(axes, ctx.target)
    chosen = axes.graph()
    info = (name or kernel_name(sink), print_choices(axes.choices))
    return UOp(Ops.SINK, chosen.dtype, chosen.src, info)


def _info(sink: UOp) -> tuple[str | None, str | None]:
    if sink.arg is None:
        return None, None
    name, choices = sink.arg
    return name, choices or None
