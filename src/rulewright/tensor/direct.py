"""A small value of memory alone, computed again: its kernels run on other memory, without a plan.

What a program of single steps outside of `jit` spends its time on are plans that are all alike. A
graph that says the same but for the memory it reads needs none: its kernels are ready.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.tensor import engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rulewright.runtime.ready import Ready
    from rulewright.tensor.core import Core

_MOST_NODES = 64
_PLANNED = frozenset({Ops.AFTER, Ops.BIND, Ops.FUNCTION, Ops.CALL, Ops.COPY})
"""What needs a plan: writes, values of variables, calls, and several devices."""

_SHOWN = frozenset({Ops.BUFFER, Ops.CONST, *Ops.group("View")})
"""Roots that are memory already, or show some."""


class Direct(NamedTuple):
    """A value that may need no plan: what it is but for its memory, and that memory."""

    value: UOp
    key: tuple[Any, ...]
    inputs: list[UOp]

    def remember(self, result: UOp | None, ready: Ready, slots: Sequence[UOp]) -> None:
        """Keep the kernels that computed it into a BUFFER, for values that are equal."""
        if result is None or result.op is not Ops.BUFFER or result.arg[1] != self.value.shape:
            return  # what was computed is below a view
        memories = {memory: number for number, memory in enumerate([result, *self.inputs])}
        like = engine.new_buffer(result.dtype, *result.arg[1:])  # which is never filled
        engine.ready_programs.put(self.key, (ready, [memories[slot] for slot in slots], like))

    def run(self) -> UOp | None:
        """The value in new memory; None, and nothing is done, if no equal one was computed before,
        or if it reads memory that was never written."""
        known = engine.ready_programs.get(self.key)
        if known is None:
            return None
        ready, slots, like = known
        result, buffer = engine.another(like, engine.buffer_of(like))
        memories = [buffer, *map(engine.buffer_of, self.inputs)]
        return result if ready.run([memories[slot] for slot in slots]) else None


def direct(tensors: Sequence[Core]) -> Direct | None:
    """What some tensors need that are one small value of memory alone; None for all others, and
    where somebody watches what runs."""
    if len(tensors) != 1:
        return None
    tensor = tensors[0]
    value = tensor.uop
    if tensor._alias is not None or value.op in _SHOWN:
        return None
    chosen = options()
    if not chosen.CACHE or engine.is_watched():
        return None
    inputs: list[UOp] = []
    parts: list[Any] = [tensor.device, chosen.BEAM, chosen.MATMUL, chosen.THREADS, overlay_key()]
    number: dict[UOp, int] = {}
    stack = [value]
    while stack:
        node = stack.pop()
        if node in number:
            continue
        sources = node.src
        missing = [s for s in sources if s not in number]
        if missing:
            stack += [node, *reversed(missing)]
        elif node.op in _PLANNED or len(number) == _MOST_NODES:
            return None
        else:
            if node.op is Ops.BUFFER:
                inputs.append(node)
                parts.append((node.dtype, node.arg[1:]))
            elif sources:
                arg = node.arg
                told = repr(arg) if arg.__class__ in (bool, float) else arg
                parts.append((node.op, node.dtype, told, *[number[s] for s in sources]))
            else:
                parts.append(node)
            number[node] = len(number)
        if len(stack) > 4 * _MOST_NODES:
            return None
    return Direct(value, tuple(parts), inputs)
