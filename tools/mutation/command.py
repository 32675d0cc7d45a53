"""`rulewright mutate`: faults planted in the shipped rules, and what catches them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulewright.cli.inputs import OutputFile, example, format_option
from rulewright.paths import checkout

if TYPE_CHECKING:
    from mutation.run import Fate

_EXAMPLE = """
rulewright mutate --rule lt_of_sum
rulewright mutate --sample 40
rulewright mutate --jobs 8 --format json -o mutants.json
rulewright mutate --rule lt_of_sum --record
rulewright mutate --summary
"""
_file = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(epilog=example(_EXAMPLE))
@click.option("--rule", "wanted", metavar="NAME", multiple=True, help="only mutants of this rule")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="N of them, always the same")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="processes")
@click.option("--record", is_flag=True, help="keep what is found, in tests/reviewed")
@click.option("--summary", "told", is_flag=True, help="print what was recorded; run nothing")
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
@format_option("text for people, json for tools")
@click.option("-o", "--output", type=OutputFile(), metavar="FILE")
@click.pass_context
def command(
    ctx: click.Context,
    wanted: tuple[str, ...],
    sample: int | None,
    jobs: int,
    record: bool,
    told: bool,
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
    if it is lower than asked for, or if a survivor has no reason. With --summary also if rules have
    changed since. Runs in a checkout.
    """
    from mutation import record as records, run as runs
    from rule_coverage.report import read_reasons

    path = reasons or checkout("tests/reviewed") / "mutants.txt"
    known = read_reasons(path) if path.is_file() else {}
    if told:
        ctx.exit(_tell(checkout("tests/reviewed") / "mutation.json", known, at_least))
    cases = None if no_cases else checkout("tests/cases")
    mutants = runs.all_mutants(wanted)
    if not mutants:
        raise click.BadParameter(f"no rule that can be mutated is called {', '.join(wanted)}")
    mutants = mutants if sample is None else runs.sample(mutants, sample)
    fates = list(runs.run(mutants, cases, jobs))
    if record and sample is None and not no_cases:
        records.write(checkout("tests/reviewed") / "mutation.json", fates)
    numbers = runs.summary(fates, known)
    text = json.dumps({"summary": numbers, "mutants": [f.to_json() for f in fates]}, indent=2)
    if form == "json" or output is not None:
        click.echo(text, output.open("w", encoding="utf-8") if output else None)
    if form == "text":
        _print_text(fates, numbers, known)
    ctx.exit(_without_reason(fates, known, path) or int(numbers["score"] < at_least))


def _without_reason(fates: Sequence[Fate], known: Mapping[str, str], path: Path) -> int:
    """Name the survivors that a list does not; 1 if there are any."""
    from mutation.run import reason

    lost = [f.name for f in fates if f.by == "survived" and not reason(f, known)]
    for name in lost:
        click.echo(f"{name}: survived, and {path.name} gives no reason", err=True)
    return int(bool(lost))


def _tell(path: Path, known: dict[str, str], at_least: float) -> int:
    """Print the numbers of the last full run; the exit status."""
    from mutation import record as records
    from mutation.run import KILLED, all_mutants
    from rulewright.cli.output import print_table

    record = records.read(path)
    numbers = records.by_set(record, known)
    columns = ("mutants", *KILLED, "sound", "same", "survived")
    table = [
        (name, *(str(row[c]) for c in columns), f"{row['score']:.1f}")
        for name, row in numbers.items()
    ]
    print_table(("rules", *columns, "score"), table)
    changed = records.stale(record, all_mutants())
    for name in changed:
        click.echo(f"{name} has changed: `rulewright mutate --rule {name} --record`", err=True)
    return 1 if changed or numbers["all"]["score"] < at_least else 0


def _print_text(
    fates: Sequence[Fate], numbers: Mapping[str, Any], known: Mapping[str, str]
) -> None:
    from mutation.run import reason
    from rulewright.cli.output import print_table

    rows = [
        (fate.rule, fate.what, fate.note, reason(fate, known))
        for fate in fates
        if fate.by == "survived"
    ]
    if rows:
        print_table(("rule", "survivor", "proof", "why it is let live"), rows)
    click.echo(", ".join(f"{value} {name}" for name, value in numbers.items() if name != "score"))
    click.echo(f"score: {numbers['score']:.1f} % of the faults are noticed")
