"""`rulewright explain`: the rules that made a node of a kernel."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from rulewright.cli.bisect import load, rules_option
from rulewright.cli.inputs import device_option, example
from rulewright.cli.programs import function_of, graph_job, is_graph
from rulewright.errors import listed

if TYPE_CHECKING:
    from rulewright.verify.explain import Explained

_EXAMPLE = """
rulewright explain model.py:forward
rulewright explain softmax.uop --node exp2_0
"""


@click.command(epilog=example(_EXAMPLE))
@click.argument("program")
@device_option("device whose kernels are explained")
@rules_option
@click.option("--node", metavar="NAME", help="a node as printed, such as mul_0, or an op: MUL")
@click.pass_context
def command(
    ctx: click.Context, program: str, device: str, rules: tuple[str, ...], at: str, node: str | None
) -> None:
    """Print how the nodes of the kernels of PROGRAM came to be.

    PROGRAM is a function, MODULE:FUNCTION or FILE.py:FUNCTION, or a graph file. For each node:
    the line of the kernel, the tensor methods and lines of the user that it came from, then every
    rule (with its file and line) and pass on the way, the first one first. What a pass made is
    traced to the node at the same place among those of its op. Exit status 1 if there is no node
    of that name.
    """
    from rulewright.verify.explain import explain_function, explain_program

    shown, names = 0, []
    with ExitStack() as stack:
        load(stack, rules, at)
        if is_graph(program):
            explained = explain_function(graph_job(program, device).graph, device)
        else:
            explained = explain_program(function_of(program), device)
        for item in explained:
            names.append(item.name)
            if node is None or node in (item.name, item.node.op.name):
                _show(item)
                shown += 1
    if not shown:
        missing = f"no kernel has a node {node!r}; "
        missing += listed("there are", dict.fromkeys(names), node or "")
        click.echo(missing if names else "no kernel runs", err=True)
        ctx.exit(1)


def _show(item: Explained) -> None:
    from rulewright.ir.text import print_term

    click.echo(f"{item.kernel}: {item.name}   {item.line}")
    for user in item.users:
        click.echo(f"  from {user}")
    click.echo(f"  {print_term(item.origin, 2)}")
    for link in item.links:
        who = f"{link.rule} ({link.place})" if link.rule else f"pass {link.place}"
        click.echo(f"    {link.entry}: {who}")
        click.echo(f"      => {print_term(link.after, 2)}")
    click.echo("")
