"""Writing into tensors: numpy's sequential meaning, whatever is fused."""

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.errors import DeviceError, DTypeError, ShapeError


def realized(array):
    return Tensor(np.array(array)).realize()


@pytest.fixture(params=["realized", "lazy"])
def make(request):
    """A tensor whose value is in memory, or still to be computed."""
    if request.param == "realized":
        return realized
    return lambda array: Tensor(np.array(array)) + 0


def test_assign_replaces_the_value(make):
    t = make([1, 2, 3])
    assert t.assign(Tensor([4, 5, 6])) is t
    assert t.tolist() == [4, 5, 6]
    t.assign(7)
    assert t.tolist() == [7, 7, 7]


def test_in_place_arithmetic(make):
    t = make([1.0, 2.0, 4.0])
    same = t
    t += 1
    t *= 2
    t -= 1
    t /= 2
    assert t is same and t.tolist() == [1.5, 2.5, 4.5]
    n = make([7, 9])
    n //= 2
    n %= 3
    n **= 3
    n |= 8
    n &= 9
    n ^= 1
    assert n.tolist() == [((0**3 | 8) & 9) ^ 1, ((1**3 | 8) & 9) ^ 1]


@pytest.mark.parametrize(
    "step", ["t /= 2", "t += 1.5", "t *= Tensor([0.5])", "t **= 0.5", "m += 1"]
)
def test_in_place_arithmetic_cuts_no_fractions(make, step):
    t, m = make([7, 9]), realized([True, False])
    with pytest.raises(DTypeError, match=r"(i64|bool) tensor cannot hold the (f32|i64) result"):
        exec(step, {"t": t, "m": m, "Tensor": Tensor})
    with pytest.raises(DTypeError, match="cannot hold"):
        t[0] /= 2
    assert (t.tolist(), m.tolist()) == ([7, 9], [True, False])


def test_in_place_shifts_show_in_views(make):
    t = make([3, 5])
    tail = t[1:]
    t <<= 4
    tail >>= 2
    assert (t.tolist(), tail.tolist()) == ([48, 20], [20])


def test_views_see_what_is_written(make):
    t = make(np.arange(12).reshape(3, 4))
    row, turned, tail = t[1], t.T, t.flatten()[8:]
    t[1] = 0
    assert row.tolist() == [0, 0, 0, 0]
    assert turned.tolist()[0] == [0, 0, 8]
    tail[0] = 99
    assert t.tolist() == [[0, 1, 2, 3], [0, 0, 0, 0], [99, 9, 10, 11]]
    turned += 1
    assert t.tolist()[2] == [100, 10, 11, 12] and row.tolist() == [1, 1, 1, 1]


KEYS = [
    1, (slice(None), 2), slice(0, 2), (slice(None, None, 2), 1), (Ellipsis, slice(None, None, -1)),
    (slice(2, None, -2), slice(1, None, 3)), (0, 3), (None, slice(1, 2)), (slice(0, 0),),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_parts_can_be_written(make, key):
    expected = np.arange(12).reshape(3, 4)
    t = make(expected)
    value = np.arange(expected[key].size).reshape(expected[key].shape) * -1 - 5
    expected = expected.copy()
    expected[key] = value
    t[key] = Tensor(value)
    np.testing.assert_array_equal(t.numpy(), expected)
    t[key] += 3
    expected[key] += 3
    np.testing.assert_array_equal(t.numpy(), expected)


def test_bool_masks_can_be_written(make):
    t = make([1, -2, 3, -4])
    t[t < 0] = 0
    assert t.tolist() == [1, 0, 3, 0]


def test_values_computed_before_stay_what_they_were(make):
    t = make([1.0, 2.0])
    double = t * 2
    t += 10
    later = t * 2
    t += 10
    assert t.tolist() == [21, 22]
    assert double.tolist() == [2, 4]
    assert later.tolist() == [22, 24]


def test_copies_are_not_views(make):
    t = make([1, 2, 3])
    copies = [t.clone(), t + 0, t.cast("int32"), t.pad((1, 0))]
    t[0] = 50
    assert [c.tolist()[-3:] for c in copies] == [[1, 2, 3]] * 4


def test_equal_values_do_not_share_memory():
    x = realized([1.0, 2.0])
    a, b = x * 3, x * 3
    a.realize(b)
    a += 1
    assert a.tolist() == [4, 7] and b.tolist() == [3, 6]


def test_tensor_of_a_tensor_is_a_view():
    a = realized([1, 2])
    b = Tensor(a)
    a[0] = 9
    assert b.tolist() == [9, 2]


@pytest.mark.parametrize("name", ["flip", "roll", "shift", "transpose"])
def test_a_value_may_be_written_from_itself(make, name):
    expected = np.arange(16).reshape(4, 4)
    t = make(expected)
    expected = expected.copy()
    if name == "flip":
        t.assign(t.flip(0))
        expected = expected[::-1]
    elif name == "roll":
        t.assign(t.roll(1, 0))
        expected = np.roll(expected, 1, 0)
    elif name == "shift":
        t[1:] = t[:-1]
        expected[1:] = expected[:-1].copy()
    else:
        t.assign(t.T)
        expected = expected.T
    np.testing.assert_array_equal(t.numpy(), expected)


def test_swap(make):
    a, b = make([1, 2]), make([3, 4])
    old = a.clone()
    a.assign(b)
    b.assign(old)
    assert a.tolist() == [3, 4] and b.tolist() == [1, 2]


def test_writes_that_need_each_others_old_values():
    a, b = realized([1.0, 2.0]), realized([3.0, 4.0])
    old = a * 10
    a.assign(b * 10)
    b.assign(old)
    del old
    a.realize(b)
    assert a.tolist() == [30, 40] and b.tolist() == [10, 20]


def test_old_and_new_values_in_one_expression():
    a = realized([1.0, 2.0])
    total = a * 100 + 0
    for _ in range(3):
        a += 1
        total[:1] = a[1:] + total[:1]
    del a
    assert total.tolist() == [100 + 3 + 4 + 5, 200]


def test_a_loop_of_updates():
    t, total = realized(np.zeros(3, np.float32)), np.zeros(3, np.float32)
    for i in range(10):
        t += i
        t[1] *= 2
        total += i
        total[1] *= 2
        if i % 3 == 0:
            t.realize()
    np.testing.assert_array_equal(t.numpy(), total)


def test_several_readers_between_writes():
    t = realized([1.0, 2.0])
    seen = []
    for _ in range(4):
        seen.append(t.sum())
        t += 1
    assert t.tolist() == [5, 6]
    assert [s.item() for s in seen] == [3, 5, 7, 9]


def test_what_cannot_be_written_says_so():
    t = realized([[1.0, 2.0]])
    with pytest.raises(ShapeError, match=r"a value of shape \(3,\) does not fit|do not broadcast"):
        t.assign([1.0, 2.0, 3.0])
    with pytest.raises(ShapeError, match="elements share memory"):
        t.expand(4, 2)[1:] = 0
    with pytest.raises(ShapeError, match=r"value of shape \(3,\) does not fit into the part"):
        t[Tensor([0])] = [1.0, 2.0, 3.0]
    with pytest.raises(DeviceError, match="assign: the tensor is on"):
        t.assign(Tensor([[1.0, 2.0]], device="C:1"))
    assert t.tolist() == [[1, 2]]


def test_a_failed_realize_leaves_tensors_usable():
    from rulewright import Variable
    from rulewright.errors import VariableError

    t = realized([1.0, 2.0, 3.0])
    double = t * 2
    part = t[: Variable("n", 1, 3)] + 1
    with pytest.raises(VariableError, match="n has no value"):
        part.realize(double)
    assert double.tolist() == [2, 4, 6] and t.tolist() == [1, 2, 3]


def test_many_writes_into_a_value_without_memory_take_linear_time(rng):
    """A loop over elements or rows, each from the one before, and what was computed in between."""
    count = 120
    x, expected = Tensor.zeros(count), np.arange(count, dtype=np.float32)
    between = {}
    for i in range(count):
        x[i] = i if i % 2 or not i else x[i - 1] + 1
        if i in (0, 32, 100):
            between[i] = x * 2
    assert (x.tolist(), x.sum().item()) == (expected.tolist(), expected.sum())
    for i, value in between.items():
        assert value.tolist() == (expected * 2 * (expected <= i)).tolist()
    rows = rng.normal(size=(50, 3)).astype(np.float32)
    w = Tensor(rows, requires_grad=True)
    y = w * 1
    column = y[:, 1]
    for i in range(1, 50):
        y[i] = y[i - 1] * 0.5 + w[i]
    for i in range(1, 50):
        rows[i] += rows[i - 1] * 0.5
    y.sum().backward()
    np.testing.assert_allclose(column.numpy(), rows[:, 1], rtol=1e-5, atol=1e-6)
    weights = 2 - 0.5 ** np.arange(49, -1, -1.0)  # 1 + 1/2 + 1/4 … for the rows behind
    np.testing.assert_allclose(w.grad.numpy(), weights[:, None] + np.zeros(3), rtol=1e-6)
