"""PyTorch's words for arguments of layers, schedules and limits on gradients."""

import math

import numpy as np
import pytest

import rulewright
from rulewright import Tensor, dtypes, nn
from rulewright.errors import ArgumentError, DeviceError, ShapeError, UsageError

LAYERS = {
    "Linear": lambda **words: nn.Linear(2, 3, **words),
    "BatchNorm2d": lambda **words: nn.BatchNorm2d(3, **words),
    "LSTM": lambda **words: nn.LSTM(2, 3, bidirectional=True, **words),
    "Conv2d": lambda **words: nn.Conv2d(2, 3, 3, **words),
    "MultiHeadAttention": lambda **words: nn.MultiHeadAttention(4, 2, **words),
    "TransformerEncoderLayer": lambda **words: nn.TransformerEncoderLayer(4, 2, 8, **words),
}


@pytest.mark.parametrize("kind", ["f16", dtypes.bf16, "f64"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_a_dtype(name, kind):
    plain, layer = LAYERS[name](), LAYERS[name](dtype=kind, device="C")
    wanted = Tensor.zeros(1, dtype=kind).dtype
    before, after = nn.state.get_state_dict(plain), nn.state.get_state_dict(layer)
    assert list(before) == list(after)
    for tensor, other in zip(before.values(), after.values(), strict=True):
        assert other.dtype is (wanted if tensor.dtype.is_float else tensor.dtype)
        assert other.requires_grad == tensor.requires_grad and other.is_leaf
        assert other.shape == tensor.shape and other.device == "C"


def test_a_layer_of_a_dtype_computes_in_it(rng):
    x = rng.normal(size=(4, 2))
    layer = nn.Linear(2, 3, dtype=dtypes.f64)
    found = layer(Tensor(x))
    expected = x @ layer.weight.numpy().T + layer.bias.numpy()
    assert found.dtype is dtypes.f64
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)
    found.sum().backward()
    assert layer.weight.grad.dtype is dtypes.f64


def test_a_layer_of_a_users_takes_and_passes_on_both():
    class Doubled(nn.Linear):
        def __init__(self, size, **rest):
            super().__init__(size, 2 * size, **rest)

    class Plain(nn.Linear):
        def __init__(self, dtype):
            super().__init__(2, 2)
            self.word = dtype

    class Held(nn.Linear):
        def __init__(self, **config):
            super().__init__(2, 2)
            self.config = config

    assert Doubled(2, dtype="f16").weight.dtype is dtypes.f16
    assert Plain(dtype="mine").word == "mine" and Plain("f16").weight.dtype is dtypes.f32
    assert Held(dtype="mine", device=3).config == {"dtype": "mine", "device": 3}


def test_what_no_layer_can_be_made_of():
    with pytest.raises(
        UsageError, match=r"Linear: expected dtype as a dtype of floats, .* found dtypes\.i32"
    ):
        nn.Linear(2, 2, dtype=dtypes.i32)
    with pytest.raises(DeviceError, match="unknown device 'NOWHERE'"):
        nn.Linear(2, 2, device="NOWHERE")
    with pytest.raises(ArgumentError, match="unexpected keyword argument 'dtyp'"):
        nn.Linear(2, 2, dtyp="f16", device="C")
    assert nn.Linear(2, 2, device=None, dtype=None).weight.dtype is dtypes.f32


TAKEN = [
    lambda: nn.Embedding(3, 2, sparse=True, max_norm=None, norm_type=2, scale_grad_by_freq=False),
    lambda: nn.InstanceNorm2d(3, track_running_stats=False, momentum=0.5),
    lambda: nn.ConvTranspose2d(1, 2, 3, padding_mode="zeros"),
    lambda: nn.AdaptiveMaxPool2d(2, return_indices=False),
    lambda: nn.AvgPool2d(2, divisor_override=None),
    lambda: nn.TransformerEncoder(
        encoder_layer=nn.TransformerEncoderLayer(4, 2, 8), num_layers=1, enable_nested_tensor=False
    ),
    lambda: nn.lr_scheduler.OneCycleLR(optimizer(), 1.0, 4, cycle_momentum=False),
]
REFUSED = [
    (lambda: nn.Embedding(3, 2, max_norm=1.0), "expected max_norm as None, for there is no other"),
    (lambda: nn.Embedding(3, 2, max_norm=1.0), "renormalise the rows of weight after a step"),
    (lambda: nn.Embedding(3, 2, norm_type=1.0), "expected norm_type as 2.0"),
    (lambda: nn.InstanceNorm1d(3, track_running_stats=True), "BatchNorm has running statistics"),
    (lambda: nn.AvgPool2d(2, divisor_override=0), "AvgPool2d: expected divisor_override as a who"),
    (lambda: nn.AvgPool1d(2, divisor_override=3), "unexpected keyword argument 'divisor_override'"),
    (lambda: nn.ConvTranspose1d(1, 2, 3, padding_mode="reflect"), "expected padding_mode as 'zer"),
    (lambda: nn.AdaptiveMaxPool1d(2, return_indices=True), "x.max_pool2d(…, return_indices=True)"),
    (lambda: nn.AdaptiveMaxPool1d(2, return_indices=0), "expected return_indices as False"),
    (lambda: nn.lr_scheduler.OneCycleLR(optimizer(), 1.0, 4, cycle_momentum=True),
     "the momentum stays; set optimizer.param_groups[0]['momentum'] in the loop"),
]  # fmt: skip


def optimizer(lr=1.0):
    return nn.optim.SGD([Tensor([1.0], requires_grad=True)], lr=lr)


@pytest.mark.parametrize("make", TAKEN)
def test_words_that_say_what_is_done_anyway(make):
    make()


@pytest.mark.parametrize(("make", "says"), REFUSED)
def test_words_that_ask_for_more(make, says):
    with pytest.raises(UsageError) as error:
        make()
    assert says in str(error.value)


def test_a_table_that_is_known():
    table = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype="f64")
    layer = nn.Embedding.from_pretrained(table)
    assert layer(Tensor([2, 0])).tolist() == [[5.0, 6.0], [1.0, 2.0]]
    assert layer.weight.dtype is dtypes.f64 and not layer.weight.requires_grad
    layer = nn.Embedding.from_pretrained(table, freeze=False, padding_idx=-1)
    layer(Tensor([2, 0, 0])).sum().backward()
    assert layer.padding_idx == 2 and layer.weight.grad.tolist() == [[2, 2], [0, 0], [0, 0]]
    assert layer.weight.tolist()[2] == [5.0, 6.0]  # it stays what it is
    with pytest.raises(ShapeError, match=r"from_pretrained: expected embeddings \(vocab_size,"):
        nn.Embedding.from_pretrained(Tensor([1.0]))


SCHEDULES = {
    "StepLR": lambda o, **word: nn.lr_scheduler.StepLR(o, 2, 0.5, **word),
    "ExponentialLR": lambda o, **word: nn.lr_scheduler.ExponentialLR(o, 0.9, **word),
    "CosineAnnealingLR": lambda o, **word: nn.lr_scheduler.CosineAnnealingLR(o, 9, **word),
    "LinearLR": lambda o, **word: nn.lr_scheduler.LinearLR(o, 0.25, 1.0, 4, **word),
    "LambdaLR": lambda o, **word: nn.lr_scheduler.LambdaLR(o, lambda n: 1 / (1 + n), **word),
    "OneCycleLR": lambda o, **word: nn.lr_scheduler.OneCycleLR(o, 2.0, 12, **word),
}


@pytest.mark.parametrize("last", [-1, 0, 3])
@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_goes_on_behind_an_epoch(name, last):
    """With a new optimiser's first rate, or that which the schedule had set before."""
    whole = SCHEDULES[name](optimizer())
    rates = [whole.get_last_lr()]
    for _ in range(8):
        whole.step()
        rates.append(whole.get_last_lr())
    given = optimizer()
    first = SCHEDULES[name](given) if last >= 0 else None
    for _ in range(last):
        first.step()
    rest = SCHEDULES[name](given, last_epoch=last)
    found = [rest.get_last_lr()]
    for _ in range(3):
        rest.step()
        found.append(rest.get_last_lr())
    np.testing.assert_allclose(found, rates[last + 1 : last + 5], rtol=1e-5)
    assert rest.last_epoch == last + 4 and "_first" not in rest.state_dict()


def test_epochs_that_are_none():
    for value in (-2, 1.5, None, "3"):
        with pytest.raises(UsageError, match="StepLR: expected last_epoch as a whole number"):
            nn.lr_scheduler.StepLR(optimizer(), 1, last_epoch=value)
    with pytest.raises(ArgumentError, match="unexpected keyword argument 'last_epoch'"):
        nn.lr_scheduler.ReduceLROnPlateau(optimizer(), last_epoch=-1)


def test_one_cycle_in_lines_and_in_three_phases():
    given = optimizer()
    schedule = nn.lr_scheduler.OneCycleLR(
        given, 1.0, epochs=2, steps_per_epoch=5, anneal_strategy="linear", three_phase=True,
        pct_start=0.3, div_factor=4, final_div_factor=10,
    )  # fmt: skip
    found = [given.lr.item()]
    for _ in range(9):
        schedule.step()
        found.append(given.lr.item())
    points = [(0, 0.25), (2, 1.0), (4, 0.25), (9, 0.025)]
    expected = np.interp(range(10), *zip(*points, strict=True))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    with pytest.raises(UsageError, match="expected total_steps as a whole number"):
        nn.lr_scheduler.OneCycleLR(given, 1.0, epochs=3)


def test_gradients_whose_norm_is_no_number():
    for value in (math.inf, math.nan):
        x = Tensor([1.0], requires_grad=True)
        (x * value).sum().backward()
        with pytest.raises(UsageError, match=f"norm of the gradients is {value}, so that they"):
            nn.utils.clip_grad_norm_([x], 1.0, error_if_nonfinite=True, foreach=False)
        assert x.grad.tolist() == [pytest.approx(value, nan_ok=True)]
    x = Tensor([3.0], requires_grad=True)
    (x * 4.0).sum().backward()
    assert nn.utils.clip_grad_norm_([x], 2.0, error_if_nonfinite=True, foreach=True).item() == 4.0
    nn.utils.clip_grad_value_([x], 0.5, foreach=True)
    assert x.grad.item() == 0.5


@pytest.mark.parametrize(
    ("module", "name", "instead"),
    [
        (nn, "DataParallel", r"x\.shard\(devices, axis=0\)"),
        (rulewright, "GradScaler", "p.grad / "),
        *((rulewright, name, rf"dtypes\.{name}$") for name in ("long", "bool", "half", "float32")),
        *((rulewright, name, rf"Tensor\.{name}$") for name in ("all", "from_numpy", "relu")),
    ],
)
def test_other_names_say_what_is_written_here(module, name, instead):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; here it is .*{instead}"):
        getattr(module, name)


def test_the_package_of_tensors_is_no_function():
    with pytest.raises(UsageError, match=r"package of modules; here it is Tensor\(…\)"):
        rulewright.tensor([1.0, 2.0], dtype="float32")


@pytest.mark.parametrize("name", ["Tensor", "Variable", "dtypes", "nn"])
def test_the_package_of_tensors_says_where_names_are(name):
    said = f"module 'rulewright.tensor' has no attribute '{name}'; here it is rulewright.{name}"
    with pytest.raises(ImportError, match=said):
        exec(f"from rulewright.tensor import {name}")
    assert not hasattr(rulewright.tensor, name)
    with pytest.raises(ImportError, match="cannot import name 'nope'"):
        exec("from rulewright.tensor import nope")
