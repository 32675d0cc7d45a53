"""`rulewright conformance`: what a device computes rightly, wrongly or not at all."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import (
    OutputFile,
    device_option,
    example,
    format_option,
    misuse,
    spec_option,
)
from rulewright.cli.output import progress

if TYPE_CHECKING:
    from rulewright.cli.conformance_report import ConformanceReport
    from rulewright.verify.conformance import ConformanceCase, Result

_EXAMPLE = """
rulewright conformance
rulewright conformance --device OPENCL -k "softmax or (sum and not cumsum)"
rulewright conformance --format html --output conformance.html
rulewright conformance --format junit > conformance.xml
rulewright conformance -k jit --repeat 20 --seed 7 -x
rulewright conformance --format json --output conformance.json --resume
rulewright conformance --device METAL_EMULATED --jobs 8
rulewright conformance --list -k gradients/svd
"""

_SECONDS_APART = 10.0  # of reports on disk while cases run


@click.command(epilog=example(_EXAMPLE))
@spec_option
@device_option("device that is looked at  [default: the default device]")
@format_option("table for people, json for tools, junit (XML) for CI, html for one page")
@click.option(
    "--output", type=OutputFile(), metavar="FILE",
    help="write the report there, every few seconds as cases run; print the counts",
)  # fmt: skip
@click.option(
    "--resume", is_flag=True, help="keep what is right in the json of --output, and run the rest"
)
@click.option(
    "-k", "expression", metavar="EXPR", help="only cases whose name fits: words, and, or, not, ()"
)
@click.option(
    "-x", "--exitfirst", "first", is_flag=True, help="stop at the first case that is wrong"
)
@click.option(
    "--repeat", type=click.IntRange(1), default=1, show_default=True, metavar="N",
    help="run each case so often, or until it is wrong",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, metavar="S",
    help="draw other values",
)  # fmt: skip
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N",
    help="processes that share the cases of a device in memory of the host",
)  # fmt: skip
@click.option("--list", "listed", is_flag=True, help="print names and code of cases; run nothing")
@click.pass_context
def command(
    ctx: click.Context,
    device: str,
    form: str,
    output: Path | None,
    resume: bool,
    expression: str | None,
    first: bool,
    repeat: int,
    seed: int,
    jobs: int,
    listed: bool,
) -> None:
    """Run the conformance suite on a device, and compare with numpy and with definitions.

    Cases are named KIND/METHOD/NUMBER: values and gradients of methods over dtypes and shapes (one
    number for one row of the table), refusals (the exact error). Others are KIND/NAME: hazards
    (writes into views that overlap); ulps (functions over their whole range), integers and specials
    (numbers at their edges); programs: sizes (0 and 1), indices (beyond 2^31), buffers (100),
    symbolic (sizes), random, copies, jit, launches (long axes), cores (products); and ops (of files
    loaded by --spec). --list shows their code. A case that the device is declared not to do
    is `absent`, with the reason. The devices on which kernels really ran are counted.

    Of a case that is wrong a script is shown that has the fewest operands with which it is. When
    interrupted, what ran until then is reported; --resume goes on from there, if the code is the
    same. Cases of another package's device run in a process apart if kernels can reach its memory:
    one that ends the process is wrong.

    Exit status 1 if a case is wrong, if not all ran, or if nothing of the whole suite ran on the
    device; 2 if the device is not here or no case fits.
    """
    from rulewright.cli.conformance_report import FORMS, ConformanceReport, summary
    from rulewright.cli.conformance_resume import code_of, known_results
    from rulewright.runtime.device import Device
    from rulewright.temporary import write_whole
    from rulewright.verify.values.samples import seeded

    named = _chosen(expression)
    if listed:
        _list(list(named.values()), form)
        return
    _check(device, jobs)
    described = f"{device}: {Device.device_class(device).describe()}"
    report = ConformanceReport(device, described, len(named), seed, repeat, code_of(device))
    known: dict[str, Result] = {}
    if resume:
        if output is None or form != "json":
            raise click.UsageError("--resume goes on from --output FILE with --format json")
        known = known_results(report, output, named)
    with seeded(seed):
        _run(named, report, first, output, form, known, jobs)
    if output is None:
        click.echo(FORMS[form](report), nl=False)
    else:
        write_whole("conformance", output, FORMS[form](report))
        click.echo(summary(report), nl=False)
    idle = expression is None and device not in report.ran
    if idle:
        click.echo(f"nothing ran on {device}", err=True)
    ctx.exit(1 if report.wrong or report.stopped or idle else 0)


def _check(device: str, jobs: int) -> None:
    """Raise UsageError for a device that is not here, or that so many processes cannot have."""
    from rulewright.runtime.device import Device
    from rulewright.verify.conformance import can_be_apart

    reason = Device.why_not(device)
    if reason is not None:
        raise click.UsageError(f"device {device} is not here: {reason}")
    if jobs > 1 and not can_be_apart(device):
        raise click.UsageError(f"--jobs: processes cannot share {device}; leave it out")


def _run(
    named: dict[str, ConformanceCase],
    report: ConformanceReport,
    first: bool,
    output: Path | None,
    form: str,
    known: dict[str, Result],
    jobs: int,
) -> None:
    """Run cases into a report, but those whose results are known, until all have, one is wrong and
    the first is enough, or Ctrl-C."""
    from rulewright.cli.conformance_report import FORMS
    from rulewright.temporary import is_replaced, write_whole
    from rulewright.verify.conformance import runner

    if output is not None and not is_replaced(output):
        output = None  # a pipe takes one report, at the end
    written = time.monotonic()
    report.stopped = "not finished"  # what is on disk until then says so
    done, asked = dict(known), dict(known)

    def take(results: dict[str, Result], stopped: str = report.stopped) -> None:
        report.results = [results[name] for name in named if name in results]
        report.stopped = stopped

    try:
        with (
            runner(named, report.device, done, report.repeat, jobs) as run,
            progress(list(named), f"conformance of {report.device}") as names,
        ):
            for name in names:
                asked[name] = run(name)
                if first and asked[name].status == "wrong":
                    take(asked, "at the first case that is wrong")
                    return
                if output is not None and time.monotonic() - written >= _SECONDS_APART:
                    take(done)
                    write_whole("conformance", output, FORMS[form](report))
                    written = time.monotonic()
        take(done, "")
    except KeyboardInterrupt:
        take(done, "interrupted")
        place = next((f", at {name}" for name in named if name not in done), "")
        count = f"{len(report.results)} of {report.total} cases"
        click.echo(f"interrupted after {count}{place}", err=True)


def _chosen(expression: str | None) -> dict[str, ConformanceCase]:
    """The cases by name that an expression fits, or all."""
    from rulewright.verify.conformance import cases, selector

    with misuse(click.UsageError):
        chosen = (lambda name: True) if expression is None else selector(expression)
    named = {case.name: case for case in cases() if chosen(case.name)}
    if not named:
        raise click.UsageError(f"-k {expression!r} fits no case; --list names all")
    return named


def _list(cases: list[ConformanceCase], form: str) -> None:
    """Names and code of cases."""
    if form in ("junit", "html"):
        raise click.UsageError(f"--list prints a table or json, not {form}")
    if form == "json":
        click.echo(json.dumps([{"case": c.name, "text": c.text} for c in cases], indent=2))
        return
    width = max(len(case.name) for case in cases)
    for case in cases:
        click.echo(f"{case.name:{width}}  {'; '.join(case.text.splitlines())}")
