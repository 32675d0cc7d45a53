"""Functions of matrices for any device: loops of equal steps.

What a step works on is turned to the front, so that all steps have the same kernels, compiled once,
and only their number grows with the matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops

_TRACED = 2
"""Steps whose Python code runs: the second is the first one from one result to the next."""


def repeated(count: int, step: Callable[..., tuple[Any, ...]], *state: Any) -> tuple[Any, ...]:
    """The state after so many equal steps from one state to the next, which are scheduled once."""
    from rulewright.tensor.function import call_of, function  # which is made of tensors

    traced = step if count <= _TRACED else function(precompile=True)(step)
    again: Callable[..., tuple[Any, ...]] | None = None
    for _ in range(count):
        before, state = state, (again or traced)(*state)
        # what one step made is no constant of the next
        if count > _TRACED and again is None and all(t.uop.op is Ops.RESULT for t in before):
            kinds = [[(t.shape, t.dtype, t.device) for t in each] for each in (before, state)]
            again = call_of(before, state) if kinds[0] == kinds[1] else None
    return state


def all_active(a: Any, size: int) -> Any:
    """Ones, for the first steps to work on all of an axis."""
    return a._new(a.uop.const(a.dtype, 1)).expand([size])


def active_behind(active: Any) -> Any:
    """What is turned to the front of those that are active, with nothing behind it."""
    return active._pad([(0, 1)])._narrowed(0, (1, int(active.shape[0]) + 1))._kept()


# ---- QR ------------------------------------------------------------------------------------------


def qr_by_steps(full: bool, a: Any) -> tuple[Any, Any]:
    """(Q, R) of matrices (…, m, n), by reflections: Q has m columns if it is full, else as many as
    R has rows."""
    m, n = (int(size) for size in a.shape[-2:])
    least, steps = min(m, n), min(m - 1, n)
    a, q, _ = repeated(steps, _reflected, a, a._unit_matrix(m), all_active(a, m))
    a, q = a.roll((steps, steps), (-2, -1))._kept(), q.roll(steps, -1)._kept()
    a = a.triu()
    if not full:
        a, q = a._narrowed(a.ndim - 2, (0, least)), q._narrowed(q.ndim - 1, (0, least))
    return q, a


def _reflected(a: Any, q: Any, active: Any) -> tuple[Any, Any, Any]:
    """One reflection that clears the first column below its first element, among the active
    rows; then all turned by one, so that the next is in front."""
    x = a[..., 0] * active
    x = x / x._scale(-1)  # a reflection hangs on the direction alone
    first = x[..., :1]
    below = x[..., 1:].square().sum(-1, keepdim=True)
    needed = below > 0
    size = needed.where(first.square() + below, 1).sqrt()
    head = first + (first < 0).where(-size, size)
    factor = needed.where(2 / (head.square() + needed.where(below, 1)), 0).unsqueeze(-1)
    v = head.cat(x[..., 1:], dim=-1)._kept()
    row = (v.unsqueeze(-1) * a).sum(-2, keepdim=True)._kept()
    column = (q * v.unsqueeze(-2)).sum(-1, keepdim=True)._kept()
    a = (a - factor * v.unsqueeze(-1) * row).roll((-1, -1), (-2, -1))._kept()
    q = (q - factor * column * v.unsqueeze(-2)).roll(-1, -1)._kept()
    return a, q, active_behind(active)


# ---- singular values and eigenvalues -------------------------------------------------------------


def svd_by_steps(full: bool, a: Any) -> tuple[Any, Any, Any]:
    """U, singular values and Vᵀ of matrices (…, m, n), m >= n."""
    m, n = (int(size) for size in a.shape[-2:])
    turned, v = _rotated(a)
    q, r = turned.qr(full)
    signs = (r.diagonal(0, -2, -1)._kept() < 0).where(-1.0, 1.0).cast(a.dtype)
    if full and m > n:
        rest = a._new(a.uop.const(a.dtype, 1)).expand([*signs.shape[:-1], m - n])
        signs = signs.cat(rest, dim=-1)
    return (q * signs.unsqueeze(-2))._kept(), turned.square().sum(-2).sqrt(), v.mT


def eigh_by_steps(a: Any) -> tuple[Any, Any]:
    """Eigenvalues, rising, and vectors of symmetric matrices: singular values of one that is moved
    up so far that no value is negative."""
    most = a.abs().sum(-1).max(-1)  # no value is further from 0
    up = (2 * most + most.eq(0)).unsqueeze(-1)._kept()
    u, s, _ = (a + up.unsqueeze(-1) * a._unit_matrix(int(a.shape[-1]))).svd()
    return (s - up).flip(-1), u.flip(-1)


def _rotated(a: Any) -> tuple[Any, Any]:
    """(A V, V) with the columns of A V at right angles, the longest first."""
    n, rank, bits = int(a.shape[-1]), a.ndim, a.dtype.bits
    pairs, v = (n + 1) // 2, a._unit_matrix(n)
    if n % 2:  # a column of zeros, which no rotation changes, makes the pairs whole
        a, v = (t._pad([(0, 0)] * (rank - 1) + [(0, 1)]) for t in (a, v))
    rounds = _sweeps(n, bits) * (2 * pairs - 1) if n > 1 else 0
    a, v = repeated(rounds, lambda a, v: _one_round(a, v, pairs), a._kept(), v._kept())
    lengths = a.square().sum(-2)._kept()
    order = _falling_places(lengths)
    if n % 2:
        order = order._narrowed(order.ndim - 1, (0, n))
    return a.matmul(order)._kept(), v.matmul(order)._kept()


def _sweeps(n: int, bits: int) -> int:
    """How often each pair of n columns is rotated: Jacobi's method converges quadratically after
    some sweeps, whose number grows with the logarithm of n."""
    return math.ceil(math.log2(max(n, 2))) + (4 if bits == 32 else 5)


def _halves(a: Any, pairs: int) -> list[Any]:
    return [a._narrowed(a.ndim - 1, (i * pairs, (i + 1) * pairs)) for i in range(2)]


def _one_round(a: Any, v: Any, pairs: int) -> tuple[Any, Any]:
    """Columns i and i + pairs made orthogonal by rotation, then new pairs."""
    left, right = _halves(a, pairs)
    dot = (left * right).sum(-2, keepdim=True)
    gap = right.square().sum(-2, keepdim=True) - left.square().sum(-2, keepdim=True)
    # tan of the angle: the smaller root of t² dot + t gap - dot = 0
    root = (gap.square() + 4 * dot.square()).sqrt() + gap.abs()
    turns = root > 0
    t = turns.where(2 * dot / turns.where(root, 1), 0)
    t = (gap < 0).where(-t, t)
    c = (1 / (1 + t.square()).sqrt())._kept()
    s = (c * t)._kept()
    return _turned(a, c, s, pairs), _turned(v, c, s, pairs)


def _turned(a: Any, c: Any, s: Any, pairs: int) -> Any:
    """Each pair rotated; then the first stays in its place and all others move on by one, so
    that each meets each in 2 * pairs - 1 rounds."""
    left, right = _halves(a, pairs)
    left, right = c * left - s * right, s * left + c * right
    if pairs == 1:
        return left.cat(right, dim=-1)._kept()
    moved = [(left, 0, 1), (right, 0, 1), (left, 1, pairs - 1), (right, 1, pairs),
             (left, pairs - 1, pairs)]  # fmt: skip
    first, *rest = (x._narrowed(a.ndim - 1, (begin, end)) for x, begin, end in moved if begin < end)
    return first.cat(*rest, dim=-1)._kept()


def _falling_places(x: Any) -> Any:
    """The matrix (…, n, n) that sorts these numbers (…, n) when they are multiplied by it."""
    n = int(x.shape[-1])
    mine, theirs = x.unsqueeze(-1), x.unsqueeze(-2)
    i, j = (x._places((n, n), axis) for axis in range(2))
    before = (theirs > mine).logical_or((theirs.eq(mine)).logical_and(j < i))
    rank = before.sum(-1, keepdim=True)._kept()
    return rank.cast(dtypes.i32).eq(j).cast(x.dtype)


# ---- elimination ---------------------------------------------------------------------------------


def solved_by_steps(a: Any, b: Any) -> Any:
    """A⁻¹ B of matrices (…, n, n) and (…, n, k)."""
    (solved,) = _eliminated(a.cat(b, dim=-1), int(a.shape[-1]))
    return solved._narrowed(solved.ndim - 1, (0, int(b.shape[-1])))


def determinant_by_steps(a: Any) -> Any:
    """The determinant of each matrix (…, n, n)."""
    return _eliminated(a, int(a.shape[-1]))[1]


def _eliminated(joined: Any, n: int) -> tuple[Any, ...]:
    """(A | B) with A an n by n unit matrix: A⁻¹ B, before what is left of A. Of A alone also
    its determinant.

    Every step clears the first column but for its pivot, and then turns rows and columns by
    one, so that the next is in front. Without B columns are exchanged as well as rows: behind
    a pivot of 0 all is 0 then, and the slope of the determinant is right there too.
    """
    width = int(joined.shape[-1])
    one = joined._new(joined.uop.const(joined.dtype, 1))
    place = joined._places((n,), 0)
    front = place.eq(0).unsqueeze(-1)

    def largest(sizes: Any, active: Any) -> Any:
        chosen = active.ne(0).where(sizes, -1)._constant().argmax(-1, keepdim=True)
        return chosen.cast(place.dtype)._kept()

    def step(a: Any, active: Any, *det: Any) -> tuple[Any, ...]:
        sizes = a[..., 0].abs() if width > n else (a.abs() * active).max(-1)
        top = largest(sizes, active)
        rows = place.eq(0).where(top, place.eq(top).where(0, place)).unsqueeze(-1)
        a = a.gather(-2, rows.expand(a.shape))._kept()
        sign = top[..., 0].eq(0).where(one, -one)
        if width == n:
            column = largest(a[..., 0, :].abs(), active)
            here = place.eq(column).unsqueeze(-2)
            chosen = here.where(a, 0).sum(-1, keepdim=True)._kept()
            a = place.eq(0).where(chosen, here.where(a[..., :1], a))._kept()
            sign = column[..., 0].eq(0).where(sign, -sign)
        pivot = a[..., :1, :1]
        # a determinant of 0 stays 0, with its slope; a solution has no values then
        divisor = pivot if width > n else pivot.eq(0).where(one, pivot)
        row = (a[..., :1, :] / divisor)._kept()
        det = tuple((d * sign * pivot[..., 0, 0])._kept() for d in det)
        a = front.where(row, a - a[..., :, :1] * row).roll((-1, -1), (-2, -1))._kept()
        return a, active_behind(active), *det

    dets = [one.expand(joined.shape[:-2])] * (width == n)
    a, _, *det = repeated(n, step, joined._kept(), one.expand([n]), *dets)
    return a, *det
