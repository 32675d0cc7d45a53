"""Programs that this process starts and waits for, each within a time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from rulewright.options import set_inside


class Answer(NamedTuple):
    """Exit status, and what a program wrote to its standard output and error."""

    status: int
    output: bytes
    errors: bytes


class Together:
    """Programs that are started in some threads, and can be ended by another one."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ended = False

    def add(self, process: subprocess.Popen[bytes]) -> None:
        """Take in a program; it is ended at once if all were."""
        self._running.add(process)
        if self._ended:
            _kill(process)

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Forget a program that ended."""
        self._running.discard(process)

    def end(self) -> None:
        """End all that run, and those to come."""
        self._ended = True
        for process in list(self._running):
            _kill(process)


_together: ContextVar[Together | None] = ContextVar("rulewright_together", default=None)


def together() -> contextlib.AbstractContextManager[Together]:
    """What is run inside the block, in threads with a copy of its context too, as one."""
    return set_inside(_together, Together())


def run_within(
    seconds: float, command: Sequence[str], text: str = "", folder: Path | None = None,
    **env: str,
) -> Answer:  # fmt: skip
    """Run a program to its end, with text `given` to it; 0 `seconds` are no limit.

    Raises OSError if it does not start, TimeoutError (which is one) if it takes longer. It is ended
    then, and by Ctrl-C, with all that it has started.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", **env},  # messages that can be read
        start_new_session=True,
    )
    others = _together.get()
    try:
        if others is not None:
            others.add(process)
        output, errors = process.communicate(text.encode(), seconds or None)
    except subprocess.TimeoutExpired:
        _end(process)
        raise TimeoutError(f"no end within {seconds:g} s") from None
    except BaseException:
        _end(process)
        raise
    finally:
        if others is not None:
            others.remove(process)
    return Answer(process.returncode, output, errors)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it may have ended just now
        os.killpg(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and its group. What left the group may hold the pipes: they are not read."""
    _kill(process)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was not sent yet
                pipe.close()
