"""numpy's functions of tensors: `np.sin(x)` is `x.sin()`, and what numpy adds, the tensor adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rulewright.errors import ArgumentError
from rulewright.tensor.core import Core
from rulewright.tensor.elsewhere import COMPARISONS, ELSEWHERE, NUMPY_FUNCTIONS
from rulewright.tensor.nested import rebuilt
from rulewright.tensor.tensor import OPERATORS

NUMPY_OPERATORS: Mapping[str, tuple[str, str]] = {
    **{each.numpy: (f"__{name}__", f"__r{name}__") for name, each in OPERATORS.items()},
    **{each: (f"__{name}__", f"__{swapped}__") for name, (each, swapped) in COMPARISONS.items()},
    "divmod": ("__divmod__", "__rdivmod__"),
}
"""By numpy's function the operator's methods: of a tensor on the left, of one on the right."""

NUMPY_REDUCTIONS: Mapping[str, str] = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""Methods by the function of numpy whose `reduce` they are."""

NUMPY_ACCUMULATIONS: Mapping[str, str] = {
    "add": "cumsum",
    "multiply": "cumprod",
    "maximum": "cummax",
    "minimum": "cummin",
}
"""Methods by the function of numpy whose `accumulate` they are."""

NUMPY_OF_ARRAYS = frozenset(
    {
        *("argwhere", "array2string", "array_repr", "array_str", "block", "moveaxis"),
        *("nanpercentile", "nonzero", "percentile", "piecewise", "rollaxis", "size"),
        "take_along_axis",
    }
)
"""Functions of numpy that ask for what is another thing here: `nonzero()`, `size`, `dtype`."""

NUMPY_WRITES: Mapping[str, str] = {
    "copyto": "x[...] = values",
    "fill_diagonal": "x.diagonal().fill_(value)",
    "place": "x[mask] = values",
    "put": "x.view(-1)[positions] = values",
    "put_along_axis": "x.scatter_(axis, positions, values)",
    "putmask": "x[mask] = values",
}
"""What to write in the place of numpy's functions that write into their first argument."""

_OPTIONS = {"dtype": "cast() the operands", "where": "choose by mask.where(result, others)"}


def apply_ufunc(name: str, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A numpy function of tensors, by its name, or its `reduce`, as in `np.add.reduce` and
    `np.ptp`, its `accumulate` or `outer`; `out`, an array, is filled and given back.

    NotImplemented beside another library's objects, which are asked then. Raises ArgumentError, a
    TypeError as numpy's, for functions that tensors do not have, for other options, and for a
    tensor as `out`.
    """
    (out,) = options.pop("out", (None,)) if len(options.get("out", (None,))) == 1 else (Ellipsis,)
    if out is Ellipsis or isinstance(out, Core):
        raise _refused(f"{name}(out=)", "numpy writes into no tensor; write x[...] = np.…")
    computed: dict[str, Callable[..., Any]] = {
        "reduce": _reduced,
        "accumulate": _accumulated,
        "outer": _outer,
        "__call__": _plain,
    }
    result: Any = NotImplemented
    if method in computed:
        result = computed[method](name, *inputs, **options)
    if result is NotImplemented and not any(map(_is_foreign, inputs)):
        raise _refused(*_reason(name, method, options))
    if out is None or result is NotImplemented:
        return result
    out[...] = result.numpy()
    return out


def _refused(name: str, reason: str) -> ArgumentError:
    return ArgumentError(f"np.{name}: {reason}")


def _reason(name: str, method: str, options: dict[str, Any]) -> tuple[str, str]:
    """What is refused of a function of numpy, and what to do instead."""
    if method != "__call__":
        known = {"reduce": NUMPY_REDUCTIONS, "accumulate": NUMPY_ACCUMULATIONS}.get(method, {})
        if name in known and options:
            return f"{name}.{method}", f"of tensors without {', '.join(options)}"
        text = f"tensors have {method} of {', '.join(known)}" if known else "tensors do not have it"
        return f"{name}.{method}", f"{text}; np.asarray(x) is an array"
    if options and (name in NUMPY_OPERATORS or name in NUMPY_FUNCTIONS):
        instead = [_OPTIONS[word] for word in options if word in _OPTIONS]
        return f"{name}({'=, '.join(options)}=)", "; ".join(["tensors do not take that", *instead])
    here = ELSEWHERE.get(name)
    text = f"here it is {here}" if here else "np.asarray(x) is an array"
    return name, f"tensors have no method of that name; {text}"


def _is_foreign(value: Any) -> bool:
    """Whether a value is another library's that may know numpy's function."""
    import numpy as np

    kind = type(value)
    return hasattr(kind, "__array_ufunc__") and not issubclass(kind, Core | np.ndarray | np.generic)


def apply_array_function(function: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """A function of numpy that is none of numbers, such as `np.nonzero`: what numpy does with
    arrays, which tensors become where it would take a method of theirs for another one.

    NotImplemented beside arrays of other libraries, which are asked then. Raises ArgumentError
    where it would write into a tensor.
    """
    import numpy as np

    name = function.__name__
    if not all(issubclass(each, Core | np.ndarray) for each in types):
        return NotImplemented
    if name in NUMPY_OF_ARRAYS:
        args, kwargs = rebuilt((args, kwargs), np.asarray)
    elif name in NUMPY_WRITES and any(isinstance(each, Core) for each in args[:1]):
        raise _refused(name, f"numpy writes into no tensor; write {NUMPY_WRITES[name]}")
    return function._implementation(*args, **kwargs)


def _reduced(
    name: str, tensor: Any, axis: Any = 0, dtype: Any = None, keepdims: bool = False, **options: Any
) -> Any:
    if name not in NUMPY_REDUCTIONS or dtype is not None or options:
        return NotImplemented
    return getattr(tensor, NUMPY_REDUCTIONS[name])(axis, keepdim=keepdims)


def _accumulated(name: str, tensor: Any, axis: Any = 0, **options: Any) -> Any:
    if name not in NUMPY_ACCUMULATIONS or options:
        return NotImplemented
    result = getattr(tensor, NUMPY_ACCUMULATIONS[name])(axis)
    return result[0] if isinstance(result, tuple) else result


def _outer(name: str, first: Any, second: Any, **options: Any) -> Any:
    import numpy as np

    operands: list[Any] = [v if isinstance(v, Core) else np.asarray(v) for v in (first, second)]
    left, right = operands
    inputs = left.reshape((*left.shape, *[1] * right.ndim)), right
    return NotImplemented if options else _called(name, inputs)


def _plain(name: str, *inputs: Any, **options: Any) -> Any:
    return NotImplemented if options else _called(name, inputs)


def _called(name: str, inputs: tuple[Any, ...]) -> Any:
    first = inputs[0]
    if name in NUMPY_OPERATORS:
        plain, reflected = NUMPY_OPERATORS[name]
        if isinstance(first, Core):
            return getattr(first, plain)(inputs[1])
        return getattr(inputs[1], reflected)(first)
    if name not in NUMPY_FUNCTIONS:
        return NotImplemented
    if not isinstance(first, Core):
        first = inputs[1]._wrap(first)
    return getattr(first, NUMPY_FUNCTIONS[name])(*inputs[1:])
