"""Tensor: an n-dimensional array whose value is computed when it is needed."""

from __future__ import annotations

from rulewright.tensor.arguments import guarded
from rulewright.tensor.casts import Casts


@guarded
class Tensor(Casts):
    """An n-dimensional array of one dtype on one device.

    Methods build a graph; `realize()`, `numpy()`, `item()` and the like compute it, fused into as
    few kernels as the rules of `spec/` allow. Names and meanings are those of PyTorch and
    tinygrad.

    data: nested lists, a number, anything numpy can view, bytes or the Path of a file (as uint8),
        or another tensor.
    dtype: as given, else that of the data; Python floats are float32, Python ints int64.
    device: a name such as "C"; the option DEVICE unless given.
    requires_grad: whether `backward()` computes a gradient for this tensor.

    Raises ShapeError for ragged lists, DTypeError for elements that are no numbers, DeviceError
    for an unknown device.

    >>> (Tensor([[1, 2], [3, 4]]) * 2).sum(0).tolist()
    [8, 12]
    """

    __slots__ = ()
