"""Layers that call a method, against numpy; and what names of other libraries lead to."""

import copy
import pickle

import numpy as np
import pytest
from arrays import closeness, normal

import rulewright
from rulewright import Tensor, dtypes, nn
from rulewright.errors import (
    ArgumentError,
    ShapeError,
    UnknownAttributeError,
    UnknownImportError,
    UsageError,
)
from rulewright.nn import names, optim, state

close = closeness(1e-5, 1e-5)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


ERF = np.vectorize(__import__("math").erf)

OF_ONE = {  # a layer, and what it computes of x (2, 4, 6)
    "CELU": (nn.CELU(2.0), lambda x: np.where(x > 0, x, 2 * np.expm1(x / 2))),
    "ELU": (nn.ELU(), lambda x: np.where(x > 0, x, np.expm1(x))),
    "GELU": (nn.GELU(), lambda x: x / 2 * (1 + ERF(x / np.sqrt(2)))),
    "GELU tanh": (nn.GELU("tanh"), lambda x: x / 2 * (
        1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    "Fold": (nn.Fold((3, 4), 2), lambda x: sum(
        np.pad(x[:, [2 * i + j]].reshape(2, 1, 2, 3), [(0, 0)] * 2 + [(i, 1 - i), (j, 1 - j)])
        for i in (0, 1) for j in (0, 1))),
    "GLU": (nn.GLU(1), lambda x: x[:, :2] / (1 + np.exp(-x[:, 2:]))),
    "Hardshrink": (nn.Hardshrink(), lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    "Hardsigmoid": (nn.Hardsigmoid(), lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    "Hardswish": (nn.Hardswish(), lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    "Hardtanh": (nn.Hardtanh(-0.5, 0.25), lambda x: np.clip(x, -0.5, 0.25)),
    "LeakyReLU": (nn.LeakyReLU(0.2), lambda x: np.where(x > 0, x, 0.2 * x)),
    "LogSigmoid": (nn.LogSigmoid(), lambda x: -np.log1p(np.exp(-x))),
    "LogSoftmax": (nn.LogSoftmax(dim=1), lambda x: np.log(softmax(x, 1))),
    "Mish": (nn.Mish(), lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    "PReLU": (nn.PReLU(4), lambda x: np.where(x > 0, x, 0.25 * x)),
    "ReLU": (nn.ReLU(), lambda x: np.maximum(x, 0)),
    "ReLU6": (nn.ReLU6(), lambda x: np.clip(x, 0, 6)),
    "SELU": (nn.SELU(), lambda x: 1.0507009873554805 * np.where(
        x > 0, x, 1.6732632423543772 * np.expm1(x))),
    "SiLU": (nn.SiLU(), lambda x: x / (1 + np.exp(-x))),
    "Sigmoid": (nn.Sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
    "Softmax": (nn.Softmax(-1), lambda x: softmax(x, -1)),
    "Softmin": (nn.Softmin(0), lambda x: softmax(-x, 0)),
    "Softplus": (nn.Softplus(2.0), lambda x: np.log1p(np.exp(2 * x)) / 2),
    "Softshrink": (nn.Softshrink(0.25), lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.25, 0)),
    "Softsign": (nn.Softsign(), lambda x: x / (1 + np.abs(x))),
    "Tanh": (nn.Tanh(), np.tanh),
    "Tanhshrink": (nn.Tanhshrink(), lambda x: x - np.tanh(x)),
    "Threshold": (nn.Threshold(0.1, 20), lambda x: np.where(x > 0.1, x, 20)),
    "Identity": (nn.Identity(), lambda x: x),
    "Flatten": (nn.Flatten(), lambda x: x.reshape(2, 24)),
    "Unflatten": (nn.Unflatten(1, (2, -1)), lambda x: x.reshape(2, 2, 2, 6)),
    "PixelShuffle": (nn.PixelShuffle(2), lambda x: (
        x.reshape(2, 2, 2, 6).transpose(2, 0, 3, 1).reshape(1, 4, 12)[:, :, :])),
    "PixelUnshuffle": (nn.PixelUnshuffle(2), lambda x: (
        x.reshape(2, 2, 2, 3, 2).transpose(0, 2, 4, 1, 3).reshape(8, 2, 3))),
    "Upsample": (nn.Upsample(scale_factor=2), lambda x: x.repeat(2, -1)),
    "MaxPool1d": (nn.MaxPool1d(2), lambda x: x.reshape(2, 4, 3, 2).max(-1)),
    "MaxPool2d": (nn.MaxPool2d((2, 3)), lambda x: x.reshape(2, 2, 2, 2, 3).max((2, 4))),
    "MaxPool3d": (nn.MaxPool3d(2), lambda x: x.reshape(1, 2, 2, 2, 3, 2).max((1, 3, 5))),
    "AvgPool1d": (nn.AvgPool1d(2), lambda x: x.reshape(2, 4, 3, 2).mean(-1)),
    "AvgPool2d": (nn.AvgPool2d(2), lambda x: x.reshape(2, 2, 2, 3, 2).mean((2, 4))),
    "AvgPool3d": (nn.AvgPool3d(2), lambda x: x.reshape(1, 2, 2, 2, 3, 2).mean((1, 3, 5))),
    "AdaptiveAvgPool1d": (nn.AdaptiveAvgPool1d(3), lambda x: x.reshape(2, 4, 3, 2).mean(-1)),
    "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d((1, None)), lambda x: x.mean(1, keepdims=True)),
    "AdaptiveMaxPool1d": (nn.AdaptiveMaxPool1d(1), lambda x: x.max(-1, keepdims=True)),
    "AdaptiveMaxPool2d": (nn.AdaptiveMaxPool2d(2), lambda x: (
        x.reshape(2, 2, 2, 2, 3).max((2, 4)))),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE)
def test_a_layer_computes_what_its_method_does(rng, name):
    layer, expected = OF_ONE[name]
    x = normal(rng, 2, 4, 6)
    if name == "PixelShuffle":
        x = x[:1].reshape(4, 2, 3).astype(np.float32)
        image = x.reshape(1, 2, 2, 2, 3).transpose(0, 3, 1, 4, 2).reshape(1, 4, 6)
        close(layer(Tensor(x)).numpy(), image)
        return
    close(layer(Tensor(x)).numpy(), expected(x))


def cross_entropy(x, y):
    return -np.log(softmax(x, 1))[np.arange(len(x)), y]


def positive(x):
    return np.abs(x) + 0.5


X, Y = (np.random.default_rng(seed).normal(size=(3, 4)).astype(np.float32) for seed in (1, 2))
CLASSES, SIGNS = np.array([1, 3, 0]), np.array([1.0, -1.0, 1.0], np.float32)
WEIGHTS = np.array([1.0, 2.0, 0.5, 4.0], np.float32)
HALF = (X > 0).astype(np.float32)
P, LOGS = 1 / (1 + np.exp(-X)), np.log(softmax(X, 1))
LENGTHS = np.sqrt((X**2).sum(1)), np.sqrt((Y**2).sum(1))
COSINE = (X * Y).sum(1) / LENGTHS[0] / LENGTHS[1]
DISTANCE = np.sqrt(((X - Y + 1e-6) ** 2).sum(1))
GAP = np.abs(X - Y)
BINARY = -(HALF * np.log(P) + (1 - HALF) * np.log(1 - P))

LOSSES = {  # a layer, what it is called with, and what it gives
    "BCELoss": (nn.BCELoss(), (P, HALF), BINARY.mean()),
    "BCEWithLogitsLoss": (nn.BCEWithLogitsLoss(reduction="none"), (X, HALF), BINARY),
    "BCEWithLogitsLoss weighed": (
        nn.BCEWithLogitsLoss(pos_weight=Tensor(WEIGHTS)), (X, HALF),
        (BINARY * np.where(HALF > 0, WEIGHTS, 1)).mean()),
    "CTCLoss": (  # 01, 10 and 11 of the four ways
        nn.CTCLoss(), (np.log(np.full((2, 1, 2), 0.5)), np.array([[1]]), np.array([2]),
                       np.array([1])), np.log(4 / 3)),
    "CosineEmbeddingLoss": (nn.CosineEmbeddingLoss(0.1), (X, Y, SIGNS), np.where(
        SIGNS > 0, 1 - COSINE, np.maximum(COSINE - 0.1, 0)).mean()),
    "CosineSimilarity": (nn.CosineSimilarity(), (X, Y), COSINE),
    "CrossEntropyLoss": (nn.CrossEntropyLoss(), (X, CLASSES), cross_entropy(X, CLASSES).mean()),
    "CrossEntropyLoss weighed": (
        nn.CrossEntropyLoss(Tensor(WEIGHTS)), (X, CLASSES),
        (cross_entropy(X, CLASSES) * WEIGHTS[CLASSES]).sum() / WEIGHTS[CLASSES].sum()),
    "CrossEntropyLoss but class 3": (
        nn.CrossEntropyLoss(ignore_index=3, reduction="sum"), (X, CLASSES),
        cross_entropy(X, CLASSES)[[0, 2]].sum()),
    "GaussianNLLLoss": (nn.GaussianNLLLoss(), (X, Y, positive(X)), (
        (np.log(positive(X)) + (X - Y) ** 2 / positive(X)) / 2).mean()),
    "HingeEmbeddingLoss": (nn.HingeEmbeddingLoss(), (X[:, 0], SIGNS), np.where(
        SIGNS > 0, X[:, 0], np.maximum(1 - X[:, 0], 0)).mean()),
    "HuberLoss": (nn.HuberLoss(delta=0.5), (X, Y), np.where(
        GAP < 0.5, GAP**2 / 2, 0.5 * (GAP - 0.25)).mean()),
    "KLDivLoss": (nn.KLDivLoss("batchmean"), (LOGS, softmax(Y, 1)), (
        softmax(Y, 1) * (np.log(softmax(Y, 1)) - LOGS)).sum() / 3),
    "L1Loss": (nn.L1Loss("sum"), (X, Y), GAP.sum()),
    "MSELoss": (nn.MSELoss(), (X, Y), (GAP**2).mean()),
    "MarginRankingLoss": (nn.MarginRankingLoss(0.5), (X[:, 0], Y[:, 0], SIGNS), np.maximum(
        0.5 - SIGNS * (X[:, 0] - Y[:, 0]), 0).mean()),
    "MultiLabelMarginLoss": (
        nn.MultiLabelMarginLoss(), (X, np.array([[c, -1, 0, 0] for c in CLASSES])), np.mean([
            sum(max(0, 1 - (x[c] - x[i])) for i in range(4) if i != c) / 4
            for x, c in zip(X, CLASSES, strict=True)])),
    "MultiLabelSoftMarginLoss": (nn.MultiLabelSoftMarginLoss(), (X, HALF), BINARY.mean()),
    "MultiMarginLoss": (nn.MultiMarginLoss(p=2), (X, CLASSES), np.mean([
        sum(max(0, 1 - x[c] + x[i]) ** 2 for i in range(4) if i != c) / 4
        for x, c in zip(X, CLASSES, strict=True)])),
    "NLLLoss": (nn.NLLLoss(), (LOGS, CLASSES), cross_entropy(X, CLASSES).mean()),
    "PairwiseDistance": (nn.PairwiseDistance(), (X, Y), DISTANCE),
    "PoissonNLLLoss": (nn.PoissonNLLLoss(), (X, positive(Y)), (
        np.exp(X) - positive(Y) * X).mean()),
    "SmoothL1Loss": (nn.SmoothL1Loss(beta=2.0), (X, Y), np.where(
        GAP < 2, GAP**2 / 4, GAP - 1).mean()),
    "SoftMarginLoss": (nn.SoftMarginLoss(), (X[:, 0], SIGNS), np.log1p(
        np.exp(-SIGNS * X[:, 0])).mean()),
    "TripletMarginLoss": (nn.TripletMarginLoss(), (X, Y, X[::-1].copy()), np.maximum(
        DISTANCE - np.sqrt(((X - X[::-1] + 1e-6) ** 2).sum(1)) + 1, 0).mean()),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_its_formula(name):
    layer, inputs, expected = LOSSES[name]
    close(layer(*map(Tensor, inputs)).numpy(), expected)


def test_every_layer_of_a_method_is_tried_here():
    tried = {word.partition(" ")[0] for word in (*OF_ONE, *LOSSES)}
    assert {*nn.methods.__all__} - tried == {"MethodLayer"}


def test_a_layer_in_place_changes_what_it_is_called_with():
    x = Tensor([-1.0, 2.0])
    y = x * 1
    assert nn.ReLU(inplace=True)(y) is y and y.tolist() == [0.0, 2.0]
    assert nn.ReLU()(x) is not x and x.tolist() == [-1.0, 2.0]
    positions = nn.MaxPool1d(2, return_indices=True)(Tensor([[1.0, 3.0, 4.0, 2.0]]))[1]
    assert positions.tolist() == [[1, 2]]


def test_such_layers_are_shown_copied_and_kept():
    model = nn.Sequential(nn.Linear(2, 3), nn.LeakyReLU(0.2, inplace=True), nn.PReLU(3))
    assert repr(model[1]) == "LeakyReLU(negative_slope=0.2, inplace=True)"
    assert repr(nn.MaxPool2d(3, 2)) == "MaxPool2d(kernel_size=(3, 3), stride=(2, 2))"
    for other in (copy.deepcopy(model[1]), pickle.loads(pickle.dumps(model[1]))):
        assert type(other) is nn.LeakyReLU and other.negative_slope == 0.2
    assert list(state.get_state_dict(model)) == ["0.weight", "0.bias", "2.weight"]
    assert (model[0].in_features, model[0].out_features) == (2, 3)


def test_a_layer_says_which_arguments_it_takes():
    with pytest.raises(ArgumentError, match=r"missing a required argument: 'dim'; .* Softmax\(dim"):
        nn.Softmax()
    with pytest.raises(
        ArgumentError, match=r"unexpected keyword argument 'slope'; .*ReLU\(inplace"
    ):
        nn.ReLU(slope=1)
    with pytest.raises(ArgumentError, match=r"mse_loss: .*'target'; expected mse_loss\(target"):
        nn.MSELoss()(Tensor([1.0]))


# ---- names of other libraries --------------------------------------------------------------------

WEIGHT = Tensor([1.0], requires_grad=True)
HINTS = [
    (lambda: nn.Module, "module 'rulewright.nn' has no attribute 'Module'; here it is any class"),
    (lambda: nn.functional, "here it is methods of tensors, x.relu()"),
    (lambda: nn.ReLu, "did you mean ReLU?"),
    (lambda: rulewright.no_grad, "has no attribute 'no_grad'; here it is Tensor.no_grad"),
    (lambda: rulewright.float32, "here it is dtypes.float32"),
    (lambda: rulewright.concatenate, "here it is Tensor.cat()"),
    (lambda: rulewright.compile, "here it is jit(f)"),
    (lambda: nn.Linear(1, 1).to, "no attribute 'to'; here it is t.replace(t.to(device))"),
    (lambda: nn.ReLU().cuda, "here it is t.replace(t.to('CUDA')) of each t in nn.state.get_state"),
    (lambda: nn.Linear(1, 1).eval, "here it is Tensor.training = False, or a block"),
    (lambda: nn.Sequential().parameters, "here it is nn.state.get_parameters(model)"),
    (lambda: nn.Linear(1, 1).weights, "Linear has no attribute 'weights'; did you mean weight?"),
    (lambda: nn.LazyLinear, "here it is Linear, which is told its sizes"),
    (lambda: nn.CircularPad2d, "here it is Tensor.pad(…, mode='circular')"),
    (lambda: nn.Linear(1, 1).apply, "here it is a loop over vars(layer).values(), or over nn.s"),
    (lambda: nn.ReLU().register_full_backward_hook, "here it is function(grad_fxn=…), which"),
    (lambda: nn.state.gguf_load, "no attribute 'gguf_load'; here it is safe_load(path), of"),
    (lambda: nn.state.safe_open, "here it is safe_load(path, device='DISK'), which"),
    (lambda: nn.state.load_file, "no attribute 'load_file'; here it is safe_load(path)"),
    (lambda: nn.state.load_state, "no attribute 'load_state'; did you mean load_state_dict?"),
    (lambda: optim.Adafactor, "module 'rulewright.nn.optim' has no attribute 'Adafactor'; here it"),
    (lambda: nn.utils.rnn, "here it is pad() of each sequence, and stack(); masks say where they"),
    (lambda: nn.utils.weight_norm, "here it is a class of your own that holds the tensors"),
    (lambda: optim.Adan, "did you mean Adam?"),
    (lambda: rulewright.vmap, "here it is a method of all rows at once: (x * y).sum(-1) for the"),
    (lambda: rulewright.jacrev, "here it is x.gradient(…), and batches along a leading axis"),
    (lambda: rulewright.hessian, "here it is x.gradient(…) of each element of what"),
    (lambda: rulewright.cond, "here it is x.where(…) of what both sides give"),
    (lambda: rulewright.Ops, "here it is rulewright.ir.ops.Ops"),
    (lambda: rulewright.convolve, "here it is np.convolve(…), which takes tensors and gives array"),
    (lambda: WEIGHT.polyfit, "here it is np.polyfit(…), which takes tensors and gives arrays"),
    (lambda: rulewright.expand_dims, "here it is Tensor.unsqueeze()"),
    (lambda: WEIGHT.nanmax, "here it is isnan().where(-math.inf, x).max()"),
    (lambda: optim.SGD([WEIGHT]).state_dict, "here it is nn.state.get_state_dict(optimizer)"),
    (lambda: optim.lr_scheduler.StepLR(optim.SGD([WEIGHT]), 1).get_lr, "here it is get_last_lr()"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "says"), HINTS, ids=[says[:40] for _, says in HINTS])
def test_a_name_of_another_library_leads_to_one_here(ask, says):
    with pytest.raises(UnknownAttributeError) as error:
        ask()
    assert says in str(error.value)


IMPORTS = {
    "from rulewright.nn import Module": "here it is any class whose objects hold layers",
    "from rulewright.nn.optim import Adafactor": "here it is Adam(…), or AdamW",
    "from rulewright import Tensor, float32": "here it is dtypes.float32",
    "from rulewright.nn import Linaer as L": "did you mean Linear?",
}


@pytest.mark.parametrize("line", IMPORTS)
def test_an_import_says_it_too(line):
    with pytest.raises(UnknownImportError) as error:
        exec(line, {})
    assert IMPORTS[line] in str(error.value) and isinstance(error.value, ImportError)
    for module in (nn, optim, rulewright):
        assert not hasattr(module, "Module")


def test_what_names_lead_to_is_there():
    tables = {
        nn.Linear(1, 1): names.OF_LAYERS, optim.SGD([WEIGHT]): names.OF_OPTIMIZERS,
        optim.lr_scheduler.StepLR(optim.SGD([WEIGHT]), 1): names.OF_SCHEDULES, nn: names.OF_NN,
        optim: names.OF_OPTIM,
    }  # fmt: skip
    for owner, table in tables.items():
        for name in table:
            assert not hasattr(owner, name), f"{name} is there, and needs no other name"
    here = {"nn": nn, "Tensor": Tensor, "x": WEIGHT, "t": WEIGHT}
    here["optimizer"] = optim.SGD([WEIGHT])
    for table in (*tables.values(), names.OF_PACKAGE):
        for text in table.values():
            path, *_ = text.replace("(", " ").replace(",", " ").split()
            owner, *rest = path.split(".")
            item = here.get(owner)
            for word in rest if item is not None else ():
                assert hasattr(item, word), text
                item = getattr(item, word)


def test_windows_are_periodic_as_in_pytorch():
    turn = 2 * np.pi * np.arange(8) / 8
    for name, wanted in {
        "hann_window": 0.5 - 0.5 * np.cos(turn),
        "hamming_window": 0.54 - 0.46 * np.cos(turn),
        "blackman_window": 0.42 - 0.5 * np.cos(turn) + 0.08 * np.cos(2 * turn),
        "bartlett_window": 1 - np.abs(2 * np.arange(8) / 8 - 1),
        "kaiser_window": np.i0(12 * np.sqrt(1 - (np.arange(8) / 4 - 1) ** 2)) / np.i0(12),
    }.items():
        window = eval(names.OF_PACKAGE[name], {"Tensor": Tensor, "np": np, "n": 8})
        assert window.dtype is dtypes.f32
        close(window, wanted)


def test_a_private_name_is_said_as_python_says_it():
    for owner in (nn, rulewright, nn.ReLU(), optim.SGD([WEIGHT])):
        with pytest.raises(AttributeError) as error:
            _ = owner._absent
        assert not isinstance(error.value, UsageError)


# ---- what PyTorch's programs say besides ---------------------------------------------------------


def test_what_fitted_nothing_is_given_back():
    layer = nn.Linear(2, 2)
    lacking = state.load_state_dict(layer, {"weight": np.eye(2), "scale": 1.0}, strict=False)
    assert lacking.missing_keys == ["bias"] and lacking.unexpected_keys == ["scale"]
    assert layer.weight.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert state.load_state_dict(layer, state.get_state_dict(layer)) == ([], [])


def test_betas_are_both_factors():
    a, b = (Tensor([1.0, -2.0], requires_grad=True) for _ in range(2))
    optimizers = optim.AdamW([a], 0.1, betas=(0.5, 0.75)), optim.AdamW([b], 0.1, 0.5, 0.75)
    for weight, optimizer in zip((a, b), optimizers, strict=True):
        for _ in range(3):
            optimizer.zero_grad(set_to_none=True)
            weight.square().sum().backward()
            optimizer.step()
    assert a.tolist() == b.tolist() and a.tolist() != [1.0, -2.0]
    optimizers[0].zero_grad(set_to_none=False)
    assert a.grad.tolist() == [0.0, 0.0]
    optimizers[0].zero_grad()
    assert a.grad is None
    optimizers[0].zero_grad(set_to_none=False)
    assert a.grad is None


def test_a_batch_of_one_value_a_channel_has_no_statistics(training):
    with pytest.raises(
        ShapeError, match=r"BatchNorm1d: .* more than one value .* found x \(1, 3\)"
    ):
        nn.BatchNorm1d(3)(Tensor.ones(1, 3))
    assert nn.BatchNorm1d(3)(Tensor.ones(1, 3, 2)).tolist() == np.zeros((1, 3, 2)).tolist()
    Tensor.training = False
    close(nn.BatchNorm1d(3)(Tensor.ones(1, 3)).numpy(), np.full((1, 3), 1 / np.sqrt(1 + 1e-5)))


def test_a_truth_to_a_truth_is_one():
    flags = Tensor([True, False])
    assert (flags**True).dtype is dtypes.bool and (flags**True).tolist() == [True, False]
    assert (flags**False).tolist() == [True, True]
    assert (flags**2).dtype is dtypes.i64


def test_log_gamma_has_infinite_slope_at_infinity():
    x = Tensor([np.inf, 5.0, -np.inf], requires_grad=True)
    y = x.lgamma()
    (slope,) = y.sum().gradient(x)
    assert y.tolist()[::2] == [np.inf, np.inf] and slope.tolist()[0] == np.inf
    close(slope.tolist()[1], 25 / 12 - 0.5772156649015329)  # 1 + 1/2 + 1/3 + 1/4 - C
    assert np.isnan(slope.tolist()[2])
    assert slope[0].gradient(x)[0].tolist()[0] == 0


WRONG_CALLS = [
    (lambda: nn.Linear(3), "Linear: missing a required argument: 'out_features'; expected Linear("),
    (lambda: nn.LSTM(4, 8, projection=2), "LSTM: got an unexpected keyword argument 'projection'"),
    (lambda: nn.Dropout(0.5, True, 1), "Dropout: too many positional arguments; expected Dropout("),
    (lambda: optim.Adam([WEIGHT], fast=True), "'fast'; expected Adam(params, lr=0.001, b1="),
    (lambda: optim.lr_scheduler.StepLR(optim.SGD([WEIGHT])), "StepLR: missing a required argument"),
]


@pytest.mark.parametrize(("call", "says"), WRONG_CALLS, ids=[says[:20] for _, says in WRONG_CALLS])
def test_a_wrong_call_says_what_is_taken(call, says):
    with pytest.raises(ArgumentError) as error:
        call()
    assert says in str(error.value)


def test_pytorchs_words_for_arguments_are_taken():
    assert repr(nn.Embedding(num_embeddings=10, embedding_dim=4)) == "Embedding(10, 4)"
    assert nn.RMSNorm(normalized_shape=4).weight.shape == (4,)
    assert nn.LayerNorm(normalized_shape=4).normalized_shape == (4,)


def test_layers_of_users_keep_their_own_arguments():
    class Wide(nn.Linear):
        def __init__(self, size, *, times=2):
            super().__init__(size, size * times)

    class Broken(nn.ReLU):
        def __init__(self):
            super().__init__()
            len(3)

    assert Wide(3, times=4).weight.shape == (12, 3)
    with pytest.raises(ArgumentError, match=r"Wide: .*'size'; expected Wide\(size, \*, times=2\)"):
        Wide()
    with pytest.raises(TypeError, match="has no len") as error:
        Broken()
    assert not isinstance(error.value, UsageError)
