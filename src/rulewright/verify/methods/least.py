"""The smallest variant of a row that is wrong, as a script that can be pasted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from math import prod
from typing import Any

from rulewright.verify.methods.check import check_gradients, check_rows, expected
from rulewright.verify.methods.operands import NAMES, operands, variants
from rulewright.verify.methods.row import Method, Refusal, Shape
from rulewright.verify.values.samples import error_line

Shapes = tuple[Shape, ...]
Judge = Callable[[Method], str]

_MOST_TRIES = 40  # of smaller shapes


def least_call(row: Method, device: str, without: Collection[str] = ()) -> str:
    """A script of the smallest call whose value is wrong; nothing if none is."""
    kinds = tuple(k for k in row.dtypes if {k, *row.kinds(k, 4)}.isdisjoint(without))
    small = _least(replace(row, dtypes=kinds), lambda one: _said(check_rows, one, device))
    if small is None:
        return ""
    wanted = "expected, by numpy" if small.equals else "what must hold"
    return _script(small, device, f"result = {small.text}", f"{wanted}: {small.formula}")


def least_gradient(row: Method, device: str, without: Collection[str] = ()) -> str:
    """A script of the smallest call whose derivative is wrong; nothing if none is."""
    small = _least(replace(row, dtypes=("f64",)), lambda one: _said(check_gradients, one, device))
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
    singles.sort(key=_elements)
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


def _elements(row: Method) -> int:
    return sum(prod(shape) for shape in row.shapes[0])


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
        return "".join(check([row], device))
    except Exception as error:  # so it fails, whatever the other variants do
        return error_line(error)


def _beginning(device: str) -> list[str]:
    return [
        "from math import inf, nan",
        "import numpy as np",
        "from rulewright import Context, Tensor, dtypes",
        f"Context(DEVICE={device!r}).__enter__()",
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
