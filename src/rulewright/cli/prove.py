"""`rulewright prove`: prove the rules of files, or find counterexamples."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulewright.cli.inputs import (
    example,
    format_option,
    paths_argument,
    read_text,
    spec_option,
    uop_files,
)
from rulewright.cli.output import counted, print_table, telling
from rulewright.errors import nearest
from rulewright.paths import spec_dir

if TYPE_CHECKING:
    from rulewright.lang import Diagnostic
    from rulewright.verify.prove import Proof, Settings

_EXAMPLE = """
rulewright prove fold.uop
rulewright prove --rule add_zero --format json
"""
_STEP = 50  # rules between two lines where no bar can be drawn


@click.command(epilog=example(_EXAMPLE))
@paths_argument("files", required=False)
@spec_option
@click.option(
    "--rule", "wanted", metavar="NAME", multiple=True,
    help="only the rule of this name, or SET.NAME",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=2.0, show_default=True,
    help="seconds of an idle core a question to z3, counted as work",
)  # fmt: skip
@click.option("--quick", is_flag=True, help="fewer values and graphs, integers up to 16 bits")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=os.cpu_count() or 1, show_default="one a core",
    help="processes that share the work",
)  # fmt: skip
@click.option(
    "--exhaustive",
    is_flag=True,
    help="first run rules that state `ulp` on all 2^32 inputs, and record what is found",
)
@click.option("--no-cache", is_flag=True, help="prove again what was proved before")
@format_option("text for people, json for tools")
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[Path, ...],
    wanted: tuple[str, ...],
    timeout: float,
    quick: bool,
    jobs: int,
    exhaustive: bool,
    no_cache: bool,
    form: str,
) -> None:
    """Prove the rules of FILES; without FILES, those of the compiler's own spec.

    First they are checked, as `rulewright check` does. Rules of a file with problems get a quick
    look, and are called refuted or unchecked.

    \b
    proved    z3 found no counterexample, for all integers up to WIDTH bits and
              all floats, or all values there are were tried; nor did the
              matcher that ships make one, on leaves of all kinds; gradients
              are derivatives over the reals
    proved at rank N
              for all sizes of tensors of up to N axes; proved: of any
    exhaustive at all 2^32 inputs C gave what spec/exhaustive.txt says
    bounded   nothing wrong among the values and graphs that were to be tried
    refuted   wrong; the counterexample is printed as two graphs
    timed out the last resort, 600 s a question or a minute of graphs, came
              before the work that was allowed ran out
    unknown   z3 gave up, or no graph of the pattern was made, and nothing is
              wrong at the rule's examples
    crashed   the prover itself failed
    declared  not run
    trusted   the rule says why it is believed, and so many samples show nothing
              else; spec/trusted.txt lists those of the spec
    vacuous   no graph was found that the rule matches
    unchecked its file fails `rulewright check`

    Exit status 1 if a rule is refuted, vacuous, crashed or unchecked, or more is trusted than the
    list says.
    """
    from rulewright.verify.prove import Settings

    targets = uop_files(files or (spec_dir(),))
    for path in targets:
        read_text(path)  # what is no text is misuse, before anything is proved
    if exhaustive:
        _run_at_all_inputs(targets, wanted, again=no_cache)
    proofs, diagnostics = _proved(targets, wanted, Settings(timeout, quick), not no_cache, jobs)
    ctx.exit(_report(proofs, diagnostics, form, whole=not files and not wanted))


def _run_at_all_inputs(targets: Sequence[Path], wanted: Collection[str], again: bool) -> None:
    """Put on record what rules give at all inputs, where it is not or `again` is asked."""
    from rulewright.lang.build import load_table
    from rulewright.verify.prove import rules_of
    from rulewright.verify.prove.files import parsed
    from rulewright.verify.prove.recorded import cases, keep, recorded

    for name, rule in rules_of(parsed(targets)):
        if wanted and rule.name not in wanted:
            continue
        for case in cases(rule, name, load_table()):
            if again or recorded(case.program) is None:
                click.echo(f"{case.name} at all 2^32 inputs ...", err=True)
                errors = case.program.run()
                keep(case, errors)
                click.echo(f"{case.name}: {errors.worst:.3f} ulp at 0x{errors.at:08x}", err=True)


def _proved(
    targets: Sequence[Path], wanted: Collection[str], settings: Settings, keep: bool, jobs: int
) -> tuple[list[Proof], list[Diagnostic]]:
    """The proofs, and what `check` says of the files."""
    from rulewright.verify.prove.files import parsed, problems, prove_trees, rules_of, unchecked

    files = parsed(targets)
    known = {name for of, rule in rules_of(files) for name in (rule.name, f"{of}.{rule.name}")}
    for name in wanted:
        if name not in known:
            near = nearest(name, known)
            hint = f"; did you mean {near}?" if near else ""
            among = counted(len(targets), "file")
            raise click.BadParameter(f"no rule of {among} is called {name}{hint}")
    diagnostics = problems(targets, files, keep)
    with progress() as show:

        def done(count: int, total: int, proof: Proof) -> None:
            show(count, total, *unchecked([proof], diagnostics))  # as it is reported at the end

        proofs = prove_trees(
            files, wanted, settings, keep, jobs, done, {d.file for d in diagnostics}
        )
    return unchecked(proofs, diagnostics), diagnostics


def _report(proofs: list[Proof], problems: Sequence[Diagnostic], form: str, whole: bool) -> int:
    """Print what was found; the exit status."""
    from rulewright.verify.prove.files import over_budget
    from rulewright.verify.prove.proof import FAILED

    excess = list(over_budget(proofs, whole))
    if form == "json":
        rows = [{**p.to_json(), "label": p.label} for p in proofs]
        shown = [item.to_json() for item in problems]
        click.echo(json.dumps({"rules": rows, "problems": shown}, indent=2))
    else:
        _print_text(proofs)
    for item in problems:
        click.echo(f"{item.render()}\n", err=True)
    for line in excess:
        click.echo(line, err=True)
    return 1 if excess or problems or any(p.status in FAILED for p in proofs) else 0


def progress() -> AbstractContextManager[Callable[[int, int, Proof], None]]:
    """Where proving tells how far it is."""
    return telling(_line, _drawn)


def _drawn(count: int, total: int, proof: Proof) -> dict[str, Any]:
    return {"completed": count, "total": total, "description": f"{proof.rule:24.24}"}


def _line(count: int, total: int, proof: Proof) -> None:
    from rulewright.verify.prove.proof import FAILED

    if proof.status in FAILED:
        click.echo(f"{proof.set}.{proof.rule} is {proof.status}", err=True)
    if count % _STEP == 0:
        click.echo(f"{count} of {total} rules", err=True)


def _print_text(proofs: list[Proof]) -> None:
    from rulewright.verify.prove.smt import available

    rows = [
        (f"{p.set}.{p.rule}", p.label, p.width, p.method, f"{p.seconds:.2f}", p.note)
        for p in proofs
    ]
    print_table(("rule", "status", "width", "method", "seconds", "note"), rows)
    for proof in proofs:
        if proof.counterexample:
            place = f"{proof.file}:{proof.line}"
            where = f" {proof.note}" if proof.note else ""
            click.echo(f"\n# {place}: {proof.set}.{proof.rule} is wrong{where}")
            click.echo(proof.counterexample)
    count = Counter(p.status for p in proofs)
    if not proofs:
        click.echo("no rules")
        return
    click.echo("\n" + ", ".join(f"{n} {status}" for status, n in sorted(count.items())))
    if not available():
        click.echo("z3 is not installed (pip install rulewright[prove]): values and graphs only")
