"""`rulewright bench`: workloads timed beside other libraries and against the machine's limits."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulewright.cli.inputs import OutputFile, example, misuse
from rulewright.cli.output import print_table, progress
from rulewright.errors import UsageError
from rulewright.options import Context

if TYPE_CHECKING:
    from rulewright.bench.libraries.base import Library
    from rulewright.bench.measure import Measurement
    from rulewright.bench.roofline import Roofline
    from rulewright.bench.workload import Workload

_EXAMPLE = """
rulewright bench matmul/512 --peers torch,numpy
rulewright bench 'matmul/*' softmax --json results.json
rulewright bench matmul --sizes grow --chart matmul.svg
rulewright bench --list
"""


@click.command(epilog=example(_EXAMPLE))
@click.argument("workloads", nargs=-1, metavar="[WORKLOADS]...")
@click.option("--sizes", metavar="N,N|grow", help="these sizes of the kinds named, or growing ones")
@click.option("--peers", metavar="NAMES", help="numpy, torch, torch.compile, jax, tinygrad or "
              "none  [default: those installed]")  # fmt: skip
@click.option("--rounds", type=click.IntRange(min=1), default=10, show_default=True,
              help="turns of each library")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(min=0), default=10.0, show_default=True,
              help="no round of a workload begins later")  # fmt: skip
@click.option("--clock", type=click.Choice(["wall", "cpu"]), default="wall", show_default=True,
              help="cpu: of the processor, for a busy machine and --threads 1")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="cores for everybody  [default: all]")
@click.option("--json", "json_file", type=OutputFile(), metavar="FILE", help="write all numbers")
@click.option("--chart", type=OutputFile(), metavar="FILE", help="draw the roofline: .svg or .png")
@click.option("--list", "list_only", is_flag=True, help="list the workloads, and time none")
@click.option("--measure-roofline", is_flag=True, help="measure it again; the best counts")
@click.pass_context
def command(
    ctx: click.Context,
    workloads: tuple[str, ...],
    sizes: str | None,
    peers: str | None,
    rounds: int,
    seconds: float,
    clock: str,
    threads: int | None,
    json_file: Path | None,
    chart: Path | None,
    list_only: bool,
    measure_roofline: bool,
) -> None:
    """Time WORKLOADS beside other libraries, in turns, and against what this machine can do.

    A workload is a name such as matmul/512, of any size; a pattern; or a kind, for all of its
    sizes. Each library's result is first compared with float64 in numpy. Inputs lie in memory,
    each call makes a new result. `ours is` says how many times as fast as a library ours is: the
    median over rounds of the ratio within a round. Ctrl-C ends early, and what was timed is told.
    In the environment, DEVICE=NAME times ours on that device, JIT=0 without capture. Exit status 1
    if ours is wrong.
    """
    with _threads(threads):  # before anything is imported: libraries count cores when they load
        cases = _cases(workloads, sizes, list_only)
        if list_only:
            print_table(("workload", "MFLOP"), [(c.name, f"{c.flops / 1e6:.6g}") for c in cases])
            return
        if chart is not None:
            _check_chart(chart)
        _warn_if_busy(clock)
        libraries, top, outcomes = _run(cases, peers, rounds, seconds, clock, measure_roofline)
        _print(outcomes, top)
        if chart is not None:
            _draw(chart, outcomes, top)
        if json_file is not None:
            _write(json_file, outcomes, top, libraries, clock)
    ctx.exit(1 if any(outcome.timed[0].problem for outcome in outcomes) else 0)


def _cases(workloads: Sequence[str], sizes: str | None, list_only: bool) -> list[Workload]:
    """What is asked for; all kinds for a list or for sizes of none, else the standard ones."""
    from rulewright.bench.kinds import KINDS, STANDARD
    from rulewright.bench.workload import find

    words = workloads or ([k.name for k in KINDS] if list_only or sizes else STANDARD)
    with misuse(click.UsageError):
        return find(KINDS, words, _sizes(sizes))


def _sizes(text: str | None) -> list[int] | str | None:
    from rulewright.bench.workload import read_size

    if text is None or text == "grow":
        return text
    return [read_size(size) for size in text.split(",")]


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Everything runs on so many cores: threads made in here see no others.

    Raises click.BadParameter for more than there are.
    """
    from rulewright.runtime.threads import cores

    if count is None:
        yield
        return
    if count > cores():
        raise click.BadParameter(f"{count} threads: this process may use {cores()} cores")
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else None
    os.environ.update(dict.fromkeys(names, str(count)))
    try:
        if allowed is not None:
            os.sched_setaffinity(0, sorted(allowed)[:count])
        with Context(THREADS=count):
            yield
    finally:
        if allowed is not None:
            os.sched_setaffinity(0, allowed)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _run(
    cases: Sequence[Workload],
    peers: str | None,
    rounds: int,
    seconds: float,
    clock: str,
    again: bool,
) -> tuple[list[Library], Roofline, list[Measurement]]:
    from rulewright.bench.measure import measure
    from rulewright.bench.roofline import roofline

    libraries = _libraries(peers)
    top = roofline(again)
    tick = time.process_time if clock == "cpu" else time.perf_counter
    outcomes: list[Measurement] = []
    try:
        with progress([case.name for case in cases], "workloads") as names:
            for _, case in zip(names, cases, strict=True):
                outcomes.append(measure(case, libraries, rounds, seconds, tick))
    except KeyboardInterrupt:
        click.echo(f"stopped: {len(outcomes)} of {len(cases)} workloads were timed", err=True)
    return libraries, top, outcomes


def _warn_if_busy(clock: str) -> None:
    from rulewright.bench.machine import is_busy, load

    if clock == "wall" and is_busy():
        click.echo(
            f"warning: others use this machine (load {load():.1f}, {os.cpu_count()} cores), so "
            "medians say little; look at the fastest calls, or take `--threads 1 --clock cpu`",
            err=True,
        )


def _libraries(peers: str | None) -> list[Library]:
    """Ours and the peers asked for; of those that are only installed, the ones that start."""
    from rulewright.bench.libraries import OURS, PEERS, installed, library

    asked = [] if peers in (None, "none") else list(dict.fromkeys(str(peers).split(",")))
    unknown = [name for name in asked if name not in PEERS]
    if unknown:
        known = ", ".join(PEERS)
        raise click.BadParameter(f"expected peers out of {known}, or none, found {unknown[0]!r}")
    libraries = [library(OURS)]
    if peers is not None:
        return libraries + [library(name) for name in asked]
    for name in installed():
        try:
            libraries.append(library(name))
        except UsageError as error:
            click.echo(f"warning: {error}", err=True)
    return libraries


def _print(outcomes: Sequence[Measurement], top: Roofline) -> None:
    from rulewright.bench.report import HEADERS, rows

    print_table(HEADERS, [row for outcome in outcomes for row in rows(outcome, top)])
    peaks = ", ".join(f"{top.peak(d):.0f} GFLOP/s {d}" for d in sorted(top.gflops))
    click.echo(f"roofline: {peaks}, {top.gbytes:.0f} GB/s; threads: {top.threads}")


def _check_chart(file: Path) -> None:
    """Before anything is timed: is this a kind of file, and is what draws it here?"""
    from importlib.util import find_spec

    from rulewright.bench.chart import SUFFIXES, missing

    if file.suffix not in SUFFIXES:
        raise click.BadParameter(f"expected a file {' or '.join(SUFFIXES)}, found {file.name}")
    if find_spec("matplotlib") is None:
        raise missing("it is not installed")


def _draw(file: Path, outcomes: Sequence[Measurement], top: Roofline) -> None:
    from rulewright.bench.chart import draw
    from rulewright.bench.machine import cpu_model

    draw(file, outcomes, top, f"{cpu_model()}, threads: {top.threads}")


def _write(
    file: Path,
    outcomes: Sequence[Measurement],
    top: Roofline,
    libraries: Sequence[Library],
    clock: str,
) -> None:
    from rulewright.bench.machine import describe
    from rulewright.bench.report import document

    report: dict[str, Any] = document(outcomes, top, describe(libraries) | {"clock": clock})
    file.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
