"""Whether two results are as equal as they have to be: as a rule promises (`equiv`), or as near."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rulewright.checks.equiv import LEVELS
from rulewright.interp.shadow import Shadowed, largest
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.more_ops import more_ops

Array = np.ndarray[Any, Any]


@contextmanager
def silence() -> Iterator[None]:
    """Without numpy's warnings: of NaN and infinities, and of a mean of nothing, which is NaN."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def needs_shadow(equiv: t.Equiv | None) -> bool:
    """Whether results are compared with what they would be in f64."""
    return equiv is not None and equiv.name not in LEVELS


def level_of(equiv: t.Equiv | None) -> str:
    """The level at which floats are compared exactly; whoever meets it meets a tolerance too."""
    if equiv is None:
        return LEVELS[0]
    return str(equiv.name) if equiv.name in LEVELS else "signed_zero"


def either_nan(before: UOp) -> bool:
    """Whether a graph reduces one float: it is combined with where the reduction begins, which
    makes a NaN of its own, or not. Or has an op beside the spec, of several operands: its meaning
    is of several steps, of which numpy says not whose NaN comes out."""
    own = more_ops()
    return any(
        n.dtype.is_float and (_is_of_one(n) or (n.op.name in own and len(n.src) > 1))
        for n in before.toposort()
    )


def _is_of_one(node: UOp) -> bool:
    """Whether a node reduces one element."""
    if node.op is Ops.REDUCE:
        return all(r.vmax == 0 for r in node.src[1:])
    shape = node.src[0].shape or () if node.op is Ops.REDUCE_AXIS else ()
    return node.op is Ops.REDUCE_AXIS and all(shape[axis] == 1 for axis in node.arg[1])


def differ(
    before: Array,
    after: Array,
    dtype: DType,
    equiv: t.Equiv | None,
    finite: Array | bool = True,
    signs: bool = False,
    nans: bool = False,
) -> Array:
    """Where two exact results differ by more than a level allows.

    `finite` says where all inputs are: the level `finite` promises nothing elsewhere. `signs` says
    that the sign of a zero was free before, `nans` that the bits of a NaN were.
    """
    before, after = np.broadcast_arrays(before, after)
    if not dtype.is_float:
        return before != after
    level = equiv.name if equiv is not None and equiv.name in LEVELS else LEVELS[0]
    wrong = differ_at(level, before, after)
    if signs:
        wrong &= ~((before == 0) & (after == 0))
    if nans:
        wrong &= ~(np.isnan(before) & np.isnan(after))
    if level == "finite":
        wrong &= finite & ~np.isnan(before)
    return wrong


def differ_at(level: str, before: Array, after: Array) -> Array:
    """Where floats of one shape differ more than a level allows, whatever their operands were."""
    bits = f"u{before.dtype.itemsize}"
    wrong = np.ascontiguousarray(before).view(bits) != np.ascontiguousarray(after).view(bits)
    at = LEVELS.index(level)
    if at >= LEVELS.index("nan_payload"):
        wrong &= ~(np.isnan(before) & np.isnan(after))
    if at >= LEVELS.index("signed_zero"):
        wrong &= ~((before == 0) & (after == 0))
    return wrong


def unit_in_last_place(values: Array, dtype: DType) -> Array:
    """The distance of the floats of a dtype around some numbers in f64."""
    _, power = np.frexp(np.minimum(np.abs(values), largest(dtype)))
    return np.ldexp(1.0, np.maximum(power - 1, 1 - dtype.bias) - dtype.row["mantissa"])


def ulps(before: Shadowed, after: Array, dtype: DType) -> Array:
    """How many units in the last place `after` lies from the value of `before` in f64."""
    with np.errstate(all="ignore"):
        unit = unit_in_last_place(before.shadow, dtype)
        beyond = largest(dtype) + unit_in_last_place(np.array(largest(dtype)), dtype)
        wanted = np.clip(before.shadow, -beyond, beyond)
        result = np.clip(after.astype(np.float64), -beyond, beyond)
        if np.isfinite(float(dtype.max)):  # a dtype without infinities: too large is NaN
            result = np.where(np.isnan(result), np.copysign(beyond, wanted), result)
        away = np.abs(result - wanted) / unit
        both_nan = np.isnan(before.exact.astype(np.float64)) & np.isnan(after.astype(np.float64))
        same = both_nan | (before.exact == after)
        return np.where(same, 0.0, np.where(np.isnan(away), np.inf, away))


def differ_in_shadow(
    before: Shadowed, after: Shadowed, dtype: DType, equiv: t.Equiv, room: Array | None = None
) -> tuple[Array, float]:
    """Where results differ by more than `ulp:n` or `reassoc` allow, and the most that was found: in
    ulps, or as a part of what is allowed.

    `room` is what `reassoc` allows: the bound of the left side alone, by default as it is computed.
    """
    exact = np.broadcast_to(after.exact, before.exact.shape)
    if not dtype.is_float:
        return before.exact != exact, 0.0
    if equiv.name == "ulp":
        away = ulps(before, exact, dtype)
        # the value in f64 is itself rounded, which shows where the dtype is f64
        allowed = float(equiv.amount or 0) + (0.5 if dtype.bits == 64 else 0.0)
        if dtype.bits == 64:  # beyond the largest number there is no f64 to compare with
            large = largest(dtype) / 4
            as_large = np.abs(exact) > large / 2
            as_large &= np.signbit(exact) == np.signbit(before.shadow)
            away = np.where((np.abs(before.shadow) > large) & as_large, 0.0, away)
        return away > allowed, float(away.max(initial=0.0))
    room = before.tolerance if room is None else room
    room = np.where(np.isnan(room), np.inf, room)  # inf * 0 on the way: any order of it
    with np.errstate(all="ignore"):
        part = np.abs(exact.astype(np.float64) - before.shadow) / room
    used = float(part[np.isfinite(part)].max(initial=0.0))
    return ~before._replace(tolerance=room).agrees(exact), used


def key(values: Array, count: int) -> bytes:
    """What columns of so many equal values share; any NaN is every NaN, and 0.0 is not -0.0."""
    if values.dtype.kind not in "biu":
        values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values)
    return np.broadcast_to(values, (count,)).tobytes() if values.ndim < 2 else values.tobytes()


def agree(a: Array, b: Array) -> Array:
    """Where two arrays hold the same: the same bits, or both NaN."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind in "biu":
        return np.asarray(a == b)
    with np.errstate(invalid="ignore"):  # of a NaN of a small float
        return ~differ_at("nan_payload", a, b)


def near(result: Array, wanted: Array, relative: float, absolute: float = 0.0) -> Array:
    """Where numbers in f64 lie as near as `relative` of what is wanted and `absolute` together; two
    NaNs are near, and equal infinities.
    """
    return np.isclose(result, wanted, rtol=relative, atol=absolute, equal_nan=True)


def slopes_agree(claimed: Any, slope: Any, tolerance: float) -> Any:
    """Where a derivative is what differences say, relative to slopes of 1 and more."""
    return np.abs(claimed - slope) <= tolerance * np.maximum(1.0, np.abs(slope))
