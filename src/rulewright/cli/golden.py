"""`rulewright golden`: schedules, memory plans and sources, compared with those on record."""

from __future__ import annotations

import click

from rulewright.cli.inputs import example
from rulewright.cli.output import progress


@click.command(epilog=example("rulewright golden\nrulewright golden softmax --update"))
@click.argument("names", nargs=-1)
@click.option("--update", is_flag=True, help="put on record what is made now; refused in CI")
@click.pass_context
def command(ctx: click.Context, names: tuple[str, ...], update: bool) -> None:
    """Compile the golden programs for every target and compare with golden/.

    Without NAMES, all programs, and then files that no program makes are reported too. Runs in a
    checkout, on any host, and needs no device. Exit status 1 if anything differs, is missing, too
    long or an orphan.
    """
    from rulewright.options import in_ci
    from rulewright.verify import golden

    if update and in_ci():
        raise click.UsageError("--update is refused while CI is set: bless goldens by hand")
    known = golden.names()
    for name in names:
        if name not in known:
            raise click.UsageError(f"no golden program {name!r}; there are {', '.join(known)}")
    if update:
        _update(names)
        return
    ctx.exit(1 if _compare(names) else 0)


def _update(names: tuple[str, ...]) -> None:
    from rulewright.verify import golden

    written = golden.update(golden.golden_dir(), names)
    for path in written:
        click.echo(f"golden/{path}")
    click.echo(f"{len(written)} files changed")


def _compare(names: tuple[str, ...]) -> int:
    """Print every difference; how many there are."""
    from rulewright.verify import golden

    folder = golden.golden_dir()
    found: list[golden.Difference] = []
    with progress(names or golden.names(), "golden") as remaining:
        for name in remaining:
            found += golden.compare(folder, [name])
    if not names:
        found += golden.orphans(folder)
    for difference in found:
        click.echo(str(difference))
    programs = len(names or golden.names())
    click.echo(f"{len(found) or 'no'} differences in {programs} programs")
    return len(found)
