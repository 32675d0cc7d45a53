"""What the arguments of public helpers may be, and errors that say what was expected."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from rulewright.errors import (
    ArgumentError,
    DTypeError,
    UnknownAttributeError,
    UsageError,
    VariableError,
    nearest,
)
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.node import Fields
from rulewright.ir.ops import Op, Ops
from rulewright.ir.shapes import Dim

DEVICE_NUM = "_device_num"
"""The name of variables that stand for the number of a kernel's device, which no other has."""

Pair = tuple[Dim, Dim]


def shown(value: object) -> str:
    """A value in a message: its `repr`, or its type where that fails or is long."""
    try:
        text = repr(value)
    except Exception:  # it is deep, a number of many digits, or of a class that is broken
        return f"<{type(value).__name__}>"
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


_WIDEST = 1000


def refuse(method: str, expected: str, value: object) -> NoReturn:
    """Raise ArgumentError: a method was given something else than it expects."""
    raise ArgumentError(
        f"{method}: expected {expected}, found {shown(value)} of type {type(value).__name__}"
    )


def refuse_fraction(what: object, dtype: DType) -> NoReturn:
    """Raise DTypeError: a fraction, or what makes one, beside a value of no float dtype."""
    own = ", or write Tensor(n) for a variable n" if dtype is dtypes.index else ""
    raise DTypeError(f"{what} with a value of {dtype.name}; cast the value first{own}")


def unknown_name(
    owner: str, name: str, elsewhere: Mapping[str, str], known: Iterable[str]
) -> UnknownAttributeError:
    """The error for a name that an owner does not have: what other libraries' names are called
    here, by a table, or which known name is near."""
    text = f"{owner} has no attribute {name!r}"
    if name in elsewhere:
        return UnknownAttributeError(f"{text}; here it is {elsewhere[name]}")
    near = nearest(name, [k for k in known if not k.startswith("_")])
    return UnknownAttributeError(f"{text}; did you mean {near}?" if near else text)


def whole(value: Any, method: str, name: str) -> int:
    """A whole number. Raises ArgumentError for anything else, bools included."""
    if value.__class__ is int:
        number: int = value
        return number
    try:
        result = operator.index(value)
    except TypeError:
        refuse(method, f"{name} as a whole number", value)
    if isinstance(value, bool):
        refuse(method, f"{name} as a whole number", value)
    return result


def check_fields(op: Any, dtype: Any, src: Any) -> None:
    """Raise ArgumentError for what is no op, dtype or tuple of nodes."""
    if not isinstance(op, Op):
        refuse("UOp", "an op such as Ops.ADD", op)
    check_dtype(dtype, str(op))
    check_nodes(src, str(op))


def check_nodes(nodes: Any, method: str) -> None:
    """Raise ArgumentError for what is no tuple of nodes."""
    if not isinstance(nodes, tuple):
        refuse(method, "a tuple of UOps", nodes)
    for node in nodes:
        if not isinstance(node, Fields):
            refuse(method, "UOps, such as UOp.index_const(1) or UOp.const(dtypes.f32, 1)", node)


def check_changes(changes: Any) -> None:
    """Raise ArgumentError for what is no table of nodes and what takes their place."""
    if not isinstance(changes, dict):
        refuse("substitute", "a dict of nodes and what takes their place", changes)
    for node, other in changes.items():
        if not (isinstance(node, Fields) and isinstance(other, Fields)):
            check_nodes((node, other), "substitute")


def check_portable(nodes: Iterable[Fields]) -> None:
    """Raise UsageError for what another process would take for something of its own."""
    for node in nodes:
        if node.op is Ops.BUFFER or node.op is Ops.HOST:
            raise UsageError(
                f"pickle: {node.op} number {node.arg[0]} is of this process, and means another one "
                "elsewhere; pickle the tensor, with its values"
            )


def refuse_change(node: Any, name: str, *value: Any) -> NoReturn:
    """Raise AttributeError: what a node holds is set, or deleted."""
    raise AttributeError(
        f"{name} of a UOp cannot be changed: it stands in every graph that has an equal node; "
        "replace(op=, dtype=, src=, arg=) gives one that differs"
    )


def check_dtype(value: Any, method: str) -> None:
    """Raise ArgumentError for what is no dtype."""
    if not isinstance(value, DType):
        refuse(method, "a dtype such as dtypes.f32", value)


def several(value: Any, method: str, expected: str) -> tuple[Any, ...]:
    """The parts of a tuple or list. Raises ArgumentError for anything else."""
    if value.__class__ is tuple:
        return value
    if not isinstance(value, list):
        refuse(method, expected, value)
    return tuple(value)


def sizes_of(value: Any, method: str) -> tuple[Dim, ...]:
    """Whole numbers and symbolic ones. Raises ArgumentError for anything else."""
    if value.__class__ is tuple:
        for size in value:
            if size.__class__ is not int:
                break
        else:
            return value
    return tuple([_size(s, method) for s in several(value, method, "a tuple of sizes")])


def _size(value: Any, method: str) -> Dim:
    if isinstance(value, Fields) and value.dtype is dtypes.index:
        return value  # type: ignore[return-value]  # every node is a UOp
    return whole(value, method, "a size")


def _known_pairs(value: tuple[Any, ...]) -> bool:
    """Whether these are pairs of plain numbers, as they mostly are."""
    try:
        for low, high in value:
            if low.__class__ is not int or high.__class__ is not int:
                return False
    except (TypeError, ValueError):  # no pair
        return False
    return True


def pairs_of(value: Any, method: str) -> tuple[Pair, ...]:
    """Pairs of sizes. Raises ArgumentError for anything else."""
    if value.__class__ is tuple and _known_pairs(value):
        return value
    expected = "a pair of sizes for each axis, such as ((0, 1), (0, 2))"
    pairs = [several(p, method, expected) for p in several(value, method, expected)]
    if any(len(pair) != 2 for pair in pairs):
        refuse(method, expected, value)
    flat = iter(sizes_of([size for pair in pairs for size in pair], method))
    return tuple(zip(flat, flat, strict=True))


def variable_name(name: object) -> None:
    """Raise ArgumentError for what is no text, VariableError for no name that a user may give."""
    if not isinstance(name, str):
        refuse("Variable", "a name", name)
    if not name.isidentifier():
        text = repr(name) if name else "an empty one"
        raise VariableError(
            f"Variable: expected a name of letters, digits and _, such as 'n', found {text}"
        )
    if name == DEVICE_NUM:
        raise VariableError(f"Variable: {name} is the number of a kernel's device; name it n")
