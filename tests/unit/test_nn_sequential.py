"""Lists of layers: parts of them, names, attributes."""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest

from rulewright import Tensor, jit, nn
from rulewright.errors import UnknownAttributeError, UsageError


def model():
    return nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))


def test_parts_are_called_too():
    whole, x = model(), Tensor([1.0, -2.0])
    np.testing.assert_array_equal(whole[2:](whole[:2](x)).numpy(), whole(x).numpy())
    np.testing.assert_array_equal((whole[:1] + whole[1:])(x).numpy(), whole(x).numpy())
    assert whole[:-1][0] is whole[0] and isinstance(whole[::2], nn.Sequential)
    assert whole[5:](x) is x and whole[-1] is whole[2]
    assert len(whole + [nn.ReLU()]) == 4  # noqa: RUF005  # the operator
    with pytest.raises(IndexError):
        whole[3]


def test_layers_have_names():
    named = nn.Sequential(OrderedDict(first=nn.Linear(2, 3), act=Tensor.relu, last=nn.Linear(3, 1)))
    assert list(nn.state.get_state_dict(named)) == [
        "first.weight", "first.bias", "last.weight", "last.bias",
    ]  # fmt: skip
    assert named.first is named[0] and len(nn.state.get_parameters(named)) == 4
    assert list(nn.state.get_state_dict({"net": named[1:]})) == ["net.last.weight", "net.last.bias"]
    assert repr(named[1:]).splitlines()[1] == "  (act): relu"
    with pytest.raises(UnknownAttributeError, match="has no attribute 'middle'"):
        named.middle  # noqa: B018  # the question itself
    plain = nn.Sequential(*named)
    nn.state.load_state_dict(plain, dict(zip(
        nn.state.get_state_dict(plain), nn.state.get_state_dict(named).values(), strict=True
    )))  # fmt: skip
    x = Tensor([1.0, -2.0])
    np.testing.assert_array_equal(plain(x).numpy(), named(x).numpy())


def test_names_go_with_their_layers():
    named = nn.Sequential({"a": nn.Linear(2, 2, bias=False), "b": nn.ReLU()})
    named.append(nn.Linear(2, 2, bias=False))
    assert list(nn.state.get_state_dict(named)) == ["a.weight", "2.weight"]
    named.insert(0, nn.Linear(2, 2, bias=False))
    assert list(nn.state.get_state_dict(named)) == ["0.weight", "a.weight", "3.weight"]
    del named[1]
    assert list(nn.state.get_state_dict(named)) == ["0.weight", "2.weight"]
    shared = nn.Linear(2, 2, bias=False)
    twice = nn.Sequential({"a": shared, "b": shared})
    assert list(nn.state.get_state_dict(twice)) == ["a.weight", "b.weight"]
    assert len(nn.state.get_parameters(twice)) == 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_have_names(copied):
    named = nn.Sequential({"a": nn.Linear(2, 2), "b": nn.ReLU()})
    other = copied(named)
    assert other.a is other[0] and other.a is not named.a
    assert list(nn.state.get_state_dict(other)) == ["a.weight", "a.bias"]


def test_named_layers_are_watched_by_jit():
    named = nn.Sequential({"a": nn.LeakyReLU(0.5), "b": nn.Linear(1, 1, bias=False)})
    named.b.weight.assign(Tensor([[2.0]]))
    step = jit(lambda x: named(x).realize())
    assert [step(Tensor([-1.0])).item() for _ in range(3)] == [-1.0] * 3
    named.a.negative_slope = 0.25
    named.b.weight.assign(Tensor([[4.0]]))
    assert [step(Tensor([-1.0])).item() for _ in range(3)] == [-1.0] * 3
    named[0] = nn.ReLU()
    assert [step(Tensor([-1.0])).item() for _ in range(3)] == [0.0] * 3


@pytest.mark.parametrize("name", ["", "a.b", 3])
def test_names_that_are_none(name):
    with pytest.raises(UsageError, match="Sequential: expected a name as text without a dot"):
        nn.Sequential({name: nn.ReLU()})
