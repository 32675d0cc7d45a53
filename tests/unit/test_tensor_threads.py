"""Several threads build, assign, realise, differentiate and jit at once."""

import sys
from concurrent.futures import ThreadPoolExecutor, wait
from random import Random
from threading import Event, Thread

import numpy as np
import pytest

from rulewright import Context, Tensor, function, jit, nn
from rulewright.ir.ops import Ops
from rulewright.runtime.profile import GlobalCounters
from rulewright.tensor.jit_replay import Replaying


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
    stop, made = Event(), []

    def noise():
        while not stop.is_set():
            made[:] = [Tensor([1.0]) + len(made)]

    thread = Thread(target=noise)
    thread.start()
    try:
        for i in range(5):
            double = jit(lambda x, i=i: x * 2 + i)
            assert [double(Tensor([k])).item() for k in range(4)] == [2 * k + i for k in range(4)]
            assert double.captures == 1
    finally:
        stop.set()
        thread.join()


def test_a_capture_leaves_the_gradients_of_other_threads_alone():
    double, there, go_on = jit(lambda x: (x * 2).sum()), Event(), Event()
    kept = {}

    def other():
        w = kept["w"] = Tensor([1.0, 2.0], requires_grad=True)
        (w * w).sum().backward()
        there.set()
        go_on.wait(30)

    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(other)
        assert there.wait(30)
        try:
            assert [double(Tensor([k, 1.0])).item() for k in range(3)] == [2, 4, 6]
            assert kept["w"].grad.uop.op is not Ops.BUFFER  # nobody asked for it
            before = GlobalCounters.kernels
            double(Tensor([5.0, 1.0]))
            assert GlobalCounters.kernels == before + 1
            kept.clear()  # a capture that had to do with it would no longer fit
            assert double(Tensor([6.0, 1.0])).item() == 14
        finally:
            go_on.set()
        task.result()
    assert double.captures == 1


def test_gradients_that_a_replay_reads_may_go_meanwhile(monkeypatch):
    p = Tensor([1.0, 2.0], requires_grad=True)
    (p * 3).sum().backward()
    step = jit(lambda x: x + p.grad)
    assert [step(Tensor([k, 0.0])).tolist() for k in range(3)] == [[3 + k, 3] for k in range(3)]
    fits = Replaying.unchanged

    def fits_and_another_thread_lets_go(capture, tensors):
        answer = fits(capture, tensors)
        p.grad = None
        return answer

    monkeypatch.setattr(Replaying, "unchanged", fits_and_another_thread_lets_go)
    assert step(Tensor([7.0, 0.0])).tolist() == [10, 3]


def test_threads_call_functions_of_the_same_tensors():
    rng = np.random.default_rng(1)
    w, xs = integers(rng, 3, 3), [integers(rng, 2, 3) for _ in range(4)]
    layer, weight = nn.Linear(3, 3, bias=False), Tensor(w)
    layer.weight.assign(weight).realize()

    @function
    def inside(x):
        return x @ weight + layer(x)

    @function(precompile=True)
    def whole(layer, x):
        return layer(x).relu()

    def work(i):
        x, there = xs[i], Tensor(xs[i])
        for _ in range(25):
            results = inside(there), there @ weight, layer(there), whole(layer, there), weight * 2
            expected = x @ w + x @ w.T, x @ w, x @ w.T, x @ w.T, w * 2
            for value, right in zip(results, expected, strict=True):
                np.testing.assert_array_equal(value.numpy(), right)

    together(work)


def test_what_a_function_writes_is_seen_by_other_threads_when_it_is_done():
    norm, stop = nn.BatchNorm(2), Event()

    @function
    def normal(x):
        with Tensor.train():
            return norm(x)

    def look(_):
        seen = []
        while not stop.is_set():
            seen.append((norm.running_mean * 1).numpy())
        return seen

    with ThreadPoolExecutor(2) as pool:
        looking = pool.map(look, range(2))
        try:
            for k in range(1, 30):
                normal(Tensor(np.full((4, 2), k, np.float32))).realize()
        finally:
            stop.set()
        means = np.concatenate([*looking])
    allowed, mean = {0.0}, np.float32(0)
    for k in range(1, 30):
        mean = np.float32(mean + np.float32(0.1) * (k - mean))
        allowed.add(float(mean))
    distance = np.abs(means[..., None] - np.array(sorted(allowed), np.float32)).min(-1)
    assert distance.max() < 1e-4


def test_a_write_that_another_thread_performed_is_not_performed_again():
    """A thread looks at a tensor, another one computes it, the first goes on with what it saw."""
    x = Tensor(np.arange(3, dtype=np.float32)).realize()
    x += 1
    seen = x.uop
    x.realize()
    late = x._new(seen * 2)
    x += 5
    np.testing.assert_array_equal(late.numpy(), [2, 4, 6])
    np.testing.assert_array_equal(x.numpy(), [6, 7, 8])
    np.testing.assert_array_equal(x._new(seen * 2).numpy(), [12, 14, 16])  # what is there now


def test_a_write_made_of_one_that_was_performed_is_performed_once():
    x = Tensor(np.zeros(3, np.float32)).realize()
    x += 1
    first = x.uop
    x.realize()
    x.assign(x._new(first + 1))  # in which the first one still waits
    second = x.uop
    np.testing.assert_array_equal(x.numpy(), [2, 2, 2])
    late = x._new(second * 2)
    np.testing.assert_array_equal(x._new(first * 3).numpy(), [6, 6, 6])  # of what is there now
    np.testing.assert_array_equal(late.numpy(), [4, 4, 4])
    np.testing.assert_array_equal(x.numpy(), [2, 2, 2])


def test_a_performed_write_stays_that_when_what_it_is_made_of_is_computed():
    x = Tensor(np.zeros(3, np.float32)).realize()
    value = Tensor(np.ones(3, np.float32)).realize().exp2()
    x.assign(x + value)
    seen = x.uop
    x.realize()
    late = x._new(seen * 2)
    value.realize()
    np.testing.assert_array_equal(late.numpy(), [4, 4, 4])
    np.testing.assert_array_equal(x.numpy(), [2, 2, 2])


def test_who_looks_at_a_view_of_what_a_function_writes_waits_for_it():
    memory, tasks = Tensor(np.zeros(4, np.float32)).realize(), []
    part, other = memory[1:3], memory[2:]

    with ThreadPoolExecutor(2) as pool:

        @function
        def write(x):
            part.assign(x)
            tasks.extend(pool.submit(lambda t=t: (t * 1).numpy()) for t in (memory, other))
            assert not wait(tasks, 0.2).done
            return x * 2

        np.testing.assert_array_equal(write(Tensor([1.0, 2.0])).numpy(), [2, 4])
        np.testing.assert_array_equal(tasks[0].result(), [0, 1, 2, 0])
        np.testing.assert_array_equal(tasks[1].result(), [2, 0])


def test_equal_writes_are_performed_each_time():
    x = Tensor(np.arange(3, dtype=np.float32)).realize()
    memory, kept = x.uop, []
    for k in range(1, 4):
        x += 1
        kept.append(x.uop)  # an equal node, as this one is still there
        np.testing.assert_array_equal(x.numpy(), np.arange(3) + k)
    for k in range(4, 7):
        x += 1
        kept.append(x.kernelize().uop)
        np.testing.assert_array_equal(x.numpy(), np.arange(3) + k)
    for k in range(7, 10):
        kept.append(memory.assign(memory + 1))
        np.testing.assert_array_equal(Tensor(kept[-1]).numpy(), np.arange(3) + k)
    assert len(set(kept)) == 2  # as it was written, and with its kernel chosen


def test_one_thread_writes_and_others_look():
    """What is written depends on the writer alone, and readers never go back in time."""
    x, stop = Tensor(np.zeros((2, 3), np.float32)).realize(), Event()
    add, double = jit(lambda: x.assign(x + 1).realize()), jit(lambda a: a * 2)
    w = Tensor(np.ones((2, 3), np.float32), requires_grad=True)

    @function
    def twice(a):
        return a + a

    def add_to_rows():
        for row in range(2):
            x[row] += 1

    def gradient():
        (w * x).sum().backward()
        value, w.grad = w.grad, None
        return value

    def write():
        rng = Random(3)
        writes = [lambda: x.assign(x + 1), lambda: x.__iadd__(1), add, add_to_rows]
        for value in range(1, 151):
            rng.choice(writes)()
            read = rng.choice([None, None, lambda: x, lambda: twice(x) / 2, gradient])
            if read is not None:
                assert (read().numpy() == value).all()

    def look(seed):
        rng, last = Random(seed), 0.0
        reads = [lambda: x * 1, lambda: x.clone(), lambda: double(x) / 2, lambda: twice(x) / 2]
        while not stop.is_set():
            value = rng.choice([*reads, lambda: x, lambda: x.T.contiguous()])().numpy()
            assert value.min() >= last
            last = value.min()

    with ThreadPoolExecutor(3) as pool:
        looking = pool.map(look, range(2))
        try:
            pool.submit(write).result()
        finally:
            stop.set()
        list(looking)
