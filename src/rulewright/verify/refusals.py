"""Guard clauses and what shows them: for each a `reject` that it alone refuses.

A clause is shown by a reject that the rule takes once the clause is dropped, all others standing:
or that it then cannot answer, as `c % d == 0` without `d != 0`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rulewright.checks.examples import built, matcher_of, uses_context
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import conjuncts
from rulewright.lang.words import words


@dataclass(frozen=True)
class Unshown:
    """Clause `number` of the guards of a rule, which refuses none of its rejects alone."""

    rule: str
    number: int
    clause: str
    file: str
    line: int

    @property
    def name(self) -> str:
        """What reviewed lists call the clause."""
        return f"{self.rule}, {self.clause}"

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: no `reject` of {self.rule} is refused by `{self.clause}` "
            "alone: add one for which the rest of the guard holds, or drop the clause"
        )


def unshown_clauses(rules: Iterable[t.Rule], table: Mapping[str, Any]) -> Iterator[Unshown]:
    """The clauses that no reject shows, in the order of the text.

    Rules that read the context of their pass are left out: an example has none.
    """
    for rule in rules:
        if rule.all(t.When) and not uses_context(rule):
            rejects = [made for r in rule.all(t.Reject) if isinstance(made := built(r.expr), UOp)]
            for number, (clause, without) in enumerate(without_each(rule)):
                if not any(_takes(without, node, table) for node in rejects):
                    span = clause.span
                    yield Unshown(str(rule.name), number, words(clause), span.file, span.line)


def without_each(rule: t.Rule) -> Iterator[tuple[t.Expr, t.Rule]]:
    """Each clause of the guards of a rule, with the rule that lacks it."""
    for place, when in enumerate(rule.clauses):
        if not isinstance(when, t.When):
            continue
        parts = conjuncts(when.guard)
        for i, part in enumerate(parts):
            rest = [*parts[:i], *parts[i + 1 :]]
            kept: tuple[t.Clause, ...] = ()
            if rest:
                guard = rest[0] if len(rest) == 1 else t.Logic("and", tuple(rest))
                kept = (replace(when, guard=guard),)
            clauses = (*rule.clauses[:place], *kept, *rule.clauses[place + 1 :])
            yield part, replace(rule, clauses=clauses)


def _takes(rule: t.Rule, node: UOp, table: Mapping[str, Any]) -> bool:
    """Whether a rule fires on a node, or stops there with an error."""
    match = matcher_of([rule], dict(table))
    if node.op not in match:
        return False
    try:
        return match[node.op](node, None) is not None
    except Exception:  # a guard that misses a condition before it may do anything
        return True
