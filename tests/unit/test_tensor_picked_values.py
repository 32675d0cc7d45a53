"""What positions pick is a new value in an order of its own: writes show where PyTorch's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rulewright import Tensor

KEYS: list[Any] = [
    (slice(None), [0, 0]),
    (slice(None), [2, 0, 1]),
    (slice(None), slice(None), [1, 0]),
    (slice(None), [0, 2], slice(0, 1)),
    ([1, 0], slice(None), [1, 0]),
    ([3, 1, 2],),
]


@pytest.mark.parametrize("realized", [False, True])
@pytest.mark.parametrize("number", range(len(KEYS)))
def test_a_copy_of_what_was_picked_does_not_see_later_writes(number: int, realized: bool) -> None:
    x = np.arange(24).reshape(4, 3, 2)
    picked = (Tensor(x) * 1)[KEYS[number]]
    wanted = np.ascontiguousarray(x[KEYS[number]])
    if realized:
        picked.realize()
    flat, view = picked.T.reshape(-1), picked.reshape(-1)
    picked *= 2
    np.testing.assert_array_equal(flat.numpy(), wanted.T.reshape(-1).copy())
    np.testing.assert_array_equal(view.numpy(), wanted.reshape(-1) * 2)
    np.testing.assert_array_equal(picked.numpy(), wanted * 2)


def test_gradients_go_through_what_was_picked() -> None:
    x = Tensor(np.arange(24.0).reshape(4, 3, 2), requires_grad=True)
    (x[:, [2, 0, 2]] * 3).sum().backward()
    assert x.grad is not None
    wanted = np.zeros((4, 3, 2))
    wanted[:, 2], wanted[:, 0] = 6, 3
    np.testing.assert_array_equal(x.grad.numpy(), wanted)
