"""`rulewright rewrite`: rewrite a graph file with a set of rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulewright.cli.inputs import example, file_and_set, graph_argument, misuse, spec_option
from rulewright.cli.output import counted
from rulewright.errors import nearest
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from rulewright.ir.rulesets import RuleSet
    from rulewright.ir.uop import UOp

_EXAMPLE = """
rulewright rewrite graph.uop --rules fold.uop --trace
rulewright rewrite graph.uop --rules symbolic
"""


def _rules(ctx: click.Context, option: click.Parameter, value: str) -> RuleSet:
    from rulewright.checks.userfile import file_ruleset
    from rulewright.ir.rulesets import ruleset
    from rulewright.lang.build import load_table

    path, chosen = file_and_set(value)
    if not path.is_file() and value in load_table()["rulesets"]:
        return ruleset(value)
    if not path.is_file():
        near = nearest(value, load_table()["rulesets"])
        own = f"did you mean {near}?" if near else f"the compiler's own rules are in {spec_dir()}"
        expected = "expected FILE, FILE:SET or a set of the spec"
        what = f"the folder {value!r}" if value and path.is_dir() else f"no file {value!r}"
        raise click.BadParameter(f"{expected}, found {what}; {own}")
    with misuse():
        return file_ruleset(path, chosen)


@click.command(epilog=example(_EXAMPLE))
@graph_argument
@spec_option
@click.option(
    "--rules", metavar="FILE[:SET]|SET", required=True, callback=_rules,
    help="rule file, and which of its sets, the last one if not said; or a set of the spec",
)  # fmt: skip
@click.option("--trace", is_flag=True, help="say which rules fired, and where, as comments")
def command(graph: Path, rules: RuleSet, trace: bool) -> None:
    """Rewrite GRAPH with a set of rules until none matches, and print the result.

    With --trace, each rewrite is a comment ahead of the result: the rule, its place, the node
    before and after. What is printed is a graph file in any case.
    """
    from rulewright.cli.graphs import read_graph_file
    from rulewright.ir.rewrite import rewrite
    from rulewright.ir.text import print_graph

    steps: list[tuple[str, UOp, UOp]] = []
    root, _, name = read_graph_file(graph)
    rewritten = rewrite(root, rules, trace=(lambda *step: steps.append(step)) if trace else None)
    for step in steps:
        click.echo(_comment(rules, *step))
    if trace:
        click.echo(f"# {counted(len(steps), 'rewrite')}")
    click.echo(print_graph(rewritten, name), nl=False)


def _comment(rules: RuleSet, name: str, before: UOp, after: UOp) -> str:
    from rulewright.ir.text import one_line, print_term

    file, line = rules.places()[name]
    return f"# {name} ({one_line(file)}:{line}): {print_term(before)} => {print_term(after)}"
