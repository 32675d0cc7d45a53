"""Jitted functions give what the plain functions give."""

from collections import OrderedDict, defaultdict, namedtuple
from functools import partial

import numpy as np
import pytest
from jit_helpers import device, floats

from rulewright import Context, Tensor, Variable, function, jit, nn
from rulewright.examples.digits_data import load_digits

__all__ = ["device"]

DEVICES = ["C", "INTERP"]
Point = namedtuple("Point", ["first", "last"])


def test_values_follow_the_arguments(device):
    double = jit(lambda x: x * 2 + 1)
    got = [double(floats(i, i + 1)).tolist() for i in range(5)]
    assert got == [[2 * i + 1, 2 * i + 3] for i in range(5)]
    assert double.captures == 1


def test_results_stay_what_they_were(device):
    double = jit(lambda x: x * 2)
    results = [double(floats(i)) for i in range(5)]
    assert [r.item() for r in results] == [0, 2, 4, 6, 8]


def test_captured_results_may_be_written(device):
    make = jit(lambda x: (x + 1, Tensor([1.0, 2.0])))
    for i in range(5):
        total, constant = make(floats(i))
        assert (total.item(), constant.tolist()) == (i + 1, [1, 2])
        total += 5
        constant += 5
        assert (total.item(), constant.tolist()) == (i + 6, [6, 7])


def test_containers_keywords_and_static_arguments():
    @jit
    def scaled(pair, *, factor, more):
        return {"sum": (pair[0] + pair[1]) * factor, "rest": [more["x"] - 1, "text", 3]}

    for i in range(4):
        for factor in (2, 3):
            given = scaled((floats(i), floats(1)), factor=factor, more={"x": floats(i)})
            assert given["sum"].item() == (i + 1) * factor
            assert given["rest"][0].item() == i - 1 and given["rest"][1:] == ["text", 3]
    assert scaled.captures == 2


def test_static_numbers_are_told_apart():
    scale = jit(lambda x, s: x * s)
    for s in (1, 1.0, True, 0.0, -0.0):
        for i in range(3):
            got = scale(floats(i + 1), s).numpy()
            expected = np.array([i + 1], np.float32) * s
            assert got == expected and np.signbit(got) == np.signbit(expected)
    assert scale.captures == 5


def test_other_shapes_and_dtypes_are_other_captures():
    double = jit(lambda x: x + x)
    for _ in range(3):
        assert double(Tensor([1, 2])).tolist() == [2, 4]
        assert double(Tensor([1, 2, 3])).tolist() == [2, 4, 6]
        assert double(Tensor([1.5, 2])).tolist() == [3, 4]
    assert double.captures == 3


def test_captured_state_is_updated(device):
    total = Tensor([0.0, 0.0])

    @jit
    def add(x):
        total.assign(total + x)
        return total * 2

    for i in range(5):
        assert add(floats(1, i)).tolist() == [2 * (i + 1), sum(range(i + 1)) * 2]
    assert total.tolist() == [5, 10]


def test_state_may_change_between_calls(device):
    weight = floats(1, 2).realize()
    times = jit(lambda x: x * weight)
    for i in range(6):
        assert times(floats(3, 3)).tolist() == [3 * (1 + i), 3 * (2 + i)]
        weight += 1


def test_values_of_the_old_state_are_kept(device):
    weight = floats(1).realize()

    @jit
    def step():
        weight.assign(weight + 1)

    for i in range(5):
        late = weight * 10  # lazy, and read only after the step has overwritten the weight
        step()
        assert late.item() == 10 * (i + 1)
        assert weight.item() == i + 2


def test_memory_borrowed_between_calls_is_kept():
    weight = floats(1).realize()

    @jit
    def step():
        weight.assign(weight + 1)

    for i in range(5):
        other = Tensor([0.0])
        other = Tensor.zeros(1)
        other.assign(weight)
        step()
        assert (other.item(), weight.item()) == (i + 1, i + 2)


def test_arguments_are_written_in_place(device):
    @jit
    def bump(x):
        x += 1

    for i in range(5):
        x = floats(i)
        assert bump(x) is None
        assert x.item() == i + 1


def test_results_that_are_arguments_or_views_of_them():
    both = jit(lambda x: (x, x.reshape(2, 1), x + 1))
    for i in range(4):
        x = floats(i, i + 1)
        same, view, more = both(x)
        assert same is x and view.tolist() == [[i], [i + 1]] and more.tolist() == [i + 1, i + 2]
        view += 10
        assert x.tolist() == [i, i + 1]  # what is a view of an argument is returned as a copy


def test_one_tensor_twice_is_a_capture_of_its_own():
    @jit
    def move(a, b):
        a += 1
        return a + b

    for i in range(4):
        x, y = floats(i), floats(1)
        assert move(x, y).item() == i + 2
        assert move(x, x).item() == 2 * (i + 2)
    assert move.captures == 2


def test_views_and_constants_as_arguments():
    double = jit(lambda x: x * 2)
    rows = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3))
    for i in range(4):
        assert double(rows[i]).tolist() == [6 * i, 6 * i + 2, 6 * i + 4]
        assert double(Tensor(float(i))).item() == 2 * i
        assert double(rows[i : i + 1].expand(2, 3)).tolist() == [[6 * i, 6 * i + 2, 6 * i + 4]] * 2


def test_random_numbers_go_on(device):
    def draw(x):
        return x + Tensor.rand(3), Tensor.randn(2)

    def run(function):
        Tensor.manual_seed(7)
        return [t.numpy() for i in range(5) for t in function(floats(i))]

    for got, expected in zip(run(jit(draw)), run(draw), strict=True):
        assert (got == expected).all()


def test_variables_share_one_capture(device):
    x = Tensor(np.arange(10, dtype=np.float32)).realize()
    n = Variable("n", 1, 10)
    total = jit(lambda x, n: x[:n].sum())
    for value in (3, 5, 10, 1, 7):
        assert total(x, n.bind(value)).item() == sum(range(value))
    assert total.captures == 1


def test_symbolic_views_share_one_capture():
    x = Tensor(np.arange(20, dtype=np.float32).reshape(10, 2)).realize()
    n = Variable("n", 1, 10)
    both = jit(lambda part: (part * 2, part.sum()))
    for value in (3, 5, 10, 1, 7):
        double, total = both(x[: n.bind(value)])
        assert double.tolist() == (x.numpy()[:value] * 2).tolist()
        assert total.item() == x.numpy()[:value].sum()
    assert both.captures == 1


def test_a_cache_written_at_a_variable_place(device):
    cache, place = Tensor.zeros(8, 2).clone().realize(), Variable("place", 0, 7)

    @jit
    def decode(x, p):
        cache[p : p + 1] = x
        return cache[: p + 1].sum(0)

    for i in range(6):
        assert decode(Tensor([[1.0, i]]), place.bind(i)).tolist() == [i + 1, sum(range(i + 1))]
    assert decode.captures == 1


def test_gradients_of_arguments():
    @jit
    def square(x):
        (x * x).sum().backward()

    for i in range(5):
        x = Tensor([float(i)], requires_grad=True)
        square(x)
        assert x.grad.item() == 2 * i
        square(x)
        assert x.grad.item() == 4 * i


def test_gradients_through_a_function_with_memory_of_its_own(rng):
    """Many running sums are such a function: the slope of y.cumsum(1).square() by each y."""

    @jit
    def slope(x):
        leaf = x.detach().requires_grad_(True)
        return leaf.cumsum(1).square().sum().gradient(leaf)[0]

    for _ in range(3):
        x = rng.normal(size=(2, 100, 256)).astype(np.float32)
        expected = 2 * x.astype(np.float64).cumsum(1)[:, ::-1].cumsum(1)[:, ::-1]
        np.testing.assert_allclose(slope(Tensor(x)).numpy(), expected, rtol=1e-4, atol=1e-2)


def test_changed_python_values_are_captured_again():
    scale = 2

    @jit
    def times(x):
        return x * scale

    for scale in (2, 2, 2, 5, 5, 2):  # the function reads it
        assert times(floats(3)).item() == 3 * scale
    assert times.captures == 2  # the first one is found again


class Counter:
    def __init__(self, start):
        self.total = Tensor([start])

    @jit
    def add(self, x):
        self.total.assign(self.total + x)
        return self.total + 0


def test_methods_have_captures_for_each_object():
    one, two = Counter(0.0), Counter(100.0)
    for i in range(5):
        assert one.add(floats(1)).item() == i + 1
        assert two.add(floats(2)).item() == 102 + 2 * i
    one.total = Tensor([50.0])
    assert one.add(floats(1)).item() == 51


def test_nested():
    inner = jit(lambda x: x + 1)
    outer = jit(lambda x: inner(x) * 2)
    for i in range(6):
        assert outer(floats(i)).item() == 2 * i + 2
        assert inner(floats(i)).item() == i + 1


@pytest.mark.parametrize("wrap", [jit, function])
@pytest.mark.parametrize("kind", [OrderedDict, partial(defaultdict, list), Point], ids=str)
def test_containers_keep_their_classes(wrap, kind):
    def turned(of):
        parts = (of.first, of.last) if isinstance(of, Point) else (of["first"], of["last"])
        return kind(first=parts[1] * 2, last=parts[0]), type(of).__name__

    call = wrap(partial(turned))
    for i in range(4):
        of = kind(first=floats(i), last=floats(1))
        result, name = call(of)
        assert type(result) is type(of) and name == type(of).__name__
        values = tuple(result) if isinstance(of, Point) else tuple(result.values())
        assert [v.item() for v in values] == [2, i]


@pytest.mark.parametrize("precompile", [False, True])
def test_a_jitted_function_inside_of_a_traced_one_is_part_of_it(precompile):
    double = jit(lambda x: x * 2)
    traced = function(precompile=precompile)(lambda x: double(x) + 1)
    for i in range(4):
        x = Tensor([float(i)], requires_grad=True)
        traced(x).sum().backward()
        assert x.grad.item() == 2
        assert traced(x).item() == 2 * i + 1 and double(floats(i)).item() == 2 * i


def test_off_and_reset():
    double = jit(lambda x: x * 2)
    with Context(JIT=0):
        assert [double(floats(i)).item() for i in range(3)] == [0, 2, 4]
    assert double.captures == 0
    assert [double(floats(i)).item() for i in range(3)] == [0, 2, 4]
    double.reset()
    assert [double(floats(i)).item() for i in range(3)] == [0, 2, 4]
    assert double.captures == 2


def test_nothing_to_run():
    assert [jit(lambda: 3)() for _ in range(3)] == [3, 3, 3]
    nothing = jit(lambda x: None)
    assert [nothing(floats(1)) for _ in range(4)] == [None] * 4


class Network:
    def __init__(self):
        self.first, self.second = nn.Linear(64, 16), nn.Linear(16, 10)

    def __call__(self, x):
        return self.second(self.first(x).relu())


def trained(wrap, steps, whole):
    Tensor.manual_seed(3)
    network, digits = Network(), load_digits()
    optimiser = nn.optim.Adam(nn.state.get_parameters(network), lr=3e-3)

    def step(images, labels):
        optimiser.zero_grad()
        loss = network(images.flatten(1)).cross_entropy(labels)
        loss.backward()
        if whole:
            return loss.realize(*optimiser.update())
        optimiser.step()
        return loss

    step, losses, size = wrap(step), [], 8
    for i in range(steps):
        part = slice(i * size, (i + 1) * size)
        images, labels = Tensor(digits.train_images[part]), Tensor(digits.train_labels[part])
        losses.append(step(images, labels))
    tensors = [*losses, *optimiser.params, *optimiser.first, *[p.grad for p in optimiser.params]]
    return [t.numpy() for t in tensors]


@pytest.mark.parametrize("whole", [True, False])
def test_training_is_bitwise_the_same(device, whole):
    steps = 10 if device == "C" else 4
    for got, expected in zip(
        trained(jit, steps, whole), trained(lambda f: f, steps, whole), strict=True
    ):
        assert got.tobytes() == expected.tobytes()


def test_gradients_add_up_over_calls(device):
    weight = Tensor([2.0], requires_grad=True)

    @jit
    def loss(x):
        (weight * weight * x).sum().backward()

    for i in range(5):
        loss(floats(1))
        assert weight.grad.item() == 4 * (i + 1)
    weight.grad = None
    loss(floats(3))
    assert weight.grad.item() == 12


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(
    "loss, slope",
    [
        (lambda w, x: (x @ w).sum(), lambda x: x.T @ np.ones((2, 3))),
        (lambda w, x: (x.sum(0) * w.T).sum(), lambda x: x.sum(0)[:, None] + np.zeros(3)),
        (lambda w, x: w.sum() + x.sum(), lambda x: np.ones((3, 3))),
    ],
    ids=["transposed", "expanded", "constant"],
)
def test_gradients_add_up_however_they_lie(loss, slope, inside):
    """A replay read what had been transposed, or a constant, at the capture as if it still was."""
    weight = Tensor(np.zeros((3, 3), np.float32), requires_grad=True)

    @jit
    def add(x):
        loss(weight, x).backward()
        if inside:
            weight.grad.realize()

    total = np.zeros((3, 3))
    for i in range(9):
        if i in (3, 6):
            weight.grad, total = None, 0
        x = np.arange(6.0, dtype=np.float32).reshape(2, 3) + i
        add(Tensor(x))
        total = total + slope(x)
        assert weight.grad.tolist() == total.tolist()
    assert add.captures <= 3


def test_gradients_are_read_however_they_lie():
    weight = Tensor(np.zeros((3, 3), np.float32), requires_grad=True)
    twice = jit(lambda: (weight.grad * 2).realize())
    g = np.arange(9, dtype=np.float32).reshape(3, 3)
    pair = np.stack([g, -g])
    for wanted, grad in [
        (g, Tensor(g)),
        (g.T, Tensor(g).realize().T),
        (g, Tensor(g)),
        (np.ones((3, 3)), Tensor.ones(3, 3)),
        (np.zeros((3, 3)), Tensor.zeros(3, 3)),
        (-g, Tensor(pair).realize()[1]),
        (g, Tensor(np.stack([g, -g], 1)).realize()[:, 0]),
        (g[:1] + 0 * g, Tensor(g[:1]).realize().expand(3, 3)),
        (g[1:2] + 0 * g, Tensor(g[1:2]).realize().expand(3, 3)),
        (g.T, Tensor(g).realize().T),
    ] * 2:
        weight.grad = grad
        assert twice().tolist() == (2 * wanted).tolist()


def test_gradients_computed_outside():
    weight = Tensor([1.0], requires_grad=True)
    optimiser = nn.optim.SGD([weight], lr=1.0)
    step = jit(optimiser.step)
    value = 1.0
    for i in range(5):
        optimiser.zero_grad()
        (weight * (i + 1)).sum().backward()
        step()
        value -= i + 1
        assert weight.item() == value


def test_arrays_around_are_constants_until_they_change(device):
    data, places = np.array([1.0, np.nan, 3.0], np.float32), np.array([2, 0])
    held = {"mask": np.array([True, False, True])}

    def plain(x):
        return (x + Tensor(data), x * data, x[places], Tensor(held["mask"]).where(x, 0))

    jitted = jit(plain)

    def check(captures):
        for i in range(3):
            for one, other in zip(jitted(floats(i, 1, 2)), plain(floats(i, 1, 2)), strict=True):
                np.testing.assert_array_equal(one.numpy(), other.numpy())
        assert jitted.captures == captures

    check(1)
    data[1] = 7
    check(2)
    places[:] = 1
    check(3)
    held["mask"] = np.zeros(3, bool)
    check(4)


def test_results_made_of_an_array_around_may_be_written(device):
    data = np.array([1.0, 2.0], np.float32)
    make = jit(lambda x: (x + 1, Tensor(data)))
    for i in range(4):
        _, constant = make(floats(i))
        constant += 5
        assert constant.tolist() == [6, 7] and data.tolist() == [1, 2]
