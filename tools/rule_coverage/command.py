"""`rulewright cover`: which rules fired in the suite, and which guards refused something."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import OutputFile, example, format_option
from rulewright.paths import checkout, spec_dir

if TYPE_CHECKING:
    from rule_coverage.count import Counts
    from rule_coverage.report import Row

_EXAMPLE = """
rulewright cover
pytest --cover-rules=build/cover && rulewright cover --data build/cover
rulewright cover --format xml -o coverage.xml
"""
_folder = click.Path(exists=True, file_okay=False, path_type=Path)
_file = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(epilog=example(_EXAMPLE))
@click.option("--cases", type=_folder, metavar="DIR", help="cases to run [tests/cases]")
@click.option("--data", type=_folder, metavar="DIR", help="what `pytest --cover-rules=DIR` counted")
@click.option("--reasons", type=_file, metavar="FILE", help="[tests/reviewed/never_fired.txt]")
@click.option("--all", "show_all", is_flag=True, help="also rules of which nothing is to be said")
@click.option(
    "--at-least",
    type=click.FloatRange(0, 100),
    default=95.0,
    show_default=True,
    metavar="PERCENT",
    help="fewer rules that fired are a failure",
)
@format_option("text for people, json for tools, xml (Cobertura) for editors")
@click.option("-o", "--output", type=OutputFile(), metavar="FILE")
@click.pass_context
def command(
    ctx: click.Context,
    cases: Path | None,
    data: Path | None,
    reasons: Path | None,
    show_all: bool,
    at_least: float,
    form: str,
    output: Path | None,
) -> None:
    """Run the cases and compile the golden programs, and count what each rule does.

    Lists rules that never fired and guard clauses that never refused anything. A rule's own
    examples do not count. Exit status 1 if fewer rules fired than asked for, or if one that did
    not has no reason in the reviewed list, or one that did has. Runs in a checkout.
    """
    from rule_coverage.report import read_reasons, rows

    if output is not None and form == "text":
        raise click.UsageError("--output takes --format json or xml; text goes to the terminal")
    folder = cases or checkout("tests/cases")
    path = reasons or checkout("tests/reviewed") / "never_fired.txt"
    counted = rows(_counts(folder, data))
    known = read_reasons(path) if path.is_file() else {}
    if form == "text":
        _print_text(counted, known, show_all)
    else:
        _write(counted, form, spec_dir().parent, output)
    share = 100 * sum(row.times > 0 for row in counted) / len(counted)
    never = {row.rule for row in counted if not row.times}
    for name in sorted(never - set(known)):
        click.echo(f"{name} never fired: add a case, or a reason to {path.name}", err=True)
    for name in sorted(set(known) - never) if data else ():
        click.echo(f"{name} fired: take it out of {path.name}", err=True)
    ctx.exit(1 if share < at_least or never - set(known) or (data and set(known) - never) else 0)


def _counts(cases: Path, data: Path | None) -> dict[str, Counts]:
    from rule_coverage.report import read_counts, run_cases, run_programs

    counts = {"cases": run_cases(cases), "programs": run_programs()}
    if data:
        counts["suite"] = read_counts(data)
    return counts


def _write(rows: Sequence[Row], form: str, root: Path, output: Path | None) -> None:
    from rule_coverage.report import cobertura

    if form == "xml":
        text = cobertura(rows, root)
    else:
        text = json.dumps({"rules": [row.to_json() for row in rows]}, indent=2) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def _print_text(rows: Sequence[Row], known: Mapping[str, str], show_all: bool) -> None:
    from rulewright.cli.output import print_table

    sources = list(rows[0].fired) if rows else []
    shown = [row for row in rows if show_all or not row.times]
    if shown:
        table = [
            (
                f"{row.set}.{row.rule}",
                *(str(row.fired[source]) for source in sources),
                known.get(row.rule, ""),
                f"{row.file}:{row.line}",
            )
            for row in shown
        ]
        print_table(("rule", *sources, "why it never fires", "place"), table)
    lazy = [
        (row.rule, clause.text, str(clause.asked), f"{row.file}:{clause.line}")
        for row in rows
        for clause in row.clauses
        if not clause.refused
    ]
    if lazy:
        click.echo("\nguard clauses that never refused anything")
        print_table(("rule", "clause", "asked", "place"), lazy)
    fired = sum(row.times > 0 for row in rows)
    clauses = sum(len(row.clauses) for row in rows)
    alone = sum(clause.shown for row in rows for clause in row.clauses)
    share = 100 * fired / len(rows) if rows else 100
    click.echo(
        f"\n{fired} of {len(rows)} rules fired ({share:.1f} %); "
        f"{clauses - len(lazy)} of {clauses} guard clauses refused something, "
        f"{alone} have a reject that they alone refuse"
    )
