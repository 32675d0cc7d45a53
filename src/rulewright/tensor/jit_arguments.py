"""Arguments of jitted functions: which are tensors, and what stands for the others in keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from rulewright.errors import JitError, VariableError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.tensor import engine, history
from rulewright.tensor.assign import is_one, move_out
from rulewright.tensor.core import Core
from rulewright.tensor.realize import realize
from rulewright.tensor.shapes import show

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
            parts += [(name, self._part(kwargs[name], name)) for name in sorted(kwargs)]
        self.inputs = [_input(t) for t in self.tensors]
        if len(self.inputs) > 1 and len({i.root for i in self.inputs}) < len(self.inputs):
            self.inputs = _apart(self.inputs)
        self.donated = donated_tensors(self, donate) if donate else []
        for given in self.inputs:
            if given.symbolic:
                for node in given.uop.toposort():
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
        for place, given in enumerate(self.inputs):
            tensor = given.tensor
            alias = first.setdefault(id(tensor), place), first.setdefault(given.root, place)
            parts.append(
                (
                    _normal(given.uop) if given.symbolic else given.uop.shape,
                    given.node.dtype,
                    given.node.arg[2],
                    tensor._requires_grad,
                    history.any_origin() and history.has_origin(given.node),
                    bool(given.copied),
                    alias,
                )
            )
        return parts


def donated_tensors(given: Arguments, donate: Collection[int | str]) -> list[int]:
    """Which of the tensors of a call are given away, by number.

    Raises JitError if the memory of one is given another time.
    """
    found = [at for at, place in enumerate(given.places) if place in donate]
    for at in found:
        mine = given.inputs[at]
        for other, theirs in enumerate(given.inputs):
            same = theirs.tensor is mine.tensor or (
                theirs.root is mine.root and not (theirs.copied or mine.copied)
            )
            if other != at and same:
                raise JitError(
                    f"jit: the tensor of shape {show(mine.tensor.shape)} in argument "
                    f"{given.places[at]!r} is donated, and given in argument "
                    f"{given.places[other]!r} too; pass a clone()"
                )
    return found


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
    buffer = engine.buffer_of(node)
    return Input(tensor, uop, node, buffer, buffer.base or buffer)


def _apart(inputs: list[Input]) -> list[Input]:
    """Inputs of which those that only happen to have one memory have each their own."""
    owners: dict[Buffer, Core] = {}
    found = []
    for given in inputs:
        owner = owners.setdefault(given.root, given.tensor)
        if not is_one(owner, given.tensor):
            move_out(given.tensor)
            given = _input(given.tensor)
            owners[given.root] = given.tensor
        found.append(given)
    return found


def _viewed(tensor: Core, uop: UOp) -> Input:
    buffers = [n for n in uop.toposort() if n.op is Ops.BUFFER]
    if len(buffers) == 1 and any(n.op is Ops.BIND for n in uop.toposort()):
        buffer = engine.buffer_of(buffers[0])
        return Input(tensor, uop, buffers[0], buffer, buffer.base or buffer, (), True)
    if tensor._alias is None:  # a value, constant or moved, which may be written from now on
        move_out(tensor)
        return _input(tensor)
    copy = tensor.clone()  # type: ignore[attr-defined]  # every tensor has what Tensor has
    realize([copy])
    node = copy.uop.base
    buffer = engine.buffer_of(node)
    below = tuple(b.base or b for b in map(engine.buffer_of, buffers))
    return Input(tensor, copy.uop, node, buffer, buffer, below or (buffer,))


def rebuilt(value: Any, change: Callable[[Core], Any]) -> Any:
    """Containers like `value`'s, with every tensor changed."""
    if isinstance(value, Core):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[rebuilt(v, change) for v in value])
    if isinstance(value, list | tuple):
        return type(value)([rebuilt(v, change) for v in value])
    if isinstance(value, dict):
        return {k: rebuilt(v, change) for k, v in value.items()}
    return value


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
