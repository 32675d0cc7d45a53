"""Runs that change memory which tensors show: what of it holds if they do not come to their end.

A store into memory is performed once. So Ctrl-C, which Python hears when a foreign call returns,
waits until tensors stand for what was written; and where an item fails, tensors can stand for the
memories that those before it have written to their end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulewright.driver.execute import ExecItem
    from rulewright.runtime.buffer import Buffer


class Underway:
    """A run and what follows from it: `with Underway() as run: …`.

    From `begin` on, Ctrl-C is heard at the end of the block; when it comes again, at once. Other
    threads than the main one hear none anyway.
    """

    def __init__(self) -> None:
        self._items: Sequence[ExecItem] = ()
        self._done = 0
        self._before: Any = None
        self._heard = False

    def __enter__(self) -> Underway:
        return self

    def begin(self, items: Sequence[ExecItem]) -> None:
        """These items are about to run, in order."""
        self._items, self._done = items, 0
        is_main = threading.current_thread() is threading.main_thread()
        usual = signal.getsignal(signal.SIGINT)
        if is_main and callable(usual) and self._before is None:
            self._before = usual
            signal.signal(signal.SIGINT, self._hear)

    def ran(self) -> None:
        """One more of them has run."""
        self._done += 1

    def written(self) -> set[Buffer]:
        """The memories that items have written which ran, and no other one would write."""
        done, left = (
            {buffer.base or buffer for item in items for buffer in item.written}
            for items in (self._items[: self._done], self._items[self._done :])
        )
        return done - left

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._heard:
            self._before(number, frame)
        self._heard = True

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            if self._heard:
                signal.raise_signal(signal.SIGINT)
