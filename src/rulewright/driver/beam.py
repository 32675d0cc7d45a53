"""The search for axis choices that make a kernel fast: BEAM=n.

It starts from the heuristic's choices and from none. In each round every set of choices that is
held is taken a step further in all ways that the kernel allows; what is new is timed, and the best
n are held. A round in which the best gets no better is the last. Then the best one and the
heuristic's run in turns, and it is taken only if it is faster in that comparison too, and if its
accesses and its threads are right: so a search never makes a kernel slower than it was.

What was timed is in the record, by the source that was run, so that nothing is timed twice and an
interrupted search goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import inf
from statistics import median
from typing import Any, Protocol

from rulewright.codegen.program import KernelProgram
from rulewright.driver.trials import TrialOutcome
from rulewright.errors import RulewrightError
from rulewright.progress import track

BETTER = 0.98
"""What a round has to make of the best time for another round to follow."""
FASTER, MOST_ROUNDS = 0.97, 0.8
"""What of the heuristic's time a winner needs, by the least and by the median of runs in turns, and
in how many of the rounds it has to be faster."""
SMALL = 1e-6
"""Seconds up to which a kernel is not searched for: calling it takes as long."""
KEEP_EVERY = 16
"""Trials after which the record is kept."""


class Bench(Protocol):
    """What lowers kernels and times them; `Trials`, but for tests."""

    def lower(self, choices: str) -> KernelProgram:
        """The kernel with these choices. Raises RulewrightError if it cannot have them."""

    def refer_to(self, program: KernelProgram) -> None:
        """Take a kernel's results for right. Raises RulewrightError if it does not run."""

    def compile(self, program: KernelProgram) -> Any:
        """Begin to compile a kernel."""

    def is_sound(self, choices: str) -> bool:
        """Whether the checks of VERIFY=1 find nothing wrong with the kernel with these choices."""

    def wait(self, compiling: Any) -> None:
        """Wait until a kernel is compiled."""

    def time(self, compiling: Any, best: float) -> TrialOutcome:
        """How long a kernel takes that compiles."""

    def duel(self, one: KernelProgram, other: KernelProgram) -> tuple[list[float], list[float]]:
        """Seconds of two kernels that are run in turns."""


@dataclass
class SearchRecord:
    """What was found out about one kernel. `keep` is called when there is more of it.

    tried: by source, the seconds that it took or why it cannot be taken. width: of the widest
    search that ended, 0 if none has, which chose `winner` (empty: the heuristic's).
    """

    tried: dict[str, float | str] = field(default_factory=dict)
    width: int = 0
    winner: str = ""
    keep: Callable[[SearchRecord], None] = lambda _: None


@dataclass(frozen=True)
class SearchResult:
    """The end of a search: the choices to take, the least seconds with them and with the
    heuristic's, and how many kernels were timed."""

    choices: str
    seconds: float
    before: float
    timed: int


def source_key(source: str) -> str:
    """What a record knows a source by."""
    return blake2b(source.encode(), digest_size=10).hexdigest()


class Search:
    """One search. `steps` are the choices one step from others; `say` gets a line a round."""

    def __init__(
        self,
        bench: Bench,
        record: SearchRecord,
        steps: Callable[[str], Iterable[str]],
        width: int,
        say: Callable[[str], None] = lambda _: None,
        label: str = "",
    ) -> None:
        self.bench, self.record, self.steps = bench, record, steps
        self.width, self.say, self.label = width, say, label
        self.seen: set[str] = set()
        self.times: dict[str, float] = {}  # choices -> seconds, one for each source
        self.known: set[str] = set()  # those sources
        self.best = inf
        self.timed = 0

    def run(self, heuristic: str, plain: str) -> SearchResult:
        """Search from the heuristic's choices and from `plain` ones.

        What was timed is kept whatever ends this. Raises RulewrightError if the kernel does not
        run with the heuristic's choices.
        """
        first = self.bench.lower(heuristic)
        self.bench.refer_to(first)
        try:
            self.measure([heuristic, plain], "start")
            before = self.times.get(heuristic, inf)
            if before > SMALL:
                self.rounds()
            winner = self.judge(heuristic, first)
            self.record.width, self.record.winner = self.width, winner
        finally:
            self.record.keep(self.record)
        seconds = self.times[winner] if winner else before
        return SearchResult(winner, seconds, before, self.timed)

    def rounds(self) -> None:
        """Rounds of steps until the best gets no better."""
        number = 0
        while True:
            number += 1
            held, before = self.held(), self.best
            new = dict.fromkeys(text for base in held for text in self.steps(base))
            self.measure([text for text in new if text not in self.seen], f"round {number}")
            if not self.best < before * BETTER:
                return

    def held(self) -> list[str]:
        """The best choices so far, each another source."""
        return sorted(self.times, key=self.times.__getitem__)[: max(self.width, 1)]

    def measure(self, texts: Sequence[str], title: str) -> None:
        """Lower what is new and time each new source; the times are in `times`."""
        new: dict[str, tuple[str, Any]] = {}  # source -> first choices for it, what compiles
        label = f"{self.label} {title}".strip()
        for text in track(texts, f"{label}: lowering"):
            self.seen.add(text)
            program = self.lowered(text)
            if program is None:
                continue
            key = source_key(program.source)
            known = self.record.tried.get(key)
            if known is None and key not in new:
                new[key] = text, self.bench.compile(program)
            elif isinstance(known, float):
                self.note(key, text, known)
        for _, compiling in track(new.values(), f"{label}: compiling"):
            self.bench.wait(compiling)  # what compiles disturbs what is timed
        self.time(new, f"{label}: timing")
        self.record.keep(self.record)
        if self.best < inf:
            self.say(f"{label}: {len(texts)} choices, best {self.best * 1e6:.1f} us")

    def time(self, new: dict[str, tuple[str, Any]], label: str) -> None:
        """Time what is compiled."""
        for key, (text, compiling) in track(new.items(), label, len(new)):
            outcome = self.bench.time(compiling, self.best)
            self.timed += 1
            self.record.tried[key] = outcome.why or outcome.seconds
            if not outcome.why:
                self.note(key, text, outcome.seconds)
            if self.timed % KEEP_EVERY == 0:
                self.record.keep(self.record)

    def lowered(self, text: str) -> KernelProgram | None:
        """The kernel with these choices, or None if it cannot have them."""
        try:
            return self.bench.lower(text)
        except RulewrightError:
            return None

    def note(self, key: str, text: str, seconds: float) -> None:
        """Remember a time, once for all choices that give the same source."""
        if key not in self.known:
            self.known.add(key)
            self.times[text] = seconds
        self.best = min(self.best, seconds)

    def judge(self, heuristic: str, first: KernelProgram) -> str:
        """The best choices if they are faster than the heuristic's in turns; empty if not."""
        best = self.held()[0] if self.times else heuristic
        faster = self.times.get(best, inf) < self.times.get(heuristic, inf) * FASTER
        if not faster or not self.bench.is_sound(best):
            return ""
        mine, others = self.bench.duel(self.bench.lower(best), first)
        if not mine or not others:
            return ""
        ratios = [a / b for a, b in zip(mine, others, strict=True)]
        won = sum(ratio < 1 for ratio in ratios) >= MOST_ROUNDS * len(ratios)
        return best if won and max(min(mine) / min(others), median(ratios)) < FASTER else ""
