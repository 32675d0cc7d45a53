"""Tensor: an n-dimensional array whose value is computed when it is needed."""

from __future__ import annotations

from rulewright.tensor.arguments import guarded
from rulewright.tensor.autograd import Autograd
from rulewright.tensor.convolution import Convolution
from rulewright.tensor.creation import Creation
from rulewright.tensor.elementwise import Elementwise
from rulewright.tensor.execution import Execution
from rulewright.tensor.indexing import Indexing
from rulewright.tensor.interop import Interop
from rulewright.tensor.joining import Joining
from rulewright.tensor.linalg import Linalg
from rulewright.tensor.logic import Casts, Logic
from rulewright.tensor.loss import Loss
from rulewright.tensor.maths import Maths
from rulewright.tensor.movement import Movement
from rulewright.tensor.neural import Neural
from rulewright.tensor.picking import Picking
from rulewright.tensor.pooling import Pooling
from rulewright.tensor.products import Products
from rulewright.tensor.random import Random
from rulewright.tensor.reduce import Reduce
from rulewright.tensor.scans import Scans
from rulewright.tensor.sorting import Sorting


@guarded
class Tensor(
    Movement,
    Joining,
    Elementwise,
    Logic,
    Maths,
    Reduce,
    Scans,
    Products,
    Linalg,
    Picking,
    Indexing,
    Sorting,
    Creation,
    Random,
    Pooling,
    Convolution,
    Neural,
    Loss,
    Execution,
    Interop,
    Autograd,
    Casts,
):
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
