"""Whether the `meaning` of an op gives values at all, of the dtype that the op declares."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.errors import InterpreterError
from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op
from rulewright.verify.values.samples import special


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


def instances(op: Op) -> Iterator[tuple[DType, list[DType]]]:
    """The dtype of the result and of the operands, for each dtype of the op's first parameter but
    index."""
    declared = [op.row["result"], *(kind for _, kind, _ in op.params)]
    for name, allowed in op.row["tparams"][:1] or [("", ("",))]:
        for base in allowed:
            kinds = [base if kind == name else kind for kind in declared]
            if "index" not in kinds and all(hasattr(dtypes, kind) for kind in kinds):
                result, *sources = map(dtype, kinds)
                yield result, sources
