"""Models in files: safetensors, and what loading checks."""

import sys

import numpy as np
import pytest

from rulewright import Tensor, dtypes, nn
from rulewright.errors import DTypeError, MissingExtraError, ShapeError, UsageError

safetensors = pytest.importorskip("safetensors")

LATEST = tuple(map(int, safetensors.__version__.split(".")[:2])) >= (0, 8)
FNUZ = ("fp8e4m3fnuz", "fp8e5m2fnuz")  # which version 0.8 is the first to write
KINDS = ("f32", "f64", "f16", "bf16", "fp8e4m3", "fp8e5m2", "bool", "i8", "i16", "i32", "i64",
         "u8", "u16", "u32", "u64", *(FNUZ if LATEST else ()))  # fmt: skip


def test_every_dtype_returns(rng, tmp_path):
    path = tmp_path / "model.safetensors"
    saved = {k: Tensor(rng.integers(0, 2, (2, 3))).cast(getattr(dtypes, k)) for k in KINDS}
    saved["scalar"], saved["empty"] = Tensor(2.5), Tensor.zeros(0, 3)
    saved["view"] = Tensor([[1.0, 2.0], [3.0, 4.0]]).T
    nn.state.safe_save(saved, path, {"made": "by a test"})
    found = nn.state.safe_load(path)
    assert sorted(found) == sorted(saved)
    for name, tensor in found.items():
        assert tensor.dtype is saved[name].dtype and tensor.shape == saved[name].shape
        np.testing.assert_array_equal(tensor.numpy(), saved[name].numpy())
    assert nn.state.safe_load_metadata(path) == {"made": "by a test"}


def test_what_the_library_cannot_write_is_told(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"safe_save: cannot write .*No such file"):
        nn.state.safe_save({"x": Tensor([1.0])}, tmp_path / "none" / "x")

    def refuse(*arguments):
        raise safetensors.SafetensorError("dtype float8_e4m3fnuz is not covered")

    monkeypatch.setattr("safetensors.numpy.save", refuse)
    with pytest.raises(UsageError, match=r"float8_e4m3fnuz is not covered; .* later version"):
        nn.state.safe_save({"x": Tensor([1.0], dtype="fp8e4m3fnuz")}, tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(("name", "text"), [("\ud800", "x"), ("x", "\ud800")])
def test_a_name_that_is_no_text_of_a_file_is_refused(tmp_path, name, text):
    with pytest.raises(UsageError, match=r"safe_save: cannot write .*surrogates not allowed"):
        nn.state.safe_save({name: Tensor([1.0])}, tmp_path / "x", {"k": text})
    assert not (tmp_path / "x").exists()


def test_the_file_of_an_unknown_dtype_is_named(tmp_path):
    path = tmp_path / "named"
    index = b'{"a":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}}'
    path.write_bytes(len(index).to_bytes(8, "little") + index + bytes(8))
    for device in ("C", "DISK"):
        with pytest.raises(DTypeError, match=r"safe_load: .*named: a holds C64"):
            nn.state.safe_load(path, device=device)


def test_the_library_reads_what_is_written(tmp_path):
    from safetensors.numpy import load_file, save_file

    path = tmp_path / "a"
    nn.state.safe_save({"x": Tensor([[1, 2], [3, 4]])}, path)
    assert load_file(path)["x"].tolist() == [[1, 2], [3, 4]]
    assert nn.state.safe_load_metadata(path) == {}
    save_file({"y": np.arange(3, dtype=np.int16)}, path)
    assert nn.state.safe_load(path, device="INTERP")["y"].tolist() == [0, 1, 2]
    assert nn.state.safe_load(path, device="INTERP")["y"].device == "INTERP"


def test_a_model_continues_from_a_file(tmp_path):
    path = tmp_path / "model"
    first, second = nn.Linear(3, 2), nn.Linear(3, 2)
    nn.state.safe_save(nn.state.get_state_dict(first), path)
    nn.state.load_state_dict(second, nn.state.safe_load(path))
    np.testing.assert_array_equal(second.weight.numpy(), first.weight.numpy())
    (second(Tensor.ones(1, 3)) ** 2).sum().backward()
    result = first.weight.numpy().sum(1) + first.bias.numpy()
    slope = np.outer(2 * result, np.ones(3))
    np.testing.assert_allclose(second.weight.grad.numpy(), slope, rtol=1e-5)


def test_bad_files(tmp_path, monkeypatch):
    path = tmp_path / "bad"
    path.write_bytes(b"12345678no")
    with pytest.raises(UsageError, match="is no safetensors file"):
        nn.state.safe_load(path)
    with pytest.raises(UsageError, match="is no safetensors file"):
        nn.state.safe_load_metadata(path)
    with pytest.raises(UsageError, match=r"tensors\['x'\] as a tensor, found"):
        nn.state.safe_save({"x": [1.0]}, path)
    from safetensors.numpy import save_file

    save_file({"z": np.zeros(2, np.complex64)}, path)
    with pytest.raises(DTypeError, match="z holds C64"):
        nn.state.safe_load(path)
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rulewright\[safetensors\]'"):
        nn.state.safe_load(path)


# ---- what loading checks -------------------------------------------------------------------------


def test_values_take_the_dtype_and_device_of_the_model():
    layer = nn.Linear(2, 1)
    layer.weight = Tensor([[0.0, 0.0]], dtype="float16", device="INTERP")
    nn.state.load_state_dict(layer, {"weight": np.array([[1.5, 2]]), "bias": Tensor([3.0])})
    assert layer.weight.dtype is dtypes.f16 and layer.weight.device == "INTERP"
    assert layer.weight.tolist() == [[1.5, 2.0]] and layer.bias.tolist() == [3.0]


def test_all_that_is_wrong_is_named():
    layer = nn.BatchNorm(2)
    state = {k: v.numpy() for k, v in nn.state.get_state_dict(layer).items()}
    bad = {**state, "weight": np.zeros(3), "bias": np.zeros((2, 1))}
    with pytest.raises(ShapeError, match=r"weight has shape .*\(3,\); bias has shape"):
        nn.state.load_state_dict(layer, bad)
    with pytest.raises(DTypeError, match="num_batches_tracked holds i64, the value f64"):
        nn.state.load_state_dict(layer, {**state, "num_batches_tracked": np.array(1.0)})
    with pytest.raises(UsageError, match=r"missing names \['bias'\], unknown names \['more'\]"):
        nn.state.load_state_dict(layer, {k: v for k, v in [*state.items(), ("more", 1.0)]
                                         if k != "bias"})  # fmt: skip


def test_loading_may_wait():
    layer = nn.Linear(2, 1)
    nn.state.load_state_dict(layer, {"weight": np.ones((1, 2))}, strict=False, realize=False)
    assert layer.weight.state != "realized"
    assert layer.weight.tolist() == [[1.0, 1.0]]


def test_running_statistics_are_state_but_not_trained():
    model = [nn.Linear(2, 3), nn.BatchNorm(3)]
    assert len(nn.state.get_state_dict(model)) == 7
    parameters = nn.state.get_parameters(model)
    assert len(parameters) == 4 and all(p.requires_grad for p in parameters)


def test_loading_draws_a_bar_unless_told_not_to(monkeypatch):
    said = []
    monkeypatch.setattr(nn.state, "track", lambda names, text: said.append(text) or names)
    layer = nn.Linear(2, 1)
    values = {"weight": np.ones((1, 2), np.float32), "bias": np.zeros(1, np.float32)}
    nn.state.load_state_dict(layer, values, verbose=False)
    assert said == [] and layer.weight.tolist() == [[1, 1]]
    nn.state.load_state_dict(layer, values)
    assert said == ["loading"]
