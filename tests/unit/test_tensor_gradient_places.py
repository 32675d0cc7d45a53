"""Gradients where formulas have holes: matrices without inverse, certain probabilities."""

import numpy as np
import pytest
from arrays import closeness, leaf

from rulewright import Tensor

close = closeness(1e-6, 1e-7)


def cofactors(matrix):
    """What a determinant's slopes are, by determinants of parts in whole numbers."""

    def det(m):
        parts = (m[0][j] * det([[*r[:j], *r[j + 1 :]] for r in m[1:]]) for j in range(len(m)))
        return sum((-1) ** j * part for j, part in enumerate(parts)) if m else 1

    def cofactor(i, j):
        return (-1) ** (i + j) * det(
            [[*r[:j], *r[j + 1 :]] for r in [*matrix[:i], *matrix[i + 1 :]]]
        )

    return [[cofactor(i, j) for j in range(len(matrix))] for i in range(len(matrix))]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_determinant_has_its_slope_where_it_is_zero_too(rng, size, missing):
    """Of any rank: `missing` columns are sums of others, or zero, wherever they stand."""
    matrices = rng.integers(-4, 5, (6, size, size))
    for matrix in matrices:
        for column in rng.permutation(size)[:missing]:
            matrix[:, column] = matrix[:, (column + 1) % size] * rng.integers(0, 2)
    x = leaf(matrices.astype(np.float64))
    x.det().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [cofactors(m.tolist()) for m in matrices], atol=1e-9)


@pytest.mark.parametrize("kind", ["f64", "f32"])
def test_the_slope_of_binary_crossentropy_ends_at_certainty(kind):
    """(p - t) / max(p (1 - p), 1e-12), as PyTorch defines it; no NaN where a log ends."""
    p = np.array([0, 0, 0, 1, 1, 1, 1e-13, 1e-13, 0.5, 0.25], kind.replace("f", "float"))
    t = np.array([0, 1, 0.3, 0, 1, 0.3, 0, 1, 1, 0.5], p.dtype)
    x = leaf(p)
    loss = x.binary_crossentropy(Tensor(t), "none")
    exact = p.astype(np.float64)
    logs = [np.log(np.maximum(v, np.exp(-100))) for v in (exact, 1 - exact)]
    close(loss.numpy(), -(t * logs[0] + (1.0 - t) * logs[1]), atol=1e-6)
    loss.sum().backward()
    close(x.grad.numpy(), (p - t) / np.maximum(p * (1.0 - p), 1e-12))


def test_the_second_slope_of_binary_crossentropy():
    x = leaf(np.array([0.2, 0.4]))
    (slope,) = x.binary_crossentropy(Tensor([1.0, 0.0], dtype="f64"), "sum").gradient(x)
    close(slope.sum().gradient(x)[0].numpy(), [1 / 0.2**2, 1 / 0.6**2])


@pytest.mark.parametrize("write", ["y *= y.flip((0, 1))", "y += y[:1]", "y[0] = y[1] * y[2]"])
def test_a_write_that_waits_happens_once_beside_a_gradient_through_it(write):
    """What is written begins as a value that other memory holds too."""
    counts = Tensor(np.array([[1, 2, 3], [0, 1, 2]]))
    before = counts.float()
    x, other = (leaf(Tensor.arange(12, dtype="f64").reshape(shape)) for shape in ((4, 3), (3, 4)))
    other.realize()
    counts[:1, [0, 0]] += 2
    names = {"y": x.clone()}
    exec(write, names)
    found = names["y"].adaptive_max_pool1d((3,)).contiguous()
    slope = found.sum().gradient(x)[0].contiguous()
    Tensor.realize(counts, found, slope)
    wanted = {"y": np.arange(12.0).reshape(4, 3)}
    exec(write.replace("y.flip((0, 1))", "y[::-1, ::-1].copy()"), wanted)
    assert found.tolist() == names["y"].tolist() == wanted["y"].tolist()
    assert before.tolist() == [[1, 2, 3], [0, 1, 2]] and counts.tolist()[0] == [3, 2, 3]


def test_newton_schulz_of_zeros_has_a_slope():
    """The norm of zeros has slope 0, so that each step multiplies by its first parameter."""
    x = leaf(np.zeros((2, 3)))
    x.newton_schulz(3, (2.0, -1.5, 0.5)).sum().backward()
    close(x.grad.numpy(), np.full((2, 3), 2.0**3 / 1e-7))
