"""Operands of the table of methods: values of every domain, fixed by the row's name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.verify.methods.row import Method, Shape
from rulewright.verify.values.samples import generator

NAMES = "xyzw"
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)


def kind_named(name: str) -> DType:
    """The dtype of a name such as "f32" or "int64"."""
    dtype: DType = getattr(dtypes, name)
    return dtype


def variants(row: Method) -> Iterator[tuple[tuple[Shape, ...], str]]:
    """Shapes and first dtype: every shape at the first dtype, the first shapes at the others."""
    for at, kind in enumerate(row.dtypes):
        for shapes in row.shapes if at == 0 else row.shapes[:2]:
            yield shapes, kind


def operands(row: Method, shapes: tuple[Shape, ...], kind: str) -> list[np.ndarray[Any, Any]]:
    """One array an operand, of exactly the dtype asked for."""
    rng = generator(f"{row.text}{shapes}{kind}")
    words = (row.domain,) * len(shapes) if isinstance(row.domain, str) else row.domain
    kinds = row.kinds(kind, len(shapes))
    arrays = []
    for shape, word, name in zip(shapes, words, kinds, strict=False):
        dtype = kind_named(name)
        values = _values(rng, shape, word, dtype)
        if row.special and dtype.is_float and word == "any":
            values = _with_special(rng, values)
        arrays.append(np.asarray(values).astype(dtype.np))
    return arrays


def _with_special(rng: Any, values: Any) -> Any:
    flat = np.array(values, np.float64).reshape(-1)
    at = rng.permutation(flat.size)[: flat.size // 2]
    flat[at] = np.resize(SPECIAL, at.size)
    return flat.reshape(np.shape(values))


def _values(rng: Any, shape: Shape, word: str, dtype: DType) -> Any:
    if word.startswith("index:"):
        return rng.integers(0, int(word[6:]), shape)
    if word == "distinct":
        count = int(np.prod(shape))
        return (rng.permutation(count) - count // 3).reshape(shape)
    if word == "bool" or dtype.is_bool:
        return rng.integers(0, 2, shape)
    if dtype.is_float:
        return _FLOATS[word](rng, shape)
    low, high = (0, 100) if dtype.min == 0 else (-50, 50)
    if word in ("positive", "nonzero", "above1"):
        low = 1
    return (
        np.sort(rng.integers(low, high, shape))
        if word == "sorted" and shape
        else rng.integers(low, high, shape)
    )


_FLOATS = {
    "any": lambda rng, shape: rng.normal(size=shape) * 2,
    "positive": lambda rng, shape: rng.uniform(0.1, 4, shape),
    "unit": lambda rng, shape: rng.uniform(-0.95, 0.95, shape),
    "above1": lambda rng, shape: rng.uniform(1.1, 6, shape),
    "nonzero": lambda rng, shape: rng.uniform(0.3, 3, shape) * rng.choice([-1, 1], shape),
    "sorted": lambda rng, shape: np.sort(rng.normal(size=shape)) if shape else rng.normal(),
    "prob": lambda rng, shape: rng.uniform(0.02, 0.98, shape),
}
