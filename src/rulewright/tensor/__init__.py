"""Tensors: a lazy n-dimensional array over graphs of the tensor stage.

Names, meanings and dtypes are PyTorch's. What differs, and why:

    x // 0, x % 0 of integers       0 and x: defined, on every device alike
    x[positions], gather            0 where a position is out of range: nothing is checked lazily
    x[mask] = values                a mask alone stays lazy: too many or few values are no error
    slices with negative steps      as in numpy rather than an error, and views
    flip, repeat, tile              new values; np.flip(array) would be a view
    view of a transposed tensor     a view rather than an error; reshape copies, as in PyTorch
    (x.T + 1).reshape(-1)           a view: what is computed is row-major whatever it is made of
    x[Tensor(3)]                    a new value, as for every tensor of positions
    bitcast to another size         a new value rather than a view
    arange(5, 0)                    empty, as in numpy, rather than an error
    random numbers                  another generator's, the same on every device
    mean, var, softmax of integers  float32 rather than an error; avg_pool too
    matmul, conv of two dtypes      in their promotion rather than an error
    class numbers out of range      a loss of 0: nothing is checked lazily
    weights of multinomial and so on, if still to be computed: what they hold is not looked at
    conv2d(padding=-1)              cuts, as in tinygrad, rather than an error
    max_pool, where several are max each gets a share of the gradient, rather than the first
    conv, pool, norm, linear: order of arguments and names are tinygrad's
    gradients by vectors of eigh    symmetric, as the matrix is and as in JAX
    in-place writes                 allowed on leaves, which stay leaves; inside no_grad() they
                                    detach what they write, also if it is no leaf
    backward(retain_graph=)         no effect: graphs live as long as the tensors made of them
    x[1:].contiguous()              new memory, as of every view; of a tensor in memory, itself
    np.asarray(x), memoryview(x)    a copy; DLPack, from_numpy and copy=False share memory
    Tensor.empty                    zeros, so that every program is deterministic
    x.T of more than 2 axes         all in reverse order, as in numpy; PyTorch warns
    flip()                          all axes, as in numpy; flip(()) none, as in PyTorch
    [nan] as int32                  RangeError, as in numpy; arrays are cast, and NaN gives 0
    arange past its dtype           RangeError rather than what wraps
    uint64 with a signed integer    int64: no integer type holds both
    floor, round, trunc, norm(0)    no gradient rather than one of zeros, which backward() misses
    x.max(0), x.min(0)              values alone, as in tinygrad; PyTorch has positions too
    sum(dim=()), and so on          over no axis, as in numpy and tinygrad; PyTorch takes all
    all, any of uint8               bool rather than uint8
    sign of NaN                     NaN, as in numpy, rather than 0
    losses                          the target has the scores' shape: nothing broadcasts
    x[[[0, 1], [1, 2]]]             one array of positions, as in numpy, rather than two
    f"{x}"                          what it is, as in tinygrad; f"{x:.3f}" is the one element
    sum, prod of uint64             uint64, as in numpy, rather than int64
    uint16 to uint64, fp8 beside    promoted (spec/10-dtypes.uop) rather than an error
    uint8 tensor + 300              UsageError, as in numpy 2; PyTorch keeps the low bits
    uint8 tensor < 300              true, as in numpy 2; PyTorch compares the low bits
    [-1], [300] as uint8            UsageError; arrays are cast, and casts of integers wrap
    float to integer out of range   the nearest bound, NaN gives 0, on every device alike
    float to fp8e4m3 out of range   NaN, as in ml_dtypes; PyTorch 2.13 gives 448: clip(-448, 448)
    searchsorted beside NaN         NaN stands behind all numbers, as in numpy and in `sort`
    a byte read as bool (bitcast)   whether it is not 0
    maximum, relu of -0.0           either zero may result
    gelu()                          the tanh form, as in tinygrad
    interpolate(size)               linear unless mode says otherwise, as in tinygrad
    gradients where a value is NaN  NaN or what the formula gives; PyTorch's are other formulas
    gradients of ctc_loss           by the logs as they are; PyTorch's hold behind log_softmax only
    gradients by infinite numbers   limits, where PyTorch has NaN: atan2, copysign, logaddexp,
                                    remainder; NaN, where it has infinities: prod, cumprod, var
    backward() in a jit             gives a new .grad, with the sum, rather than adding in place
    hypot of two zeros              its derivatives are 0 rather than NaN
    x**-0.5 at -0.0                 its derivative is infinity rather than minus infinity
    sort, topk of equal ones        which of them gets the gradient is not said
    cummax, cummin of equal ones    along symbolic sizes they share the gradient, as in max
    max_pool of equal ones          they share the gradient, as in max; PyTorch's first one gets it
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from rulewright.errors import UsageError


class _Package(ModuleType):
    """This package, which programs that were written for PyTorch take for its `torch.tensor`."""

    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        raise UsageError("rulewright.tensor is a package of modules; here it is Tensor(…)")

    def __getattr__(self, name: str) -> NoReturn:
        if name not in sys.modules["rulewright"].__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        elsewhere = {name: f"rulewright.{name}"}
        raise import_module("rulewright.nn.names").unknown_in_module(__name__, name, elsewhere, ())


sys.modules[__name__].__class__ = _Package
