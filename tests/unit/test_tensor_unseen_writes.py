"""Writes that no gradient sees: by way of what is detached, and inside of `no_grad`.

As in PyTorch the value is another and the gradient goes where it went: what is expected are the
derivatives of `y = 3 x` times those of what is computed from what `y` holds.
"""

from itertools import product

import numpy as np
import pytest
from arrays import realized

from rulewright import Context, Tensor, function, jit
from rulewright.errors import UsageError

X = np.array([1.0, 2.0, 3.0])


def detached(y, value, whole):
    y = y.detach()
    if whole:
        y.assign(value)
    else:
        y[0] = value


def without_gradients(y, value, whole):
    with Tensor.no_grad():
        if whole:
            y.assign(value)
        else:
            y[0] = value


def leaf():
    return Tensor(X.astype(np.float32), requires_grad=True)


WRITES = [detached, without_gradients]
STEPS = list(product(WRITES, (False, True), (False, True), (False, True)))


@pytest.mark.parametrize(("write", "whole", "first", "between"), STEPS)
def test_the_gradient_stays_and_the_value_is_new(write, whole, first, between):
    """`first`: y is realized before; `between`: between writes."""
    held = np.full(3, 7.0) if whole else np.array([7.0, 6.0, 9.0])
    slopes = {"sum": np.full(3, 3.0), "product": held**2 + 6 * held * X}
    for use, slope in slopes.items():
        x = leaf()
        y = x * 3
        if first:
            y.realize()
        write(y, 5.0, whole)
        write(y, 6.0, whole)
        if between:
            y.realize()
        write(y, 7.0, whole)
        z = (y if use == "sum" else y * y * x).sum()
        if between:
            y.realize()
        with Context(VERIFY=2):
            z.backward()
            np.testing.assert_allclose(x.grad.numpy(), slope)
        np.testing.assert_allclose(y.numpy(), held)
        assert y.requires_grad


def test_what_is_written_has_no_part_in_it():
    x = leaf()
    y = x * 3
    y.detach().assign(x * 7)
    y.sum().backward()
    assert y.tolist() == [7, 14, 21] and x.grad.tolist() == [3, 3, 3]


def test_a_slope_that_was_the_value_is_that_of_what_it_was_computed_from():
    x = leaf()
    y = x.exp().realize()
    y.detach().assign(Tensor.zeros(3))
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(X), 1e-5)


def test_views_and_parts_of_all_kinds():
    x = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4), requires_grad=True)
    y = (x * 2).realize()
    y.detach()[1:, ::2] = 100.0
    y.T.detach()[0, 0] = 50.0
    y.detach().reshape(2, 6)[1, 2:] += 1.0
    held = np.arange(12.0).reshape(3, 4) * 2
    held[1:, ::2] = 100
    held[0, 0] = 50
    held.reshape(2, 6)[1, 2:] += 1
    (y * y).sum().backward()
    np.testing.assert_array_equal(y.numpy(), held)
    np.testing.assert_array_equal(x.grad.numpy(), 4 * held)


def test_writes_that_gradients_see_are_seen_between_others():
    x = leaf()
    y = (x * 3).realize()
    y.detach()[0] = 5.0
    y[1] = 4.0
    y.realize()
    y.detach()[2] = 6.0
    y.sum().backward()
    assert y.tolist() == [5, 4, 6] and x.grad.tolist() == [3, 0, 3]


@pytest.mark.parametrize("size", [0, 1])
def test_few_elements(size):
    x = Tensor(np.ones(size, np.float32), requires_grad=True)
    y = x * 3
    y.detach().assign(Tensor.zeros(size))
    y.sum().backward()
    assert x.grad.tolist() == [3.0] * size


def test_integers_and_values_without_gradients_are_written_as_ever():
    n = Tensor([1, 2])
    n.detach()[0] = 5
    y = Tensor([1.0, 2.0]) * 3
    y.detach()[1] = 4.0
    assert n.tolist() == [5, 2] and y.tolist() == [3, 4] and not y.requires_grad


def test_a_leaf_that_is_written_is_a_leaf():
    x = leaf()
    x.detach()[0] = 10.0
    (x * x).sum().backward()
    assert x.is_leaf and x.grad.tolist() == [20, 4, 6]


def test_contents_that_are_gone_are_an_error():
    x = leaf()
    y = (x * 3).realize()
    y.detach().assign(5 * Tensor.ones(3))
    z = (y * y).sum().realize()
    y.detach().assign(6 * Tensor.ones(3))
    y.realize()
    with pytest.raises(UsageError, match="needs the old contents"):
        z.backward()


@pytest.mark.parametrize("precompile", [False, True])
@pytest.mark.parametrize("write", WRITES)
def test_inside_of_a_function(precompile, write):
    @function(precompile=precompile)
    def step(x):
        y = x * 3
        write(y, 5.0, False)
        return y * y

    x = leaf()
    step(x * 2).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 12 * np.array([5, 12, 18]))


# ---- jitted functions ----------------------------------------------------------------------------


def follows(wrap, change):
    """What gradients through a value from outside are while that is written between calls."""
    w = Tensor([2.0], requires_grad=True)
    y, found = w * 3, []
    step = wrap(lambda x: (y * y * x).sum().backward())
    for i in range(9):
        w.grad = None
        change(i, w, y)
        try:
            step(realized(i + 1))
            found.append(None if w.grad is None else w.grad.item())
        except UsageError as error:
            found.append(str(error)[:40])
    return found


def replaced(i, w, y):
    if i == 4:
        y.assign(Tensor([10.0]))
    elif i == 6:
        y.assign(w * 5)


CHANGES = [
    lambda i, w, y: i in (3, 4, 7) and y.detach().assign(Tensor([float(i)])),
    lambda i, w, y: i in (3, 4, 7) and without_gradients(y, float(i), True),
    lambda i, w, y: i in (3, 5) and y.assign(w * i),
    replaced,
]


@pytest.mark.parametrize("change", CHANGES)
def test_gradients_of_a_jitted_function_follow_what_is_written_outside(change):
    assert follows(jit, change) == follows(lambda plain: plain, change)


def test_what_no_gradient_sees_is_captured_once_more_only():
    w = Tensor([2.0], requires_grad=True)
    y = w * 3
    step = jit(lambda x: (y * y * x).sum().backward())
    for i in range(8):
        y.detach().assign(Tensor([float(i)]))
        step(realized(1))
    assert w.grad.item() == 3 * 2 * sum(range(8)) and step.captures <= 2


@pytest.mark.parametrize("use", [lambda y: y.detach(), lambda y: y * 0.0 + y.detach()])
def test_a_value_that_is_computed_anew_is_captured_anew_if_a_gradient_goes_through_it(use):
    w = Tensor([2.0], requires_grad=True)
    y = (w * 3).realize()
    step = jit(lambda x: (use(y) * x * w).sum().backward())
    for i in range(6):
        w.grad = None
        y.assign(w * float(i))
        step(realized(1))
        assert w.grad.item() == 2 * i
    assert step.captures == (1 if use(y).requires_grad is False else 5)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("passed", [False, True])
def test_what_a_jitted_function_writes_is_seen_by_no_gradient_either(write, passed):
    def run(wrap):
        w = Tensor([2.0], requires_grad=True)
        y, grads = (w * 3).realize(), []
        step = wrap(lambda y, x: write(y, x.sum(), True))
        around = wrap(lambda x: write(y, x.sum(), True))
        for i in range(5):
            (lambda x: step(y, x) if passed else around(x))(realized(i + 1))
            w.grad = None
            (y * y).sum().backward()
            grads.append(w.grad.item())
        return grads

    expected = [6.0 * (i + 1) for i in range(5)]
    assert run(lambda plain: plain) == expected
    assert run(jit) == expected
