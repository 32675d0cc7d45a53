"""Layers that multiply, look up, drop and follow each other: objects called with a tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rulewright.errors import UsageError
from rulewright.nn import arguments
from rulewright.nn.hooks import Hooked
from rulewright.nn.names import OF_LAYERS
from rulewright.tensor.nested import tensors_of
from rulewright.tensor.tensor import Tensor

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


def uniform(bound: float, *shape: int) -> Tensor:
    """A parameter, evenly spread over ±bound."""
    return Tensor.uniform(*shape, low=-bound, high=bound, requires_grad=True)


def filled(value: float, *shape: int) -> Tensor:
    """A parameter of one value."""
    return Tensor.full(shape, float(value), requires_grad=True)


class Layer(Hooked):
    """What layers have in common: they are shown as PyTorch shows its own, and made with `device`
    and `dtype` they have their tensors there, their floats in that dtype."""

    ELSEWHERE = OF_LAYERS
    HEEDED: ClassVar[tuple[str, ...]] = ("device", "dtype")

    def _heed(self, make: Callable[[], None], words: Mapping[str, Any]) -> None:
        """Make the layer; its tensors are on a device, and its floats of a dtype."""
        name, device = type(self).__name__, words.get("device")
        kind = None if words.get("dtype") is None else arguments.float_kind(name, words["dtype"])
        make()
        for tensor in (t for t in tensors_of(self) if isinstance(t, Tensor)):
            placed = tensor if device is None else tensor.to(device)
            if kind is not None and tensor.dtype.is_float:
                placed = placed.cast(kind)
            if placed is not tensor:
                tensor.replace(placed.detach().requires_grad_(tensor.requires_grad))

    def extra_repr(self) -> str:
        """What stands in the brackets when the layer is shown."""
        return ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.extra_repr()})"


def facts(*plain: Any, **named: tuple[Any, Any]) -> str:
    """Values as text, then named ones, given with their defaults, that are not the default."""
    others = [f"{k}={v!r}" for k, (v, default) in named.items() if v != default]
    return ", ".join([*map(repr, plain), *others])


class Linear(Layer):
    """x @ weight.T + bias, for x (…, in_features).

    `weight` is (out_features, in_features), `bias` (out_features,) or None; both begin uniform
    in ±1/sqrt(in_features), as in PyTorch.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        name = type(self).__name__
        columns = arguments.whole(name, "in_features", in_features)
        rows = arguments.whole(name, "out_features", out_features)
        bound = 1 / math.sqrt(max(columns, 1))
        self.in_features, self.out_features = columns, rows
        self.weight = uniform(bound, rows, columns)
        self.bias = uniform(bound, rows) if arguments.flag(name, "bias", bias) else None

    def __call__(self, x: Tensor) -> Tensor:
        """(…, out_features). Raises ShapeError unless the last axis is in_features."""
        arguments.sized(type(self).__name__, x, "…", self.weight.shape[1])
        return x.linear(self.weight.T, self.bias)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class Identity(Layer):
    """What it is called with, such as for a layer that is left out."""

    def __call__(self, x: T) -> T:
        """x itself."""
        return x

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return ""


class PReLU(Layer):
    """x, up to zero x * weight, which is learnt: one, or one for each channel on axis 1."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25) -> None:
        self.num_parameters = arguments.whole("PReLU", "num_parameters", num_parameters, 1)
        self.weight = filled(arguments.number("PReLU", "init", init), num_parameters)

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x. Raises ShapeError unless there is a weight for each channel, or one."""
        return arguments.tensor("PReLU", "x", x).prelu(self.weight)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return f"num_parameters={self.num_parameters}"


class Embedding(Layer):
    """Rows of a table: class numbers (…) become (…, embed_size).

    padding_idx: a class whose row begins as zeros and gets no gradient; counted from the end
    where it is negative. Raises UsageError if there is no such row.
    """

    def __init__(self, vocab_size: int, embed_size: int, padding_idx: int | None = None) -> None:
        rows = arguments.whole("Embedding", "vocab_size", vocab_size)
        size = arguments.whole("Embedding", "embed_size", embed_size, 1)
        self.padding_idx = _row(rows, padding_idx)
        self.weight = Tensor.glorot_uniform(rows, size, requires_grad=True)
        if self.padding_idx is not None:
            with Tensor.no_grad():
                self.weight[self.padding_idx] = 0.0

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None
    ) -> Self:
        """A layer whose table is a tensor (vocab_size, embed_size), trained unless `freeze`.

        Raises ShapeError unless it has two axes.
        """
        name = f"{cls.__name__}.from_pretrained"
        table = arguments.sized(name, embeddings, "vocab_size", "embed_size", name="embeddings")
        layer = cls(int(table.shape[0]), int(table.shape[1]))
        layer.padding_idx = _row(int(table.shape[0]), padding_idx)
        layer.weight = table.detach().requires_grad_(not arguments.flag(name, "freeze", freeze))
        return layer

    def __call__(self, positions: Tensor) -> Tensor:
        """Rows of the table. Raises UsageError unless the positions are integers."""
        rows = arguments.tensor("Embedding", "positions", positions).embedding(self.weight)
        if self.padding_idx is None:
            return rows
        return (positions == self.padding_idx).unsqueeze(-1).where(rows.detach(), rows)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return facts(*self.weight.shape, padding_idx=(self.padding_idx, None))


class EmbeddingBag(Layer):
    """The sum, the mean or the largest elements of some rows of a table, for each bag of classes.

    padding_idx: a class that counts for nothing, and gets no gradient. Rows of an empty bag are 0.
    Raises ChoiceError for another mode.
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        mode: str = "mean",
        padding_idx: int | None = None,
        include_last_offset: bool = False,
    ) -> None:
        rows = arguments.whole("EmbeddingBag", "vocab_size", vocab_size)
        size = arguments.whole("EmbeddingBag", "embed_size", embed_size, 1)
        self.mode = arguments.choice("EmbeddingBag", "mode", mode, "sum", "mean", "max")
        self.padding_idx = _row(rows, padding_idx)
        self.include_last_offset = arguments.flag(
            "EmbeddingBag", "include_last_offset", include_last_offset
        )
        self.weight = Tensor.randn(rows, size, requires_grad=True)
        if self.padding_idx is not None:
            with Tensor.no_grad():
                self.weight[self.padding_idx] = 0.0

    def __call__(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        """(bags, embed_size), of classes (bags, n), or (n,) of which each bag begins at an offset.

        per_sample_weights: what rows are multiplied by, in the mode sum. Raises UsageError for
        offsets beside two axes or none beside one, and for weights in another mode.
        """
        classes = arguments.tensor("EmbeddingBag", "input", input)
        if (offsets is None) is not (classes.ndim == 2) or classes.ndim not in (1, 2):
            raise UsageError(
                "EmbeddingBag: expected classes of 2 axes, or of 1 with offsets, found "
                f"{classes.ndim} {'without' if offsets is None else 'with'} offsets"
            )
        if per_sample_weights is not None and self.mode != "sum":
            raise UsageError(f"EmbeddingBag: weights are for mode='sum', found {self.mode!r}")
        counts = classes == classes if self.padding_idx is None else classes != self.padding_idx
        rows = classes.embedding(self.weight)
        if per_sample_weights is not None:
            rows = rows * arguments.sized(
                "EmbeddingBag", per_sample_weights, *classes.shape, name="per_sample_weights"
            ).unsqueeze(-1)
        if offsets is None:
            return self._of_bags(rows, counts)
        begins = arguments.tensor("EmbeddingBag", "offsets", offsets)
        begins = begins[:-1] if self.include_last_offset else begins
        place = Tensor.arange(classes.shape[0], device=classes.device)
        bags = begins.searchsorted(place.cast(begins.dtype), right=True) - 1
        count = begins.shape[0]
        if self.mode == "max":
            each = Tensor.arange(count, device=classes.device).unsqueeze(1)
            return self._of_bags(rows.unsqueeze(0), counts & (bags.unsqueeze(0) == each))
        empty = Tensor.zeros(count, rows.shape[1], dtype=rows.dtype, device=rows.device)
        total = empty.index_add(0, bags, counts.unsqueeze(-1).where(rows, 0))
        if self.mode == "sum":
            return total
        number = empty[:, 0].index_add(0, bags, counts.cast(rows.dtype))
        return total / number.maximum(1).unsqueeze(-1)

    def _of_bags(self, rows: Tensor, counts: Tensor) -> Tensor:
        """Rows (bags, n, size) put together along n, as far as they count."""
        counts = counts.unsqueeze(-1)
        if self.mode == "max":
            largest = counts.where(rows, -math.inf).max(1)
            return counts.any(1).where(largest, 0)
        total = counts.where(rows, 0).sum(1)
        return total if self.mode == "sum" else total / counts.sum(1).maximum(1)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        named = {"padding_idx": (self.padding_idx, None), "mode": (self.mode, None)}
        return facts(*self.weight.shape, **named)


def _row(rows: int, place: int | None) -> int | None:
    """The row that stands for padding, from 0."""
    if place is None:
        return None
    if not -rows <= arguments.whole("Embedding", "padding_idx", place, None) < rows:
        expected = f"a whole number from {-rows} to {rows - 1}"
        raise arguments.wrong("Embedding", "padding_idx", expected, place)
    return place % rows


class Dropout(Layer):
    """While `Tensor.training`, elements are zero with probability p; see `Tensor.dropout`.

    inplace: the input's own value is changed.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        self.p = arguments.number(type(self).__name__, "p", p, 0, 1)
        self.inplace = arguments.flag(type(self).__name__, "inplace", inplace)

    def __call__(self, x: Tensor) -> Tensor:
        """The shape of x."""
        x = arguments.tensor(type(self).__name__, "x", x)
        return x._update(self._dropped) if self.inplace else self._dropped(x)

    def _dropped(self, x: Tensor) -> Tensor:
        return x.dropout(self.p)

    def extra_repr(self) -> str:
        """See `Layer.extra_repr`."""
        return facts(**{"p": (self.p, None), "inplace": (self.inplace, False)})


def in_batch(
    name: str, x: Tensor, channels: int | str, rank: int, function: Callable[[Tensor], Tensor]
) -> Tensor:
    """What a function gives for x (N, C, …) of so many axes behind C, or for x (C, …) as a batch
    of one. Raises ShapeError for another shape."""
    if x.ndim == rank + 1:
        return in_batch(name, x.unsqueeze(0), channels, rank, function).squeeze(0)
    arguments.sized(name, x, "N", channels, *"DHW"[3 - rank :])
    return function(x)


class _ChannelDropout(Dropout):
    rank = 0

    def _dropped(self, x: Tensor) -> Tensor:
        name = type(self).__name__
        return in_batch(name, x, "C", self.rank, lambda x: x.feature_dropout(self.p))


class Dropout1d(_ChannelDropout):
    """While `Tensor.training`, whole channels of x (N, C, W) or (C, W) are zero with probability
    p; see `Tensor.feature_dropout`."""

    rank = 1


class Dropout2d(_ChannelDropout):
    """`Dropout1d` of x (N, C, H, W) or (C, H, W)."""

    rank = 2


class Dropout3d(_ChannelDropout):
    """`Dropout1d` of x (N, C, D, H, W) or (C, D, H, W)."""

    rank = 3
