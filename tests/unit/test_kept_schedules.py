"""Schedules on disk: what is found there, for whom, and what is not looked for."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from codegen_kernels import RULES

from rule_coverage.count import recording
from rulewright import Context, Tensor, Variable, function, load_rules
from rulewright.driver import schedules
from rulewright.driver.schedules import clear_schedule_cache
from rulewright.schedule import kept

LAYERS, WIDTH = 16, 6
LEAST = 8  # nodes of what is more than an input


def loss(layers: int, width: int = WIDTH, device: str = "INTERP") -> list[Tensor]:
    """A loss of as many layers, and its gradients: more than 300 nodes from 16 layers on."""
    rng = np.random.default_rng(layers)
    x = Tensor(rng.normal(size=(4, width)).astype(np.float32), device=device).realize()
    weights = [x.relu().realize().requires_grad_() for _ in range(layers)]
    y = x
    for weight in weights:
        y = (y * weight).softmax(-1) + x
    found = (y * y).sum()
    return [found, *found.gradient(*weights)]


@pytest.fixture(autouse=True)
def unverified(empty_cache, verified):
    with Context(VERIFY=0, CACHE=1):
        yield


@pytest.fixture
def made(monkeypatch):
    """The functions of gradients that were scheduled, and not read."""
    found = []
    schedule = schedules.schedule_function

    def scheduled(body, origins):
        if len(body.toposort()) > LEAST:
            found.append(body)
        return schedule(body, origins)

    monkeypatch.setattr(schedules, "schedule_function", scheduled)
    return found


def anew(*tensors: Tensor, **named):
    """The schedule that a new process would have."""
    clear_schedule_cache()
    return Tensor.schedule(*tensors, **named)


def test_what_is_read_is_what_was_made(made, empty_cache):
    outputs = loss(LAYERS)
    first, again = anew(*outputs), anew(*outputs)
    assert len(made) == 1 and len(first) == len(again) > LAYERS
    assert [item.ast for item in first] == [item.ast for item in again]
    assert [[b.size for b in item.buffers] for item in first] == [
        [b.size for b in item.buffers] for item in again
    ]
    assert len(list((empty_cache / "schedules").iterdir())) == 1


def test_kernels_that_are_read_know_their_tensor_methods(made):
    outputs = loss(LAYERS)
    first, again = anew(*outputs), anew(*outputs)
    assert len(made) == 1
    assert [item.metadata for item in first] == [item.metadata for item in again]
    assert any("softmax" in str(note) for item in again for note in item.metadata)


def test_values_are_those_of_numpy(made):
    for _ in range(2):
        clear_schedule_cache()
        value, *gradients = loss(LAYERS, device="C")
        Tensor.realize(value, *gradients)
        rng = np.random.default_rng(LAYERS)
        x = rng.normal(size=(4, WIDTH)).astype(np.float32)
        y = x
        for _ in range(LAYERS):
            e = np.exp(y * np.maximum(x, 0))
            y = e / e.sum(-1, keepdims=True) + x
        assert value.item() == pytest.approx((y * y).sum(), rel=1e-5)
    assert len(made) == 1


@function(precompile=True)
def step(x: Tensor) -> Tensor:
    return x * x.softmax(-1) + 1


def by_functions(x: Tensor) -> Tensor:
    """Calls of a function that is scheduled once."""
    for _ in range(LAYERS):
        x = step(x) * 2
    return x


def over_devices(x: Tensor) -> Tensor:
    """Values that go from one device to another and back."""
    return ((x.to("C") + 1).softmax(-1).to("INTERP") * x).contiguous()


def of_a_size_that_varies(x: Tensor) -> Tensor:
    """Rows of which a variable says how many there are."""
    return x[: Variable("n", 1, 4).bind(3)].softmax(-1)


@pytest.mark.parametrize("program", [by_functions, over_devices, of_a_size_that_varies])
def test_whatever_a_schedule_holds_is_read_as_it_was_made(program, made, monkeypatch):
    monkeypatch.setattr(kept, "LEAST_NODES", 0)
    values = np.random.default_rng(1).normal(size=(4, WIDTH)).astype(np.float32)
    found = []
    for _ in range(2):
        x = Tensor(values, device="INTERP").realize()
        before = len(made)
        clear_schedule_cache()
        items, _ = program(x).schedule_with_vars()
        assert (len(made) > before) is not bool(found)
        clear_schedule_cache()
        found.append(([item.ast for item in items], program(x).contiguous().tolist()))
    assert found[0] == found[1]


def test_another_function_is_not_found(made):
    others = loss(LAYERS + 1), loss(LAYERS, WIDTH + 1), loss(LAYERS, device="C")
    for outputs in (loss(LAYERS), *others):
        anew(*outputs)
        anew(*outputs)
    assert len(made) == 4


def test_a_small_function_is_not_kept(made, empty_cache):
    outputs = loss(1)
    anew(*outputs)
    anew(*outputs)
    assert len(made) == 2 and not (empty_cache / "schedules").exists()


def test_options_that_schedules_hang_on_find_others(made):
    outputs = loss(LAYERS, device="C")
    anew(*outputs)
    with Context(MATMUL="blas"):
        anew(*outputs)
        anew(*outputs)
    assert len(made) == 2


@pytest.mark.parametrize("option", [{"VERIFY": 1}, {"CACHE": 0}, {"DEBUG": 6}], ids=str)
def test_options_that_ask_for_more_than_the_list_find_nothing(option, made, capsys):
    outputs = loss(LAYERS)
    anew(*outputs)
    with Context(**option):
        anew(*outputs)
    assert len(made) == 2


def test_rules_of_a_user_find_nothing_and_leave_nothing(made, tmp_path):
    path = tmp_path / "mine.uop"
    path.write_text(RULES)
    outputs = loss(LAYERS)
    with load_rules(path):
        anew(*outputs)
    anew(*outputs)
    with load_rules(path):
        anew(*outputs)
    assert len(made) == 3


def test_rules_that_are_counted_are_asked(made):
    outputs = loss(LAYERS)
    anew(*outputs)
    with recording():
        anew(*outputs)
    assert len(made) == 2


def test_other_code_finds_nothing(made, monkeypatch):
    outputs = loss(LAYERS)
    anew(*outputs)
    monkeypatch.setattr(kept, "code_key", lambda: "a change of the compiler")
    anew(*outputs)
    assert len(made) == 2


def test_a_damaged_entry_is_made_again(made, empty_cache):
    outputs = loss(LAYERS)
    first = anew(*outputs)
    (entry,) = (empty_cache / "schedules").iterdir()
    entry.write_bytes(entry.read_bytes()[:-60])
    assert [item.ast for item in anew(*outputs)] == [item.ast for item in first]
    assert len(made) == 2


TRAINED = """
import sys
from rulewright import Tensor, nn
from rulewright.driver import schedules

made = []
schedule = schedules.schedule_function
schedules.schedule_function = lambda *args: made.append(1) or schedule(*args)
layers = [nn.Linear(6, 6) for _ in range(12)]
for layer in layers:
    for value in (layer.weight, layer.bias):
        value.assign(Tensor.full(value.shape, 0.25)).realize()
optimiser = nn.optim.Adam(nn.state.get_parameters(layers), lr=0.5)
x = Tensor.ones(2, 6).realize()
made.clear()
with Tensor.train():
    optimiser.zero_grad()
    loss = x.sequential(layers).sum().backward()
    loss.realize(*optimiser.update())
print(len(made), loss.item(), layers[0].bias.tolist())
"""


def test_the_next_process_schedules_nothing(empty_cache):
    env = {**os.environ, "CACHE_DIR": str(empty_cache), "VERIFY": "0", "CACHE": "1"}
    command = [sys.executable, "-c", TRAINED]
    said = [
        subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    (first, *values), (second, *same) = (line.split(maxsplit=1) for line in said)
    assert (first, second) == ("1", "0")
    assert values == same
