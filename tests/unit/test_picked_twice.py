"""Gradients of what several positions pick, or several values go to: in one walk for each of them,
whatever the positions are computed from, and without memory for every pair of place and value."""

import numpy as np
import pytest

from rulewright import Tensor, jit

PLACES, WIDTH, VALUES = 400, 6, 500


def collected(places, *pairs):
    """The sum of values at the places that they go to."""
    total = np.zeros((places, *pairs[0][1].shape[1:]))
    for at, values in pairs:
        np.add.at(total, at, values)
    return total


class Picked:
    """Rows of a table by three arrays of positions."""

    def __init__(self, rng):
        self.x = rng.normal(size=(PLACES, WIDTH))
        self.a, self.b, self.c = (rng.integers(0, PLACES, VALUES) for _ in range(3))

    def of(self, *arrays):
        return [self.x[at] for at in arrays]


def product(given):
    a, b = given.of(given.a, given.b)
    return (lambda w, a, b, c: (w[a] * w[b]).sum()), collected(PLACES, (given.a, b), (given.b, a))


def triplets(given):
    a, b, c = given.of(given.a, given.b, given.c)
    slopes = (given.a, 2 * (c - b)), (given.b, 2 * (b - a)), (given.c, 2 * (a - c))
    return (
        lambda w, a, b, c: ((w[a] - w[b]).square() - (w[a] - w[c]).square()).sum(),
        collected(PLACES, *slopes),
    )


def picked_and_whole(given):
    a, b = given.of(given.a, given.b)
    slope = collected(PLACES, (given.a, b), (given.b, a)) + 2 * given.x
    return (lambda w, a, b, c: (w[a] * w[b]).sum() + (w * w).sum()), slope


def computed_positions(given):
    a, b = (3 * given.a + given.b) % PLACES, (given.b * given.b + 7) % PLACES
    one, other = given.of(a, b)

    def loss(w, a, b, c):
        return (w[(3 * a + b) % PLACES] * w[(b * b + 7) % PLACES]).sum()

    return loss, collected(PLACES, (a, other), (b, one))


def positions_on_two_axes(given):
    wide = given.x.reshape(20, 20, WIDTH)
    i, j = given.a % 20, given.b // 20
    pairs = (i * 20 + j, wide[j, i]), (j * 20 + i, wide[i, j])

    def loss(w, a, b, c):
        grid = w.reshape(20, 20, WIDTH)
        return (grid[a % 20, b // 20] * grid[b // 20, a % 20]).sum()

    return loss, collected(PLACES, *pairs)


def both_ways(given):
    """What goes along edges of a graph in both directions, and is weighted where it arrives."""
    weights = np.arange(PLACES)[:, None] / PLACES
    slope, weight = np.zeros_like(given.x), Tensor(weights)
    slope[:] = (weights[given.a] + weights[given.b])[:PLACES]

    def loss(w, a, b, c):
        sent = w.cat(w[: VALUES - PLACES] * 0)
        arrived = Tensor.zeros(PLACES, WIDTH, dtype=w.dtype).index_add(0, a, sent)
        return (arrived.index_add(0, b, sent) * weight).sum()

    return loss, slope


PROGRAMS = [product, triplets, picked_and_whole, computed_positions, positions_on_two_axes,
            both_ways]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_are_those_of_sums_at_places(rng, program):
    given = Picked(rng)
    loss, slope = program(given)
    at = [Tensor(each).realize() for each in (given.a, given.b, given.c)]

    def gradient(x):
        return loss(x, *at).gradient(x)[0]

    captured = jit(gradient)
    for _ in range(2):
        for found in (gradient(Tensor(given.x)), captured(Tensor(given.x))):
            np.testing.assert_allclose(found.numpy(), slope, 1e-12, 1e-12)


@pytest.mark.parametrize("program", PROGRAMS)
def test_work_and_memory_grow_with_values_and_places_not_with_their_product(rng, program):
    given = Picked(rng)
    loss, _ = program(given)
    x = Tensor(given.x).realize()
    at = [Tensor(each).realize() for each in (given.a, given.b, given.c)]
    items = loss(x, *at).gradient(x)[0].schedule()
    assert max(b.size for item in items for b in item.buffers) <= VALUES * WIDTH
    work = sum(item.lower().estimates.flops for item in items)
    assert work < 200 * (PLACES + VALUES) * WIDTH < PLACES * VALUES * WIDTH


@pytest.mark.parametrize(("places", "values"), [(0, 0), (1, 0), (1, 1), (3, 1), (2, 5)])
def test_few_places_and_values(rng, places, values):
    x = rng.normal(size=(places, 2))
    a, b = (rng.integers(0, max(places, 1), values) for _ in range(2))
    w = Tensor(x)
    (found,) = (w[Tensor(a)] * w[Tensor(b)]).sum().gradient(w)
    np.testing.assert_allclose(found.numpy(), collected(places, (a, x[b]), (b, x[a])), 1e-12)


def test_slopes_of_slopes(rng):
    """Of the sum of w[a]³ w[b] in the direction v: 6 w[a] w[b] v[a] + 3 w[a]² v[b] at a, and
    3 w[a]² v[a] at b."""
    given = Picked(rng)
    w, a, b = Tensor(given.x), Tensor(given.a), Tensor(given.b)
    v = rng.normal(size=given.x.shape)
    (first,) = (w[a] ** 3 * w[b]).sum().gradient(w)
    (second,) = (first * Tensor(v)).sum().gradient(w)
    one, other = given.of(given.a, given.b)
    to, by = v[given.a], v[given.b]
    at_a = 6 * one * other * to + 3 * one**2 * by
    expected = collected(PLACES, (given.a, at_a), (given.b, 3 * one**2 * to))
    np.testing.assert_allclose(second.numpy(), expected, 1e-11, 1e-11)
