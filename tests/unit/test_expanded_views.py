"""Writes through parts of expanded views, and which views symbolic sizes leave, beside numpy."""

import numpy as np
import pytest

from rulewright import Tensor, Variable, jit
from rulewright.errors import ShapeError

SHAPE = (4, 6)


def expanded(x, *shape):
    """numpy's expanded view, through which it lets nobody write unless told to."""
    if isinstance(x, Tensor):
        return x.expand(*shape)
    view = np.broadcast_to(x, shape)
    view.flags.writeable = True
    return view


def turned(x, *order):
    return x.permute(order) if isinstance(x, Tensor) else x.transpose(order)


def of_a_row(x):
    expanded(x[0], 3, 6)[0] = 1


def of_all(x):
    expanded(x[None], 3, 4, 6)[1, 2] = 1


def by_operators(x):
    wide = expanded(x[:, None, :], 4, 3, 6)
    wide[:, 0] += 1
    wide[:, 1:2] -= 3


def turned_around(x):
    turned(expanded(x[:, None], 4, 2, 6), 1, 0, 2)[0].T[2:4, ::-1] = [0, 1, 2, 3]


def backwards(x):
    expanded(x[None], 3, 4, 6)[::-1][0, 1:] = 2


def along_a_column(x):
    expanded(x[:, :1], 4, 5)[:, 2] = 7


def with_new_axes(x):
    expanded(x[1:3, None], 2, 2, 6)[None][0].reshape(2, 2, 2, 3)[:, 1] = 4


def by_a_mask(x):
    expanded(x[None], 2, 4, 6)[0][x > 3] = 5


def by_positions(x):
    expanded(x[None], 2, 4, 6)[1][[0, 2], 1:] = 5


def twice_expanded(x):
    expanded(expanded(x[None, 0], 2, 6)[None], 3, 2, 6)[2, 1] *= 2


def of_nothing(x):
    expanded(x[0], 3, 6)[0:0] = 5


WRITES = [of_a_row, of_all, by_operators, turned_around, backwards, along_a_column, with_new_axes,
          by_a_mask, by_positions, twice_expanded, of_nothing]  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("kind", ["memory", "lazy", "jit"])
def test_a_part_with_a_place_for_each_element_is_written(write, kind):
    array = np.arange(24, dtype=np.float32).reshape(SHAPE)
    x = Tensor(array)
    x = x + 0 if kind == "lazy" else x.realize()
    call = jit(write) if kind == "jit" else write
    for _ in range(3 if kind == "jit" else 1):
        call(x)
        write(array)
        np.testing.assert_array_equal(x.numpy(), array)


@pytest.mark.parametrize("part", [
    lambda x: x[0].expand(3, 6), lambda x: x[0].expand(3, 6)[:2],
    lambda x: x[:, :1].expand(4, 4).diagonal(), lambda x: x[None].expand(2, 4, 6).view(8, 6)[1],
    lambda x: x[None].expand(2, 4, 6)[:, 1],
])  # fmt: skip
def test_elements_in_one_place_are_not_written(part):
    x = Tensor(np.ones(SHAPE, np.float32))
    with pytest.raises(ShapeError, match="the tensor is expanded, so that elements share memory"):
        part(x).fill_(3)
    assert x.sum().item() == 24


def test_axes_expanded_to_a_symbolic_size_are_cut_to_one_element_too():
    n = Variable("n", 1, 5)
    for number in (3, 2, 5):
        array = np.arange(30, dtype=np.float32).reshape(5, 6)
        x = Tensor(array)
        x[: n.bind(number)][None].expand(n.bind(number), -1, 6)[0, 1:] = 3
        array[1:number] = 3
        np.testing.assert_array_equal(x.numpy(), array)


def test_gradients_pass_by_what_was_written_through_an_expanded_view():
    weight = Tensor(np.full((2, 3), 2.0, np.float32), requires_grad=True)
    x, other = weight * 1, Tensor([5.0, 6.0, 7.0], requires_grad=True)
    x[None].expand(2, 2, 3)[1, 0] = other
    (x * x).sum().backward()
    assert weight.grad.tolist() == [[0, 0, 0], [4, 4, 4]]
    assert other.grad.tolist() == [10, 12, 14]


@pytest.mark.parametrize("lazy", [False, True])
def test_contiguous_memory_is_itself_whether_it_is_filled_or_not(lazy):
    x = Tensor(np.ones(SHAPE, np.float32)).clone()
    x = x if lazy else x.realize()
    x.contiguous()[0] = 9
    assert x[:2, 0].tolist() == [9, 1]


RESHAPES = [
    (lambda x: x.T.reshape(-1), False), (lambda x: x.reshape(-1), True),
    (lambda x: x[:, 1:].reshape(-1), False), (lambda x: x.reshape(-1, 2, 3), True),
    (lambda x: x.T.reshape(2, 3, -1), True), (lambda x: x[:, ::4].flatten(), False),
    (lambda x: x.unsqueeze(1), True), (lambda x: x.T.flatten(), False),
]  # fmt: skip


@pytest.mark.parametrize(("reshape", "is_view"), RESHAPES)
@pytest.mark.parametrize("symbolic", [False, True])
def test_a_reshape_is_a_view_of_a_symbolic_size_where_it_is_one_of_a_number(
    reshape, is_view, symbolic
):
    array = np.ones((5, 6), np.float32)
    x = (Tensor(array)[: Variable("n", 1, 5).bind(5)] if symbolic else Tensor(array)).clone()
    reshape(x)[0] = 7
    assert (x.numpy() != 1).any() == is_view


def test_errors_say_symbolic_sizes_as_expressions():
    x = Tensor(np.ones((5, 6), np.float32))[: Variable("n", 1, 5).bind(4)]
    with pytest.raises(ShapeError, match=r"the last axis of the first, 6, must .* second, n$"):
        x @ x
