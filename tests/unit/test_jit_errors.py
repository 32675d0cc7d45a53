"""What a jitted function may not do is an error that says so."""

import gc

import numpy as np
import pytest

from rulewright import Context, GlobalCounters, Tensor, Variable, function, jit, nn
from rulewright.errors import JitError, UsageError, VariableError


def ones():
    return Tensor([1.0, 1.0]).realize()


def second_call_fails(function, *arguments, text):
    made = jit(function)
    made(*[a() for a in arguments])
    with pytest.raises(JitError, match=text):
        made(*[a() for a in arguments])


def test_reading_a_value_names_the_line():
    line = test_reading_a_value_names_the_line.__code__.co_firstlineno + 4

    def read(x):
        return x * x.sum().item()

    second_call_fails(read, ones, text=rf"a value is read at .*test_jit_errors.py:{line}")


def test_host_memory_that_is_made_inside():
    data = np.ones(2, np.float32)
    for inside in (lambda x: x + Tensor(data * 2), lambda x: x + data[:1]):
        second_call_fails(inside, ones, text="host memory is copied .*hold arrays of numpy")
    second_call_fails(lambda x: x[np.arange(2)], ones, text="host memory is an index")


def test_an_array_around_that_the_function_changes():
    data = np.ones(2, np.float32)

    def change(x):
        y = x + Tensor(data)
        data[0] += 1
        return y

    second_call_fails(change, ones, text="changes closure of change.data while it runs")


def test_values_of_variables_as_numbers():
    n = Variable("n", 1, 9).bind(3)
    line = test_values_of_variables_as_numbers.__code__.co_firstlineno + 4
    text = rf"bound variable is taken by int\(\) at .*test_jit_errors.py:{line}"
    second_call_fails(lambda x, n: x * int(n), ones, lambda: n, text=text)


def test_a_layer_that_takes_the_value_of_a_variable_names_the_line():
    gru, x, n = nn.GRU(2, 3, batch_first=True), Tensor.ones(1, 9, 2).realize(), Variable("n", 1, 9)
    line = test_a_layer_that_takes_the_value_of_a_variable_names_the_line.__code__.co_firstlineno
    text = rf"a bound variable is taken by int\(\) at .*test_jit_errors.py:{line + 4}"
    second_call_fails(lambda n: gru(x[:, :n])[0], lambda: n.bind(3), text=text)


def test_variables_bound_twice():
    n = Variable("n", 1, 9)
    with pytest.raises(VariableError, match="bound to 2 and to 3"):
        jit(lambda a, b: None)(n.bind(2), n.bind(3))


def test_gradients_into_the_border():
    weight = Tensor([2.0], requires_grad=True)
    made = jit(lambda x: (x * weight).sum().backward())
    made((weight * 3).realize())
    with pytest.raises(UsageError, match="border of a jitted function"):
        made((weight * 3).realize())


def test_seeding():
    def seed(x):
        Tensor.manual_seed(1)
        return x + Tensor.rand(2)

    second_call_fails(seed, ones, text="random generator is seeded")


def test_python_values_that_the_function_changes():
    state = {"steps": 0}

    def count(x):
        state["steps"] += 1
        return x + 1

    second_call_fails(count, ones, text="changes closure of count.state")


def test_tensors_that_are_kept():
    def keep(x):
        np.kept_by_a_test = x + 1
        return x

    second_call_fails(keep, ones, text="kept without being returned")
    del np.kept_by_a_test


def test_memory_given_another_tensor():
    state = ones()

    def swap(x):
        state.replace(x + state)
        return state

    second_call_fails(swap, ones, text="given another memory")


def test_results_of_other_kinds():
    made = jit(lambda x: {1, 2})
    with pytest.raises(JitError, match="returns a set"):
        made(ones())


@pytest.mark.parametrize("value, text", [(np.ones(2), "host memory"), ({1}, "cannot be hashed")])
def test_arguments(value, text):
    with pytest.raises(JitError, match=text):
        jit(lambda x: None)(value)


def test_no_function():
    with pytest.raises(JitError, match="expected a function"):
        jit(3)


def test_state_as_an_argument():
    state = ones()

    @jit
    def add(x):
        state.assign(state + x)
        return x + 1

    for _ in range(3):
        add(ones())
    with pytest.raises(JitError, match="shares memory"):
        add(state)
    assert state.tolist() == [4, 4]
    add(ones())
    assert state.tolist() == [5, 5]


@pytest.mark.parametrize("more", [False, True])
def test_parameters_that_are_passed_beside_their_optimiser(more):
    """Inside, the argument is another tensor: replays left the parameter as it was, silently where
    the optimiser has others with gradients."""
    weight, bias = Tensor([[2.0], [1.0]]).requires_grad_(), Tensor([0.5]).requires_grad_()
    trained = nn.optim.SGD([weight, bias] if more else [weight], lr=0.1)

    def step(parameters, x):
        trained.zero_grad()
        loss = ((x @ parameters["weight"] + bias) ** 2).sum()
        loss.backward()
        trained.step()
        return loss

    x = Tensor([[1.0, 1.0]]).realize()
    losses = [jit(lambda x: step({"weight": weight}, x))(x).item() for _ in range(2)]
    assert losses[0] == 12.25 and losses[1] < 12.25  # of the one that the function knows
    jitted = jit(step)
    jitted({"weight": weight}, x)
    with pytest.raises(UsageError, match="SGD: parameter 0 is also passed to the jitted function"):
        jitted({"weight": weight}, x)
    frozen = weight.detach()
    if more:
        apart = jit(lambda p, x: step(p, x))
        assert apart({"weight": frozen}, x).shape == apart({"weight": frozen}, x).shape


def test_view_that_the_function_writes():
    whole = Tensor([[1.0, 2.0], [3.0, 4.0]]).realize()

    def bump(x):
        x += 1

    made = jit(bump)
    made(whole[0])
    with pytest.raises(JitError, match="shares memory"):
        made(whole[0])


def test_gradients_stop_at_the_border():
    weight = Tensor([2.0], requires_grad=True)
    square = jit(lambda x: x * weight * weight)
    for _ in range(3):
        result = square(Tensor([1.0]))
    with pytest.raises(UsageError, match="border of a jitted function"):
        (result + weight).sum().backward()
    assert weight.grad is None
    (result.detach() + weight).sum().backward()
    assert weight.grad.item() == 1


def test_errors_inside_leave_everything_as_it_was():
    state, wrong = ones(), [False]

    @jit
    def add(x, fail):
        y = state + x
        if fail:
            raise ValueError("inside")
        state.assign(y)
        return y * 1

    add(ones(), False)
    for _ in range(2):
        with pytest.raises(ValueError, match="inside"):
            add(ones(), True)
    assert add(ones(), False).tolist() == [3, 3]
    assert (Tensor([1.0]) + 1).item() == 2  # nothing captures any more
    assert add(ones(), False).tolist() == [4, 4] and not wrong[0]


def test_memory_is_freed_with_the_capture():
    def big(x):
        return ((x + 1).contiguous() @ x).sum()

    before = GlobalCounters.mem_used
    made = jit(big)
    for _ in range(3):
        made(Tensor(np.ones((64, 64), np.float32)))
    assert GlobalCounters.mem_used > before
    made.reset()
    gc.collect()
    assert GlobalCounters.mem_used <= before


@pytest.mark.parametrize("traced", [jit, function])
def test_a_tensor_that_only_refers_to_itself_is_not_kept(traced):
    @traced
    def more(x):
        double = x * 2
        double.grad = double
        return x + 1

    assert [more(Tensor([i])).item() for i in range(4)] == [1, 2, 3, 4]


def test_debug_reports_replayed_kernels(capfd):
    double = jit(lambda x: x * 2)
    for _ in range(2):
        double(ones())
    argument = ones()
    capfd.readouterr()
    with Context(DEBUG=2):
        before = GlobalCounters.kernels
        double(argument)
    assert GlobalCounters.kernels == before + 1
    assert len(capfd.readouterr().err.splitlines()) == 1
