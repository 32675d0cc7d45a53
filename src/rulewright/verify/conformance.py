"""The suite of `rulewright conformance`: what any device has to compute, case by case.

Cases are the rows of the table of methods (values, derivatives, refusals), over their dtypes and
shapes, the hazards of writes into views, numbers at their edges and whole programs
(`rulewright.verify.suite`), and ops of users' files. Expected values come from numpy and
definitions. `ABSENT` is the one list of exceptions, beside what turns out to compute with integers
that the target has no type of. A device without a type of floats is none: rules emulate the type,
bit by bit.
"""

from __future__ import annotations

import itertools
import re
import time
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import TypeVar

import numpy as np

from rulewright.driver.execute import forget_kernels
from rulewright.driver.schedules import clear_schedule_cache
from rulewright.errors import DeviceError, NoTypeError, RulewrightError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.known import forget_results
from rulewright.ir.ops import op as op_named
from rulewright.lang.more_ops import more_ops
from rulewright.options import Context
from rulewright.render import target
from rulewright.runtime.device import Device
from rulewright.runtime.host import HostDevice
from rulewright.runtime.profile import GlobalCounters
from rulewright.tensor.own_ops import op
from rulewright.tensor.tensor import Tensor
from rulewright.verify import suite
from rulewright.verify.apart import Apart, ProcessEndedError, answered, can_fork, each_apart
from rulewright.verify.hazards import PROGRAMS, check_hazard, hazard_script
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import (
    check_gradients,
    check_refusal,
    check_rows,
    least_call,
    least_gradient,
    refused_call,
)
from rulewright.verify.methods.row import Method, Refusal
from rulewright.verify.suite.sweep import Sweep
from rulewright.verify.values.comparison import near
from rulewright.verify.values.lacking import lacks_integers
from rulewright.verify.values.samples import error_line, generator

_Row = TypeVar("_Row", Method, Refusal)

KINDS = ("values", "gradients", "refusals", "hazards", *suite.KINDS, "ops")
"""What there are cases of, in the order in which they are run."""

FORGET_AFTER = 64
"""Cases after which what they left in memory is forgotten: of thousands it is so much that Python's
collector takes a tenth of the time to walk over it, and making it again is cheap."""


@dataclass(frozen=True)
class ConformanceCase:
    """One case: `check` gives what is wrong on a device, `text` is the code that it runs.

    `name` is KIND/METHOD/NUMBER or KIND/NAME: `values/svd/2` and `gradients/svd/2` are of the
    second row that the table of methods has for `svd`. `least` gives a script that shows the
    smallest of what is wrong. It computes with the dtypes in `asks`, whatever its operands are.
    """

    name: str
    check: Callable[[str, Collection[str]], list[str]]
    text: str = ""
    least: Callable[[str, Collection[str]], str] | None = None
    asks: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return self.name.partition("/")[0]


@dataclass
class Result:
    """What came of a case. status: right, wrong or absent. ran: kernels run, by device. least: a
    script that shows the smallest of what is wrong."""

    case: str
    text: str
    kind: str
    status: str
    messages: list[str]
    seconds: float = 0.0
    ran: dict[str, int] = field(default_factory=dict)
    least: str = ""


def cases() -> Iterator[ConformanceCase]:
    """Every case, in a fixed order; each name once."""
    rows = _numbered(all_rows())
    for name, row in rows.items():
        check, least = partial(check_rows, [row]), partial(least_call, row)
        yield ConformanceCase(f"values/{name}", check, row.text, least, _asked(row))
    for name, row in rows.items():
        if row.gradient:
            check, least = partial(check_gradients, [row]), partial(least_gradient, row)
            yield ConformanceCase(f"gradients/{name}", check, row.text, least, _asked(row))
    for name, refusal in _numbered(all_refusals()).items():
        least = partial(refused_call, refusal)
        yield ConformanceCase(f"refusals/{name}", partial(_refusal, refusal), refusal.text, least)
    for name, source in PROGRAMS.items():
        check, least = partial(check_hazard, source), partial(hazard_script, source)
        yield ConformanceCase(f"hazards/{name}", check, source, least)
    for name, program in suite.all_cases():
        asks = tuple(program.gives.split()) if isinstance(program, Sweep) else ()
        if len(program.dtypes) == 1:
            asks += program.dtypes
        yield ConformanceCase(name, program.check, program.text, program.least, asks)
    for name in sorted(more_ops()):
        yield ConformanceCase(
            f"ops/{name}", partial(check_op, name), f"op({name!r}, ...) beside INTERP"
        )


def _asked(row: Method) -> tuple[str, ...]:
    """The dtypes that a row names for its results, which are on the device unless it names one."""
    return () if _devices_named(row.text, "") else tuple(row.gives.split())


def _numbered(rows: Iterable[_Row]) -> dict[str, _Row]:
    """Rows by METHOD/NUMBER, counted from 1 for each method."""
    counts: Counter[str] = Counter()
    named = {}
    for row in rows:
        counts[row.name] += 1
        named[f"{row.name}/{counts[row.name]}"] = row
    return named


def _refusal(row: Refusal, device: str, without: Collection[str]) -> list[str]:
    problem = "" if set(row.dtypes) & set(without) else check_refusal(row, device)
    return [problem] if problem else []


def run_case(case: ConformanceCase, device: str, repeat: int = 1) -> Result:
    """Run one case on a device, as often as asked or until it is wrong.

    An error of any kind is what is wrong with it.
    """
    reason, without = declared(device, case)
    if reason:
        return Result(case.name, case.text, case.kind, "absent", [reason])
    before, start = GlobalCounters.kernels_on.copy(), time.perf_counter()
    wrong: list[str] = []
    for number in range(repeat):
        try:
            wrong = _problems(case, device, without)
        except NoTypeError as error:
            reason = f"the target has no type {error.lacks}, with which it computes"
            return Result(case.name, case.text, case.kind, "absent", [reason])
        if wrong and repeat > 1:
            wrong = [f"run {number + 1} of {repeat}: {problem}" for problem in wrong]
        if wrong:
            break
    seconds = time.perf_counter() - start
    ran = dict(GlobalCounters.kernels_on - before)
    beside = {"INTERP"} if case.kind in ("ops", "random") else set()
    if "DISK" in case.text:  # of a file's bytes this process makes bools before it copies them
        beside.add(Device.default)
    for other in sorted(set(ran) - {device} - _devices_named(case.text, device) - beside):
        wrong.append(f"{ran[other]} kernels ran on {other}, not on {device}")
    status = "wrong" if wrong else "right"
    least = _least(case, device, without) if wrong else ""
    return Result(case.name, case.text, case.kind, status, wrong, seconds, ran, least)


def can_be_apart(device: str) -> bool:
    """Whether a device can be used in a process that is a copy of this one."""
    kind = Device.device_class(device)
    return can_fork() and (kind.in_host_memory or issubclass(kind, HostDevice))


@contextmanager
def runner(
    named: Mapping[str, ConformanceCase],
    device: str,
    done: dict[str, Result],
    repeat: int = 1,
    jobs: int = 1,
) -> Iterator[Callable[[str], Result]]:
    """What gives the result of each of these cases, whose names it is asked for in this order: what
    is `done`, else that of `run_case` in this process, or in `jobs` apart, of which those that wait
    begin what will be asked for; each is put into `done`. Of another package's device, whose
    kernels can reach the memory of theirs, it is apart in any case. A case that ends its process is
    wrong."""
    plugin = Device.plugins.get(device.partition(":")[0])
    is_own = plugin is None or plugin.is_builtin
    ran = itertools.count(1)

    def run_here(name: str) -> Result:
        result = run_case(named[name], device, repeat)
        if next(ran) % FORGET_AFTER == 0:
            clear_schedule_cache()
            forget_kernels()
            forget_results()
        return result

    if not can_be_apart(device) or (jobs == 1 and is_own):
        yield lambda name: done.get(name) or done.setdefault(name, run_here(name))
        return
    several = _Several(named, device, done, [Apart(run_here) for _ in range(jobs)])
    try:
        yield several
    finally:
        for each in (*several.idle, *several.asked):
            each.close()


class _Several:
    """Runs cases in processes apart, as many at a time as there are."""

    def __init__(
        self,
        named: Mapping[str, ConformanceCase],
        device: str,
        done: dict[str, Result],
        processes: list[Apart],
    ) -> None:
        self.named, self.device, self.done, self.idle = named, device, done, processes
        self.asked: dict[Apart, tuple[str, float]] = {}
        self._rest = iter([name for name in named if name not in done])

    def __call__(self, name: str) -> Result:
        """The result of the next case."""
        while name not in self.done:
            while self.idle and (other := next(self._rest, None)) is not None:
                each = self.idle.pop()
                each.begin(other)
                self.asked[each] = other, time.perf_counter()
            self._take(Apart.first_of([*self.asked]))
        return self.done[name]

    def _take(self, each: Apart) -> None:
        name, start = self.asked.pop(each)
        self.idle.append(each)
        try:
            self.done[name] = each.answer()
        except ProcessEndedError as error:
            case, seconds = self.named[name], time.perf_counter() - start
            least = _least_apart(case, self.device)
            self.done[name] = Result(
                name, case.text, case.kind, "wrong", [str(error)], seconds, {}, least
            )


def _problems(case: ConformanceCase, device: str, without: Collection[str]) -> list[str]:
    try:
        with Context(DEVICE=device):  # what names no device is realised there too
            return case.check(device, without)
    except RulewrightError as error:
        if lacks_integers(error):
            raise
        return [error_line(error)]
    except Exception as error:  # a case of a device in the making may fail anyhow
        last = traceback.extract_tb(error.__traceback__)[-1]
        return [f"{error_line(error)} ({last.filename}:{last.lineno}, in {last.name})"]


def _least(case: ConformanceCase, device: str, without: Collection[str]) -> str:
    """The script of what is wrong, as far as one can be made."""
    if case.least is None:
        return ""
    try:
        with Context(DEVICE=device):
            return case.least(device, without)
    except Exception as error:
        return f"# no smaller case: {error_line(error)}\n{case.text}\n"


def _least_apart(case: ConformanceCase, device: str) -> str:
    """The same of what ends its process: each try has one, which a whole program takes with it."""
    with each_apart():
        try:
            return answered(lambda: _least(case, device, declared(device, case)[1]))
        except ProcessEndedError:
            return f"{case.text}\n"


def _devices_named(code: str, device: str) -> set[str]:
    """The devices that code sends tensors to: `x.to('INTERP')`, `x.cpu()`, which is C, and the
    second of a device, which ends with ':1'."""
    devices = {"C"} if ".cpu()" in code else set()
    if "':1'" in code:
        devices.add(f"{device.partition(':')[0]}:1")
    for word in re.findall(r"""['"]([\w:]+)['"]""", code):
        with suppress(DeviceError):  # another word
            devices.add(Device.canonical(word))
    return devices


# ---- ops beside the spec -----------------------------------------------------------------------

_SHAPE = (5, 7)
_ULPS = 4  # by which an op that states no bound may be wrong


def check_op(name: str, device: str, without: Collection[str]) -> list[str]:
    """What is wrong with an op on a device, for each dtype that it takes but those `without`."""
    tparams = op_named(name).row["tparams"]
    allowed = tparams[0][1] if tparams else ["f32"]
    kinds = [k for k in dtypes.all() if k.name in allowed and k.name not in (*without, "index")]
    return [problem for kind in kinds if (problem := _check(name, kind, device))]


def _check(name: str, kind: DType, device: str) -> str:
    row = op_named(name)
    rng = generator(f"{name} {kind.name}")
    arrays = []
    for _, declared, _ in row.params:
        own = kind if declared in dict(row.row["tparams"]) else getattr(dtypes, declared)
        drawn = rng.standard_normal(_SHAPE) * 2 if own.is_float else rng.integers(0, 9, _SHAPE)
        arrays.append(drawn.astype(own.np))
    results = op(name, *(Tensor(a, device=device) for a in arrays)).numpy()
    wanted = op(name, *(Tensor(a, device="INTERP") for a in arrays)).numpy()
    wide = [a.astype(np.float64) for a in (results, wanted)]
    is_float = wanted.dtype.kind not in "biu"
    eps = 2.0 ** -int(kind.row["mantissa"]) if is_float else 0.0
    wrong = ~near(wide[0], wide[1], float(row.row["ulps"] or _ULPS) * eps)
    if not wrong.any():
        return ""
    at = int(wrong.argmax())
    operands = ", ".join(str(a.flat[at]) for a in arrays)
    return f"{kind.name}: at {operands} it gives {results.flat[at]}, `meaning` {wanted.flat[at]}"


# ---- what a device is declared not to do -------------------------------------------------------


@dataclass(frozen=True)
class Absent:
    """Cases that are not run on a device, and why.

    device: "" for all that have memory of their own. lacks: the devices instead whose target has
    no type of this name. cases: a pattern of identifiers of cases, as fnmatch reads it. dtypes:
    only the variants with an operand of one of these, and cases that ask for one; none of them:
    the cases as a whole. simulated: only where the device simulates instructions.
    """

    device: str
    cases: str
    reason: str
    dtypes: tuple[str, ...] = ()
    lacks: str = ""
    simulated: bool = False

    def covers(self, device: str, case: ConformanceCase) -> bool:
        """Whether this says anything of a case on a device, e.g. "OPENCL:1"."""
        if not fnmatchcase(case.name, self.cases):
            return False
        if self.lacks:
            return self.lacks not in target(Device.target_of(device)).row["types"]
        if not self.device:
            return not Device.device_class(device).in_host_memory
        if device.partition(":")[0] != self.device:
            return False
        return not self.simulated or Device[device].is_simulated

    def is_whole(self, case: ConformanceCase) -> bool:
        """Whether a case that this is about is left out as a whole."""
        return not self.dtypes or not set(self.dtypes).isdisjoint(case.asks)


_FOREIGN = "memory of this process can be read in place by devices that work in it alone"

_UNSEEN = "values in a device's own memory are not looked at before they are computed with"
_LOOKED_AT = ("refusals/multinomial/[5678]", "refusals/bernoulli/3")
_LIBRARY_SINE = "the C library's sine of a double is off by many digits next to multiples of pi/2"
_HOST_LIBRARY = ("C", "INTERP", "OPENCL", "CUDA_EMULATED", "CUDA_SM90_EMULATED")
_ASK_FOR = (
    ("values/rand/2", "f64 f16 bf16"),
    ("values/randn/2", "f64 f16 bf16"),
    ("values/rand_like/1", "f64"),
)
"""Cases that compute with other dtypes than those of their operands, beside those that say so."""

_SIMULATED = (
    "a simulator of instructions takes hours for them; cores/blocks are smaller ones of the kind"
)
_BY_DOUBLE = "Oclgrind casts an i64 to f32 by way of a double, which rounds twice"

ABSENT = (
    Absent("", "values/from_blob/*", _FOREIGN),
    *(Absent("", cases, _UNSEEN) for cases in _LOOKED_AT),
    *(Absent(device, "ulps/* far out", _LIBRARY_SINE, ("f64",)) for device in _HOST_LIBRARY),
    *(
        Absent("", "*", f"the target has no type {of.name}", (of.name,), of.name)
        for of in dtypes.all()
    ),
    *(
        Absent("", cases, f"the target has no type {of}", (), of)
        for cases, asked in _ASK_FOR
        for of in asked.split()
    ),
    Absent("OPENCL", "cores/many blocks*", _SIMULATED, simulated=True),
    Absent("OPENCL", "integers/cast to f32", _BY_DOUBLE, ("i64",), simulated=True),
)


def declared(device: str, case: ConformanceCase) -> tuple[str, frozenset[str]]:
    """Why a case is not run on a device (or nothing), and dtypes whose variants are left out."""
    absent = [a for a in ABSENT if a.covers(device, case)]
    whole = [a.reason for a in absent if a.is_whole(case)]
    return whole[0] if whole else "", frozenset(k for a in absent for k in a.dtypes)


# ---- which names an expression such as `softmax and not (gradients or hazards)` chooses ----------


Predicate = Callable[[str], bool]


def selector(expression: str) -> Predicate:
    """Whether a name is chosen: a word stands for the names that hold it, in any case.

    Raises UsageError if the expression is none.
    """
    words = re.findall(r"[()]|[^\s()]+", expression)
    chosen, rest = _either(words, expression)
    if rest:
        raise UsageError(f"-k {expression!r}: expected `and`, `or` or an end, found {rest[0]!r}")
    return chosen


def _either(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    parts, words = _joined("or", _both, words, whole)
    return lambda name: any(part(name) for part in parts), words


def _both(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    parts, words = _joined("and", _one, words, whole)
    return lambda name: all(part(name) for part in parts), words


def _joined(
    conjunction: str,
    operand: Callable[[list[str], str], tuple[Predicate, list[str]]],
    words: list[str],
    whole: str,
) -> tuple[list[Predicate], list[str]]:
    """Operands with a word between them, and what follows."""
    first, words = operand(words, whole)
    parts = [first]
    while words and words[0] == conjunction:
        part, words = operand(words[1:], whole)
        parts.append(part)
    return parts, words


def _one(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    if words and words[0] == "not":
        inner, rest = _one(words[1:], whole)
        return lambda name: not inner(name), rest
    if words and words[0] == "(":
        inner, rest = _either(words[1:], whole)
        if not rest or rest[0] != ")":
            raise UsageError(f"-k {whole!r}: a parenthesis is not closed")
        return inner, rest[1:]
    if not words or words[0] in (")", "and", "or"):
        shown = repr(words[0]) if words else "an end"
        raise UsageError(f"-k {whole!r}: expected a word, found {shown}")
    word = words[0].lower()
    return lambda name: word in name.lower(), words[1:]
