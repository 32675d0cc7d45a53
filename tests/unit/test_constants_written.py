"""What is made of a constant and of memory is where the memory is, and writes that wait are
performed once, however the result is looked at first. Expectations are numpy's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rulewright import Context, Tensor

PLACES = [1, 0, 3, 4]
ROWS = np.arange(40, dtype=np.float32).reshape(8, 5) / 8


def zeros() -> Tensor:
    return Tensor.zeros(8, 5)


def places() -> Tensor:
    return Tensor(PLACES)


def spread() -> Tensor:
    return places()[:, None].expand(4, 5)


def put(place: object) -> Callable[[Tensor], Tensor]:
    def written(x: Tensor) -> Tensor:
        target = zeros()
        target[place] = x[: target[place].shape[0]]
        return target

    return written


def view_written(x: Tensor) -> Tensor:
    target = zeros()
    view = target[1:]
    view.copy_(x[1:])
    return target


def base_written(x: Tensor) -> Tensor:
    target = zeros()
    view = target[1:]
    target.copy_(x)
    return view


def leaf_of(x: Tensor) -> Tensor:
    leaf = Tensor.ones(8, 5, requires_grad=True)
    (leaf * x).sum().backward()
    return leaf.grad


def weighted_leaf(x: Tensor) -> Tensor:
    leaf = Tensor.ones(8, 5, requires_grad=True)
    (leaf * 2).backward(x)
    return leaf.grad


def summed_at(x: np.ndarray) -> np.ndarray:
    total = np.zeros((8, 5), np.float32)
    np.add.at(total, PLACES, x[:4])
    return total


def put_at(x: np.ndarray) -> np.ndarray:
    result = np.zeros((8, 5), np.float32)
    result[PLACES] = x[:4]
    return result


def row(x: np.ndarray) -> np.ndarray:
    result = np.zeros((8, 5), np.float32)
    result[:2] = x[:2]
    return result


def below(x: np.ndarray) -> np.ndarray:
    result = x.copy()
    result[0] = 0
    return result


PROGRAMS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[np.ndarray], np.ndarray]]] = {
    "index_add": (lambda x: zeros().index_add(0, places(), x[:4]), summed_at),
    "index_add_": (lambda x: zeros().index_add_(0, places(), x[:4]), summed_at),
    "index_copy": (lambda x: zeros().index_copy(0, places(), x[:4]), put_at),
    "index_put": (lambda x: zeros().index_put((places(),), x[:4]), put_at),
    "scatter": (lambda x: zeros().scatter(0, spread(), x[:4]), put_at),
    "scatter_add": (lambda x: zeros().scatter_add(0, spread(), x[:4]), summed_at),
    "at places": (put(PLACES), put_at),
    "at a tensor": (lambda x: put(places())(x), put_at),
    "slice": (put(slice(0, 2)), row),
    "view": (view_written, below),
    "of what is written": (base_written, lambda x: x[1:]),
    "masked_fill": (lambda x: zeros().masked_fill(x > 1, 2), lambda x: (x > 1) * np.float32(2)),
    "bucketize": (
        lambda x: Tensor.arange(5).bucketize(x[0]),
        lambda x: np.searchsorted(x[0], np.arange(5)),
    ),
    "conv2d": (
        lambda x: Tensor.ones(1, 1, 8, 5).conv2d(x.reshape(1, 1, 8, 5)),
        lambda x: x.sum(dtype=np.float32).reshape(1, 1, 1, 1),
    ),
    "gradient": (leaf_of, lambda x: x),
    "gradient by weights": (weighted_leaf, lambda x: 2 * x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_that_a_write_that_waits_is_performed_once(name: str) -> None:
    ours, numpys = PROGRAMS[name]
    written = ROWS.copy()
    written[0] *= 0.5
    x = Tensor(ROWS)
    x[0] *= 0.5
    result = ours(x)
    np.testing.assert_array_equal(result.numpy(), numpys(written))
    np.testing.assert_array_equal(x.numpy(), written)
    np.testing.assert_array_equal(ours(x).numpy(), numpys(written))


@pytest.mark.parametrize("name", PROGRAMS)
def test_that_the_result_is_where_the_memory_is(name: str) -> None:
    x = Tensor(ROWS, device="INTERP")
    with Context(DEVICE="INTERP"):
        result = PROGRAMS[name][0](x)
    assert result.device == "INTERP"
    assert result.realize().device == "INTERP"
