"""Dataclasses are containers of `jit` and `function`; what a function does to its arguments'
containers is an error where no replay would do it."""

from dataclasses import dataclass, field, make_dataclass
from typing import Any

import numpy as np
import pytest

from rulewright import Tensor, Variable, function, jit, nn
from rulewright.errors import FunctionError, JitError


@dataclass
class Batch:
    x: Any
    y: Any = None
    name: str = "plain"
    count: int = field(init=False, default=3)


@dataclass(frozen=True)
class Step:
    loss: Tensor
    batch: Batch

    def __post_init__(self):
        assert isinstance(self.loss, Tensor)  # whoever makes one again does not call this


@dataclass(frozen=True, slots=True)
class Pair:
    first: Tensor
    rest: tuple[Any, ...]


@dataclass
class Longer(Batch):
    z: Any = None


@dataclass(eq=False)
class Model:
    weight: Tensor


TRACED = {"jit": jit, "function": function, "precompile": function(precompile=True)}


@pytest.mark.parametrize("word", TRACED)
def test_arguments_and_results(word):
    @TRACED[word]
    def step(batch, times):
        again = Batch(batch.x + 1, {"y": batch.y}, batch.name)
        return Step((batch.x * times).sum(), again)

    for number in range(4):
        batch = Batch(Tensor([1.0, number]), Tensor([number]), "other")
        result = step(batch, 2)
        assert type(result) is Step and type(result.batch) is Batch
        assert result.loss.item() == 2 + 2 * number and result.batch.x.tolist() == [2, number + 1]
        assert result.batch.y["y"].tolist() == [number] and result.batch.name == "other"
        assert batch.x.tolist() == [1, number] and result.batch.count == 3
    if word == "jit":
        assert step.captures == 1


@pytest.mark.parametrize("word", TRACED)
def test_those_of_subclasses_and_with_slots_and_arguments_given_back(word):
    @TRACED[word]
    def shifted(pair, longer):
        return Pair(pair.first + pair.rest[0], (pair.first, longer.z, longer))

    for number in range(4):
        first = Tensor([float(number)])
        result = shifted(Pair(first, (Tensor([1.0]), 2)), Longer(Tensor([2.0]), z=first * 3))
        assert result.first.item() == number + 1 and result.rest[0] is first
        assert result.rest[1].item() == 3 * number
        assert type(result.rest[2]) is Longer and result.rest[2].x.item() == 2


def test_other_fields_are_another_capture():
    doubled = jit(lambda batch: Batch(batch.x * (2 if batch.name == "a" else 3)))
    for _ in range(3):
        for name, wanted in (("a", 2), ("b", 3)):
            assert doubled(Batch(Tensor([1.0]), name=name)).x.item() == wanted
    assert doubled.captures == 2


def test_state_that_is_passed_on_and_given_away():
    advanced = jit(lambda state, x: Batch(state.x * 0.5 + x), donate="state")
    state, wanted = Batch(Tensor([4.0]).realize()), 4.0
    for number in range(5):
        state, wanted = advanced(state, Tensor([float(number)])), wanted * 0.5 + number
        assert state.x.item() == wanted
    assert advanced.captures == 1


def test_a_size_that_varies_and_gradients():
    n = Variable("n", 1, 8)
    total = jit(lambda batch: Batch(batch.x.sum()))
    numbers = Tensor(np.arange(8, dtype=np.float32)).realize()
    assert [total(Batch(numbers[: n.bind(i)])).x.item() for i in (3, 5, 6, 8)] == [3, 10, 15, 28]
    assert total.captures == 1
    x = Tensor([1.0, 2.0], requires_grad=True)
    function(lambda batch: Step((batch.x**2).sum(), batch))(Batch(x)).loss.backward()
    assert x.grad.tolist() == [2, 4]


def test_objects_that_are_themselves_stay_what_they_are():
    model = Model(Tensor([2.0]))
    scaled = jit(lambda model, x: model.weight * x)
    assert [scaled(model, Tensor([float(i)])).item() for i in range(3)] == [0, 2, 4]
    with pytest.raises(JitError, match=r"returns a Model: expected .* dataclasses \(but for eq=F"):
        jit(lambda: Model(Tensor([1.0])))()
    with pytest.raises(FunctionError, match="returns a Model"):
        function(lambda x: Model(x + 1))(Tensor([1.0]))
    with pytest.raises(JitError, match="argument 0 is host memory"):
        jit(lambda batch: batch.x)(Batch(np.zeros(3)))


def test_dataclasses_of_layers_are_models():
    """Their optimisers know their very tensors, for which no others may stand."""

    def losses(kind, traced):
        model = kind(Linear(), Tensor([1.0, 2.0], requires_grad=True))
        optimizer = nn.optim.SGD([model.layer.weight, model.scale], lr=0.1)

        def step(model, x):
            optimizer.zero_grad()
            loss = (model.layer.weight * x * model.scale).square().sum()
            loss.backward()
            optimizer.step()
            return loss

        step = traced(step)
        return [step(model, Tensor([1.0, 0.5])).item() for _ in range(4)]

    class Linear:
        def __init__(self):
            self.weight = Tensor([0.5, 1.5], requires_grad=True)

    fields = [("layer", Linear), ("scale", Tensor)]
    for options in ({"frozen": True}, {"eq": False}):
        kind = make_dataclass("Net", fields, **options)
        np.testing.assert_allclose(losses(kind, jit), losses(kind, lambda step: step), rtol=1e-6)
    with pytest.raises(JitError, match="give a dataclass that holds layers eq=False"):
        losses(make_dataclass("Net", fields), jit)


def renamed(batch):
    batch.name = "other"


def longer(batch):
    batch.y.append(batch.x)


def popped(batch):
    batch.y.pop("key")


@pytest.mark.parametrize(("change", "make", "place"), [
    (renamed, lambda x: Batch(x), "argument 0 "),
    (longer, lambda x: Batch(x, []), "argument 0.y "),
    (popped, lambda x: Batch(x, {"key": x}), "argument 0.y "),
])  # fmt: skip
def test_containers_that_are_changed(change, make, place):
    def changed(batch):
        change(batch)
        return batch.x + 1

    strict, lenient = jit(changed), jit(changed, strict=False)
    assert strict(make(Tensor([1.0]))).item() == 2
    with pytest.raises(JitError, match=f"changes {place}while it runs, .*; change a copy"):
        strict(make(Tensor([1.0])))
    lenient(make(Tensor([1.0])))
    with pytest.warns(UserWarning, match=place):
        assert lenient(make(Tensor([2.0]))).item() == 3
    assert lenient(make(Tensor([3.0]))).item() == 4


def test_arguments_by_name_and_in_place_are_no_containers():
    def taken(*args, **named):
        named.pop("b")
        return args[0] + named["a"]

    added = jit(taken)
    for number in range(3):
        assert added(Tensor([1.0]), a=Tensor([float(number)]), b=2).item() == 1 + number
