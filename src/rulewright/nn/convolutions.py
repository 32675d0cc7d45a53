"""Convolutions and their transposes as layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rulewright.errors import UsageError
from rulewright.nn import arguments
from rulewright.nn.layers import Layer, facts, uniform
from rulewright.tensor.convolution import convolution_pads
from rulewright.tensor.pooling import spatial_pads
from rulewright.tensor.shapes import tuple_of
from rulewright.tensor.tensor import Tensor

Sizes = int | Sequence[int]
_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Layer):
    rank = 2
    weight: Tensor
    bias: Tensor | None

    def _prepare(
        self, channels: tuple[int, int], kernel_size: Sizes, stride: Sizes, dilation: Sizes,
        groups: int, bias: bool, turned: bool = False,
    ) -> tuple[int, ...]:  # fmt: skip
        """Check, keep and make what both kinds have; the kernel's size. `turned`: the weight of a
        transpose begins with what goes in."""
        name = type(self).__name__
        for which, count in zip(("in_channels", "out_channels"), channels, strict=True):
            arguments.whole(name, which, count, 1)
        arguments.whole(name, "groups", groups, 1)
        size = tuple_of(kernel_size, self.rank, name, "kernel_size", 1)
        if any(c % groups for c in channels):
            raise UsageError(
                f"{name}: {groups} groups must divide {channels[0]} and {channels[1]} channels"
            )
        self.stride = tuple_of(stride, self.rank, name, "stride", 1)
        self.dilation = tuple_of(dilation, self.rank, name, "dilation", 1)
        self.groups = groups
        first, second = channels if turned else channels[::-1]
        bound = 1 / math.sqrt(second // groups * math.prod(size))
        self.weight = uniform(bound, first, second // groups, *size)
        arguments.flag(name, "bias", bias)
        self.bias = uniform(bound, channels[1]) if bias else None
        return size

    def _facts(self, channels: tuple[Any, Any], **named: tuple[Any, Any]) -> str:
        ones = (1,) * self.rank
        return facts(
            *channels, kernel_size=(tuple(self.weight.shape[2:]), None), stride=(self.stride, None),
            **named, dilation=(self.dilation, ones), groups=(self.groups, 1),
            bias=(self.bias is not None, True),
        )  # fmt: skip


class Conv2d(_Convolution):
    """Convolution of x (N, in_channels, H, W); see `Tensor.conv2d`.

    padding: one number, one an axis, "valid", or "same" for stride 1. padding_mode: what is
    there: "zeros", or as of `Tensor.pad` "reflect", "replicate" or "circular". `weight` is
    (out_channels, in_channels / groups, kernel…), `bias` (out_channels,) or None; both begin
    uniform in ±1/sqrt(elements of one filter), as in PyTorch.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
    ) -> None:
        channels = (in_channels, out_channels)
        size = self._prepare(channels, kernel_size, stride, dilation, groups, bias)
        name = type(self).__name__
        self.padding_mode = arguments.choice(name, "padding_mode", padding_mode, *_PADDING_MODES)
        pads = convolution_pads(padding, size, self.stride, self.dilation, name)
        self.padding = [p for pair in pads[::-1] for p in pair]  # PyTorch's order: last axis first

    def __call__(self, x: Tensor) -> Tensor:
        """(N, out_channels, spatial…)."""
        x, padding = arguments.tensor(type(self).__name__, "x", x), self.padding
        if self.padding_mode != "zeros":
            x, padding = x.pad(padding, self.padding_mode), [0] * len(padding)
        return x.conv2d(self.weight, self.bias, self.groups, self.stride, self.dilation, padding)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        out, part = self.weight.shape[:2]
        before, after = tuple(self.padding[::2][::-1]), tuple(self.padding[1::2][::-1])
        padding = before if before == after else tuple(zip(before, after, strict=True))
        named = {"padding": (padding, (0,) * self.rank)}
        shown = self._facts((part * self.groups, out), **named)
        mode = facts(padding_mode=(self.padding_mode, "zeros"))
        return f"{shown}, {mode}" if mode else shown


class Conv1d(Conv2d):
    """`Conv2d` of x (N, in_channels, L)."""

    rank = 1


class Conv3d(Conv2d):
    """`Conv2d` of x (N, in_channels, D, H, W)."""

    rank = 3


class ConvTranspose2d(_Convolution):
    """Transposed convolution of x (N, in_channels, H, W); see `Tensor.conv_transpose2d`.

    `weight` is (in_channels, out_channels / groups, kernel…), `bias` (out_channels,) or None;
    both begin uniform in ±1/sqrt(out_channels / groups * elements of the kernel), as in PyTorch.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        channels = (in_channels, out_channels)
        self._prepare(channels, kernel_size, stride, dilation, groups, bias, turned=True)
        name = type(self).__name__
        self.padding = spatial_pads(padding, self.rank, name)
        self.output_padding = tuple_of(output_padding, self.rank, name, "output_padding")

    def __call__(self, x: Tensor) -> Tensor:
        """(N, out_channels, spatial…)."""
        x = arguments.tensor(type(self).__name__, "x", x)
        pads = [p for pair in self.padding[::-1] for p in pair]
        places: tuple[Any, ...] = (self.stride, self.dilation, pads, self.output_padding)
        return x.conv_transpose2d(self.weight, self.bias, self.groups, *places)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        channels, part = self.weight.shape[:2]
        before, none = tuple(lo for lo, _ in self.padding), (0,) * self.rank
        named = {"padding": (before, none), "output_padding": (self.output_padding, none)}
        return self._facts((channels, part * self.groups), **named)


class ConvTranspose1d(ConvTranspose2d):
    """`ConvTranspose2d` of x (N, in_channels, L)."""

    rank = 1


class ConvTranspose3d(ConvTranspose2d):
    """`ConvTranspose2d` of x (N, in_channels, D, H, W)."""

    rank = 3
