"""Workloads in Rulewright, jitted; the option JIT=0 runs them without capture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rulewright import Device, Tensor, __version__, jit
from rulewright.bench.libraries.base import Function
from rulewright.bench.libraries.by_methods import ByMethods


class InRulewright(ByMethods):
    """This library, on its default device."""

    name = "rulewright"

    def version(self) -> str:
        """Of the package."""
        return str(__version__)

    def put(self, array: np.ndarray) -> Tensor:
        """On the default device."""
        return Tensor(array).realize()

    def get(self, tensor: Any) -> np.ndarray:
        """By way of numpy."""
        array: np.ndarray = tensor.numpy().astype(np.float64)
        return array

    def finished(self, function: Function, tensors: Sequence[Any]) -> Any:
        """A device that works beside this processor is waited for."""
        result = function(*tensors)
        Device[Device.default].synchronize()
        return result

    def compiled(self, function: Function) -> Function:
        """Captured on the second call."""
        return jit(self.plain(function))
