"""Arithmetic on constants, done while rewriting: exactly what the interpreter computes.

What an op computes is its clause `smt` in `spec/20-ops.uop`, over Python numbers. Integers wrap to
the dtype's width; floats are rounded to the dtype at every op, to nearest even: for floats narrower
than f64 the sum, product, quotient or root of two values, computed in double and rounded once more,
equals the correctly rounded one (a double has more than twice their precision and two bits).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import cache
from typing import Any

from rulewright.ir.dtypes import DType
from rulewright.ir.intervals import cdiv, cmod, floordiv, floormod
from rulewright.ir.ops import Op, Ops

_WIDEST = 64  # bits: what is shifted out of these is out of every dtype


def _shift_left(a: int, b: int) -> int:
    return a << b if 0 <= b < _WIDEST else 0


def _shift_right(a: int, b: int) -> int:
    return a >> b if 0 <= b < _WIDEST else -(a < 0)


def _sqrt(a: float) -> float:
    return math.sqrt(a) if a >= 0 else math.nan


def _trunc(a: float) -> float:
    return math.copysign(math.trunc(a), a) if math.isfinite(a) else a


_WORDS: dict[str, Callable[..., Any]] = {
    "either": lambda a, b: a,
    "sqrt": _sqrt,
    "trunc": _trunc,
    "floordiv": floordiv,
    "floormod": floormod,
    "cdiv": cdiv,
    "cmod": cmod,
    "shift_left": _shift_left,
    "shift_right": _shift_right,
}
"""The words of `smt` clauses that have a value for numbers; `If` is a conditional expression."""


def _divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


_OTHERWISE: dict[str, Callable[..., Any]] = {
    "NOT": lambda dtype, a: not a if dtype.is_bool else ~a,
    "FDIV": lambda dtype, a, b: _divide(a, b),
    "RECIP": lambda dtype, a: _divide(1.0, a),
}
"""Ops whose signs mean something else to Python: ~True is -2, and 1.0 / 0.0 an error."""


class _Conditional(ast.NodeTransformer):
    """`If(c, a, b)` as `a if c else b`."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id != "If":
            return node
        condition, yes, no = node.args
        return ast.IfExp(condition, yes, no)


def _by_clause(op: Op) -> Callable[..., Any] | None:
    """The clause `smt` over Python numbers; None where these do not say the same as terms."""
    clause = _Conditional().visit(ast.parse(op.row.get("smt") or "None", mode="eval"))
    names = {node.id for node in ast.walk(clause) if isinstance(node, ast.Name)}
    operands = [name for name, _, _ in op.params]
    if not op.row.get("smt") or not names <= {*_WORDS, *operands}:
        return None
    text = ast.unparse(clause)
    made: Callable[..., Any] = eval(f"lambda {', '.join(operands)}: {text}", dict(_WORDS))  # spec
    return made


@cache
def fold_function(op: str) -> Callable[..., Any]:
    """The function `(dtype, *values) -> value` that computes an elementwise op in `dtype`.

    Ops without a clause that is exact here (EXP2, SIN …) are computed by their `meaning` in double,
    and rounded to the dtype.
    Raises KeyError for an op whose meaning is more than arithmetic.
    """
    otherwise = _OTHERWISE.get(op)
    if otherwise is not None:
        return lambda dtype, *values: dtype.const(otherwise(dtype, *values))
    exact = _by_clause(getattr(Ops, op))
    if exact is not None:
        return lambda dtype, *values: dtype.const(exact(*values))
    return _by_meaning(op)


def _by_meaning(op: str) -> Callable[..., Any]:
    if not getattr(Ops, op).row["meaning"]:
        raise KeyError(op)

    def compute(dtype: DType, *values: Any) -> Any:
        import numpy  # only once such an op is folded

        meaning = getattr(Ops, op).function("meaning", {"np": numpy, "math": math})
        with numpy.errstate(all="ignore"):
            arrays = [numpy.full(1, v, numpy.float64) for v in values]
            return dtype.const(meaning(None, dtype, *arrays)[0].item())

    return compute


def convert_value(dtype: DType, value: Any, source: DType) -> Any:
    """`value` of type `source` cast to `dtype`; None for a float that the integer cannot hold."""
    if dtype.is_bool:
        return bool(value != 0)
    if dtype.is_float and not source.is_float and abs(value) >= 1 << 24:
        import numpy  # one rounding only, as the interpreter's own conversion does

        with numpy.errstate(all="ignore"):
            return float(numpy.array([value], source.np).astype(dtype.np)[0])
    if dtype.is_int and source.is_float:
        if not math.isfinite(value) or not dtype.min <= math.trunc(value) <= dtype.max:
            return None
        return math.trunc(value)
    return dtype.const(value)
