"""Functions that are called before and behind a layer's own call."""

import copy
import pickle

import numpy as np
import pytest

from rulewright import Tensor, jit, nn
from rulewright.errors import JitError, UsageError


def add_one(layer, args):
    return args[0] + 1


def double(layer, args, result):
    return result * 2


@pytest.mark.parametrize("make", [nn.ReLU, lambda: nn.Sequential(nn.ReLU()), nn.Identity])
def test_hooks_change_what_goes_in_and_what_comes_out(make):
    layer, x = make(), Tensor([1.0, 2.0])
    before, behind = layer.register_forward_pre_hook(add_one), layer.register_forward_hook(double)
    assert layer(x).tolist() == [4.0, 6.0]
    assert make()(x).tolist() == [1.0, 2.0]  # one of another object is not touched
    before.remove()
    assert layer(x).tolist() == [2.0, 4.0]
    behind.remove()
    behind.remove()
    assert layer(x).tolist() == [1.0, 2.0]


def test_hooks_see_the_layer_its_arguments_and_its_result():
    layer, x, seen = nn.Linear(2, 3), Tensor([1.0, 2.0]), []
    layer.register_forward_pre_hook(lambda *given: seen.append(given))
    layer.register_forward_hook(lambda *given: seen.append(given))
    result = layer(x)
    assert seen[0][0] is layer and seen[0][1][0] is x
    assert seen[1][0] is layer and seen[1][1][0] is x and seen[1][2] is result


def test_hooks_are_called_in_order():
    layer, order = nn.Tanh(), []
    for name, first in (("a", False), ("b", False), ("c", True), ("d", True)):
        layer.register_forward_hook(lambda *_, name=name: order.append(name), prepend=first)
        layer.register_forward_pre_hook(lambda *_, name=name: order.append(name), prepend=first)
    layer(Tensor([0.0]))
    assert order == ["d", "c", "a", "b"] * 2


def test_hooks_with_arguments_by_name():
    layer, seen = nn.GRU(2, 3), []
    x, h = Tensor.ones(4, 1, 2), Tensor.ones(1, 1, 3)

    def before(layer, args, kwargs):
        return args, {"h": kwargs["h"] * 0}

    layer.register_forward_pre_hook(before, with_kwargs=True)
    layer.register_forward_hook(
        lambda layer, args, kwargs, result: seen.append((len(args), list(kwargs))), with_kwargs=True
    )
    outputs, last = layer(x, h=h)
    assert seen == [(1, ["h"])]
    np.testing.assert_array_equal(outputs[-1].numpy(), last[0].numpy())
    np.testing.assert_array_equal(last.numpy(), layer(x, h=h * 5)[1].numpy())
    layer.register_forward_pre_hook(lambda *given: x, with_kwargs=True)
    with pytest.raises(UsageError, match="GRU: expected what a hook before it gives as None, or a"):
        layer(x, h=h)


def test_a_pair_of_arguments_is_one_tuple():
    layer = nn.MSELoss()
    layer.register_forward_pre_hook(lambda layer, args: (args[0], args[0] + 3))
    assert layer(Tensor([1.0]), Tensor([1.0])).item() == 9.0


def test_a_handle_ends_with_its_block():
    layer, x = nn.ReLU(), Tensor([1.0])
    with layer.register_forward_hook(double) as handle:
        assert layer(x).item() == 2.0 and isinstance(handle.id, int)
    assert layer(x).item() == 1.0


def test_a_hook_may_take_itself_away():
    layer, calls = nn.ReLU(), []

    def once(*given):
        calls.append(1)
        handle.remove()

    handle = layer.register_forward_hook(once)
    layer(Tensor([1.0]))
    layer(Tensor([1.0]))
    assert calls == [1]


def test_hooks_that_are_always_called():
    layer, seen = nn.Linear(2, 2), []
    layer.register_forward_hook(lambda *given: seen.append("plain"))
    layer.register_forward_hook(lambda *given: seen.append(given[2]), always_call=True)
    with pytest.raises(UsageError, match="expected x as a tensor"):
        layer(3)
    assert seen == [None]
    layer(Tensor([1.0, 2.0]))
    assert seen[1] == "plain" and seen[2].shape == (2,)


def test_what_a_subclass_calls_of_its_base_has_no_hooks_of_its_own():
    class Scaled(nn.Linear):
        def __call__(self, x):
            return super().__call__(x) * 3

    layer, calls = Scaled(2, 2), []
    layer.register_forward_hook(lambda *given: calls.append(1))
    layer(Tensor([1.0, 2.0]))
    assert calls == [1] and "x" in layer.__call__.__wrapped__.__code__.co_varnames


def test_a_layer_may_call_itself_within_its_hook():
    layer = nn.ReLU()
    layer.register_forward_hook(
        lambda layer, args, result: layer(result - 1) if result.item() > 0 else None
    )
    assert layer(Tensor([3.0])).item() == 0.0


def test_hooks_are_no_part_of_the_state_and_go_with_copies():
    layer, held = nn.Linear(2, 2), Tensor([1.0], requires_grad=True)

    class Holder:
        def __init__(self):
            self.held = held

        def __call__(self, layer, args, result):
            return result + self.held

    layer.register_forward_hook(Holder())
    assert list(nn.state.get_state_dict(layer)) == ["weight", "bias"]
    assert len(nn.state.get_parameters(layer)) == 2
    assert repr(layer) == "Linear(in_features=2, out_features=2, bias=True)"
    model, x = nn.Sequential(nn.Linear(2, 2)), Tensor([1.0, 2.0])
    model[0].register_forward_hook(double)
    plain = (model[0].weight @ x + model[0].bias).numpy()
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(other(x).numpy(), 2 * plain, rtol=1e-6)


def test_gradients_pass_through_hooks():
    layer, x = nn.Identity(), Tensor([3.0], requires_grad=True)
    layer.register_forward_hook(lambda layer, args, result: result * result)
    layer(x).backward()
    assert x.grad.item() == 6.0


@pytest.mark.parametrize("make", [nn.ReLU, lambda: nn.Sequential(nn.ReLU())])
def test_a_jitted_function_captures_what_hooks_compute(make):
    layer, x = make(), Tensor([1.0, 2.0])
    step = jit(lambda x: layer(x).sum().realize())
    assert [step(x).item() for _ in range(3)] == [3.0] * 3
    handle = layer.register_forward_hook(double)
    assert [step(x + i).item() for i in range(3)] == [6.0, 10.0, 14.0]
    handle.remove()
    assert [step(x).item() for _ in range(3)] == [3.0] * 3


def test_a_jitted_function_says_what_of_a_hook_is_not_done_again():
    layer, seen = nn.ReLU(), []
    layer.register_forward_hook(lambda layer, args, result: seen.append(result))
    step = jit(lambda x: layer(x).sum().realize())
    step(Tensor([1.0]))
    with pytest.raises(JitError, match=r"closure of <lambda>\.seen while it runs"):
        step(Tensor([1.0]))


def test_what_is_no_hook():
    layer = nn.ReLU()
    with pytest.raises(UsageError, match="register_forward_hook: expected hook as a function"):
        layer.register_forward_hook(3)
    with pytest.raises(UsageError, match="register_forward_pre_hook: expected hook as a function"):
        layer.register_forward_pre_hook(None)
    with pytest.raises(UsageError, match="expected prepend as True or False, found 2"):
        layer.register_forward_hook(double, prepend=2)
    with pytest.raises(UsageError, match="expected with_kwargs as True or False"):
        layer.register_forward_pre_hook(add_one, with_kwargs="yes")
    with pytest.raises(UsageError, match="expected always_call as True or False"):
        layer.register_forward_hook(double, always_call=None)
    assert layer(Tensor([1.0])).item() == 1.0
