"""Warnings that point at the user's line, however deep in the library they arise."""

from __future__ import annotations

import sys
import threading
import warnings
from pathlib import Path
from types import FrameType

from rulewright.errors import RulewrightWarning

_PACKAGE = Path(__file__).parent
_OWN_CODE = f"{_PACKAGE}/"
_USERS_TOO = f"{_PACKAGE / 'examples'}/"  # programs, as users write them


def warn(message: str) -> None:
    """Give a RulewrightWarning for the line of the user's code that called into the library.

    In a thread of the library's own it is the line at which the main thread is.
    """
    frame = _users_frame(sys._getframe(1)) or _of_main_thread() or sys._getframe(1)
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    place = frame.f_code.co_filename, frame.f_lineno
    warnings.warn_explicit(message, RulewrightWarning, *place, registry=registry)


def _users_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame outside of the library and of Python's own; None where there is none."""
    while frame is not None:
        file, module = frame.f_code.co_filename, str(frame.f_globals.get("__name__"))
        own = file.startswith(_OWN_CODE) and not file.startswith(_USERS_TOO)
        if not own and module.partition(".")[0] not in sys.stdlib_module_names:
            return frame
        frame = frame.f_back
    return None


def _of_main_thread() -> FrameType | None:
    main = threading.main_thread().ident
    return _users_frame(sys._current_frames().get(main)) if main is not None else None
