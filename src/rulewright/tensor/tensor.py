"""Tensor: an n-dimensional array whose value is computed when it is needed.

It is put together of mixins, each of one topic. Tables say what methods are called besides: how
Python's operators are computed, which functions of numpy they are (`np.sin(x)` is `x.sin()`, and
what numpy adds, the tensor adds), and the names that other libraries have for them. Type checkers
know the operators from `Members`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from rulewright.errors import UnknownAttributeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.expected import unknown_name
from rulewright.ir.ops import Ops
from rulewright.tensor.activations import Activations
from rulewright.tensor.alignment import Alignment
from rulewright.tensor.arguments import guarded, renamed
from rulewright.tensor.autograd import Autograd
from rulewright.tensor.convolution import Convolution
from rulewright.tensor.core import Core
from rulewright.tensor.creation import Creation
from rulewright.tensor.distribution import Distribution
from rulewright.tensor.elementwise import Elementwise
from rulewright.tensor.execution import Execution
from rulewright.tensor.files import Files
from rulewright.tensor.indexing import Indexing
from rulewright.tensor.interop import Interop
from rulewright.tensor.joining import Joining
from rulewright.tensor.linalg import Linalg
from rulewright.tensor.logic import Logic
from rulewright.tensor.loss import Loss
from rulewright.tensor.margins import Margins
from rulewright.tensor.maths import Maths
from rulewright.tensor.members import Members
from rulewright.tensor.movement import Movement
from rulewright.tensor.neural import Neural
from rulewright.tensor.picking import Picking
from rulewright.tensor.pooling import Pooling
from rulewright.tensor.products import Products
from rulewright.tensor.random import Random
from rulewright.tensor.reduce import Reduce
from rulewright.tensor.sampling import Sampling
from rulewright.tensor.scans import Scans
from rulewright.tensor.sharding import Sharding
from rulewright.tensor.sorting import Sorting
from rulewright.tensor.special import Special
from rulewright.tensor.statistics import Statistics
from rulewright.tensor.trigonometry import Trigonometry
from rulewright.tensor.updates import Updates

_Class = TypeVar("_Class", bound=type)
_Rest = ParamSpec("_Rest")
_Tensor = TypeVar("_Tensor", bound=Members)


class Operator(NamedTuple):
    """An operator of two operands: numpy's function, and the tensor's method that computes it from
    `first`, the other operand, and whether the two are swapped. Most have a form in place."""

    numpy: str
    method: Callable[..., Any]
    first: tuple[Any, ...] = ()
    in_place: bool = True


OPERATORS: Mapping[str, Operator] = {
    "add": Operator("add", Elementwise._arithmetic, (Ops.ADD, Ops.OR)),
    "sub": Operator("subtract", Elementwise._arithmetic, (Ops.SUB, None)),
    "mul": Operator("multiply", Elementwise._arithmetic, (Ops.MUL, Ops.AND)),
    "truediv": Operator("divide", Elementwise._divide),
    "floordiv": Operator("floor_divide", Elementwise._divide_down, (False,)),
    "mod": Operator("remainder", Elementwise._divide_down, (True,)),
    "pow": Operator("power", Maths._power),
    "matmul": Operator("matmul", Products._matrix_product, in_place=False),
    "and": Operator("bitwise_and", Logic._bitwise, (Ops.AND,)),
    "or": Operator("bitwise_or", Logic._bitwise, (Ops.OR,)),
    "xor": Operator("bitwise_xor", Logic._bitwise, (Ops.XOR,)),
    "lshift": Operator("left_shift", Logic._bitwise, (Ops.SHL,)),
    "rshift": Operator("right_shift", Logic._bitwise, (Ops.SHR,)),
}
COMPARISONS: Mapping[str, tuple[str, str]] = {  # numpy's function, and the one of swapped operands
    "eq": ("equal", "eq"),
    "ne": ("not_equal", "ne"),
    "lt": ("less", "gt"),
    "le": ("less_equal", "ge"),
    "gt": ("greater", "lt"),
    "ge": ("greater_equal", "le"),
}
OF_ONE: Mapping[str, str] = {"neg": "neg", "invert": "bitwise_not", "abs": "abs"}

NUMPY_OPERATORS: Mapping[str, tuple[str, str]] = {
    **{each.numpy: (f"__{name}__", f"__r{name}__") for name, each in OPERATORS.items()},
    **{each: (f"__{name}__", f"__{swapped}__") for name, (each, swapped) in COMPARISONS.items()},
}
"""By numpy's function the operator's methods: of a tensor on the left, of one on the right."""

NUMPY_FUNCTIONS: Mapping[str, str] = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "degrees": "rad2deg",
    "fabs": "abs",
    "invert": "bitwise_not",
    "negative": "neg",
    "radians": "deg2rad",
    "rint": "round",
    **{
        name: name
        for name in (
            *("ceil", "copysign", "cos", "cosh", "deg2rad", "exp", "exp2", "expm1", "floor"),
            *("fmax", "fmin", "fmod", "heaviside", "hypot", "nextafter"),
            *("isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logaddexp"),
            *("logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum"),
            *("rad2deg", "reciprocal"),
            *("sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc"),
        )
    },
}
"""Methods by numpy's function."""

NUMPY_REDUCTIONS: Mapping[str, str] = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""Methods by the function of numpy whose `reduce` they are."""

NUMPY_OF_ARRAYS = frozenset({"argwhere", "moveaxis", "nonzero", "rollaxis", "size"})
"""Functions of numpy that ask for what is another thing here, as `nonzero()` and `size`."""

ELSEWHERE: Mapping[str, str] = {
    **{name: f"{method}()" for name, method in NUMPY_FUNCTIONS.items() if name != method},
    **{each: f"{name}()" for name, (each, _) in COMPARISONS.items() if name != "eq"},
    "subtract": "sub()", "multiply": "mul()", "divide": "div()", "true_divide": "div()",
    "floor_divide": "floordiv()",
    "concat": "cat()", "concatenate": "cat()", "split_with_sizes": "split()",
    "t": "T", "H": "mT", "adjoint": "mT", "swapdims": "swapaxes()", "tensordot": "einsum()",
    "fliplr": "flip(1)", "flipud": "flip(0)", "argwhere": "nonzero()", "nelement": "numel()",
    "ndimension": "dim()", "itemsize": "element_size()", "astype": "cast()", "copy": "clone()",
    "cuda": "to('CUDA')", "data_ptr": "data()", "fix": "trunc()", "sgn": "sign()",
    "clamp_min": "clamp(min=…)", "clamp_max": "clamp(max=…)", "pinverse": "pinv()",
    "bitwise_left_shift": "lshift()", "bitwise_right_shift": "rshift()", "power": "pow()",
    "layer_norm": "layernorm()", "batch_norm": "batchnorm()", "group_norm": "groupnorm()",
    "binary_cross_entropy": "binary_crossentropy()", "is_cuda": "device", "grad_fn": "is_leaf",
    "values": "max() itself, for the values alone", "indices": "argmax()",
    "register_hook": "gradient(); function(grad_fxn=…) says how gradients pass",
    "is_contiguous": "contiguous(), which copies where memory is not in order",
    "stride": "__dlpack__(), which says the strides of memory", "storage": "data()",
    "untyped_storage": "data()", "storage_offset": "data()", "get_device": "device",
    "logdet": "slogdet()[1]", "eig": "eigh(), of symmetric matrices", "eigvalsh": "eigh()[0]",
    "svdvals": "svd()[1]", "solve_triangular": "solve()", "lstsq": "pinv() @ other",
    "multi_dot": "matmul()", "vector_norm": "norm()", "matrix_norm": "norm()", "expit": "sigmoid()",
    "psi": "digamma()", "gammaln": "lgamma()", "ndtr": "erfc() of -x / 2**0.5, halved",
    "ldexp": "mul() by 2.0 ** y", "isposinf": "isinf(detect_negative=False)",
    "isneginf": "isinf(detect_positive=False)", "matrix_rank": "svd()[1]", "cond": "svd()[1]",
    "ger": "outer()", "vdot": "dot()", "msort": "sort(0)", "float_power": "double() ** y",
    "dist": "norm() of x - y", "positive": "clone()", "conj": "clone()", "real": "clone()",
    "is_complex": "is_floating_point()", "imag": "zeros_like()",
    "rsub": "sub(), with operands swapped", "inv": "inverse()", "names": "rearrange()",
    "select_scatter": "clone(), and y[…] = value", "slice_scatter": "clone(), and y[…] = value",
    "diagonal_scatter": "clone(), and y.diagonal().copy_(value)",
    "index_reduce": "scatter_reduce()", "masked_scatter": "clone(), and y[mask] = values",
    "layout": "contiguous()", "pin_memory": "to(device)", "apply_": "numpy(), to be computed there",
    "map_": "numpy(), to be computed there", "as_strided": "unfold(), and slices with steps",
    "addr": "outer(), and a sum", "addbmm": "baddbmm(), and a sum", "is_same_size": "shape",
    "narrow_copy": "narrow()", "hsplit": "tensor_split(n, 1)", "vsplit": "tensor_split(n, 0)",
    "dsplit": "tensor_split(n, 2)", "diagflat": "flatten(), then diag()", "to_dense": "clone()",
    "unique_consecutive": "ne() of x[1:] and x[:-1], a mask behind one True",
    "histogram": "histc()", "lu": "qr()",
    **dict.fromkeys(("dropout1d", "dropout2d", "dropout3d"), "feature_dropout()"),
    "instance_norm": "groupnorm(), with a group for each channel", "new": "zeros(…)",
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d"), "reshape()"),
    "dstack": "cat(…, dim=2)", "column_stack": "hstack()", "row_stack": "vstack()",
    "broadcast_tensors": "broadcast_to(shape)", "randint_like": "randint(*x.shape)",
    "cartesian_prod": "meshgrid()", "range": "arange()", "new_empty": "empty(…, dtype=x.dtype)",
    "binary_cross_entropy_with_logits": "binary_crossentropy_logits()",
    "new_zeros": "zeros(…, dtype=x.dtype)", "new_ones": "ones(…, dtype=x.dtype)",
    "new_full": "full(…, dtype=x.dtype)", "new_tensor": "type_as(x) of a Tensor(…)",
    "fill_diagonal_": "diagonal().fill_(value)", "random_": "randint(…), and x[...] = values",
    "exponential_": "rand(…).log().neg(), and x[...] = values", "is_cpu": "device",
    "bilinear": "einsum('bi,oij,bj->bo', x, weight, y)", "sum_to_size": "sum(axis, keepdim=True)",
    **dict.fromkeys(("upsample", "upsample_nearest", "upsample_bilinear"), "interpolate()"),
    **dict.fromkeys(("alpha_dropout", "feature_alpha_dropout"), "dropout()"),
    **dict.fromkeys(("max_unpool1d", "max_unpool3d"), "max_unpool2d(), of windows of any rank"),
    "channel_shuffle": "unflatten(1, (groups, -1)).transpose(1, 2).flatten(1, 2)",
    "rrelu": "leaky_relu()",
    "cholesky_solve": "solve(), twice", "triangular_solve": "solve()", "is_nonzero": "item()",
    "matrix_exp": "eigh(), and exp() of its values", "resize_": "reshape()", "set_": "assign()",
    "register_post_accumulate_grad_hook": "gradient(), and what shall follow it",
    "multi_head_attention_forward": "scaled_dot_product_attention()", "to_sparse": "nonzero()",
    "logspace": "linspace(…), and 10 ** that",
    "block_diag": "pad() of each, and their sum",
    "combinations": "triu_indices(), and x[positions]",
    **dict.fromkeys(("trapz", "trapezoid"), "sum() of (y[1:] + y[:-1]) * dx / 2"),
    "set_grad_enabled": "enable_grad() or no_grad()", "autocast": "half() where you want it",
    "vmap": "stack(), and batches along a leading axis",
    "pad_sequence": "pad() of each, and stack()",
    **dict.fromkeys(("complex", "view_as_complex", "view_as_real", "polar"),
                    "stack() of two tensors, the real and the imaginary parts"),
    **dict.fromkeys(("fft", "rfft", "ifft", "irfft", "stft", "istft"),
                    "matmul() with tables of cos() and sin()"),
    "put_": "scatter_(0, positions, values) of the flat tensor", "share_memory_": "numpy()",
    "i0": "numpy(), to be computed there",
    **dict.fromkeys(("gcd", "lcm"), "remainder(), in a loop of your own"),
    "cumulative_trapezoid": "cumsum() of (y[1:] + y[:-1]) * dx / 2",
    "log_normal_": "randn(…).exp(), and x[...] = values", "pdist": "cdist() of x and x",
    **dict.fromkeys(("cauchy_", "geometric_", "poisson", "binomial"),
                    "rand(…), of which the inverse of the distribution makes it"),
    "frexp": "log2() of abs(), rounded down, for the exponent", "renorm": "norm(), and where()",
    "vander": "unsqueeze(-1) ** arange(n)", "chain_matmul": "matmul()", "geqrf": "qr()",
    "logaddexp2": "logaddexp() of x and y by ln 2", "angle": "atan2()", "coalesce": "clone()",
    "polygamma": "digamma(), and its gradients", "igamma": "numpy(), to be computed there",
    **dict.fromkeys(("quantize_per_tensor", "quantize_per_channel"),
                    "round() of x / scale, then clamp(-128, 127).cast('i8')"),
    "embedding_bag": "embedding() for rows, or nn.EmbeddingBag",
    "is_sparse": "is_floating_point(): every tensor is dense",
    **dict.fromkeys(("cholesky_ex", "inv_ex", "solve_ex"), "cholesky(), inverse(), solve()"),
    **dict.fromkeys(("lu_factor", "lu_factor_ex", "lu_solve", "ldl_factor", "ldl_solve"),
                    "solve(), or inverse()"),
    "eigvals": "eigh()[0], of symmetric matrices", "vecdot": "mul(), and sum(-1)",
    **dict.fromkeys(("tensorinv", "tensorsolve"), "reshape(), and inverse() or solve()"),
    **dict.fromkeys(("householder_product", "orgqr", "ormqr"), "qr()[0]"),
    "cholesky_inverse": "inverse() of x @ x.mT",
    **dict.fromkeys(("resize", "resize_as", "resize_as_"), "reshape(), or zeros() and x[...] ="),
    **dict.fromkeys(("put", "index_reduce_"), "scatter_reduce() of the flat tensor"),
    "isreal": "isfinite(): no tensor is complex", "nonzero_static": "nonzero(size=…)",
    **dict.fromkeys(("is_pinned", "is_shared"), "device"), "detach_": "detach()",
    **dict.fromkeys(("unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"), "split()"),
    **dict.fromkeys(("as_strided_", "as_strided_scatter"), "clone(), and y[…] = value"),
    **dict.fromkeys(("get_rng_state", "set_rng_state", "initial_seed"), "manual_seed()"),
    "xlog1py": "xlogy(1 + y)", "entr": "xlogy(), negated", "log_ndtr": "erf() of x / √2, and log()",
    "ndtri": "erfinv(2 * x - 1) * √2", "erfcx": "exp() of x * x, times erfc()",
    **dict.fromkeys(("i0e", "i1", "i1e", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1",
                     "gammainc", "gammaincc", "igammac", "zeta", "multigammaln", "mvlgamma"),
                    "numpy(), to be computed there"),
    **dict.fromkeys(("lp_pool1d", "lp_pool2d", "lp_pool3d"),
                    "avg_pool2d() of x ** p, and the root of it"),
    **dict.fromkeys(("adaptive_avg_pool3d", "adaptive_max_pool3d"),
                    "avg_pool2d((d, h, w)), which is told its sizes"),
    **dict.fromkeys(("max_pool1d_with_indices", "max_pool2d_with_indices",
                     "max_pool3d_with_indices"), "max_pool2d(return_indices=True)"),
    **dict.fromkeys(("fractional_max_pool2d", "fractional_max_pool3d"), "adaptive_max_pool2d()"),
    "triplet_margin_with_distance_loss": "relu() of near - far + margin",
    "conv_tbc": "conv2d() of permute(1, 2, 0)",
    "local_response_norm": "avg_pool2d() of squares along the channels",
}  # fmt: skip
"""What other libraries' names are called here, where no method has them."""

OF_CLASS: Mapping[str, str] = {
    **dict.fromkeys(("tensor", "as_tensor", "asarray"), "Tensor(…)"),
    "is_tensor": "isinstance(x, Tensor)",
    **dict.fromkeys(("promote_types", "result_type", "can_cast"), "dtypes.promote_types(a, b)"),
    **{word: f"dtypes.{word}(x.dtype)" for word in ("finfo", "iinfo")},
}
"""The same, of what is asked of the class alone."""

# ---- operators -----------------------------------------------------------------------------------


def with_operators(cls: _Class) -> _Class:
    """A class with the operators of the tables, in terms of its methods."""
    for name, each in OPERATORS.items():
        _define(cls, f"__{name}__", _of_two(each, False))
        _define(cls, f"__r{name}__", _of_two(each, True))
        if each.in_place:
            _define(cls, f"__i{name}__", _updating(getattr(operator, f"__{name}__")))
    for name in COMPARISONS:
        _define(cls, f"__{name}__", _comparing(name))
    for name, method in OF_ONE.items():
        _define(cls, f"__{name}__", _of_one(method))
    return cls


def _define(cls: type, name: str, function: FunctionType) -> None:
    setattr(cls, name, renamed(function, name, f"{cls.__qualname__}.{name}"))


def _of_two(each: Operator, swapped: bool) -> Any:
    method, first = each.method, each.first

    def computed(self: Any, other: Any) -> Any:
        return method(self, *first, other, swapped)

    return computed


def _updating(function: Callable[[Any, Any], Any]) -> Any:
    def computed(self: Any, other: Any) -> Any:
        return self._update(function, other)

    return computed


def _comparing(method: str) -> Any:
    """A comparison; elementwise, as in numpy, so that nothing is equal to None or text."""
    plain = method not in ("eq", "ne")

    def computed(self: Any, other: Any) -> Any:
        if plain or not (other is None or isinstance(other, str)):
            return getattr(self, method)(other)
        return NotImplemented

    return computed


def _of_one(method: str) -> Any:
    def computed(self: Any) -> Any:
        return getattr(self, method)()

    return computed


# ---- numpy's functions ---------------------------------------------------------------------------


def apply_ufunc(name: str, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A numpy function of tensors, by its name, or its `reduce`, as in `np.add.reduce` and
    `np.ptp`; `out`, an array, is filled and given back.

    NotImplemented, of which numpy makes a TypeError, for functions that tensors do not have, for
    other options, and for `np.add.outer` and the like.
    """
    (out,) = options.pop("out", (None,)) if len(options.get("out", (None,))) == 1 else (Ellipsis,)
    if out is Ellipsis or isinstance(out, Core):
        return NotImplemented
    if method == "reduce":
        result = _reduced(name, *inputs, **options)
    else:
        plain = method == "__call__" and not options
        result = _called(name, inputs) if plain else NotImplemented
    if out is None or result is NotImplemented:
        return result
    out[...] = result.numpy()
    return out


def apply_array_function(function: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """A function of numpy that is none of numbers, such as `np.nonzero`: what numpy does with
    arrays, which tensors become where it would take a method of theirs for another one.

    NotImplemented beside arrays of other libraries, which are asked then.
    """
    import numpy as np

    if not all(issubclass(each, Core | np.ndarray) for each in types):
        return NotImplemented
    if function.__name__ in NUMPY_OF_ARRAYS:
        args = [np.asarray(each) if isinstance(each, Core) else each for each in args]
        kwargs = {
            name: np.asarray(each) if isinstance(each, Core) else each
            for name, each in kwargs.items()
        }
    return function._implementation(*args, **kwargs)


def _reduced(
    name: str, tensor: Any, axis: Any = 0, dtype: Any = None, keepdims: bool = False, **options: Any
) -> Any:
    if name not in NUMPY_REDUCTIONS or dtype is not None or options:
        return NotImplemented
    return getattr(tensor, NUMPY_REDUCTIONS[name])(axis, keepdim=keepdims)


def _called(name: str, inputs: tuple[Any, ...]) -> Any:
    first = inputs[0]
    if name in NUMPY_OPERATORS:
        plain, reflected = NUMPY_OPERATORS[name]
        if isinstance(first, Core):
            return getattr(first, plain)(inputs[1])
        return getattr(inputs[1], reflected)(first)
    if name not in NUMPY_FUNCTIONS:
        return NotImplemented
    if not isinstance(first, Core):
        first = inputs[1]._wrap(first)
    return getattr(first, NUMPY_FUNCTIONS[name])(*inputs[1:])


# ---- other libraries' names ----------------------------------------------------------------------


def _alias(
    name: str, method: Callable[Concatenate[Any, _Rest], Any], whose: str, example: str
) -> Callable[Concatenate[_Tensor, _Rest], _Tensor]:
    """A method by another name, with an example of its own."""
    original: Any = method
    copy: Any = renamed(original, name, f"Aliases.{name}")
    copy.__doc__ = f"`{original.__name__}`{whose}.\n\n{example}\n"
    return copy


def _cast(
    name: str, kind: DType, what: str, argument: str, result: str
) -> Callable[[_Tensor], _Tensor]:
    """A method that casts to one dtype, and an example of it."""

    def cast(self: _Tensor) -> _Tensor:
        return self.cast(kind)

    plain: Any = cast
    method: Any = renamed(plain, name, f"Aliases.{name}")
    method.__doc__ = f"`cast` to {what}.\n\n>>> Tensor({argument}).{name}().tolist()\n{result}\n"
    method.__annotations__ = {"return": "Self"}
    return method


class Aliases(Members):
    """Methods by names that other libraries give them, and casts named for their dtype."""

    __slots__ = ()

    amax = _alias("amax", Reduce.max, "", ">>> Tensor([[1, 4], [3, 2]]).amax((0, 1)).item()\n4")
    amin = _alias("amin", Reduce.min, "", ">>> Tensor([[1, 4], [3, 2]]).amin((0, 1)).item()\n1")
    clamp = _alias(
        "clamp", Elementwise.clip, "", ">>> Tensor([-3, 0, 9]).clamp(min=0).tolist()\n[0, 0, 9]"
    )
    dot = _alias(
        "dot", Products.matmul, "", ">>> Tensor([1.0, 2.0]).dot(Tensor([3.0, 4.0])).item()\n11.0"
    )
    movedim = _alias(
        "movedim",
        Movement.moveaxis,
        ", as PyTorch names it",
        ">>> Tensor.zeros(2, 3, 4).movedim((0, 1), (1, 2)).shape\n(4, 2, 3)",
    )
    remainder = _alias(
        "remainder",
        Elementwise.mod,
        ", as PyTorch calls it",
        ">>> Tensor([7, -7]).remainder(-4).tolist()\n[-1, -3]",
    )
    swish = _alias("swish", Activations.silu, "", ">>> Tensor([0.0]).swish().tolist()\n[0.0]")

    bool = _cast(
        "bool",
        dtypes.bool,
        "bool: true where an element is not zero",
        "[0.5, 0.0]",
        "[True, False]",
    )
    char = _cast("char", dtypes.i8, "int8", "[-1.5, 200.0]", "[-1, 127]")
    byte = _cast("byte", dtypes.u8, "uint8", "[-1.5, 200.0]", "[0, 200]")
    short = _cast("short", dtypes.i16, "int16", "[-1.5, 4e4]", "[-1, 32767]")
    int = _cast("int", dtypes.i32, "int32, as in PyTorch", "[1.9, -1.9]", "[1, -1]")
    long = _cast("long", dtypes.i64, "int64", "[1.9, -1.9]", "[1, -1]")
    half = _cast("half", dtypes.f16, "float16", "[0.1, 7e4]", "[0.0999755859375, inf]")
    bfloat16 = _cast("bfloat16", dtypes.bf16, "bfloat16", "[0.1, 7e4]", "[0.10009765625, 70144.0]")
    float = _cast("float", dtypes.f32, "float32", "[1, 2]", "[1.0, 2.0]")
    double = _cast("double", dtypes.f64, "float64", "[1, 2]", "[1.0, 2.0]")


# ---- the class -----------------------------------------------------------------------------------


def _has(cls: type, name: str) -> bool:
    return any(name in vars(base) for base in cls.__mro__)


def _unknown(owner: str, name: str, elsewhere: Mapping[str, str]) -> UnknownAttributeError:
    """What to say of a name that tensors, or their class, do not have."""
    plain = name.removesuffix("_")
    here = f"{plain}(…)" if _has(Tensor, plain) else ELSEWHERE.get(plain)
    if name not in elsewhere and here is not None:  # in place
        return UnknownAttributeError(f"{owner} has no attribute {name!r}; write x = x.{here}")
    return unknown_name(owner, name, elsewhere, dir(Tensor))


class _Named(type):
    """The class of Tensor, of which names are asked for too: `Tensor.concat([x, y])`."""

    if not TYPE_CHECKING:  # type checkers know the names there are

        def __getattr__(cls, name: str) -> Any:
            """Raise UnknownAttributeError, which says what the name is here."""
            if name.startswith("_"):
                raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
            raise _unknown(f"the class {cls.__name__}", name, {**ELSEWHERE, **OF_CLASS})


@guarded
@with_operators
class Tensor(
    Movement,
    Joining,
    Elementwise,
    Logic,
    Maths,
    Trigonometry,
    Special,
    Statistics,
    Reduce,
    Scans,
    Products,
    Linalg,
    Picking,
    Indexing,
    Sorting,
    Distribution,
    Creation,
    Random,
    Pooling,
    Sampling,
    Convolution,
    Activations,
    Neural,
    Loss,
    Margins,
    Alignment,
    Execution,
    Interop,
    Files,
    Sharding,
    Autograd,
    Updates,
    Aliases,
    metaclass=_Named,
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

    if not TYPE_CHECKING:  # type checkers know the names there are

        def __getattr__(self, name: str) -> Any:
            """Raise UnknownAttributeError, which says what the name is here."""
            if name.startswith("_") or _has(type(self), name):  # what that raises itself
                return object.__getattribute__(self, name)
            raise _unknown("a tensor", name, ELSEWHERE)
