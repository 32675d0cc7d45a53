"""The suite of `rulewright conformance`: what any device has to compute, case by case.

Cases are the rows of the table of methods (values, derivatives, refusals), over their dtypes and
shapes, and the hazards of writes into views. Expected values come from numpy and definitions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial

from rulewright.errors import RulewrightError
from rulewright.options import Context
from rulewright.runtime.profile import GlobalCounters
from rulewright.verify.absent import declared
from rulewright.verify.hazards import PROGRAMS, check_hazard
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import check_gradient, check_refusal, check_row
from rulewright.verify.methods.row import Method, Refusal

KINDS = ("values", "gradients", "refusals", "hazards")
"""What there are cases of, in the order in which they are run."""


@dataclass(frozen=True)
class Case:
    """One case: `name` is KIND/SUBJECT/DETAIL, `check` gives what is wrong on a device."""

    name: str
    check: Callable[[str, Collection[str]], list[str]]
    text: str = ""

    @property
    def kind(self) -> str:
        """Values, gradients, refusals or hazards."""
        return self.name.partition("/")[0]


@dataclass
class Result:
    """What came of a case. status: right, wrong or absent. ran: kernels run, by device."""

    case: str
    kind: str
    status: str
    messages: list[str]
    seconds: float = 0.0
    ran: dict[str, int] = field(default_factory=dict)


def cases() -> Iterator[Case]:
    """Every case, in a fixed order; each name once."""
    seen: dict[str, int] = {}
    for case in _all():
        seen[case.name] = again = seen.get(case.name, 0) + 1
        yield case if again == 1 else Case(f"{case.name} ({again})", case.check, case.text)


def _all() -> Iterator[Case]:
    rows = all_rows()
    for row in rows:
        yield Case(f"values/{row.name}/{row.call}", partial(_values, row), row.call)
    for row in rows:
        if row.gradient:
            yield Case(f"gradients/{row.name}/{row.call}", partial(_gradients, row), row.call)
    for refusal in all_refusals():
        name = f"refusals/{refusal.name}/{refusal.call}"
        yield Case(name, partial(_refusal, refusal), refusal.call)
    for name, source in PROGRAMS.items():
        yield Case(f"hazards/{name}", partial(_hazard, source), source)


def _values(row: Method, device: str, without: Collection[str]) -> list[str]:
    return check_row(row, device, without)


def _gradients(row: Method, device: str, without: Collection[str]) -> list[str]:
    return [] if "f64" in without else check_gradient(row, device)


def _refusal(row: Refusal, device: str, without: Collection[str]) -> list[str]:
    problem = "" if set(row.dtypes) & set(without) else check_refusal(row, device)
    return [problem] if problem else []


def _hazard(source: str, device: str, without: Collection[str]) -> list[str]:
    return check_hazard(source, device)


def run_case(case: Case, device: str) -> Result:
    """Run one case on a device; an error of any kind is what is wrong with it."""
    reason, without = declared(device, case.name)
    if reason:
        return Result(case.name, case.kind, "absent", [reason])
    before, start = GlobalCounters.kernels_on.copy(), time.perf_counter()
    try:
        with Context(DEVICE=device):  # what names no device is realised there too
            wrong = case.check(device, without)
    except RulewrightError as error:
        wrong = [f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"]
    except Exception as error:  # a case of a device in the making may fail anyhow
        wrong = [f"{type(error).__name__}: {error}"]
    seconds = time.perf_counter() - start
    ran = dict(GlobalCounters.kernels_on - before)
    for other in sorted(set(ran) - {device}):
        if other not in case.text:  # as `x.to('INTERP')` says
            wrong.append(f"{ran[other]} kernels ran on {other}, not on {device}")
    return Result(case.name, case.kind, "wrong" if wrong else "right", wrong, seconds, ran)
