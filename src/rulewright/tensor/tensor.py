"""Tensor: an n-dimensional array whose value is computed when it is needed.

It is put together of mixins, each of one topic. Tables say what methods are called besides: how
Python's operators are computed, and other names that methods have. Type checkers know the operators
from `Members`.
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
from rulewright.tensor.creation import Creation
from rulewright.tensor.distribution import Distribution
from rulewright.tensor.elementwise import Elementwise
from rulewright.tensor.elsewhere import COMPARISONS, ELSEWHERE, OF_CLASS, of_numpy
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
from rulewright.tensor.systems import Systems
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
OF_ONE: Mapping[str, str] = {"neg": "neg", "invert": "bitwise_not", "abs": "abs"}


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
    for name in ("divmod", "rdivmod"):
        _define(cls, f"__{name}__", _divided(swapped=name == "rdivmod"))
    return cls


def _define(cls: type, name: str, function: FunctionType) -> None:
    setattr(cls, name, renamed(function, name, f"{cls.__qualname__}.{name}"))


def _of_two(each: Operator, swapped: bool) -> Any:
    method, first = each.method, each.first

    def computed(self: Any, other: Any) -> Any:
        return method(self, *first, other, swapped)

    return computed


def _divided(swapped: bool) -> Any:
    def computed(self: Any, other: Any) -> Any:
        return (other // self, other % self) if swapped else (self // other, self % other)

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
    return unknown_name(owner, name, {**of_numpy(name), **elsewhere}, dir(Tensor))


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
    Systems,
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
