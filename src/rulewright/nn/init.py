"""Other values for tensors that there are, written in place as PyTorch's `nn.init` does it.

Each gives the tensor back. What is drawn is drawn by `Tensor.manual_seed`; no gradient flows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rulewright.errors import ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.nn import arguments
from rulewright.nn.names import OF_INIT, unknown_in_module
from rulewright.tensor.shapes import show
from rulewright.tensor.tensor import Tensor

__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_",
    "normal_", "ones_", "orthogonal_", "trunc_normal_", "uniform_", "xavier_normal_",
    "xavier_uniform_", "zeros_",
]  # fmt: skip

_GAINS = {
    "linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0, "conv_transpose3d": 1.0, "sigmoid": 1.0, "tanh": 5 / 3,
    "relu": math.sqrt(2), "selu": 3 / 4,
}  # fmt: skip


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By what a nonlinearity's input is scaled so that its output varies as much.

    param: the slope of "leaky_relu" below zero, 0.01 unless given. Raises UsageError for others.
    """
    name = "calculate_gain"
    arguments.choice(name, "nonlinearity", nonlinearity, *_GAINS, "leaky_relu")
    if nonlinearity != "leaky_relu":
        return _GAINS[nonlinearity]
    slope = 0.01 if param is None else arguments.number(name, "param", param)
    return math.sqrt(2 / (1 + slope**2))


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Evenly spread from a to b."""
    low, high = (arguments.number("uniform_", n, v) for n, v in (("a", a), ("b", b)))
    return _written("uniform_", tensor, _spread("uniform_", tensor, low, high))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Of a normal distribution."""
    middle = arguments.number("normal_", "mean", mean)
    width = arguments.number("normal_", "std", std, 0)
    return _written("normal_", tensor, _normal("normal_", tensor) * width + middle)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> Tensor:
    """Of the part of a normal distribution from a to b. Raises UsageError unless a is below b."""
    name = "trunc_normal_"
    middle, width = arguments.number(name, "mean", mean), arguments.number(name, "std", std, 0)
    low, high = arguments.number(name, "a", a), arguments.number(name, "b", b)
    if low >= high:
        raise UsageError(f"{name}: expected a below b, found {a} and {b}")
    if not width:
        return _written(name, tensor, tensor, min(max(middle, low), high))
    parts = [math.erf((end - middle) / (width * math.sqrt(2))) for end in (low, high)]
    drawn = _spread("trunc_normal_", tensor, *parts).clip(-1 + 1e-7, 1 - 1e-7).erfinv() * (
        width * math.sqrt(2)
    )
    return _written(name, tensor, (drawn + middle).clip(low, high))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number everywhere."""
    return _written("constant_", tensor, tensor, arguments.number("constant_", "val", val))


def ones_(tensor: Tensor) -> Tensor:
    """1 everywhere."""
    return _written("ones_", tensor, tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """0 everywhere."""
    return _written("zeros_", tensor, tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """1 on the diagonal of a matrix, else 0. Raises ShapeError for another number of axes."""
    rows, columns = arguments.sized("eye_", tensor, "rows", "columns", name="tensor").shape
    return _written("eye_", tensor, Tensor.eye(int(rows), int(columns), device=tensor.device))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Kernels (out, in, …) that give each of the first channels of each group as it is.

    Raises ShapeError unless there are three axes to five, and out divides by the groups.
    """
    groups = arguments.whole("dirac_", "groups", groups, 1)
    shape = tuple([int(s) for s in arguments.tensor("dirac_", "tensor", tensor).shape])
    if not 3 <= len(shape) <= 5 or shape[0] % groups:
        raise ShapeError(
            f"dirac_: expected a kernel of 3 to 5 axes, of which the first divides by {groups}, "
            f"found {show(shape)}"
        )
    kernel, part = np.zeros(shape, np.float32), shape[0] // groups
    middle = tuple([size // 2 for size in shape[2:]])
    for place in range(shape[0]):
        if place % part < shape[1]:
            kernel[place, place % part][middle] = 1
    return _written("dirac_", tensor, Tensor(kernel, device=tensor.device))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Within ± gain sqrt(6 / (fan in + fan out)) (Glorot and Bengio, 2010)."""
    name = "xavier_uniform_"
    bound = arguments.number(name, "gain", gain, 0) * math.sqrt(6 / sum(_fans(name, tensor)))
    return _written(name, tensor, _spread("xavier_uniform_", tensor, -bound, bound))


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Normal, of the deviation gain sqrt(2 / (fan in + fan out))."""
    name = "xavier_normal_"
    width = arguments.number(name, "gain", gain, 0) * math.sqrt(2 / sum(_fans(name, tensor)))
    return _written(name, tensor, _normal("xavier_normal_", tensor) * width)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Within ± gain sqrt(3 / fan), of the gain of a nonlinearity with slope a (He et al., 2015);
    mode: "fan_in" or "fan_out"."""
    width = _kaiming("kaiming_uniform_", tensor, a, mode, nonlinearity)
    bound = width * math.sqrt(3)
    return _written("kaiming_uniform_", tensor, _spread("kaiming_uniform_", tensor, -bound, bound))


def kaiming_normal_(
    tensor: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Normal, of the deviation gain / sqrt(fan); see `kaiming_uniform_`."""
    width = _kaiming("kaiming_normal_", tensor, a, mode, nonlinearity)
    return _written("kaiming_normal_", tensor, _normal("kaiming_normal_", tensor) * width)


def orthogonal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Rows, or columns if there are fewer, at right angles, of the length gain (Saxe et al., 2013);
    axes behind the first count as one. Raises ShapeError for fewer than two."""
    scale = arguments.number("orthogonal_", "gain", gain)
    _fans("orthogonal_", tensor)
    rows = int(tensor.shape[0])
    columns = int(tensor.numel()) // max(rows, 1)
    drawn = Tensor.randn(max(rows, columns), min(rows, columns), device=tensor.device)
    factor, upper = drawn.qr(full_matrices=False)
    even = factor * upper.diagonal().sign()
    even = even.mT if rows < columns else even
    return _written("orthogonal_", tensor, (even * scale).reshape(tensor.shape))


def _spread(name: str, tensor: Tensor, low: float, high: float) -> Tensor:
    arguments.tensor(name, "tensor", tensor)
    kind = dtypes.f64 if tensor.dtype is dtypes.f64 else dtypes.f32
    return Tensor.rand(*tensor.shape, dtype=kind, device=tensor.device) * (high - low) + low


def _normal(name: str, tensor: Tensor) -> Tensor:
    arguments.tensor(name, "tensor", tensor)
    kind = dtypes.f64 if tensor.dtype is dtypes.f64 else dtypes.f32
    return Tensor.randn(*tensor.shape, dtype=kind, device=tensor.device)


def _written(name: str, tensor: Tensor, value: Tensor, number: float | None = None) -> Tensor:
    arguments.tensor(name, "tensor", tensor)
    new = value if number is None else tensor.full_like(number)
    with Tensor.no_grad():
        tensor.assign(new.detach().cast(tensor.dtype))
    return tensor


def _fans(name: str, tensor: Tensor) -> tuple[int, int]:
    """How many inputs an output hangs on, and the other way round."""
    shape = [int(size) for size in arguments.tensor(name, "tensor", tensor).shape]
    if len(shape) < 2:
        raise ShapeError(f"{name}: expected a tensor of two axes or more, found {show(shape)}")
    each = math.prod(shape[2:])
    return max(shape[1] * each, 1), max(shape[0] * each, 1)


def _kaiming(name: str, tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    arguments.choice(name, "mode", mode, "fan_in", "fan_out")
    fan = _fans(name, tensor)[mode == "fan_out"]
    slope = arguments.number(name, "a", a)
    arguments.choice(name, "nonlinearity", nonlinearity, *_GAINS, "leaky_relu")
    return calculate_gain(nonlinearity, slope) / math.sqrt(fan)


if not TYPE_CHECKING:  # type checkers know the names there are

    def __getattr__(name: str) -> object:
        raise unknown_in_module(__name__, name, OF_INIT, __all__)
