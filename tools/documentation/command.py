"""`rulewright doc`: the documentation as a static site."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import OutputFolder, example
from rulewright.paths import checkout

if TYPE_CHECKING:
    from rule_coverage.report import Row

_EXAMPLE = """
rulewright doc
rulewright doc -o site --prove
pytest --cover-rules=build/cover && rulewright doc --data build/cover
"""


@click.command(epilog=example(_EXAMPLE))
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=OutputFolder(),
    default=Path("build/doc"),
    show_default=True,
    help="folder to write to; it is made if it is not there",
)
@click.option("--prove", is_flag=True, help="prove first what is not in the cache; takes minutes")
@click.option("--cover", is_flag=True, help="run the cases and count what rules do; takes a minute")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="what `pytest --cover-rules=DIR` counted",
)
def command(output: Path, prove: bool, cover: bool, data: Path | None) -> None:
    """Write the documentation as a static site, for any browser, without a network.

    Ops, dtypes, stages, every rule with its equation, examples, proof status and coverage, targets,
    the pipeline; tensor methods; commands, options and errors. Proof statuses are those that
    `rulewright prove` left in its cache.

    Prints how many rules there are, how many of them are purely declarative, and how many externs
    they call.
    """
    from documentation.build import write_site

    if prove:
        _prove()
    counts = write_site(output, _rows(cover, data))
    click.echo(f"{counts}")
    click.echo(f"written to {output / 'index.html'}")


def _prove() -> None:
    """Prove the spec's rules, so that the cache holds them."""
    from rulewright.cli.prove import progress
    from rulewright.lang.build import spec_files
    from rulewright.verify.prove.files import parsed, prove_trees

    with progress() as done:
        prove_trees(parsed(spec_files()), jobs=os.cpu_count() or 1, done=done)


def _rows(cover: bool, data: Path | None) -> list[Row]:
    """What each rule did in the cases that are run now, and in the suite as it was counted."""
    from rule_coverage.report import read_counts, rows, run_cases, run_programs

    counts = {}
    if cover:
        counts = {"cases": run_cases(checkout("tests/cases")), "programs": run_programs()}
    if data:
        counts["suite"] = read_counts(data)
    return rows(counts) if counts else []
