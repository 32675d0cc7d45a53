"""Trains ResNet-18 for some steps on the UCI hand-written digits, enlarged to 64 x 64 pixels.

    python -m rulewright.examples.resnet

The network of He et al., "Deep Residual Learning for Image Recognition" (2015), with its stem for
photographs: 11,689,512 parameters for 1000 classes, 11,175,370 for the ten of the digits in grey
(11,181,642 in colour). After 30 steps of 32 images the loss is below 0.5, from 2.3 or more.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rulewright import Tensor, jit, nn
from rulewright.examples.digits_data import load_digits
from rulewright.examples.options import whole
from rulewright.progress import track

STEPS = 30
BATCH = 32
PIXELS = 64
LEARNING_RATE = 0.02
SEED = 4


class BasicBlock:
    """Two convolutions of 3 x 3 and a way around them."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        self.conv1 = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample: list[Any] = []
        if stride != 1 or channels != out:
            around = nn.Conv2d(channels, out, 1, stride, bias=False)
            self.downsample = [around, nn.BatchNorm2d(out)]

    def __call__(self, x: Tensor) -> Tensor:
        """(N, channels, H, W) to (N, out, H / stride, W / stride)."""
        y = self.bn1(self.conv1(x)).relu()
        y = self.bn2(self.conv2(y))
        return (y + x.sequential(self.downsample)).relu()


class ResNet18:
    """Images (N, channels, H, W) to scores (N, classes)."""

    def __init__(self, classes: int = 1000, channels: int = 3) -> None:
        self.conv1 = nn.Conv2d(channels, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        widths = (64, 64, 128, 256, 512)
        for stage in range(1, 5):
            stride, before, out = 1 if stage == 1 else 2, widths[stage - 1], widths[stage]
            blocks = [BasicBlock(before, out, stride), BasicBlock(out, out, 1)]
            setattr(self, f"layer{stage}", blocks)  # names as in PyTorch's checkpoints
        self.fc = nn.Linear(512, classes)

    def __call__(self, images: Tensor) -> Tensor:
        """The score of each class for each image."""
        x = self.bn1(self.conv1(images)).relu().max_pool2d(3, 2, padding=1)
        for stage in range(1, 5):
            x = x.sequential(getattr(self, f"layer{stage}"))
        return self.fc(x.mean((2, 3)))


def enlarged(images: np.ndarray, pixels: int) -> Tensor:
    """(N, 8, 8) pixels to (N, 1, pixels, pixels), interpolated between their centres."""
    return Tensor(images).unsqueeze(1).interpolate((pixels, pixels), mode="linear")


@jit
def train_step(
    network: ResNet18, optimiser: nn.optim.SGD, images: Tensor, labels: Tensor
) -> Tensor:
    """One update of the network and its running statistics; returns the loss before it."""
    optimiser.zero_grad()
    loss = network(images).cross_entropy(labels)
    loss.backward()
    return loss.realize(*optimiser.update(), *nn.state.get_state_dict(network).values())


def train(
    steps: int = STEPS, pixels: int = PIXELS, say: Callable[[str], None] = print
) -> list[float]:
    """The loss of each step, each on images of its own."""
    digits, rng = load_digits(), np.random.default_rng(SEED)
    Tensor.manual_seed(SEED)
    network = ResNet18(10, 1)
    parameters = nn.state.get_parameters(network)
    count = sum(math.prod(map(int, p.shape)) for p in parameters)
    say(f"{count:,} parameters, {BATCH} images of {pixels} x {pixels} a step")
    optimiser = nn.optim.SGD(parameters, lr=LEARNING_RATE, momentum=0.9)
    losses, start = [], time.perf_counter()
    Tensor.training = True
    for step in track(range(1, steps + 1), "training"):
        chosen = rng.choice(len(digits.train_labels), BATCH, replace=False)
        images = enlarged(digits.train_images[chosen], pixels)
        loss = train_step(network, optimiser, images, Tensor(digits.train_labels[chosen]))
        losses.append(loss.item())
        if step in (1, 2) or step % 5 == 0:
            say(f"step {step:3}  loss {losses[-1]:.3f}  {time.perf_counter() - start:5.1f} s")
    Tensor.training = False
    train_step.reset()
    return losses


def main() -> None:
    """Train, printing loss and time."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--steps", type=whole(1), default=STEPS)
    options.add_argument("--pixels", type=whole(8), default=PIXELS, help="edge of an image")
    arguments = options.parse_args()
    train(arguments.steps, arguments.pixels)


if __name__ == "__main__":
    main()
