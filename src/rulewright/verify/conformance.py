"""The suite of `rulewright conformance`: what any device has to compute, case by case.

Cases are the rows of the table of methods (values, derivatives, refusals), over their dtypes and
shapes, the hazards of writes into views, and ops of users' files. Expected values come from numpy
and definitions. `ABSENT` is the one list of exceptions; a device without a type of floats is none:
rules emulate the type, bit by bit.
"""

from __future__ import annotations

import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import TypeVar

import numpy as np

from rulewright.errors import DeviceError, RulewrightError, UsageError
from rulewright.interp.shadow import ULP_BOUND
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import op as op_named
from rulewright.lang.more_ops import more_ops
from rulewright.options import Context
from rulewright.runtime.device import Device
from rulewright.runtime.profile import GlobalCounters
from rulewright.tensor.own_ops import op
from rulewright.tensor.tensor import Tensor
from rulewright.verify.hazards import PROGRAMS, check_hazard
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import check_gradients, check_refusal, check_rows
from rulewright.verify.methods.row import Method, Refusal
from rulewright.verify.values.comparison import near

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
    devices = {"C"} if ".cpu()" in code else set()
    for word in re.findall(r"""['"]([\w:]+)['"]""", code):
        with suppress(DeviceError):  # another word
            devices.add(Device.canonical(word))
    return devices


# ---- ops beside the spec -----------------------------------------------------------------------

_SHAPE = (5, 7)


def check_op(name: str, device: str, without: Collection[str]) -> list[str]:
    """What is wrong with an op on a device, for each dtype that it takes but those `without`."""
    tparams = op_named(name).row["tparams"]
    allowed = tparams[0][1] if tparams else ["f32"]
    kinds = [k for k in dtypes.all() if k.name in allowed and k.name not in (*without, "index")]
    problems = [_check(name, kind, device) for kind in kinds]
    return [problem for problem in problems if problem]


def _check(name: str, kind: DType, device: str) -> str:
    row = op_named(name)
    rng = np.random.default_rng(zlib.crc32(f"{name} {kind.name}".encode()))
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
    wrong = ~near(wide[0], wide[1], ULP_BOUND * eps)
    if not wrong.any():
        return ""
    at = int(wrong.argmax())
    operands = ", ".join(str(a.flat[at]) for a in arrays)
    return f"{kind.name}: at {operands} it gives {results.flat[at]}, `meaning` {wanted.flat[at]}"


# ---- what a device is declared not to do -------------------------------------------------------


@dataclass(frozen=True)
class Absent:
    """Cases that are not run on a device, and why.

    device: "" for all that have memory of their own. cases: a pattern of identifiers of cases, as
    fnmatch reads it. dtypes: only the variants with an operand of one of these; none of them: the
    cases as a whole.
    """

    device: str
    cases: str
    reason: str
    dtypes: tuple[str, ...] = ()

    def covers(self, device: str, case: str) -> bool:
        """Whether this says anything of a case on a device, e.g. "OPENCL:1"."""
        if not fnmatchcase(case, self.cases):
            return False
        if not self.device:
            return not Device.device_class(device).in_host_memory
        return device.partition(":")[0] == self.device


_FOREIGN = "memory of this process can be read in place by devices that work in it alone"

_UNSEEN = "values in a device's own memory are not looked at before they are computed with"
_LOOKED_AT = ("refusals/multinomial/[789]", "refusals/multinomial/10", "refusals/bernoulli/4")
_DOUBLES = {
    "METAL": "Metal has no type of 64 bits for floats",
    "METAL_EMULATED": "Metal has no type of 64 bits for floats",
    "WEBGPU": "WGSL has no type of 64 bits for floats",
}
"""Devices without f64, and why."""
_ASK_FOR_DOUBLES = (
    "gradients/*", "values/arange/3", "values/linspace/1", "values/rand/2", "values/randn/2",
    "values/rand_like/1", "values/sum/4", "values/mean/2", "values/softmax/1",
    "values/log_softmax/1", "values/softmin/1", "values/linear/4", "values/cast/2",
    "values/cast/4", "values/double/1",
)  # fmt: skip
"""Cases that compute with f64 whatever their operands are: gradients, to compare them."""

_ALGEBRA = "WGSL lets (1 + x) - 1 be x, as Mesa does, and log1p loses what it makes up for"

ABSENT = (
    Absent("", "values/from_blob/*", _FOREIGN),
    *(Absent("", cases, _UNSEEN) for cases in _LOOKED_AT),
    *(
        Absent(device, cases, reason, dtypes)
        for device, reason in _DOUBLES.items()
        for cases, dtypes in [("*", ("f64",)), *((cases, ()) for cases in _ASK_FOR_DOUBLES)]
    ),
    Absent("WEBGPU", "values/softplus/1", _ALGEBRA, ("i32",)),
)


def declared(device: str, case: str) -> tuple[str, frozenset[str]]:
    """Why a case is not run on a device (or nothing), and dtypes whose variants are left out."""
    absent = [a for a in ABSENT if a.covers(device, case)]
    whole = [a.reason for a in absent if not a.dtypes]
    return whole[0] if whole else "", frozenset(k for a in absent for k in a.dtypes)


# ---- choosing cases ----------------------------------------------------------------------------

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
