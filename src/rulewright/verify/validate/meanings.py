"""Whether the `meaning` of an op gives values of the dtype that the op declares, and is what its
flags and its interval say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Bounds, Op
from rulewright.verify.values.samples import error_line, generator, random, special

Array = np.ndarray[Any, Any]

_BOXES = 40


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


def wrong_interval(op: Op) -> str:
    """What the interval of an op leaves out of what its meaning gives, in a line; nothing if it
    holds all of it. Boxes are tried whose ends are special values."""
    rule, rng = op.interval_rule, generator(f"{op} within")
    if rule is None:
        return ""
    for result, kinds in instances(op):
        if result.is_float or any(kind.is_float for kind in kinds):
            continue  # floats have no bounds
        for _ in range(_BOXES):
            columns = [random(kind, _BOXES, rng) for kind in kinds]
            columns = [np.concatenate([special(k), c]) for k, c in zip(kinds, columns, strict=True)]
            boxes = [np.sort(rng.choice(column, 2)) for column in columns]
            inside = [
                c[(c >= low) & (c <= high)] for c, (low, high) in zip(columns, boxes, strict=True)
            ]
            values = [rng.choice(column, _BOXES) for column in inside]
            bounds = [Bounds(int(low), int(high)) for low, high in boxes]
            try:
                ends = rule(None, result, *bounds)
                ends = None if ends is None else Bounds(+ends[0], +ends[1])
            except Exception as error:
                return f"the interval of {op} ends in {error_line(error)}, of {_in_words(bounds)}"
            if ends is None or ends.lo < result.min or ends.hi > result.max:
                continue  # it says nothing then
            results = compute(op, result, None, values, kinds[-1])
            outside = (results < ends.lo) | (results > ends.hi)
            if outside.any():
                at = int(outside.argmax())
                operands = ", ".join(str(v[at]) for v in values)
                return (
                    f"the interval of {op} is wrong: of {_in_words(bounds)} ({kinds[0].name}) it "
                    f"says {ends.lo} … {ends.hi}, and of {operands} comes {results[at]}"
                )
    return ""


def _in_words(bounds: list[Bounds]) -> str:
    return " and ".join(f"{low} … {high}" for low, high in bounds)


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
