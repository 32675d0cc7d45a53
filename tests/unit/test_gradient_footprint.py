"""What values were computed as is kept for gradients, for as long as one can go through them."""

import gc

import numpy as np
import pytest
from arrays import realized
from calls import calls_of

from rulewright import Tensor
from rulewright.runtime.profile import GlobalCounters
from rulewright.tensor import history


def held():
    gc.collect()
    return GlobalCounters.mem_used


def other_values(w, count=40):
    """Many values that were computed from a leaf, and detached."""
    values = []
    for k in range(count):
        values.append((w * realized(float(k), 1.0)).realize().detach())
    return values


KEPT = {
    "detached": lambda y: y.detach(),
    "a detached part": lambda y: y[1:].detach(),
    "a copy": lambda y: y.detach().clone().realize(),
    "what is made of it": lambda y: (y.detach() * 2).realize(),
    "a lazy value of it": lambda y: y.detach() * 2,
}


@pytest.mark.parametrize("keep", KEPT.values(), ids=KEPT)
def test_what_is_kept_without_gradients_keeps_nothing_it_was_computed_from(keep):
    w = realized(1.0, 2.0).requires_grad_()
    size, kept = 1 << 16, []
    before = held()
    for k in range(30):
        batch = Tensor(np.full((size, 2), k, np.float32))
        loss = (batch * w).mean(0).realize()
        kept.append(keep(loss))
        del loss, batch
    assert held() - before < 6 * 8 * size
    assert kept[7].numpy().max() in (14, 28)


def grown(y):
    y += 1
    return y.realize()


def through_others(y):
    z = (y * 2).realize()
    del y
    return (z + 0).realize() / 2


THROUGH = {
    "itself": lambda y: y,
    "a lazy value": lambda y: y * 1,
    "a view": lambda y: y[::-1][::-1],
    "a part of a lazy value": lambda y: (y + 1)[0:],
    "a repeated one": lambda y: y.expand(1, 2)[0],
    "another handle": lambda y: Tensor(y),
    "written": lambda y: grown(y),
    "written and lazy": lambda y: y.assign(y + 1),
    "other memory": through_others,
    "a copy": lambda y: y.clone().realize(),
}


@pytest.mark.parametrize("make", THROUGH.values(), ids=THROUGH)
@pytest.mark.parametrize("others", [0, 40])
def test_gradients_go_through_what_is_still_held(make, others):
    w = realized(1.0, 2.0).requires_grad_()
    x = realized(3.0, 5.0)
    y = (w * w * x).realize()
    z = make(y)
    del y
    values = other_values(w, others)
    z.sum().backward()
    assert w.grad.tolist() == [6, 20]
    assert len(values) == others
    if others:
        values = other_values(w)
        assert len(history._origins) < 20


def test_gradients_of_older_contents_are_kept():
    w = realized(1.0, 2.0).requires_grad_()
    memory = (w * 3).realize()
    squares = memory * memory  # of what is there now
    memory += 1
    memory.realize()
    values = other_values(w)
    (squares + memory).sum().backward()
    assert w.grad.tolist() == [18 * 1 + 3, 18 * 2 + 3] and len(values) == 40


def test_many_values_that_are_held_are_looked_at_in_linear_time():
    def run(n):
        w = realized(1.0, 2.0).requires_grad_()
        inputs = [realized(float(k), 1.0) for k in range(n)]
        return calls_of(lambda: [(w * x).realize() for x in inputs])

    run(10)
    few, many = run(100), run(800)
    assert many < 16 * few
