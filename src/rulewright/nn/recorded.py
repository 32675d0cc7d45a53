"""Code that writes into tensors and runs once: what it does is a node that is called again.

An optimiser's step does the same to the same tensors each time, in thirty methods a parameter. The
first step is traced as `function` traces; later ones are one CALL, and one write into each tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from rulewright.ir.dtypes import dtypes
from rulewright.ir.uop import UOp
from rulewright.tensor.assign import assign
from rulewright.tensor.core import Core
from rulewright.tensor.function import Function, standing
from rulewright.tensor.function_nodes import called, closed, stand_in
from rulewright.tensor.metadata import copy_metadata
from rulewright.tensor.registry import lock
from rulewright.tensor.trace import Trace

MOST_KEPT = 8
"""What is kept of one piece of code: as many traces, over tensors of other shapes and dtypes."""


class Writes(NamedTuple):
    """What some tensors become, as a FUNCTION of what they, or others, were before all of the code
    or are by now; `arguments` say which, and `results` which result each of them becomes."""

    function: UOp
    arguments: tuple[tuple[int, bool], ...]
    results: tuple[tuple[int, int], ...]

    def again(self, tensors: Sequence[Core], before: Sequence[UOp]) -> None:
        """Call the function, and write what it gives."""
        passed = [tensors[at].uop if is_new else before[at] for at, is_new in self.arguments]
        results = called(self.function, passed)
        for at, item in self.results:
            assign(tensors[at], results[item].detach(), tensors[at]._device)


class Recorded:
    """Code without arguments that writes into tensors, and has no other effect.

    What it does may depend on which tensors it is given, on their shapes, dtypes and devices, on
    the default dtypes, and on what `run` is told besides. No gradient flows through what it
    writes. Where something else is at work (memory that two of the tensors share, sizes that are
    variables, other memory that it reads or writes) it runs each time.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, list[Writes] | None] = {}

    def run(self, code: Callable[[], object], tensors: Sequence[Core], facts: Hashable) -> None:
        """Do what the code does to these tensors; equal `facts` mean equal code.

        Raises what the code raises.
        """
        with lock:
            numbers: dict[int, int] = {}
            places = tuple([numbers.setdefault(id(t), len(numbers)) for t in tensors])
            apart = list({id(t): t for t in tensors}.values())
            writes: list[Writes] | None = None
            if _can_stand_in(apart):
                kinds = tuple([(t.uop.shape, t.uop.dtype, t._device) for t in apart])
                key = (facts, places, kinds, dtypes.default_float, dtypes.default_int)
                if key not in self._known:
                    if len(self._known) >= MOST_KEPT:
                        self._known.clear()
                    self._known[key] = _traced(code, apart)
                writes = self._known[key]
            if writes is None:
                code()
                return
            before = [tensor.uop for tensor in apart]
            for each in writes:
                each.again(apart, before)


def _can_stand_in(tensors: Sequence[Core]) -> bool:
    """Whether parameters may stand for tensors: none of a variable size, no two views of one."""
    aliases = [t._alias for t in tensors if t._alias is not None]
    sizes = (size for t in tensors for size in t.uop.shape or ())
    return len({id(a) for a in aliases}) == len(aliases) and all(isinstance(s, int) for s in sizes)


def _traced(code: Callable[[], object], tensors: Sequence[Core]) -> list[Writes] | None:
    """What code writes into tensors; None if it cannot be said as functions of them.

    Values that are made of others that are written read these from memory, as the code does.
    """
    owner, trace = Function(code, False, None), Trace(without=tensors)
    with standing(owner, tensors, trace) as stands:
        code()
        nodes = [tensor.uop for tensor in tensors]
        if trace.changed():
            return None
        known = {stand: (at, False) for at, stand in enumerate(stands)}
        written = {at: node for at, node in enumerate(nodes) if known.get(node) != (at, False)}
        new: dict[UOp, UOp] = {}
        for at, node in written.items():
            if node not in known and node not in new:
                new[node] = stand_in(node, tensors[at].device)
                known[new[node]] = at, True
    writes = []
    for level in _levels(written):
        values = list(dict.fromkeys(level.values()))
        lower = {node: stand for node, stand in new.items() if node not in values}
        became: dict[UOp, UOp] = {}
        computed = UOp.sink(*values).substitute(lower, became).src
        for node, other in became.items():
            copy_metadata(node, other)
        whole = closed(computed, owner.name, "inline")
        if whole is None or not all(node in known for node in whole.inputs):
            return None
        results = tuple([(at, values.index(node)) for at, node in level.items()])
        writes.append(Writes(whole.function, tuple([known[i] for i in whole.inputs]), results))
    return writes


def _levels(written: dict[int, UOp]) -> list[dict[int, UOp]]:
    """Values in the order in which they can be made: each behind those that it is made of."""
    values = set(written.values())
    depth: dict[UOp, int] = {}
    for node in UOp.sink(*values).toposort():
        depth[node] = max([depth[s] + (s in values) for s in node.src], default=0)
    levels: dict[int, dict[int, UOp]] = {}
    for at, node in written.items():
        levels.setdefault(depth[node], {})[at] = node
    return [levels[number] for number in sorted(levels)]
