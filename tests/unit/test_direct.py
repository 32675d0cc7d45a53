"""Small values that are computed again without a plan: they are what they would be with one."""

import gc

import numpy as np
import pytest
from arrays import realized

from rulewright import Context, Tensor, Variable, jit
from rulewright.driver.schedules import clear_schedule_cache, ready_values
from rulewright.driver.varying import AS_CONSTANTS
from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.memories import new_buffer
from rulewright.tensor.direct import Direct


@pytest.fixture
def unplanned(monkeypatch):
    """Counts the values that were computed without a plan."""
    clear_schedule_cache()
    found, real = [], Direct.run

    def run(self):
        is_known = self.key in ready_values
        memory = real(self)
        if is_known:
            found.append(memory is not None)
        return memory

    monkeypatch.setattr(Direct, "run", run)
    return found


def test_from_the_third_time_on(unplanned):
    for i in range(5):
        assert (realized(i, 1) * 2 + realized(3, i)).realize().tolist() == [2 * i + 3, 2 + i]
    assert unplanned == [True] * 3


def test_numbers_that_are_read_from_memory_since_they_differ(unplanned):
    for number in range(AS_CONSTANTS + 3):
        assert (realized(1, 2) + number).realize().tolist() == [number + 1, number + 2]
    unplanned.clear()
    for _ in range(3):
        for number in (7, 11):
            assert (realized(3, 4) + number).realize().tolist() == [number + 3, number + 4]
    assert unplanned == [True] * 4


PROGRAMS = {
    "one operand twice": lambda x, y: x + x,
    "the other twice": lambda x, y: y + y,
    "in order": lambda x, y: x - y,
    "the other way": lambda x, y: y - x,
    "zero": lambda x, y: x * 0.0 + y,
    "minus zero": lambda x, y: x * -0.0 + y,
    "one": lambda x, y: x + 1,
    "two": lambda x, y: x + 2,
    "row": lambda x, y: x.reshape(1, 3) + y.reshape(3, 1),
    "column": lambda x, y: x.reshape(3, 1) + y.reshape(1, 3),
    "sum": lambda x, y: x.sum() + y,
    "largest": lambda x, y: x.max() + y,
    "whole": lambda x, y: (x + y).int(),
    "short": lambda x, y: (x + y).cast("i8"),
    "scanned": lambda x, y: (x + y).cumsum(0),
    "turned": lambda x, y: (x.flip(0) + y)[1:],
    "kept": lambda x, y: x.contiguous() + y,
    "chosen": lambda x, y: x.argmax() + y,
    "nothing": lambda x, y: (x + y)[:0] * 2,
    "turned result": lambda x, y: (x + y).flip(0),
    "wide result": lambda x, y: (x + y).reshape(3, 1).expand(3, 2),
    "standing": lambda x, y: (x + y).reshape(3, 1),
    "without slope": lambda x, y: (x + y).detach(),
    "number": lambda x, y: (x + y).sum() * 2,
    "inner product": lambda x, y: x @ y,
    "product": lambda x, y: x.reshape(3, 1) @ y.reshape(1, 3),
    "product turned": lambda x, y: (x.reshape(3, 1) @ y.reshape(1, 3)).T.contiguous(),
    "convolved": lambda x, y: x.reshape(1, 1, 3).conv2d(y[:2].reshape(1, 1, 2)),
    "convolved, wide": lambda x, y: x.reshape(1, 1, 3).conv2d(y[:2].reshape(1, 1, 2), padding=1),
    "windows": lambda x, y: (x + y).unfold(0, 2, 1) * 2,
    "pooled": lambda x, y: (x + y).max_pool1d(2, 1),
    "a piece": lambda x, y: x[1:] + y[:2],
    "another piece": lambda x, y: x[:2] + y[1:],
    "an element": lambda x, y: x[1] * y,
    "two kernels": lambda x, y: (x - x.max().contiguous()) * y,
    "sorted": lambda x, y: (x + y).sort()[0],
}


def test_programs_that_differ_a_little_are_told_apart(unplanned, rng):
    """All take turns, in the order of their names and in another."""
    for order in (PROGRAMS, PROGRAMS, sorted(PROGRAMS), PROGRAMS):
        for name in order:
            x, y = rng.integers(-9, 9, (2, 3)).astype(np.float32)
            found = PROGRAMS[name](Tensor(x).realize(), Tensor(y).realize()).realize()
            wanted = PROGRAMS[name](Tensor(x, device="INTERP"), Tensor(y, device="INTERP"))
            assert found.dtype is wanted.dtype
            np.testing.assert_array_equal(found.numpy(), wanted.numpy(), name)
            signs = [np.signbit(t.numpy()) for t in (found, wanted)]
            np.testing.assert_array_equal(*signs, name)
    assert unplanned.count(True) > len(PROGRAMS)


def test_equal_tensors_become_one_memory_until_one_is_written(unplanned):
    for i in range(4):
        x = realized(i, 2)
        first, second = x + 1, x + 1
        first.realize()
        assert second.state == "realized"
        first += 5
        assert (first.tolist(), second.tolist()) == ([i + 6, 8], [i + 1, 3])
    assert unplanned.count(True) == 2


def test_equal_products_become_one_memory_until_one_is_written(unplanned):
    for i in range(4):
        x, y = realized(i, 2).reshape(2, 1), realized(1, 3).reshape(1, 2)
        first, second = x @ y, x @ y
        later = second + 1
        first.realize()
        first += 5
        assert first.tolist() == [[i + 5, 3 * i + 5], [7, 11]]
        assert second.tolist() == [[i, 3 * i], [2, 6]]
        assert later.tolist() == [[i + 1, 3 * i + 1], [3, 7]]
    assert True in unplanned


def test_scratch_memory_that_is_kept_is_of_one_schedule(unplanned, rng):
    """Two schedules of two kernels each take turns, on arrays that differ from call to call."""
    for _ in range(5):
        x, y = rng.random((2, 33), np.float32)
        sums = (Tensor(x) - Tensor(x).sum().contiguous()).realize()
        most = (Tensor(y) - Tensor(y).max().contiguous()).realize()
        np.testing.assert_allclose(sums.numpy(), x - x.sum(), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(most.numpy(), y - y.max())
    assert unplanned.count(True) == 6


def test_what_was_computed_from_it_reads_its_memory(unplanned):
    for i in range(4):
        x = realized(i, 2)
        y = x * 3
        z = y + 1
        y.realize()
        y += 1
        assert (y.tolist(), z.tolist()) == ([3 * i + 1, 7], [3 * i + 1, 7])
    assert True in unplanned


def test_writes_views_and_pending_writes(unplanned):
    for i in range(4):
        x = realized(i, 2, 4)
        view = x[1:]
        value = x * 2
        x[0] = 9
        assert (view + 1).realize().tolist() == [3, 5]
        assert value.realize().tolist() == [2 * i, 4, 8]
        assert (x + 1).realize().tolist() == [10, 3, 5]


def test_gradients_go_through_it(unplanned):
    for i in range(4):
        x = Tensor([1.0 + i, 2.0], requires_grad=True).realize()
        y = (x * x).realize()
        (y * 3).sum().backward()
        assert x.grad.tolist() == [6 * (1 + i), 12]
    assert True in unplanned


def test_gradients_go_through_a_product(unplanned):
    for i in range(4):
        x = Tensor([[1.0 + i, 2.0]], requires_grad=True).realize()
        y = (x @ realized(1, 2, 3, 4).reshape(2, 2)).realize()
        y.square().sum().backward()
        left, right = (1 + i) + 6, 2 * (1 + i) + 8
        assert x.grad.tolist() == [[2 * left + 4 * right, 6 * left + 8 * right]]
    assert True in unplanned


def test_memory_that_was_never_written_is_an_error(unplanned):
    for _ in range(3):
        (realized(1) + 1).realize()
    late = Tensor(new_buffer(dtypes.f32, (1,), "C"))
    with pytest.raises(UsageError, match="never written"):
        (late + 1).realize()
    assert unplanned[-1] is False


def test_who_watches_sees_a_plan(unplanned, capsys):
    def run():
        return (realized(1, 2) + 1).realize().tolist()

    for _ in range(3):
        run()
    before = len(unplanned)
    for option in ("VERIFY", "DEBUG", "PROFILE"):
        with Context(**{option: 1}):
            assert run() == [2, 3]
    with Context(CACHE=0):
        assert run() == [2, 3]
    assert len(unplanned) == before == 1
    capsys.readouterr()
    step = jit(lambda x: (x + 1).realize())
    for i in range(4):
        assert step(realized(i, 2)).tolist() == [i + 1, 3]


def test_values_of_variables_and_other_devices_take_a_plan(unplanned):
    x, size = realized(1, 2, 3, 4), Variable("n", 1, 4)
    for n in (1, 2, 3, 4):
        assert x[: size.bind(n)].sum().realize().item() == n * (n + 1) / 2
        assert (Tensor([n, 2], device="INTERP") + 1).realize().tolist() == [n + 1, 3]
        assert (x.to("INTERP") + n).realize().tolist() == [1 + n, 2 + n, 3 + n, 4 + n]
    assert not unplanned


def test_large_graphs_take_a_plan(unplanned):
    for _ in range(4):
        y = x = realized(1, 2)
        for _ in range(150):
            y = y * x + x
        y.realize()
    assert y.numpy()[0] == 151
    assert not unplanned


def test_memory_is_given_back(unplanned):
    def step(x):
        return (x + 1).realize()

    x = Tensor.zeros(1 << 20).contiguous().realize()
    for _ in range(3):
        step(x)
    gc.collect()
    before = len(ready_values)
    for _ in range(50):
        x = step(x)
    assert x.numpy()[-1] == 50 and len(ready_values) == before
    assert unplanned.count(True) == 51
