"""Memory that is filled with numbers: no kernel is made, and every bit is what a kernel writes."""

import numpy as np
import pytest

from rulewright import Tensor, nn
from rulewright.driver.fills import fills
from rulewright.ir.dtypes import dtypes
from rulewright.options import Context
from rulewright.runtime.device import Device
from rulewright.runtime.profile import GlobalCounters

NUMBERS = [
    (1.5, "f32"), (True, "bool"), (200, "u8"), (-7, "i64"), (1.1, "bf16"), (-0.0, "f16"),
    (float("nan"), "f64"), (float("-inf"), "f32"), (448.0, "fp8e4m3"), (2**63, "u64"),
]  # fmt: skip


@pytest.fixture
def ran():
    """How many kernels have run since the test began."""
    before = GlobalCounters.kernels
    return lambda: GlobalCounters.kernels - before


@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (0, 4), (513,)])
def test_numbers_of_every_dtype_are_there_without_a_kernel(shape, ran):
    kinds = [getattr(dtypes, name).np for _, name in NUMBERS]
    tensors = [Tensor.full(shape, number, dtype=name).clone() for number, name in NUMBERS]
    Tensor.realize(*tensors)
    assert not ran()
    for tensor, (number, _), kind in zip(tensors, NUMBERS, kinds, strict=True):
        want = np.full(shape, number, kind)
        assert tensor.numpy().dtype == kind
        assert tensor.numpy().tobytes() == want.tobytes()


def test_what_is_not_one_number_has_its_kernel(ran):
    padded = Tensor.ones(2).pad(((1, 1),)).clone()
    flipped = Tensor.ones(2, 1).expand(2, 3).flip(0).clone()
    written = Tensor.zeros(4).clone()
    written[1:3] += 2
    counted = Tensor.arange(3).clone()
    Tensor.realize(padded, flipped, written, counted)
    assert ran()
    assert padded.tolist() == [0, 1, 1, 0]
    assert flipped.tolist() == [[1, 1, 1]] * 2
    assert written.tolist() == [0, 2, 2, 0]
    assert counted.tolist() == [0, 1, 2]


def test_memory_that_tensors_show_is_written_as_before():
    shown = Tensor([1.0, 2.0, 3.0])
    view = shown[1:]
    shown.assign(Tensor.zeros(3))
    other = Tensor.ones(3).clone()
    Tensor.realize(shown, other)
    assert view.tolist() == [0, 0]
    again = Tensor.full((2,), 4.0).clone()
    equal = again.clone()
    Tensor.realize(again, equal)
    again += 1
    assert (again.tolist(), equal.tolist()) == ([5, 5], [4, 4])


def test_a_device_out_of_this_memory_has_kernels(monkeypatch):
    effects = [t.uop for t in (Tensor.zeros(3).clone(), Tensor.ones(3).clone())]
    monkeypatch.setattr(type(Device["C"]), "in_host_memory", False)
    assert not fills(effects)


def test_who_watches_sees_kernels(capsys):
    with Context(DEBUG=1):
        Tensor.realize(Tensor.zeros(3).clone(), Tensor.ones(4).clone())
    assert "kernel" in capsys.readouterr().err


def test_an_optimisers_state_needs_no_kernel(ran):
    model = nn.Linear(3, 2)
    Tensor.realize(model.weight, model.bias)
    optimizer = nn.optim.NAdam([model.weight, model.bias])
    state = [*optimizer.first, *optimizer.second, optimizer.b1_weight, optimizer.product]
    before = ran()
    Tensor.realize(*state)
    assert ran() == before
    assert [t.numpy().any() for t in state] == [False] * 5 + [True]
