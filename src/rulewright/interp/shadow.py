"""Shadow mode: every float also in f64, with a bound of the error that is allowed.

A part triple is (exact, shadow, error): the answer in the node's own dtype, the same computation
in f64, and how far a correct implementation's answer may lie from the shadow. An implementation is
correct if each op rounds within its ulp bound, sums are taken in any order, and products may be
fused into sums. Errors of operands travel through an op by its condition (first order: the
derivative; where that blows up, the image of the whole interval). Where an error decides a
comparison, an index or an integer, the bound becomes as large as the choice it can change.

Source of the bounds: N. Higham, Accuracy and Stability of Numerical Algorithms, ch. 2 to 4.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any, NamedTuple

import numpy as np

from rulewright.interp.meaning import Array, cast, meaning
from rulewright.interp.values import Parts, any_of, stretched
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops

_EXACT = Ops.group("Unrounded")


class Shadowed(NamedTuple):
    """A result in shadow mode; arrays of one shape."""

    exact: Array
    shadow: Array
    tolerance: Array

    def agrees(self, other: Array) -> Array:
        """Where `other` lies within the tolerance; two NaNs agree, equal infinities too."""
        with np.errstate(all="ignore"):
            numbers = np.asarray(other).astype(np.float64)
            near = np.abs(numbers - self.shadow) <= self.tolerance
            same = (numbers == self.shadow) | (np.isnan(numbers) & np.isnan(self.shadow))
            return near | same | np.isinf(self.tolerance) | (np.asarray(other) == self.exact)


def lift(parts: Parts) -> Parts:
    """A value known exactly as a triple."""
    if len(parts) == 3:
        return parts
    exact = parts[0]
    with np.errstate(invalid="ignore"):  # a NaN of a small float is no reason to warn
        return exact, exact.astype(np.float64), np.zeros(exact.shape)


def alike(several: Sequence[Parts]) -> list[Parts]:
    """Values as triples, all of them where one is."""
    return [*map(lift, several)] if any(len(parts) == 3 for parts in several) else [*several]


def settle(parts: Parts, dtype: DType) -> Parts:
    """The triple, or just the exact part of an integer or bool that cannot be wrong."""
    if len(parts) == 3 and not dtype.is_float and not parts[2].any():
        return parts[:1]
    return parts


@cache
def unit(dtype: DType) -> tuple[float, float]:
    """Largest relative and absolute error of one correctly rounded operation."""
    mantissa = dtype.row["mantissa"]
    tiny = 2.0 ** (1 - dtype.bias - mantissa) if dtype.bits < 64 else 1e-323
    # the f64 shadow rounds as much as an f64 answer does
    return 2.0 ** -(mantissa + 1) * (2 if dtype.bits == 64 else 1), tiny / 2


@cache
def largest(dtype: DType) -> float:
    """The largest finite number of a float type."""
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype.np).max)


@cache
def has_infinity(dtype: DType) -> bool:
    """Whether a float type has a number for infinity: some of eight bits have NaN or less."""
    with np.errstate(all="ignore"):
        return bool(np.isinf(np.asarray(np.inf).astype(dtype.np).astype(np.float64)))


def rounded(op: Op, dtype: DType, shadow: Array, error: Array) -> Array:
    """`error` after the rounding of one operation on results as large as `shadow`."""
    # infinities and NaNs of the shadow itself are certain unless an operand was not
    certain = ~np.isfinite(shadow) & ~np.isinf(error)
    if not has_infinity(dtype):
        certain &= np.isnan(shadow)
    size = np.abs(shadow) + error
    if op not in _EXACT:
        relative, absolute = unit(dtype)
        stated = op.row["ulps"]
        ulps = 2 * float(stated) if stated else 2.0 if op is Ops.MULACC else 1.0
        error = error + ulps * (relative * size + absolute)
    error = np.where(np.abs(shadow) + error > largest(dtype), np.inf, error)
    return np.where(certain, 0.0, np.where(np.isnan(error), np.inf, error))


def _image(function: Callable[[Array], Array], x: Array, dx: Array, y: Array) -> Array:
    """How far a monotonic function's answer moves when x moves by dx."""
    low, high = function(x - dx), function(x + dx)
    return np.where(dx == 0, 0.0, np.fmax(np.abs(high - y), np.abs(y - low)))


def _divide(x: Array, dx: Array, y: Array, dy: Array, out: Array) -> Array:
    room = np.abs(y) - dy
    moved = (dx + np.abs(out) * dy) / room
    return np.where((dx == 0) & (dy == 0), 0.0, np.where(room > 0, moved, np.inf))


def _log(x: Array, dx: Array) -> Array:
    ratio = dx / np.abs(x)
    return np.where(dx == 0, 0.0, np.where(ratio < 1, -np.log1p(-ratio), np.inf))


def _power(x: Array, dx: Array, y: Array, dy: Array, out: Array) -> Array:
    bend = _log(x, dx)
    exponent = (np.abs(y) + dy) * bend + dy * np.abs(np.log(np.abs(x)))
    moved = np.where((dx == 0) & (dy == 0), 0.0, np.abs(out) * np.expm1(exponent))
    # below 0, whether there is an answer hangs on whether the exponent is whole
    return np.where((dy > 0) & (x - dx < 0) & np.isfinite(out), np.inf, moved)


def _remainder(dx: Array, y: Array, dy: Array) -> Array:
    moved = np.where(np.abs(y) > dy, 2 * (np.abs(y) + dy), np.inf)
    return np.where((dx == 0) & (dy == 0), 0.0, moved)


def _product(x: Array, dx: Array, y: Array, dy: Array) -> Array:
    return np.abs(x) * dy + np.abs(y) * dx + dx * dy


def _sqrt(x: Array, dx: Array, out: Array) -> Array:
    moved = np.where(dx == 0, 0.0, np.fmin(np.sqrt(dx), dx / out))
    return np.where((dx > x) & (x >= 0), np.inf, moved)


def _either(x: Array, dx: Array, y: Array, dy: Array) -> Array:
    apart = np.abs(x - y) + dx + dy
    alike = (x == y) | (np.isnan(x) & np.isnan(y))
    return np.where(alike, dx + dy, np.where(np.isnan(apart), np.inf, apart))


_Rule = Callable[[Array, Sequence[Array], Sequence[Array]], Array]

# each takes the f64 answer, the operands in f64 and their errors
_RULES: dict[Op, _Rule] = {
    Ops.NEG: lambda f, x, d: d[0],
    Ops.ADD: lambda f, x, d: d[0] + d[1],
    Ops.SUB: lambda f, x, d: d[0] + d[1],
    Ops.MUL: lambda f, x, d: _product(x[0], d[0], x[1], d[1]),
    Ops.MULACC: lambda f, x, d: _product(x[0], d[0], x[1], d[1]) + d[2],
    Ops.FDIV: lambda f, x, d: _divide(x[0], d[0], x[1], d[1], f),
    Ops.RECIP: lambda f, x, d: _divide(np.ones_like(f), np.zeros_like(f), x[0], d[0], f),
    Ops.SQRT: lambda f, x, d: _sqrt(x[0], d[0], f),
    Ops.EXP: lambda f, x, d: f * np.expm1(d[0]),
    Ops.EXP2: lambda f, x, d: f * np.expm1(d[0] * np.log(2.0)),
    Ops.LOG: lambda f, x, d: _log(x[0], d[0]),
    Ops.LOG2: lambda f, x, d: _log(x[0], d[0]) / np.log(2.0),
    Ops.SIN: lambda f, x, d: np.fmin(d[0], 2.0),
    Ops.COS: lambda f, x, d: np.fmin(d[0], 2.0),
    Ops.ATAN: lambda f, x, d: np.fmin(d[0], np.pi),
    Ops.TANH: lambda f, x, d: np.fmin(d[0], 2.0),
    Ops.ERF: lambda f, x, d: np.fmin(d[0] * (2 / np.sqrt(np.pi)), 2.0),
    Ops.TRUNC: lambda f, x, d: _image(np.trunc, x[0], d[0], f),
    Ops.POW: lambda f, x, d: _power(x[0], d[0], x[1], d[1], f),
    Ops.FMOD: lambda f, x, d: _remainder(d[0], x[1], d[1]),
    Ops.MAX: lambda f, x, d: np.maximum(d[0], d[1]),
    Ops.MIN: lambda f, x, d: np.maximum(d[0], d[1]),
    Ops.WHERE: lambda f, x, d: np.where(
        d[0] > 0, _either(x[1], d[1], x[2], d[2]), np.where(x[0] != 0, d[1], d[2])
    ),
}  # fmt: skip

_LOGIC = Ops.group("Logic")


def _unsure(
    op: Op, arg: Any, out: Array, values: Sequence[Array], errors: Sequence[Array]
) -> Array | bool:
    """Where errors of the operands can make another answer of one that is infinite or NaN.

    An answer is sure that is the same wherever the operands may lie. For all functions but one
    the ends of their intervals tell; a power of a negative number is a number inside, where the
    exponent is whole.
    """
    suspects = ~np.isfinite(out) & any_of(errors)
    if not suspects.any():
        return False
    changed = np.zeros(out.shape, bool)
    for signs in itertools.product((-1, 1), repeat=len(values)):
        ends = [v + s * d for v, s, d in zip(values, signs, errors, strict=True)]
        answer = np.asarray(meaning(op)(arg, dtypes.f64, *ends))
        changed |= ~((answer == out) | (np.isnan(answer) & np.isnan(out)))
    if op is Ops.POW:
        (x, y), (dx, dy) = values, errors
        whole = np.floor(y + dy) >= np.ceil(y - dy)
        one = np.abs(x - 1) <= dx  # 1 to the power of NaN is 1
        changed |= np.where(np.isnan(y), one, (dy > 0) & whole)
    return suspects & changed


def _moved(op: Op, arg: Any, out: Array, values: Sequence[Array], errors: Sequence[Array]) -> Array:
    """The error of a function of which nothing is known: how far the ends of each operand move it,
    the others as they are."""
    total = np.zeros(out.shape)
    for place, (value, error) in enumerate(zip(values, errors, strict=True)):
        ends = [[*values[:place], value + s * error, *values[place + 1 :]] for s in (-1, 1)]
        moves = [np.abs(np.asarray(meaning(op)(arg, dtypes.f64, *end)) - out) for end in ends]
        total = total + np.where(error > 0, np.maximum(*moves), 0.0)
    return total


def _undecided(x: Array, dx: Array, y: Array, dy: Array) -> Array:
    """1.0 where errors can decide a comparison."""
    both = dx + dy
    return ((both > 0) & ~(np.abs(x - y) > both)).astype(np.float64)


def _of_cast(dtype: DType, x: Array, dx: Array) -> Array:
    if dtype.is_bool:
        return _undecided(x, dx, np.zeros_like(x), np.zeros_like(x))
    if dtype.is_float:
        return dx
    return _image(lambda v: cast(v, dtype).astype(np.float64), x, dx, cast(x, dtype) * 1.0)


def shadow_of(op: Op, dtype: DType, arg: Any, exact: Array, sources: Sequence[Parts]) -> Parts:
    """The triple of an elementwise op whose exact answer is `exact`."""
    triples = [lift(s) for s in sources]
    values, errors = [t[1] for t in triples], [t[2] for t in triples]
    with np.errstate(all="ignore"):
        if op is Ops.CAST:
            out = values[0] if dtype.is_float else exact.astype(np.float64)
            error = _of_cast(dtype, values[0], errors[0])
        elif op is Ops.BITCAST or (not dtype.is_float and op not in _RULES):
            out, error = exact.astype(np.float64), _discrete(op, values, errors, triples)
        else:
            where = [values[0] != 0, *values[1:]] if op is Ops.WHERE else values
            out = np.asarray(meaning(op)(arg, dtypes.f64, *where))
            rule = _RULES.get(op)
            error = rule(out, values, errors) if rule else _moved(op, arg, out, values, errors)
            if dtype.is_float and op is not Ops.WHERE:  # which takes what it has chosen
                lost = [np.isinf(e) for e in errors]  # any number, and NaN
                lost.append(np.asarray(_unsure(op, arg, out, values, errors)))
                error = np.where(any_of(lost), np.inf, error)
            if op is Ops.MULACC and dtype.is_float:  # the product may be rounded before the sum
                error = error + unit(dtype)[0] * np.abs(values[0] * values[1])
        out, error = stretched(out, exact.shape), stretched(error, exact.shape)
        if dtype.is_float:
            error = rounded(op, dtype, out, error)
        elif len(sources) and op in _RULES:
            out = exact.astype(np.float64)
    return settle((exact, out, error), dtype)


def _discrete(op: Op, x: Sequence[Array], d: Sequence[Array], triples: Sequence[Parts]) -> Array:
    if "Compare" in op.groups:
        return _undecided(x[0], d[0], x[1], d[1])
    if op in _LOGIC and triples[0][0].dtype == np.bool_:
        return reduce(np.maximum, d)
    wrong = [(t[2] > 0) | (t[1] != t[0].astype(np.float64)) for t in triples]
    return np.where(any_of(wrong), np.inf, 0.0)


def shadow_reduce(op: Op, dtype: DType, exact: Array, parts: Parts, axes: tuple[int, ...]) -> Parts:
    """The triple of a reduction of `parts` over `axes`, in any order."""
    _, values, errors = lift(parts)
    count = float(np.prod([values.shape[i] for i in axes]))
    with np.errstate(all="ignore"):
        if op is Ops.ADD:
            out, size = values.sum(axes), np.abs(values).sum(axes) + errors.sum(axes)
            error, magnified = errors.sum(axes), np.float64(1.0)
        elif op is Ops.MUL:
            out = values.prod(axes)
            size = np.abs(out)
            error = (np.abs(values) + errors).prod(axes) - size
            size = size + error
            # of the factors above 1 alone: they may come first, and magnify what others lose
            magnified = np.maximum(np.abs(values) + errors, 1.0).prod(axes)
        else:
            error = errors.max(axes, initial=0.0)
            out = exact.astype(np.float64)
            if dtype.is_float and "Extreme" in op.groups and count:
                out = (values.max if op is Ops.MAX else values.min)(axes)
            return settle((exact, out, error), dtype)
        if not dtype.is_float:
            return settle((exact, exact.astype(np.float64), error), dtype)
        relative, absolute = unit(dtype)
        error = error + max(count - 1, 0.0) * (relative * size + absolute * magnified)
        # a partial result that overflows makes the order matter, also where f64 does: inf - inf
        error = np.where(np.fmax(size, magnified) > largest(dtype), np.inf, error)
        return exact, out, rounded(Ops.MAX, dtype, out, error)
