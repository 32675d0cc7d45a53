"""Methods in place: each writes what the method of its name gives, whose rows say what that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference import is_normal, is_uniform
from rulewright.verify.methods.row import Method, Refusal, Variants
from rulewright.verify.methods.text import Expression

_SAME = (((3, 5), (3, 5)), ((), ()), ((0,), (0,)))


def _alone(method: Any, y: Tensor) -> Tensor:
    return method()


def _of_y(method: Any, y: Tensor) -> Tensor:
    return method(y)


_NUMBERS: Mapping[str, Expression] = {
    **dict.fromkeys(("add_", "sub_", "mul_", "div_", "floordiv_", "remainder_", "fmod_",
                    "logical_and_", "logical_or_", "logical_xor_", "nextafter_"), _of_y),
    **dict.fromkeys(
        ("neg_", "abs_", "sign_", "square_", "sqrt_", "rsqrt_", "reciprocal_", "exp_", "exp2_",
         "expm1_", "log_", "log2_", "log10_", "log1p_", "floor_", "ceil_", "round_", "trunc_",
         "frac_", "sin_", "cos_", "tan_", "tanh_", "erf_", "erfinv_", "lgamma_",
         "digamma_", "relu_", "leaky_relu_",
         "elu_", "sigmoid_", "logical_not_", "nan_to_num_"), _alone),
    "pow_": lambda method, y: method(2), "lerp_": lambda method, y: method(y, 0.25),
    "addcmul_": lambda method, y: method(y, y, value=2),
    "addcdiv_": lambda method, y: method(y, y, value=2),
    "clip_": lambda method, y: method(0, 1), "clamp_": lambda method, y: method(max=0),
    "masked_fill_": lambda method, y: method(y > 0, 3),
    "masked_scatter_": lambda method, y: method(y > 0, y),
    "cumsum_": lambda method, y: method(0), "cumprod_": lambda method, y: method(0),
}  # fmt: skip
"""How methods that take floats of any shape are called."""
_BITS = {**dict.fromkeys(("bitwise_and_", "bitwise_or_", "bitwise_xor_"), _of_y),
         "bitwise_not_": _alone}  # fmt: skip
_MATRICES: Mapping[str, Expression] = {
    "tril_": _alone, "triu_": lambda method, y: method(1),
    "addmm_": lambda method, y: method(y, y, beta=2, alpha=3),
    "scatter_": lambda method, y: method(0, Tensor([[2, 0]]), 5),
    "scatter_add_": lambda method, y: method(0, Tensor([[2, 0]]), y),
    "scatter_reduce_":
        lambda method, y: method(0, Tensor([[2, 0]]), y, "prod", include_self=False),
    "index_add_": lambda method, y: method(0, Tensor([2, 0]), y[:2], alpha=2),
    "index_copy_": lambda method, y: method(0, Tensor([2, 0]), y[1:]),
    "index_fill_": lambda method, y: method(0, Tensor([2, 0]), 7),
    "index_put_": lambda method, y: method((Tensor([2, 2]),), y[1:], True),
}  # fmt: skip


def _rows(
    calls: Mapping[str, Expression], shapes: Variants, dtypes: tuple[str, ...]
) -> list[Method]:
    return [
        Method(name, lambda x, y, name=name, plain=name[:-1], call=call: (
                   call(getattr(x.clone(), name), y), call(getattr(x, plain), y)),
               None, shapes, dtypes, special=True,
               check=lambda result, x, y: np.array_equal(
                   result[0].numpy().astype(x.dtype), result[1].numpy().astype(x.dtype), True))
        for name, call in calls.items()
    ]  # fmt: skip


ROWS = [
    *_rows(_NUMBERS, (((3, 5), (3, 5)),), ("f32",)),
    *_rows(_BITS, (((3, 5), (3, 5)),), ("i32",)),
    *_rows(_MATRICES, (((3, 3), (3, 3)),), ("f32",)),
    *_rows({"addmv_": lambda method, y: method(y, y[0])}, (((3,), (3, 3)),), ("f32",)),
    *_rows({"baddbmm_": lambda method, y: method(y, y, alpha=2)}, (((2, 3, 3), (2, 3, 3)),),
           ("f32",)),
    *_rows({"add_": _of_y, "mul_": _of_y, "logical_not_": _alone}, _SAME, ("f16", "u8", "bool")),
    *(Method(name, lambda x, write=write: (z := x.clone(), write(z[..., :1], x), z)[2],
             lambda x, part=part: np.concatenate([part(x[..., :1]), x[..., 1:]], -1),
             (((3, 5),), ((7, 1, 2),)), ("f32",), domain="positive", gradient=True)
      for name, write, part in (
          ("mul_", lambda z, x: z.mul_(x[..., :1]), lambda x: x ** 2),
          ("exp_", lambda z, x: z.exp_(), lambda x: np.exp(x)),
          ("clamp_", lambda z, x: z.clamp_(1, 2), lambda x: x.clip(1, 2)))),
    Method("copy_",
           lambda x, y: (x.clone().copy_(y), x.clone().copy_(3),
           x.clone().copy_(y, non_blocking=True)), lambda x, y: (y + 0 * x, 3 + 0 * x, y + 0 * x),
           (((3, 5), (5,)), ((2,), ())), ("f32", "f64"), gradient=True),
    Method("copy_", lambda x, y: x.clone().copy_(y),
           lambda x, y: np.trunc(y).astype(x.dtype) + 0 * x, (((3, 5), (5,)), ((2,), ())),
           ("i32", "u8"), ("f32",), domain=("any", "positive")),
    Method("fill_", lambda x, y: (x.clone().fill_(3), x.clone().fill_(y)),
           lambda x, y: (3 + 0 * x, y + 0 * x), (((3, 5), ()), ((0,), ()), ((), ())),
           ("f32", "i32", "u8")),
    Method("zero_", lambda x: x.clone().zero_(), lambda x: x * 0, dtypes=("f32", "i32", "f16")),
    Method("uniform_", lambda x: x.clone().uniform_(-1, 2), None, (((400, 5),),), ("f32", "f16"),
           check=lambda result, x: is_uniform(result.numpy(), -1, 2)),
    Method("normal_", lambda x: x.clone().normal_(1, std=2), None, (((400, 5),),), ("f32", "f64"),
           check=lambda result, x: is_normal(result.numpy(), 1, 2)),
    Method("bernoulli_", lambda x: (x.clone().bernoulli_(1.0), x.clone().bernoulli_(0)),
           lambda x: (np.ones_like(x), x * 0), (((3, 5),), ((0,),)), ("f32", "i32")),
]  # fmt: skip

REFUSALS = [
    Refusal("add_", lambda x: x.add_(Tensor.ones(2, 3, 5)), "ShapeError", "(2, 3, 5)"),
    Refusal("add_", lambda x: x.add_(0.5), "DTypeError", "a i32 tensor cannot hold",
            dtypes=("i32",)),
    Refusal("exp_", lambda x: x.exp_(), "DTypeError", "a i32 tensor cannot hold", dtypes=("i32",)),
    Refusal("add_", lambda x: x[:1].expand(3, 5).add_(1), "ShapeError", "elements share memory"),
    Refusal("fill_", lambda x: x.fill_(x[0]), "ShapeError", "one value, found shape (5,)"),
    Refusal("copy_", lambda x: x.copy_(x.T), "ShapeError", "(5, 3)"),
    Refusal("normal_", lambda x: x.normal_(std=-1), "UsageError", "expected std of 0 or more"),
]  # fmt: skip
