"""The words of random programs as PyTorch has them, so that it can run the same lines."""

from __future__ import annotations

from functools import partial
from inspect import Signature, signature
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from rulewright import Tensor
from rulewright.verify.methods.row import kind_named

_KINDS = {
    "f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
    "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8,
    "u8": torch.uint8, "bool": torch.bool,
}  # fmt: skip
_CREATORS = ("full", "arange", "eye", "zeros", "ones", "stack", "cat", "einsum", "meshgrid")


def _kind(word: Any) -> torch.dtype:
    return word if isinstance(word, torch.dtype) else _KINDS[kind_named(str(word)).name]


class Unsaid(Exception):
    """What PyTorch does here is not what we want to be like."""


class Peer(torch.Tensor):
    """A tensor of PyTorch; what it lacks as a method is looked for among its functions."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(functional, name)
        if "max_pool" in name:
            return partial(self._of_different_ones, function)
        if name.startswith("softm"):
            return partial(function, self, dim=-1)
        if "reduction" in signature(function).parameters:
            return partial(self._named, function, signature(getattr(Tensor, name)))
        return partial(function, self)

    def _named(self, function: Any, ours: Signature, *args: Any, **named: Any) -> Any:
        """A function whose words behind the operands come in another order."""
        words = ours.bind(self, *args, **named).arguments
        return function(words.pop("self"), words.pop("target"), **words)

    def _of_different_ones(self, function: Any, *args: Any, **named: Any) -> Any:
        if self.unique().numel() < self.numel():
            raise Unsaid("the gradient of equal ones goes to one of them, ours to all")
        return function(self, *args, **named)

    def var(self, dim: Any = None, keepdim: Any = False, **named: Any) -> Any:
        """What comes after the axes is `unbiased` in PyTorch."""
        return super().var(dim, keepdim=keepdim, **named)

    def std(self, dim: Any = None, keepdim: Any = False, **named: Any) -> Any:
        """As `var`."""
        return super().std(dim, keepdim=keepdim, **named)

    def take_along_dim(self, *args: Any) -> Any:
        """Of what is in memory: PyTorch does not look where an expanded tensor ends."""
        return super().contiguous().take_along_dim(*args)

    def __setitem__(self, at: Any, value: Any) -> None:
        places = torch.arange(self.numel()).reshape(self.shape)[at]
        if places.unique().numel() < places.numel():
            raise Unsaid("PyTorch counts the gradient of a place each time that it is written")
        super().__setitem__(at, value)

    def cast(self, kind: Any) -> Peer:
        """Another dtype, by our word for it."""
        return self.to(_kind(kind))

    def assign(self, value: Any) -> Peer:
        """Written whole."""
        return self.copy_(value)


class Words:
    """What a program calls `Tensor`."""

    def __call__(self, value: Any, dtype: Any = None) -> Peer:
        made = torch.tensor(np.array(value), dtype=_kind(dtype) if dtype else None)
        return made.as_subclass(Peer)

    def __getattr__(self, name: str) -> Any:
        if name not in _CREATORS:
            raise AttributeError(name)

        def made(*args: Any, dtype: Any = None, **named: Any) -> Any:
            given = {**named, "dtype": _kind(dtype)} if dtype else named
            return getattr(torch, name)(*args, **given).as_subclass(Peer)

        return made

    def realize(self, *_: Peer) -> None:
        """Nothing: PyTorch computes each line at once."""
