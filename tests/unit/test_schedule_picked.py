"""What positions pick is read where it is added up or compared: it gets no memory of its own, and
it gets one where many results would read it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rulewright import Tensor, Variable, jit

ROWS, WIDTH, BAGS, EACH = 300, 7, 5, 11
Pick = Callable[[Any, Any, Any], Any]

SUMS: dict[str, tuple[Pick, int]] = {  # and how many kernels compute them
    "rows": (lambda w, i, m: w[i].sum(1), 1),
    "means": (lambda w, i, m: w[i].mean(1), 1),
    "largest": (lambda w, i, m: w[i].max(1), 1),
    "all": (lambda w, i, m: w[i].sum(), 1),
    "of one position each": (lambda w, i, m: w[i[:, 0]].sum(0), 1),
    "columns": (lambda w, i, m: w.T[:, i].sum(-1), 1),
    "squares": (lambda w, i, m: ((w[i] - 1) ** 2).sum((1, 2)), 1),
    "products of two": (lambda w, i, m: (w[i] * w[(i + 3) % ROWS]).sum(-1), 1),
    "from the end": (lambda w, i, m: w[-i].sum(1), 1),
    "some": (lambda w, i, m: (w[i] * m[:, :, None]).sum(1), 1),
    "picked of picked": (lambda w, i, m: w[i][:, i[0] % EACH].sum(1), 2),
    "for many columns": (lambda w, i, m: w[i] @ w[:WIDTH], 2),
    "twice": (lambda w, i, m: w[i] - w[i].max(1, keepdims=True), 3),
}


def arrays(kind: str = "float64", places: str = "int64", rows: int = ROWS) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    w = rng.integers(-9, 10, (rows, WIDTH)).astype(kind)
    at = rng.integers(0, rows, (BAGS, EACH)).astype(places)
    return [w, at, rng.integers(0, 2, (BAGS, EACH)).astype(kind)]


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_what_is_picked_read_it_where_it_lies(name: str) -> None:
    pick, kernels = SUMS[name]
    given = arrays()
    result = pick(*map(Tensor, given))
    assert len([item for item in result.schedule() if item.is_kernel]) == kernels
    np.testing.assert_allclose(result.numpy(), pick(*given), rtol=1e-12)


@pytest.mark.parametrize("device", ["INTERP", "C"])
@pytest.mark.parametrize("places", ["int8", "uint8", "int16", "int32"])
def test_positions_of_every_width_pick(places: str, device: str) -> None:
    """Of 100 rows, and of more than numbers of that width reach."""
    for rows in (100, 300):
        w, at, _ = arrays("int32", "int64", rows)
        at = (at % 100).astype(places)
        result = Tensor(w, device=device)[Tensor(at, device=device)].sum(1)
        np.testing.assert_array_equal(result.numpy(), w[at].sum(1))


@pytest.mark.parametrize("rows", [1, 2, 300])
@pytest.mark.parametrize("bags", [0, 1, 5])
@pytest.mark.parametrize("each", [0, 1, 11])
def test_bags_of_any_size(rows: int, bags: int, each: int) -> None:
    rng = np.random.default_rng(1)
    w, at = rng.integers(-9, 10, (rows, 3)), rng.integers(0, rows, (bags, each))
    np.testing.assert_array_equal(Tensor(w)[Tensor(at)].sum(1).numpy(), w[at].sum(1))


def test_not_a_number_of_other_rows_does_not_show() -> None:
    w, at, _ = arrays()
    w[np.setdiff1d(np.arange(ROWS), at)] = np.nan
    np.testing.assert_array_equal(Tensor(w)[Tensor(at)].sum(1).numpy(), w[at].sum(1))
    w[at[2, 4], 1] = np.inf
    np.testing.assert_array_equal(Tensor(w)[Tensor(at)].sum(1).numpy(), w[at].sum(1))


def test_bags_under_jit_and_of_symbolic_length() -> None:
    w, at, _ = arrays()
    bag = jit(lambda table, places: table[places].sum(1))
    table, length = Tensor(w), Variable("length", 1, EACH)
    for turn in range(4):
        places = (at + turn) % ROWS
        np.testing.assert_array_equal(bag(table, Tensor(places)).numpy(), w[places].sum(1))
    for count in (1, 4, EACH):
        some = Tensor(at)[:, : length.bind(count)]
        np.testing.assert_array_equal(table[some].sum(1).numpy(), w[at[:, :count]].sum(1))


def test_a_bag_after_rows_are_written() -> None:
    w, at, _ = arrays()
    table = Tensor(w)
    before = table[Tensor(at)].sum(1)
    table[at[0, 0]] = 100.0
    after = table[Tensor(at)].sum(1)
    np.testing.assert_array_equal(before.numpy(), w[at].sum(1))
    w[at[0, 0]] = 100.0
    np.testing.assert_array_equal(after.numpy(), w[at].sum(1))


def test_gradients_of_bags() -> None:
    w, at, _ = arrays()
    table, wanted = Tensor(w, requires_grad=True), np.zeros((ROWS, WIDTH))
    (table[Tensor(at)].sum(1) * 3).sum().backward()
    np.add.at(wanted, at, 3.0)
    np.testing.assert_array_equal(table.grad.numpy(), wanted)


def test_windows_of_unlike_sizes_are_read_where_they_lie() -> None:
    """An adaptive pool of 10 elements to 7 and 4: windows begin anywhere, and none is stored."""
    x = np.random.default_rng(2).standard_normal((3, 10, 10))
    edges = [[(i * 10 // n, -(-(i + 1) * 10 // n)) for i in range(n)] for n in (7, 4)]
    wanted = [[x[:, a:b, c:d].mean((1, 2)) for c, d in edges[1]] for a, b in edges[0]]
    pooled = Tensor(x).adaptive_avg_pool2d((7, 4))
    stored = [item.buffers[0].size for item in pooled.schedule() if item.is_kernel]
    assert max(stored) <= 3 * 10 * 10
    np.testing.assert_allclose(pooled.numpy(), np.moveaxis(np.array(wanted), 2, 0), rtol=1e-12)
