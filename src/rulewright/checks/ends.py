"""Rules that never come to an end on their own examples: alone, or with others of their set."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from rulewright.checks.equiv import parts_known
from rulewright.checks.examples import built, example_table, runnable, uses_context
from rulewright.errors import RewriteError, RuleError
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import FileRuleSet
from rulewright.ir.text import print_term
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.matcher_facts import ordered_rules, rules_of_set
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


if TYPE_CHECKING:
    from rulewright.ir.rulesets import FileRuleSet, RuleSet
    from rulewright.ir.uop import UOp

    Step = tuple[str, UOp, UOp]


def check_ends(rules: Collection[t.Rule], symbols: Symbols) -> Iterator[Diagnostic]:
    """Cycles of rules, one of them among `rules`, that the examples of a set run into.

    A set whose strategy is `once` ends whatever its rules do; one that is part of another goes
    round there too. Rules that read the pass's context are left out, as where examples are run.
    """
    if not rules:
        return
    table, told = example_table(symbols), set()
    mine = {str(rule.name) for rule in rules}
    reads = cache(lambda name: uses_context(symbols.rules[name]))  # asked of a rule for each set
    sets = {name: _members(name, symbols, mine, reads) for name in symbols.rulesets}
    held = {name: {str(rule.name) for rule in members} for name, members in sets.items()}
    for name, members in sets.items():
        inner = any(held[name] < other for other in held.values())
        if inner or held[name].isdisjoint(mine):
            continue
        for cycle in _cycles(name, members, symbols, table):
            names = frozenset(rule for rule, _, _ in cycle)
            if names not in told and names & mine:
                told.add(names)
                yield _circular(cycle, symbols, mine)


def _members(
    name: str, symbols: Symbols, mine: Collection[str], reads: Callable[[str], bool]
) -> list[t.Rule]:
    """The rules of a set that may run on and on, in the order in which they are tried.

    None of a set that holds none of `mine`, and none that `reads` the pass's context.
    """
    options = {str(o.name): str(o.value) for o in symbols.rulesets[name].options}
    if options.get("strategy") == "once" or not parts_known(name, symbols):
        return []
    rules = rules_of_set(name, symbols.rulesets)
    if not any(str(rule.name) in mine for rule in rules):
        return []
    members = runnable(ordered_rules(rules), symbols)
    return [rule for rule in members if not reads(str(rule.name))]


def _cycles(
    name: str, members: Sequence[t.Rule], symbols: Symbols, table: dict[str, Any]
) -> Iterator[list[Step]]:
    """For each example that does not end, the first steps of the rules that go round."""
    try:
        rules = _as_set(name, members, symbols, table)
    except RuleError:  # said of the rule that no matcher can be made of
        return
    for rule in members:
        for example in rule.all(t.Example):
            before = built(example.before)
            if isinstance(before, Diagnostic):
                continue
            try:
                rewrite(before, rules)
            except RewriteError as error:
                first = _first_steps(before, rules)
                yield [first[rule] for rule, _, _ in error.cycle]
            except Exception:  # what an extern raises is said where its example is run
                continue


def _first_steps(before: UOp, rules: RuleSet) -> dict[str, Step]:
    """What each rule does first where rewriting does not end."""
    first: dict[str, Step] = {}

    def note(*step: Any) -> None:
        first.setdefault(step[0], step)

    with suppress(RewriteError):
        rewrite(before, rules, trace=note)
    return first


def _as_set(
    name: str, members: Sequence[t.Rule], symbols: Symbols, table: dict[str, Any]
) -> FileRuleSet:
    from rulewright.lang.matcher import generate_rules
    from rulewright.lang.table import ruleset_row

    row = {**ruleset_row(symbols.rulesets[name]), "parts": []}
    return FileRuleSet(name, {name: (row, generate_rules(name, members, table))})


def _circular(cycle: list[Step], symbols: Symbols, mine: set[str]) -> Diagnostic:
    names = list(dict.fromkeys(rule for rule, _, _ in cycle))
    names.sort(key=lambda name: name not in mine)
    listed = [f"`{name}`" for name in names]
    message = f"rule {listed[0]} takes what it makes: rewriting with it does not end"
    if len(names) > 1:
        message = f"rules {', '.join(listed[:-1])} and {listed[-1]} undo each other: "
        message += "rewriting with them does not end"
    _, before, after = cycle[0]
    help = f"{print_term(before)} becomes {print_term(after)}; give a guard that refuses one"
    spans = [symbols.rules[name].name.span for name in names]
    if len(names) > 1:
        return Diagnostic("endless", message, spans[0], spans[1], "the other one", help)
    return Diagnostic("endless", message, spans[0], help=help)
