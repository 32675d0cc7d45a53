"""`rulewright golden`: schedules, memory plans and sources, compared with those on record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import OutputFolder, example, misuse, spec_option
from rulewright.cli.output import counted, print_table, progress

if TYPE_CHECKING:
    from rulewright.verify.golden import Difference, Record

_EXAMPLE = """
rulewright golden
rulewright golden softmax --diff
rulewright golden softmax --update
rulewright golden --spec c99.uop --target C99 --folder golden --update
"""


@click.command(epilog=example(_EXAMPLE))
@click.argument("names", nargs=-1)
@click.option("--update", is_flag=True, help="put on record what is made now; refused in CI")
@click.option(
    "--diff",
    is_flag=True,
    help="print too how many kernels, flops and bytes a program that differs had and has",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="folder of the record  [default: golden/ of the checkout]",
)
@click.option(
    "--target",
    "targets",
    metavar="TARGET",
    multiple=True,
    help="target, or device of another package, whose sources are on record; may be repeated  "
    "[default: all of the spec's]",
)
@spec_option
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    update: bool,
    diff: bool,
    folder: Path | None,
    targets: tuple[str, ...],
) -> None:
    """Compile the golden programs for every target and compare with golden/.

    Without NAMES, all programs, and then files that no program makes are reported too (in a folder
    of yours those of a schedule on record and of these targets); --update removes them. Runs on any
    host, and needs no device; in a checkout, or with a --folder of your own. Exit status 1 if
    anything differs, is missing or an orphan, or, in golden/, has more than 300 lines.
    """
    from rulewright.options import in_ci
    from rulewright.verify import golden

    if targets and folder is None:
        raise click.UsageError("--target needs --folder: golden/ holds the spec's own targets")

    if update and in_ci():
        raise click.UsageError("--update is refused while CI is set: bless goldens by hand")
    with misuse(click.UsageError):
        golden.check_names(names)
    chosen = tuple(map(_target, targets)) or golden.TARGETS
    if folder is None:
        record = golden.Record(golden.golden_dir(), chosen)
    else:
        record = golden.Record(folder, chosen, folder.as_posix(), is_ours=False)
    if update and diff:
        raise click.UsageError("--diff compares, --update writes: use one of them")
    if update:
        OutputFolder().convert(record.folder, None, ctx)
        _update(record, names)
        return
    differences = _compare(record, names)
    if diff and differences:
        _print_work(record, differences)
    ctx.exit(1 if differences else 0)


def _target(name: str) -> str:
    """The name of a target, or of that of a device."""
    from rulewright.render import target
    from rulewright.runtime.device import Device

    with misuse(param_hint="--target"):
        if name.upper() in Device.plugins:
            return Device.target_of(name)
        return target(name).name


def _update(record: Record, names: tuple[str, ...]) -> None:
    from rulewright.verify import golden

    written = golden.update(record, names)
    for path in written:
        click.echo(f"{record.label}/{path}")
    click.echo(f"{counted(len(written), 'file')} changed")


def _print_work(record: Record, differences: list[Difference]) -> None:
    """The work of each program that differs, on record and now."""
    from rulewright.verify.golden import changes, names

    differ = dict.fromkeys(difference.path.partition("/")[0] for difference in differences)
    rows = []
    for name, before, now in changes(record, [name for name in differ if name in names()]):
        for what, count in now._asdict().items():
            old = "-" if before is None else str(getattr(before, what))
            rows.append((name, what, old, str(count)))
    print_table(("program", "", "on record", "now"), rows)


def _compare(record: Record, names: tuple[str, ...]) -> list[Difference]:
    """Print every difference, and how many there are."""
    from rulewright.verify import golden

    differences: list[Difference] = []
    with progress(names or golden.names(), "golden") as remaining:
        for name in remaining:
            differences += golden.compare(record, [name])
    if not names:
        differences += golden.orphans(record)
    for difference in differences:
        click.echo(str(difference))
    differ = counted(len(differences), "difference") if differences else "no differences"
    click.echo(f"{differ} in {counted(len(names or golden.names()), 'program')}")
    return differences
