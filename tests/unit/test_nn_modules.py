"""Convolution, norm, recurrent and attention layers against numpy."""

import numpy as np
import pytest
from arrays import closeness, normal
from recurrence_values import gru_step, lstm_step, rnn_step, weights

from rulewright import Tensor, dtypes, nn
from rulewright.errors import ShapeError, UsageError
from rulewright.verify.methods import reference_nets as reference

close = closeness(1e-5, 1e-5)


def arrays(layer):
    """The state of a layer in float64."""
    return {k: v.numpy().astype(np.float64) for k, v in nn.state.get_state_dict(layer).items()}


CONVOLUTIONS = [
    (nn.Conv1d, (2, 4, 9), {"stride": 2, "padding": 3, "groups": 2}, {}),
    (nn.Conv2d, (2, 4, 5, 6), {"padding": "same", "dilation": 2}, {}),
    (nn.Conv2d, (2, 4, 5, 6), {"padding": (1, 2), "bias": False}, {}),
    (nn.Conv3d, (1, 4, 4, 5, 3), {"padding": 1}, {}),
    (nn.ConvTranspose1d, (2, 4, 5), {"stride": 2, "padding": 1}, {"output_padding": 1}),
    (nn.ConvTranspose2d, (2, 4, 3, 2), {"stride": (1, 2), "groups": 2}, {"output_padding": (0, 1)}),
    (nn.ConvTranspose3d, (1, 4, 2, 2, 2), {"dilation": 2, "bias": False}, {}),
]


@pytest.mark.parametrize(("make", "shape", "options", "more"), CONVOLUTIONS, ids=str)
def test_convolutions(rng, make, shape, options, more):
    layer, x = make(4, 6, 3, **options, **more), normal(rng, *shape)
    state = arrays(layer)
    fan = int(np.prod(layer.weight.shape[1:]))  # as in PyTorch, for transposes too
    assert 0.5 / np.sqrt(fan) < np.abs(state["weight"]).max() <= 1 / np.sqrt(fan)
    given = {k: v for k, v in options.items() if k != "bias"}
    if more:
        given["more"] = more["output_padding"]
    function = reference.conv_transpose if "Transpose" in make.__name__ else reference.conv
    expected = function(x.astype(np.float64), state["weight"], state.get("bias"), **given)
    close(layer(Tensor(x)).numpy(), expected, 1e-4, 1e-4)


@pytest.mark.parametrize("make", [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d])
def test_batchnorm_of_every_rank(rng, training, make):
    x = normal(rng, *(4, 3, 2, 2, 5)[: make.ranks[-1]])
    layer = make(3, momentum=None)
    axes = tuple(i for i in range(x.ndim) if i != 1)
    for times, part in enumerate((x, x * 2 + 1), 1):
        expected = reference.standard(part.astype(np.float64), axes)
        close(layer(Tensor(part)).numpy(), expected, 1e-4, 1e-4)
        assert layer.num_batches_tracked.item() == times
    means = [part.mean(axes) for part in (x, x * 2 + 1)]  # without momentum, each counts the same
    variances = [part.var(axes, ddof=1) for part in (x, x * 2 + 1)]
    close(layer.running_mean.numpy(), np.mean(means, 0), 1e-4)
    close(layer.running_var.numpy(), (np.sum(variances, 0)) / 2, 1e-4)


NORMS = [
    lambda eps: nn.BatchNorm1d(4, eps=eps), lambda eps: nn.LayerNorm(3, eps=eps),
    lambda eps: nn.GroupNorm(2, 4, eps=eps), lambda eps: nn.InstanceNorm(4, eps=eps),
    lambda eps: nn.RMSNorm(3, eps=eps),
]  # fmt: skip


@pytest.mark.parametrize("make", NORMS)
def test_norms_of_narrow_floats_are_computed_in_wide_ones(rng, training, make):
    """An eps that float16 has not, and squares that it has not."""
    with dtypes.defaults(float="float16"):
        layer = make(1e-8)
    same = layer(Tensor(np.zeros((2, 4, 3), np.float16)))
    assert same.dtype is dtypes.f16 and (same.numpy() == 0).all()
    x = (rng.normal(size=(2, 4, 3)) * 2000).astype(np.float16)
    wide = make(1e-8)(Tensor(x.astype(np.float64))).numpy()
    close(layer(Tensor(x)).numpy(), wide, 2e-3, 2e-3)
    state = nn.state.get_state_dict(layer)
    assert all(np.isfinite(v.numpy()).all() for v in state.values())


def test_norms(rng):
    x = normal(rng, 2, 4, 3, 5)
    wide = x.astype(np.float64)
    layer = nn.LayerNorm2d(4)
    layer.weight.assign(Tensor([1.0, 2.0, 3.0, 4.0]))
    scale = np.arange(1.0, 5).reshape(1, 4, 1, 1)
    close(layer(Tensor(x)).numpy(), reference.standard(wide, 1) * scale, 1e-4, 1e-4)
    group = nn.GroupNorm(2, 4)
    group.bias.assign(Tensor([1.0, 2.0, 3.0, 4.0]))
    close(group(Tensor(x)).numpy(), reference.in_groups(wide, 2) + scale, 1e-4, 1e-4)
    each = nn.InstanceNorm(4, affine=False)
    close(each(Tensor(x)).numpy(), reference.standard(wide, (2, 3)), 1e-4, 1e-4)
    rms = nn.RMSNorm(5)
    rms.weight.assign(Tensor([1.0, 2.0, 3.0, 4.0, 5.0]))
    expected = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6) * np.arange(1.0, 6)
    close(rms(Tensor(x)).numpy(), expected, 1e-4, 1e-4)
    assert nn.LayerNorm(5, bias=False).bias is None


def test_cells(rng):
    x, h, c = normal(rng, 2, 3), normal(rng, 2, 4), normal(rng, 2, 4)
    cell = nn.LSTMCell(3, 4)
    for found, expected in zip(cell(Tensor(x), (Tensor(h), Tensor(c))),
                               lstm_step(weights(cell), x, h, c), strict=True):  # fmt: skip
        close(found.numpy(), expected)
    zeros = np.zeros((2, 4))
    close(cell(Tensor(x))[0].numpy(), lstm_step(weights(cell), x, zeros, zeros)[0])
    unit = nn.GRUCell(3, 4)
    close(unit(Tensor(x), Tensor(h)).numpy(), gru_step(weights(unit), x, h))
    close(unit(Tensor(x)).numpy(), gru_step(weights(unit), x, zeros))
    assert np.abs(arrays(unit)["bias_ih"]).max() <= 0.5
    assert nn.LSTMCell(3, 4, bias=False)(Tensor(x))[0].shape == (2, 4)


@pytest.mark.parametrize(("length", "batch_first"), [(5, False), (5, True), (30, True)])
def test_sequences(rng, length, batch_first):
    """Where no gradient is asked for, the steps of a long one are scheduled once."""
    x = normal(rng, length, 2, 3)
    with Tensor.inference_mode(length > 5):
        check_sequences(x, Tensor(x.swapaxes(0, 1) if batch_first else x), batch_first)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_a_sequences_state_has_pytorchs_names(rng, kind):
    layer = kind(3, 4, 2, bidirectional=True, bias=False)
    state = nn.state.get_state_dict({"encoder": layer})
    assert list(state) == [
        f"encoder.weight_{part}_l{place}{way}"
        for place in (0, 1) for way in ("", "_reverse") for part in ("ih", "hh")
    ]  # fmt: skip
    assert state["encoder.weight_hh_l1"] is layer.cells[2].weight_hh
    saved = {name: normal(rng, *tensor.shape) for name, tensor in state.items()}
    nn.state.load_state_dict([layer], {f"0.{k.partition('.')[2]}": v for k, v in saved.items()})
    close(layer.cells[1].weight_ih.numpy(), saved["encoder.weight_ih_l0_reverse"])
    assert len(nn.state.get_parameters(layer)) == 8
    assert [*nn.state.get_state_dict(kind(3, 4))][2:] == ["bias_ih_l0", "bias_hh_l0"]


def check_sequences(x, given, batch_first):
    layer = nn.LSTM(3, 4, 2, batch_first=batch_first)
    found, (h, c) = layer(given)
    steps = list(x)
    for place in range(2):
        cell = weights(layer.cells[place])
        now = (np.zeros((2, 4)), np.zeros((2, 4)))
        for t, step in enumerate(steps):
            now = lstm_step(cell, step, *now)
            steps[t] = now[0]
        close(h[place].numpy(), now[0])
        close(c[place].numpy(), now[1])
    expected = np.stack(steps, int(batch_first))
    close(found.numpy(), expected)
    first, _ = layer(given, (h, c))
    assert np.abs(first.numpy() - expected).max() > 1e-3  # another beginning
    layer = nn.GRU(3, 4, batch_first=batch_first)
    found, last = layer(given)
    cell, now, outputs = weights(layer.cells[0]), np.zeros((2, 4)), []
    for step in x:
        now = gru_step(cell, step, now)
        outputs.append(now)
    close(found.numpy(), np.stack(outputs, int(batch_first)))
    close(last.numpy(), now[None])


WAYS = {"RNN": rnn_step, "GRU": gru_step, "LSTM": lambda cell, x, hc: lstm_step(cell, x, *hc)}


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("kind", WAYS)
def test_sequences_both_ways(rng, kind, batch_first):
    """The second cell of a layer goes from the last step to the first."""
    x, step, pair = normal(rng, 5, 2, 3), WAYS[kind], kind == "LSTM"
    layer = getattr(nn, kind)(3, 4, num_layers=2, bidirectional=True, batch_first=batch_first)
    begin = normal(rng, 4, 2, 4)
    given = (Tensor(begin), Tensor(begin * 2)) if pair else Tensor(begin)
    found, last = layer(Tensor(x.swapaxes(0, 1) if batch_first else x), given)
    steps = x
    for place, cell in enumerate(layer.cells):
        if place % 2 == 0:
            before, outputs = steps, []
        now = (begin[place], begin[place] * 2) if pair else begin[place]
        seen = []
        for t in range(5)[:: -1 if place % 2 else 1]:
            now = step(weights(cell), before[t], now)
            seen.append(now[0] if pair else now)
        outputs.append(np.stack(seen[:: -1 if place % 2 else 1]))
        for state, expected in zip(last if pair else [last], now if pair else [now], strict=True):
            close(state[place].numpy(), expected)
        steps = np.concatenate(outputs, -1)
    close(found.numpy(), steps.swapaxes(0, 1) if batch_first else steps)


@pytest.mark.parametrize("length", [3, 30])
def test_a_rectified_recurrence(rng, length):
    layer, x = nn.RNN(3, 4, nonlinearity="relu"), normal(rng, length, 2, 3)
    cell, now = weights(layer.cells[0]), np.zeros((2, 4))
    for step in x:
        of_state = now @ cell["weight_hh"].T + cell["bias_hh"]
        now = np.maximum(step @ cell["weight_ih"].T + cell["bias_ih"] + of_state, 0)
    with Tensor.inference_mode():
        close(layer(Tensor(x))[1].numpy()[0], now)
    layer(Tensor(x))[0].sum().backward()
    assert np.isfinite(layer.cells[0].weight_hh.grad.numpy()).all()


@pytest.mark.parametrize(("mode", "word"), [
    ("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])  # fmt: skip
def test_padding_modes_of_convolutions(rng, mode, word):
    x = normal(rng, 2, 2, 5, 6)
    layer = nn.Conv2d(2, 3, 3, stride=2, padding=(1, 2), padding_mode=mode)
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (1, 1), (2, 2)], word)
    state = arrays(layer)
    expected = reference.conv(padded, state["weight"], state["bias"], stride=2)
    close(layer(Tensor(x)).numpy(), expected, 1e-4, 1e-4)


@pytest.mark.parametrize("place", [1, -2])
def test_the_row_that_stands_for_padding_is_not_trained(place):
    layer = nn.Embedding(3, 2, padding_idx=place)
    assert layer.padding_idx == 1 and layer.weight[1].tolist() == [0.0, 0.0]
    layer.weight.assign(Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    found = layer(Tensor([[0, 1], [1, 1]]))
    assert found.tolist() == [[[1, 2], [3, 4]], [[3, 4], [3, 4]]]
    found.sum().backward()
    assert layer.weight.grad.tolist() == [[1, 1], [0, 0], [0, 0]]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_dropout_of_whole_channels(training, rank):
    layer, shape = getattr(nn, f"Dropout{rank}d")(0.5), (20, 30, *(2, 3, 2)[:rank])
    found = layer(Tensor.ones(*shape)).numpy().reshape(600, -1)
    assert (found == found[:, :1]).all() and set(found[:, 0]) == {0.0, 2.0}
    assert 200 < np.count_nonzero(found[:, 0]) < 400
    assert layer(Tensor.ones(*shape[1:])).shape == shape[1:]
    Tensor.training = False
    assert layer(Tensor.ones(*shape)).numpy().min() == 1


def test_dropout_in_place(training):
    x = Tensor.ones(400).clone()
    assert nn.Dropout(0.5, inplace=True)(x) is x
    assert set(x.numpy()) == {0.0, 2.0}


def test_instance_norm_of_each_rank(rng):
    for rank in (1, 2, 3):
        x = normal(rng, 2, 4, *(3, 5, 2)[:rank])
        layer = getattr(nn, f"InstanceNorm{rank}d")(4)
        expected = reference.standard(x.astype(np.float64), tuple(range(2, rank + 2)))
        assert layer.weight is None and not nn.state.get_state_dict(layer)
        close(layer(Tensor(x)).numpy(), expected, 1e-4, 1e-4)
        close(layer(Tensor(x[0])).numpy(), expected[0], 1e-4, 1e-4)
    assert nn.InstanceNorm2d(4, affine=True).weight.shape == (4,)


def test_attention_of_several_heads(rng):
    layer, x, y = nn.MultiHeadAttention(8, 2), normal(rng, 3, 5, 8), normal(rng, 3, 4, 8)
    layer.in_proj_bias.assign(Tensor(normal(rng, 24)))
    state = arrays(layer)

    def attend(q, k, v, **options):
        weights = np.split(state["in_proj_weight"], 3)
        biases = np.split(state["in_proj_bias"], 3)
        heads = [
            (a @ w.T + b).reshape(len(a), -1, 2, 4).swapaxes(1, 2)
            for a, w, b in zip((q, k, v), weights, biases, strict=True)
        ]
        found = reference.attention(*heads, **options).swapaxes(1, 2).reshape(len(q), -1, 8)
        return found @ state["out_proj.weight"].T + state["out_proj.bias"]

    close(layer(Tensor(x)).numpy(), attend(x, x, x), 1e-4)
    close(layer(Tensor(x), is_causal=True).numpy(), attend(x, x, x, causal=True), 1e-4)
    close(layer(Tensor(x), Tensor(y)).numpy(), attend(x, y, y), 1e-4)
    mask = rng.integers(0, 2, (5, 4)) > 0
    found = layer(Tensor(x), Tensor(y), attn_mask=Tensor(mask)).numpy()
    close(found, attend(x, y, y, mask=mask), 1e-4)


def test_sequential_and_dropout(rng, training):
    model = nn.Sequential(nn.Linear(3, 200), Tensor.relu, nn.Dropout(0.5))
    assert list(nn.state.get_state_dict(model)) == ["0.weight", "0.bias"]
    x = normal(rng, 50, 3)
    expected = np.maximum(x @ model[0].weight.numpy().T + model[0].bias.numpy(), 0)
    found = model(Tensor(x)).numpy()
    kept = found != 0
    close(found[kept], 2 * expected[kept], 1e-4)
    assert 0.4 < kept.sum() / (expected != 0).sum() < 0.6
    Tensor.training = False
    close(model(Tensor(x)).numpy(), expected, 1e-4)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (lambda: nn.BatchNorm2d(3)(Tensor.ones(2, 3)), ShapeError, "BatchNorm2d: expected x"),
        (lambda: nn.BatchNorm1d(3)(Tensor.ones(2, 4)), ShapeError, r"\(N, 3, …\) of 2 or 3 axes"),
        (lambda: nn.LayerNorm2d(3)(Tensor.ones(2, 3)), ShapeError, r"expected x \(N, C, H, W\)"),
        (lambda: nn.GroupNorm(2, 3), ShapeError, "2 groups must divide 3 channels"),
        (lambda: nn.GroupNorm(2, 4)(Tensor.ones(2, 3)), ShapeError, "GroupNorm: expected x"),
        (lambda: nn.InstanceNorm(4)(Tensor.ones(4)), ShapeError, "InstanceNorm: expected x"),
        (lambda: nn.RMSNorm(4)(Tensor.ones(3)), ShapeError, "RMSNorm: expected x"),
        (lambda: nn.ConvTranspose1d(3, 4, 2, groups=2), UsageError, "ConvTranspose1d: 2 groups"),
        (lambda: nn.Conv1d(3, 4, (2, 2)), UsageError, "Conv1d: kernel_size"),
        (lambda: nn.Conv3d(3, 4, 2, padding="full"), UsageError, "Conv3d: padding is numbers"),
        (lambda: nn.LSTMCell(3, 4)(Tensor.ones(2, 4)), ShapeError, "LSTMCell: expected x"),
        (lambda: nn.GRUCell(3, 4)(Tensor.ones(2, 4)), ShapeError, "GRUCell: expected x"),
        (lambda: nn.LSTM(3, 4)(Tensor.ones(2, 1, 4)), ShapeError, r"expected x \(time, batch"),
        (lambda: nn.LSTM(3, 4)(Tensor.ones(2, 4)), ShapeError, r"expected x \(time, 3\), found"),
        (lambda: nn.GRU(3, 4, 0), UsageError, "GRU: expected num_layers as a whole number of 1"),
        (lambda: nn.MultiHeadAttention(5, 2), UsageError, "2 heads must divide 5"),
        (lambda: nn.MultiHeadAttention(4, 2)(Tensor.ones(2, 4)), ShapeError, "batch, tokens, 4"),
        (lambda: nn.Dropout(2), UsageError, "expected p as a number from 0 to 1, found 2"),
    ],
)
def test_layers_say_what_does_not_fit(bad, error, message):
    with pytest.raises(error, match=message):
        bad()


# ---- how layers are shown ------------------------------------------------------------------------

SHOWN = [
    (lambda: nn.Linear(2, 3), "Linear(in_features=2, out_features=3, bias=True)"),
    (lambda: nn.Embedding(7, 3), "Embedding(7, 3)"),
    (lambda: nn.Dropout(0.3), "Dropout(p=0.3)"),
    (lambda: nn.Conv1d(4, 6, 3, dilation=2),
     "Conv1d(4, 6, kernel_size=(3,), stride=(1,), dilation=(2,))"),
    (lambda: nn.Conv2d(4, 6, (3, 2), 2, (1, 0), groups=2, bias=False),
     "Conv2d(4, 6, kernel_size=(3, 2), stride=(2, 2), padding=(1, 0), groups=2, bias=False)"),
    (lambda: nn.Conv2d(1, 1, 2, padding=(0, 1, 2, 3)),
     "Conv2d(1, 1, kernel_size=(2, 2), stride=(1, 1), padding=((2, 3), (0, 1)))"),
    (lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1, groups=2),
     "ConvTranspose2d(4, 6, kernel_size=(3, 3), stride=(2, 2), output_padding=(1, 1), groups=2)"),
    (lambda: nn.BatchNorm2d(3),
     "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)"),
    (lambda: nn.GroupNorm(2, 4), "GroupNorm(2, 4, eps=1e-05, affine=True)"),
    (lambda: nn.InstanceNorm(4, affine=False), "InstanceNorm(4, eps=1e-05, affine=False)"),
    (lambda: nn.LayerNorm(5), "LayerNorm((5,), eps=1e-05, elementwise_affine=True, bias=True)"),
    (lambda: nn.RMSNorm(5), "RMSNorm(5, eps=1e-06, elementwise_affine=True)"),
    (lambda: nn.LSTM(3, 4, 2, batch_first=True, dropout=0.5),
     "LSTM(3, 4, num_layers=2, batch_first=True, dropout=0.5)"),
    (lambda: nn.GRUCell(3, 4, bias=False), "GRUCell(3, 4, bias=False)"),
    (lambda: nn.RNNCell(3, 4, nonlinearity="relu"), "RNNCell(3, 4, nonlinearity='relu')"),
    (lambda: nn.RNN(3, 4, bidirectional=True), "RNN(3, 4, bidirectional=True)"),
    (lambda: nn.Dropout2d(0.25, inplace=True), "Dropout2d(p=0.25, inplace=True)"),
    (lambda: nn.Conv1d(4, 6, 3, padding=1, padding_mode="circular"),
     "Conv1d(4, 6, kernel_size=(3,), stride=(1,), padding=(1,), padding_mode='circular')"),
    (lambda: nn.Embedding(7, 3, -1), "Embedding(7, 3, padding_idx=6)"),
    (lambda: nn.MultiHeadAttention(8, 2), "MultiHeadAttention(embed_dim=8, num_heads=2)"),
    (lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 9, norm_first=True), 3),
     "TransformerDecoder(TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=9, "
     "norm_first=True), num_layers=3)"),
    (nn.Sequential, "Sequential()"),
    (lambda: nn.Sequential(nn.Linear(2, 3), Tensor.relu, nn.Sequential(nn.Dropout())),
     "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): relu\n"
     "  (2): Sequential(\n    (0): Dropout(p=0.5)\n  )\n)"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "expected"), SHOWN, ids=[text.split("(")[0] for _, text in SHOWN])
def test_layers_are_shown(make, expected):
    assert repr(make()) == expected


def test_every_layer_has_a_text_of_its_own():
    layers = [kind for kind in vars(nn).values() if isinstance(kind, type)]
    assert len(layers) > 20
    for kind in layers:
        assert kind.__repr__ not in (object.__repr__, list.__repr__), kind
        assert kind is nn.Sequential or kind.extra_repr is not nn.layers.Layer.extra_repr, kind
