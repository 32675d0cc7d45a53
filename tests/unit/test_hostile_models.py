"""Model files that are broken, or made to break: an error of ours, little memory, nothing run."""

from __future__ import annotations

import io
import json
import os
import random
import struct
import tracemalloc
import zipfile
from collections import OrderedDict

import numpy as np
import pytest
from checkpoint_files import Call, Global, OrderedGlobal, Stored, Writer, checkpoint, tensor

from rulewright import Tensor, nn
from rulewright.errors import FileError, MissingFileError, RulewrightError, ShapeError, UsageError

ARRAY = np.arange(1200, dtype=np.float32).reshape(30, 40)
REBUILD = Global("torch._utils", "_rebuild_tensor_v2")
ROOM = 2 << 20
"""Bytes that reading may take beside some times the file's size."""


def refused_or_same(load, path, data: bytes) -> bool:
    """Whether bytes are refused; else what they hold is ARRAY under "a". Memory stays small."""
    path.write_bytes(data)
    tracemalloc.start()
    try:
        found = load(path)["a"]
        np.testing.assert_array_equal(found.numpy(), ARRAY)
        return False
    except RulewrightError:
        return True
    except KeyError:  # it goes by another name
        return True
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 * len(data) + ROOM


def cuts(data: bytes) -> list[bytes]:
    return [data[: len(data) * k // 100] for k in range(100)]


def flips(data: bytes, places) -> list[bytes]:
    draw, found = random.Random(7), []
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 1 << draw.randrange(8)
        found.append(bytes(changed))
    return found


# ---- safetensors --------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path) -> bytes:
    pytest.importorskip("safetensors")
    path = tmp_path / "good"
    nn.state.safe_save({"a": Tensor(ARRAY), "b": Tensor([1, 2, 3])}, path, {"made": "by a test"})
    return path.read_bytes()


def parts(model: bytes) -> tuple[dict, bytes]:
    size = int.from_bytes(model[:8], "little")
    return json.loads(model[8 : 8 + size]), model[8 + size :]


def made(header: object, body: bytes, length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def test_a_model_that_is_cut_is_refused(tmp_path, model) -> None:
    assert all(refused_or_same(nn.state.safe_load, tmp_path / "x", d) for d in cuts(model))


def test_a_model_whose_header_is_flipped_is_refused_or_the_same(tmp_path, model) -> None:
    size = 8 + int.from_bytes(model[:8], "little")
    found = [refused_or_same(nn.state.safe_load, tmp_path / "x", d)
             for d in flips(model, range(size))]  # fmt: skip
    assert sum(found) > size * 0.8  # the rest are in text that nothing hangs on


OFFSETS = ([0, 2**63], [0, 2**64 - 1], [0, 10**30], [-1, 4799], [4800, 0], [0, 4799], [1, 4801],
           [2**62, 2**62 + 4800], [0.5, 4800], ["0", "4800"], [0], None)  # fmt: skip
SHAPES = ([2**32, 2**32], [2**63], [2**64], [2**62, 4], [-30, -40], [30, 41], ["30", 40], None,
          [0, 2**63], [1] * 1000 + [1200], [30, 40] + [1] * 64)  # fmt: skip
LENGTHS = (0, 1, 2**31, 2**32, 2**40, 2**63 - 1, 2**63, 2**64 - 1, 100_000_001)


def test_offsets_and_shapes_that_cannot_be_are_refused(tmp_path, model) -> None:
    header, body = parts(model)
    changed = [{"data_offsets": o} for o in OFFSETS] + [{"shape": s} for s in SHAPES]
    files = [made({**header, "a": {**header["a"], **c}}, body) for c in changed]
    files += [made(header, body, length) for length in LENGTHS]
    twice = {**header, "c": header["a"]}
    none = {"dtype": "F32", "shape": [0, 2**40, 2**40], "data_offsets": [len(body)] * 2}
    files += [made(twice, body), made({**header, "c": none}, body)]
    files += [made(text, body) for text in (b"null", b"[]", b"[" * 100_000, b"\xff", b"1e999")]
    for data in files:
        assert refused_or_same(nn.state.safe_load, tmp_path / "x", data), data[:200]


@pytest.mark.parametrize("name", ["..", "../a", "../../etc/passwd", "a/../b", "..\\a"])
def test_names_that_are_paths_upwards_are_refused(tmp_path, model, name) -> None:
    header, body = parts(model)
    header[name] = header.pop("a")
    (tmp_path / "x").write_bytes(made(header, body))
    with pytest.raises(UsageError, match="expected names, found the path"):
        nn.state.safe_load(tmp_path / "x")


def test_a_shape_of_too_many_axes_names_its_tensor(tmp_path, model) -> None:
    header, body = parts(model)
    header["a"]["shape"] = [1] * 100 + [1200]
    (tmp_path / "x").write_bytes(made(header, body))
    with pytest.raises(ShapeError, match=r"'a' has the shape \[1, 1, 1, 1\]…, 101 axes"):
        nn.state.safe_load(tmp_path / "x")


LOADS = [nn.state.safe_load, nn.state.safe_load_metadata, nn.state.torch_load]


@pytest.mark.parametrize("load", LOADS, ids=lambda f: f.__name__)
def test_what_is_no_file_says_what_was_expected(tmp_path, load) -> None:
    pytest.importorskip("safetensors")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MissingFileError, match="expected a file, found nothing at") as caught:
        load(tmp_path / "nothing")
    assert isinstance(caught.value, FileNotFoundError | UsageError)
    for path in (tmp_path, tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(FileError, match="expected a file, found a folder or a device at"):
            load(path)
    with pytest.raises(FileError, match="cannot read") as caught:
        load("a\0b")
    assert isinstance(caught.value, OSError)


def test_saving_where_nothing_can_be_is_told(tmp_path) -> None:
    pytest.importorskip("safetensors")
    with pytest.raises(FileError, match=r"safe_save: cannot write .*No such file"):
        nn.state.safe_save({"a": Tensor(ARRAY)}, tmp_path / "none" / "a")


def test_saving_keeps_links_and_permissions(tmp_path) -> None:
    pytest.importorskip("safetensors")
    (tmp_path / "a").touch(0o640)
    (tmp_path / "a").chmod(0o640)
    (tmp_path / "link").symlink_to("a")
    nn.state.safe_save({"a": Tensor(ARRAY)}, tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert not refused_or_same(nn.state.safe_load, tmp_path / "x", (tmp_path / "a").read_bytes())


# ---- PyTorch ------------------------------------------------------------------------------------


def torch_file(tmp_path, structure=None, storages=None, **words) -> bytes:
    stores: dict[str, bytes] = {}
    whole = OrderedDict(a=tensor(ARRAY, "0", stores), b=tensor(np.arange(3), "1", stores))
    stores = stores if storages is None else storages
    structure = whole if structure is None else structure
    return checkpoint(tmp_path / "good", structure, stores, **words).read_bytes()


def with_pickle(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a/data.pkl", content)
        archive.writestr("a/data/0", ARRAY.tobytes())
    return buffer.getvalue()


@pytest.mark.parametrize("compress", [False, True])
def test_a_checkpoint_that_is_cut_or_flipped_is_refused_or_the_same(tmp_path, compress) -> None:
    data = torch_file(tmp_path, compress=compress)
    load, path = nn.state.torch_load, tmp_path / "x"
    assert all(refused_or_same(load, path, part) for part in cuts(data))
    places = [*range(0, 600, 3), *range(len(data) - 500, len(data), 3)]
    found = [refused_or_same(load, path, part) for part in flips(data, places)]
    assert sum(found) > len(places) // 3  # much of an archive is dates and permissions


def test_a_pickle_that_is_cut_or_flipped_is_refused_or_read(tmp_path) -> None:
    stores: dict[str, bytes] = {}
    buffer, path = io.BytesIO(), tmp_path / "x"
    Writer(buffer, 2).dump(OrderedDict(a=tensor(ARRAY, "0", stores)))
    pickled = buffer.getvalue()
    for content in [*cuts(pickled), *flips(pickled, range(len(pickled)))]:
        path.write_bytes(with_pickle(content))
        try:
            nn.state.torch_load(path)
        except RulewrightError as error:
            assert "MemoryError" not in str(error)  # nothing asked for much


LONG = 2**40
PICKLES = {
    "memo": b"\x80\x04Nr\xff\xff\xff\x7f\x94.", "memo line": b"Np4294967295\n0.",
    "bytes": b"\x80\x04\x8e" + struct.pack("<Q", LONG) + b"a.",
    "text": b"\x80\x04\x8d" + struct.pack("<Q", LONG) + b"a.",
    "frame": b"\x80\x04\x95" + struct.pack("<Q", LONG) + b"N.",
    "array of bytes": b"\x80\x05\x96" + struct.pack("<Q", LONG) + b"a.",
    "digits": b"\x80\x04I" + b"9" * 100_000 + b"\n.",
    "deep": b"\x80\x02" + b"]" * 5000 + b"a" * 4999 + b".",
    "itself": b"\x80\x02]q\x00h\x00a.", "itself in a dict": b"\x80\x02}q\x00U\x01ah\x00s.",
    "key": b"\x80\x02}K\x01q\x00" + b"".join(b"h%ch%c\x86q%c" % (i, i, i + 1) for i in range(60))
           + b"K\x01s.",
    "global": b"\x80\x02\x82\x01.", "instance": b"(ios\nsystem\n.", "object": b"(cos\nsystem\no.",
}  # fmt: skip


@pytest.mark.timeout(5)
@pytest.mark.parametrize("content", PICKLES.values(), ids=list(PICKLES))
def test_a_pickle_that_asks_for_much_is_refused_or_read_at_once(tmp_path, content) -> None:
    path = tmp_path / "x"
    path.write_bytes(with_pickle(content))
    tracemalloc.start()
    try:
        nn.state.torch_load(path)
    except UsageError as error:
        assert "torch_load" in str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 40 * path.stat().st_size + ROOM


def test_lists_that_share_lists_take_no_more_than_they_hold(tmp_path) -> None:
    doubled = b"".join(b"h%ch%c\x86q%c" % (i, i, i + 1) for i in range(60))
    (tmp_path / "x").write_bytes(with_pickle(b"\x80\x02K\x01q\x00" + doubled + b"."))
    found = nn.state.torch_load(tmp_path / "x")
    for _ in range(60):
        assert found[0] is found[1]
        found = found[0]
    assert found == 1


def a_view(shape, strides, offset=0, elements=1, key="0"):
    stored = Stored("FloatStorage", key, elements)
    return Call(REBUILD, stored, offset, shape, strides, False, Call(OrderedGlobal))


WRONG_VIEWS = [
    a_view((2**40,), (1,)), a_view((2,), (2**62,)), a_view((1,), (1,), 2**63), a_view((-1,), (1,)),
    a_view((1,), (-1,), -1), a_view((1, 1), (1,)), a_view((1.5,), (1,)), a_view("a", (1,)),
    a_view(5, 5), a_view((True,), (1,)), a_view((1,) * 70, (1,) * 70), a_view((0, 2**62), (1, 1)),
    a_view((1,), (1,), key="../0"), a_view((1,), (1,), key="/etc/passwd"),
    a_view((1000, 1000), (1, 1), elements=2000), a_view((2**64,), (0,)),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(WRONG_VIEWS)))
def test_views_that_cannot_be_are_refused(tmp_path, place) -> None:
    data = torch_file(tmp_path, {"a": WRONG_VIEWS[place]}, {"0": bytes(8000)})
    assert refused_or_same(nn.state.torch_load, tmp_path / "x", data)


def test_one_element_may_stand_for_many(tmp_path) -> None:
    data = torch_file(tmp_path, {"a": a_view((1 << 20, 1 << 12), (0, 0))}, {"0": b"\0\0\x80?"})
    (tmp_path / "x").write_bytes(data)
    found = nn.state.torch_load(tmp_path / "x")["a"]
    assert found.shape == (1 << 20, 1 << 12) and found[5, 7].item() == 1
    small = torch_file(tmp_path, {"a": a_view((2, 3), (1, 0), elements=2)}, {"0": bytes(8)})
    (tmp_path / "x").write_bytes(small)
    assert nn.state.torch_load(tmp_path / "x")["a"].tolist() == [[0] * 3] * 2


def test_tensors_that_share_much_are_refused(tmp_path) -> None:
    for count, fits in ((3, True), (400, False)):
        many = {f"t{k}": a_view((25_000,), (1,)) for k in range(count)}
        (tmp_path / "x").write_bytes(torch_file(tmp_path, many, {"0": bytes(100_000)}))
        if fits:
            assert len(nn.state.torch_load(tmp_path / "x")) == count
        else:
            with pytest.raises(UsageError, match=r"4 times as much as the file: they share"):
                nn.state.torch_load(tmp_path / "x")


@pytest.mark.parametrize("where", ["pickle", "storage", "byteorder"])
def test_what_grows_when_it_is_read_is_refused(tmp_path, where) -> None:
    bomb = bytes(50 << 20)
    words = {"order": bomb} if where == "byteorder" else {}
    structure = {"a": "a" * (50 << 20)} if where == "pickle" else None
    storages = {"0": bomb, "1": bytes(24)} if where == "storage" else None
    path = tmp_path / "good"
    torch_file(tmp_path, structure, storages, compress=True, **words)
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match=r"holds \d+, expected at most \d+; save it again"):
            nn.state.torch_load(path)
        assert tracemalloc.get_traced_memory()[1] < ROOM
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["../x", "a/../../x", "a/data/0"])
def test_members_that_are_paths_or_there_twice_are_refused(tmp_path, name) -> None:
    path = tmp_path / "x"
    path.write_bytes(with_pickle(b"N."))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, b"more")
    with pytest.raises(UsageError, match="which is a path, or there twice"):
        nn.state.torch_load(path)


STATES = {
    "of a tensor": (a_view((1,), (1,)), {"shape": (5,)}),
    "of slots": (a_view((1,), (1,)), (None, {"kind": 5})),
    "of a function": (REBUILD, (None, {"__defaults__": (1, 2)})),
    "of a class": (OrderedGlobal, {"x": 1}),
}


@pytest.mark.parametrize("kind", STATES)
def test_attributes_are_not_set(tmp_path, kind) -> None:
    item, state = STATES[kind]
    buffer = io.BytesIO()
    writer = Writer(buffer, 2)
    writer.save(item)
    writer.save(state)
    buffer.write(b"b.")
    (tmp_path / "x").write_bytes(with_pickle(buffer.getvalue()))
    with pytest.raises(UsageError, match=r"sets attributes of a .*, which is refused"):
        nn.state.torch_load(tmp_path / "x")


def test_notes_on_a_state_dict_are_passed_over(tmp_path) -> None:
    buffer = io.BytesIO()
    writer = Writer(buffer, 2)
    writer.save(Call(OrderedGlobal))
    writer.save({"_metadata": {"version": 1}})
    buffer.write(b"bU\x01aK\x05s.")
    (tmp_path / "x").write_bytes(with_pickle(buffer.getvalue()))
    assert nn.state.torch_load(tmp_path / "x") == {"a": 5}
