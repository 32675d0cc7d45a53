"""One kernel, from its graph to a program: the walk through the pipeline's kernel entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rulewright.codegen.choices import is_by_library
from rulewright.codegen.estimate import estimate
from rulewright.codegen.launch import launch_sizes, thread_launch
from rulewright.codegen.library import library_product
from rulewright.codegen.naming import kernel_info, kernel_name
from rulewright.codegen.program import KernelProgram
from rulewright.collector import without_gc
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.pipeline import lowering, phases, run_entries
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.profile import span
from rulewright.render import Written, arguments, join_kernels, target, write_kernel, write_product
from rulewright.render.target import Target

_LOOKED_AT = ("simplify", "choose", "lower")
"""Phases whose last graph says what a kernel's work, its choices, and its arguments are."""


@dataclass(frozen=True)
class Lowering:
    """What rules and passes may ask while one kernel is lowered (`ctx`)."""

    target: Target


def lowering_stages(ast: UOp, target_name: str) -> Iterator[tuple[str, UOp]]:
    """The name of each entry and the kernel after it; stops behind the option STOP_AFTER."""
    yield from run_entries(ast, lowering(), Lowering(target(target_name)))


def lower_kernel(ast: UOp, target_name: str) -> KernelProgram:
    """The program for one kernel on one target, kept in memory by the kernel's graph.

    `ast` is a SINK of stores in loops, as `schedule` makes them. The name of the program says what
    it computes, e.g. `r_512_512_512` for a reduction; equal kernels are the same program.
    """
    return _lower(ast, target_name, options().STOP_AFTER)


@remembered(4096)
def _lower(ast: UOp, target_name: str, _stop_after: str) -> KernelProgram:
    return lower_fresh(ast, target_name)


@without_gc()
def lower_fresh(ast: UOp, target_name: str) -> KernelProgram:
    """`lower_kernel` of what is looked at once: nothing is kept."""
    kernel_info(ast.arg)
    after = dict(lowering_stages(ast, target_name))
    graph = [*after.values()][-1]
    work, chosen, machine = (after.get(phases(p)[-1].name, ast) for p in _LOOKED_AT)
    name, choices = kernel_info(chosen.arg)
    nodes = machine.toposort()
    uops = graph.src if graph.op is Ops.LINEAR else ()
    on = target(target_name)
    call = library_product(chosen, on) if is_by_library(chosen) else None
    name = on.kernel_name(name or (call.name if call else kernel_name(ast)))
    parameters, variables = arguments(nodes)
    slots = tuple(p.arg[0] for p in parameters)
    with span("pass", "render"):
        written = write(uops, chosen, slots, on, name) if uops else Written("", (), ())
        source = join_kernels([written], on) if uops else ""
    return KernelProgram(
        name=name,
        source=source,
        written=written,
        uops=uops,
        launch=launch_sizes(machine) if on.has("workgroups") else thread_launch(chosen),
        parameters=slots,
        variables=variables,
        estimates=estimate(work),
        choices=choices,
        target=target_name,
    )


def write(uops: Sequence[UOp], chosen: UOp, slots: Sequence[int], on: Target, name: str) -> Written:
    """The text of a program; of one that a library computes, the call of the library.

    `chosen` is the kernel with its choices of axes, `slots` are those of its parameters.
    """
    call = library_product(chosen, on) if is_by_library(chosen) else None
    return write_product(call, tuple(slots), on, name) if call else write_kernel(uops, on, name)
