"""What a graph says but for the memory it reads, as a key; and graphs that are made again.

Programs of single steps make the same graphs over other memory each time. What was made of one,
such as its gradients, is composed of the next by the steps that are left: its new nodes, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rulewright.ir.derived import fill, is_known
from rulewright.ir.dtypes import DType
from rulewright.ir.node import UNSET
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

_BUFFER = Ops.BUFFER
_BY_TEXT = frozenset({bool, float})  # equal to other numbers
_ASKED = frozenset({Ops.AFTER, Ops.BIND, Ops.CALL, Ops.FUNCTION, Ops.COPY})


class Structure:
    """What a graph says but for the memory it reads, node by node, and that memory.

    FUNCTIONs are themselves: they have memory by their parameters alone. `refuses` is asked about
    writes, values of variables, calls, functions and copies; `pieces` are views that are memory of
    their own, with what is said of each.
    """

    def __init__(
        self,
        parts: Iterable[Any],
        refuses: Callable[[UOp], bool],
        most: int,
        pieces: Mapping[UOp, Hashable] | None = None,
    ) -> None:
        self.parts, self.refuses, self.most = [*parts], refuses, most
        self.pieces = pieces or {}
        self.inputs: list[UOp] = []
        self.number: dict[UOp, int] = {}

    def over(self, root: UOp) -> bool:
        """Take all nodes, operands first; false if one is refused, or there are too many."""
        number, parts, stack, most = self.number, self.parts, [root], self.most
        pieces = self.pieces
        while stack:
            node = stack.pop()
            if node in number:
                continue
            op, sources = node.op, node.src
            if pieces and node in pieces:
                self.inputs.append(node)
                parts.append(pieces[node])
                number[node] = len(number)
                continue
            if op in _ASKED:
                if self.refuses(node):
                    return False
                if op is Ops.FUNCTION:
                    sources = ()
            for source in sources:
                if source not in number:
                    missing = [s for s in sources if s not in number]
                    stack += [node, *reversed(missing)]
                    break
            else:
                if op is _BUFFER:
                    self.inputs.append(node)
                    parts.append((node.dtype, node.arg[1:]))
                elif op is Ops.FUNCTION:
                    parts.append(node)
                else:  # what constants and the like say: they themselves may be freed
                    arg = node.arg
                    argument = repr(arg) if arg.__class__ in _BY_TEXT else arg
                    parts.append((op, node.dtype, argument, *[number[s] for s in sources]))
                number[node] = len(number)
            if len(number) > most or len(stack) > 4 * most:
                return False
        return True


class _Step(NamedTuple):
    op: Op
    dtype: DType
    arg: Any
    operands: tuple[int, ...]
    shape: Any  # UNSET if it is not numbers


class Recipe(NamedTuple):
    """How some nodes are made of the nodes of a graph, whose numbers come first."""

    constants: tuple[UOp, ...]
    steps: tuple[_Step, ...]
    results: tuple[int, ...]

    @classmethod
    def of(cls, results: Sequence[UOp], numbers: Mapping[UOp, int]) -> Recipe | None:
        """The recipe of results; None if they read memory that the graph does not."""
        order = UOp.sink(*results).toposort(
            lambda n: n not in numbers and n.op is not Ops.FUNCTION
        )[:-1]
        new = [node for node in order if node not in numbers]
        composed = [node for node in new if node.src and node.op is not Ops.FUNCTION]
        constants = [node for node in new if not node.src or node.op is Ops.FUNCTION]
        if any(node.op is _BUFFER for node in constants):
            return None
        place = dict(numbers)
        for node in (*constants, *composed):
            place[node] = len(place)
        steps = [
            _Step(n.op, n.dtype, n.arg, tuple([place[s] for s in n.src]), _sizes(n))
            for n in composed
        ]
        return cls(tuple(constants), tuple(steps), tuple([place[node] for node in results]))

    def over(self, nodes: Iterable[UOp]) -> list[UOp]:
        """The results over the nodes of another graph that says the same, in order."""
        values = [*nodes, *self.constants]
        for op, dtype, arg, operands, shape in self.steps:
            node = UOp(op, dtype, tuple([values[at] for at in operands]), arg)
            if node._shape is UNSET and shape is not UNSET:
                fill(node, "_shape", shape)
            values.append(node)
        return [values[at] for at in self.results]


def _sizes(node: UOp) -> Any:
    return node.shape if is_known(node.shape) else UNSET
