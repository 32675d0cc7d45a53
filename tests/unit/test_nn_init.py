"""Values that tensors begin with, written in place."""

import math

import numpy as np
import pytest
from pairs import in_turn

from rulewright import Tensor, dtypes, nn
from rulewright.errors import ShapeError, UsageError
from rulewright.nn import init

SHAPE = (60, 40, 5)
IN, OUT = 40 * 5, 60 * 5


def bounded(bound):
    """Evenly spread over ±bound: all within, and the deviation of such numbers."""

    def check(values):
        assert abs(values).max() <= bound and abs(values).max() > 0.99 * bound
        assert values.std() == pytest.approx(bound / math.sqrt(3), rel=0.03)

    return check


def normal(deviation):
    def check(values):
        assert values.std() == pytest.approx(deviation, rel=0.03) and abs(values.mean()) < deviation
        assert 3 * deviation < abs(values).max() < 6 * deviation

    return check


DRAWN = {
    "uniform_": (lambda x: init.uniform_(x, -2, 2), bounded(2)),
    "normal_": (lambda x: init.normal_(x, 0, 0.5), normal(0.5)),
    "xavier_uniform_": (
        lambda x: init.xavier_uniform_(x, gain=2), bounded(2 * math.sqrt(6 / (IN + OUT)))),
    "xavier_normal_": (init.xavier_normal_, normal(math.sqrt(2 / (IN + OUT)))),
    "kaiming_uniform_": (
        lambda x: init.kaiming_uniform_(x, nonlinearity="relu"), bounded(math.sqrt(6 / IN))),
    "kaiming_uniform_ of a slope": (
        lambda x: init.kaiming_uniform_(x, math.sqrt(5)), bounded(1 / math.sqrt(IN))),
    "kaiming_normal_": (
        lambda x: init.kaiming_normal_(x, mode="fan_out", nonlinearity="tanh"),
        normal(5 / 3 / math.sqrt(OUT))),
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), in_turn(DRAWN, ["f32", "f64", "bf16"]))
def test_what_is_drawn(name, kind):
    call, check = DRAWN[name]
    Tensor.manual_seed(7)
    x = Tensor.zeros(*SHAPE, dtype=kind).clone().requires_grad_(True)
    assert call(x) is x and x.is_leaf and x.requires_grad
    assert x.dtype is Tensor.zeros(1, dtype=kind).dtype
    if kind != "bf16":
        check(x.numpy().astype(np.float64))
    Tensor.manual_seed(7)
    again = call(Tensor.zeros(*SHAPE, dtype=kind).clone())
    np.testing.assert_array_equal(again.float().numpy(), x.detach().float().numpy())


@pytest.mark.parametrize(
    ("mean", "std", "low", "high"), [(0, 1, -2, 2), (1, 2, 0, 1.5), (0, 1, 1, 9)]
)
def test_a_normal_distribution_is_cut(mean, std, low, high):
    Tensor.manual_seed(3)
    values = init.trunc_normal_(Tensor.zeros(20000).clone(), mean, std, low, high).numpy()
    assert low <= values.min() and values.max() <= high
    grid = np.linspace(low, high, 20001)
    weights = np.exp(-(((grid - mean) / std) ** 2) / 2)
    expected = (grid * weights).sum() / weights.sum()
    spread = math.sqrt(((grid - expected) ** 2 * weights).sum() / weights.sum())
    assert values.mean() == pytest.approx(expected, abs=0.03)
    assert values.std() == pytest.approx(spread, rel=0.03)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (6, 2, 3), (2, 3, 2)])
def test_rows_at_right_angles(shape):
    values = init.orthogonal_(Tensor.zeros(*shape).clone(), gain=2).numpy().reshape(shape[0], -1)
    short = values if values.shape[0] <= values.shape[1] else values.T
    np.testing.assert_allclose(short @ short.T, 4 * np.eye(len(short)), atol=1e-5)


def test_what_is_known():
    x = Tensor.rand(3, 4, requires_grad=True)
    assert init.ones_(x) is x and x.tolist() == np.ones((3, 4)).tolist()
    assert init.zeros_(x).tolist() == np.zeros((3, 4)).tolist()
    assert init.constant_(x, -2.5).tolist() == np.full((3, 4), -2.5).tolist()
    assert init.eye_(x).tolist() == np.eye(3, 4).tolist() and x.requires_grad
    assert init.constant_(Tensor([1, 2]), 3).tolist() == [3, 3]
    assert init.trunc_normal_(x, mean=5.0, std=0).tolist() == np.full((3, 4), 2.0).tolist()
    (x * 2).sum().backward()
    assert x.grad.tolist() == np.full((3, 4), 2.0).tolist()


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_kernels_that_give_channels_as_they_are(rng, rank, groups):
    layer = getattr(nn, f"Conv{rank}d")(4, 4, 3, padding=1, groups=groups, bias=False)
    init.dirac_(layer.weight, groups)
    x = rng.normal(size=(2, 4, *[5] * rank)).astype(np.float32)
    np.testing.assert_allclose(layer(Tensor(x)).numpy(), x, rtol=1e-6)


def test_gains():
    found = [init.calculate_gain(word) for word in ("linear", "tanh", "relu", "selu", "leaky_relu")]
    assert found == pytest.approx([1, 5 / 3, math.sqrt(2), 0.75, math.sqrt(2 / 1.0001)])
    assert init.calculate_gain("leaky_relu", 1.0) == 1.0


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_tensors_without_elements(shape):
    for call in (init.xavier_uniform_, init.kaiming_normal_, init.normal_, init.ones_):
        assert call(Tensor.zeros(*shape).clone()).shape == shape


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: init.xavier_normal_(Tensor([1.0])), ShapeError, r"two axes or more, found \(1,\)"),
    (lambda: init.eye_(Tensor([1.0])), ShapeError, r"eye_: expected tensor \(rows, columns\)"),
    (lambda: init.dirac_(Tensor.zeros(3, 3)), ShapeError, "dirac_: expected a kernel of 3 to 5"),
    (lambda: init.dirac_(Tensor.zeros(3, 3, 1), 2), ShapeError, "the first divides by 2"),
    (lambda: init.uniform_(3), UsageError, "uniform_: expected tensor as a tensor, found 3"),
    (lambda: init.ones_(None), UsageError, "ones_: expected tensor as a tensor, found None"),
    (lambda: init.normal_(np.ones(2)), UsageError, "normal_: expected tensor as a tensor"),
    (lambda: init.orthogonal_([1.0]), UsageError, "orthogonal_: expected tensor as a tensor"),
    (lambda: init.normal_(Tensor([1.0]), std=-1), UsageError, "expected std as a number of 0 or"),
    (lambda: init.trunc_normal_(Tensor([1.0]), a=1, b=1), UsageError, "expected a below b, found"),
    (lambda: init.kaiming_normal_(Tensor.ones(2, 2), mode="fan"), UsageError, "'fan_in' or 'fan_o"),
    (lambda: init.calculate_gain("gelu"), UsageError, "expected nonlinearity as 'linear' or "),
    (lambda: init.xavier_uniform, AttributeError, r"here it is xavier_uniform_\(\)"),
    (lambda: init.sparse_, AttributeError, r"here it is normal_\(x\), and"),
    (lambda: init.kaiming, AttributeError, "did you mean"),
])  # fmt: skip
def test_what_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_a_model_begins_otherwise():
    model = nn.Sequential(nn.Linear(4, 8, dtype=dtypes.f64), nn.ReLU(), nn.Linear(8, 1))
    for layer in model[::2]:
        init.kaiming_uniform_(layer.weight, nonlinearity="relu")
        init.zeros_(layer.bias)
    model(Tensor.ones(1, 4, dtype="f64")).sum().backward()
    assert all(p.grad is not None for p in nn.state.get_parameters(model))
    assert not model[0].bias.numpy().any() and model[0].weight.dtype is dtypes.f64
