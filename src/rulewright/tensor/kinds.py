"""Element types and host data as arrays of them: lists, scalars, bytes, what has `__array__`.

A Python scalar is weak: it takes the tensor's type unless that is of a lower category (bool,
integers, floats); then it has its default type. Two tensors meet in the lattice of
`spec/10-dtypes.uop`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rulewright.errors import ArgumentError, DTypeError, RangeError, ShapeError
from rulewright.ir.dtypes import DType, dtypes, from_numpy, is_torch_dtype, promote, said
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    import numpy as np

Scalar = bool | int | float
_Method = TypeVar("_Method", bound=Callable[..., Any])


def default_float() -> DType:
    """The type of Python floats, of divisions and of functions of integers: float32 unless set."""
    return dtypes.current().float


def default_int() -> DType:
    """The type of Python integers and of positions: int64, as in PyTorch, unless set."""
    return dtypes.current().int


def as_dtype(value: Any) -> DType:
    """A dtype given as one, by name, as one of numpy or PyTorch, or as bool, int or float.

    The types int and float of Python are the defaults; the names "int" and "float" are int32 and
    float32, as in PyTorch. Raises DTypeError for anything else, and for what no tensor can hold.
    """
    kind = said(value)
    if kind is None:
        raise DTypeError(f"expected a dtype such as dtypes.f32 or 'float32', found {value!r}")
    return _for_tensors(kind)


def is_dtype_or_name(value: Any) -> bool:
    """Whether a value is a dtype, also of PyTorch, or text that names one."""
    if isinstance(value, str):
        return hasattr(dtypes, value.removeprefix("torch."))
    return isinstance(value, DType) or is_torch_dtype(value)


def _for_tensors(kind: DType) -> DType:
    if kind.count != 1 or kind is dtypes.index or kind is dtypes.void:
        raise DTypeError(
            f"no tensor can hold {kind.name} elements; expected one of "
            + ", ".join(k.name for k in dtypes.all())
        )
    return kind


def common_dtype(*kinds: DType) -> DType:
    """The type in which tensors of these types meet: their least upper bound in the lattice."""
    first = kinds[0]
    return first if all(k is first for k in kinds) else promote(kinds)


def category(kind: DType) -> int:
    """Bool, integers, floats: 0, 1, 2. A scalar changes the dtype only of a lower category."""
    return 2 if kind.is_float else 0 if kind.is_bool else 1


def meeting_dtype(left: UOp, right: UOp) -> DType:
    """The type in which two operands meet.

    As in PyTorch a tensor without axes is weak beside one with axes: it counts only if its
    category, of bool, integers and floats, is the higher one.
    """
    a, b = left.dtype, right.dtype
    if a is b:
        return a
    if bool(left.shape) is not bool(right.shape):
        axes, none = (a, b) if left.shape else (b, a)
        if category(none) <= category(axes):
            return axes
    return common_dtype(a, b)


def scalar_dtype(kind: DType, value: Scalar) -> DType:
    """The type of an operation between a tensor of type `kind` and a Python scalar.

    Raises RangeError for an integer that the type cannot hold.
    """
    if kind.is_float or isinstance(value, bool):
        return kind
    if isinstance(value, float):
        return default_float()
    dtype = default_int() if kind.is_bool else kind
    check_integer(value, dtype)
    return dtype


def weak(value: Any) -> Any:
    """A Python or numpy scalar as a Python number, which is weak; anything else as it is."""
    if value.__class__ in (bool, int, float):
        return value
    if isinstance(value, float | int):
        return float(value) if isinstance(value, float) else int(value)
    module = type(value).__module__.partition(".")[0]
    if module in ("numpy", "ml_dtypes") and not hasattr(value, "__len__"):
        number = value.item()
        if isinstance(number, bool | int | float):
            return number
        return value if isinstance(number, complex) else float(number)
    return value


def check_integer(value: int, kind: DType) -> None:
    """Raise RangeError for an integer outside an integer type: it would become another number.

    So does numpy; PyTorch keeps its low bits.
    """
    if not kind.min <= value <= kind.max:
        raise RangeError(
            f"an integer is outside {kind.name}, which holds {kind.min} to {kind.max}: {value}; "
            "cast the tensor or give a wider dtype, or a float"
        )


def constant(kind: DType, value: Scalar) -> UOp:
    """A number as a node of a type, converted as `cast` does it.

    Raises RangeError for an integer that an integer type cannot hold, for NaN and infinities as
    integers, and for an integer too large for any float.
    """
    if isinstance(value, int):
        if kind.is_int:
            check_integer(value, kind)
        elif value.bit_length() > 1023:
            raise RangeError(
                f"an integer of {value.bit_length()} bits is too large for {kind.name}"
            )
    elif kind.is_int and not math.isfinite(value):
        raise RangeError(f"{value} is no number that {kind.name} holds")
    return UOp.const(kind, value)


def scalar_kind(value: Scalar) -> DType:
    """The type of a Python scalar that stands alone. Raises RangeError for one too large."""
    if isinstance(value, bool):
        return dtypes.bool
    if isinstance(value, int):
        check_integer(value, default_int())
        return default_int()
    return default_float()


def float_dtype(kind: DType) -> DType:
    """The type in which a function with real values is computed: floats stay as they are."""
    return kind if kind.is_float else default_float()


def accumulator(kind: DType) -> DType:
    """The type in which sums and products are accumulated: floats narrower than float32 in that,
    and rounded once at the end; integers in their own, where they wrap."""
    return dtypes.f32 if kind.is_float and kind.bits < 32 else kind


def named_after(method: Callable[..., Any], wrapper: Any) -> Any:
    """A wrapper whose frames have the name of the method that it wraps, as metadata says it."""
    wrapper.__code__ = wrapper.__code__.replace(co_name=method.__name__)
    return wrapper


def real(method: _Method) -> _Method:
    """A method of tensors whose values are real, made of several ops: of integers it is computed in
    the default float, of floats narrower than float32 in that, and rounded once, as in PyTorch."""

    @wraps(method)
    def computed(self: Any, *args: Any, **named: Any) -> Any:
        own = self.dtype
        if own is dtypes.f32 or own is dtypes.f64:
            return method(self, *args, **named)
        kind = float_dtype(own)
        return method(self.cast(accumulator(kind)), *args, **named).cast(kind)

    return cast(_Method, named_after(method, computed))


def sum_dtype(kind: DType) -> DType:
    """The type of `sum` and `prod`: bool and integers give the default int, which is int64 as in
    PyTorch, or a wider type of their own (uint64 stays)."""
    if kind.is_float or kind is dtypes.u64:
        return kind
    return common_dtype(kind, default_int())


def array_of(data: Any, kind: DType | None) -> tuple[np.ndarray, DType]:
    """Host data as a row-major array, and the dtype that it has or was asked to have.

    Bytes, and those of the file of a Path, are elements of that dtype (uint8 if none is asked for),
    in this machine's order; numbers are converted as `cast` does it.
    Raises ShapeError for lists whose parts differ in length, DTypeError for elements that are
    no numbers, RangeError for integers that the dtype cannot hold.
    """
    import numpy as np

    if isinstance(data, list | tuple | range):
        if not _holds_arrays(data):
            return _array_of_list(data, kind)
        array = _stacked(data)
    elif isinstance(data, Path):
        array = _array_of_bytes(data.read_bytes(), kind or dtypes.u8)
    elif isinstance(data, bytes | bytearray):
        array = _array_of_bytes(data, kind or dtypes.u8)
    else:
        array = as_array(data)
    if array.dtype.kind not in "biufV":
        raise DTypeError(_no_numbers(data, array.dtype))
    own = from_numpy(array.dtype)
    dtype = kind or own
    if array.dtype != own.np:  # of the other byte order
        array = array.astype(own.np)
    if dtype is not own:
        array = _converted(array, dtype)
    return np.ascontiguousarray(array).reshape(array.shape), dtype


def _no_numbers(data: Any, kind: np.dtype[Any]) -> str:
    """What to say of data that is no array of numbers."""
    name = type(data).__name__
    if isinstance(data, Iterable) and not isinstance(data, Sequence) and not hasattr(data, "dtype"):
        part = "one of its values" if isinstance(data, Mapping) else "list(…) of it"
        return f"expected numbers, lists of them or an array, found a {name}; give {part}"
    return f"no tensor can hold {kind} elements, as {name} has; they must be bool or numbers"


def _converted(array: np.ndarray[Any, Any], kind: DType) -> np.ndarray[Any, Any]:
    """An array as one of another dtype, as `cast` makes it."""
    import numpy as np

    from rulewright.interp.meaning import cast

    with np.errstate(all="ignore"):
        return cast(array, kind)


def _array_of_bytes(data: bytes | bytearray, kind: DType) -> np.ndarray[Any, Any]:
    import numpy as np

    if len(data) % kind.itemsize:
        raise ShapeError(
            f"{len(data)} bytes are no whole number of {kind.name}, which has {kind.itemsize} each"
        )
    return np.frombuffer(data, kind.np)


def as_array(data: Any) -> np.ndarray[Any, Any]:
    """What numpy makes of an object. Raises ArgumentError where that is nothing."""
    import numpy as np

    check_depth(data)
    try:
        return np.asarray(data)
    except (TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        is_array = hasattr(data, "__dlpack__")
        if is_array and (array := _array_of_words(data)) is not None:
            return array
        hint = "; convert it to a dtype that tensors have, for instance float32" if is_array else ""
        raise ArgumentError(
            f"expected numbers, or an array of them; numpy cannot read a {type(data).__name__} as "
            f"one: {error}{hint}"
        ) from error


def _array_of_words(data: Any) -> np.ndarray[Any, Any] | None:
    """An array of a dtype that numpy knows by ml_dtypes alone, such as PyTorch's bfloat16; None for
    what is nothing like it."""
    from rulewright.tensor import dlpack

    try:
        return dlpack.array_of(data)
    except (BufferError, RuntimeError, TypeError, ValueError, AttributeError):
        return None


MOST_AXES = 64
"""Of lists in lists, as of numpy's arrays."""


def check_depth(data: Any) -> None:
    """Raise ShapeError if the first parts of lists are more than 64 lists in each other.

    One that holds itself is.
    """
    for _ in range(MOST_AXES + 1):
        if not isinstance(data, list | tuple) or not data:
            return
        data = data[0]
    raise ShapeError(f"a list may be nested {MOST_AXES} levels deep, this one is deeper")


def _holds_arrays(data: Any) -> bool:
    """Whether the first part of nested sequences that is none is an array with axes."""
    check_depth(data)
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return hasattr(data, "__array__") and getattr(data, "shape", ()) != ()


def _stacked(data: Any) -> np.ndarray[Any, Any]:
    import numpy as np

    if not isinstance(data, list | tuple):
        return np.asarray(data)
    parts = [_stacked(part) for part in data]
    for i, part in enumerate(parts):
        if part.shape != parts[0].shape:
            raise ShapeError(
                f"a list must be rectangular: part [{i}] has shape {part.shape}, "
                f"part [0] has shape {parts[0].shape}"
            )
    return np.stack(parts) if parts else np.zeros(0)


def _array_of_list(data: Sequence[Any], kind: DType | None) -> tuple[np.ndarray, DType]:
    import numpy as np

    flat: list[Scalar] = []
    kinds: set[Any] = set()
    shape = _flatten(data, (flat, kinds), ())
    dtype = kind or common_dtype(*(as_dtype(k) for k in kinds or {float}))
    floats = dtype.is_float or (dtype.is_int and float in {type(v) for v in flat})
    try:
        wide = np.array(flat, "float64" if floats else _wide(dtype))
    except OverflowError:
        raise RangeError(
            f"an integer is outside {dtype.name}, which holds {dtype.min} to {dtype.max}; "
            "give a wider dtype"
        ) from None
    if dtype.is_int and wide.size:
        _check_range(wide, dtype)
    return _converted(wide, dtype).reshape(shape), dtype


def _check_range(wide: np.ndarray[Any, Any], kind: DType) -> None:
    """Raise RangeError unless numbers of a list can be integers of a dtype."""
    import numpy as np

    if wide.dtype.kind != "f":
        check_integer(int(wide.min()), kind)
        check_integer(int(wide.max()), kind)
    elif not np.isfinite(wide).all():
        strange = wide[~np.isfinite(wide)][0]
        raise RangeError(f"{strange} is no number that {kind.name} holds")


def _wide(kind: DType) -> Any:
    """A numpy type through which Python integers and bools are read."""
    return "bool" if kind.is_bool else "uint64" if kind is dtypes.u64 else "int64"


_Elements = tuple[list[Scalar], set[Any]]
"""Numbers of nested sequences, and the dtypes or classes of Python that they have."""


def _flatten(data: Any, out: _Elements, place: tuple[int, ...]) -> tuple[int, ...]:
    """Append the elements of nested sequences; the shape of them."""
    if not isinstance(data, list | tuple | range):
        _append(data, out, place)
        return ()
    if not data or not isinstance(data[0], list | tuple | range):
        return _flatten_row(data, out, place)
    if len(place) > MOST_AXES:
        raise ShapeError(f"a list may be nested {MOST_AXES} levels deep, this one is deeper")
    shapes = [_flatten(part, out, (*place, i)) for i, part in enumerate(data)]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ShapeError(
                f"a list must be rectangular: part {[*place, i]} has shape {shape}, "
                f"part {[*place, 0]} has shape {shapes[0]}"
            )
    return (len(data), *shapes[0])


def _flatten_row(data: Sequence[Any], out: _Elements, place: tuple[int, ...]) -> tuple[int, ...]:
    for i, item in enumerate(data):
        if isinstance(item, list | tuple | range):
            raise ShapeError(
                f"a list must be rectangular: part {[*place, i]} is a list, "
                f"part {[*place, 0]} is a number"
            )
        _append(item, out, (*place, i))
    return (len(data),)


def _append(item: Any, out: _Elements, place: tuple[int, ...]) -> None:
    """Add a number of Python, or a number or an array without axes that has a dtype."""
    numbers, kinds = out
    if item.__class__ in (bool, int, float):
        numbers.append(item)
        kinds.add(item.__class__)
        return
    value = item.item() if hasattr(item, "item") and not getattr(item, "shape", ()) else item
    if not isinstance(value, bool | int | float):
        where = f" at {list(place)}" if place else ""
        raise DTypeError(
            f"expected bool, int or float{where}, found {item!r} of type {type(item).__name__}"
        )
    numbers.append(value)
    kinds.add(getattr(item, "dtype", int if isinstance(value, int) else float))
