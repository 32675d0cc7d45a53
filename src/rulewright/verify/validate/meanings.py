"""Whether the `meaning` of an op gives values of the dtype that the op declares, and is what its
flags say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op
from rulewright.verify.values.samples import special

Array = np.ndarray[Any, Any]


def wrong_meaning(op: Op) -> str:
    """What goes wrong where a meaning is asked for values, in a line; nothing if it gives some."""
    for result, kinds in instances(op):
        columns = [special(kind) for kind in kinds]
        rows = min(map(len, columns))
        try:
            compute(op, result, None, [column[:rows] for column in columns], kinds[-1])
        except InterpreterError as error:
            return f"{error}, of {' and '.join(kind.name for kind in kinds)}"
    return ""


def wrong_flag(op: Op) -> str:
    """The flag of an op of two operands that its meaning does not bear out, and where, in a line;
    nothing if it does. Sums and products of floats are not associative to the last bit: integers
    and conditions are tried."""
    for result, kinds in instances(op):
        if len(kinds) != 2 or kinds[0] != kinds[1]:
            continue
        values = special(kinds[0])
        a, b = np.repeat(values, len(values)), np.tile(values, len(values))
        c = np.roll(b, len(values) // 2 * len(values) + 1)

        def both(x: Array, y: Array, result: DType = result, kind: DType = kinds[0]) -> Array:
            return compute(op, result, None, (x, y), kind)

        tries = {"commutative": (both(a, b), both(b, a))}
        if result == kinds[0]:
            tries["idempotent"] = both(a, a), a
        if result == kinds[0] and not result.is_float:
            tries["associative"] = both(both(a, b), c), both(a, both(b, c))
        for flag in op.row["flags"]:
            if flag in tries and (differs := _differs(*tries[flag])).any():
                at = int(differs.argmax())
                operands = ", ".join(str(x[at]) for x in (a, b, c)[: 3 if flag[0] == "a" else 2])
                one, other = (x[at] for x in tries[flag])
                return f"{op} is not {flag}: of {operands} ({kinds[0].name}) come {one} and {other}"
    return ""


def _differs(a: Array, b: Array) -> Array:
    """Where numbers are not the same; zeros of either sign are, and NaNs."""
    return (a != b) & ~((a != a) & (b != b))


def instances(op: Op) -> Iterator[tuple[DType, list[DType]]]:
    """The dtype of the result and of the operands, for each dtype of the op's first parameter but
    index."""
    declared = [op.result, *(kind for _, kind, _ in op.params)]
    for name, allowed in [*op.tparams.items()][:1] or [("", ("",))]:
        for base in allowed:
            kinds = [base if kind == name else kind for kind in declared]
            if "index" not in kinds and all(hasattr(dtypes, kind) for kind in kinds):
                result, *sources = map(dtype, kinds)
                yield result, sources
