"""Kernels that differ in which part of a memory they use are one, launched with one address after
the other."""

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, jit
from rulewright.driver.execute import compile_items, loaded
from rulewright.errors import CompileError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.host import HostDevice
from rulewright.schedule.parts import Part, over_parts

draw = np.random.default_rng(0)


def floats(*shape):
    return draw.normal(size=shape).astype(np.float32)


def kernel_of(tensor):
    (item,), _ = tensor.schedule_with_vars()
    return item.ast


def parts(tensor, alignment=1):
    return over_parts(kernel_of(tensor), alignment)[1]


# ---- what a part is ------------------------------------------------------------------------------


def test_steps_through_a_memory_are_one_kernel_over_its_parts():
    x = Tensor(floats(6, 4, 5)).realize()
    found = [over_parts(kernel_of(x[t] * 2), 1) for t in range(6)]
    assert len({kernel for kernel, _ in found}) == 1
    assert [p for _, p in found] == [{1: Part(20 * t, 20)} for t in range(6)]


def test_steps_that_write_parts_are_one_kernel():
    x, y = Tensor(floats(6, 20)).realize(), Tensor(floats(20)).realize()
    kernels = []
    for t in range(6):
        x[t] = y * 3
        (item,) = x.schedule()
        kernels.append(over_parts(item.ast, 1))
        x.realize()
    assert len({kernel for kernel, _ in kernels}) == 1
    assert [p for _, p in kernels] == [{0: Part(20 * t, 20)} for t in range(6)]


def test_what_a_step_reads_and_writes_in_one_memory_is_one_part():
    x = Tensor(floats(9, 7)).realize()
    found = []
    for t in range(1, 9):
        x[t] = x[t - 1].flip(0) * 2
        items = x.schedule()
        found.append([over_parts(item.ast, 1) for item in items])
        x.realize()
    assert len({tuple(k for k, _ in kernels) for kernels in found}) == 1


@pytest.mark.parametrize(
    "use", [lambda x: x * 2, lambda x: x.flip(0), lambda x: x[1:] - x[:-1], lambda x: x[::-2]]
)
def test_memory_that_is_used_from_end_to_end_is_no_part(use):
    x = Tensor(floats(9, 4)).realize()
    kernel = kernel_of(use(x).contiguous())
    assert over_parts(kernel, 1) == (kernel, {})


def test_places_that_data_name_are_in_no_part():
    x, i = Tensor(floats(9, 4)).realize(), Tensor(np.array([3, 1])).realize()
    kernel = kernel_of(x[i])
    assert over_parts(kernel, 1) == (kernel, {})


def test_a_part_begins_where_a_device_lets_it():
    x = Tensor(floats(64, 50)).realize()
    assert parts(x[3] * 2) == {1: Part(150, 50)}
    assert parts(x[3] * 2, 256) == {1: Part(128, 72)}
    assert parts(x[3] * 2, 1 << 20) == {1: Part(0, 200)}


def test_a_part_holds_the_elements_that_a_mask_lets_pass():
    x = Tensor(floats(8, 10)).realize()
    [part] = parts(x[2].pad(((3, 3),)) + 1).values()
    assert part.first <= 20 and part.first + part.size >= 30
    np.testing.assert_array_equal(
        (x[2].pad(((3, 3),)) + 1).numpy(), np.pad(x.numpy()[2], 3) + np.float32(1)
    )


def test_a_part_holds_what_any_value_of_a_variable_asks_for():
    x, n = Tensor(floats(9, 4)).realize(), Variable("n", 2, 5)
    assert parts(x[n.bind(3)] * 2) == {1: Part(8, 16)}
    for value in (2, 3, 5):
        np.testing.assert_array_equal((x[n.bind(value)] * 2).numpy(), x.numpy()[value] * 2)


def test_a_kernel_over_a_part_stays_inside_of_it():
    x = UOp(Ops.PARAM, dtypes.f32, (), (1, (64,), None))
    out = UOp(Ops.PARAM, dtypes.f32, (), (0, (8,), None))
    loop = UOp.range(8, 0)
    kernel = UOp.sink(out.index(loop).store(x.index(loop * 2 + 40)).end(loop))
    made, found = over_parts(kernel, 1)
    assert found == {1: Part(40, 15)}
    memory = next(n for n in made.toposort() if n.op is Ops.PARAM and n.arg[0] == 1)
    indices = [n.src[1] for n in made.toposort() if n.op is Ops.INDEX and n.src[0] is memory]
    assert memory.arg[1] == (15,) and [(i.vmin, i.vmax) for i in indices] == [(0, 14)]


# ---- what runs -----------------------------------------------------------------------------------


def test_a_loop_over_steps_lowers_one_kernel_each_kind(lowered):
    x, w = Tensor(floats(30, 3, 13)).realize(), Tensor(floats(13, 13)).realize()
    h, out = Tensor.zeros(3, 13).realize(), []
    for t in range(30):
        h = (x[t] @ w + h).tanh()
        out.append(h)
    got = Tensor.stack(*out).numpy()
    assert len(lowered) <= 3  # a step, and the stack
    state = np.zeros((3, 13))
    for t, step in enumerate(got):
        state = np.tanh(x.numpy()[t].astype(np.float64) @ w.numpy() + state)
        np.testing.assert_allclose(step, state, rtol=1e-4, atol=1e-5)


def test_steps_that_are_realized_one_by_one_are_lowered_once(lowered):
    x = Tensor(floats(12, 17)).realize()
    out = Tensor(np.zeros((12, 17), np.float32)).realize()
    for t in range(12):
        out[t] = x[t] * 2 + 1
        out.realize()
    assert len(lowered) == 1
    np.testing.assert_array_equal(out.numpy(), x.numpy() * 2 + 1)


def test_windows_that_slide_are_lowered_once(lowered):
    x = Tensor(floats(23, 6)).realize()
    got = [(x[t : t + 4] * 3).sum(0).numpy() for t in range(20)]
    assert len(lowered) == 1
    want = [(x.numpy()[t : t + 4] * 3).sum(0) for t in range(20)]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_a_captured_loop_runs_over_the_parts_of_other_inputs():
    @jit
    def steps(x):
        h = Tensor.zeros(5)
        for t in range(6):
            h = (h * 0.5 + x[t]).contiguous()
        return h.realize()

    for _ in range(4):
        x = floats(6, 5)
        want = np.zeros(5)
        for row in x:
            want = want * 0.5 + row
        np.testing.assert_allclose(steps(Tensor(x).realize()).numpy(), want, rtol=1e-5, atol=1e-5)


def test_a_captured_write_goes_to_the_part_of_what_is_given():
    @jit
    def put(x, y):
        x[3] = y * 2
        return x.realize()

    for _ in range(4):
        x, y = floats(6, 5), floats(5)
        want = x.copy()
        want[3] = y * 2
        got = put(Tensor(x).realize(), Tensor(y).realize())
        np.testing.assert_array_equal(got.numpy(), want)


def test_a_part_of_a_view_of_shared_memory_is_found_there():
    given = floats(8, 6)
    rows = Tensor.from_numpy(given)
    for t in range(8):
        np.testing.assert_array_equal((rows[t] + 1).numpy(), given[t] + 1)


@pytest.mark.parametrize("device", ["C", "CUDA_EMULATED", "METAL_EMULATED", "INTERP"])
@pytest.mark.parametrize("width", [1, 7, 64])
def test_each_device_finds_the_parts(device, width):
    given = floats(5, width)
    x = Tensor(given, device=device).realize()
    out = Tensor(np.zeros((5, width), np.float32), device=device).realize()
    for t in range(5):
        out[t] = x[4 - t] * 2
    np.testing.assert_array_equal(out.numpy(), given[::-1] * 2)


@pytest.mark.parametrize("dtype", ["bool", "i8", "f16", "i64", "f64"])
def test_parts_begin_at_elements_of_each_size(dtype):
    given = np.arange(35).reshape(7, 5) % 3
    x = Tensor(given, dtype=getattr(dtypes, dtype)).realize()
    for t in range(7):
        got = x[t].flip(0).contiguous().numpy()
        np.testing.assert_array_equal(got, x.numpy()[t][::-1])


# ---- what is checked, and what fails -------------------------------------------------------------


def test_what_is_certified_runs_over_whole_memories(tmp_path):
    pytest.importorskip("z3")  # of rules that fired, the prover says what they are
    x = Tensor(floats(6, 19)).realize()
    with Context(VERIFY="prove", CERTIFICATES=str(tmp_path), CACHE=0):
        (item,) = (x[3] * 2).schedule()
        item.run()
        assert loaded(item).parts == {}
    with Context(VERIFY=1):
        assert loaded(item).parts == {1: Part(57, 19)}


def test_kernels_that_do_not_compile_are_named_by_the_methods_of_all_that_share_them(monkeypatch):
    def refuse(device, units):
        list(units)
        raise CompileError("no")

    monkeypatch.setattr(HostDevice, "compile_many", refuse)
    x = Tensor(floats(6, 23)).realize()
    items = (x[3] * 5).schedule() + (x[4] * 5).schedule()
    with Context(CACHE=0), pytest.raises(CompileError) as caught:
        compile_items(items)
    assert set(caught.value.kernels) == {item.ast for item in items}
    assert any("mul" in method for method in caught.value.methods)
