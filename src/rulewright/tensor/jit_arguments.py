"""What a call of a jitted function depends on: its arguments, and Python values around it.

Looked at are closure variables, globals that the function names (through functions of the user's
that it calls by such a name) and what is reached from there, and from objects among the arguments,
through attributes, slots, lists, tuples and dicts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import is_
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from rulewright.errors import JitError, VariableError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import buffer_of
from rulewright.tensor import history
from rulewright.tensor.assign import is_one, move_out
from rulewright.tensor.core import Core
from rulewright.tensor.realize import realize
from rulewright.tensor.shapes import show
from rulewright.tensor.slots import slot_names

PLAIN = Ops.group("Reshaped")
STATIC = frozenset({bool, int, str, bytes, type(None)})


@dataclass(eq=False, slots=True)
class Input:
    """A tensor argument in memory: `node` is its BUFFER, `root` the whole memory below.

    `copied` is set for views and constants, of which the function gets a copy.
    """

    tensor: Core
    uop: UOp
    node: UOp
    buffer: Buffer
    root: Buffer
    copied: tuple[Buffer, ...] = ()
    symbolic: bool = False


class Arguments:
    """The tensors and bound variables among some arguments, and the key of all of them.

    `donated` are the tensors, by number, in arguments that `donate` names.
    """

    def __init__(
        self,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        donate: Collection[int | str] = (),
    ) -> None:
        self.tensors: list[Core] = []
        self.places: list[int | str] = []  # of the arguments that they stand in
        self.variables: dict[str, int] = {}
        self.binds: list[UOp] = []
        parts = [self._part(a, i) for i, a in enumerate(args)]
        if kwargs:
            parts += [(name, self._part(value, name)) for name, value in kwargs.items()]
        self.inputs = [_input(t) for t in self.tensors]
        if len(self.inputs) > 1 and len({i.root for i in self.inputs}) < len(self.inputs):
            self.inputs = _apart(self.inputs)
        self.donated = donated_tensors(self, donate) if donate else []
        for each in self.inputs:
            if each.symbolic:
                for node in each.uop.toposort():
                    if node.op is Ops.BIND:
                        self._bound(node)
        self.key: Any = (*parts, *self._tensor_parts(), *self.donated)

    def _part(self, value: Any, place: Any) -> Any:
        kind = value.__class__
        if kind in STATIC:
            return kind, value
        if kind is float:
            return kind, repr(value)  # tells -0.0 from 0.0, and nan is nan
        if isinstance(value, Core):
            self.tensors.append(value)
            self.places.append(place)
            return Core
        if isinstance(value, UOp) and value.op is Ops.BIND:
            self._bound(value)
            return UOp, value.src[0]
        if isinstance(value, list | tuple):
            return kind, tuple([self._part(v, place) for v in value])
        if isinstance(value, dict):
            return kind, tuple([(k, self._part(v, place)) for k, v in value.items()])
        return kind, _hashed(value, place)

    def _bound(self, bind: UOp) -> None:
        name, value = bind.src[0].arg[0], int(bind.src[1].arg)
        if self.variables.setdefault(name, value) != value:
            raise VariableError(
                f"jit: variable {name} is bound to {self.variables[name]} and to {value} in the "
                "arguments of one call"
            )
        self.binds.append(bind)

    def _tensor_parts(self) -> list[Any]:
        first: dict[Any, int] = {}
        parts: list[Any] = []
        for place, each in enumerate(self.inputs):
            tensor = each.tensor
            alias = first.setdefault(id(tensor), place), first.setdefault(each.root, place)
            parts.append(
                (
                    _normal(each.uop) if each.symbolic else each.uop.shape,
                    each.node.dtype,
                    each.node.arg[2],
                    tensor._requires_grad,
                    history.any_origin() and history.has_origin(each.node),
                    bool(each.copied),
                    alias,
                )
            )
        return parts


def donated_tensors(arguments: Arguments, donate: Collection[int | str]) -> list[int]:
    """Which of the tensors of a call are given away, by number.

    Raises JitError if the memory of one is given another time.
    """
    donated = [at for at, place in enumerate(arguments.places) if place in donate]
    for at in donated:
        mine = arguments.inputs[at]
        for other, theirs in enumerate(arguments.inputs):
            same = theirs.tensor is mine.tensor or (
                theirs.root is mine.root and not (theirs.copied or mine.copied)
            )
            if other != at and same:
                raise JitError(
                    f"jit: the tensor of shape {show(mine.tensor.shape)} in argument "
                    f"{arguments.places[at]!r} is donated, and given in argument "
                    f"{arguments.places[other]!r} too; pass a clone()"
                )
    return donated


def _hashed(value: Any, place: Any) -> Any:
    if hasattr(value, "__array_interface__"):
        raise JitError(
            f"jit: argument {place!r} is host memory ({type(value).__name__}), which a replay "
            "would not look at again; pass Tensor(...) of it"
        )
    try:
        hash(value)
    except TypeError:
        raise JitError(
            f"jit: argument {place!r} is a {type(value).__name__}, which cannot be hashed: "
            "expected tensors, numbers, strings, bound variables, hashable objects, or containers "
            "of these"
        ) from None
    return value


def _normal(uop: UOp) -> UOp:
    """A view with its memory and the values of variables left out."""
    changes = {}
    for node in uop.toposort():
        if node.op is Ops.BUFFER:
            changes[node] = node.replace(op=Ops.PARAM, arg=(0, *node.arg[1:]))
        elif node.op is Ops.BIND:
            changes[node] = node.src[0]
    return uop.substitute(changes)


def _input(tensor: Core) -> Input:
    """A tensor as it is in memory, realised if need be."""
    uop = tensor.uop
    if uop.op is not Ops.BUFFER:
        realize([tensor])
        uop = tensor.uop
    node = uop
    while node.op in PLAIN:
        node = node.src[0]
    if node.op is not Ops.BUFFER:
        return _viewed(tensor, uop)
    buffer = buffer_of(node)
    return Input(tensor, uop, node, buffer, buffer.base or buffer)


def _apart(inputs: list[Input]) -> list[Input]:
    """Inputs of which those that only happen to have one memory have each their own."""
    owners: dict[Buffer, Core] = {}
    apart = []
    for each in inputs:
        owner = owners.setdefault(each.root, each.tensor)
        if not is_one(owner, each.tensor):
            move_out(each.tensor)
            each = _input(each.tensor)
            owners[each.root] = each.tensor
        apart.append(each)
    return apart


def _viewed(tensor: Core, uop: UOp) -> Input:
    buffers = [n for n in uop.toposort() if n.op is Ops.BUFFER]
    if len(buffers) == 1 and any(n.op is Ops.BIND for n in uop.toposort()):
        buffer = buffer_of(buffers[0])
        return Input(tensor, uop, buffers[0], buffer, buffer.base or buffer, (), True)
    if tensor._alias is None:  # a value, constant or moved, which may be written from now on
        move_out(tensor)
        return _input(tensor)
    copy = tensor._in_own_memory(tensor.uop, tensor.device)
    realize([copy])
    node = copy.uop.base
    buffer = buffer_of(node)
    below = tuple(b.base or b for b in map(buffer_of, buffers))
    return Input(tensor, copy.uop, node, buffer, buffer, below or (buffer,))


def tensors_in(value: Any) -> list[Core]:
    """The tensors of nested containers, in order.

    Raises JitError for results that are neither tensors, plain values nor containers of them.
    """
    if isinstance(value, Core):
        return [value]
    if isinstance(value, list | tuple):
        return [t for v in value for t in tensors_in(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors_in(v)]
    if value.__class__ not in STATIC and value.__class__ is not float:
        raise JitError(
            f"jit: the function returns a {type(value).__name__}: expected tensors, numbers, "
            "strings, None, or lists, tuples and dicts of these"
        )
    return []


_SCALARS = frozenset({bool, int, float, str, bytes, type(None)})
_MOST = 1000  # entries of a container that are looked at


class Guards:
    """Values reached from some roots, which `broken()` compares with what is there now.

    Of the arguments only what is reached from objects among them is looked at: each call
    has other lists of other tensors. `tensors` are those that were reached.
    """

    def __init__(self, roots: Iterable[Any], arguments: Iterable[Any] = ()) -> None:
        self._places: list[tuple[str, Any, tuple[Any, ...]]] = []
        self._seen: dict[int, Any] = {}
        self.tensors: list[Core] = []
        for root in [*roots, *_leaves(arguments)]:
            self._walk(root, "")
        del self._seen

    def broken(self) -> str | None:
        """The name of a place whose values are no longer the same, or None."""
        for name, place, before in self._places:
            now = _values(place)
            if len(now) != len(before):
                return name
            if not all(map(is_, now, before)) and not all(map(_same, now, before)):
                return name
        return None

    def let_be(self) -> None:
        """Look no more at values that are no longer the same."""
        places = []
        for name, place, before in self._places:
            now = _values(place)
            if len(now) == len(before):
                kept = [b if _same(n, b) else _ANY for n, b in zip(now, before, strict=True)]
                places.append((name, place, tuple(kept)))
        self._places = places

    def _walk(self, value: Any, name: str) -> None:
        if id(value) in self._seen or value.__class__ in _SCALARS:
            return
        self._seen[id(value)] = value
        if isinstance(value, Core):
            self.tensors.append(value)
            return
        home = type(value).__module__ or ""
        if home.startswith("rulewright.ir."):  # nodes and ops, which do not change
            return
        if home.startswith("rulewright.tensor.") and hasattr(
            value, "__wrapped__"
        ):  # jitted, traced
            self._walk(value.__wrapped__, name)
        elif isinstance(value, MethodType):
            self._walk(value.__self__, "self")
            self._walk(value.__func__, name)
        elif isinstance(value, partial):
            for part in (value.func, value.args, value.keywords):
                self._walk(part, name)
        elif isinstance(value, FunctionType):
            self._walk_function(value)
        elif isinstance(value, dict | list | tuple):
            self._note(name, value)
        elif not isinstance(value, type | ModuleType):
            self._walk_object(value, name or type(value).__name__)

    def _walk_object(self, value: Any, name: str) -> None:
        if hasattr(value, "__dict__"):
            self._note(name, vars(value))
        names = slot_names(value)
        if names:
            self._note(name, _Slots(value, names), names)

    def _note(self, name: str, place: Any, names: Sequence[str] | None = None) -> None:
        if len(place) > _MOST:
            return
        values = _values(place)
        self._places.append((name, place, values))
        keys = names or (place if isinstance(place, dict) else range(len(values)))
        for key, value in zip(list(keys), values, strict=True):
            self._walk(value, f"{name}.{key}")

    def _walk_function(self, function: FunctionType) -> None:
        if (function.__module__ or "").startswith("rulewright."):
            return
        cells = function.__closure__ or ()
        if cells:
            free = function.__code__.co_freevars
            self._note(f"closure of {function.__name__}", _Cells(cells), free)
        names = [n for n in _names(function.__code__) if n in function.__globals__]
        if names:
            used = _Globals(function.__globals__, tuple(dict.fromkeys(names)))
            self._note(f"globals of {function.__name__}", used, used.names)
        if function.__defaults__:
            self._walk(function.__defaults__, "defaults")


class _Cells(tuple):
    """Closure variables, as a container of their values."""


class _Globals:
    """Some globals, as a container of their values."""

    def __init__(self, space: dict[str, Any], names: tuple[str, ...]) -> None:
        self.space, self.names = space, names

    def __len__(self) -> int:
        return len(self.names)


class _Slots:
    """The slots of an object, as a container of their values."""

    def __init__(self, owner: Any, names: tuple[str, ...]) -> None:
        self.owner, self.names = owner, names

    def __len__(self) -> int:
        return len(self.names)


def _leaves(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _leaves(value)
        elif isinstance(value, dict):
            yield from _leaves(value.values())
        elif not isinstance(value, Core):
            yield value


def _values(place: Any) -> tuple[Any, ...]:
    if isinstance(place, _Cells):
        return tuple([_content(cell) for cell in place])
    if isinstance(place, _Globals):
        return tuple([place.space.get(name) for name in place.names])
    if isinstance(place, _Slots):
        return tuple([getattr(place.owner, name, None) for name in place.names])
    return tuple(place.values()) if isinstance(place, dict) else tuple(place)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


_ANY = object()
"""Stands for a value that may become another."""


def _same(now: Any, before: Any) -> bool:
    if now is before or before is _ANY:
        return True
    kind = now.__class__
    return kind in _SCALARS and kind is before.__class__ and repr(now) == repr(before)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
