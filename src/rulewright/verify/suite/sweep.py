"""Sweeps: one elementwise call over numbers that are chosen to be hard."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.tensor.tensor import Tensor
from rulewright.verify.methods.row import kind_named
from rulewright.verify.methods.text import Expression, text_of
from rulewright.verify.values.comparison import unit_in_last_place
from rulewright.verify.values.samples import bits_type, generator

Array = np.ndarray[Any, Any]
Wanted = Array | tuple[Array, Array]
Operands = Callable[[DType, np.random.Generator], list[Array]]
Constants = Callable[[DType], list[int | float]]

_NAMES = "xyz"
_WINDOWS = (1, 8, 64, 512)  # operands with which a mistake is tried to be shown, around it


@dataclass(frozen=True)
class Sweep:
    """A call over tensors x, y, z and what it is worth.

    name: words that name it, unique in its kind.
    call: a function of x, y, z; the last is a number where there are constants.
    operands: the arrays for a dtype, of one length, out of a generator.
    wanted: the exact values from the arrays: integers, or numbers in f64, or pairs of these that
      are to be added.
    dtypes: of the operands. gives: of the result; empty: that of the operands.
    ulps: how many units in the last place a float may be wrong; 0.5: rounded correctly, to the
      even one of two that are as near.
    signs: whether the signs of zeros have to be right.
    constants: numbers c for a dtype, each in a kernel of its own; the last array is full of it.
    """

    name: str
    call: Expression
    operands: Operands
    wanted: Callable[[list[Array]], Wanted]
    dtypes: tuple[str, ...]
    gives: str = ""
    ulps: float = 0.5
    signs: bool = False
    constants: Constants | None = None

    @property
    def text(self) -> str:
        """The code that says what is run."""
        return text_of(self.call)

    def check(self, device: str, without: Collection[str] = ()) -> list[str]:
        """What is wrong on a device, but for dtypes that it goes without; all are run together."""
        runs = list(self._runs(without))
        results = [run.result(device) for run in runs]
        if results:
            Tensor.realize(*results)
        problems = (run.problem(result)[1] for run, result in zip(runs, results, strict=True))
        return [problem for problem in problems if problem]

    def least(self, device: str, without: Collection[str] = ()) -> str:
        """A script with the fewest operands that show what is wrong; nothing if it is right."""
        for run in self._runs(without):
            at, problem = run.problem(run.result(device))
            if problem:
                return run.least(device, at)
        return ""

    def _runs(self, without: Collection[str]) -> Iterator[_SweepRun]:
        for kind in self.dtypes:
            if kind in without:
                continue
            dtype = kind_named(kind)
            arrays = self.operands(dtype, generator(f"{self.name} {kind}"))
            for constant in self.constants(dtype) if self.constants else [None]:
                yield _SweepRun(self, dtype, arrays, constant)


def beside_constants(sweep: Sweep, operands: Operands, constants: Constants) -> list[Sweep]:
    """A sweep of two tensors, and the same of a tensor and a constant."""
    name = f"{sweep.name} by a constant"
    return [sweep, replace(sweep, name=name, operands=operands, constants=constants)]


@dataclass(frozen=True)
class _SweepRun:
    """A sweep of one dtype, by one constant if it has any."""

    sweep: Sweep
    dtype: DType
    arrays: list[Array]
    constant: int | float | None

    @property
    def call(self) -> Expression:
        if self.constant is None:
            return self.sweep.call
        return partial(self.sweep.call, **{_NAMES[len(self.arrays)]: self.constant})

    def result(self, device: str) -> Tensor:
        """What the device makes of it, which has not run yet."""
        tensor: Tensor = self.call(
            *(Tensor(array, dtype=self.dtype, device=device) for array in self.arrays)
        )
        return tensor

    def problem(self, result: Tensor) -> tuple[int, str]:
        """Where a result is the most wrong, and how; nothing if it is right."""
        kind = kind_named(self.sweep.gives) if self.sweep.gives else self.dtype
        if result.dtype is not kind:
            return 0, f"{text_of(self.call)}: expected dtype {kind.name}, found {result.dtype.name}"
        array = result.numpy()
        operands = list(self.arrays)
        if self.constant is not None:
            operands.append(np.full(array.shape, self.constant, self.dtype.np))
        values = self.sweep.wanted(operands)
        wanted, missing = values if isinstance(values, tuple) else (values, 0.0)
        away, wrong = self._away(array, wanted, missing, kind)
        if not wrong.any():
            return 0, ""
        at = int(np.where(wrong, away, -1.0).argmax())
        shown = ", ".join(f"{n} = {a[at]!r}" for n, a in zip(_NAMES, self.arrays, strict=False))
        said = f"{self.dtype.name}: {text_of(self.call)} with {shown}: "
        said += f"expected {wanted[at]}, found {array[at]}"
        ulps = f", {away[at]:.3g} ulps away of {self.sweep.ulps:g}" if kind.is_float else ""
        return at, f"{said}{ulps} ({int(wrong.sum())} of {wrong.size} are wrong)"

    def _away(self, result: Array, wanted: Array, missing: Any, kind: DType) -> tuple[Array, Array]:
        """How many units results are away, and where that is too much."""
        if not kind.is_float:
            wrong = result != wanted
            return wrong.astype(np.float64), wrong
        with np.errstate(all="ignore"):
            away = ulps_away(result.astype(np.float64), wanted, missing, kind)
            wrong = away > self.sweep.ulps
            if self.sweep.ulps == 0.5:
                wrong |= (away == 0.5) & (result.view(bits_type(kind)) & 1 == 1)
            if self.sweep.signs and _has_minus_zero(kind):
                exact = (wanted == 0) & (result.astype(np.float64) == 0)
                wrong |= exact & (np.signbit(wanted) != np.signbit(result.astype(np.float64)))
        return away, wrong

    def least(self, device: str, at: int) -> str:
        """A script with as few operands as show the mistake around one of them."""
        count = self.arrays[0].size
        for window in (*_WINDOWS, count):
            begin = at // window * window
            part = slice(begin, begin + window)
            run = _SweepRun(self.sweep, self.dtype, [a[part] for a in self.arrays], self.constant)
            if window >= count or run.problem(run.result(device))[1]:
                return run.script(device)
        return ""

    def script(self, device: str) -> str:
        """The call over these operands, as code that can be pasted."""
        lines = ["from math import inf, nan", "from rulewright import Tensor, dtypes", ""]
        for name, array in zip(_NAMES, self.arrays, strict=False):
            kind = f"dtype=dtypes.{self.dtype.name}, device={device!r}"
            lines.append(f"{name} = Tensor({array.tolist()}, {kind})")
        operands = list(self.arrays)
        if self.constant is not None:
            operands.append(np.full(operands[0].shape, self.constant, self.dtype.np))
        values = self.sweep.wanted(operands)
        wanted = values[0] if isinstance(values, tuple) else values
        expected = np.asarray(wanted).tolist()
        lines.append(f"print(({text_of(self.call)}).tolist(), 'expected', {expected})")
        return "\n".join(lines) + "\n"


def _has_minus_zero(kind: DType) -> bool:
    zero = np.array(-0.0).astype(kind.np)
    return bool(np.signbit(zero.astype(np.float64)) and zero == 0)


def ulps_away(result: Array, wanted: Array, missing: Any, kind: DType) -> Array:
    """How many units in the last place numbers in f64 are away from `wanted + missing`.

    What is beyond the largest number counts as the number behind it, so that a bound decides
    whether a result may be infinite; types without infinities have NaN there.
    """
    half = np.where(np.abs(wanted) > 1, 0.5, 1.0)  # so that nothing is beyond f64
    largest = float(dtypes.finfo(kind).max) * half
    unit = unit_in_last_place(wanted, kind) * half
    beyond = largest + unit_in_last_place(np.array(float(dtypes.finfo(kind).max)), kind) * half
    scaled = np.clip(wanted * half, -beyond, beyond)
    other = np.where(np.isinf(wanted), 0.0, missing * half)
    near = np.clip(result * half, -beyond, beyond)
    if np.isfinite(float(kind.max)):
        large = np.isnan(result) & ~np.isnan(wanted)
        near = np.where(large, np.copysign(beyond, scaled), near)
    apart, other = near - scaled, np.where(np.abs(scaled) < beyond, other, 0.0)
    rest = apart - other
    lost = apart - rest - other  # by rounding: what lies next to half a unit is not half of one
    away = np.abs(rest) / unit
    away = np.where(lost == 0, away, np.nextafter(away, np.copysign(np.inf, lost * rest)))
    same = (np.isnan(result) & np.isnan(wanted)) | (np.isinf(wanted) & (result == wanted))
    return np.where(same, 0.0, np.where(np.isnan(away), np.inf, away))
