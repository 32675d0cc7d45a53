"""PyTorch checkpoints, built by hand: a zip of a pickle and of raw storages."""

import os
import pickle
import zipfile
from collections import Counter, OrderedDict

import ml_dtypes
import numpy as np
import pytest
from checkpoint_files import Call, Global, OrderedGlobal, Stored, checkpoint, tensor

from rulewright import dtypes, nn
from rulewright.errors import DeviceError, UsageError
from rulewright.ir.dtypes import from_numpy


@pytest.mark.parametrize("compress", [False, True])
def test_tensors_of_many_kinds(rng, tmp_path, compress):
    stores = {}
    arrays = {
        "weight": rng.normal(size=(3, 4)).astype(np.float32),
        "count": np.array(7, np.int64),
        "half": rng.normal(size=5).astype(np.float16),
        "brain": rng.normal(size=(2, 2)).astype(ml_dtypes.bfloat16),
        "mask": np.array([True, False]),
        "empty": np.zeros((0, 3), np.float32),
    }
    state = OrderedDict((k, tensor(v, str(i), stores)) for i, (k, v) in enumerate(arrays.items()))
    found = nn.state.torch_load(checkpoint(tmp_path / "a.pt", state, stores, compress))
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].shape == array.shape
        assert found[name].dtype is from_numpy(array.dtype)
        np.testing.assert_array_equal(found[name].numpy(), array)


@pytest.mark.parametrize("name", ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"])
def test_views_parameters_and_structures(tmp_path, name):
    stores, grid = {}, np.arange(12, dtype=np.float32)
    turned = tensor(grid, "0", stores, strides=(1, 4), offset=1, shape=(3, 2))
    parameter = Call(
        Global("torch._utils", "_rebuild_parameter"), turned, True, Call(OrderedGlobal)
    )
    eights = Call(Global("torch._utils", "_rebuild_tensor_v3"),
                  Stored("UntypedStorage", "1", 3), 0, (3,), (1,), False, Call(OrderedGlobal),
                  Global("torch", f"float8_{name}"))  # fmt: skip
    kind = from_numpy(getattr(ml_dtypes, f"float8_{name}"))
    stores["1"] = np.arange(3).astype(kind.np).tobytes()
    size = Call(Global("torch", "Size"), (1, 2))
    structure = {"p": [parameter, (turned, None)], "n": 3, "e": eights, "s": size, "k": "text",
                 "d": Global("torch", "bfloat16")}  # fmt: skip
    found = nn.state.torch_load(checkpoint(tmp_path / "a.pt", structure, stores))
    expected = [[1, 5], [2, 6], [3, 7]]
    assert found["p"][0].tolist() == expected and found["p"][1][0].tolist() == expected
    assert found["p"][1][1] is None and found["n"] == 3 and found["k"] == "text"
    assert found["e"].dtype is kind and found["e"].float().tolist() == [0, 1, 2]
    assert found["s"] == (1, 2) and found["d"] is dtypes.bf16


def test_a_checkpoint_fills_a_model(rng, tmp_path):
    stores, layer = {}, nn.Linear(3, 2)
    weight, bias = rng.normal(size=(2, 3)).astype(np.float32), np.ones(2, np.float32)
    state = {"weight": tensor(weight, "0", stores), "bias": tensor(bias, "1", stores)}
    path = checkpoint(tmp_path / "a.pt", state, stores, root="")
    nn.state.load_state_dict(layer, nn.state.torch_load(path, device="INTERP"))
    np.testing.assert_array_equal(layer.weight.numpy(), weight)
    assert layer.weight.device == "C"


@pytest.mark.parametrize("protocol", [0, 2, 3, 4, 5])
def test_sets_and_counts(tmp_path, protocol):
    held = {"s": {1, 2}, "f": frozenset(["a"]), "e": set(), "c": Counter({3: 1, 5: 2})}
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", pickle.dumps(held, protocol))
    assert nn.state.torch_load(path) == held
    wrong = {"c": Call(Global("collections", "Counter"), "text")}
    with pytest.raises(UsageError, match=r"a\.pt: expected a dict of counts, found 'text'"):
        nn.state.torch_load(checkpoint(path, wrong))


@pytest.mark.parametrize("name", ["_rebuild_tensor_v2", "_rebuild_tensor_v3"])
def test_a_view_that_is_stored_negated_is_refused(tmp_path, name):
    marked = [Global("torch", "float32")] if name.endswith("3") else []
    stored = Stored("FloatStorage", "0", 2)
    rebuild = Call(Global("torch._utils", name), stored, 0, (2,), (1,), False,
                   Call(OrderedGlobal), *marked, {"neg": True})  # fmt: skip
    stores = {"0": np.ones(2, np.float32).tobytes()}
    with pytest.raises(UsageError, match=r"found a view that is negated: save x\.resolve_neg"):
        nn.state.torch_load(checkpoint(tmp_path / "a.pt", rebuild, stores))


class Harmful:
    """Would make a folder if it were unpickled the usual way."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


HARMFUL = [
    Global("os", "system"),
    Call(Global("builtins", "eval"), "1"),
    Call(Global("builtins", "getattr"), {}, "x"),
    Global("torch", "load"),
    Global("torch.nn.modules.linear", "Linear"),
    Global("torch._utils", "__builtins__"),
    Global("collections", "OrderedDict.fromkeys"),
    Global("numpy", "fromfile"),
]


@pytest.mark.parametrize("harm", HARMFUL, ids=lambda h: getattr(h, "name", "call"))
def test_other_names_are_refused(tmp_path, harm):
    path = checkpoint(tmp_path / "a.pt", {"x": [1, harm]})
    with pytest.raises(UsageError, match=r"the file names .*, which is refused"):
        nn.state.torch_load(path)


def test_nothing_is_run(tmp_path):
    target = tmp_path / "made"
    for protocol in (0, 2, 4, 5):
        path = tmp_path / f"{protocol}.pt"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a/data.pkl", pickle.dumps(Harmful(str(target)), protocol))
        with pytest.raises(UsageError, match=r"mkdir, which is refused"):
            nn.state.torch_load(path)
    assert not target.exists()


def test_damaged_files(tmp_path):
    path = tmp_path / "a.pt"
    path.write_bytes(pickle.dumps({"x": 1}))
    with pytest.raises(UsageError, match=r"a\.pt: expected a zip archive, found none"):
        nn.state.torch_load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme", "text")
    with pytest.raises(UsageError, match=r"holds 0 of data.pkl"):
        nn.state.torch_load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\x02broken")
    with pytest.raises(UsageError, match="is damaged"):
        nn.state.torch_load(path)
    with pytest.raises(UsageError, match="big-endian"):
        nn.state.torch_load(checkpoint(path, {}, order=b"big"))
    stores = {}
    lost = tensor(np.zeros(3, np.float32), "0", stores)
    with pytest.raises(UsageError, match=r"data/0 cannot be read"):
        nn.state.torch_load(checkpoint(path, lost))
    for strides, offset in (((2,), 0), ((1,), 1), ((-1,), 2), ((1,), -1)):
        bad = tensor(np.zeros(3, np.float32), "0", stores, strides, offset)
        with pytest.raises(UsageError, match="leaves its storage of 3 elements"):
            nn.state.torch_load(checkpoint(path, bad, stores))
    rebuild = Global("torch._utils", "_rebuild_tensor_v2")
    with pytest.raises(UsageError, match="expected a tensor's storage"):
        nn.state.torch_load(checkpoint(path, Call(rebuild, 1, 0, (), ())))


def test_what_is_wrong_with_a_file_names_it(tmp_path):
    path = tmp_path / "named.pt"
    checkpoint(path, {"x": 1})
    data = path.read_bytes()
    disks = b"PK\x06\x07" + bytes(12) + b"\x07\0\0\0"  # an archive that goes over seven
    path.write_bytes(data[:-22] + disks + data[-22:])
    with pytest.raises(UsageError, match=r"named\.pt is damaged: .*multiple disks"):
        nn.state.torch_load(path)
    with pytest.raises(UsageError, match=r"torch_load: .*named\.pt: the file names os\.system"):
        nn.state.torch_load(checkpoint(path, Global("os", "system")))
    with pytest.raises(DeviceError, match=r"torch_load: .*named\.pt: nothing is computed on DISK"):
        stores = {}
        state = tensor(np.ones(2, np.float32), "0", stores)
        nn.state.torch_load(checkpoint(path, state, stores), device="DISK")
