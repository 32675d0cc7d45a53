"""Whether each value that one term may have is a value that another may have."""

from __future__ import annotations

from itertools import product

from rulewright.ir.dtypes import dtype
from rulewright.ir.ops import Ops
from rulewright.verify.certify.forms import Forms
from rulewright.verify.certify.terms import Terms


class Refinement:
    """Compares terms under laws. A sum that says no start may begin at 0.0 or at an operand."""

    def __init__(self, terms: Terms, sums: bool = False, products: bool = False) -> None:
        self.terms = terms
        self.forms = Forms(terms, sums, products)
        self.loose = Forms(terms, sums, products, zeros=False)
        self._known: dict[tuple[int, int], bool] = {}

    def holds(self, before: int, after: int) -> bool:
        """Whether `after` is a value that `before` allows, whatever the leaves are."""
        root = self.forms.of(before), self.forms.of(after)
        stack = [root]
        while stack:
            pair = stack[-1]
            asked = () if pair in self._known else self._asked(*pair)
            missing = [p for p in asked or () if p not in self._known]
            if missing:
                stack.extend(missing)
                continue
            if pair not in self._known:
                self._known[pair] = asked is not None and all(self._known[p] for p in asked)
            stack.pop()
        return self._known[root]

    def _asked(self, before: int, after: int) -> list[tuple[int, int]] | None:
        """The pairs that must hold for two normal forms to; None if they cannot."""
        if before == after:
            return []
        if self.loose.of(before) != self.loose.of(after):
            return None
        one, other = self.terms.nodes[before], self.terms.nodes[after]
        kind = dtype(one.dtype)
        if not kind.is_float or Ops.ADD not in (one.op, other.op):
            if one.op is not other.op:
                return None
            if not self.forms.is_free(one):
                return list(zip(one.src, other.src, strict=True))
            return self._paired(self.forms.parts(before), self.forms.parts(after))
        old, new = self._summands(before), self._summands(after)
        zero, start = self.terms.const(kind, 0.0), self.terms.start(kind)
        free = start in old
        if not free and (start in new or (zero in old) != (zero in new)):
            return None
        for counts in (old, new):
            counts.pop(zero, None)
            counts.pop(start, None)
        return self._paired(old, new)

    def _summands(self, form: int) -> dict[int, int]:
        """The parts of a sum of floats, or of what is left of one with a single operand."""
        is_sum = self.terms.nodes[form].op is Ops.ADD
        return self.forms.parts(form) if is_sum else {form: 1}

    def _paired(self, old: dict[int, int], new: dict[int, int]) -> list[tuple[int, int]] | None:
        """Pairs of parts that are the same but for zeros; all of a kind must hold."""
        groups: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        for side, counts in enumerate((old, new)):
            for term, count in counts.items():
                groups.setdefault(self.loose.of(term), ({}, {}))[side][term] = count
        pairs: list[tuple[int, int]] = []
        for ours, theirs in groups.values():
            if sum(ours.values()) != sum(theirs.values()):
                return None
            if ours != theirs:
                pairs += product(ours, theirs)
        return pairs
