"""Asking z3 about one instance of a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rulewright.verify.prove.instance import Instance
from rulewright.verify.prove.proof import TIME
from rulewright.verify.prove.smt import WORK, SmtDomain
from rulewright.verify.prove.terms import Kind, NeverMatches, Term, Unsupported, checked
from rulewright.verify.prove.typed import TypedPart, TypedRule

_SEEDS = {0: 1.0, 1: 0.5}  # from each, z3 takes another way; with this part of the work
_MOST_CASES = 128  # values of a constant that are asked about one by one
_CASE = 2  # with this part of the work each
LAST_RESORT = 600
"""Seconds of wall-clock time after which a question ends whose work z3 does not count."""


class SolverAnswer(NamedTuple):
    """What z3 said: proved, refuted, vacuous or unknown; values of a counterexample.

    `note` tells time that ran out from work that did, which is the same on every machine; of what
    is proved it says what was assumed.
    """

    status: str
    values: dict[str, int] | None = None
    note: str = ""


def solve(
    rule: TypedRule,
    kinds: Mapping[int, Kind],
    timeout: float,
    matches: bool = False,
    theory: type[SmtDomain] = SmtDomain,
) -> SolverAnswer:
    """Ask z3 for values at which the rule matches and changes the result.

    `timeout` in seconds of an idle core, by the work that z3 counts; `matches` says that the
    pattern is known to match;
    `theory` is what machine integers are: bit-vectors, integers modulo 2^n, or the one with floats.
    Raises Unsupported for a rule with what that theory has no words for.
    """
    symbols = theory()
    try:
        instance = Instance(rule, kinds, symbols)
    except NeverMatches:
        return SolverAnswer("vacuous")

    def ask(*conditions: Term) -> SolverAnswer:
        """Whether these hold together: refuted, proved (they do not), or unknown."""
        assumed = [c.raw for c in (*instance.assumed, *conditions)]
        answer = SolverAnswer("proved")
        for case in symbols.cases():
            answer = _ask(symbols, [*case, *assumed], timeout)
            if answer.status != "proved":
                break
        return answer

    wrong = [*instance.conditions, instance.differs, *(~error for error in instance.beyond)]
    stops = next((a for a in map(ask, instance.raises) if a.status != "proved"), None)
    answer = ask(*wrong)
    if stops is not None and answer.status != "refuted":  # where it ends may not be to be shown
        return stops
    if answer.status == "unknown" and symbols.whole:
        answer = _by_cases(symbols, instance, timeout) or answer
    if answer.status != "proved":
        return answer
    if any(ask(error).status != "proved" for error in instance.beyond):
        raise Unsupported("shl by many bits in a guard")
    never = not matches and ask(*instance.conditions).status == "proved"
    return SolverAnswer("vacuous") if never else SolverAnswer("proved", note=symbols.assumes)


def _by_cases(symbols: SmtDomain, instance: Instance, timeout: float) -> SolverAnswer | None:
    """What is asked for each value that the guard leaves to one of the constants, if few.

    Shifts by a constant, and divisions by a power of two, are easy one by one.
    """
    matched = [c.raw for c in (*instance.assumed, *instance.conditions)]
    for name in constants_of(instance.rule.pattern):
        raw = symbols.unknowns[name][1]
        values = _values_of(symbols, raw, matched)
        if not values:
            continue
        for value in values:
            conditions = [*matched, instance.differs.raw, raw == value]
            answer = _ask(symbols, conditions, timeout / _CASE)
            if answer.status != "proved":
                return answer if answer.status == "refuted" else None
        return SolverAnswer("proved")
    return None


def constants_of(part: TypedPart) -> Iterator[str]:
    """The names of the constants in a pattern."""
    return (inner.value for inner in part.walk() if inner.what == "const")


def _values_of(symbols: SmtDomain, raw: Any, conditions: Sequence[Any]) -> list[Any]:
    """All values of an unknown, if there are few."""
    solver = symbols.solver()
    solver.set("rlimit", WORK)
    solver.add(*symbols.facts, *conditions)
    values: list[Any] = []
    while checked(solver) == symbols.z3.sat:
        values.append(solver.model().eval(raw, model_completion=True))
        if len(values) > _MOST_CASES:
            return []
        solver.add(raw != values[-1])
    return values if checked(solver) == symbols.z3.unsat else []


def _ask(symbols: SmtDomain, conditions: list[Any], timeout: float) -> SolverAnswer:
    """Ask one question, in another way where there is no answer."""
    out_of_time = False
    for seed, share in _SEEDS.items():
        solver = symbols.solver()
        solver.set("random_seed", seed)
        solver.set("rlimit", max(1, int(timeout * WORK * share)))
        solver.set("timeout", int(1000 * LAST_RESORT) + 1)
        solver.add(*symbols.facts, *symbols.lemmas(), *conditions)
        answer = checked(solver)
        if answer == symbols.z3.sat:
            return SolverAnswer("refuted", _values(symbols, solver.model()))
        if answer == symbols.z3.unsat:
            return SolverAnswer("proved")
        out_of_time |= solver.reason_unknown() == "timeout"
    return SolverAnswer("unknown", note=TIME if out_of_time else "z3 gave up")


def _values(symbols: SmtDomain, model: Any) -> dict[str, int]:
    values = {}
    for name, (kind, raw) in symbols.unknowns.items():
        value = model.eval(raw, model_completion=True)
        if kind.sort == "bool":
            values[name] = int(symbols.z3.is_true(value))
        else:
            signed = kind.signed and hasattr(value, "as_signed_long")
            values[name] = value.as_signed_long() if signed else value.as_long()
    return values
