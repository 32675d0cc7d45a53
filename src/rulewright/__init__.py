"""Rulewright: a tensor compiler whose knowledge is written as rules.

Names load what they need when they are first used, so that importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulewright import nn
    from rulewright.checks.beside import load_spec
    from rulewright.checks.userfile import load_rules
    from rulewright.ir.dtypes import dtypes
    from rulewright.ir.uop import UOp
    from rulewright.options import Context
    from rulewright.runtime.device import Device
    from rulewright.runtime.profile import GlobalCounters
    from rulewright.tensor.custom_kernel import KernelInfo
    from rulewright.tensor.function import function
    from rulewright.tensor.jit import jit
    from rulewright.tensor.own_ops import op
    from rulewright.tensor.shapes import Variable
    from rulewright.tensor.tensor import Tensor

__all__ = [
    "Context", "Device", "GlobalCounters", "KernelInfo", "Tensor", "UOp", "Variable", "dtypes",
    "function", "jit", "load_rules", "load_spec", "nn", "op",
]  # fmt: skip

_HOMES = {
    "Context": "rulewright.options",
    "Device": "rulewright.runtime.device",
    "GlobalCounters": "rulewright.runtime.profile",
    "KernelInfo": "rulewright.tensor.custom_kernel",
    "Tensor": "rulewright.tensor.tensor",
    "UOp": "rulewright.ir.uop",
    "Variable": "rulewright.tensor.shapes",
    "dtypes": "rulewright.ir.dtypes",
    "function": "rulewright.tensor.function",
    "jit": "rulewright.tensor.jit",
    "load_rules": "rulewright.checks.userfile",
    "load_spec": "rulewright.checks.beside",
    "op": "rulewright.tensor.own_ops",
}


def _version() -> str:
    """The version that is installed; of sources on the path that no pip has seen, a word for it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rulewright")
    except PackageNotFoundError:
        return "0+not.installed"


def __getattr__(name: str) -> Any:
    if name == "nn":
        return import_module("rulewright.nn")
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise import_module("rulewright.nn.names").unknown_in_package(name, __all__)
    attribute = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return attribute


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
