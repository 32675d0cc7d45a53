"""Reading and writing by positions and masks: meaning of numpy, lazily, without searching."""

import numpy as np
import pytest
from arrays import counted
from pairs import in_pairs

from rulewright import Tensor, dtypes, jit
from rulewright.codegen.lower import lower_kernel
from rulewright.errors import DeviceError, JitError, PositionError, ShapeError, UsageError
from rulewright.ir.ops import Ops


def same(found, expected):
    array = found.numpy()
    assert array.shape == np.shape(expected)
    np.testing.assert_array_equal(array, expected)


# ---- writing through views -----------------------------------------------------------------------


def rows_twice(x, t):
    x[t([0, 2])] = 5
    x[t([2, 1])] += 1


def view_of_view(x, t):
    part = x[1:][:, ::-1]
    part[t([0, -1]), 1:3] = t([[7.0, 8], [9, 10]])
    part[:, t([0])] *= 2


def transposed(x, t):
    x.T[t([0, 3])] = x[0, :4].sum()
    x.T[t([1]), t([2])] -= 1


def swapped_rows(x, t):
    x[t([0, 3])] = x[t([3, 0])]


def shifted_onto_itself(x, t):
    x[t([1, 2, 3])] = x[t([0, 1, 2])]


def masked_view(x, t):
    part = x[:, 1:4]
    part[part > 8] = 0
    part[part[:, 0] == 0] = t([1.0, 2, 3])


def masked_by_other_part(x, t):
    x[:2][x[2:4] > 12] = -1
    x[x[:, 0] < 0] = x[3]


def read_before_write(x, t):
    before = x[t([0, 1])] + 0
    x[t([0, 1])] = 0
    x[2:4] = before


def later_view_sees_it(x, t):
    top = x[0]
    x[t([0])] = 4
    top[t([1, 1, 2])] = t([1.0, 2, 3])
    x[3] = top


def square_and_diagonal(x, t):
    x[t([0, 1, 2]), t([0, 1, 2])] = 0
    x[t([[0], [2]]), t([3, 4])] = t([[1.0, 2], [3, 4]])


def empty_positions(x, t):
    x[t(np.zeros(0, np.int64))] = 7
    x[x > 99] = 7


def mask_of_positions(x, t):
    x[t([True, False, True, False]), t([1, 3])] = t([50.0, 60])
    x[1:3, t([True, False, True, False, True])] = t([[1.0, 2, 3], [4, 5, 6]])


PROGRAMS = [
    rows_twice, view_of_view, transposed, swapped_rows, shifted_onto_itself, masked_view,
    masked_by_other_part, read_before_write, later_view_sees_it, square_and_diagonal,
    empty_positions, mask_of_positions,
]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "start", "device"),
    in_pairs(PROGRAMS, ["memory", "value", "late"], ["C", "INTERP"]),
)
def test_writes_mean_what_they_mean_in_numpy(program, start, device):
    a = counted(4, 5)
    x = Tensor(a, device=device) if start != "value" else Tensor(a, device=device) + 0
    column, flipped = x[:, 1], x[::-1]
    if start == "late":
        (x + 0).realize()
    expected = a.copy()
    program(x, lambda v: Tensor(v, device=device))
    program(expected, np.array)
    same(flipped, expected[::-1])
    same(x, expected)
    same(column, expected[:, 1])


def test_of_equal_positions_the_last_is_written_and_all_are_added():
    x = Tensor([0.0, 0, 0]).realize()
    x[Tensor([1, 1, 1])] = Tensor([5.0, 6, 7])
    assert x.tolist() == [0, 7, 0]
    x[Tensor([2, 2])] += 1  # reads once, as in numpy
    assert x.tolist() == [0, 7, 1]
    found = x.index_put((Tensor([2, 2, -3]),), Tensor([1.0, 2, 3]), accumulate=True)
    assert found.tolist() == [3, 7, 4] and x.tolist() == [0, 7, 1]


def test_index_put_leaves_its_tensor_alone():
    x = Tensor([1, 2, 3]).realize()
    assert x.index_put(Tensor([0]), 9).tolist() == [9, 2, 3]
    assert x.tolist() == [1, 2, 3]


def test_positions_out_of_range_in_tensors_write_nothing():
    x = Tensor([[1, 2], [3, 4]]).realize()
    x[Tensor([0, 2, -3])] = 9
    x[Tensor([1, 0]), Tensor([2, 5])] = 7
    assert x.tolist() == [[9, 9], [3, 4]]
    assert x.scatter(0, Tensor([[5, 1]]), 0).tolist() == [[9, 9], [3, 0]]


def test_known_positions_out_of_range_are_index_errors():
    x = Tensor(counted(2, 3))
    for key in (2, -3, (0, 3), [0, 2], (slice(None), np.array([-4]))):
        with pytest.raises(IndexError, match="out of range"):
            x[key]
        with pytest.raises(PositionError):
            x[key] = 0
    assert issubclass(PositionError, ShapeError) and issubclass(PositionError, UsageError)


# ---- what is computed, and when ------------------------------------------------------------------


def test_a_written_mask_stays_lazy():
    x = Tensor(counted(3, 4)).realize()
    x[x > 4] = 0
    x[x[:, 0] > 0] = x[0] * 2
    assert x.state == "lazy"
    same(x, [[2, 4, 6, 8], [0, 0, 0, 0], [0, 0, 0, 0]])


def test_a_read_mask_is_computed_but_not_what_it_reads():
    x = Tensor(counted(3, 4)) + 0
    found = x[x > 10]
    assert found.state == "lazy" and found.shape == (2,)
    same(found, [11, 12])


def test_values_for_a_mask_are_taken_in_order_as_far_as_they_go():
    x = Tensor([1.0, 2, 3, 4])
    x[Tensor([True, False, True, True])] = Tensor([10.0, 20])
    assert x.tolist() == [10, 2, 20, 4]
    x[Tensor([False, True, False, False])] = Tensor([7.0, 8, 9])
    assert x.tolist() == [10, 7, 20, 4]


@pytest.mark.parametrize("kind", ["bool", "uint8", "float16"])
def test_reading_positions_searches_nothing(kind):
    source = Tensor(np.ones((50, 4))).cast(kind).realize()
    (item,) = source[Tensor([5, 7])].schedule()
    assert not any(n.op is Ops.REDUCE for n in item.ast.toposort())


def test_writing_rows_reads_each_value_once():
    """Who writes a row is found once a row; its values are picked, not searched."""
    x, rows = Tensor(np.zeros((100, 64), np.float32)), Tensor(np.ones((50, 64), np.float32))
    x.realize(), rows.realize()
    x[Tensor(np.arange(50))] = rows
    items = x.schedule()
    reduces = [n for item in items for n in item.ast.toposort() if n.op is Ops.REDUCE]
    assert reduces and all(n.dtype is dtypes.i32 for n in reduces)


# ---- with the rest of the library ----------------------------------------------------------------


def test_a_jitted_function_writes_by_positions():
    @jit
    def step(x, places):
        out = x + 0
        out[places] = out[[0, 1]] * 2
        out[out > 50] = 0
        return out

    for i in range(4):
        a, at = counted(4) * (i + 1), np.array([i % 4, (i + 1) % 4])
        expected = a.copy()
        expected[at] = a[:2] * 2
        expected[expected > 50] = 0
        same(step(Tensor(a).realize(), Tensor(at).realize()), expected)


def test_a_jitted_function_takes_no_host_positions():
    @jit
    def pick(x):
        return x[np.array([0, 1])]

    pick(Tensor(counted(3)).realize())
    with pytest.raises(JitError, match="host memory is an index"):
        pick(Tensor(counted(3)).realize())


def test_positions_are_on_the_device_of_the_tensor():
    x = Tensor(counted(4), device="C:1")
    assert x[[1, 2]].device == "C:1" and x.nonzero().device == "C:1"
    with pytest.raises(DeviceError, match="operands are on"):
        x[Tensor([1, 2], device="C")]


def test_gradients_of_what_is_read_twice_add_up():
    x = Tensor(counted(4), requires_grad=True)
    (x[Tensor([1, 1, -1])] * Tensor([1.0, 10, 100])).sum().backward()
    assert x.grad.tolist() == [0, 11, 0, 100]


def test_gradients_of_what_is_overwritten_are_zero():
    x = Tensor(counted(4), requires_grad=True)
    v = Tensor([5.0, 6], requires_grad=True)
    y = x * 2
    y[Tensor([0, 0])] = v
    (y * y).sum().backward()
    assert x.grad.tolist() == [0, 16, 24, 32] and v.grad.tolist() == [0, 12]


COMPARED = {
    "taken along an axis": (
        lambda x, t: x.gather(1, (x > 0).cast("i64")),
        lambda x, t: np.take_along_axis(x, (x > 0).astype(int), 1),
    ),
    "both": (
        lambda x, t: t[((x > 0) & (x < 1)).cast("i64")],
        lambda x, t: t[0 + ((x > 0) & (x < 1))],
    ),
    "either": (
        lambda x, t: t[((x > 0) ^ (x < 1)).cast("u8")],
        lambda x, t: t[0 + ((x > 0) ^ (x < 1))],
    ),
    "not": (lambda x, t: t[(~(x > 0)).cast("i32")], lambda x, t: t[0 + ~(x > 0)]),
    "one or none": (lambda x, t: t[(x > 0).where(0, 1)], lambda x, t: t[np.where(x > 0, 0, 1)]),
    "one more": (lambda x, t: t[(x > 0).where(5, 4)], lambda x, t: t[np.where(x > 0, 5, 4)]),
    "from behind": (lambda x, t: t[-(x > 0).cast("i64")], lambda x, t: t[-(0 + (x > 0))]),
    "a sum": (
        lambda x, t: t[(x > 0).cast("i64")].sum(1),
        lambda x, t: t[0 + (x > 0)].sum(1),
    ),
}


@pytest.mark.parametrize("shape", [(1, 5), (4, 8), (7, 33)])
@pytest.mark.parametrize("name", COMPARED)
def test_positions_that_are_comparisons(name, shape):
    program, expected = COMPARED[name]
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    t = np.arange(3, 11, dtype=np.float32)
    np.testing.assert_array_equal(program(Tensor(x), Tensor(t)).numpy(), expected(x, t))


def test_only_loops_over_such_positions_are_no_vectors():
    x, t = Tensor(np.ones((4, 40), np.float32)), Tensor(np.arange(8, dtype=np.float32))
    [compared] = t[(x > 0).cast("i64")].exp().schedule()
    [counted] = t[x.cast("i64")].exp().schedule()
    with_mask, without = (lower_kernel(k.ast, "C").source for k in (compared, counted))
    assert "omp simd" not in with_mask
    assert "omp simd" in without


RANGES = (
    range(2), range(0), range(1, -1, -1), range(-2, 0), (slice(None), range(0, 3, 2)),
    (range(2), range(1, 3)), (..., range(3, -1, -3)), (0, range(2)), (range(1), None),
)  # fmt: skip


@pytest.mark.parametrize("key", RANGES, ids=map(str, RANGES))
def test_a_range_is_a_list_of_positions(key):
    array = np.arange(24).reshape(2, 3, 4)
    x, listed = Tensor(array), array.copy()
    parts = key if isinstance(key, tuple) else (key,)
    places = tuple(np.array(p, np.int64) if isinstance(p, range) else p for p in parts)
    same(x[key], listed[places])
    x[key] = -5
    listed[places] = -5
    same(x, listed)
    x[key] += 2
    listed[places] += 2
    same(x, listed)


def test_a_range_beyond_an_axis():
    for key in (range(3), range(-3, 0)):
        with pytest.raises(PositionError, match="out of range for axis 0 of size 2"):
            Tensor.zeros(2, 3)[key]


def test_a_mask_without_axes_is_computed_before_the_part_that_is_written():
    x = Tensor([1, 6, 5])
    x[2] *= 1  # waits, and the mask hangs on it
    most = x.max(0)
    other = most.amax(0)
    other[other > 0] = 1
    assert (other.item(), most.item(), x.tolist()) == (1, 6, [1, 6, 5])
    y = x * 2
    x[0] = 3
    y[(x > 0).sum() :] = 7
    y[y.max() > 99] = 8
    assert (y.tolist(), x.tolist()) == ([2, 12, 10], [3, 6, 5])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3)])
@pytest.mark.parametrize("holds", [False, True])
def test_a_mask_without_axes_writes_all_or_nothing(shape, holds):
    values = [5.0, np.full(shape, 7.0), np.ones((1, *shape))]
    for value in values if holds else [*values, np.zeros((0, *shape))]:
        x = np.arange(6.0)[: int(np.prod(shape))].reshape(shape)
        tensor, mask = Tensor(x.copy()), Tensor(2.0) > (1 if holds else 3)
        tensor[mask] = Tensor(value) if isinstance(value, np.ndarray) else value
        x[np.bool_(holds)] = value
        np.testing.assert_array_equal(tensor.numpy(), x)


@pytest.mark.parametrize("key", [
    (True, [0, 2]), (True, slice(None), [0, 2]), (slice(None), True, [1]), (True, None, False),
    (False, slice(None), [0]), ([0, 1], True, slice(None), [0]), (True, True), (True, [], [])
])  # fmt: skip
def test_a_bool_beside_what_picks_is_a_list_among_them(key):
    """As in numpy and PyTorch: it adds an axis of its own only where it stands alone."""
    x = np.arange(60.0).reshape(3, 4, 5)
    tensor = Tensor(x.copy())
    np.testing.assert_array_equal(tensor[key].numpy(), x[key], strict=True)
    tensor[key] *= 2
    x[key] *= 2
    np.testing.assert_array_equal(tensor.numpy(), x)


def test_a_mask_without_axes_writes_in_a_replay():
    """Whether it holds is for each replay to find."""

    @jit
    def at_most_one(x, y):
        x[x.sum() > 1] = 1.0
        y[0][x.max() < 1] = x.max()
        return x + 0, y + 0

    for number in (0.0, 3.0, 0.5, 2.0, 0.25):
        x, y = np.array([number, 0.0]), np.zeros((2, 3))
        found = at_most_one(Tensor(x.copy()), Tensor(y.copy()))
        if number > 1:
            x[:] = 1
        else:
            y[0] = number
        for result, wanted in zip(found, (x, y), strict=True):
            np.testing.assert_array_equal(result.numpy(), wanted)


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_a_write_to_no_element_is_none_in_a_kernel_of_several_results(device):
    """Its loop runs never, and what it stores is the same in each iteration."""
    small = Tensor([0.5], dtype="fp8e5m2fnuz", device=device).expand((7,)).cast("bf16")
    numbers = Tensor(np.arange(7.0), dtype="bf16", device=device).reshape(7, 1, 1).expand((7, 1, 2))
    loss = small.flatten().pad((0, 7)).reshape((7, 1, 2)).mse_loss(numbers)
    empty = Tensor(np.zeros((1, 0)), dtype="i32", device=device) * 1
    product = empty.mm(Tensor.arange(0, dtype="f32", device=device).reshape((0, 2))).flip(1)
    zero = Tensor(np.zeros(0), dtype="f32", device=device).pad((0, 1)).reshape(()).log1p().clone()
    zero[1 == 2] = 2
    results = [t.contiguous() for t in (numbers, loss, product, zero)]
    Tensor.realize(*results)
    assert results[-1].item() == 0.0
    np.testing.assert_array_equal(results[2].numpy(), np.zeros((1, 2)))
