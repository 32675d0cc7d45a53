"""Host data as numpy arrays: lists, scalars, bytes and whatever speaks `__array__`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulewright.errors import ArgumentError, DTypeError, RangeError, ShapeError
from rulewright.ir.dtypes import DType, dtypes, from_numpy
from rulewright.tensor.kinds import Scalar, check_integer, scalar_kind

if TYPE_CHECKING:
    import numpy as np


def array_of(data: Any, kind: DType | None) -> tuple[np.ndarray, DType]:
    """Host data as a row-major array, and the dtype that it has or was asked to have.

    Bytes, and those of the file of a Path, are elements of that dtype (uint8 if none is asked for),
    in this machine's order; numbers are converted as `cast` does it.
    Raises ShapeError for lists whose parts differ in length, DTypeError for elements that are
    no numbers, RangeError for integers that the dtype cannot hold.
    """
    import numpy as np

    if isinstance(data, list | tuple):
        if not _holds_arrays(data):
            return _array_of_list(data, kind)
        given = _stacked(data)
    elif isinstance(data, Path):
        given = _array_of_bytes(data.read_bytes(), kind or dtypes.u8)
    elif isinstance(data, bytes | bytearray):
        given = _array_of_bytes(data, kind or dtypes.u8)
    else:
        given = as_array(data)
    if given.dtype.kind not in "biufV":
        raise DTypeError(
            f"no tensor can hold {given.dtype} elements, as {type(data).__name__} has; they must "
            "be bool or numbers"
        )
    own = from_numpy(given.dtype)
    found = kind or own
    if given.dtype != own.np:  # of the other byte order
        given = given.astype(own.np)
    if found is not own:
        given = _converted(given, found)
    return np.ascontiguousarray(given).reshape(given.shape), found


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
        raise ArgumentError(
            f"expected numbers, or an array of them; numpy cannot read a {type(data).__name__} as "
            f"one: {error}"
        ) from error


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
    shape = _flatten(data, flat, ())
    found = kind or _kind_of(flat)
    floats = found.is_float or (found.is_int and float in {type(v) for v in flat})
    try:
        wide = np.array(flat, "float64" if floats else _wide(found))
    except OverflowError:
        raise RangeError(
            f"an integer is outside {found.name}, which holds {found.min} to {found.max}; "
            "give a wider dtype"
        ) from None
    if found.is_int and wide.size:
        _check_range(wide, found)
    return _converted(wide, found).reshape(shape), found


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


def _kind_of(flat: list[Scalar]) -> DType:
    if not flat:
        return scalar_kind(0.0)
    kinds = {type(v) for v in flat}
    widest = float if float in kinds else int if int in kinds else bool
    return scalar_kind(widest(0))


def _flatten(data: Any, out: list[Scalar], place: tuple[int, ...]) -> tuple[int, ...]:
    """Append the elements of nested sequences; the shape of them."""
    if not isinstance(data, list | tuple):
        out.append(_scalar(data, place))
        return ()
    if not data or not isinstance(data[0], list | tuple):
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


def _flatten_row(data: Sequence[Any], out: list[Scalar], place: tuple[int, ...]) -> tuple[int, ...]:
    for i, item in enumerate(data):
        if isinstance(item, list | tuple):
            raise ShapeError(
                f"a list must be rectangular: part {[*place, i]} is a list, "
                f"part {[*place, 0]} is a number"
            )
        out.append(_scalar(item, (*place, i)))
    return (len(data),)


def _scalar(item: Any, place: tuple[int, ...]) -> Scalar:
    if isinstance(item, bool | int | float):
        return item
    value = item.item() if hasattr(item, "item") and not getattr(item, "shape", ()) else item
    if isinstance(value, bool | int | float):
        return value
    where = f" at {list(place)}" if place else ""
    raise DTypeError(
        f"expected bool, int or float{where}, found {item!r} of type {type(item).__name__}"
    )
