"""Windows over the last axes, of which convolutions and pools are made.

A window op views its input as (…, outputs, window) by repeating, cutting and reshaping, so that
the compiler sees plain index arithmetic and no copy is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError
from rulewright.tensor.members import Members
from rulewright.tensor.shapes import tuple_of

if TYPE_CHECKING:
    from typing_extensions import Self

Sizes = int | Sequence[int]
Pads = list[tuple[int, int]]


class Windows(Members):
    """Views of windows."""

    __slots__ = ()

    def _windows(self, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Self:
        """Windows over the last axes: shape (…, outputs…, window…), a view."""
        rank = len(size)
        lead = self.shape[:-rank] if rank else self.shape
        found = self
        for k, s, d in zip(size, stride, dilation, strict=True):
            # always the first axis not yet done: its outputs and window go to the end
            axis = len(lead)
            found = found._window(axis, k, s, d).moveaxis(axis, -1).moveaxis(axis, -1)
        outputs = [len(lead) + 2 * i for i in range(rank)]
        order = [*range(len(lead)), *outputs, *(o + 1 for o in outputs)]
        return found.permute(order)

    def _window(self, axis: int, k: int, stride: int, dilation: int) -> Self:
        """One axis of size n as two: output o and window position j, element o*stride + j*dilation.

        Repeated and cut in rows of n*f + dilation, row j begins j*dilation later, so that its
        columns 0, stride, 2*stride … are window position j. f makes a row long enough.
        """
        n = int(self.shape[axis])
        outputs = (n - dilation * (k - 1) - 1) // stride + 1
        before, after = self.shape[:axis], self.shape[axis + 1 :]
        if stride == k and dilation == 1:
            return self._narrowed(axis, (0, outputs * k)).reshape([*before, outputs, k, *after])
        factor = max(1, -(-(outputs * stride - dilation) // n))
        row = n * factor + dilation
        times = [1] * self.ndim
        times[axis] = -(-k * row // n)
        rows = (
            self._repeated(times)._narrowed(axis, (0, k * row)).reshape([*before, k, row, *after])
        )
        steps = rows._narrowed(axis + 1, (0, outputs * stride))
        steps = steps.reshape([*before, k, outputs, stride, *after])
        return (
            steps._narrowed(axis + 2, (0, 1))
            .reshape([*before, k, outputs, *after])
            .transpose(axis, axis + 1)
        )


def spatial_pads(padding: Sizes, rank: int, method: str, least: int | None = 0) -> Pads:
    """(before, after) for each of the last axes: from one number, one an axis, or PyTorch's list
    of pairs that begins with the last axis."""
    if isinstance(padding, tuple | list) and len(padding) == 2 * rank:
        flat = tuple_of(padding, 2 * rank, method, "padding", least)
        return [(flat[2 * i], flat[2 * i + 1]) for i in range(rank)][::-1]
    return [(p, p) for p in tuple_of(padding, rank, method, "padding", least)]


def check_windows(
    sizes: Sequence[Any], window: Sequence[int], dilation: Sequence[int], method: str
) -> None:
    """Raises ShapeError where a window is larger than the padded axis under it, or empty."""
    for n, k, d in zip(sizes, window, dilation, strict=True):
        if k < 1:
            raise ShapeError(f"{method}: a window has at least one element, found {k}")
        if n < d * (k - 1) + 1:
            raise ShapeError(
                f"{method}: a window of {d * (k - 1) + 1} does not fit in a padded size of {n}"
            )
