"""`rulewright prove`: prove the rules of files, or find counterexamples."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import example, paths_argument, uop_files
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from rulewright.verify.prove import Proof

_EXAMPLE = """
rulewright prove spec/40-algebra
rulewright prove --rule add_zero --format json
"""
_FAILED = ("refuted", "vacuous")


@click.command(epilog=example(_EXAMPLE))
@paths_argument("files", required=False)
@click.option("--rule", "wanted", metavar="NAME", multiple=True, help="only the rule of this name")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=2.0,
    show_default=True,
    help="seconds a question to z3",
)
@click.option("--no-cache", is_flag=True, help="prove again what was proved before")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text for people, json for tools",
)
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[Path, ...],
    wanted: tuple[str, ...],
    timeout: float,
    no_cache: bool,
    form: str,
) -> None:
    """Prove the rules of FILES; without FILES, those of the compiler's own spec.

    \b
    proved    z3 found no counterexample, for all integers up to WIDTH bits
    partial   the same, but instances with floats are not run
    bounded   right for all integers of a few bits; z3 is not installed
    refuted   wrong; the counterexample is printed as two graphs
    unknown   z3 ran out of time
    declared  not run: no method for such a rule yet
    trusted   the rule says why it is believed
    vacuous   the rule can never match

    Exit status 1 if a rule is refuted or vacuous.
    """
    from rulewright.verify.prove_files import prove_files

    targets = uop_files(files or (spec_dir(),))
    proofs = prove_files(targets, wanted, timeout, keep=not no_cache)
    if wanted and not proofs:
        raise click.BadParameter(f"no rule of {len(targets)} files is called {', '.join(wanted)}")
    if form == "json":
        click.echo(json.dumps({"rules": [p.to_json() for p in proofs]}, indent=2))
    else:
        _print_text(proofs)
    ctx.exit(1 if any(p.status in _FAILED for p in proofs) else 0)


def _print_text(proofs: list[Proof]) -> None:
    from rulewright.cli.output import print_table
    from rulewright.verify.prove_smt import available

    rows = [
        (f"{p.set}.{p.rule}", p.status, p.width, p.method, f"{p.seconds:.2f}", p.note)
        for p in proofs
    ]
    print_table(("rule", "status", "width", "method", "seconds", "note"), rows)
    for proof in proofs:
        if proof.counterexample:
            place = f"{proof.file}:{proof.line}"
            click.echo(f"\n# {place}: {proof.set}.{proof.rule} is wrong {proof.note}")
            click.echo(proof.counterexample)
    count = Counter(p.status for p in proofs)
    click.echo("\n" + ", ".join(f"{n} {status}" for status, n in sorted(count.items())))
    if not available():
        click.echo("z3 is not installed (pip install rulewright[prove]): only small integers tried")
