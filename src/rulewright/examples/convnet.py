"""Trains a convolutional network on the UCI hand-written digits.

    python -m rulewright.examples.convnet

Two convolutions of 3 x 3, a pooling and a linear layer; every batch is shifted by up to one pixel,
so that the network sees each digit in several places. Depending on the seed, 98.9 to 100 % of the
test images are classified right; the network without convolutions of `digits` reaches 98.3 %.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from rulewright import Tensor, nn
from rulewright.examples.digits import batches, count_correct, train_step
from rulewright.examples.digits_data import load_digits
from rulewright.examples.options import whole
from rulewright.progress import track

EPOCHS = 24
LEARNING_RATE = 2e-3
DROPPED = 0.3
SEED = 3
EXPECTED_ACCURACY = 0.985


class ConvNet:
    """Images (N, 8, 8) to scores (N, 10)."""

    def __init__(self) -> None:
        self.first = nn.Conv2d(1, 32, 3, padding=1)
        self.second = nn.Conv2d(32, 64, 3, padding=1)
        self.output = nn.Linear(64 * 4 * 4, 10)

    def __call__(self, images: Tensor) -> Tensor:
        """The score of each class for each image."""
        x = self.first(images.unsqueeze(1)).relu()
        x = self.second(x).relu().max_pool2d(2)
        return self.output(x.flatten(1).dropout(DROPPED))


def shifted(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each image of a batch moved by -1, 0 or 1 pixels along both axes; zeros move in."""
    count, height, width = images.shape
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    down, right = rng.integers(0, 3, (2, count, 1, 1))
    rows = np.arange(height)[:, None] + down
    columns = np.arange(width)[None, :] + right
    return padded[np.arange(count)[:, None, None], rows, columns]


def train(epochs: int = EPOCHS, say: Callable[[str], None] = print) -> float:
    """Train from scratch; returns the part of the test images that is classified right."""
    start, digits, rng = time.perf_counter(), load_digits(), np.random.default_rng(SEED)
    Tensor.manual_seed(SEED)
    network = ConvNet()
    optimiser = nn.optim.Adam(nn.state.get_parameters(network), lr=LEARNING_RATE)
    labels = digits.train_labels
    for epoch in track(range(1, epochs + 1), "training"):
        Tensor.training = True
        losses = []
        for chosen in batches(len(labels), rng):
            images = shifted(digits.train_images[chosen], rng)
            losses.append(train_step(network, optimiser, Tensor(images), Tensor(labels[chosen])))
        Tensor.training = False
        if epoch % 4 == 0 or epoch == epochs:
            mean = np.mean([loss.item() for loss in losses])
            say(f"epoch {epoch:2}  loss {mean:.4f}  {time.perf_counter() - start:5.1f} s")
    train_step.reset()
    return count_correct(network, digits) / len(digits.test_labels)


def main() -> None:
    """Train, and print the accuracy on images that were not trained on."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--epochs", type=whole(1), default=EPOCHS)
    accuracy = train(options.parse_args().epochs)
    print(f"test accuracy {accuracy:.1%}")


if __name__ == "__main__":
    main()
