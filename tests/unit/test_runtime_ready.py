"""Programs that run again over other memory: in fewer steps, and with the same outcome."""

import numpy as np
import pytest
from arrays import realized

from rulewright import Context, Tensor, Variable
from rulewright.driver.ready import Ready
from rulewright.driver.schedules import clear_schedule_cache
from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.runtime.memories import new_buffer
from rulewright.runtime.profile import GlobalCounters, clear_profile, profile_events


@pytest.fixture
def ready_runs(monkeypatch):
    """Counts the programs that were run as ready ones."""
    clear_schedule_cache()
    found, real = [], Ready.run

    def run(self, buffers, variables):
        done = real(self, buffers, variables)
        if done:
            found.append(len(buffers))
        return done

    monkeypatch.setattr(Ready, "run", run)
    return found


def test_a_program_is_ready_from_the_second_time_on(ready_runs):
    for i in range(5):
        assert (realized(i, 1) * 2 + realized(3, i)).tolist() == [2 * i + 3, 2 + i]
    assert len(ready_runs) == 4


def test_results_and_operands_that_share_memory(ready_runs):
    x = realized(1, 2)
    for i in range(4):
        x += 1
        assert x.realize().tolist() == [2 + i, 3 + i]
        assert (x + x).tolist() == [2 * (2 + i), 2 * (3 + i)]
    assert ready_runs


def test_no_elements_and_several_kernels(ready_runs):
    for i in range(4):
        assert (Tensor.empty(0, 3) + 1).realize().shape == (0, 3)
        a, b = realized(i) + 1, realized(i, i).sum()
        a.realize(b)
        assert (a.item(), b.item()) == (i + 1, 2 * i)


def test_sizes_that_are_bound_are_set_for_each_run(ready_runs):
    x, size = realized(1, 2, 3, 4), Variable("n", 1, 4)
    for n in (1, 2, 3, 4, 2):
        assert x[: size.bind(n)].sum().item() == n * (n + 1) / 2
    assert len(ready_runs) == 4
    rows, columns = Variable("rows", 1, 40), Variable("columns", 1, 50)
    y = np.arange(2000, dtype="f4").reshape(40, 50)
    table = Tensor(y).realize()
    for n, m in [(40, 50), (1, 1), (7, 33), (33, 7), (40, 2), (1, 50), (7, 33)]:
        part = table[: rows.bind(n), : columns.bind(m)]
        assert (part * 2).sum().item() == y[:n, :m].sum(dtype="f8") * 2
        np.testing.assert_array_equal(part.sum(0).numpy(), y[:n, :m].sum(0))
    assert len(ready_runs) >= 4 + 2 * 6


def test_kernels_are_counted_reported_and_timed_as_before(ready_runs, capsys):
    def run():
        return (realized(1) * 3).item()

    for _ in range(3):
        run()
    before, on = GlobalCounters.kernels, GlobalCounters.kernels_on["C"]
    run()
    assert (GlobalCounters.kernels - before, GlobalCounters.kernels_on["C"] - on) == (1, 1)
    runs = len(ready_runs)
    with Context(DEBUG=2):
        run()
    assert "schedule" in (said := capsys.readouterr().err) and " us" in said
    with Context(PROFILE=1):
        clear_profile()
        run()
        assert [e.category for e in profile_events()].count("kernel") == 1
    with Context(VERIFY=1):
        run()
    assert len(ready_runs) == runs


@pytest.mark.parametrize("size", [257, 1000, 4096])
def test_scratch_that_a_kernel_works_in_is_no_argument(ready_runs, rng, size):
    """A long axis is sorted in one kernel, which has memory of its own to work in."""
    for _ in range(3):
        x = rng.normal(size=size).astype("f4")
        y = Tensor(x).realize()
        np.testing.assert_array_equal(y.argsort().numpy(), np.argsort(x, kind="stable"))
        np.testing.assert_array_equal(y.sort()[0].numpy(), np.sort(x))
        np.testing.assert_array_equal(y[y.argsort()].numpy(), np.sort(x))
    assert len(ready_runs) >= 6


def test_threads_are_those_of_the_option(ready_runs):
    x = Tensor(np.ones(1 << 20, np.float32)).realize()
    for threads in (1, 2, 0, 1):
        with Context(THREADS=threads):
            for _ in range(3):
                assert (x + 1).realize()[-1].item() == 2
    assert ready_runs


def test_memory_that_was_never_written_is_an_error(ready_runs):
    for _ in range(3):
        (realized(1, 2) + 1).realize()
    late = Tensor(new_buffer(dtypes.f32, (2,), "C"))
    with pytest.raises(UsageError, match="never written"):
        (late + 1).realize()
