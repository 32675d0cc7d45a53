"""The short way into a replay, for calls like the one before but for the memory of their tensors.

What such a call shares with the one before need not be found out again: its key, its arguments'
shapes, where their memory goes. What may have changed is compared in as few steps as Python needs;
where anything has, the call goes the long way, which knows all cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.runtime.capture import one_by_one
from rulewright.tensor import engine
from rulewright.tensor.core import Core
from rulewright.tensor.jit_arguments import PLAIN, STATIC, Arguments
from rulewright.tensor.modes import is_grad_enabled
from rulewright.tensor.tensor import Tensor

if TYPE_CHECKING:
    from rulewright.runtime.row import Row
    from rulewright.tensor.jit_replay import Replaying

MISSED = object()
"""Stands for the result of a call that has to go the long way."""


def in_force() -> tuple[Any, ...]:
    """What a capture depends on beside its function and arguments."""
    return options(), dtypes.current(), Tensor.training, is_grad_enabled(), overlay_key()


def _nothing() -> None:
    """A dead reference."""


class _Place:
    """An argument: a tensor, of which `seen` is what it stood for in the last call."""

    __slots__ = ("device", "dtype", "kind", "leaf", "seen", "shape", "slot")

    def __init__(self, tensor: Core, node: UOp, slot: int) -> None:
        self.kind, self.leaf, self.slot = tensor.__class__, tensor._requires_grad, slot
        self.shape: tuple[Dim, ...] | None = tensor.uop.shape
        self.dtype: DType = node.dtype
        self.device: str = node.arg[2]
        self.seen: Any = _nothing


class Quick:
    """Calls with tensors in memory of their own, and plain values, in places that do not change."""

    def __init__(
        self,
        capture: Replaying,
        row: Row,
        given: Arguments,
        values: Sequence[Any],
        names: tuple[str, ...],
    ) -> None:
        self._capture, self._row = capture, row
        self._names, self._keys = names, frozenset(names)
        self._modes = in_force()
        pairs = zip(given.inputs, capture.argument_slots, strict=True)
        self._places = [_Place(i.tensor, i.node, slot) for i, slot in pairs]
        self._plain = [(at, v) for at, v in enumerate(values) if not isinstance(v, Core)]
        self._tensors = [at for at, v in enumerate(values) if isinstance(v, Core)]
        self._count = len(values)

    @classmethod
    def of(
        cls, capture: Replaying, given: Arguments, args: Any, kwargs: Mapping[str, Any]
    ) -> Quick | None:
        """The short way for calls like this one, which the capture fits; None if there is none."""
        names = tuple(sorted(kwargs))  # the order of `Arguments`
        row, values = capture.replays.row, (*args, *[kwargs[name] for name in names])
        if (
            row is None
            or one_by_one()
            or given.variables
            or capture.written_inputs
            or capture.constants
        ):
            return None
        if any(i.copied or i.symbolic or i.buffer.base is not None for i in given.inputs):
            return None
        if len({i.node for i in given.inputs}) < len(given.inputs):
            return None
        if not all(isinstance(v, Core) or v.__class__ in STATIC for v in values):
            return None
        return cls(capture, row, given, values, names)

    def forget(self) -> None:
        """The addresses were set for other tensors than those of the last call through here."""
        for place in self._places:
            place.seen = _nothing

    def call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The result of a call, or MISSED."""
        values = args
        if kwargs or self._names:
            if kwargs.keys() != self._keys:
                return MISSED
            values = (*args, *[kwargs[name] for name in self._names])
        if len(values) != self._count:
            return MISSED
        for at, plain in self._plain:
            if values[at].__class__ is not plain.__class__ or values[at] != plain:
                return MISSED
        if in_force() != self._modes:
            return MISSED
        tensors = [values[at] for at in self._tensors] if self._plain else values
        try:
            if not self._take(tensors):
                self.forget()  # some of them may have been taken
                return MISSED
            if not self._capture.unchanged(tensors):
                return MISSED
            return self._capture.run_again(self._row, tensors)
        except BaseException:  # Ctrl-C, anywhere: addresses may be set for memory that is gone
            self.forget()
            self._capture.spares.forget()
            raise

    def _take(self, tensors: Sequence[Any]) -> bool:
        """Whether these are such tensors as in the last call; their addresses are then set."""
        moved = False
        for tensor, place in zip(tensors, self._places, strict=True):
            if tensor.__class__ is not place.kind or tensor._requires_grad != place.leaf:
                return False
            if place.seen() is not tensor.uop:
                if not self._move(place, tensor.uop):
                    return False
                moved = True
        return not moved or len({id(t.uop.base) for t in tensors}) == len(tensors)

    def _move(self, place: _Place, uop: UOp) -> bool:
        """Set the address of a tensor, if it stands for all of some memory that is its own."""
        node = uop
        while node.op in PLAIN:
            node = node.src[0]
        same = node.op is Ops.BUFFER and node.dtype is place.dtype and node.arg[2] == place.device
        if not same or uop.shape != place.shape:
            return False
        buffer = engine.buffer_of(node)
        if buffer.base is not None or not buffer.is_allocated or self._capture.is_outside(buffer):
            return False
        self._row.addresses[place.slot] = buffer.address
        place.seen = ref(uop)
        return True
