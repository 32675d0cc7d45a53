"""Memory around jitted functions: views, equal results, host data, threads."""

from threading import Thread

import numpy as np
import pytest
from jit_helpers import floats

from rulewright import Tensor, jit
from rulewright.runtime.device import Device


def test_views_of_state_follow():
    weight = floats(1, 2).realize()
    view = weight.reshape(2, 1)

    @jit
    def double():
        weight.assign(weight * 2)

    add = jit(lambda x: x + weight)
    for i in range(4):
        weight[0] = float(i)
        assert add(floats(0, 0)).tolist() == [i, 2 ** (i + 1)]
        double()
        assert view.tolist() == [[2 * i], [2 ** (i + 2)]]


def test_equal_results_are_apart_and_views_are_not():
    equal = jit(lambda x: (x + 1, x + 1))

    @jit
    def views(x):
        made = (x + 1).realize()
        return made, made.reshape(1, 1)

    for i in range(4):
        one, two = equal(floats(i))
        one += 10
        assert (one.item(), two.item()) == (i + 11, i + 1)
        one, two = views(floats(i))
        one += 10
        assert (one.item(), two.item()) == (i + 11, i + 11)


def test_host_data_written_inside_begins_anew():
    @jit
    def put(x):
        made = Tensor([1.0, 2.0, 3.0])
        made[0:1] = x
        return made

    for i in range(5):
        got = put(floats(i))
        assert got.tolist() == [i, 2, 3]
        got += 1


def test_no_elements_and_other_devices():
    double = jit(lambda x: x * 2)
    moved = jit(lambda x: x.to("INTERP") * 2)
    for i in range(4):
        assert double(Tensor.zeros(0, 3)).shape == (0, 3)
        got = moved(Tensor([i], device="C"))
        assert (got.tolist(), got.device) == ([2 * i], "INTERP")


def test_threads_share_a_function():
    trace, wrong = jit(lambda x: (x @ x).sum()), []

    def work(k):
        for _ in range(20):
            if trace(Tensor(np.eye(8, dtype=np.float32) * k)).item() != 8 * k * k:
                wrong.append(k)

    threads = [Thread(target=work, args=(k,)) for k in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("size", [100, 100_000, (1 << 18) - 1])
def test_memory_of_a_result_that_nobody_holds_serves_again(size):
    """Below a mebibyte; what somebody holds stays as it is."""
    add, x = jit(lambda x: x + 1), Tensor(np.arange(size, dtype=np.float32)).realize()
    for _ in range(4):
        add(x)
    reused = Device["C"].allocator.statistics()
    for _ in range(5):
        add(x)
    assert Device["C"].allocator.statistics() == reused, "no memory was asked for"
    zeros = Tensor.zeros(size).clone().realize()
    held, other = add(x), add(zeros)
    np.testing.assert_array_equal(held.numpy(), np.arange(1, size + 1, dtype=np.float32))
    np.testing.assert_array_equal(other.numpy(), np.ones(size, np.float32))
