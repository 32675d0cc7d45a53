"""The short way into a replay: it is taken, and it gives what the long way gives."""

import gc

import numpy as np
import pytest
from arrays import realized

from rulewright import Context, Tensor, dtypes, jit
from rulewright.errors import JitError
from rulewright.runtime.device import Device
from rulewright.runtime.profile import GlobalCounters, clear_profile, profile_events
from rulewright.tensor.jit import MISSED, Quick


def warm(function, *args, **kwargs):
    """A jitted function after calls enough that the next one may go the short way."""
    made = jit(function)
    for _ in range(3):
        made(*args, **kwargs)
    return made


@pytest.fixture
def missed(monkeypatch):
    """Counts the calls that tried the short way and went the long one."""
    found, real = [], Quick.call

    def call(self, args, kwargs):
        result = real(self, args, kwargs)
        if result is MISSED:
            found.append(args)
        return result

    monkeypatch.setattr(Quick, "call", call)
    return found


def test_other_tensors_of_one_kind_go_the_short_way(missed):
    add = warm(lambda x, y: x + 2 * y, realized(1), realized(2))
    for i in range(4):
        assert add(realized(i), realized(i + 1)).item() == 3 * i + 2
    x = realized(7)
    assert [add(x, realized(i)).item() for i in range(3)] == [7, 9, 11]
    assert not missed and add.captures == 1


@pytest.mark.parametrize("read", [0, 1, 2])
def test_arguments_that_no_kernel_reads_are_taken(read, missed):
    """Wherever they stand among the others, and what is only handed back."""
    spare = Tensor([5.0, 6.0]).realize()

    def step(*tensors):
        return tensors[read] * 2, tensors[1][1:], spare.reshape(2, 1)

    step = jit(step)
    for number in range(6):
        values = [np.arange(2.0, dtype="f") + number * 10 + k for k in range(3)]
        results = step(*(Tensor(v).realize() for v in values))
        expected = values[read] * 2, values[1][1:], [[5.0], [6.0]]
        for result, value in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result.numpy(), value)


def test_results_that_are_kept_are_apart():
    double = warm(lambda x: x * 2, realized(1))
    kept = [double(realized(i)) for i in range(5)]
    arrays = [double(realized(i)).numpy() for i in range(5)]
    views = [double(realized(i)).reshape(1, 1) for i in range(5)]
    lazy = [double(realized(i)) + 1 for i in range(5)]
    for i in range(5):
        assert kept[i].item() == arrays[i].item() == views[i].item() == 2 * i
        assert lazy[i].item() == 2 * i + 1


def test_memory_that_numpy_shares_is_not_given_out_again():
    double = warm(lambda x: x * 2, realized(1))
    shared = [np.from_dlpack(double(realized(i))) for i in range(4)]
    assert [a.item() for a in shared] == [0, 2, 4, 6]


def test_a_result_that_was_written_leaves_nothing_behind():
    double = warm(lambda x: x * 2, realized(1))
    weight = Tensor([3.0], requires_grad=True)
    for i in range(4):
        made = double(realized(i))
        made.assign(made + weight)
        (made * made).sum().backward()
        assert weight.grad.item() == 2 * (2 * i + 3)
        weight.grad = None
        del made
        again = double(realized(i))
        assert again.item() == 2 * i and not again.requires_grad


def test_what_a_call_is_told_by_sends_it_the_long_way(missed):
    scale = warm(lambda x, n=1: x * n, realized(1, 2), n=2)
    assert scale(realized(1, 2), n=3).tolist() == [3, 6]
    assert scale(realized(1, 2), n=True).tolist() == [1, 2]
    assert scale(realized(1, 2)).tolist() == [1, 2]
    assert scale(realized(1, 2, 3), n=2).tolist() == [2, 4, 6]
    assert scale(realized(1, 2).reshape(2, 1), n=2).tolist() == [[2], [4]]
    assert scale(Tensor([1, 2]).realize(), n=2).dtype is dtypes.i64
    assert scale(realized(1, 2, 3)[1:], n=2).tolist() == [4, 6]
    assert scale(realized(1, 2) + 1, n=2).tolist() == [4, 6]
    assert len(missed) == 8


def test_words_are_told_apart_in_any_order(missed):
    minus = warm(lambda a, b, c: a - b * c, realized(1), c=realized(2), b=realized(3))
    for i in range(3):
        assert minus(realized(i), c=realized(5), b=realized(4)).item() == i - 20
        assert minus(realized(i), b=realized(7), c=realized(5)).item() == i - 35
    assert not missed
    assert minus(realized(1), realized(7), c=realized(5)).item() == -34
    assert len(missed) == 1


def test_the_order_of_words_is_what_a_function_of_any_words_sees():
    weighed = jit(lambda **parts: sum((i + 1) * part for i, part in enumerate(parts.values())))
    for i in range(4):
        one, two = realized(i), realized(10)
        assert weighed(a=one, b=two).item() == i + 20
        assert weighed(b=two, a=one).item() == 10 + 2 * i


def test_a_call_that_is_refused_on_the_way_leaves_nothing_behind():
    made = warm(lambda x, y: (x, x + y), realized(1), realized(2))
    x, y = realized(3), realized(4)
    assert made(x, y)[1].item() == 7
    assert made(y, realized(1, 2))[1].tolist() == [5, 6]
    first, total = made(y, y)
    assert first is y and total.item() == 8
    assert made(y, y)[0] is y and made.captures == 2


def test_one_tensor_in_two_places_is_told_from_two():
    def write(x, y):
        return x * 2 + y

    made = warm(write, realized(1), realized(2))
    x = realized(5)
    assert made(x, x).item() == 15
    assert made(x, x).item() == 15
    assert made(x, realized(1)).item() == 11


@pytest.mark.parametrize("names", [(), ("y",)])
def test_one_tensor_in_several_places_goes_the_short_way(names, missed):
    def step(x, y, z):
        return x * 2 + y, z, y * 1

    made = jit(step)
    for i in range(6):
        x, y = realized(i, 1), realized(10, i)
        total, same, copy = made(x, x, y) if not names else made(x, z=y, y=x)
        assert total.tolist() == [3 * i, 3] and copy.tolist() == [i, 1]
        assert same is y
    assert not missed and made.captures == 1
    assert made(x, y, y)[0].tolist() == [2 * 5 + 10, 2 + 5]
    assert made(x, y, x)[0].tolist() == [2 * 5 + 10, 2 + 5]
    assert made(x, x, x)[0].tolist() == [15, 3]
    assert made(x, x.reshape(2), y)[0].tolist() == [15, 3]
    assert len(missed) == 4


def test_gradients_of_a_tensor_in_two_places(missed):
    square = jit(lambda x, y: (x * y).sum().backward())
    for i in range(6):
        x = Tensor([float(i), 2.0], requires_grad=True)
        square(x, x)
        assert x.grad.tolist() == [2 * i, 4]
        x.grad = None
    assert square.captures == 1


NUMBERS = [
    *((kind(3), 3.0) for kind in (np.int8, np.uint64, np.float16, np.float32, np.float64)),
    (np.bool_(True), 1.0),
    (np.float32(0.1), float(np.float32(0.1))),
    (2.5, 2.5),
]


@pytest.mark.parametrize(("number", "value"), NUMBERS, ids=repr)
def test_numbers_of_numpy_are_taken_as_pythons_are(number, value, missed):
    times = jit(lambda x, n: (x * float(n), n))
    for i in range(5):
        result, same = times(realized(i, 1), type(number)(number))
        np.testing.assert_allclose(result.numpy(), np.float32([i, 1]) * np.float32(value), 1e-6)
        assert type(same) is type(number) and same == number
    assert times.captures == 1 and not missed
    assert times(realized(1), number * 0)[0].item() == 0


@pytest.mark.parametrize("kind", [float, np.float32])
def test_numbers_that_are_equal_or_not_but_differ_are_told_apart(kind):
    sign = jit(lambda x, n: x + float(np.copysign(1, n)))
    for zero, expected in [(0.0, 1), (-0.0, -1)] * 3:
        assert sign(realized(0), kind(zero)).item() == expected
    missing = jit(lambda x, n: x * 1 if n != n else x * 0)
    for _ in range(4):
        assert missing(realized(3), kind("nan")).item() == 3
    assert (sign.captures, missing.captures) == (2, 1)


def test_numbers_of_numpy_around_a_function_are_compared_by_their_values():
    settings = {"rate": np.float32(0.5)}
    times = jit(lambda x: x * settings["rate"])
    for i in range(6):
        settings["rate"] = np.float32(0.5 if i < 4 else 2.0)  # another object each time
        assert times(realized(2)).item() == (1 if i < 4 else 4)
    assert times.captures == 2


def test_state_is_as_it_was_or_captured_anew(missed):
    weight = realized(2)

    def step(x):
        weight.assign(weight + x)
        return weight.sum()

    made = warm(step, realized(1))
    assert made(realized(10)).item() == 15 and not missed
    weight.assign(realized(1))
    assert made(realized(10)).item() == 11
    weight.replace(realized(3))
    assert made(realized(10)).item() == 13
    with pytest.raises(JitError, match="shares memory"):
        made(weight)
    assert made(realized(1)).item() == 14


def test_numbers_around_modes_and_options_are_in_force():
    settings = {"n": 2}
    made = warm(lambda x: x * settings["n"], realized(1))
    settings["n"] = 3
    assert [made(realized(i)).item() for i in range(4)] == [0, 3, 6, 9]
    with Context(PROFILE=1):
        clear_profile()
        assert made(realized(2)).item() == 6
        assert [e.category for e in profile_events()].count("kernel") == 1
    with Context(JIT=0):
        assert made(realized(2)).item() == 6
    drop = jit(lambda x: x.dropout(1.0))
    for _ in range(4):
        assert drop(realized(1)).item() == 1
        with Tensor.train():
            assert drop(realized(1)).item() == 0


def test_debug_lines_are_printed(capsys):
    made = warm(lambda x: x * 2, realized(1))
    with Context(DEBUG=2):
        made(realized(1))
    assert "us" in capsys.readouterr().err


def test_random_numbers_go_on(missed):
    def noise(x):
        return x + Tensor.rand(4)

    def run(function):
        Tensor.manual_seed(3)
        return [function(realized(0, 0, 0, 0)).tolist() for _ in range(6)]

    plain = run(noise)
    assert run(jit(noise)) == plain and not missed


def test_kernels_are_counted():
    made = warm(lambda x: (x * 2).contiguous().sum() * (x + 1).sum(), realized(1, 2))
    before = GlobalCounters.kernels
    made(realized(1, 2))
    each = GlobalCounters.kernels - before
    made(realized(1, 2))
    assert GlobalCounters.kernels - before == 2 * each > 0


def test_a_capture_keeps_no_memory_of_its_call():
    """Neither of its arguments nor of its results; small results wait for the next call."""
    big, allocator = 1 << 18, Device["C"].allocator
    gc.collect()
    before = allocator.statistics().live
    made = jit(lambda x: x * 2 + 1)
    for _ in range(4):
        result = made(Tensor.ones(big).contiguous().realize())
    gc.collect()
    assert 4 * big <= allocator.statistics().live - before < 5 * big  # the result
    del result
    gc.collect()
    assert allocator.statistics().live - before < big


def test_lists_that_are_changed_after_a_call_are_other_arguments():
    total = jit(lambda parts: parts[0] + parts[1])
    parts = [realized(1), realized(2)]
    for i in range(5):
        parts[0] = realized(i)
        assert total(parts).item() == i + 2
    assert total.captures == 1


@pytest.mark.parametrize("watching", [{"PROFILE": 1}, {"DEBUG": 2}])
def test_calls_that_are_watched_run_their_kernels_one_by_one(watching, capfd):
    """Captured while watched or before, called again while watched and after."""
    early, late = (jit(lambda x: x * 2 + 1) for _ in range(2))
    for _ in range(4):
        assert early(Tensor([1.0, 2.0])).tolist() == [3.0, 5.0]
    with Context(**watching):
        for _ in range(5):
            assert late(Tensor([3.0, 4.0])).tolist() == [7.0, 9.0]
            assert early(Tensor([5.0, 6.0])).tolist() == [11.0, 13.0]
    kept = [f(Tensor([7.0, float(i)])) for i in range(5) for f in (early, late)]
    assert [k.tolist() for k in kept] == [[15.0, 2.0 * i + 1] for i in range(5) for _ in "12"]
