"""Programs that differ in numbers alone: after a few, the numbers are read from memory."""

import numpy as np
import pytest
from arrays import realized
from pairs import in_turn

from rulewright import Context, Tensor, Variable, dtypes, jit
from rulewright.driver import graphs, varying

ROUNDS = varying.AS_CONSTANTS + 5


PROGRAMS = {
    "scaled": lambda x, c: x - x * c,
    "twice": lambda x, c: (x * c + c).relu(),
    "two numbers": lambda x, c: (x + c) * (c + 1),
    "beside one that stays": lambda x, c: x * 2 + c,
    "compared": lambda x, c: (x > c).where(x, c),
    "counted": lambda x, c: x.eq(c).sum(),
    "below a sum": lambda x, c: (x * c).sum() + 1,
    "beside a sum": lambda x, c: x.sum() * c,
    "filled": lambda x, c: Tensor.full((5,), c, dtype=x.dtype) + x[0],
    "limited": lambda x, c: x.clip(0, c),
    "of a row": lambda x, c: x.reshape(1, -1) * c + x.reshape(-1, 1),
    "nothing": lambda x, c: x[:0] * c,
    "two kernels": lambda x, c: (x - x.max().contiguous()) * c,
    "converted": lambda x, c: x.cast("f64") * c,
    "padded": lambda x, c: (x * c).pad((1, 2)),
}


@pytest.mark.parametrize(("kind", "name"), in_turn(["f32", "i32"], PROGRAMS))
def test_from_the_fifth_time_on_nothing_is_compiled(compiled, name, kind):
    program, x = PROGRAMS[name], Tensor(np.arange(7), dtype=kind).realize()
    counts = []
    for i in range(ROUNDS):
        number = i * 3 - 8 if kind == "i32" else 0.5 * i - 1.3
        result = program(x, number).realize()
        counts.append(len(compiled))
        with Context(CACHE=0):
            wanted = program(x, number).realize()
        assert result.dtype is wanted.dtype
        np.testing.assert_array_equal(result.numpy(), wanted.numpy())
    assert counts[varying.AS_CONSTANTS + 1 :] == [counts[varying.AS_CONSTANTS]] * 4


NUMBERS = [d for d in dtypes.all() if d.is_float or d.is_int]


@pytest.mark.parametrize("kind", NUMBERS, ids=str)
def test_numbers_of_every_dtype(compiled, kind):
    x = Tensor([1, 2, 3], dtype=kind).realize()
    ones = np.ones(3, kind.np)
    for i in range(ROUNDS):
        number = i % 4 + 1
        wanted = (x.numpy().astype("f8") * number).astype(kind.np).astype("f8")
        np.testing.assert_array_equal((x * number).realize().numpy().astype("f8"), wanted)
        assert (Tensor(ones) * number).realize().numpy()[0] == number
    assert compiled


def test_the_ends_of_a_range_and_numbers_that_are_none(compiled):
    x = realized(1.0, 2.0)
    for number in (1.5, 2.5, 3.5, 4.5, -0.0, 0.0, 1e38, 1e-45, float("inf"), float("nan"), 5.5):
        result = (x * number).realize().numpy()
        np.testing.assert_array_equal(result, np.float32([1, 2]) * np.float32(number))
        assert (np.signbit(result) == np.signbit(np.float32(number))).all()
    y = Tensor([0, 1], dtype="i64").realize()
    for number in (1, 2, 3, 4, 2**63 - 1, -(2**63), 0):
        assert (y + number).realize().tolist() == (np.array([0, 1]) + np.int64(number)).tolist()
    z = Tensor([3, 255], dtype="u8").realize()
    for number in (1, 2, 3, 4, 255, 0):
        assert (z ^ number).realize().tolist() == [3 ^ number, 255 ^ number]


def test_what_stays_is_a_constant(compiled):
    x = realized(1.0, 2.0)
    for i in range(ROUNDS):
        (x * 7.25 + i).realize()
    last = compiled[-1]
    constants = {n.arg for n in last.body.toposort() if n.op.name == "CONST"}
    assert 7.25 in constants and len(last.buffers) == 3  # the result, x, and one number


def test_writes_in_place(compiled):
    x, wanted = Tensor(np.ones(5, np.float32)).realize(), np.ones(5, np.float32)
    for i in range(ROUNDS):
        x *= i + 0.5
        wanted *= np.float32(i + 0.5)
        x.realize()
        np.testing.assert_array_equal(x.numpy(), wanted)
        before = len(compiled)
    assert len(compiled) == before == varying.AS_CONSTANTS + 1


def test_numbers_that_change_with_a_position(compiled):
    x, wanted = Tensor(np.zeros((40, 3), np.float32)).realize(), np.zeros((40, 3), np.float32)
    numbers = []
    for i in range(ROUNDS):
        x[i] = i + 0.5
        wanted[i] = i + 0.5
        np.testing.assert_array_equal(x.numpy(), wanted)
        numbers += [n.arg for n in compiled[-1].body.toposort() if n.op.name == "CONST"]
    assert set(numbers) >= {0.5, 2.5} and not set(numbers) & {4.5, 5.5, 6.5}


def test_several_results_and_gradients(compiled):
    for i in range(ROUNDS):
        w = Tensor([1.0, 2.0], requires_grad=True).realize()
        (w * w * (i + 0.5)).sum().backward()
        new, loss = w - w.grad * (0.1 * i), (w * i).sum()
        Tensor.realize(new, loss)
        grad = np.array([1, 2], np.float32) * 2 * np.float32(i + 0.5)
        np.testing.assert_allclose(new.numpy(), [1, 2] - grad * np.float32(0.1 * i), rtol=1e-6)
        assert loss.item() == 3 * i


def test_values_of_variables(compiled):
    x, size = realized(1, 2, 3, 4), Variable("n", 1, 4)
    for i in range(ROUNDS):
        n = i % 4 + 1
        part = (x[: size.bind(n)] * (i + 0.25)).sum().realize()
        assert part.item() == n * (n + 1) / 2 * (i + 0.25)


def test_a_capture_holds_its_numbers(compiled):
    step = jit(lambda x, c: (x * c).realize())
    for i in range(ROUNDS):
        for _ in range(3):
            assert step(realized(1, 2), i + 0.5).tolist() == [i + 0.5, 2 * i + 1]


def test_who_watches_sees_constants(compiled, capsys):
    x = realized(1, 2)
    for option in ("VERIFY", "DEBUG", "PROFILE"):
        with Context(**{option: 1}):
            for i in range(ROUNDS):
                assert (x * (i + 0.5)).realize().tolist() == [i + 0.5, 2 * i + 1]
    assert all(len(function.buffers) == 2 for function in compiled)
    capsys.readouterr()


def test_large_programs_hold_constants(compiled):
    for i in range(ROUNDS):
        x = y = realized(1, 2)
        for _ in range(varying._MOST_NODES):
            y = y * x + (i + 1)
        y.realize()
        assert y.numpy()[0] == (i + 1) * varying._MOST_NODES + 1
    assert all(len(function.buffers) == 2 for function in compiled)


def test_errors_of_kernels_that_read_numbers_name_their_methods(compiled, monkeypatch):
    from rulewright.errors import DeviceRuntimeError

    x = realized(1, 2)
    for i in range(ROUNDS):
        (x * (i + 0.5)).realize()

    def fail(*_):
        error = DeviceRuntimeError("no")
        error.kernels = tuple(call.kernel for call in kept.calls)
        raise error

    kept = graphs.compile_function(compiled[-1])[0]
    monkeypatch.setattr(graphs, "_run", fail)
    with pytest.raises(DeviceRuntimeError) as caught:
        (x * 77.5).realize()
    assert caught.value.methods and "mul" in caught.value.methods[0]
