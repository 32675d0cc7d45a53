"""Movement, the last of its classes: rearrange, diagonals, elements repeated in their places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rulewright.errors import RulewrightError, ShapeError
from rulewright.ir.shapes import Dim
from rulewright.tensor.members import Members
from rulewright.tensor.shapes import check_count, check_size, normal_axis, numel, same_size, show

if TYPE_CHECKING:
    from typing_extensions import Self

_DOTS = "..."


class Movement(Members):
    """Movements that are said in words."""

    __slots__ = ()

    def rearrange(self, formula: str, **sizes: int) -> Self:
        """Axes named, split, joined and put in another order; the syntax is that of einops.

        "b (h w) c -> b c h w" names the axes from left to right; parentheses group axes that are
        one axis of the tensor, three dots stand for any number of axes, 1 for an axis of
        size 1. `sizes` says how a group is divided; one size of a group may be left out.
        Raises ShapeError for a formula that means nothing, and for sizes that do not fit.

        >>> Tensor.arange(6).rearrange("(a b) -> b a", a=2).tolist()
        [[0, 3], [1, 4], [2, 5]]
        """
        before, after = _parsed(formula)
        groups = _spread_dots(before, self.ndim, formula)
        if len(groups) != self.ndim:
            raise ShapeError(
                f"rearrange: {formula!r} names {len(groups)} axes, found shape {show(self.shape)}"
            )
        known: dict[str, Dim] = {n: check_size(s, "rearrange") for n, s in sizes.items()}
        unused = known.keys() - {n for group in groups for n in group}
        if unused:
            raise ShapeError(f"rearrange: {formula!r} has no axis {', '.join(sorted(unused))}")
        for group, size in zip(groups, self.shape, strict=True):
            _solve(group, size, known, formula)
        names = [n for group in groups for n in group if n != "1"]
        wanted = _spread_dots(after, self.ndim, formula, [n for n in names if n[0] == "."])
        order = [n for group in wanted for n in group if n != "1"]
        split = self.reshape([known[n] for n in names])
        moved = split.permute([names.index(n) for n in order])
        return moved.reshape([numel([known[n] for n in g if n != "1"]) for g in wanted])

    def repeat_interleave(self, repeats: Any, dim: int | None = None) -> Self:
        """Each element, or slice along `dim`, `repeats` times in a row; of all elements without.

        `repeats` may be one number an element: a sequence, an array, or a tensor, which is then
        computed, because the result's shape depends on it. Raises ShapeError if there are more
        or fewer numbers than elements.

        >>> Tensor([1, 2]).repeat_interleave(2).tolist()
        [1, 1, 2, 2]
        >>> Tensor([1, 2, 3]).repeat_interleave([2, 0, 1]).tolist()
        [1, 1, 3]
        """
        if dim is None:
            return self.flatten().repeat_interleave(repeats, 0)
        at = normal_axis(dim, self.ndim, "repeat_interleave")
        if not self.shape:
            return self.reshape(1).repeat_interleave(repeats, 0)
        if not isinstance(repeats, int) and hasattr(repeats, "__len__"):
            return self._repeated_each(repeats, at)
        count, shape = check_size(repeats, "repeat_interleave"), self.shape
        spread = self.reshape([*shape[: at + 1], 1, *shape[at + 1 :]])
        spread = spread.expand([*shape[: at + 1], count, *shape[at + 1 :]])
        return spread.view([*shape[:at], shape[at] * count, *shape[at + 1 :]])._equal()

    def _repeated_each(self, repeats: Any, at: int) -> Self:
        import numpy as np

        try:
            counts = np.asarray(repeats)
        except RulewrightError:  # a tensor whose values cannot be read here
            raise
        except ValueError:  # rows of several lengths
            counts = np.empty((0, 0), object)
        if counts.shape == (1,) and counts.dtype.kind in "iu":
            return self.repeat_interleave(int(counts[0]), at)
        if counts.shape != (self.shape[at],) or counts.dtype.kind not in "iu" or (counts < 0).any():
            raise ShapeError(
                f"repeat_interleave: expected a number of 0 or more for each of {self.shape[at]} "
                f"elements, found {counts.dtype} of shape {counts.shape}"
            )
        check_count([sum(counts.tolist())])
        places = np.repeat(np.arange(counts.size), counts)
        key = (*[slice(None)] * at, places)
        found: Self = self[key]
        return found

    # ---- diagonals ------------------------------------------------------------------------

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Self:
        """The diagonal of two axes as the last axis: elements (i, i + offset). A view.

        Raises ShapeError for less than two axes.

        >>> Tensor([[1, 2], [3, 4]]).diagonal().tolist()
        [1, 4]
        """
        a, b = self._two_axes(dim1, dim2, self.ndim, "diagonal")
        rest = [i for i in range(self.ndim) if i not in (a, b)]
        moved = self.permute([*rest, a, b])
        rows, columns = int(moved.shape[-2]), int(moved.shape[-1])
        skip_rows, skip_columns = max(-offset, 0), max(offset, 0)
        count = max(0, min(rows - skip_rows, columns - skip_columns))
        keep = [None] * len(rest)
        if count == 0:
            return moved.shrink([*keep, (0, 0), None]).reshape([*moved.shape[:-2], 0])
        part = moved.shrink(
            [*keep, (skip_rows, skip_rows + count), (skip_columns, skip_columns + count)]
        )
        lead = part.shape[:-2]  # in rows of one element more, the diagonal is the first column
        flat = part.view([*lead, count * count])
        wide = flat._view(flat.uop.pad((*((0, 0) for _ in rest), (0, count))))
        wide = wide.reshape([*lead, count, count + 1])
        return wide.shrink([*keep, None, (0, 1)]).reshape([*lead, count])

    @staticmethod
    def _two_axes(dim1: int, dim2: int, rank: int, method: str) -> tuple[int, int]:
        if rank < 2:
            raise ShapeError(f"{method}: expected 2 axes or more, found {rank}")
        a, b = (normal_axis(d, rank, method) for d in (dim1, dim2))
        if a == b:
            raise ShapeError(f"{method}: dim1 and dim2 must be different axes, found {a} twice")
        return a, b

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Self:
        """The last axis as the diagonal (i, i + offset) of two new axes, zeros beside it.

        Raises ShapeError for a scalar.

        >>> Tensor([1, 2]).diag_embed().tolist()
        [[1, 0], [0, 2]]
        """
        if not self.shape:
            raise ShapeError("diag_embed: expected 1 axis or more, found a scalar")
        a, b = self._two_axes(dim1, dim2, self.ndim + 1, "diag_embed")
        lead, count = self.shape[:-1], int(self.shape[-1])
        keep = [(0, 0)] * len(lead)
        # in rows of one element more, the first column becomes a diagonal
        rows = self.unsqueeze(-1)._pad([*keep, (0, 0), (0, count)])
        square = rows.reshape([*lead, count * (count + 1)])
        square = square.shrink([*[None] * len(lead), (0, count * count)])
        square = square.reshape([*lead, count, count])
        around = [(max(-offset, 0), max(offset, 0)), (max(offset, 0), max(-offset, 0))]
        return square._pad([*keep, *around]).moveaxis((-2, -1), (a, b))

    def diag(self, diagonal: int = 0) -> Self:
        """The square matrix with this diagonal; of a matrix, a copy of its diagonal.

        Raises ShapeError unless there are one or two axes.

        >>> Tensor([1, 2]).diag().tolist()
        [[1, 0], [0, 2]]
        """
        if self.ndim not in (1, 2):
            raise ShapeError(f"diag: expected 1 or 2 axes, found {self.ndim}")
        return self.diag_embed(diagonal) if self.ndim == 1 else self.diagonal(diagonal)._equal()


# ---- formulas of rearrange -----------------------------------------------------------------------


def _parsed(formula: str) -> tuple[list[list[str]], list[list[str]]]:
    """The groups of axes on both sides of the arrow."""
    sides = formula.split("->")
    if len(sides) != 2:
        raise ShapeError(f"rearrange: expected one '->' in the formula, found {formula!r}")
    before, after = (_groups(side, formula) for side in sides)
    for side in (before, after):
        names = [n for group in side for n in group if n != "1"]
        if len(set(names)) != len(names):
            raise ShapeError(f"rearrange: an axis is named twice on one side of {formula!r}")
    first, second = ({n for g in side for n in g if n != "1"} for side in (before, after))
    if first != second:
        alone = ", ".join(sorted(first ^ second))
        raise ShapeError(f"rearrange: {alone} stands on one side of {formula!r} only")
    return before, after


def _groups(side: str, formula: str) -> list[list[str]]:
    groups: list[list[str]] = []
    inside = False
    for token in re.findall(r"\w+|\.\.\.|\S", side):
        if token in "()":
            if inside == (token == "("):
                raise ShapeError(f"rearrange: parentheses do not pair, or nest, in {formula!r}")
            inside = token == "("
            if inside:
                groups.append([])
            elif groups[-1] == [_DOTS]:
                groups[-1].append("1")  # one axis, unlike dots that stand alone
        elif token in ("1", _DOTS) or token.isidentifier():
            if inside:
                groups[-1].append(token)
            else:
                groups.append([token])
        else:
            raise ShapeError(f"rearrange: {token!r} is no name of an axis in {formula!r}")
    if inside:
        raise ShapeError(f"rearrange: parentheses do not pair, or nest, in {formula!r}")
    return groups


def _spread_dots(
    groups: list[list[str]], rank: int, formula: str, names: list[str] | None = None
) -> list[list[str]]:
    """Groups with the dots spelled out, as `names` or as many axes as are left."""
    if names is None:
        if any(_DOTS in g and len(g) > 1 for g in groups):
            raise ShapeError(f"rearrange: ... stands in a group on the left of {formula!r}")
        names = [f"...{i}" for i in range(rank - len(groups) + 1)]
    found: list[list[str]] = []
    for group in groups:
        if group == [_DOTS]:
            found += [[n] for n in names]
        else:
            found.append([m for n in group for m in (names if n == _DOTS else [n])])
    return found


def _solve(group: list[str], size: Dim, known: dict[str, Dim], formula: str) -> None:
    """The sizes of the axes of a group that is one axis of `size`."""
    names = [n for n in group if n != "1"]
    missing = [n for n in names if n not in known]
    rest = numel([known[n] for n in names if n in known])
    if len(missing) > 1:
        raise ShapeError(
            f"rearrange: the sizes of {' and '.join(missing)} in {formula!r} are not known; "
            "give all but one"
        )
    if not missing:
        if not same_size(rest, size):
            raise ShapeError(f"rearrange: ({' '.join(group)}) has size {rest}, the axis {size}")
    elif isinstance(rest, int) and rest == 1:
        known[missing[0]] = size
    else:
        if not isinstance(size, int) or not isinstance(rest, int) or rest == 0 or size % rest:
            raise ShapeError(
                f"rearrange: an axis of size {size} is no multiple of {rest}, as "
                f"({' '.join(group)}) in {formula!r} asks"
            )
        known[missing[0]] = size // rest
