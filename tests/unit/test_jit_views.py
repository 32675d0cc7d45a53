"""What jitted steps with state give back: values that later calls do not change."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from rulewright import Tensor, jit
from rulewright.errors import ArgumentError, JitError, RulewrightError, RulewrightWarning

STATES = {
    "memory": lambda: Tensor(np.arange(1, 10, dtype=np.float32).reshape(3, 3)).realize(),
    "lazy": lambda: Tensor(np.arange(1, 10, dtype=np.float32).reshape(3, 3)) * 1,
    "constant": lambda: Tensor.ones(3, 3),
    "zeros in memory": lambda: Tensor.zeros(3, 3).contiguous(),
}


def scaled(s):
    s *= 0.5
    return (s * 1.0).abs(), s * 1.0, s**1


def part_written(s):
    s[1] = s[1] * 0.5 + 1
    return (s.tril(0),)


def windows(s):
    found = s.unfold(0, 2, 1)
    s[:, :] = s * 2
    return (found,)


def diagonal(s):
    s.assign(s + 1)
    return (s.diagonal(),)


def views(s):
    s.assign(s + 1)
    return s[1:], s.T, s.reshape(-1), s[1:][0], s.detach(), s.unsqueeze(0).expand(2, 3, 3)


def values_before(s):
    found = s + 0, s.detach(), s[::-1], s.flip(0), s.repeat(2, 1)
    s += 1
    return found


def copies(s):
    s.assign(s * 2)
    return s.clone(), s.T.contiguous(), s[0] * 1


def folding(s):
    s[0] = s[1]
    return s[0] * 1.0, s.flip(0), s.repeat(2, 1), s.relu() - s.relu() + s


def bits(s):
    word = s.bitcast("i32")
    word += 1
    return word, s * 1


STEPS = [scaled, part_written, windows, diagonal, views, values_before, copies, folding, bits]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("step", STEPS)
def test_results_of_steps_stay_what_they_were(step, state):
    """Five calls beside the plain function, whose results are read before the next call."""
    plain, captured = STATES[state](), STATES[state]()
    call = jit(lambda: step(captured))
    wanted, kept = [], []
    for _ in range(5):
        kept.append(call())
        wanted.append([t.numpy() for t in step(plain)])
        np.testing.assert_array_equal(captured.numpy(), plain.numpy())
        for tensors, arrays in zip(kept, wanted, strict=True):
            for tensor, array in zip(tensors, arrays, strict=True):
                np.testing.assert_array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("state", STATES)
def test_views_of_arguments_are_copies_too(state):
    call = jit(lambda x: (x[::-1], x.T, x[1:], x.flip(0)))
    kept = []
    for number in range(5):
        x = STATES[state]() + number
        array = x.numpy()
        kept.append((call(x), (array[::-1], array.T, array[1:], np.flip(array, 0))))
        x += 100
    for tensors, arrays in kept:
        for tensor, array in zip(tensors, arrays, strict=True):
            np.testing.assert_array_equal(tensor.numpy(), array)
            tensor += 1


def test_constant_arguments_have_views_too():
    call = jit(lambda x: x[::-1])
    kept = [call(Tensor.full((5, 1), 1)) for _ in range(5)]
    Tensor.ones(2).contiguous().realize()
    assert [t.flatten().tolist() for t in kept] == [[1] * 5] * 5


def test_a_result_that_is_the_state_or_an_argument_is_that_tensor():
    state, x = Tensor([1.0, 2.0]).realize(), Tensor([3.0]).realize()

    @jit
    def step(x):
        state.assign(state + x)
        return state, x

    for _ in range(4):
        found = step(x)
        assert found[0] is state and found[1] is x
    assert state.tolist() == [13.0, 14.0]


def test_views_of_one_result_still_share_their_memory():
    @jit
    def step(x):
        y = x + 1
        return y, y[1:]

    for _ in range(4):
        whole, part = step(Tensor([1.0, 2.0, 3.0]).realize())
        part += 10
        assert whole.tolist() == [2.0, 13.0, 14.0]


def test_a_pending_write_that_fails_leaves_other_functions_alone(monkeypatch):
    from rulewright.driver import graphs

    broken = Tensor([1.0, 2.0, 3.0, 4.0, 5.0]).realize()
    broken[1:] = broken[:-1] * 3
    run, calls = graphs.run, []

    def failing(sink, *told):
        if any(n is broken.uop.base for n in sink.toposort()):
            calls.append(sink)
            raise RulewrightError("the compiler has gone")
        return run(sink, *told)

    monkeypatch.setattr(graphs, "run", failing)
    double = jit(lambda x: x * 2)
    for i in range(5):
        assert double(Tensor([float(i)]).realize()).item() == 2 * i
    assert calls
    with pytest.raises(RulewrightError, match="has gone"):
        broken.tolist()
    monkeypatch.undo()
    assert broken.tolist() == [1.0, 3.0, 6.0, 9.0, 12.0]


def new_value_written(s):
    found = s.flip(0)
    found.assign(1)
    return (found * s + 0,)


def copy_written(s):
    found = s + 0
    found += 1
    s *= 2
    return found, s * 1


def repeated_and_written(s):
    found = s.repeat(2, 1)
    found[0] = 9
    return (found,)


def padded_and_written(s):
    found = s.pad((0, 0))
    found.assign(0)
    s += 1
    return (found + s,)


def swapped(s):
    s[[2, 0]] = s[[0, 2]] + 1
    return (s * 1,)


def part_of_a_value_written(s):
    found = s + 1
    found[0] = 9
    found[:, 1:] *= 2
    return (found,)


WRITES = [new_value_written, copy_written, repeated_and_written, padded_and_written, swapped,
          part_of_a_value_written]  # fmt: skip


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("step", WRITES)
def test_new_values_are_written_without_the_state(step, state):
    test_results_of_steps_stay_what_they_were(step, state)


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a.empty_like(),
        lambda a: Tensor.zeros(2),
        lambda a: a.zeros_like(),
        lambda a: Tensor.full((2,), 3.0),
        lambda a: Tensor.arange(2, dtype="f32"),
        lambda a: Tensor.ones(2).contiguous(),
        lambda a: a * 0,
    ],
)
def test_an_argument_made_for_each_call_may_be_written(make):
    @jit
    def step(a, b):
        b.assign(a + 1)
        return b * 1

    for i in range(5):
        a = Tensor([1.0, float(i)])
        b = make(a)
        assert step(a, b).tolist() == b.tolist() == [2.0, i + 1.0]


def test_a_parameter_that_is_frozen_later_is_captured_anew():
    weight = Tensor([1.0, 2.0], requires_grad=True)
    other = Tensor([1.0], requires_grad=True)

    @jit
    def step(x):
        loss = (weight * x).sum() + other.sum() * 0
        return loss.gradient(*[t for t in (weight, other) if t.requires_grad])[0]

    x = Tensor([5.0, 7.0]).realize()
    assert [step(x).tolist() for _ in range(4)] == [[5.0, 7.0]] * 4
    weight.requires_grad_(False)
    assert [step(x).tolist() for _ in range(4)] == [[0.0]] * 4


def test_equal_constants_in_memory_are_told_apart():
    x, y = Tensor.ones(3).contiguous(), Tensor.ones(3).contiguous()
    for _ in range(2):
        loss = (x * 2 + y * 3).sum()
        assert [g.tolist() for g in loss.gradient(x, y)] == [[2.0] * 3, [3.0] * 3]
        Tensor.realize(x, y)


COUNT = 0


@jit
def doubled(x):
    return x * 2


def test_a_counter_outside_is_an_error_or_a_warning():
    def step(x):
        global COUNT
        COUNT += 1
        return x + 1

    x = Tensor([1.0]).realize()
    strict = jit(step)
    strict(x)
    with pytest.raises(JitError, match=r"globals of step.*strict=False"):
        strict(x)
    lenient = jit(strict=False)(step)
    lenient(x)
    with pytest.warns(RulewrightWarning, match="globals of step"):
        lenient(x)
    before = COUNT
    assert [lenient(x + i).tolist() for i in range(4)] == [[2.0], [3.0], [4.0], [5.0]]
    assert before == COUNT and lenient.captures == 1
    wide = Tensor([1.0, 2.0]).realize()
    lenient(wide)
    with pytest.warns(RulewrightWarning, match="globals of step"):
        lenient(wide)
    for i in range(4):
        assert lenient(x).tolist() == [2.0] and lenient(wide + i).tolist() == [2.0 + i, 3.0 + i]
    assert lenient.captures == 2
    with pytest.raises(ArgumentError, match="strict is True or False, found 3"):
        jit(step, strict=3)


def test_a_jitted_function_is_pickled_without_its_captures():
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    plain = jit(math.sqrt, strict=False)
    found = pickle.loads(pickle.dumps(plain))
    assert isinstance(found, type(plain)) and found.function is math.sqrt and not found.strict


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    "make",
    [
        lambda x: x**1,
        lambda x: x + 0,
        lambda x: x.flip(0),
        lambda x: x.pad((0, 0)),
        lambda x: x.repeat(3, 1)[0],
    ],
)
def test_arguments_that_happen_to_share_memory_are_written_apart(make, which):
    @jit
    def step(a, b):
        written, other = (a, b) if which == 0 else (b, a)
        written.assign(written + other)
        return written * 1, other + 0

    for _ in range(4):
        x = Tensor([1.0, 2.0]).realize()
        y = make(x)
        arrays = [x.numpy(), y.numpy()]
        found = step(x, y)
        arrays[which] = arrays[0] + arrays[1]
        for tensor, array in zip((x, y, *found), [*arrays, arrays[which], arrays[1 - which]],
                                 strict=True):  # fmt: skip
            np.testing.assert_array_equal(tensor.numpy(), array)


class Scaled:
    def __init__(self, by):
        self.by = by

    @jit
    def step(self, x):
        return x * self.by


def test_a_jitted_method_is_pickled_with_its_object():
    made = Scaled(3)
    x = Tensor([2.0]).realize()
    assert [made.step(x).item() for _ in range(3)] == [6.0] * 3
    again = pickle.loads(pickle.dumps(made.step))
    assert [again(x).item() for _ in range(3)] == [6.0] * 3


def test_one_result_in_several_places_is_one_tensor():
    @jit
    def step(x):
        y = x * 2
        return {"a": y, "b": [y, x]}, y

    x = Tensor([1.0, 2.0]).realize()
    for _ in range(5):
        found, again = step(x)
        assert found["a"] is found["b"][0] is again and found["b"][1] is x
        again += 1
        assert found["a"].tolist() == [3.0, 5.0]
