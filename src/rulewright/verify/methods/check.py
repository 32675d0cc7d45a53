"""Does a device compute what rows of the table of methods say?"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.options import Context
from rulewright.runtime.device import Device
from rulewright.tensor.kinds import float_dtype, sum_dtype
from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.operands import kind_named, operands, variants
from rulewright.verify.methods.row import Method, Refusal, Shape
from rulewright.verify.methods.text import text_of
from rulewright.verify.values.comparison import near, slopes_agree

_STEP, _SLOPES = 1e-6, 1e-5  # of differences in float64, and how near slopes are


def check_rows(
    rows: Iterable[Method], device: str | None = None, without: Collection[str] = ()
) -> list[str]:
    """What is wrong with rows on a device, one line a variant. All variants are run together.

    Variants with an operand of a dtype in `without` are left out.
    """
    runs = []
    for row in rows:
        for shapes, kind in variants(row):
            if not {kind, *row.kinds(kind, len(shapes))}.isdisjoint(without):
                continue
            arrays = operands(row, shapes, kind)
            runs.append((row, shapes, kind, arrays, _called(row, arrays, kind, device)))
    _realize(t for *_, results in runs for t in results)
    wrong = []
    for row, shapes, kind, arrays, results in runs:
        problem = _difference(row, arrays, kind, results, device)
        if problem:
            wrong.append(f"{row.text} with shapes {shapes} of {kind}: {problem}")
    return wrong


def _realize(values: Iterable[Any]) -> None:
    lazy = [value for value in values if isinstance(value, Tensor)]
    if lazy:
        Tensor.realize(*lazy)


def _tensors(arrays: Any, kinds: Iterable[str], device: str | None) -> list[Tensor]:
    return [
        Tensor(array, dtype=kind_named(kind), device=device)
        for array, kind in zip(arrays, kinds, strict=True)
    ]


def _called(row: Method, arrays: Any, kind: str, device: str | None) -> tuple[Any, ...]:
    return _results(row, _tensors(arrays, row.kinds(kind, len(arrays)), device), device)


def _results(row: Method, tensors: Sequence[Tensor], device: str | None) -> tuple[Any, ...]:
    """A call's values; tensors that it creates are on the device."""
    with Context(DEVICE=device or Device.default):
        return _several(row.call(*tensors))


def _several(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _wide(array: Any) -> Any:
    is_float = array.dtype.kind == "f" or array.dtype in _SMALL
    return array.astype(np.float64) if is_float else array


_SMALL = {kind.np for kind in dtypes.set("Float")}


def expected(row: Method, arrays: Any) -> tuple[Any, ...]:
    """The value of a row by its reference, floats in float64."""
    assert row.equals, "a row that has a check alone"
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # numpy's of a mean of nothing: it is NaN
        return _several(row.equals(*map(_wide, arrays)))


def _difference(row: Method, arrays: Any, kind: str, results: Any, device: str | None) -> str:
    if row.check and not row.check(results[0] if len(results) == 1 else results, *arrays):
        return f"{text_of(row.check)} does not hold"
    if not row.equals:
        return ""
    values = expected(row, arrays)
    if len(values) != len(results):
        return f"{len(values)} results expected, found {len(results)}"
    gives = row.gives.split()
    for at, (value, result) in enumerate(zip(values, results, strict=True)):
        word = gives[min(at, len(gives) - 1)]
        problem = _compare(row, value, result, _dtype_of(word, kind))
        if problem:
            return problem
    return ""


def _dtype_of(word: str, kind: str) -> DType:
    rules: dict[str, Any] = {"same": lambda k: k, "float": float_dtype, "sum": sum_dtype}
    dtype: DType = rules[word](kind_named(kind)) if word in rules else kind_named(word)
    return dtype


def _compare(row: Method, value: Any, result: Any, kind: DType) -> str:
    if not isinstance(result, Tensor):
        return "" if result == value else f"expected {value}, found {result}"
    want = np.asarray(value)
    if result.dtype is not kind:
        return f"expected dtype {kind.name}, found {result.dtype.name}"
    got = result.numpy()
    if got.shape != want.shape:
        return f"expected shape {want.shape}, found {got.shape}"
    if not kind.is_float:
        same = np.array_equal(got, want.astype(got.dtype))
        return "" if same else f"expected {want.tolist()}, found {got.tolist()}"
    wide, want = got.astype(np.float64), want.astype(np.float64)
    finite = np.abs(want[np.isfinite(want)])
    error = row.tolerance * float(ml_dtypes.finfo(kind.np).eps)
    scale = float(finite.max()) if finite.size else 1.0
    agrees = near(wide, want, error, error * max(scale, 1e-30)).all()
    return "" if agrees else f"expected {want.tolist()}, found {wide.tolist()}"


# ---- derivatives ---------------------------------------------------------------------------------


def check_gradients(rows: Iterable[Method], device: str | None = None) -> list[str]:
    """Where backward() is not what differences of the reference say, in float64.

    All gradients are run together.
    """
    runs = [(row, shapes, _backward(row, shapes, device)) for row in rows for shapes in row.shapes]
    _realize(leaf.grad for *_, run in runs for leaf in run.leaves.values())
    return [
        f"gradient of {row.text} with shapes {shapes}: {problem}"
        for row, shapes, run in runs
        if (problem := _along_a_direction(row, run))
    ]


class _Backward(NamedTuple):
    """A row that was differentiated: its operands, and what its results count in the loss."""

    arrays: list[Any]
    leaves: dict[int, Tensor]  # by the place of the operand
    weights: list[Any]
    rng: np.random.Generator


def _backward(row: Method, shapes: tuple[Shape, ...], device: str | None) -> _Backward:
    arrays = operands(replace(row, special=False), shapes, "f64")
    tensors = _tensors(arrays, row.kinds("f64", len(arrays)), device)
    leaves = {at: t for at, t in enumerate(tensors) if t.dtype.is_float}
    for tensor in leaves.values():
        tensor.requires_grad = True
    results = _results(row, tensors, device)
    rng = np.random.default_rng(7)
    weights = [rng.normal(size=f.shape) if f.dtype.is_float else None for f in results]
    loss = sum((f * Tensor(w, device=device)).sum()
               for f, w in zip(results, weights, strict=True) if w is not None)  # fmt: skip
    loss.backward()
    return _Backward(arrays, leaves, weights, rng)


def _along_a_direction(row: Method, run: _Backward) -> str:
    steps = {at: run.rng.normal(size=run.arrays[at].shape) for at in run.leaves}
    slopes = {at: leaf.grad for at, leaf in run.leaves.items() if leaf.grad is not None}
    analytic = sum(float((slope.numpy() * steps[at]).sum()) for at, slope in slopes.items())

    def weighed(sign: float) -> float:
        moved = [a + sign * _STEP * steps[at] if at in steps else a
                 for at, a in enumerate(run.arrays)]  # fmt: skip
        values = zip(expected(row, moved), run.weights, strict=True)
        return float(sum((np.asarray(v) * w).sum() for v, w in values if w is not None))

    numeric = (weighed(1) - weighed(-1)) / (2 * _STEP)
    if slopes_agree(analytic, numeric, _SLOPES):
        return ""
    return f"differences give {numeric}, backward() {analytic} along one direction"


def check_refusal(row: Refusal, device: str | None = None) -> str:
    """What is wrong with an error: nothing raised, another one, or words that are missing."""
    from rulewright import errors

    kinds = (row.dtypes * len(row.shapes))[: len(row.shapes)]
    tensors = _tensors([np.ones(s) for s in row.shapes], kinds, device)
    wanted: Any = getattr(errors, row.error, None) or getattr(builtins, row.error, None)
    try:
        with Context(DEVICE=device or Device.default):
            result = row.call(*tensors)
    except Exception as error:
        if type(error).__name__ != row.error and not (wanted and isinstance(error, wanted)):
            return f"{row.text}: expected {row.error}, found {type(error).__name__}: {error}"
        return "" if row.says in str(error) else f"{row.text}: {row.says!r} is not in {error}"
    return f"{row.text}: expected {row.error}, found {result!r}"
