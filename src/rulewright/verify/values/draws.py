"""Random operands of conformance cases: the same for a name and a seed, on every host."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

_seed: ContextVar[int] = ContextVar("seed", default=0)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw by another seed than 0 inside of this block."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


def seed_of(name: str) -> int:
    """What the generator of a name begins with, under the seed in force."""
    return zlib.crc32(name.encode(), _seed.get())


def generator(name: str) -> np.random.Generator:
    """The generator of a name, under the seed in force."""
    return np.random.default_rng(seed_of(name))


def error_line(error: Exception) -> str:
    """An error in one line: its kind, and the first line of what it says."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
