"""Convolutions, pools, interpolation, normalisation and attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.reference_nets import (
    adaptive,
    attention,
    conv,
    conv_transpose,
    in_groups,
    interpolate,
    on_axis,
    pool,
    standard,
    unpool,
)
from rulewright.verify.methods.row import FLOATS, Method, Refusal, Shape, Variants
from rulewright.verify.methods.text import Expression

_NARROW = ("f32", "f64", "f16", "bf16", "i32")
_IMAGES = (((2, 4, 7, 6), (6, 4, 3, 2), (6,)), ((0, 4, 7, 6), (6, 4, 3, 2), (6,)))
_GROUPED = (((2, 4, 7, 6), (6, 2, 3, 2), (6,)),)
_LINES = (((2, 3, 9), (4, 3, 4)), ((1, 1, 3), (1, 1, 3)), ((3, 9), (4, 3, 2)))
_SOLIDS = (((1, 2, 4, 5, 3), (2, 2, 2, 3, 2)),)
_BACK = (((2, 4, 3, 5), (4, 3, 3, 2), (6,)),)
_CONVOLUTIONS: tuple[dict[str, Any], ...] = (
    {"padding": 1}, {"stride": 2}, {"stride": 3, "padding": 2}, {"dilation": 2},
    {"padding": (1, 0, 2, 1)}, {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2)},
    {"padding": "same"}, {"padding": "valid"}, {"padding": "same", "dilation": 2},
)  # fmt: skip
_TRANSPOSES: tuple[tuple[Any, ...], ...] = (
    (2,), (2, 2), (2, (2, 3), 1, (1, 2)), (2, 3, 2, 1, (1, 2)), (2, 2, 1, (1, 0, 0, 1), 1),
)  # fmt: skip
_POOLED: tuple[Variants, ...] = (
    (((2, 3, 7, 8),), ((5, 4),), ((0, 1, 4, 4),)),
    (((2, 3, 9, 7),),),
)
_POOLS: tuple[tuple[tuple[int, int], dict[str, Any]], ...] = (
    ((2, 2), {}), ((3, 3), {"stride": 1, "padding": 1}),
    ((3, 2), {"stride": (2, 3), "padding": (1, 0)}), ((2, 2), {"stride": 3}),
    ((2, 3), {"dilation": 2, "stride": 1}), ((3, 3), {"stride": 2, "ceil_mode": True}),
    ((3, 3), {"stride": 2, "padding": 1, "ceil_mode": True}), ((2, 2), {"padding": (1, 0, 0, 1)}),
)  # fmt: skip


def _conv(name: str, shapes: Variants, **options: Any) -> Method:
    """A row of a convolution, with a bias where there are shapes of one."""
    call, equals = (
        (lambda x, y: getattr(x, name)(y, **options), lambda x, y: conv(x, y, **options))
        if len(shapes[0]) == 2 else
        (lambda x, y, z: getattr(x, name)(y, z, **options),
         lambda x, y, z: conv(x, y, z, **options)))  # fmt: skip
    return Method(name, call, equals, shapes, ("f32", "f16"), gradient=True, tolerance=16)


def _pools(size: tuple[int, int], options: dict[str, Any]) -> list[Method]:
    shapes = _POOLED[1] if options else _POOLED[0]
    return [
        Method("max_pool2d", lambda x: x.max_pool2d(size, **options),
               lambda x: pool(x, size, "max", **options), shapes, _NARROW, domain="distinct",
               gradient=True),
        Method("max_pool2d", lambda x: x.max_pool2d(size, **options, return_indices=True),
               lambda x: (pool(x, size, "max", **options), pool(x, size, "where", **options)),
               shapes, ("f32", "i32"), gives="same i64"),
        Method("avg_pool2d", lambda x: x.avg_pool2d(size, **options),
               lambda x: pool(x, size, "avg", **options), shapes, FLOATS, gradient=True),
        Method("avg_pool2d", lambda x: x.avg_pool2d(size, **options, count_include_pad=False),
               lambda x: pool(x, size, "avg", **options, pads_count=False), shapes, ("f32",),
               gradient=True),
        Method("avg_pool2d", lambda x: x.avg_pool2d(size, **options, divisor_override=-3),
               lambda x: pool(x, size, "avg", **options, divisor=-3), shapes, ("f32", "f16"),
               gradient=True),
    ]  # fmt: skip


def _resized(
    mode: str, shape: Shape, sizes: tuple[int, ...], *corners: bool, **more: bool
) -> Method:
    plain = mode.removeprefix("bi").removeprefix("tri")
    return Method("interpolate", lambda x: x.interpolate(sizes, mode, *corners, **more),
                  lambda x: interpolate(x, sizes, plain, *corners, **more), ((shape,),), FLOATS[:3],
                  gradient=True, tolerance=32 if more or "cubic" in mode else 8)  # fmt: skip


_HEADS = (((2, 4, 5, 6), (2, 4, 7, 6), (2, 4, 7, 3)), ((5, 4), (3, 4), (3, 4)), ((1, 1),) * 3,
          ((3, 0), (2, 0), (2, 4)))  # fmt: skip
_SHARED = (((2, 4, 5, 6), (2, 2, 7, 6), (2, 2, 7, 3)),)
_SDPA = "scaled_dot_product_attention"


def _attention(call: Expression, equals: Expression, shapes: Variants,
               kinds: tuple[str, ...] = ("f32", "f64"),
               others: tuple[str, ...] = ()) -> Method:  # fmt: skip
    domain = ("any", "any", "any", "bool") if "bool" in others else "any"
    return Method(_SDPA, call, equals, shapes, kinds, others, domain, gradient=True,
                  tolerance=16)  # fmt: skip


ROWS = [
    Method("conv2d", lambda x, y, z: x.conv2d(y, z), lambda x, y, z: conv(x, y, z), _IMAGES,
           _NARROW, gradient=True, tolerance=16),
    *(_conv("conv2d", _IMAGES[:1], **options) for options in _CONVOLUTIONS),
    _conv("conv2d", _GROUPED, groups=2, stride=2, padding=1),
    Method("conv2d", lambda x, y, z: x.conv2d(y, z, padding=-1),
           lambda x, y, z: conv(x[..., 1:-1, 1:-1], y, z), (((1, 2, 6, 7), (4, 2, 3, 3), (4,)),),
           ("f32", "f64"), gradient=True, tolerance=16),
    Method("conv2d", lambda x, y, z: x.conv2d(y, z, stride=2, padding=(-1, 2, 1, -2)),
           lambda x, y, z: conv(np.pad(x[..., :-2, 1:], [(0, 0)] * 2 + [(1, 0), (0, 2)]), y, z,
           stride=2), (((1, 2, 6, 7), (4, 2, 3, 3), (4,)),), ("f32", "f64"), gradient=True,
           tolerance=16),
    _conv("conv2d", (((2, 4, 5, 3), (4, 1, 2, 2), (4,)),), groups=4),
    _conv("conv2d", (((4, 7, 6), (6, 4, 3, 2)), *_SOLIDS, *_LINES), stride=1),
    Method("conv2d", lambda x, y: x.conv2d(y, dtype=dtypes.f32),
           lambda x, y: conv(x, y), (((1, 2, 4, 4), (3, 2, 2, 2)),), ("f16",), gives="f32",
           tolerance=64),
    _conv("conv1d", _LINES, stride=2, padding=3),
    _conv("conv3d", _SOLIDS, padding=1, stride=(1, 2, 1)),
    *(Method("conv_transpose2d", lambda x, y, z, more=more: x.conv_transpose2d(y, z, *more),
             lambda x, y, z, more=more: conv_transpose(x, y, z, *more), _BACK, ("f32", "f16"),
             gradient=True, tolerance=16)
      for more in _TRANSPOSES),
    Method("conv_transpose2d", lambda x, y: x.conv_transpose2d(y),
           lambda x, y: conv_transpose(x, y),
           (((1, 2, 3, 2), (2, 3, 1, 1)), ((2, 3, 2), (2, 1, 2, 2)), ((0, 2, 3, 2), (2, 3, 2, 2))),
           ("f32", "f64", "bf16", "i32"), gradient=True, tolerance=16),
    Method("conv_transpose2d", lambda x, y: x.conv_transpose2d(y, padding=(1, 0), stride=2),
           lambda x, y: conv_transpose(x, y, padding=(1, 0), stride=2),
           (((1, 2, 1, 3), (2, 3, 2, 2)),), ("f32",), gradient=True),
    Method("conv_transpose1d", lambda x, y: x.conv_transpose1d(y, stride=3, padding=1),
           lambda x, y: conv_transpose(x, y, stride=3, padding=1), (((2, 3, 4), (3, 2, 4)),),
           gradient=True),
    Method("conv_transpose3d", lambda x, y: x.conv_transpose3d(y, stride=2),
           lambda x, y: conv_transpose(x, y, stride=2), (((1, 2, 2, 3, 2), (2, 1, 2, 1, 2)),),
           ("f32",), gradient=True),
    *(row for size, options in _POOLS for row in _pools(size, options)),
    Method("max_pool2d", lambda x: x.max_pool2d(2, 1, padding=1),
           lambda x: pool(x, (2, 2), "max", 1, 1, 1), (((1, 2, 3, 4),),),
           ("f32", "i8", "u8", "i64"), special=True),
    Method("max_pool2d", lambda x: x.max_pool2d(2, 1, return_indices=True),
           lambda x: (pool(x, (2, 2), "max", 1), pool(x, (2, 2), "where", 1)), (((2, 5, 4),),),
           ("f32",), gives="same i64", check=lambda result, x: result[1].numpy().min() >= 0,
           special=True),
    Method("avg_pool2d", lambda x: x.avg_pool2d(2),
           lambda x: pool(x, (2, 2), "avg"), (((2, 5, 4),),), ("i8", "u8", "i64"), gives="f32"),
    *(Method(name, lambda x, name=name: getattr(x, name)(2, 1, padding=1),
             lambda x, how=name[:3], rank=int(name[-2]): pool(x, (2,) * rank, how, 1, 1, 1),
             (((2, 5, 3, 4),),), ("f32", "f16"), domain="distinct", gradient=True)
      for name in ("max_pool1d", "avg_pool1d", "max_pool3d", "avg_pool3d")),
    Method("max_unpool2d",
           lambda x, y: x[:, :2, :2].max_unpool2d(y.max_pool2d(2, return_indices=True)[1], 2),
           lambda x, y: unpool(x[:, :2, :2], pool(y, (2, 2), "where"), (4, 4)),
           (((3, 4, 4), (3, 4, 4)),), ("f32", "f64"), gradient=True),
    Method("max_unpool2d",
           lambda x, y: x.max_unpool2d(y.max_pool2d(2, return_indices=True)[1], output_size=(5, 6)),
           lambda x, y: unpool(x, pool(y, (2, 2), "where"), (5, 6)), (((1, 2, 3), (1, 5, 6)),),
           ("f32", "i32"), ("f32",), gives="same"),
    *(Method(name, lambda x, name=name, sizes=sizes: getattr(x, name)(sizes),
             lambda x, sizes=sizes, how=how: adaptive(x, sizes, how), (((2, 5, 8),), ((7, 9),)),
             FLOATS, domain="distinct", gradient=True)
      for how in ("avg", "max") for sizes in ((3, 4), (1, 1), (7, 2), (4,))
      for name in [f"adaptive_{how}_pool{len(sizes)}d"]),
    Method("adaptive_avg_pool2d", lambda x: x.adaptive_avg_pool2d((None, 3)),
           lambda x: adaptive(x, (x.shape[-2], 3), "avg"), (((2, 5, 8),),), ("i32",), gives="f32"),
    *(_resized(mode, (2, 3, 5, 7), sizes) for mode in
      ("nearest", "nearest-exact", "bilinear", "bicubic")
      for sizes in ((11, 3), (5, 1))),
    *(_resized(mode, (2, 3, 5, 7), sizes, True)
      for mode in ("bilinear", "cubic") for sizes in ((11, 3), (1, 7))),
    *(_resized(mode, (2, 3, 5, 7), sizes, corners, antialias=True) for mode in
      ("bilinear", "bicubic") for corners in (False, True) for sizes in ((11, 3), (2, 1), (5, 7))),
    _resized("trilinear", (1, 2, 3, 4, 2), (2, 7, 4)),
    _resized("linear", (4, 3), (8,)),
    *(Method("interpolate", lambda x, mode=mode: x.interpolate(mode=mode, scale_factor=1.7),
             lambda x, mode=mode: interpolate(x, (8, 11), mode, scale=1.7), (((1, 2, 5, 7),),),
             ("f32", "f64"))
      for mode in ("nearest", "nearest-exact", "linear")),
    Method("interpolate", lambda x: x.interpolate(4), lambda x: interpolate(x, (4,), "linear"),
           (((1, 2, 3),),), ("i32",), gives="f32"),
    Method("interpolate", lambda x: x.interpolate(scale_factor=(2, 0.5)),
           lambda x: interpolate(x, (8, 3), "linear", scale=(2, 0.5)), (((1, 4, 6),),), ("f32",)),
    Method("layernorm", lambda x: x.layernorm(),
           lambda x: standard(x, -1), (((3, 5),), ((1,),), ((2, 1, 7),)), gradient=True),
    Method("layernorm", lambda x: x.layernorm((1, 2), 0.1), lambda x: standard(x, (1, 2), 0.1),
           (((2, 3, 5),),), gradient=True),
    Method("layernorm", lambda x: x.layernorm(), lambda x: standard(x, -1), (((3, 5),),), ("i32",),
           gives="f32"),
    Method("groupnorm", lambda x, y, z: x.groupnorm(2, y, z),
           lambda x, y, z: in_groups(x, 2) * on_axis(y, x) + on_axis(z, x),
           (((3, 4, 5, 2), (4,), (4,)), ((2, 2), (2,), (2,))), gradient=True, tolerance=16),
    Method("groupnorm", lambda x: x.groupnorm(1, eps=0.1),
           lambda x: in_groups(x, 1, 0.1), (((3, 4),),), gradient=True),
    Method("groupnorm", lambda x: x.groupnorm(2), lambda x: x, (((0, 4, 3),), ((2, 4, 0),)),
           ("f32",)),
    Method("rms_norm", lambda x: x.rms_norm(eps=0.1),
           lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.1),
           (((3, 5),), ((1,),), ((2, 3, 4),)), gradient=True),
    Method("rms_norm", lambda x, y: x.rms_norm((0, 1), y),
           lambda x, y: x / np.sqrt((x * x).mean() + np.finfo(np.float32).eps) * y,
           (((3, 5), (5,)),), ("f32",)),
    Method("batchnorm", lambda x, y, z, w: x.batchnorm(y, z, w, w),
           lambda x, y, z, w: (x - on_axis(w, x)) * on_axis(w, x) * on_axis(y, x) + on_axis(z, x),
           (((2, 3, 5), (3,), (3,), (3,)), ((4, 1), (1,), (1,), (1,))), ("f32", "f64"),
           gradient=True),
    Method("batchnorm", lambda x, y, z: x.batchnorm(None, None, y, z, axis=(0, 2)),
           lambda x, y, z: (x - y[:, None]) * z[:, None], (((2, 3, 5), (2, 5), (2, 5)),), ("f32",),
           gradient=True),
    _attention(lambda x, y, z: x.scaled_dot_product_attention(y, z),
               lambda x, y, z: attention(x, y, z), _HEADS, FLOATS),
    _attention(lambda x, y, z: x.scaled_dot_product_attention(y, z, is_causal=True),
               lambda x, y, z: attention(x, y, z, causal=True), _HEADS, FLOATS),
    _attention(lambda x, y, z: x.scaled_dot_product_attention(y, z, enable_gqa=True, scale=0.3),
               lambda x, y, z: attention(x, y, z, scale=0.3), _SHARED),
    *(_attention(lambda x, y, z, w: x.scaled_dot_product_attention(y, z, w),
                 lambda x, y, z, w: attention(x, y, z, w), shapes, ("f32", "f64"), others)
      for shapes, others in (
          ((((2, 4, 5, 6), (2, 4, 7, 6), (2, 4, 7, 3), (5, 7)),), ()),
          ((((4, 5, 6), (4, 2, 6), (4, 2, 3), (4, 1, 2)),), ("f32", "f32", "bool")))),
    Method(_SDPA, lambda x: x.scaled_dot_product_attention(x, x, dropout_p=0.5),
           lambda x: attention(x, x, x), (((3, 4),),), ("f32",)),
]  # fmt: skip

_TALL = ((1, 4, 5, 5),)
REFUSALS = [
    Refusal("conv2d", lambda x: x.conv2d(x), "ShapeError", "conv2d: expected x (N, C, H, W)"),
    Refusal("conv2d", lambda x, y: x.conv2d(y), "ShapeError", "need a weight with 4 channels",
            (*_TALL, (6, 3, 2, 2))),
    Refusal("conv2d", lambda x, y: x.conv2d(y, groups=2), "ShapeError", "outputs that divide by 2",
            (*_TALL, (5, 2, 2, 2))),
    Refusal("conv2d", lambda x, y: x.conv2d(y), "ShapeError",
            "a window has at least one element, found 0", shapes=((1, 1, 4, 4), (1, 1, 0, 2))),
    Refusal("conv2d", lambda x, y: x.conv2d(y), "ShapeError",
            "a window of 6 does not fit in a padded size", (*_TALL, (1, 4, 6, 2))),
    Refusal("conv2d", lambda x, y: x.conv2d(y, padding="full"), "UsageError", "'same' or 'valid'",
            (*_TALL, (1, 4, 2, 2))),
    Refusal("conv2d", lambda x, y: x.conv2d(y, padding="same", stride=2), "UsageError",
            "needs stride 1", (*_TALL, (1, 4, 2, 2))),
    Refusal("conv2d", lambda x, y: x.conv2d(y), "DTypeError", "expected numbers, found bool",
            (*_TALL, (1, 4, 2, 2)), ("bool",)),
    Refusal("conv1d", lambda x, y: x.conv1d(y), "ShapeError", "conv1d: expected a weight of 3 axes",
            (*_TALL, (1, 4, 2, 2))),
    Refusal("conv3d", lambda x, y: x.conv3d(y), "ShapeError", "conv3d: expected a weight of 5 axes",
            (*_TALL, (1, 4, 2, 2))),
    Refusal("conv_transpose2d", lambda x, y: x.conv_transpose2d(y), "ShapeError",
            "a weight with 4 channels", (*_TALL, (3, 4, 2, 2))),
    Refusal("conv_transpose2d", lambda x, y: x.conv_transpose2d(y, output_padding=1), "UsageError",
            "output_padding must be below stride (1, 1)", (*_TALL, (4, 1, 2, 2))),
    Refusal("conv_transpose2d", lambda x, y: x.conv_transpose2d(y, padding=4), "ShapeError",
            "padding leaves", (*_TALL, (4, 1, 2, 2))),
    Refusal("conv_transpose1d", lambda x: x.conv_transpose1d(x), "ShapeError",
            "a weight of 3 axes"),
    Refusal("conv_transpose3d", lambda x: x.conv_transpose3d(x), "ShapeError",
            "a weight of 5 axes"),
    Refusal("max_pool2d", lambda x: x.max_pool2d(4), "ShapeError", "a window of 4 does not fit"),
    Refusal("max_pool2d", lambda x: x[0].max_pool2d(2), "ShapeError", "expected 2 axes or more"),
    Refusal("avg_pool2d", lambda x: x.avg_pool2d(0), "UsageError",
            "kernel_size must be a whole number"),
    Refusal("avg_pool2d", lambda x: x.avg_pool2d(1, divisor_override=0), "UsageError",
            "expected divisor_override other than 0, found 0", argument="divisor_override"),
    Refusal("avg_pool2d", lambda x: x.avg_pool2d(()), "UsageError", "expected a kernel_size"),
    Refusal("max_pool1d", lambda x: x.max_pool1d((2, 2)), "UsageError", "max_pool1d: kernel_size"),
    Refusal("avg_pool3d", lambda x: x.avg_pool3d(2), "ShapeError", "expected 3 axes or more"),
    Refusal("max_unpool2d", lambda x: x.max_unpool2d(x), "DTypeError", "indices are integers"),
    Refusal("max_unpool2d", lambda x: x.max_unpool2d(x[0].int()), "ShapeError",
            "indices of the same"),
    Refusal("adaptive_avg_pool2d", lambda x: x.adaptive_avg_pool2d((0, 1)), "UsageError",
            "output_size"),
    Refusal("adaptive_max_pool2d", lambda x: x[0].adaptive_max_pool2d(1), "ShapeError",
            "2 axes or more"),
    Refusal("interpolate", lambda x: x.interpolate((4,), "lanczos"), "UsageError", "nearest-exact"),
    Refusal("interpolate", lambda x: x.interpolate((4,), "bilinear"), "UsageError", "over 1 axes"),
    Refusal("interpolate", lambda x: x.interpolate((4,), "nearest", antialias=True), "UsageError",
            "mode with antialias is one of linear", argument="antialias"),
    Refusal("interpolate", lambda x: x.interpolate(), "UsageError", "one of size and scale_factor"),
    Refusal("interpolate", lambda x: x.interpolate(4), "ShapeError",
            "resizes all but the first two"),
    Refusal("interpolate", lambda x: x.interpolate(scale_factor=(0.1,)), "UsageError",
            "leaves nothing"),
    Refusal("groupnorm", lambda x: x.groupnorm(2), "ShapeError", "a multiple of 2 groups"),
    Refusal("batchnorm", lambda x: x.batchnorm(None, None, x[0], x[0], 2), "ShapeError", "axis 2"),
    Refusal(_SDPA, lambda x: x.scaled_dot_product_attention(x[:, 1:], x), "ShapeError",
            "expected query (…, L, e)"),
    Refusal(_SDPA, lambda x, y: x.scaled_dot_product_attention(y, y, enable_gqa=True), "ShapeError",
            "3 heads of keys and", ((4, 2, 2), (3, 2, 2))),
    *(Refusal(name, lambda x, name=name, shape=shape, weight=weight, more=more, options=options: (
              getattr(Tensor.ones(*shape), name)(Tensor.ones(*weight), *more, **options)),
              "UsageError", says, argument=argument)
      for name, shape, weight in (
          ("conv1d", (1, 4, 5), (4, 4, 2)), ("conv3d", (1, 4, 3, 3, 3), (4, 4, 2, 2, 2)),
          ("conv_transpose1d", (1, 4, 5), (4, 4, 2)),
          ("conv_transpose3d", (1, 4, 3, 3, 3), (4, 4, 2, 2, 2)))
      for argument, more, options, says in (
          ("args", ("a",), {}, "bias: expected a tensor"),
          ("options", (), {"groups": "a"}, "groups is a whole number"))),
    Refusal("conv2d", lambda x, y: x.conv2d(y, bias=y), "ShapeError",
            "a bias for each of 6 outputs", (*_TALL, (6, 4, 2, 2)), argument="bias"),
    Refusal("conv2d", lambda x, y: x.conv2d(y, padding=-3), "ShapeError", "cannot be cut",
            (*_TALL, (6, 4, 2, 2)), argument="padding"),
    *(Refusal(name, lambda x, name=name, more=more, options=options: (
              getattr(Tensor.ones(2, 2, 2), name)(*more, **options)),
              "ArgumentError", says, argument=argument)
      for name in ("max_pool1d", "max_pool3d", "avg_pool1d", "avg_pool3d")
      for argument, more, options, says in (
          ("stride", (2, "a"), {}, f"{name}: stride must be a whole number"),
          ("ceil_mode", (), {"ceil_mode": "a"}, "ceil_mode is True or False"))),
    *(Refusal(name, lambda x, name=name: getattr(Tensor.ones(2, 2, 2), name)(9), "ShapeError",
              f"{name}: a window of 9 does not fit", argument="kernel_size")
      for name in ("max_pool1d", "max_pool3d", "avg_pool1d", "avg_pool3d")),
    Refusal("max_pool2d", lambda x: x.max_pool2d(2, padding=-1), "ArgumentError", "padding must be",
            argument="padding"),
    Refusal("groupnorm", lambda x: x.groupnorm(1, Tensor.ones(3)), "ShapeError",
            "groupnorm weight: expected shape (5,), found (3,)", argument="weight"),
    Refusal(_SDPA, lambda x: x.scaled_dot_product_attention(x, x, attn_mask=x, is_causal=True),
            "UsageError", "attn_mask or is_causal, found both", argument="attn_mask"),
    Refusal(_SDPA, lambda x: x.scaled_dot_product_attention(x, x, dropout_p=1.5), "UsageError",
            "from 0 to 1, found 1.5", argument="dropout_p"),
    Refusal(_SDPA, lambda x: x.scaled_dot_product_attention(x, x, enable_gqa=True), "ShapeError",
            "0 heads", argument="enable_gqa"),
    *(Refusal("interpolate", lambda x, value=value: x.interpolate(scale_factor=(value,)),
              "UsageError", "scale_factor is a finite number", argument="scale_factor")
      for value in (float("nan"), float("inf"))),
    Refusal("interpolate", lambda x: x.interpolate((2**70,)), "UsageError",
            "size must be a whole number", argument="size"),
    *(Refusal(name, lambda x, name=name: getattr(x, name)((1, "a")), "UsageError", "output_size",
              argument="output_size") for name in ("adaptive_avg_pool1d", "adaptive_max_pool1d")),
    Refusal("max_unpool2d", lambda x: x.max_unpool2d(x.int(), ()), "UsageError",
            "expected a kernel_size", argument="kernel_size"),
    *(Refusal("max_unpool2d", lambda x, value=value: x.max_unpool2d(x.int(), output_size=value),
              "UsageError", "output_size", argument="output_size")
      for value in ("ab", (), (4,), (4, "a"))),
    Refusal(_SDPA,
            lambda x: x.scaled_dot_product_attention(x, x, attn_mask=Tensor.ones(3, 3).int()),
            "DTypeError", "attn_mask of bools or floats, found i32", argument="attn_mask"),
]  # fmt: skip
