"""Index arithmetic for z3: can an index leave its memory?"""

from __future__ import annotations

from functools import cache
from typing import Any

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

WORK = 900_000
"""What z3 counts as work in about a fifth of a second."""


class _Unknown(Exception):
    """The arithmetic is beyond what is translated."""


def reachable(index: UOp, size: int, gate: UOp | None) -> str:
    """An index outside of 0 … size-1 under the gate; "" if there is none, or none was found.

    What is read from memory may be any number of its dtype. Nothing as well if z3 is not installed.
    """
    from rulewright.verify.prove.smt import available

    if not available():
        return ""
    symbols = _symbols()
    symbols.begin()
    try:
        number, valid = _Terms(symbols).translate(index, gate)
    except _Unknown:
        return ""
    solver = symbols.solver()
    solver.set("rlimit", WORK)
    solver.add(*symbols.facts, valid, symbols.z3.Or(number < 0, number >= size))
    if solver.check() != symbols.z3.sat:
        return ""
    return str(solver.model().eval(number, model_completion=True))


@cache
def _symbols() -> Any:
    """The prover's terms, begun anew for each question: a context of z3 takes a while to make."""
    from rulewright.verify.prove.smt import SmtDomain

    return SmtDomain()


class _Terms:
    """Terms over unbounded integers, with where they are INVALID: None where they never are."""

    def __init__(self, symbols: Any) -> None:
        self.symbols, self.z3, self.context = symbols, symbols.z3, symbols.context
        self.terms: dict[UOp, tuple[Any, Any]] = {}

    def translate(self, index: UOp, gate: UOp | None) -> tuple[Any, Any]:
        """The index, and the condition for the access."""
        for node in UOp.sink(index, *([gate] if gate is not None else [])).toposort()[:-1]:
            self.terms[node] = self._term(node)
        term, invalid = self.terms[index]
        valid = self.z3.Not(self._or_never(invalid))
        if gate is not None:
            valid = self.z3.And(valid, self.terms[gate][0])
        return term, valid

    def _or_never(self, invalid: Any) -> Any:
        return self.z3.BoolVal(False, self.context) if invalid is None else invalid

    def _term(self, node: UOp) -> tuple[Any, Any]:
        from rulewright.verify.prove.terms import BOOL, EXACT

        if node.op is Ops.CONST and not node.dtype.is_float:
            return self.symbols.const(BOOL if node.dtype.is_bool else EXACT, node.arg), None
        if node.op is Ops.INVALID:
            return self.symbols.const(EXACT, 0), self.z3.BoolVal(True, self.context)
        operands = [self.terms[s] for s in node.src]
        if "Counter" in node.op.groups:
            return self._leaf(node, 0, operands[0][0] - 1), None
        if node.op is Ops.VAR:
            return self._leaf(node, *node.arg[1:]), None
        if node.dtype.is_float or node.dtype.count > 1 or not node.op.elementwise:
            return self._any(node), None
        return self._computed(node, [o[0] for o in operands], [o[1] for o in operands])

    def _leaf(self, node: UOp, low: Any, high: Any) -> Any:
        name = self.z3.Int(f"v{len(self.terms)}", self.context)
        self.symbols.facts += [name >= low, name <= high]
        return name

    def _any(self, node: UOp) -> Any:
        """What could be any value of its dtype, such as what is read from memory."""
        if node.dtype.is_bool:
            return self.z3.Bool(f"v{len(self.terms)}", self.context)
        if node.dtype.is_float:
            return self.z3.Real(f"v{len(self.terms)}", self.context)
        return self._leaf(node, *(int(b) for b in node.interval))

    def _computed(self, node: UOp, values: list[Any], invalid: list[Any]) -> tuple[Any, Any]:
        """By the clause `smt` of the op."""
        from rulewright.verify.prove.terms import BOOL, EXACT, Term, Unsupported, apply_op

        z3 = self.z3
        some = [where for where in invalid if where is not None]
        bad = z3.Or(*some) if some else None
        if node.op is Ops.WHERE and some:
            condition, chosen, other = map(self._or_never, invalid)
            bad = z3.Or(condition, z3.If(values[0], chosen, other))
        if any(s.dtype.is_float for s in node.src):
            raise _Unknown
        if _may_wrap(node) and node.op is not Ops.WHERE:
            raise _Unknown
        kinds = [BOOL if n.dtype.is_bool else EXACT for n in (node, *node.src)]
        operands = [Term(self.symbols, k, v) for k, v in zip(kinds[1:], values, strict=True)]
        try:
            return apply_op(node.op.name, kinds[0], operands).raw, bad
        except Unsupported:
            raise _Unknown from None


def _may_wrap(node: UOp) -> bool:
    """Whether machine arithmetic may leave its dtype, so that integers say nothing about it."""
    if node.dtype.kind == "Index" or node.dtype.is_bool:
        return False
    return (int(node.interval.lo), int(node.interval.hi)) == (
        int(node.dtype.min),
        int(node.dtype.max),
    )
