"""Tensors from data and back, facts about them, devices, errors of every kind of bad input."""

import subprocess
import sys

import numpy as np
import pytest
from pairs import in_turn

from rulewright import GlobalCounters, Tensor, UOp, Variable, dtypes
from rulewright.errors import (
    DeviceError,
    DTypeError,
    RulewrightError,
    ShapeError,
    UsageError,
    VariableError,
)

DATA = [
    ([1, 2, 3], "int64", (3,)), ([1.0, 2], "float32", (2,)), ([True, False], "bool", (2,)),
    ([[1], [2]], "int64", (2, 1)), (3, "int64", ()), (2.5, "float32", ()), (True, "bool", ()),
    ([], "float32", (0,)), ([[], []], "float32", (2, 0)), (((1, 2), (3, 4)), "int64", (2, 2)),
    ([True, 2, 3.5], "float32", (3,)), (b"ab", "uint8", (2,)), (memoryview(b"xyz"), "uint8", (3,)),
    (np.float64(1.5), "float64", ()), (np.arange(6, dtype=np.int16).reshape(2, 3), "int16", (2, 3)),
    (np.ones((2, 2), np.float16)[:, ::-1], "float16", (2, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("data", "dtype", "shape"), DATA, ids=range(len(DATA)))
def test_data_becomes_a_tensor_and_comes_back(data, dtype, shape):
    t = Tensor(data)
    assert t.dtype is getattr(dtypes, dtype) and t.shape == shape
    found = t.numpy()
    assert found.shape == shape and found.dtype == np.dtype(dtype)
    expected = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else np.array(data)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", [d.name for d in dtypes.all()])
def test_every_dtype_holds_data(name):
    kind = getattr(dtypes, name)
    t = Tensor([0, 1, 1], dtype=name)
    assert t.dtype is kind and t.numpy().dtype == kind.np
    assert t.numpy().astype(int).tolist() == [0, 1, 1]
    assert t.element_size() == kind.itemsize and t.nbytes() == 3 * kind.itemsize


def test_a_dtype_may_be_given_in_many_ways():
    for given in (dtypes.i32, "i32", "int32", np.int32, np.dtype("int32")):
        assert Tensor([1], dtype=given).dtype is dtypes.i32
    assert Tensor([1], dtype=float).dtype is dtypes.f32
    assert Tensor([1], dtype=bool).dtype is dtypes.bool
    assert Tensor(np.array([1.7])).cast("int8").tolist() == [1]


def test_the_data_is_copied():
    a = np.array([1.0, 2.0])
    t = Tensor(a)
    a[0] = 9
    assert t.tolist() == [1, 2]
    t.numpy()[0] = 7
    assert t.tolist() == [1, 2]


def test_reading():
    t = Tensor([[1, 2], [3, 4]])
    assert t.tolist() == [[1, 2], [3, 4]]
    assert t[0, 1].item() == 2 and isinstance(t[0, 1].item(), int)
    assert t.data().tolist() == [[1, 2], [3, 4]]
    assert float(Tensor([2.5])) == 2.5 and int(Tensor(3)) == 3 and bool(Tensor([1]))
    assert [10, 20, 30][Tensor(1)] == 20
    np.testing.assert_array_equal(np.asarray(t), [[1, 2], [3, 4]])
    assert np.asarray(t, dtype=np.float32).dtype == np.float32


def test_one_element_is_formatted_as_a_number():
    loss = Tensor([0.5, 1.0]).sum()
    assert f"{loss:.3f} {Tensor([7]):>3d}" == "1.500   7"
    assert f"{loss}" == str(loss)
    with pytest.raises(UsageError, match="of a tensor needs one element"):
        f"{Tensor([1.0, 2.0]):.3f}"


def test_nothing_and_words_are_equal_to_no_tensor():
    t = Tensor([1.0, 2.0])
    assert (t == None) is False and (t != None) is True and (t == "one") is False  # noqa: E711
    assert t in [None, t] and None not in (t,)


def test_whether_an_element_is_in_a_tensor():
    t = Tensor([[1, 2], [3, 4]])
    assert 3 in t and 5 not in t and Tensor([1, 4]) in t


def test_numpy_arrays_mix():
    a, t = np.array([1.0, 2.0], np.float32), Tensor([3.0, 4.0])
    for found in (a + t, t + a):
        assert isinstance(found, Tensor) and found.tolist() == [4, 6]
    assert (a - t).tolist() == [-2, -2] and (a < t).tolist() == [True, True]


def test_facts():
    t = Tensor.zeros(2, 3)
    assert (t.ndim, t.dim(), t.numel(), len(t)) == (2, 2, 6, 2)
    assert t.size() == (2, 3) and t.size(-1) == 3
    assert t.is_floating_point() and not Tensor([1]).is_floating_point()


def test_the_representation_tells_the_state():
    t = Tensor([1.0]) + 1
    assert repr(t).startswith("<Tensor (1,) f32 on ") and "lazy" in repr(t)
    t.realize()
    assert "realized" in repr(t)
    assert "requires_grad" in repr(Tensor([1.0], requires_grad=True))


def test_realizing_keeps_the_graph_small():
    t = Tensor([1.0])
    for _ in range(5):
        t = (t + 1).realize()
    assert len(t.uop.toposort()) == 1


def test_other_tensors_use_what_was_realized():
    x = Tensor([1.0, 2.0]) * 3
    y = x + 1
    x.realize()
    assert x.uop in y.uop.src


# ---- devices ----------------------------------------------------------------------------------


def test_moving_between_devices():
    t = Tensor([1.0, 2.0], device="INTERP")
    moved = (t * 2).to("INTERP:1")
    assert moved.device == "INTERP:1" and moved.tolist() == [2, 4]
    assert t.to("interp") is t
    assert (moved + Tensor.ones(2)).device == "INTERP:1"


def test_gradients_cross_devices():
    t = Tensor([1.0, 2.0], device="INTERP", requires_grad=True)
    (t.to("INTERP:1") * 3).sum().backward()
    assert t.grad.device == "INTERP" and t.grad.tolist() == [3, 3]


def test_constants_go_anywhere_unless_told():
    t = Tensor([1.0], device="INTERP:1")
    assert (t + Tensor.ones(1)).tolist() == [2]
    with pytest.raises(DeviceError, match=r"operands are on INTERP:1 and INTERP; move one"):
        t + Tensor.ones(1, device="INTERP")


# ---- symbolic sizes ---------------------------------------------------------------------------


def test_bound_variables_give_values():
    x = Tensor(np.arange(10.0, dtype=np.float32))
    n = Variable("n", 1, 10)
    for value in (2, 7):
        assert (x[: n.bind(value)] * 2).numpy().tolist() == [2.0 * i for i in range(value)]
    assert (Tensor([1, 2]) * n.bind(3)).tolist() == [3, 6]


SYMBOLIC = {
    "sum": lambda t: t.sum(0),
    "max": lambda t: t.max(0),
    "mean": lambda t: t.mean(0),
    "var": lambda t: t.var(0),
    "softmax": lambda t: t.softmax(0),
    "matmul": lambda t: t.T @ t,
    "outer": lambda t: t @ t.T,
    "flip": lambda t: t.flip(0),
    "flatten": lambda t: t.flatten() + 1,
    "pad": lambda t: t.pad([(1, 2), None]),
    "cat": lambda t: t.cat(t[:1]),
    "argmax": lambda t: t.argmax(0),
    "rows": lambda t: t.sum(1) * 2,
}


@pytest.mark.parametrize(("most", "name"), in_turn([7, 300], SYMBOLIC))
def test_methods_take_symbolic_sizes(rng, name, most):
    a = rng.normal(size=(most, 4)).astype(np.float32)
    n = Variable("n", 1, most)
    for value in (1, most // 2, most):
        found = SYMBOLIC[name](Tensor(a)[: n.bind(value)]).numpy()
        expected = SYMBOLIC[name](Tensor(a[:value], device="INTERP")).numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_bad_variables():
    with pytest.raises(VariableError, match="n"):
        (Tensor([1.0, 2.0])[: Variable("n", 1, 2)] + 1).realize()
    n = Variable("n", 1, 4)
    x = Tensor([1.0, 2.0, 3.0, 4.0])
    with pytest.raises(VariableError, match="bound to 2 and to 3"):
        (x[: n.bind(2)].sum() + x[: n.bind(3)].sum()).realize()
    with pytest.raises(UsageError, match="outside 1 … 4"):
        n.bind(5)
    with pytest.raises(UsageError, match="lower bound 3 is above upper bound 1"):
        Variable("m", 3, 1)
    with pytest.raises(UsageError, match="expected a constant, found the symbolic"):
        int(x[:n].shape[0])


# ---- bad input --------------------------------------------------------------------------------

A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
BAD = [
    (lambda: Tensor([[1, 2], [3]]), ShapeError, r"rectangular: part \[1\] has shape \(1,\)"),
    (lambda: Tensor([1, [2]]), ShapeError, "must be rectangular"),
    (lambda: Tensor(["a"]), DTypeError, "expected bool, int or float"),
    (lambda: Tensor(None), UsageError, "expected data, found None"),
    (lambda: Tensor([1 << 70]), UsageError, "an integer is outside i64"),
    (lambda: Tensor(1 << 70), UsageError, "an integer is outside i64"),
    (lambda: Tensor([1]) + (1 << 70), UsageError, "an integer is outside i64"),
    (lambda: Tensor([1], dtype="u64") + (1 << 64), UsageError, "an integer is outside u64"),
    (lambda: Tensor(np.array(["x"])), DTypeError, "must be bool or numbers"),
    (lambda: Tensor([1], dtype="float31"), DTypeError, "unknown dtype 'float31'"),
    (lambda: Tensor([1], dtype=3), DTypeError, "expected a dtype"),
    (lambda: Tensor([1], device="ABACUS"), DeviceError, "unknown device 'ABACUS'"),
    (lambda: Tensor(A) + Tensor([1.0, 2.0]), ShapeError,
     r"add: shapes \(2, 3\) and \(2,\) do not broadcast: axis -1 has sizes 3 and 2"),
    (lambda: Tensor(A) + None, UsageError, "add: expected a tensor, a number or an array"),
    (lambda: Tensor(A) + "x", UsageError, "found 'x' of type str"),
    (lambda: Tensor(A) & 1, DTypeError, "and: expected bool or integers, found f32"),
    (lambda: Tensor(A) << 1, DTypeError, "lshift: expected integers"),
    (lambda: ~Tensor(A), DTypeError, "bitwise_not: expected bool or integers"),
    (lambda: -Tensor([True]), DTypeError, "a bool tensor has no negative"),
    (lambda: Tensor([True]) - Tensor([True]), DTypeError, "bool tensors cannot be subtracted"),
    (lambda: Tensor(A).where(1, 2), DTypeError, "where: expected a bool condition, found f32"),
    (lambda: Tensor(1.5).bitcast("f64"), DTypeError, "bitcast: f32 has 4 bytes, f64 has 8"),
    (lambda: Tensor(A).bitcast("f64"), ShapeError,
     "last axis has 3 elements of 4 bytes; expected a multiple of 2"),
    (lambda: Tensor([2]) ** -1, UsageError, "integers have no power -1"),
    (lambda: Tensor(A).clip(), UsageError, "clip: expected min, max or both"),
    (lambda: Tensor(A).gelu("exact"), UsageError, "approximate is 'tanh' or 'none'"),
    (lambda: Tensor(A).item(), UsageError, r"item: expected one element, found shape \(2, 3\)"),
    (lambda: bool(Tensor(A)), UsageError, "needs one element"),
    (lambda: Tensor([1]).one_hot(3).float().one_hot(2), DTypeError, "one_hot: expected integers"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "error", "message"), BAD)
def test_bad_input_says_what_was_expected(bad, error, message):
    with pytest.raises(error, match=message) as caught:
        bad()
    assert isinstance(caught.value, RulewrightError)


def test_python_says_the_rest():
    with pytest.raises(TypeError, match="len"):
        len(Tensor(1))
    with pytest.raises(TypeError, match="iteration"):
        iter(Tensor(1))
    with pytest.raises(TypeError, match="index must be an integer"):
        [1][Tensor(0.0)]


# ---- speed and weight -------------------------------------------------------------------------


def test_nothing_heavy_is_imported():
    code = (
        "import sys, rulewright; light = set(sys.modules); rulewright.Tensor([1.0]);"
        "print('numpy' in light, 'lark' in sys.modules, rulewright.__version__)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    numpy_loaded, lark_loaded, version = found.stdout.split()
    assert numpy_loaded == "False" and lark_loaded == "False" and version[0].isdigit()


def test_unknown_names_are_attribute_errors():
    import rulewright

    with pytest.raises(AttributeError, match="no attribute 'Tensorr'"):
        rulewright.Tensorr  # noqa: B018
    assert {"Tensor", "nn", "dtypes"} <= set(dir(rulewright))


def test_building_twenty_ops(benchmark):
    array = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    b, expected = Tensor(array), array

    def build(a):
        for _ in range(5):
            a = ((a + b) * 2 - b).maximum(b)
        return a

    found = benchmark(build, b)
    for _ in range(5):
        expected = np.maximum((expected + array) * 2 - array, array)
    assert found.state == "lazy" and found.tolist() == expected.tolist()


def test_rows_and_elements_in_memory_are_read_without_kernels():
    a = np.arange(24).reshape(2, 3, 4)
    t = Tensor(a).realize()
    before = GlobalCounters.kernels
    for part in ((0, 1, 2), (1,), (0, slice(1, 3)), (slice(0, 1), 2), (slice(1, 1),)):
        np.testing.assert_array_equal(t[part].numpy(), a[part])
    assert GlobalCounters.kernels == before
    np.testing.assert_array_equal(t[:, 1].numpy(), a[:, 1])  # apart in memory
    assert GlobalCounters.kernels == before + 1
    found = t[1].numpy()
    found[:] = 0
    t[1, 0, 0] = 100
    assert t[1, 0].tolist() == [100, 13, 14, 15]


def test_an_element_of_a_view_is_read_without_kernels():
    a = np.arange(24).reshape(2, 3, 4)
    t = Tensor(a).realize()
    views = [
        (t[:, 1], a[:, 1]),
        (t.permute(2, 0, 1), a.transpose(2, 0, 1)),
        (t.flip(0, 2), a[::-1, :, ::-1]),
        (t[:, None].expand(2, 5, 3, 4), a[:, None].repeat(5, 1)),
        (t.permute(0, 2, 1)[:, 1:3], a.transpose(0, 2, 1)[:, 1:3]),
    ]
    before = GlobalCounters.kernels
    for view, like in views:
        for at in ((0,) * like.ndim, tuple(size - 1 for size in like.shape)):
            assert view[at].item() == int(view[at]) == like[at]
    assert GlobalCounters.kernels == before
    column = t[:, 0, 0]
    t *= 10
    assert column[1].item() == 120, "a view shows what was written"
    deep = t
    for _ in range(3001):
        deep = deep.permute(1, 0, 2)
    assert deep[2, 1, 3].item() == 230
    many = t.reshape(*(1,) * 67, 2, 3, 4).permute(*range(67), 68, 69, 67)
    assert many[(0,) * 67][1, 2, 1].item() == 180, "numpy has no arrays of 70 axes"


def test_a_tensor_of_a_node_is_where_the_node_is():
    apart = ("C", "C:1")
    for x in (Tensor([1.0, 2.0], device="INTERP"), Tensor([1.0, 2.0]).shard(apart, 0)):
        for whole in (x, x.realize(), x * 1):
            y = Tensor(whole.uop)
            assert (y.device, (y + x).tolist()) == (x.device, [2.0, 4.0])
        assert (Tensor(x.uop, device="C").device, Tensor(x.uop, device="C").tolist()) == (
            "C",
            [1.0, 2.0],
        )
    for data in (x.to("C"), x.to("C").uop):
        spread = Tensor(data, device=apart)
        assert (spread.device, (spread + x).tolist()) == (apart, [2.0, 4.0])


MEMORY = Tensor.arange(6).realize().uop


@pytest.mark.parametrize(
    "node, error, message",
    [
        (MEMORY.reshape((4,)), ShapeError, "6 elements cannot be 4"),
        (MEMORY.reshape((-1,)), ShapeError, "expected sizes of 0 or more"),
        (MEMORY.reshape((2, 3)).permute((0, 0)).flip((True, True)), ShapeError, "each of 2 axes"),
        (MEMORY.shrink(((0, 9),)).detach(), ShapeError, "expected bounds within each axis"),
        (UOp.const(dtypes.f32.vec(4), 1.0), DTypeError, "elements of one lane, found f32"),
    ],
)
def test_what_no_tensor_can_be(node, error, message):
    with pytest.raises(error, match=message):
        Tensor(node)


@pytest.mark.parametrize("node", [3, None, Tensor([3.0, 4.0]).uop])
def test_what_a_tensor_stands_for_is_not_set(node):
    x = Tensor([1.0, 2.0])
    with pytest.raises(AttributeError, match=r"uop of a tensor is read alone; x.assign\(y\) .*"):
        x.uop = node
    assert x.tolist() == [1.0, 2.0]
