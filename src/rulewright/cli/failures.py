"""What a user's own program raises: shown as Python does, without the frames that are not his."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from rulewright.errors import RulewrightError, UsageError

_PACKAGE = str(Path(__file__).parents[1])
_OTHERS = ("<frozen ", str(Path(traceback.__file__).parent / "runpy.py"),
           str(Path(traceback.__file__).parent / "importlib"))  # fmt: skip
_MOST_FRAMES = 20


def own_traceback(error: BaseException) -> str:
    """The text of a traceback from the first frame of the program on, of 20 frames at most."""
    shown = traceback.TracebackException.from_exception(error, limit=-200)
    for part in _chain(shown):
        frames = [f for f in part.stack if not f.filename.startswith((_PACKAGE, *_OTHERS))]
        part.stack = traceback.StackSummary.from_list(frames[-_MOST_FRAMES:])
    return "".join(shown.format()).rstrip("\n")


def _chain(shown: traceback.TracebackException | None) -> Iterator[traceback.TracebackException]:
    if shown is not None:
        yield shown
        yield from _chain(shown.__cause__)
        yield from _chain(shown.__context__)


class ProgramFailure(click.ClickException):
    """A program that the user gave raised an error: its traceback, exit status 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print what the program raised, and that it was the program."""
        click.echo(self.message, err=True)


@contextmanager
def of_program(what: str) -> Iterator[None]:
    """Raise ProgramFailure for what the user's program raises here.

    Errors of Rulewright pass, but for wrong calls: they may be what is looked for.
    """
    try:
        yield
    except (KeyboardInterrupt, click.ClickException, click.Abort):
        raise
    except RulewrightError as error:
        if not isinstance(error, UsageError):
            raise
        raise ProgramFailure(f"{own_traceback(error)}\nerror: {what} failed") from error
    except SystemExit as error:
        raise ProgramFailure(f"error: {what} ended itself: SystemExit({error.code!r})") from error
    except Exception as error:
        raise ProgramFailure(f"{own_traceback(error)}\nerror: {what} failed") from error
