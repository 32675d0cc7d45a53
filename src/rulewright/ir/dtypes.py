"""Element types, read from `spec/10-dtypes.uop`.

`dtypes.f32` (or `dtypes.float32`) is a scalar type; `dtypes.f32.vec(4)`, printed `f32*4`, is a
vector of it. There is one object a type, so types are compared with `is`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError
from rulewright.lang.build import load_table

if TYPE_CHECKING:
    import numpy as np

_Row = dict[str, Any]


class DType:
    """A scalar or vector element type. Get one from `dtypes`; never construct it."""

    def __init__(self, row: _Row, count: int) -> None:
        self.row, self.count = row, count
        self.kind: str = row["kind"]
        self.bits: int = row["bits"]  # of one lane
        self.itemsize: int = row.get("bytes", 0) * count  # bytes of all lanes
        self.base: str = row["name"]
        self.name = self.base if count == 1 else f"{self.base}*{count}"
        self.is_float = self.kind == "Floating"
        self.is_bool = self.kind == "Bool"
        self.is_int = self.kind in ("Signed", "Unsigned", "Index")
        self.is_unsigned = self.kind == "Unsigned"

    def __repr__(self) -> str:
        return f"dtypes.{self.name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return dtype, (self.name,)

    @cached_property
    def scalar(self) -> DType:
        """The type of one lane."""
        return _intern(self.base, 1)

    def vec(self, count: int) -> DType:
        """The vector of `count` lanes of this type's scalar."""
        return _intern(self.base, count)

    @cached_property
    def min(self) -> int | float:
        """The smallest value (minus infinity for floats that have it)."""
        if self.is_float:
            return -self.max
        return -(1 << (self.bits - 1)) if self.kind in ("Signed", "Index") else 0

    @cached_property
    def max(self) -> int | float:
        """The largest value (infinity for floats that have it)."""
        if self.is_float:
            return float(self.row.get("largest", math.inf))
        return (1 << (self.bits - (self.kind in ("Signed", "Index")))) - 1

    @cached_property
    def ones(self) -> int:
        """The value whose bits are all one: true, -1 or the unsigned maximum."""
        return -1 if self.kind in ("Signed", "Index") else int(self.max)

    @cached_property
    def np(self) -> np.dtype[Any]:
        """The numpy (or ml_dtypes) twin of one lane."""
        import numpy

        text: str = self.row["numpy"]
        if text.startswith("ml_dtypes."):
            import ml_dtypes

            text = getattr(ml_dtypes, text.split(".")[1])
        found: np.dtype[Any] = numpy.dtype(text)
        return found

    def const(self, value: Any) -> int | float | bool:
        """`value` as the Python value that a CONST of this type holds.

        Integers wrap to the type's width; floats are rounded to it, to nearest even.
        """
        if self.is_bool:
            return bool(value)
        if self.is_float:
            return self._round(float(value))
        number = int(value)
        if self.kind == "Index" or self.min <= number <= self.max:
            return number
        number &= (1 << self.bits) - 1
        return number - (1 << self.bits) if number > self.max else number

    def _round(self, value: float) -> float:
        if self.bits == 64 or value != value or value == 0.0:
            return value
        import numpy

        if self.base in ("f32", "f16"):  # numpy rounds f64 to these once
            with numpy.errstate(all="ignore"):
                return float(numpy.float64(value).astype(self.np))
        from rulewright.ir.rounding import round_to

        return float(round_to(numpy.asarray(value, numpy.float64), self.np))


@cache
def _rows() -> dict[str, _Row]:
    return {row["name"]: row for row in load_table()["dtypes"]}


@cache
def _intern(base: str, count: int) -> DType:
    return DType(_rows()[base], count)


@cache
def _aliases() -> dict[str, str]:
    names = {name: name for name in _rows()}
    for row in _rows().values():
        if row["name"] != "index" and row.get("numpy"):
            names[row["numpy"].split(".")[-1]] = row["name"]
    return names


@cache
def dtype(name: str) -> DType:
    """The type named `name`: "f32", "float32", "f32*4".

    Raises DTypeError for an unknown name.
    """
    base, star, lanes = name.partition("*")
    known = _aliases().get(base)
    if known is None or (star and not (lanes.isdecimal() and int(lanes) > 0)):
        raise DTypeError(f"unknown dtype {name!r}; known are {', '.join(_rows())}")
    return _intern(known, int(lanes or 1))


class _DTypes:
    """Namespace of all scalar types: `dtypes.f32`, `dtypes.float32`, `dtypes.i64` …"""

    def __getattr__(self, name: str) -> DType:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            found = dtype(name)
        except DTypeError as error:
            raise AttributeError(str(error)) from None
        setattr(self, name, found)
        return found

    def all(self) -> tuple[DType, ...]:
        """Every scalar type a tensor can have, in the order of the table."""
        return tuple(_intern(n, 1) for n in _rows() if n not in ("void", "index"))

    def set(self, name: str) -> frozenset[DType]:
        """The scalar types of a dtype set of the spec, e.g. `dtypes.set("Float")`."""
        return frozenset(_intern(n, 1) for n in load_table()["dtype_sets"][name])


dtypes = _DTypes()


@cache
def _above(name: str) -> frozenset[str]:
    """`name` and everything that it may be promoted to."""
    up = load_table()["promote"].get(name, ())
    return frozenset({name}).union(*(_above(n) for n in up))


@cache
def _promote(names: frozenset[str]) -> str:
    common = frozenset.intersection(*(_above(n) for n in sorted(names)))
    if not common:
        raise DTypeError(f"dtypes {', '.join(sorted(names))} have no common promotion")
    order = list(_rows())
    # the least bound is the one from which all other common bounds can be reached
    least = [n for n in common if common <= _above(n)]
    return min(least or common, key=lambda n: (len(common) - len(_above(n)), order.index(n)))


def promote(kinds: Iterable[DType]) -> DType:
    """The least type that all `kinds` may be promoted to. Raises DTypeError if there is none."""
    return _intern(_promote(frozenset(k.base for k in kinds)), 1)


def from_numpy(np_dtype: np.dtype[Any]) -> DType:
    """The type whose numpy twin is `np_dtype`. Raises DTypeError if there is none."""
    return dtype(np_dtype.name)
