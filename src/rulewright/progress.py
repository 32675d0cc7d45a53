"""Progress of long work: a bar on a terminal; elsewhere the work says itself how far it is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def track(items: Iterable[T], label: str, total: float | None = None) -> Iterator[T]:
    """Iterate; a bar on standard error shows how far it is, if that is a terminal.

    `total` is the number of items, where `items` has no length.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(items, total=total, description=label)
