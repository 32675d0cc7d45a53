"""What is written at positions of a tensor goes to its place, and the last of several stays."""

import numpy as np
import pytest

from rulewright import Tensor, jit

RANDOM = np.random.default_rng(5)
Z = RANDOM.standard_normal((5000, 64)).astype(np.float32)
ROWS = RANDOM.standard_normal((300, 64)).astype(np.float32)
AT = RANDOM.integers(-4999, 5000, 300)  # some of them twice
FEW = np.abs(AT) % 2000


def tensor(values):
    return Tensor(values).realize()


def kernels_and_value(values, write):
    """How many kernels write, and what is then there."""
    memory = tensor(values)
    write(memory, tensor)
    items = memory.schedule()
    for item in items:
        item.run()
    return len(items), memory.numpy()


def expected(values, write):
    result = values.copy()
    write(result, np.array)
    return result


def in_place(of, at, rows):
    of[at] = rows


IN_ONE_WALK = {
    "rows": (Z, lambda z, on: in_place(z, on(AT), on(ROWS))),
    "one number": (Z, lambda z, on: in_place(z, on(AT), 2.5)),
    "numbers": (Z[:, 0].copy(), lambda z, on: in_place(z, on(AT), on(ROWS[:, 0].copy()))),
    "integers": (np.arange(60000), lambda z, on: in_place(z, on(AT * 12), on(AT))),
    "positions of two axes": (
        Z, lambda z, on: in_place(z, on(AT.reshape(20, 15)), on(ROWS.reshape(20, 15, 64))),
    ),
    "a part of a memory": (Z, lambda z, on: in_place(z[1000:], on(FEW), on(ROWS))),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_ONE_WALK)
def test_rows_are_written_by_one_kernel(name):
    values, write = IN_ONE_WALK[name]
    kernels, value = kernels_and_value(values, write)
    assert kernels == 1
    np.testing.assert_array_equal(value, expected(values, write))


BESIDE = {
    "what is read of the memory": lambda z, on: in_place(z, on(AT), z[:300] * 1),
    "what is read where it is written": lambda z, on: in_place(z, on(AT), z[on(AT)] * 2 + 1),
    "every other row": lambda z, on: in_place(z[::2], on(FEW), on(ROWS)),
    "columns": lambda z, on: in_place(z, (slice(None), on(np.arange(40))), on(Z[:, :40] * 2)),
    "columns of a transposed one": lambda z, on: in_place(
        z.T, (slice(None), on(AT)), on(ROWS.T.copy())
    ),
    "pairs of positions": lambda z, on: in_place(z, (on(AT), on(FEW % 64)), on(ROWS[:, 0].copy())),
}


@pytest.mark.parametrize("name", BESIDE)
def test_other_writes_hold_what_numpy_writes(name):
    _, value = kernels_and_value(Z, BESIDE[name])
    np.testing.assert_array_equal(value, expected(Z, BESIDE[name]))


def test_positions_that_are_read_from_the_memory_are_those_before():
    values = np.arange(60000)
    memory = tensor(values)
    memory[memory[:100] * 3] = -1
    values[values[:100] * 3] = -1
    np.testing.assert_array_equal(memory.numpy(), values)


@pytest.mark.parametrize(("axis", "count"), [(0, 300), (1, 20)])
def test_elements_are_scattered_in_their_order(axis, count):
    shape = (count, 64) if axis == 0 else (5000, count)
    at, source = RANDOM.integers(0, Z.shape[axis], shape), RANDOM.random(shape, np.float32)
    memory, wanted = tensor(Z), Z.copy()
    memory.scatter_(axis, tensor(at), tensor(source))
    assert len(memory.schedule()) == 1
    for number in range(count):
        for_each = (at[number], np.arange(64)) if axis == 0 else (np.arange(5000), at[:, number])
        wanted[for_each] = source[number] if axis == 0 else source[:, number]
    np.testing.assert_array_equal(memory.numpy(), wanted)


def test_replays_write_where_they_are_told():
    @jit
    def step(memory, at, rows):
        memory[at] = rows
        return memory.realize()

    memory, wanted = tensor(Z), Z.copy()
    for number in range(4):
        at = RANDOM.integers(0, 5000, 300)
        step(memory, tensor(at), tensor(ROWS * number))
        wanted[at] = ROWS * number
    np.testing.assert_array_equal(memory.numpy(), wanted)


def test_gradients_of_what_was_written_are_those_of_the_last():
    memory, rows = tensor(np.zeros((3000, 32), np.float32)), tensor(np.ones((40, 32), np.float32))
    rows.requires_grad = True
    at = np.arange(40) // 2 * 7  # each place twice
    written = memory.scatter(0, tensor(np.repeat(at[:, None], 32, 1)), rows)
    (written * 3).sum().backward()
    wanted = np.repeat(np.tile([0.0, 3.0], 20)[:, None], 32, 1)
    np.testing.assert_array_equal(rows.grad.numpy(), wanted)
