"""Options: the only place that reads the environment.

Each option is an environment variable and a field of `Context(...)`, which overrides it for the
time of a `with` block (per thread and per asyncio task).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from rulewright.errors import ArgumentError, UsageError, listed


@dataclass(frozen=True)
class Options:
    """Values of all options. The comment beside each field is its documentation."""

    DEBUG: int = 0  # 1: a line a schedule; 2: a line a kernel; 4: source and axis choices; 6: rules
    DEVICE: str = "C"  # default device of new tensors
    VERIFY: int = 0  # 1: stages, bounds, memory plan; 2: values per pass; 3: per rule; or "prove"
    BEAM: int = 0  # width of the search over axis choices; 0 uses the heuristic
    MATMUL: str = ""  # "blas": large products of matrices by a library (device C); else by kernels
    INEXACT: str = ""  # "halves": no rounding to 16 bits of floats that are widened again
    JIT: int = 1  # 0 runs jitted functions without capture
    CACHE: int = 1  # 0 turns off the schedule cache and the on-disk kernel cache
    CACHE_DIR: str = ""  # where caches live; empty means the user cache folder
    DYNAMIC: int = 1  # 0: kernels for each size, also where programs differ in sizes alone
    THREADS: int = 0  # threads of the C device; 0 means one a core
    CC: str = ""  # C compiler; empty means gcc, clang or cc, whichever is found first
    COMPILE_TIMEOUT: int = 60  # seconds that the C compiler may take for a unit; 0 means no limit
    EXTERNS: str = ""  # modules, "a.b,c", whose functions rule files may name beside our own
    SEED: int = 0  # seed of the random generator at start
    THREAD_ORDER: int = 0  # seed of the orders in which emulated GPUs run threads and blocks
    CERTIFICATES: str = ""  # folder for those of VERIFY=prove; empty means one in the cache folder
    PROFILE: int = 0  # 1 records an event around every pass, compile and kernel
    STOP_AFTER: str = ""  # stop the pipeline after this entry (Context(stop_after=...))


_KINDS = {f.name: type(f.default) for f in fields(Options)}
_MOST = {"VERIFY": 3, "JIT": 1, "CACHE": 1, "DYNAMIC": 1, "PROFILE": 1, "SEED": (1 << 64) - 1,
         "THREAD_ORDER": (1 << 32) - 1}  # fmt: skip
"""The largest values of whole-number options that have one; the smallest is 0."""
PROVE = 4
"""VERIFY=prove: the checks of 1, and for each program a certificate of what each step keeps."""
_NUMBERS = {"VERIFY": {"prove": PROVE}}
"""Words that stand for a number in whole-number options."""
_WORDS = {"MATMUL": ("", "blas"), "INEXACT": ("", "halves")}
"""The values of options that are one of a few words."""


def _parse(name: str, text: str, kind: type) -> int | str:
    if kind is str or text in _NUMBERS.get(name, {}):
        return text
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"option {name}: expected {_expected(name)}, found {text!r}") from None


def _expected(name: str) -> str:
    """What a whole-number option takes: numbers, or words that stand for some."""
    most = _MOST.get(name)
    span = "a whole number of 0 or more" if most is None else f"a number from 0 to {most}"
    return " or ".join([span, *map(repr, _NUMBERS.get(name, {}))])


def _checked(name: str, value: Any, kind: type) -> int | str:
    """The value of an option. Raises ArgumentError or UsageError for what it does not take."""
    if kind is str:
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if not isinstance(value, str):
            raise ArgumentError(f"option {name}: expected text, found {value!r}")
        words = _WORDS.get(name)
        if words is not None and value not in words:
            expected = " or ".join(repr(word) for word in words)
            raise UsageError(f"option {name}: expected {expected}, found {value!r}")
        return value
    numbers = _NUMBERS.get(name, {})
    if isinstance(value, str) and value in numbers:
        return numbers[value]
    if not isinstance(value, int):
        raise ArgumentError(f"option {name}: expected {_expected(name)}, found {value!r}")
    if not 0 <= value <= _MOST.get(name, math.inf):
        raise UsageError(f"option {name}: expected {_expected(name)}, found {value}")
    return int(value)


def from_environment(env: Mapping[str, str]) -> Options:
    """Read options from a mapping such as `os.environ`; unset and empty ones keep defaults.

    Raises UsageError for a value that an option does not take.
    """
    values = {
        name: _checked(name, _parse(name, env[name], kind), kind)
        for name, kind in _KINDS.items()
        if env.get(name, "") != ""
    }
    return replace(Options(), **values)  # type: ignore[arg-type]  # values parsed per field type


_T = TypeVar("_T")


@contextmanager
def set_inside(variable: ContextVar[Any], value: _T) -> Iterator[_T]:
    """Inside of the `with` block a variable has this value."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


_current: ContextVar[Options | None] = ContextVar("rulewright_options", default=None)
_process: Options | None = None


def options() -> Options:
    """The options in force here: the innermost `Context`, else the environment at first use."""
    global _process
    inner = _current.get()
    if inner is not None:
        return inner
    if _process is None:
        _process = from_environment(os.environ)
    return _process


@contextmanager
def Context(**changes: int | str | bool) -> Iterator[Options]:
    """Override options inside a `with` block; names in any case, e.g. `Context(DEBUG=2)`.

    Raises UsageError for a name that is no option and for a value that it does not take.
    """
    upper = {key.upper(): value for key, value in changes.items()}
    unknown = sorted(set(upper) - set(_KINDS))
    if unknown:
        known = listed("options are", sorted(_KINDS), unknown[0])
        raise UsageError(f"unknown option {unknown[0]}; {known}")
    checked = {name: _checked(name, value, _KINDS[name]) for name, value in upper.items()}
    changed = replace(options(), **checked)  # type: ignore[arg-type]  # checked above
    with set_inside(_current, changed):
        yield changed


def in_ci() -> bool:
    """Whether this runs on a server that tests changes: it sets the variable CI."""
    return os.environ.get("CI", "") not in ("", "0", "false")
