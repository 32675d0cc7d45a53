"""Element types at the level of tensors: defaults, promotion with Python scalars, accumulation.

A Python scalar is weak: it takes the tensor's type unless that cannot hold its kind. Two
tensors meet in the lattice of `spec/10-dtypes.uop`.
"""

from __future__ import annotations

from typing import Any

from rulewright.errors import DTypeError, UsageError
from rulewright.ir.dtypes import DType, dtype, dtypes, from_numpy, promote

Scalar = bool | int | float


def default_float() -> DType:
    """The type of Python floats, of divisions and of functions of integers: float32."""
    return dtypes.f32


def default_int() -> DType:
    """The type of Python integers: int64, as in PyTorch and numpy."""
    return dtypes.i64


def as_dtype(value: Any) -> DType:
    """A dtype given as one, by name, as a numpy dtype, or as bool, int or float.

    Raises DTypeError for anything else.
    """
    if isinstance(value, DType):
        return value
    if isinstance(value, str):
        return dtype(value)
    if value in (bool, int, float):
        return {bool: dtypes.bool, int: default_int(), float: default_float()}[value]
    try:
        import numpy as np

        return from_numpy(np.dtype(value))
    except TypeError:
        raise DTypeError(
            f"expected a dtype such as dtypes.f32 or 'float32', found {value!r}"
        ) from None


def common_dtype(*kinds: DType) -> DType:
    """The type in which tensors of these types meet: their least upper bound in the lattice."""
    first = kinds[0]
    return first if all(k is first for k in kinds) else promote(kinds)


def scalar_dtype(kind: DType, value: Scalar) -> DType:
    """The type of an operation between a tensor of type `kind` and a Python scalar.

    Raises UsageError for an integer that no dtype holds.
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
        return found if isinstance(found, bool | int | float) else float(found)
    return value


def check_integer(value: int, kind: DType) -> None:
    """Raise UsageError for an integer that 64 bits cannot hold; narrower dtypes wrap."""
    wide = dtypes.u64 if kind is dtypes.u64 and value >= 0 else dtypes.i64
    if not wide.min <= value <= wide.max:
        raise UsageError(
            f"an integer is outside {wide.name}, which holds {wide.min} to {wide.max}; "
            "give a wider dtype, or a float"
        )


def scalar_kind(value: Scalar) -> DType:
    """The type of a Python scalar that stands alone. Raises UsageError for one too large."""
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
    """The type in which sums and products are accumulated: narrow floats in float32."""
    return dtypes.f32 if kind.is_float and kind.bits < 32 else kind


def sum_dtype(kind: DType) -> DType:
    """The type of `sum` and `prod`: bool and integers give int64 (uint64 stays), as in PyTorch."""
    if kind.is_float or kind is dtypes.u64:
        return kind
    return dtypes.i64
