"""`rulewright demo`: train a classifier on the UCI hand-written digits."""

from __future__ import annotations

import click

from rulewright.cli.inputs import example

EXPECTED_ACCURACY = 0.97


@click.command(epilog=example("rulewright demo\nDEBUG=2 DEVICE=INTERP rulewright demo --epochs 5"))
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    default=None,
    help="passes over the training digits  [default: 30]",
)
@click.pass_context
def command(ctx: click.Context, epochs: int | None) -> None:
    """Train a classifier on the UCI hand-written digits.

    The data come with the package. Prints loss and time as it goes, then test accuracy, kernels
    run and seconds. Exit status 1 if a whole training stays below 97 % test accuracy.
    """
    from rulewright.examples.digits import EPOCHS, summary, train

    report = train(epochs or EPOCHS, click.echo)
    click.echo(summary(report))
    ctx.exit(1 if epochs is None and report.accuracy < EXPECTED_ACCURACY else 0)
