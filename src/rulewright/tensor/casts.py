"""Conversions named for their dtype. Apart, because the names hide Python's own in a class."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from rulewright.errors import ArgumentError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.tensor.core import Core
from rulewright.tensor.kinds import as_dtype
from rulewright.tensor.members import Members

if TYPE_CHECKING:
    from typing_extensions import Self


class Casts(Members):
    """`x.float()` and its kin."""

    __slots__ = ()

    def to(self, device: Any = None, dtype: Any = None) -> Self:
        """This on another device and as another dtype; itself if it is that already.

        device: a name, None for the default device, a dtype instead (`x.to(dtypes.f16)`), or a
        tensor whose device and dtype are taken. dtype: as `cast` takes it. Raises DeviceError for
        an unknown device, DTypeError for an unknown dtype.

        >>> Tensor([1, 2]).to(dtypes.f16).dtype
        dtypes.f16
        """
        if isinstance(device, Core):
            return self.to(device.device, device.dtype if dtype is None else dtype)
        if isinstance(device, DType):
            if dtype is not None:
                raise ArgumentError(f"to: expected one dtype, found {device} and {dtype!r}")
            return self.cast(device)
        found = self if device is None and dtype is not None else self._on_device(device)
        return found if dtype is None else found.cast(dtype)

    def type(self, dtype: Any) -> Self:
        """`cast`, as PyTorch calls it.

        >>> Tensor([1, 2]).type(dtypes.u8).dtype
        dtypes.u8
        """
        return self.cast(as_dtype(dtype))

    def type_as(self, other: Core) -> Self:
        """`cast` to the dtype of another tensor.

        >>> Tensor([1, 2]).type_as(Tensor([1.5])).dtype
        dtypes.f32
        """
        return self.cast(other.dtype)

    def is_signed(self) -> builtins.bool:
        """Whether elements can be negative.

        >>> Tensor([1, 2]).is_signed()
        True
        """
        return builtins.bool(self.dtype.min < 0)

    def bool(self) -> Self:
        """`cast` to bool: true where an element is not zero.

        >>> Tensor([0.5, 0.0]).bool().tolist()
        [True, False]
        """
        return self.cast(dtypes.bool)

    def char(self) -> Self:
        """`cast` to int8.

        >>> Tensor([-1.5, 200.0]).char().tolist()
        [-1, 127]
        """
        return self.cast(dtypes.i8)

    def byte(self) -> Self:
        """`cast` to uint8.

        >>> Tensor([-1.5, 200.0]).byte().tolist()
        [0, 200]
        """
        return self.cast(dtypes.u8)

    def short(self) -> Self:
        """`cast` to int16.

        >>> Tensor([-1.5, 4e4]).short().tolist()
        [-1, 32767]
        """
        return self.cast(dtypes.i16)

    def int(self) -> Self:
        """`cast` to int32, as in PyTorch.

        >>> Tensor([1.9, -1.9]).int().tolist()
        [1, -1]
        """
        return self.cast(dtypes.i32)

    def long(self) -> Self:
        """`cast` to int64.

        >>> Tensor([1.9, -1.9]).long().tolist()
        [1, -1]
        """
        return self.cast(dtypes.i64)

    def half(self) -> Self:
        """`cast` to float16.

        >>> Tensor([0.1, 7e4]).half().tolist()
        [0.0999755859375, inf]
        """
        return self.cast(dtypes.f16)

    def bfloat16(self) -> Self:
        """`cast` to bfloat16.

        >>> Tensor([0.1, 7e4]).bfloat16().tolist()
        [0.10009765625, 70144.0]
        """
        return self.cast(dtypes.bf16)

    def float(self) -> Self:
        """`cast` to float32.

        >>> Tensor([1, 2]).float().tolist()
        [1.0, 2.0]
        """
        return self.cast(dtypes.f32)

    def double(self) -> Self:
        """`cast` to float64.

        >>> Tensor([1, 2]).double().tolist()
        [1.0, 2.0]
        """
        return self.cast(dtypes.f64)
