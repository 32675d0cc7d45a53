"""Workloads in tinygrad, jitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tinygrad import Device, Tensor, TinyJit, dtypes

from rulewright.bench.libraries.base import Function
from rulewright.bench.libraries.by_methods import ByMethods


class InTinygrad(ByMethods):
    """tinygrad on its default device. What TinyJit gives is memory that each call writes anew."""

    name = "tinygrad"

    def version(self) -> str:
        """Of the package, which does not tell it itself."""
        from importlib.metadata import version

        return version("tinygrad")

    def put(self, array: np.ndarray) -> Any:
        """On the default device; bfloat16, which it does not take from numpy, by float32."""
        if array.dtype.name == "bfloat16":
            return Tensor(array.astype(np.float32)).cast(dtypes.bfloat16).realize()
        return Tensor(array).realize()

    def get(self, tensor: Any) -> np.ndarray:
        """By way of float32 where it is narrower."""
        wide = tensor if tensor.dtype == dtypes.float64 else tensor.cast(dtypes.float32)
        array: np.ndarray = wide.numpy().astype(np.float64)
        return array

    def finished(self, function: Function, tensors: Sequence[Any]) -> Any:
        """What the device still does is waited for."""
        result = function(*tensors)
        Device[Device.DEFAULT].synchronize()
        return result

    def compiled(self, function: Function) -> Function:
        """TinyJit, which wants results that are realised."""
        return TinyJit(self.plain(function))
