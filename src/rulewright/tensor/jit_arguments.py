"""The arguments of a jitted function: what of them each call has others of, and what tells kinds of
calls apart."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any

from rulewright.errors import JitError, VariableError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import buffer_of
from rulewright.tensor import history
from rulewright.tensor.assign import is_one, move_out
from rulewright.tensor.core import Core
from rulewright.tensor.nested import STATIC, is_record, is_scalar, items_of
from rulewright.tensor.realize import realize
from rulewright.tensor.shapes import show

PLAIN = Ops.group("Reshaped")


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
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], donate: Collection[int | str] = ()
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
            return kind, repr(value)
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
        if is_record(value):
            items = items_of(value).items()
            return kind, tuple([(name, self._part(item, place)) for name, item in items])
        return kind, repr(value) if is_scalar(value) else _hashed(value, place)

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
                    normal(each.uop) if each.symbolic else each.uop.shape,
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
        of_layers = "; give a dataclass that holds layers eq=False" if is_dataclass(value) else ""
        raise JitError(
            f"jit: argument {place!r} is a {type(value).__name__}, which cannot be hashed: "
            "expected tensors, numbers, strings, bound variables, hashable objects, or lists, "
            f"tuples, dicts and dataclasses of these{of_layers}"
        ) from None
    return value


def normal(uop: UOp) -> UOp:
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
    node = uop.past(PLAIN)
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
