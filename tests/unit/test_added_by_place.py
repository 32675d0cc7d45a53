"""What is added to a memory by place: each row goes to its place, and no other one is touched."""

import numpy as np
import pytest

from rulewright import Tensor, jit


def added_up(z, at, rows):
    """z with rows added one after the other, as doubles."""
    result = z.astype(np.float64)
    np.add.at(result, at, rows.astype(np.float64))
    return result


ADDED = [
    *((5000, 64, 128, "float32"), (3000, 200, 7, "float64"), (5000, 64, 1, "int32")),
    *((257, 600, 64, "float32"), (5000, 64, 16, "float16"), (1, 3000, 40, "float32")),
]


@pytest.mark.parametrize(("places", "count", "width", "kind"), ADDED)
def test_rows_are_added_to_a_memory(places, count, width, kind):
    random = np.random.default_rng(count)
    z, rows = ((random.standard_normal((n, width)) * 4).astype(kind) for n in (places, count))
    memory, tolerance = Tensor(z).realize(), 2e-2 if kind == "float16" else 1e-4
    step = jit(lambda memory, at, rows: memory.index_add_(0, at, rows).realize())
    expected = z
    for _ in range(3):
        at = random.integers(-places, places, count)
        step(memory, Tensor(at).realize(), Tensor(rows).realize())
        expected = added_up(expected, at, rows)
    np.testing.assert_allclose(memory.numpy(), expected, tolerance, 25 * tolerance)


def test_rows_of_the_memory_itself_are_added_as_they_were():
    z = np.random.default_rng(1).standard_normal((3000, 40)).astype(np.float32)
    at = np.arange(200)[::-1].copy()
    memory = Tensor(z).realize()
    memory.index_add_(0, Tensor(at), memory[100:300])
    np.testing.assert_allclose(memory.numpy(), added_up(z, at, z[100:300]), 1e-6)


def test_rows_are_added_to_a_part_of_a_memory():
    z = np.random.default_rng(1).standard_normal((3000, 40)).astype(np.float32)
    at, memory = np.arange(0, 400, 2), Tensor(z).realize()
    memory[1000:].index_add_(0, Tensor(at), Tensor(z[:200]))
    expected = added_up(z, at + 1000, z[:200])
    np.testing.assert_allclose(memory.numpy(), expected, 1e-6)


@pytest.mark.parametrize(("device", "kernels"), [("C", 1), ("CUDA_EMULATED", 2)])
def test_a_memory_that_grows_is_not_filled_where_loops_run_in_order(device, kernels):
    memory = Tensor(np.zeros((4000, 64), np.float32), device=device).realize()
    at, rows = (Tensor(np.ones(n, d), device=device).realize()
                for n, d in ((50, np.int64), ((50, 64), np.float32)))  # fmt: skip
    memory.index_add_(0, at, rows)
    items = memory.schedule()
    assert len(items) == kernels
    for item in items:
        item.run()
    assert memory[1].tolist() == [50.0] * 64 and memory[0].tolist() == [0.0] * 64
