"""Python's cyclic collector, which work on graphs and trees has no use for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 20_000
"""New objects from which on looking for cycles in them, which is the next thing to come, shows."""


@contextmanager
def without_gc() -> Iterator[None]:
    """Pause cyclic garbage collection: nodes are many, and never form a cycle.

    Where many are kept at the end, they count as old ones at once: without a walk over them all.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            try:
                young, most = gc.get_count()[0], gc.get_threshold()[0]
                if young > max(MANY, most) and not gc.get_freeze_count():
                    gc.freeze()  # all that there is, out of every generation …
                    gc.unfreeze()  # … and into the oldest
            finally:  # whatever interrupts that
                gc.enable()
