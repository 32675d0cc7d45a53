"""`rulewright compile`: a graph after a stage, or its source for a device."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import device_option, example, graph_argument

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp

_EXAMPLE = """
rulewright compile softmax.uop --device CUDA
rulewright compile softmax.uop --stage rangeify > ranged.uop
rulewright compile ranged.uop --stage linearize
"""


def _entry_name(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    from rulewright.cli.graphs import entry_named
    from rulewright.errors import UsageError

    try:
        return entry_named(value).name if value else None
    except UsageError as error:
        raise click.BadParameter(str(error)) from error


@click.command(epilog=example(_EXAMPLE))
@graph_argument
@device_option("device to compile for; it need not be here")
@click.option(
    "--stage",
    metavar="STAGE",
    callback=_entry_name,
    help="stop behind this pipeline entry and print the graph",
)
def command(graph: Path, device: str, stage: str | None) -> None:
    """Print the source of the kernels of GRAPH, or with --stage the graph behind that stage.

    GRAPH is a tensor program, a function of PARAMs, a kernel, or what --stage printed before:
    compilation goes on where that stopped. STAGE is an entry of spec/90-pipeline.uop, such as
    functions, early, rangeify, split, order, axes or linearize, or a stage of spec/30-stages.uop.
    """
    from rulewright.ir.pipeline import entries
    from rulewright.ir.text import print_graph

    stop = stage or entries()[-1].name
    made = lowered(graph, device, stop)
    text = print_graph(made, f"after_{stop}") if stage else source(made, device)
    click.echo(text.rstrip("\n"))


def lowered(path: Path, device: str, stop: str) -> UOp:
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
    return advance(root, done, stop, device)


def source(programs: UOp, device: str) -> str:
    """Source of the kernels of a LINEAR list of calls, or of the one program; equal ones once."""
    from rulewright.cli.graphs import is_schedule, target_of
    from rulewright.codegen.naming import kernel_info
    from rulewright.ir.ops import Ops
    from rulewright.render import render_unit
    from rulewright.render.target import target

    kernels = [call.src[0] for call in programs.src] if is_schedule(programs) else [programs]
    unique = dict.fromkeys(k for k in kernels if k.op is Ops.LINEAR)
    return render_unit(
        [(k.src, kernel_info(k.arg)[0] or "kernel") for k in unique], target(target_of(device))
    )
