"""How `rulewright bench` measures: turns, medians, ratios, checks, the roofline."""

import numpy as np
import pytest
from bench_fakes import Clock, Fake, double

from rulewright.bench import machine, measure, report, roofline
from rulewright.bench.libraries.in_numpy import InNumpy, windows
from rulewright.bench.roofline import Roofline, measure as measure_roofline
from rulewright.errors import UsageError
from rulewright.options import Context

TOP = Roofline(threads=2, gflops={"f32": 2.0, "f64": 1.0}, gbytes=4.0)


@pytest.fixture
def clock():
    return Clock()


def run(clock, *libraries, rounds=4, seconds=1e9, **facts):
    return measure.measure(double(**facts), libraries, rounds, seconds, clock)


def test_libraries_take_turns_and_ratios_are_taken_within_a_round(clock):
    ours, other = Fake("rulewright", clock, 1.0), Fake("other", clock, 3.0)
    outcome = run(clock, ours, other)
    assert [len(t.rounds) for t in outcome.timed] == [4, 4]
    assert (outcome.of("other").median, outcome.of("other").spread) == (3.0, 0.0)
    assert (outcome.ratio("other"), outcome.best_peer) == (3.0, "other")
    slow = Fake("rulewright", clock, *[1.0] * 5, *[100.0] * 2), Fake("x", clock, 2.0)
    assert run(clock, *slow).ratio_of_best("x") == 2.0


def test_no_round_begins_after_the_time_is_up(clock):
    outcome = run(clock, Fake("rulewright", clock, 1.0), rounds=100, seconds=4.5)
    assert len(outcome.timed[0].rounds) == 3  # of two calls each, one of which is to warm up


def test_short_calls_are_made_often_in_a_turn():
    assert measure.calls_in_turn(1.0) == 1
    assert measure.calls_in_turn(measure.TURN / 10.5) == 10
    assert measure.calls_in_turn(0.0) == measure.MOST_CALLS


def test_a_wrong_result_is_not_timed_and_says_so(clock):
    right, wrong = Fake("rulewright", clock, 1.0), Fake("other", clock, 1.0, off=0.1)
    outcome = run(clock, right, wrong)
    assert outcome.timed[1].problem.startswith("wrong: result 0 is off by 1.7e-02")
    assert not outcome.timed[1].rounds
    assert (outcome.best_peer, outcome.ratio("other"), outcome.ratio_of_best("other")) == (
        None, None, None)  # fmt: skip
    row = report.rows(outcome, TOP)[1]
    assert len(row) == len(report.HEADERS) and row[2] == outcome.timed[1].problem


@pytest.mark.parametrize("off", [np.nan, np.ones((2, 3))])
def test_nan_and_another_shape_are_wrong(clock, off):
    outcome = run(clock, Fake("rulewright", clock, 1.0, off=off))
    assert outcome.timed[0].problem.startswith("wrong: ")


def test_what_a_library_raises_is_its_problem(clock):
    class Fails(Fake):
        def put(self, array):
            raise ValueError("no\nmore")

    outcome = run(clock, Fails("other", clock, 1.0), Fake("rulewright", clock, 1.0))
    assert outcome.timed[0].problem == "ValueError: no"
    assert outcome.timed[1].rounds


def test_a_library_that_a_workload_leaves_out_is_not_run(clock):
    left_out = Fake("other", clock, 1.0)
    outcome = run(clock, left_out, without=frozenset({"other"}))
    assert (left_out.calls, outcome.timed) == (0, [])
    assert measure.left_out(double(wanted=1), "numpy") and not measure.left_out(double(), "numpy")


def test_a_timer_of_its_own_is_used_once_a_turn(clock):
    outcome = run(clock, Fake("rulewright", clock, 1.0), timer=lambda name: len(name) / 2)
    assert outcome.timed[0].rounds == [[5.0]] * 4


def test_narrow_floats_may_be_off_by_more():
    assert measure.tolerance(double(dtype="bf16")) > measure.tolerance(double(dtype="f16"))
    assert measure.tolerance(double(dtype="f64")) < 1e-14
    assert measure.tolerance(double(terms=10_000)) > measure.tolerance(double())


def test_the_roofline_of_a_workload_is_the_longer_of_two_times(clock):
    assert TOP.seconds(flops=8, moved=4) == 4e-9
    assert TOP.seconds(flops=8, moved=4, dtype="f64") == 8e-9
    assert TOP.seconds(flops=8, moved=40) == 1e-8
    outcome = run(clock, Fake("rulewright", clock, 12e-9))
    assert outcome.moved == 24  # three floats in, three out
    assert outcome.share("rulewright", TOP) == pytest.approx(6 / 12)
    with Context(DEVICE="INTERP"):  # which this roofline says nothing of
        assert outcome.share("rulewright", TOP) is None
        assert report.rows(outcome, TOP)[0][7] == ""


def test_a_report_says_times_rates_and_ratios(clock):
    outcome = run(clock, Fake("rulewright", clock, 2e-3), Fake("other", clock, 3e-3))
    ours, theirs = report.rows(outcome, TOP)
    assert ours[:3] == ("double/3", "rulewright", "2 ms") and theirs[:3] == ("", "other", "3 ms")
    assert (ours[-2:], theirs[-2:]) == (("1.50x (other)", "1.50x"), ("1.50x", "1.50x"))
    found = report.to_json(outcome, TOP)
    assert found["best_peer"] == "other" and found["ratio_to_best_peer"] == pytest.approx(1.5)
    assert found["libraries"][0]["gflops"] == pytest.approx(3 / 2e-3 / 1e9)
    assert [report.time_text(s) for s in (2.0, 0.5, 2e-6, 3e-9)] == [
        "2 s",
        "500 ms",
        "2 µs",
        "3 ns",
    ]
    assert [report.ratio_text(r) for r in (12.345, 0.1, 0.0123)] == ["12.35x", "0.10x", "0.012x"]


def test_the_roofline_is_measured():
    found = measure_roofline(copied=1 << 16, steps=100, times=1)
    assert set(found.gflops) == {"f32", "f64"} and min(found.gflops.values()) > 0
    assert found.gbytes > 0 and found.peak("bf16") == found.peak("f32")


def test_convolution_in_numpy_is_the_sum_over_its_window(rng):
    x, w = rng.standard_normal((2, 3, 5, 6)), rng.standard_normal((4, 3, 3, 3))
    found = InNumpy().conv2d(x, w, stride=2, padding=1, groups=1)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    for n, o, i, j in np.ndindex(found.shape):
        under = padded[n, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
        assert found[n, o, i, j] == pytest.approx(np.sum(under * w[o]))
    assert found.shape == (2, 4, 3, 3)
    assert len(list(windows(x, w.shape, 1, 0))) == 9


def test_a_roofline_is_kept_and_measured_again_only_gets_better(monkeypatch, empty_cache):
    found = iter([(2.0, 8.0), (4.0, 6.0)])

    def made():
        gflops, gbytes = next(found)
        return Roofline(1, {"f32": gflops, "f64": gflops}, gbytes)

    monkeypatch.setattr(roofline, "measure", made)
    monkeypatch.setattr(machine, "load", lambda: 0.0)
    first = roofline.roofline()
    assert (first.peak("f64"), first.gbytes) == (2.0, 8.0) and roofline.roofline() == first
    again = roofline.roofline(again=True)
    assert (again.peak("f32"), again.gbytes) == (4.0, 8.0) and roofline.roofline() == again


def test_a_roofline_that_others_slowed_down_is_not_kept(monkeypatch, empty_cache):
    made = iter([Roofline(1, {"f32": 2.0}, 7.0), Roofline(1, {"f32": 4.0}, 26.0)])
    loads = iter([100.0, 0.0])
    monkeypatch.setattr(roofline, "measure", lambda: next(made))
    monkeypatch.setattr(machine, "load", lambda: next(loads))
    assert [roofline.roofline().gbytes for _ in range(3)] == [7.0, 26.0, 26.0]


def test_the_machine_is_described_where_files_tell_and_where_none_do(tmp_path, monkeypatch):
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name : Fast 3000\n")
    assert machine.cpu_model(tmp_path / "cpuinfo") == "Fast 3000"
    assert machine.cpu_model(tmp_path / "none") and machine.caches(tmp_path / "none") == {}
    for number, facts in enumerate([("1", "Data", "48K"), ("2", "Unified", "2048K")]):
        (tmp_path / f"index{number}").mkdir()
        for name, fact in zip(("level", "type", "size"), facts, strict=True):
            (tmp_path / f"index{number}" / name).write_text(fact + "\n")
    assert machine.caches(tmp_path) == {"L1d": "48K", "L2": "2048K"}
    monkeypatch.delattr("os.getloadavg")
    assert machine.load() == 0.0


def test_numpy_has_no_gradients():
    with pytest.raises(UsageError, match="numpy has no gradients; leave it out"):
        InNumpy().with_gradients(lambda x: x, 1, 0.0)
