"""Convolutions, pools, interpolation, normalisation and attention."""

from __future__ import annotations

from rulewright.verify.methods.row import FLOATS, Method, Refusal, Shape, refusals

_NARROW = ("f32", "f64", "f16", "bf16", "i32")
_IMAGES = (((2, 4, 7, 6), (6, 4, 3, 2), (6,)), ((0, 4, 7, 6), (6, 4, 3, 2), (6,)))
_GROUPED = (((2, 4, 7, 6), (6, 2, 3, 2), (6,)),)
_LINES = (((2, 3, 9), (4, 3, 4)), ((1, 1, 3), (1, 1, 3)), ((3, 9), (4, 3, 2)))
_SOLIDS = (((1, 2, 4, 5, 3), (2, 2, 2, 3, 2)),)
_BACK = (((2, 4, 3, 5), (4, 3, 3, 2), (6,)),)
_CONVOLUTIONS = (
    "padding=1", "stride=2", "stride=3, padding=2", "dilation=2", "padding=(1, 0, 2, 1)",
    "stride=(2, 1), padding=(0, 2), dilation=(1, 2)", "padding='same'", "padding='valid'",
    "padding='same', dilation=2",
)  # fmt: skip
_TRANSPOSES = (
    "2", "2, 2", "2, (2, 3), 1, (1, 2)", "2, 3, 2, 1, (1, 2)", "2, 2, 1, (1, 0, 0, 1), 1",
)  # fmt: skip
_POOLED: tuple[tuple[tuple[Shape, ...], ...], ...] = (
    (((2, 3, 7, 8),), ((5, 4),), ((0, 1, 4, 4),)),
    (((2, 3, 9, 7),),),
)
_POOLS = (  # size, the rest, without and with the names of the reference
    ("(2, 2)", "", ""),
    ("(3, 3)", "stride=1, padding=1", "stride=1, padding=1"),
    ("(3, 2)", "stride=(2, 3), padding=(1, 0)", "stride=(2, 3), padding=(1, 0)"),
    ("(2, 2)", "stride=3", "stride=3"),
    ("(2, 3)", "dilation=2, stride=1", "dilation=2, stride=1"),
    ("(3, 3)", "stride=2, ceil_mode=True", "stride=2, ceil=True"),
    ("(3, 3)", "stride=2, padding=1, ceil_mode=True", "stride=2, padding=1, ceil=True"),
    ("(2, 2)", "padding=(1, 0, 0, 1)", "padding=(1, 0, 0, 1)"),
)


def _conv(method: str, options: str, shapes: tuple[tuple[Shape, ...], ...]) -> Method:
    third = ", z" if len(shapes[0]) > 2 else ""
    return Method(method, f"x.{method}(y{third}, {options})", f"conv(x, y{third}, {options})",
                  shapes, ("f32", "f16"), gradient=True, tolerance=16)  # fmt: skip


def _pools(size: str, options: str, named: str) -> list[Method]:
    shapes = _POOLED[1] if options else _POOLED[0]
    tail, other = (f", {o}" if o else "" for o in (options, named))
    return [
        Method("max_pool2d", f"x.max_pool2d({size}{tail})", f"pool(x, {size}, 'max'{other})",
               shapes, _NARROW, domain="distinct", gradient=True),
        Method("max_pool2d", f"x.max_pool2d({size}{tail}, return_indices=True)",
               f"(pool(x, {size}, 'max'{other}), pool(x, {size}, 'where'{other}))",
               shapes, ("f32", "i32"), gives="same i64"),
        Method("avg_pool2d", f"x.avg_pool2d({size}{tail})", f"pool(x, {size}, 'avg'{other})",
               shapes, FLOATS, gradient=True),
        Method("avg_pool2d", f"x.avg_pool2d({size}{tail}, count_include_pad=False)",
               f"pool(x, {size}, 'avg'{other}, pads_count=False)", shapes, ("f32",),
               gradient=True),
    ]  # fmt: skip


def _resized(mode: str, shape: Shape, sizes: tuple[int, ...], corners: bool = False) -> Method:
    more = ", True" if corners else ""
    plain = mode.removeprefix("bi").removeprefix("tri")
    return Method("interpolate", f"x.interpolate({sizes}, {mode!r}{more})",
                  f"interpolate(x, {sizes}, {plain!r}{more})", ((shape,),), FLOATS[:3],
                  gradient=True,
                  tolerance=32 if "cubic" in mode else 8)  # fmt: skip


_HEADS = (((2, 4, 5, 6), (2, 4, 7, 6), (2, 4, 7, 3)), ((5, 4), (3, 4), (3, 4)), ((1, 1),) * 3,
          ((3, 0), (2, 0), (2, 4)))  # fmt: skip
_SHARED = (((2, 4, 5, 6), (2, 2, 7, 6), (2, 2, 7, 3)),)
_SDPA = "scaled_dot_product_attention"


def _attention(options: str, equals: str, shapes: tuple[tuple[Shape, ...], ...],
               kinds: tuple[str, ...] = ("f32", "f64"), others: tuple[str, ...] = (),
               gradient: bool = True) -> Method:  # fmt: skip
    domain = ("any", "any", "any", "bool") if "bool" in others else "any"
    return Method(_SDPA, f"x.{_SDPA}(y, z{options})", f"attention(x, y, z{equals})", shapes, kinds,
                  others, domain, gradient=gradient, tolerance=16)  # fmt: skip


ROWS = [
    Method("conv2d", "x.conv2d(y, z)", "conv(x, y, z)", _IMAGES, _NARROW, gradient=True,
           tolerance=16),
    *(_conv("conv2d", options, _IMAGES[:1]) for options in _CONVOLUTIONS),
    _conv("conv2d", "groups=2, stride=2, padding=1", _GROUPED),
    Method("conv2d", "x.conv2d(y, z, padding=-1)", "conv(x[..., 1:-1, 1:-1], y, z)",
           (((1, 2, 6, 7), (4, 2, 3, 3), (4,)),), ("f32", "f64"), gradient=True, tolerance=16),
    Method("conv2d", "x.conv2d(y, z, stride=2, padding=(-1, 2, 1, -2))",
           "conv(np.pad(x[..., :-2, 1:], [(0, 0)] * 2 + [(1, 0), (0, 2)]), y, z, stride=2)",
           (((1, 2, 6, 7), (4, 2, 3, 3), (4,)),), ("f32", "f64"), gradient=True, tolerance=16),
    _conv("conv2d", "groups=4", (((2, 4, 5, 3), (4, 1, 2, 2), (4,)),)),
    _conv("conv2d", "stride=1", (((4, 7, 6), (6, 4, 3, 2)), *_SOLIDS, *_LINES)),
    Method("conv2d", "x.conv2d(y, dtype=dtypes.f32)", "conv(x, y)", (((1, 2, 4, 4), (3, 2, 2, 2)),),
           ("f16",), gives="f32", tolerance=64),
    _conv("conv1d", "stride=2, padding=3", _LINES),
    _conv("conv3d", "padding=1, stride=(1, 2, 1)", _SOLIDS),
    *(Method("conv_transpose2d", f"x.conv_transpose2d(y, z, {options})",
             f"conv_transpose(x, y, z, {options})", _BACK, ("f32", "f16"), gradient=True,
             tolerance=16)
      for options in _TRANSPOSES),
    Method("conv_transpose2d", "x.conv_transpose2d(y)", "conv_transpose(x, y)",
           (((1, 2, 3, 2), (2, 3, 1, 1)), ((2, 3, 2), (2, 1, 2, 2)), ((0, 2, 3, 2), (2, 3, 2, 2))),
           ("f32", "f64", "bf16", "i32"), gradient=True, tolerance=16),
    Method("conv_transpose2d", "x.conv_transpose2d(y, padding=(1, 0), stride=2)",
           "conv_transpose(x, y, padding=(1, 0), stride=2)", (((1, 2, 1, 3), (2, 3, 2, 2)),),
           ("f32",), gradient=True),
    Method("conv_transpose1d", "x.conv_transpose1d(y, stride=3, padding=1)",
           "conv_transpose(x, y, stride=3, padding=1)", (((2, 3, 4), (3, 2, 4)),), gradient=True),
    Method("conv_transpose3d", "x.conv_transpose3d(y, stride=2)", "conv_transpose(x, y, stride=2)",
           (((1, 2, 2, 3, 2), (2, 1, 2, 1, 2)),), ("f32",), gradient=True),
    *(row for pool in _POOLS for row in _pools(*pool)),
    Method("max_pool2d", "x.max_pool2d(2, 1, padding=1)", "pool(x, (2, 2), 'max', 1, 1, 1)",
           (((1, 2, 3, 4),),), ("f32", "i8", "u8", "i64"), special=True),
    Method("max_pool2d", "x.max_pool2d(2, 1, return_indices=True)",
           "(pool(x, (2, 2), 'max', 1), pool(x, (2, 2), 'where', 1))", (((2, 5, 4),),), ("f32",),
           gives="same i64", check="found[1].numpy().min() >= 0", special=True),
    Method("avg_pool2d", "x.avg_pool2d(2)", "pool(x, (2, 2), 'avg')", (((2, 5, 4),),),
           ("i8", "u8", "i64"), gives="f32"),
    *(Method(f"{how}_pool{rank}d", f"x.{how}_pool{rank}d(2, 1, padding=1)",
             f"pool(x, (2,) * {rank}, '{how}', 1, 1, 1)", (((2, 5, 3, 4),),), ("f32", "f16"),
             domain="distinct", gradient=True)
      for rank in (1, 3) for how in ("max", "avg")),
    Method("max_unpool2d", "x[:, :2, :2].max_unpool2d(y.max_pool2d(2, return_indices=True)[1], 2)",
           "unpool(x[:, :2, :2], pool(y, (2, 2), 'where'), (4, 4))",
           (((3, 4, 4), (3, 4, 4)),), ("f32", "f64"), gradient=True),
    Method("max_unpool2d", "x.max_unpool2d(y.max_pool2d(2, return_indices=True)[1], output_size="
           "(5, 6))", "unpool(x, pool(y, (2, 2), 'where'), (5, 6))",
           (((1, 2, 3), (1, 5, 6)),), ("f32", "i32"), ("f32",), gives="same"),
    *(Method(f"adaptive_{how}_pool{len(sizes)}d", f"x.adaptive_{how}_pool{len(sizes)}d({sizes})",
             f"adaptive(x, {sizes}, '{how}')", (((2, 5, 8),), ((7, 9),)), FLOATS,
             domain="distinct", gradient=True)
      for how in ("avg", "max") for sizes in ((3, 4), (1, 1), (7, 2), (4,))),
    Method("adaptive_avg_pool2d", "x.adaptive_avg_pool2d((None, 3))",
           "adaptive(x, (x.shape[-2], 3), 'avg')", (((2, 5, 8),),), ("i32",), gives="f32"),
    *(_resized(mode, (2, 3, 5, 7), sizes) for mode in
      ("nearest", "nearest-exact", "bilinear", "bicubic")
      for sizes in ((11, 3), (5, 1))),
    *(_resized(mode, (2, 3, 5, 7), sizes, True)
      for mode in ("bilinear", "cubic") for sizes in ((11, 3), (1, 7))),
    _resized("trilinear", (1, 2, 3, 4, 2), (2, 7, 4)),
    _resized("linear", (4, 3), (8,)),
    *(Method("interpolate", f"x.interpolate(mode={mode!r}, scale_factor=1.7)",
             f"interpolate(x, (8, 11), {mode!r}, scale=1.7)", (((1, 2, 5, 7),),), ("f32", "f64"))
      for mode in ("nearest", "nearest-exact", "linear")),
    Method("interpolate", "x.interpolate(4)", "interpolate(x, (4,), 'linear')", (((1, 2, 3),),),
           ("i32",), gives="f32"),
    Method("interpolate", "x.interpolate(scale_factor=(2, 0.5))",
           "interpolate(x, (8, 3), 'linear', scale=(2, 0.5))", (((1, 4, 6),),), ("f32",)),
    Method("layernorm", "x.layernorm()", "standard(x, -1)", (((3, 5),), ((1,),), ((2, 1, 7),)),
           gradient=True),
    Method("layernorm", "x.layernorm((1, 2), 0.1)", "standard(x, (1, 2), 0.1)", (((2, 3, 5),),),
           gradient=True),
    Method("layernorm", "x.layernorm()", "standard(x, -1)", (((3, 5),),), ("i32",), gives="f32"),
    Method("groupnorm", "x.groupnorm(2, y, z)", "in_groups(x, 2) * on_axis(y, x) + on_axis(z, x)",
           (((3, 4, 5, 2), (4,), (4,)), ((2, 2), (2,), (2,))), gradient=True, tolerance=16),
    Method("groupnorm", "x.groupnorm(1, eps=0.1)", "in_groups(x, 1, 0.1)", (((3, 4),),),
           gradient=True),
    Method("groupnorm", "x.groupnorm(2)", "x", (((0, 4, 3),), ((2, 4, 0),)), ("f32",)),
    Method("rms_norm", "x.rms_norm(eps=0.1)", "x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.1)",
           (((3, 5),), ((1,),), ((2, 3, 4),)), gradient=True),
    Method("rms_norm", "x.rms_norm((0, 1), y)",
           "x / np.sqrt((x * x).mean() + np.finfo(np.float32).eps) * y",
           (((3, 5), (5,)),), ("f32",)),
    Method("batchnorm", "x.batchnorm(y, z, w, w)",
           "(x - on_axis(w, x)) * on_axis(w, x) * on_axis(y, x) + on_axis(z, x)",
           (((2, 3, 5), (3,), (3,), (3,)), ((4, 1), (1,), (1,), (1,))), ("f32", "f64"),
           gradient=True),
    Method("batchnorm", "x.batchnorm(None, None, y, z, axis=(0, 2))",
           "(x - y[:, None]) * z[:, None]", (((2, 3, 5), (2, 5), (2, 5)),), ("f32",),
           gradient=True),
    _attention("", "", _HEADS, FLOATS),
    _attention(", is_causal=True", ", causal=True", _HEADS, FLOATS),
    _attention(", enable_gqa=True, scale=0.3", ", scale=0.3", _SHARED),
    _attention(", w", ", w", (((2, 4, 5, 6), (2, 4, 7, 6), (2, 4, 7, 3), (5, 7)),)),
    _attention(", w", ", w", (((4, 5, 6), (4, 2, 6), (4, 2, 3), (4, 1, 2)),), ("f32", "f64"),
               ("f32", "f32", "bool")),
    Method(_SDPA, f"x.{_SDPA}(x, x, dropout_p=0.5)", "attention(x, x, x)", (((3, 4),),), ("f32",)),
]  # fmt: skip

_TALL = ((1, 4, 5, 5),)
REFUSALS = [
    Refusal("conv2d", "x.conv2d(x)", "ShapeError", "conv2d: expected x (N, C, H, W)"),
    Refusal("conv2d", "x.conv2d(y)", "ShapeError", "need a weight with 4 channels",
            (*_TALL, (6, 3, 2, 2))),
    Refusal("conv2d", "x.conv2d(y, groups=2)", "ShapeError", "outputs that divide by 2",
            (*_TALL, (5, 2, 2, 2))),
    Refusal("conv2d", "x.conv2d(y)", "ShapeError", "a window has at least one element, found 0",
            shapes=((1, 1, 4, 4), (1, 1, 0, 2))),
    Refusal("conv2d", "x.conv2d(y)", "ShapeError", "a window of 6 does not fit in a padded size",
            (*_TALL, (1, 4, 6, 2))),
    Refusal("conv2d", "x.conv2d(y, padding='full')", "UsageError", "'same' or 'valid'",
            (*_TALL, (1, 4, 2, 2))),
    Refusal("conv2d", "x.conv2d(y, padding='same', stride=2)", "UsageError", "needs stride 1",
            (*_TALL, (1, 4, 2, 2))),
    Refusal("conv2d", "x.conv2d(y)", "DTypeError", "expected numbers, found bool",
            (*_TALL, (1, 4, 2, 2)), ("bool",)),
    Refusal("conv1d", "x.conv1d(y)", "ShapeError", "conv1d: expected a weight of 3 axes",
            (*_TALL, (1, 4, 2, 2))),
    Refusal("conv3d", "x.conv3d(y)", "ShapeError", "conv3d: expected a weight of 5 axes",
            (*_TALL, (1, 4, 2, 2))),
    Refusal("conv_transpose2d", "x.conv_transpose2d(y)", "ShapeError", "a weight with 4 channels",
            (*_TALL, (3, 4, 2, 2))),
    Refusal("conv_transpose2d", "x.conv_transpose2d(y, output_padding=1)", "UsageError",
            "output_padding must be below stride (1, 1)", (*_TALL, (4, 1, 2, 2))),
    Refusal("conv_transpose2d", "x.conv_transpose2d(y, padding=4)", "ShapeError",
            "padding leaves", (*_TALL, (4, 1, 2, 2))),
    Refusal("conv_transpose1d", "x.conv_transpose1d(x)", "ShapeError", "a weight of 3 axes"),
    Refusal("conv_transpose3d", "x.conv_transpose3d(x)", "ShapeError", "a weight of 5 axes"),
    Refusal("max_pool2d", "x.max_pool2d(4)", "ShapeError", "a window of 4 does not fit"),
    Refusal("max_pool2d", "x[0].max_pool2d(2)", "ShapeError", "expected 2 axes or more"),
    Refusal("avg_pool2d", "x.avg_pool2d(0)", "UsageError", "kernel_size must be a whole number"),
    Refusal("avg_pool2d", "x.avg_pool2d(())", "UsageError", "expected a kernel_size"),
    Refusal("max_pool1d", "x.max_pool1d((2, 2))", "UsageError", "max_pool1d: kernel_size"),
    Refusal("avg_pool3d", "x.avg_pool3d(2)", "ShapeError", "expected 3 axes or more"),
    Refusal("max_unpool2d", "x.max_unpool2d(x)", "DTypeError", "indices are integers"),
    Refusal("max_unpool2d", "x.max_unpool2d(x[0].int())", "ShapeError", "indices of the same"),
    Refusal("adaptive_avg_pool2d", "x.adaptive_avg_pool2d((0, 1))", "UsageError", "output_size"),
    Refusal("adaptive_max_pool2d", "x[0].adaptive_max_pool2d(1)", "ShapeError", "2 axes or more"),
    Refusal("interpolate", "x.interpolate((4,), 'area')", "UsageError", "nearest-exact"),
    Refusal("interpolate", "x.interpolate((4,), 'bilinear')", "UsageError", "over 1 axes"),
    Refusal("interpolate", "x.interpolate()", "UsageError", "one of size and scale_factor"),
    Refusal("interpolate", "x.interpolate(4)", "ShapeError", "resizes all but the first two"),
    Refusal("interpolate", "x.interpolate(scale_factor=(0.1,))", "UsageError", "leaves nothing"),
    Refusal("groupnorm", "x.groupnorm(2)", "ShapeError", "a multiple of 2 groups"),
    Refusal("batchnorm", "x.batchnorm(None, None, x[0], x[0], 2)", "ShapeError", "axis 2"),
    Refusal(_SDPA, f"x.{_SDPA}(x[:, 1:], x)", "ShapeError", "expected query (…, L, e)"),
    Refusal(_SDPA, f"x.{_SDPA}(y, y, enable_gqa=True)", "ShapeError", "3 heads of keys and",
            ((4, 2, 2), (3, 2, 2))),
    *(row for name, weight in (("conv2d", (6, 4, 2, 2)), ("conv_transpose2d", (4, 3, 2, 2)))
      for row in refusals(name, f"Tensor.ones{weight}", "Tensor.ones(1, 4, 5, 5)", groups="whole",
                          stride="sizes", dilation="sizes")),
    *refusals("conv2d", "Tensor.ones(6, 4, 2, 2)", "Tensor.ones(1, 4, 5, 5)", bias="operand",
              dtype="dtype", padding="sizes"),
    *refusals("conv_transpose2d", "Tensor.ones(4, 6, 2, 2)", "Tensor.ones(1, 4, 5, 5)",
              bias="operand", padding="sizes", output_padding="sizes"),
    *(row for name in ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
                       "conv_transpose3d")
      for row in refusals(name, weight="operand")),
    *(Refusal(name, f"Tensor.ones{shape}.{name}(Tensor.ones{weight}, {passed})", "UsageError",
              says, argument=argument)
      for name, shape, weight in (
          ("conv1d", (1, 4, 5), (4, 4, 2)), ("conv3d", (1, 4, 3, 3, 3), (4, 4, 2, 2, 2)),
          ("conv_transpose1d", (1, 4, 5), (4, 4, 2)),
          ("conv_transpose3d", (1, 4, 3, 3, 3), (4, 4, 2, 2, 2)))
      for argument, passed, says in (("args", "'a'", "bias: expected a tensor"),
                                    ("options", "groups='a'", "groups is a whole number"))),
    Refusal("conv2d", "x.conv2d(y, bias=y)", "ShapeError", "a bias for each of 6 outputs",
            (*_TALL, (6, 4, 2, 2)), argument="bias"),
    Refusal("conv2d", "x.conv2d(y, padding=-3)", "ShapeError", "cannot be cut",
            (*_TALL, (6, 4, 2, 2)), argument="padding"),
    *refusals("max_pool2d", stride="sizes", dilation="sizes", padding="sizes", ceil_mode="flag",
              return_indices="flag"),
    *refusals("avg_pool2d", stride="sizes", dilation="sizes", padding="sizes", ceil_mode="flag",
              count_include_pad="flag"),
    *(row for name in ("max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d",
                       "avg_pool3d")
      for row in refusals(name, tensor="Tensor.ones(2, 2, 2)", kernel_size="sizes")),
    *(Refusal(name, f"Tensor.ones(2, 2, 2).{name}({passed})", "ArgumentError", says,
              argument=argument)
      for name in ("max_pool1d", "max_pool3d", "avg_pool1d", "avg_pool3d")
      for argument, passed, says in (("args", "2, 'a'", "stride must be a whole number"),
                                    ("options", "ceil_mode='a'", "ceil_mode is True or False"))),
    Refusal("max_pool2d", "x.max_pool2d(2, padding=-1)", "ArgumentError", "padding must be",
            argument="padding"),
    *(row for name in ("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d",
                       "adaptive_max_pool2d")
      for row in refusals(name, output_size="sizes")),
    *refusals("max_unpool2d", "x.int()", kernel_size="sizes", stride="sizes", dilation="sizes",
              padding="sizes"),
    *refusals("interpolate", "(4,)", "Tensor.ones(1, 4, 5)", mode="text", align_corners="flag"),
    *refusals("groupnorm", "1", weight="operand", bias="operand", eps="number"),
    *refusals("groupnorm", num_groups="whole"),
    Refusal("groupnorm", "x.groupnorm(1, Tensor.ones(3))", "ShapeError",
            "groupnorm weight: expected shape (5,), found (3,)", argument="weight"),
    *refusals("layernorm", axis="axis", eps="number"),
    *refusals("rms_norm", axis="axis", eps="number", weight="operand"),
    *refusals("batchnorm", "bias=None, mean=x[0], invstd=x[0]", weight="operand"),
    *refusals("batchnorm", "weight=None, mean=x[0], invstd=x[0]", bias="operand"),
    *refusals("batchnorm", "None, None, invstd=x[0]", mean="operand"),
    *refusals("batchnorm", "None, None, x[0]", invstd="operand"),
    *refusals("batchnorm", "None, None, x[0], x[0]", axis="axis"),
    *refusals(_SDPA, "x, x", attn_mask="operand", dropout_p="number", is_causal="flag",
              enable_gqa="flag", scale="number"),
    *refusals(_SDPA, "value=x", key="operand"),
    *refusals(_SDPA, "x", value="operand"),
    Refusal(_SDPA, f"x.{_SDPA}(x, x, attn_mask=x, is_causal=True)", "UsageError",
            "attn_mask or is_causal, found both", argument="attn_mask"),
    Refusal(_SDPA, f"x.{_SDPA}(x, x, dropout_p=1.5)", "UsageError", "from 0 to 1, found 1.5",
            argument="dropout_p"),
    Refusal(_SDPA, f"x.{_SDPA}(x, x, enable_gqa=True)", "ShapeError", "0 heads",
            argument="enable_gqa"),
    *(Refusal("interpolate", f"x.interpolate(scale_factor=({value},))", "UsageError",
              "scale_factor is a finite number", argument="scale_factor")
      for value in ("float('nan')", "float('inf')")),
    Refusal("interpolate", "x.interpolate((2**70,))", "UsageError", "size must be a whole number",
            argument="size"),
    Refusal("adaptive_max_pool1d", "x.adaptive_max_pool1d((1, 'a'))", "UsageError", "output_size",
            argument="output_size"),
    Refusal("max_unpool2d", "x.max_unpool2d(x.int(), ())", "UsageError", "expected a kernel_size",
            argument="kernel_size"),
    *(Refusal("max_unpool2d", f"x.max_unpool2d(x.int(), output_size={value})", "UsageError",
              "output_size", argument="output_size")
      for value in ("'ab'", "()", "(4,)", "(4, 'a')")),
    Refusal(_SDPA, f"x.{_SDPA}(x, x, attn_mask=Tensor.ones(3, 3).int())", "DTypeError",
            "attn_mask of bools or floats, found i32", argument="attn_mask"),
]  # fmt: skip
