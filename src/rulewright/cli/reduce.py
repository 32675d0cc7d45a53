"""`rulewright reduce`: a smaller graph that fails in the same way."""

from __future__ import annotations

from contextlib import ExitStack

import click

from rulewright.cli.bisect import load, rules_option
from rulewright.cli.inputs import device_option, example
from rulewright.cli.programs import graph_job

_EXAMPLE = """
rulewright reduce wrong.uop > smaller.uop
rulewright reduce wrong.uop --device OPENCL --tries 2000
"""


@click.command(epilog=example(_EXAMPLE))
@click.argument("graph", metavar="GRAPH.uop")
@device_option("device whose results are looked at")
@rules_option
@click.option(
    "--tries", default=400, show_default=True, type=click.IntRange(1), help="candidates to try"
)
@click.pass_context
def command(
    ctx: click.Context, graph: str, device: str, rules: tuple[str, ...], at: str, tries: int
) -> None:
    """Shrink GRAPH, nodes, shapes and constants, as long as it fails in the same step.

    GRAPH may be the case that bisect wrote, whose input is shrunk. A graph fails if `rulewright
    bisect` finds a step that makes it wrong; the same step, and the same rule, has to be found for
    what is printed. Exit status 1 if GRAPH does not fail.
    """
    from rulewright.ir.text import one_line, print_graph
    from rulewright.verify.bisect import bisect_graph, reduce_graph, same_finding

    with ExitStack() as stack:
        load(stack, rules, at)
        job = graph_job(graph, device)
        finding = bisect_graph(job)
        if finding is None:
            click.echo("nothing to reduce: every step of this graph is right", err=True)
            ctx.exit(1)
        smaller = reduce_graph(job.graph, same_finding(finding, device), tries)
    who = f", rule {finding.rule} ({finding.place})" if finding.rule else ""
    click.echo(f"# {one_line(f'{finding.step}{who}: {finding.problem}')}")
    click.echo(print_graph(smaller, "reduced"), nl=False)
