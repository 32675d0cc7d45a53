"""Functions of one number against mpmath, in units of the last place of float32 and float64."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from rulewright import Tensor

mp = mpmath.MPContext()
mp.prec = 140
COUNT = 120


def spread(rng, low, high):
    """Both signs, and every size between two powers of two."""
    return 2.0 ** rng.uniform(low, high, COUNT) * rng.choice([-1, 1], COUNT)


DOMAINS = {
    "any": lambda rng: [rng.uniform(-60, 60, COUNT), spread(rng, -40, 5)],
    "angle": lambda rng: [rng.uniform(-8, 8, COUNT), spread(rng, -40, 60)],
    "positive": lambda rng: [abs(spread(rng, -120, 120)), rng.uniform(0.5, 2, COUNT)],
    "above -1": lambda rng: [abs(spread(rng, -60, 60)), -abs(spread(rng, -60, -1))],
    "near": lambda rng: [rng.uniform(-4, 12, 4 * COUNT), spread(rng, -40, 5)],
    "unit": lambda rng: [spread(rng, -40, -0.01), 1 - abs(spread(rng, -20, -1))],
    "above 1": lambda rng: [1 + abs(spread(rng, -20, 2)), 1 + abs(spread(rng, 0, 60))],
    "wide": lambda rng: [spread(rng, -60, 60)],
    "above 0": lambda rng: [
        abs(spread(rng, -120, 120)),
        rng.uniform(0, 12, 4 * COUNT),
        *(root + spread(rng, -22, -1) for root in (1, 2)),
    ],
    "below 20": lambda rng: [rng.uniform(-60, 19, COUNT)],
}

# the exact function, where, and the largest error
FUNCTIONS = {
    "exp": (mp.exp, "any", 1.5),
    "exp2": (lambda x: mp.mpf(2) ** x, "any", 1.5),
    "expm1": (mp.expm1, "any", 3.5),
    "log": (mp.log, "positive", 1),
    "log2": (lambda x: mp.log(x) / mp.log(2), "positive", 1.5),
    "log10": (mp.log10, "positive", 2.5),
    "log1p": (lambda x: mp.log(1 + x), "above -1", 2),
    "sqrt": (mp.sqrt, "positive", 0.501),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), "positive", 1.6),
    "sin": (mp.sin, "angle", 2),
    "cos": (mp.cos, "angle", 2),
    "tan": (mp.tan, "angle", 4),
    "asin": (mp.asin, "unit", 3),
    "acos": (mp.acos, "unit", 3),
    "atan": (mp.atan, "wide", 2),
    "sinh": (mp.sinh, "any", 4),
    "cosh": (mp.cosh, "any", 4),
    "tanh": (mp.tanh, "any", 2),
    "asinh": (mp.asinh, "wide", 3),
    "acosh": (mp.acosh, "above 1", 3),
    "atanh": (mp.atanh, "unit", 3),
    "erf": (mp.erf, "any", 2),
    "erfc": (mp.erfc, "near", 6),
    "lgamma": (mp.loggamma, "above 0", 6),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), "any", 3),
    "logsigmoid": (lambda x: -mp.log(1 + mp.exp(-x)), "any", 3),
    "softplus": (lambda x: mp.log(1 + mp.exp(x)), "below 20", 3),
    "silu": (lambda x: x / (1 + mp.exp(-x)), "any", 4),
}


@pytest.fixture(scope="module")
def found():
    """All results, computed together."""
    rng = np.random.default_rng(11)
    made = {}
    for name, (_, domain, _) in FUNCTIONS.items():
        for kind in (np.float32, np.float64):
            x = np.concatenate(DOMAINS[domain](rng)).astype(kind)
            made[name, kind] = x, getattr(Tensor(x), name)()
    Tensor.realize(*(y for _, y in made.values()))
    return {key: (x, y.numpy()) for key, (x, y) in made.items()}


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_units_in_the_last_place(found, name, kind):
    exact, _, bound = FUNCTIONS[name]
    least = float(np.finfo(kind).tiny)
    for x, y in zip(*found[name, kind], strict=True):
        true = exact(mp.mpf(float(x)))
        unit = float(np.spacing(kind(max(abs(true), least))))
        if not np.isfinite(y):
            assert abs(true) > float(np.finfo(kind).max) * (1 - 1e-6), (x, y)
            continue
        assert abs(mp.mpf(float(y)) - true) <= bound * unit, (x, y)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "exact", "sign", "bound"),
    [
        ("lgamma", lambda x: mp.log(abs(mp.gamma(x))), -1, 6),
        ("digamma", mp.digamma, 1, 2),
        ("digamma", mp.digamma, -1, 8),
    ],
)
def test_functions_that_cross_zero_are_near_it(rng, name, exact, sign, bound, kind):
    """By the epsilon of the dtype, or that of the value if it is larger than 1."""
    x = np.concatenate([rng.uniform(0, 30, 4 * COUNT), abs(spread(rng, -100, 3))])
    x = sign * x.astype(kind)
    for place, found in zip(x, getattr(Tensor(x), name)().numpy(), strict=True):
        true = exact(mp.mpf(float(place)))
        size = float(np.finfo(kind).eps) * max(1, abs(true))
        assert abs(mp.mpf(float(found)) - true) <= bound * size, (place, found)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_derivatives_of_log_gamma_are_polygammas(rng, kind):
    """The first and the second one, by the epsilon of the dtype, or that of the value."""
    points = rng.uniform(0.05, 30, 200).astype(kind)
    x = Tensor(points, requires_grad=True)
    slope = x.lgamma().sum().gradient(x)[0]
    bend = slope.sum().gradient(x)[0]
    other = x.digamma().sum().gradient(x)[0]
    for order, results in ((0, [slope]), (1, [bend, other])):
        for result in results:
            for place, found in zip(points, result.numpy(), strict=True):
                true = mp.polygamma(order, mp.mpf(float(place)))
                size = float(np.finfo(kind).eps) * max(1, abs(true))
                assert abs(mp.mpf(float(found)) - true) <= 16 * size, (order, place, found)


def test_angles_of_points(rng):
    """atan2 in every eighth of the circle, and hypot at every size."""
    for kind in (np.float32, np.float64):
        y, x = (spread(rng, -30, 30).astype(kind) for _ in range(2))
        angles, sizes = Tensor(y).atan2(Tensor(x)).numpy(), Tensor(y).hypot(Tensor(x)).numpy()
        for a, b, angle, size in zip(y, x, angles, sizes, strict=True):
            near = ((mp.atan2(a, b), angle), (mp.hypot(a, b), size))
            for true, value in near:
                assert abs(mp.mpf(float(value)) - true) <= 3 * float(np.spacing(kind(abs(true))))


def test_signs_of_zeros_as_in_c():
    y, x = np.meshgrid(*(np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan]),) * 2)
    found = Tensor(y).atan2(Tensor(x)).numpy()
    with np.errstate(all="ignore"):
        exact = np.arctan2(y, x)
    np.testing.assert_allclose(found, exact, rtol=1e-15)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(exact))


@pytest.mark.parametrize("name", ["sigmoid", "silu", "softplus", "logsigmoid", "mish", "tanh"])
def test_derivatives_far_out_are_finite(name):
    x = Tensor([-1e4, -200.0, 200.0, 1e4], requires_grad=True)
    getattr(x, name)().sum().backward()
    slope = {"sigmoid": 0, "tanh": 0, "logsigmoid": 1}.get(name)
    low, high = (1, 0) if name == "logsigmoid" else (0, 1 if slope is None else 0)
    assert x.grad.tolist() == [low, low, high, high]


def test_a_quotient_is_exact_where_it_is_whole():
    """0.1 is more than a tenth, so that it goes nine times into one."""
    a = np.array([1.0, 5.3, -5.3, 1e20, -1e20, 3.0, -2.0])
    b = np.array([0.1, 0.1, 0.1, 0.3, 0.3, np.inf, np.inf])
    for kind in (np.float32, np.float64):
        x, y = a.astype(kind), b.astype(kind)
        np.testing.assert_array_equal((Tensor(x) // Tensor(y)).numpy(), x // y)
        np.testing.assert_array_equal((Tensor(x) % Tensor(y)).numpy(), x % y)
        np.testing.assert_array_equal(Tensor(x).fmod(Tensor(y)).numpy(), np.fmod(x, y))
