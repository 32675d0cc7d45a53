"""Programs that differ in sizes alone: after two, those of other sizes share kernels."""

import os
import subprocess
import sys
from pathlib import Path

import growing_programs
import numpy as np
import pytest

from rulewright import Context, Tensor, nn
from rulewright.driver import dynamic_shapes, graphs, schedules
from rulewright.driver.recent import Recent
from rulewright.errors import ScheduleError

SIZES = [3, 4, 5, 6, 7, 9, 12, 17, 40, 200]
ALONE = dynamic_shapes.OF_ONE_SIZE

RNG = np.random.default_rng(0)
W = RNG.standard_normal((8, 5)).astype("f4")


@pytest.fixture(autouse=True)
def dynamic(monkeypatch):
    """The option is on, and nothing is known of what other tests ran; gives what is known."""
    schedules.clear_schedule_cache()
    programs = Recent(99)
    monkeypatch.setattr(dynamic_shapes, "_programs", programs)
    with Context(DYNAMIC=1):
        yield programs


def array(*shape):
    return RNG.standard_normal(shape).astype("f4")


def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


PROGRAMS = {
    "add": (lambda x: x + 1, lambda x: x + 1),
    "sum of rows": (lambda x: x.sum(1), lambda x: x.sum(1)),
    "sum of columns": (lambda x: x.sum(0), lambda x: x.sum(0)),
    "mean": (lambda x: x.mean(0), lambda x: x.mean(0)),
    "product": (lambda x: x @ Tensor(W), lambda x: x @ W),
    "of rows": (lambda x: x @ x.T, lambda x: x @ x.T),
    "of columns": (lambda x: x.T @ x, lambda x: x.T @ x),
    "softmax": (lambda x: x.softmax(0), lambda x: softmax(x, 0)),
    "flip": (lambda x: x.flip(0) * 2, lambda x: x[::-1] * 2),
    "cat": (lambda x: x.cat(Tensor(W).T), lambda x: np.concatenate([x, W.T])),
    "stack": (lambda x: Tensor.stack(x, x * 2), lambda x: np.stack([x, x * 2])),
    "but the first": (lambda x: x[1:] + 1, lambda x: x[1:] + 1),
    "padded": (lambda x: (x * 2).pad(((1, 2), (0, 0))), lambda x: np.pad(x * 2, ((1, 2), (0, 0)))),
    "counted": (
        lambda x: x * Tensor.arange(len(x)).reshape(-1, 1),
        lambda x: x * np.arange(len(x), dtype="f4")[:, None],
    ),
    "transposed": (lambda x: x.T.contiguous(), lambda x: x.T),
    "flat": (lambda x: (x * 2).reshape(-1), lambda x: (x * 2).reshape(-1)),
    "argmax": (lambda x: x.argmax(0), lambda x: x.argmax(0)),
    "attention": (
        lambda x: (x @ x.T + Tensor.full((len(x),) * 2, float("-inf")).triu(1)).softmax(-1) @ x,
        lambda x: softmax(np.where(np.tri(len(x)) > 0, x @ x.T, -np.inf), -1) @ x,
    ),
    "kept on the way": (
        lambda x: x - x.sum(0, keepdim=True).contiguous(),
        lambda x: x - x.sum(0, keepdims=True),
    ),
    "rolled": (lambda x: x.roll(1, 0) + 0, lambda x: np.roll(x, 1, 0)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_from_the_fourth_size_on_nothing_is_compiled(compiled, dynamic, name):
    program, wanted = PROGRAMS[name]
    counts = []
    for size in SIZES:
        x = array(size, 8)
        result = program(Tensor(x).realize()).numpy()
        counts.append(len(compiled))
        np.testing.assert_allclose(result, wanted(x), rtol=2e-5, atol=2e-5)
    assert len(set(counts[ALONE:])) == 1, counts
    assert not any(alike.is_refused for alike in dynamic.values())


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_whichever_axis_grows(compiled, axis):
    for size in SIZES:
        shape = [3, 2, 5]
        shape[axis] = size
        x = array(*shape)
        result = (Tensor(x).realize().permute(2, 0, 1).exp().sum(1) * 2).numpy()
        np.testing.assert_allclose(result, np.exp(x).sum(0).T * 2, rtol=1e-5)
    assert len(compiled) == ALONE + 1


@pytest.mark.parametrize("name", ["add", "sum of columns", "flat", "mean", "transposed", "rows"])
def test_two_axes_that_grow(compiled, name):
    both = (lambda x: x.reshape(-1, 4) @ Tensor(W[:4]), lambda x: x.reshape(-1, 4) @ W[:4])
    program, wanted = both if name == "rows" else PROGRAMS[name]
    for shape in [(2, 5), (3, 7), (4, 3), (6, 11), (9, 2), (5, 5), (12, 30), (60, 7)]:
        x = array(*shape, 4) if name == "rows" else array(*shape)
        result = program(Tensor(x).realize()).numpy()
        np.testing.assert_allclose(result, wanted(x), rtol=2e-5, atol=2e-5)
    assert len(compiled) <= ALONE + 2  # a square reads one size where others read two


def test_a_larger_size_than_foreseen_is_compiled_once_more(compiled):
    counts = []
    for size in (3, 4, 5, 250, 300, 400, 1000, 5, 2000):
        x = array(size)
        result = (Tensor(x).realize() * 2).numpy()
        np.testing.assert_array_equal(result, x * 2)
        counts.append(len(compiled))
    assert counts == [1, 2, 3, 3, 4, 4, 4, 4, 5]


def test_what_is_computed_often_at_one_size_has_kernels_of_that_size(compiled, monkeypatch):
    monkeypatch.setattr(dynamic_shapes, "ENOUGH", 100)
    counts = []
    for size in (3, 4, 5, 30, 30, 30, 30, 30, 31, 120, 120):
        x = array(size)
        np.testing.assert_array_equal((Tensor(x).realize() + 1).numpy(), x + 1)
        counts.append(len(compiled))
    # the fourth of 30 elements is one too many, and 120 are at once
    assert counts == [1, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5]


def test_two_sizes_that_come_in_turns_have_kernels_of_their_own(compiled):
    for size in (32, 17) * 4:
        x = array(size)
        np.testing.assert_array_equal((Tensor(x).realize() + 1).numpy(), x + 1)
    assert len(compiled) == 2 and all(function.exact for function in compiled)


def test_sizes_that_are_no_multiples_of_one(compiled):
    for size in (2, 3, 4, 5, 6):
        x = array(size, size)
        result = (Tensor(x).realize() * 2).reshape(-1)  # of n * n elements
        np.testing.assert_array_equal(result.contiguous().numpy(), (x * 2).reshape(-1))
    shapes = [(2, 5), (3, 7), (4, 3), (6, 11), (9, 2)]
    for shape in shapes:
        x = array(*shape)
        np.testing.assert_array_equal((Tensor(x).realize() - 1).numpy(), x - 1)


def test_an_axis_that_is_repeated_where_it_is_one_long(dynamic):
    for rows, size in [(5, 5), (6, 6), (1, 7), (1, 4), (3, 3), (9, 9), (1, 9)]:
        x = array(rows, 1)
        result = Tensor(x).realize().expand(size, 8) * 2
        np.testing.assert_array_equal(result.numpy(), np.broadcast_to(x, (size, 8)) * 2)
    assert [family.is_refused for family in dynamic.values()] == [True]


def test_a_view_of_as_many_elements_by_chance():
    for old, new in [((2, 6), (3, 4)), ((4, 3), (6, 2)), ((6, 4), (8, 3)), ((5, 8), (4, 10))] * 2:
        x = array(*old)
        result = Tensor(x).realize().T.reshape(*new) + 1
        np.testing.assert_array_equal(result.numpy(), x.T.reshape(new) + 1)


def test_numbers_that_hang_on_the_size_and_numbers_that_do_not(compiled):
    for size in (*SIZES, 0, 1):
        x = array(size)
        result = Tensor(x).realize() / max(size, 1) + 2.5
        np.testing.assert_allclose(result.numpy(), x / np.float32(max(size, 1)) + 2.5, rtol=1e-6)
    before = len(compiled)
    for size in (8, 11, 13):
        x = array(size)
        np.testing.assert_allclose(
            (Tensor(x).realize() / size + 7.0).numpy(), x / np.float32(size) + 7, rtol=1e-6
        )
    assert len(compiled) == before + 1  # which reads the second number too


def test_zeros_of_either_sign_are_two_numbers():
    for size in SIZES:
        zero = -0.0 if size == 9 else 0.0
        result = (Tensor(np.ones(size, "f4")).realize() * zero).numpy()
        assert (np.signbit(result) == np.signbit(np.float32(zero))).all(), size


STEPS = {
    "from the one before": "x[{i}] = x[{i} - 1] * 2 + {i}",
    "a number": "x[{i}] = {i}",
    "the sum so far": "x[{i}] = x[:{i}].sum(0)",
    "the rest": "x[{i}:] = x[{i}:] - x[{i} - 1]",
    "all before": "x[:{i}] *= 2",
    "over each other": "x[{i} : {i} + 2] = x[{i} - 1 : {i} + 1] + 0",
    "shifted": "x[:{i}] = x[1 : {i} + 1] + 0",
    "from the end": "x[-{i} - 1] = x[-{i}] + 1",
    "elsewhere": "y = x[{i}:] * 2; x[: 9 - {i}] = y[: 9 - {i}]",
}


@pytest.mark.parametrize("shape", [(20,), (20, 3)])
@pytest.mark.parametrize("name", STEPS)
def test_pieces_of_memory_that_are_written_in_turns(compiled, name, shape):
    x = RNG.integers(-3, 4, shape).astype("f8")
    ours, counts = Tensor(x).realize(), []
    for i in range(1, 10):
        exec(STEPS[name].format(i=i), {"x": ours.realize()})
        exec(STEPS[name].format(i=i), {"x": x})
        np.testing.assert_array_equal(ours.numpy(), x)
        counts.append(len(compiled))
    # the last piece of what is put elsewhere is a row, and so is the first sum
    assert len(set(counts[ALONE + 2 : -1])) == 1, counts


def test_kernels_over_a_part_of_memory_that_may_be_larger(compiled):
    for size in (3, 4, 5, 6, 7, 9):
        x = array(size, 128)
        rows = Tensor(x).realize().T[:, :-1].exp().contiguous()  # more than is kept from run to run
        np.testing.assert_allclose(rows.sum(0).numpy(), np.exp(x[:-1]).sum(1), rtol=1e-5)
    assert len(compiled) == ALONE + 1


def test_memory_that_is_written_in_place_has_programs_of_its_size(compiled):
    for size in (3, 4, 5, 6, 7):
        x = Tensor(np.arange(size, dtype="f4")).realize()
        y = x + 1
        x[1:] = x[:-1] * 2
        wanted = np.array([0, *np.arange(size - 1) * 2], "f4")
        assert x.numpy().tolist() == wanted.tolist()
        assert y.numpy().tolist() == list(range(1, size + 1))
    assert all(f.exact for f in compiled if any("AFTER" in str(n.op) for n in f.body.toposort()))


def test_a_part_of_memory_that_grows(compiled):
    x = array(50, 3)
    whole = Tensor(x).realize()
    for size in range(1, 50):
        np.testing.assert_allclose(whole[:size].sum(0).numpy(), x[:size].sum(0), rtol=1e-4)
    assert len(compiled) <= ALONE + 3  # and for one row


def test_a_text_that_grows_by_a_token_at_a_time(compiled):
    qkv, embedding = array(16, 48) / 4, array(50, 16)
    weights, table = Tensor(qkv).realize(), Tensor(embedding).realize()
    keys, rows, counts = None, [], []
    for token in range(30):
        x = table[token : token + 1]
        q, k, v = (x @ weights).split(16, 1)
        keys = (k, v) if keys is None else (keys[0].cat(k), keys[1].cat(v))
        keys = tuple(part.realize() for part in keys)
        result = ((q @ keys[0].T / 4).softmax(-1) @ keys[1]).numpy()
        rows.append(embedding[token] @ qkv)
        all_rows = np.stack(rows)
        scores = softmax(rows[-1][:16] @ all_rows[:, 16:32].T / 4, -1)
        np.testing.assert_allclose(result[0], scores @ all_rows[:, 32:], rtol=1e-4, atol=1e-4)
        counts.append(len(compiled))
    assert counts[8:] == [counts[8]] * 22, counts


def test_batches_of_other_sizes_train(compiled):
    with Context(SEED=3):
        layer = nn.Linear(6, 2)
    counts = []
    for size in (4, 5, 6, 7, 8, 3, 9):
        x, goal = array(size, 6), array(size, 2)
        weight, bias = layer.weight.numpy(), layer.bias.numpy()
        layer.weight.grad = layer.bias.grad = None
        loss = (layer(Tensor(x).realize()) - Tensor(goal).realize()).square().mean()
        loss.backward()
        Tensor.realize(loss, layer.weight.grad, layer.bias.grad)
        error = x @ weight.T + bias - goal
        np.testing.assert_allclose(loss.numpy(), (error**2).mean(), rtol=1e-5)
        np.testing.assert_allclose(
            layer.weight.grad.numpy(), error.T @ x / error.size * 2, rtol=1e-4, atol=1e-5
        )
        counts.append(len(compiled))
    assert counts[ALONE:] == [counts[ALONE]] * 5


def test_batches_of_images_of_other_sizes(compiled):
    kernel = array(4, 3, 3, 3)
    weight, counts = Tensor(kernel).realize(), []
    for size in (2, 3, 4, 5, 7):
        x = array(size, 3, 6, 6)
        result = Tensor(x).realize().conv2d(weight).numpy()
        windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
        wanted = np.einsum("nchwij,ocij->nohw", windows, kernel)
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)
        counts.append(len(compiled))
    assert counts[ALONE:] == [counts[ALONE]] * 3


def test_a_size_that_comes_again_needs_no_plan(compiled, monkeypatch):
    from rulewright.tensor.direct import Direct

    ran, real = [], Direct.run
    monkeypatch.setattr(Direct, "run", lambda self: ran.append(real(self)) or ran[-1])
    for size in (3, 4, 5, 6, 6, 6, 5, 6):
        x = array(size, 4)
        np.testing.assert_allclose(
            Tensor(x).realize().mean(0).numpy(), x.mean(0), rtol=1e-5, atol=1e-6
        )
    assert [memory is not None for memory in ran] == [False] * 4 + [True] * 4
    assert len(compiled) == ALONE + 1


def test_the_option_turns_off_what_is_ready_too(compiled):
    x = array(6)
    for size in (3, 4, 5, 6, 6, 6):
        (Tensor(x[:size]).realize() - 2).realize()
    with Context(DYNAMIC=0):
        np.testing.assert_array_equal((Tensor(x).realize() - 2).numpy(), x - 2)
    assert [function.exact for function in compiled] == [True, True, False, True]


@pytest.mark.parametrize("option", ["DYNAMIC", "CACHE"])
def test_the_option_turns_it_off(compiled, option):
    with Context(**{option: 0}):
        for size in SIZES:
            x = array(size)
            np.testing.assert_array_equal((Tensor(x).realize() + 1).numpy(), x + 1)
    assert all(function.exact for function in compiled)
    assert len(compiled) == (len(SIZES) if option == "DYNAMIC" else 0)


def test_devices_that_are_no_processor_of_this_machine_have_a_program_for_each_size(compiled):
    for size in SIZES:
        x = array(size)
        result = (Tensor(x, device="INTERP") + 1).numpy()
        np.testing.assert_array_equal(result, x + 1)
    assert len(compiled) == len(SIZES) and all(function.exact for function in compiled)


def test_what_does_not_compile_at_a_variable_size_does_at_its_own(monkeypatch, dynamic):
    real = graphs.compile_function

    def refusing(function, metadata_of=None):
        if not function.exact:
            raise ScheduleError("not at a variable size")
        return real(function, metadata_of)

    monkeypatch.setattr(graphs, "compile_function", refusing)
    for size in SIZES:
        x = array(size)
        np.testing.assert_array_equal((Tensor(x).realize() * 3).numpy(), x * 3)
    assert [alike.is_refused for alike in dynamic.values()] == [True]


@pytest.mark.parametrize("rows", [250, 260])
def test_what_would_ask_for_much_more_memory_than_it_needs(dynamic, monkeypatch, rows):
    """It might be 256 rows of 128 numbers and a sum."""
    monkeypatch.setattr(graphs, "MOST_FORESEEN", rows * 128 * 4)
    for size in (3, 4, 5, 6):
        x = array(size, 128)
        kept = Tensor(x).realize().T.exp().contiguous()
        columns = (kept - kept.sum(0)).sum(1)
        wanted = (np.exp(x).T - np.exp(x).sum(1)).sum(1)
        np.testing.assert_allclose(columns.numpy(), wanted, rtol=1e-4)
    assert [family.is_refused for family in dynamic.values()] == [rows < 256]


@pytest.mark.timeout(120)  # hundreds of kernels, where none is compiled yet
def test_random_programs_hold_what_numpy_does(dynamic):
    assert sum(map(growing_programs.run, range(16))) > 140
    assert any(alike.generals for alike in dynamic.values())
    assert not any(alike.is_refused for alike in dynamic.values())


def in_process(*command: str, fence: str = "above") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DYNAMIC": "1", "FENCE": fence}
    folder = Path(__file__).parent
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True
    )


FENCES = pytest.mark.skipif(os.name != "posix", reason="fenced.py protects pages by mprotect")


@FENCES
@pytest.mark.parametrize("fence", ["above", "below"])
def test_kernels_use_no_more_than_there_is(fence):
    """Their code says that memory may be larger than it is at this size."""
    done = in_process("growing_programs.py", "16", "24", "fenced", fence=fence)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 60


@FENCES
@pytest.mark.parametrize(("fence", "at"), [("above", "b.nbytes"), ("below", "-1")])
def test_a_process_ends_that_uses_more(fence, at):
    read = (
        "import ctypes, fenced\n"
        "from rulewright.runtime.buffer import Buffer\n"
        "from rulewright.ir.dtypes import dtypes\n"
        "b = Buffer('C', 5, dtypes.f32).allocate()\n"
        "ctypes.string_at(b.address, b.nbytes)\n"
        f"print('so far', flush=True); ctypes.string_at(b.address + {at}, 1)"
    )
    done = in_process("-c", read, fence=fence)
    assert done.stdout == "so far\n" and done.returncode < 0, done.stderr
