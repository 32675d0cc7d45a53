"""Element types, read from `spec/10-dtypes.uop`.

`dtypes.f32` (or `dtypes.float32`, `dtypes.float`) is a scalar type; `dtypes.f32.vec(4)`, printed
`f32*4`, is a vector of it. There is one object a type, so types are compared with `is`; `==` also
takes what says one, `x.dtype == "float32"`, as dtypes of numpy do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.errors import DTypeError, UnknownDTypeError, nearest
from rulewright.ir.dtype_info import FloatInfo, IntInfo, finfo, iinfo
from rulewright.lang.build import load_table
from rulewright.options import set_inside

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
        self.is_float: bool = self.kind == "Floating"
        self.is_bool: bool = self.kind == "Bool"
        self.is_int: bool = self.kind in ("Signed", "Unsigned", "Index")
        self.is_unsigned: bool = self.kind == "Unsigned"

    def __repr__(self) -> str:
        return f"dtypes.{self.name}"

    def __eq__(self, other: object) -> bool:
        """Whether `other` is this type or says it, as `dtype=` takes it: a name, a dtype of numpy
        or PyTorch, a class of a number. False for names that no type has, as in numpy."""
        if not (isinstance(other, str | type) or _is_a_dtype(other)):
            return self is other
        try:
            return said(other) is self
        except DTypeError:
            return False

    __hash__ = object.__hash__

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
        """The smallest value (minus infinity for floats that have it; see `finfo`)."""
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
    def bias(self) -> int:
        """What the stored exponent of a float exceeds the true one by."""
        return int(self.row.get("bias") or (1 << (self.row["exponent"] - 1)) - 1)

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
        twin: np.dtype[Any] = numpy.dtype(text)
        return twin

    def const(self, value: Any) -> int | float | bool:
        """`value` as the Python value that a CONST of this type holds.

        Integers wrap to the type's width; floats are rounded to it, to nearest even. Floats to an
        integer type as CAST does it: toward zero, to the nearest bound, and NaN to 0.
        """
        if self.is_bool:
            return bool(value)
        if self.is_float:
            narrow = isinstance(value, int) and self.bits < 64
            return self._round(float(_sticky(value) if narrow else value))
        if isinstance(value, float) and self.kind != "Index":
            return self._toward_zero(value)
        number: int = value if value.__class__ is int else int(value)
        if self.kind == "Index" or self.min <= number <= self.max:
            return number
        number &= (1 << self.bits) - 1
        return number - (1 << self.bits) if number > self.max else number

    def _toward_zero(self, value: float) -> int:
        if value != value:
            return 0
        low, high = int(self.min), int(self.max)
        return low if value <= low else high if value >= high else int(value)

    def _round(self, value: float) -> float:
        # in 8 bits there may be no -0.0, as the twin knows
        if self.bits == 64 or value != value or (value == 0.0 and self.bits > 8):
            return value
        return _rounded(self, value) if value else _nearest(self, value)


def _nearest(kind: DType, value: float) -> float:
    import numpy

    if kind.base in ("f32", "f16"):  # numpy rounds f64 to these once
        with numpy.errstate(all="ignore"):
            return float(numpy.float64(value).astype(kind.np))
    from rulewright.ir.rounding import round_to

    return float(round_to(numpy.asarray(value, numpy.float64), kind.np))


_rounded = lru_cache(4096)(_nearest)  # not for zeros: equal ones may differ in sign


def _sticky(number: int) -> int:
    """An integer of 53 digits that rounds to any shorter float as `number` does: what is cut off
    leaves a 1 in the last place."""
    size = abs(number)
    extra = size.bit_length() - 53
    if extra <= 0:
        return number
    kept = size >> extra
    kept = (kept | (kept << extra != size)) << extra
    return -kept if number < 0 else kept


@cache
def _rows() -> dict[str, _Row]:
    return {row["name"]: row for row in load_table()["dtypes"]}


@cache
def _intern(base: str, count: int) -> DType:
    return DType(_rows()[base], count)


@cache
def _aliases() -> dict[str, str]:
    names = {name: name for name in _rows()} | _twins()
    for row in _rows().values():
        names |= dict.fromkeys(row.get("names", "").split(), row["name"])
    return names


@cache
def dtype(name: str) -> DType:
    """The type named `name`: "f32", "float32", "float", "f32*4".

    Raises UnknownDTypeError for an unknown name.
    """
    base, star, lanes = name.partition("*")
    known = _aliases().get(base)
    if known is None or (star and not (lanes.isdecimal() and int(lanes) > 0)):
        near = nearest(base, _aliases())
        hint = f"; did you mean {near}?" if near else ""
        raise UnknownDTypeError(f"unknown dtype {name!r}; known are {', '.join(_rows())}{hint}")
    return _intern(known, int(lanes or 1))


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


def from_numpy(np_dtype: Any) -> DType:
    """The type whose numpy twin is `np_dtype`, of either byte order. Raises DTypeError if none."""
    import numpy

    twin = numpy.dtype(np_dtype)
    name = _twins().get(twin.name)
    if name is None or twin.names is not None:
        raise DTypeError(
            f"no dtype is numpy's {twin}; there are bool, integers of 8 to 64 bits, float16, "
            "float32, float64 and of ml_dtypes bfloat16, float8_e4m3fn, float8_e5m2, "
            "float8_e4m3fnuz and float8_e5m2fnuz"
        )
    return _intern(name, 1)


def said(value: Any) -> DType | None:
    """The type that a value says: one, its name, one of numpy or PyTorch, or bool, int or float;
    None if it says none.

    The types int and float of Python are the defaults; the names "int" and "float" are int32 and
    float32, as in PyTorch. Raises DTypeError for a name or a dtype of numpy that no type has.
    """
    if isinstance(value, DType):
        return value
    if is_torch_dtype(value):
        value = repr(value)
    if isinstance(value, str):
        return dtype(value.removeprefix("torch.").removeprefix("dtypes."))
    if value is bool or value is int or value is float:
        current = dtypes.current()
        return {bool: _intern("bool", 1), int: current.int, float: current.float}[value]
    import numpy

    try:
        twin = None if value is None else numpy.dtype(value)
    except (TypeError, ValueError):  # the latter for what has a dtype, such as a tensor
        twin = None
    return None if twin is None else from_numpy(twin)


def _is_a_dtype(value: Any) -> bool:
    """Whether a value is a dtype of numpy or PyTorch."""
    return any(each.__name__ == "dtype" for each in type(value).__mro__)


def is_torch_dtype(value: Any) -> bool:
    """Whether a value is one of PyTorch's dtypes, which need not be imported here."""
    kind = type(value)
    return kind.__module__ == "torch" and kind.__name__ == "dtype"


@cache
def _twins() -> dict[str, str]:
    rows = [r for r in _rows().values() if r["name"] != "index" and r.get("numpy")]
    return {row["numpy"].split(".")[-1]: row["name"] for row in rows}


class Defaults(NamedTuple):
    """The dtypes that Python's numbers have where nothing else gives them one."""

    float: DType
    int: DType


class _DTypes:
    """Namespace of all scalar types, `dtypes.f32`, `dtypes.float32`, `dtypes.i64` …, of questions
    about them, and of the defaults.

    Assigning to `default_float` or `default_int` holds for the whole process, or inside a `with
    dtypes.defaults(…)` block until its end (per thread and per asyncio task).
    """

    _process: Defaults | None = None
    _inner: ContextVar[Defaults | None] = ContextVar("rulewright_default_dtypes", default=None)

    def __getattr__(self, name: str) -> DType:
        if name.startswith("_"):
            raise AttributeError(name)
        kind = dtype(name)
        self.__dict__[name] = kind
        return kind

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("default_float", "default_int"):
            raise AttributeError(f"dtypes.{name} is not to be set; default_float, default_int are")
        object.__setattr__(self, name, value)

    def all(self) -> tuple[DType, ...]:
        """Every scalar type a tensor can have, in the order of the table."""
        return tuple(_intern(n, 1) for n in _rows() if n not in ("void", "index"))

    def set(self, name: str) -> frozenset[DType]:
        """The scalar types of a dtype set of the spec, e.g. `dtypes.set("Float")`."""
        return frozenset(_intern(n, 1) for n in load_table()["dtype_sets"][name])

    # ---- questions ----------------------------------------------------------------------------

    def is_float(self, kind: DType) -> bool:
        """Whether `kind` is a float; the property of that name, as tinygrad spells it."""
        return kind.is_float

    def is_int(self, kind: DType) -> bool:
        """Whether `kind` is an integer, signed or not."""
        return kind.is_int

    def is_unsigned(self, kind: DType) -> bool:
        """Whether `kind` is an unsigned integer."""
        return kind.is_unsigned

    def is_bool(self, kind: DType) -> bool:
        """Whether `kind` is bool."""
        return kind.is_bool

    def finfo(self, kind: DType) -> FloatInfo:
        """Facts of a float dtype, as numpy's and PyTorch's `finfo`. Raises DTypeError for others.

        >>> dtypes.finfo(dtypes.f16).max
        65504.0
        """
        return finfo(kind)

    def iinfo(self, kind: DType) -> IntInfo:
        """Facts of an integer dtype, as their `iinfo`. Raises DTypeError for others."""
        return iinfo(kind)

    def promote_types(self, *kinds: DType) -> DType:
        """The dtype in which tensors of these dtypes meet.

        Raises DTypeError for `void` and `index`, which meet nothing.

        >>> dtypes.promote_types(dtypes.u8, dtypes.i8)
        dtypes.i16
        """
        return promote(kinds)

    def from_numpy(self, np_dtype: Any) -> DType:
        """The dtype of a numpy (or ml_dtypes) dtype; the way back is the property `np`.

        Raises DTypeError for one that tensors cannot hold.
        """
        return from_numpy(np_dtype)

    # ---- defaults -----------------------------------------------------------------------------

    def current(self) -> Defaults:
        """The defaults in force here."""
        return self._inner.get() or _DTypes._process or _built_in()

    @property
    def default_float(self) -> DType:
        """The dtype of Python floats, of quotients of integers, and of new tensors: float32."""
        return self.current().float

    @default_float.setter
    def default_float(self, kind: Any) -> None:
        self._change(float=_default_float(kind))

    @property
    def default_int(self) -> DType:
        """The dtype of Python integers and of positions: int64, as in PyTorch and numpy."""
        return self.current().int

    @default_int.setter
    def default_int(self, kind: Any) -> None:
        self._change(int=_default_int(kind))

    def _change(self, **changes: DType) -> None:
        changed = self.current()._replace(**changes)
        if self._inner.get() is None:
            _DTypes._process = changed
        else:
            self._inner.set(changed)

    @contextmanager
    def defaults(self, float: Any = None, int: Any = None) -> Iterator[Defaults]:
        """Other defaults inside a `with` block; what is not given stays.

        Raises DTypeError for a `float` that is no float dtype, an `int` other than int32, int64.

        >>> with dtypes.defaults(float=dtypes.f64):
        ...     dtypes.default_float
        dtypes.f64
        """
        before = self.current()
        chosen = Defaults(
            before.float if float is None else _default_float(float),
            before.int if int is None else _default_int(int),
        )
        with set_inside(self._inner, chosen):
            yield chosen


@cache
def _built_in() -> Defaults:
    return Defaults(_intern("f32", 1), _intern("i64", 1))


def _default_float(kind: Any) -> DType:
    chosen = dtype(kind) if isinstance(kind, str) else kind
    if not isinstance(chosen, DType) or not chosen.is_float or chosen.count != 1:
        raise DTypeError(f"default_float: expected a float dtype, found {kind!r}")
    return chosen


def _default_int(kind: Any) -> DType:
    chosen = dtype(kind) if isinstance(kind, str) else kind
    if chosen not in (_intern("i32", 1), _intern("i64", 1)):
        raise DTypeError(
            f"default_int: expected dtypes.i32 or dtypes.i64, found {kind!r}; narrower ones "
            "cannot hold positions in a tensor"
        )
    return chosen


dtypes = _DTypes()
