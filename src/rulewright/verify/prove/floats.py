"""The tactics for instances with floats: all values of short ones, then z3's IEEE 754."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rulewright.verify.prove.ask import solve
from rulewright.verify.prove.exhaustive import AllValues
from rulewright.verify.prove.floating import Floats, Numbers
from rulewright.verify.prove.instance import Instance
from rulewright.verify.prove.integers import INDEX, INDEX_64, kinds_of
from rulewright.verify.prove.proof import Outcome
from rulewright.verify.prove.scalars import Terms, counterexample
from rulewright.verify.prove.smt import available
from rulewright.verify.prove.terms import Kind, NeverMatches, Unsupported
from rulewright.verify.prove.trial import Match
from rulewright.verify.prove.typed import TypedRule, Typing
from rulewright.verify.values.comparison import needs_shadow

_FEW = 1 << 20  # combinations of values that are tried before z3 is asked
_MANY = 1 << 24  # and after it
_QUICK = 1 << 17  # two floats of 8 bits, and an answer to what a guard asks
_PATIENCE = 4  # an adder of floats is a longer circuit than one of integers


class FloatTactics:
    """The tactics for the instances of one rule that have floats."""

    def __init__(self, rule: TypedRule, match: Match, timeout: float, quick: bool = False) -> None:
        self.rule, self.match, self.quick = rule, match, quick
        self.timeout = timeout if quick else timeout * _PATIENCE
        self.lost: list[int] = []  # widths of floats at which z3 gave up

    def outcome(self, choice: Typing) -> Outcome:
        """What is known of an instance: proved, refuted, vacuous or unknown."""
        outcome = Outcome(self.rule.describe(choice.names), "unknown")
        assert choice.whole is not None
        kinds = {s: INDEX_64 if k == INDEX else k for s, k in kinds_of(choice.whole).items()}
        try:
            Terms(self.rule, choice.names)
            self._climb(outcome, choice, kinds)
        except NeverMatches:
            outcome.status = "vacuous"
        return outcome

    def _climb(self, outcome: Outcome, choice: Typing, kinds: Mapping[int, Kind]) -> None:
        if needs_shadow(self.rule.rule.equiv):
            outcome.status = "declared"
            return
        if self._all_values(outcome, choice, kinds, _QUICK if self.quick else _FEW):
            return
        if available() and self._ask(outcome, choice, kinds):
            return
        if not self.quick:
            self._all_values(outcome, choice, kinds, _MANY)

    def _all_values(
        self, outcome: Outcome, choice: Typing, kinds: Mapping[int, Kind], room: int
    ) -> bool:
        """Whether all there are were tried, and what came of it."""
        arrays = AllValues(room)
        try:
            instance = Instance(self.rule, kinds, arrays)
        except (Unsupported, OverflowError):
            return False
        outcome.method = "exhaustive values"
        wrong = arrays.first(instance.wrong.raw)
        if wrong is not None:
            self._shows(outcome, choice, wrong)
            return not instance.imagined
        matched = bool(np.any(instance.matches.raw))
        outcome.status = "proved" if matched or instance.imagined else "vacuous"
        return True

    def _ask(self, outcome: Outcome, choice: Typing, kinds: Mapping[int, Kind]) -> bool:
        """Whether z3 had an answer."""
        width = max(k.bits for k in kinds.values() if k.sort == "float")
        if any(width > lost for lost in self.lost):
            outcome.note = "not asked: z3 gave up for fewer bits"
            return False
        try:
            answer = solve(self.rule, kinds, self.timeout, theory=Floats)
        except Unsupported:
            outcome.status = "declared"
            return False
        outcome.method = "fp"
        if answer.values is not None:
            return self._shows(outcome, choice, answer.values) or self._numbers(
                outcome, choice, kinds
            )
        outcome.status, outcome.note = answer.status, answer.note
        if answer.status == "unknown":
            self.lost.append(width)
            outcome.note = f"{answer.note} after {self.timeout:g} s of work"
        return answer.status != "unknown"

    def _numbers(self, outcome: Outcome, choice: Typing, kinds: Mapping[int, Kind]) -> bool:
        """Whether a number is wrong, after a counterexample that is none: of what bits a NaN of
        arithmetic has z3 knows nothing."""
        answer = solve(self.rule, kinds, self.timeout, theory=Numbers)
        if answer.values is not None:
            return self._shows(outcome, choice, answer.values)
        if answer.status == "proved":
            outcome.note = "proved but for the bits of NaNs"
        elif answer.status == "unknown":
            outcome.note = f"bits of NaNs apart, {answer.note} after {self.timeout:g} s of work"
        return False

    def _shows(self, outcome: Outcome, choice: Typing, values: Mapping[str, int]) -> bool:
        """Whether values are a counterexample for the matcher that ships; if so it is noted."""
        valid = {n: v for n, v in values.items() if not n.endswith(".invalid")}  # among floats
        shown = counterexample(self.rule, choice.names, self.match, valid)
        outcome.status, outcome.note = "unknown", "z3's counterexample is none"
        if shown:
            outcome.status, outcome.note, outcome.counterexample = "refuted", "", shown
        return bool(shown)


def has_floats(choice: Typing) -> bool:
    """Whether a float is among the dtypes of an instance that can be made."""
    whole = {} if choice.whole is None else kinds_of(choice.whole)
    return any(kind.sort == "float" for kind in whole.values())
