"""BEAM on real kernels: trials in a process of their own, records on disk, options and refusals."""

import json

import numpy as np
import pytest
from codegen_kernels import elementwise, matmul, row_sum, softmax, symbolic

from rulewright import Context, Tensor, jit
from rulewright.codegen.choices import search_width
from rulewright.codegen.lower import lower_kernel
from rulewright.codegen.steps import plain_choices, steps
from rulewright.driver import trials, tuned
from rulewright.driver.beam import SearchRecord
from rulewright.driver.trial_worker import agrees, numbers
from rulewright.driver.trials import Trials
from rulewright.errors import RulewrightError, UsageError, ValidationError
from rulewright.ir.dtypes import dtypes
from rulewright.render import target
from rulewright.runtime.device import Device

CRASH, HANG = "((volatile int *)0)[0] = 1;", "for (volatile int i = 1; i;) { }"
SCRIBBLE = "((float *)bufs[0])[3] += 1.0f;"


@pytest.fixture
def c_target():
    return Device["C"].target


class Kept(dict):
    """A cache on disk that is in memory."""

    def get(self, key, suffix):
        return super().get(key)

    def put(self, key, data, suffix):
        self[key] = data


@pytest.fixture
def kept(monkeypatch):
    """Where records are kept; nothing is remembered from other tests."""
    store = Kept()
    monkeypatch.setattr(tuned, "_kept", store)
    tuned._remembered.clear()
    with Context(THREADS=1):
        yield store
    tuned._remembered.clear()


def spoil(monkeypatch, program, statement):
    """Have a program do something else at its end."""
    render = trials.render_unit

    def spoilt(pairs, on):
        text = render(pairs, on)
        end = text.rindex("}")
        return text[:end] + statement + text[end:] if pairs[0][0] is program.uops else text

    monkeypatch.setattr(trials, "render_unit", spoilt)


@pytest.mark.parametrize(
    ("statement", "why"),
    [(CRASH, "it crashed"), (HANG, "no end within 1 s"), (SCRIBBLE, "another result")],
)
def test_a_kernel_that_fails_harms_nobody(statement, why, c_target, monkeypatch, kept):
    kernel = matmul(12, 16, 8)
    good = lower_kernel(kernel, c_target)
    with Trials(kernel, c_target, seconds=1.0) as bench:
        bench.refer_to(good)
        bad = bench.lower("simd(r1)")
        spoil(monkeypatch, bad, statement)
        outcome = bench.time(bench.compile(bad), 1.0 if statement == SCRIBBLE else 0.0)
        assert outcome.why == why and outcome.seconds == float("inf")
        after = bench.time(bench.compile(bench.lower("unroll(r2); simd(r1)")), 1.0)
        assert after.why == "" and 0 < after.seconds < 1


def test_what_does_not_compile_is_an_outcome(c_target, monkeypatch, kept):
    kernel = elementwise(20)
    good = lower_kernel(kernel, c_target)
    with Trials(kernel, c_target) as bench:
        bench.refer_to(good)
        bad = bench.lower("upcast(r0)")
        spoil(monkeypatch, bad, "this is no C;")
        assert "refused the source" in bench.time(bench.compile(bad), 1.0).why
        monkeypatch.setattr(trials, "COMPILE_SECONDS", 0.001)
        assert "more than 0.001 s" in bench.time(bench.compile(bench.lower("loop(r0)")), 1.0).why


def test_a_reference_that_fails_ends_the_search(c_target, monkeypatch, kept):
    kernel = elementwise(20)
    good = lower_kernel(kernel, c_target)
    spoil(monkeypatch, good, CRASH)
    with (
        Trials(kernel, c_target) as bench,
        pytest.raises(UsageError, match="kernel e_20: it crashed"),
    ):
        bench.refer_to(good)


def test_two_kernels_run_in_turns(c_target, kept):
    kernel = softmax(9, 33)
    first = lower_kernel(kernel, c_target)
    with Trials(kernel, c_target) as bench:
        bench.refer_to(first)
        mine, others = bench.duel(bench.lower(plain_choices(kernel)), first)
    assert len(mine) == len(others) == trials.DUEL and min(*mine, *others) > 0


def test_what_touches_other_memory_is_not_sound(c_target, kept, monkeypatch):
    with Trials(matmul(12, 16, 8), c_target) as bench:
        assert bench.is_sound("simd(r1); thread(r0)")

        def refuse(*_):
            raise ValidationError("an access leaves its memory")

        monkeypatch.setattr(trials, "lower_fresh", refuse)
        assert not bench.is_sound("simd(r1); thread(r0)")


def test_variables_are_tried_from_least_to_most(c_target, kept):
    kernel = symbolic(50)
    with Trials(kernel, c_target) as bench:
        first = lower_kernel(kernel, c_target)
        bench.refer_to(first)
        assert (
            bench.time(bench.compile(bench.lower("r2, r3 = split(r0, 16); simd(r3)")), 1.0).why
            == ""
        )


@pytest.mark.parametrize("name", ["f32", "bf16", "i32", "u8", "bool"])
def test_numbers_of_trials(name):
    dtype = getattr(dtypes, name)
    positive, mixed = (numbers(dtype, filling, 70_000).astype(np.float64) for filling in (0, 1))
    assert len(positive) == 70_000 and positive.min() >= 0 and np.isfinite(mixed).all()
    assert len(set(positive[:1000])) > 1 and not np.array_equal(positive[:65_521], mixed[:65_521])


def test_results_may_differ_by_the_order_of_sums():
    right = np.array([1.0, 100.0, np.nan, np.inf, -np.inf], np.float32)
    assert agrees(right * np.float32(1 + 1e-6), right, dtypes.f32)
    for place, wrong in ((1, 99.0), (2, 0.0), (3, -np.inf), (4, np.nan)):
        other = right.copy()
        other[place] = wrong
        assert not agrees(other, right, dtypes.f32)
    assert not agrees(np.array([1, 2]), np.array([1, 3]), dtypes.i64)


# ---- steps ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel", [elementwise(40), matmul(20, 24, 36), row_sum(7, 50), softmax(5, 40)]
)
def test_steps_are_choices_that_the_kernel_can_have(kernel, c_target):
    base = lower_kernel(kernel, c_target).choices
    found = steps(kernel, base, target(c_target))
    assert len(found) == len(set(found)) >= 4 and base not in found
    assert found == steps(kernel, base, target(c_target))
    refused = 0
    for text in found[:: max(1, len(found) // 12)]:
        try:
            lower_kernel(kernel.replace(arg=("k", text)), c_target)
        except RulewrightError:
            refused += 1
    assert refused <= 2


def test_steps_of_no_choices_include_those_of_every_kind(c_target):
    found = "; ".join(steps(matmul(40, 48, 64), "loop(r0)", target(c_target)))
    for word in ("thread(", "upcast(", "simd(", "unroll(", "split(", "join(", "reorder(", "pack("):
        assert word in found, word


def test_steps_are_not_known_for_workgroups():
    with pytest.raises(ValueError, match="without workgroups"):
        steps(elementwise(40), "", target("OPENCL"))


# ---- the whole way ----------------------------------------------------------------------------


def few_steps(monkeypatch, *texts):
    monkeypatch.setattr(tuned, "steps", lambda ast, text, on: list(texts))


def test_a_whole_search_of_a_small_kernel(kept, monkeypatch, rng, capsys):
    few_steps(monkeypatch, "simd(r1)", "upcast(r0); simd(r1)")
    monkeypatch.setattr("rulewright.driver.beam.SMALL", 0.0)
    a, b = rng.random((6, 16), np.float32), rng.random((16, 32), np.float32)
    with Context(BEAM=2):
        np.testing.assert_allclose(Tensor(a).matmul(Tensor(b)).numpy(), a @ b, rtol=1e-5)
        said = capsys.readouterr().err
        assert "BEAM=2 r_6_32_16 round 1" in said and "kernels timed)" in said
        np.testing.assert_allclose(Tensor(a).matmul(Tensor(b)).numpy(), a @ b, rtol=1e-5)
    [data] = kept.values()
    record = json.loads(data)
    assert record["width"] == 2 and all(isinstance(t, float) for t in record["tried"].values())
    tuned._remembered.clear()
    monkeypatch.setattr(tuned, "Trials", None)  # in another process the record is all that is used
    with Context(BEAM=2, CACHE=1):
        [item] = Tensor(a).matmul(Tensor(b)).schedule()
        assert item.lower().choices == (record["winner"] or lowered(a, b))
    assert capsys.readouterr().err == ""


def lowered(a, b):
    """The heuristic's choices."""
    [item] = Tensor(a).matmul(Tensor(b)).schedule()
    with Context(BEAM=0):
        return lower_kernel(item.ast.replace(arg=None), Device["C"].target).choices


def choose(monkeypatch, winner, kernel=""):
    """Have every search find these choices; gives the widths that were asked for.

    With the name of a kernel only for it: tests that ran before may have left others to be run.
    """
    asked = []

    class Chosen:
        def __init__(self, bench, record, steps, width, say, label):
            self.record, self.width = record, width
            if label.endswith(kernel):
                asked.append(width)

        def run(self, heuristic, plain):
            self.record.width, self.record.winner = self.width, winner
            self.record.keep(self.record)
            return tuned.SearchResult(winner, 1.0, 2.0, 3)

    monkeypatch.setattr(tuned, "Search", Chosen)
    return asked


def choices(tensor):
    items = tensor.schedule()
    for item in items:
        item.run()
    return [item.lower().choices for item in items]


def test_the_choices_found_are_those_of_the_kernel(kept, monkeypatch, rng):
    asked = choose(monkeypatch, "simd(r1)")
    a, b = rng.random((6, 16), np.float32), rng.random((16, 32), np.float32)

    def product():
        return choices(Tensor(a).realize().matmul(Tensor(b).realize()))

    with Context(BEAM=3):
        assert product() == product() == ["simd(r1)"]
    assert asked == [3], "an equal kernel is searched once"
    assert product() == [lowered(a, b)], "without the option it is as ever"
    with Context(BEAM=5):
        assert product() == ["simd(r1)"]
    assert asked == [3, 5], "a wider search is another one"
    tuned._remembered.clear()
    with Context(BEAM=4):
        product()
    assert asked == [3, 5], "one as wide is on disk"


def test_other_processors_compilers_and_threads_have_other_records(kept, monkeypatch, c_target):
    kernel = matmul(4, 8, 4)
    keys = {tuned.record_key(kernel, "a", c_target), tuned.record_key(kernel, "b", c_target)}
    keys |= {
        tuned.record_key(matmul(4, 8, 5), "a", c_target),
        tuned.record_key(kernel, "a", "C_SSE"),
    }
    with Context(THREADS=7):
        keys.add(tuned.record_key(kernel, "a", c_target))
    monkeypatch.setattr(tuned, "cpu_identity", lambda: "another")
    keys.add(tuned.record_key(kernel, "a", c_target))
    assert len(keys) == 6


def test_records_are_kept_and_read_but_not_without_the_cache(kept):
    record = tuned.read_record("k")
    record.tried, record.width, record.winner = {"a": 1.5, "b": "it crashed"}, 2, "simd(r0)"
    record.keep(record)
    again = tuned.read_record("k")
    assert (again.tried, again.width, again.winner) == (record.tried, 2, "simd(r0)")
    with Context(CACHE=0):
        assert tuned.read_record("k").width == 0
        tuned.keep_record("new", SearchRecord(width=3))
    assert tuned.read_record("new").width == 0


def test_a_search_that_gives_up_leaves_the_heuristic(kept, monkeypatch, rng):
    def fail(*_, **__):
        raise UsageError("kernel k: it crashed")

    monkeypatch.setattr(Trials, "refer_to", fail)
    a = rng.random((5, 7), np.float32)
    x = Tensor(a).realize()
    with Context(BEAM=1), pytest.warns(UserWarning, match="the heuristic's choices stay: kernel k"):
        np.testing.assert_allclose(x.exp().numpy(), np.exp(a), rtol=1e-5)


def test_a_users_choices_are_not_searched_and_a_user_may_ask_for_a_search(kept, monkeypatch, rng):
    asked = choose(monkeypatch, "simd(r0)")
    x = Tensor(rng.random(64, np.float32)).realize()
    with Context(BEAM=2):
        assert choices((x * 3).contiguous(arg="upcast(r0)")) == ["upcast(r0)"]
    assert asked == []
    made = (x * 5).contiguous(arg="beam(4)")
    [item] = made.schedule()
    assert search_width(item.ast) == 4
    item.run()
    assert item.lower().choices == "simd(r0)" and asked == [4]


@pytest.mark.parametrize("level", [1, 2])
def test_searched_kernels_are_verified(level, kept, monkeypatch, rng):
    choose(monkeypatch, "r3, r4 = split(r1, 4); simd(r4); thread(r0)")
    a, b = rng.random((2, 3), np.float32), rng.random((3, 8), np.float32)
    with Context(BEAM=2, VERIFY=level, CACHE=0):
        np.testing.assert_allclose((Tensor(a) @ Tensor(b)).numpy(), a @ b, rtol=1e-5)


def test_searched_kernels_under_jit(kept, monkeypatch, rng):
    asked = choose(monkeypatch, "simd(r0)", "e_61")
    a = rng.random(61, np.float32)

    @jit
    def step(x):
        return (x * 7 + 1).realize()

    with Context(BEAM=2):
        for k in range(4):
            np.testing.assert_allclose(
                step(Tensor(a + k).realize()).numpy(), (a + k) * 7 + 1, rtol=1e-6
            )
    np.testing.assert_allclose(step(Tensor(a).realize()).numpy(), a * 7 + 1, rtol=1e-6)
    assert asked == [2]


def test_the_interpreter_has_nothing_to_search(rng):
    with Context(BEAM=2):
        assert (Tensor([1.0, 2.0], device="INTERP") * 2).tolist() == [2.0, 4.0]


def test_kernels_of_other_devices_are_refused():
    class Gpu:
        kind, name, interprets, target = "CUDA", "CUDA", False, "CUDA"
        is_searched = False

    kernel = elementwise(12).replace(arg=("k", "beam(2)"))
    with pytest.raises(UsageError, match="BEAM=2: only kernels of the device C are searched"):
        tuned.tuned(kernel, Gpu())
    assert tuned.tuned(elementwise(12), Gpu()) is elementwise(12)


def test_written_kernels_that_say_all_and_copies_are_not_marked(rng):
    x = Tensor(rng.random((4, 4), np.float32))
    with Context(BEAM=2):
        items = (x.to("INTERP") * 2).schedule()
    assert [(item.is_copy, search_width(item.ast)) for item in items] == [(True, 0), (False, 2)]
