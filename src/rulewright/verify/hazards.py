"""Hazards: programs that write into views, which numpy and tensors both understand.

`new(*shape)` makes 1, 2, 3 … in a shape, `flip`, `roll`, `copy`, `where`, `total` and `turned` are
named alike for both. What every name holds at the end is what has to agree.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from rulewright.tensor.tensor import Tensor
from rulewright.verify.values.comparison import near

PROGRAMS = {
    # ---- one memory, one view ----
    "fill": "a = new(4); a[:] = 7",
    "part": "a = new(4); a[1:3] = 0",
    "part by step": "a = new(7); a[::2] = -1",
    "part backwards": "a = new(5); a[::-1] = new(5) * 10",
    "one element": "a = new(3, 4); a[1, 2] = 99",
    "last element": "a = new(3, 4); a[-1, -1] = 99",
    "empty part": "a = new(4); a[2:2] = 5",
    "column": "a = new(3, 4); a[:, 1] = new(3) * -1",
    "row broadcast": "a = new(3, 4); a[1:] = new(4) * -1",
    "corner": "a = new(4, 4); a[1:3, 2:] += 100",
    "strided corner": "a = new(5, 5); a[::2, 1::2] *= -1",
    "scalar array": "a = new(1)[0:1]; a += 1; a *= 3",
    "same part twice": "a = new(5); a[1:4] = 1; a[1:4] = 2",
    "two parts": "a = new(6); a[:3] = 1; a[3:] = 2",
    "overlapping parts": "a = new(6); a[:4] = 1; a[2:] = 2",
    "in-place operators": "a = new(4); a += 1; a -= 3; a *= 2; a *= a",
    "row by row": "a = new(3, 4)\nfor i in range(3): a[i] = a[i] * (i + 1)",
    "new axis": "a = new(2, 3); a[None, 1:] = 5",
    # ---- views see writes ----
    "view first": "a = new(4); b = a[1:]; a += 10",
    "write through view": "a = new(4); b = a[1:]; b += 10",
    "slice of a slice": "a = new(9); b = a[1:8]; c = b[1:5]; d = c[1:3]; d[:] = 0",
    "slice of a stepped slice": "a = new(12); b = a[::2]; c = b[1::2]; c += 100; b *= 2",
    "transposed view": "a = new(2, 3); b = turned(a); b[0] = 9; a[1] += 1",
    "turned twice": "a = new(2, 3); b = turned(turned(a)); b += 5",
    "flipped view": "a = new(5); b = a[::-1]; b[0] = 0; a[0] = 50",
    "flipped slice": "a = new(6); b = a[1:5][::-1]; b[:2] = 0; b += 1",
    "flip copies": "a = new(5); b = flip(a, 0); b[0] = 0; a[0] = 50",
    "reshaped view": "a = new(6); b = a.reshape(2, 3); b[1] = 0; a[0] = 7",
    "reshaped twice": "a = new(8); b = a.reshape(2, 4); c = b.reshape(2, 2, 2); c[1, 0] = 0",
    "view of a row": "a = new(3, 3); b = a[1]; b *= 2; a[1] += 1",
    "view of a column": "a = new(3, 3); b = a[:, 1]; b *= 2; a += 1",
    "two views overlap": "a = new(6); b = a[:4]; c = a[2:]; b += 1; c *= 2; b += 1",
    "views of views meet": "a = new(8); b = a[2:]; c = a[:6]; b[:2] = 0; c[4:] = 9",
    "view of all": "a = new(4); b = a[:]; b += 1; a += 1",
    "view outlives": "a = new(4); b = a[1:3]; a += 1; del a; b += 1",
    "view of what is gone": "a = new(2, 4); b = turned(a)[1:]; del a; c = b[0]; c += 1",
    "element view": "a = new(2, 2); b = a[0, 0:1]; b += 9; a *= 2",
    # ---- old values stay ----
    "read before write": "a = new(4); b = a * 2; a += 1",
    "copy before write": "a = new(4); b = copy(a); a[1:] = 0",
    "read between writes": "a = new(4); b = a * 1.5; a += 1; c = a * 2; a *= 3; d = a - 1",
    "sum before write": "a = new(3, 4); b = total(a); a += 1; c = total(a)",
    "row sums before write": "a = new(3, 4); b = a.sum(1); a[0] = 0; c = a.sum(1)",
    "old value of a view": "a = new(5); b = a[1:4] * 2; a[2] = 100",
    "old value through a view": "a = new(5); v = a[1:4]; b = v + 0.5; a += 10; c = v + 0.5",
    "product before write": "a = new(3, 3); b = a @ a; a *= 0; c = a @ b",
    "reader of a reader": "a = new(4); b = a + 1; c = b * 2; a += 5; d = c + a",
    "old and new in one": "a = new(4); b = a * 10; a += 1; c = a + b; a += 1; d = a + b + c",
    "reader used to write": "a = new(4); b = a * 10; a += 1; a += b; b += a",
    "many readers": "a = new(3); r = [a * (i + 1) for i in range(4)]; a += 1; s = r[0] + r[3]",
    "copy of a view": "a = new(4, 2); b = copy(a[1:3]); a *= 2; b += 1",
    "flipped old": "a = new(5); b = flip(a, 0) * 1.0; a[:2] = 0",
    # ---- a memory written from itself ----
    "double": "a = new(4); a[:] = a + a",
    "shift up": "a = new(6); a[1:] = copy(a[:-1])",
    "shift up in place": "a = new(6); a[1:] = a[:-1]",
    "shift down in place": "a = new(6); a[:-1] = a[1:]",
    "shift and add": "a = new(6); a[1:] += a[:-1]",
    "add neighbours": "a = new(7); a[1:-1] = a[:-2] + a[2:]",
    "flip in place": "a = new(5); a[:] = flip(a, 0)",
    "flip half": "a = new(6); a[:3] = flip(a, 0)[:3]",
    "add own flip": "a = new(6); a += flip(a, 0)",
    "roll in place": "a = new(6); a[:] = roll(a, 2)",
    "transpose in place": "a = new(3, 3); a[:] = turned(a)",
    "add own transpose": "a = new(3, 3); a += turned(a)",
    "swap halves": "a = new(6); t = copy(a[:3]); a[:3] = a[3:]; a[3:] = t",
    "swap rows": "a = new(3, 3); t = a[0] * 1; a[0] = a[2]; a[2] = t",
    "divide by own sum": "a = new(4); a *= 2; a[:] = a - total(a)",
    "own product": "a = new(3, 3); a[:] = a @ a; a[0] = a[1] + a[2]",
    "row from column": "a = new(3, 3); a[0] = a[:, 0]; a[:, 1] = a[2]",
    "broadcast first row": "a = new(3, 4); a[:] = a[0]",
    "subtract first row": "a = new(3, 4); a -= a[0]",
    "even from odd": "a = new(8); a[::2] = a[1::2]; a[1::2] = a[::2] * 2",
    "prefix sum by hand": "a = new(6)\nfor i in range(1, 6): a[i] += a[i - 1]",
    "doubling prefix sum": "a = new(8)\nfor k in (1, 2, 4): a[k:] += copy(a[:-k])",
    # ---- several memories ----
    "swap": "a = new(3); b = new(3) * 10; t = copy(a); a[:] = b; b[:] = t",
    "swap by lazy value": "a = new(3); b = new(3) * 10; t = a * 1; a[:] = b; b[:] = t",
    "swap three": "a = new(3); b = a * 10; c = a * 100; t = a + 0; a[:] = b; b[:] = c; c[:] = t",
    "swap parts": "a = new(4); b = new(4) * 10; t = copy(a[1:3]); a[1:3] = b[:2]; b[:2] = t",
    "cross update": "a = new(3); b = new(3) * 10; u = a + b; v = a - b; a[:] = u; b[:] = v",
    "mutual in-place": "a = new(3); b = new(3) * 10\nfor _ in range(3): a += b; b += a",
    "chain": "a = new(3); b = new(3); c = new(3); b += a; c += b; a += c",
    "write both, read both": "a = new(3); b = new(3); c = a + b; a += 1; d = a + b; b += 1",
    "copy a to b and on": "a = new(3); b = new(3) * 0; b[:] = a; a += 1; b += 1",
    "assign a view of another": "a = new(6); b = new(3); b[:] = a[::2]; a *= 0",
    "two writers one reader": "a = new(4); b = new(2); a[:2] = b; a[2:] = b * 2; c = a * 1; b += 9",
    "gather by concatenation": "a = new(4); b = new(2) * 0; b[0] = a[3]; b[1] = a[2]; a[:2] = b",
    "fibonacci": "a = new(2)\nfor _ in range(5): t = a[0:1] + a[1:2]; a[0] = a[1]; a[1:2] = t",
    "power iteration": "a = new(2, 2); v = new(2)\nfor _ in range(3): v[:] = a @ v; v -= v[0] / 2",
    "momentum": (
        "w = new(3); m = new(3) * 0\n"
        "for i in range(4): g = w * 2 - i; m *= 0.5; m += g; w -= m * 0.25"
    ),
    "averages": (
        "w = new(4); s = w * 0; k = []\n"
        "for i in range(3): s += w; k.append(s * (1 / (i + 1))); w += 1\n"
        "x, y, z = k"
    ),
    "states of a loop": (
        "a = new(3); k = []\nfor i in range(4): k.append(a * 1); a += i\nw, x, y, z = k"
    ),
    "accumulate into parts": (
        "a = new(4, 3) * 0; b = new(3)\nfor i in range(4): a[i] = b; b += a[i] * 0.5"
    ),
    "ring buffer": "r = new(4) * 0\nfor i in range(7): r[i % 4] = total(r) + i",
    "game of neighbours": (
        "a = new(4, 4)\nfor _ in range(2): t = a[:-1] + a[1:]; a[1:] = t / 2; a[:, 1:] = a[:, :-1]"
    ),
    "triangular solve": (
        "m = new(3, 3); b = new(3)\nfor i in range(1, 3): b[i] -= (m[i, :i] * b[:i]).sum()"
    ),
    "elimination": "a = new(3, 3) + 1\nfor i in (1, 2): a[i] -= a[0] * (a[i, 0] * 0.5)",
    "insertion": "a = new(5); t = a[4] * 1; a[1:] = copy(a[:-1]); a[0] = t",
    "bubble": (
        "a = flip(new(4), 0) * 1\nfor i in range(3):\n"
        "  t = where(a[i] > a[i + 1], a[i], a[i + 1]); u = a[i] + a[i + 1]; a[i + 1] = t\n"
        "  a[i] = u - t"
    ),
    # ---- writes of chosen elements ----
    "masked": "a = new(5); a[a > 2] = 0; a += 1",
    "masked view": "a = new(6); b = a[1:5]; b[b > 3] = -1; c = a * 2",
    "masked from itself": "a = new(5); a[:] = where(a > 2, flip(a, 0), a)",
    "mask before write": "a = new(5); m = a > 2; a += 2; b = where(m, a, a * 0)",
    # ---- values that are what is in memory ----
    "plus zero is a copy": "a = new(3); b = a + 0; c = a * 1; a += 1; b += 5",
    "equal values are apart": "a = new(3); b = a * 2; c = a * 2; b += 1; a += 1",
    "part of a value": "a = new(3, 3) * 2; b = a[1]; a += 1; b += 1",
    "view of a lazy value": "a = new(4) * 2; b = a[::2]; c = b * 3; b += 1; a[0] = 0",
    "constants": "a = new(4) * 0; b = a[:2]; b += 1; c = a + b[0]; a[2:] = b",
    "broadcast value is a copy": "a = new(3); b = a.reshape(3, 1) + new(2) * 0; a += 1; b += 1",
    "reduced then written": "a = new(3, 2); b = a.sum(0); b += a[0]; a += b",
    "value written back": "a = new(4); b = a * 2; a[:] = b; b += 1; a += 1",
    "old sum and new sum": (
        "a = new(3, 3) + 1; b = new(3, 3) * 10; a[0] = total(b); b[0] = total(a); a += 2\n"
        "a[0] = total(b)"
    ),
    "value in two places": "a = new(4); b = new(2); t = a[1:3] * 5; a[:2] = t; a[2:] = t; b[:] = t",
}  # fmt: skip


def numpy_names() -> dict[str, Any]:
    """What a program may call, for numpy arrays."""

    def new(*shape: int) -> Any:
        return np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape).copy()

    def flip(array: Any, axis: int) -> Any:
        return np.flip(array, axis).copy()  # as PyTorch's, which is no view

    return {"new": new, "flip": flip, "roll": np.roll, "copy": np.copy, "where": np.where,
            "total": np.sum, "turned": np.transpose}  # fmt: skip


def tensor_names(device: str | None, lazy: bool) -> dict[str, Any]:
    """What a program may call, for tensors of a device: in memory, or `lazy` values at first."""

    def new(*shape: int) -> Tensor:
        array = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
        tensor = Tensor(array, device=device)
        return tensor + 0 if lazy else tensor

    return {"new": new, "flip": lambda x, axis: x.flip(axis), "roll": lambda x, by: x.roll(by, 0),
            "copy": lambda x: x.clone(), "where": lambda c, x, y: c.where(x, y),
            "total": lambda x: x.sum(), "turned": lambda x: x.T}  # fmt: skip


def check_hazard(
    source: str, device: str | None = None, without: Collection[str] = ()
) -> list[str]:
    """What a program leaves behind that numpy does not; every name is read at the end."""
    expected = _left_by(source, numpy_names())
    wrong = []
    for lazy in (False, True):
        left = _left_by(source, tensor_names(device, lazy))
        for name, value in expected.items():
            if isinstance(value, int | list):
                continue
            got = left[name].numpy()
            if got.shape != value.shape or not near(got, value, 1e-6, 1e-8).all():
                start = "values at first lazy" if lazy else "values in memory"
                wrong.append(f"{name}, {start}: expected {value.tolist()}, found {got.tolist()}")
    return wrong


def _left_by(source: str, names: Mapping[str, Any]) -> dict[str, Any]:
    space = dict(names)
    exec(source, space)
    return {k: v for k, v in space.items() if k not in names and k != "__builtins__"}


def hazard_script(source: str, device: str, without: Collection[str] = ()) -> str:
    """A program with what it needs, as code that can be pasted."""
    return _SCRIPT.format(device=device, source=source)


_SCRIPT = """\
import numpy as np
from rulewright import Tensor


def new(*shape):  # values that are lazy at first: end with + 0
    numbers = np.arange(1, np.prod(shape) + 1, dtype=np.float32)
    return Tensor(numbers.reshape(shape), device={device!r})


flip, roll, copy = lambda x, axis: x.flip(axis), lambda x, by: x.roll(by, 0), lambda x: x.clone()
where, total, turned = lambda c, x, y: c.where(x, y), lambda x: x.sum(), lambda x: x.T

{source}
for name, value in list(globals().items()):
    if isinstance(value, Tensor):
        print(name, value.tolist())
"""
