"""Tensor programs and steps for the CUDA device, each with the values that it should give.

They run over the stand-in for the driver (`test_cuda_programs.py`) and on a GPU (`tests/cuda/`).
"""

from __future__ import annotations

import threading

import numpy as np

from rulewright import Tensor, Variable, jit
from rulewright.nn.optim import SGD
from rulewright.runtime.device import Device

ROWS = np.random.default_rng(3).integers(-9, 9, (70, 300)).astype(np.float32)
"""Copied beside kernels, and whole numbers, so that sums are exact in any order."""
SQUARE = np.random.default_rng(4).normal(size=(16, 16)).astype(np.float32)


def on_cuda(array) -> Tensor:
    return Tensor(array, device="CUDA")


PROGRAMS = {
    "rows": lambda t: (t(ROWS) * 2).softmax(-1).contiguous().sum(1) + t(ROWS).max(1),
    "matmul": lambda t: (t(SQUARE) @ t(SQUARE).relu()).contiguous() @ t(SQUARE),
    "cumulative": lambda t: t(ROWS).cumsum(1)[:, ::7],
    "half": lambda t: t(SQUARE).half() @ t(SQUARE).half(),
    "integers": lambda t: t(np.arange(-9, 9)) // 4 + t(np.arange(18, dtype=np.int16)) % 5,
    "nothing": lambda t: t(ROWS[:0]).sum(0),
    "one": lambda t: t(ROWS[:1, :1]) + 1,
}


def agrees(name: str) -> None:
    """A program gives what the interpreter gives."""
    found = PROGRAMS[name](on_cuda).numpy()
    expected = PROGRAMS[name](lambda array: Tensor(array, device="INTERP")).numpy()
    assert found.dtype == expected.dtype and found.shape == expected.shape
    near = 1e-2 if expected.dtype == np.float16 else 2e-5
    np.testing.assert_allclose(found, expected, rtol=near, atol=near * 30)


def replays_with_other_arguments():
    step = jit(lambda x, w: ((x * 3).contiguous().sum(0) + w).contiguous() * 2)
    kept = []
    for number in range(6):
        x, w = ROWS + number, ROWS[0] * number
        kept.append((step(on_cuda(x), on_cuda(w)), ((x * 3).sum(0) + w) * 2))
    for found, expected in kept:  # none of them was looked at while others ran
        np.testing.assert_array_equal(found.numpy(), expected)


def writes_in_place():
    total = on_cuda(np.zeros((70, 300), np.float32)).realize()

    @jit
    def step(x):
        total.assign(total * 2 + x)
        x[3:5] = total[3:5]
        return total.sum(1)

    expected = np.zeros((70, 300), np.float32)
    for number in range(5):
        x = on_cuda(ROWS + number).realize()
        found = step(x)
        expected = expected * 2 + ROWS + number
        np.testing.assert_array_equal(found.numpy(), expected.sum(1))
        np.testing.assert_array_equal(x[3:5].numpy(), expected[3:5])
    np.testing.assert_array_equal(total.numpy(), expected)


def donates():
    step = jit(lambda cache, x: cache + x, donate="cache")
    cache, expected = on_cuda(ROWS).realize(), ROWS.copy()
    for number in range(5):
        cache = step(cache, on_cuda(ROWS * number))
        expected += ROWS * number
    np.testing.assert_array_equal(cache.numpy(), expected)


def has_symbolic_sizes():
    rows = Variable("rows", 1, 70)
    step = jit(lambda x: (x * 2).contiguous().sum(1) + x.max(1))
    x = on_cuda(ROWS).realize()
    kept = [(size, step(x[: rows.bind(size)])) for size in (70, 3, 1, 31)]
    for size, found in kept:
        expected = (ROWS[:size] * 2).sum(1) + ROWS[:size].max(1)
        np.testing.assert_array_equal(found.numpy(), expected)


def has_sizes_that_are_none():
    rows = Variable("rows", 1, 70)
    step = jit(lambda x, y: ((x[1:] * 2).contiguous() + 1, y.sum(1)))
    x = on_cuda(ROWS).realize()
    for size in (3, 70, 1, 1, 31, 1):
        found, total = step(x[: rows.bind(size)], x)
        np.testing.assert_array_equal(found.numpy(), ROWS[1:size] * 2 + 1)
        np.testing.assert_array_equal(total.numpy(), ROWS.sum(1))


def draws_random_numbers():
    def draws(device):
        Tensor.manual_seed(5)
        step = jit(lambda x: (x + Tensor.rand(70, 4, device=device)).contiguous() * 2)
        zeros = Tensor(np.zeros((70, 4), np.float32), device=device)
        return [step(zeros) for _ in range(5)]

    found, expected = draws("CUDA"), draws("INTERP")
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


def trains():
    def losses(device):
        weight = Tensor(SQUARE, device=device, requires_grad=True)
        optimizer = SGD([weight], lr=0.1, momentum=0.9)
        inputs = Tensor(SQUARE[:8], device=device)

        @jit
        def step(x):
            optimizer.zero_grad()
            loss = ((x @ weight) ** 2).mean()
            loss.backward()
            optimizer.step()
            return loss

        return [step(inputs + number / 10).item() for number in range(4)]

    with Tensor.train():
        np.testing.assert_allclose(losses("CUDA"), losses("INTERP"), rtol=1e-4)


def writes_host_memory_again():
    kept = []
    host = np.empty_like(ROWS)
    for number in range(5):
        host[:] = ROWS + number
        kept.append(on_cuda(host) * 2)
        kept[-1].realize()
    host[:] = np.nan
    for number, found in enumerate(kept):
        np.testing.assert_array_equal(found.numpy(), (ROWS + number) * 2)


def frees_memory_in_use():
    found = []
    for number in range(4):
        x = on_cuda(ROWS + number)
        found.append((x + 1).sum(1).realize())
        del x
    for number, row in enumerate(found):
        np.testing.assert_array_equal(row.numpy(), (ROWS + number + 1).sum(1))
    assert Device["CUDA"].allocator.statistics().reused > 0


def runs_in_threads():
    wrong = []

    def work(number: int) -> None:
        try:
            step = jit(lambda x: (x * number).contiguous().sum(0))
            for turn in range(6):
                data = ROWS + number + turn
                found = step(on_cuda(data)).numpy()
                np.testing.assert_array_equal(found, (data * number).sum(0))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


STEPS = (
    replays_with_other_arguments,
    writes_in_place,
    donates,
    has_symbolic_sizes,
    has_sizes_that_are_none,
    draws_random_numbers,
    trains,
    writes_host_memory_again,
    frees_memory_in_use,
    runs_in_threads,
)
