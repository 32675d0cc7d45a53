"""`rulewright check`: parse rule files and run all static checks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import example, format_option, paths_argument, spec_option, uop_files
from rulewright.cli.output import counted
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from rulewright.lang import Diagnostic


@click.command(epilog=example("rulewright check fold.uop\nrulewright check --format json rules/"))
@paths_argument("files", required=False)
@spec_option
@format_option("text for people, json for editors")
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], form: str) -> None:
    """Parse FILES and run all static checks; without FILES, check the compiler's own spec.

    Examples are run: what a rule gives, whether both sides are worth the same on sampled inputs as
    far as its `equiv` says, and whether rewriting them comes to an end. The `smt` clauses of the
    spec's own ops are run against `meaning`. A graph that is all of its file is looked at as `run`
    does before it runs one. A folder stands for the
    .uop files below it. No Python that a file names is imported unless it is the compiler's own or
    allowed by --allow-externs. Every problem of every file is reported. Exit status 1 if there is
    any.
    """
    from rulewright.checks import check

    targets = uop_files(files or (spec_dir(),))
    problems = check(targets)
    if not problems:
        from rulewright.cli.graphs import graph_problems
        from rulewright.verify.prove.files import clause_problems

        problems = [*clause_problems(targets), *graph_problems(targets)]
    if form == "json":
        click.echo(json.dumps([item.to_json() for item in problems], indent=2))
    else:
        _print_text(problems, targets)
    ctx.exit(1 if problems else 0)


def _print_text(problems: list[Diagnostic], targets: Sequence[Path]) -> None:
    from rulewright.lang.diagnostics import count_line

    for item in problems:
        click.echo(f"{item.render()}\n")
    files = counted(len(targets), "file")
    empty = not problems and all(map(_is_empty, targets))
    nothing = ", in which nothing stands: no rule, no op, no target" if empty else ""
    click.echo(f"{count_line(problems)} in {files}{nothing}")


def _is_empty(path: Path) -> bool:
    """Whether a file without errors has comments at most."""
    from rulewright.lang.reading import read_source

    lines = (line.strip() for line in read_source(path).splitlines())
    return all(line == "" or line.startswith("#") for line in lines)
