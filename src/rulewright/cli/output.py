"""Tables and progress: drawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from types import FrameType

    from rich.table import Table

_PLAIN_WIDTH = 200  # columns where nobody's terminal sets a limit
_SECONDS_APART = 5.0  # of lines that say how far long work is


def counted(count: int, thing: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of text under their headers, in columns as wide as needed."""
    from rich.console import Console

    screen = Console(highlight=False, emoji=False, markup=False)
    if screen.is_terminal:
        screen.print(_table(headers, rows))
    else:
        click.echo(table_text(headers, rows), nl=False)


def table_text(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same for a file or a pipe: neither wrapped to a screen nor coloured."""
    from rich.console import Console

    out = StringIO()
    Console(file=out, width=_PLAIN_WIDTH, no_color=True).print(_table(headers, rows))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*[Text(cell) for cell in row])
    return table


@contextmanager
def progress(items: Sequence[str], what: str) -> Iterator[Iterator[str]]:
    """Iterate over names of long work; on standard error a bar, or now and then a line.

    Ctrl-C ends it between two names where Python has dropped it, as it does what is raised in a
    callback of a freed object.
    """
    from rich.console import Console
    from rich.progress import Progress

    screen = Console(stderr=True)
    with _interrupts() as came:
        if not screen.is_terminal:
            yield _until(came, _with_lines(items, what))
            return

        with Progress(console=screen, transient=True) as bar:
            yield _until(came, iter(bar.track(items, description=what)))


@contextmanager
def telling(
    plain: Callable[..., None], drawn: Callable[..., dict[str, Any]]
) -> Iterator[Callable[..., None]]:
    """What long work tells how far it is, on standard error: a bar of what `drawn` makes of that;
    where there is no terminal `plain` is told instead. Ctrl-C that Python dropped ends it there."""
    from rich.console import Console
    from rich.progress import Progress

    screen = Console(stderr=True)
    with _interrupts() as came:
        if not screen.is_terminal:
            yield _heard(came, plain)
            return
        with Progress(console=screen, transient=True) as bar:
            task = bar.add_task("")
            yield _heard(came, lambda *far: bar.update(task, **drawn(*far)))


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """A list in which each Ctrl-C is noted, beside raising KeyboardInterrupt as ever."""
    came: list[int] = []

    def heard(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.default_int_handler(number, frame)

    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_usual or threading.current_thread() is not threading.main_thread():
        yield came
        return
    signal.signal(signal.SIGINT, heard)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _heard(came: list[int], tell: Callable[..., None]) -> Callable[..., None]:
    """What tells how far work is, unless Ctrl-C came."""

    def told(*far: Any) -> None:
        if came:
            raise KeyboardInterrupt
        tell(*far)

    return told


def _until(came: list[int], items: Iterator[str]) -> Iterator[str]:
    for item in items:
        if came:
            raise KeyboardInterrupt
        yield item


def _with_lines(items: Sequence[str], what: str) -> Iterator[str]:
    start = said = time.monotonic()
    for done, item in enumerate(items):
        now = time.monotonic()
        if now - said >= _SECONDS_APART:
            click.echo(f"{what}: {done} of {len(items)}, {now - start:.0f} s", err=True)
            said = now
        yield item
