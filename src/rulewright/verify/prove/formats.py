"""Formats of floats: which of them z3 knows, and rounding to those that it does not."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType, dtype
from rulewright.verify.prove.terms import Kind


def ieee(kind: Kind) -> bool:
    """Whether a kind is a float of IEEE 754, with infinities and two zeros."""
    return kind.sort == "float" and _is_ieee(dtype(kind.name))


def theory(kind: Kind) -> str:
    """What z3 knows of a kind: "" for the floats that it does not."""
    return kind.sort if kind.sort != "float" or ieee(kind) else ""


def rounded(z3: Any, context: Any, value: Any, digits: int, kind: Kind) -> Any:
    """The bits of a number as an 8-bit float without infinities; too large is NaN.

    `value` has 11 bits of exponent and `digits` digits. Below the smallest normal number the last
    place is fixed; above it, rounding to as many digits gives exponent and mantissa.
    """
    near = z3.RNE(context)
    row, bias = dtype(kind.name).row, dtype(kind.name).bias
    places, sort = row["mantissa"], value.sort()
    size = z3.fpAbs(value, context)

    def number(power: float) -> Any:
        return z3.FPVal(power, sort, ctx=context)

    short = z3.fpFPToFP(near, size, z3.FPSort(11, places + 1, context), context)
    normal = z3.fpFPToFP(near, short, sort, context)
    pattern = z3.Extract(digits + 9, digits - 1 - places, z3.fpToIEEEBV(normal, context))
    high = z3.Extract(6, 0, pattern - ((1023 - bias) << places))
    units = z3.fpMul(near, size, number(2.0 ** (bias - 1 + places)), context)
    low = z3.fpToUBV(
        near, z3.fpRoundToIntegral(near, units, context), z3.BitVecSort(7, context), context
    )
    code = z3.If(z3.fpLT(size, number(2.0 ** (1 - bias)), context), low, high)
    sign = z3.If(
        z3.fpIsNegative(value, context), z3.BitVecVal(1, 1, context), z3.BitVecVal(0, 1, context)
    )
    nan = z3.BitVecVal(nans(kind.name)[0], 8, context)
    found = z3.Concat(sign, code)
    if nans(kind.name) == (128,):  # zero has no sign
        found = z3.If(code == 0, z3.BitVecVal(0, 8, context), found)
    lost = z3.Or(z3.fpIsNaN(value, context), z3.fpGT(normal, number(row["largest"]), context))
    return z3.If(lost, nan, found)


@cache
def _is_ieee(kind: DType) -> bool:
    return "largest" not in kind.row and "bias" not in kind.row


@cache
def nans(name: str) -> tuple[int, ...]:
    """The bits that are NaN; of long floats the one of constants."""
    kind = dtype(name)
    if kind.bits > 8:
        one = np.asarray(np.nan).astype(kind.np)
        return (int(one.view(f"u{kind.bits // 8}")),)
    every = np.arange(256, dtype=np.uint8)
    return tuple(int(b) for b in every[np.isnan(every.view(kind.np).astype(np.float64))])


__all__ = ["ieee", "nans", "rounded", "theory"]
