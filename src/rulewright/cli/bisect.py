"""`rulewright bisect`: which step of compilation makes a result wrong."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulewright.cli.inputs import (
    OutputFile,
    chosen_set,
    device_option,
    example,
    file_and_set,
    spec_option,
)
from rulewright.cli.programs import function_of, graph_job, is_graph

if TYPE_CHECKING:
    from rulewright.verify.bisect import Finding

_EXAMPLE = """
rulewright bisect model.py:forward
rulewright bisect wrong.uop --device OPENCL -o wrong_rule.uop
rulewright bisect model.py:forward --rules fold.uop:mine --at symbolic
"""


def load(stack: ExitStack, files: tuple[str, ...], at: str) -> None:
    """Load rule files, each `FILE` or `FILE:SET`, in front of the set `at`, until the stack is
    left."""
    from rulewright.checks.userfile import load_rules
    from rulewright.errors import UsageError

    for item in files:
        path, name = file_and_set(item)
        try:
            stack.enter_context(load_rules(path, at=at, ruleset=name))
        except UsageError as error:
            hint = f"; `--at {name}` has rules go before a set of the spec" if name else ""
            raise click.BadParameter(f"{error}{hint}", param_hint="--rules") from error


def _files(ctx: click.Context, option: click.Parameter, files: tuple[str, ...]) -> tuple[str, ...]:
    for path, _ in map(file_and_set, files):
        if not path.is_file():
            raise click.BadParameter(f"expected FILE or FILE:SET, found no file {str(path)!r}")
    return files


def rules_option(function: Any) -> Any:
    """--rules FILE[:SET] and --at SET: rules of a user that are in force."""
    where = click.option(
        "--at", metavar="SET", default="symbolic", show_default=True, callback=chosen_set,
        help="set of the spec that --rules go before",
    )  # fmt: skip
    return click.option(
        "--rules", "rules", metavar="FILE[:SET]", multiple=True, callback=_files,
        help="rule file, and which of its sets, all of them if not said; may be repeated",
    )(where(spec_option(function)))  # fmt: skip


@click.command(epilog=example(_EXAMPLE))
@click.argument("program")
@device_option("device whose results are looked at")
@rules_option
@click.option("-o", "--out", type=OutputFile(), help="write the case here")
@click.pass_context
def command(
    ctx: click.Context, program: str, device: str, rules: tuple[str, ...], at: str, out: Path | None
) -> None:
    """Find the step that makes a result of PROGRAM differ from the interpreter's.

    PROGRAM is a function, MODULE:FUNCTION or FILE.py:FUNCTION, that takes nothing and returns
    tensors (or just runs), or a graph file, which runs on sampled inputs.

    What is found is named: the entry of the pipeline and the rule with its file and line, a pass,
    the memory plan, the binding of memory, the schedule cache, or the device. The node before and
    after is printed, and a minimal case that fails is written: to wrong_RULE.uop, or to --out.

    Exit status 1 if a step is wrong, 0 if all results are right.
    """
    from rulewright.verify.bisect import bisect_graph, bisect_program, minimal

    if out is None:
        OutputFile().convert("wrong_rule.uop", None, ctx)
    with ExitStack() as stack:
        load(stack, rules, at)
        if is_graph(program):
            finding = bisect_graph(graph_job(program, device))
        else:
            finding = bisect_program(function_of(program), device)
        if finding is None:
            click.echo("every step is right: results agree with the interpreter's")
            return
        smallest = minimal(finding, device)
    click.echo(str(smallest))
    click.echo(f"case: {_write(smallest, out)}")
    ctx.exit(1)


def _write(finding: Finding, out: Path | None) -> Path:
    import re

    from rulewright.temporary import write_whole
    from rulewright.verify.bisect import case_text

    name = re.sub(r"\W+", "_", finding.rule or finding.step).lower()
    path = out or Path(f"wrong_{name}.uop")
    write_whole("bisect", path, case_text(finding))
    return path
