"""A mapping that keeps what was used last."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most `most` entries; the one that was not used for longest goes first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The entry of a key, which counts as a use; None if there is none."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: K, value: V) -> V:
        """Keep an entry; returns it."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        while len(self._entries) > self.most:
            self._entries.popitem(last=False)
        return value

    def values(self) -> list[V]:
        """All entries, what was used last at the end."""
        return list(self._entries.values())

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)
