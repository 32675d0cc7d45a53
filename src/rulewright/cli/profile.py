"""`rulewright profile`: where a script's time goes, kernel by kernel."""

from __future__ import annotations

import runpy
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.failures import own_traceback
from rulewright.cli.inputs import OutputFile, check_file, example
from rulewright.cli.output import print_table
from rulewright.options import Context

if TYPE_CHECKING:
    from rulewright.bench.roofline import Roofline
    from rulewright.profile import ProfileEvent

_EXAMPLE = """
rulewright profile train.py --epochs 3
rulewright profile --trace trace.json -m rulewright.examples.digits
"""


@click.command(
    epilog=example(_EXAMPLE),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("-m", "--module", "is_module", is_flag=True, help="SCRIPT is the name of a module")
@click.option("--trace", type=OutputFile(), metavar="FILE", help="write all events, for Perfetto")
@click.option("--kernels", type=click.IntRange(min=0), default=20, show_default=True,
              help="show the longest so many")  # fmt: skip
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(
    ctx: click.Context,
    is_module: bool,
    trace: Path | None,
    kernels: int,
    script: str,
    args: tuple[str, ...],
) -> None:
    """Run SCRIPT with its arguments, then say where its time went.

    Prints kernels with their calls, time, GFLOP/s, GB/s and share of the roofline, then what
    kernels, copies, compiling, lowering, scheduling and Python took. Work and bytes are those
    that each kernel must do; kernels of a jitted function run one by one here. Other threads of
    the script are seen with PROFILE=1 in the environment. Open a trace at https://ui.perfetto.dev.
    The exit status is the script's.
    """
    from rulewright.profile import clear_profile, profile_events, write_trace

    if not is_module:
        check_file(script)
        if script.endswith(".uop"):
            help = f"of a graph, `DEBUG=2 rulewright run {script}` times the kernels"
            raise click.BadParameter(f"expected a Python script, found {script}; {help}")
    clear_profile()
    begin = time.perf_counter()
    with Context(PROFILE=1):
        status = _run(script, args, is_module)
    seconds = time.perf_counter() - begin
    _print(profile_events(), seconds, kernels)
    if trace is not None:
        write_trace(trace)
    ctx.exit(status)


def _run(script: str, args: Sequence[str], is_module: bool) -> int:
    """Run it as `python` would; its exit status. What it raises is printed as `python` does."""
    folder = "" if is_module else str(Path(script).resolve().parent)
    with _as_main([script, *args], folder):
        try:
            if is_module:
                runpy.run_module(script, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(script, run_name="__main__")
        except SystemExit as stop:
            if isinstance(stop.code, str):
                click.echo(stop.code, err=True)
            return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except Exception as error:
            click.echo(own_traceback(error), err=True)
            return 1
    return 0


@contextmanager
def _as_main(arguments: list[str], folder: str) -> Iterator[None]:
    before = sys.argv, sys.path
    sys.argv, sys.path = arguments, [folder, *sys.path]
    try:
        yield
    finally:
        sys.argv, sys.path = before


def _print(events: Sequence[ProfileEvent], seconds: float, most: int) -> None:
    from rulewright.bench.profiled import HEADERS, kernels, parts, row
    from rulewright.bench.report import time_text

    top = _roofline(events)
    slowest = kernels(events, top)
    total = sum(kernel.seconds for kernel in slowest)
    if slowest and most:
        print_table(HEADERS, [row(kernel, total) for kernel in slowest[:most]])
    if len(slowest) > most:
        rest = sum(kernel.seconds for kernel in slowest[most:])
        click.echo(f"{len(slowest) - most} more kernels took {time_text(rest)}")
    click.echo(f"whole run    {time_text(seconds)}")
    for name, taken in parts(events, seconds):
        click.echo(f"{name:12} {time_text(taken):8} {100 * taken / seconds:5.1f} %")


def _roofline(events: Sequence[ProfileEvent]) -> Roofline | None:
    """This machine's, where kernels ran on its processor and are known by their work."""
    from rulewright.bench.roofline import roofline
    from rulewright.runtime.device import Device

    worked = any(event.category == "kernel" and event.details for event in events)
    return roofline() if worked and Device.device_class(Device.default).is_native else None
