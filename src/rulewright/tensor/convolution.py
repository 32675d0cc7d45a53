"""Convolutions over one to three axes, and their transposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError, UsageError
from rulewright.tensor.convolution_gradient import Sliding, convolved, spread_over
from rulewright.tensor.members import Members
from rulewright.tensor.products import product_dtype
from rulewright.tensor.shapes import show, tuple_of
from rulewright.tensor.windows import Pads, Sizes, check_windows, spatial_pads

if TYPE_CHECKING:
    from typing_extensions import Self


class Convolution(Members):
    """conv and conv_transpose.

    padding: zeros around the spatial axes: one number, one an axis, or pairs beginning with the
    last axis (left, right, top, bottom, …). `dtype` is the type of the result, in which products
    are added up too; narrow floats are accumulated in float32 otherwise.
    """

    __slots__ = ()

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
        return self._convolve(
            self._wrap(weight, "conv2d weight"),
            bias,
            groups,
            (stride, dilation, padding),
            dtype,
            "conv2d",
        )

    def conv1d(self, weight: Any, *args: Any, **options: Any) -> Self:
        """`conv2d` of x (N, C, L) with weight (out, C / groups, window).

        Raises ShapeError for a weight of another number of axes.

        >>> Tensor([[[1.0, 2.0, 4.0]]]).conv1d(Tensor([[[1.0, -1.0]]])).tolist()
        [[[-1.0, -2.0]]]
        """
        return self.conv2d(
            _of_rank(self._wrap(weight, "conv1d weight"), 1, "conv1d"), *args, **options
        )

    def conv3d(self, weight: Any, *args: Any, **options: Any) -> Self:
        """`conv2d` of x (N, C, D, H, W) with weight (out, C / groups, kd, kh, kw).

        Raises ShapeError for a weight of another number of axes.

        >>> Tensor.ones(1, 2, 3, 3, 3).conv3d(Tensor.ones(1, 2, 2, 2, 2)).max().item()
        16.0
        """
        return self.conv2d(
            _of_rank(self._wrap(weight, "conv3d weight"), 3, "conv3d"), *args, **options
        )

    def _convolve(
        self, weight: Any, bias: Any, groups: int, options: tuple[Any, Any, Any], dtype: Any,
        method: str,
    ) -> Self:  # fmt: skip
        if self.ndim == weight.ndim - 1 and self.ndim > 1:
            found = self.unsqueeze(0)._convolve(weight, bias, groups, options, dtype, method)
            return found.squeeze(0)
        rank = _check_channels(self.shape, weight.shape, groups, method)
        stride, dilation, padding = options
        steps = tuple_of(stride, rank, method, "stride", 1)
        spread = tuple_of(dilation, rank, method, "dilation", 1)
        size = tuple(int(s) for s in weight.shape[2:])
        pads = convolution_pads(padding, size, steps, spread, method)
        check_windows(self._padded([(0, 0), (0, 0), *pads]).shape[2:], size, spread, method)
        kind = product_dtype(method, dtype, self.dtype, weight.dtype)
        how = Sliding(groups, steps, spread, tuple(pads), kind)
        found = convolved(self, self._other(weight), how)
        outputs = int(weight.shape[0])
        return found if bias is None else found + self._biases(bias, outputs, rank, method)

    def _padded(self, pads: Pads) -> Self:
        """Zeros around axes; negative numbers cut."""
        return self.pad(pads) if any(min(pair) < 0 for pair in pads) else self._pad(pads)

    def _biases(self, bias: Any, outputs: int, rank: int, method: str) -> Self:
        """One bias for each output channel."""
        given = self._other(bias, f"{method} bias")
        if given.shape != (outputs,):
            raise ShapeError(
                f"{method}: expected a bias for each of {outputs} outputs, "
                f"found {show(given.shape)}"
            )
        return given.reshape([-1] + [1] * rank)

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
        weight = _of_rank(self._wrap(weight, "conv_transpose1d weight"), 1, "conv_transpose1d")
        return self.conv_transpose2d(weight, *args, **options)

    def conv_transpose3d(self, weight: Any, *args: Any, **options: Any) -> Self:
        """`conv_transpose2d` of x (N, C, D, H, W) with weight (C, out / groups, kd, kh, kw).

        Raises ShapeError for a weight of another number of axes.

        >>> Tensor.ones(1, 1, 1, 2, 2).conv_transpose3d(Tensor.ones(1, 3, 2, 2, 2)).shape
        (1, 3, 2, 3, 3)
        """
        weight = _of_rank(self._wrap(weight, "conv_transpose3d weight"), 3, "conv_transpose3d")
        return self.conv_transpose2d(weight, *args, **options)

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
        _check_left(lengths, method)
        sizes = [(n, a) for n, (a, _) in zip(lengths, cuts, strict=True)]
        kind = product_dtype(method, None, self.dtype, weight.dtype)
        how = Sliding(groups, steps, spread, (), kind)
        found = spread_over(self, self._other(weight), how, sizes)
        return (
            found if bias is None else found + self._biases(bias, int(found.shape[1]), rank, method)
        )

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


def _of_rank(weight: Any, rank: int, method: str) -> Any:
    if weight.ndim != rank + 2:
        raise ShapeError(
            f"{method}: expected a weight of {rank + 2} axes, found {show(weight.shape)}"
        )
    return weight


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


def _check_left(lengths: Sequence[int], method: str) -> None:
    for left in lengths:
        if left < 1:
            raise ShapeError(f"{method}: padding leaves {left} elements of an axis of the result")
