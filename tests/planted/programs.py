"""Small programs that use what is broken; each returns tensors that were not computed."""

from __future__ import annotations

import numpy as np

from rulewright import Tensor


def given(*shape: int, dtype: str = "f4", seed: int = 1) -> Tensor:
    rng = np.random.default_rng(seed)
    if dtype[0] == "f":
        return Tensor(rng.standard_normal(shape).astype(dtype))
    return Tensor(rng.integers(-20, 20, shape).astype(dtype))


def arithmetic():
    a, b = given(6, 5), given(6, 5, seed=2)
    kept = (~(a < b)).where(a, b)
    return [(a - b) / (b * b + 1.0), kept, (a < b) & (b < 1.0), a.maximum(0.25)]


def integers():
    a, b = given(24, dtype="i4"), given(24, dtype="i4", seed=2)
    return [
        (a // b) * 4 + a.minimum(3) % 4,
        (a * 6) // 3 + b,
        (a * 123456789) // 123456789,
        (a + 3 + 5) & (b >> 1),
        (a + b < 7) & (a <= b),
        ~(a < b),
    ]


def casts():
    a = given(40) * 1000.0
    return [a.cast("i8").cast("i32"), a.cast("f16").cast("f32")]


def padded():
    a = given(5, 7)
    return [a.pad(((1, 1), (2, 0))) + 1.0, (a.abs() + 1.0).pad(((0, 0), (1, 1))).exp()]


def moved():
    a = given(6, 4)
    return [a.permute(1, 0).flip(0)[1:3] * 2.0, a.reshape(3, 8).permute(1, 0) + 1.0]


def sums():
    a = given(9, 33)
    return [a.sum(1), a.max(0), (a * 0.5 + 1.5).prod(1)]


def softmax():
    return [given(4, 19).softmax(-1)]


def blocks():
    weights, values = given(4, 24) * 3.0, given(4, 24, seed=2)
    made = (weights.softmax(-1) * values).sum(-1)
    return [made.contiguous(arg="r4, r5, r6, r7 = online(r3, 8)")]


def shared_parts():
    return [(given(29) * 2.0).contiguous(arg="r1, r2 = tail(r0, 24); thread(r1, r2)")]


def joined():
    return [Tensor.cat(*(given(n + 1, 3, seed=n) for n in range(6)))]


def odd_rows():
    return [given(5, 7) * given(5, 1, seed=2)]


def short_sum():
    return [given(4, 96).sum(1)]


def long_sum():
    return [given(8, 512).sum(1)]


def product():
    return [given(12, 16) @ given(16, 20, seed=2)]


def product_of_halves():
    return [given(16, 16, dtype="f2").matmul(given(16, 8, dtype="f2", seed=2), dtype="f32")]


def gather():
    table, at = given(10, 4), Tensor(np.array([3, 0, 9, 5], dtype="i4"))
    return [table[at]]


def assigned():
    a = given(10).realize()
    kept = a.flip(0) * 2.0
    total = kept.sum()
    a.assign(a + 1.0)
    return [a, total, kept]


def chain():
    """Four steps that each need memory, none of which is a result."""
    a = given(16, 32)
    b = (a - a.max(1, keepdim=True)).contiguous()
    c = (b.exp() / b.exp().sum(1, keepdim=True)).contiguous()
    d = (c.permute(1, 0) + 1.0).contiguous()
    return [(d * d).sum(1) + c.sum(0)]


def slopes():
    x, y = given(3, 4).realize(), given(3, 4, seed=2).realize()
    value = ((x * y).exp() + (x / (y * y + 1.0)) - x.abs().sqrt()).sum()
    return value.gradient(x, y)


def slope_of_pad():
    x = given(3, 4).realize()
    return (x.pad(((1, 0), (0, 2))) * given(4, 6, seed=3)).sum().gradient(x)


def twice():
    """One function on two sets of buffers, so that the second finds the first one's schedule."""
    first = (given(8) - given(8, seed=2)).realize()
    return [first, given(8, seed=3) / given(8, seed=4)]


def same_kernels():
    a, b = given(12), given(12, seed=2)
    return [a * 2.0 + 1.0, b * 2.0 + 1.0, a * 3.0 + 1.0]


def floats():
    a = given(30)
    odd = Tensor(np.array([np.inf, np.nan, -0.0, 0.0] * 5, dtype="f4"))
    return [a * 0.0, odd * 0.0, odd / odd, odd == odd, odd + 0.0]


def repeated():
    return [given(6).reshape(6, 1).expand(6, 5).sum(1)]


def vectors():
    a, b = given(64, 64), given(64, 64, seed=2)
    return [a * 2.0 + b]
