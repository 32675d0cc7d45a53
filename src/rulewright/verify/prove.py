"""Proofs of rules: a ladder of methods, each tried where the one before says too little.

All values of a few bits; then z3 over bit-vectors of each dtype's own width and over unbounded
integers. Statuses of an instance, a rule at certain dtypes:

* proved: z3 says so. refuted: there is a counterexample, computed exactly. unknown: time ran out.
* bounded: no combination of a few bits, or of small indices, is wrong; no more is known.
* vacuous: nothing matches here. declared: no rung of the ladder takes such an instance yet.

Of a rule: the worst of its instances, with two exceptions. It is `proved` with the `width` up to
which all instances are, and `partial` where others are declared only. `trusted` says its text.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove_exhaustive import Check, Result, enumerate_values
from rulewright.verify.prove_smt import Answer, available, solve
from rulewright.verify.prove_terms import BOOL, EXACT, Kind, NeverMatches, Unsupported
from rulewright.verify.prove_types import TypedRule

SHORT_BITS = 4
_SHORT = {8: 2, 16: 3, 32: 4, 64: 5}  # several widths in one rule keep their order
_INDEX = EXACT._replace(name="index")
_INDEX_64 = Kind("index", "bits", 64, True)


@dataclass
class Outcome:
    """What is known of one instance. `width` is its widest machine integer; 0: none, or index.

    `short` is the number of bits for which all combinations were tried and none was wrong.
    """

    dtypes: str
    status: str
    method: str = ""
    width: int = 0
    short: int = 0
    note: str = ""
    counterexample: str = ""


@dataclass
class Proof:
    """What is known of a rule."""

    rule: str
    set: str
    file: str
    line: int
    method: str
    status: str
    width: str = ""
    instances: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    counterexample: str = ""
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain data for `--format json`."""
        return asdict(self)


def rules_of(files: Iterable[t.SourceFile]) -> Iterator[tuple[str, t.Rule]]:
    """Every rule of some files with the name of its set, in their order."""
    for file in files:
        for ruleset in file.all(t.RuleSet):
            for rule in ruleset.rules:
                yield str(ruleset.name), rule


def prove_rule(name: str, rule: t.Rule, facts: Facts, timeout: float = 5.0) -> Proof:
    """Climb the ladder for one rule of the set `name`; `timeout` in seconds a question to z3."""
    begun = time.perf_counter()
    span = rule.name.span
    proof = Proof(str(rule.name), name, span.file, span.line, "", "declared")
    if rule.all(t.Trust):
        proof.method, proof.status = "trust", "trusted"
        proof.note = rule.all(t.Trust)[0].reason.value
        return proof
    proof.method = "".join(str(c.method) for c in rule.all(t.Prove)[:1])
    try:
        typed = TypedRule(rule, facts)
    except Unsupported as reason:
        proof.note = f"not run: {reason}"
        return proof
    _conclude(proof, list(_Ladder(typed, timeout).climb()))
    proof.seconds = round(time.perf_counter() - begun, 3)
    return proof


def _conclude(proof: Proof, outcomes: list[Outcome]) -> None:
    statuses = [o.status for o in outcomes]
    ran = [o for o in outcomes if o.status not in ("vacuous", "declared")]
    proof.instances = [{k: v for k, v in asdict(o).items() if v} for o in outcomes]
    proof.note = next((o.note for o in outcomes if o.note and o.status != "vacuous"), "")
    if not ran:
        proof.status = "declared" if "declared" in statuses else "vacuous"
        return
    proof.method = max((o.method for o in ran), key=("exhaustive", "smt").index)
    failed = [o for o in ran if o.status == "refuted"]
    if failed:
        proof.status, proof.counterexample = "refuted", failed[0].counterexample
        proof.note, proof.width = f"at {failed[0].dtypes}", str(failed[0].width or "index")
        return
    _sum_up(proof, ran)
    if proof.status == "proved" and "declared" in statuses:
        proof.status = "partial"


def _sum_up(proof: Proof, ran: list[Outcome]) -> None:
    """Status and width of a rule of which nothing is refuted."""
    open_widths = [o.width for o in ran if o.status != "proved"]
    proved = [o.width for o in ran if o.status == "proved"]
    if not open_widths:
        proof.status, proof.width = "proved", str(max(proved) or "index")
    elif min(open_widths) > 0 and any(0 < w < min(open_widths) for w in proved):
        proof.status = "proved"
        proof.width = str(max(w for w in proved if w < min(open_widths)))
    else:
        worst = [o for o in ran if o.status == "unknown"] or ran
        proof.status = "unknown" if worst[0].status == "unknown" else "bounded"
        proof.width = str(min(o.short for o in worst) or "")


class _Ladder:
    """The rungs for all instances of one rule."""

    def __init__(self, rule: TypedRule, timeout: float) -> None:
        self.rule, self.timeout = rule, timeout
        self.short: dict[tuple[Kind, ...], Result | None] = {}
        self.lost: list[Mapping[int, Kind]] = []  # instances at which z3 ran out of time
        self.integers = False

    def climb(self) -> Iterator[Outcome]:
        """One outcome an instance; the counterexample of one is enough."""
        refuted = False
        for names in self.rule.instances():
            if not refuted:
                outcome = self._instance(names)
                refuted = outcome.status == "refuted"
                yield outcome

    def _kinds(self, names: Mapping[int, str]) -> dict[int, Kind] | None:
        """The kind of each dtype, or None where one is a float."""
        found = {}
        for slot, name in names.items():
            if name == "bool":
                found[slot] = BOOL
            elif name == "index":
                found[slot] = _INDEX
            elif name[0] in "iu":
                found[slot] = Kind(name, "bits", int(name[1:]), name[0] == "i")
            else:
                return None
        return found

    def _instance(self, names: Mapping[int, str]) -> Outcome:
        outcome = Outcome(self.rule.describe(names), "declared")
        kinds = self._kinds(names)
        if kinds is None:
            outcome.note = "floats: not run"
            return outcome
        outcome.width = max((k.bits for k in kinds.values() if k.sort == "bits"), default=0)
        try:
            self._climb(outcome, kinds)
        except NeverMatches:
            outcome.status = "vacuous"
        except Unsupported as reason:
            outcome.status, outcome.note = "declared", f"not run: {reason}"
        return outcome

    def _climb(self, outcome: Outcome, kinds: dict[int, Kind]) -> None:
        result = self._shortened(kinds)
        if result is not None:
            outcome.method, outcome.status = "exhaustive", "bounded"
            if result.wrong and self._shows(outcome, kinds, result.wrong):
                return
            machine = [k for k in kinds.values() if k.sort == "bits"]
            right = result.complete and not result.wrong
            outcome.short = SHORT_BITS if right and len(machine) == 1 else 0
        if not available():
            if result is None:
                raise Unsupported("z3 is not installed")
            if result.wrong:
                self._sampled(outcome, kinds)
            elif not result.matched and result.complete:
                outcome.status = "vacuous"
            return
        outcome.method = "smt"
        self._ask(outcome, kinds, bool(result and result.matched))

    def _shortened(self, kinds: dict[int, Kind]) -> Result | None:
        """All values of short integers; None where a width of the rule is what it is."""
        machine = [k for k in kinds.values() if k.sort == "bits"]
        if self.rule.concrete:
            return None
        one = len(machine) == 1
        short = {
            s: k._replace(
                name=f"{k.name[0]}{SHORT_BITS}", bits=SHORT_BITS if one else _SHORT[k.bits]
            )
            if k.sort == "bits"
            else k
            for s, k in kinds.items()
        }
        key = tuple(short.values())
        if key not in self.short:
            try:
                self.short[key] = enumerate_values(self.rule, short)
            except NeverMatches:
                self.short[key] = Result(0, False, None)
            except Unsupported:
                self.short[key] = None
        return self.short[key]

    def _shows(self, outcome: Outcome, kinds: dict[int, Kind], values: dict[str, int]) -> bool:
        """Whether values, at the real widths, are a counterexample; if so it is noted."""
        check = Check(self.rule, kinds, values)
        if check.confirmed:
            outcome.status, outcome.counterexample = "refuted", check.graphs()
        return check.confirmed

    def _sampled(self, outcome: Outcome, kinds: dict[int, Kind]) -> None:
        """Without z3: the ends of the real range, where short integers went wrong."""
        if outcome.width == 8:
            found = enumerate_values(self.rule, kinds).wrong
            if found and self._shows(outcome, kinds, found):
                return
        outcome.status, outcome.note = "unknown", f"wrong for {SHORT_BITS} bits"

    def _ask(self, outcome: Outcome, kinds: dict[int, Kind], matches: bool) -> None:
        if any(_wider(kinds, lost) for lost in self.lost):
            outcome.status, outcome.note = "unknown", "not asked: time ran out for fewer bits"
            return
        answer = self._solve(outcome, kinds, matches)
        outcome.status = answer.status
        if answer.values is not None and not self._shows(outcome, kinds, answer.values):
            outcome.status, outcome.note = "unknown", "z3's counterexample is none"
        elif answer.status == "unknown":
            outcome.note = f"time ran out after {self.timeout:g} s"
        if outcome.status == "unknown":
            self.lost.append(kinds)

    def _solve(self, outcome: Outcome, kinds: dict[int, Kind], matches: bool) -> Answer:
        """Ask in one theory after the other, that which last had an answer first.

        Where neither has words for an unbounded index, it is one of 64 bits.
        """
        answer = None
        for integers in (self.integers, not self.integers):
            try:
                answer = solve(self.rule, kinds, self.timeout, matches, integers)
            except Unsupported:
                continue
            if answer.status != "unknown":
                self.integers = integers
                return answer
        if answer is not None:
            return answer
        bounded = {s: _INDEX_64 if k == _INDEX else k for s, k in kinds.items()}
        answer = solve(self.rule, bounded, self.timeout, matches)
        if bounded != kinds:
            outcome.note = "index as 64 bits"
        return answer


def _wider(kinds: Mapping[int, Kind], than: Mapping[int, Kind]) -> bool:
    """Whether an instance is another one with wider integers."""
    return all(
        k.sort == than[s].sort and k.signed == than[s].signed and k.bits >= than[s].bits
        for s, k in kinds.items()
    )
