"""Models whose schedules are counted: a perceptron, a transformer's block and a ResNet-18."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rulewright import Tensor, nn


def _numbers(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(1).normal(size=shape).astype(np.float32)).realize()


def _classes(count: int) -> Tensor:
    labels = np.random.default_rng(1).integers(0, 10, size=count)
    return Tensor(labels.astype(np.int32)).realize()


class Perceptron:
    """Three linear layers with relu between."""

    def __init__(self) -> None:
        self.first, self.second = nn.Linear(784, 128), nn.Linear(128, 64)
        self.third = nn.Linear(64, 10)

    def __call__(self, x: Tensor) -> Tensor:
        """Rows of 784 to rows of 10."""
        return self.third(self.second(self.first(x).relu()).relu())


class Block:
    """Causal attention and a perceptron, each behind a norm and beside a shortcut."""

    WIDTH, HEADS, TOKENS, BATCH = 128, 4, 64, 2

    def __init__(self) -> None:
        width = self.WIDTH
        self.before_attention, self.before_perceptron = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def __call__(self, x: Tensor) -> Tensor:
        """(batch, tokens, width) to the same."""
        batch, tokens, heads, width = self.BATCH, self.TOKENS, self.HEADS, self.WIDTH
        parts = self.qkv(self.before_attention(x)).reshape(batch, tokens, 3, heads, width // heads)
        q, k, v = (
            part.reshape(batch, heads, tokens, width // heads)
            for part in parts.permute(2, 0, 3, 1, 4).split(1, 0)
        )
        seen = q.scaled_dot_product_attention(k, v, is_causal=True)
        x = x + self.out(seen.permute(0, 2, 1, 3).reshape(batch, tokens, width))
        return x + self.down(self.up(self.before_perceptron(x)).gelu())


class Residual:
    """Two convolutions with norms beside a shortcut."""

    def __init__(self, inner: int, outer: int, step: int) -> None:
        self.first = nn.Conv2d(inner, outer, 3, stride=step, padding=1, bias=False)
        self.second = nn.Conv2d(outer, outer, 3, padding=1, bias=False)
        self.first_norm, self.second_norm = nn.BatchNorm2d(outer), nn.BatchNorm2d(outer)
        self.beside = None
        if step != 1 or inner != outer:
            self.beside = nn.Conv2d(inner, outer, 1, stride=step, bias=False)
            self.beside_norm = nn.BatchNorm2d(outer)

    def __call__(self, x: Tensor) -> Tensor:
        """(batch, inner, height, width) to (batch, outer, height / step, width / step)."""
        y = self.second_norm(self.second(self.first_norm(self.first(x)).relu()))
        shortcut = x if self.beside is None else self.beside_norm(self.beside(x))
        return (y + shortcut).relu()


class ResNet18:
    """ResNet-18 for images of 32 by 32."""

    def __init__(self) -> None:
        self.stem, self.norm = nn.Conv2d(3, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64)
        widths = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
        widths += [(128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]
        self.blocks = [Residual(*sizes) for sizes in widths]
        self.classes = nn.Linear(512, 10)

    def __call__(self, x: Tensor) -> Tensor:
        """(batch, 3, 32, 32) to (batch, 10)."""
        x = self.norm(self.stem(x)).relu()
        for block in self.blocks:
            x = block(x)
        return self.classes(x.mean((2, 3)))


def _realised(*parts: Any) -> None:
    Tensor.realize(*(t for part in parts for t in nn.state.get_state_dict(part).values()))


def _step(
    make: Callable[[], Any], optimiser: Callable[[list[Tensor]], Any], *image: int
) -> Sequence[Tensor]:
    """The loss of one step of training on a batch, and all that the step writes."""
    model = make()
    parameters = nn.state.get_parameters(model)
    _realised(model)
    optimise = optimiser(parameters)
    _realised(optimise)
    with Tensor.train():
        optimise.zero_grad()
        loss = model(_numbers(*image)).sparse_categorical_crossentropy(_classes(image[0]))
        loss.backward()
        return [loss, *optimise.update()]


def _block(*, gradients: bool) -> Sequence[Tensor]:
    block = Block()
    parameters = nn.state.get_parameters(block)
    _realised(block)
    shape = (Block.BATCH, Block.TOKENS, Block.WIDTH)
    y = block(_numbers(*shape))
    return list((y * _numbers(*shape)).sum().gradient(*parameters)) if gradients else [y]


def _resnet() -> Sequence[Tensor]:
    model = ResNet18()
    _realised(model)
    with Tensor.train(False):
        return [model(_numbers(4, 3, 32, 32))]


MODELS: dict[str, Callable[[], Sequence[Tensor]]] = {
    "MLP Adam step (fwd+bwd+opt)": lambda: _step(
        Perceptron, lambda ps: nn.optim.Adam(ps, lr=1e-3), 64, 784
    ),
    "MLP SGD step": lambda: _step(Perceptron, lambda ps: nn.optim.SGD(ps, lr=1e-3), 64, 784),
    "GPT-2 block fwd": lambda: _block(gradients=False),
    "GPT-2 block fwd+bwd": lambda: _block(gradients=True),
    "ResNet-18 fwd (eval)": _resnet,
    "ResNet-18 train step": lambda: _step(
        ResNet18, lambda ps: nn.optim.SGD(ps, lr=1e-2, momentum=0.9), 4, 3, 32, 32
    ),
}
