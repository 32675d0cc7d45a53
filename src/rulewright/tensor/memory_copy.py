"""`x.data()`: a method here, and in PyTorch an attribute, of which it says what that is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from rulewright.errors import UnknownAttributeError

_HERE = (
    "x.data() is a copy of the value; PyTorch's x.data is x.detach() here, x.assign(y) gives x "
    "other values, and `with Tensor.no_grad(): x -= y` writes without gradients"
)


class _Copying(partial[memoryview]):
    """The method of one tensor, which can be called, and nothing else."""

    def _refused(self, *_: object) -> NoReturn:
        raise UnknownAttributeError(_HERE)

    __getitem__ = __setitem__ = __add__ = __sub__ = __mul__ = __truediv__ = _refused

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(f"data has no attribute {name!r}")
        self._refused()


class MemoryCopy:
    """A method that copies a tensor's value, as an attribute of a class."""

    def __init__(self, method: Callable[[Any], memoryview]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, owner: Any, kind: Any = None) -> Callable[..., memoryview]:
        return self.method if owner is None else _Copying(self.method, owner)

    def __set__(self, owner: Any, value: Any) -> NoReturn:
        raise UnknownAttributeError(_HERE)
