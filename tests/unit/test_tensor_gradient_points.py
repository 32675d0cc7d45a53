"""Gradients at the edges of domains, and where they are added up: what PyTorch documents."""

import math

import pytest

from rulewright import Tensor, function, jit
from rulewright.errors import FunctionError

INF, NAN = math.inf, math.nan

# code over x (and y), the point, and the derivatives there: those of PyTorch's formulas
POINTS = [
    ("x.asin()", [1.0], [INF]), ("x.asin()", [-1.0], [INF]), ("x.asin()", [2.0], [NAN]),
    ("x.acos()", [1.0], [-INF]), ("x.acos()", [-1.0], [-INF]), ("x.acos()", [-2.0], [NAN]),
    ("x.atanh()", [1.0], [INF]), ("x.atanh()", [-1.0], [INF]), ("x.atanh()", [2.0], [-1 / 3]),
    ("x.acosh()", [1.0], [INF]), ("x.acosh()", [0.5], [NAN]), ("x.acosh()", [0.0], [NAN]),
    ("x.acosh()", [-1.0], [INF]), ("x.acosh()", [-2.0], [3**-0.5]),
    ("0**x", [-2.0], [-INF]), ("0**x", [0.0], [0.0]), ("0**x", [0.5], [0.0]),
    ("0**x", [NAN], [NAN]),
    ("x**y", [0.0, -0.3], [-INF, -INF]), ("x**y", [0.0, 0.0], [0.0, 0.0]),
    ("x**y", [0.0, 2.0], [0.0, 0.0]), ("x**y", [0.0, NAN], [NAN, NAN]),
    ("x.copysign(y)", [2.0, -3.0], [-1.0, 0.0]), ("x.copysign(y)", [0.0, -0.0], [0.0, 0.0]),
    ("x.copysign(y)", [-2.0, INF], [-1.0, 0.0]), ("x.copysign(y)", [-2.0, NAN], [-1.0, 0.0]),
    ("x.lgamma()", [0.0], [-INF]), ("x.lgamma()", [-0.0], [INF]), ("x.lgamma()", [-2.0], [NAN]),
    ("x.lgamma()", [1.0], [-0.5772157]), ("x.lgamma()", [-0.5], [0.03648998]),
    ("x.digamma()", [0.0], [INF]), ("x.digamma()", [2.0], [math.pi**2 / 6 - 1]),
    ("x.cosh()", [1e-6], [1e-6]), ("x.cosh()", [0.0], [0.0]), ("x.cosh()", [-3.0], [math.sinh(-3)]),
]  # fmt: skip


@pytest.mark.parametrize("device", ["C", "INTERP"])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_at_the_edge_of_a_domain(device, kind):
    made = []
    for code, point, expected in POINTS:
        leaves = [Tensor([v], dtype=kind, device=device, requires_grad=True) for v in point]
        eval(code, dict(zip("xy", leaves, strict=False))).sum().backward()
        made.append((code, point, [leaf.grad for leaf in leaves], expected))
    Tensor.realize(*(g for *_, grads, _ in made for g in grads))
    for code, point, grads, expected in made:
        found = [g.item() for g in grads]
        assert found == pytest.approx(expected, rel=1e-5, nan_ok=True), (code, point)


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, -1, INF])
def test_a_norm_has_no_slope_where_it_is_0(p):
    x = Tensor([[0.0, 0.0], [0.0, 3.0]], requires_grad=True)
    x.norm(p, 1).sum().backward()
    assert x.grad[0].tolist() == [0.0, 0.0] or p == INF  # where each largest gets a share
    assert x.grad[1].tolist() == pytest.approx([0.0, 0.0] if p == -1 else [0.0, 1.0], rel=1e-6)


@pytest.mark.parametrize("realized", [False, True])
def test_a_second_backward_adds_in_place(realized):
    x, y = (Tensor(v, requires_grad=True) for v in ([1.0, 2.0], [3.0, 4.0]))
    (x * y).sum().backward()
    held, doubled = x.grad, x.grad * 2
    part = held[:1] if realized else None
    held.realize() if realized else None
    (x * y).sum().backward()
    assert x.grad is held and held.tolist() == [6.0, 8.0]
    assert part is None or part.tolist() == [6.0]
    assert doubled.tolist() == [6.0, 8.0]  # computed before: it keeps its value
    assert y.tolist() == [3.0, 4.0] and y.grad.tolist() == [2.0, 4.0]
    x.grad = None
    (x * 5).sum().backward()
    assert x.grad is not held and held.tolist() == [6.0, 8.0]


def test_a_gradient_that_the_user_set_is_added_to():
    x, given = Tensor([1.0, 1.0], requires_grad=True), Tensor([10.0, 20.0])
    seen, other = given.reshape(1, 2), Tensor([1.0], requires_grad=True)
    x.grad = given
    (x * 3).sum().backward()
    assert x.grad is given and seen.tolist() == [[13.0, 23.0]]
    shared = Tensor([5.0])
    x, other.grad = Tensor([1.0], requires_grad=True), shared
    x.grad = shared
    (x * 2 + other * 3).sum().backward()
    assert shared.tolist() == [10.0]


def test_with_a_graph_a_sum_is_a_new_tensor():
    x = Tensor([2.0], requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    held = x.grad
    (x**3).sum().backward(create_graph=True)
    assert x.grad is not held and (held.tolist(), x.grad.tolist()) == ([12.0], [24.0])
    assert x.grad.requires_grad


def test_many_gradients_are_added_lazily():
    """The time is linear: no step looks at all the steps before it."""
    x, weights = Tensor([1.0, 2.0], requires_grad=True), Tensor([2.0, 3.0])
    for factor in (2.0, weights):
        x.grad = None
        for _ in range(1500):
            (x * factor).sum().backward()
        assert x.grad.tolist() == ([3000.0, 4500.0] if factor is weights else [3000.0] * 2)


def test_inside_of_jit_gradients_are_added_to_what_is_there():
    x = Tensor([1.0, 2.0], requires_grad=True)
    x.grad = Tensor([0.0, 0.0]).contiguous().realize()

    @jit
    def step(weights):
        (x * weights).sum().backward()

    for count in range(1, 6):
        step(Tensor([1.0, 10.0]))
        assert x.grad.tolist() == [count, 10.0 * count]


def test_a_function_does_not_add_to_gradients_outside():
    x = Tensor([1.0], requires_grad=True)
    (x * 2).sum().backward()
    held = x.grad

    @function
    def step(y):
        (x * y).sum().backward()
        return y * 2

    with pytest.raises(FunctionError):
        step(Tensor([3.0]))
    assert x.grad is held and held.tolist() == [2.0]
