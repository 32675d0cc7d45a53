"""Movement and indexing against numpy."""

import numpy as np
import pytest
from arrays import counted

from rulewright import Tensor, Variable, dtypes
from rulewright.errors import ShapeError


def same(found, expected):
    array = found.numpy()
    assert array.shape == expected.shape
    np.testing.assert_array_equal(array, expected)


MOVES = {
    "reshape": (lambda t: t.reshape(4, -1), lambda a: a.reshape(4, -1)),
    "view": (lambda t: t.view((3, 20)), lambda a: a.reshape(3, 20)),
    "permute": (lambda t: t.permute(2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    "transpose": (lambda t: t.transpose(0, 2), lambda a: a.swapaxes(0, 2)),
    "T": (lambda t: t.T, lambda a: a.T),
    "mT": (lambda t: t.mT, lambda a: a.swapaxes(-1, -2)),
    "flip": (lambda t: t.flip(1), lambda a: np.flip(a, 1)),
    "flip all": (lambda t: t.flip(), lambda a: np.flip(a)),
    "unsqueeze": (lambda t: t.unsqueeze(1), lambda a: a[:, None]),
    "flatten": (lambda t: t.flatten(1), lambda a: a.reshape(3, 20)),
    "flatten all": (lambda t: t.flatten(), lambda a: a.ravel()),
    "unflatten": (lambda t: t.unflatten(1, (2, -1)), lambda a: a.reshape(3, 2, 2, 5)),
    "repeat": (lambda t: t.repeat(2, 1, 3), lambda a: np.tile(a, (2, 1, 3))),
    "repeat new": (lambda t: t.repeat(2, 1, 1, 2), lambda a: np.tile(a, (2, 1, 1, 2))),
    "repeat_interleave": (lambda t: t.repeat_interleave(2, 1), lambda a: a.repeat(2, 1)),
    "moveaxis": (lambda t: t.moveaxis(0, -1), lambda a: np.moveaxis(a, 0, -1)),
    "shrink": (lambda t: t.shrink([(1, 3), None, (0, 2)]), lambda a: a[1:3, :, :2]),
    "pad": (lambda t: t.pad([(1, 0), None, (2, 3)]), lambda a: np.pad(a, [(1, 0), (0, 0), (2, 3)])),
    "pad flat": (lambda t: t.pad((2, 3)), lambda a: np.pad(a, [(0, 0), (0, 0), (2, 3)])),
    "pad cut": (lambda t: t.pad((-1, -2)), lambda a: a[:, :, 1:-2]),
    "pad value": (lambda t: t.pad((1, 1), value=-7),
                  lambda a: np.pad(a, [(0, 0), (0, 0), (1, 1)], constant_values=-7)),
    "roll": (lambda t: t.roll(2, 1), lambda a: np.roll(a, 2, 1)),
    "roll back": (lambda t: t.roll(-3, -1), lambda a: np.roll(a, -3, -1)),
    "diagonal": (lambda t: t.diagonal(), lambda a: np.diagonal(a)),
    "diagonal 1": (lambda t: t.diagonal(1, 1, 2), lambda a: np.diagonal(a, 1, 1, 2)),
    "diagonal -2": (lambda t: t.diagonal(-2, 1, 2), lambda a: np.diagonal(a, -2, 1, 2)),
    "diagonal far": (lambda t: t.diagonal(9), lambda a: np.diagonal(a, 9)),
    "tril": (lambda t: t.tril(), lambda a: np.tril(a)),
    "triu": (lambda t: t.triu(1), lambda a: np.triu(a, 1)),
    "narrow": (lambda t: t.narrow(2, 1, 3), lambda a: a[:, :, 1:4]),
    "chain": (lambda t: t.permute(2, 1, 0).flip(0).reshape(10, 6).T[1:, ::3],
              lambda a: np.flip(a.transpose(2, 1, 0), 0).reshape(10, 6).T[1:, ::3]),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVES)
def test_moves_are_numpys(name):
    ours, numpys = MOVES[name]
    a = counted(3, 4, 5)
    same(ours(Tensor(a)), numpys(a))
    same(ours(Tensor(a) + 1), numpys(a + 1))


def test_expand_repeats_axes_of_size_one():
    a = counted(3, 1)
    same(Tensor(a).expand(3, 4), np.broadcast_to(a, (3, 4)))
    same(Tensor(a).expand(2, -1, 4), np.broadcast_to(a, (2, 3, 4)))
    same(Tensor(a).expand(3, 0), np.broadcast_to(a, (3, 0)))


def test_squeeze_takes_axes_of_size_one():
    t = Tensor(counted(1, 3, 1))
    assert t.squeeze().shape == (3,)
    assert t.squeeze(0).shape == (3, 1)
    assert t.squeeze(1).shape == (1, 3, 1)


def test_cat_and_stack():
    a, b, c = counted(2, 3), counted(4, 3) * 10, counted(1, 3) * -1
    same(Tensor(a).cat(Tensor(b), Tensor(c)), np.concatenate([a, b, c]))
    same(Tensor(a).cat(Tensor(a[:, :0]), Tensor(b[:2]), dim=-1), np.concatenate([a, b[:2]], 1))
    same(Tensor(a).stack(Tensor(b[:2]), dim=1), np.stack([a, b[:2]], 1))
    assert Tensor([True]).cat(Tensor([3])).dtype is dtypes.i64
    assert Tensor([True]).cat(Tensor([False])).tolist() == [True, False]


def test_an_empty_list_is_joined_to_tensors_of_more_axes():
    """As in PyTorch, whose programs begin with it."""
    rows = Tensor([])
    for i in range(3):
        rows = Tensor.cat([rows, Tensor([[i, 2 * i]])])
    same(rows, np.array([[0, 0], [1, 2], [2, 4]], np.float32))
    b = counted(2, 3)
    same(Tensor.cat([Tensor([]), Tensor(b), Tensor(b)], dim=1), np.concatenate([b, b], 1))
    assert Tensor.cat([Tensor([]), Tensor([1])]).dtype is dtypes.f32
    with pytest.raises(ShapeError, match="equal sizes"):
        Tensor.zeros(0, 2).cat(Tensor(b))


def test_cat_keeps_signed_zeros_and_nan():
    found = Tensor([-0.0, float("nan")]).cat(Tensor([-0.0, 1.0])).numpy()
    assert np.signbit(found[[0, 2]]).all() and np.isnan(found[1]) and found[3] == 1


def test_padding_has_the_sign_of_its_zero():
    x = np.ones((2, 5), np.float32)
    for value in (0.0, -0.0):
        padded = Tensor(x).pad((3, 1), value=value).numpy()
        np.testing.assert_array_equal(
            np.signbit(padded), np.signbit(np.pad(x, ((0, 0), (3, 1)), constant_values=value))
        )


def test_split_and_chunk():
    a = counted(7, 2)
    for found, part in zip(Tensor(a).split(3), (a[:3], a[3:6], a[6:]), strict=True):
        same(found, part)
    for found, part in zip(Tensor(a).split([1, 6]), (a[:1], a[1:]), strict=True):
        same(found, part)
    assert [t.shape[0] for t in Tensor(a).chunk(3)] == [3, 3, 1]


INDICES = [
    0, -1, (1, 2), (slice(1, 3),), (slice(None), 1), (slice(None, None, 2),),
    (slice(None, None, -1),), (slice(4, 0, -2), slice(None), slice(1, None, 3)),
    (slice(-2, None), None, slice(None, -1)), (Ellipsis, 1), (0, Ellipsis, 2),
    (None, Ellipsis, None), (slice(3, 1),), (slice(100, None),), (slice(-100, 100, 3),), (),
    (Ellipsis, slice(None, None, -2)), (slice(None), slice(5, None, -3), 0),
]  # fmt: skip


@pytest.mark.parametrize("key", INDICES, ids=str)
def test_basic_indexing(key):
    a = counted(5, 6, 7)
    same(Tensor(a)[key], a[key])


PICKS = [
    ([2, 0, 1],), ([-1, 0],), (slice(None), [1, 1, 3]), ([0, 1], [2, 3]),
    ([0, 1], slice(None), [2, 3]), (slice(None), [1, 2], [3, 4]), ([[0, 1], [2, 3]],),
    (1, [0, 2]), (slice(1, 3), [[0], [1]], [0, 1, 2]), (None, [1]), (Ellipsis, [0, -1]),
]  # fmt: skip


@pytest.mark.parametrize("key", PICKS, ids=str)
def test_indexing_by_positions(key):
    a = counted(5, 6, 7)
    ours = tuple(Tensor(k) if isinstance(k, list) else k for k in key)
    same(Tensor(a)[ours], a[key])
    same(Tensor(a)[key], a[key])


def test_positions_out_of_range_read_zero():
    assert Tensor([1, 2, 3])[Tensor([0, 3, -4, -1])].tolist() == [1, 0, 0, 3]


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "int64"])
def test_positions_of_any_integer_dtype(kind):
    a = counted(300)
    ids = np.array([0, 100, 3], kind)
    same(Tensor(a)[Tensor(ids)], a[ids])


def test_picking_does_not_search_the_axis():
    from rulewright.ir.ops import Ops

    (item,) = Tensor(counted(100, 4))[Tensor([5, 7])].schedule()
    assert not any(n.op is Ops.REDUCE for n in item.ast.toposort())


def test_gather_and_scatter():
    a = counted(3, 4)
    index = np.array([[0, 3, 1], [2, 2, 0]])
    same(Tensor(a).gather(1, Tensor(index)), np.take_along_axis(a[:2], index, 1))
    rows = np.array([[0, 2, 1, 0]])
    same(Tensor(a).gather(0, Tensor(rows)), np.take_along_axis(a, rows, 0))
    base, src = counted(3, 5) * 0, counted(2, 5)
    where = np.array([[0, 1, 2, 0, 0], [2, 0, 0, 1, 2]])
    expected = base.copy()
    np.put_along_axis(expected, where, src, 0)
    same(Tensor(base).scatter(0, Tensor(where), Tensor(src)), expected)
    total = base.copy()
    np.add.at(total, (where, np.arange(5)[None].repeat(2, 0)), src)
    same(Tensor(base).scatter(0, Tensor(where), Tensor(src), reduce="add"), total)


def test_scatter_the_last_of_equal_positions_counts():
    found = Tensor([0, 0]).scatter(0, Tensor([1, 1]), Tensor([5, 6]))
    assert found.tolist() == [0, 6]


def test_one_hot_and_embedding():
    assert Tensor([2, 0]).one_hot(3).tolist() == [[0, 0, 1], [1, 0, 0]]
    table = counted(6, 4)
    ids = np.array([[1, 5], [0, 1]])
    same(Tensor(ids).embedding(Tensor(table)), table[ids])


def test_iteration_and_length():
    assert [row.tolist() for row in Tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    assert len(Tensor([[1], [2], [3]])) == 3


def test_a_size_may_be_symbolic():
    a = counted(8, 3)
    n = Variable("n", 1, 8)
    for value in (1, 5, 8):
        part = Tensor(a)[: n.bind(value)]
        assert not isinstance(part.shape[0], int)
        same(part + 1, a[:value] + 1)
        np.testing.assert_allclose(part.sum(0).numpy(), a[:value].sum(0))


def test_a_position_may_be_symbolic():
    a = counted(8)
    i = Variable("i", 0, 7)
    assert Tensor(a)[i.bind(3)].item() == a[3]


BAD = [
    (lambda t: t.reshape(5), r"reshape: 6 elements cannot have shape \(5,\)"),
    (lambda t: t.reshape(-1, -1), "only one size may be -1"),
    (lambda t: t.reshape(4, -1), "6 elements do not divide"),
    (lambda t: t.reshape(-2, 3), "a size must be 0 or more, found -2"),
    (lambda t: t.permute(0, 0), "expected each of 2 axes once"),
    (lambda t: t.permute(0, 2), "axis 2 is out of range"),
    (lambda t: t.expand(4, 3), "only axes of size 1 can be repeated"),
    (lambda t: t.expand(3), "has more axes"),
    (lambda t: t.shrink([(0, 3), None]), "leave axis 0 of size 2"),
    (lambda t: t.shrink([None]), "expected 2 pairs"),
    (lambda t: t.flip(2), "flip: axis 2 is out of range"),
    (lambda t: t.unsqueeze(5), "unsqueeze: axis 5 is out of range"),
    (lambda t: t.flatten(1, 0), "start_dim 1 lies after end_dim 0"),
    (lambda t: t.repeat(2), "expected 2 numbers or more"),
    (lambda t: t.cat(Tensor([[1.0]])), "must have equal sizes but along axis 0"),
    (lambda t: t.split([1, 2]), r"sizes \(1, 2\) do not add up to 2"),
    (lambda t: t.chunk(0), "expected 1 part or more"),
    (lambda t: t[2], "index 2 is out of range for axis 0 of size 2"),
    (lambda t: t[0, 0, 0], "3 indices for a tensor with 2 axes"),
    (lambda t: t.gather(0, Tensor([0])), "does not fit a tensor"),
    (lambda t: t.pad((1, 2, 3)), "pairs for at most 2 axes"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_what_does_not_fit_says_so(bad, message):
    with pytest.raises(ShapeError, match=message):
        bad(Tensor([[1.0, 2, 3], [4, 5, 6]]))


@pytest.mark.parametrize("key", ["a", 1.5, {}, slice("a", None)], ids=str)
def test_bad_indices_say_so(key):
    from rulewright.errors import UsageError

    with pytest.raises(UsageError):
        Tensor([1, 2, 3])[key]


def test_a_part_that_is_read_nowhere_stays_out_of_a_gated_index(rng):
    q = rng.normal(size=(5, 5)).astype(np.float32)
    upper = Tensor(q).contiguous()[:, :3].roll(3, -2).triu().diagonal(0, -2, -1)
    expected = np.diagonal(np.triu(np.roll(q[:, :3], 3, -2))) < 0
    found = (upper < 0).pad((0, 2)).numpy()
    np.testing.assert_array_equal(found, np.pad(expected, (0, 2)))


def test_sizes_and_axes_are_numbers_of_python_or_numpy_alike():
    x, array = Tensor.arange(24).reshape(2, 3, 4), np.arange(24).reshape(2, 3, 4)
    two = np.int64(2)
    for found, wanted in (
        (x.reshape(np.array([4, 6])), array.reshape(4, 6)),
        (x.permute(np.array([2, 1, 0])), array.transpose(2, 1, 0)),
        (x.sum(np.array([0, 2])), array.sum((0, 2))),
        (x.flip(np.array([1])), np.flip(array, 1)),
        (x.pad((two, np.int64(1), 0, 0)), np.pad(array, [(0, 0), (0, 0), (2, 1)])),
        (x.float().avg_pool2d(np.int64(1)), array),
    ):
        np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.reshape(True, -1),
        lambda x: x.expand(True, 3),
        lambda x: Tensor.ones(True),
        lambda x: x.view(False),
    ],
)
def test_a_bool_is_no_size(call):
    with pytest.raises(TypeError, match=r"expected whole numbers as sizes, found (True|False)"):
        call(Tensor([1, 2, 3]))


def test_joining_many_parts_asks_for_each_size_once():
    parts = [Tensor([i]) for i in range(7)]
    sizes = []

    def count(*parts):
        sizes.append(len(parts))
        return sum(parts)

    from rulewright.tensor import joining

    before, joining.total = joining.total, count
    try:
        found = parts[0].cat(*parts[1:])
    finally:
        joining.total = before
    assert found.tolist() == list(range(7)) and sum(sizes) <= 4 * len(parts)


def test_thousands_of_reshapes_of_memory_are_views_of_it():
    """Whether the next one is a view is asked of the last one, not of the whole chain."""
    memory = Tensor(np.arange(24)).realize()
    view = memory
    for shape in [(4, 6), (2, 12), (24,), (3, 2, 4)] * 1500:
        view = view.reshape(*shape)
    view[2, 1, 3] = -1
    assert memory.tolist() == [*range(23), -1]
    turned = view.permute(0, 2, 1).reshape(12, 2)  # no view of memory: a copy
    turned[0] = 0
    assert memory.tolist() == [*range(23), -1]
