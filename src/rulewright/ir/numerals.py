"""The clauses `smt` of `spec/20-ops.uop` over Python's numbers.

They say what an op computes. Over whole numbers of any size nothing wraps, over floats nothing is
rounded to less than double precision: that is done by who asks for a dtype.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

_WIDEST = 64  # bits: what is shifted out of these is out of every dtype


def _divide(a: float, b: float) -> float:
    """IEEE 754's quotient, where Python raises an error."""
    if b != 0:
        return a / b
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _complement(a: int) -> int:
    return not a if isinstance(a, bool) else ~a


def _sqrt(a: float) -> float:
    return math.sqrt(a) if a >= 0 else math.nan


def _trunc(a: float) -> float:
    return math.copysign(math.trunc(a), a) if math.isfinite(a) else a


def _toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_WORDS: dict[str, Callable[..., Any]] = {
    "either": lambda a, b: a,
    "sqrt": _sqrt,
    "trunc": _trunc,
    "cdiv": _toward_zero,
    "cmod": lambda a, b: a - _toward_zero(a, b) * b,
    "in_width": lambda count: 0 <= count < _WIDEST,
    "shift_left": lambda a, b: a << min(b, _WIDEST),
    "shift_right": lambda a, b: a >> b,
}
"""The words of `smt` clauses that have a value for numbers."""
_CONSTANTS = {"zero": 0, "one": 1}


class _Numbers(ast.NodeTransformer):
    """A clause as Python means it: `If` looks at one side only, ~True is False, 1.0 / 0.0 inf."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _CONSTANTS:
            return ast.Constant(_CONSTANTS[name])
        if name != "If":
            return node
        condition, yes, no = node.args
        return ast.IfExp(condition, yes, no)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return _call("divide", node.left, node.right) if isinstance(node.op, ast.Div) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _call("complement", node.operand) if isinstance(node.op, ast.Invert) else node


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def on_numbers(clause: str, operands: Sequence[str]) -> Callable[..., Any] | None:
    """A clause as a function of numbers, one for each operand; None where it says less of numbers
    than of terms.
    """
    tree = ast.parse(clause or "unknown", mode="eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if not names <= {*_WORDS, *_CONSTANTS, "If", *operands}:
        return None
    text = ast.unparse(ast.fix_missing_locations(_Numbers().visit(tree)))
    words = {**_WORDS, "divide": _divide, "complement": _complement}
    function: Callable[..., Any] = eval(f"lambda {', '.join(operands)}: {text}", words)  # spec text
    return function


__all__ = ["on_numbers"]
