"""Functions as nodes that write into tensors from outside: they do what the plain function does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from function_helpers import precompile
from pairs import in_pairs

from rulewright import Context, Tensor, function, jit, nn
from rulewright.nn.state import get_parameters, get_state_dict

__all__ = ["precompile"]

Wrap = Callable[..., Any]
PROGRAMS: list[Callable[[Wrap], list[Tensor]]] = []


def program(made: Callable[[Wrap], list[Tensor]]) -> Callable[[Wrap], list[Tensor]]:
    """A program that calls some functions of its own, each wrapped, and answers all that it has."""
    PROGRAMS.append(made)
    return made


def rising(*shape: int, **options: Any) -> Tensor:
    array = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    return Tensor(array, **options)


@program
def views_inside(wrap: Wrap) -> list[Tensor]:
    state = rising(3, 4).realize()

    @wrap
    def write(s: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        s[1] = x
        s[:, 0] *= 2
        return s.sum(), s[1]

    (a, row), (b, again) = write(state, rising(4)), write(state, rising(4) + 1)
    again += 10  # a view of the state
    return [a, b, row, again, state]


@program
def views_outside(wrap: Wrap) -> list[Tensor]:
    state = rising(4, 2).realize()
    rows, flat = state[1:3], state.reshape(8)

    @wrap
    def write(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows.assign(rows * x)
        flat[0] = x
        return flat.sum(), state[0], rows

    x = Tensor([2.0]).sum()
    first, second = write(x), write(x)
    second[2].assign(second[2] + 1)
    return [*first, *second, state, rows, flat]


@program
def values_before_and_after(wrap: Wrap) -> list[Tensor]:
    state = rising(4).realize()

    @wrap
    def write(s: Tensor) -> tuple[Tensor, Tensor]:
        before = s * 2
        s += 1
        return before, s * 3

    a, b = write(state)
    state *= 2
    c, d = write(state)
    state.realize()
    return [d, c, b, a, state]


@program
def two_that_change_places(wrap: Wrap) -> list[Tensor]:
    a, b = rising(4).realize(), (rising(4) * 10).realize()

    @wrap
    def swap(a: Tensor, b: Tensor) -> Tensor:
        old = a * 1
        a.assign(b)
        b.assign(old)
        return a - b

    return [swap(a, b), swap(a, b), swap(a, b), a, b]


@program
def constants_and_counts(wrap: Wrap) -> list[Tensor]:
    state, count = rising(4).realize(), Tensor([0]).realize()

    @wrap
    def write(x: Tensor) -> Tensor:
        state.assign(7)
        count.assign(count + 1)
        return x * count

    return [write(rising(3)), write(rising(3)), state, count]


@program
def nothing_returned(wrap: Wrap) -> list[Tensor]:
    state = rising(4).realize()
    add = wrap(lambda s, x: (s.assign(s + x), None)[1])
    add(state, rising(4))
    add(state, rising(4))
    return [state]


@program
def state_without_memory(wrap: Wrap) -> list[Tensor]:
    state, other = Tensor.zeros(4), Tensor.zeros(4)
    square = state.reshape(2, 2)

    @wrap
    def write(s: Tensor, x: Tensor) -> Tensor:
        s.assign(s + x)
        other.assign(other + s)
        return s * 2

    return [write(state, rising(4)), write(state, rising(4)), state, square, other]


@program
def a_cache(wrap: Wrap) -> list[Tensor]:
    keys = Tensor.zeros(2, 5).clone().realize()

    @wrap
    def step(keys: Tensor, x: Tensor, place: int) -> Tensor:
        keys[:, place : place + 1] = x
        return keys[:, : place + 1].sum(1)

    return [*(step(keys, rising(2, 1) * i, i) for i in range(4)), keys]


@program
def positions_and_masks(wrap: Wrap) -> list[Tensor]:
    state, where = rising(5).realize(), Tensor([0, 3])

    @wrap
    def write(s: Tensor, where: Tensor, x: Tensor) -> Tensor:
        s[where] = x
        s[s > 4] = 0
        return s + 1

    return [write(state, where, rising(2)), write(state, where, rising(2) * 9), state]


@program
def the_same_value_returned_and_written(wrap: Wrap) -> list[Tensor]:
    state = rising(4).realize()

    @wrap
    def write(s: Tensor) -> Tensor:
        twice = s * 2
        s.assign(twice)
        return twice

    found = write(state)
    state += 1  # not the result, which has a value of its own
    return [found, state]


@program
def the_state_returned(wrap: Wrap) -> list[Tensor]:
    state = rising(4).realize()

    @wrap
    def write(s: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        s *= 2
        return s, s[1:], s.detach()

    first = write(state)
    first[1].assign(first[1] + 100)
    return [*first, *write(state), state]


@program
def memory_made_inside(wrap: Wrap) -> list[Tensor]:
    state = rising(3).realize()

    @wrap
    def write(s: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        made, data = (x + 1).clone(), Tensor([5.0, 6.0, 7.0])
        made[0] = s[0]
        data[1] = x[1]
        s.assign(made)
        made += 1
        return made, s * 1, data

    return [*write(state, rising(3)), *write(state, rising(3)), state]


@program
def functions_inside(wrap: Wrap) -> list[Tensor]:
    state, total = rising(3).realize(), Tensor.zeros(3).realize()

    @wrap
    def add(s: Tensor, x: Tensor) -> Tensor:
        total.assign(total + x)
        return s.assign(s + x)

    @wrap
    def twice(s: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        return s * 1, add(s, add(s, x))

    a, b = twice(state, rising(3))
    b += 1
    return [a, b, state, *twice(state, rising(3)), total]


@program
def gradients(wrap: Wrap) -> list[Tensor]:
    weight, state = rising(3, requires_grad=True), Tensor.zeros(3).clone().realize()

    @wrap
    def write(s: Tensor, w: Tensor, x: Tensor) -> Tensor:
        s.assign(s * 0.5 + x * w)
        return s * w

    y, z = write(state, weight, rising(3)), write(state, weight, rising(3) + 1)
    (y.sum() + z.sum() + (state * state).sum()).backward()
    assert weight.grad is not None and state.requires_grad
    return [weight.grad, state, y, z]


@program
def gradients_that_are_cut(wrap: Wrap) -> list[Tensor]:
    weight, state = rising(3, requires_grad=True), Tensor.zeros(3).clone().realize()

    @wrap
    def write(s: Tensor, w: Tensor) -> Tensor:
        s.assign(s * 0.5 + w.detach())
        return s * w

    y = write(state, weight)
    assert not state.requires_grad
    (y.sum() + state.sum()).backward()
    assert weight.grad is not None
    return [weight.grad, state]


@program
def no_elements(wrap: Wrap) -> list[Tensor]:
    state = Tensor.zeros(0, 3).clone().realize()

    @wrap
    def write(s: Tensor, x: Tensor) -> Tensor:
        s += x
        return s.sum()

    return [write(state, rising(3)), write(state, rising(3)), state]


@pytest.mark.parametrize(
    ("precompile", "made", "device"), in_pairs([False, True], PROGRAMS, ["C", "INTERP"])
)
def test_writes_are_those_of_the_plain_function(
    made: Callable[[Wrap], list[Tensor]], device: str, precompile: bool
) -> None:
    with Context(DEVICE=device, VERIFY=1):
        expected = [t.numpy() for t in made(lambda plain: plain)]
        found = [t.numpy() for t in made(function(precompile=precompile))]
    assert len(found) == len(expected)
    for place, (mine, plain) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_allclose(mine, plain, rtol=1e-5, err_msg=f"value {place}")


# ---- a network in training -------------------------------------------------------------------


class Network:
    def __init__(self, momentum: float | None) -> None:
        Tensor.manual_seed(0)
        self.hidden, self.out = nn.Linear(3, 4), nn.Linear(4, 2)
        self.norm = nn.BatchNorm(4, momentum=momentum)

    def __call__(self, x: Tensor) -> Tensor:
        return self.out(self.norm(self.hidden(x)).relu())


def passed(wrap: Wrap, net: Network) -> Wrap:
    traced = wrap(lambda net, x: net(x))
    return lambda x: traced(net, x)


def nested(wrap: Wrap, net: Network) -> Wrap:
    inner = wrap(lambda x: net(x))
    return wrap(lambda x: inner(x) + inner(x * 2))


WAYS: dict[str, Callable[[Wrap, Network], Wrap]] = {
    "passed": passed,
    "around": lambda wrap, net: wrap(lambda x: net(x)),
    "method": lambda wrap, net: wrap(net.__call__),
    "nested": nested,
}


def trained(wrap: Wrap, way: str, momentum: float | None, jitted: bool) -> list[Any]:
    net = Network(momentum)
    call, rng = WAYS[way](wrap, net), np.random.default_rng(0)
    optimizer = nn.optim.SGD(get_parameters(net), lr=0.1)

    def step(x: Tensor) -> Tensor:
        optimizer.zero_grad()
        loss = (call(x) - 1).square().mean().backward()
        return loss.realize(*optimizer.schedule_step())

    run = jit(step) if jitted else step
    with Tensor.train():
        for _ in range(4):
            run(Tensor(rng.normal(size=(5, 3)).astype(np.float32)))
    return [t.numpy() for t in get_state_dict(net).values()]


@pytest.mark.parametrize(
    ("precompile", "way", "momentum", "jitted"),
    [
        (whole, *trained, jitted)
        for whole, trained, jitted in in_pairs(
            [False, True], [*((w, 0.1) for w in WAYS), ("nested", None)], [False, True]
        )
    ],
)
def test_a_batchnorm_is_trained(
    way: str, momentum: float | None, jitted: bool, precompile: bool
) -> None:
    expected = trained(lambda plain: plain, way, momentum, False)
    found = trained(function(precompile=precompile), way, momentum, jitted)
    for mine, plain in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, plain, rtol=1e-3, atol=1e-5)


def test_what_is_written_without_gradient_remembers_nothing() -> None:
    """Running statistics would otherwise keep the graphs of all steps before."""
    from rulewright.tensor.history import has_origin

    net = Network(0.1)
    call = function(net.__call__)
    with Tensor.train():
        for _ in range(2):
            Tensor.realize(call(rising(5, 3)), *get_state_dict(net).values())
    norm = net.norm
    for tensor in (norm.running_mean, norm.running_var, norm.num_batches_tracked):
        assert not has_origin(tensor.uop.base)
