"""Layers without parameters: a method of tensors, with arguments that are said once.

Each row names the layer, the method, and the arguments in order with what they take. Names, order
and defaults are PyTorch's; `dim=Option(DIM)`, without a default, must be said. An argument that
the method calls otherwise has that name in `OWN_NAMES`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from rulewright.nn import arguments
from rulewright.nn.layers import Layer, facts
from rulewright.tensor.shapes import tuple_of
from rulewright.tensor.tensor import Tensor

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "BCELoss",
    "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss",
    "Flatten", "Fold", "GaussianNLLLoss", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d", "MaxPool3d",
    "MethodLayer", "Mish", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "NLLLoss", "PairwiseDistance", "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss", "ReLU",
    "ReLU6", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "Softmax", "Softmin", "Softplus",
    "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold", "TripletMarginLoss", "Unflatten",
    "Upsample",
]  # fmt: skip

_MUST = inspect.Parameter.empty
_Check = Callable[[str, str, Any], Any]

OWN_NAMES: Mapping[str, str] = {"unflattened_size": "sizes"}
"""What methods call arguments that PyTorch's layers call otherwise."""


class Option(NamedTuple):
    """What an argument takes: its check, as those of `nn.arguments`, and its default."""

    check: _Check
    default: Any = _MUST


class MethodLayer(Layer):
    """A layer that calls a method of its input, with the arguments that it was made with, which
    are its attributes. `inplace`: the input's own value is changed.

    Raises ArgumentError for arguments that are missing or unknown, UsageError for wrong ones.
    """

    method: ClassVar[str]
    options: ClassVar[Mapping[str, Option]]

    def __init__(self, *args: Any, **named: Any) -> None:
        name, values = type(self).__name__, inspect.signature(type(self)).bind(*args, **named)
        values.apply_defaults()
        for word, value in values.arguments.items():
            check, default = self.options[word]
            vars(self)[word] = value if value is default else check(name, word, value)

    def __call__(self, x: Tensor, *others: Any) -> Tensor | Any:
        """What the method gives for x, and what else it takes, such as a loss its target."""
        named = {OWN_NAMES.get(word, word): vars(self)[word] for word in self.options}
        method = getattr(type(arguments.tensor(type(self).__name__, "x", x)), self.method)
        if named.pop("inplace", False):
            return x._update(method, *others, **named)
        return method(x, *others, **named)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return facts(**{k: (vars(self)[k], default) for k, (_, default) in self.options.items()})


def _layer(name: str, method: str, **options: Option) -> type[MethodLayer]:
    def prepare(self: MethodLayer, *args: Any, **named: Any) -> None:
        MethodLayer.__init__(self, *args, **named)

    words: list[tuple[str, Any]] = [("self", _MUST), *((k, o.default) for k, o in options.items())]
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    takes = [inspect.Parameter(word, plain, default=default) for word, default in words]
    vars(prepare)["__signature__"] = inspect.Signature(takes)
    text = f"`Tensor.{method}` as a layer; see `MethodLayer`."
    members = {"__doc__": text, "__module__": __name__, "method": method, "options": options}
    return type(name, (MethodLayer,), {**members, "__init__": prepare})


# ---- what arguments take -------------------------------------------------------------------------


def _dim(owner: str, name: str, value: Any) -> int:
    return arguments.whole(owner, name, value, None)


def _count(owner: str, name: str, value: Any) -> int:
    return arguments.whole(owner, name, value, 1)


def _divisor(owner: str, name: str, value: Any) -> int:
    if not (divisor := arguments.whole(owner, name, value, None)):
        raise arguments.wrong(owner, name, "a whole number other than 0", value)
    return divisor


def _amount(owner: str, name: str, value: Any) -> float:
    return arguments.number(owner, name, value, 0)


def _words(*choices: str) -> _Check:
    return lambda owner, name, value: arguments.choice(owner, name, value, *choices)


def _sizes(rank: int, least: int = 1) -> _Check:
    return lambda owner, name, value: tuple_of(value, rank, owner, name, least)


def _any_sizes(owner: str, name: str, value: Any) -> int | tuple[int, ...]:
    """One size, or several; -1 for what is left."""
    if not isinstance(value, list | tuple):
        return arguments.whole(owner, name, value, 1)
    return tuple(arguments.whole(owner, name, size, -1) for size in value)


def _kept_sizes(rank: int) -> _Check:
    """A size for each axis, or None for that of the input."""

    def sizes(owner: str, name: str, value: Any) -> tuple[int | None, ...]:
        parts = tuple(value) if isinstance(value, list | tuple) else (value,) * rank
        whole = tuple_of([1 if p is None else p for p in parts], rank, owner, name, 1)
        return tuple(None if p is None else s for p, s in zip(parts, whole, strict=True))

    return sizes


def _scales(owner: str, name: str, value: Any) -> float | tuple[float, ...]:
    if not isinstance(value, list | tuple):
        return arguments.number(owner, name, value, 0)
    return tuple(arguments.number(owner, name, scale, 0) for scale in value)


_flag, _number = arguments.flag, arguments.number
_INPLACE, _WEIGHT = Option(_flag, False), Option(arguments.tensor, None)
_MODES = _words("nearest", "nearest-exact", "area", "linear", "bilinear", "trilinear", "bicubic")
_MEAN = Option(_words("mean", "sum", "none"), "mean")

# ---- of one tensor -------------------------------------------------------------------------------

CELU = _layer("CELU", "celu", alpha=Option(_number, 1.0), inplace=_INPLACE)
ELU = _layer("ELU", "elu", alpha=Option(_number, 1.0), inplace=_INPLACE)
GELU = _layer("GELU", "gelu", approximate=Option(_words("none", "tanh"), "none"))
GLU = _layer("GLU", "glu", dim=Option(_dim, -1))
Hardshrink = _layer("Hardshrink", "hardshrink", lambd=Option(_amount, 0.5))
Hardsigmoid = _layer("Hardsigmoid", "hardsigmoid", inplace=_INPLACE)
Hardswish = _layer("Hardswish", "hardswish", inplace=_INPLACE)
Hardtanh = _layer(
    "Hardtanh", "hardtanh", min_val=Option(_number, -1.0), max_val=Option(_number, 1.0),
    inplace=_INPLACE,
)  # fmt: skip
LeakyReLU = _layer(
    "LeakyReLU", "leaky_relu", negative_slope=Option(_number, 0.01), inplace=_INPLACE
)
LogSigmoid = _layer("LogSigmoid", "logsigmoid")
LogSoftmax = _layer("LogSoftmax", "log_softmax", dim=Option(_dim))
Mish = _layer("Mish", "mish", inplace=_INPLACE)
ReLU = _layer("ReLU", "relu", inplace=_INPLACE)
ReLU6 = _layer("ReLU6", "relu6", inplace=_INPLACE)
SELU = _layer("SELU", "selu", inplace=_INPLACE)
SiLU = _layer("SiLU", "silu", inplace=_INPLACE)
Sigmoid = _layer("Sigmoid", "sigmoid")
Softmax = _layer("Softmax", "softmax", dim=Option(_dim))
Softmin = _layer("Softmin", "softmin", dim=Option(_dim))
Softplus = _layer(
    "Softplus", "softplus", beta=Option(_number, 1.0), threshold=Option(_number, 20.0)
)
Softshrink = _layer("Softshrink", "softshrink", lambd=Option(_amount, 0.5))
Softsign = _layer("Softsign", "softsign")
Tanh = _layer("Tanh", "tanh")
Tanhshrink = _layer("Tanhshrink", "tanhshrink")
Threshold = _layer(
    "Threshold", "threshold", threshold=Option(_number), value=Option(_number), inplace=_INPLACE
)

Flatten = _layer("Flatten", "flatten", start_dim=Option(_dim, 1), end_dim=Option(_dim, -1))
Fold = _layer(
    "Fold", "fold", output_size=Option(_sizes(2)), kernel_size=Option(_sizes(2)),
    dilation=Option(_sizes(2), 1), padding=Option(_sizes(2, 0), 0), stride=Option(_sizes(2), 1),
)  # fmt: skip
Unflatten = _layer("Unflatten", "unflatten", dim=Option(_dim), unflattened_size=Option(_any_sizes))
PixelShuffle = _layer("PixelShuffle", "pixel_shuffle", upscale_factor=Option(_count))
PixelUnshuffle = _layer("PixelUnshuffle", "pixel_unshuffle", downscale_factor=Option(_count))
Upsample = _layer(
    "Upsample", "interpolate", size=Option(_any_sizes, None), scale_factor=Option(_scales, None),
    mode=Option(_MODES, "nearest"), align_corners=Option(_flag, None),
    recompute_scale_factor=Option(_flag, None),
)  # fmt: skip


def _max_pool(rank: int) -> type[MethodLayer]:
    sizes, pads = _sizes(rank), _sizes(rank, 0)
    return _layer(
        f"MaxPool{rank}d", f"max_pool{rank}d", kernel_size=Option(sizes),
        stride=Option(sizes, None), padding=Option(pads, 0), dilation=Option(sizes, 1),
        return_indices=Option(_flag, False), ceil_mode=Option(_flag, False),
    )  # fmt: skip


def _avg_pool(rank: int) -> type[MethodLayer]:
    sizes, pads = _sizes(rank), _sizes(rank, 0)
    divisor = {"divisor_override": Option(_divisor, None)} if rank > 1 else {}
    return _layer(
        f"AvgPool{rank}d", f"avg_pool{rank}d", kernel_size=Option(sizes),
        stride=Option(sizes, None), padding=Option(pads, 0), ceil_mode=Option(_flag, False),
        count_include_pad=Option(_flag, True), **divisor,
    )  # fmt: skip


def _adaptive_pool(kind: str, rank: int) -> type[MethodLayer]:
    size = Option(_kept_sizes(rank))
    return _layer(
        f"Adaptive{kind.title()}Pool{rank}d", f"adaptive_{kind}_pool{rank}d", output_size=size
    )


MaxPool1d, MaxPool2d, MaxPool3d = _max_pool(1), _max_pool(2), _max_pool(3)
AvgPool1d, AvgPool2d, AvgPool3d = _avg_pool(1), _avg_pool(2), _avg_pool(3)
AdaptiveAvgPool1d, AdaptiveAvgPool2d = _adaptive_pool("avg", 1), _adaptive_pool("avg", 2)
AdaptiveMaxPool1d, AdaptiveMaxPool2d = _adaptive_pool("max", 1), _adaptive_pool("max", 2)

# ---- losses, and what else takes several ---------------------------------------------------------

BCELoss = _layer("BCELoss", "binary_crossentropy", weight=_WEIGHT, reduction=_MEAN)
BCEWithLogitsLoss = _layer(
    "BCEWithLogitsLoss", "binary_crossentropy_logits", weight=_WEIGHT, reduction=_MEAN,
    pos_weight=_WEIGHT,
)  # fmt: skip
CTCLoss = _layer(
    "CTCLoss", "ctc_loss", blank=Option(arguments.whole, 0), reduction=_MEAN,
    zero_infinity=Option(_flag, False),
)  # fmt: skip
CosineEmbeddingLoss = _layer(
    "CosineEmbeddingLoss", "cosine_embedding_loss", margin=Option(_number, 0.0), reduction=_MEAN
)
CosineSimilarity = _layer(
    "CosineSimilarity", "cosine_similarity", dim=Option(_dim, 1), eps=Option(_amount, 1e-8)
)
CrossEntropyLoss = _layer(
    "CrossEntropyLoss", "cross_entropy", weight=_WEIGHT, ignore_index=Option(_dim, -100),
    reduction=_MEAN, label_smoothing=Option(_amount, 0.0),
)  # fmt: skip
GaussianNLLLoss = _layer(
    "GaussianNLLLoss", "gaussian_nll_loss", full=Option(_flag, False), eps=Option(_amount, 1e-6),
    reduction=_MEAN,
)  # fmt: skip
HingeEmbeddingLoss = _layer(
    "HingeEmbeddingLoss", "hinge_embedding_loss", margin=Option(_number, 1.0), reduction=_MEAN
)
HuberLoss = _layer("HuberLoss", "huber_loss", reduction=_MEAN, delta=Option(_amount, 1.0))
KLDivLoss = _layer(
    "KLDivLoss", "kl_div", reduction=Option(_words("mean", "sum", "none", "batchmean"), "mean"),
    log_target=Option(_flag, False),
)  # fmt: skip
L1Loss = _layer("L1Loss", "l1_loss", reduction=_MEAN)
MSELoss = _layer("MSELoss", "mse_loss", reduction=_MEAN)
MarginRankingLoss = _layer(
    "MarginRankingLoss", "margin_ranking_loss", margin=Option(_number, 0.0), reduction=_MEAN
)
MultiLabelMarginLoss = _layer("MultiLabelMarginLoss", "multilabel_margin_loss", reduction=_MEAN)
MultiLabelSoftMarginLoss = _layer(
    "MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", weight=_WEIGHT, reduction=_MEAN
)
MultiMarginLoss = _layer(
    "MultiMarginLoss", "multi_margin_loss", p=Option(_count, 1), margin=Option(_number, 1.0),
    weight=_WEIGHT, reduction=_MEAN,
)  # fmt: skip
NLLLoss = _layer(
    "NLLLoss", "nll_loss", weight=_WEIGHT, ignore_index=Option(_dim, -100), reduction=_MEAN
)
PairwiseDistance = _layer(
    "PairwiseDistance", "pairwise_distance", p=Option(_amount, 2.0), eps=Option(_amount, 1e-6),
    keepdim=Option(_flag, False),
)  # fmt: skip
PoissonNLLLoss = _layer(
    "PoissonNLLLoss", "poisson_nll_loss", log_input=Option(_flag, True), full=Option(_flag, False),
    eps=Option(_amount, 1e-8), reduction=_MEAN,
)  # fmt: skip
SmoothL1Loss = _layer("SmoothL1Loss", "smooth_l1_loss", reduction=_MEAN, beta=Option(_amount, 1.0))
SoftMarginLoss = _layer("SoftMarginLoss", "soft_margin_loss", reduction=_MEAN)
TripletMarginLoss = _layer(
    "TripletMarginLoss", "triplet_margin_loss", margin=Option(_number, 1.0),
    p=Option(_amount, 2.0), eps=Option(_amount, 1e-6), swap=Option(_flag, False), reduction=_MEAN,
)  # fmt: skip
