"""`rulewright check`: parse rule files and run all static checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import example, paths_argument, uop_files
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from rulewright.lang import Diagnostic


@click.command(epilog=example("rulewright check spec\nrulewright check --format json fold.uop"))
@paths_argument("files", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text for people, json for editors",
)
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], form: str) -> None:
    """Parse FILES and run all static checks; without FILES, check the compiler's own spec.

    A folder stands for the .uop files below it. Every problem of every file is reported. Exit
    status 1 if there is any.
    """
    from rulewright.lang import check

    found = check(uop_files(files or (spec_dir(),)))
    if form == "json":
        click.echo(json.dumps([item.to_json() for item in found], indent=2))
    else:
        _print_text(found)
    ctx.exit(1 if found else 0)


def _print_text(found: list[Diagnostic]) -> None:
    for item in found:
        source = Path(item.file).read_text(encoding="utf-8")
        click.echo(item.render(source))
        click.echo()
    noun = "problem" if len(found) == 1 else "problems"
    click.echo(f"{len(found) or 'no'} {noun}")
