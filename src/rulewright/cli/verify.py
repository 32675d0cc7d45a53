"""`rulewright verify`: check a certificate again."""

from __future__ import annotations

from pathlib import Path

import click

from rulewright.cli.inputs import example, misuse, read_text, spec_option

_EXAMPLE = """
rulewright verify proofs/*.json    # after VERIFY=prove CERTIFICATES=proofs python model.py
"""


@click.command(epilog=example(_EXAMPLE))
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@spec_option
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """Check certificates again that VERIFY=prove wrote, from their text alone.

    A certificate holds the stages of a program and what each step between them was shown to be:

    \b
    proved     both leave the same expressions in memory, for all values of
               all inputs at these sizes (and all values of its variables)
    by rules   they do where ops are replaced as rules say, or these rules alone
               fired; each with what `rulewright prove` said here
    sampled    nothing differed on sampled inputs
    unchecked  not run: too large, or of no meaning by itself

    Each claim is made anew, steps must form a chain, kernels and sources must be those of the
    schedule, and memory that is used at once must lie apart. What is assumed is printed.

    Exit status 1 if a claim is not borne out, 2 for what is no certificate.
    """
    from rulewright.cli.output import print_table
    from rulewright.verify.certify import Certificate, recheck

    wrong = 0
    for path in files:
        with misuse(click.UsageError):
            certificate = Certificate.from_json(read_text(path), str(path))
        findings = list(recheck(certificate))
        rows = [
            (f.chain, f.step, "WRONG" if f.problem else f.status, f.problem or f.note)
            for f in findings
        ]
        print_table(("of", "step", "status", "note"), rows)
        bad = sum(bool(f.problem) for f in findings)
        wrong += bad
        counts = ", ".join(f"{n} {status}" for status, n in certificate.counts().items())
        click.echo(f"{path}: {counts}; " + (f"{bad} not borne out" if bad else "all borne out"))
        for assumption in certificate.assumed:
            click.echo(f"  assumed: {assumption}")
    ctx.exit(1 if wrong else 0)
