"""Steps outside of `jit` that are the same each time: what was worked out once is used again, and
is what it would be if it were worked out anew."""

import gc

import numpy as np
import pytest
from arrays import realized

from rulewright import Context, Tensor, Variable, dtypes, nn
from rulewright.driver import graphs
from rulewright.driver.schedules import clear_schedule_cache
from rulewright.errors import ShapeError
from rulewright.tensor import adjoint, derived_again, patterns


@pytest.fixture
def asked(monkeypatch):
    """Counts how often the rules for gradients are asked, beginning with nothing known."""
    derived_again._known.clear()
    derived_again._once.clear()
    calls, real = [], adjoint._sources
    monkeypatch.setattr(adjoint, "_sources", lambda *args: calls.append(0) or real(*args))
    return calls


def rows(*values):
    return Tensor(np.array(values, np.float32), requires_grad=True).realize()


def test_the_third_gradient_asks_no_rules(asked):
    for factor in (1.0, 2.0, 3.0, 4.0):
        x, w = realized(factor, 2.0), rows(3.0, 4.0)
        before = len(asked)
        (grad,) = ((x * w).square().sum()).gradient(w)
        assert (len(asked) > before) == (factor < 3.0)
        assert grad.tolist() == [2 * factor * factor * 3, 2 * 4 * 4]


def test_numbers_that_are_freed_in_between_are_the_same_numbers(asked):
    for number in (0.71234, 0.81234, 0.71234, 0.81234, 0.71234):
        w, before = rows(3.0, 4.0), len(asked)
        (grad,) = (w * number + Tensor.arange(2) * 0.31234).sum().gradient(w)
        last = len(asked) - before
        wanted = np.float32(number)
        np.testing.assert_array_equal(grad.numpy(), [wanted, wanted])
        del grad, w
        clear_schedule_cache()
        gc.collect()
    assert last == 0


def test_no_more_steps_are_kept_than_may_be(asked, monkeypatch):
    monkeypatch.setattr(derived_again, "_MOST_STEPS", 40)
    held = []
    for number in (1.5, 2.5, 3.5, 4.5, 5.5, 6.5):
        for _ in range(3):
            w = rows(1.0, 2.0)
            (grad,) = (w * w * w * number).sum().gradient(w)
            assert grad.tolist() == [3.0 * number, 12.0 * number]
        held.append([len(known.recipe.steps) for known in derived_again._known.values()])
    assert all(0 < sum(steps) <= 40 for steps in held)
    assert max(map(len, held)) > 1 and len(held[-1]) < 6


LOSSES = {
    "order": (lambda a, b: (a - b).square().sum(), lambda a, b: [2 * (a - b), 2 * (b - a)]),
    "other way": (lambda a, b: (b * b - a).sum(), lambda a, b: [-1 + 0 * a, 2 * b]),
    "a constant": (lambda a, b: (a * 3 + b).sum(), lambda a, b: [3 + 0 * a, 1 + 0 * b]),
    "another": (lambda a, b: (a * 5 + b).sum(), lambda a, b: [5 + 0 * a, 1 + 0 * b]),
    "detached": (lambda a, b: (a * b.detach() + b).sum(), lambda a, b: [b, 1 + 0 * b]),
    "not detached": (lambda a, b: (a * b + b).sum(), lambda a, b: [b, a + 1]),
    "one twice": (lambda a, b: (a * a + b).sum(), lambda a, b: [2 * a, 1 + 0 * b]),
}


@pytest.mark.parametrize("name", sorted(LOSSES))
@pytest.mark.parametrize("swapped", [False, True])
def test_gradients_of_what_is_alike(asked, name, swapped):
    for one in sorted(LOSSES) * 2:  # all are known
        LOSSES[one][0](*(pair := (rows(1.0, 2.0), rows(3.0, 4.0)))).gradient(*pair)
    loss, slopes = LOSSES[name]
    for number in (1.5, -2.0):
        a, b = np.float32([number, 2.0]), np.float32([0.5, number])
        x, y = rows(*a), rows(*b)
        targets = (y, x) if swapped else (x, y)
        grads = [g.tolist() for g in loss(x, y).gradient(*targets)]
        wanted = [g.tolist() for g in slopes(a, b)]
        assert grads == (wanted[::-1] if swapped else wanted)


def test_leaves_that_are_not_reached_have_none_and_gradients_end_at_leaves(asked):
    for _ in range(3):
        w, other = rows(2.0), rows(5.0)
        (w * 3).sum().backward()
        assert w.grad.tolist() == [3.0] and other.grad is None
        middle = (w * w).requires_grad_()
        (middle * 3).sum().backward()
        assert w.grad.tolist() == [3.0 + 12.0]


def test_a_gradient_through_what_was_computed_in_between(asked):
    for between in (False, True, False, True):
        w = rows(2.0)
        y = w * w
        if between:
            y.realize()
        (y * 3).sum().backward()
        assert w.grad.tolist() == [12.0]


def test_a_derivative_of_a_users_is_asked_each_time(asked):
    seen = []

    def slope(gradient, call):
        seen.append(0)
        return gradient * 7

    for _ in range(3):
        w = rows(2.0)
        double = Tensor.custom_function(lambda a: a * 2, w, grad_fxn=slope)
        (grad,) = double.sum().gradient(w)
        assert grad.tolist() == [7.0]
    assert len(seen) == 3


def test_symbolic_sizes(asked):
    for size in (2, 3):
        n = Variable("n", 1, 4).bind(size)
        w = rows(1.0, 2.0, 3.0, 4.0)
        (grad,) = (w[:n] * w[:n]).sum().gradient(w)
        assert grad.tolist() == [*[2.0 * i for i in range(1, size + 1)], *[0.0] * (4 - size)]


@pytest.mark.parametrize("kind", ["Adam", "SGD"])
def test_training_steps_are_those_without_caches(kind):
    def losses(cached):
        with Context(CACHE=cached):
            Tensor.manual_seed(3)
            layers = [nn.Linear(3, 5), nn.Linear(5, 4)]
            parameters = nn.state.get_parameters(layers)
            optimiser = getattr(nn.optim, kind)(parameters, lr=0.1)
            found = []
            for step in range(6):
                x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) / (step + 1))
                optimiser.zero_grad()
                loss = layers[1](layers[0](x).relu()).cross_entropy(Tensor([step % 4, 1]))
                loss.backward()
                optimiser.step()
                found.append(loss.item())
            return found

    assert losses(1) == losses(0)


def test_a_step_that_ran_before_needs_no_schedule(monkeypatch):
    clear_schedule_cache()
    calls, real = [], graphs.callify
    monkeypatch.setattr(graphs, "callify", lambda *args: calls.append(0) or real(*args))
    first, second = realized(1.0, 2.0), realized(5.0, 6.0)
    for number in range(5):
        first.assign(first + realized(number, 1.0))
        second.assign(second * 2)
        before = len(calls)
        first.realize(second)
        assert (len(calls) > before) == (number < 2)
    assert first.tolist() == [11.0, 7.0] and second.tolist() == [160.0, 192.0]


def test_batches_that_are_rows_of_one_memory(asked, monkeypatch):
    """Where a batch begins makes no other program, and no other gradient."""
    clear_schedule_cache()
    data = np.arange(48, dtype=np.float32).reshape(12, 4) / 16
    examples, w = Tensor(data).realize(), rows(1.0, 1.0, 1.0, 1.0)
    weights = np.ones(4, np.float32)
    calls, real = [], graphs.callify
    monkeypatch.setattr(graphs, "callify", lambda *args: calls.append(0) or real(*args))
    optimiser = nn.optim.SGD([w], lr=0.125)
    for step in range(6):
        batch, own = examples[2 * step : 2 * step + 2], data[2 * step : 2 * step + 2]
        before = len(asked), len(calls)
        optimiser.zero_grad()
        (batch * w).square().sum().backward()
        optimiser.step()
        assert (len(asked) > before[0], len(calls) > before[1]) == (step < 2, step < 2)
        weights = weights - 0.125 * (2 * own * own * weights).sum(0)
        np.testing.assert_allclose(w.numpy(), weights, rtol=1e-5)


def test_a_gradient_by_what_a_piece_is_cut_from(asked):
    for start in (0, 1, 2, 0, 1):
        w = rows(1.0, 2.0, 3.0)
        (grad,) = (w[start : start + 1] * 5).square().sum().gradient(w)
        wanted = [0.0, 0.0, 0.0]
        wanted[start] = 50.0 * (start + 1)
        assert grad.tolist() == wanted


def test_two_memories_and_one_are_different_programs():
    for first, second in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        x, y = realized(first), realized(second)
        sums = x + y, x - y
        sums[0].realize(sums[1])
        both = y + y, y - y
        both[0].realize(both[1])
        assert [s.item() for s in (*sums, *both)] == [first + second, first - second, 2 * second, 0]


CALLS = {
    "linear": lambda x, w: x.linear(w),
    "conv2d": lambda x, w: x.reshape(1, 1, 2, 2).conv2d(w.reshape(1, 1, 2, 2), padding=1),
    "one image": lambda x, w: x.reshape(1, 2, 2).conv2d(w.reshape(1, 1, 2, 2), padding=1),
    "layernorm": lambda x, w: x.layernorm(eps=0.5) + w,
    "softmax": lambda x, w: (x * w).softmax(0),
    "log_softmax": lambda x, w: (x + w).log_softmax(dim=0),
    "relu": lambda x, w: (x - w).relu(),
    "gelu": lambda x, w: (x - w).gelu(),
    "gelu exact": lambda x, w: (x - w).gelu("none"),
    "silu": lambda x, w: (x - w).silu(),
    "cross_entropy": lambda x, w: x.cross_entropy(w.argmax(1)),
    "smoothed": lambda x, w: x.cross_entropy(w.argmax(1), label_smoothing=0.25),
}


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize("kind", [dtypes.f16, dtypes.f32], ids=["f16", "f32"])
def test_methods_that_make_the_same_nodes(name, kind):
    """The third call is made of what the second one was traced to; a gradient goes through it."""
    patterns._patterns.clear()
    seen = []
    for _ in range(3):
        x = Tensor([[1.0, -2.0], [0.5, 4.0]], dtype=kind, requires_grad=True).realize()
        w = Tensor([[2.0, 1.0], [-1.0, 3.0]], dtype=kind, requires_grad=True).realize()
        result = CALLS[name](x, w)
        result.sum().backward()
        others = [t.grad.tolist() for t in (x, w) if t.grad is not None]
        seen.append((result.tolist(), result.dtype, result.device, others))
    assert seen[0] == seen[1] == seen[2]
    assert any(patterns._patterns.values())


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize("mode", [Tensor.enable_grad, Tensor.no_grad])
@pytest.mark.parametrize("form", ["in memory", "lazy", "view", "half", "detached"])
def test_nodes_are_those_that_the_method_makes(name, mode, form):
    """So that a program's first and later rounds are one program, with one schedule."""
    x = Tensor([[1.0, -2.0], [0.5, 4.0]], requires_grad=True).realize()
    w = Tensor([[2.0, 1.0], [-1.0, 3.0]]).realize()
    forms = {"lazy": x * 2, "view": x.T, "half": x.half(), "detached": x.detach().exp()}
    with mode():
        given = forms.get(form, x)
        several = [CALLS[name](given, w) for _ in range(3)]
        with Context(CACHE=0):
            plain = CALLS[name](given, w)
    assert all(result.uop is plain.uop for result in several)
    assert [result.requires_grad for result in several] == [plain.requires_grad] * 3


def test_methods_of_constants_and_without_gradients():
    for _ in range(3):
        assert Tensor.ones(2, 2).softmax(1).tolist() == [[0.5, 0.5]] * 2
        w = rows(1.0, -1.0)
        with Tensor.no_grad():
            held = w.relu()
        loss = (held * w).sum()
        loss.backward()
        assert w.grad.tolist() == [1.0, 0.0]


def test_what_a_subclass_does_in_its_own_way_is_asked_each_time():
    seen = []

    class Scaled(Tensor):
        factor = 1.0

        def sigmoid(self):
            seen.append(self.tolist())
            return super().sigmoid() * self.factor

    for number in range(4):
        Scaled.factor = float(number)
        assert Scaled([0.0, 0.0]).silu().tolist() == [0.0, 0.0]
        assert Scaled([2.0]).sigmoid().item() == pytest.approx(number / (1 + np.exp(-2)))
        assert Scaled([2.0]).silu().item() == pytest.approx(2 * number / (1 + np.exp(-2)))
    assert seen == [[0.0, 0.0], [2.0], [2.0]] * 4


def test_a_wrong_call_says_what_is_wrong_each_time():
    for _ in range(3):
        with pytest.raises(ShapeError, match=r"^linear: matmul: shapes \(1, 2\) and \(3, 1\)"):
            realized([1.0, 2.0]).linear(realized([1.0], [2.0], [3.0]))
