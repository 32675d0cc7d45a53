"""Several threads build, assign, realise, differentiate and jit at once."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rulewright import Context, Tensor, jit


@pytest.fixture(autouse=True)
def hasty_switching():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(function, count=4):
    """Run a function in several threads, given their numbers; the first error is raised."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(function, range(count)))


def integers(rng, *shape):
    return rng.integers(0, 5, shape).astype(np.float32)


shared = jit(lambda x, factor: (x * factor).sum())


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_threads_with_tensors_of_their_own(device):
    def work(seed):
        rng, step = np.random.default_rng(seed), jit(lambda a, b: a @ b + 1)
        for _ in range(25 if device == "C" else 8):
            n = int(rng.integers(1, 6))
            a, b = integers(rng, n, n), integers(rng, n, n)
            x, y = Tensor(a, device=device), Tensor(b, device=device)
            np.testing.assert_array_equal((x @ y + x).sum(0).numpy(), (a @ b + a).sum(0))
            x[0] = y[n - 1]
            a[0] = b[n - 1]
            x += 1
            a += 1
            np.testing.assert_array_equal(x.numpy(), a)
            w = Tensor(a, device=device, requires_grad=True)
            (w * w * y).sum().backward()
            np.testing.assert_array_equal(w.grad.numpy(), 2 * a * b)
            np.testing.assert_array_equal(step(x, y).numpy(), a @ b + 1)
            assert shared(x, 2).item() == a.sum() * 2

    together(work)


def test_threads_write_different_rows_of_one_memory():
    from threading import Lock

    whole, turn = Tensor(np.zeros((4, 5), np.float32)).realize(), Lock()

    def work(row):
        part = whole[row]
        for i in range(20):
            with turn:  # as with numpy, writers of one array take turns
                part += i
            if i % 5 == row:
                part.realize()

    together(work)
    assert (whole.numpy() == sum(range(20))).all()


def test_threads_read_one_lazy_value():
    for _ in range(5):
        x = Tensor(np.arange(6, dtype=np.float32))
        lazy = (x * 3).sum() + 1
        assert together(lambda _, lazy=lazy: lazy.item()) == [46] * 4


def test_schedules_made_at_once_without_a_cache():
    def work(seed):
        with Context(CACHE=0):
            x = Tensor(np.full(seed + 2, seed, np.float32), device="INTERP")
            return [(x * 2 + i).sum().item() for i in range(5)]

    expected = [[(2 * s + i) * (s + 2) for i in range(5)] for s in range(4)]
    assert together(work) == expected


def test_a_capture_does_not_see_what_other_threads_make():
    import threading

    stop, made = threading.Event(), []

    def noise():
        while not stop.is_set():
            made[:] = [Tensor([1.0]) + len(made)]

    thread = threading.Thread(target=noise)
    thread.start()
    try:
        for i in range(5):
            double = jit(lambda x, i=i: x * 2 + i)
            assert [double(Tensor([k])).item() for k in range(4)] == [2 * k + i for k in range(4)]
            assert double.captures == 1
    finally:
        stop.set()
        thread.join()
