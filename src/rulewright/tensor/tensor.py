"""Tensor: an n-dimensional array whose value is computed when it is needed."""

from __future__ import annotations

from rulewright.tensor.activation import Activation
from rulewright.tensor.arguments import guarded
from rulewright.tensor.arithmetic import Arithmetic
from rulewright.tensor.attention import Attention
from rulewright.tensor.autograd import Autograd
from rulewright.tensor.casts import Casts
from rulewright.tensor.convolution import Convolution
from rulewright.tensor.creation import Creation
from rulewright.tensor.custom_kernel import Custom
from rulewright.tensor.einsum import Einsum
from rulewright.tensor.execution import Execution
from rulewright.tensor.factors import Factors
from rulewright.tensor.generator import Generator
from rulewright.tensor.indexing import Indexing
from rulewright.tensor.interop import Interop
from rulewright.tensor.joining import Joining
from rulewright.tensor.limits import Limits
from rulewright.tensor.linalg import Linalg
from rulewright.tensor.logic import Logic
from rulewright.tensor.loss import Loss
from rulewright.tensor.maths import Maths
from rulewright.tensor.movement import Movement
from rulewright.tensor.normalise import Normalise
from rulewright.tensor.padding import Padding
from rulewright.tensor.picking import Picking
from rulewright.tensor.pooling import Pooling
from rulewright.tensor.products import Products
from rulewright.tensor.random import Random
from rulewright.tensor.reduce import Reduce
from rulewright.tensor.resize import Resize
from rulewright.tensor.scans import Scans
from rulewright.tensor.shaping import Shaping
from rulewright.tensor.sorting import Sorting
from rulewright.tensor.trigonometry import Trigonometry
from rulewright.tensor.windows import Windows


@guarded
class Tensor(
    Shaping,
    Joining,
    Padding,
    Movement,
    Arithmetic,
    Logic,
    Limits,
    Maths,
    Trigonometry,
    Activation,
    Reduce,
    Scans,
    Products,
    Einsum,
    Windows,
    Pooling,
    Convolution,
    Picking,
    Indexing,
    Sorting,
    Creation,
    Generator,
    Random,
    Resize,
    Normalise,
    Attention,
    Factors,
    Linalg,
    Loss,
    Execution,
    Interop,
    Autograd,
    Custom,
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
