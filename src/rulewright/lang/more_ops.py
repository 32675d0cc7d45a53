"""Ops of files beside the spec: elementwise functions with a row of their own.

While one is declared, it stands in the table and is `Ops.NAME`; everything that is said of a group
of ops that it belongs to is said of it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

Row = dict[str, Any]

BY_OPERANDS = {1: "Unary", 2: "Binary", 3: "Ternary"}
ELEMENTWISE = "Elementwise"
rows_now: list[Row] = []
"""The rows of the ops declared now beside the spec."""


def more_ops() -> frozenset[str]:
    """The names of the ops declared now beside the spec."""
    return frozenset(row["name"] for row in rows_now)


def ops_key() -> str:
    """What stands for the ops declared now beside the spec, for keys of caches; "" for none."""
    if not rows_now:
        return ""
    rows = [{k: v for k, v in row.items() if k not in ("doc", "file", "line")} for row in rows_now]
    return blake2b(repr(rows).encode(), digest_size=16).hexdigest()


def groups_of(operands: int) -> tuple[str, ...]:
    """The groups that an elementwise op of so many operands belongs to."""
    return (ELEMENTWISE, *filter(None, [BY_OPERANDS.get(operands)]))
