"""Checks of arguments of layers, optimisers and schedules.

Each names the argument, what was expected and what came, and gives the value in its plain form.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from operator import index
from typing import Any, BinaryIO

from rulewright.errors import FileError, MissingFileError, ShapeError, UsageError
from rulewright.ir.dtypes import DType
from rulewright.ir.uop import UOp
from rulewright.runtime.device import Device
from rulewright.tensor.kinds import as_dtype
from rulewright.tensor.shapes import Dim, show
from rulewright.tensor.tensor import Tensor

MOST = 80  # characters of a wrong value that a message shows


def wrong(owner: str, name: str, expected: str, value: Any) -> UsageError:
    """The error for an argument that is not what was expected."""
    shown = repr(value)
    shown = shown if len(shown) <= MOST else f"{shown[:MOST]}…"
    return UsageError(f"{owner}: expected {name} as {expected}, found {shown}")


def whole(owner: str, name: str, value: Any, least: int | None = 0) -> int:
    """A whole number, no bool. Raises UsageError if it is none, or below `least`."""
    expected = "a whole number" if least is None else f"a whole number of {least} or more"
    if isinstance(value, bool | UOp | Tensor):
        raise wrong(owner, name, expected, value)
    try:
        integer = index(value)
    except TypeError:
        raise wrong(owner, name, expected, value) from None
    if least is not None and integer < least:
        raise wrong(owner, name, expected, value)
    return integer


def number(
    owner: str, name: str, value: Any, low: float = -math.inf, high: float = math.inf,
    below: bool = False,
) -> float:  # fmt: skip
    """A finite number, no bool, from `low` to `high` (`below`: without that). Else UsageError."""
    if high < math.inf:
        expected = f"a number from {low:g} to {'below ' if below else ''}{high:g}"
    else:
        expected = f"a number of {low:g} or more" if low > -math.inf else "a finite number"
    real = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    if not real or not low <= value <= high or (below and value == high):
        raise wrong(owner, name, expected, value)
    return value if value.__class__ is int else float(value)


def flag(owner: str, name: str, value: Any) -> bool:
    """True or False, or 1 or 0. Raises UsageError for anything else."""
    if value.__class__ is bool:
        return value
    kind = type(value).__name__
    if kind not in ("int", "bool", "bool_") or value not in (0, 1):
        raise wrong(owner, name, "True or False", value)
    return bool(value)


def choice(owner: str, name: str, value: Any, *choices: str) -> str:
    """One of some words. Raises UsageError for anything else."""
    if not isinstance(value, str) or value not in choices:
        raise wrong(owner, name, " or ".join(map(repr, choices)), value)
    return value


def called(owner: str, name: str, value: Any) -> Any:
    """A function. Raises UsageError for what cannot be called."""
    if not callable(value):
        raise wrong(owner, name, "a function", value)
    return value


def path(owner: str, value: Any) -> str:
    """The name of a file. Raises UsageError for anything else, such as a number."""
    if not isinstance(value, str | os.PathLike):
        raise wrong(owner, "path", "the name of a file", value)
    name = os.fspath(value)
    if not isinstance(name, str) or not name:
        raise wrong(owner, "path", "the name of a file", value)
    return name


@contextmanager
def opened(owner: str, where: str) -> Iterator[BinaryIO]:
    """A file to read. Raises MissingFileError if there is none, FileError if it cannot be read or
    is none that holds data: a folder, a pipe."""
    try:
        descriptor = os.open(where, os.O_RDONLY | os.O_NONBLOCK)  # a pipe is not waited for
    except FileNotFoundError:
        raise MissingFileError(f"{owner}: expected a file, found nothing at {where}") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{owner}: cannot read {where!r}: {error}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileError(f"{owner}: expected a file, found a folder or a device at {where}")
    with open(descriptor, "rb") as file:
        yield file


def device(owner: str, value: Any) -> str | None:
    """The name of a device, or None. Raises UsageError for anything else."""
    if value is not None and not isinstance(value, str):
        raise wrong(owner, "device", "the name of a device", value)
    return None if value is None else Device.canonical(value)


def named(owner: str, name: str, value: Any, kind: type, what: str) -> Mapping[str, Any]:
    """A dict of text to values of one class. Raises UsageError for anything else."""
    if not isinstance(value, Mapping):
        raise wrong(owner, name, f"a dict of names and {what}s", value)
    for key, item in value.items():
        if not isinstance(key, str):
            raise wrong(owner, name, "a dict whose names are text", key)
        if not isinstance(item, kind):
            raise wrong(owner, f"{name}[{key!r}]", f"a {what}", item)
    return value


def tensor(owner: str, name: str, value: Any) -> Tensor:
    """A tensor. Raises UsageError for anything else."""
    if not isinstance(value, Tensor):
        raise wrong(owner, name, "a tensor", value)
    return value


def tensors(owner: str, name: str, value: Any) -> list[Tensor]:
    """Several tensors, each once. Raises UsageError for one alone, or for anything else."""
    expected = "several tensors, such as get_parameters(model)"
    if isinstance(value, Tensor | str | dict) or not isinstance(value, Iterable):
        raise wrong(owner, name, expected, value)
    items = list(value)
    for place, item in enumerate(items):
        if not isinstance(item, Tensor):
            raise wrong(owner, f"{name}[{place}]", "a tensor", item)
    return list({id(t): t for t in items}.values())


def float_kind(owner: str, value: Any) -> DType:
    """A dtype of floats. Raises UsageError for one of other numbers, DTypeError for none."""
    kind = as_dtype(value)
    if not kind.is_float:
        raise wrong(owner, "dtype", "a dtype of floats, such as dtypes.bf16", value)
    return kind


def sized(owner: str, x: Any, *sizes: Dim | str, name: str = "x") -> Tensor:
    """A tensor of a shape in which words stand for any size; "…" first for any axes.

    Raises UsageError for what is no tensor, ShapeError for another shape.
    """
    tensor(owner, name, x)
    shape, wanted = tuple(x.shape), sizes
    if wanted[0] == "…":
        wanted = wanted[1:]
        fits, shape = len(shape) >= len(wanted), shape[len(shape) - len(wanted) :]
    else:
        fits = len(shape) == len(wanted)
    pairs = zip(shape, wanted, strict=False)
    if not fits or any(not isinstance(w, str) and s != w for s, w in pairs):
        text = ", ".join(map(str, sizes)) + ("," if len(sizes) == 1 else "")
        raise ShapeError(f"{owner}: expected {name} ({text}), found {show(x.shape)}")
    return x
