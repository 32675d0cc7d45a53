"""What jitted steps with state give back: values that later calls do not change."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor, jit
from rulewright.errors import RulewrightError

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
    from rulewright.tensor import engine

    broken = Tensor([1.0, 2.0, 3.0, 4.0, 5.0]).realize()
    broken[1:] = broken[:-1] * 3
    run, calls = engine.run, []

    def failing(sink):
        if any(n is broken.uop.base for n in sink.toposort()):
            calls.append(sink)
            raise RulewrightError("the compiler has gone")
        return run(sink)

    monkeypatch.setattr(engine, "run", failing)
    double = jit(lambda x: x * 2)
    for i in range(5):
        assert double(Tensor([float(i)]).realize()).item() == 2 * i
    assert calls
    with pytest.raises(RulewrightError, match="has gone"):
        broken.tolist()
    monkeypatch.undo()
    assert broken.tolist() == [1.0, 3.0, 6.0, 9.0, 12.0]
