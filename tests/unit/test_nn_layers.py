"""Layers, and the state of models, against numpy."""

import numpy as np
import pytest
from arrays import closeness, normal

from rulewright import Tensor, Variable, function, jit, nn
from rulewright.errors import ShapeError, UsageError

close = closeness(1e-5, 1e-5)


def test_linear(rng):
    layer, x = nn.Linear(4, 3), normal(rng, 2, 5, 4)
    expected = x @ layer.weight.numpy().T + layer.bias.numpy()
    close(layer(Tensor(x)).numpy(), expected)
    assert nn.Linear(4, 3, bias=False).bias is None
    assert np.abs(layer.weight.numpy()).max() <= 0.5  # 1 / sqrt(4)


def test_conv2d_same_padding_keeps_the_size(rng):
    x = Tensor(normal(rng, 2, 4, 5, 6))
    assert nn.Conv2d(4, 6, 3, padding="same", groups=2)(x).shape == (2, 6, 5, 6)
    assert nn.Conv2d(4, 6, (2, 3), padding="same", dilation=2, bias=False)(x).shape == (2, 6, 5, 6)
    assert nn.Conv2d(4, 6, 3, stride=2, padding=1)(x).shape == (2, 6, 3, 3)


def test_batchnorm_trains_on_the_batch_and_runs_on_averages(rng, training):
    layer, x = nn.BatchNorm2d(3), normal(rng, 4, 3, 2, 5) * 2 + 1
    axes = (0, 2, 3)
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    close(layer(Tensor(x)).numpy(), (x - mean) / np.sqrt(var + 1e-5), 1e-4)
    close(layer.running_mean.numpy(), 0.1 * mean.ravel())
    close(layer.running_var.numpy(), 0.9 + 0.1 * x.var(axes, ddof=1))
    Tensor.training = False
    kept_mean, kept_var = layer.running_mean.numpy(), layer.running_var.numpy()
    shape = (1, 3, 1, 1)
    expected = (x - kept_mean.reshape(shape)) / np.sqrt(kept_var.reshape(shape) + 1e-5)
    close(layer(Tensor(x)).numpy(), expected, 1e-4)
    close(layer.running_mean.numpy(), kept_mean)


def test_batchnorm_without_averages(rng):
    x = normal(rng, 6, 2)
    found = nn.BatchNorm(2, affine=False, track_running_stats=False)(Tensor(x)).numpy()
    close(found, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5), 1e-4)


@pytest.mark.parametrize("shape", [(9, 3), (9, 3, 2, 5)], ids=["rows", "images"])
def test_batchnorm_of_a_symbolic_batch_is_that_of_each_size(rng, shape):
    x, layer = normal(rng, *shape) * 2 + 1, nn.BatchNorm(3)
    memory, n = Tensor(x).realize(), Variable("n", 1, 9)
    mean, var, axes = np.zeros(3), np.ones(3), (0, *range(2, x.ndim))
    step = jit(lambda n: layer(memory[:n]).sum(0))
    with Tensor.train():
        for size in (5, 2, 9, 3):
            part = x[:size]
            across = part.mean(axes, keepdims=True), part.var(axes, keepdims=True)
            expected = ((part - across[0]) / np.sqrt(across[1] + 1e-5)).sum(0)
            np.testing.assert_allclose(step(n.bind(size)).numpy(), expected, atol=1e-4)
            mean = 0.9 * mean + 0.1 * part.mean(axes)
            var = 0.9 * var + 0.1 * part.var(axes, ddof=1)
            close(layer.running_mean.numpy(), mean)
            close(layer.running_var.numpy(), var)


def test_layernorm(rng):
    x = normal(rng, 2, 3, 4)
    expected = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    close(nn.LayerNorm(4)(Tensor(x)).numpy(), expected, 1e-4)
    axes = (1, 2)
    expected = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    close(nn.LayerNorm((3, 4), elementwise_affine=False)(Tensor(x)).numpy(), expected, 1e-4)


def test_embedding(rng):
    layer = nn.Embedding(7, 3)
    ids = np.array([[0, 6], [2, 2]])
    np.testing.assert_array_equal(layer(Tensor(ids)).numpy(), layer.weight.numpy()[ids])
    layer(Tensor([2, 2])).sum().backward()
    expected = np.zeros((7, 3))
    expected[2] = 2
    np.testing.assert_array_equal(layer.weight.grad.numpy(), expected)


def test_layers_say_what_does_not_fit():
    with pytest.raises(ShapeError, match=r"Linear: expected x \(…, 4\), found \(2, 3\)"):
        nn.Linear(4, 2)(Tensor.zeros(2, 3))
    with pytest.raises(ShapeError, match=r"LayerNorm: expected x \(…, 4\)"):
        nn.LayerNorm(4)(Tensor.zeros(2, 3))
    with pytest.raises(UsageError, match="3 groups must divide 4"):
        nn.Conv2d(4, 6, 3, groups=3)
    with pytest.raises(UsageError, match="padding 'same' needs stride 1"):
        nn.Conv2d(4, 6, 3, stride=2, padding="same")
    with pytest.raises(UsageError, match="must hold integers"):
        nn.Embedding(3, 2)(Tensor([1.0]))


class Model:
    def __init__(self):
        self.layers = [nn.Linear(2, 3), nn.Linear(3, 1, bias=False)]
        self.parts = {"norm": nn.LayerNorm(3)}
        self.size = 3
        self.itself = self


def test_state_by_name():
    model = Model()
    names = ["layers.0.weight", "layers.0.bias", "layers.1.weight", "parts.norm.weight",
             "parts.norm.bias"]  # fmt: skip
    assert list(nn.state.get_state_dict(model)) == names
    assert len(nn.state.get_parameters(model)) == 5


def test_what_a_model_refers_to_is_no_part_of_it():
    class Model:
        def __init__(self):
            self.layer = nn.Linear(2, 2)
            self.step, self.forward = jit(self.__call__), function(self.__call__)
            self.numpy, self.size, self.kind = np, Variable("n", 1, 5), Tensor

        def __call__(self, x):
            return self.layer(x) + Tensor.ones(2).contiguous()

    model, x = Model(), Tensor.ones(3, 2).contiguous()
    for _ in range(3):
        model.forward(model.step(x)).realize()
    assert list(nn.state.get_state_dict(model)) == ["layer.weight", "layer.bias"]
    assert nn.state.get_parameters(model) == [model.layer.weight, model.layer.bias]


def test_tensors_in_slots_are_state():
    class Base:
        __slots__ = ("__weakref__", "first")

    class Model(Base):
        __slots__ = ("__dict__", "__hidden", "missing")

        def __init__(self):
            self.first, self.__hidden, self.last = Tensor([1.0]), [Tensor([2.0])], Tensor([3.0])

    state = nn.state.get_state_dict(Model())
    assert list(state) == ["first", "_Model__hidden.0", "last"]
    nn.state.load_state_dict(model := Model(), {k: v + 1 for k, v in state.items()})
    assert model.first.tolist() == [2.0]
    assert model.last.tolist() == [4.0]


def test_state_travels_between_models():
    first, second = Model(), Model()
    saved = {k: v.numpy() for k, v in nn.state.get_state_dict(first).items()}
    nn.state.load_state_dict(second, saved)
    for name, tensor in nn.state.get_state_dict(second).items():
        np.testing.assert_array_equal(tensor.numpy(), saved[name])


def test_bad_state_changes_nothing():
    model = Model()
    before = model.layers[0].weight.numpy()
    good = {k: v.numpy() * 0 for k, v in nn.state.get_state_dict(model).items()}
    with pytest.raises(UsageError, match=r"missing names \['parts.norm.bias'\]"):
        bad = dict(good)
        del bad["parts.norm.bias"]
        nn.state.load_state_dict(model, bad)
    with pytest.raises(ShapeError, match=r"layers.1.weight has shape \(1, 3\)"):
        nn.state.load_state_dict(model, {**good, "layers.1.weight": np.zeros(3, np.float32)})
    np.testing.assert_array_equal(model.layers[0].weight.numpy(), before)
    nn.state.load_state_dict(model, {"layers.0.bias": np.ones(3, np.float32)}, strict=False)
    assert model.layers[0].bias.tolist() == [1, 1, 1]


BAGS = ([[0, 6, 2], [2, 2, 5]], None), ([0, 6, 2, 2, 5], [0, 3, 3])


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding_idx", [None, 2])
@pytest.mark.parametrize(("ids", "offsets"), BAGS)
def test_embedding_bag(mode, padding_idx, ids, offsets):
    layer = nn.EmbeddingBag(7, 3, mode, padding_idx)
    rows, ends = layer.weight.numpy(), None if offsets is None else [*offsets[1:], len(ids)]
    bags = ids if ends is None else [ids[a:b] for a, b in zip(offsets, ends, strict=True)]
    join = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    kept = [[i for i in bag if i != padding_idx] for bag in bags]
    expected = [join(rows[bag], axis=0) if bag else np.zeros(3) for bag in kept]
    places = () if offsets is None else (Tensor(offsets),)
    close(layer(Tensor(ids), *places).numpy(), np.array(expected), 1e-6)
    (slope,) = layer(Tensor(ids), *places).sum().gradient(layer.weight)
    if mode != "max":
        share = np.zeros((7, 3))
        for bag in kept:
            np.add.at(share, bag, 1.0 if mode == "sum" else 1 / max(1, len(bag)))
        close(slope.numpy(), share, 1e-6)


def test_embedding_bag_with_weights_and_a_last_offset():
    layer = nn.EmbeddingBag(7, 3, "sum", include_last_offset=True)
    rows, weights = layer.weight.numpy(), np.array([1.0, 2.0, -3.0], np.float32)
    found = layer(Tensor([4, 1, 1]), Tensor([0, 1, 3]), Tensor(weights)).numpy()
    close(found, np.stack([rows[4], rows[1] * -1.0]), 1e-6)
    with pytest.raises(
        UsageError, match="classes of 2 axes, or of 1 with offsets, found 1 without"
    ):
        layer(Tensor([1]))
    with pytest.raises(UsageError, match="weights are for mode='sum', found 'mean'"):
        nn.EmbeddingBag(7, 3)(Tensor([[1]]), per_sample_weights=Tensor([[1.0]]))
    with pytest.raises(UsageError, match="mode as 'sum' or 'mean' or 'max', found 'min'"):
        nn.EmbeddingBag(7, 3, "min")


class Scaled(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(2, 2, bias=False), nn.ReLU())
        self.scale, self.by = Tensor([2.0], requires_grad=True), 3

    def __call__(self, x):
        return super().__call__(x) * self.scale * self.by


def test_attributes_of_a_list_of_layers_are_part_of_it():
    """They are trained, saved, and watched by `jit`, as those of any object are."""
    model, x = Scaled(), Tensor([1.0, 1.0])
    model[0].weight.assign(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert list(nn.state.get_state_dict(model)) == ["0.weight", "scale"]
    assert any(p is model.scale for p in nn.state.get_parameters([model]))
    step = jit(lambda x: model(x).sum().realize())
    assert [step(x).item() for _ in range(3)] == [60.0] * 3
    model.by = 1
    assert [step(x).item() for _ in range(3)] == [20.0] * 3
    model.scale = Tensor([5.0])
    assert [step(x).item() for _ in range(3)] == [50.0] * 3
    model.scale.assign(Tensor([1.0]))
    assert [step(x).item() for _ in range(3)] == [10.0] * 3


def test_attributes_of_a_dict_of_tensors_are_part_of_it():
    class Named(dict):
        pass

    model = Named(weight=Tensor([1.0]))
    model.bias = Tensor([2.0])
    assert list(nn.state.get_state_dict({"all": model})) == ["all.weight", "all.bias"]
