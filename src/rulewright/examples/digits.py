"""Trains a small network on the UCI hand-written digits.

    python -m rulewright.examples.digits

64 pixels, 256 hidden units, 10 classes; Adam on cross entropy. Everything is drawn from one seed,
so that every run on a device gives the same numbers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rulewright import Device, GlobalCounters, Tensor, jit, nn
from rulewright.examples.digits_data import Digits, load_digits
from rulewright.examples.options import whole

HIDDEN = 256
EPOCHS = 30
BATCH = 128
LEARNING_RATE = 3e-3
SEED = 1


class Network:
    """Images (N, 8, 8) to scores (N, 10)."""

    def __init__(self) -> None:
        self.first = nn.Linear(64, HIDDEN)
        self.second = nn.Linear(HIDDEN, 10)

    def __call__(self, images: Tensor) -> Tensor:
        """The score of each class for each image."""
        return self.second(self.first(images.flatten(1)).relu())


Classifier = Callable[[Tensor], Tensor]
"""What gives the score of each class for each image."""


@dataclass(frozen=True)
class Report:
    """What a training run came to. `seconds` is all of it, compilation included.

    `kernels` counts those run in all, `step_kernels` those of the last training step.
    """

    correct: int
    total: int
    seconds: float
    kernels: int
    step_kernels: int

    @property
    def accuracy(self) -> float:
        """Part of the test images that are classified right, 0 to 1."""
        return self.correct / self.total


def batches(count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Indices of one epoch's batches, all of one size, in random order."""
    order = rng.permutation(count)
    for start in range(0, count - BATCH + 1, BATCH):
        yield order[start : start + BATCH]


def count_correct(network: Classifier, digits: Digits) -> int:
    """How many test images get their own class the highest score."""
    guesses = network(Tensor(digits.test_images)).argmax(1).numpy()
    return int((guesses == digits.test_labels).sum())


@jit
def train_step(
    network: Classifier, optimiser: nn.optim.Adam, images: Tensor, labels: Tensor
) -> Tensor:
    """One update of the network; returns the loss, which is computed in the same schedule."""
    optimiser.zero_grad()
    loss = network(images).cross_entropy(labels)
    loss.backward()
    return loss.realize(*optimiser.update())


def train(epochs: int = EPOCHS, say: Callable[[str], None] = print) -> Report:
    """Train from scratch, with a line of text to `say` every fifth epoch."""
    start, kernels = time.perf_counter(), GlobalCounters.kernels
    digits, rng = load_digits(), np.random.default_rng(SEED)
    Tensor.manual_seed(SEED)
    network = Network()
    optimiser = nn.optim.Adam(nn.state.get_parameters(network), lr=LEARNING_RATE)
    images, labels = digits.train_images, digits.train_labels
    say(f"{len(labels)} digits to train on, {len(digits.test_labels)} to test on")
    say(f"device {Device.default}, {epochs} epochs of batches of {BATCH}")
    for epoch in range(1, epochs + 1):
        losses = []
        for chosen in batches(len(labels), rng):
            before = GlobalCounters.kernels
            batch = Tensor(images[chosen]), Tensor(labels[chosen])
            losses.append(train_step(network, optimiser, *batch))
            step_kernels = GlobalCounters.kernels - before
        if epoch % 5 == 0 or epoch == epochs:
            mean = np.mean([loss.item() for loss in losses])
            say(f"epoch {epoch:2}  loss {mean:.4f}  {time.perf_counter() - start:5.1f} s")
    train_step.reset()
    correct = count_correct(network, digits)
    return Report(
        correct,
        len(digits.test_labels),
        time.perf_counter() - start,
        GlobalCounters.kernels - kernels,
        step_kernels,
    )


def summary(report: Report) -> str:
    """One line: accuracy, kernels, time."""
    return (
        f"test accuracy {report.accuracy:.1%} ({report.correct} of {report.total}), "
        f"{report.kernels} kernels run ({report.step_kernels} a step), {report.seconds:.1f} s"
    )


def main() -> None:
    """Train, and print what came of it."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--epochs", type=whole(1), default=EPOCHS, help="passes over the digits")
    print(summary(train(options.parse_args().epochs)))


if __name__ == "__main__":
    main()
