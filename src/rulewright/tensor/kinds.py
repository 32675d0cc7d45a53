"""Element types at the level of tensors: defaults, promotion with Python scalars, accumulation.

A Python scalar is weak: it takes the tensor's type unless that cannot hold its kind. Two
tensors meet in the lattice of `spec/10-dtypes.uop`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from rulewright.errors import DTypeError
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


@cache
def common_dtype(*kinds: DType) -> DType:
    """The type in which tensors of these types meet.

    Raises DTypeError where only a float could hold integers of both types (i64 and u64).
    """
    if all(k is kinds[0] for k in kinds):
        return kinds[0]
    found = promote(kinds)
    if found.is_float and not any(k.is_float for k in kinds):
        names = ", ".join(k.name for k in kinds)
        raise DTypeError(f"no integer type holds the values of {names}: cast one of them first")
    return found


def scalar_dtype(kind: DType, value: Scalar) -> DType:
    """The type of an operation between a tensor of type `kind` and a Python scalar."""
    if kind.is_float or isinstance(value, bool):
        return kind
    if isinstance(value, float):
        return default_float()
    return default_int() if kind.is_bool else kind


def scalar_kind(value: Scalar) -> DType:
    """The type of a Python scalar that stands alone."""
    if isinstance(value, bool):
        return dtypes.bool
    return default_int() if isinstance(value, int) else default_float()


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
