"""Limits and precision of dtypes: what numpy and PyTorch call `finfo` and `iinfo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulewright.errors import DTypeError

if TYPE_CHECKING:
    from rulewright.ir.dtypes import DType


@dataclass(frozen=True)
class FloatInfo:
    """Facts of a float dtype. `eps` is the distance from 1 to the next number, `tiny` the smallest
    normal number, `smallest_subnormal` the smallest above 0; `max` and `min` are finite."""

    dtype: DType
    bits: int
    min: float
    max: float
    eps: float
    tiny: float
    smallest_subnormal: float

    @property
    def smallest_normal(self) -> float:
        """`tiny`, as PyTorch calls it too."""
        return self.tiny


@dataclass(frozen=True)
class IntInfo:
    """Facts of an integer dtype."""

    dtype: DType
    bits: int
    min: int
    max: int


def finfo(kind: DType) -> FloatInfo:
    """Facts of a float dtype from its row in `spec/10-dtypes.uop`.

    IEEE 754, section 3.3: with p stored digits, eps is 2^-p; the smallest normal number has a
    stored exponent of 1. Raises DTypeError for another dtype.
    """
    if not kind.is_float:
        raise DTypeError(f"finfo: expected a float dtype, found {kind.name}; see iinfo")
    eps = 2.0 ** -int(kind.row["mantissa"])
    largest = float(kind.row.get("largest") or (2 - eps) * 2.0**kind.bias)
    tiny = 2.0 ** (1 - kind.bias)
    return FloatInfo(kind.scalar, kind.bits, -largest, largest, eps, tiny, tiny * eps)


def iinfo(kind: DType) -> IntInfo:
    """Facts of an integer dtype. Raises DTypeError for another dtype."""
    if not kind.is_int:
        raise DTypeError(f"iinfo: expected an integer dtype, found {kind.name}; see finfo")
    return IntInfo(kind.scalar, kind.bits, int(kind.min), int(kind.max))
