"""`rulewright fmt`: one canonical layout for rule files."""

from __future__ import annotations

from pathlib import Path

import click

from rulewright.cli.inputs import example, paths_argument, read_text, uop_files
from rulewright.cli.output import counted
from rulewright.errors import RuleError


@click.command(epilog=example("rulewright fmt fold.uop\nrulewright fmt --check rules/"))
@paths_argument("files", required=True)
@click.option("--check", is_flag=True, help="change nothing; exit 1 if a file would change")
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], check: bool) -> None:
    """Lay FILES out in the one canonical way; a folder stands for the .uop files below it.

    A file that does not parse is left as it is and reported; the others are laid out all the same.
    Exit status 2 for that; else 1 with --check for a file that would change.
    """
    targets = uop_files(files)
    verb = "would change" if check else "changed"
    changed = refused = 0
    for path in targets:
        try:
            differs = _format(path, write=not check)
        except RuleError as error:
            refused += 1
            click.echo(str(error), err=True)
            continue
        if differs:
            changed += 1
            click.echo(f"{verb} {path}")
    click.echo(f"{changed} of {counted(len(targets), 'file')} {verb}")
    ctx.exit(2 if refused else int(check and changed > 0))


def _format(path: Path, write: bool) -> bool:
    """Whether the canonical layout of a file is another one; it is written if asked."""
    from rulewright.lang.fmt import format_text
    from rulewright.lang.reading import with_line_feeds
    from rulewright.temporary import write_whole

    text = read_text(path)
    laid_out = format_text(with_line_feeds(text), str(path))
    if write and laid_out != text:
        write_whole("fmt", path, laid_out)
    return laid_out != text
