"""`rulewright discover`: rules that the machine finds, as text that is ready to paste."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from rulewright.cli.inputs import chosen_set, example, misuse, spec_option
from rulewright.cli.output import counted, progress, telling
from rulewright.errors import listed

if TYPE_CHECKING:
    from rulewright.verify.discover import Limits
    from rulewright.verify.discover.seen import Standing

_EXAMPLE = """
rulewright discover --standing --dtype f32 --ops "ADD MUL WHERE AND CMPLT" > found.uop
rulewright check found.uop && rulewright prove found.uop
rulewright discover --dtype i32 --ops "AND OR XOR SHL SHR" --size 2
rulewright discover --dtype index --ops "FLOORDIV FLOORMOD MIN" --bounds 0 9
"""
_OPS = "ADD MUL FLOORDIV FLOORMOD MIN MAX CMPLT WHERE"
_STEP = 20_000  # terms between two lines where no bar can be drawn


def _words(ctx: click.Context, option: click.Parameter, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.replace(",", " ").split()))


def _ops(ctx: click.Context, option: click.Parameter, text: str) -> tuple[Any, ...]:
    """The ops of these names. Fails for what is none, or computes no scalar of scalars."""
    from rulewright.ir.ops import Ops, op

    names = _words(ctx, option, text)
    for name in names:
        if name not in Ops or not op(name).elementwise:
            raise click.BadParameter(f"{name!r} is no elementwise op of spec/20-ops.uop")
    if not names:
        raise click.BadParameter("expected names of ops, such as ADD MUL")
    return tuple(map(op, names))


def _dtypes(ctx: click.Context, option: click.Parameter, text: str) -> tuple[Any, ...]:
    from rulewright.ir.dtypes import dtype

    with misuse():
        kinds = tuple(dtype(name) for name in _words(ctx, option, text))
    if not kinds or any(kind.count > 1 or not kind.itemsize for kind in kinds):
        raise click.BadParameter(f"expected scalar dtypes, such as i32 f32, found {text!r}")
    return kinds


def _numbers(ctx: click.Context, option: click.Parameter, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(w) if "." in w else int(w) for w in _words(ctx, option, text))
    except ValueError as error:
        raise click.BadParameter(f"expected numbers, such as 0 1 2, found {text!r}") from error


def _equiv(ctx: click.Context, option: click.Parameter, text: str) -> tuple[str, ...]:
    """Levels. Fails for one that the pipeline does not know."""
    from rulewright.checks.equiv import AXES, LEVELS

    levels = _words(ctx, option, text)
    for level in levels:
        name, colon, amount = level.partition(":")
        if name not in (*LEVELS, *AXES) or (name == "ulp") != (colon and amount.isdecimal() != 0):
            known = listed("known are", (*LEVELS[1:], "ulp:1", "reassoc"), level)
            raise click.BadParameter(f"unknown equivalence {level!r}; {known}")
    return levels


def _target(ctx: click.Context, option: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    from rulewright.verify.golden import TARGETS

    for name in names:
        if name not in TARGETS:
            raise click.BadParameter(f"no target {name!r}; {listed('there are', TARGETS, name)}")
    return names or TARGETS


def _program(
    ctx: click.Context, option: click.Parameter, chosen: tuple[str, ...]
) -> tuple[str, ...]:
    from rulewright.verify.golden import check_names, names

    with misuse():
        check_names(chosen)
    return chosen or tuple(names())


@click.command(epilog=example(_EXAMPLE))
@click.argument("name", metavar="[SET]", default="symbolic", callback=chosen_set)
@spec_option
@click.option("--ops", default=_OPS, show_default=True, callback=_ops, help="ops of terms")
@click.option("--dtype", "kinds", default="i32", show_default=True, callback=_dtypes,
              help="dtypes of variables and constants")  # fmt: skip
@click.option("--size", type=click.IntRange(1, 6), default=2, show_default=True,
              help="most ops of a left side")  # fmt: skip
@click.option("--result", type=click.IntRange(0, 4), default=2, show_default=True,
              help="most ops of a result, with --standing")  # fmt: skip
@click.option("--variables", type=click.IntRange(1, 4), default=2, show_default=True,
              help="variables of each dtype")  # fmt: skip
@click.option("--constants", default="0 1 2 4", show_default=True, callback=_numbers,
              help="constants of each dtype")  # fmt: skip
@click.option("--bounds", type=(int, int), default=(0, 3), show_default=True, metavar="LOW HIGH",
              help="of the variables of dtype index")  # fmt: skip
@click.option("--standing", is_flag=True,
              help="left sides as they stand in golden programs, of any dtype")  # fmt: skip
@click.option("--program", "programs", multiple=True, callback=_program, metavar="NAME",
              help="golden programs to look at; all by default")  # fmt: skip
@click.option("--target", "targets", multiple=True, callback=_target, metavar="NAME",
              help="targets that they are compiled for; all by default")  # fmt: skip
@click.option("--equiv", default="", callback=_equiv, metavar="LEVELS",
              help="what may change beside the bits of a NaN, such as ulp:1")  # fmt: skip
@click.option("--terms", type=click.IntRange(1), default=100_000, show_default=True,
              help="most terms to look at")  # fmt: skip
@click.option("--tries", type=click.IntRange(1), default=40, show_default=True,
              help="most pairs of equal terms to prove")  # fmt: skip
@click.option("--rules", type=click.IntRange(1), default=5, show_default=True,
              help="most rules to print")  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context,
    name: str,
    programs: tuple[str, ...],
    targets: tuple[str, ...],
    standing: bool,
    equiv: tuple[str, ...],
    **chosen: Any,
) -> None:
    """Find rules that a SET lacks, and print them as `.uop` text.

    Terms over chosen ops are made up to a size, or taken as they stand in the golden programs, and
    grouped by their values on samples. Of two equal ones the measure of the set says which becomes
    the other. What the rules present reach is left out, and so is what an earlier find covers.
    Constants become names, with a guard where one is needed, and dtypes sets; the rest is checked
    and proved as `rulewright check` and `rulewright prove` do it. The rules by which the golden
    programs lose most nodes, behind the entries that run the set, come first.

    The same options give the same rules. Exit status 1 if none is found.
    """
    from rulewright.verify.discover import Limits, RuleSearch, Space
    from rulewright.verify.discover.write import file_text

    low, high = chosen["bounds"]
    if low > high:
        raise click.BadParameter(f"LOW {low} is above HIGH {high}", param_hint="--bounds")
    space = Space(**{f.name: chosen[f.name] for f in fields(Space)})
    limits = Limits(**{f.name: chosen[f.name] for f in fields(Limits)})
    graphs = _graphs(name, programs, targets)
    with _progress(limits) as done:
        search = RuleSearch(name, space, limits, graphs, equiv, done)
        rules = search.discover(standing)
    stopped = f"; stopped at --terms {limits.terms}" if search.work.full else ""
    tried = counted(len(search.tried), "equal pair")
    told = f"{search.work.count} terms, {tried} tried, {counted(len(rules), 'rule')}"
    click.echo(told + stopped, err=True)
    if rules:
        click.echo(file_text([rule.lines() for rule in rules], search.judge.measure), nl=False)
    ctx.exit(0 if rules else 1)


def _graphs(name: str, programs: Sequence[str], targets: Sequence[str]) -> list[Standing]:
    from rulewright.verify.discover.seen import graphs

    standing: list[Standing] = []
    with progress(programs, "golden programs") as remaining:
        for program in remaining:
            standing += graphs(name, program, targets)
    return standing


def _progress(limits: Limits) -> AbstractContextManager[Callable[..., None]]:
    told = [_STEP]

    def line(terms: int, pairs: int) -> None:
        if terms >= told[0]:
            click.echo(f"{terms} of {limits.terms} terms, {pairs} pairs tried", err=True)
            told[0] = terms + _STEP

    def drawn(terms: int, pairs: int) -> dict[str, Any]:
        said = f"terms; {pairs} of {limits.tries} pairs tried"
        return {"completed": terms, "total": limits.terms, "description": said}

    return telling(line, drawn)
