"""Neighbouring ranges made one."""

from __future__ import annotations

from rulewright.codegen.apply import mergeable
from rulewright.codegen.axes import Axes
from rulewright.ir.ops import Ops


def merge_neighbours(axes: Axes) -> None:
    """Merge ranges that step memory as one, so that loops are long."""
    again = True
    while again:
        again = False
        for node in axes.ast.toposort():
            if node.op not in (Ops.END, Ops.REDUCE):
                continue
            for outer, inner in zip(node.src[1:], node.src[2:], strict=False):
                if mergeable(axes.ast, outer, inner):
                    axes.merge(outer.arg[0], inner.arg[0])
                    again = True
                    break
            if again:
                break
