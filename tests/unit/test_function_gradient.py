"""Derivatives of functions as nodes, and a network of layers that are scheduled once."""

from __future__ import annotations

import numpy as np
import pytest
from function_helpers import callee, numbers, precompile
from walks import counting

from rulewright import Context, Tensor, UOp, function, nn
from rulewright.driver.graphs import schedule
from rulewright.nn.state import get_parameters

__all__ = ["precompile"]

# ---- gradients --------------------------------------------------------------------------------


def network(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    y = (x @ w).tanh()
    return y, (y * x.sum(-1, keepdim=True)).sum(0)


@pytest.mark.parametrize("realized", [False, True])
def test_gradients_are_those_of_the_plain_function(precompile: bool, realized: bool) -> None:
    found = []
    for f in (network, function(precompile=precompile)(network)):
        x = Tensor(numbers(4, 5), requires_grad=True)
        w = Tensor(numbers(5, 5), requires_grad=True)
        y, z = f(x * 2, w)
        y, z = f(y, w)
        if realized:
            Tensor.realize(y, z)
        (y.sum() + (z * z).sum()).backward()
        assert x.grad is not None and w.grad is not None
        found.append((x.grad.numpy(), w.grad.numpy()))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-4, atol=1e-5)


def test_the_derivative_is_traced_once(precompile: bool) -> None:
    f = function(precompile=precompile)(lambda x: (x * x).tanh())
    found = []
    for seed in range(2):
        x = Tensor(numbers(3) + seed, requires_grad=True)
        (gradient,) = f(x).sum().gradient(x)
        found.append(callee(gradient))
    assert found[0] is found[1] and found[0].arg[0].endswith("_backward")


def test_second_derivatives(precompile: bool) -> None:
    f = function(precompile=precompile)(lambda x: x * x * x)
    x = Tensor([2.0, 3.0], requires_grad=True)
    (first,) = f(x).sum().gradient(x)
    (second,) = first.sum().gradient(x)
    assert (first.tolist(), second.tolist()) == ([12, 27], [12, 18])


def test_no_gradient_flows_where_there_is_none() -> None:
    @function
    def cut(x: Tensor) -> Tensor:
        with Tensor.no_grad():
            y = x * 3
        return y * x + x.detach()

    x = Tensor([2.0], requires_grad=True)
    cut(x).sum().backward()
    assert x.grad is not None and x.grad.item() == 6.0


def test_the_gradient_inside_of_a_function(precompile: bool) -> None:
    @function(precompile=precompile)
    def slope(x: Tensor) -> Tensor:
        return (x * x * x).sum().gradient(x)[0]

    assert slope(Tensor([1.0, 2.0])).tolist() == [3, 12]


def test_a_gradient_that_is_given(precompile: bool) -> None:
    @function(precompile=precompile, grad_fxn=lambda g, call: (g * 100, None))
    def scaled(x: Tensor, y: Tensor) -> Tensor:
        return x * y

    x, y = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0], requires_grad=True)
    (scaled(x, y) + y).sum().backward()
    assert x.grad is not None and y.grad is not None
    assert (x.grad.tolist(), y.grad.tolist()) == ([100, 100], [1, 1])


# ---- a network of equal layers ----------------------------------------------------------------


class Layer:
    """A transformer layer, plain and as a function."""

    def __init__(self, size: int) -> None:
        self.heads = 4
        self.norms = [nn.LayerNorm(size), nn.LayerNorm(size)]
        self.attend, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def plain(self, x: Tensor) -> Tensor:
        batch, length, size = x.shape
        parts = self.attend(self.norms[0](x)).reshape(batch, length, 3, self.heads, -1)
        q, k, v = (parts[:, :, i].transpose(1, 2) for i in range(3))
        mixed = q.scaled_dot_product_attention(k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, size))
        return x + self.down(self.up(self.norms[1](x)).gelu())

    traced = function(precompile=True)(plain)


def test_24_layers_are_scheduled_much_faster_as_functions() -> None:
    layers = [Layer(16) for _ in range(24)]
    for parameter in get_parameters(layers):
        parameter.replace(Tensor(numbers(*parameter.shape)))
    start = Tensor(numbers(2, 4, 16)).realize()
    steps, kernels = [], []
    for name in ("plain", "plain", "traced"):  # the first finds out what is remembered for others
        x = start
        for layer in layers:
            x = getattr(layer, name)(x)
        with Context(CACHE=0), counting(10_000_000) as reads:
            items = x.schedule()
        steps.append(reads.total())
        kernels.append([item.ast for item in items])
    assert sorted(map(str, kernels[1])) == sorted(map(str, kernels[2]))
    assert steps[2] * 2.5 < steps[1], steps


def test_a_network_of_functions_learns() -> None:
    """Gradients of two layers, through kernels scheduled once."""
    found = []
    layers = [Layer(8) for _ in range(2)]
    parameters = get_parameters(layers)
    for parameter in parameters:
        parameter.requires_grad = True
    Tensor.realize(*parameters)
    for name in ("plain", "traced"):
        x = Tensor(numbers(2, 4, 8))
        for layer in layers:
            x = getattr(layer, name)(x)
        gradients = (x * x).mean().gradient(*parameters)
        Tensor.realize(*gradients)
        found.append([g.numpy() for g in gradients])
    for plain, traced in zip(*found, strict=True):
        np.testing.assert_allclose(plain, traced, rtol=1e-3, atol=1e-4)


def test_a_schedule_of_equal_programs_is_found_again(precompile: bool) -> None:
    f = function(precompile=precompile, grad_fxn=lambda g, call: g)(lambda x: x * 3)
    hits = []
    for seed in range(2):
        x = Tensor(numbers(3) + seed).realize()
        out = UOp.sink(Tensor.zeros(3).clone().uop.src[0].store(f(x).uop))
        hits.append(schedule(out).hit)
    assert hits == [False, True]
