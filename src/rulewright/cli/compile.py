"""`rulewright compile`: a graph after a stage, or its source for a device."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import device_option, example, graph_argument, misuse, spec_option

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp
    from rulewright.render import Target

_EXAMPLE = """
rulewright compile softmax.uop --device CUDA
rulewright compile softmax.uop --stage rangeify > ranged.uop
rulewright compile ranged.uop --stage linearize
rulewright compile softmax.uop --spec c99.uop --target C99
"""


def _entry_name(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    from rulewright.cli.graphs import entry_leading_to

    with misuse():
        return entry_leading_to(value).name if value else None


@click.command(epilog=example(_EXAMPLE))
@graph_argument
@device_option("device to compile for; it need not be here")
@click.option("--target", metavar="TARGET", help="target to compile for, if not that of the device")
@spec_option
@click.option(
    "--stage", metavar="STAGE", callback=_entry_name,
    help="stop behind this pipeline entry and print the graph",
)  # fmt: skip
def command(graph: Path, device: str, target: str | None, stage: str | None) -> None:
    """Print the source of the kernels of GRAPH, or with --stage the graph behind that stage.

    GRAPH is a tensor program, a function of PARAMs, a kernel, or what --stage printed before:
    compilation goes on where that stopped. STAGE is an entry of spec/90-pipeline.uop, such as
    functions, early, rangeify, flatten, order, axes or linearize, or a stage of spec/30-stages.uop.
    """
    from rulewright.ir.pipeline import entries
    from rulewright.ir.text import print_graph
    from rulewright.render import target as target_named
    from rulewright.runtime.device import Device

    with misuse(param_hint="--target" if target else "--device"):
        on = target_named(target or Device.target_of(device))
    stop = stage or entries()[-1].name
    result = lowered(graph, target or device, stop, on)
    text = print_graph(result, f"after_{stop}") if stage else source(result, on)
    click.echo(text.rstrip("\n"))


def lowered(path: Path, device: str, stop: str, on: Target) -> UOp:
    """The graph of a file, taken through the pipeline to the entry `stop`."""
    from rulewright.cli.graphs import (
        advance,
        as_function,
        first_kernel_entry,
        is_kernel,
        read_program,
    )
    from rulewright.ir.pipeline import entries

    root, done, _ = read_program(path, device)
    if not done and is_kernel(root):
        done = entries()[first_kernel_entry() - 1].name
    elif not done:
        root = as_function(root, device)[0]
    return advance(root, done, stop, on)


def source(programs: UOp, on: Target) -> str:
    """Source of the kernels of a LINEAR list of calls, or of the one program; equal ones once."""
    from rulewright.cli.graphs import is_schedule
    from rulewright.codegen.naming import kernel_info
    from rulewright.ir.ops import Ops
    from rulewright.render import render_unit

    kernels = [call.src[0] for call in programs.src] if is_schedule(programs) else [programs]
    unique = dict.fromkeys(k for k in kernels if k.op is Ops.LINEAR)
    return render_unit([(k.src, kernel_info(k.arg)[0] or "kernel") for k in unique], on)
