"""The `rulewright` command: a group whose subcommands are imported when they are called.

Exit status: 0 good; 1 something was found, or went wrong; 2 misuse: an argument, an option of the
environment or a file that was given means nothing.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import IO, Any, TextIO

import click

from rulewright.errors import RuleError, RulewrightError, RulewrightWarning, UsageError, nearest
from rulewright.options import options
from rulewright.paths import checkout

# Name -> help line. Each lives in `rulewright.cli.NAME` as `command`; the line stands here so that
# `rulewright --help` imports none of them.
COMMANDS = {
    "bench": "Time workloads beside other libraries and the machine's limits.",
    "bisect": "Name the rule or pass that makes a result wrong.",
    "check": "Parse rule files and run all static checks.",
    "compile": "Print a graph after a stage, or its source for a device.",
    "conformance": "Say what a device computes rightly, wrongly or not at all.",
    "cover": "Say which rules fired in the suite, and which never did.",
    "demo": "Train a classifier on the UCI hand-written digits.",
    "devices": "Say which devices are here, and why others are not.",
    "discover": "Find rules that a set lacks, prove them and print them.",
    "doc": "Write the documentation as a static site.",
    "explain": "Say which rules made a node of a kernel.",
    "fmt": "Lay rule files out in the one canonical way.",
    "golden": "Compare schedules, memory plans and sources with those on record.",
    "lsp": "Serve an editor: problems, hover, definitions, rename, format.",
    "mutate": "Plant faults in the shipped rules, and say which go unnoticed.",
    "overlaps": "Report terms that two rules fit, and whether it matters which fires.",
    "profile": "Run a script and say where its time goes.",
    "prove": "Prove rules, or find counterexamples.",
    "reduce": "Shrink a graph that compiles wrongly.",
    "rewrite": "Rewrite a graph file with a set of rules.",
    "run": "Run a graph file.",
    "verify": "Check again what VERIFY=prove certified of a program.",
}

# Those that work on this repository itself: their modules lie in `tools/`, which no wheel carries.
IN_CHECKOUT = {
    "cover": "rule_coverage.command",
    "doc": "documentation.command",
    "mutate": "mutation.command",
}


class Failure(click.ClickException):
    """A RulewrightError on its way to the terminal: its message alone, exit status 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message to stderr; a message that begins with a place keeps it first."""
        has_place = ": error: " in self.message.partition("\n")[0]
        click.echo(self.message if has_place else f"error: {self.message}", file=file, err=True)


class Misuse(Failure):
    """An error in how the command was called, or in a file that it was given: exit status 2."""

    exit_code = 2


def _module(name: str) -> ModuleType:
    """What defines a subcommand."""
    if name not in IN_CHECKOUT:
        return import_module(f"rulewright.cli.{name}")
    tools = str(checkout("tools"))
    if tools not in sys.path:
        sys.path.insert(0, tools)
    return import_module(IN_CHECKOUT[name])


class LazyGroup(click.Group):
    """A group that imports a subcommand only to run it or to show its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all subcommands, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand; None if there is none of that name.

        Raises UsageError for one of the checkout's where there is no checkout.
        """
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = _module(cmd_name).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand that the first argument names. Raises UsageError for another word, and
        says which command it is like."""
        name = args[0]
        if name not in COMMANDS and not ctx.resilient_parsing and (near := nearest(name, COMMANDS)):
            ctx.fail(f"No such command {name!r}. Did you mean {near!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the command; a file or a stream that fails on the way is one line, exit status 1."""
        try:
            return super().main(*args, **settings)
        except OSError as error:
            Failure(str(error)).show()
            with suppress(OSError):  # or Python would try again to write what is left
                sys.stdout.close()
            sys.exit(Failure.exit_code)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; an error of Rulewright is shown without a traceback."""
        try:
            options()  # of the environment
            with _warnings_in_a_line():
                return super().invoke(ctx)
        except (UsageError, RuleError) as error:
            raise Misuse(str(error)) from error
        except RulewrightError as error:
            raise Failure(str(error)) from error
        except MemoryError as error:
            raise Failure(f"out of memory: {error}".removesuffix(": ")) from error


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Warnings of Rulewright are shown without a line of its code."""
    shown: Any = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, RulewrightWarning):
            click.echo(f"warning: {message}", err=True)
        else:
            shown(message, category, filename, lineno, file, line)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = shown


def _print_version(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        import rulewright

        click.echo(f"rulewright {rulewright.__version__}")
        ctx.exit()


@click.group("rulewright", cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version and exit.",
)  # fmt: skip
def main() -> None:
    """A tensor compiler whose knowledge is written as rules.

    Exit status: 0 good; 1 the answer is no (a problem, a refuted rule, a result that is wrong), or
    a program failed that was given; 2 misuse: an argument, an option of the environment or a file
    that means nothing, such as a rule or graph file with errors where `check` is not what is asked.
    """


if __name__ == "__main__":
    main()
