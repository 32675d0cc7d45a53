"""What Python costs: `pytest tests/unit/test_bench_jit.py --benchmark-only`.

A jitted step beside the plain one, building an expression (at most 0.4 ms), the import (0.15 s).
"""

import subprocess
import sys

import pytest

from rulewright import Tensor, jit, nn
from rulewright.examples.digits import Network
from rulewright.examples.digits_data import load_digits


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["plain", "jit"])
def test_small_step(benchmark, wrap):
    x = Tensor([1.0, 2.0]).realize()
    step = wrap(lambda x: (x * 2).realize())
    for _ in range(3):
        assert step(x).tolist() == [2, 4]
    benchmark(step, x)


def test_twenty_operations(benchmark):
    x, y = Tensor([1.0, 2.0]).realize(), Tensor([3.0, 4.0]).realize()

    def build():
        z = x
        for _ in range(5):
            z = ((z + y) * 2 - x).relu()
        return z

    assert build().shape == (2,)
    benchmark(build)


def test_import(benchmark):
    command = [sys.executable, "-c", "from rulewright import Tensor"]
    benchmark(lambda: subprocess.run(command, check=True))


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["plain", "jit"])
def test_training_step(benchmark, wrap):
    Tensor.manual_seed(1)
    network, digits = Network(), load_digits()
    optimiser = nn.optim.Adam(nn.state.get_parameters(network))

    @wrap
    def step(images, labels):
        optimiser.zero_grad()
        loss = network(images).cross_entropy(labels)
        loss.backward()
        return loss.realize(*optimiser.update())

    images, labels = Tensor(digits.train_images[:128]), Tensor(digits.train_labels[:128])
    losses = [step(images, labels).item() for _ in range(4)]
    assert losses == sorted(losses, reverse=True)
    benchmark(step, images, labels)
