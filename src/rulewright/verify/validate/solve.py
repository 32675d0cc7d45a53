"""Index arithmetic for z3: can an index leave its memory?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

WORK = 900_000
"""What z3 counts as work in about a fifth of a second."""


class _Unknown(Exception):
    """The arithmetic is beyond what is translated."""


def reachable(index: UOp, size: int, gate: UOp | None) -> str:
    """An index outside of 0 … size-1 under the gate; "" if there is none, or none was found.

    What is read from memory may be any number of its dtype. Nothing as well if z3 is not installed.
    """
    try:
        import z3
    except ImportError:
        return ""
    try:
        number, valid = _Terms(z3).translate(index, gate)
    except _Unknown:
        return ""
    terms, facts = number
    solver = z3.Solver()
    solver.set("rlimit", WORK)
    solver.add(*facts, valid, z3.Or(terms < 0, terms >= size))
    if solver.check() != z3.sat:
        return ""
    return str(solver.model().eval(terms, model_completion=True))


_INTEGER: dict[Op, Callable[[Any, Any, Any], Any]] = {
    Ops.ADD: lambda z3, a, b: a + b,
    Ops.SUB: lambda z3, a, b: a - b,
    Ops.MUL: lambda z3, a, b: a * b,
    Ops.MAX: lambda z3, a, b: z3.If(a < b, b, a),
    Ops.MIN: lambda z3, a, b: z3.If(a < b, a, b),
    Ops.CMPLT: lambda z3, a, b: a < b,
    Ops.CMPLE: lambda z3, a, b: a <= b,
    Ops.CMPEQ: lambda z3, a, b: a == b,
    Ops.CMPNE: lambda z3, a, b: a != b,
}
_BOOL: dict[Op, Callable[[Any, Any, Any], Any]] = {
    Ops.AND: lambda z3, a, b: z3.And(a, b),
    Ops.OR: lambda z3, a, b: z3.Or(a, b),
    Ops.XOR: lambda z3, a, b: z3.Xor(a, b),
    Ops.CMPEQ: lambda z3, a, b: a == b,
    Ops.CMPNE: lambda z3, a, b: a != b,
}


class _Terms:
    """Terms over unbounded integers, with where they are INVALID and what is known of leaves."""

    def __init__(self, z3: Any) -> None:
        self.z3 = z3
        self.facts: list[Any] = []
        self.terms: dict[UOp, tuple[Any, Any]] = {}

    def translate(self, index: UOp, gate: UOp | None) -> tuple[tuple[Any, list[Any]], Any]:
        """The index with the facts about its leaves, and the condition for the access."""
        for node in UOp.sink(index, *([gate] if gate is not None else [])).toposort()[:-1]:
            self.terms[node] = self._term(node)
        term, invalid = self.terms[index]
        valid = self.z3.Not(invalid)
        if gate is not None:
            valid = self.z3.And(valid, self.terms[gate][0])
        return (term, self.facts), valid

    def _term(self, node: UOp) -> tuple[Any, Any]:
        z3, never = self.z3, self.z3.BoolVal(False)
        if node.op is Ops.CONST and not node.dtype.is_float:
            value = z3.BoolVal(node.arg) if node.dtype.is_bool else z3.IntVal(int(node.arg))
            return value, never
        if node.op is Ops.INVALID:
            return z3.IntVal(0), z3.BoolVal(True)
        operands = [self.terms[s] for s in node.src]
        if "Counter" in node.op.groups:
            return self._leaf(node, 0, operands[0][0] - 1), never
        if node.op is Ops.VAR:
            return self._leaf(node, *node.arg[1:]), never
        if node.dtype.is_float or node.dtype.count > 1 or not node.op.elementwise:
            return self._any(node), never
        return self._computed(node, [o[0] for o in operands], [o[1] for o in operands])

    def _leaf(self, node: UOp, low: Any, high: Any) -> Any:
        name = self.z3.Int(f"v{len(self.terms)}")
        self.facts += [name >= low, name <= high]
        return name

    def _any(self, node: UOp) -> Any:
        """What could be any value of its dtype, such as what is read from memory."""
        if node.dtype.is_bool:
            return self.z3.Bool(f"v{len(self.terms)}")
        if node.dtype.is_float:
            return self.z3.Real(f"v{len(self.terms)}")
        return self._leaf(node, *(int(b) for b in node.interval))

    def _computed(self, node: UOp, values: list[Any], invalid: list[Any]) -> tuple[Any, Any]:
        z3, op = self.z3, node.op
        bad = z3.Or(*invalid) if invalid else z3.BoolVal(False)
        if op is Ops.WHERE:
            chosen = z3.If(values[0], invalid[1], invalid[2])
            return z3.If(values[0], values[1], values[2]), z3.Or(invalid[0], chosen)
        source = node.src[0].dtype
        if op is Ops.NOT and node.dtype.is_bool:
            return z3.Not(values[0]), bad
        if source.is_bool and op in _BOOL:
            return _BOOL[op](z3, *values), bad
        if source.is_bool or source.is_float or (_may_wrap(node) and not node.dtype.is_bool):
            raise _Unknown
        if op is Ops.CAST:
            return (values[0] != 0 if node.dtype.is_bool else values[0]), bad
        if "FloorDivision" in op.groups and node.src[1].op is Ops.CONST and node.src[1].arg > 0:
            return (values[0] / values[1] if op is Ops.FLOORDIV else values[0] % values[1]), bad
        if op in _INTEGER:
            return _INTEGER[op](z3, *values), bad
        raise _Unknown


def _may_wrap(node: UOp) -> bool:
    """Whether machine arithmetic may leave its dtype, so that integers say nothing about it."""
    if node.dtype.kind == "Index" or node.dtype.is_bool:
        return False
    return (int(node.interval.lo), int(node.interval.hi)) == (
        int(node.dtype.min),
        int(node.dtype.max),
    )
