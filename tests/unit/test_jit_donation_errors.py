"""Which arguments are given away, and what using one afterwards says."""

import copy
import os
import pickle
from functools import partial

import numpy as np
import pytest
from arrays import in_memory, normal

from rulewright import Context, Tensor, jit, nn
from rulewright.driver.replay import Replay
from rulewright.errors import ArgumentError, JitError, UsageError

SHAPE = (128, 192)
data = partial(normal, np.random.default_rng(0), *SHAPE)


def captured(function, donate):
    """A jitted function of a large tensor that only runs kernels from now on."""
    made = jit(function, donate=donate)
    for _ in range(2):
        made(in_memory(data()))
    return made


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x + 1,
        lambda x: x.numpy(),
        lambda x: x.shape,
        lambda x: x[0],
        lambda x: x.assign(1),
        lambda x: x.realize(),
        lambda x: x.backward(),
        lambda x: Tensor(x),
        lambda x: Tensor.ones(SHAPE) * x,
        lambda x: np.asarray(x),
        lambda x: pickle.dumps(x),
        lambda x: copy.copy(x),
        lambda x: copy.deepcopy(x),
        lambda x: nn.state.safe_save({"x": x}, os.devnull),
        lambda x: bool(x.requires_grad),
        lambda x: jit(lambda y: y)(x),
        lambda x: f"{x:.3f}",
    ],
)
def test_a_donated_tensor_is_an_error_wherever_it_is_used(use):
    step = jit(lambda x: x + 1, donate=0)
    for _ in range(3):  # in a plain call, a capture and a replay
        x = in_memory(data())
        step(x)
        assert repr(x) == "<Tensor, donated>"
        with pytest.raises(UsageError, match=r"shape \(128, 192\) f32 was donated .* argument 0"):
            use(x)
    with pytest.raises(UsageError, match="was donated"):
        step(x)


def test_a_function_that_reads_a_donated_tensor_says_so():
    state = in_memory(data())
    read = jit(lambda x: x + state)
    for _ in range(3):
        read(in_memory(data()))
    jit(lambda x: x * 2, donate=0)(state)
    with pytest.raises(UsageError, match="was donated"):
        read(in_memory(data()))


def test_memory_given_twice_is_refused():
    step = jit(lambda x, y: x + y, donate=0)
    for _ in range(3):
        x = in_memory(data())
        with pytest.raises(JitError, match="argument 0 is donated, and given in argument 1 too"):
            step(x, x)
        assert step(x, x.clone()).shape == SHAPE


def test_memory_that_the_function_uses_from_outside_is_refused():
    weight, other = in_memory(data()), in_memory(data())
    step = jit(lambda x: x + weight, donate=0)
    for _ in range(2):
        step(in_memory(data()))
    with pytest.raises(JitError, match="donated, and the function uses it from outside"):
        step(weight)
    assert weight.shape == step(other).shape == SHAPE  # it is still there


def test_a_call_that_is_refused_leaves_its_arguments():
    step = jit(lambda x: x * float(x.sum().item()), donate=0)
    step(in_memory(data()))
    x = in_memory(data())
    with pytest.raises(JitError, match="a value is read"):
        step(x)
    assert x.shape == SHAPE


def test_a_replay_that_fails_leaves_no_half_results(monkeypatch):
    step = captured(lambda x: x * 2, 0)
    x, values = in_memory(data()), data()

    def stop(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Replay, "run", stop)
        with pytest.raises(KeyboardInterrupt):
            step(x)
    with pytest.raises(UsageError, match="was donated"):
        x.numpy()
    np.testing.assert_array_equal(step(in_memory(values)).numpy(), values * 2)


# ---- which arguments ----------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [1.5, True, None, ("x", 2.0), {"x"}, [None]])
def test_donate_of_another_kind_is_refused(wrong):
    with pytest.raises(ArgumentError, match="donate names arguments by position or name"):
        jit(lambda x: x, donate=wrong)


@pytest.mark.parametrize("wrong", [1, -1, "y", (0, "z")])
def test_donate_of_a_parameter_that_there_is_not_is_refused(wrong):
    with pytest.raises(JitError, match=r"but the function has the parameters \(x\)"):
        jit(lambda x: x, donate=wrong)


def test_arguments_are_named_by_position_or_name_however_they_are_passed():
    def add(a, b, *rest, c, **more):
        return a + b + c + sum(rest) + sum(more.values())

    wanted = [(0, "a"), ("b", "b"), ("c", "c"), (2, "e"), ("d", "d"), ([0, "c"], "ac")]
    for donate, gone in wanted:
        step = jit(add, donate=donate)
        for _ in range(3):
            a, b, c, d, e = tensors = [in_memory(data()) for _ in range(5)]
            step(a, b, e, c=c, d=d)
            named = zip("abcde", tensors, strict=True)
            assert "".join(n for n, t in named if "donated" in repr(t)) == gone


def test_methods_count_the_object():
    class Model:
        @jit(donate=1)
        def step(self, x):
            return x + 1

    model = Model()
    for number in range(4):
        x = in_memory(np.full(SHAPE, number, np.float32))
        assert model.step(x)[0, 0].item() == number + 1
        assert "donated" in repr(x)


def test_nothing_is_donated_inside_of_another_jitted_function_nor_without_jit():
    inner = captured(lambda x: x + 1, 0)
    outer = jit(lambda x: inner(x) + x)
    for number in range(4):
        x = in_memory(np.full(SHAPE, number, np.float32))
        assert outer(x)[0, 0].item() == 2 * number + 1
        assert x[0, 0].item() == number
    with Context(JIT=0):
        inner(x)
    assert x[0, 0].item() == 3


def test_pickled_functions_donate():
    step = pickle.loads(pickle.dumps(named))
    assert step is named
    assert pickle.loads(pickle.dumps(jit(abs, donate=0))).donate == 0


@jit(donate=0)
def named(x):
    return x + 1
