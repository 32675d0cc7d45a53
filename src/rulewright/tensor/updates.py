"""Methods that write their result into the tensor, as PyTorch names them, with a `_` behind.

One table: `x.add_(y)` is `x += y`, and so is every other: the method of the name is computed and
written as `assign` writes, so that views see it, leaves stay leaves, and gradients flow through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from rulewright.errors import ShapeError
from rulewright.tensor.activations import Activations
from rulewright.tensor.arguments import renamed
from rulewright.tensor.creation import Creation
from rulewright.tensor.elementwise import Elementwise
from rulewright.tensor.indexing import Indexing
from rulewright.tensor.logic import Logic
from rulewright.tensor.maths import Maths
from rulewright.tensor.members import Members, Self
from rulewright.tensor.products import Products
from rulewright.tensor.random import Random
from rulewright.tensor.scans import Scans
from rulewright.tensor.shapes import show
from rulewright.tensor.trigonometry import Trigonometry

_Rest = ParamSpec("_Rest")
_Tensor = TypeVar("_Tensor", bound=Members)


def _in_place(
    method: Callable[Concatenate[Any, _Rest], Any],
    arguments: str = "",
    data: str = "[0.25, 0.5]",
    name: str = "",
) -> Callable[Concatenate[_Tensor, _Rest], _Tensor]:
    """A method that writes into a tensor what another one gives, and an example of it."""
    name = name or method.__name__

    def written(self: Any, /, *args: Any, **named: Any) -> Any:
        return self._update(method, *args, **named)

    plain: Any = written
    plain.__wrapped__ = method  # whose arguments it takes
    copy: Any = renamed(plain, f"{name}_", f"Updates.{name}_")
    copy.__doc__ = (
        f"`{name}` written into this tensor, which is the result.\n\n"
        f">>> x = Tensor({data})\n"
        f">>> x.{name}_({arguments}) is x, x.equal(Tensor({data}).{name}({arguments}))\n"
        "(True, True)\n"
    )
    return copy


class Updates(Members):
    """Methods that write into the tensor."""

    __slots__ = ()

    # ---- arithmetic
    add_ = _in_place(Elementwise.add, "2")
    sub_ = _in_place(Elementwise.sub, "2")
    mul_ = _in_place(Elementwise.mul, "2")
    div_ = _in_place(Elementwise.div, "2")
    floordiv_ = _in_place(Elementwise.floordiv, "2")
    remainder_ = _in_place(Elementwise.mod, "0.4", name="remainder")
    fmod_ = _in_place(Elementwise.fmod, "0.4")
    pow_ = _in_place(Maths.pow, "3")
    neg_ = _in_place(Elementwise.neg)
    addcmul_ = _in_place(Elementwise.addcmul, "3, 5")
    addcdiv_ = _in_place(Elementwise.addcdiv, "3, 5")
    addmm_ = _in_place(Products.addmm, "Tensor([[1.0]]), Tensor([[1.0, 2.0]])", "[[0.25, 0.5]]")
    addmv_ = _in_place(Products.addmv, "Tensor.eye(2), Tensor([1.0, 2.0])")
    baddbmm_ = _in_place(Products.baddbmm, "Tensor([[[2.0]]]), Tensor([[[3.0]]])", "[[[1.0]]]")
    lerp_ = _in_place(Maths.lerp, "Tensor([1.0, 2.0]), 0.5")
    # ---- bounds, choice and logic
    clip_ = _in_place(Elementwise.clip, "max=0.3")
    clamp_ = _in_place(Elementwise.clip, "max=0.3", name="clamp")
    nan_to_num_ = _in_place(Elementwise.nan_to_num)
    masked_fill_ = _in_place(Elementwise.masked_fill, "Tensor([True, False]), 9")
    bitwise_and_ = _in_place(Logic.bitwise_and, "3", "[5, 6]")
    bitwise_or_ = _in_place(Logic.bitwise_or, "3", "[5, 6]")
    bitwise_xor_ = _in_place(Logic.bitwise_xor, "3", "[5, 6]")
    bitwise_not_ = _in_place(Logic.bitwise_not, "", "[5, 6]")
    logical_and_ = _in_place(Logic.logical_and, "True")
    logical_or_ = _in_place(Logic.logical_or, "True")
    logical_xor_ = _in_place(Logic.logical_xor, "True")
    logical_not_ = _in_place(Logic.logical_not)
    # ---- functions
    abs_ = _in_place(Maths.abs)
    sign_ = _in_place(Maths.sign)
    square_ = _in_place(Maths.square)
    sqrt_ = _in_place(Maths.sqrt)
    rsqrt_ = _in_place(Maths.rsqrt)
    reciprocal_ = _in_place(Maths.reciprocal)
    exp_ = _in_place(Maths.exp)
    exp2_ = _in_place(Maths.exp2)
    expm1_ = _in_place(Maths.expm1)
    log_ = _in_place(Maths.log)
    log2_ = _in_place(Maths.log2)
    log10_ = _in_place(Maths.log10)
    log1p_ = _in_place(Maths.log1p)
    floor_ = _in_place(Maths.floor)
    ceil_ = _in_place(Maths.ceil)
    round_ = _in_place(Maths.round)
    trunc_ = _in_place(Maths.trunc)
    frac_ = _in_place(Maths.frac)
    sin_ = _in_place(Trigonometry.sin)
    cos_ = _in_place(Trigonometry.cos)
    tan_ = _in_place(Trigonometry.tan)
    tanh_ = _in_place(Trigonometry.tanh)
    erf_ = _in_place(Maths.erf)
    erfinv_ = _in_place(Maths.erfinv)
    lgamma_ = _in_place(Maths.lgamma)
    digamma_ = _in_place(Maths.digamma)
    nextafter_ = _in_place(Logic.nextafter, "1")
    relu_ = _in_place(Activations.relu)
    leaky_relu_ = _in_place(Activations.leaky_relu)
    elu_ = _in_place(Activations.elu)
    sigmoid_ = _in_place(Activations.sigmoid)
    # ---- along axes and at positions
    cumsum_ = _in_place(Scans.cumsum, "0")
    cumprod_ = _in_place(Scans.cumprod, "0")
    tril_ = _in_place(Creation.tril, "", "[[1, 2], [3, 4]]")
    triu_ = _in_place(Creation.triu, "", "[[1, 2], [3, 4]]")
    masked_scatter_ = _in_place(Indexing.masked_scatter, "Tensor([False, True]), Tensor([5.0])")
    scatter_ = _in_place(Indexing.scatter, "0, Tensor([1]), 5")
    scatter_add_ = _in_place(Indexing.scatter_add, "0, Tensor([1]), 5")
    scatter_reduce_ = _in_place(Indexing.scatter_reduce, "0, Tensor([1]), 5, 'prod'")
    index_add_ = _in_place(Indexing.index_add, "0, Tensor([1]), Tensor([2.0])")
    index_copy_ = _in_place(Indexing.index_copy, "0, Tensor([1]), Tensor([2.0])")
    index_fill_ = _in_place(Indexing.index_fill, "0, Tensor([1]), 5")
    index_put_ = _in_place(Indexing.index_put, "(Tensor([1]),), 5")
    bernoulli_ = _in_place(Random.bernoulli, "1.0")

    # ---- new contents
    def copy_(self, src: Any, non_blocking: bool = False) -> Self:
        """The elements of another tensor, broadcast, cast, and moved to this device.

        non_blocking: no effect, for what is needed waits.

        >>> Tensor([1.0, 2.0]).copy_(Tensor(3)).tolist()
        [3.0, 3.0]
        """
        source = self._wrap(src, "copy_ src")
        return self.assign(source if source._device is None else source._on_device(self.device))

    def fill_(self, value: Any) -> Self:
        """A number, or the one element of a tensor without axes, everywhere.

        >>> Tensor([1, 2]).fill_(7).tolist()
        [7, 7]
        """
        one = self._wrap(value, "fill_ value")
        if one.ndim:
            raise ShapeError(f"fill_: expected one value, found shape {show(one.shape)}; use copy_")
        return self.copy_(value)

    def zero_(self) -> Self:
        """0 everywhere.

        >>> Tensor([1, 2]).zero_().tolist()
        [0, 0]
        """
        return self.fill_(0)

    def uniform_(self, low: float = 0, high: float = 1) -> Self:
        """Random numbers spread evenly over [low, high), as `uniform` makes them.

        >>> bool((Tensor.zeros(9).uniform_(2, 3) >= 2).all().item())
        True
        """
        shape, kind, where = self.shape, self.dtype, self.device
        return self.assign(self.uniform(*shape, low=low, high=high, dtype=kind, device=where))

    def normal_(self, mean: float = 0, std: float = 1) -> Self:
        """Random numbers of a normal distribution, as `normal` makes them.

        >>> Tensor.zeros(2, 3).normal_(mean=10, std=0.1).shape
        (2, 3)
        """
        shape, kind, where = self.shape, self.dtype, self.device
        return self.assign(self.normal(*shape, mean=mean, std=std, dtype=kind, device=where))
