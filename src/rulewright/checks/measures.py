"""Checks of measures, and that every rule of a measured set lowers its measure."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.matcher_facts import rules_of_set
from rulewright.lang.measure import GAUGES, Gauge, lowers
from rulewright.lang.symbols import Symbols, unknown
from rulewright.lang.terms import Sides


def check_measure(item: t.Measure, symbols: Symbols) -> Iterator[Diagnostic]:
    """Unknown gauges and ops, and ops where none belong."""
    for gauge in item.gauges:
        if gauge.name not in GAUGES:
            yield unknown("gauge", gauge.name, GAUGES)
            continue
        if GAUGES[gauge.name] != bool(gauge.args):
            wants = f"write `{gauge.name}(ADD MUL)`" if GAUGES[gauge.name] else "leave them out"
            message = f"`{gauge.name}` {'needs' if GAUGES[gauge.name] else 'takes no'} ops"
            yield Diagnostic("measure", message, gauge.span, help=wants)
        for source in gauge.args:
            assert isinstance(source.expr, t.OpName)
            if source.expr.name not in symbols.ops:
                yield unknown("op", source.expr.name, symbols.ops)


def gauges_of(item: t.Measure) -> list[Gauge]:
    """The gauges of a measure, in the order in which they decide."""
    ops = ([str(s.expr.name) for s in g.args if isinstance(s.expr, t.OpName)] for g in item.gauges)
    return [Gauge(str(g.name), tuple(names)) for g, names in zip(item.gauges, ops, strict=True)]


def check_measured(
    ruleset: t.RuleSetDecl, good: set[str], symbols: Symbols
) -> Iterator[Diagnostic]:
    """The rules of a set that do not lower its measure and do not say why rewriting ends.

    `good` are the rules without problems of their own; the others are left out.
    """
    option = next((o for o in ruleset.options if o.name == "measure"), None)
    measure = symbols.measures.get(str(option.value)) if option else None
    if option is None or measure is None or any(check_measure(measure, symbols)):
        return
    gauges = gauges_of(measure)
    for rule in rules_of_set(str(ruleset.name), symbols.rulesets):
        if str(rule.name) not in good or rule.all(t.Expands):
            continue
        if not falls(rule, gauges, symbols):
            message = f"rule `{rule.name}` does not lower the measure `{measure.name}`"
            note = f"`{ruleset.name}` is measured by {', '.join(map(str, gauges))}"
            hint = 'make the result smaller, or say why rewriting ends: `expands "why"`'
            place = rule.replacement.span
            yield Diagnostic("measure", message, place, option.span, note, hint)


def falls(rule: t.Rule, gauges: list[Gauge], symbols: Symbols) -> bool:
    """Whether a rule lowers a measure, whichever way round its pattern matches."""
    return all(lowers(gauges, before, after) for before, after in Sides(rule, symbols).pairs())


def check_reasons(rule: t.Rule) -> Iterator[Diagnostic]:
    """`expands` says why."""
    for clause in rule.all(t.Expands):
        if not clause.reason.value.strip():
            yield Diagnostic("measure", "`expands` needs a reason", clause.reason.span)
