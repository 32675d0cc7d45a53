"""Products of matrices of truth values: multiplications of vectors, as those of other numbers are,
and counts where both are positions."""

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.ops import Ops

SIZES = [(1, 1, 1), (3, 5, 7), (33, 65, 17), (50, 301, 40), (130, 257, 66)]


def one_hot(positions, size):
    return (positions[:, None] == np.arange(size)).astype(np.float64)


@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "i32"])
@pytest.mark.parametrize(("m", "k", "n"), SIZES)
def test_products_of_masks_are_counts(m, k, n, dtype, rng):
    a, b = rng.random((m, k)) < 0.3, rng.random((k, n)) < 0.3
    result = Tensor(a).cast(dtype) @ Tensor(b).cast(dtype)
    assert (result.numpy() == a.astype(np.int64) @ b.astype(np.int64)).all()


@pytest.mark.parametrize(("m", "k", "n"), SIZES)
def test_overlaps_of_masks(m, k, n, rng):
    """The size of each intersection, of masks that are compared with numbers beforehand."""
    a, b = (rng.normal(size=shape).astype(np.float32) for shape in ((m, k), (n, k)))
    result = (Tensor(a) > 0.5).float() @ (Tensor(b) > 0.5).float().T
    assert (result.numpy() == (a > 0.5).astype(int) @ (b > 0.5).astype(int).T).all()


def test_the_kernel_multiplies_numbers(rng):
    """Truth values that are joined before they are numbers are no vectors that a tile reads."""
    a, b = (Tensor(rng.random((300, 300)) < 0.1).realize() for _ in range(2))
    [kernel] = (a.float() @ b.float()).schedule()
    bodies = [n.src[0].op for n in kernel.ast.toposort() if n.op is Ops.REDUCE]
    assert bodies == [Ops.MUL]


@pytest.mark.parametrize(("count", "rows", "columns"), [(5000, 16, 16), (300, 7, 90), (9, 40, 3)])
def test_positions_are_counted_without_looking_at_all_places(count, rows, columns, rng):
    i, j = rng.integers(0, rows, count), rng.integers(0, columns, count)
    a, b = (Tensor(x).one_hot(n).float() for x, n in ((i, rows), (j, columns)))
    result = (a.T @ b).numpy()
    assert (result == one_hot(i, rows).T @ one_hot(j, columns)).all()


def test_three_positions(rng):
    i, j, k = (rng.integers(0, n, 1000) for n in (9, 8, 7))
    hot = [Tensor(x).one_hot(n).float() for x, n in ((i, 9), (j, 8), (k, 7))]
    expected = np.zeros((9, 8, 7))
    np.add.at(expected, (i, j, k), 1)
    assert (Tensor.einsum("na,nb,nc->abc", *hot).numpy() == expected).all()


def test_a_condition_is_multiplied_by_itself_again_and_again():
    """Sixty levels of sharing, each of which is looked at once."""
    value = Tensor(np.tile([True, False], (4, 4))).float()
    for _ in range(60):
        value = value * value
    assert value.sum(0).tolist() == [4, 0] * 4


def test_thousands_of_conditions_are_multiplied(rng):
    masks = rng.random((3, 4, 7)) < 0.9
    held = [Tensor(mask).realize() for mask in masks]
    value = held[0].float()
    for i in range(3000):
        value = value * held[i % 3].float()
    assert (value.sum(0).numpy() == masks.all(0).sum(0)).all()


LABELS = [(8, 128, 3000), (12, 200, 2000), (5, 33, 5000), (300, 64, 5000), (7, 300, 700)]


@pytest.mark.parametrize(("rows", "columns", "count"), LABELS)
@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "i32"])
def test_sums_of_what_has_a_label(rows, columns, count, dtype, rng):
    labels = rng.integers(0, rows, count)
    x = rng.integers(-3, 4, (count, columns))
    result = Tensor(labels).one_hot(rows).cast(dtype).T @ Tensor(x).cast(dtype)
    assert (result.cast("f64").numpy() == one_hot(labels, rows).T @ x).all()


@pytest.mark.parametrize(("rows", "columns", "count"), LABELS)
def test_what_has_no_label_is_multiplied_too(rows, columns, count, rng):
    """Nothing times infinity is no number."""
    labels = rng.integers(0, rows, count)
    x = rng.normal(size=(count, columns)).astype(np.float32)
    x[labels != 0, 3] = np.inf
    result = (Tensor(labels).one_hot(rows).float().T @ Tensor(x)).numpy()
    assert np.isnan(result[0, 3])
    assert np.isfinite(result[:, :3]).all()


def test_labels_that_are_compared_are_rows_of_a_tile(rng):
    labels, x = Tensor(rng.integers(0, 300, 5000)).realize(), Tensor.rand(5000, 64).realize()
    [kernel] = (labels.one_hot(300).float().T @ x).schedule()
    choices = kernel.lower().choices
    assert "pack(" in choices
    assert "upcast(" in choices


@pytest.mark.parametrize(("size", "width"), [(5, 3), (64, 16), (131, 33), (300, 65)])
def test_a_matrix_that_is_made_of_positions_alone_is_a_side(size, width, rng):
    place = Tensor.arange(size)
    causal = (place.reshape(size, 1) >= place).float()
    x = rng.integers(-9, 10, (size, width)).astype(np.float32)
    np.testing.assert_array_equal((causal @ Tensor(x)).numpy(), np.cumsum(x, 0))
    np.testing.assert_array_equal((Tensor(x).T @ causal.T).numpy(), np.cumsum(x, 0).T)


def test_such_a_product_is_done_in_tiles(rng):
    place = Tensor.arange(256)
    x = Tensor(rng.normal(size=(256, 64)).astype(np.float32)).realize()
    [kernel] = ((place.reshape(256, 1) >= place).float() @ x).schedule()
    choices = str(kernel.lower().choices)
    assert "upcast(" in choices and "simd(" in choices


@pytest.mark.parametrize("dtype", ["f32", "f64", "i32"])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 7), (33, 65), (70, 130), (256, 200)])
def test_products_with_a_triangle_of_positions(m, n, dtype, rng):
    """Nothing is read for the columns, or for the rows: they are compared with positions."""
    x = rng.integers(-4, 5, (m, n)).astype(np.float64)
    lower = Tensor.arange(n).reshape(-1, 1) >= Tensor.arange(n).reshape(1, -1)
    left, right = Tensor(x).cast(dtype), lower.cast(dtype)
    np.testing.assert_array_equal((left @ right).numpy(), x @ np.tri(n))
    np.testing.assert_array_equal((right @ left.T).numpy(), np.tri(n) @ x.T)
    np.testing.assert_array_equal((left @ right.T).numpy(), x @ np.tri(n).T)


@pytest.mark.parametrize("on", ["C", "C_AVX2", "C_NEON"])
def test_columns_of_positions_are_packed(on):
    """Compared once for a chunk of rows, not once for each of them."""
    x, at = Tensor(np.zeros((256, 512), np.float32)), Tensor.arange(512)
    [kernel] = (x @ (at.reshape(-1, 1) >= at.reshape(1, -1)).float()).schedule()
    assert "pack" in lower_kernel(kernel.ast, on).choices
