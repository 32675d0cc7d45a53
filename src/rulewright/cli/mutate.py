"""`rulewright mutate`: faults planted in the shipped rules, and what catches them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import example
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from rulewright.verify.mutate_run import Fate

_EXAMPLE = """
rulewright mutate --rule lt_of_sum
rulewright mutate --sample 40
rulewright mutate --jobs 8 --format json -o mutants.json
"""
_file = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(epilog=example(_EXAMPLE))
@click.option("--rule", "wanted", metavar="NAME", multiple=True, help="only mutants of this rule")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="N of them, always the same")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="processes")
@click.option("--no-cases", is_flag=True, help="do not run tests/cases")
@click.option("--reasons", type=_file, metavar="FILE", help="[tests/reviewed/mutants.txt]")
@click.option(
    "--at-least",
    type=click.FloatRange(0, 100),
    default=95.0,
    show_default=True,
    metavar="PERCENT",
    help="a lower score is a failure",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text for people, json for tools",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.pass_context
def command(
    ctx: click.Context,
    wanted: tuple[str, ...],
    sample: int | None,
    jobs: int,
    no_cases: bool,
    reasons: Path | None,
    at_least: float,
    form: str,
    output: Path | None,
) -> None:
    """Plant faults in the shipped rules, one at a time, and say which go unnoticed.

    \b
    check, example, measure   killed by what `rulewright check` says of the rule
    prove                     killed by a counterexample, or because it can never match
    case                      killed by a case of tests/cases
    sound                     no fault: another right rule, proved for all integers
    survived                  nothing noticed; a reviewed list says why that is no harm

    The score is the share of killed mutants among those that are faults: not sound, and without a
    reason in the list that begins with `same:` (the mutant does what the rule does). Exit status 1
    if it is lower than asked for, or if a survivor has no reason.
    """
    from rulewright.verify import mutate_run as runs
    from rulewright.verify.cover import read_reasons

    root = spec_dir().parent
    found = runs.all_mutants(wanted)
    if not found:
        raise click.BadParameter(f"no rule that can be mutated is called {', '.join(wanted)}")
    found = found if sample is None else runs.sample(found, sample)
    fates = list(runs.run(found, None if no_cases else root / "tests" / "cases", jobs))
    path = reasons or root / "tests" / "reviewed" / "mutants.txt"
    known = read_reasons(path) if path.is_file() else {}
    numbers = runs.summary(fates, known)
    text = json.dumps({"summary": numbers, "mutants": [f.to_json() for f in fates]}, indent=2)
    if form == "json" or output is not None:
        click.echo(text, output.open("w", encoding="utf-8") if output else None)
    if form == "text":
        _print_text(fates, known)
        click.echo(
            ", ".join(f"{value} {name}" for name, value in numbers.items() if name != "score")
        )
        click.echo(f"score: {numbers['score']:.1f} % of the faults are noticed")
    lost = [f.name for f in fates if f.by == "survived" and not runs.reason(f, known)]
    for name in lost:
        click.echo(f"{name}: survived, and {path.name} gives no reason", err=True)
    ctx.exit(1 if lost or numbers["score"] < at_least else 0)


def _print_text(fates: Sequence[Fate], known: dict[str, str]) -> None:
    from rulewright.cli.output import print_table
    from rulewright.verify.mutate_run import reason

    rows = [
        (fate.rule, fate.what, fate.note, reason(fate, known))
        for fate in fates
        if fate.by == "survived"
    ]
    if rows:
        print_table(("rule", "survivor", "proof", "why it is let live"), rows)
