"""The small compiler of the guide computes what its interpreter and numpy say."""

import importlib.util
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rulewright.runtime.compiler import find_compiler

FILE = Path(__file__).parents[2] / "guide" / "small.py"


@pytest.fixture(autouse=True)
def compiler(monkeypatch):
    """The C compiler of the suite, whatever it is called."""
    monkeypatch.setenv("CC", shlex.join(find_compiler().command))


@pytest.fixture(scope="module")
def small():
    spec = importlib.util.spec_from_file_location("small", FILE)
    module = sys.modules["small"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["small"]


def given(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


PROGRAMS = {
    "softmax": (lambda x, y: x.softmax(), lambda x, y: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    "matmul": (lambda x, y: x @ y.permute(1, 0), lambda x, y: x @ y.T),
    "views": (
        lambda x, y: (x.permute(1, 0).reshape(3, 10) * 2.0).permute(1, 0),
        lambda x, y: (x.T.reshape(3, 10) * 2).T,
    ),
    "broadcast": (lambda x, y: x - y.sum(0) / 4.0, lambda x, y: x - y.sum(0) / 4),
    "extremes": (
        lambda x, y: x.maximum(y.neg()).largest(0),
        lambda x, y: np.maximum(x, -y).max(0, keepdims=True),
    ),
    "of all": (lambda x, y: (x * y).sum(0).sum(1), lambda x, y: (x * y).sum().reshape(1, 1)),
    "as it is": (lambda x, y: x, lambda x, y: x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_numpy_and_of_the_interpreter(small, name):
    made, expected = PROGRAMS[name]
    x, y = given(5, 6), given(5, 6, seed=1)
    value = made(small.Tensor(x), small.Tensor(y))
    np.testing.assert_allclose(value.numpy(), expected(x, y), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(small.interpret(value.node), expected(x, y), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (0, 3), (13, 17)])
def test_odd_shapes(small, shape):
    x = given(*shape)
    value = (small.Tensor(x).permute(1, 0) + 1.0).exp().sum(0)
    np.testing.assert_allclose(value.numpy(), np.exp(x.T + 1).sum(0, keepdims=True), rtol=1e-5)


def test_its_rules_hold_and_wrong_ones_are_shown_wrong(small):
    for line in small.FLOAT_RULES.strip().splitlines():
        assert small.try_rule(line) is None
    assert "-0.0" in small.try_rule("x * 0.0 => 0.0")
    assert "nan" in small.try_rule("x - x => 0.0")
    assert "-0.0" in small.try_rule("x + 0.0 => x")
    assert small.try_rule("x / c => x * (1.0 / c)") is not None


def test_a_rule_about_one_zero_leaves_the_other(small):
    x = small.Tensor(given(3))
    for number, stays in [(0.0, True), (-0.0, False)]:
        tidy = small.rewrite((x + number).node, small.FLOATS)
        assert (tidy is (x + number).node) is stays


def test_equal_nodes_are_one_and_views_leave_no_division(small):
    a, b = (small.Tensor(given(4, 6)) for _ in range(2))
    assert small.Node("add", a.node, b.node) is small.Node("add", a.node, b.node)
    assert small.number(0.0) is not small.number(-0.0)
    turned = a.reshape(2, 2, 6).permute(2, 0, 1).reshape(6, 4) + 1.0
    made = small.steps(turned.node)
    kernels, source = made["kernels"], made["source"]
    assert len(kernels) == 1
    (twice,) = [k for k in kernels if k.name == "out"]
    assert twice.loops[0].arg[1] == 6
    assert "nan" not in source
    one = (a.reshape(24) * 2.0).reshape(4, 6)
    assert "%" not in small.steps(one.node)["source"].split("{", 3)[3]


def test_it_runs_as_a_program():
    done = subprocess.run([sys.executable, FILE], capture_output=True, text=True, check=True)
    assert "out_kernel" in done.stdout
    assert done.stdout.count("0.0900305") == 2
