"""Names, limits and identity of dtypes, and what is refused for one."""

from __future__ import annotations

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from rulewright import Tensor, dtypes
from rulewright.errors import ArgumentError, DTypeError, ShapeError
from rulewright.ir.dtypes import dtype

ALL = dtypes.all()
NAMES = {
    "bool": "bool",
    "u8": "uint8 uchar byte", "u16": "uint16 ushort", "u32": "uint32 uint", "u64": "uint64 ulong",
    "i8": "int8 char", "i16": "int16 short", "i32": "int32 int", "i64": "int64 long",
    "fp8e4m3": "float8_e4m3fn", "fp8e5m2": "float8_e5m2",
    "fp8e4m3fnuz": "float8_e4m3fnuz", "fp8e5m2fnuz": "float8_e5m2fnuz",
    "f16": "float16 half", "bf16": "bfloat16", "f32": "float32 float", "f64": "float64 double",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    kind = dtype(name)
    for other in (name, *NAMES[name].split()):
        assert dtype(other) is kind and getattr(dtypes, other) is kind
        assert Tensor([1], dtype=other).dtype is kind
        assert Tensor([1], dtype=f"torch.{other}").dtype is kind
    assert kind.name == name and repr(kind) == f"dtypes.{name}"
    for foreign in (kind.np, kind.np.type):
        assert Tensor([1], dtype=foreign).dtype is kind
        assert dtypes.from_numpy(foreign) is kind


def test_python_types_name_the_defaults():
    found = [Tensor([1]).cast(kind).dtype for kind in (bool, int, float)]
    assert found == [dtypes.bool, dtypes.i64, dtypes.f32]


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_a_dtype_is_one_object(kind):
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert copy.copy(kind) is kind and copy.deepcopy([kind])[0] is kind
    assert hash(kind) == hash(dtype(kind.name)) and kind == dtype(kind.np.name)
    assert {kind: 1}[dtype(kind.name)] == 1
    assert [kind == other for other in ALL].count(True) == 1


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_questions(kind):
    letter = kind.np.kind
    assert dtypes.is_float(kind) is kind.is_float is (letter not in "biu")
    assert dtypes.is_int(kind) is kind.is_int is (letter in "iu")
    assert dtypes.is_unsigned(kind) is kind.is_unsigned is (letter == "u")
    assert dtypes.is_bool(kind) is kind.is_bool is (letter == "b")
    assert Tensor([1], dtype=kind).is_signed() is (letter not in "bu")
    assert kind.itemsize == kind.np.itemsize == Tensor([1], dtype=kind).element_size()


@pytest.mark.parametrize("kind", [k for k in ALL if k.is_float], ids=lambda k: k.name)
def test_limits_of_floats_are_ml_dtypes(kind):
    found, wanted = dtypes.finfo(kind), ml_dtypes.finfo(kind.np)
    for fact in ("bits", "min", "max", "eps", "tiny", "smallest_normal", "smallest_subnormal"):
        assert getattr(found, fact) == float(getattr(wanted, fact)), fact
    assert found.dtype is kind
    with pytest.raises(DTypeError, match=f"iinfo: expected an integer dtype, found {kind.name}"):
        dtypes.iinfo(kind)


@pytest.mark.parametrize("kind", [k for k in ALL if not k.is_float], ids=lambda k: k.name)
def test_limits_of_integers_are_numpys(kind):
    with pytest.raises(DTypeError, match=f"finfo: expected a float dtype, found {kind.name}"):
        dtypes.finfo(kind)
    if kind.is_int:
        found, wanted = dtypes.iinfo(kind), np.iinfo(kind.np)
        assert (found.bits, found.min, found.max) == (wanted.bits, wanted.min, wanted.max)


SHORT = {
    "bool": "bool", "byte": "u8", "char": "i8", "short": "i16", "int": "i32", "long": "i64",
    "half": "f16", "bfloat16": "bf16", "float": "f32", "double": "f64",
}  # fmt: skip


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_shorthands(kind):
    x = Tensor([0, 1], dtype=kind)
    found = {name: getattr(x, method)() for method, name in SHORT.items()}
    Tensor.realize(*found.values())
    for name, tensor in found.items():
        assert tensor.dtype.name == name and tensor.tolist() == [0, 1]
    assert x.type("f16").dtype is x.type_as(Tensor([1.0], dtype="f16")).dtype is dtypes.f16
    assert getattr(x, SHORT_OF.get(kind.name, "contiguous"))() is x


SHORT_OF = {name: method for method, name in SHORT.items()}


def test_to_takes_dtypes_devices_and_tensors():
    x = Tensor([1, 2], device="C")
    assert x.to(dtypes.f16).dtype is x.to("float16").dtype is dtypes.f16
    assert x.to(dtypes.i64) is x and x.to("C") is x
    moved = x.to("INTERP", dtypes.f32)
    assert (moved.device, moved.dtype, moved.tolist()) == ("INTERP", dtypes.f32, [1.0, 2.0])
    like = x.to(moved)
    assert (like.device, like.dtype) == ("INTERP", dtypes.f32)
    assert x.to(dtype="u8").dtype is dtypes.u8


def test_dtypes_of_pytorch_are_known_by_what_they_are():
    class Named:
        __module__ = "torch"

        def __repr__(self) -> str:
            return "torch.float16"

    Named.__name__ = "dtype"
    for found in (Tensor([1]).to(Named()), Tensor([1]).cast(Named()), Tensor([1], dtype=Named()),
                  Tensor([1]).to("torch.float16"), Tensor([1]).to("C", Named())):  # fmt: skip
        assert found.dtype is dtypes.f16
    with pytest.raises(ArgumentError, match="to: expected one dtype"):
        Tensor([1]).to(Named(), dtypes.f32)


# ---- refused -------------------------------------------------------------------------------------


class _TorchLike:
    """What PyTorch's dtypes are to numpy: an object that names none of its own."""

    def __repr__(self) -> str:
        return "torch.float16"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (complex, "no dtype is numpy's complex128"),
        (np.dtype("M8[s]"), r"no dtype is numpy's datetime64\[s\]"),
        (np.dtype(object), "no dtype is numpy's object"),
        (np.dtype("U3"), "no dtype is numpy's <U3"),
        (np.dtype("V"), r"no dtype is numpy's \|V0"),
        (np.dtype([("a", "f4")]), "no dtype is numpy's .*'a'"),
        (np.longdouble, "no dtype is numpy's float128|no dtype is numpy's longdouble"),
        (ml_dtypes.int4, "no dtype is numpy's int4"),
        (ml_dtypes.float8_e4m3b11fnuz, "no dtype is numpy's float8_e4m3b11fnuz"),
        (_TorchLike(), "expected a dtype such as dtypes.f32 or 'float32', found torch.float16"),
        (3, "expected a dtype such as dtypes.f32"),
        ("complex64", "unknown dtype 'complex64'; known are"),
        ("f32*4", r"no tensor can hold f32\*4 elements; expected one of bool, u8"),
        (dtypes.index, "no tensor can hold index elements"),
        (dtypes.void, "no tensor can hold void elements"),
    ],
    ids=str,
)
def test_what_is_no_dtype(given, message):
    for call in (lambda: Tensor([1], dtype=given), lambda: Tensor([1]).cast(given),
                 lambda: Tensor.zeros(2, dtype=given), lambda: Tensor([1]).bitcast(given),
                 lambda: Tensor([1]).sum(dtype=given)):  # fmt: skip
        with pytest.raises(DTypeError, match=message):
            call()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1j]), "complex128"),
        (np.array(["a"]), "<U1"),
        (np.array([None]), "object"),
        (np.array(["2020-01-01"], "M8[D]"), "datetime64"),
        (np.array([1], "m8[s]"), "timedelta64"),
        (np.zeros(2, [("a", "f4")]), "'a'"),
        (np.zeros(2, "V4"), r"\|V4"),
        (np.zeros(2, ml_dtypes.int4), "int4"),
        ([1j], "expected bool, int or float at .0., found 1j of type complex"),
        (["1"], "found '1' of type str"),
        ([None], "found None"),
    ],
    ids=str,
)
def test_foreign_elements(array, message):
    for kind in (None, "f32"):
        with pytest.raises(DTypeError, match=message):
            Tensor(array, dtype=kind)


# ---- host data -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL, ids=lambda k: k.name)
def test_host_data_of_every_dtype(kind):
    array = np.array([0, 1, 1, 0]).astype(kind.np)
    for given in (array, array.astype(kind.np.newbyteorder()) if kind.np.kind in "iuf" else array,
                  [*array], [0, 1, 1, 0]):  # fmt: skip
        found = Tensor(given, dtype=None if given is array else kind)
        assert found.dtype is kind
        assert found.numpy().dtype == kind.np and found.numpy().tobytes() == array.tobytes()
    assert Tensor(array.tobytes(), dtype=kind).numpy().tobytes() == array.tobytes()
    assert found.tolist() == [0, 1, 1, 0] and found[1].item() == 1


def test_bytes_that_are_no_whole_elements():
    with pytest.raises(ShapeError, match="3 bytes"):
        Tensor(b"abc", dtype="i16")


@pytest.mark.parametrize("kind", ALL, ids=repr)
def test_a_dtype_equals_what_says_it(kind):
    numpy, other = kind.np, dtypes.f32 if kind is dtypes.f64 else dtypes.f64
    sayings = [kind, kind.name, f"dtypes.{kind.name}", kind.np, kind.np.type, kind.np.name]
    for said in sayings:
        assert kind == said and said == kind and said in (kind,)
        assert other != said and said != other
    assert kind == (numpy.newbyteorder() if numpy.itemsize > 1 else numpy)


def test_a_dtype_equals_nothing_else():
    kind = Tensor([1.0]).dtype
    whole, real, truth = int, float, bool
    assert kind == real and kind == "float" and kind != whole and dtypes.bool == truth
    unlike = ("flaot32", "f32*4", "", None, 4, object, object(), np.dtype("complex64"), [kind])
    for other in unlike:
        assert kind != other and other != kind
    assert kind not in (None, "auto") and dtypes.f32.vec(4) == "f32*4"
    with dtypes.defaults(float=dtypes.f64):
        assert kind != real and Tensor([1.0]).dtype == real
    mask = kind == np.array(["f32", "f64"])
    assert mask is False or not np.all(mask)
