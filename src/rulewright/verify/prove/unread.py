"""A theory in which a division of machine integers is a function of which little is known.

Many rules divide the same numbers on both sides and change what stands around. Circuits of dividers
do not show that in time; two calls of one function do. What is proved for any such function is
proved for division. A counterexample may be one of another function, and says nothing.
"""

from __future__ import annotations

from typing import Any

from rulewright.verify.prove.smt import Symbols
from rulewright.verify.prove.terms import Kind


class UnreadDivision(Symbols):
    """Bit-vectors; quotients and remainders of sizes are unknown functions within their bounds."""

    whole = False

    def _divide(self, op: str, kind: Kind, a: Any, b: Any) -> Any:
        if not kind.signed:
            return self._of_sizes(op, kind, a, b)
        z3, zero = self.z3, self.const(kind, 0)
        size, by = (z3.If(side < zero, -side, side) for side in (a, b))
        unsigned = kind._replace(signed=False)
        found = self._of_sizes(op, unsigned, size, by)
        rest = self._of_sizes("cmod", unsigned, size, by)
        rest = z3.If(a < zero, -rest, rest)
        if op == "cmod":
            return rest
        apart = z3.And(rest != zero, (rest < zero) != (b < zero))
        if op == "floormod":
            return z3.If(apart, rest + b, rest)
        quotient = z3.If((a < zero) != (b < zero), -found, found)
        return quotient if op == "cdiv" else z3.If(apart, quotient - 1, quotient)

    def _of_sizes(self, op: str, kind: Kind, a: Any, b: Any) -> Any:
        """Of numbers without a sign, by what is no 0: the callers see to that."""
        z3, sort = self.z3, self.z3.BitVecSort(kind.bits, self.context)
        name = "rest" if op.endswith("mod") else "quotient"
        found = z3.Function(f"{name} {kind.bits}", sort, sort, sort)(a, b)
        self.facts.append(z3.Implies(b != 0, z3.ULE(found, a)))
        if name == "rest":
            self.facts.append(z3.Implies(b != 0, z3.ULT(found, b)))
        return found


__all__ = ["UnreadDivision"]
