"""Methods in place beside `+=`: views, leaves, gradients, jit; `grad`; names there are not."""

import numpy as np
import pytest

from rulewright import Tensor, Variable, dtypes, jit
from rulewright.errors import (
    ArgumentError,
    DeviceError,
    DTypeError,
    ShapeError,
    UnknownAttributeError,
    UsageError,
)

ARRAY = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -4.0]], np.float32)


def test_views_and_what_a_view_shows_see_it():
    x = Tensor(ARRAY)
    row, column = x[1], x[:, 0]
    before = x + 0
    assert column.mul_(10) is column
    row.add_(Tensor([1.0, 2.0, 3.0])).zero_()
    x.T.sub_(1)
    expected = ARRAY.copy()
    expected[:, 0] *= 10
    expected[1] = 0
    np.testing.assert_array_equal(x.numpy(), expected - 1)
    np.testing.assert_array_equal(row.numpy(), (expected - 1)[1])
    np.testing.assert_array_equal(before.numpy(), ARRAY)


@pytest.mark.parametrize("lazy", [False, True])
def test_gradients_flow_as_through_an_operator_in_place(lazy):
    def loss(write):
        leaf = Tensor(ARRAY, requires_grad=True)
        y = leaf * 2 if lazy else leaf.clone()
        write(y)
        (y * y).sum().backward()
        return leaf.grad.numpy()

    def by_operators(y):
        y *= 3
        y[0] += y[1]

    def by_methods(y):
        y.mul_(3)
        y[0].add_(y[1])

    np.testing.assert_array_equal(loss(by_methods), loss(by_operators))
    scale = 2 if lazy else 1
    top = 2 * (scale * 3) ** 2 * (ARRAY[0] + ARRAY[1])
    expected = np.stack([top, top + 2 * (scale * 3) ** 2 * ARRAY[1]])
    np.testing.assert_allclose(loss(by_methods), expected, rtol=1e-6)


def test_a_leaf_stays_a_leaf():
    leaf = Tensor(ARRAY, requires_grad=True)
    with Tensor.no_grad():
        leaf.uniform_(2, 3).clamp_(max=2.5)
    assert leaf.is_leaf and leaf.requires_grad
    (leaf * leaf).sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), 2 * leaf.numpy())
    assert (leaf.numpy() >= 2).all() and (leaf.numpy() <= 2.5).all()


def test_a_jitted_function_writes_each_time():
    state = Tensor.zeros(3).clone().realize()

    @jit
    def step(x):
        state.mul_(0.5).add_(x)
        return state.exp().realize(state)

    expected = np.zeros(3)
    for n in range(4):
        result = step(Tensor([1.0, 2.0, 3.0]) * n)
        expected = expected * 0.5 + np.array([1.0, 2.0, 3.0]) * n
        np.testing.assert_allclose(state.numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(result.numpy(), np.exp(expected), rtol=1e-5)


def test_a_part_of_symbolic_size_is_written():
    x, n = Tensor(ARRAY).realize(), Variable("n", 1, 3)
    x[:, : n.bind(2)].mul_(2).add_(1)
    expected = ARRAY.copy()
    expected[:, :2] = expected[:, :2] * 2 + 1
    np.testing.assert_array_equal(x.numpy(), expected)


def test_copying_casts_and_comes_from_another_device():
    x = Tensor([1, 2, 3], dtype=dtypes.i16)
    assert x.copy_(Tensor([1.75, -2.5, 9.0], device="INTERP")).tolist() == [1, -2, 9]
    assert x.dtype is dtypes.i16 and x.device == "C"
    assert Tensor([1.0, 2.0]).fill_(Tensor(3)).tolist() == [3.0, 3.0]


def test_what_a_dtype_does_not_hold_names_the_method():
    with pytest.raises(DTypeError, match=r"^div_: a i64 tensor cannot hold the f32 result"):
        Tensor([1, 2]).div_(2)
    with pytest.raises(ShapeError, match=r"add_"):
        Tensor([1.0, 2.0]).add_(Tensor.ones(3, 2))


# ---- grad ------------------------------------------------------------------------------------


def test_a_gradient_is_set_to_a_tensor_that_fits_or_to_none():
    x = Tensor(ARRAY, requires_grad=True)
    x.grad = own = Tensor.ones(2, 3)
    x.sum().backward()
    assert x.grad is own and own.tolist() == [[2.0] * 3] * 2
    x.grad = None
    assert x.grad is None


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (5, ArgumentError, "found 5 of type int"),
        (ARRAY, ArgumentError, "of type ndarray"),
        (Tensor(ARRAY.T), ShapeError, r"of shape \(2, 3\) and f32; found shape \(3, 2\)"),
        (Tensor(ARRAY).half(), DTypeError, "found f16: cast it first"),
        (Tensor(ARRAY, device="INTERP"), DeviceError, "on C; found one on INTERP"),
    ],
    ids=["number", "array", "shape", "dtype", "device"],
)
def test_a_gradient_that_does_not_fit_is_refused(value, error, says):
    x = Tensor(ARRAY, device="C", requires_grad=True)
    with pytest.raises(error, match=says):
        x.grad = value
    assert x.grad is None


# ---- names there are not ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("multiply", "here it is mul()"),
        ("arccos", "here it is acos()"),
        ("greater_equal", "here it is ge()"),
        ("layer_norm", "here it is layernorm()"),
        ("values", "here it is max() itself, for the values alone"),
        ("register_hook", "here it is gradient(); function(grad_fxn=…) says how gradients pass"),
        ("diagonal_scatter", "here it is clone(), and y.diagonal().copy_(value)"),
        ("tofile", "here it is to('DISK:path')"),
        ("squeeze_", "write x = x.squeeze(…)"),
        ("multiply_", "write x = x.mul()"),
        ("t_", "write x = x.T"),
        ("fill_diagonal_", "here it is diagonal().fill_(value)"),
        ("quantil", "did you mean quantile?"),
        ("cumsumm", "did you mean cumsum?"),
    ],
)
def test_a_name_there_is_not_leads_to_one_there_is(name, says):
    with pytest.raises(UnknownAttributeError) as error:
        getattr(Tensor([1.0]), name)
    assert str(error.value) == f"a tensor has no attribute {name!r}; {says}"
    assert isinstance(error.value, AttributeError) and isinstance(error.value, UsageError)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("concat", "here it is cat()"),
        ("as_tensor", "here it is Tensor(…)"),
        ("is_tensor", "here it is isinstance(x, Tensor)"),
        ("load", "here it is nn.state.safe_load(path), or torch_load(path)"),
        ("fromfile", "here it is from_file(path, dtype)"),
        ("finfo", "here it is dtypes.finfo(x.dtype)"),
        ("result_type", "here it is dtypes.promote_types(a, b)"),
        ("squeeze_", "write x = x.squeeze(…)"),
        ("cumsumm", "did you mean cumsum?"),
    ],
)
def test_a_name_that_the_class_has_not_leads_to_one_there_is(name, says):
    class Own(Tensor):
        pass

    for cls in (Tensor, Own):
        with pytest.raises(UnknownAttributeError) as error:
            getattr(cls, name)
        assert str(error.value) == f"the class {cls.__name__} has no attribute {name!r}; {says}"
    assert not hasattr(Tensor, "_cumsumm")


def test_what_names_lead_to_is_there():
    from rulewright.tensor.elsewhere import ELSEWHERE

    for name, here in ELSEWHERE.items():
        assert not hasattr(Tensor, name), f"{name} is there, and needs no other name"
        assert hasattr(Tensor, here.partition("(")[0]), here


def test_what_pytorch_calls_data_is_said():
    x = Tensor([1.0, 2.0], requires_grad=True)
    assert x.data().tolist() == Tensor.data(x).tolist() == [1.0, 2.0]
    assert not hasattr(x.data, "__len__")

    def written(value):
        x.data = value

    def subtracted():
        x.data -= 1

    for wrong in (lambda: x.data.add_(1), lambda: x.data[0], lambda: written(x), subtracted):
        with pytest.raises(UnknownAttributeError, match=r"PyTorch's x.data is x.detach\(\) here"):
            wrong()
    with Tensor.no_grad():
        x -= x.detach()
    assert x.tolist() == [0.0, 0.0]


def test_a_name_that_nothing_is_near_to_is_said_alone():
    with pytest.raises(AttributeError, match=r"has no attribute 'xyzzyq'$"):
        _ = Tensor([1.0]).xyzzyq
    assert not hasattr(Tensor([1.0]), "__cuda_array_interface__")


@pytest.mark.parametrize("method", ["add", "sub", "add_", "sub_"])
def test_a_factor_of_what_is_added(method):
    x, y = np.array([1.0, -2.0], np.float32), np.array([3.0, 0.5], np.float32)
    sign = 1 if method.startswith("add") else -1
    for alpha in (0.25, -2, Tensor(0.5)):
        changed = Tensor(x)
        result = getattr(changed, method)(Tensor(y), alpha=alpha)
        expected = x + sign * float(alpha) * y
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)
        assert (result is changed) == method.endswith("_")
    assert Tensor([1, 2]).add(3, alpha=2).tolist() == [7, 8]
    with pytest.raises(DTypeError, match="add_: a i64 tensor cannot hold the f32 result"):
        Tensor([1, 2]).add_(Tensor([1]), alpha=0.5)


def test_a_wrong_call_in_place_says_what_is_taken():
    with pytest.raises(ArgumentError, match=r"add_: got .*'beta'; expected add_\(other, \*, alpha"):
        Tensor([1.0]).add_(1, beta=2)
    with pytest.raises(ArgumentError, match=r"mul_: missing .*'other'; expected mul_\(other"):
        Tensor([1.0]).mul_()
