"""Locks that a forked child finds free: the threads that held them are not in it."""

from __future__ import annotations

import os
from typing import Any, TypeVar

_L = TypeVar("_L")


def free_in_child(lock: _L) -> _L:
    """The same lock, of `threading`; the child of a fork can take it.

    It stays with the thread that forks, if that holds it. To take all locks before a fork instead
    would have it wait for threads that wait for what Python takes then.
    """
    os.register_at_fork(after_in_child=lambda: make_free(lock))
    return lock


def make_free(lock: Any) -> None:
    """Free a lock in the child of a fork."""
    if not getattr(lock, "_is_owned", bool)():  # a plain lock knows no owner
        lock._at_fork_reinit()
