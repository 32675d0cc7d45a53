"""What objects hold in `__slots__`, where they have no `__dict__` of it."""

from __future__ import annotations

import sys
from types import MemberDescriptorType
from typing import Any


def slot_names(value: Any) -> tuple[str, ...]:
    """The names of an object's slots, those of its bases first; none for Python's own classes,
    which keep in them what they have computed."""
    kind = type(value)
    if (kind.__module__ or "").partition(".")[0] in sys.stdlib_module_names:
        return ()
    slotted = [vars(k) for k in reversed(kind.__mro__) if "__slots__" in vars(k)]
    return tuple([n for d in slotted for n, m in d.items() if isinstance(m, MemberDescriptorType)])


def slots(value: Any) -> dict[str, Any]:
    """The slots of an object that are filled."""
    return {name: getattr(value, name) for name in slot_names(value) if hasattr(value, name)}
