"""`rulewright overlaps`: where two rules of a set fit, and whether it matters which fires."""

from __future__ import annotations

import json

import click

from rulewright.cli.inputs import example, format_option, known_set, spec_option


@click.command(epilog=example("rulewright overlaps\nrulewright overlaps boolean --all"))
@click.argument("name", metavar="[SET]", default="symbolic")
@spec_option
@click.option("--all", "show_all", is_flag=True, help="also pairs whose results meet")
@click.option("--roots", is_flag=True, help="only overlaps at the root: no critical pairs")
@format_option("text for people, json for tools")
@click.pass_context
def command(ctx: click.Context, name: str, show_all: bool, roots: bool, form: str) -> None:
    """Report the overlaps and critical pairs of a SET of rules, each with a term that both fit.

    \b
    joined     both results are rewritten to the same node: the order does not matter
    equal      to different nodes of the same values: the order decides the form
    open       to different nodes; they have no value by themselves (INVALID, open loops)
    different  to different values: one of the rules is wrong

    Textual order, `priority` and `after` say which rule fires. Exit status 1 for a pair that is
    different.
    """
    from rulewright.verify.overlaps import Overlaps, counts

    overlaps = Overlaps(known_set(name))
    at_roots = list(overlaps.at_roots())
    inside = [] if roots else list(overlaps.critical())
    if form == "json":
        click.echo(json.dumps({"pairs": [p.to_json() for p in (*at_roots, *inside)]}, indent=2))
    else:
        for pair in (*at_roots, *inside):
            if show_all or pair.outcome != "joined":
                click.echo(f"{pair.outcome}: {pair.first}, {'in it ' * pair.inside}{pair.second}")
                click.echo(f"  {pair.witness}")
                for result in dict.fromkeys(pair.results):
                    click.echo(f"    => {result}")
        for what, pairs in (("overlaps", at_roots), ("critical pairs", inside)):
            numbers = ", ".join(f"{n} {outcome}" for outcome, n in counts(pairs).items() if n)
            click.echo(f"{len(pairs)} {what}: {numbers or 'none'}")
    ctx.exit(1 if counts([*at_roots, *inside])["different"] else 0)
