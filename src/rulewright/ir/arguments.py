"""Arguments of nodes, such as `[0, (4, 4), "C"]`, against the schema of an op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.ir.ops import Op

DEFAULTS = {"ints": (), "dims": (), "pairs": (), "bools": (), "str": None, "any": None}
"""What a part of an argument is that is left out at the end, by kind."""


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _all(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, tuple) and all(fits(v) for v in value)


def _size(value: Any) -> bool:
    return value is None or _whole(value)


def is_name(value: Any) -> bool:
    """Whether something may be the name of a variable or kernel: an identifier of Python."""
    return isinstance(value, str) and value.isidentifier()


# What a value of each kind of field looks like, in words and as a test.
KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "int": ("a whole number", _whole),
    "str": ("text or none", lambda v: v is None or isinstance(v, str)),
    "ints": ("a tuple of whole numbers", lambda v: _all(v, _size)),
    "dims": ("a tuple of sizes", lambda v: _all(v, _size)),
    "pairs": ("a tuple of pairs", lambda v: _all(v, lambda p: _all(p, _size) and len(p) == 2)),
    "bools": ("a tuple of true and false", lambda v: _all(v, lambda b: isinstance(b, bool))),
    "op": ("an op", lambda v: isinstance(v, Op)),
    "const": ("a number", lambda v: isinstance(v, int | float)),
    "name": ("an identifier, of letters, digits and _", is_name),
}


def fits(op: Op, values: Sequence[Any]) -> bool:
    """Whether each value is of the kind that the op's schema says; there are as many."""
    kinds = (KINDS.get(kind) for _, kind in op.schema)
    return all(kind is None or kind[1](v) for kind, v in zip(kinds, values, strict=True))
