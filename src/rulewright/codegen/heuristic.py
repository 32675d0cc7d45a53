"""The choice of axes: good defaults from pinned limits of a target, never from the host."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

from rulewright.codegen.accumulators import bytes_needed
from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import (
    LIBRARY,
    is_by_library,
    parse_choices,
    print_choices,
    search_width,
)
from rulewright.codegen.cpu import choose_cpu
from rulewright.codegen.gpu import choose_gpu
from rulewright.codegen.kinds import GRID, KEPT
from rulewright.codegen.legal import check_target
from rulewright.codegen.library import check_library, sums_nothing
from rulewright.codegen.naming import kernel_name
from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import Target, target

WIDEST = 8
"""Bytes of an element, at most."""


def choose_axes(sink: UOp, ctx: Any) -> UOp:
    """The kernel with its axes chosen; its info becomes (name, choices).

    Choices that the kernel brings, in its info, are taken instead of the heuristic's.
    """
    name, choices = _info(sink)
    if choices == LIBRARY:
        check_library(sink, ctx.target, name or kernel_name(sink))
        return sink
    if not ctx.target.has("workgroups"):
        sink = _without_grid(sink, name)
    axes = Axes(sink)
    if choices is not None:
        choose_text(axes, choices, name or kernel_name(sink), ctx.target)
    elif not says_all(sink) and not (ctx.target.has("workgroups") and has_ragged_loops(sink)):
        choose = choose_gpu if ctx.target.has("workgroups") else choose_cpu
        choose(axes, ctx.target)
        if _shares_more(axes, ctx.target):
            axes = Axes(sink)
            choose_gpu(axes, ctx.target, shares=False)
        axes, chosen = _within_room(axes, sink, ctx.target)
        return _named(chosen, axes, name or kernel_name(sink))
    return _named(axes.graph(), axes, name or kernel_name(sink))


def _named(chosen: UOp, axes: Axes, name: str) -> UOp:
    """The kernel with its axes chosen, and its name and choices."""
    return UOp(Ops.SINK, chosen.dtype, chosen.src, (name, print_choices(axes.choices)))


def _within_room(axes: Axes, sink: UOp, on: Target) -> tuple[Axes, UOp]:
    """As many of the first choices as leave a work item enough memory of its own, and the kernel
    with them."""
    chosen, room = axes.graph(), on.limit("own_memory")
    while room is not None and axes.choices and _needs_more(chosen, room, on):
        fewer = Axes(sink)
        for choice in axes.choices[:-1]:
            fewer.apply(choice)
        axes, chosen = fewer, fewer.graph()
    return axes, chosen


def _needs_more(chosen: UOp, room: int, on: Target) -> bool:
    """Whether accumulators and copies are larger, which is looked at where they may be."""
    most = 0
    for node in chosen.toposort():
        if node.op in (Ops.REDUCE, Ops.STAGE):
            loops = node.src[0].ranges if node.op is Ops.REDUCE else (*node.ranges, *node.src[1:])
            copied = node.src[1:] if node.op is Ops.STAGE else ()
            kept = [int(r.vmax) + 1 for r in loops if r in copied or r.arg[1] in KEPT]
            most += prod(kept) * WIDEST
    return most > room and bytes_needed(chosen, on, Ops.DEFINE_REG) > room


def _shares_more(axes: Axes, on: Target) -> bool:
    """Whether work items hand each other more than their group has memory for, which is looked at
    where they may."""
    room, most = on.limit("local_memory"), 0
    if room is None or "group" not in map(axes.kind, axes.open()):
        return False
    chosen = axes.graph()
    for node in chosen.toposort():
        if node.op is Ops.REDUCE and any(r.arg[1] == "group" for r in node.src[1:]):
            kept = {r for r in (*node.src[0].ranges, *node.src[1:]) if r.arg[1] in ("local", *KEPT)}
            most += prod(int(r.vmax) + 1 for r in kept) * WIDEST
    return most > room and bytes_needed(chosen, on, Ops.DEFINE_LOCAL) > room


def choose_text(axes: Axes, text: str, name: str, target: Any = None) -> None:
    """Make the choices of a text.

    Raises UsageError, naming the kernel, if they do not fit it, or the target if there is one.
    """
    try:
        for choice in parse_choices(text):
            if target is not None:
                check_target(axes, choice, target)
            axes.apply(choice)
    except UsageError as error:
        raise UsageError(f"kernel {name}: {error}") from error


@lru_cache(maxsize=4096)
def check_own_choices(sink: UOp) -> None:
    """Raises UsageError if a kernel brings choices that do not fit it, whatever runs it."""
    name, choices = _info(sink)
    if choices == LIBRARY:
        check_library(sink, target("C"), name or kernel_name(sink))
    else:
        choose_text(Axes(sink), choices or "", name or kernel_name(sink))


def says_all(sink: UOp) -> bool:
    """Whether a user wrote how the loops run, or uses memory that depends on it."""
    return any(
        n.op in _BY_HAND or (n.op is Ops.RANGE and n.arg[1] not in ("loop", "reduce"))
        for n in sink.toposort()
    )


def has_ragged_loops(sink: UOp) -> bool:
    """Whether a loop ends where another one says: no grid has such an axis, so that a work item
    runs all of them."""
    loops = [n for n in sink.toposort() if n.op is Ops.RANGE]
    return any(n.op is Ops.RANGE for loop in loops for n in loop.src[0].toposort())


def _without_grid(sink: UOp, name: str | None) -> UOp:
    """The kernel with plain loops for positions of a grid, where a target has none.

    Raises UsageError if its work items share memory or wait for each other.
    """
    order = sink.toposort()
    grid = [n for n in order if n.op is Ops.RANGE and n.arg[1] in GRID]
    if any(n.op in (Ops.DEFINE_LOCAL, Ops.BARRIER) for n in order):
        raise UsageError(
            f"kernel {name}: its work items share memory, for which this target has no workgroups; "
            "run it on a GPU, or write it with loops and registers"
        )
    loops = {n: n.replace(arg=(n.arg[0], "loop")) for n in grid}
    return sink.substitute(loops)


_BY_HAND = Ops.group("Inner") | {Ops.BARRIER, Ops.AFTER}


def _info(sink: UOp) -> tuple[str | None, str | None]:
    if sink.arg is None:
        return None, None
    if search_width(sink) or (is_by_library(sink) and sums_nothing(sink)):
        return sink.arg[0], None
    name, choices = sink.arg
    return name, choices or None
