"""Gradients beside state: assignments, realised values, blocks without gradients, training."""

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.errors import UsageError


def leaf(data):
    return Tensor(np.array(data, np.float32), requires_grad=True)


def test_gradients_through_assignments_that_were_realized_or_kernelized():
    for run in (Tensor.realize, Tensor.kernelize, lambda t: t):
        x = leaf([1.0, 2.0])
        y = (x * 2).realize()
        y += x * x
        run(y)
        z = run(y * y)
        y[0] = x[1] * 5
        run(y)
        (y + x).sum().backward()
        assert x.grad.tolist() == [1, 2 + 2 * 2 + 5 + 1]
        x.grad = None
        z.sum().backward()  # the old contents are computed again from x
        assert x.grad.tolist() == [2 * 3 * (2 + 2), 2 * 8 * (2 + 4)]


def test_gradients_through_copies():
    x = leaf([1.0, 2.0])
    y = (x * 3).clone().realize()
    (y * y).sum().backward()
    assert x.grad.tolist() == [18, 36]


def test_gradients_of_older_contents_of_a_leaf():
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    lazy, ready = x * 2, (x * 3).realize()
    squares = (x * w).realize()
    x.assign(w)
    x.realize()
    (lazy + ready + x * 10).sum().backward()
    assert x.grad.tolist() == [15, 15] and w.grad is None  # gradients end at leaves
    with pytest.raises(UsageError, match="was assigned to since"):
        squares.sum().backward()


@pytest.mark.parametrize(
    "form", ["x.flip()", "x.repeat(1)", "x.pad((0, 0))", "x.repeat_interleave(1)"]
)
@pytest.mark.parametrize("write", ["y += 2", "y[:1] += 2", "z = y[:1]; z += 2"])
def test_leaves_are_told_from_new_values_that_had_their_memory(form, write):
    x = Tensor(np.array([1.5, 2.5]), requires_grad=True)
    before = x * x
    space = {"x": x, "y": eval(form, {"x": x})}
    exec(write, space)
    total = before.sum() + (x * 10).sum() + (space["y"] * space["y"]).sum()
    (found,) = total.gradient(x)
    moved = [2, 2] if write == "y += 2" else [0, 2] if "flip" in form else [2, 0]
    expected = np.array([3.0, 5.0]) + 10 + 2 * (np.array([1.5, 2.5]) + moved)
    np.testing.assert_allclose(found.numpy(), expected)
    assert x.tolist() == [1.5, 2.5]


@pytest.mark.parametrize("make", [lambda: leaf([1.0]), lambda: Tensor.ones(1).requires_grad_()])
def test_a_leaf_is_known_however_often_it_was_written(make):
    x = make()
    y = x * 3
    for _ in range(4):
        x += Tensor([3.0])
        x.realize()
        (gradient,) = (y * 2).sum().gradient(x)
        assert gradient.item() == 6


def test_pasts_do_not_pile_up():
    from rulewright.tensor import history

    x = leaf([1.0, 2.0])
    kept = (x * x).realize()
    for _ in range(5):
        loss = (x * 2).sum().realize()
        x.assign(x.detach() + 1)
        x.realize()
    assert len(history._pasts[x.uop]) <= 3
    loss.backward()
    assert x.grad.tolist() == [2, 2] and kept.tolist() == [1, 4]


def test_no_grad():
    x = leaf([2.0])
    with Tensor.no_grad():
        y = x * 3
        inside = x.reshape(1, 1)
        x += 1
        z = x.clone()
    assert not y.requires_grad and not inside.requires_grad and not z.requires_grad
    assert x.requires_grad and x.is_leaf and (x * 2).requires_grad and not (x * 2).is_leaf
    (y.realize() * x + inside.sum() + z).sum().backward()
    assert x.grad.item() == 6 and x.item() == 3


def test_no_grad_decorates_and_nests():
    x = leaf([2.0])

    @Tensor.no_grad()
    def plain(t):
        return t * 3

    @Tensor.no_grad
    def bare(t):
        with Tensor.enable_grad():
            return t * 3, t.detach()

    assert not plain(x).requires_grad and plain(x).item() == 6
    with Tensor.inference_mode(), Tensor.inference_mode(False):
        assert not (x * 2).requires_grad
    first, second = bare(x)
    assert first.requires_grad and not second.requires_grad
    assert Tensor.is_grad_enabled() and (x * 2).requires_grad


def test_no_grad_holds_for_one_thread():
    from threading import Thread

    found = []
    with Tensor.no_grad():
        thread = Thread(target=lambda: found.append(Tensor.is_grad_enabled()))
        thread.start()
        thread.join()
    assert found == [True]


def test_values_without_gradient_forget_what_they_were_computed_from():
    from rulewright.tensor import history

    x = leaf(np.ones((4, 4)))
    with Tensor.no_grad():
        y = (x @ x).relu().realize()
    loss = (x @ x).sum()
    loss.backward()
    x.grad.realize()
    assert not history.has_origin(y.uop.base) and not history.has_origin(x.grad.uop.base)
    loss = (x @ x).sum()
    x.grad = None
    loss.backward(create_graph=True)
    assert x.grad.requires_grad


def test_rules_of_requires_grad():
    x = leaf([2.0])
    y = x * 2
    with pytest.raises(UsageError, match="depends on leaves"):
        y.requires_grad = False
    y.retain_grad()
    (y * y).sum().backward()
    assert y.grad.item() == 8 and x.grad.item() == 16 and not y.is_leaf
    x.requires_grad_(False)
    assert not x.requires_grad and x.is_leaf and not (x * 5).requires_grad
    assert not Tensor([1]).requires_grad and Tensor([1]).is_leaf


def test_training_is_set_for_a_block():
    assert not Tensor.training
    with Tensor.train():
        assert Tensor.training
        with Tensor.train(False):
            assert not Tensor.training
    assert not Tensor.training
    assert Tensor.train()(lambda: Tensor.training)()


def test_a_second_gradient_by_backward():
    x = leaf([2.0])
    (x**3).sum().backward(create_graph=True)
    first, x.grad = x.grad, None
    assert first.item() == 12
    first.sum().backward()
    assert x.grad.item() == 12


def test_gradients_through_values_of_symbolic_size():
    from rulewright import Variable

    n = Variable("n", 1, 10).bind(3)
    for run in (Tensor.realize, Tensor.kernelize):
        x = leaf(np.arange(10))
        y = run(x[:n] * x[:n])
        (y * 3).sum().backward()
        assert x.grad.tolist() == [0, 6, 12, *[0] * 7]


@pytest.mark.parametrize("make", [
    lambda: Tensor(np.arange(6, dtype=np.float32)).realize(),
    lambda: Tensor(np.arange(6, dtype=np.float32)) * 1,
    lambda: Tensor.ones(6),
])  # fmt: skip
@pytest.mark.parametrize("view", [
    lambda x: x[::3], lambda x: x[1:3], lambda x: x[::-1], lambda x: x.reshape(2, 3).T[1],
])  # fmt: skip
def test_a_view_that_becomes_a_leaf_stays_a_view(make, view):
    x = make()
    array = x.clone().numpy()
    leaf = view(x).requires_grad_()
    (leaf * leaf).sum().backward()
    np.testing.assert_array_equal(leaf.grad.numpy(), 2 * view(array))
    other = view(x)
    with Tensor.no_grad():
        x += 1
    array += 1
    for tensor in (leaf, other):
        np.testing.assert_array_equal(tensor.detach().numpy(), view(array))
    np.testing.assert_array_equal(x.numpy(), array)


def test_a_gradient_that_cannot_be_written_is_replaced():
    p, q = (Tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    q.grad = Tensor([1.0]).expand(2)
    for count in (1, 2):
        (p * 3 + q * 5).sum().backward()
        assert p.grad.tolist() == [3.0 * count] * 2
        assert q.grad.tolist() == [1.0 + 5 * count] * 2
