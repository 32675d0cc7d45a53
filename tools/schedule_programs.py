"""The programs whose schedules `schedule_counts.py` counts: small ones, and steps of training.

Each is made anew by a function without arguments that returns the tensors to compute. Inputs are
in memory already; what they hold does not matter to a schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rulewright import Tensor, nn
from schedule_models import MODELS

Program = Callable[[], Sequence[Tensor]]


def floats(*shape: int) -> Tensor:
    """Realised float32 numbers."""
    return Tensor(np.random.default_rng(1).normal(size=shape).astype(np.float32)).realize()


def numbers(below: int, *shape: int) -> Tensor:
    """Realised int32 numbers from 0 up to, without, `below`."""
    integers = np.random.default_rng(1).integers(0, below, size=shape)
    return Tensor(integers.astype(np.int32)).realize()


def _weight(*shape: int) -> Tensor:
    weight = floats(*shape)
    weight.requires_grad = True
    return weight


def _ones(count: int) -> list[Tensor]:
    return [Tensor(np.full((4, 8), i, np.float32)).realize() for i in range(count)]


def _one(make: Callable[[], Tensor]) -> Program:
    return lambda: [make()]


def _rms(x: Tensor) -> Tensor:
    return x * ((x * x).mean(-1, True) + 1e-5).rsqrt()


def _standard(x: Tensor) -> Tensor:
    return (x - x.mean(1, True)) / x.std(1, keepdim=True)


def _attention(*, causal: bool) -> Tensor:
    q, k, v = (floats(2, 4, 64, 32) for _ in range(3))
    return q.scaled_dot_product_attention(k, v, is_causal=causal)


def _convolved(*, training: bool | None) -> list[Tensor]:
    """A convolution, then a norm over the batch and relu unless `training` is None."""
    x = floats(4, 16, 28, 28)
    if training is None:
        return [x.conv2d(floats(32, 16, 3, 3), padding=1)]
    layer, norm = nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32)
    Tensor.realize(*nn.state.get_parameters(layer), *nn.state.get_state_dict(norm).values())
    with Tensor.train(training):
        return [norm(layer(x)).relu()]


def _embedded(table: Tensor) -> Tensor:
    layer = nn.Embedding(1000, 64)
    layer.weight = table
    return layer(numbers(1000, 32, 16))


def _gradient(make: Callable[[Tensor], Tensor], *shape: int) -> Program:
    """The gradient of a sum with regard to a weight of a shape."""

    def program() -> list[Tensor]:
        weight = _weight(*shape)
        return list(make(weight).gradient(weight))

    return program


def _norm_gradient() -> list[Tensor]:
    x, scale = _weight(64, 32, 256), _weight(256)
    return list((x.layernorm() * scale * floats(64, 32, 256)).sum().gradient(x, scale))


def _dropped() -> list[Tensor]:
    with Tensor.train():
        return [floats(256, 256).dropout(0.5)]


def _two_layers(act: Callable[[Tensor], Tensor]) -> Program:
    """The gradients of two matrices with a function between them."""

    def program() -> list[Tensor]:
        first, second = _weight(128, 128), _weight(128, 128)
        y = act(floats(64, 128) @ first) @ second
        return list((y * floats(64, 128)).sum().gradient(first, second))

    return program


def _relu_twice() -> list[Tensor]:
    x = (floats(64, 128) @ floats(128, 128)).relu()
    return [x @ floats(128, 128), x.sum()]


def _written_twice() -> list[Tensor]:
    x, y = floats(6, 6), floats(6, 6)
    x.assign(y + 1)
    x.assign(y + 1)
    return [x]


def _chosen_rows() -> Tensor:
    rows = Tensor(np.array([3, 1, 2, 0, 99], np.int32)).realize()
    return (Tensor.arange(100)[None] == rows[:, None]).float() @ floats(100, 16)


SMALL: dict[str, Program] = {
    "elementwise chain": _one(
        lambda: ((floats(1024, 1024) * 2 + 1).relu() * floats(1024, 1024)).exp()
    ),
    "sum all 1e6": _one(lambda: floats(1000, 1000).sum()),
    "softmax 512x512": _one(lambda: floats(512, 512).softmax(1)),
    "log_softmax": _one(lambda: floats(512, 512).log_softmax(1)),
    "layernorm": _one(lambda: floats(64, 32, 256).layernorm()),
    "layernorm affine": _one(lambda: floats(64, 32, 256).layernorm() * floats(256) + floats(256)),
    "rmsnorm": _one(lambda: _rms(floats(64, 32, 256))),
    "var": _one(lambda: floats(512, 512).var(1)),
    "std+mean": lambda: [floats(512, 512).std(1), floats(512, 512).mean(1)],
    "normalise (x-mean)/std": _one(lambda: _standard(floats(512, 512))),
    "matmul": _one(lambda: floats(256, 256) @ floats(256, 256)),
    "matmul+bias+gelu": _one(lambda: (floats(256, 256) @ floats(256, 256) + floats(256)).gelu()),
    "attention causal": _one(lambda: _attention(causal=True)),
    "attention": _one(lambda: _attention(causal=False)),
    "conv3x3": lambda: _convolved(training=None),
    "conv-bn-relu (train)": lambda: _convolved(training=True),
    "conv-bn-relu (eval)": lambda: _convolved(training=False),
    "cumsum 1e6": _one(lambda: floats(1000000).cumsum(0)),
    "cumsum 4096": _one(lambda: floats(4096).cumsum(0)),
    "cumsum 512x512": _one(lambda: floats(512, 512).cumsum(1)),
    "cumprod 4096": _one(lambda: floats(4096).cumprod(0)),
    "arange": _one(lambda: Tensor.arange(10000).contiguous()),
    "arange sum": _one(lambda: Tensor.arange(10000).sum()),
    "tri/eye": lambda: [Tensor.eye(64).contiguous(), Tensor.ones(64, 64).tril().contiguous()],
    "gather by tensor index x[i]": _one(lambda: floats(1000, 64)[numbers(1000, 256)]),
    "gather axis": _one(lambda: floats(64, 1000).gather(1, numbers(1000, 64, 32))),
    "one_hot": _one(lambda: numbers(10, 256).one_hot(10).contiguous()),
    "embedding": _one(lambda: _embedded(floats(1000, 64))),
    "embedding gradient": _gradient(lambda w: (_embedded(w) * floats(32, 16, 64)).sum(), 1000, 64),
    "gather gradient": _gradient(
        lambda w: (w[numbers(1000, 256)] * floats(256, 64)).sum(), 1000, 64
    ),
    "scatter": _one(lambda: floats(64, 1000).scatter(1, numbers(1000, 64, 32), floats(64, 32))),
    "cat 100": _one(lambda: Tensor.cat(*[floats(4, 8) + i for i in range(100)])),
    "cat 100 realised": _one(lambda: Tensor.cat(*_ones(100))),
    "add 60 buffers": _one(lambda: sum(_ones(60)[1:], floats(4, 8))),
    "sort 1024": _one(lambda: floats(1024).sort()[0]),
    "sort 32x128": _one(lambda: floats(32, 128).sort(1)[0]),
    "topk": _one(lambda: floats(32, 128).topk(5)[0]),
    "argmax": _one(lambda: floats(32, 128).argmax(1)),
    "max_pool2d": _one(lambda: floats(4, 16, 28, 28).max_pool2d()),
    "avg_pool2d": _one(lambda: floats(4, 16, 28, 28).avg_pool2d()),
    "cross entropy": _one(lambda: floats(64, 10).sparse_categorical_crossentropy(numbers(10, 64))),
    "cross entropy gradient": _gradient(
        lambda w: w.sparse_categorical_crossentropy(numbers(10, 64)), 64, 10
    ),
    "softmax gradient": _gradient(lambda w: (w.softmax(1) * floats(512, 512)).sum(), 512, 512),
    "layernorm gradient": _norm_gradient,
    "roll+flip+pad": _one(
        lambda: floats(64, 64).roll(3, 0).flip(1).pad(((1, 1), (2, 2))).contiguous()
    ),
    "transpose contiguous": _one(lambda: floats(512, 512).T.contiguous()),
    "dropout": _dropped,
    "rand": _one(lambda: Tensor.rand(256, 256)),
    "linear-relu-linear bwd": _two_layers(Tensor.relu),
    "linear-gelu-linear bwd": _two_layers(Tensor.gelu),
    "linear-silu-linear bwd": _two_layers(Tensor.silu),
    "linear-tanh-linear bwd": _two_layers(Tensor.tanh),
    "linear-sigmoid-linear bwd": _two_layers(Tensor.sigmoid),
    "linear-gelu-linear fwd": _one(
        lambda: (floats(64, 128) @ floats(128, 128)).gelu() @ floats(128, 128)
    ),
    "relu used twice": _relu_twice,
    "dead axis stage": _one(
        lambda: floats(4, 1).expand(4, 1000).exp().sin().exp() @ floats(1000, 50)
    ),
    "dead axis of reduce": _one(
        lambda: floats(64, 64).max(1, keepdim=True).expand(64, 64).exp() @ floats(64, 64)
    ),
    "equal stores": _written_twice,
    "onehot matmul": _one(_chosen_rows),
}

PROGRAMS: dict[str, Program] = {**SMALL, **MODELS}
