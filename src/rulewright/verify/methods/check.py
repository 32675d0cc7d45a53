"""Does a device compute what rows of the table of methods say?"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from rulewright.errors import NoTypeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.options import Context
from rulewright.runtime.device import Device
from rulewright.tensor.kinds import float_dtype, sum_dtype
from rulewright.tensor.tensor import Tensor
from rulewright.verify.apart import answered
from rulewright.verify.methods.row import (
    NAMES,
    Method,
    Refusal,
    Shape,
    Shapes,
    kind_named,
    operands,
    variants,
)
from rulewright.verify.methods.text import text_of
from rulewright.verify.values.comparison import near, silence, slopes_agree
from rulewright.verify.values.lacking import of_those_it_has
from rulewright.verify.values.samples import error_line

_STEP = 1e-6  # of differences, which are in float64
_SLOPES = {"f64": 1e-5, "f32": 1e-3}
"""How near slopes are, by the dtype that is differentiated: the widest one that a device has."""


def check_rows(
    rows: Iterable[Method], device: str | None = None, without: Collection[str] = ()
) -> list[str]:
    """What is wrong with rows on a device, one line a variant. All variants are run together.

    Variants with an operand of a dtype in `without`, or sums in one, are left out. So are those
    that compute with integers that the target lacks; raises NoTypeError if that leaves none.
    """
    known = list(rows)
    try:
        return _check_together(known, device, without)
    except NoTypeError:
        singles = [replace(r, shapes=(s,), dtypes=(k,)) for r in known for s, k in variants(r)]
        each = (partial(_check_together, [single], device, without) for single in singles)
        return of_those_it_has(each)


def _check_together(
    rows: Iterable[Method], device: str | None, without: Collection[str]
) -> list[str]:
    runs = []
    for row in rows:
        for shapes, kind in variants(row):
            if not _computes_with(row, kind, len(shapes)).isdisjoint(without):
                continue
            arrays = operands(row, shapes, kind)
            tensors = _tensors(arrays, row.kinds(kind, len(arrays)), device)
            runs.append((row, shapes, kind, arrays, _results(row, tensors, device)))
    _realize(t for *_, results in runs for t in results)
    wrong = []
    for row, shapes, kind, arrays, results in runs:
        problem = _difference(row, arrays, kind, results, device)
        if problem:
            wrong.append(f"{row.text} with shapes {shapes} of {kind}: {problem}")
    return wrong


def _computes_with(row: Method, kind: str, count: int) -> set[str]:
    """The dtypes of the operands of a variant, and of results whose dtype hangs on theirs."""
    results = (word for word in row.gives.split() if word in _DEPENDENT)
    return {*row.kinds(kind, count), *(_dtype_of(word, kind).name for word in results)}


def _realize(values: Iterable[Any]) -> None:
    lazy = [value for value in values if isinstance(value, Tensor)]
    if lazy:
        Tensor.realize(*lazy)


def _tensors(arrays: Any, kinds: Iterable[str], device: str | None) -> list[Tensor]:
    return [
        Tensor(array, dtype=kind_named(kind), device=device)
        for array, kind in zip(arrays, kinds, strict=True)
    ]


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
    with silence():
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


_DEPENDENT: dict[str, Callable[[DType], DType]] = {
    "same": lambda kind: kind,
    "float": float_dtype,
    "sum": sum_dtype,
}


def _dtype_of(word: str, kind: str) -> DType:
    of = kind_named(kind)
    dtype: DType = _DEPENDENT[word](of) if word in _DEPENDENT else kind_named(word)
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
        return _told(want, got, got != want.astype(got.dtype))
    wide, want = got.astype(np.float64), want.astype(np.float64)
    finite = np.abs(want[np.isfinite(want)])
    error = row.tolerance * float(ml_dtypes.finfo(kind.np).eps)
    scale = float(finite.max()) if finite.size else 1.0
    return _told(want, wide, ~near(wide, want, error, error * max(scale, 1e-30)))


_MOST_SHOWN = 8  # elements, of which all are shown


def _told(want: Any, got: Any, wrong: Any) -> str:
    """What is wrong with an array, in full or where the first element is that is; or nothing."""
    if not np.any(wrong):
        return ""
    if want.size <= _MOST_SHOWN:
        return f"expected {want.tolist()}, found {got.tolist()}"
    at = tuple(map(int, np.argwhere(wrong)[0]))
    return f"expected {want[at]} at {at}, found {got[at]} ({wrong.sum()} of {wrong.size} are wrong)"


# ---- derivatives ---------------------------------------------------------------------------------


def check_gradients(
    rows: Iterable[Method], device: str | None = None, without: Collection[str] = ()
) -> list[str]:
    """Where backward() is not what differences of the reference say: in float64, or in float32
    where the device goes `without` that. All gradients are run together.
    """
    kind = _differentiated(without)
    runs = [
        (row, shapes, _backward(row, shapes, kind, device)) for row in rows for shapes in row.shapes
    ]
    _realize(leaf.grad for *_, run in runs for leaf in run.leaves.values())
    return [
        f"gradient of {row.text} with shapes {shapes}: {problem}"
        for row, shapes, run in runs
        if (problem := _along_a_direction(row, run))
    ]


def _differentiated(without: Collection[str]) -> str:
    return next(kind for kind in _SLOPES if kind not in without)


class _Backward(NamedTuple):
    """A row that was differentiated: its operands, and what its results count in the loss."""

    kind: str
    arrays: list[Any]
    leaves: dict[int, Tensor]  # by the place of the operand
    weights: list[Any]
    rng: np.random.Generator


def _backward(row: Method, shapes: Shapes, kind: str, device: str | None) -> _Backward:
    arrays = operands(replace(row, special=False), shapes, kind)
    tensors = _tensors(arrays, row.kinds(kind, len(arrays)), device)
    leaves = {at: t for at, t in enumerate(tensors) if t.dtype.is_float}
    for tensor in leaves.values():
        tensor.requires_grad = True
    results = _results(row, tensors, device)
    rng = np.random.default_rng(7)
    weights = [rng.normal(size=f.shape) if f.dtype.is_float else None for f in results]
    loss = sum((f * Tensor(w, dtype=kind_named(kind), device=device)).sum()
               for f, w in zip(results, weights, strict=True) if w is not None)  # fmt: skip
    loss.backward()
    return _Backward(kind, arrays, leaves, weights, rng)


def _along_a_direction(row: Method, run: _Backward) -> str:
    steps = {at: run.rng.normal(size=run.arrays[at].shape) for at in run.leaves}
    slopes = {at: leaf.grad for at, leaf in run.leaves.items() if leaf.grad is not None}
    analytic = sum(float((slope.numpy() * steps[at]).sum()) for at, slope in slopes.items())

    def weighed(sign: float) -> float:
        moved = [_wide(a) + sign * _STEP * steps[at] if at in steps else a
                 for at, a in enumerate(run.arrays)]  # fmt: skip
        values = zip(expected(row, moved), run.weights, strict=True)
        return float(sum((np.asarray(v) * w).sum() for v, w in values if w is not None))

    numeric = (weighed(1) - weighed(-1)) / (2 * _STEP)
    if slopes_agree(analytic, numeric, _SLOPES[run.kind]):
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


# ---- the smallest variant of a row that is wrong, as a script that can be pasted -----------------


Judge = Callable[[Method], str]

_MOST_TRIES = 40  # of smaller shapes


def least_call(row: Method, device: str, without: Collection[str] = ()) -> str:
    """A script of the smallest call whose value is wrong; nothing if none is."""
    kinds = tuple(k for k in row.dtypes if _computes_with(row, k, 4).isdisjoint(without))
    small = _least(replace(row, dtypes=kinds), lambda one: _said(check_rows, one, device))
    if small is None:
        return ""
    wanted = "expected, by numpy" if small.equals else "what must hold"
    return _script(small, device, f"result = {small.text}", f"{wanted}: {small.formula}")


def least_gradient(row: Method, device: str, without: Collection[str] = ()) -> str:
    """A script of the smallest call whose derivative is wrong; nothing if none is."""
    judge = partial(check_gradients, without=without)
    kinds = (_differentiated(without),)
    small = _least(replace(row, dtypes=kinds), lambda one: _said(judge, one, device))
    if small is None:
        return ""
    names = ", ".join(NAMES[: len(small.shapes[0])])
    code = (
        f"leaves = [t for t in ({names},) if t.dtype.is_float]\n"
        "for leaf in leaves:\n    leaf.requires_grad_()\n"
        f"result = {small.text}\n"
        "results = result if isinstance(result, (list, tuple)) else [result]\n"
        "sum(r.sum() for r in results if r.dtype.is_float).backward()\n"
        "result = [leaf.grad.tolist() for leaf in leaves if leaf.grad is not None]"
    )
    return _script(small, device, code, f"the derivative of: {small.formula}")


def refused_call(row: Refusal, device: str, without: Collection[str] = ()) -> str:
    """A script of a call that has to be refused."""
    lines = _beginning(device)
    for name, shape, kind in zip(NAMES, row.shapes, row.dtypes * len(row.shapes), strict=False):
        lines.append(f"{name} = Tensor.ones(*{shape}, dtype=dtypes.{kind})")
    return "\n".join([*lines, f"{row.text}  # expected {row.error}: {row.says}"]) + "\n"


def _least(row: Method, judge: Judge) -> Method | None:
    """The row with one variant that is wrong, as small as can be found."""
    singles = [replace(row, shapes=(s,), dtypes=(k,)) for s, k in variants(row)]
    singles.sort(key=lambda one: sum(map(prod, one.shapes[0])))  # by elements
    small = next((one for one in singles if judge(one)), None)
    tries = 0
    while small is not None and tries < _MOST_TRIES:
        for one in _smaller(small):
            tries += 1
            if _makes_sense(one) and judge(one):
                small = one
                break
        else:
            break
    return small


def _smaller(row: Method) -> Iterator[Method]:
    """The row with one of its sizes smaller, wherever it stands."""
    [shapes] = row.shapes
    for size in sorted({d for shape in shapes for d in shape if d > 1}, reverse=True):
        for less in sorted({1, 2, size // 2, size - 1} - {size, 0}):
            yield replace(row, shapes=(tuple(_with(shape, size, less) for shape in shapes),))


def _with(shape: Shape, size: int, less: int) -> Shape:
    return tuple(less if d == size else d for d in shape)


def _makes_sense(row: Method) -> bool:
    """Whether the reference can do it."""
    try:
        for shapes, kind in variants(row):
            expected(row, operands(row, shapes, kind)) if row.equals else None
    except Exception:
        return False
    return True


def _said(check: Callable[[Iterable[Method], str], list[str]], row: Method, device: str) -> str:
    """What is wrong with a row of one variant."""
    try:
        return answered(lambda: "".join(check([row], device)))
    except Exception as error:  # so it fails, whatever the other variants do
        return error_line(error)


def _beginning(device: str) -> list[str]:
    return [
        "import os",
        "from math import inf, nan",
        "import numpy as np",
        f"os.environ['DEVICE'] = {device!r}",
        "from rulewright import Tensor, dtypes",
    ]


def _script(row: Method, device: str, code: str, wanted: str) -> str:
    [shapes], [kind] = row.shapes, row.dtypes
    lines = _beginning(device)
    arrays: list[Any] = operands(row, shapes, kind)
    for name, array, own in zip(NAMES, arrays, row.kinds(kind, len(shapes)), strict=False):
        shape = f".reshape{array.shape}" if array.ndim != 1 else ""
        values = array.reshape(-1).tolist()
        lines.append(f"{name} = Tensor({values}, dtype=dtypes.{own}){shape}")
    lines += [code, f"print(result)  # {wanted}"]
    return "\n".join(lines) + "\n"
