"""Functions of Python over numpy arrays as items of schedules."""

import numpy as np
import pytest

from rulewright import Context, Tensor, UOp, dtypes, jit
from rulewright.errors import (
    ArgumentError,
    DeviceError,
    DTypeError,
    FunctionError,
    ShapeError,
    UsageError,
)
from rulewright.interp import run_kernel
from rulewright.ir.text import read_graph
from rulewright.profile import clear_profile, profile_events

ROWS = np.array([[3, 1, 2], [4, 6, 5]], np.float32)


@pytest.fixture(params=["C", "INTERP", "METAL_EMULATED"])
def device(request):
    with Context(DEVICE=request.param):
        yield request.param


def double(array):
    return array * 2


def add(out, amount):
    out += amount


def test_between_kernels(device):
    x = Tensor(ROWS)
    y = Tensor.custom_function(np.sort, x.T + 1).sum(0) * 2
    np.testing.assert_array_equal(y.numpy(), np.sort(ROWS.T + 1).sum(0) * 2)
    product = Tensor.custom_function(np.matmul, x, x.T.contiguous(), shape=(2, 2))
    np.testing.assert_array_equal(product.numpy(), ROWS @ ROWS.T)
    total = Tensor.custom_function(lambda a: np.array(a.sum(), "i8"), x, shape=(), dtype="int64")
    assert total.item() == 21 and total.dtype is dtypes.i64
    assert Tensor.custom_function(lambda: np.arange(3), shape=3, dtype="i64").tolist() == [
        0,
        1,
        2,
    ]
    assert Tensor.custom_function(double, Tensor.zeros(0, 3)).numpy().shape == (0, 3)
    assert Tensor.custom_function(lambda a: a.copy(), Tensor([1.5], dtype="bf16")).item() == 1.5


@pytest.mark.parametrize("level", [1, 2, 3])
def test_verified(level):
    with Context(VERIFY=level):
        y = Tensor.custom_function(double, Tensor(ROWS) + 1) - 1
        np.testing.assert_array_equal(y.numpy(), (ROWS + 1) * 2 - 1)


def test_it_reads_before_what_it_reads_is_written_again(device):
    x = Tensor(ROWS).contiguous().realize()
    before = Tensor.custom_function(double, x)
    x += 10
    after = Tensor.custom_function(double, x)
    x[0] = 0
    Tensor.realize(x, after, before)
    np.testing.assert_array_equal(before.numpy(), ROWS * 2)
    np.testing.assert_array_equal(after.numpy(), (ROWS + 10) * 2)
    assert x[0].tolist() == [0, 0, 0]


def test_in_place(device):
    x = Tensor(ROWS).contiguous()
    view, copy = x[1], x * 1
    assert Tensor.custom_function(add, x, x[0], in_place=True) is x
    Tensor.custom_function(add, view, Tensor([1.0] * 3), in_place=True)
    expected = ROWS + ROWS[0]
    expected[1] += 1
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(copy.numpy(), ROWS)


def test_what_is_wrong_names_the_function(device):
    def half(out):
        out[0] = 99
        raise ValueError("too late")

    def look(array):
        array[0] = 1

    x = Tensor(ROWS).contiguous().realize()
    wrong = {
        lambda a: a[:1]: r"expected an array of shape \(2, 3\) and float32, found one of \(1, 3\)",
        lambda a: a.astype("f8"): "found one of .2, 3. and float64; say shape= and dtype=",
        lambda a: None: "object",
        look: "host function look: ValueError: assignment destination is read-only",
    }
    for function, message in wrong.items():
        with pytest.raises(FunctionError, match=message):
            Tensor.custom_function(function, x).realize()
    y = x[:1]
    memory = x.numpy()
    with pytest.raises(FunctionError, match="host function half: ValueError: too late"):
        Tensor.custom_function(half, x, in_place=True).realize()
    np.testing.assert_array_equal(memory, ROWS)
    del y
    with pytest.raises(FunctionError, match="expected None of a function in place, found ndarray"):
        Tensor.custom_function(double, Tensor(ROWS), in_place=True).realize()


def test_a_function_that_raises_writes_nothing():
    memory = ROWS.copy()
    x = Tensor.from_numpy(memory)

    def half(out):
        out[0] = 99
        raise ValueError("too late")

    with pytest.raises(FunctionError, match="too late"):
        Tensor.custom_function(half, x, in_place=True).realize()
    np.testing.assert_array_equal(memory, ROWS)


def test_what_is_passed():
    for call, kind, message in (
        (lambda: Tensor.custom_function(3), ArgumentError, "fn is a function, found 3"),
        (lambda: Tensor.custom_function(double), ArgumentError, "shape says what"),
        (lambda: Tensor.custom_function(double, 3), ArgumentError, "inputs is a tensor, found 3"),
        (lambda: Tensor.custom_function(add, Tensor([1]), shape=3, in_place=True), ShapeError,
         r"in place \(1,\) stays, found shape=\(3,\)"),
        (lambda: Tensor.custom_function(add, Tensor([1]), dtype="f32", in_place=True), DTypeError,
         "in place i64 stays, found dtype=dtypes.f32"),
        (lambda: Tensor.custom_function(add, shape=1, dtype="i32", in_place=True), ArgumentError,
         "writes into the first tensor, found none"),
        (lambda: Tensor.custom_function(np.add, Tensor([1], device="C"),
                                        Tensor([1], device="INTERP")), DeviceError, "C and INTERP"),
    ):  # fmt: skip
        with pytest.raises(kind, match=message):
            call()


def test_over_files(tmp_path):
    ROWS.tofile(tmp_path / "rows")
    x = Tensor.from_file(tmp_path / "rows", "f32", (2, 3), writable=True)
    assert Tensor.custom_function(np.sort, x.T).to("C").tolist() == np.sort(ROWS.T).tolist()
    Tensor.custom_function(add, x, x[0].to("C"), in_place=True).realize()
    assert np.fromfile(tmp_path / "rows", "f4").tolist() == (ROWS + ROWS[0]).ravel().tolist()


def test_gradients():
    def slope(upstream, call):
        return (upstream * 2 * call.sources[0],)

    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    (Tensor.custom_function(np.square, x, grad_fxn=slope) * 3).sum().backward()
    assert x.grad.tolist() == [6, 12, 18]
    with pytest.raises(UsageError, match=r"no gradient rule for square.*pass grad_fxn"):
        Tensor.custom_function(np.square, x).sum().backward()


def test_replayed_by_jit(device):
    @jit
    def sorted_rows(x):
        return Tensor.custom_function(np.sort, x * 2) + 1

    for number in range(4):
        x = ROWS * (-1) ** number + number
        np.testing.assert_array_equal(sorted_rows(Tensor(x)).numpy(), np.sort(x * 2) + 1)

    @jit
    def step(state):
        Tensor.custom_function(add, state, Tensor([1.0, 2.0]), in_place=True)
        return state.sum()

    state = Tensor([0.0, 0.0]).contiguous().realize()
    for number in range(1, 5):
        assert step(state).item() == 3 * number
        assert state.tolist() == [number, 2 * number]


def test_items_are_planned_counted_and_profiled():
    def graph():
        return Tensor.custom_function(double, Tensor([1.0, 2.0]) + 1) * 3

    items = graph().schedule()
    assert [item.is_kernel for item in items] == [True, False, True]
    assert items[1].lower() is None and items[1].written == items[2].read
    clear_profile()
    with Context(PROFILE=1):
        assert graph().tolist() == [12, 18]
    assert "double" in [event.name for event in profile_events() if event.category == "host"]


def test_its_text_reads_back():
    _, item, _ = (Tensor.custom_function(double, Tensor(ROWS) + 1) * 3).schedule()
    text = str(item.ast)
    assert "HOST" in text and read_graph(text) is item.ast
    other = item.ast.substitute(
        {n: n.replace(arg=(0, *n.arg[1:])) for n in item.ast.src[0].src[1:]}
    )
    with pytest.raises(FunctionError, match="HOST 0 names a function of the process that wrote"):
        run_kernel(other, [np.zeros(6, "f4"), np.zeros(6, "f4")])


def test_one_node_for_equal_calls():
    x = Tensor(ROWS)
    assert Tensor.custom_function(double, x).uop is Tensor.custom_function(double, x).uop
    assert Tensor.custom_function(double, x).uop is not Tensor.custom_function(np.sort, x).uop
    both = Tensor.custom_function(lambda a: a.T.copy(), x, shape=(3, 2))
    np.testing.assert_array_equal(both.numpy(), ROWS.T)


def test_jit_writes_while_a_custom_kernel_is_lazy():
    def triple(out, x):
        i = UOp.range(x.shape[0], 0)
        return out.index(i).store(x.index(i) * 3).end(i).sink()

    total = Tensor([0.0, 0.0]).realize()

    @jit
    def add_to_total(x):
        total.assign(total + x)
        return total.sum()

    for number in range(1, 5):
        lazy = Tensor.empty(2).custom_kernel(Tensor([1.0, 2.0]) + number, fxn=triple)[0]
        assert add_to_total(Tensor([1.0, 2.0])).item() == 3 * number
    assert lazy.tolist() == [15, 18]
