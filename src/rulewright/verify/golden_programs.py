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


def program(make: Callable[[], Tensor | Sequence[Tensor]]) -> Program:
    """Register a program under the function's name."""

    def tensors() -> Sequence[Tensor]:
        results = make()
        return [results] if isinstance(results, Tensor) else results

    PROGRAMS[make.__name__] = tensors
    return tensors


def given(*shape: int, dtype: str = "f32", requires_grad: bool = False) -> Tensor:
    """An input: memory whose contents are not known when the program is compiled."""
    import numpy as np

    from rulewright.ir.dtypes import dtype as named

    array: np.ndarray[Any, Any] = np.zeros(shape, named(dtype).np)
    return Tensor(array, requires_grad=requires_grad)


# ---- elementwise -------------------------------------------------------------------------------


@program
def elementwise() -> Tensor:
    a, b = given(64, 48), given(64, 48)
    return (a * b + 1.0).relu() - a.sqrt()


@program
def elementwise_prime() -> Tensor:
    return given(7, 13) * 2.0 + given(7, 13)


@program
def broadcast() -> Tensor:
    return given(32, 1) + given(1, 64) * given(64)


@program
def transcendental() -> Tensor:
    x = given(256)
    return x.exp() + x.log() + x.sin() + x.tanh()


@program
def integer() -> Tensor:
    a, b = given(128, dtype="i32"), given(128, dtype="i32")
    return (a // b + a % b) * 3 - (a >> 2)


@program
def boolean() -> Tensor:
    a, b = given(8, 16), given(8, 16)
    return ((a < b) & (a != 0.0)) | (b >= 1.0)


@program
def half() -> Tensor:
    return (given(64, dtype="f16") * 2.0 + given(64, dtype="f16")).sum()


@program
def bfloat16() -> Tensor:
    return (given(64, dtype="bf16") * 2.0 + given(64, dtype="bf16")).relu()


@program
def cast() -> Tensor:
    return given(100, dtype="f32").cast("i32").cast("u8").cast("f32")


# ---- movement ----------------------------------------------------------------------------------


@program
def strided() -> Tensor:
    x = given(16, 24)
    return x.transpose(0, 1).flip(0)[2:20, ::3] + 1.0


@program
def pad() -> Tensor:
    return given(6, 10).pad(((1, 1), (2, 0))) * 2.0


@program
def concatenate() -> Tensor:
    return given(4, 8).cat(given(3, 8), given(1, 8), dim=0)


@program
def views() -> list[Tensor]:
    x = given(12, 10)
    return [x.reshape(10, 12).permute(1, 0) + x, x[3:9].contiguous()]


# ---- reductions --------------------------------------------------------------------------------


@program
def sum_rows() -> Tensor:
    return given(64, 512).sum(1)


@program
def sum_columns() -> Tensor:
    return given(512, 64).sum(0)


@program
def sum_all() -> Tensor:
    return given(256, 256).sum()


@program
def sum_huge() -> Tensor:
    return given(1 << 20).sum()


@program
def sum_middle() -> Tensor:
    return given(8, 30, 16).max(1)


@program
def sum_of_nothing() -> Tensor:
    return given(4, 0).sum(1) + given(4)


@program
def mean_and_variance() -> list[Tensor]:
    x = given(32, 100)
    return [x.mean(1), x.var(1)]


@program
def argmax() -> Tensor:
    return given(16, 10).argmax(1)


@program
def softmax() -> Tensor:
    return given(32, 128).softmax(-1)


@program
def layernorm() -> Tensor:
    return given(32, 256).layernorm()


@program
def cumsum() -> Tensor:
    return given(4, 100).cumsum(1)


# ---- products ----------------------------------------------------------------------------------


@program
def matmul() -> Tensor:
    return given(64, 96) @ given(96, 128)


@program
def matmul_fused() -> Tensor:
    return (given(32, 64) @ given(64, 32) + given(32)).relu()


@program
def matmul_vector() -> Tensor:
    return given(300, 200) @ given(200)


@program
def matmul_half() -> Tensor:
    return given(64, 64, dtype="f16") @ given(64, 64, dtype="f16")


@program
def linear_half() -> Tensor:
    x, weight = given(32, 48, dtype="f16"), given(48, 64, dtype="f16")
    return (x.matmul(weight, dtype="f32") + given(64)).relu()


@program
def linear_bfloat16() -> Tensor:
    x, weight = given(20, 40, dtype="bf16"), given(24, 40, dtype="bf16")  # 40 is no multiple of 16
    return x.matmul(weight.transpose(0, 1), dtype="f32").relu()


@program
def linear_bytes() -> Tensor:
    x, weight = given(2, 32, 64, dtype="i8"), given(2, 64, 32, dtype="i8")
    return x.matmul(weight, dtype="i32").cast("f32") * given(32)


@program
def conv2d() -> Tensor:
    return given(1, 4, 12, 12).conv2d(given(8, 4, 3, 3), given(8), padding=1).relu()


@program
def max_pool2d() -> Tensor:
    return given(2, 4, 8, 8).max_pool2d(2)


@program
def attention() -> Tensor:
    query, key, value = given(2, 5, 4), given(2, 5, 4), given(2, 5, 4)
    return (query @ key.transpose(-1, -2) / 2.0).softmax(-1) @ value


# ---- indices -----------------------------------------------------------------------------------


@program
def arange() -> Tensor:
    return Tensor.arange(100).cast("f32") * 0.5


@program
def gather() -> Tensor:
    return given(10, 8).gather(0, given(4, 8, dtype="i32"))


@program
def embedding() -> Tensor:
    return given(5, 6, dtype="i32").embedding(given(50, 16))


@program
def triangle() -> Tensor:
    return given(16, 16).tril()


# ---- memory, symbols, training, random ---------------------------------------------------------


@program
def assign() -> Tensor:
    x = given(10, 10)
    x += 1.0
    return x


@program
def assign_part() -> Tensor:
    x = given(10, 10).contiguous()
    x.realize()
    x[2:5, ::2] = given(3, 5)
    return x


@program
def symbolic() -> Tensor:
    rows = Variable("rows", 1, 64).bind(20)
    return given(64, 32)[:rows].sum(0)


@program
def shared_intermediate() -> list[Tensor]:
    total = (given(64, 64) @ given(64, 64)).sum(1)
    return [total.exp(), total * 2.0, total.contiguous()]


@program
def training_step() -> list[Tensor]:
    weight, bias = given(3, 5, requires_grad=True), given(3, requires_grad=True)
    loss = (given(7, 5).linear(weight.T, bias).tanh() - given(7, 3)).square().mean()
    loss.backward()
    return [loss, *SGD([weight, bias], lr=0.1).update()]


@program
def classifier_loss() -> Tensor:
    return given(8, 10).cross_entropy(given(8, dtype="i32"))


@program
def random() -> Tensor:
    Tensor.manual_seed(3)
    return Tensor.rand(64)


@program
def random_normal() -> Tensor:
    Tensor.manual_seed(3)
    return Tensor.randn(32)
