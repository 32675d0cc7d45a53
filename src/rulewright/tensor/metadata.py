"""Where nodes came from, for messages: the tensor method that made them, and the user's line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from rulewright.ir.uop import UOp


class Metadata(NamedTuple):
    """Where a node came from: the tensor method, and the user's file and line."""

    method: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.method} - {self.file}:{self.line}"


_new_tuple = tuple.__new__  # what Metadata(…) calls
_PACKAGE = Path(__file__).parents[1]
_BETWEEN = ("tensor", "nn", "driver", "ir")


class _Owners(dict[str, str]):
    """By the path of a source file: the package between a user's line and a node that it stands in,
    or "" for code that is not ours."""

    def __missing__(self, file: str) -> str:
        ours = (name for name in _BETWEEN if file.startswith(str(_PACKAGE / name)))
        self[file] = owner = next(ours, "")
        return owner


_owners = _Owners()


def origin_here() -> Metadata:
    """The outermost tensor method that is running, and the line of the user's code. It is asked by
    a function that such a method, or what it calls, has called."""
    frame = sys._getframe(2)
    method = ""
    while frame.f_back is not None:
        owner = _owners[frame.f_code.co_filename]
        if owner == "tensor":
            method = frame.f_code.co_name
        elif not owner:
            break
        frame = frame.f_back
    method = method.strip("_") if method[:1] == "_" else method  # of operators
    return _new_tuple(Metadata, (method, frame.f_code.co_filename, frame.f_lineno))


def calling() -> str:
    """The tensor method that the user called and that is running; empty if none is."""
    return origin_here().method


def caller() -> str:
    """The line of the user's code that called into the library, as `file:line`."""
    origin = origin_here()
    return f"{origin.file}:{origin.line}"


def metadata_of(node: UOp) -> Metadata | None:
    """The tensor method and user's line that made a node, if it is the result of a method."""
    origin: Metadata | None = node.origin
    return origin


def copy_metadata(old: UOp, new: UOp) -> None:
    """Let `new` have come from where `old` came from."""
    if old._origin is not None and new._origin is None:
        new.note_origin(old._origin)
