"""Kernels take no more memories than the target lets them: 31 on Metal, variables among them."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor, Variable

MOST = 31


def parts(count: int, device: str = "METAL_EMULATED") -> list[Tensor]:
    return [Tensor(np.full((3, 5), i, np.float32), device=device) for i in range(count)]


def total(tensors):
    found = tensors[0]
    for tensor in tensors[1:]:
        found = found + tensor * 2
    return found


JOINED = {
    "a sum": (total, lambda n: np.full((3, 5), sum(2 * i for i in range(n)))),
    "a sum of moved ones": (
        lambda ts: total([t.flip(0).pad(((0, 1), (0, 0))) for t in ts])[:3],
        lambda n: np.full((3, 5), sum(2 * i for i in range(n))),
    ),
    "a concatenation": (
        lambda ts: Tensor.cat(*ts),
        lambda n: np.repeat(np.arange(n), 3)[:, None] * np.ones(5),
    ),
    "a reduction of a stack": (
        lambda ts: Tensor.stack(*ts).sum(0),
        lambda n: np.full((3, 5), sum(range(n))),
    ),
}


@pytest.mark.parametrize("count", [MOST - 1, MOST, 70])
@pytest.mark.parametrize("name", JOINED)
def test_what_reads_too_many_memories_is_several_kernels(name, count):
    make, expected = JOINED[name]
    made = make(parts(count)).schedule()
    assert max(len(kernel.buffers) for kernel in made) <= MOST
    assert len(made) > 1 or count < MOST
    np.testing.assert_array_equal(make(parts(count)).numpy(), expected(count))


def test_variables_are_counted_with_memories():
    n = Variable("n", 1, 3).bind(2)
    made = total([t[:n] for t in parts(MOST - 1)]).schedule_with_vars()[0]
    assert len(made) == 2
    assert max(len(kernel.buffers) for kernel in made) <= MOST - 1


def test_a_target_without_such_a_limit_has_one_kernel():
    [kernel] = total(parts(70, "CUDA_EMULATED")).schedule()
    assert len(kernel.buffers) == 71


def test_long_powers_of_integers_run_where_kernels_take_few_memories():
    base, exponent = np.arange(-4, 11), np.arange(15) % 7
    found = Tensor(base, device="METAL_EMULATED") ** Tensor(exponent, device="METAL_EMULATED")
    np.testing.assert_array_equal(found.numpy(), base**exponent)
