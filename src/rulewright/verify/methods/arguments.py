"""Every argument of every method refuses a value that is not of its kind, which its signature says.

A call gives the wrong value, and for the other arguments that it needs something of their kind, or
what stands in `_OTHERS`. Arguments that say it in their own words have rows in other modules.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.row import Refusal
from rulewright.verify.methods.text import written

_WRONG: Mapping[str, tuple[Any, str, str]] = {
    "number": ("a", "ArgumentError", "{} is a number"),
    "whole": (1.5, "ArgumentError", "{} is a whole number"),
    "flag": ("a", "ArgumentError", "{} is True or False"),
    "text": (3, "ArgumentError", "{} is text"),
    "operand": ("a", "ArgumentError", "expected a tensor, a number or an array, found 'a'"),
    "tensor": (3, "ArgumentError", "{} is a tensor"),
    "dtype": ("a", "DTypeError", "unknown dtype 'a'"),
    "device": ("nowhere", "DeviceError", "unknown device 'nowhere'"),
    "sizes": ("a", "UsageError", "{} "),
    "axis": (5, "AxisError", "axis 5 is out of range"),
    "reduction": ("max", "UsageError", "reduction is 'mean', 'sum' or 'none', found 'max'"),
}
"""Kinds of arguments: a wrong value, the error, and what it says of the argument."""

_BY_NAME = {
    "dim": "axis", "axis": "axis", "dtype": "dtype", "device": "device", "reduction": "reduction",
    "output_size": "sizes",
}  # fmt: skip
_BY_ANNOTATION = {
    "bool": "flag", "float": "number", "int": "whole", "str": "text", "Any": "operand",
    "Self": "tensor", "Core": "tensor", "Axes": "axis", "Sizes": "sizes", "Sizes | str": "sizes",
    "Sequence[int]": "sizes",
}  # fmt: skip
_RIGHT = {"number": "1", "whole": "1", "axis": "0", "sizes": "2", "operand": "x", "tensor": "x"}
"""Arguments of these kinds, as code."""

_NAMED = {
    "fill_value": "1", "indices_or_sections": "1", "reduce": "'sum'", "sizes": "(1, -1)",
    "start": "0", "stop": "1",
}  # fmt: skip
"""Arguments of these names, of which the signature says less."""

_SELF = {
    "bincount": "x[0].int()",
    "conv2d": "Tensor.ones(1, 4, 5, 5)",
    "conv_transpose2d": "Tensor.ones(1, 4, 5, 5)",
    "grid_sample": "Tensor.ones(1, 1, 2, 2)",
    "interpolate": "Tensor.ones(1, 4, 5)",
    "solve": "x[:3, :3]",
    "where": "(x > 0)",
}
"""Tensors other than x, of shape (3, 5), of which a method is called."""

_CLASSES = {"target": "Tensor([1, 2, 0])"}
_PICKED = {"index": "[1]", "source": "x[:1]"}
_PLACES = {"index": "[[0]]"}
_OTHERS: Mapping[str, Mapping[str, str]] = {
    "affine_grid": {"size": "(1, 1, 2, 2)"},
    "baddbmm": {"batch1": "x[None]"},
    "batchnorm": {"weight": "None", "bias": "None", "mean": "x[0]", "invstd": "x[0]"},
    "conv2d": {"weight": "Tensor.ones(6, 4, 2, 2)"},
    "conv_transpose2d": {"weight": "Tensor.ones(4, 6, 2, 2)"},
    "cosine_embedding_loss": {"target": "x[:, 0]"},
    "cross_entropy": _CLASSES,
    "custom_function": {"fn": "abs"},
    "dot": {"other": "x.mT"},
    "from_file": {"path": "'/no/such/file'"},
    "full": {"shape": "2"},
    "gather": _PLACES,
    "grid_sample": {"grid": "Tensor.ones(1, 1, 1, 2)"},
    "index_add": _PICKED,
    "index_copy": _PICKED,
    "index_fill": {"index": "[1]", "value": "0"},
    "index_put": {"indices": "([1],)"},
    "index_select": {"index": "[1]"},
    "interpolate": {"size": "(4,)"},
    "linear": {"weight": "x.mT"},
    "masked_fill": {"mask": "x > 0", "value": "0"},
    "masked_scatter": {"mask": "x > 0", "source": "x"},
    "matmul": {"other": "x.mT"},
    "multi_margin_loss": _CLASSES,
    "multilabel_margin_loss": {"target": "x.int()"},
    "nanquantile": {"q": "0.5"},
    "newton_schulz": {"params": "(1, 2)"},
    "nll_loss": _CLASSES,
    "quantile": {"q": "0.5"},
    "scatter": _PLACES,
    "scatter_add": _PLACES,
    "scatter_reduce": _PLACES,
    "shard": {"devices": "('INTERP', 'INTERP:1')"},
    "sparse_categorical_crossentropy": _CLASSES,
    "split": {"sizes": "1"},
    "take_along_dim": {"indices": "[[0]]"},
}
"""Arguments of calls in which another one is wrong, as code."""

_OTHERWISE = frozenset({
    "assign.value", "cond.p", "custom_function.shape", "einsum.dtype", "from_blob.shape",
    "from_blob.device",
    "from_dlpack.data", "from_file.shape",
    "from_numpy.array", "from_numpy.device", "full.shape", "index_put.indices",
    "inference_mode.mode", "manual_seed.seed", "no_grad.function", "norm.p",
    "repeat_interleave.repeats", "tensordot.dims",
})  # fmt: skip
"""Arguments that say what is wrong in words of their own, or are given behind others."""


def parameters(name: str) -> dict[str, inspect.Parameter]:
    """What a method takes besides the tensor or class, by name; nothing where it is no method."""
    method = inspect.getattr_static(Tensor, name)
    if not isinstance(method, classmethod | staticmethod) and not inspect.isfunction(method):
        return {}
    function: Any = getattr(method, "__func__", method)
    every = list(inspect.signature(function).parameters.values())
    return {p.name: p for p in (every if isinstance(method, staticmethod) else every[1:])}


def _kind(parameter: inspect.Parameter) -> str:
    """The kind of an argument; "" where its signature does not say."""
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return ""
    annotation = str(parameter.annotation).removesuffix(" | None")
    return _BY_NAME.get(parameter.name) or _BY_ANNOTATION.get(annotation, "")


def _refusals(name: str) -> Iterator[Refusal]:
    every, plain = parameters(name), name.removesuffix("_")
    kinds = {p.name: _kind(p) for p in every.values()}
    words = {
        n: _NAMED.get(n) or _RIGHT.get(kinds[n], "")
        for n, p in every.items()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    }
    words = {n: text for n, text in {**words, **_OTHERS.get(plain, {})}.items() if text}
    of_class = not inspect.isfunction(inspect.getattr_static(Tensor, name))
    owner = _SELF.get(name, "Tensor" if of_class else "x")
    for argument, kind in kinds.items():
        if kind and f"{plain}.{argument}" not in _OTHERWISE:
            value, error, says = _WRONG[kind]
            call = {**words, argument: repr(value)}
            text = f"{owner}.{name}({', '.join(f'{n}={code}' for n, code in call.items())})"
            yield Refusal(name, written(text), error, says.format(argument), argument=argument)


_NAMES = [n for n in dir(Tensor) if not n.startswith("_") and callable(getattr(Tensor, n))]

REFUSALS = [row for name in sorted(_NAMES) for row in _refusals(name)]
