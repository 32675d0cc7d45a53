"""Pieces of memory are arguments of programs: rows and batches share a schedule."""

import gc
from weakref import ref

import numpy as np
import pytest

from rulewright import Tensor, jit
from rulewright.driver import regions
from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.memories import buffer_of, new_buffer

ONE_PIECE = {
    "a row": lambda x, i: x[i] * 2,
    "rows": lambda x, i: x[i : i + 2].sum(1),
    "a part of a row": lambda x, i: x[i, 1:4] + 1,
    "an element": lambda x, i: x[i, 2] * 3,
    "a row in another shape": lambda x, i: x[i].reshape(2, 3) + 1,
    "rows of rows": lambda x, i: x.reshape(4, 2, 6)[i % 4, 1:] * 2,
    "two rows": lambda x, i: x[i] + x[(i + 3) % 8],
    "a row and all": lambda x, i: x + x[i],
    "a row turned": lambda x, i: x[i : i + 2].T * 2,
    "a row backwards": lambda x, i: x[i][::-1] * 2,
    "a copy": lambda x, i: x[i : i + 1].contiguous() if isinstance(x, Tensor) else x[i : i + 1],
    "by another": lambda x, i: x[i : i + 2] @ x[:6, :2],
}
OTHERS = {
    "a column": lambda x, i: x[:, i % 6] * 2,
    "a square": lambda x, i: x[i : i + 2, 1:3] * 2,
    "nothing": lambda x, i: x[i:i] * 2,
    "every other": lambda x, i: x[i::2].sum(),
    "all": lambda x, i: x[:] * (2 if i < 9 else 3),
}


@pytest.mark.parametrize("name", {**ONE_PIECE, **OTHERS})
@pytest.mark.parametrize("kind", ["f32", "f64", "i8", "f16"])
def test_pieces_are_what_numpy_says(compiled, name, kind, rng):
    program = {**ONE_PIECE, **OTHERS}[name]
    array = rng.integers(-3, 4, (8, 6)).astype(getattr(dtypes, kind).np)
    x = Tensor(array).realize()
    for _ in range(2):
        counts = []
        for i in range(6):
            np.testing.assert_array_equal(program(x, i).realize().numpy(), program(array, i))
            counts.append(len(compiled))
        array = rng.integers(-3, 4, (8, 6)).astype(getattr(dtypes, kind).np)
        x = Tensor(array).realize()
    if name in ONE_PIECE:
        assert counts[-1] == 1


def test_batches_of_a_training_step_share_a_schedule(compiled, rng):
    images, goals = rng.random((24, 5), np.float32), rng.random((24, 2), np.float32)
    x, y = Tensor(images).realize(), Tensor(goals).realize()
    weights = rng.random((5, 2), np.float32)
    w = Tensor(weights, requires_grad=True).realize()
    counts = []
    for i in range(0, 24, 4):
        w.grad = None
        error = x[i : i + 4] @ w - y[i : i + 4]
        error.square().sum().backward()
        w.grad.realize()
        wanted = 2 * images[i : i + 4].T @ (images[i : i + 4] @ weights - goals[i : i + 4])
        np.testing.assert_allclose(w.grad.numpy(), wanted, rtol=1e-4)
        counts.append(len(compiled))
    assert set(counts) == {2}  # the slope, and a copy of it in order


def test_memory_that_is_written_is_one(rng):
    array = rng.random((8, 6), np.float32)
    x = Tensor(array).realize()
    for i in range(5):
        before = x[i + 1] * 2
        x[i] = x[i + 1] + x[i + 2]
        after = x[i] + x[i + 1]
        Tensor.realize(before, x, after)
        np.testing.assert_array_equal(before.numpy(), array[i + 1] * 2)
        array[i] = array[i + 1] + array[i + 2]
        np.testing.assert_array_equal(x.numpy(), array)
        np.testing.assert_array_equal(after.numpy(), array[i] + array[i + 1])


def test_a_piece_of_what_is_written_later_holds_what_it_held():
    x = Tensor(np.arange(12.0).reshape(4, 3)).realize()
    rows = [x[i] + 0.5 for i in range(4)]
    Tensor.realize(*rows)
    x += 100
    assert [r.tolist() for r in rows] == [[3 * i + j + 0.5 for j in range(3)] for i in range(4)]


def test_a_capture_reads_pieces_of_its_arguments(rng):
    step = jit(lambda x: ((x[1] * 2).realize(), (x[2:4].sum(0)).realize()))
    for _ in range(5):
        array = rng.integers(0, 9, (5, 3)).astype(np.float32)
        row, total = step(Tensor(array).realize())
        np.testing.assert_array_equal(row.numpy(), array[1] * 2)
        np.testing.assert_array_equal(total.numpy(), array[2:4].sum(0))


def test_what_is_known_of_a_piece_does_not_hold_its_memory():
    x = Tensor(np.arange(12.0).reshape(4, 3)).realize()
    for _ in range(4):
        assert (x[1] * 2).realize().tolist() == [6, 8, 10]
    memory = ref(buffer_of(x.uop.base))
    del x
    gc.collect()
    assert memory() is None


def test_memory_that_was_never_written_is_an_error():
    late = Tensor(new_buffer(dtypes.f32, (4, 3), "C"))
    for i in range(3):
        with pytest.raises(UsageError, match="never written"):
            (late[i] + 1).realize()


def test_views_of_a_graph():
    x = Tensor(np.arange(12.0).reshape(4, 3)).realize()
    pieces = regions.regions((x[1:3].reshape(6) + x[2:, 1:2].reshape(2).sum()).uop.sink())
    # of what is no piece the rows that it lies in are one
    assert {(piece.first, piece.shape) for piece in pieces.values()} == {(3, (6,)), (6, (2, 3))}
    other = Tensor(np.arange(12.0).reshape(4, 3), device="INTERP").realize()
    assert not regions.regions((other[1] + 1).uop.sink())
