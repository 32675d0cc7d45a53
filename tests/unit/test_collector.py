"""Graph work pauses Python's cyclic collector, and leaves it nothing to do."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.codegen.lower import lower_fresh
from rulewright.collector import MANY, without_gc
from rulewright.ir.ops import Ops
from rulewright.tensor import modes


@pytest.fixture(scope="module")
def unfrozen():
    """Nothing is frozen as the suite has it, all of which takes a second to look through."""
    frozen, thresholds = gc.get_freeze_count(), gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()
    gc.collect()
    yield
    gc.set_threshold(*thresholds)
    if frozen:
        gc.freeze()


@pytest.fixture
def collector(unfrozen):
    """The collector as users have it: nothing is young, nor frozen."""
    gc.unfreeze()
    gc.collect(1)
    assert gc.isenabled()
    yield
    gc.enable()


def young(kept):
    ids = {id(one) for one in gc.get_objects(generation=0)}
    return sum(id(one) in ids for one in kept)


def test_many_objects_that_are_kept_are_old_at_once(collector):
    with without_gc():
        kept = [[] for _ in range(2 * MANY)]
        assert young(kept) == len(kept)
    assert gc.isenabled() and young(kept) == 0


def test_few_objects_stay_young(collector):
    with without_gc():
        kept = [[] for _ in range(100)]
    assert young(kept) == 100


def test_inside_of_another_pause_nothing_changes(collector):
    with without_gc():
        with without_gc():
            kept = [[] for _ in range(2 * MANY)]
        assert not gc.isenabled() and young(kept) == len(kept)


def test_what_a_user_froze_stays_frozen(collector):
    gc.freeze()
    frozen = gc.get_freeze_count()
    try:
        with without_gc():
            kept = [[] for _ in range(2 * MANY)]
        assert gc.get_freeze_count() > frozen // 2 > 0
    finally:
        gc.unfreeze()
    del kept


def test_lowering_leaves_no_cycles_but_those_of_loop_variables(collector):
    # sizes that no other kernel has: loops that are held elsewhere are not made again
    x = Tensor(np.ones((59, 71), np.float32)).realize()
    (item,) = (x @ x.T).relu().schedule()
    lower_fresh(item.ast, "C")  # what is loaded once
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        lower_fresh(item.ast, "C")
        gc.collect()
        found = {getattr(one, "op", type(one).__name__) for one in gc.garbage}
        kinds = {type(one).__name__ for one in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert Ops.RANGE in found and not kinds & {"Item", "LoopBlock", "dict", "list"}


def test_a_value_without_gradient_is_told_by_the_first_memory_that_is_found(monkeypatch):
    looked = []

    class Inputs(frozenset):
        def __contains__(self, op):
            looked.append(op)
            return super().__contains__(op)

    x = Tensor([2.0], requires_grad=True).realize()
    value = x
    for _ in range(50):
        value = value * 1.5 + x
    monkeypatch.setattr(modes, "_INPUTS", Inputs(modes._INPUTS))
    with Tensor.no_grad():
        free = value * 2
    assert free.uop.op is Ops.DETACH and len(looked) < 10
    (free * x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), free.numpy())
