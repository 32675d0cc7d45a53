"""`rulewright fmt`: one canonical layout for rule files."""

from __future__ import annotations

from pathlib import Path

import click

from rulewright.cli.inputs import example, paths_argument, read_text, uop_files


@click.command(epilog=example("rulewright fmt fold.uop\nrulewright fmt --check spec"))
@paths_argument("files", required=True)
@click.option("--check", is_flag=True, help="change nothing; exit 1 if a file would change")
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], check: bool) -> None:
    """Lay FILES out in the one canonical way; a folder stands for the .uop files below it.

    A file that does not parse is left as it is and reported.
    """
    from rulewright.lang.fmt import format_text

    targets = uop_files(files)
    changed = 0
    for path in targets:
        text = read_text(path)
        laid_out = format_text(text)
        if laid_out == text:
            continue
        changed += 1
        click.echo(f"{'would change' if check else 'changed'} {path}")
        if not check:
            path.write_text(laid_out, encoding="utf-8")
    click.echo(f"{changed} of {len(targets)} files {'would change' if check else 'changed'}")
    ctx.exit(1 if check and changed else 0)
