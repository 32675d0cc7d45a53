"""What jitted functions do to memory that is known elsewhere; what changes between calls."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
from arrays import realized
from jit_helpers import device

from rulewright import Tensor, Variable, jit, nn
from rulewright.errors import JitError

__all__ = ["device"]

DEVICES = ["C", "INTERP"]


@jit
def bump(x):
    x += 1


def test_values_computed_before_from_a_written_argument_are_kept(device):
    for i in range(5):
        x = realized(i, i + 1)
        late, view, wide = x * 10, x.reshape(2, 1), x.reshape(2, 1).expand(2, 2)
        later = wide + 0
        bump(x)
        assert late.tolist() == [10 * i, 10 * i + 10] and later.tolist()[1] == [i + 1, i + 1]
        assert x.tolist() == [i + 1, i + 2] == view.flatten().tolist()
        assert wide.tolist() == [[i + 1, i + 1], [i + 2, i + 2]]


def test_equal_values_are_not_written_with_an_argument(device):
    for i in range(5):
        base = realized(i)
        first, second = base * 3, base * 3
        first.realize(second)
        bump(first)
        assert (first.item(), second.item()) == (3 * i + 1, 3 * i)


def test_lazy_arguments_and_assignments_that_wait(device):
    total = realized(0)

    @jit
    def add(x):
        total.assign(total + x)
        return total * 2

    expected = 0
    for i in range(5):
        total += 100  # waits when the function is called
        x = realized(i) * 2
        x += 1
        expected += 100 + 2 * i + 1
        assert add(x).item() == 2 * expected


@pytest.mark.parametrize("write", ["replace", "assign", "part"])
def test_state_written_between_calls(device, write):
    weight = realized(1, 2)
    scale = jit(lambda x: x * weight)
    for i in range(6):
        if write == "replace":
            weight.replace(realized(i, i))
        elif write == "assign":
            weight.assign(realized(i, i))
        else:
            weight[:1] = float(i)
        expected = [i, i] if write != "part" else [i, 2]
        assert scale(realized(1, 1)).tolist() == expected


def test_dropout_goes_on_as_without_jit(device):
    def noisy(x):
        return x.dropout(0.5) + Tensor.rand(4)

    def run(function):
        Tensor.manual_seed(5)
        with Tensor.train():
            return [function(Tensor.ones(4)).tolist() for _ in range(6)]

    found = run(jit(noisy))
    assert found == run(noisy) and found[3] != found[4]


def test_training_and_gradient_modes_are_told_apart():
    drop = jit(lambda x: x.dropout(1.0))
    for _ in range(4):
        assert drop(realized(1)).item() == 1
        with Tensor.train():
            assert drop(realized(1)).item() == 0
    weight = Tensor([3.0], requires_grad=True)
    times = jit(lambda x: x * weight)
    for i in range(4):
        with Tensor.no_grad():
            free = times(realized(i))
        assert free.item() == 3 * i and not (free * 2).requires_grad
        assert times(realized(i)).item() == 3 * i


@pytest.mark.parametrize(
    ("make", "write", "expected"),
    [
        (lambda: Tensor.zeros(2), lambda w: w.assign(Tensor([5.0, 6.0])), [5, 6]),
        (lambda: Tensor.full((2,), 2.0), lambda w: w.__setitem__(0, 3.0), [3, 2]),
        (lambda: Tensor.arange(2).float(), lambda w: w.assign(Tensor.ones(2)), [1, 1]),
        (lambda: Tensor(0.5), lambda w: w.assign(0.25), [0.25, 0.25]),
        (lambda: Tensor.zeros(4)[1:3], lambda w: w.__iadd__(1.0), [1, 1]),
    ],
)
def test_constants_from_outside_are_seen_when_they_are_written(device, make, write, expected):
    w = make()
    scaled = jit(lambda x: x * w)
    for _ in range(3):
        scaled(realized(1.0, 1.0))
    write(w)
    assert [scaled(realized(1.0, 2.0)).tolist() for _ in range(2)] == [
        [expected[0], 2 * expected[1]] for _ in range(2)
    ]


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("make", [lambda old: old * 1, lambda _: Tensor.zeros(2)])
def test_state_that_has_no_memory_yet_is_written_in_each_call(device, first, make):
    model = SimpleNamespace(cache=realized(0, 2))

    @jit
    def step(x):
        model.cache[0] = x[0] * 2
        return x + model.cache

    for i in range(first):
        step(realized(i, i))
    model.cache = make(model.cache)  # as if a new sentence began
    last = model.cache.tolist()[1]
    for i in range(10, 14):
        assert step(realized(i, i)).tolist() == [3 * i, i + last]
        assert model.cache.tolist() == [2 * i, last]


def test_state_that_came_to_share_memory_is_written_in_each_call(device):
    older, state = Tensor.zeros(1), realized(3)

    @jit
    def step(x):
        state.assign(x * 0.5)

    step(realized(-3))
    older.assign(state)  # their memory is one until one of them is written
    for i in range(4):
        step(realized(i))
        assert state.item() == i / 2 and older.item() == -1.5


@pytest.mark.parametrize(
    "share", [lambda kept, state: kept.assign(state), lambda _, state: state * 2]
)
def test_what_was_read_from_state_stays_when_that_is_written(device, share):
    around = SimpleNamespace(kept=Tensor.zeros(1), state=realized(3))

    @jit
    def step(x):
        kept = x + around.kept.sum()
        around.state.assign(x)
        return kept

    step(realized(7))
    around.kept = share(around.kept, around.state)
    expected = around.kept.clone().item()
    for i in range(4):
        assert step(realized(i)).item() == i + expected
        assert around.kept.item() == expected and around.state.item() == i
        around.state.assign(Tensor.full((1,), -3.0))


def test_a_value_from_outside_that_is_given_back_is_computed_once(device):
    memory = realized(1)
    state = SimpleNamespace(late=memory)
    given = jit(lambda x: (x + 1, state.late))
    given(realized(0))
    state.late = memory * 2
    for i in range(4):
        assert given(realized(i))[1].item() == 2
        memory[0] = 5.0


def test_a_constant_that_is_returned_is_still_one_in_the_kernels(device):
    whole = Tensor.ones(2)
    part = whole[:1]
    step = jit(lambda x: (x + part, whole))
    step(realized(0))
    part += -3
    assert step(realized(0))[0].item() == -2
    whole.assign(Tensor([3.0, 4.0]))
    for i in range(3):
        assert step(realized(i))[0].item() == i + 3


def test_a_constant_that_is_written_again_and_again_is_captured_once_more():
    rate = Tensor(0.5)
    scaled = jit(lambda x: x * rate)
    for i in range(8):
        assert scaled(realized(2.0)).item() == 2 * rate.item()
        rate.assign(Tensor(float(i)))
    assert scaled.captures == 2


def test_lists_that_the_function_fills_are_an_error():
    kept = []

    def keep(x):
        kept.append(x.shape)
        return x + 1

    made = jit(keep)
    made(realized(1))
    with pytest.raises(JitError, match=r"changes closure of keep\.kept"):
        made(realized(1))


def test_numbers_around_are_captured_again_when_they_change():
    settings = {"scale": 1}
    times = jit(lambda x: x * settings["scale"])
    for scale in (1, 1, 1, 2, 2, 3, 1):
        settings["scale"] = scale
        assert times(realized(5)).item() == 5 * scale


def test_slots_that_change_are_noticed_as_attributes_are():
    class Holder:
        __slots__ = ("count", "weight")

    holder = Holder()
    holder.weight, holder.count = realized(2.0), 1
    scaled = jit(lambda x: x * holder.weight + holder.count)
    for factor in range(5):
        holder.weight, holder.count = realized(float(factor)), factor % 2
        assert scaled(realized(3.0)).tolist() == [3.0 * factor + factor % 2]
    of_argument = jit(lambda held, x: held.weight * x)
    for factor in range(4):
        holder.weight = realized(float(factor))
        assert of_argument(holder, realized(3.0)).tolist() == [3.0 * factor]

    def counting(x):
        holder.count += 1
        return x + 1

    step = jit(counting)
    with pytest.raises(JitError, match="changes"):
        for _ in range(3):
            step(realized(3.0))


def test_other_shapes_dtypes_and_devices_are_other_captures():
    double = jit(lambda x: x + x)
    for _ in range(3):
        for x in (realized(1), realized(1, 2), Tensor([1]), Tensor([1.0], device="INTERP")):
            found = double(x)
            assert (found.shape, found.dtype, found.device) == (x.shape, x.dtype, x.device)
            assert found.tolist() == [2 * v for v in x.tolist()]
    assert double.captures == 4


def test_results_may_be_written_and_given_back(device):
    step = jit(lambda x: x * 2)
    x = realized(1)
    for i in range(6):
        x = step(x)
        y = step(x)
        y += 1
        assert (x.item(), y.item()) == (2 ** (i + 1), 2 ** (i + 2) + 1)


class Model:
    def __init__(self):
        self.layer = nn.Linear(2, 2)
        self.calls = Tensor([0.0])

    @jit
    def __call__(self, x):
        self.calls.assign(self.calls + 1)
        return self.layer(x)


def test_objects_with_jitted_methods_are_copied():
    model = Model()
    for _ in range(3):
        model(realized(1, 2).reshape(1, 2))
    other = copy.deepcopy(model)
    for i in range(4):
        x = realized(1, i).reshape(1, 2)
        np.testing.assert_allclose(other(x).numpy(), model.layer(x).numpy(), rtol=1e-6)
    assert (model.calls.item(), other.calls.item()) == (3, 7)


def test_jitted_functions_call_each_other_with_state(device):
    total = realized(0)

    @jit
    def add(x):
        total.assign(total + x)
        return total + 0

    @jit
    def twice(x):
        add(x)
        return add(x * 10)

    expected = 0
    for i in range(5):
        expected += 11 * i
        assert twice(realized(i)).item() == expected
        expected += 1
        assert add(realized(1)).item() == expected


def test_bound_values_out_of_range():
    from rulewright.errors import VariableError

    with pytest.raises(VariableError):
        Variable("n", 1, 4).bind(5)
