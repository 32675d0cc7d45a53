"""The programs whose schedules and sources are on record: a few lines each, of many kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.nn.optim import SGD
from rulewright.tensor.shapes import Variable
from rulewright.tensor.tensor import Tensor

Program = Callable[[], Sequence[Tensor]]

PROGRAMS: dict[str, Program] = {}
"""Name to a function that gives the tensors to be scheduled together."""

ONLY: dict[str, tuple[str, ...]] = {"attention_long": ("CUDA", "METAL")}
"""The targets of programs that are too long to be read for others."""


def program(make: Callable[[], Tensor | Sequence[Tensor]]) -> Program:
    """Register a program under the function's name."""

    def tensors() -> Sequence[Tensor]:
        results = make()
        return [results] if isinstance(results, Tensor) else results

    PROGRAMS[make.__name__] = tensors
    return tensors


def placeholder(*shape: int, dtype: str = "f32", requires_grad: bool = False) -> Tensor:
    """An input: memory whose contents are not known when the program is compiled."""
    import numpy as np

    from rulewright.ir.dtypes import dtype as named

    array: np.ndarray[Any, Any] = np.zeros(shape, named(dtype).np)
    return Tensor(array, requires_grad=requires_grad)


# ---- elementwise -------------------------------------------------------------------------------


@program
def elementwise() -> Tensor:
    a, b = placeholder(64, 48), placeholder(64, 48)
    return (a * b + 1.0).relu() - a.sqrt()


@program
def elementwise_prime() -> Tensor:
    return placeholder(7, 13) * 2.0 + placeholder(7, 13)


@program
def broadcast() -> Tensor:
    return placeholder(32, 1) + placeholder(1, 64) * placeholder(64)


@program
def transcendental() -> Tensor:
    x = placeholder(256)
    return x.exp() + x.log() + x.tanh()


@program
def circular() -> Tensor:
    x = placeholder(256)
    return x.sin() + x.cos()


@program
def integer() -> Tensor:
    a, b = placeholder(128, dtype="i32"), placeholder(128, dtype="i32")
    return (a // b + a % b) * 3 - (a >> 2)


@program
def boolean() -> Tensor:
    a, b = placeholder(8, 16), placeholder(8, 16)
    return ((a < b) & (a != 0.0)) | (b >= 1.0)


@program
def half() -> Tensor:
    return (placeholder(64, dtype="f16") * 2.0 + placeholder(64, dtype="f16")).sum()


@program
def bfloat16() -> Tensor:
    return (placeholder(64, dtype="bf16") * 2.0 + placeholder(64, dtype="bf16")).relu()


@program
def cast() -> Tensor:
    return placeholder(100, dtype="f32").cast("i32").cast("u8").cast("f32")


# ---- movement ----------------------------------------------------------------------------------


@program
def strided() -> Tensor:
    x = placeholder(16, 24)
    return x.transpose(0, 1).flip(0)[2:20, ::3] + 1.0


@program
def pad() -> Tensor:
    return placeholder(6, 10).pad(((1, 1), (2, 0))) * 2.0


@program
def concatenate() -> Tensor:
    return placeholder(4, 8).cat(placeholder(3, 8), placeholder(1, 8), dim=0)


@program
def views() -> list[Tensor]:
    x = placeholder(12, 10)
    return [x.reshape(10, 12).permute(1, 0) + x, x[3:9].contiguous()]


# ---- reductions --------------------------------------------------------------------------------


@program
def sum_rows() -> Tensor:
    return placeholder(64, 512).sum(1)


@program
def sum_columns() -> Tensor:
    return placeholder(512, 64).sum(0)


@program
def sum_all() -> Tensor:
    return placeholder(256, 256).sum()


@program
def sum_huge() -> Tensor:
    return placeholder(1 << 20).sum()


@program
def sum_middle() -> Tensor:
    return placeholder(8, 30, 16).max(1)


@program
def sum_of_nothing() -> Tensor:
    return placeholder(4, 0).sum(1) + placeholder(4)


@program
def mean_and_variance() -> list[Tensor]:
    x = placeholder(32, 100)
    return [x.mean(1), x.var(1)]


@program
def argmax() -> Tensor:
    return placeholder(16, 10).argmax(1)


@program
def softmax() -> Tensor:
    return placeholder(32, 128).softmax(-1)


@program
def layernorm() -> Tensor:
    return placeholder(32, 256).layernorm()


@program
def cumsum() -> Tensor:
    return placeholder(4, 100).cumsum(1)


# ---- products ----------------------------------------------------------------------------------


@program
def matmul() -> Tensor:
    return placeholder(64, 96) @ placeholder(96, 128)


@program
def matmul_fused() -> Tensor:
    return (placeholder(32, 64) @ placeholder(64, 32) + placeholder(32)).relu()


@program
def matmul_vector() -> Tensor:
    return placeholder(300, 200) @ placeholder(200)


@program
def matmul_half() -> Tensor:
    return placeholder(64, 64, dtype="f16") @ placeholder(64, 64, dtype="f16")


@program
def linear_half() -> Tensor:
    x, weight = placeholder(32, 48, dtype="f16"), placeholder(48, 64, dtype="f16")
    return (x.matmul(weight, dtype="f32") + placeholder(64)).relu()


@program
def linear_bfloat16() -> Tensor:
    x, weight = (
        placeholder(20, 40, dtype="bf16"),
        placeholder(24, 40, dtype="bf16"),
    )  # 40 is no multiple of 16
    return x.matmul(weight.transpose(0, 1), dtype="f32").relu()


@program
def linear_bytes() -> Tensor:
    x, weight = placeholder(2, 32, 64, dtype="i8"), placeholder(2, 64, 32, dtype="i8")
    return x.matmul(weight, dtype="i32").cast("f32") * placeholder(32)


@program
def conv2d() -> Tensor:
    return (
        placeholder(1, 4, 12, 12).conv2d(placeholder(8, 4, 3, 3), placeholder(8), padding=1).relu()
    )


@program
def max_pool2d() -> Tensor:
    return placeholder(2, 4, 8, 8).max_pool2d(2)


@program
def attention() -> Tensor:
    query, key, value = placeholder(2, 5, 4), placeholder(2, 5, 4), placeholder(2, 5, 4)
    return (query @ key.transpose(-1, -2) / 2.0).softmax(-1) @ value


@program
def attention_long() -> Tensor:
    query, key, value = (placeholder(n, e, dtype="f16") for n, e in ((8192, 16), (40, 16), (40, 8)))
    return query.scaled_dot_product_attention(key, value)


# ---- indices -----------------------------------------------------------------------------------


@program
def arange() -> Tensor:
    return Tensor.arange(100).cast("f32") * 0.5


@program
def gather() -> Tensor:
    return placeholder(10, 8).gather(0, placeholder(4, 8, dtype="i32"))


@program
def embedding() -> Tensor:
    return placeholder(5, 6, dtype="i32").embedding(placeholder(50, 16))


@program
def triangle() -> Tensor:
    return placeholder(16, 16).tril()


# ---- memory, symbols, training, random ---------------------------------------------------------


@program
def assign() -> Tensor:
    x = placeholder(10, 10)
    x += 1.0
    return x


@program
def assign_part() -> Tensor:
    x = placeholder(10, 10).contiguous()
    x.realize()
    x[2:5, ::2] = placeholder(3, 5)
    return x


@program
def symbolic() -> Tensor:
    rows = Variable("rows", 1, 64).bind(20)
    return placeholder(64, 32)[:rows].sum(0)


@program
def shared_intermediate() -> list[Tensor]:
    total = (placeholder(64, 64) @ placeholder(64, 64)).sum(1)
    return [total.exp(), total * 2.0, total.contiguous()]


@program
def training_step() -> list[Tensor]:
    weight, bias = placeholder(3, 5, requires_grad=True), placeholder(3, requires_grad=True)
    loss = (placeholder(7, 5).linear(weight.T, bias).tanh() - placeholder(7, 3)).square().mean()
    loss.backward()
    return [loss, *SGD([weight, bias], lr=0.1).update()]


@program
def classifier_loss() -> Tensor:
    return placeholder(8, 10).cross_entropy(placeholder(8, dtype="i32"))


@program
def random() -> Tensor:
    Tensor.manual_seed(3)
    return Tensor.rand(64)


@program
def random_normal() -> Tensor:
    Tensor.manual_seed(3)
    return Tensor.randn(16)
