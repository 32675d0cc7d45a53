"""Making tensors: arguments that all constructors take, and what they are made from."""

import math

import numpy as np
import pytest

from rulewright import Context, Tensor, dtypes, jit
from rulewright.errors import DTypeError, RangeError, ShapeError

MAKERS = {
    "zeros": lambda **k: Tensor.zeros(2, 3, **k),
    "ones": lambda **k: Tensor.ones(2, 3, **k),
    "empty": lambda **k: Tensor.empty(2, 3, **k),
    "full": lambda **k: Tensor.full((2, 3), 2.0, **k),
    "arange": lambda **k: Tensor.arange(6, **k),
    "linspace": lambda **k: Tensor.linspace(0, 1, 6, **k),
    "eye": lambda **k: Tensor.eye(2, 3, **k),
    "tri": lambda **k: Tensor.tri(2, 3, **k),
    "full_like": lambda **k: Tensor.zeros(2, 3).full_like(2, **k),
    "zeros_like": lambda **k: Tensor.zeros(2, 3).zeros_like(**k),
    "ones_like": lambda **k: Tensor.zeros(2, 3).ones_like(**k),
    "empty_like": lambda **k: Tensor.zeros(2, 3).empty_like(**k),
    "rand": lambda **k: Tensor.rand(2, 3, **k),
    "randn": lambda **k: Tensor.randn(2, 3, **k),
    "rand_like": lambda **k: Tensor.zeros(2, 3).rand_like(**k),
    "randn_like": lambda **k: Tensor.zeros(2, 3).randn_like(**k),
    "uniform": lambda **k: Tensor.uniform(2, 3, **k),
    "normal": lambda **k: Tensor.normal(2, 3, **k),
    "scaled_uniform": lambda **k: Tensor.scaled_uniform(2, 3, **k),
    "glorot_uniform": lambda **k: Tensor.glorot_uniform(2, 3, **k),
    "kaiming_uniform": lambda **k: Tensor.kaiming_uniform(2, 3, **k),
    "kaiming_normal": lambda **k: Tensor.kaiming_normal(2, 3, **k),
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_constructor_takes_dtype_device_and_requires_grad(name):
    made = MAKERS[name](dtype="float64", device="C:1", requires_grad=True)
    assert (made.dtype, made.device, made.requires_grad) == (dtypes.f64, "C:1", True)
    assert not MAKERS[name](dtype=dtypes.f16).requires_grad
    (made * 3).sum().backward()
    np.testing.assert_array_equal(made.grad.numpy(), np.full(made.shape, 3.0))


@pytest.mark.parametrize("name", ["full_like", "zeros_like", "ones_like", "empty_like"])
def test_likeness_is_shape_dtype_and_device(name):
    x = Tensor([[1, 2, 3]], dtype="int16", device="C:1")
    made = getattr(x, name)(7) if name == "full_like" else getattr(x, name)()
    assert (made.shape, made.dtype, made.device) == ((1, 3), dtypes.i16, "C:1")


class Foreign:
    """Something that numpy can read, and nothing else."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("kind", ["bool", "u8", "i16", "i32", "u64", "f16", "f32", "f64"])
def test_tensors_are_made_of_whatever_holds_elements(kind):
    kind = getattr(dtypes, kind)
    a = np.array([[0, 1, 2], [3, 4, 5]]).astype(kind.np)
    for data in (a, Foreign(a), memoryview(a), a.T.copy().T, a.astype(a.dtype.newbyteorder())):
        found = Tensor(data)
        assert found.dtype is kind and found.shape == (2, 3)
        np.testing.assert_array_equal(found.numpy(), a)
    assert Tensor(a[::-1, ::2]).tolist() == a[::-1, ::2].tolist()
    assert Tensor([a, a]).dtype is kind and Tensor([a, a]).shape == (2, 2, 3)


@pytest.mark.parametrize("kind", ["u8", "i32", "bf16", "f64"])
def test_bytes_are_elements(kind):
    kind = getattr(dtypes, kind)
    a = np.array([1, 2, 3]).astype(kind.np)
    for data in (a.tobytes(), bytearray(a.tobytes())):
        assert Tensor(data, dtype=kind).tolist() == [1, 2, 3]
    assert Tensor(b"\1\2").dtype is dtypes.u8
    assert Tensor(b"").shape == (0,)


def test_host_memory_is_copied():
    """A tensor's value does not change behind its back; see the docstring of Tensor."""
    a = np.zeros(3)
    data = bytearray(3)
    x, y = Tensor(a), Tensor(data)
    a[:], data[0] = 1, 1
    assert x.tolist() == [0, 0, 0] and y.tolist() == [0, 0, 0]


def test_lists_hold_tensors_and_arrays():
    assert Tensor([Tensor(1), Tensor(2)]).tolist() == [1, 2]
    assert Tensor([Tensor([1, 2]), np.array([3, 4])]).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ShapeError, match="rectangular"):
        Tensor([np.zeros(2), np.zeros(3)])
    with pytest.raises(ShapeError, match="3 bytes are no whole number of f32"):
        Tensor(b"abc", dtype="float32")
    with pytest.raises(DTypeError, match="no tensor can hold"):
        Tensor(np.array(["a"]))


ITERABLES = {
    "dict": ({"a": 1}, "one of its values"),
    "dict_values": ({"a": 1}.values(), r"list\(…\) of it"),
    "generator": ((i for i in range(3)), r"list\(…\) of it"),
    "map": (map(float, [1, 2]), r"list\(…\) of it"),
    "set": ({1, 2}, r"list\(…\) of it"),
}


@pytest.mark.parametrize("name", sorted(ITERABLES))
def test_what_is_no_list_is_told_by_name(name):
    data, part = ITERABLES[name]
    with pytest.raises(DTypeError, match=f"found a {name}; give {part}"):
        Tensor(data)


def test_a_file_of_several_arrays_is_none_of_them(tmp_path):
    np.savez(tmp_path / "several.npz", a=np.ones(2))
    with np.load(tmp_path / "several.npz") as file:
        with pytest.raises(DTypeError, match="found a NpzFile; give one of its values"):
            Tensor(file)
        assert Tensor(file["a"]).tolist() == [1, 1]


@pytest.mark.parametrize("args", [(0, 1, 0.1), (1, -1, -0.3), (0.5, 7), (-3, 4, 0.7)])
def test_arange_of_floats_is_numpys(args):
    expected = np.arange(*args)
    found = Tensor.arange(*args)
    assert found.dtype is dtypes.f32 and found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6, atol=1e-6)


def test_narrow_floats_count_as_far_as_they_hold():
    found = Tensor.arange(0, 8192, 2, dtype="float16").numpy()
    np.testing.assert_array_equal(found, np.arange(0, 8192, 2).astype(np.float16))


def test_constructors_run_nothing():
    for name in ("zeros", "arange", "linspace", "eye", "tri", "full", "rand"):
        assert MAKERS[name]().state == "lazy", name


def test_a_tensor_of_a_path_holds_the_bytes_of_the_file(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(np.array([1.5, -2], "<f4").tobytes())
    assert Tensor(path, dtype="f32").tolist() == [1.5, -2.0]
    assert Tensor(path).dtype is dtypes.u8
    assert Tensor(path).shape == (8,)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("kind", ["i32", "u8", "i64"])
def test_what_is_not_finite_is_no_integer(value, kind):
    for make in (
        lambda: Tensor(value, dtype=kind),
        lambda: Tensor([1.0, value], dtype=kind),
        lambda: Tensor.full((2,), value, dtype=kind),
        lambda: Tensor([1], dtype=kind).pad((1, 1), value=value),
    ):
        with pytest.raises(RangeError, match="is no number that"):
            make()
    with pytest.raises(RangeError, match="too large"):
        Tensor(2**2000, dtype="f32")


@pytest.mark.parametrize("first", [2**31 - 2, -(2**31)])
def test_an_arange_is_held_by_its_dtype_or_refused(first):
    with dtypes.defaults(int=dtypes.i32):
        assert Tensor.arange(first, first + 2).tolist() == [first, first + 1]
        with pytest.raises(RangeError, match="outside i32"):
            Tensor.arange(2**31 - 2, 2**31 + 1)
        with pytest.raises(RangeError, match="outside i32"):
            Tensor.arange(-(2**31), -(2**31) - 2, -1)
    assert Tensor.arange(2**31, 2**31 + 3).tolist() == [2**31, 2**31 + 1, 2**31 + 2]
    assert Tensor.arange(2**31 - 2, 2**31 + 1, dtype="u32").tolist()[-1] == 2**31
    assert Tensor.arange(300, 300, dtype="i8").tolist() == []


def test_a_diagonal_beyond_every_axis_is_beyond_it():
    x = Tensor([[1, 2], [3, 4]])
    assert x.tril(2**70).tolist() == x.triu(-(2**70)).tolist() == x.tolist()
    assert x.tril(-(2**70)).tolist() == x.triu(2**70).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("name", ["cpu", "CPU", "Cpu:0", "c"])
def test_the_processor_is_the_device_c(name):
    assert Tensor([1], device=name).device == "C"
    with Context(DEVICE=name):
        assert Tensor([1]).device == "C"
    assert Tensor([1], device="INTERP").to(name).device == "C"


def test_ranges_are_lists():
    assert Tensor([range(2), range(1, 3)]).tolist() == [[0, 1], [1, 2]]
    assert Tensor([[5, 6], range(2)]).tolist() == [[5, 6], [0, 1]]
    assert Tensor(range(3)).dtype is Tensor([0, 1, 2]).dtype
    assert Tensor(range(0)).dtype is Tensor([]).dtype and Tensor([range(0)]).shape == (1, 0)
    with pytest.raises(ShapeError, match=r"part \[1\] has shape \(3,\)"):
        Tensor([range(2), range(3)])
    with pytest.raises(ShapeError, match=r"part \[1\] is a list"):
        Tensor([1, range(3)])


@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
def test_positions_of_half_a_matrix_are_constants_of_a_jitted_function(name):
    positions = getattr(Tensor, name)
    step = jit(lambda x: (x[tuple(positions(3, 4, 1))] * 2, positions(2, 2, dtype="i32")))
    for start in range(3):
        array = np.arange(12.0).reshape(3, 4) + start
        values, small = step(Tensor(array))
        rows, columns = getattr(np, name)(3, 1, 4)
        np.testing.assert_array_equal(values.numpy(), array[rows, columns] * 2)
        np.testing.assert_array_equal(small.numpy(), np.stack(getattr(np, name)(2)))
        assert small.dtype == "int32"
