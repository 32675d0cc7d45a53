"""callify: a tensor graph becomes a stateless function of its buffers.

Equal programs over other buffers, or over other values of variables, become the same function,
which is what the schedule cache is keyed by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from rulewright.errors import VariableError
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.placement import parts_of, placement
from rulewright.ir.uop import UOp
from rulewright.schedule.shards import stacked


@dataclass(frozen=True)
class BoundFunction:
    """A function of PARAMs, and what this call passes: buffers by slot, variables by name."""

    body: UOp
    buffers: tuple[UOp, ...]
    variables: dict[str, int]
    nodes: dict[UOp, UOp]  # what each node of the graph became
    exact: bool = True  # whether the buffers are as large as the PARAMs, or begin them
    several: bool = False  # whether values are on several devices

    def before(self) -> Callable[[UOp], UOp]:
        """What each node of the body was in the graph; those inside of FUNCTIONs are what they
        were."""
        nodes = {own: node for node, own in self.nodes.items()}
        return lambda own: nodes.get(own, own)


def callify(sink: UOp, regions: Mapping[UOp, UOp] | None = None) -> BoundFunction:
    """Replace each BUFFER by a PARAM in order of first use, and each BIND by its VAR; a BUFFER on
    several devices is one PARAM a device.

    `regions` are views that are arguments of their own, before all others, and BUFFERs of what they
    show. Raises VariableError if one variable is bound to two values.
    """
    buffers: list[UOp] = []
    variables: dict[str, int] = {}
    memo: dict[UOp, UOp] = {}

    memo.update((view, _argument(buffer, buffers)) for view, buffer in (regions or {}).items())

    def called(node: UOp, src: tuple[UOp, ...]) -> UOp:
        if node.op is Ops.BUFFER:
            return _argument(node, buffers)
        if node.op is Ops.BIND:
            return _unbound(node, variables)
        return _without_derivatives(node) if node.op is Ops.FUNCTION else node.over(src)

    body = rebuild(sink, called, enter=lambda node: node.op is not Ops.FUNCTION, memo=memo)
    several = len({buffer.arg[0] for buffer in buffers}) < len(buffers)  # parts share the number
    return BoundFunction(body, tuple(buffers), variables, memo, several=several)


def _argument(buffer: UOp, buffers: list[UOp]) -> UOp:
    """The PARAM of a BUFFER, which is put behind the others; of several devices, of each part."""
    where = placement(buffer.arg[2])
    if where is not None:
        return stacked([_argument(part, buffers) for part in parts_of(buffer)], where)
    buffers.append(buffer)
    return buffer.replace(op=Ops.PARAM, arg=(len(buffers) - 1, *buffer.arg[1:]))


_plain: WeakKeyDictionary[UOp, UOp | None] = WeakKeyDictionary()
"""What functions are whoever gave their derivatives; None: what they are."""


def _without_derivatives(function: UOp) -> UOp:
    """A function as it is called once gradients are taken; it holds no memory and no variables."""
    if function not in _plain:

        def called(node: UOp, src: tuple[UOp, ...]) -> UOp:
            return UOp(node.op, node.dtype, src, (*node.arg[:2], 0))

        new = rebuild(function, called, frozenset({Ops.FUNCTION}))
        _plain[function] = None if new is function else new
    plain = _plain[function]
    return function if plain is None else plain


def _unbound(bind: UOp, variables: dict[str, int]) -> UOp:
    variable, value = bind.src[0], int(bind.src[1].arg)
    name = variable.arg[0]
    if variables.setdefault(name, value) != value:
        raise VariableError(
            f"variable {name} is bound to {variables[name]} and to {value} in one schedule; "
            "realize the two uses apart, or use two variables"
        )
    return variable
