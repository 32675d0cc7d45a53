"""`rulewright conformance`: what a device computes rightly, wrongly or not at all."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import device_option, example, spec_option
from rulewright.cli.output import print_table, progress

if TYPE_CHECKING:
    from rulewright.verify.conformance import Case, Result

_EXAMPLE = """
rulewright conformance
rulewright conformance --device OPENCL -k "softmax or (sum and not cumsum)"
rulewright conformance --format junit > conformance.xml
rulewright conformance --list -k gradients/svd
"""


@click.command(epilog=example(_EXAMPLE))
@spec_option
@device_option("device that is looked at  [default: the default device]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "junit"]),
    default="table",
    show_default=True,
    help="table for people, json for tools, junit (XML) for CI",
)
@click.option(
    "-k", "expression", metavar="EXPR", help="only cases whose name fits: words, and, or, not, ()"
)
@click.option("--list", "listed", is_flag=True, help="print names and code of cases; run nothing")
@click.pass_context
def command(
    ctx: click.Context, device: str, form: str, expression: str | None, listed: bool
) -> None:
    """Run the table of methods and the hazards on a device, and compare with numpy.

    Cases are named KIND/METHOD/NUMBER: values and gradients of methods over dtypes and shapes (one
    number for one row of the table), refusals (the exact error); hazards/NAME (writes into views
    that overlap); and ops/NAME (of files loaded by --spec). --list shows their code. A case that
    the device is declared not to do is `absent`, with the reason. The devices on which kernels
    really ran are counted.

    Exit status 1 if a case is wrong, or if nothing of the whole suite ran on the device; 2 if the
    device is not here or no case fits.
    """
    from rulewright.runtime.device import Device
    from rulewright.verify.conformance import run_case

    named = _chosen(expression)
    if listed:
        _list(list(named.values()), form)
        return
    reason = Device.why_not(device)
    if reason is not None:
        raise click.UsageError(f"device {device} is not here: {reason}")
    with progress(list(named), f"conformance of {device}") as names:
        results = [run_case(named[name], device) for name in names]
    {"table": _table, "json": _json, "junit": _junit}[form](device, results)
    wrong = any(r.status == "wrong" for r in results)
    idle = expression is None and not _ran(results)[device]
    if idle:
        click.echo(f"nothing ran on {device}", err=True)
    ctx.exit(1 if wrong or idle else 0)


def _chosen(expression: str | None) -> dict[str, Case]:
    """The cases by name that an expression fits, or all."""
    from rulewright.errors import UsageError
    from rulewright.verify.conformance import cases, selector

    try:
        chosen = (lambda name: True) if expression is None else selector(expression)
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    named = {case.name: case for case in cases() if chosen(case.name)}
    if not named:
        raise click.UsageError(f"-k {expression!r} fits no case; --list names all")
    return named


def _list(cases: list[Case], form: str) -> None:
    """Names and code of cases."""
    if form == "junit":
        raise click.UsageError("--list prints a table or json, not junit")
    if form == "json":
        click.echo(json.dumps([{"case": c.name, "text": c.text} for c in cases], indent=2))
        return
    width = max(len(case.name) for case in cases)
    for case in cases:
        click.echo(f"{case.name:{width}}  {'; '.join(case.text.splitlines())}")


def _ran(results: list[Result]) -> Counter[str]:
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.ran)
    return total


def _described(device: str) -> str:
    from rulewright.runtime.device import Device

    return f"{device}: {Device.device_class(device).describe()}"


def _table(device: str, results: list[Result]) -> None:
    from rulewright.verify.conformance import KINDS

    for status in ("absent", "wrong"):
        for result in results:
            code = result.text.partition("\n")[0]
            for message in result.messages if result.status == status else ():
                click.echo(f"{status}: {result.case}   {code}\n  {message}")
    rows = []
    for kind in KINDS:
        found = [r for r in results if r.kind == kind]
        if kind == "ops" and not found:
            continue  # there are none beside the spec
        counts = [sum(r.status == s for r in found) for s in ("right", "wrong", "absent")]
        seconds = sum(r.seconds for r in found)
        rows.append((kind, *map(str, counts), f"{seconds:.1f}"))
    print_table(("cases", "right", "wrong", "absent", "seconds"), rows)
    click.echo(f"\ndevice  {_described(device)}")
    ran = ", ".join(f"{count} kernels on {name}" for name, count in sorted(_ran(results).items()))
    click.echo(f"ran     {ran or 'nothing'}")


def _json(device: str, results: list[Result]) -> None:
    content = {
        "device": device,
        "description": _described(device),
        "ran": dict(sorted(_ran(results).items())),
        "cases": [{**vars(r), "seconds": round(r.seconds, 3)} for r in results],
    }
    click.echo(json.dumps(content, indent=2))


def _junit(device: str, results: list[Result]) -> None:
    from xml.etree import ElementTree

    suite = ElementTree.Element("testsuite", {
        "name": f"conformance of {device}", "tests": str(len(results)),
        "failures": str(sum(r.status == "wrong" for r in results)),
        "skipped": str(sum(r.status == "absent" for r in results)),
        "time": f"{sum(r.seconds for r in results):.3f}",
    })  # fmt: skip
    properties = ElementTree.SubElement(suite, "properties")
    for name, count in sorted(_ran(results).items()):
        found = {"name": f"kernels on {name}", "value": str(count)}
        ElementTree.SubElement(properties, "property", found)
    for result in results:
        kind, _, name = result.case.partition("/")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": kind, "name": name, "time": f"{result.seconds:.3f}"}
        )
        if result.status == "absent":
            ElementTree.SubElement(case, "skipped", {"message": result.messages[0]})
        for message in result.messages if result.status == "wrong" else ():
            ElementTree.SubElement(case, "failure", {"message": message})
    ElementTree.indent(suite)
    click.echo(ElementTree.tostring(suite, encoding="unicode"))
