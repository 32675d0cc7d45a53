"""What the arguments of public helpers may be, and errors that say what was expected."""

from __future__ import annotations

import operator
from typing import Any, NoReturn

from rulewright.errors import ArgumentError
from rulewright.ir.dtypes import DType


def shown(value: object) -> str:
    """A value in a message: its `repr`, or its type where that fails or is long."""
    try:
        text = repr(value)
    except Exception:  # it is deep, a number of many digits, or of a class that is broken
        return f"<{type(value).__name__}>"
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


_WIDEST = 1000


def refuse(method: str, expected: str, found: object) -> NoReturn:
    """Raise ArgumentError: a method was given something else than it expects."""
    raise ArgumentError(
        f"{method}: expected {expected}, found {shown(found)} of type {type(found).__name__}"
    )


def whole(value: Any, method: str, name: str) -> int:
    """A whole number. Raises ArgumentError for anything else, bools included."""
    if value.__class__ is int:
        number: int = value
        return number
    try:
        found = operator.index(value)
    except TypeError:
        refuse(method, f"{name} as a whole number", value)
    if isinstance(value, bool):
        refuse(method, f"{name} as a whole number", value)
    return found


def check_dtype(value: Any, method: str) -> None:
    """Raise ArgumentError for what is no dtype."""
    if not isinstance(value, DType):
        refuse(method, "a dtype such as dtypes.f32", value)
