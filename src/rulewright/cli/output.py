"""Tables and progress: drawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN_WIDTH = 200  # columns where nobody's terminal sets a limit


def console() -> Console:
    """Where tables go: standard output, never wrapped or coloured unless it is a terminal."""
    from rich.console import Console

    screen = Console(highlight=False, emoji=False, markup=False)
    return screen if screen.is_terminal else Console(width=_PLAIN_WIDTH, no_color=True)


def print_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of text under their headers, in columns as wide as needed."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*[Text(cell) for cell in row])
    console().print(table)


@contextmanager
def progress(items: Sequence[str], what: str) -> Iterator[Iterator[str]]:
    """Iterate over names of long work; a bar shows how far it is, on a terminal only."""
    screen = console()
    if not screen.is_terminal:
        yield iter(items)
        return
    from rich.progress import Progress

    with Progress(console=screen, transient=True) as bar:
        yield iter(bar.track(items, description=what))
