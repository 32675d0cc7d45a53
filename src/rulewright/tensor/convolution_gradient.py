"""Convolutions as nodes with derivatives of their own, which are convolutions again.

What windows read of an image is a view, and the adjoint of that view adds up a matrix with a column
for each position in the window. The same sums in another order are a convolution of the upstream
gradient, which needs no such matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.function_nodes import Derivative, called, derivative_id, derivatives
from rulewright.tensor.kinds import accumulator

if TYPE_CHECKING:
    from rulewright.tensor.convolution import Convolution
    from rulewright.tensor.function_gradient import KernelCall
    from rulewright.tensor.tensor import Tensor

T = TypeVar("T", bound="Convolution")


FAR_APART, OFTEN = 1 << 17, 16
"""Elements of a kernel from which on it is put in the order in which it is read, and up to which
times those of the images that read it."""


class Sliding(NamedTuple):
    """How windows slide over the spatial axes of images; `kind` is the dtype of the result."""

    groups: int
    steps: tuple[int, ...]
    spread: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    kind: DType


def convolved(x: T, kernel: T, how: Sliding) -> T:
    """Images (N, C, spatial…) and a kernel (out, C / groups, window…), with its own derivative."""
    known = all(isinstance(size, int) for size in (*x.shape, *kernel.shape))
    if not known or prod(kernel.shape[2:]) == 1 or not (x.dtype.is_float or kernel.dtype.is_float):
        return correlated(x, kernel, how)
    sources = (x, kernel)
    params = [
        x._make(UOp(Ops.PARAM, t.dtype, (), (slot, t.shape, x.device)), x.device)
        for slot, t in enumerate(sources)
    ]
    value = correlated(params[0], params[1], how).uop
    given = _derivative(how)
    name = ("conv2d", "inline", derivative_id(given))
    function = UOp(Ops.FUNCTION, dtypes.void, (value,), name)
    derivatives[function] = Derivative(given, (0, 1))
    return x._new(called(function, [t.uop for t in sources])[0])


def correlated(x: T, kernel: T, how: Sliding) -> T:
    """The same as plain operations."""
    windows, taps = _operands(x, kernel, how)
    rank, wide = len(how.steps), accumulator(how.kind)
    products = windows.cast(wide) * taps.cast(wide)
    found = products._accumulate_last(wide, rank + 1).cast(how.kind)
    return found.reshape([x.shape[0], kernel.shape[0], *windows.shape[3 : 3 + rank]])


def _operands(x: T, kernel: T, how: Sliding) -> tuple[T, T]:
    """Windows (N, groups, 1, places…, inner, window…) and taps (1, groups, out, 1…, inner, …)."""
    rank, size = len(how.steps), tuple(int(s) for s in kernel.shape[2:])
    outputs, inner = int(kernel.shape[0]), kernel.shape[1]
    padded = x._padded([(0, 0), (0, 0), *how.pads])
    windows = padded._windows(size, how.steps, how.spread)
    places = windows.shape[2 : 2 + rank]
    windows = windows.reshape([x.shape[0], how.groups, 1, inner, *places, *size])
    order = [0, 1, 2, *range(4, 4 + rank), 3, *range(4 + rank, 4 + 2 * rank)]
    taps = [1, how.groups, outputs // how.groups, *[1] * rank, inner, *size]
    return windows.permute(order), kernel.reshape(taps)


@lru_cache(maxsize=4096)  # so that equal convolutions are one node
def _derivative(how: Sliding) -> Callable[..., Any]:
    def gradients(upstream: Tensor, call: KernelCall) -> tuple[Tensor | None, Tensor | None]:
        x, kernel = call.sources
        assert x is not None and kernel is not None
        return (
            _by_image(upstream, x, kernel, how) if x.dtype.is_float else None,
            _by_kernel(upstream, x, kernel, how) if kernel.dtype.is_float else None,
        )

    return gradients


def _by_image(upstream: Tensor, x: Tensor, kernel: Tensor, how: Sliding) -> Tensor:
    sizes = [(int(n), before) for n, (before, _) in zip(x.shape[2:], how.pads, strict=True)]
    return spread_over(upstream, kernel, how, sizes)


def _by_kernel(upstream: Tensor, x: Tensor, kernel: Tensor, how: Sliding) -> Tensor:
    windows, _ = _operands(x, kernel, how)
    rank, wide = len(how.steps), accumulator(how.kind)
    images, groups, _, *rest = windows.shape
    shape = [images, groups, int(kernel.shape[0]) // groups, *rest[:rank], *[1] * (rank + 1)]
    products = windows.cast(wide) * upstream.reshape(shape).cast(wide)
    # (N, groups, out, places…, inner, window…): images and places are added up
    order = [1, 2, *range(3 + rank, 4 + 2 * rank), 0, *range(3, 3 + rank)]
    return products.permute(order)._accumulate_last(wide, rank + 1).reshape(kernel.shape)


def spread_over(upstream: T, kernel: T, how: Sliding, sizes: list[tuple[int, int]]) -> T:
    """Each element of (N, out, places…) spread by a kernel (out, C / groups, window…).

    `sizes`: of each spatial axis of the result (N, C, …), and how much is cut before it.
    """
    stepped = any(s > 1 for s in how.steps)
    few = kernel.numel() > OFTEN * upstream.numel()  # parts of taps are kernels in memory
    if not stepped or few or any(d > 1 for d in how.spread):
        return _stuffed(upstream, kernel, how, sizes)
    return _in_phases(upstream, kernel, how, sizes)


def _stuffed(upstream: T, kernel: T, how: Sliding, sizes: list[tuple[int, int]]) -> T:
    """Zeros between the elements, and a convolution with the kernel turned round."""
    rank, x = len(how.steps), upstream
    for axis, step in enumerate(how.steps, 2):
        x = x._stuffed(axis, step)
    reach = [d * (int(k) - 1) for d, k in zip(how.spread, kernel.shape[2:], strict=True)]
    pads = tuple(
        (r - before, before + size - int(n))
        for r, n, (size, before) in zip(reach, x.shape[2:], sizes, strict=True)
    )
    turned = _turned(kernel, how.groups).flip(*range(2, 2 + rank))
    if FAR_APART <= kernel.numel() <= OFTEN * upstream.numel():
        turned = turned._new(turned.uop.contiguous())
    return convolved(x, turned, how._replace(steps=(1,) * rank, pads=pads))


def _turned(kernel: T, groups: int) -> T:
    """(out, C / groups, …) as (C, out / groups, …)."""
    outputs, inner, *size = (int(s) for s in kernel.shape)
    parts = kernel.reshape([groups, outputs // groups, inner, *size]).transpose(1, 2)
    return parts.reshape([groups * inner, outputs // groups, *size])


def _in_phases(upstream: T, kernel: T, how: Sliding, sizes: list[tuple[int, int]]) -> T:
    """With steps, neighbours in the result come from different taps: one channel for each such
    phase, each with a part of the taps, instead of zeros that are multiplied."""
    rank, groups = len(how.steps), how.groups
    outputs, inner, *size = (int(s) for s in kernel.shape)
    phases = [min(s, k) for s, k in zip(how.steps, size, strict=True)]
    taps = [-(-k // s) for s, k in zip(how.steps, size, strict=True)]
    more = [t * p - k for t, p, k in zip(taps, phases, size, strict=True)]
    cut = kernel._pad([(0, 0), (0, 0), *((0, m) for m in more)])
    pairs = [n for pair in zip(taps, phases, strict=True) for n in pair]
    cut = cut.reshape([groups, outputs // groups, inner, *pairs])
    # (groups, C / groups, phases…, out / groups, taps…)
    order = [0, 2, *range(4, 4 + 2 * rank, 2), 1, *range(3, 3 + 2 * rank, 2)]
    channels = groups * inner * prod(phases)
    cut = cut.permute(order).reshape([channels, outputs // groups, *taps]).flip(*range(2, 2 + rank))
    plain = how._replace(steps=(1,) * rank, pads=tuple((t - 1, t - 1) for t in taps))
    found = convolved(upstream, cut, plain)
    found = found._new(found.uop.contiguous())
    places = [int(n) for n in found.shape[2:]]
    found = found.reshape([upstream.shape[0], groups * inner, *phases, *places])
    order = [0, 1, *(i for axis in range(rank) for i in (2 + rank + axis, 2 + axis))]
    found = found.permute(order)
    steps = [(0, s - p) for s, p in zip(how.steps, phases, strict=True)]
    found = found._pad([(0, 0), (0, 0), *(p for step in steps for p in ((0, 0), step))])
    whole = [n * s for n, s in zip(places, how.steps, strict=True)]
    found = found.reshape([upstream.shape[0], groups * inner, *whole])
    ends = [(-b, b + n - w) for w, (n, b) in zip(whole, sizes, strict=True)]
    return found._padded([(0, 0), (0, 0), *ends])
