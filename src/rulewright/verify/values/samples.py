"""Values to try: of dtypes, and of the memories and variables of graphs.

Proofs take all values of a short dtype; of others the ends, what is special, and random bits
(`Sample`). Validation takes what programs compute with, in which sums stay numbers (`numbers`).
Discovery takes rows that tell terms apart (`column`). The same in every run.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import cache
from math import prod
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.node import reached
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.options import set_inside

Array = np.ndarray[Any, Any]
Random = np.random.Generator

_WHOLE = (-129, -128, -8, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 63, 64, 127, 128, 255)
LARGE = 1 << 20
"""Beyond the indices that are tried: products of three of them fit into 64 bits."""

_NUMBERS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 0.1, 10.0)


def bits_type(dtype: DType) -> np.dtype[Any]:
    """The unsigned integers as wide as a dtype."""
    return np.dtype(f"u{dtype.np.itemsize}")


def every(dtype: DType) -> Array | None:
    """All values of a dtype, or None where it has more than 16 bits."""
    if dtype.is_bool:
        return np.array([False, True])
    if dtype.bits > 16:
        return None
    return np.arange(1 << dtype.bits).astype(bits_type(dtype)).view(dtype.np)


def line(count: int, dtype: DType, rng: Random) -> list[Array]:
    """One operand: special values, and as many random ones."""
    return [np.concatenate([special(dtype), random(dtype, count, rng)])]


def before_cast(into: DType, count: int, dtype: DType, rng: Random) -> list[Array]:
    """One operand of a cast to a float: a line, and numbers that the cast has to round to even."""
    return [np.concatenate([*line(count, dtype, rng), halfway(into, 20, dtype, rng)])]


def pairs(count: int, dtype: DType, rng: Random) -> list[Array]:
    """Two operands: every two special values, and as many random ones."""
    grids = np.meshgrid(special(dtype), special(dtype))
    drawn = [random(dtype, count, rng) for _ in grids]
    return [np.concatenate([g.reshape(-1), d]) for g, d in zip(grids, drawn, strict=True)]


def special(dtype: DType) -> Array:
    """Ends, neighbours of one, signed zeros, subnormals, infinities, NaNs; small integers."""
    if dtype.is_bool:
        return np.array([False, True])
    if not dtype.is_float:
        ends = [dtype.min, dtype.min + 1, dtype.max - 1, dtype.max]
        if dtype.kind == "Index":  # unbounded, but computed in 64 bits
            return np.array([*_WHOLE, -LARGE, LARGE], dtype.np)
        whole = sorted({v for v in (*_WHOLE, *ends) if dtype.min <= v <= dtype.max})
        return np.array(whole, dtype.np)
    bits, mantissa = bits_type(dtype), dtype.row["mantissa"]
    one = int(np.ones((), dtype.np).view(bits))
    all_ones = (1 << (dtype.bits - 1)) - 1
    top = all_ones ^ ((1 << mantissa) - 1)  # infinity, or the largest numbers of a type without
    patterns = {0, 1, (1 << mantissa) - 1, 1 << mantissa, one - 1, one, one + 1, all_ones, top}
    patterns |= {top - 1, top - 2, top + (1 << mantissa >> 1), top + 1}
    numbers = np.array(_NUMBERS).astype(dtype.np).view(bits)
    codes = np.unique(np.array([*patterns, *map(int, numbers)], np.uint64).astype(bits))
    sign = bits.type(1 << (dtype.bits - 1))
    return np.concatenate([codes, codes | sign]).view(dtype.np)


@cache
def powers(dtype: DType) -> Array:
    """Powers of two with their neighbours, of either sign: what is lost of sums and products of
    them may be next to nothing."""
    if dtype.is_bool or dtype.kind == "Index":
        return special(dtype)
    bits = bits_type(dtype)
    if dtype.is_float:
        least = 1 - dtype.bias - int(dtype.row["mantissa"])
        most = math.frexp(dtypes.finfo(dtype).max)[1]
        codes = np.ldexp(1.0, np.arange(least, most)).astype(dtype.np).view(bits)
    else:
        codes = bits.type(1) << np.arange(dtype.bits).astype(bits)
    near = np.concatenate([codes - 1, codes, codes + 1]).astype(bits)
    other = near | bits.type(1 << (dtype.bits - 1)) if dtype.is_float else ~near + bits.type(1)
    return np.concatenate([near, other]).view(dtype.np)


def ties(dtype: DType, lead: int) -> Array:
    """Numbers that are cut off short, or rounded to a narrower float, with their neighbours.

    Of an f32 any first `lead` bits, then zeros, zeros and a one, or ones: every tie among floats of
    up to `lead - 1` bits. Of an f64 these and their neighbours. Of long integers the odd numbers of
    `lead - 4` bits, shifted, one more and one less. Of others none.
    """
    if dtype.is_float and dtype.bits == 32:
        rest = dtype.bits - lead
        first = np.arange(1 << lead).astype(bits_type(dtype)) << rest
        cut: Array = np.concatenate([first, first | 1, first | ((1 << rest) - 1)])
        return cut.view(dtype.np)
    if dtype.is_float and dtype.bits == 64:
        narrow = (np.arange(1 << lead).astype(np.uint32) << (32 - lead)).view(np.float32)
        wide = narrow[np.isfinite(narrow)].astype(np.float64)
        return np.concatenate([wide, np.nextafter(wide, np.inf), np.nextafter(wide, -np.inf)])
    if dtype.is_float or dtype.bits < 32 or dtype.kind == "Index":
        return special(dtype)[:0]
    odd = np.arange(1, 1 << (lead - 4), 2).astype(bits_type(dtype))
    shifted = np.concatenate([odd << s for s in range(dtype.bits - lead + 5)])
    near = np.concatenate([shifted, shifted + 1, shifted - 1])
    return np.concatenate([near, ~near + 1]).view(dtype.np)


def halfway(into: DType, count: int, dtype: DType, rng: Random) -> Array:
    """Numbers of a dtype halfway between neighbours of a narrower float, and those next to them.

    Of floats half of its least number and what lies half a step beyond its largest are among them.
    Floats that are no wider and integers all of which it holds have none.
    """
    none, info, digits = special(dtype)[:0], dtypes.finfo(into), int(into.row["mantissa"]) + 1
    odd = 2 * rng.integers(1 << (digits - 1), 1 << digits, count, np.uint64) + 1
    if not dtype.is_float:
        highest = min(math.frexp(info.max)[1], dtype.bits - (dtype.min < 0)) - digits - 1
        if highest < 0:
            return none
        middle = odd << rng.integers(0, highest + 1, count, np.uint64)
        whole = np.concatenate([middle - 1, middle, middle + 1]).astype(bits_type(dtype))
        return (np.concatenate([whole, ~whole + 1]) if dtype.min < 0 else whole).view(dtype.np)
    if dtype.row["mantissa"] <= into.row["mantissa"]:
        return none
    own = dtypes.finfo(dtype)
    ends = max(info.smallest_subnormal, 2 * own.smallest_subnormal), min(info.max, own.max)
    least, most = (math.frexp(end)[1] - 1 for end in ends)
    normal = np.ldexp(odd.astype(np.float64), rng.integers(least - 1, most - digits + 1, count))
    short = (odd >> rng.integers(1, digits + 1, count, np.uint64) | 1).astype(np.float64)
    outer = [np.ldexp(1.0, least - 1), info.max + np.ldexp(1.0, most - digits)]
    between = np.concatenate([normal, np.ldexp(short, least - 1), outer])
    codes = between[between <= own.max].astype(dtype.np).view(bits_type(dtype))
    near = np.concatenate([codes - 1, codes, codes + 1])
    return np.concatenate([near, near | codes.dtype.type(1 << (dtype.bits - 1))]).view(dtype.np)


def named(numbers: Iterable[float], dtype: DType) -> Array:
    """The floats that some numbers are, by value or by their bits, with their neighbours."""
    bits, values = bits_type(dtype), np.array(list(numbers), np.float64)
    whole = [int(v) for v in values if 0 < v < 1 << (dtype.bits - 1) and v == int(v)]
    codes = np.concatenate([values.astype(dtype.np).view(bits), np.array(whole, np.uint64)])
    near = np.concatenate([codes - 1, codes, codes + 1]).astype(bits)
    return np.concatenate([near, near | bits.type(1 << (dtype.bits - 1))]).view(dtype.np)


@cache
def near_quarter_turns(dtype: DType) -> Array:
    """The floats from 1 on that lie nearest to multiples of pi/2, odd and even, at every exponent.

    m 2^e is near q pi/2 where q/m is near 2^e (2/pi): the best m are the denominators of the
    convergents of its continued fraction, and sums of a few of the last two, of which at least one
    has an odd q.
    """
    digits = int(dtype.row["mantissa"]) + 1
    floats = set()
    highest = (1 << (int(dtype.row["exponent"]) - 1)) - digits
    for power in range(-digits, highest + 1):
        sizes = _denominators(power, 1 << digits)
        sums = (i * sizes[-1] + j * sizes[-2] for i in range(8) for j in range(8))
        floats |= {math.ldexp(m, power) for m in (*sizes, *sums) if m < 1 << digits}
    kept = [v for v in floats if v >= 1]
    return np.array(sorted({*kept, *(-v for v in kept)})).astype(dtype.np)


def _denominators(power: int, limit: int) -> list[int]:
    """Those of the convergents of 2^power (2/pi), below a limit; at least two."""
    top, bottom = _two_over_pi() << max(power, 0), 1 << (_PI_BITS - min(power, 0))
    sizes = [1, 0]
    while bottom and sizes[-1] < limit:
        quotient = top // bottom
        top, bottom = bottom, top - quotient * bottom
        sizes.append(quotient * sizes[-1] + sizes[-2])
    return [size for size in sizes[1:] if size < limit]


_PI_BITS = 1280  # beyond all digits of an f64


@cache
def _two_over_pi() -> int:
    """2/pi 2^_PI_BITS, by Machin's pi/4 = 4 atan(1/5) - atan(1/239)."""
    one = 1 << (2 * _PI_BITS)

    def atan_of_part(n: int) -> int:
        terms = (one // n ** (2 * k + 1) // (2 * k + 1) for k in range(2 * _PI_BITS))
        return sum(-term if k % 2 else term for k, term in enumerate(terms))

    quarter = 4 * atan_of_part(5) - atan_of_part(239)
    return (one << _PI_BITS) // (2 * quarter)


def random(dtype: DType, count: int, rng: Random) -> Array:
    """`count` of any bits, and as many of moderate size."""
    if dtype.is_bool:
        return rng.integers(0, 2, 2 * count).astype(np.bool_)
    if dtype.kind == "Index":
        parts = rng.integers(-LARGE, LARGE, count // 2), rng.integers(-300, 301, 2 * count)
        return np.concatenate(parts)[: 2 * count].astype(dtype.np)
    raw = rng.integers(0, 1 << 64, count, np.uint64).astype(bits_type(dtype)).view(dtype.np)
    if dtype.is_float:
        sized = np.ldexp(rng.uniform(-1, 1, count), rng.integers(-6, 7, count))
    else:
        low, high = max(int(dtype.min), -300), min(int(dtype.max), 300)
        sized = rng.integers(low, high + 1, count)
    return np.concatenate([raw, sized.astype(dtype.np)])


def mesh(columns: Sequence[Array]) -> list[Array]:
    """All combinations of some columns, as columns of one length."""
    if not columns:
        return []
    grids = np.meshgrid(*[np.arange(len(c)) for c in columns], indexing="ij")
    return [c[g.reshape(-1)] for c, g in zip(columns, grids, strict=True)]


class Sample:
    """Columns of one length, one a variable; `complete` if they are all combinations of values."""

    def __init__(self, dtypes: Sequence[DType], room: int, count: int, rng: Random) -> None:
        """At most `room` combinations where they are all there are, else `count` of what is
        special, of powers of two and of random ones."""
        whole = [every(d) for d in dtypes]
        sizes = [1 << 40 if w is None else len(w) for w in whole]
        self.complete = int(np.prod(sizes, dtype=object)) <= room
        if self.complete:
            self.columns = mesh([w for w in whole if w is not None])
            return
        chosen = [special(d) for d in dtypes]
        crossed = int(np.prod([len(c) for c in chosen], dtype=object))
        if crossed <= count:
            edges = mesh(chosen)
        else:
            edges = [rng.choice(c, count) for c in chosen]
        near = [rng.choice(powers(d), count) for d in dtypes]
        drawn = [random(d, count, rng) for d in dtypes]
        for column in drawn:
            rng.shuffle(column)
        self.columns = [np.concatenate(c) for c in zip(edges, near, drawn, strict=True)]


# ---- of programs -------------------------------------------------------------------------------

_ODD = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.0, 3e38, 1e-40, 100.0)


def numbers(dtype: DType, count: int, rng: Random, odd: bool = False) -> Array:
    """`count` values of a dtype: everyday ones, among them the odd ones if `odd`."""
    if dtype.is_bool:
        return rng.integers(0, 2, count).astype(dtype.np)
    if dtype.is_float:
        drawn = rng.standard_normal(count).astype(dtype.np)
        if odd:
            at = rng.random(count) < 0.5
            with np.errstate(all="ignore"):
                drawn[at] = rng.choice(np.array(_ODD), at.sum()).astype(dtype.np)
        return drawn
    low, high = int(dtype.min), int(dtype.max)
    drawn = rng.integers(max(low, -4), 13, count)
    if odd:
        extremes = np.array([max(low, -1), 0, 1, 2, low, high, low + 1, high - 1], object)
        at = rng.random(count) < 0.5
        mixed = drawn.astype(object)
        mixed[at] = rng.choice(extremes, at.sum())
        return mixed.astype(dtype.np)
    return drawn.astype(dtype.np)


def between(low: int, high: int, count: int, rng: Random) -> Array:
    """`count` whole numbers from `low` to `high`, the ends among them."""
    low, high = max(low, -(1 << 62)), min(high, 1 << 62)
    drawn = rng.integers(low, high, count, endpoint=True)
    near = rng.integers(low, min(high, low + 12), count, endpoint=True)
    ends = rng.choice(np.array([low, high, min(high, low + 1), max(low, high - 1)]), count)
    return np.select([rng.random(count) < 0.3, rng.random(count) < 0.5], [ends, near], drawn)


def of_leaf(leaf: UOp, count: int, rng: Random) -> Array:
    """`count` values of a PARAM, special ones among them, or of a VAR within its bounds."""
    if leaf.op is Ops.VAR:
        low, high = leaf.arg[1:]
        ends = np.array([low, high, min(high, low + 1), max(low, high - 1)], np.int64)
        return np.concatenate([ends, rng.integers(low, high, count, endpoint=True)])[:count]
    some = rng.choice(special(leaf.dtype), count // 2)
    return np.concatenate([some, rng.permutation(random(leaf.dtype, count // 2, rng))])[:count]


def memory_of(*graphs: UOp) -> list[UOp]:
    """The PARAMs and BUFFERs of graphs, not those within the kernels that they call; by slot."""
    nodes = reached(graphs, lambda n: n.src[1:] if n.op is Ops.CALL else n.src)
    held = [n for n in nodes if n.op in (Ops.PARAM, Ops.BUFFER)]
    return sorted(held, key=lambda n: (n.op.name, n.arg[0], str(n.dtype.name)))


def contents(nodes: Sequence[UOp], seed: int, odd: bool = False) -> dict[UOp, Array]:
    """An array for each memory, in its shape."""
    return {
        node: numbers(
            node.dtype,
            prod(node.arg[1]) * node.dtype.count,
            np.random.default_rng([seed, int(node.arg[0]) & 0xFFFF]),
            odd,
        ).reshape(node.arg[1])
        for node in nodes
    }


def variable_values(graph: UOp, seed: int) -> dict[str, int]:
    """A value for each variable: near its upper bound, its middle, its lower bound in turn."""
    values = {}
    nodes = graph.toposort()
    bound = {node.src[0] for node in nodes if node.op is Ops.BIND}
    for node in nodes:
        if node.op is Ops.VAR and node not in bound:
            name, low, high = node.arg
            values[name] = (high, (low + high + 1) // 2, low)[seed % 3]
    return values


# ---- that tell terms apart ---------------------------------------------------------------------

COUNT = 160
"""Rows of values that tell terms apart."""

_TELLING = (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, -1, -2, -3, -7, -8, -128)
_REAL = (0.0, -0.0, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 0.1, 1.5, np.inf, -np.inf, np.nan)


def column(
    dtype: DType, rng: Random, bounds: tuple[int, int] | None = None, count: int = COUNT
) -> Array:
    """Values of a dtype, within bounds: what is special, and numbers of all sizes.

    Floats are neither subnormal nor near the largest: whether a rule holds there is for its proof.
    """
    if dtype.is_bool:
        return rng.integers(0, 2, count).astype(np.bool_)
    if dtype.is_float:
        sized = np.ldexp(rng.uniform(-1, 1, count), rng.integers(-6, 7, count))
        mixed = np.where(rng.random(count) < 0.5, rng.choice(_REAL, count), sized)
        mixed[: len(_REAL)] = _REAL  # of all variables at once: -0.0 + -0.0 alone is -0.0
        return mixed.astype(dtype.np)
    low, high = bounds or _ends(dtype)
    special = [v for v in (*_TELLING, low, low + 1, high - 1, high) if low <= v <= high]
    small = rng.integers(max(low, -20), min(high, 20) + 1, count) if low <= 20 <= high else None
    any_of = [int(v) for v in rng.integers(low, high, count, endpoint=True)]
    pools = [special, any_of] if small is None else [special, any_of, [int(v) for v in small]]
    chosen = [pools[int(rng.integers(0, len(pools)))] for _ in range(count)]
    return np.array([pool[int(rng.integers(0, len(pool)))] for pool in chosen], dtype.np)


def _ends(dtype: DType) -> tuple[int, int]:
    """Bounds of what is drawn: of an index, such that products of three fit into 64 bits."""
    if dtype.kind == "Index":
        return -300, 300
    return int(dtype.min), int(dtype.max) if dtype.bits < 64 else (1 << 62)


# ---- what is drawn is the same for a name and a seed, on every host -----------------------------


_seed: ContextVar[int] = ContextVar("seed", default=0)


def seeded(seed: int) -> AbstractContextManager[int]:
    """Draw by another seed than 0 inside of this block."""
    return set_inside(_seed, seed)


def seed_of(name: str) -> int:
    """What the generator of a name begins with, under the seed in force."""
    return zlib.crc32(name.encode(), _seed.get())


def generator(name: str) -> Random:
    """The generator of a name, under the seed in force."""
    return np.random.default_rng(seed_of(name))


def error_line(error: Exception) -> str:
    """An error in one line: its kind, and what it says until a line leads to no other one."""
    lines = re.match(r"(.*:\n)*.*", str(error))
    return f"{type(error).__name__}: {lines[0] if lines else error}".replace("\n", " ")
