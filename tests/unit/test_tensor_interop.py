"""Arrays of other libraries in and out, with and without a copy."""

import ctypes
import pickle
import sys
from copy import copy, deepcopy

import ml_dtypes
import numpy as np
import pytest

from rulewright import Tensor, dtypes, nn
from rulewright.errors import ArgumentError, DeviceError, DTypeError, UsageError
from rulewright.tensor.elsewhere import NUMPY_FUNCTIONS
from rulewright.tensor.numpy_functions import (
    NUMPY_ACCUMULATIONS,
    NUMPY_OPERATORS,
    NUMPY_REDUCTIONS,
)

NUMPY_KINDS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
               "float16", "float32", "float64"]  # fmt: skip


versioned = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="DLPack of older numpy is read-only"
)


def address(array):
    return array.__array_interface__["data"][0]


@pytest.fixture(params=["C", "INTERP"])
def device(request):
    return request.param


# ---- numpy ----


def test_asarray_is_a_copy_unless_asked_otherwise(device):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
    copied = np.asarray(x)
    copied[0] = 9
    assert x.tolist() == [[1, 2], [3, 4]] and copied.dtype == np.float32
    assert np.asarray(x, dtype=np.int64).tolist() == [[1, 2], [3, 4]]
    shared = (x.T[:, ::-1]).__array__(copy=False)
    assert shared.tolist() == [[3, 1], [4, 2]]
    shared[0, 0] = 30
    assert x.tolist() == [[1, 2], [30, 4]]
    x += 1
    x.realize()
    assert shared.tolist() == [[31, 2], [5, 3]]


def test_what_cannot_be_shared_says_so():
    x = Tensor([1.0, 2.0])
    for wrong in (Tensor.ones(2), (x * 1).reshape(2, 1).expand(2, 2).flatten()):
        with pytest.raises(ValueError, match="allow a copy"):
            (wrong).__array__(copy=False)
    with pytest.raises(ValueError, match="no memory of that dtype"):
        x.__array__(np.float64, copy=False)


@pytest.mark.parametrize("kind", NUMPY_KINDS)
def test_from_numpy_shares_memory(kind, device):
    array = np.zeros((2, 3), kind)
    x = Tensor.from_numpy(array, device=device)
    array[1, 2] = 1
    assert x.dtype.np == array.dtype and x.tolist() == array.tolist()
    x[0] = 1
    x.realize()
    assert array.tolist() == [[1, 1, 1], [0, 0, 1]]
    assert (x * 1 if kind != "bool" else x).numpy().dtype == array.dtype


def test_from_numpy_copies_where_it_must():
    whole = np.arange(12, dtype=np.float32).reshape(3, 4)
    frozen = np.arange(3)
    frozen.flags.writeable = False
    cases = [whole.T, whole[:, 1:], np.arange(3, dtype=">i4"), frozen]
    for array, reason in zip(
        cases, ["row-major", "row-major", "byte order", "read-only"], strict=True
    ):
        assert Tensor.from_numpy(array).tolist() == array.tolist()
        with pytest.raises(UsageError, match=reason):
            Tensor.from_numpy(array, copy=False)
    x = Tensor.from_numpy(whole, copy=True)
    whole[:] = 0
    assert x[1].tolist() == [4, 5, 6, 7]
    with pytest.raises(UsageError, match="expected a numpy array, found list"):
        Tensor.from_numpy([1, 2])


def test_memory_lives_as_long_as_someone_uses_it(device):
    x = Tensor.from_numpy(np.full(1000, 7.0), device=device)
    shared = (Tensor(np.full(1000, 3.0), device=device)).__array__(copy=False)
    trash = [np.zeros(1000) for _ in range(20)]
    assert (x.numpy() == 7).all() and (shared == 3).all() and len(trash) == 20


def test_shared_memory_at_odd_addresses(device):
    raw = np.zeros(4097, np.float32)
    for array in (raw[1:], raw[3:100]):
        array[:] = np.arange(len(array))
        x = Tensor.from_numpy(array, device=device, copy=False)
        np.testing.assert_array_equal((x * 2 + 1).numpy(), array * 2 + 1)
        assert x.sum().item() == array.sum()


def test_small_floats_come_and_go():
    for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2,
                 ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz):  # fmt: skip
        array = np.array([1, 2, 0.5], kind)
        x = Tensor.from_numpy(array)
        assert x.tolist() == [1, 2, 0.5] and np.asarray(x).dtype == kind
        assert (x).__array__(copy=False).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "array", [np.zeros(2, "complex64"), np.array(["a"]), np.array([None]), np.zeros(2, "M8[s]"),
              np.zeros(2, [("a", "f4")])],
    ids=lambda a: str(a.dtype))  # fmt: skip
def test_foreign_dtypes_are_errors(array):
    for make in (Tensor, Tensor.from_numpy, lambda a: Tensor([1.0]) + a):
        with pytest.raises(DTypeError):
            make(array)


MIXED = [
    lambda a, t: a + t, lambda a, t: t - a, lambda a, t: a * t, lambda a, t: a / t,
    lambda a, t: a**t, lambda a, t: a < t, lambda a, t: a == t, lambda a, t: a != t,
    lambda a, t: t >= a, lambda a, t: np.float32(3) * t, lambda a, t: np.float64(2) - t,
    lambda a, t: np.int64(2) + t, lambda a, t: np.float32(2) < t, lambda a, t: t // np.float32(2),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MIXED)))
def test_arrays_and_tensors_mix(number):
    a = np.array([1.0, 2.0, 3.5], np.float32)
    b = np.array([3.0, 2.0, 1.0], np.float32)
    found, expected = MIXED[number](a, Tensor(b)), MIXED[number](a, b)
    assert isinstance(found, Tensor) and found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, 1e-6)


def test_matrices_mix():
    a, b = np.eye(2, dtype=np.float32) * 3, np.ones((2, 2), np.float32)
    assert (a @ Tensor(b)).tolist() == (Tensor(a) @ b).tolist() == [[3, 3], [3, 3]]


UFUNCS = [name for name in (*NUMPY_OPERATORS, *NUMPY_FUNCTIONS) if getattr(np, name).nout == 1]


@pytest.mark.parametrize("name", UFUNCS)
def test_numpys_functions_of_tensors_are_the_tensors(name):
    function = getattr(np, name)
    kind = np.int32 if name.startswith(("bitwise", "left", "right", "invert")) else np.float32
    arrays = [np.array(v, kind) for v in ([[0.5, 2], [1, 3]], [[2, 1], [3, 0.25]])][: function.nin]
    if name.startswith("arc") or name == "logical_not":
        arrays = [a / 4 + (name == "arccosh") for a in arrays]
    expected = function(*arrays)
    mixed = [Tensor(a) for a in arrays], [arrays[0], Tensor(arrays[-1])][-function.nin :]
    found = [function(*operands) for operands in mixed]
    assert all(isinstance(tensor, Tensor) for tensor in found)
    Tensor.realize(*found)
    for tensor in found:
        np.testing.assert_allclose(tensor.numpy(), expected, 2e-6, 1e-7)


REFUSED = [
    (lambda x: np.cbrt(x), r"np\.cbrt: tensors have no method .*; here it is sign\(\) \* x\.abs"),
    (lambda x: np.gcd(x, x), "np.gcd: .*; here it is remainder"),
    (lambda x: np.float_power(x, 2), r"np\.float_power: .*; here it is double\(\) \*\* y"),
    (lambda x: np.spacing(x), r"np\.spacing: .*; np\.asarray\(x\) is an array"),
    (lambda x: np.subtract.reduce(x), "np.subtract.reduce: tensors have reduce of add, multiply, "),
    (lambda x: np.subtract.accumulate(x), "accumulate: tensors have accumulate of add, multiply, "),
    (lambda x: np.add.reduceat(x, [0]), "np.add.reduceat: tensors do not have it; np.asarray"),
    (lambda x: np.add.reduce(x, initial=1.0), "np.add.reduce: of tensors without initial$"),
    (lambda x: np.sin(x, where=np.array([True])), r"np\.sin\(where=\): .*; choose by mask\.where"),
    (lambda x: np.add(x, x, dtype=float), r"np\.add\(dtype=\): .*; cast\(\) the operands$"),
    (lambda x: np.add(x, x, out=Tensor([0.0])), r"np\.add\(out=\): numpy writes into no tensor"),
    (lambda x: np.copyto(x, 3), r"np\.copyto: numpy writes into no tensor; write x\[\.\.\.\] ="),
    (lambda x: np.fill_diagonal(x, 3), r"write x\.diagonal\(\)\.fill_\(value\)$"),
    (lambda x: np.put_along_axis(x, np.array([0]), 1, 0), r"write x\.scatter_\(axis, "),
    (lambda x: np.putmask(x, [True], 1), r"write x\[mask\] = values$"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_numpys_functions_that_tensors_do_not_have_say_what_is_there(call, message):
    with pytest.raises(TypeError, match=message):
        call(Tensor([1.0]))


def test_numpys_functions_beside_another_library_are_asked_of_it():
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return f"other's {ufunc.__name__}"

    assert np.gcd(Tensor([1.0]), Other()) == "other's gcd"


@pytest.mark.parametrize("name", NUMPY_ACCUMULATIONS)
@pytest.mark.parametrize("kind", [np.float32, np.int32])
def test_numpys_accumulations_and_tables_of_tensors_are_the_tensors(name, kind):
    function = getattr(np, name)
    array = np.array([[5, 2, 3], [1, 0, -3]], kind)
    found = [function.accumulate(Tensor(array), axis=1), function.accumulate(Tensor(array))]
    for tensor, expected in zip(found, [function.accumulate(array, axis=1),
                                        function.accumulate(array)], strict=True):  # fmt: skip
        np.testing.assert_array_equal(tensor.numpy(), expected, strict=True)
    for left, right in ((Tensor(array), array[0]), (array, Tensor(array[0])), (Tensor(array), 2)):
        expected = function.outer(np.asarray(left), np.asarray(right))
        result = function.outer(left, right)
        assert isinstance(result, Tensor)
        np.testing.assert_array_equal(result.numpy(), expected)


def test_quotients_and_remainders_at_once():
    array = np.array([[7.0, -7.0, 2.5], [0.0, -1.5, 9.0]], np.float32)
    for call in (lambda x: divmod(x, 2), lambda x: divmod(9, x - 20), lambda x: np.divmod(x, 2),
                 lambda x: divmod(x, x[1] - 20), lambda x: np.divmod(array, x - 20)):  # fmt: skip
        found, expected = call(Tensor(array)), call(array)
        assert isinstance(found, tuple)
        for tensor, each in zip(found, expected, strict=True):
            np.testing.assert_array_equal(tensor.numpy(), each)
    whole = np.array([7, -7, 3])
    for tensor, each in zip(divmod(Tensor(whole), -2), divmod(whole, -2), strict=True):
        np.testing.assert_array_equal(tensor.numpy(), each, strict=True)


@pytest.mark.parametrize("name", NUMPY_REDUCTIONS)
@pytest.mark.parametrize("axis", [0, 1, None, (0, 1)])
def test_numpys_reductions_of_tensors_are_the_tensors(name, axis):
    function = getattr(np, name)
    array = np.array([[0.5, 2, 3], [1, 0, -3]], np.float32)
    for keepdims in (False, True):
        found = function.reduce(Tensor(array), axis=axis, keepdims=keepdims)
        expected = function.reduce(array, axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(found.numpy(), expected, strict=True)
    rows = np.zeros((0, 3), np.float32)  # and numpy's axis where none is said
    if name in ("add", "multiply"):
        assert function.reduce(Tensor(rows)).tolist() == function.reduce(rows).tolist()
    assert np.ptp(Tensor(array)).item() == np.ptp(array)
    into = np.zeros(3, np.float32)
    assert np.add.reduce(Tensor(array), out=into) is into and into.tolist() == [1.5, 2, 0]


OF_ARRAYS = [np.nonzero, np.argwhere, np.flatnonzero, np.where, np.size, np.transpose,
             lambda a: np.nonzero(a=a), lambda a: np.size(a, 1), lambda a: np.size(a=a, axis=0),
             lambda a: np.moveaxis(a, 0, 1), lambda a: np.moveaxis(a, source=[0], destination=[-1]),
             lambda a: np.rollaxis(a, 1), lambda a: np.concatenate([a, a]), lambda a: np.diff(a, 0),
             lambda a: np.einsum("ij,kj", a, a), lambda a: np.zeros_like(a),
             lambda a: np.block([[a, a], [a, 2 * a]]), np.array_str, np.array_repr, np.array2string,
             lambda a: np.piecewise(a, [a > 0, a <= 0], [5, 7]),
             lambda a: np.take_along_axis(a, np.argsort(a, 1), 1),
             lambda a: np.take_along_axis(a, a.argsort(1), 1)]  # fmt: skip


@pytest.mark.parametrize("function", OF_ARRAYS)
@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (1, 1)])
def test_numpys_functions_of_arrays_take_tensors(function, shape):
    array = (np.arange(np.prod(shape)).reshape(shape) % 2).astype(np.float32)
    found, expected = function(Tensor(array)), function(array)
    assert type(found) is type(expected) or isinstance(found, Tensor)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("function", [np.percentile, np.nanpercentile, np.quantile])
def test_numpys_percentiles_take_tensors_of_percents(function):
    data, at = np.array([3.0, 1.0, 2.0], np.float32), np.array([0.25, 1.0])
    np.testing.assert_array_equal(function(data, Tensor(at)), function(data, at))
    np.testing.assert_array_equal(function(Tensor(data), Tensor(at)), function(data, at))


def test_numpy_is_forced_as_in_pytorch():
    x = Tensor([1.0, 2.0], requires_grad=True)
    assert x.numpy(force=True).tolist() == x.numpy(force=False).tolist() == [1, 2]


def test_functions_of_arrays_beside_another_library_are_asked_of_it():
    class Other:
        def __array_function__(self, function, types, args, kwargs):
            return "other"

    assert np.concatenate([Tensor([1.0]), Other()]) == "other"


def test_arrays_take_tensors_in_place():
    array = np.array([1.0, 2.0], np.float32)
    kept = array
    array += Tensor([10.0, 20.0])
    assert kept.tolist() == [11, 22] and array is kept
    array[:] = Tensor([1.0, 2.0])
    assert kept.tolist() == [1, 2]
    assert np.sum(np.asarray(Tensor([1.0, 2.0]))) == 3


# ---- DLPack, buffers, memory ----


@versioned
@pytest.mark.parametrize("kind", NUMPY_KINDS)
def test_dlpack_both_ways(kind, device):
    x = Tensor(np.ones((2, 3), kind), device=device)
    array = np.from_dlpack(x)
    array[1, 1] = 0
    assert x.tolist() == array.tolist() and array.dtype == x.dtype.np
    y = Tensor.from_dlpack(array, device=device)
    array[0] = 0
    assert y.tolist() == x.tolist() == array.tolist()
    assert address(np.from_dlpack(y)) == address(array)


@versioned
def test_dlpack_of_views_and_values():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert address(np.from_dlpack(x.T[1:])) == address(np.from_dlpack(x)) + 4
    assert np.from_dlpack(x.T).strides == (4, 12)
    for value in (x * 2, Tensor.ones(3), Tensor(3.0), x[0].reshape(3, 1).expand(3, 2)):
        assert np.from_dlpack(value).tolist() == value.tolist()
    copied = np.from_dlpack(x, copy=True)
    copied[:] = 0
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.from_dlpack(Tensor.zeros(0, 2)).shape == (0, 2)


CODES = {"bf16": (4, 16), "fp8e4m3": (10, 8), "fp8e4m3fnuz": (11, 8), "fp8e5m2": (12, 8),
         "fp8e5m2fnuz": (13, 8), "f16": (2, 16), "u8": (1, 8)}  # fmt: skip
"""Codes and bits of dtypes, as dlpack.h has them."""


@pytest.mark.parametrize("kind", CODES)
def test_dlpack_of_dtypes_that_numpy_lacks(kind, device):
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=kind, device=device).realize()
    capsule = x.__dlpack__()  # of the first version, whose struct begins with what is looked at
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    words = (ctypes.c_uint8 * 2).from_address(pointer(capsule, b"dltensor") + 20)
    assert tuple(words) == CODES[kind]
    y = Tensor.from_dlpack(x, device=device)
    x[0, 1] = 0
    x.realize()
    assert y.dtype is x.dtype and y.tolist() == [[1, 0, 3], [4, 5, 6]]
    assert Tensor.from_dlpack(x.T[1:], device=device).tolist() == [[0, 5], [3, 6]]
    assert Tensor.from_dlpack(x[:0], device=device).shape == (0, 3)


def test_an_array_that_only_dlpack_reads():
    class Words:
        """As PyTorch's tensors of bfloat16."""

        def __init__(self):
            self.held = Tensor([1.5, -2.0], dtype="bf16").realize()

        def __array__(self, *args, **named):
            raise TypeError("unsupported ScalarType")

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **options):
            return self.held.__dlpack__(**options)

    words = Words()
    x = Tensor(words)
    words.held[0] = 3
    assert x.dtype is dtypes.bf16 and x.tolist() == [1.5, -2.0]
    assert (Tensor([1.0, 1.0]) + words).tolist() == [4.0, -1.0]
    with pytest.raises(DTypeError, match="found one of name b'other'"):
        Tensor.from_dlpack(_Capsule())


class _Capsule:
    """What gives a capsule of something else."""

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(1, b"other", None)


def test_dlpack_copies_what_runs_backwards():
    """PyTorch ends the process at a negative step."""
    x = Tensor([[1.0, 2.0], [3.0, 4.0]]).realize()
    for value in (x.flip(0), x[::-1], x[:, ::-1], x[::-1, :1], x[:0][::-1]):
        array = np.from_dlpack(value)
        assert array.tolist() == value.tolist()
        assert min(array.strides) >= 0
    with pytest.raises(BufferError, match="walks backwards"):
        x[::-1].__dlpack__(copy=False)


def test_dlpack_errors():
    class Elsewhere:
        def __dlpack__(self, **_):
            raise AssertionError

        def __dlpack_device__(self):
            return 2, 0

    with pytest.raises(UsageError, match="found list"):
        Tensor.from_dlpack([1])
    with pytest.raises(DeviceError, match="device of type 2"):
        Tensor.from_dlpack(Elsewhere())
    with pytest.raises(DeviceError, match="unknown device 'nowhere'"):
        Tensor.from_dlpack(Elsewhere(), device="nowhere")
    with pytest.raises(DTypeError, match=r"the data cannot be taken over .no such dtype."):
        Tensor.from_dlpack(_Broken(np.ones(2)))
    with pytest.raises((BufferError, RuntimeError), match=r"(?i)dtype"):  # numpy has none
        np.from_dlpack(Tensor([1.0], dtype="bfloat16"))
    with pytest.raises(BufferError, match="without a copy"):
        Tensor.ones(2).__dlpack__(copy=False)
    with pytest.raises(BufferError, match="no streams"):
        Tensor([1.0]).__dlpack__(stream=1)


class _Broken:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        raise BufferError("no such dtype")

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_buffers():
    x = Tensor([[1, 2], [3, 4]], dtype="int32")
    assert x.data().tolist() == [[1, 2], [3, 4]] and x.data().format == "i"
    if sys.version_info >= (3, 12):
        assert memoryview(x).tolist() == [[1, 2], [3, 4]]
    assert memoryview(x.__buffer__(0)).shape == (2, 2)
    assert Tensor(x.data()).tolist() == x.tolist()


def test_from_blob():
    memory = (ctypes.c_int32 * 6)(*range(6))
    x = Tensor.from_blob(ctypes.addressof(memory), (2, 3), dtypes.int32)
    memory[4] = 40
    x[0] = -1
    assert x.tolist() == [[-1, -1, -1], [3, 40, 5]] and list(memory)[:3] == [-1, -1, -1]
    with pytest.raises(UsageError, match="no address of f64"):
        Tensor.from_blob(ctypes.addressof(memory) + 4, (1,), "float64")


# ---- copies and pickles ----


def test_copies(device):
    x = Tensor([1.0, 2.0], device=device, requires_grad=True)
    (x * x).sum().backward()
    shallow, deep = copy(x), deepcopy(x)
    with Tensor.no_grad():
        x += 1
    assert shallow.tolist() == [2, 3] and deep.tolist() == [1, 2]
    assert deep.requires_grad and deep.is_leaf and deep.grad.tolist() == [2, 4]
    assert deep.grad is not x.grad and shallow.grad is x.grad
    (deep * 3).sum().backward()
    assert deep.grad.tolist() == [5, 7] and x.grad.tolist() == [2, 4]
    assert deepcopy(Tensor(2.0) * 3).item() == 6 and copy(x * 2).tolist() == [4, 6]


def test_deep_copies_keep_views_together():
    x = Tensor(np.arange(6.0).reshape(2, 3))
    for whole in (x, x + 1):
        pair = {"whole": whole, "row": whole[1]}
        found = deepcopy(pair)
        found["row"][0] = 100
        assert found["whole"].tolist()[1][0] == 100 and whole.tolist()[1][0] != 100
        assert deepcopy([whole, whole])[0] is not whole


def test_layers_are_copied_and_pickled():
    layer = nn.Linear(3, 2)
    x = Tensor(np.ones((1, 3), np.float32))
    for other in (deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert other(x).tolist() == layer(x).tolist()
        other.weight.assign(0)
        assert layer.weight.tolist() != other.weight.tolist() and other.weight.requires_grad


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol, device):
    x = Tensor([[1.0, -0.0], [np.nan, 3.0]], device=device, requires_grad=True)
    (x * 2).sum().backward()
    for value in (x, x[1] * 2, x.T, Tensor([1, 2], dtype="uint64"), Tensor(2.5),
                  Tensor([1.0, 2.0], dtype="bfloat16"), Tensor.zeros(0, 3)):  # fmt: skip
        found = pickle.loads(pickle.dumps(value, protocol))
        assert (found.dtype, found.shape, found.device) == (value.dtype, value.shape, value.device)
        assert found.numpy().tobytes() == value.numpy().tobytes()
        assert found.is_leaf
    found = pickle.loads(pickle.dumps(x, protocol))
    assert found.requires_grad and found.grad.tolist() == [[2, 2], [2, 2]]


def test_methods_are_pickled_by_name():
    methods = {
        n: m for n in dir(Tensor) if not n.startswith("_") and callable(m := getattr(Tensor, n))
    }
    assert len(methods) > 300
    assert pickle.loads(pickle.dumps(methods)) == methods
    model = nn.Sequential(nn.Linear(2, 3), Tensor.relu, nn.Linear(3, 1), Tensor.sigmoid)
    x = Tensor([[1.0, -2.0]])
    for again in (pickle.loads(pickle.dumps(model)), deepcopy(model)):
        np.testing.assert_array_equal(again(x).numpy(), model(x).numpy())
    assert pickle.loads(pickle.dumps(Tensor([1.0, 2.0]).sum))().item() == 3


def test_an_array_that_numpy_cannot_read():
    class Short:
        def __array__(self, *args, **named):
            raise TypeError("unsupported ScalarType")

        def __dlpack__(self, **named):
            raise NotImplementedError

    says = "unsupported ScalarType; convert it to a dtype that tensors have, for instance float32"
    with pytest.raises(ArgumentError, match=says):
        Tensor(Short())
