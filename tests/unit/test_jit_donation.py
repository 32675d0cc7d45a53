"""Arguments that are given away: their memory becomes a result's, and nobody else's is touched."""

import gc
import os
from functools import partial
from threading import Thread

import numpy as np
import pytest
from arrays import in_memory, normal

from rulewright import Context, Tensor, Variable, jit
from rulewright.errors import UsageError
from rulewright.runtime.device import Device

SHAPE = (128, 192)  # more than the 64 KiB up to which nothing is taken
rng = np.random.default_rng(0)
data = partial(normal, rng, *SHAPE)


def blocks():
    """How many blocks of memory were given out so far."""
    gc.collect()
    found = Device["C"].allocator.statistics()
    return found.fresh + found.reused


def captured(function, donate, count=1):
    """A jitted function of some large tensors that only runs kernels from now on."""
    made = jit(function, donate=donate)
    for _ in range(2):
        made(*[in_memory(data()) for _ in range(count)])
    return made


def taken_by(function, donate, count=1):
    """How many results of a call are in memory that was donated; the values are numpy's."""
    made = captured(function, donate, count)
    values = [data() for _ in range(count)]
    given = [in_memory(v) for v in values]
    before = blocks()
    found = made(*given)
    new = blocks() - before
    results = found if isinstance(found, tuple) else (found,)
    for one, other in zip(results, wanted(function, values), strict=True):
        np.testing.assert_allclose(one.numpy(), other, rtol=1e-4, atol=1e-4)
    return len(results) - new


def wanted(function, values):
    found = function(*[in_memory(v) for v in values])
    return [t.numpy() for t in (found if isinstance(found, tuple) else (found,))]


# ---- what is taken ------------------------------------------------------------------------


def test_an_elementwise_result_is_written_over_the_argument():
    assert taken_by(lambda x: x * 2 + 1, 0) == 1


def test_results_of_several_arguments_take_one_each():
    assert taken_by(lambda a, b: (a + b, a - b), (0, 1), 2) == 2
    assert taken_by(lambda a, b: (a + b, a - b), 1, 2) == 1
    assert taken_by(lambda a, b: (b * 2, a * 3), (0, 1), 2) == 2


def test_a_step_of_momentum_takes_parameter_and_average():
    def step(value, average, gradient):
        average = average * 0.9 + gradient
        return value - 0.1 * average, average

    assert taken_by(step, (0, 1), 3) == 2


def test_an_argument_read_for_the_last_time_before_the_result_is_written():
    assert taken_by(lambda x, y: y + x.sum(), 0, 2) == 1


def test_the_operand_of_an_epilogue_is_taken():
    square = in_memory(normal(rng, 192, 192))
    assert taken_by(lambda x, y: x @ square + y, 1, 2) == 1


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.softmax(-1),
        lambda x: x.roll(1, 0),
        lambda x: x + x.flip(1),
        lambda x: x.cumsum(1),
        lambda x: x - x.mean(0, keepdim=True),
        lambda x: x @ x.T @ x,
    ],
)
def test_what_is_read_elsewhere_is_not_overwritten(function):
    made = captured(function, 0)
    for _ in range(3):
        values = data()
        found = made(in_memory(values)).numpy()
        np.testing.assert_allclose(found, wanted(function, [values])[0], rtol=1e-3, atol=1e-3)


def test_a_copy_that_is_written_in_part_is_the_argument_itself():
    place = Variable("place", 0, SHAPE[0] - 1)

    def put(cache, row, at):
        cache = cache.clone()
        cache[at : at + 1] = row
        return cache

    step = jit(put, donate="cache")
    cache, model = in_memory(np.zeros(SHAPE, np.float32)), np.zeros(SHAPE, np.float32)
    for at in range(6):
        row = normal(rng, 1, SHAPE[1])
        given, before = in_memory(row), blocks()
        cache = step(cache, given, at=place.bind(at))
        if at >= 2:
            assert blocks() == before
        model[at] = row
        np.testing.assert_array_equal(cache.numpy(), model)
    assert step.captures == 1


def test_training_without_state_holds_its_parameters_once():
    def step(images, weights):
        weights = [w.detach().requires_grad_() for w in weights]
        y = images
        for w in weights:
            y = (y @ w).tanh()
        slopes = y.square().mean().gradient(*weights)
        return [w - 0.1 * s for w, s in zip(weights, slopes, strict=True)]

    images = in_memory(normal(rng, 8, 256))

    def peak(donate):
        made = jit(step, donate=donate)
        weights = [in_memory(np.eye(256, dtype=np.float32)) for _ in range(4)]
        for _ in range(3):
            weights = made(images, weights)
        gc.collect()
        allocator = Device["C"].allocator
        allocator.reset_peak()
        live = allocator.statistics().live
        for _ in range(3):
            weights = made(images, weights)
        return allocator.statistics().peak - live, [w.numpy() for w in weights]

    (most, plain), (least, donated) = peak(()), peak("weights")
    assert most - least >= 4 * 256 * 256 * 4 * 0.95
    for one, other in zip(plain, donated, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


# ---- what others have ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "hold",
    [
        lambda x: x[3:5],
        lambda x: x * 2,
        lambda x: x.detach(),
        lambda x: x.T,
        lambda x: x.reshape(-1),
        lambda x: np.from_dlpack(x),
        lambda x: Tensor(x),
        lambda x: [x.numpy()],
    ],
)
@pytest.mark.parametrize("function", [lambda x: x * 2 + 1, lambda x: x.sum() + Tensor.ones(SHAPE)])
def test_whoever_has_the_memory_too_keeps_what_is_there(hold, function):
    made = captured(function, 0)
    for _ in range(3):
        values = data()
        given = in_memory(values)
        other, same = hold(given), hold(in_memory(values))
        found = made(given)
        found += 5  # nor is it written later
        np.testing.assert_allclose(
            found.numpy(), wanted(function, [values])[0] + 5, rtol=1e-4, atol=1e-2
        )
        for one, two in zip(numbers(other), numbers(same), strict=True):
            np.testing.assert_array_equal(one, two)


def numbers(held):
    return [held.numpy() if isinstance(held, Tensor) else np.asarray(held)]


def test_a_result_that_is_held_and_fed_back_stays():
    step = captured(lambda x: x + 1, 0)
    x = in_memory(np.zeros(SHAPE, np.float32))
    kept = []
    for number in range(5):
        kept.append((number, x.clone().realize(), x.reshape(-1)[:2]))
        x = step(x)
    assert x[0, 0].item() == 5
    assert all(c[0, 0].item() == n and v.tolist() == [n, n] for n, c, v in kept)


def test_memory_of_numpy_arrays_is_left_alone():
    step, mine = captured(lambda x: x * 2, 0), data()
    before = mine.copy()
    found = step(Tensor.from_numpy(mine))
    np.testing.assert_array_equal(found.numpy(), before * 2)
    np.testing.assert_array_equal(mine, before)


def test_views_constants_and_small_tensors_may_be_donated():
    step = jit(lambda x: x * 2, donate=0)
    for number in range(4):
        whole = in_memory(np.full((2, *SHAPE), number, np.float32))
        assert step(whole[1])[0, 0].item() == 2 * number
        assert whole[1, 0, 0].item() == number
        assert step(Tensor.full(SHAPE, 3.0))[0, 0].item() == 6
        assert step(Tensor([number]).realize()).tolist() == [2 * number]


def test_symbolic_sizes_may_be_donated():
    size = Variable("size", 1, SHAPE[0])
    step = jit(lambda x: x * 2, donate=0)
    for number in (3, 5, 128, 7):
        values = data()
        whole = in_memory(values)
        found = step(whole[: size.bind(number)])
        np.testing.assert_array_equal(found.numpy(), values[:number] * 2)
        np.testing.assert_array_equal(whole.numpy(), values)


def test_an_argument_that_is_written_and_returned_is_a_new_tensor():
    @jit(donate="x")
    def add(x, y):
        x += y
        return {"sum": x, "again": x}

    for number in range(4):
        x = in_memory(np.full(SHAPE, number, np.float32))
        view = x[0]
        found = add(x, y=in_memory(np.ones(SHAPE, np.float32)))
        assert found["sum"] is found["again"] and found["sum"] is not x
        assert found["sum"][0, 0].item() == view[0].item() == number + 1
        with pytest.raises(UsageError, match="was donated"):
            x.numpy()


def test_gradients_of_what_is_returned_are_new_ones():
    @jit(donate=0)
    def step(weight, x):
        weight.grad = None
        (weight * x).sum().backward()
        return weight

    weight = in_memory(np.ones(SHAPE, np.float32)).requires_grad_()
    for number in range(4):
        weight = step(weight, in_memory(np.full(SHAPE, number, np.float32)))
        assert weight.requires_grad and weight.grad[0, 0].item() == number


# ---- devices, checks, threads, forks ------------------------------------------------------


def test_the_interpreter_donates_too():
    step = jit(lambda x: x * 2, donate=0)
    for number in range(4):
        x = Tensor(np.full(SHAPE, number, np.float32), device="INTERP")
        assert step(x)[0, 0].item() == 2 * number
        assert "donated" in repr(x)


def test_kernels_in_one_memory_pass_the_checks():
    with Context(VERIFY=1):
        assert taken_by(lambda a, b: (a + b, a * b, a.exp()), (0, 1), 2) == 2


def test_threads_donate_at_once():
    step, wrong = jit(lambda x: x * 2 + 1, donate=0), []

    def work(number):
        for _ in range(20):
            x = in_memory(np.full(SHAPE, number, np.float32))
            view = x[0] if number % 2 else None
            found = step(x)
            if found[-1, -1].item() != 2 * number + 1 or "donated" not in repr(x):
                wrong.append(number)
            if view is not None and view[0].item() != number:
                wrong.append(view)

    threads = [Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_child_of_a_fork_donates():
    step = captured(lambda x: x * 2, 0)
    x = in_memory(np.full(SHAPE, 4, np.float32))
    child = os.fork()
    if not child:
        os._exit(0 if step(x)[0, 0].item() == 8 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert step(x)[-1, -1].item() == 8
