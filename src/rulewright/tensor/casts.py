"""Conversions named for their dtype. Apart, because the names hide Python's own in a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright.ir.dtypes import dtypes
from rulewright.tensor.autograd import Autograd
from rulewright.tensor.kinds import default_int

if TYPE_CHECKING:
    from typing_extensions import Self


class Casts(Autograd):
    """`x.float()` and its kin."""

    __slots__ = ()

    def bool(self) -> Self:
        """`cast` to bool: true where an element is not zero."""
        return self.cast(dtypes.bool)

    def float(self) -> Self:
        """`cast` to float32."""
        return self.cast(dtypes.f32)

    def double(self) -> Self:
        """`cast` to float64."""
        return self.cast(dtypes.f64)

    def half(self) -> Self:
        """`cast` to float16."""
        return self.cast(dtypes.f16)

    def bfloat16(self) -> Self:
        """`cast` to bfloat16."""
        return self.cast(dtypes.bf16)

    def int(self) -> Self:
        """`cast` to int32, as in PyTorch."""
        return self.cast(dtypes.i32)

    def long(self) -> Self:
        """`cast` to int64."""
        return self.cast(default_int())
