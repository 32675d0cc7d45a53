"""Stores that wait for each other, among those of a graph: the walk beside its definition."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np

from rulewright import Tensor, nn
from rulewright.ir.uop import UOp
from rulewright.schedule.hazards import cycles

STORES = [UOp.variable(f"s{i}", 0, 1) for i in range(9)]  # nodes that are told apart


def reached(start: UOp, followers: dict[UOp, list[UOp]]) -> set[UOp]:
    """What follows a store, by repeating one step until nothing is new."""
    found = {start}
    while more := {f for s in found for f in followers.get(s, ())} - found:
        found |= more
    return found


def test_stores_are_in_one_circle_if_each_is_reached_from_the_other() -> None:
    draw, circular = random.Random(3), 0
    for _ in range(300):
        edges = [draw.sample(STORES, 2) for _ in range(draw.randint(0, 14))]
        followers: dict[UOp, list[UOp]] = {}
        for first, then in edges:
            followers.setdefault(first, []).append(then)
        cycle = cycles(followers)
        ways = {store: reached(store, followers) for store in cycle}
        assert cycle.keys() == {store for edge in edges for store in edge}
        for a in cycle:
            for b in cycle:
                assert (cycle[a] == cycle[b]) == (b in ways[a] and a in ways[b])
                circular += a is not b and cycle[a] == cycle[b]
    assert circular > 100, "cycles were drawn"


def test_each_store_is_looked_at_once_however_long_the_way_is() -> None:
    class Counted(dict[UOp, list[UOp]]):
        looked = 0

        def get(self, key: UOp, default: object = None) -> object:  # type: ignore[override]
            self.looked += 1
            return super().get(key, default)

    way = [UOp.variable(f"w{i}", 0, 1) for i in range(3000)]
    followers = Counted((a, [b, way[0]]) for a, b in pairwise(way))
    cycle = cycles(followers)
    assert followers.looked < 2 * len(way)
    assert len(set(cycle.values())) == 2, "the last one leads nowhere"


def test_several_steps_of_training_in_one_schedule_are_those_one_after_the_other() -> None:
    """Memory that is written again and again, each time by what reads what was written before."""

    def trained(steps: int, together: bool) -> list[np.ndarray]:
        rng = np.random.default_rng(5)
        weights = [Tensor(rng.normal(size=(3, 3)), requires_grad=True).realize() for _ in range(3)]
        x, optimiser = Tensor(rng.normal(size=(2, 3))).realize(), nn.optim.Adam(weights, lr=0.1)
        changed: list[Tensor] = []
        for _ in range(steps):
            optimiser.zero_grad()
            y = x
            for weight in weights:
                y = (y @ weight).tanh()
            (y * y).sum().backward()
            changed = optimiser.update()
            if not together:
                Tensor.realize(*changed)
        return [t.numpy() for t in changed]

    for one, other in zip(trained(3, True), trained(3, False), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
