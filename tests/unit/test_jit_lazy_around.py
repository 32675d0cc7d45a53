"""Lazy tensors around a jitted function that writes memory: what they read is what was there."""

import numpy as np
import pytest
from arrays import realized
from calls import calls_of

from rulewright import Tensor, jit


def counter():
    """Memory of three numbers, and a jitted function that adds one to each."""
    count = realized(1.0, 2.0, 3.0)

    @jit
    def step():
        count.assign(count + 1)
        return count * 1

    for _ in range(4):
        step()
    return count, step


def replaced(count):
    return realized(0.0).replace(count * 2)


def assigned(count):
    lazy = realized(0.0, 0.0, 0.0) + 1
    return lazy.assign(count * 2)


def assigned_by_a_view(count):
    lazy = realized(0.0, 0.0, 0.0) + 1
    lazy[:].assign(count * 2)
    return lazy


def written_in_part(count):
    lazy = realized(0.0, 0.0, 0.0, 0.0) + 1
    lazy[1:] = count * 2
    return lazy[1:]


def filled_in_place(count):
    memory = realized(0.0, 0.0, 0.0)
    memory.assign(count * 2)
    return memory


def made_of_what_was_looked_at(count):
    return (realized(0.0, 0.0, 0.0) + count) * 2


def view_of_a_value(count):
    return (count * 2).reshape(3, 1).flip(0).flip(0)[:, 0]


LAZY = [lambda count: count * 2, lambda count: Tensor(count * 2), replaced, assigned,
        assigned_by_a_view, written_in_part, filled_in_place, made_of_what_was_looked_at,
        view_of_a_value, lambda count: (count * 2).detach()]  # fmt: skip
NAMES = ["a value", "another handle", "replaced", "assigned", "assigned by a view",
         "written in part", "filled in place", "made of another", "view of a value",
         "detached"]  # fmt: skip


@pytest.mark.parametrize("make", LAZY, ids=NAMES)
def test_a_lazy_tensor_reads_memory_as_it_was_before_the_call(make):
    count, step = counter()
    kept, wanted = [], []
    for k in range(6):
        if k % 3:  # a call, too, before which nothing became lazy
            kept.append(make(count))
            wanted.append((count.numpy() * 2).tolist())
        assert step().tolist() == count.tolist() == [6.0 + k, 7 + k, 8 + k]
    assert [tensor.tolist() for tensor in kept] == wanted
    assert step.captures == 1


def assign_whole(tensor, count):
    tensor.assign(count * 2)


def assign_view(tensor, count):
    tensor[:].assign(count * 2)


def replace(tensor, count):
    tensor.replace(count * 2)


@pytest.mark.parametrize("memory", [True, False], ids=["memory", "value"])
@pytest.mark.parametrize("viewed", [True, False], ids=["viewed", "alone"])
@pytest.mark.parametrize("write", [assign_whole, assign_view, replace])
def test_what_is_written_between_calls_reads_memory_as_it_was(memory, viewed, write):
    count, step = counter()
    tensor = realized(0.0, 0.0, 0.0) if memory else realized(0.0, 0.0, 0.0) + 1
    view = tensor[1:] if viewed else None
    step()
    write(tensor, count)
    wanted = (count.numpy() * 2).tolist()
    step()
    assert tensor.tolist() == wanted
    if viewed and write is not replace:
        assert view.tolist() == wanted[1:]


def test_a_write_that_waits_into_what_is_read_runs_before_the_call():
    weight = realized(1.0, 2.0)
    step = jit(lambda x: x * weight)
    for k in range(6):
        assert step(realized(2.0, 2.0)).tolist() == [2 + 2 * k, 4 + 2 * k]
        weight += 1
    assert step.captures == 1


def test_what_is_made_of_a_value_that_was_looked_at_is_looked_at():
    count, step = counter()
    other = realized(1.0, 1.0, 1.0) * 5  # which does not read what is written
    step()
    both = other + count
    step()
    assert both.tolist() == [11, 12, 13] and count.tolist() == [7, 8, 9]


def test_a_lazy_tensor_that_no_longer_reads_it_stays_lazy():
    count, step = counter()
    first = count * 2
    second = first + 1
    first.realize()
    step()
    assert second.state == "lazy" and second.tolist() == [11, 13, 15]


def values(step, n):
    lazy = [step() * 2 for _ in range(n)]
    return lazy[-1].tolist()


def total(step, n):
    sums = realized(0.0, 0.0, 0.0)
    for _ in range(n):
        sums = sums + step()
    return (sums / n).shape


def results(step, n):
    kept = []
    for _ in range(n):
        kept.append(step())
        _ = kept[-1] * 2
    return kept[-1].tolist()


@pytest.mark.parametrize("loop", [values, total, results])
def test_calls_among_lazy_tensors_take_linear_time(loop):
    def run(n):
        _, step = counter()
        return calls_of(lambda: loop(step, n))

    run(10)
    few, many = run(100), run(800)
    assert many < 16 * few


def test_arguments_are_written_among_lazy_tensors():
    grown = jit(lambda x: x.assign(x + 1) * 1)
    memory, sums = realized(0.0, 0.0, 0.0), realized(0.0, 0.0, 0.0)
    for _ in range(30):
        sums = sums + grown(memory)
    reads, view, other = memory * 2, memory[1:].reshape(2, 1), realized(1.0) + 1
    grown(memory)
    assert reads.tolist() == [60, 60, 60] and memory.tolist() == [31, 31, 31]
    assert view.tolist() == [[31], [31]] and other.state == "lazy"
    assert sums.tolist() == [465, 465, 465]


def test_a_sum_of_results_over_many_calls_is_right():
    count, step = counter()
    sums = realized(0.0, 0.0, 0.0)
    for _ in range(100):
        sums = sums + step()
    np.testing.assert_array_equal(sums.numpy(), np.arange(6, 106).sum() + np.arange(3) * 100)
    assert count.tolist() == [105, 106, 107]
