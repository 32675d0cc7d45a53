"""Convolutions as nodes: windows that are views, and derivatives of their own.

The adjoint of what windows read adds up a matrix with a column for each position in the window. The
same sums in another order are a convolution of the upstream gradient, which needs no such matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.adjoint import gradients
from rulewright.tensor.core import one_device
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.own_derivative import with_derivative
from rulewright.tensor.shapes import node_cast, node_reduced, nodes_broadcast
from rulewright.tensor.windows import node_windows

if TYPE_CHECKING:
    from rulewright.tensor.adjoint import KernelCall
    from rulewright.tensor.convolution import Convolution
    from rulewright.tensor.tensor import Tensor

T = TypeVar("T", bound="Convolution")
FAR_APART = 1 << 17
"""Elements of a kernel from which on it is put in the order in which it is read."""
LARGE, FEWER, LEAST = 1 << 14, 8, 16
"""Elements of a kernel from which on windows may be few, and so many times as many outputs; places
up to which they are too few for vectors, and pairs of channels from which on they are multiplied as
matrices."""


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
    sources, device = (x, kernel), one_device((x, kernel), "conv")
    plain = partial(correlated, how=how)
    return x._make(with_derivative("conv2d", plain, _derivative(how), sources, device, how), device)


def correlated(x: T, kernel: T, how: Sliding) -> T:
    """The same as plain operations."""
    windows, taps = _operands(x, kernel, how, FEWER, LEAST)
    rank, wide = len(how.steps), accumulator(how.kind)
    a, b = nodes_broadcast([node_cast(windows, wide), node_cast(taps, wide)], "conv")
    last = range(3 + rank, 4 + 2 * rank)
    sums = node_cast(node_reduced(a.alu(Ops.MUL, b), Ops.ADD, last), how.kind)
    places = (windows.shape or ())[3 : 3 + rank]
    node = sums.reshape((x.shape[0], kernel.shape[0], *places))
    return x._make(node, one_device((x, kernel), "conv"))


def _are_few(
    images: int, groups: int, places: Sequence[Any], kernel: Sequence[Any], times: int = FEWER
) -> bool:
    """Whether a kernel is so much more than all windows, `times` as much, that these are better put
    in the order in which it lies: then both are read as neighbours."""
    if not all(isinstance(size, int) for size in (images, *places, *kernel)):
        return False
    return times * images * prod(places) * groups <= kernel[0] and prod(kernel) >= LARGE


def _operands(x: T, kernel: T, how: Sliding, times: int, most: int = 0) -> tuple[UOp, UOp]:
    """Windows (N, groups, 1, places…, inner, window…) and taps (1, groups, out, 1…, inner, …).

    If there are so many `times` as many taps as windows, these are put in order; but not of more
    than `most` places, if that is said.
    """
    rank, size = len(how.steps), tuple(int(s) for s in kernel.shape[2:])
    outputs, inner = int(kernel.shape[0]), kernel.shape[1]
    padded = x._padded([(0, 0), (0, 0), *how.pads])
    windows = node_windows(padded.uop, size, how.steps, how.spread)
    places = (windows.shape or ())[2 : 2 + rank]
    windows = windows.reshape((x.shape[0], how.groups, 1, inner, *places, *size))
    order = (0, 1, 2, *range(4, 4 + rank), 3, *range(4 + rank, 4 + 2 * rank))
    windows = windows.permute(order)
    few = prod(size) > 1 and _are_few(x.shape[0], how.groups, places, kernel.shape, times)
    if few and (not most or x.shape[0] * prod(places) <= most):
        windows = windows.contiguous()
    taps = (1, how.groups, outputs // how.groups, *(1,) * rank, inner, *size)
    return windows, kernel.uop.reshape(taps)


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
    rank, wide = len(how.steps), accumulator(how.kind)
    pairs = int(kernel.shape[0]) // how.groups * int(kernel.shape[1])
    in_pairs = kernel.dtype.bits == 16 and pairs >= LEAST and upstream.shape[-1] % 2 == 0
    if in_pairs and prod(kernel.shape[2:]) > 1:
        x, how = _channels_last(x, how)
        upstream = upstream._new(upstream.uop.contiguous())  # its pairs are read as they lie
    windows = x._new(_operands(x, kernel, how, 1)[0])
    images, groups, _, *rest = windows.shape
    shape = [images, groups, int(kernel.shape[0]) // groups, *rest[:rank], *[1] * (rank + 1)]
    products = windows.cast(wide) * upstream.reshape(shape).cast(wide)
    # (N, groups, out, places…, inner, window…): images and places are added up
    order = [1, 2, *range(3 + rank, 4 + 2 * rank), 0, *range(3, 3 + rank)]
    return products.permute(order)._accumulate_last(wide, rank + 1).reshape(kernel.shape)


def _channels_last(x: Tensor, how: Sliding) -> tuple[Tensor, Sliding]:
    """Padded images in whose memory channels are neighbours, so that pairs of pixels of several
    channels are; and windows that pad no more."""
    rank = len(how.steps)
    padded = x._padded([(0, 0), (0, 0), *how.pads])
    last = padded.permute(0, *range(2, 2 + rank), 1).contiguous()
    return last.permute(0, 1 + rank, *range(1, 1 + rank)), how._replace(pads=((0, 0),) * rank)


def spread_over(upstream: T, kernel: T, how: Sliding, sizes: list[tuple[int, int]]) -> T:
    """Each element of (N, out, places…) spread by a kernel (out, C / groups, window…).

    `sizes`: of each spatial axis of the result (N, C, …), and how much is cut before it.
    """
    images, _, *places = upstream.shape
    if _are_few(images, 1, places, (kernel.shape[1], kernel.shape[0], *kernel.shape[2:])):
        return _in_columns(upstream, kernel, how, sizes)
    stepped = any(s > 1 for s in how.steps)
    if not stepped or any(d > 1 for d in how.spread):
        return _stuffed(upstream, kernel, how, sizes)
    return _in_phases(upstream, kernel, how, sizes)


def _in_columns(upstream: T, kernel: T, how: Sliding, sizes: list[tuple[int, int]]) -> T:
    """A column of windows for each element, and the sums of these in their places."""
    groups, wide = how.groups, accumulator(how.kind)
    outputs, inner, *window = (int(s) for s in kernel.shape)
    images, _, *places = (int(n) for n in upstream.shape)
    rows = upstream.reshape([images, groups, outputs // groups, prod(places)]).transpose(2, 3)
    taps = kernel.reshape([1, groups, outputs // groups, inner * prod(window)])
    columns = rows.cast(wide).matmul(taps.cast(wide))
    columns = columns._new(columns.uop.contiguous()).transpose(2, 3)
    columns = columns.reshape([images, groups * inner, *window, *places])
    return summed_in_place(columns, how, sizes).cast(how.kind)


def summed_in_place(columns: T, how: Sliding, sizes: list[tuple[int, int]]) -> T:
    """The images whose windows (N, C, window…, places…) are: what meets in one place is added up.

    `sizes`: of each axis of an image, and how much is cut before it. The adjoint of the windows.
    """
    rank = len(sizes)
    rest = [int(n) for n in columns.shape[2:]]
    window, places = rest[:rank], rest[rank:]
    shape = (*columns.shape[:2], *(size for size, _ in sizes))
    image = UOp(Ops.PARAM, columns.dtype, (), (0, shape, columns.device))
    ends = [
        (before, (n - 1) * step + gap * (k - 1) + 1 - size - before)
        for n, k, step, gap, (size, before) in zip(
            places, window, how.steps, how.spread, sizes, strict=True
        )
    ]
    padded = columns._new(image)._padded([(0, 0), (0, 0), *ends])
    windows = node_windows(padded.uop, window, how.steps, how.spread)
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    return columns._new(gradients({windows: columns.uop.permute(order)}, [image])[image])


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
    if kernel.numel() >= (LARGE if kernel.dtype.bits == 16 else FAR_APART):  # pairs have to lie
        turned = turned._new(turned.uop.contiguous())
    return convolved(x, turned, how._replace(steps=(1,) * rank, pads=pads))


def _turned(kernel: T, groups: int) -> T:
    """(out, C / groups, …) as (C, out / groups, …)."""
    outputs, inner, *size = (int(s) for s in kernel.shape)
    parts = kernel.reshape([groups, outputs // groups, inner, *size]).transpose(1, 2)
    return parts.reshape([groups * inner, outputs // groups, *size])


def _in_phases(upstream: T, kernel: T, how: Sliding, sizes: list[tuple[int, int]]) -> T:
    """With steps, neighbours in the result come from different taps: each such phase is an image
    with a part of the taps, instead of zeros that are multiplied."""
    rank, groups = len(how.steps), how.groups
    inner, *size = (int(s) for s in kernel.shape[1:])
    phases = [min(s, k) for s, k in zip(how.steps, size, strict=True)]
    taps = [-(-k // s) for s, k in zip(how.steps, size, strict=True)]
    if phases == list(how.steps) and kernel.numel() >= LARGE:
        places = [-(-n // s) for s, (n, _) in zip(how.steps, sizes, strict=True)]
        before = [b for _, b in sizes]
        image = _phase_by_phase(upstream, kernel, how, before, places)
        sizes = [(n, 0) for n, _ in sizes]
    else:
        image = _phases_at_once(upstream, kernel, how, phases, taps)
        places = [int(n) for n in image.shape[-rank:]]
    image = image._new(image.uop.contiguous())
    image = image.reshape([upstream.shape[0], groups * inner, *phases, *places])
    order = [0, 1, *(i for axis in range(rank) for i in (2 + rank + axis, 2 + axis))]
    image = image.permute(order)
    steps = [(0, s - p) for s, p in zip(how.steps, phases, strict=True)]
    image = image._pad([(0, 0), (0, 0), *(p for step in steps for p in ((0, 0), step))])
    whole = [n * s for n, s in zip(places, how.steps, strict=True)]
    image = image.reshape([upstream.shape[0], groups * inner, *whole])
    ends = [(-b, b + n - w) for w, (n, b) in zip(whole, sizes, strict=True)]
    return image._padded([(0, 0), (0, 0), *ends])


def _phases_at_once(upstream: T, kernel: T, how: Sliding, phases: list[int], taps: list[int]) -> T:
    """All phases as channels of one convolution, with taps of zeros where some have fewer."""
    rank, groups = len(how.steps), how.groups
    parts = _kernels_of_phases(kernel, groups, phases, taps)
    # (groups, C / groups, phases…, out / groups, taps…)
    order = [rank, rank + 1, *range(rank), *range(rank + 2, 2 * rank + 3)]
    channels = groups * int(kernel.shape[1]) * prod(phases)
    cut = parts.permute(order).reshape([channels, int(kernel.shape[0]) // groups, *taps])
    if kernel.numel() > 4 * FAR_APART:
        cut = cut._new(cut.uop.contiguous())
    plain = how._replace(steps=(1,) * rank, pads=tuple((t - 1, t - 1) for t in taps))
    return convolved(upstream, cut, plain)


def _kernels_of_phases(kernel: T, groups: int, phases: list[int], taps: list[int]) -> T:
    """A kernel (out, C / groups, window…) as (phases…, groups, C / groups, out / groups, taps…),
    turned round, with zeros before the taps of phases that have fewer."""
    rank = len(taps)
    outputs, inner, *size = (int(s) for s in kernel.shape)
    more = [t * p - k for t, p, k in zip(taps, phases, size, strict=True)]
    cut = kernel._pad([(0, 0), (0, 0), *((0, m) for m in more)])
    pairs = [n for pair in zip(taps, phases, strict=True) for n in pair]
    cut = cut.reshape([groups, outputs // groups, inner, *pairs])
    order = [*range(4, 4 + 2 * rank, 2), 0, 2, 1, *range(3, 3 + 2 * rank, 2)]
    return cut.permute(order).flip(*range(3 + rank, 3 + 2 * rank))


def _phase_by_phase(
    upstream: T, kernel: T, how: Sliding, before: list[int], places: list[int]
) -> T:
    """A convolution for each phase of what is behind so much of the result, of so many places each,
    with as many taps as it has."""
    rank, steps, images = len(how.steps), how.steps, []
    outputs, _, *size = (int(s) for s in kernel.shape)
    parts: T | None = None
    if all(k % s == 0 for s, k in zip(steps, size, strict=True)):
        taps = [k // s for s, k in zip(steps, size, strict=True)]
        parts = _kernels_of_phases(kernel, how.groups, list(steps), taps)
        parts = parts._new(parts.uop.contiguous())
    for phase in product(*map(range, steps)):
        turns = [divmod(q + b, s) for q, b, s in zip(phase, before, steps, strict=True)]
        if parts is not None:
            part = parts[tuple(tap for _, tap in turns)]
            part = part.reshape([-1, outputs // how.groups, *part.shape[-rank:]])
        else:
            every = [slice(tap, None, s) for (_, tap), s in zip(turns, steps, strict=True)]
            own = (slice(None), slice(None), *every)
            part = _turned(kernel[own], how.groups)
            part = part.flip(*range(2, 2 + rank))
            part = part._new(part.uop.contiguous())
        sizes = zip(turns, part.shape[2:], places, upstream.shape[2:], strict=True)
        pads = tuple((int(t) - 1 - first, first + p - int(n)) for (first, _), t, p, n in sizes)
        image = convolved(upstream, part, how._replace(steps=(1,) * rank, pads=pads))
        images.append(image.unsqueeze(2))
    return images[0].cat(*images[1:], dim=2)
