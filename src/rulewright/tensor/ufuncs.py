"""numpy's functions of tensors: `np.sin(x)` is `x.sin()`, and what numpy adds, the tensor adds."""

from __future__ import annotations

from typing import Any

from rulewright.tensor.core import Core

_OPERATORS = {  # the operator's methods: of a tensor on the left, of one on the right
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__"),
    "remainder": ("__mod__", "__rmod__"),
    "power": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "bitwise_and": ("__and__", "__rand__"),
    "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"),
    "left_shift": ("__lshift__", "__rlshift__"),
    "right_shift": ("__rshift__", "__rrshift__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
}
_NAMES = {  # where the method has another name
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "invert": "bitwise_not",
    "negative": "neg",
    "rint": "round",
}
_SAME = (
    *("ceil", "copysign", "cos", "cosh", "exp", "exp2", "expm1", "floor", "fmod", "hypot"),
    *("isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logaddexp"),
    *("logical_and", "logical_not", "logical_or", "maximum", "minimum", "reciprocal", "sign"),
    *("signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc"),
)


def apply_ufunc(name: str, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A numpy function of tensors, by its name; `out`, an array, is filled and given back.

    NotImplemented, of which numpy makes a TypeError, for functions that tensors do not have, for
    other options, and for `np.add.reduce` and the like.
    """
    (out,) = options.pop("out", (None,)) if len(options.get("out", (None,))) == 1 else (Ellipsis,)
    if method != "__call__" or options or out is Ellipsis or isinstance(out, Core):
        return NotImplemented
    found = _called(name, inputs)
    if out is None or found is NotImplemented:
        return found
    out[...] = found.numpy()
    return out


def _called(name: str, inputs: tuple[Any, ...]) -> Any:
    first = inputs[0]
    if name in _OPERATORS:
        plain, reflected = _OPERATORS[name]
        if isinstance(first, Core):
            return getattr(first, plain)(inputs[1])
        return getattr(inputs[1], reflected)(first)
    if name not in _NAMES and name not in _SAME:
        return NotImplemented
    if not isinstance(first, Core):
        first = inputs[1]._wrap(first)
    return getattr(first, _NAMES.get(name, name))(*inputs[1:])
