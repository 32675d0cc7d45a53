"""Functions of the host, which a HOST node calls over whole memories, and what they may give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from rulewright.errors import FunctionError
from rulewright.ir.dtypes import DType
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    import numpy as np

Shape = tuple[int, ...]


class HostFunction(NamedTuple):
    """A function of arrays in these shapes, which gives an array, or writes into the first one."""

    function: Callable[..., Any]
    name: str
    shape: Shape
    dtype: DType
    shapes: tuple[Shape, ...]
    is_in_place: bool

    def __call__(self, memories: Sequence[np.ndarray]) -> np.ndarray:
        """The result over the contents of flat memories, flat.

        What is not written is read-only; what is, is the first of the memories itself. Raises
        FunctionError, which names the function, for what it raises and for a result of another
        shape or dtype.
        """
        arrays = [m.reshape(shape) for m, shape in zip(memories, self.shapes, strict=True)]
        for array in arrays[self.is_in_place :]:
            array.flags.writeable = False
        try:
            result = self.function(*arrays)
        except Exception as error:  # whatever a user's function raises
            raise self.error(f"{type(error).__name__}: {error}") from error
        return self._written(arrays[0], result) if self.is_in_place else self._checked(result)

    def _written(self, array: np.ndarray, result: Any) -> np.ndarray:
        if result is not None and result is not array:
            raise self.error(
                f"expected None of a function in place, found {type(result).__name__}; it writes "
                "into its first array, out[...] = value"
            )
        return array.reshape(-1)

    def _checked(self, result: Any) -> np.ndarray:
        import numpy as np

        array = np.asarray(result)
        if array.shape != self.shape or array.dtype != self.dtype.np:
            raise self.error(
                f"expected an array of shape {self.shape} and {self.dtype.np}, found one of "
                f"{array.shape} and {array.dtype}; say shape= and dtype=, or convert it"
            )
        return np.ascontiguousarray(array).reshape(-1)

    def error(self, message: str) -> FunctionError:
        """An error that names the function."""
        return FunctionError(f"host function {self.name}: {message}")


host_functions: WeakKeyDictionary[UOp, HostFunction] = WeakKeyDictionary()
"""What HOST nodes call. An equal node calls the same."""


def host_function(node: UOp) -> HostFunction:
    """What a HOST node calls. Raises FunctionError for one that was not made in this process."""
    function = host_functions.get(node)
    if function is None:
        raise FunctionError(
            f"HOST {node.arg[0]} names a function of the process that wrote this graph, and none "
            "here; Tensor.custom_function makes such nodes"
        )
    return function
