"""The arrangements of a rule's pattern: which ops it may have at its root, and its rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts, wrong
from rulewright.lang.matcher_patterns import (
    BoundName,
    Check,
    PatternBuilder,
    PatternRow,
    is_swappable,
)


def _count_swappable(facts: Facts, expr: t.Expr) -> int:
    """Swappable nodes inside a pattern."""
    if isinstance(expr, t.Typed):
        return _count_swappable(facts, expr.expr)
    if isinstance(expr, t.Bind):
        return _count_swappable(facts, expr.pattern)
    expr = facts.as_node(expr)
    if not isinstance(expr, t.OpNode):
        return 0
    inner = sum(_count_swappable(facts, s.expr) for s in expr.sources or ())
    return inner + is_swappable(facts, expr)


def root_heads(facts: Facts, pattern: t.Expr) -> tuple[str, ...]:
    """The ops that a pattern's root may be."""
    expr = facts.as_node(t.bare(pattern))
    if isinstance(expr, t.OpNode):
        return facts.heads(expr.head)
    if isinstance(expr, t.ConstVar | t.Num | t.BoolLit):
        return ("CONST",)
    raise wrong("a rule's pattern must name the op at its root", expr)


def rows_of(facts: Facts, rule: t.Rule, index: int) -> Iterator[tuple[tuple[str, ...], PatternRow]]:
    """Each arrangement of a rule's pattern, with the root ops that it is for."""
    heads = root_heads(facts, rule.pattern)
    seen: list[tuple[list[Check], dict[str, BoundName] | None]] = []
    # without a condition, an arrangement with the tests of an earlier one can never match
    conditional = bool(rule.all(t.When) or rule.all(t.Let))
    for swaps in product((False, True), repeat=_count_swappable(facts, rule.pattern)):
        builder = PatternBuilder(facts, rule, index, swaps)
        builder.pattern(rule.pattern, (), None)
        row = builder.finish()
        key = (row.checks, row.names if conditional else None)
        if key in seen:
            continue
        seen.append(key)
        swapped_root = bool(swaps) and _root_swapped(facts, rule.pattern, swaps)
        used = tuple(h for h in heads if not swapped_root or facts.commutative(h))
        yield used, row


def _root_swapped(facts: Facts, pattern: t.Expr, swaps: tuple[bool, ...]) -> bool:
    expr = facts.as_node(t.bare(pattern))
    return isinstance(expr, t.OpNode) and is_swappable(facts, expr) and swaps[0]
