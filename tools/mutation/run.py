"""Tries to kill mutants: by the static checks, their examples, proofs and the cases, in that order.

A mutant that no check objects to and that z3 proves for all integers is no fault but another right
rule (`sound`), unless it fires for less. One that nothing kills is a survivor: a reviewed list says
why it is let live.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr
from dataclasses import asdict, dataclass
from functools import cache
from io import StringIO
from itertools import repeat
from pathlib import Path
from types import ModuleType
from typing import Any

from mutation.angles import is_wrong_at_angles
from mutation.less import fires_less
from mutation.mutants import Mutant, mutants
from rule_coverage.count import recording
from rule_coverage.report import handlers
from rulewright.checks.ends import falls, gauges_of
from rulewright.checks.examples import check_examples
from rulewright.checks.rules import check_rule
from rulewright.errors import RulewrightError
from rulewright.ir.known import matched_by
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.matcher import generate_rules
from rulewright.lang.matcher_facts import rules_of_set
from rulewright.lang.symbols import Symbols, collect

_CAUGHT = ("refuted", "vacuous", "failed")
KILLED = ("check", "example", "measure", "prove", "case")
"""What may kill a mutant."""

SLOW = ", not in quick mode"
"""What a note ends with where no quick proof kills."""


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: `by` is one of KILLED, `sound` or `survived`; `note` says how."""

    rule: str
    what: str
    by: str
    note: str = ""

    @property
    def name(self) -> str:
        """What reviewed lists call the mutant."""
        return f"{self.rule}, {self.what}"

    def to_json(self) -> dict[str, str]:
        """Plain data."""
        return asdict(self)


@cache
def _symbols() -> Symbols:
    return collect(parsed_spec())[0]


@cache
def _rules() -> dict[str, t.Rule]:
    return {str(r.name): r for f in parsed_spec() for s in f.all(t.RuleSetDecl) for r in s.rules}


def all_mutants(wanted: Sequence[str] = ()) -> list[Mutant]:
    """The mutants of all rules of the spec, or of those that are wanted."""
    return [
        mutant
        for name, rule in _rules().items()
        if not wanted or name in wanted
        for mutant in mutants(rule)
    ]


def sample(mutants: Sequence[Mutant], count: int) -> list[Mutant]:
    """Some mutants: always the same ones of the same list."""
    chosen = sorted(random.Random("mutants").sample(range(len(mutants)), min(count, len(mutants))))
    return [mutants[i] for i in chosen]


def run(mutants: Sequence[Mutant], cases: Path | None, jobs: int = 1) -> Iterator[Fate]:
    """The fate of each mutant, in order. `cases` is the folder of cases; None leaves them out."""
    if jobs == 1:
        yield from map(fate, mutants, repeat(cases))
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(fate, mutants, repeat(cases), chunksize=8)


def fate(mutant: Mutant, cases: Path | None) -> Fate:
    """What kills a mutant first."""
    quick = quick_fate(mutant)
    if quick.by in KILLED:
        return quick
    name, rule = mutant.name, mutant.rule
    note = tried(rule, cases) if cases else ""
    if note:
        return Fate(name, mutant.what, "case", note)
    status, instances = ("trusted", {}) if rule.all(t.Trust) else _proved(rule, quick=False)
    if status.startswith(_CAUGHT):
        return Fate(name, mutant.what, "prove", f"{status}{SLOW}")
    original = _rules()[name]
    if mutant.rule.type_params != original.type_params:
        more = instances.keys() - _instances(name).keys()
        if more and all(instances[at] in ("proved", "vacuous") for at in more):
            return Fate(name, mutant.what, "sound", "what it takes more is proved")
    if status == "proved" and fires_less(mutant, original):
        return Fate(name, mutant.what, "survived", "proved, but it fires for less")
    return Fate(name, mutant.what, "sound" if status == "proved" else "survived", status)


@cache
def _instances(name: str) -> dict[str, str]:
    """The status of each instance of a shipped rule."""
    return _proved(_rules()[name], quick=True)[1]


def quick_fate(mutant: Mutant) -> Fate:
    """What kills a mutant within a moment: what a check says of it, its examples, a quick proof."""
    name, rule = mutant.name, mutant.rule
    for by, attempt in (("check", _checked), ("example", _shown), ("measure", _measured)):
        note = attempt(rule)
        if note:
            return Fate(name, mutant.what, by, note)
    status = "trusted" if rule.all(t.Trust) else _proved(rule, quick=True)[0]
    if not status.startswith(_CAUGHT) and is_wrong_at_angles(rule, _rules()[name]):
        status = "refuted at angles near whole quarters"
    by = "prove" if status.startswith(_CAUGHT) else "survived"
    return Fate(name, mutant.what, by, status)


def _checked(rule: t.Rule) -> str:
    return next((d.message for d in check_rule(rule, _symbols())), "")


def _shown(rule: t.Rule) -> str:
    try:
        return next((d.message for d in check_examples([rule], _symbols())), "")
    except RulewrightError as error:
        return str(error)


def _measured(rule: t.Rule) -> str:
    """What a set that measures its rules says of this one."""
    if rule.all(t.Expands):
        return ""
    symbols = _symbols()
    for ruleset in symbols.rulesets.values():
        option = next((str(o.value) for o in ruleset.options if o.name == "measure"), "")
        names = {str(r.name) for r in rules_of_set(str(ruleset.name), symbols.rulesets)}
        if option and str(rule.name) in names:
            measure = symbols.measures[option]
            if not falls(rule, gauges_of(measure), symbols):
                return f"does not lower {option}"
    return ""


def _proved(rule: t.Rule, quick: bool) -> tuple[str, dict[str, str]]:
    """The status of a rule, and that of each instance by its dtypes."""
    from rulewright.verify.prove import Settings, prove_rule

    settings = Settings(1.0, True, 5.0) if quick else Settings(1.0, False, 10.0)
    try:
        proof = prove_rule(rule, load_table(), "", settings)
    except Exception as error:  # a faulty rule may do anything; it is found out
        return f"failed with {type(error).__name__}", {}
    return proof.status, {i["dtypes"]: i["status"] for i in proof.instances if "dtypes" in i}


# ---- cases ---------------------------------------------------------------------------------------


@cache
def _cases(path: Path) -> list[tuple[t.Case, frozenset[str]]]:
    """The cases of a file, each with the rules that it names, that fired or were asked in it."""
    from cases import load_cases, run_case

    cases = []
    for case in load_cases(path):
        with recording() as counts:
            run_case(case, handlers())
        asked = {rule for rule, _ in counts.asked} | {str(n) for p in case.parts for n in p.names}
        cases.append((case, frozenset(counts.fired) | asked))
    return cases


@cache
def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.uop"))


def tried(rule: t.Rule, folder: Path, only: Path | None = None) -> str:
    """The first case of a folder, or of `only` that file, that does not hold with the mutant."""
    from cases import run_case

    wanted = str(rule.name)
    known = [(path, *row) for path in ([only] if only else _files(folder)) for row in _cases(path)]
    with matched_by(_Mutated(rule)), redirect_stderr(StringIO()):
        for path, case, touched in known:
            if wanted not in touched:
                continue
            try:
                problems = run_case(case, handlers())
            except Exception as error:  # a faulty rule may do anything
                problems = [type(error).__name__]
            if problems:
                return f"{path.relative_to(folder).as_posix()}: {case.name}"
    return ""


class _Mutated:
    """Gives each rule set its matcher, with one rule replaced by its mutant."""

    def __init__(self, rule: t.Rule) -> None:
        self.rule = rule
        self.matchers: dict[str, ModuleType] = {}

    def __call__(self, name: str) -> ModuleType:
        from rulewright.lang.build import load_matcher

        rules = rules_of_set(name, _symbols().rulesets)
        if self.rule.name not in {str(r.name) for r in rules}:
            return load_matcher(name)
        if name not in self.matchers:
            rules = [self.rule if r.name == self.rule.name else r for r in rules]
            module = ModuleType(f"mutated_{name}")
            source = generate_rules(name, rules, load_table())
            exec(compile(source, f"<mutated {name}>", "exec"), module.__dict__)
            self.matchers[name] = module
        return self.matchers[name]


# ---- what is said of the survivors ---------------------------------------------------------------


def reason(fate: Fate, reasons: Mapping[str, str]) -> str:
    """Why a mutant is let live, by its name in a reviewed list."""
    return reasons.get(fate.name, "")


def summary(fates: Sequence[Fate], reasons: Mapping[str, str]) -> dict[str, Any]:
    """Numbers: how many, what killed how many, and the score among faults, in percent.

    A survivor whose reason begins with `same:` does what its rule does: it is no fault.
    """
    by = {name: sum(f.by == name for f in fates) for name in (*KILLED, "sound", "survived")}
    same = sum(f.by == "survived" and reason(f, reasons).startswith("same:") for f in fates)
    killed = sum(by[name] for name in KILLED)
    faults = len(fates) - by["sound"] - same
    score = 100 * killed / faults if faults else 100.0
    return {"mutants": len(fates), **by, "same": same, "score": score}
