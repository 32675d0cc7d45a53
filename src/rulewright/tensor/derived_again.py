"""Gradients of what says the same as something before.

A training step outside of `jit` takes the gradients of the same graph each time, over other memory.
What the rules made of it once is made again without asking them.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from rulewright.driver.capture import recorder
from rulewright.driver.recent import Recent
from rulewright.driver.regions import structure
from rulewright.ir.node import watching
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.structure import Recipe
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.tensor import history
from rulewright.tensor.function_nodes import derivatives

_MOST_KEPT = 64
_MOST_STEPS = 1 << 18  # of all that are kept: some 50 MB


class _Known(NamedTuple):
    recipe: Recipe
    reached: tuple[bool, ...]  # which targets in the graph have a gradient


_known: Recent[Any, _Known] = Recent(_MOST_KEPT)
_once: Recent[int, bool] = Recent(_MOST_KEPT)  # hashes of what was asked for


class Asked(NamedTuple):
    """What gradients are asked for: a graph but for its memory, its nodes, and of how many targets
    which are in it."""

    key: tuple[Any, ...]
    nodes: dict[UOp, int]
    targets: int  # how many there are
    places: tuple[int, ...]

    def known(self) -> list[UOp | None] | None:
        """The gradient by each target; None if the same was not asked for before."""
        known = _known.get(self.key)
        if known is None:
            return None
        parts = iter(known.recipe.over(self.nodes))
        sums: list[UOp | None] = [None] * self.targets
        for place, is_reached in zip(self.places, known.reached, strict=True):
            if is_reached:
                sums[place] = next(parts)
        return sums

    def remember(self, sums: Sequence[UOp | None]) -> None:
        """Keep how the gradients are made, from the second time on."""
        if hash(self.key) not in _once:
            _once.put(hash(self.key), True)
            return
        asked = [sums[place] for place in self.places]
        recipe = Recipe.of([part for part in asked if part is not None], self.nodes)
        if recipe is not None:
            held = sum(len(known.recipe.steps) for known in _known.values())
            if held + len(recipe.steps) > _MOST_STEPS:
                _known.clear()
            _known.put(self.key, _Known(recipe, tuple([part is not None for part in asked])))


def asked(
    root: UOp, seed: UOp, targets: Sequence[Sequence[UOp]], stops: Collection[UOp]
) -> Asked | None:
    """What is asked for, if that says all about the answer: gradients do not go through realised
    values, nor through functions whose derivatives a user gave, and nobody checks the rules."""
    chosen = options()
    if not chosen.CACHE or chosen.VERIFY or recorder() or watching.get():
        return None
    fixed = {node.base for nodes in (stops, *targets) for node in nodes}
    whole = UOp.sink(root, seed)
    graph, _ = structure(whole, (overlay_key(),), _is_open_ended, sys.maxsize, fixed)
    if graph is None or history.goes_on([memory.base for memory in graph.inputs]):
        return None
    number = graph.number
    ended = sorted([number[node] for node in stops if node in number])
    inside: dict[int, tuple[Any, ...]] = {}
    for place, nodes in enumerate(targets):
        if there := [(number[node], at > 0) for at, node in enumerate(nodes) if node in number]:
            inside[place] = tuple(there)
    key = (*graph.parts, *ended, *inside.values())
    return Asked(key, number, len(targets), tuple(inside))


def _is_open_ended(node: UOp) -> bool:
    """Whether the graph does not say what a derivative is."""
    if node.op is Ops.CALL:
        return node.src[0].op is not Ops.FUNCTION or node.src[0] in derivatives
    return node.op is Ops.AFTER and any(effect.op is Ops.CALL for effect in node.src[1:])
