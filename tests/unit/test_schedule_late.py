"""Kernels end where an element takes very many steps: C compilers would take minutes for them."""

from __future__ import annotations

import numpy as np
import pytest
from arrays import closeness

from rulewright import Context, Tensor, Variable, jit

close = closeness(1e-9, 1e-12)

X = np.linspace(-2, 2, 6).reshape(2, 3)
LONG = 150  # more than a kernel does
SHORT = 50


def chain(x, steps):
    for _ in range(steps):
        x = (x * 1.5).tanh() + 0.25
    return x


def expected(x, steps):
    """The values of a chain, and its slopes."""
    slopes = np.ones_like(x)
    for _ in range(steps):
        x = np.tanh(x * 1.5)
        slopes, x = slopes * 1.5 * (1 - x * x), x + 0.25
    return x, slopes


@pytest.mark.parametrize(("steps", "several"), [(SHORT, False), (LONG, True)])
def test_a_chain_of_many_steps_is_several_kernels(steps, several):
    assert (len(chain(Tensor(X), steps).schedule()) > 1) is several
    close(chain(Tensor(X), steps), expected(X, steps)[0])


@pytest.mark.parametrize("device", ["C", "INTERP", "CUDA_EMULATED"])
def test_so_are_its_gradients(device):
    x = Tensor(X, requires_grad=True, device=device)
    out = chain(x, LONG)
    out.sum().backward()
    Tensor.realize(out, x.grad)
    close(out, expected(X, LONG)[0])
    close(x.grad, expected(X, LONG)[1])


def test_simple_steps_stay_together():
    x = Tensor(X)
    for i in range(400):
        x = x * 0.5 + i
    assert len(x.schedule()) == 1


def test_pieces_of_a_chain_are_one_program():
    x = Tensor(X, dtype="f32")
    for _ in range(10 * LONG):
        x = (x + 0.5).exp().log()
    kernels = x.schedule()
    assert len(kernels) > 10
    assert len({str(kernel.ast) for kernel in kernels}) < 6


def side_by_side(x, steps, lib):
    """Of each step, three that take long, none of which is behind another."""
    for _ in range(steps):
        x = x + 0.1 * lib.sin(x) - 0.2 * lib.tanh(x) + 0.1 * lib.cos(x) * x
    return x


def test_what_takes_long_side_by_side_counts_too():
    kernels = side_by_side(Tensor(X), LONG // 3, Tensor).schedule()
    assert 2 < len(kernels) < 10
    close(side_by_side(Tensor(X), LONG // 3, Tensor), side_by_side(X, LONG // 3, np))


def test_a_cut_is_where_one_value_goes_on():
    x = Tensor(X)
    for _ in range(LONG // 2):
        x = (x.sin() + 0.5) * x.cos()
    kernels = x.schedule()
    assert 2 < len(kernels) < 6
    assert max(len(kernel.buffers) for kernel in kernels) <= 3


def test_what_is_larger_than_all_memory_is_not_kept():
    x, y = Tensor(X[0].repeat(20)), Tensor(X[1].repeat(20))
    [kernel] = chain(x.unsqueeze(1) * y, LONG).sum(1).schedule()
    assert [buffer.size for buffer in kernel.buffers] == [60, 60, 60]


def test_a_chain_within_sums_and_before_them(unoptimised):
    def both(x):
        x = chain(x, LONG)
        return chain(x.sum(1, keepdim=True) * 0.1 + x, LONG).mean(0)

    before = expected(X, LONG)[0]
    after = expected(before.sum(1, keepdims=True) * 0.1 + before, LONG)[0]
    with Context(CC=unoptimised):  # what optimising such kernels takes is seen above
        close(both(Tensor(X)), after.mean(0))


def test_captured_and_of_symbolic_size(unoptimised):
    step = jit(lambda x: chain(x, LONG))
    rows = jit(lambda x: chain(x, LONG).sum(0))
    n = Variable("n", 1, 4)
    long = np.tile(X, (2, 1))
    with Context(CC=unoptimised):
        for size in (1, 3, 4, 2):
            close(step(Tensor(X * size)), expected(X * size, LONG)[0])
            close(rows(Tensor(long)[: n.bind(size)]), expected(long[:size], LONG)[0].sum(0))
