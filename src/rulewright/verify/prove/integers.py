"""The tactics for integers: all values of a few bits, then z3."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rulewright.ir.dtypes import dtype
from rulewright.verify.prove.ask import SolverAnswer, solve
from rulewright.verify.prove.exhaustive import Enumeration, enumerate_values
from rulewright.verify.prove.proof import Outcome
from rulewright.verify.prove.scalars import counterexample
from rulewright.verify.prove.smt import Residues, SmtDomain, UnreadDivision, available
from rulewright.verify.prove.terms import BOOL, EXACT, Kind, NeverMatches, Unsupported
from rulewright.verify.prove.trial import Match
from rulewright.verify.prove.typed import TypedPart, TypedRule, Typing

SHORT_BITS = 4
_SHORT = {8: 2, 16: 3, 32: 4, 64: 5}  # several widths in one rule keep their order
_DIVISIONS = ("FLOORDIV", "FLOORMOD")
_UNREAD = (*_DIVISIONS, "CDIV", "CMOD")
_QUICK_BITS = 16  # a quick proof asks nothing about wider integers
INDEX = EXACT._replace(name="index")
INDEX_64 = Kind("index", "bits", 64, True)


class IntegerTactics:
    """The tactics for all instances of one rule that are of integers and truth values alone."""

    def __init__(self, rule: TypedRule, match: Match, timeout: float, quick: bool = False) -> None:
        self.rule, self.match, self.timeout, self.quick = rule, match, timeout, quick
        self.short: dict[tuple[Kind, ...], Enumeration | None] = {}
        self.lost: list[Mapping[int, Kind]] = []  # instances at which z3 ran out of time
        self.integers = _divides(rule.pattern)  # the theory to ask first
        self.divides = _divides(rule.pattern, _UNREAD)

    def outcome(self, choice: Typing) -> Outcome:
        """What is known of an instance; `declared` where its replacement does not exist."""
        outcome = Outcome(self.rule.describe(choice.names), "declared")
        if choice.whole is None:
            outcome.note = "the replacement does not exist at these dtypes"
            return outcome
        kinds = kinds_of(choice.whole)
        outcome.width = max((k.bits for k in kinds.values() if k.sort == "bits"), default=0)
        try:
            self._climb(outcome, choice, kinds)
        except NeverMatches:
            outcome.status = "vacuous"
        except Unsupported as reason:
            outcome.status, outcome.note = "declared", f"not run: {reason}"
        return outcome

    def _climb(self, outcome: Outcome, choice: Typing, kinds: dict[int, Kind]) -> None:
        result = self._shortened(kinds)
        if result is not None:
            outcome.method, outcome.status = "exhaustive", "bounded"
            if result.wrong and self._shows(outcome, choice, result.wrong):
                return
            machine = [k for k in kinds.values() if k.sort == "bits"]
            right = result.complete and not result.wrong
            outcome.short = SHORT_BITS if right and len(machine) == 1 else 0
        if not available():
            if result is None:
                raise Unsupported("z3 is not installed")
            if result.wrong:
                self._sampled(outcome, choice, kinds)
            elif not result.matched and result.complete:
                outcome.status = "vacuous"
            return
        outcome.method = "smt"
        if self.quick and outcome.width > _QUICK_BITS:
            outcome.status, outcome.note = "unknown", "not asked: a quick proof"
            return
        self._ask(outcome, choice, kinds, bool(result and result.matched))

    def _shortened(self, kinds: dict[int, Kind]) -> Enumeration | None:
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
                self.short[key] = Enumeration(0, False, None)
            except Unsupported:
                self.short[key] = None
        return self.short[key]

    def _shows(self, outcome: Outcome, choice: Typing, values: Mapping[str, int]) -> bool:
        """Whether values, at the real widths, are a counterexample; if so it is noted."""
        shown = counterexample(self.rule, choice.names, self.match, values)
        if shown:
            outcome.status, outcome.counterexample = "refuted", shown
        return bool(shown)

    def _sampled(self, outcome: Outcome, choice: Typing, kinds: dict[int, Kind]) -> None:
        """Without z3: the ends of the real range, where short integers went wrong."""
        if outcome.width == 8:
            wrong = enumerate_values(self.rule, kinds).wrong
            if wrong and self._shows(outcome, choice, wrong):
                return
        outcome.status, outcome.note = "unknown", f"wrong for {SHORT_BITS} bits"

    def _ask(self, outcome: Outcome, choice: Typing, kinds: dict[int, Kind], matches: bool) -> None:
        if any(_wider(kinds, lost) for lost in self.lost):
            outcome.status, outcome.note = "unknown", "not asked: z3 gave up for fewer bits"
            return
        answer = self._solve(outcome, kinds, matches)
        outcome.status = answer.status
        if answer.values is not None and not self._shows(outcome, choice, answer.values):
            outcome.status, outcome.note = "unknown", "z3's counterexample is none"
        elif answer.status == "unknown":
            outcome.note = f"{answer.note} after {self.timeout:g} s of work"
            self.lost.append(kinds)

    def _solve(self, outcome: Outcome, kinds: dict[int, Kind], matches: bool) -> SolverAnswer:
        """Ask in one theory after the other, that which last had an answer first.

        Where neither has words for an unbounded index, it is one of 64 bits.
        """
        answer = self._unread(kinds, matches)
        if answer is not None:
            return answer
        for integers in (self.integers, not self.integers):
            try:
                theory = Residues if integers else SmtDomain
                answer = solve(self.rule, kinds, self.timeout, matches, theory)
            except Unsupported:
                continue
            if answer.status != "unknown":
                self.integers = integers
                return answer
        if answer is not None:
            return answer
        bounded = {s: INDEX_64 if k == INDEX else k for s, k in kinds.items()}
        answer = solve(self.rule, bounded, self.timeout, matches)
        if bounded != kinds:
            outcome.note = "index as 64 bits"
        return answer

    def _unread(self, kinds: Mapping[int, Kind], matches: bool) -> SolverAnswer | None:
        """That it holds whatever a division of machine integers gives, where that is so."""
        if not self.divides:
            return None
        try:
            answer = solve(self.rule, kinds, self.timeout / 4, matches, UnreadDivision)
        except Unsupported:
            return None
        if answer.status == "proved":
            return answer
        self.divides = False  # it hangs on what a division is, at any width
        return None


def kinds_of(names: Mapping[int, str]) -> dict[int, Kind]:
    """The kind of each dtype."""
    kinds = {}
    for slot, name in names.items():
        if name == "bool":
            kinds[slot] = BOOL
        elif name == "index":
            kinds[slot] = INDEX
        elif name[0] in "iu":
            kinds[slot] = Kind(name, "bits", int(name[1:]), name[0] == "i")
        else:
            kinds[slot] = Kind(name, "float", dtype(name).bits, False)
    return kinds


def _divides(part: TypedPart, ops: Collection[str] = _DIVISIONS) -> bool:
    """Whether a pattern divides by more than a literal: slow in bit-vectors."""
    inner = (p for p in part.walk() if p.value in ops and p.parts)
    return any(p.parts[1].what != "literal" for p in inner)


def _wider(kinds: Mapping[int, Kind], than: Mapping[int, Kind]) -> bool:
    """Whether an instance is another one with wider integers."""
    return all(
        k.sort == than[s].sort and k.signed == than[s].signed and k.bits >= than[s].bits
        for s, k in kinds.items()
    )
