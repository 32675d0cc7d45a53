"""`rulewright doc`: the spec as a browsable document."""

from __future__ import annotations

from pathlib import Path

import click

from rulewright.cli.inputs import example


@click.command(epilog=example("rulewright doc\nrulewright doc -o site"))
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("build/doc"),
    show_default=True,
    help="folder to write to; it is made if it is not there",
)
def command(output: Path) -> None:
    """Write dtypes, ops, stages, rules, externs, targets and pipeline as Markdown pages.

    Prints how many rules there are, how many of them are purely declarative, and how many externs
    they call.
    """
    from rulewright.lang.document import write_document

    counts = write_document(output)
    click.echo(f"{counts}")
    click.echo(f"written to {output / 'index.md'}")
