"""What runs for tensors on several devices: kernels that they share, and bytes that they copy."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Context, GlobalCounters, Tensor, Variable, jit
from rulewright.errors import VariableError
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.c import CDevice

_RANDOM = np.random.default_rng(9)
_A = _RANDOM.standard_normal((12, 12)).astype(np.float32)
_NUMBERS = np.arange(12)[:, None]


def _run(tensor):
    """The items that compute a tensor, which have run."""
    items = tensor.schedule()
    for item in items:
        item.run()
    return items


@pytest.mark.parametrize(
    ("devices", "numbers"),
    [
        (("C", "C:1"), [0, 1]),
        (("C:1", "C:2", "C:3"), [1, 2, 3]),
        (("INTERP", "INTERP:1"), [0, 1]),
        (("C:2", "C"), None),
        (("C", "INTERP"), None),
    ],
)
def test_one_kernel_is_told_the_number_of_its_device(devices, numbers):
    x = Tensor(_A).shard(devices, 0).realize()
    whole = Tensor(_A).shard(devices).realize()
    y = x * 2 + whole + Tensor.arange(12).reshape(12, 1)
    items = _run(y)
    np.testing.assert_allclose(y.numpy(), _A * 3 + _NUMBERS, 1e-5)
    assert [item.device.name for item in items] == list(devices)
    if numbers is None:  # no one way to say which part it is
        assert all(not item.fixed_variables for item in items)
    else:
        assert [dict(item.fixed_variables) for item in items] == [
            {"_device_num": number} for number in numbers
        ]
        assert len({item.ast for item in items}) == 1


@pytest.fixture
def compiled(monkeypatch) -> list[str]:
    """Names of kernels, as the C compiler gets them."""
    names = []
    plain = CDevice.compile_many

    def noted(self, units):
        units = list(units)
        names.extend(name for _, some in units for name in some)
        return plain(self, units)

    monkeypatch.setattr(CDevice, "compile_many", noted)
    return names


def test_it_is_compiled_once(compiled):
    x = Tensor(_A).shard(("C", "C:1", "C:2"), 0).realize()
    whole = Tensor(_A).shard(("C", "C:1", "C:2")).realize()
    compiled.clear()
    y = (x * 1.84375 + whole).realize()
    assert len(compiled) == 1
    np.testing.assert_allclose(y.numpy(), _A * 2.84375, 1e-5)


def test_one_that_needs_no_number_is_compiled_once(compiled):
    x = Tensor(_A).shard(("C:0", "C:1", "C:2"), 0).realize()
    compiled.clear()
    y = x * 1.71875 - 3
    items = y.schedule()
    assert [item.device.name for item in items] == ["C", "C:1", "C:2"]
    assert len({item.ast for item in items}) == 1
    y.realize()
    assert len(compiled) == 1
    np.testing.assert_allclose(y.numpy(), _A * 1.71875 - 3, 1e-5)


def test_replays_tell_each_device_its_number():
    devices = ("C", "C:1", "C:2")
    state, whole = Tensor(_A).shard(devices, 0).realize(), Tensor(_A).shard(devices).realize()
    n = Variable("n", 1, 12)

    @jit
    def step(x, width):
        state.assign(state + whole)
        return (x + whole)[:, :width].sum(1)

    for i in range(4):
        x = Tensor(_A + i).shard(devices, 0).realize()
        np.testing.assert_allclose(
            step(x, n.bind(3 + i)).numpy(), (2 * _A + i)[:, : 3 + i].sum(1), 1e-4, 1e-5
        )
    np.testing.assert_allclose(state.numpy(), 5 * _A, 1e-5)


def test_kernels_of_two_sets_of_devices_on_one_of_them():
    sets = [("C", "C:1"), ("C", "C:1", "C:2"), ("C:1", "C")]
    pairs = [(Tensor(_A).shard(d, 0).realize(), Tensor(_A).shard(d).realize()) for d in sets * 2]
    results = [x * (2 + i) + whole for i, (x, whole) in enumerate(pairs)]
    with Context(VERIFY=2):
        results[0].realize(*results[1:])
    for i, result in enumerate(results):
        np.testing.assert_allclose(result.numpy(), _A * (3 + i), 1e-5)


def test_the_name_of_the_number_is_taken():
    with pytest.raises(VariableError, match="_device_num is the number of a kernel's device"):
        Variable("_device_num", 0, 3)


# ---- bytes between devices -----------------------------------------------------------------------

_LARGE = _RANDOM.standard_normal((12, 256, 256)).astype(np.float32)
_BYTES = 256 * 256 * 4  # of a sum over the first axis


def _copied(tensor):
    return sum(item.buffers[0].nbytes for item in _run(tensor) if item.is_copy) / _BYTES


@pytest.mark.parametrize("count", [2, 4])
def test_bytes_copied_to_add_up(count):
    devices = tuple(f"C:{i}" for i in range(count))
    x, wanted = Tensor(_LARGE).shard(devices, 0).realize(), _LARGE.sum(0)
    everywhere, cut, highest = x.sum(0), (x * 2).sum(0).shard(devices, 0), x.max(0)
    assert _copied(everywhere) == 2 * (count - 1)  # the pieces to add, and the sums of others
    assert _copied(cut) == count - 1  # the pieces to add
    assert _copied(highest) == 2 * (count - 1)
    np.testing.assert_allclose(everywhere.numpy(), wanted, 1e-4, 1e-5)
    np.testing.assert_allclose(cut.numpy(), 2 * wanted, 1e-4, 1e-5)
    np.testing.assert_allclose(highest.numpy(), _LARGE.max(0))
    small = x[:, :1].sum(0)
    assert _copied(small) == count * (count - 1) / 256  # all from all
    np.testing.assert_allclose(small.numpy(), wanted[:1], 1e-4, 1e-5)


def test_a_large_sum_without_equal_pieces():
    x = Tensor(_LARGE[:, :255, :255]).shard(("C", "C:1"), 0).realize()
    total = x.sum(0)
    assert _copied(total) == 2 * 255 * 255 / 256**2
    np.testing.assert_allclose(total.numpy(), _LARGE[:, :255, :255].sum(0), 1e-4, 1e-5)


def test_bytes_copied_by_movement():
    devices = ("C", "C:1", "C:2", "C:3")
    x = Tensor(_LARGE[0]).shard(devices, 0).realize()
    assert _copied(x[32:224].contiguous()) == (16 + 16) / 256  # of 48 rows, the outer two
    assert _copied(x.flip(0).contiguous()) == 1
    assert _copied(x.shard(devices, 1).contiguous()) == 3 / 4  # each has a quarter of its own
    assert _copied(x.shard(devices).contiguous()) == 3
    row = Tensor(_LARGE[0, 0]).shard(devices, 0).realize()
    assert _copied(row.reshape(1, 256).expand(256, 256).shard(devices, 0) + x) == 3 / 256
    assert _copied(Tensor(_LARGE[0]).to(devices).shard(devices, 0).contiguous()) == 3 / 4


@pytest.mark.parametrize("device", ["C:1", "INTERP"])
def test_devices_in_memory_of_this_process_copy_once(monkeypatch, device):
    """Straight from one memory into the other."""
    x = Tensor(_A).realize()
    with monkeypatch.context() as patch:
        patch.setattr(Buffer, "numpy", lambda buffer: pytest.fail("a copy of it is made"))
        moved, parts = x.to(device).realize(), x.shard(("C", device), 0).realize()
    x.assign(x * 0).realize()
    np.testing.assert_array_equal(moved.numpy(), _A)
    np.testing.assert_array_equal(parts.numpy(), _A)


def test_a_value_of_no_device_is_computed_on_each_that_it_is_copied_to():
    number = Tensor.arange(6).reshape(2, 3).sum(0)
    parts, others = number.shard(("C", "C:1", "C:2"), 0), number.shard(("C:3", "C:1"))
    one, other = number.to("C:1"), number.to("INTERP")
    parts.realize(others, one, other)
    for tensor in (parts, others, one, other):
        assert tensor.tolist() == [3, 5, 7]


# ---- how often they copy -------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4])
def test_sums_that_do_not_wait_for_each_other_are_copied_together(count):
    devices = tuple(f"C:{i}" for i in range(count))
    x = Tensor(_A).shard(devices, 0).realize()
    sums = [x.sum(0), (x * 2).sum(0), x.max(0), x[:, :5].sum(), (x > 0).sum(0), (x < 0).sum()]
    total = x - x.sum(0)  # what waits for a sum is added up later
    sums.append((total * total).sum(0))
    items = sums[0].schedule(*sums[1:])
    for item in items:
        item.run()
    copies = [item for item in items if item.is_copy]
    assert len(copies) == 3 * count * (count - 1)  # of floats, of integers, and those behind
    centred = _A - _A.sum(0)
    wanted = [_A.sum(0), 2 * _A.sum(0), _A.max(0), _A[:, :5].sum(), (_A > 0).sum(0), (_A < 0).sum(),
              (centred * centred).sum(0)]  # fmt: skip
    for one, other in zip(sums, wanted, strict=True):
        np.testing.assert_allclose(one.numpy(), other, 1e-4, 1e-4)


def test_a_sum_of_what_has_another_one_beside_it():
    """Neither waits for a copy, but one for the other: they cannot be stored at once."""
    x = Tensor(_A).shard(("C", "C:1"), 0).realize()
    state = Tensor(_A[0]).shard(("C", "C:1")).realize()

    @jit
    def step(x):
        first = x.sum(0)
        second = (x * first).sum(0)
        state.assign(state + first + second)
        return first.max(), second

    held = _A[0].astype(np.float64)
    for i in range(4):
        with Context(VERIFY=2 if i == 1 else 0):
            highest, second = step((x + i).realize())
        first = (_A + i).sum(0)
        held += first + ((_A + i) * first).sum(0)
        np.testing.assert_allclose(highest.numpy(), first.max(), 1e-4)
        np.testing.assert_allclose(second.numpy(), ((_A + i) * first).sum(0), 1e-4, 1e-4)
    np.testing.assert_allclose(state.numpy(), held, 1e-4, 1e-3)


@pytest.mark.parametrize("cut", [12, 5])
def test_a_replay_runs_kernels_between_copies_as_one(monkeypatch, cut):
    """Only copies run one by one, over parts that are others each time, of no rows too."""
    devices = ("C", "C:1", "C:2", "C:3")  # of 5 rows the last one has none
    total = Tensor.zeros(12, 12).shard(devices).contiguous().realize()
    copies, plain = [], Buffer.copyin
    monkeypatch.setattr(Buffer, "copyin", lambda b, data: (copies.append(b), plain(b, data))[1])

    @jit
    def step(x, scale):
        wide = (x * scale).exp()
        total.assign(total + x.sum(0))
        return (wide * x).realize(total), wide.sum().realize()

    scale, sums = Variable("scale", 1, 4), np.zeros((12, 12), np.float32)
    for factor in (1, 2, 3, 4, 2):
        rows = _A[:cut] / np.float32(factor)
        x = Tensor(rows).shard(devices, 0).realize()
        copies.clear()
        before = sum(GlobalCounters.kernels_on.values())
        with Context(PROFILE=factor == 4):  # kernels one by one
            product, whole = step(x, scale.bind(factor))
        alone, copied = sum(GlobalCounters.kernels_on.values()) - before, len(copies)
        sums += rows.sum(0)
        wide = np.exp(rows * np.float32(factor))
        np.testing.assert_allclose(product.numpy(), wide * rows, rtol=1e-5)
        np.testing.assert_allclose(whole.item(), wide.sum(), rtol=1e-5)
    assert alone == copied > 0
    np.testing.assert_allclose(total.numpy(), sums, rtol=1e-4, atol=1e-4)
