"""The process in which kernels are tried: `python -m rulewright.driver.trial_worker`.

It reads one JSON object a line and answers each with one. A kernel that crashes or never ends takes
this process with it and no other; who started it sees the end of the answers, or waits no longer.

    buffers   memory for the parameters, filled with numbers
    reference a kernel's results, with which later ones are compared
    time      whether a kernel's results are those, and the least seconds of its runs
    duel      seconds of two kernels, run in turns
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.clib import int64_array, load_function, pointer_array, untyped
from rulewright.runtime.threads import is_granted, make_launch, run_all, thread_count

PATTERN = 65_521
"""Numbers before those in a buffer repeat: a prime, which no row is as long as."""
LARGE = 1 << 27
"""Bytes of all parameters from which on one filling of them has to do."""
SAMPLE = 1e-4
"""Seconds that one measurement takes at least: kernels that take less run several times."""
SAMPLES, ENOUGH = 12, 0.06
"""Measurements of a kernel: up to so many, but three are enough after so many seconds."""
FEWEST, LONG_DUEL = 9, 5.0
"""Rounds of two kernels that are run in turns, after so many seconds."""
HOPELESS = 3.0
"""How many times as long as the best kernel one takes that is measured no further."""
TOLERANCE = {"f64": 1e-9, "f32": 1e-4, "f16": 2e-2}
"""What results may differ by, relative to the largest number: sums are in another order. Other
floats have fewer bits."""


def numbers(dtype: Any, filling: int, size: int) -> np.ndarray[Any, Any]:
    """Multiples of a power of two, sums of whose products are exact. Filling 0 is positive."""
    rng = np.random.default_rng(filling)
    pattern: np.ndarray[Any, Any]
    if dtype.is_float:
        pattern = rng.integers(-16 if filling else 1, 17, PATTERN) / 16
    elif dtype.name == "bool":
        pattern = rng.integers(0, 2, PATTERN)
    else:
        signed = dtype.name.startswith("i")
        pattern = rng.integers(-3 if filling and signed else 0, 4, PATTERN)
    return np.resize(pattern.astype(dtype.np), size)


def agrees(results: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], dtype: Any) -> bool:
    """Whether two results are the same, but for the order of sums."""
    if not dtype.is_float:
        return bool(np.array_equal(results, expected))
    a, b = results.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return False
    largest = float(np.abs(b[finite]).max(initial=0.0))
    limit = TOLERANCE.get(dtype.name, 0.3) * largest
    return bool((np.abs(a[finite] - b[finite]) <= limit).all())


def timed(run: Callable[[], object]) -> float:
    """Seconds that something takes: of its one thread, which others on the machine do not disturb,
    or by the clock on the wall where several threads may share it."""
    clock = time.thread_time if thread_count() == 1 else time.perf_counter
    start = clock()
    run()
    return clock() - start


class Worker:
    """Parameters, the results that are right, and the answers to requests."""

    def __init__(self) -> None:
        self.sets: list[list[Buffer]] = []
        self.written: set[int] = set()
        self.expected: list[list[np.ndarray[Any, Any]]] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What to say to a request."""
        return getattr(self, "do_" + request["do"])(request)

    def do_buffers(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make memory for parameters `[dtype, size]`, of which some are `written`."""
        kinds = [(getattr(dtypes, name), size) for name, size in request["parameters"]]
        self.written = set(request["written"])
        count = 1 if sum(k.itemsize * n for k, n in kinds) > LARGE else 2
        self.sets = [[Buffer("C", n, k).allocate() for k, n in kinds] for _ in range(count)]
        for filling in range(count):
            for place in range(len(kinds)):
                self.fill(filling, place)
        return {}

    def fill(self, filling: int, place: int) -> None:
        """Numbers for a parameter."""
        buffer = self.sets[filling][place]
        if buffer.size:
            buffer.as_numpy().reshape(-1)[:] = numbers(buffer.dtype, filling, buffer.size)

    def launches(self, kernel: dict[str, Any], filling: int) -> list[Any]:
        """The kernel over one filling of the parameters, for each choice of its variables."""
        function = untyped(load_function(Path(kernel["path"]), kernel["name"]))
        if kernel["state"] is not None:
            is_granted(kernel["state"])
        addresses = [self.sets[filling][p].address for p in kernel["order"]]
        launches = []
        for values, count in kernel["variables"]:
            keep = pointer_array(addresses), int64_array(values)
            block = kernel["block"]
            threads = thread_count() if block else 1
            launches.append((make_launch(function, *keep, count, block, threads), keep))
        return launches

    def results(self, kernel: dict[str, Any]) -> list[list[np.ndarray[Any, Any]]]:
        """What a kernel writes, for each filling and each choice of its variables."""
        results = []
        for filling, buffers in enumerate(self.sets):
            for launch, _ in self.launches(kernel, filling):
                for place in self.written:
                    self.fill(filling, place)
                run_all([launch])()
                results.append(
                    [buffers[p].as_numpy().reshape(-1).copy() for p in sorted(self.written)]
                )
        return results

    def do_reference(self, request: dict[str, Any]) -> dict[str, Any]:
        """Remember a kernel's results."""
        self.expected = self.results(request["kernel"])
        return {}

    def do_time(self, request: dict[str, Any]) -> dict[str, Any]:
        """The least seconds of a kernel, if its results are right."""
        kinds = [self.sets[0][p].dtype for p in sorted(self.written)]
        results = self.results(request["kernel"])
        for mine, right in zip(results, self.expected, strict=True):
            if not all(map(agrees, mine, right, kinds)):
                return {"why": "another result"}
        sample = self.sampler(request["kernel"])
        seconds: list[float] = []
        spent, best = 0.0, request["best"]
        while len(seconds) < SAMPLES and (spent < ENOUGH or len(seconds) < 3):
            seconds.append(sample())
            spent += seconds[-1]
            if len(seconds) == 2 and best and min(seconds) > HOPELESS * best:
                break
        return {"seconds": min(seconds)}

    def sampler(self, kernel: dict[str, Any]) -> Any:
        """A function that runs a kernel for a while and gives the seconds that a run took."""
        for place in self.written:
            self.fill(0, place)
        launch, keep = self.launches(kernel, 0)[-1]
        once = run_all([launch])
        count = max(1, min(1000, int(SAMPLE / max(min(timed(once), timed(once)), 1e-7))))
        several = run_all([launch] * count)
        return lambda _keep=keep: timed(several) / count

    def do_duel(self, request: dict[str, Any]) -> dict[str, Any]:
        """Seconds of two kernels in turns, for each round."""
        samplers = [self.sampler(kernel) for kernel in request["kernels"]]
        rounds: list[list[float]] = [[], []]
        for number in range(request["rounds"]):
            for which in (0, 1) if number % 2 else (1, 0):
                rounds[which].append(samplers[which]())
            if number + 1 >= FEWEST and sum(map(sum, rounds)) > LONG_DUEL:
                break
        return {"rounds": rounds}


def main() -> None:
    """Answer requests until there are no more."""
    with contextlib.suppress(ImportError):  # no crash leaves a file behind, where there is this
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    worker = Worker()
    for line in sys.stdin:
        try:
            answer = worker.answer(json.loads(line))
        except Exception as error:  # whatever it is, the other side has to know
            answer = {"why": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
