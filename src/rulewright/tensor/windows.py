"""Windows over axes, as nodes: an axis is repeated, cut and shaped anew, so that the compiler sees
plain index arithmetic and no copy is made."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.ir.shapes import Dim, as_dim
from rulewright.ir.uop import UOp
from rulewright.tensor.shapes import larger, node_padded
from rulewright.tensor.slices import narrowed


def node_windows(
    uop: UOp, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> UOp:
    """Windows over the last axes: shape (…, outputs…, window…)."""
    rank = len(size)
    count = len(uop.shape or ())
    lead = count - rank
    lengths = (uop.shape or ())[lead:]
    more = [_more(*axis) for axis in zip(lengths, size, stride, dilation, strict=True)]
    uop = node_padded(uop, [(0, 0)] * lead + [(0, m) for m in more])  # before anything is repeated
    for k, s, d in zip(size, stride, dilation, strict=True):
        # always the first axis not yet done: its outputs and window go to the end
        uop = node_window(uop, lead, k, s, d)
        count += 1
        uop = uop.permute((*range(lead), *range(lead + 2, count), lead, lead + 1))
    outputs = range(lead, count, 2)
    return uop.permute((*range(lead), *outputs, *(o + 1 for o in outputs)))


def node_window(uop: UOp, axis: int, k: int, stride: int, dilation: int) -> UOp:
    """One axis of size n as two: output o and window position j, element o*stride + j*dilation.

    Repeated and cut in rows of n*f + dilation, row j begins j*dilation later, so that its
    columns 0, stride, 2*stride … are window position j. f makes a row long enough.
    """
    shape = uop.shape or ()
    n, reach = shape[axis], dilation * (k - 1) + 1
    before, after = shape[:axis], shape[axis + 1 :]
    if not isinstance(n, int):  # the windows of the longest axis, as many as there are now
        pads = [(0, n.vmax - n if i == axis else 0) for i in range(len(shape))]
        windows = node_window(node_padded(uop, pads), axis, k, stride, dilation)
        return narrowed(windows, axis, (0, larger(as_dim((n - reach) // stride + 1), 0)))
    outputs = (n - reach) // stride + 1
    more = _more(n, k, stride, dilation)
    uop = node_padded(uop, [(0, more if i == axis else 0) for i in range(len(shape))])
    if stride >= k and dilation == 1:  # each element is in one window at most
        parts = narrowed(uop, axis, (0, outputs * stride))
        return narrowed(parts.reshape((*before, outputs, stride, *after)), axis + 1, (0, k))
    if stride > 1 and dilation == 1:
        return _blocks(uop, axis, k, stride, outputs)
    factor = max(1, -(-(outputs * stride - dilation) // n))
    row = n * factor + dilation
    times = -(-k * row // n)
    repeated = uop.reshape((*before, 1, n, *after)).expand((*before, times, n, *after))
    long = narrowed(repeated.reshape((*before, times * n, *after)), axis, (0, k * row))
    rows = long.reshape((*before, k, row, *after))
    steps = narrowed(rows, axis + 1, (0, outputs * stride))
    steps = steps.reshape((*before, k, outputs, stride, *after))
    first = narrowed(steps, axis + 2, (0, 1)).reshape((*before, k, outputs, *after))
    rank = len(shape) + 1
    return first.permute((*range(axis), axis + 1, axis, *range(axis + 2, rank)))


def _more(n: Dim, k: int, stride: int, dilation: int) -> int:
    """Elements behind an axis of size n with which windows that have steps are whole blocks."""
    if not isinstance(n, int) or dilation > 1 or (stride == 1 and k > 1):
        return 0
    outputs = (n - k) // stride + 1
    blocks = outputs if stride >= k else outputs - 1 + -(-k // stride)
    return max(blocks * stride - n, 0)


def _blocks(uop: UOp, axis: int, k: int, stride: int, outputs: int) -> UOp:
    """The same of windows that overlap, as runs of whole blocks of `stride` elements.

    Each element is in as many windows as a run has blocks: its gradient is a sum of so many
    terms, where that of rows has one for each position of the window.
    """
    shape = uop.shape or ()
    before, after = shape[:axis], shape[axis + 1 :]
    run = -(-k // stride)
    blocks = outputs - 1 + run
    parts = narrowed(uop, axis, (0, blocks * stride)).reshape((*before, blocks, stride, *after))
    runs = node_window(parts, axis, run, 1, 1)
    return narrowed(runs.reshape((*before, outputs, run * stride, *after)), axis + 1, (0, k))
