"""What a row of the table of methods says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType, dtypes
from rulewright.verify.methods.text import Expression, text_of
from rulewright.verify.values.samples import generator

Shape = tuple[int, ...]
Shapes = tuple[Shape, ...]  # of the operands
Variants = tuple[Shapes, ...]

FLOATS = ("f32", "f64", "f16", "bf16")
INTS = ("i32", "i64", "i8", "i16", "u8", "u16", "u32", "u64")
NUMBERS = ("f32", "i32", "f64", "f16", "bf16", "i64", "i8", "i16", "u8", "u16", "u32", "u64")
ALL = (*NUMBERS, "bool")

ODD: Variants = (
    ((3, 5),),
    ((),),
    ((1,),),
    ((0,),),
    ((7, 1, 2),),
    ((2, 0, 3),),
)
"""Shapes of one operand that find mistakes at edges."""

PAIRS: Variants = (
    ((3, 5), (3, 5)),
    ((), (4,)),
    ((3, 1), (1, 5)),
    ((0, 2), (2,)),
    ((1,), (7, 1)),
)
"""Shapes of two operands that broadcast."""


@dataclass(frozen=True)
class Method:
    """A call of a tensor method and what it equals.

    name: the method, as an attribute of Tensor.
    call: a function of the operands, which are tensors; its parameters are called x, y, z, w.
    equals: a function of the operands as numpy arrays (float64 for floats, else as they are): an
      array, or a tuple of arrays where the call gives a tuple. None: `check` says what must hold.
    check: whether a result is right, a function of it (a tuple where the call gives one) and of the
      operands as arrays of their dtypes.
    shapes: for each variant the shape of each operand. The first is the plainest.
    dtypes: of the first operand; of the others too, unless `others` names theirs, or says same.
    domain: values of the operands, one word for all or one for each: any (normal numbers, and NaN,
      infinities and signed zero where `special`), positive, unit (between -1 and 1), above1, bool,
      distinct (no two equal), index:N (integers from 0 to N - 1), sorted, nonzero, prob.
    gives: dtype of the result: same, float (the same float, float32 of integers), bool, sum
      (int64 of integers), or a dtype's name; several, separated by spaces, for a tuple.
    tolerance: units of the dtype's epsilon, relative to the largest element expected.
    gradient: whether the derivative is compared with differences of `equals` in float64.
    """

    name: str
    call: Expression
    equals: Expression | None = None
    shapes: Variants = ODD
    dtypes: tuple[str, ...] = FLOATS
    others: tuple[str, ...] = ()
    domain: str | tuple[str, ...] = "any"
    gives: str = "same"
    tolerance: float = 8
    special: bool = False
    gradient: bool = False
    check: Expression | None = None

    @property
    def text(self) -> str:
        """The call as code over x, y, z, w, Tensor, dtypes, np, inf and nan."""
        return text_of(self.call)

    @property
    def formula(self) -> str:
        """What the call equals, or what must hold of its `result`, as code in numpy."""
        return text_of(self.equals or self.check)

    def kinds(self, first: str, count: int) -> tuple[str, ...]:
        """The dtype of each operand where the first one's is `first`."""
        others = self.others or ("same",) * (count - 1)
        return (first, *(first if kind == "same" else kind for kind in others))[:count]


@dataclass(frozen=True)
class Refusal:
    """A call that must raise `error` (its name), with `says` somewhere in the message.

    call: a function of the operands, as that of a Method.

    argument: the parameter that is given what is wrong, `self` for the tensor; need not be said
      where the call gives only one. Every argument of every method has such a call.
    """

    name: str
    call: Expression
    error: str
    says: str
    shapes: Shapes = ((3, 5),)
    dtypes: tuple[str, ...] = ("f32",)
    argument: str = ""

    @property
    def text(self) -> str:
        """The call as code, as that of a Method."""
        return text_of(self.call)


# ---- operands of the table of methods: values of every domain, fixed by the row's name -----------


NAMES = "xyzw"
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)


def kind_named(name: str) -> DType:
    """The dtype of a name such as "f32" or "int64"."""
    dtype: DType = getattr(dtypes, name)
    return dtype


def variants(row: Method) -> Iterator[tuple[Shapes, str]]:
    """Shapes and first dtype: every shape at the first dtype, the first shapes at the others."""
    for at, kind in enumerate(row.dtypes):
        for shapes in row.shapes if at == 0 else row.shapes[:2]:
            yield shapes, kind


def operands(row: Method, shapes: Shapes, kind: str) -> list[np.ndarray[Any, Any]]:
    """One array an operand, of exactly the dtype asked for."""
    rng = generator(f"{row.text}{shapes}{kind}")
    words = (row.domain,) * len(shapes) if isinstance(row.domain, str) else row.domain
    kinds = row.kinds(kind, len(shapes))
    arrays = []
    for shape, word, name in zip(shapes, words, kinds, strict=False):
        dtype = kind_named(name)
        values = _values(rng, shape, word, dtype)
        if row.special and dtype.is_float and word == "any":
            values = _with_special(rng, values)
        arrays.append(np.asarray(values).astype(dtype.np))
    return arrays


def _with_special(rng: Any, values: Any) -> Any:
    flat = np.array(values, np.float64).reshape(-1)
    at = rng.permutation(flat.size)[: flat.size // 2]
    flat[at] = np.resize(SPECIAL, at.size)
    return flat.reshape(np.shape(values))


def _values(rng: Any, shape: Shape, word: str, dtype: DType) -> Any:
    if word.startswith("index:"):
        return rng.integers(0, int(word[6:]), shape)
    if word == "distinct":
        count = int(np.prod(shape))
        return (rng.permutation(count) - count // 3).reshape(shape)
    if word == "bool" or dtype.is_bool:
        return rng.integers(0, 2, shape)
    if dtype.is_float:
        return _FLOATS[word](rng, shape)
    low, high = (0, 100) if dtype.min == 0 else (-50, 50)
    if word in ("positive", "nonzero", "above1"):
        low = 1
    return (
        np.sort(rng.integers(low, high, shape))
        if word == "sorted" and shape
        else rng.integers(low, high, shape)
    )


_FLOATS = {
    "any": lambda rng, shape: rng.normal(size=shape) * 2,
    "positive": lambda rng, shape: rng.uniform(0.1, 4, shape),
    "unit": lambda rng, shape: rng.uniform(-0.95, 0.95, shape),
    "above1": lambda rng, shape: rng.uniform(1.1, 6, shape),
    "nonzero": lambda rng, shape: rng.uniform(0.3, 3, shape) * rng.choice([-1, 1], shape),
    "sorted": lambda rng, shape: np.sort(rng.normal(size=shape)) if shape else rng.normal(),
    "prob": lambda rng, shape: rng.uniform(0.02, 0.98, shape),
}
