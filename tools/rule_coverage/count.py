"""Counts what rules do while programs run: how often each fires, what its guards refuse.

Nothing of this costs anything while it is off: a rule set that is being counted has a matcher of
its own, generated from rules whose guard clauses are wrapped in calls, and whose actions are noted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType
from typing import Any

from rulewright.ir.known import matched_by
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.matcher import generate_rules
from rulewright.lang.matcher_facts import conjuncts, rules_of_set

_CALLED = "count_clause"
Clause = tuple[str, int]
"""A rule's name, and the number of one of its guard clauses."""


@dataclass
class Counts:
    """How often each rule fired, and how often each guard clause was asked and said no.

    A clause is asked where the pattern fits and the clauses before it hold.
    """

    fired: Counter[str] = field(default_factory=Counter)
    asked: Counter[Clause] = field(default_factory=Counter)
    refused: Counter[Clause] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add what was counted elsewhere."""
        self.fired += other.fired
        self.asked += other.asked
        self.refused += other.refused

    def to_json(self) -> dict[str, Any]:
        """Plain data; clauses as `rule:number`."""
        return {
            "fired": dict(sorted(self.fired.items())),
            "asked": {f"{rule}:{i}": n for (rule, i), n in sorted(self.asked.items())},
            "refused": {f"{rule}:{i}": n for (rule, i), n in sorted(self.refused.items())},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Mapping[str, int]]) -> Counts:
        """The counts that `to_json` wrote."""

        def clauses(part: str) -> Counter[Clause]:
            pairs = ((key.rpartition(":"), n) for key, n in data[part].items())
            return Counter({(rule, int(i)): n for (rule, _, i), n in pairs})

        return cls(Counter(data["fired"]), clauses("asked"), clauses("refused"))


_counts: list[Counts] = []  # those being taken now, the innermost last


def guard_clauses(rule: t.Rule) -> list[t.Expr]:
    """The conditions of a rule that must all hold, in the order of the text."""
    return [part for clause in rule.all(t.When) for part in conjuncts(clause.guard)]


def count_clause(rule: str, number: int, holds: bool) -> bool:
    """Called by counted matchers: notes what a guard clause says, and says it."""
    for counts in _counts:
        counts.asked[rule, number] += 1
        if not holds:
            counts.refused[rule, number] += 1
    return holds


def _wrapped(rule: t.Rule) -> t.Rule:
    """The rule with a call around each clause of its guards.

    The double negation tells the compiler of rules that the clause is a truth, never a node.
    """
    clauses: list[t.Clause] = []
    number = 0
    for clause in rule.clauses:
        if isinstance(clause, t.When):
            calls = []
            for part in conjuncts(clause.guard):
                twice = t.Connective("not", (t.Connective("not", (part,)),))
                args = (t.Str(str(rule.name)), t.Num(number, str(number)), twice)
                calls.append(t.Call(t.Ident(_CALLED), tuple(t.Source(a) for a in args)))
                number += 1
            guard = calls[0] if len(calls) == 1 else t.Connective("and", tuple(calls))
            clause = replace(clause, guard=guard)
        clauses.append(clause)
    return replace(rule, clauses=tuple(clauses))


def counted_rules(name: str, rules: Iterable[t.Rule]) -> ModuleType:
    """The matcher of some rules that notes what they do."""
    table = load_table()
    row = {"target": f"{__name__}:{_CALLED}", "result": ("bool", False)}
    table = {**table, "externs": {**table["externs"], _CALLED: row}}
    source = generate_rules(name, [_wrapped(rule) for rule in rules], table)
    module = ModuleType(f"counted_{name}")
    exec(compile(source, f"<counted {name}>", "exec"), module.__dict__)
    for function, rule in module.ACTIONS.items():
        module.__dict__[function] = _noted(module.__dict__[function], rule)
    return module


def _noted(action: Callable[..., Any], rule: str) -> Callable[..., Any]:
    def noted(*args: Any) -> Any:
        result = action(*args)
        if result is not None:
            for counts in _counts:
                counts.fired[rule] += 1
        return result

    return noted


@cache
def counted_matcher(name: str) -> ModuleType:
    """The counted matcher of a set of the spec."""
    return counted_rules(name, rules_of_set(name, _sets()))


@cache
def _sets() -> dict[str, t.RuleSetDecl]:
    return {str(s.name): s for file in parsed_spec() for s in file.all(t.RuleSetDecl)}


@contextmanager
def recording() -> Iterator[Counts]:
    """Count what all rules of the spec do until the end of the block, in every thread."""
    counts = Counts()
    _counts.append(counts)
    try:
        with matched_by(counted_matcher):
            yield counts
    finally:
        _counts.remove(counts)
