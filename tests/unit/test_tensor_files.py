"""Tensors on DISK: files that are read where they are used, and written."""

import os
import pickle
import resource

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, dtypes, jit, nn
from rulewright.errors import (
    DeviceError,
    FileError,
    MissingFileError,
    ShapeError,
    UsageError,
)
from rulewright.nn.state import load_state_dict, safe_load, safe_save

NUMBERS = np.arange(24, dtype=np.float32).reshape(4, 6)


@pytest.fixture
def path(tmp_path):
    NUMBERS.tofile(tmp_path / "numbers")
    (tmp_path / "odd").write_bytes(bytes(95))
    return tmp_path / "numbers"


@pytest.fixture(params=["C", "INTERP"])
def device(request):
    with Context(DEVICE=request.param):
        yield request.param


VIEWS = {
    "all": lambda x: x,
    "rows": lambda x: x[1:3],
    "steps": lambda x: x[1:, ::2],
    "turned": lambda x: x[::-1].T,
    "one": lambda x: x[2, 3],
    "none": lambda x: x[2:2],
    "flat": lambda x: x.reshape(2, 12)[1],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("to", ["C", "INTERP"])
def test_views_of_a_file(path, device, view, to):
    x = VIEWS[view](Tensor.from_file(path, "float32", (4, 6)))
    expected = VIEWS[view](NUMBERS)
    assert (x.device, x.to(to).device) == ("DISK", to)
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(x.to(to).numpy(), expected)
    np.testing.assert_array_equal((x.to(to) * 2 + 1).numpy(), expected * 2 + 1)
    np.testing.assert_array_equal((x + 1).numpy(), expected + 1)  # numpy() is on its way from DISK


def test_emulated_devices_get_what_they_need(path):
    x = Tensor.from_file(path, "float32", (4, 6))
    assert x[1:3].T.to("METAL_EMULATED").tolist() == NUMBERS[1:3].T.tolist()


def test_a_part_of_a_large_file_is_all_that_is_read(tmp_path):
    path, begin = tmp_path / "large", 7 << 30
    with open(path, "wb") as file:
        file.truncate(10 << 30)
        file.seek(begin)
        file.write(np.arange(100, dtype=np.int32).tobytes())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    x = Tensor.from_file(path)
    assert x[begin : begin + 400].bitcast("int32").tolist() == list(range(100))
    assert x[begin : begin + 400].to("C").bitcast("int32").sum().item() == 4950
    y = Tensor.from_file(path, "int32", (10, 1 << 28))
    assert y[:, 5].to("C").tolist() == [0] * 7 + [5, 0, 0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KiB


@pytest.mark.parametrize("kind", ["int8", "uint16", "float16", "bfloat16", "int64", "bool"])
def test_dtypes_and_offsets(tmp_path, kind):
    raw = bytes([3, 0, 7, 1, 0, 2, 0, 9] * 3)
    (tmp_path / "raw").write_bytes(raw)
    kind = getattr(dtypes, kind)
    expected = np.frombuffer(raw, np.uint8 if kind.is_bool else kind.np, offset=8)
    expected = expected != 0 if kind.is_bool else expected
    x = Tensor.from_file(tmp_path / "raw", kind, offset=8)
    assert x.numpy().tobytes() == x.to("C").numpy().tobytes() == expected.tobytes()
    views = Tensor.from_file(tmp_path / "raw")[8:].bitcast(kind)
    assert views.to("C").numpy().tobytes() == expected.tobytes()
    assert (
        Tensor.from_file(tmp_path / "raw")[3:19].bitcast("f64").to("C").numpy().tobytes()
        == (
            raw[3:19]  # no element may begin there: it is computed of bytes
        )
    )


def test_writes_are_in_the_file_once_realized(path, device):
    x = Tensor.from_file(path, "float32", (4, 6), writable=True)
    expected = NUMBERS.copy()
    before = x[1].to("C")
    x[1] = Tensor([9.0] * 6, device="INTERP")
    x[0, 0] = 5
    x[2:3, 1:3] = x[3:4, 1:3].to("C") + 1
    x.realize()
    expected[1], expected[0, 0], expected[2, 1:3] = 9, 5, expected[3, 1:3] + 1
    np.testing.assert_array_equal(np.fromfile(path, np.float32).reshape(4, 6), expected)
    np.testing.assert_array_equal(x.numpy(), expected)
    np.testing.assert_array_equal(before.numpy(), NUMBERS[1])  # read before the write
    x.assign(0).realize()
    assert not np.fromfile(path, np.float32).any()


@pytest.mark.parametrize("source", ["C", "INTERP", "METAL_EMULATED"])
def test_results_are_written_to_files(tmp_path, source):
    out = f"DISK:{tmp_path}/Out.bin"
    x = (Tensor(NUMBERS, device=source) * 3).T.to(out)
    assert (x.device, x.shape) == ("DISK", (6, 4))
    np.testing.assert_array_equal(
        np.fromfile(tmp_path / "Out.bin", np.float32), 3 * NUMBERS.T.ravel()
    )
    x[0] = 1
    assert x.realize().to(out).tolist() == x.tolist()  # over the file that it is of
    truths = Tensor([True, False], device=source).to(out).realize()
    truths[0] = False
    assert truths.tolist() == truths.to("C").tolist() == [False, False]
    assert Tensor.zeros(0, 3).to(out).to("C").shape == (0, 3)


def test_the_same_program_reads_what_is_in_the_file_now(path):
    x = Tensor.from_file(path, "float32", (4, 6), writable=True)

    @jit
    def doubled(x):
        return (x.to("C") * 2).sum(0)

    for number in range(4):
        x[number] = Tensor([float(number)] * 6)
        np.testing.assert_array_equal(doubled(x).numpy(), 2 * x.numpy().sum(0))
    n = Variable("n", 1, 4)
    for size in (1, 3, 4):
        assert x[: n.bind(size)].to("C").sum().item() == x.numpy()[:size].sum()
    with Context(VERIFY=1):
        assert (x[1:].to("C") + 1).tolist() == (x.numpy()[1:] + 1).tolist()


def test_a_replay_writes_no_file_that_is_only_read(path):
    @jit
    def filled(x, value):
        x.assign(value)
        return value + 1

    value = Tensor(NUMBERS)
    for number in range(3):
        filled(Tensor.from_file(path, "float32", (4, 6), writable=True), value + number)
    np.testing.assert_array_equal(np.fromfile(path, np.float32), NUMBERS.ravel() + 2)
    with pytest.raises(FileError, match="opened to be read"):
        filled(Tensor.from_file(path, "float32", (4, 6)), value)
    donating = jit(lambda x: x.to("C") * 2, donate=0)
    for _ in range(3):
        y = Tensor.from_file(path, "float32", (4, 6))
        np.testing.assert_array_equal(donating(y).numpy(), 2 * (NUMBERS + 2))


def test_nothing_is_computed_on_disk(path):
    x = Tensor.from_file(path, "float32", (4, 6))
    for compute in (lambda: (x + 1).realize(), x.clone, lambda: x.T.contiguous().realize()):
        with pytest.raises(DeviceError, match=r"nothing is computed on DISK: x.to\('C'\) moves"):
            compute()
    with pytest.raises(DeviceError, match=r"on DISK and C; move one of them with .to\('C'\)"):
        x + Tensor.ones(6, device="C").contiguous()
    with pytest.raises(DeviceError, match="opens a file"):
        Tensor([1], device="DISK:x")


def test_read_only_files_are_not_written(path):
    x = Tensor.from_file(path, "float32", (4, 6))
    for write in (lambda: x.assign(1), lambda: x.__setitem__(0, 1), lambda: x[1:].assign(x[:3])):
        with pytest.raises(FileError, match="the file was opened to be read"):
            write()
    with pytest.raises(DeviceError, match="computed of a file is in no memory"):
        (x + 1).assign(2)
    shared = np.array(x, copy=False)
    assert not shared.flags.writeable and shared.tolist() == NUMBERS.tolist()
    assert pickle.loads(pickle.dumps(x)).tolist() == NUMBERS.tolist()
    assert np.fromfile(path, np.float32).tolist() == NUMBERS.ravel().tolist()


WRONG = {
    "missing": (MissingFileError, "found nothing at", ("no",), {}),
    "folder": (FileError, "found a folder at", (".",), {}),
    "short": (ShapeError, r"has 96 bytes, .* of shape \(25,\) are 100", ("numbers", "f32", 25), {}),
    "part": (ShapeError, "87 of them behind byte 8: no whole number of f64",
             ("odd", "f64"), {"offset": 8}),
    "beyond": (ShapeError, "-8 of them", ("numbers", "f32"), {"offset": 104}),
    "uneven": (UsageError, "multiple of the 4 bytes of f32, found 2",
               ("numbers", "f32"), {"offset": 2}),
    "negative": (UsageError, "found -4", ("numbers", "f32"), {"offset": -4}),
    "bool": (UsageError, "bool is not written", ("numbers", "bool"), {"writable": True}),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_with_a_file(path, wrong):
    kind, message, arguments, named = WRONG[wrong]
    with pytest.raises(kind, match=message):
        Tensor.from_file(path.parent / arguments[0], *arguments[1:], **named)


def test_files_that_go_or_are_cut(path):
    x = Tensor.from_file(path, "float32", (4, 6))
    os.truncate(path, 40)
    for read in (x.numpy, x[0].to("C").numpy, x.T.numpy, x.to("INTERP").numpy):
        with pytest.raises(FileError, match="had 96 bytes when it was opened and has 40 now"):
            read()
    NUMBERS.tofile(path)
    y = Tensor.from_file(path, "float32", (4, 6))
    path.unlink()
    assert y.to("C").tolist() == NUMBERS.tolist()  # the name is gone, not what is open
    with pytest.raises(FileError, match="cannot write /no/such/x"):
        y.to("DISK:/no/such/x")


def test_files_of_no_bytes(path):
    path.write_bytes(b"")
    assert Tensor.from_file(path).to("C").shape == (0,)
    assert Tensor.from_file(path, "f32", (0, 3)).numpy().shape == (0, 3)


def test_safe_load_of_names_alone(tmp_path):
    pytest.importorskip("safetensors")
    tensors = {
        "w": Tensor(NUMBERS), "mask": Tensor([True, False, True]), "scale": Tensor(3.0),
        "half": Tensor([1.5, 2.5], dtype="bfloat16"), "none": Tensor.zeros(0, 3),
    }  # fmt: skip
    safe_save(tensors, tmp_path / "model", {"made": "here"})
    loaded = safe_load(tmp_path / "model", "DISK")
    assert {name: x.device for name, x in loaded.items()} == dict.fromkeys(sorted(tensors), "DISK")
    for name, x in tensors.items():
        assert loaded[name].dtype is x.dtype and loaded[name].shape == x.shape
        assert loaded[name].to("C").tolist() == loaded[name].tolist() == x.tolist()
    layer = nn.Linear(6, 4, bias=False)
    load_state_dict(layer, {"weight": loaded["w"]})
    assert (layer.weight.device, layer.weight.tolist()) == ("C", NUMBERS.tolist())
    (tmp_path / "model").write_bytes(b"\xff" * 8 + b"{}")
    with pytest.raises(UsageError, match="is no safetensors file"):
        safe_load(tmp_path / "model", "DISK")
