"""What is written at positions of a tensor goes to its place, and the last of several stays."""

import numpy as np
import pytest
from codegen_kernels import axis, param, reduced

from rulewright import Tensor, dtypes, jit
from rulewright.codegen.scatter import walk_over_values
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

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


PAIRED = {  # positions of several axes: the shape, which axes have positions, and which part
    "both axes": ((500, 300), (0, 1), lambda t: t),
    "of three": ((30, 40, 50), (0, 1, 2), lambda t: t),
    "neighbours inside": ((6, 90, 80), (1, 2), lambda t: t),
    "outer ones": ((90, 80, 6), (0, 1), lambda t: t),
    "apart": ((90, 7, 80), (0, 2), lambda t: t),
    "apart, of four": ((40, 3, 50, 5), (0, 2), lambda t: t),
    "of a part": ((600, 310), (0, 1), lambda t: t[50:550, 10:]),
    "transposed": ((500, 300), (0, 1), lambda t: t.T),
}


def paired(name):
    """The values, which part of them is written, where, and what."""
    shape, axes, part = PAIRED[name]
    values = (RANDOM.standard_normal(shape) * 8).astype(np.float32)
    key = [slice(None)] * len(shape)
    for a in axes:
        size = part(values).shape[a]
        key[a] = RANDOM.integers(-size, size, 1500)  # some of them twice
    rows = RANDOM.standard_normal(part(values)[tuple(key)].shape).astype(np.float32)
    return values, part, tuple(key), rows


def positions(key):
    return tuple(tensor(k) if isinstance(k, np.ndarray) else k for k in key)


@pytest.mark.parametrize("name", PAIRED)
def test_what_several_positions_name_is_written_by_one_walk(name):
    values, part, key, rows = paired(name)
    memory = tensor(values)
    part(memory)[positions(key)] = tensor(rows)
    where, walk = memory.schedule()
    assert walk.lower().estimates.flops <= 9 * rows.size, "places are not looked at"
    for item in (where, walk):
        item.run()
    part(values)[key] = rows
    np.testing.assert_array_equal(memory.numpy(), values)


@pytest.mark.parametrize("name", ["both axes", "of three", "of a part", "transposed"])
def test_what_several_positions_name_is_added_by_one_walk(name):
    values, part, key, rows = paired(name)
    memory, wanted = tensor(values), values.astype(np.float64)
    step = jit(lambda m, *at: part(m).index_put_(at[:-1], at[-1], accumulate=True).realize())
    step(memory, *positions(key), tensor(rows))
    part(memory).index_put_(positions(key), tensor(rows), accumulate=True)
    _, walk = memory.schedule()
    assert walk.lower().estimates.flops <= 9 * rows.size, "places are not looked at"
    for _ in range(2):
        np.add.at(part(wanted), key, rows)
    np.testing.assert_allclose(memory.numpy(), wanted, atol=1e-4)


@pytest.mark.parametrize(
    ("high", "apart", "walks"),
    [(40, 40, True), (39, 40, False), (41, 40, False), (40, 41, True), (40, 39, False)],
)
def test_loops_are_one_if_they_are_the_digits_of_a_number(high, apart, walks):
    """With another factor several pairs are one number, or some numbers are no pair; and several
    pairs are written to one element."""
    y, x, j = axis(30, 0), axis(40, 1), reduced(200, 2)
    hit = param(1, 200, dtypes.i32).index(j).alu(Ops.CMPEQ, (y * high + x).cast(dtypes.i32))
    total = hit.where(param(2, 200).index(j), UOp.const(dtypes.f32, 0.0)).reduce(Ops.ADD, j)
    nest = param(0, 1300).index(y * apart + x).store(total).end(y, x)
    assert (walk_over_values(nest) is not None) == walks


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
