"""What generated matchers call: constants, folding and lazily imported extern functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rulewright.errors import RewriteError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.folding import convert_value, fold_function
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

__all__ = [
    "Ops", "UOp", "const", "convert", "dtypes", "fold_function", "folds", "ilog2", "lazy_extern",
    "same", "zero",
]  # fmt: skip

const = UOp.const


class _Folds(dict[Op, Callable[..., Any]]):
    """The folding function of each op, made when it is asked for first."""

    def __missing__(self, op: Op) -> Callable[..., Any]:
        self[op] = fold_function(op.name)
        return self[op]


folds = _Folds()


def convert(dtype: DType, value: Any, source: DType) -> UOp | None:
    """A constant of type `source` converted to `dtype`; None where the result is not defined."""
    converted = convert_value(dtype, value, source)
    return None if converted is None else UOp(Ops.CONST, dtype, (), converted)


def ilog2(value: int) -> int:
    """The exponent of the largest power of two that is not above a positive integer."""
    return value.bit_length() - 1


def same(a: Any, b: Any) -> bool:
    """Whether two constants are the same value of the same kind; nan is, 0.0 and -0.0 are not."""
    return a.__class__ is b.__class__ and (repr(a) == repr(b) if a.__class__ is float else a == b)


def zero(value: Any, text: str) -> bool:
    """Whether a constant is the zero that `text` spells: "0" and "0.0" are positive, "-0.0" not.

    "0" stands for a zero of any number type, "0.0" for a float.
    """
    if value.__class__ is float:
        return bool(value == 0.0 and (math.copysign(1.0, value) < 0) == text.startswith("-"))
    return bool(text == "0" and value.__class__ is int and value == 0)


class lazy_extern:  # used like a function in generated code
    """An extern function, imported at its first call, whose answers are checked."""

    def __init__(self, name: str, target: str, result: tuple[str, bool]) -> None:
        self.name, self.target = name, target
        self.wants_node, self.wants_list = result[0] == "uop", result[1]
        self.function: Callable[..., Any] | None = None

    def _load(self) -> Callable[..., Any]:
        module, _, function = self.target.partition(":")
        self.function = getattr(import_module(module), function)
        return self.function

    def __call__(self, *args: Any) -> Any:
        """The function's answer. Raises RewriteError if it is not what was declared."""
        answer = (self.function or self._load())(*args)
        if answer is None or not self.wants_node:
            return answer
        if self.wants_list:
            fits = isinstance(answer, (list, tuple))  # a union takes longer
            for one in answer if fits else ():
                fits = fits and one.__class__ is UOp
        else:
            fits = answer.__class__ is UOp
        if not fits:
            wanted = "a list of nodes" if self.wants_list else "a node"
            raise RewriteError(
                f"extern {self.name} ({self.target}) must give {wanted} or None, as its "
                f"declaration says; it gave {type(answer).__name__}"
            )
        return tuple(answer) if self.wants_list else answer
