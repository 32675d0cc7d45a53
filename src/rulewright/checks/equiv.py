"""Equivalences: what a rule needs, and whether a pipeline tolerates it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, nearest
from rulewright.lang.matcher_facts import rules_of_set
from rulewright.lang.symbols import Symbols

LEVELS = ("bits", "nan_payload", "signed_zero", "finite")
"""One axis, from the same bits to the same finite values; each allows what stands before it."""

AXES = ("ulp", "reassoc")


def check_equiv(equiv: t.Equiv) -> Iterator[Diagnostic]:
    """An unknown name, or an amount where none belongs."""
    if equiv.name not in (*LEVELS, *AXES):
        hint = nearest(equiv.name, (*LEVELS, *AXES)) or f"there are {', '.join((*LEVELS, *AXES))}"
        message = f"unknown equivalence `{equiv.name}`"
        yield Diagnostic("unknown", message, equiv.name.span, help=hint)
    elif (equiv.name == "ulp") != (equiv.amount is not None):
        message = "`ulp` needs an amount" if equiv.name == "ulp" else "only `ulp` has an amount"
        yield Diagnostic("equiv", message, equiv.span, help="write `ulp:2`")


def is_tolerated(equiv: t.Equiv | None, tolerates: Iterable[t.Equiv]) -> bool:
    """Whether a rule that needs `equiv` may run where `tolerates` is all that is allowed."""
    if equiv is None or equiv.name == "bits":
        return True
    if equiv.name in LEVELS:
        levels = [LEVELS.index(q.name) for q in tolerates if q.name in LEVELS]
        return LEVELS.index(equiv.name) <= max(levels, default=0)
    same = [q for q in tolerates if q.name == equiv.name]
    return any((q.amount or 0) >= (equiv.amount or 0) for q in same)


def check_tolerance(pipelines: Sequence[t.Pipeline], symbols: Symbols) -> Iterator[Diagnostic]:
    """Rules that change more than the pipeline in which they run tolerates."""
    for pipeline in pipelines:
        seen: set[str] = set()
        for name in _run_by(pipeline, symbols):
            rules = rules_of_set(name, symbols.rulesets)
            for rule in [r for r in rules if r.name not in seen]:
                yield from _beyond(rule, pipeline, name)
            seen |= {str(r.name) for r in rules}
    for item in symbols.rulesets.values():
        places = [str(o.value) for o in item.options if o.name == "at"]
        for at in [place for place in places if parts_known(place, symbols)]:
            yield from check_loaded(rules_of_set(str(item.name), symbols.rulesets), at, symbols)


def check_loaded(rules: Iterable[t.Rule], at: str, symbols: Symbols) -> Iterator[Diagnostic]:
    """Rules that cannot be loaded in front of the set `at`, because a pipeline that runs it, by
    itself or as a part, tolerates less than they need."""
    for pipeline in symbols.pipelines.values():
        if any(at in _closure(name, symbols) for name in _run_by(pipeline, symbols)):
            for rule in rules:
                yield from _beyond(rule, pipeline, at)


def _run_by(pipeline: t.Pipeline, symbols: Symbols) -> list[str]:
    """The sets that a pipeline runs, those of every target included."""
    facts = (f for target in symbols.targets.values() for f in target.facts if f.kind == "lower")
    run = [str(e.what) for e in pipeline.entries if e.action == "rules"]
    run += [str(name) for f in facts if isinstance(f.value, tuple) for name in f.value]
    return [name for name in dict.fromkeys(run) if parts_known(name, symbols)]


def _closure(name: str, symbols: Symbols) -> set[str]:
    """A set and all its parts, and theirs."""
    return {name}.union(*(_closure(str(p), symbols) for p in symbols.rulesets[name].parts))


def parts_known(name: str, symbols: Symbols, path: tuple[str, ...] = ()) -> bool:
    """Whether all parts of a set exist and none contains itself."""
    if name in path or name not in symbols.rulesets:
        return False
    return all(parts_known(p, symbols, (*path, name)) for p in symbols.rulesets[name].parts)


def _beyond(rule: t.Rule, pipeline: t.Pipeline, ruleset: str) -> Iterator[Diagnostic]:
    if rule.equiv is None or is_tolerated(rule.equiv, pipeline.tolerates):
        return
    needs = rule.equiv.name + (f":{rule.equiv.amount}" if rule.equiv.amount is not None else "")
    tolerated = ", ".join(q.name for q in pipeline.tolerates) or "nothing but the same bits"
    yield Diagnostic(
        "equiv",
        f"rule `{rule.name}` needs `{needs}`, which pipeline `{pipeline.name}` does not tolerate",
        rule.equiv.span,
        pipeline.name.span,
        f"this pipeline runs `{ruleset}` and tolerates {tolerated}",
        "move the rule to a set that is not run by default, or tolerate it",
    )
