"""What a check has let pass: pass after pass leaves most of a graph as it was."""

from __future__ import annotations

from typing import Generic, TypeVar

_K = TypeVar("_K")
_MOST = 1 << 14


class Passed(Generic[_K]):
    """Keys of what was found right; all are forgotten once there are many."""

    def __init__(self) -> None:
        self._keys: set[_K] = set()

    def __contains__(self, key: _K) -> bool:
        return key in self._keys

    def add(self, key: _K) -> None:
        """Remember that this is right."""
        if len(self._keys) >= _MOST:
            self._keys.clear()
        self._keys.add(key)
