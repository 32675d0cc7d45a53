"""The search for axis choices, with a clock that is made up: what it finds, keeps and refuses."""

from math import inf
from types import SimpleNamespace

import pytest

from rulewright.driver.beam import SMALL, Search, SearchRecord, source_key
from rulewright.driver.trials import TrialOutcome
from rulewright.errors import UsageError

MILLI = 1e-3


class FakeBench:
    """Kernels are numbers, their time what `seconds` says: a float, or why there is none."""

    def __init__(self, seconds, duel=None, source=str, stop_after=inf, unsound=None):
        self.unsound = unsound
        self.seconds, self.source, self.stop_after = seconds, source, stop_after
        self.timed, self.compiled, self.duels = [], [], []
        self._duel = duel

    def lower(self, choices):
        if choices == "illegal":
            raise UsageError("cannot be")
        return SimpleNamespace(source=self.source(choices), choices=choices, name="k")

    def refer_to(self, program):
        self.reference = program.choices

    def compile(self, program):
        self.compiled.append(program.choices)
        return program

    def is_sound(self, choices):
        return choices != self.unsound

    def wait(self, compiling):
        pass

    def time(self, compiling, best):
        if len(self.timed) == self.stop_after:
            raise KeyboardInterrupt
        self.timed.append(compiling.choices)
        found = self.seconds(compiling.choices)
        return TrialOutcome(inf, found) if isinstance(found, str) else TrialOutcome(found)

    def duel(self, one, other):
        self.duels.append((one.choices, other.choices))
        if self._duel is not None:
            return self._duel
        return [self.seconds(one.choices)] * 3, [self.seconds(other.choices)] * 3


def valley(lowest):
    """Seconds that fall towards one number."""
    return lambda text: (1 + abs(int(text) - lowest)) * MILLI


def neighbours(text):
    return [str(int(text) + 1), str(int(text) - 1), str(int(text) * 2)]


def search(bench, record=None, width=2, steps=neighbours, heuristic="10", plain="1", **more):
    return Search(bench, record or SearchRecord(), steps, width, **more).run(heuristic, plain)


def test_it_goes_down_to_the_lowest_point():
    bench = FakeBench(valley(37))
    found = search(bench)
    assert found.choices == "37" and found.seconds == MILLI
    assert found.before == 28 * MILLI and found.timed == len(bench.timed) == len(set(bench.timed))
    assert bench.duels == [("37", "10")] and bench.reference == "10"


def test_it_starts_from_no_choices_too():
    bench = FakeBench(lambda text: 5 * MILLI if int(text) > 50 else valley(4)(text))
    assert search(bench, heuristic="100", steps=lambda t: neighbours(t)[:2]).choices == "4"


def test_more_are_held_the_wider_it_is():
    ways = {"a": ["better", "c"], "c": ["best"]}.get

    def uneven(text):
        return {"a": 9, "b": 9.5, "better": 4, "c": 5, "best": 1}[text] * MILLI

    for width, choices in ((1, "better"), (2, "best")):
        bench = FakeBench(uneven)
        found = search(bench, width=width, steps=lambda t: ways(t, ()), heuristic="a", plain="b")
        assert found.choices == choices


def test_it_ends_when_a_round_finds_nothing_better():
    bench = FakeBench(lambda text: 10 * MILLI - int(text) * 1e-6)
    found = search(bench, heuristic="10", plain="10", width=1)
    assert found.choices == "" and len(bench.timed) < 10, "a thousandth is not worth a round"


def test_equal_sources_are_timed_once():
    bench = FakeBench(valley(12), source=lambda text: str(int(text) % 1000))
    found = search(bench, steps=lambda t: [str(int(t) + 1000), *neighbours(t)])
    assert found.choices == "12"
    assert len({int(t) % 1000 for t in bench.timed}) == len(bench.timed) == len(bench.compiled)


def test_what_cannot_be_lowered_is_left_out():
    assert (
        search(FakeBench(valley(12)), steps=lambda t: ["illegal", *neighbours(t)]).choices == "12"
    )


@pytest.mark.parametrize("why", ["it crashed", "no end within 10 s", "another result"])
def test_what_crashes_hangs_or_computes_something_else_never_wins(why):
    def seconds(text):
        return why if text == "13" else valley(13)(text)

    record = SearchRecord()
    bench = FakeBench(seconds)
    found = search(bench, record)
    assert found.choices in ("12", "14")
    assert record.tried[source_key("13")] == why and bench.timed.count("13") == 1


ROUNDS = [0.5] * 7 + [1.1] * 3, [1.0] * 10
"""Of ten rounds only seven are won, though by far."""


def test_a_winner_that_is_not_faster_in_turns_loses():
    for mine, others in (
        ([1.0] * 3, [1.0] * 3),
        ([0.5, 1.0, 1.0], [0.6, 1.0, 1.0]),
        ([], []),
        ROUNDS,
    ):
        record = SearchRecord()
        assert search(FakeBench(valley(37), duel=(mine, others)), record).choices == ""
        assert record.winner == "" and record.width == 2
    assert search(FakeBench(valley(37), duel=([0.9] * 3, [1.0] * 3))).choices == "37"


def test_a_winner_that_the_checks_refuse_loses():
    assert search(FakeBench(valley(37), unsound="37")).choices == ""


def test_nothing_better_leaves_the_heuristic_without_a_comparison():
    bench = FakeBench(valley(10))
    found = search(bench)
    assert found.choices == "" and found.seconds == found.before == MILLI and bench.duels == []


def test_a_kernel_that_takes_no_time_is_not_searched():
    bench = FakeBench(lambda text: SMALL)
    assert search(bench).choices == "" and bench.timed == ["10", "1"]


def test_an_interrupted_search_goes_on_where_it_was():
    whole = FakeBench(valley(37))
    search(whole)
    kept = []
    record = SearchRecord(keep=lambda r: kept.append(dict(r.tried)))
    first = FakeBench(valley(37), stop_after=9)
    with pytest.raises(KeyboardInterrupt):
        search(first, record)
    assert len(kept[-1]) == 9 and record.width == 0, "what was timed is kept"
    second = FakeBench(valley(37))
    assert search(second, SearchRecord(tried=kept[-1])).choices == "37"
    assert not set(first.timed) & set(second.timed)
    assert set(first.timed) | set(second.timed) == set(whole.timed)


def test_a_wider_search_uses_what_was_timed():
    record = SearchRecord()
    search(FakeBench(valley(37)), record, width=1)
    again = FakeBench(valley(37))
    assert search(again, record, width=1).choices == "37"
    assert again.timed == []


def test_a_line_a_round_says_how_far_it_is():
    lines = []
    search(FakeBench(valley(12)), say=lines.append, label="BEAM=2 k")
    assert lines[0] == "BEAM=2 k start: 2 choices, best 3000.0 us"
    assert lines[1].startswith("BEAM=2 k round 1: ") and lines[-1].endswith("best 1000.0 us")
