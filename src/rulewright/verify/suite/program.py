"""Programs of a few lines, beside the same in numpy: what is run is a script that can be pasted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rulewright.errors import RulewrightError
from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.row import kind_named
from rulewright.verify.values.comparison import near, silence
from rulewright.verify.values.lacking import lacks_integers, of_those_it_has
from rulewright.verify.values.samples import error_line, seed_of

_BEGIN = """\
import numpy as np
from rulewright import Device, Tensor, Variable, dtypes, jit

device, kind, n = {device!r}, dtypes.{kind}, {size}
rng = np.random.default_rng({seed})


def draw(*shape):
    return rng.integers({low}, {high}, shape).astype(kind.np)


def put(array, on=device):
    return Tensor(array, device=on)


{inputs}
{code}
"""
_END = "print(result, 'expected', wanted)"


@dataclass(frozen=True)
class SuiteProgram:
    """A program for a device, whose result numpy knows too.

    name: words that name it, unique in its kind.
    inputs: numpy code that makes what both have: `draw(*shape)` gives whole numbers from -8 to 8 (0
      to 8, 0 to 1), which sums and products keep exactly, of the dtype `kind`; `n` is the size.
    code: code over these, `put(array)`, `device`, Tensor, Variable, jit and dtypes; leaves
      `result`, a tensor, a number, an array, or a list of such.
    equals: numpy code that leaves `wanted`, the same.
    dtypes, sizes: each dtype is run with the first size, each size with the first dtype.
    relative: how far apart results may lie, relative to the largest one expected.
    """

    name: str
    inputs: str
    code: str
    equals: str
    dtypes: tuple[str, ...] = ("f32",)
    sizes: tuple[int, ...] = (3,)
    relative: float = 0.0

    @property
    def text(self) -> str:
        """The code that says what is run, in a few lines."""
        return f"{self.inputs}\n{self.code}"

    def check(self, device: str, without: Collection[str] = ()) -> list[str]:
        """What is wrong on a device, but for dtypes that it goes without."""

        def said(kind: str, size: int) -> list[str]:
            problem = self._problem(device, kind, size)
            return [f"{kind}, n = {size}: {problem}"] if problem else []

        return of_those_it_has(partial(said, *variant) for variant in self.variants(without))

    def least(self, device: str, without: Collection[str] = ()) -> str:
        """A script that shows the smallest variant that is wrong; nothing if none is."""
        for kind, size in self.variants(without):
            if self._problem(device, kind, size):
                return f"{self.script(device, kind, size)}{self.equals}\n{_END}\n"
        return ""

    def variants(self, without: Collection[str] = ()) -> Iterator[tuple[str, int]]:
        """Dtypes and sizes, the smallest first."""
        kinds = [kind for kind in self.dtypes if kind not in without]
        yield from ((kind, size) for kind in kinds[:1] for size in sorted(self.sizes))
        yield from ((kind, min(self.sizes)) for kind in kinds[1:])

    def script(self, device: str, kind: str, size: int) -> str:
        """What is run for a dtype and a size."""
        dtype = kind_named(kind)
        low, high = (0, 2) if dtype.is_bool else (0 if dtype.min == 0 else -8, 9)
        seed = seed_of(f"{self.name} {kind} {size}")
        return _BEGIN.format(
            device=device, kind=kind, size=size, seed=seed, low=low, high=high,
            inputs=self.inputs, code=self.code,
        )  # fmt: skip

    def _problem(self, device: str, kind: str, size: int) -> str:
        names: dict[str, Any] = {}
        try:
            exec(self.script(device, kind, size), names)
            result = arrays(names["result"])
        except RulewrightError as error:
            if lacks_integers(error):
                raise
            return error_line(error)
        with silence():
            exec(self.equals, names)
        return difference(result, arrays(names["wanted"]), self.relative)


def arrays(value: Any) -> list[np.ndarray[Any, Any]]:
    """What a program left, as arrays in memory of this process."""
    if isinstance(value, list | tuple):
        return [array for part in value for array in arrays(part)]
    return [value.numpy() if isinstance(value, Tensor) else np.asarray(value)]


def difference(result: list[Any], wanted: list[Any], relative: float) -> str:
    """How results differ from what is expected, or nothing."""
    if len(result) != len(wanted):
        return f"expected {len(wanted)} results, found {len(result)}"
    for number, (one, other) in enumerate(zip(result, wanted, strict=True)):
        place = f"result {number}: " if len(wanted) > 1 else ""
        if one.shape != other.shape:
            return f"{place}expected shape {other.shape}, found {one.shape}"
        wrong = ~_same(one, other, relative)
        if wrong.any():
            at = np.unravel_index(int(wrong.argmax()), wrong.shape)
            where = f" at {tuple(map(int, at))}" if at else ""
            return f"{place}expected {other[at]}{where}, found {one[at]}"
    return ""


def _same(result: Any, wanted: Any, relative: float) -> Any:
    if result.dtype.kind in "biu" and wanted.dtype.kind in "biu":
        return result == wanted
    wide, exact = result.astype(np.float64), wanted.astype(np.float64)
    finite = np.abs(exact[np.isfinite(exact)])
    return near(wide, exact, relative, relative * float(finite.max(initial=0.0)))
