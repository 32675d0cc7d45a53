"""Convolutions over one to three axes, their transposes, and what adds windows up again."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from rulewright.errors import ShapeError, UsageError
from rulewright.tensor.members import Members, Self
from rulewright.tensor.patterns import patterned
from rulewright.tensor.pooling import Pads, Sizes, check_windows, spatial_pads
from rulewright.tensor.products import product_dtype
from rulewright.tensor.shapes import show, tuple_of
from rulewright.tensor.sliding import Sliding, convolved, spread_over, summed_in_place


class Convolution(Members):
    """conv and conv_transpose.

    padding: zeros around the spatial axes: one number, one an axis, or pairs beginning with the
    last axis (left, right, top, bottom, …). `dtype` is the type of the result, in which products
    are added up too; narrow floats are accumulated in float32 otherwise.
    """

    __slots__ = ()

    @patterned
    def conv2d(
        self,
        weight: Any,
        bias: Any = None,
        groups: int = 1,
        stride: Sizes = 1,
        dilation: Sizes = 1,
        padding: Sizes | str = 0,
        dtype: Any = None,
    ) -> Self:
        """Cross-correlation of (N, C, spatial…) with weight (out, C / groups, window…).

        One to three spatial axes, as the weight has; N may be left out. The result is
        (N, out, spatial…), each size (n + pads - dilation * (window - 1) - 1) // stride + 1.
        padding: also "valid" (none), or "same" (the size stays; stride 1 only); negative numbers
        cut. Raises ShapeError
        if channels or sizes do not fit, UsageError for other words.

        >>> image = Tensor.arange(9).reshape(1, 1, 3, 3)
        >>> image.conv2d(Tensor([[[[1, 0], [0, -1]]]])).tolist()
        [[[[-4, -4], [-4, -4]]]]
        """
        places, weight = (stride, dilation, padding), self._wrap(weight, "conv2d weight")
        return self._convolve(weight, bias, groups, places, dtype, "conv2d")

    def conv1d(self, weight: Any, *args: Any, **options: Any) -> Self:
        """`conv2d` of x (N, C, L) with weight (out, C / groups, window).

        Raises ShapeError for a weight of another number of axes.

        >>> Tensor([[[1.0, 2.0, 4.0]]]).conv1d(Tensor([[[1.0, -1.0]]])).tolist()
        [[[-1.0, -2.0]]]
        """
        return self.conv2d(self._of_rank(weight, 1, "conv1d"), *args, **options)

    def conv3d(self, weight: Any, *args: Any, **options: Any) -> Self:
        """`conv2d` of x (N, C, D, H, W) with weight (out, C / groups, kd, kh, kw).

        Raises ShapeError for a weight of another number of axes.

        >>> Tensor.ones(1, 2, 3, 3, 3).conv3d(Tensor.ones(1, 2, 2, 2, 2)).max().item()
        16.0
        """
        return self.conv2d(self._of_rank(weight, 3, "conv3d"), *args, **options)

    def _of_rank(self, weight: Any, rank: int, method: str) -> Members:
        weight = self._wrap(weight, f"{method} weight")
        if weight.ndim != rank + 2:
            raise ShapeError(
                f"{method}: expected a weight of {rank + 2} axes, found {show(weight.shape)}"
            )
        return weight

    def _convolve(
        self, weight: Any, bias: Any, groups: int, options: tuple[Any, Any, Any], dtype: Any,
        method: str,
    ) -> Self:  # fmt: skip
        if self.ndim == weight.ndim - 1 and self.ndim > 1:
            result = self.unsqueeze(0)._convolve(weight, bias, groups, options, dtype, method)
            return result.squeeze(0)
        rank = _check_channels(self.shape, weight.shape, groups, method)
        stride, dilation, padding = options
        steps = tuple_of(stride, rank, method, "stride", 1)
        spread = tuple_of(dilation, rank, method, "dilation", 1)
        size = tuple(int(s) for s in weight.shape[2:])
        pads = convolution_pads(padding, size, steps, spread, method)
        check_windows(self._padded([(0, 0), (0, 0), *pads]).shape[2:], size, spread, method)
        kind = product_dtype(method, dtype, self.dtype, weight.dtype)
        how = Sliding(groups, steps, spread, tuple(pads), kind)
        result = convolved(self, self._other(weight), how)
        outputs = int(weight.shape[0])
        return result if bias is None else result + self._biases(bias, outputs, rank, method)

    def _padded(self, pads: Pads) -> Self:
        """Zeros around axes; negative numbers cut."""
        return self.pad(pads) if any(min(pair) < 0 for pair in pads) else self._pad(pads)

    def _biases(self, bias: Any, outputs: int, rank: int, method: str) -> Self:
        """One bias for each output channel."""
        biases = self._other(bias, f"{method} bias")
        if biases.shape != (outputs,):
            raise ShapeError(
                f"{method}: expected a bias for each of {outputs} outputs, "
                f"found {show(biases.shape)}"
            )
        return biases.reshape([-1] + [1] * rank)

    def conv_transpose2d(
        self,
        weight: Any,
        bias: Any = None,
        groups: int = 1,
        stride: Sizes = 1,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
    ) -> Self:
        """The transpose of `conv2d`: each element of (N, C, spatial…) spreads weight
        (C, out / groups, window…) over the result, (N, out, spatial…).

        One to three spatial axes; N may be left out. Each size is (n - 1) * stride - pads +
        dilation * (window - 1) + output_padding + 1: `padding` cuts the result, `output_padding`
        adds to its end. Raises ShapeError if channels or sizes do not fit, UsageError for an
        output_padding that is not below the stride or the dilation.

        >>> Tensor([[[1.0, 10.0]]]).conv_transpose2d(Tensor([[[1.0, 2.0, 3.0]]]), stride=2).tolist()
        [[[1.0, 2.0, 13.0, 20.0, 30.0]]]
        """
        return self._spread(
            self._wrap(weight, "conv_transpose2d weight"), bias, groups,
            (stride, dilation, padding, output_padding), "conv_transpose2d",
        )  # fmt: skip

    def conv_transpose1d(self, weight: Any, *args: Any, **options: Any) -> Self:
        """`conv_transpose2d` of x (N, C, L) with weight (C, out / groups, window).

        Raises ShapeError for a weight of another number of axes.

        >>> Tensor([[[1.0, 10.0]]]).conv_transpose1d(Tensor([[[1.0, 2.0]]])).tolist()
        [[[1.0, 12.0, 20.0]]]
        """
        weight = self._of_rank(weight, 1, "conv_transpose1d")
        return self.conv_transpose2d(weight, *args, **options)

    def conv_transpose3d(self, weight: Any, *args: Any, **options: Any) -> Self:
        """`conv_transpose2d` of x (N, C, D, H, W) with weight (C, out / groups, kd, kh, kw).

        Raises ShapeError for a weight of another number of axes.

        >>> Tensor.ones(1, 1, 1, 2, 2).conv_transpose3d(Tensor.ones(1, 3, 2, 2, 2)).shape
        (1, 3, 2, 3, 3)
        """
        weight = self._of_rank(weight, 3, "conv_transpose3d")
        return self.conv_transpose2d(weight, *args, **options)

    def fold(
        self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> Self:  # fmt: skip
        """Images (N, C, H, W) of this size (H, W): sums of windows (N, C * window, places) at the
        places where a convolution of that window would find them. N may be left out.

        Raises ShapeError for other windows or another number of places.

        >>> Tensor([[1, 2], [10, 20]]).fold((1, 3), (1, 2)).tolist()
        [[[1, 12, 20]]]
        """
        names = ("output_size", "kernel_size", "dilation", "padding", "stride")
        values = (output_size, kernel_size, dilation, padding, stride)
        size, window, gaps, pads, steps = (
            tuple_of(value, 2, "fold", name, int(name != "padding"))
            for name, value in zip(names, values, strict=True)
        )
        pairs = zip(size, window, gaps, pads, strict=True)
        spans = [n + 2 * p - d * (k - 1) - 1 for n, k, d, p in pairs]
        places = [max(span // s + 1, 0) for span, s in zip(spans, steps, strict=True)]
        of, total = prod(window), prod(places)
        if self.ndim not in (2, 3) or int(self.shape[-2]) % of or int(self.shape[-1]) != total:
            raise ShapeError(
                f"fold: expected (N, C * {of}, {total}) for size {show(size)} and windows of "
                f"{show(window)}, found {show(self.shape)}"
            )
        channels = int(self.shape[-2]) // of
        images = self.shape[0] if self.ndim == 3 else 1
        columns = self.reshape([images, channels, *window, *places])
        how = Sliding(1, steps, gaps, (), self.dtype)
        image = summed_in_place(columns, how, list(zip(size, pads, strict=True)))
        return image.reshape([*self.shape[:-2], channels, *size])

    def _spread(
        self, weight: Any, bias: Any, groups: int, options: tuple[Any, Any, Any, Any], method: str
    ) -> Self:
        if self.ndim == weight.ndim - 1 and self.ndim > 1:
            return self.unsqueeze(0)._spread(weight, bias, groups, options, method).squeeze(0)
        rank = len(weight.shape) - 2
        wanted = (weight.shape[1], weight.shape[0] // max(groups, 1)) if rank > 0 else ()
        _check_channels(self.shape, (*wanted, *weight.shape[2:]), groups, method, weight.shape)
        stride, dilation, padding, more = options
        steps = tuple_of(stride, rank, method, "stride", 1)
        spread = tuple_of(dilation, rank, method, "dilation", 1)
        extra = tuple_of(more, rank, method, "output_padding")
        size = tuple(int(s) for s in weight.shape[2:])
        if any(e >= max(s, d) for e, s, d in zip(extra, steps, spread, strict=True)):
            raise UsageError(
                f"{method}: output_padding must be below stride {steps} or dilation {spread}, "
                f"found {extra}"
            )
        cuts = spatial_pads(padding, rank, method)
        lengths = [
            max((int(n) - 1) * s + 1, 0) - a - b + d * (k - 1) + e
            for n, s, (a, b), d, k, e in zip(
                self.shape[2:], steps, cuts, spread, size, extra, strict=True
            )
        ]
        if min(lengths) < 0:
            left = next(length for length in lengths if length < 0)
            raise ShapeError(f"{method}: padding leaves {left} elements of an axis of the result")
        sizes = [(max(n, 1), a) for n, (a, _) in zip(lengths, cuts, strict=True)]
        kind = product_dtype(method, None, self.dtype, weight.dtype)
        how = Sliding(groups, steps, spread, (), kind)
        result = spread_over(self, self._other(weight), how, sizes)
        for axis, length in enumerate(lengths, 2):
            result = result if length else result._narrowed(axis, (0, 0))
        outputs = int(result.shape[1])
        return result if bias is None else result + self._biases(bias, outputs, rank, method)

    def _stuffed(self, axis: int, step: int) -> Self:
        """step - 1 zeros between the elements of an axis."""
        size = int(self.shape[axis])
        if step == 1 or size == 0:
            return self
        before, after = self.shape[:axis], self.shape[axis + 1 :]
        wide = self.reshape([*before, size, 1, *after])
        wide = wide._pad([(0, step - 1 if i == axis + 1 else 0) for i in range(wide.ndim)])
        joined = wide.reshape([*before, size * step, *after])
        return joined._narrowed(axis, (0, (size - 1) * step + 1))


def convolution_pads(
    padding: Sizes | str, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int],
    method: str,
) -> Pads:  # fmt: skip
    """(before, after) for each spatial axis, also for "same" and "valid".

    Raises UsageError for another word, and for "same" with a stride.
    """
    if not isinstance(padding, str):
        return spatial_pads(padding, len(size), method, least=None)
    if padding not in ("same", "valid"):
        raise UsageError(f"{method}: padding is numbers, 'same' or 'valid', found {padding!r}")
    if padding == "valid":
        return [(0, 0)] * len(size)
    if set(stride) != {1}:
        raise UsageError(f"{method}: padding 'same' needs stride 1, found {stride}")
    totals = [d * (k - 1) for d, k in zip(dilation, size, strict=True)]
    return [(t // 2, t - t // 2) for t in totals]


def _check_channels(
    x: Sequence[Any], weight: Sequence[Any], groups: int, method: str, shown: Any = None
) -> int:
    """The number of spatial axes. Raises ShapeError if x and weight (out, inner, …) do not fit.

    shown: the weight of a transpose, (inner * groups, out, …), which errors name.
    """
    rank = len(weight) - 2
    transposed = shown is not None
    shown = shown if transposed else weight
    if not 1 <= rank <= 3 or len(x) != len(weight):
        sides = "(C, out / groups" if transposed else "(out, C / groups"
        raise ShapeError(
            f"{method}: expected x (N, C, H, W) and weight {sides}, kh, kw), or one or three "
            f"spatial axes on both, found {show(x)} and {show(shown)}"
        )
    divides = groups >= 1 and (transposed or weight[0] % groups == 0)
    if not divides or x[1] != groups * weight[1] or (transposed and shown[0] != x[1]):
        raise ShapeError(
            f"{method}: {x[1]} channels of x in {groups} groups need a weight with "
            f"{x[1] if transposed else x[1] // max(groups, 1)} channels"
            f"{'' if transposed else f' and outputs that divide by {groups}'}, "
            f"found weight {show(shown)}"
        )
    return rank
