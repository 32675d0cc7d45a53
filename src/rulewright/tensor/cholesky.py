"""Cholesky factors, a block of columns at a time.

Equal steps over a whole matrix would write all of it for each column. So a large matrix is cut: the
factor of its first half gives the columns below it, by one product with its inverse, and another
product is taken off what is left, whose factor is the second half. Blocks near the diagonal are
done by steps, which give their inverses too.
"""

from __future__ import annotations

from typing import Any

from rulewright.tensor.matrix_steps import active_behind, all_active, repeated

BLOCK = 64
"""Columns that are done by steps."""


def cholesky_by_steps(a: Any) -> tuple[Any]:
    """L, zero above its diagonal, with L Lᵀ = a (…, n, n), of which all is read."""
    return (_factored(a, False)[0],)


def _factored(a: Any, inverted: bool) -> tuple[Any, Any]:
    """L, and its inverse if asked for."""
    n, rows, columns = int(a.shape[-1]), a.ndim - 2, a.ndim - 1
    if n <= BLOCK:
        return _by_steps(a, inverted)
    half = -(-n // (2 * BLOCK)) * BLOCK
    top, bottom = (a._narrowed(rows, part) for part in ((0, half), (half, n)))
    corner = top._narrowed(columns, (0, half))
    first, first_inverse = _factored(corner, True)
    below = bottom._narrowed(columns, (0, half)).matmul(first_inverse.mT)._kept()
    rest = (bottom._narrowed(columns, (half, n)) - below.matmul(below.mT))._kept()
    second, second_inverse = _factored(rest, inverted)
    lower = _joined(first, below, second)
    if not inverted:
        return lower, None
    middle = -second_inverse.matmul(below.matmul(first_inverse)._kept())
    return lower, _joined(first_inverse, middle, second_inverse)


def _joined(first: Any, below: Any, second: Any) -> Any:
    """A matrix with zeros above two blocks, and one below the first."""
    more, half = int(second.shape[-1]), int(first.shape[-1])
    pads = [(0, 0)] * (first.ndim - 1)
    top = first._pad([*pads, (0, more)])
    return top.cat(below.cat(second, dim=-1), dim=-2)._kept() if half and more else first


def _by_steps(a: Any, inverted: bool) -> tuple[Any, Any]:
    """One column at a time: what is left of the matrix is turned to the front."""
    n, last = int(a.shape[-1]), a.ndim - 1
    active, columns = all_active(a, n), a * 0
    rows = (a._unit_matrix(n)._kept(),) if inverted else ()
    at_front = a._places((n, 1), 0).eq(0)

    def step(a: Any, columns: Any, active: Any, *rows: Any) -> tuple[Any, ...]:
        root = a[..., :1, 0].sqrt()
        column = (a[..., 0] * active / root)._kept()
        turned = (a - column.unsqueeze(-1) * column.unsqueeze(-2)).roll((-1, -1), (-2, -1))._kept()
        parts = columns.roll(-1, -2)._narrowed(last, (1, n)), column.roll(-1, -1).unsqueeze(-1)
        columns = parts[0].cat(parts[1], dim=-1)._kept()
        changed = []
        for each in rows:
            row = each[..., :1, :] / root.unsqueeze(-1)
            left = each - column.unsqueeze(-1) * row
            changed.append(at_front.where(row, left).roll(-1, -2)._kept())
        return turned, columns, active_behind(active), *changed

    _, columns, _, *rows_after = repeated(n, step, a, columns, active, *rows)
    return columns.tril(), rows_after[0] if inverted else None
