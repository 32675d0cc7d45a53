"""Libraries timed side by side: turn by turn in one process, each result checked before.

Whatever slows the machine for a while slows all that take turns in it. So ratios are taken within
a round, and their median over the rounds is what is reported.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median, quantiles
from typing import Any

import numpy as np

from rulewright.bench.libraries import OURS
from rulewright.bench.libraries.base import Library
from rulewright.bench.libraries.in_numpy import InNumpy
from rulewright.bench.roofline import Roofline
from rulewright.bench.workload import Workload
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.device import Device

TURN = 0.04  # seconds that a turn of one library should last
MOST_CALLS = 1000  # in a turn
PAUSE = 0.02  # seconds before a turn, for threads of the one before to fall asleep
MOST_PAUSES = 25  # threads that still run then are not waited for
WARM = 3  # calls before any is timed: compilers take their time in the first two

Clock = Callable[[], float]
Timer = Callable[[], float]


@dataclass
class Timed:
    """How one library did: seconds of each call, by round; or why it was not timed."""

    library: str
    rounds: list[list[float]] = field(default_factory=list)
    problem: str = ""

    @property
    def seconds(self) -> list[float]:
        """Of all calls."""
        return [s for calls in self.rounds for s in calls]

    @property
    def median(self) -> float:
        """Of all calls, in seconds."""
        return median(self.seconds)

    @property
    def best(self) -> float:
        """Of the fastest call, in seconds: what others on this machine disturbed least."""
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """The distance of the quartiles, as a share of the median."""
        if len(self.seconds) < 2:
            return 0.0
        low, _, high = quantiles(self.seconds, n=4)
        return (high - low) / self.median


@dataclass
class Measurement:
    """How libraries did at a workload. `moved`: bytes of its inputs and results."""

    case: Workload
    moved: int
    timed: list[Timed]

    def of(self, name: str) -> Timed | None:
        """How a library did, or None if it was not timed."""
        return next((t for t in self.timed if t.library == name and t.rounds), None)

    def ratio(self, name: str) -> float | None:
        """How often ours fits into its time: above 1 ours is faster. None without either."""
        ours, theirs = self.of(OURS), self.of(name)
        if ours is None or theirs is None:
            return None
        pairs = zip(ours.rounds, theirs.rounds, strict=True)
        return median(median(their) / median(our) for our, their in pairs)

    def ratio_of_best(self, name: str) -> float | None:
        """As `ratio`, of the fastest calls."""
        ours, theirs = self.of(OURS), self.of(name)
        return theirs.best / ours.best if ours and theirs else None

    @property
    def best_peer(self) -> str | None:
        """The fastest other library."""
        peers = [t for t in self.timed if t.rounds and t.library != OURS]
        return min(peers, key=lambda t: t.median).library if peers else None

    def share(self, name: str, top: Roofline) -> float | None:
        """What part of this processor's roofline a library reached.

        None if it was not timed, and for ours where it runs on another device.
        """
        timing = self.of(name)
        elsewhere = name == OURS and Device.default.partition(":")[0] != "C"
        if timing is None or elsewhere:
            return None
        return top.seconds(self.case.flops, self.moved, self.case.dtype) / timing.median


class Wrong(Exception):
    """A library gave another result than the reference."""


def measure(
    case: Workload, libraries: Sequence[Library], rounds: int, seconds: float, clock: Clock
) -> Measurement:
    """Check each library's result, then time them in turns, one round or more.

    No round begins after so many seconds. A library that cannot run the workload, or gives
    another result than float64 in numpy does, is not timed, and says why.
    """
    inputs = case.inputs()
    expected = reference(case, inputs)
    moved = sum(a.nbytes for a in inputs)
    moved += sum(a.size * inputs[0].dtype.itemsize for a in expected)
    compared = [library for library in libraries if not left_out(case, library.name)]
    timed = [Timed(library.name) for library in compared]
    timers: dict[str, Timer] = {}
    for library, entry in zip(compared, timed, strict=True):
        try:
            call = ready(case, library, inputs, expected)
        except Exception as error:  # whatever a library raises: it is part of the report
            entry.problem = problem(error)
        else:
            timers[library.name] = partial(once, call, clock)
            if case.timer is not None:
                timers[library.name] = partial(case.timer, library.name)
    entries = [t for t in timed if t.library in timers]
    take_turns(entries, timers, rounds, seconds, clock, warm=case.timer is None)
    return Measurement(case, moved, timed)


def left_out(case: Workload, name: str) -> bool:
    """Whether a library is not compared at a workload."""
    return name in case.without or (case.wanted > 0 and name == "numpy")


def problem(error: Exception) -> str:
    """Why a library was not timed, in a line."""
    text = str(error).strip().split("\n")[0]
    return text if isinstance(error, Wrong) else f"{type(error).__name__}: {text}"


def reference(case: Workload, inputs: Sequence[Any]) -> list[Any]:
    """The results in float64."""
    wide = [a.astype(np.float64) if a.dtype.kind not in "iu" else a for a in inputs]
    if case.reference is not None:
        return [np.asarray(a) for a in case.reference(*wide)]
    result = case.program(InNumpy(), *wide)
    return [np.asarray(a) for a in (result if isinstance(result, tuple) else (result,))]


def ready(
    case: Workload, library: Library, inputs: Sequence[Any], expected: Sequence[Any]
) -> Callable[[], Any]:
    """A call over resident inputs, warm, whose last result was right."""
    call = library.prepare(case, [library.put(a) for a in inputs])
    for _ in range(WARM):
        result = call()
    check(case, library, result, expected)
    return call


def tolerance(case: Workload) -> float:
    """The error allowed, as a share of the largest value: rounding of the result, and of sums.

    Sums are kept in float32 or wider, in any order; their error grows with the root of the number
    of terms (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 4.2).
    """
    eps = dtypes.finfo(getattr(dtypes, case.dtype)).eps
    sums = min(eps, dtypes.finfo(dtypes.f32).eps)
    return 8 * eps + 8 * sums * math.sqrt(case.terms)


def check(case: Workload, library: Library, result: Any, expected: Sequence[Any]) -> None:
    """Raise Wrong if a result is not the expected one, to the tolerance of the workload."""
    arrays = [library.get(t) for t in (result if isinstance(result, tuple) else (result,))]
    if [a.shape for a in arrays] != [a.shape for a in expected]:
        raise Wrong(f"wrong: shapes {[a.shape for a in arrays]}, not {[a.shape for a in expected]}")
    for place, (mine, right) in enumerate(zip(arrays, expected, strict=True)):
        if not mine.size:
            continue
        error = float(np.max(np.abs(mine - right))) / (float(np.max(np.abs(right))) or 1.0)
        if not error <= tolerance(case):  # nor if it is NaN
            raise Wrong(f"wrong: result {place} is off by {error:.1e}, {tolerance(case):.1e} is "
                        "allowed")  # fmt: skip


def take_turns(
    timed: Sequence[Timed],
    timers: Mapping[str, Timer],
    rounds: int,
    seconds: float,
    clock: Clock = time.perf_counter,
    warm: bool = True,
) -> None:
    """Time calls, `rounds` turns of each, in a row that begins with another one each round.

    A timer makes one call, and gives its seconds. Where nothing is to be `warm` a turn is one call.
    """
    start = clock()
    counts: dict[str, int] = {}
    for number in range(rounds):
        if number and clock() - start > seconds:
            return
        first = number % max(len(timed), 1)
        for entry in [*timed[first:], *timed[:first]]:
            timer = timers[entry.library]
            pause_until_idle()
            if warm:  # this call brings its code and data back to the caches
                count = counts.setdefault(entry.library, calls_in_turn(timer()))
            entry.rounds.append([timer() for _ in range(count if warm else 1)])


def pause_until_idle() -> None:
    """Wait until no thread of this process runs: some libraries' do for long after a call."""
    for _ in range(MOST_PAUSES):
        before = time.process_time()
        time.sleep(PAUSE)
        if time.process_time() - before < PAUSE / 4:
            return


def calls_in_turn(seconds: float) -> int:
    """How many calls of this length make a turn."""
    return max(1, min(MOST_CALLS, int(TURN / max(seconds, 1e-9))))


def once(call: Callable[[], Any], clock: Clock = time.perf_counter) -> float:
    """Seconds of one call; its result lives until it is over, and goes untimed."""
    begin = clock()
    result = call()
    end = clock()
    del result
    return end - begin
