"""What each elementwise op does to arrays: the `meaning` clauses of `spec/20-ops.uop`.

The clauses are numpy expressions; the functions below are the words that numpy lacks. Every
answer has exactly the dtype of its node: integers wrap, floats are rounded to nearest even.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rounding import round_to

Array = np.ndarray[Any, Any]

TRANSCENDENTAL = Ops.group("Transcendental")
"""Ops that are computed in f64 and rounded, so that their answer is the same on every host."""

_VERBATIM = frozenset({Ops.CAST, Ops.BITCAST, Ops.WHERE})

_ROUNDED = {o for o in Ops if o.elementwise} - {Ops.CAST, *Ops.group("Unrounded")}
"""Ops of which a NaN has bits that numpy leaves to where the numbers lie in memory."""


def one(dtype: DType) -> Array:
    """The number 1."""
    return np.ones((), dtype.np)


def cast(x: Array, dtype: DType) -> Array:
    """`x` converted: see the row of CAST for what happens out of range."""
    target, source = dtype.np, x.dtype
    if dtype.is_bool:
        return np.not_equal(x, np.zeros((), source))
    if dtype.is_float:
        return round_to(x, target)
    if source.kind in "biu":
        return x.astype(target)
    return _saturate(x, target)


def _saturate(x: Array, target: np.dtype[Any]) -> Array:
    """Floats as integers: toward zero, the nearest bound out of range, 0 for NaN."""
    limits = np.iinfo(target)
    wide = np.trunc(x.astype(np.float64))
    # float(max) rounds up to a power of two for 64 bits, so >= is the test that never overflows
    high, low = wide >= float(limits.max), wide <= float(limits.min)
    inside = np.where(high | low | np.isnan(wide), 0.0, wide).astype(target)
    return np.where(high, limits.max, np.where(low, limits.min, inside)).astype(target)


def bitcast(x: Array, dtype: DType) -> Array:
    """The same bits as another dtype of the same width."""
    if x.dtype.itemsize != dtype.np.itemsize:
        raise InterpreterError(f"BITCAST: {x.dtype} and {dtype.name} differ in width")
    return np.ascontiguousarray(x).view(dtype.np).reshape(x.shape)


def _safe(a: Array, b: Array) -> tuple[Array, Array]:
    """A divisor that numpy can divide by: neither 0 nor the -1 that makes a quotient overflow."""
    zero = b == 0
    minus = (b == -1) if b.dtype.kind == "i" else np.zeros_like(zero)
    return np.where(zero | minus, np.ones((), b.dtype), b), minus


def floordiv(a: Array, b: Array) -> Array:
    """Python's `//`; x // 0 is 0."""
    divisor, minus = _safe(a, b)
    quotient = np.where(minus, np.negative(a), np.floor_divide(a, divisor))
    return np.where(b == 0, np.zeros((), a.dtype), quotient).astype(a.dtype)


def floormod(a: Array, b: Array) -> Array:
    """Python's `%`; x % 0 is x."""
    return np.subtract(a, np.multiply(floordiv(a, b), b))


def cdiv(a: Array, b: Array) -> Array:
    """C's `/`, toward zero; x / 0 is 0."""
    floored = floordiv(a, b)
    if a.dtype.kind == "u":
        return floored
    inexact = (np.multiply(floored, b) != a) & (b != 0)
    return np.add(floored, (inexact & ((a < 0) != (b < 0))).astype(a.dtype))


def cmod(a: Array, b: Array) -> Array:
    """C's `%`, with the sign of `a`; x % 0 is x."""
    return np.subtract(a, np.multiply(cdiv(a, b), b))


def _count(a: Array, b: Array) -> tuple[Array, Array]:
    """Shift counts that numpy defines, and where the given one is outside 0 … bits-1."""
    bits = a.dtype.itemsize * 8
    outside = (b < 0) | (b >= bits)
    return np.where(outside, np.zeros((), b.dtype), b), outside


def shift_left(a: Array, b: Array) -> Array:
    """`a << b`; 0 for a count outside 0 … bits-1."""
    count, outside = _count(a, b)
    return np.where(outside, np.zeros((), a.dtype), np.left_shift(a, count))


def shift_right(a: Array, b: Array) -> Array:
    """`a >> b`, arithmetic for signed; 0 or -1 for a count outside 0 … bits-1."""
    count, outside = _count(a, b)
    rest = np.where(a < 0, np.full((), -1).astype(a.dtype), np.zeros((), a.dtype))
    return np.where(outside, rest, np.right_shift(a, count))


_WORDS = (one, cast, bitcast, floordiv, floormod, cdiv, cmod, shift_left, shift_right)
PRELUDE: dict[str, Any] = {"np": np, "math": math, **{word.__name__: word for word in _WORDS}}
"""The names that `meaning` clauses may use."""


@cache
def meaning(op: Op) -> Callable[..., Array]:
    """The clause of `op` as a function of `(arg, dtype, *operands)`.

    Raises InterpreterError if the op has none.
    """
    function = op.function("meaning", PRELUDE)
    if function is None:
        raise InterpreterError(f"{op}: its row in spec/20-ops.uop has no `meaning`")
    return function


@cache
def _wide(op: Op, bits: int) -> np.dtype[Any] | None:
    """The float type in which `op` on floats of that many bits is computed before rounding.

    f32 holds twice the digits of a 16-bit float and two more, so rounding its +, -, *, / and
    square root again gives the correctly rounded answer.
    """
    if op in _VERBATIM:
        return None
    if op in TRANSCENDENTAL:
        return np.dtype(np.float64) if bits < 64 else None
    return np.dtype(np.float32) if bits < 32 else None


def compute(op: Op, dtype: DType, arg: Any, arrays: Sequence[Array], kind: DType) -> Array:
    """The exact answer of `op`; `kind` is the dtype of the operands that share one."""
    function = meaning(op)
    wide = _wide(op, kind.bits) if kind.is_float else None
    with np.errstate(all="ignore"):
        if wide is not None:
            arrays = [a.astype(wide) for a in arrays]
        try:
            answer = np.asarray(function(arg, dtype.scalar, *arrays))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            raise InterpreterError(f"{op}: its meaning ends in {what}") from error
        if op in _ROUNDED and answer.dtype.kind == "f":
            if op is Ops.MULACC:  # two roundings, of which the first may be the NaN
                arrays = [_settled(Ops.MUL, np.multiply(*arrays[:2]), arrays[:2]), arrays[2]]
            answer = _settled(op, answer, arrays)
        if answer.dtype == dtype.np:
            return answer
        if dtype.is_float:
            return round_to(answer, dtype.np)
    raise InterpreterError(f"{op}: its meaning gave {answer.dtype}, expected {dtype.scalar.name}")


def _settled(op: Op, answer: Array, operands: Sequence[Array]) -> Array:
    """The answer with the NaN of the first operand that is one, made quiet.

    Numpy gives that of either where both are NaN, and a NaN of either sign for the logarithm of a
    negative number: which, hangs on how long arrays are and which way they are read.
    """
    lost = np.isnan(answer)
    if not lost.any():
        return answer
    answer = np.where(lost & (op in TRANSCENDENTAL), np.array(np.nan, answer.dtype), answer)
    bits = np.dtype(f"u{answer.dtype.itemsize}")
    quiet = bits.type(1 << (np.finfo(answer.dtype).nmant - 1))
    for operand in reversed(operands):
        if operand.dtype == answer.dtype:
            read = (operand.view(bits) | quiet).view(answer.dtype)
            answer = np.where(lost & np.isnan(operand), read, answer)
    return answer


@cache
def _ufunc(op: Op) -> np.ufunc | None:
    """The numpy function that `op` is, if its meaning is just that."""
    match = re.fullmatch(r"np\.(\w+)\(a, b\)", op.row["meaning"] or "")
    attribute = getattr(np, match.group(1)) if match else None
    return attribute if isinstance(attribute, np.ufunc) else None


def combine(op: Op, dtype: DType, array: Array, axes: tuple[int, ...]) -> Array:
    """`array` reduced over `axes` (which go away) with the associative `op`.

    It begins at the identity of `op`: no elements give that, and a sum of -0.0 alone is 0.0. Sums
    of small floats are rounded at every addition. Over no axes it is `array` itself.
    """
    if not axes:
        return array
    kept = tuple(s for i, s in enumerate(array.shape) if i not in axes)
    begin = np.full(kept, op.identity(dtype.scalar), dtype.np)
    if any(array.shape[i] == 0 for i in axes):
        return begin
    ufunc = _ufunc(op)
    if ufunc is not None and not (dtype.is_float and dtype.bits < 32):
        with np.errstate(all="ignore"):
            return np.asarray(ufunc.reduce(array, axis=axes, dtype=array.dtype))
    count = math.prod(array.shape[i] for i in axes)
    rows = np.moveaxis(array, axes, range(len(axes))).reshape(count, *kept)
    while len(rows) > 1:
        half = len(rows) // 2
        pairs = compute(op, dtype, None, [rows[:half], rows[half : 2 * half]], dtype)
        rows = np.concatenate([pairs, rows[2 * half :]])
    return compute(op, dtype, None, [begin, rows[0]], dtype)


INDEX = dtypes.index.np
"""The numpy type of indices."""
