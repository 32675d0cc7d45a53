"""Random tensors and choices from a counter-based generator, written as 32-bit ops.

Every call takes the next number of the process as its counter's high word and the element's
position as its low word; the seed is the key. The three words are data in a small buffer, not
constants, so that equal programs have equal graphs.

Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import math
from itertools import count
from typing import Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.expected import whole
from rulewright.ir.ops import Ops
from rulewright.ir.placement import text_of
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.runtime.device import Device
from rulewright.tensor import contents
from rulewright.tensor.kinds import as_dtype, default_float, default_int, real
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import (
    as_shape,
    check_size,
    known_numbers,
    node_iota,
    normal_axis,
    numel,
    show,
    show_size,
)

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_SHORTEST = 2.0**-25  # half of what lies between two times: their logarithm is finite
_GROUPS = 5  # of four rounds each


class _State:
    """The seed, and how many times random numbers have been asked for since it was set."""

    seed: int | None = None
    calls = count()


_state = _State()


def next_words() -> tuple[int, int, int]:
    """The seed's two words and the number of this call, which the next call has no more."""
    if _state.seed is None:
        _state.seed = options().SEED
    return _state.seed & 0xFFFFFFFF, (_state.seed >> 32) & 0xFFFFFFFF, next(_state.calls)


def threefry2x32(key: tuple[UOp, UOp], counter: tuple[UOp, UOp]) -> tuple[UOp, UOp]:
    """Two random words for each pair of counter words; all nodes are u32 of one shape."""
    kind = dtypes.u32
    keys = (*key, key[0] ^ key[1] ^ UOp.const(kind, _PARITY))
    a, b = counter[0] + keys[0], counter[1] + keys[1]
    for group in range(_GROUPS):
        for turn in _ROTATIONS[group % 2]:
            a = a + b
            b = ((b << turn) | (b >> (32 - turn))) ^ a
        a = a + keys[(group + 1) % 3]
        b = b + keys[(group + 2) % 3] + UOp.const(kind, group + 1)
    return a, b


def random_words(shape: tuple[Any, ...], device: Any) -> tuple[UOp, UOp]:
    """Two u32 nodes of random bits, independent of each other, of a shape."""
    import numpy as np

    total = numel(shape)
    data = np.array(next_words(), np.uint32)
    first = device[0] if isinstance(device, tuple) else device
    state = contents.random_words(data, dtypes.u32, first)
    if first != device:
        state = UOp(Ops.COPY, dtypes.u32, (state,), text_of(device))
    parts = [state.shrink(((i, i + 1),)).expand((total,)) for i in range(3)]
    position = node_iota(total, 0, (total,)).cast(dtypes.u32)
    a, b = threefry2x32((parts[0], parts[1]), (position, parts[2]))
    return a.reshape(shape), b.reshape(shape)


def _unit(a: UOp, b: UOp, kind: DType) -> UOp:
    """Random bits as floats at equal distances in [0, 1): as many bits as `kind` is exact in."""
    bits = kind.row["mantissa"] + 1
    if bits > 32:
        wide = (a.cast(dtypes.u64) << 32) | b.cast(dtypes.u64)
        return (wide >> (64 - bits)).cast(kind) * UOp.const(kind, 2.0**-bits)
    return (a >> (32 - bits)).cast(kind) * UOp.const(kind, 2.0**-bits)


def _below(a: UOp, b: UOp, count: int) -> UOp:
    """Random bits as numbers 0 … count - 1 in i64 (which wraps beyond it), evenly.

    The upper word of 64 random bits times count: no value is more than one part in
    2**64 / count likelier than another.
    """
    high, low = a.cast(dtypes.u64), b.cast(dtypes.u64)
    more, less = divmod(count, 1 << 32)
    if count == 1 << 64:
        return ((high << 32) | low).cast(dtypes.i64)
    middle = high * less + (low * less >> 32)
    if not more:
        return (middle >> 32).cast(dtypes.i64)
    lower = low * more + (middle & 0xFFFFFFFF)
    return (high * more + (middle >> 32) + (lower >> 32)).cast(dtypes.i64)


def _weight_shape(shape: Any, method: str) -> list[int]:
    """The shape of a weight. Raises ShapeError for one without axes."""
    sizes = [int(s) for s in as_shape(shape, method)]
    if not sizes:
        raise ShapeError(f"{method}: a weight needs 1 axis or more")
    return sizes


class Random(Members):
    """Random tensors; choices that depend on values.

    Equal seeds and equal programs give equal numbers on every device.
    """

    __slots__ = ()

    @staticmethod
    def manual_seed(seed: int = 0) -> None:
        """Begin the sequence of random numbers anew. The option SEED gives the first seed.

        Raises UsageError for a seed that 64 bits do not hold.

        >>> Tensor.manual_seed(7)
        >>> first = Tensor.rand(3).tolist()
        >>> Tensor.manual_seed(7)
        >>> Tensor.rand(3).tolist() == first
        True
        """
        seed = whole(seed, "manual_seed", "the seed")
        if not 0 <= seed < 1 << 64:
            raise UsageError(f"manual_seed: expected 0 <= seed < 2**64, found {seed}")
        contents.refuse("the random generator is seeded")
        _state.seed, _state.calls = seed, count()

    @classmethod
    def _floats(cls, dtype: Any, method: str) -> DType:
        kind = default_float() if dtype is None else as_dtype(dtype)
        if not kind.is_float:
            raise DTypeError(f"{method}: expected a float dtype, found {kind.name}")
        return kind

    @classmethod
    def rand(
        cls, *shape: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Self:
        """Floats spread evenly over [0, 1), in steps in which every one is exact.

        Raises DTypeError for another dtype than a float's.

        >>> Tensor.rand(2, 3).shape
        (2, 3)
        """
        kind, where = cls._floats(dtype, "rand"), Device.canonical(device)
        node = _unit(*random_words(as_shape(shape, "rand"), where), kind)
        return cls._created(node, where, requires_grad)

    @classmethod
    def randn(
        cls, *shape: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Self:
        """Floats of the normal distribution with mean 0 and deviation 1 (Box and Muller, 1958).

        Raises DTypeError for another dtype than a float's.

        >>> bool((Tensor.randn(1000).mean().abs() < 0.2).item())
        True
        """
        kind, where = cls._floats(dtype, "randn"), Device.canonical(device)
        wide = dtypes.f64 if kind.bits == 64 else dtypes.f32
        a, b = random_words(as_shape(shape, "randn"), where)
        if wide.bits == 64:  # 32 bits each are plenty for radius and angle
            first, second = ((w.cast(wide) + 0.5) * 2.0**-32 for w in (a, b))
        else:
            first, second = 1.0 - _unit(a, a, wide), _unit(b, b, wide)
        radius = (first.alu(Ops.LOG) * -2.0).alu(Ops.SQRT)
        angle = (second * (2 * math.pi)).alu(Ops.SIN)
        return cls._created((radius * angle).cast(kind), where, requires_grad)

    @classmethod
    def randint(
        cls, *shape: Any, low: int = 0, high: int = 10, dtype: Any = None, device: Any = None
    ) -> Self:
        """Integers (int64 unless `dtype`) spread evenly over low … high - 1.

        PyTorch's order is taken too: randint(high, shape) and randint(low, high, shape), where
        the shape is a tuple. Raises UsageError if there are none or the dtype does not hold them,
        DTypeError for another dtype than an integer's.

        >>> bool((Tensor.randint(100, low=3, high=5) - 3.5).abs().eq(0.5).all().item())
        True
        """
        if len(shape) in (2, 3) and isinstance(shape[-1], tuple | list):
            low, high, shape = (0, *shape)[-3:]
            low, high = (whole(bound, "randint", "a bound") for bound in (low, high))
        kind = default_int() if dtype is None else as_dtype(dtype)
        if kind.is_float or kind.is_bool:
            raise DTypeError(f"randint: expected an integer dtype, found {kind.name}")
        known_numbers((low, high), "randint", "bounds")
        if not low < high:
            raise UsageError(f"randint: expected low < high, found {low} and {high}")
        if low < kind.min or high - 1 > kind.max:
            raise UsageError(
                f"randint: {kind.name} holds {kind.min} to {kind.max}, not {low} to {high - 1}"
            )
        where = Device.canonical(device)
        first, second = random_words(as_shape(shape, "randint"), where)
        return cls._created((_below(first, second, high - low) + low).cast(kind), where)

    @classmethod
    def uniform(cls, *shape: Any, low: float = 0.0, high: float = 1.0, **rest: Any) -> Self:
        """Floats spread evenly over [low, high); integers too, of an integer `dtype`.

        Raises UsageError unless both are finite and low <= high.

        >>> bool(((Tensor.uniform(100, low=2, high=3) - 2.5).abs() <= 0.5).all().item())
        True
        """
        kind = as_dtype(rest["dtype"]) if rest.get("dtype") is not None else default_float()
        if not (-math.inf < low <= high < math.inf):
            raise UsageError(f"uniform: expected finite low <= high, found {low} and {high}")
        if not kind.is_float:
            return cls.randint(*shape, low=int(low), high=int(high), **rest)
        return cls._scaled(cls.rand, shape, high - low, low, rest)

    @classmethod
    def normal(cls, *shape: Any, mean: float = 0.0, std: float = 1.0, **rest: Any) -> Self:
        """Floats of a normal distribution. Raises UsageError unless std is 0 or more.

        >>> Tensor.normal(2, 3, mean=10, std=0.1).shape
        (2, 3)
        """
        if not std >= 0:
            raise UsageError(f"normal: expected std of 0 or more, found {std}")
        return cls._scaled(cls.randn, shape, std, mean, rest)

    @classmethod
    def _scaled(cls, make: Any, shape: Any, scale: float, shift: float, rest: Any) -> Self:
        wanted = rest.pop("requires_grad", False)
        scaled = make(*shape, **rest) * scale + shift
        return scaled.requires_grad_() if wanted else scaled

    @classmethod
    def scaled_uniform(cls, *shape: Any, **rest: Any) -> Self:
        """Uniform in ±1/sqrt(number of elements).

        >>> bool((Tensor.scaled_uniform(4, 25).abs() <= 0.1).all().item())
        True
        """
        bound = max(int(numel(as_shape(shape, "scaled_uniform"))), 1) ** -0.5
        return cls.uniform(*shape, low=-bound, high=bound, **rest)

    @classmethod
    def glorot_uniform(cls, *shape: Any, **rest: Any) -> Self:
        """Uniform in ±sqrt(6 / (fan in + fan out)) (Glorot and Bengio, 2010).

        The first axis is the fan out, the product of the others the fan in.

        >>> bool((Tensor.glorot_uniform(100, 50).abs() <= 0.2).all().item())
        True
        """
        sizes = _weight_shape(shape, "glorot_uniform")
        bound = math.sqrt(6 / max(sizes[0] + math.prod(sizes[1:]), 1))
        return cls.uniform(*shape, low=-bound, high=bound, **rest)

    @classmethod
    def kaiming_uniform(cls, *shape: Any, a: float = 0.01, **rest: Any) -> Self:
        """Uniform in ±sqrt(6 / ((1 + a²) fan in)) (He et al., 2015).

        The fan in is the product of all axes but the first.

        >>> bool((Tensor.kaiming_uniform(10, 600, a=0).abs() <= 0.1).all().item())
        True
        """
        fan_in = max(math.prod(_weight_shape(shape, "kaiming_uniform")[1:]), 1)
        bound = math.sqrt(6 / ((1 + a * a) * fan_in))
        return cls.uniform(*shape, low=-bound, high=bound, **rest)

    @classmethod
    def kaiming_normal(cls, *shape: Any, a: float = 0.01, **rest: Any) -> Self:
        """Normal with deviation sqrt(2 / ((1 + a²) fan in)) (He et al., 2015).

        >>> Tensor.kaiming_normal(3, 4).shape
        (3, 4)
        """
        fan_in = max(math.prod(_weight_shape(shape, "kaiming_normal")[1:]), 1)
        return cls.normal(*shape, std=math.sqrt(2 / ((1 + a * a) * fan_in)), **rest)

    def rand_like(self, **rest: Any) -> Self:
        """`rand` in this tensor's shape, dtype and device.

        >>> Tensor([1.0, 2.0]).rand_like().shape
        (2,)
        """
        return self.rand(*self.shape, **{"dtype": self.dtype, "device": self.device, **rest})

    def randn_like(self, **rest: Any) -> Self:
        """`randn` in this tensor's shape, dtype and device.

        >>> Tensor([1.0, 2.0]).randn_like().shape
        (2,)
        """
        return self.randn(*self.shape, **{"dtype": self.dtype, "device": self.device, **rest})

    # ---- choices that depend on values -----------------------------------------------------

    def bernoulli(self, p: float | None = None) -> Self:
        """1 with the probability that each element is, or with `p`, else 0; of this dtype.

        Raises DTypeError if probabilities are not floats, UsageError for `p` outside of 0 to 1,
        and for probabilities, if they are constant or in memory of this process.

        >>> Tensor([0.0, 1.0]).bernoulli().tolist()
        [0.0, 1.0]
        """
        if p is None and not self.dtype.is_float:
            raise DTypeError(f"bernoulli: expected floats, found {self.dtype.name}")
        if p is not None and not 0 <= p <= 1:
            raise UsageError(f"bernoulli: expected a probability from 0 to 1, found {p}")
        known = contents.values_there(self.uop) if p is None else None
        if known is not None and not ((known >= 0) & (known <= 1)).all():
            raise UsageError("bernoulli: expected probabilities from 0 to 1, found others")
        wide = dtypes.f64 if self.dtype is dtypes.f64 else dtypes.f32
        chance = self.rand(*self.shape, dtype=wide, device=self.device)
        return (chance < (self.cast(wide) if p is None else p)).cast(self.dtype)

    def dropout(self, p: float = 0.5, training: bool | None = None) -> Self:
        """While training: zero with probability p, the rest scaled by 1 / (1 - p).

        training: whether to do so, as `Tensor.training` says unless it is said here. Raises
        UsageError unless 0 <= p <= 1.

        >>> Tensor([1.0, 2.0]).dropout(0.5).tolist()
        [1.0, 2.0]
        """
        return self._dropped(p, training, self.shape, "dropout")

    def feature_dropout(self, p: float = 0.5, training: bool | None = None) -> Self:
        """`dropout` of whole channels: what axes 0 and 1 pick is zero or scaled together.

        Raises UsageError unless 0 <= p <= 1, ShapeError for fewer than two axes.

        >>> Tensor([[1.0, 2.0]]).feature_dropout(0.5).tolist()
        [[1.0, 2.0]]
        """
        if self.ndim < 2:
            raise ShapeError(f"feature_dropout: expected x (N, C, …), found {show(self.shape)}")
        ones = (1,) * (self.ndim - 2)
        return self._dropped(p, training, (*self.shape[:2], *ones), "feature_dropout")

    def _dropped(
        self, p: float, training: bool | None, shape: tuple[Dim, ...], method: str
    ) -> Self:
        """`dropout`, with a chance for each place of a shape that broadcasts to this one's."""
        if not 0 <= p <= 1:
            raise UsageError(f"{method}: expected a probability from 0 to 1, found {p}")
        if not (type(self).training if training is None else training) or p == 0:
            return self
        if p == 1:
            return self * 0
        keep = self.rand(*shape, device=self.device) >= p
        return keep.where(self / (1 - p), 0).cast(self.dtype)

    @real
    def gumbel_softmax(self, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Self:
        """A random choice along an axis by these logits, softened: softmax of them and of Gumbel's
        noise, divided by tau (Jang, Gu and Poole, 2017).

        hard: exactly one 1 and else 0, with the gradient of what is soft. Raises UsageError unless
        tau is above 0.

        >>> Tensor([0.0, 100.0]).gumbel_softmax(hard=True).tolist()
        [0.0, 1.0]
        """
        if not tau > 0:
            raise UsageError(f"gumbel_softmax: tau is a number above 0, found {tau}")
        noise = -self._waiting_times().maximum(_SHORTEST).log()
        soft = ((self + noise) / tau).softmax(dim)
        if not hard:
            return soft
        at = normal_axis(dim, self.ndim, "gumbel_softmax")
        places = self._new(node_iota(self.shape[at], at, self.shape, dtypes.i32))
        chosen = places.eq(soft.argmax(at, keepdim=True)).cast(soft.dtype)
        return soft + soft._new((chosen - soft).uop.detach())

    @classmethod
    def randperm(cls, n: int, dtype: Any = None, device: Any = None) -> Self:
        """The numbers 0 … n - 1 (int64 unless `dtype`) in random order.

        >>> sorted(Tensor.randperm(4).tolist())
        [0, 1, 2, 3]
        """
        count = check_size(n, "randperm")
        where = Device.canonical(device)
        kind = default_int() if dtype is None else as_dtype(dtype)
        if isinstance(count, UOp):
            raise ShapeError("randperm: expected a known number, found a symbolic one")
        chance, _ = random_words((count,), where)
        return cls._created(chance, where).sort()[1].cast(kind)

    def multinomial(self, num_samples: int = 1, replacement: bool = False) -> Self:
        """Positions (int64) drawn with probabilities in proportion to the last axis.

        This has one axis, or two for draws of each row. Without `replacement` no position is
        drawn twice: an axis is ordered by -log(u)/w, u uniform and w the weight (Efraimidis and
        Spirakis, 2006). Raises ShapeError for other shapes, DTypeError unless this holds
        floats, UsageError for no samples or more than positions, and for weights that are
        negative, no numbers or sum to nothing, if they are constant or in memory of this process;
        those that are still to be computed are not looked at: of such a row any may be drawn.

        >>> Tensor([0.0, 3.0, 0.0]).multinomial(2, replacement=True).tolist()
        [1, 1]
        """
        if self.ndim not in (1, 2) or 0 in self.shape:
            raise ShapeError(f"multinomial: expected weights along 1 or 2 axes, found {self.shape}")
        if not self.dtype.is_float:
            raise DTypeError(f"multinomial: expected floats, found {self.dtype.name}")
        count = check_size(num_samples, "multinomial")
        if isinstance(count, int) and count < 1:
            raise UsageError(f"multinomial: expected num_samples of 1 or more, found {count}")
        if not replacement and count > self.shape[-1]:
            raise UsageError(
                f"multinomial: {count} different positions cannot be drawn from "
                f"{show_size(self.shape[-1])}; use replacement=True"
            )
        self._check_weights()
        wide = self.cast(dtypes.f64 if self.dtype is dtypes.f64 else dtypes.f32)
        return wide._drawn(count) if replacement else wide._drawn_once(count)

    def _check_weights(self) -> None:
        """Raise UsageError for known weights that are no probabilities."""
        known = contents.values_there(self.uop)
        if known is None:
            return
        weights = known.astype("f8")
        if not ((weights >= 0) & (weights < math.inf)).all():
            raise UsageError(
                "multinomial: expected finite weights of 0 or more, found "
                f"{weights[~((weights >= 0) & (weights < math.inf))].flat[0]}"
            )
        if weights.size and not weights.any(-1).all():
            raise UsageError("multinomial: the weights of a draw sum to nothing")

    def _drawn(self, count: Any) -> Self:
        """Each draw is the first position below which a random share of all weights lies."""
        shares = self._new(self.cumsum(-1).uop.contiguous())
        draws = self.rand(*self.shape[:-1], count, dtype=self.dtype, device=self.device)
        place = shares.searchsorted(draws * shares[..., -1:], right=True)
        return place.minimum(int(self.shape[-1]) - 1)

    def _waiting_times(self) -> Self:
        """Numbers of the exponential distribution of rate 1, one for each element; 0 among them."""
        chance = self.rand(*self.shape, dtype=self.dtype, device=self.device)
        return (1 - chance).log().neg()  # 0 < 1 - chance

    def _drawn_once(self, count: Any) -> Self:
        """Waiting times, exponential with the weights as rates: the shortest `count` of them."""
        times = self.eq(0).where(math.inf, self._waiting_times() / self)  # no weight, no end
        if count == 1:
            return times.argmin(-1, keepdim=True)
        return times.cast(dtypes.f32).sort()[1][..., :count]
