"""Small values that need no plan.

What a program of single steps outside of `jit` spends its time on are plans that are all alike. A
graph that says the same but for the memory it reads needs none: its kernels are ready. So a small
value of memory alone that is computed again runs them on the other memory, `direct`ly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.driver import graphs
from rulewright.driver.schedules import ReadyValue, ready_values
from rulewright.ir.ops import Ops
from rulewright.ir.structure import Structure
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.runtime.memories import another, buffer_of, new_buffer
from rulewright.tensor import repeated

if TYPE_CHECKING:
    from rulewright.tensor.core import Core

_MOST_NODES = 256

WHOLE_VIEWS = frozenset({Ops.RESHAPE, Ops.PERMUTE, Ops.FLIP, Ops.EXPAND})
"""Views of all of a value; of a symbolic size they have a source more."""

_WITHOUT = frozenset({Ops.CALL})

_SHOWN = frozenset({Ops.BUFFER, Ops.CONST, *Ops.group("View")})
"""Roots that are memory already, or show some."""


class Done(NamedTuple):
    """New memory that has a value, and how many bytes were read for it."""

    memory: UOp
    read: int


class Direct(NamedTuple):
    """A value that may need no plan: what it is but for its memory, and that memory."""

    shown: UOp
    """What the tensor is: the value, or a view of it."""
    value: UOp
    key: tuple[Any, ...]
    inputs: list[UOp]
    nodes: dict[UOp, int]
    """All of its nodes, operands first."""

    def remember(self, result: UOp | None, ran: graphs.Ran) -> None:
        """Keep the kernels that computed it into a BUFFER, for values that are equal."""
        if result is None or result.op is not Ops.BUFFER or result.arg[1] != self.value.shape:
            return  # what was computed is below a view
        like = new_buffer(result.dtype, *result.arg[1:])  # which is never filled
        read = sum(map(repeated.bytes_of, self.inputs))
        program = ran.over([result, *self.inputs])
        ready_values.put(self.key, ReadyValue(program, like, read))

    def run(self) -> Done | None:
        """The value in new memory; None, and nothing is done, if no equal one was computed before,
        or if it reads memory that was never written."""
        known = ready_values.get(self.key)
        if known is None:
            return None
        result, buffer = another(known.like, buffer_of(known.like))
        done = known.program.run([buffer, *map(buffer_of, self.inputs)])
        return Done(result, known.read) if done else None


def direct(tensors: Sequence[Core]) -> Direct | None:
    """What some tensors need that are one small value of memory alone; None for all others, and
    where somebody watches what runs."""
    if len(tensors) != 1:
        return None
    tensor = tensors[0]
    shown = value = tensor.uop
    while value.op in WHOLE_VIEWS and len(value.src) == 1:
        value = value.src[0]
    if tensor._alias is not None or value.op in _SHOWN or isinstance(tensor.device, tuple):
        return None
    chosen = options()
    if not chosen.CACHE or graphs.is_watched(chosen):
        return None
    walk = Structure([tensor.device, *graphs.asked_for(chosen)], _needs_plan, _MOST_NODES)
    if not walk.over(value) or repeated.is_among(walk.number, tensor):
        return None
    return Direct(shown, value, tuple(walk.parts), walk.inputs, walk.number)


def _needs_plan(node: UOp) -> bool:
    """Writes do, values of variables, functions but inline ones, several devices."""
    return node.op not in _WITHOUT and not (node.op is Ops.FUNCTION and node.arg[1] == "inline")
