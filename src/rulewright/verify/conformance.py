"""The suite of `rulewright conformance`: what any device has to compute, case by case.

Cases are the rows of the table of methods (values, derivatives, refusals), over their dtypes and
shapes, the hazards of writes into views, and ops of users' files. Expected values come from numpy
and definitions.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from rulewright.errors import DeviceError, RulewrightError
from rulewright.lang.more_ops import more_ops
from rulewright.options import Context
from rulewright.runtime.device import Device
from rulewright.runtime.profile import GlobalCounters
from rulewright.verify.absent import declared
from rulewright.verify.hazards import PROGRAMS, check_hazard
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import check_gradients, check_refusal, check_rows
from rulewright.verify.methods.row import Method, Refusal
from rulewright.verify.own_ops import check_op

_Row = TypeVar("_Row", Method, Refusal)

KINDS = ("values", "gradients", "refusals", "hazards", "ops")
"""What there are cases of, in the order in which they are run."""


@dataclass(frozen=True)
class Case:
    """One case: `check` gives what is wrong on a device, `text` is the code that it runs.

    `name` is KIND/METHOD/NUMBER, hazards/NAME or ops/NAME: `values/svd/2` and `gradients/svd/2`
    are of the second row that the table of methods has for `svd`.
    """

    name: str
    check: Callable[[str, Collection[str]], list[str]]
    text: str = ""

    @property
    def kind(self) -> str:
        """Values, gradients, refusals, hazards or ops."""
        return self.name.partition("/")[0]


@dataclass
class Result:
    """What came of a case. status: right, wrong or absent. ran: kernels run, by device."""

    case: str
    text: str
    kind: str
    status: str
    messages: list[str]
    seconds: float = 0.0
    ran: dict[str, int] = field(default_factory=dict)


def cases() -> Iterator[Case]:
    """Every case, in a fixed order; each name once."""
    rows = _numbered(all_rows())
    for name, row in rows.items():
        yield Case(f"values/{name}", partial(_values, row), row.call)
    for name, row in rows.items():
        if row.gradient:
            yield Case(f"gradients/{name}", partial(_gradients, row), row.call)
    for name, refusal in _numbered(all_refusals()).items():
        yield Case(f"refusals/{name}", partial(_refusal, refusal), refusal.call)
    for name, source in PROGRAMS.items():
        yield Case(f"hazards/{name}", partial(_hazard, source), source)
    for name in sorted(more_ops()):
        yield Case(f"ops/{name}", partial(check_op, name), f"op({name!r}, ...) beside INTERP")


def _numbered(rows: Iterable[_Row]) -> dict[str, _Row]:
    """Rows by METHOD/NUMBER, counted from 1 for each method."""
    counts: Counter[str] = Counter()
    named = {}
    for row in rows:
        counts[row.name] += 1
        named[f"{row.name}/{counts[row.name]}"] = row
    return named


def _values(row: Method, device: str, without: Collection[str]) -> list[str]:
    return check_rows([row], device, without)


def _gradients(row: Method, device: str, without: Collection[str]) -> list[str]:
    return [] if "f64" in without else check_gradients([row], device)


def _refusal(row: Refusal, device: str, without: Collection[str]) -> list[str]:
    problem = "" if set(row.dtypes) & set(without) else check_refusal(row, device)
    return [problem] if problem else []


def _hazard(source: str, device: str, without: Collection[str]) -> list[str]:
    return check_hazard(source, device)


def run_case(case: Case, device: str) -> Result:
    """Run one case on a device; an error of any kind is what is wrong with it."""
    reason, without = declared(device, case.name)
    if reason:
        return Result(case.name, case.text, case.kind, "absent", [reason])
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
    beside = {"INTERP"} if case.kind == "ops" else set()
    for other in sorted(set(ran) - {device} - _devices_named(case.text) - beside):
        wrong.append(f"{ran[other]} kernels ran on {other}, not on {device}")
    status = "wrong" if wrong else "right"
    return Result(case.name, case.text, case.kind, status, wrong, seconds, ran)


def _devices_named(code: str) -> set[str]:
    """The devices that code sends tensors to: `x.to('INTERP')`, and `x.cpu()`, which is C."""
    found = {"C"} if ".cpu()" in code else set()
    for word in re.findall(r"""['"]([\w:]+)['"]""", code):
        with suppress(DeviceError):  # another word
            found.add(Device.canonical(word))
    return found
