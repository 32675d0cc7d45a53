"""Element types at the level of tensors: defaults, promotion with Python scalars, accumulation.

A Python scalar is weak: it takes the tensor's type unless that is of a lower category (bool,
integers, floats); then it has its default type. Two tensors meet in the lattice of
`spec/10-dtypes.uop`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from rulewright.errors import DTypeError, RangeError
from rulewright.ir.dtypes import DType, dtype, dtypes, from_numpy, promote
from rulewright.ir.uop import UOp

Scalar = bool | int | float
_Method = TypeVar("_Method", bound=Callable[..., Any])


def default_float() -> DType:
    """The type of Python floats, of divisions and of functions of integers: float32 unless set."""
    return dtypes.current().float


def default_int() -> DType:
    """The type of Python integers and of positions: int64, as in PyTorch, unless set."""
    return dtypes.current().int


def as_dtype(value: Any) -> DType:
    """A dtype given as one, by name, as a numpy dtype, or as bool, int or float.

    The types int and float of Python are the defaults; the names "int" and "float" are int32 and
    float32, as in PyTorch. Raises DTypeError for anything else, and for what no tensor can hold.
    """
    if isinstance(value, DType):
        return _for_tensors(value)
    if isinstance(value, str):
        return _for_tensors(dtype(value.removeprefix("torch.").removeprefix("dtypes.")))
    if value is bool or value is int or value is float:
        return {bool: dtypes.bool, int: default_int(), float: default_float()}[value]
    import numpy as np

    try:
        twin = None if value is None else np.dtype(value)
    except (TypeError, ValueError):  # the latter for what has a dtype, such as a tensor
        twin = None
    if twin is None:
        raise DTypeError(f"expected a dtype such as dtypes.f32 or 'float32', found {value!r}")
    return from_numpy(twin)


def _for_tensors(kind: DType) -> DType:
    if kind.count != 1 or kind is dtypes.index or kind is dtypes.void:
        raise DTypeError(
            f"no tensor can hold {kind.name} elements; expected one of "
            + ", ".join(k.name for k in dtypes.all())
        )
    return kind


def common_dtype(*kinds: DType) -> DType:
    """The type in which tensors of these types meet: their least upper bound in the lattice."""
    first = kinds[0]
    return first if all(k is first for k in kinds) else promote(kinds)


def category(kind: DType) -> int:
    """Bool, integers, floats: 0, 1, 2. A scalar changes the dtype only of a lower category."""
    return 2 if kind.is_float else 0 if kind.is_bool else 1


def meeting_dtype(left: UOp, right: UOp) -> DType:
    """The type in which two operands meet.

    As in PyTorch a tensor without axes is weak beside one with axes: it counts only if its
    category, of bool, integers and floats, is the higher one.
    """
    a, b = left.dtype, right.dtype
    if a is b:
        return a
    if bool(left.shape) is not bool(right.shape):
        axes, none = (a, b) if left.shape else (b, a)
        if category(none) <= category(axes):
            return axes
    return common_dtype(a, b)


def scalar_dtype(kind: DType, value: Scalar) -> DType:
    """The type of an operation between a tensor of type `kind` and a Python scalar.

    Raises RangeError for an integer that the type cannot hold.
    """
    if kind.is_float or isinstance(value, bool):
        return kind
    if isinstance(value, float):
        return default_float()
    found = default_int() if kind.is_bool else kind
    check_integer(value, found)
    return found


def weak(value: Any) -> Any:
    """A Python or numpy scalar as a Python number, which is weak; anything else as it is."""
    if value.__class__ in (bool, int, float):
        return value
    if isinstance(value, float | int):
        return float(value) if isinstance(value, float) else int(value)
    module = type(value).__module__.partition(".")[0]
    if module in ("numpy", "ml_dtypes") and not hasattr(value, "__len__"):
        found = value.item()
        if isinstance(found, bool | int | float):
            return found
        return value if isinstance(found, complex) else float(found)
    return value


def check_integer(value: int, kind: DType) -> None:
    """Raise RangeError for an integer outside an integer type: it would become another number.

    So does numpy; PyTorch keeps its low bits.
    """
    if not kind.min <= value <= kind.max:
        raise RangeError(
            f"an integer is outside {kind.name}, which holds {kind.min} to {kind.max}: {value}; "
            "cast the tensor or give a wider dtype, or a float"
        )


def constant(kind: DType, value: Scalar) -> UOp:
    """A number as a node of a type, converted as `cast` does it.

    Raises RangeError for an integer that an integer type cannot hold, for NaN and infinities as
    integers, and for an integer too large for any float.
    """
    if isinstance(value, int):
        if kind.is_int:
            check_integer(value, kind)
        elif value.bit_length() > 1023:
            raise RangeError(
                f"an integer of {value.bit_length()} bits is too large for {kind.name}"
            )
    elif kind.is_int and not math.isfinite(value):
        raise RangeError(f"{value} is no number that {kind.name} holds")
    return UOp.const(kind, value)


def scalar_kind(value: Scalar) -> DType:
    """The type of a Python scalar that stands alone. Raises RangeError for one too large."""
    if isinstance(value, bool):
        return dtypes.bool
    if isinstance(value, int):
        check_integer(value, default_int())
        return default_int()
    return default_float()


def float_dtype(kind: DType) -> DType:
    """The type in which a function with real values is computed: floats stay as they are."""
    return kind if kind.is_float else default_float()


def accumulator(kind: DType) -> DType:
    """The type in which sums and products are accumulated: floats narrower than float32 in that,
    and rounded once at the end; integers in their own, where they wrap."""
    return dtypes.f32 if kind.is_float and kind.bits < 32 else kind


def real(method: _Method) -> _Method:
    """A method of tensors whose values are real, made of several ops: of integers it is computed in
    the default float, of floats narrower than float32 in that, and rounded once, as in PyTorch."""

    @wraps(method)
    def computed(self: Any, *args: Any, **named: Any) -> Any:
        own = self.dtype
        if own is dtypes.f32 or own is dtypes.f64:
            return method(self, *args, **named)
        kind = float_dtype(own)
        return method(self.cast(accumulator(kind)), *args, **named).cast(kind)

    return cast(_Method, computed)


def sum_dtype(kind: DType) -> DType:
    """The type of `sum` and `prod`: bool and integers give the default int, which is int64 as in
    PyTorch, or a wider type of their own (uint64 stays)."""
    if kind.is_float or kind is dtypes.u64:
        return kind
    return common_dtype(kind, default_int())
