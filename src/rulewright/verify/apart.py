"""Questions that are answered in a process apart, which the answer may end: by an access to memory
that is not there, as kernels of a device in the making have them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import wait
from typing import Any, TypeVar

from rulewright.options import set_inside

_T = TypeVar("_T")
_each: ContextVar[bool] = ContextVar("answered_apart", default=False)


class ProcessEndedError(Exception):
    """The process ended before it answered; the text says by what."""


def can_fork() -> bool:
    """Whether this system copies processes."""
    return "fork" in get_all_start_methods()


class Apart:
    """A forked process that answers one question after another; where one ends it, the next one has
    another process, which is forked then. `close` ends it."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._answer = answer
        self._process: Any = None
        self._pipe: Any = None

    def ask(self, question: Any) -> Any:
        """The answer. Raises ProcessEndedError if the process ends without one."""
        self.begin(question)
        return self.answer()

    def begin(self, question: Any) -> None:
        """Put a question, which `answer` waits for."""
        if self._process is None:
            self._begin()
        with suppress(OSError):  # it has ended: `answer` says so
            self._pipe.send(question)

    def answer(self) -> Any:
        """What is said to the last question. Raises ProcessEndedError as `ask` does."""
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self.close()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        raise ProcessEndedError(f"it ends the process that runs it: {how}")

    def _begin(self) -> None:
        context = get_context("fork")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=self._serve, args=(theirs,))
        self._process.start()
        theirs.close()

    def _serve(self, pipe: Any) -> None:
        """Answer until nobody asks; Ctrl-C is for the process that asks, which ends this one."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._pipe.close()
        with suppress(EOFError, OSError):
            while True:
                pipe.send(self._answer(pipe.recv()))

    @staticmethod
    def first_of(those: Sequence[Apart]) -> Apart:
        """One that can answer, or has ended, of some that were asked."""
        ready = wait([each._pipe for each in those])
        return next(each for each in those if each._pipe in ready)

    def close(self) -> None:
        """End the process, if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


def each_apart() -> AbstractContextManager[bool]:
    """What `answered` is given inside of this block is each in a process of its own."""
    return set_inside(_each, True)


def answered(function: Callable[[], _T]) -> _T:
    """What a function gives. Raises ProcessEndedError inside of `each_apart`."""
    if not _each.get():
        return function()
    one = Apart(lambda _: function())
    try:
        answer: _T = one.ask(None)
        return answer
    finally:
        one.close()
