"""The programs whose schedules and sources are on record: a few lines each, of many kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rulewright.ir.dtypes import dtype as named
from rulewright.nn.optim import SGD
from rulewright.tensor.shapes import Variable
from rulewright.tensor.tensor import Tensor

Program = Callable[[], Sequence[Tensor]]
Shape = tuple[int, ...]


ONLY: dict[str, tuple[str, ...]] = {"attention_long": ("CUDA", "METAL")}
"""The targets of programs that are too long to be read for others."""


def placeholder(*shape: int, dtype: str = "f32", requires_grad: bool = False) -> Tensor:
    """An input: memory whose contents are not known when the program is compiled."""
    array: np.ndarray[Any, Any] = np.zeros(shape, named(dtype).np)
    return Tensor(array, requires_grad=requires_grad)


def _of(make: Callable[..., Tensor | Sequence[Tensor]], *shapes: Shape, dtype: str = "f32") -> Any:
    """A program that computes with inputs of these shapes, of one dtype."""

    def tensors() -> Sequence[Tensor]:
        results = make(*(placeholder(*shape, dtype=dtype) for shape in shapes))
        return [results] if isinstance(results, Tensor) else results

    return tensors


def _assigned(x: Tensor) -> Tensor:
    x += 1.0
    return x


def _assigned_part(x: Tensor) -> Tensor:
    x = x.contiguous()
    x.realize()
    x[2:5, ::2] = placeholder(3, 5)
    return x


def _shared_intermediate(a: Tensor, b: Tensor) -> list[Tensor]:
    total = (a @ b).sum(1)
    return [total.exp(), total * 2.0, total.contiguous()]


def _training_step() -> list[Tensor]:
    weight, bias = placeholder(3, 5, requires_grad=True), placeholder(3, requires_grad=True)
    loss = (placeholder(7, 5).linear(weight.T, bias).tanh() - placeholder(7, 3)).square().mean()
    loss.backward()
    return [loss, *SGD([weight, bias], lr=0.1).update()]


def _seeded(make: Callable[[], Tensor]) -> Tensor:
    Tensor.manual_seed(3)
    return make()


PROGRAMS: dict[str, Program] = {
    # ---- elementwise
    "elementwise": _of(lambda a, b: (a * b + 1.0).relu() - a.sqrt(), (64, 48), (64, 48)),
    "elementwise_prime": _of(lambda a, b: a * 2.0 + b, (7, 13), (7, 13)),
    "broadcast": _of(lambda a, b, c: a + b * c, (32, 1), (1, 64), (64,)),
    "transcendental": _of(lambda x: x.exp() + x.log() + x.tanh(), (256,)),
    "circular": _of(lambda x: x.sin() + x.cos(), (256,)),
    "integer": _of(lambda a, b: (a // b + a % b) * 3 - (a >> 2), (128,), (128,), dtype="i32"),
    "boolean": _of(lambda a, b: ((a < b) & (a != 0.0)) | (b >= 1.0), (8, 16), (8, 16)),
    "half": _of(lambda a, b: (a * 2.0 + b).sum(), (64,), (64,), dtype="f16"),
    "bfloat16": _of(lambda a, b: (a * 2.0 + b).relu(), (64,), (64,), dtype="bf16"),
    "cast": _of(lambda x: x.cast("i32").cast("u8").cast("f32"), (100,)),
    # ---- movement
    "strided": _of(lambda x: x.transpose(0, 1).flip(0)[2:20, ::3] + 1.0, (16, 24)),
    "pad": _of(lambda x: x.pad(((1, 1), (2, 0))) * 2.0, (6, 10)),
    "concatenate": _of(lambda a, b, c: a.cat(b, c, dim=0), (4, 8), (3, 8), (1, 8)),
    "views": _of(
        lambda x: [x.reshape(10, 12).permute(1, 0) + x, x[3:9].contiguous()], (12, 10)
    ),
    # ---- reductions
    "sum_rows": _of(lambda x: x.sum(1), (64, 512)),
    "sum_columns": _of(lambda x: x.sum(0), (512, 64)),
    "sum_all": _of(lambda x: x.sum(), (256, 256)),
    "sum_huge": _of(lambda x: x.sum(), (1 << 20,)),
    "sum_middle": _of(lambda x: x.max(1), (8, 30, 16)),
    "sum_of_nothing": _of(lambda x, y: x.sum(1) + y, (4, 0), (4,)),
    "mean_and_variance": _of(lambda x: [x.mean(1), x.var(1)], (32, 100)),
    "argmax": _of(lambda x: x.argmax(1), (16, 10)),
    "softmax": _of(lambda x: x.softmax(-1), (32, 128)),
    "layernorm": _of(lambda x: x.layernorm(), (32, 256)),
    "cumsum": _of(lambda x: x.cumsum(1), (4, 100)),
    # ---- products
    "matmul": _of(lambda a, b: a @ b, (64, 96), (96, 128)),
    "matmul_fused": _of(lambda a, b, c: (a @ b + c).relu(), (32, 64), (64, 32), (32,)),
    "matmul_vector": _of(lambda a, b: a @ b, (300, 200), (200,)),
    "matmul_half": _of(lambda a, b: a @ b, (64, 64), (64, 64), dtype="f16"),
    "linear_half": _of(
        lambda x, weight: (x.matmul(weight, dtype="f32") + placeholder(64)).relu(),
        (32, 48), (48, 64), dtype="f16",
    ),
    "linear_bfloat16": _of(  # 40 is no multiple of 16
        lambda x, weight: x.matmul(weight.transpose(0, 1), dtype="f32").relu(),
        (20, 40), (24, 40), dtype="bf16",
    ),
    "linear_bytes": _of(
        lambda x, weight: x.matmul(weight, dtype="i32").cast("f32") * placeholder(32),
        (2, 32, 64), (2, 64, 32), dtype="i8",
    ),
    "conv2d": _of(
        lambda x, weight, bias: x.conv2d(weight, bias, padding=1).relu(),
        (1, 4, 12, 12), (8, 4, 3, 3), (8,),
    ),
    "conv2d_rows": _of(lambda x, weight: x.conv2d(weight), (2, 64, 20, 20), (8, 64, 3, 3)),
    "max_pool2d": _of(lambda x: x.max_pool2d(2), (2, 4, 8, 8)),
    "attention": _of(
        lambda query, key, value: (query @ key.transpose(-1, -2) / 2.0).softmax(-1) @ value,
        (2, 5, 4), (2, 5, 4), (2, 5, 4),
    ),
    "attention_long": _of(
        lambda query, key, value: query.scaled_dot_product_attention(key, value),
        (8192, 16), (40, 16), (40, 8), dtype="f16",
    ),
    # ---- indices
    "arange": _of(lambda: Tensor.arange(100).cast("f32") * 0.5),
    "gather": _of(lambda x: x.gather(0, placeholder(4, 8, dtype="i32")), (10, 8)),
    "embedding": _of(lambda x: placeholder(5, 6, dtype="i32").embedding(x), (50, 16)),
    "triangle": _of(lambda x: x.tril(), (16, 16)),
    # ---- memory, symbols, training, random
    "assign": _of(_assigned, (10, 10)),
    "assign_part": _of(_assigned_part, (10, 10)),
    "symbolic": _of(lambda x: x[: Variable("rows", 1, 64).bind(20)].sum(0), (64, 32)),
    "shared_intermediate": _of(_shared_intermediate, (64, 64), (64, 64)),
    "training_step": _of(_training_step),
    "classifier_loss": _of(lambda x: x.cross_entropy(placeholder(8, dtype="i32")), (8, 10)),
    "random": _of(lambda: _seeded(lambda: Tensor.rand(64))),
    "random_normal": _of(lambda: _seeded(lambda: Tensor.randn(16))),
}  # fmt: skip
"""Name to a function that gives the tensors to be scheduled together."""
