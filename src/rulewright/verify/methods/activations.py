"""Rows of the table of methods: activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.verify.methods.reference import Array, erf
from rulewright.verify.methods.row import Method, Refusal
from rulewright.verify.methods.text import Expression

_SOME = (((3, 5),), ((),), ((7, 0, 2),))
_FLOATS = ("f32", "bf16")
_TAKEN = ("f32", "f16", "i32")


def _row(name: str, equals: Expression, *arguments: Any, special: bool = True) -> Method:
    """A row whose values are real: of integers they are float32."""
    return Method(name, lambda x: getattr(x, name)(*arguments), equals, _SOME, _TAKEN,
                  special=special, gives="float", gradient=True)  # fmt: skip


def _plain(name: str, equals: Expression, *arguments: Any) -> Method:
    """A row whose values have the operand's dtype."""
    return Method(name, lambda x: getattr(x, name)(*arguments), equals, _SOME, _FLOATS,
                  special=True, gradient=True)  # fmt: skip


def _elu(x: Array, a: float, b: float) -> Array:
    return np.where(x > 0, x, a * np.expm1(np.minimum(x, 0) / b))


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _softplus(x: Array) -> Array:
    return np.logaddexp(0, x)


ROWS = [
    Method("relu", lambda x: x.relu(),
           lambda x: np.maximum(x, 0), _SOME, ("f32", "f16", "i32", "u8"), special=True,
           gradient=True),
    _plain("relu6", lambda x: np.clip(x, 0, 6)),
    _plain("leaky_relu", lambda x: np.where(x > 0, x, x * 0.01)),
    _plain("leaky_relu", lambda x: np.where(x > 0, x, x * 0.3), 0.3),
    Method("prelu", lambda x, y: x.prelu(y),
           lambda x, y: np.where(x > 0, x, x * y.reshape((-1, *(1,) * (x.ndim - 2))[: x.ndim])),
           (((3, 5), (5,)), ((2, 3, 4, 1), (3,)), ((3, 5), (1,)), ((0, 2), (2,)), ((), (1,)),
           ((4,), (1,)), ((), ())), _FLOATS, gradient=True),
    _plain("threshold", lambda x: np.where(x <= 0.5, -2, x), 0.5, -2),
    _plain("hardtanh", lambda x: np.clip(x, -1, 1)),
    _plain("hardtanh", lambda x: np.clip(x, -0.5, 3), -0.5, 3),
    _plain("hardshrink", lambda x: np.where(abs(x) <= 0.5, 0, x)),
    _plain("softshrink", lambda x: np.where(abs(x) <= 0.5, 0, x - np.copysign(0.5, x))),
    _row("hardsigmoid", lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    _row("hardswish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), special=False),
    _row("elu", lambda x: _elu(x, 1, 1)),
    _row("elu", lambda x: _elu(x, 2.5, 1), 2.5),
    _row("celu", lambda x: _elu(x, 1, 1)),
    _row("celu", lambda x: _elu(x, 2.5, 2.5), 2.5),
    _row("selu", lambda x: 1.0507009873554805 * _elu(x, 1.6732632423543772, 1)),
    _row("sigmoid", lambda x: _sigmoid(x)),
    _row("logsigmoid", lambda x: -np.logaddexp(0, -x)),
    *(_row(name, lambda x: x * _sigmoid(x)) for name in ("silu", "swish")),
    _row("quick_gelu", lambda x: x * _sigmoid(1.702 * x)),
    _row("gelu", lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    _row("gelu", lambda x: x / 2 * (1 + erf(x / np.sqrt(2))), "none"),
    _row("softplus", lambda x: _softplus(x)),
    _row("softplus", lambda x: np.where(x * 3 > 2, x, _softplus(x * 3) / 3), 3, 2),
    _row("mish", lambda x: x * np.tanh(_softplus(x))),
    _row("softsign", lambda x: x / (1 + abs(x)), special=False),
    _row("tanhshrink", lambda x: x - np.tanh(x), special=False),
    Method("pixel_shuffle", lambda x: (x.pixel_shuffle(1), x.pixel_shuffle(2)),
           lambda x: (x, np.moveaxis(x.reshape(*x.shape[:-3], -1, 2, 2, *x.shape[-2:]), (-4, -3),
           (-3, -1)).reshape(*x.shape[:-3], -1, 2 * x.shape[-2], 2 * x.shape[-1])),
           (((2, 8, 3, 5),), ((4, 1, 2),), ((1, 2, 12, 1, 1),)), ("f32", "i32"), gradient=True),
    Method("pixel_unshuffle", lambda x: (x.pixel_unshuffle(1), x.pixel_unshuffle(2)),
           lambda x: (x, np.stack([x[..., i::2, j::2] for i in (0, 1) for j in (0, 1)],
           -3).reshape(*x.shape[:-3], -1, x.shape[-2] // 2, x.shape[-1] // 2)),
           (((2, 3, 4, 6),), ((1, 2, 2),)), ("f32", "i32"), gradient=True),
    Method("glu", lambda x: (x.glu(), x.glu(0)),
           lambda x: (x[:, :3] / (1 + np.exp(-x[:, 3:])), x[:2] / (1 + np.exp(-x[2:]))),
           (((4, 6),),), _FLOATS, gradient=True),
]  # fmt: skip

REFUSALS: list[Refusal] = [
    Refusal("gelu", lambda x: x.gelu("erf"), "UsageError", "'tanh' or 'none'"),
    Refusal("prelu", lambda x: x.prelu(x[0]), "ShapeError", "one for each channel", ((3, 5, 2),)),
    Refusal("pixel_shuffle", lambda x: x.pixel_shuffle(2), "ShapeError", "found shape (3, 5)"),
    Refusal("pixel_shuffle", lambda x: x.pixel_shuffle(2), "ShapeError",
            "4 does not divide the 3 channels", ((3, 5, 2),)),
    Refusal("pixel_unshuffle", lambda x: x.pixel_unshuffle(2), "ShapeError",
            "2 does not divide rows", ((3, 5, 2),)),
    Refusal("pixel_shuffle", lambda x: x.pixel_shuffle(0), "UsageError", "1 or more, found 0"),
    Refusal("glu", lambda x: x.glu(), "ShapeError", "does not halve"),
    Refusal("glu", lambda x: x.glu(2), "ShapeError", "axis 2"),
    Refusal("celu", lambda x: x.celu(0), "UsageError", "an alpha other than 0"),
    Refusal("hardtanh", lambda x: x.hardtanh(2, 1), "UsageError", "min_val 2 is above max_val 1",
            argument="min_val"),
    *(Refusal("softshrink", lambda x, value=value: x.softshrink(value), "UsageError",
              "lambd of 0 or more") for value in (-1, float("nan"))),
]  # fmt: skip
