"""What positions pick is a new value in an order of its own: writes show where PyTorch's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Context, Tensor, nn

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


FLOATS = ["f16", "bf16", "f32", "f64", "fp8e4m3"]
READS = {
    "[]": lambda x, i: x[i],
    "[] of a later axis": lambda x, i: x.reshape(-1, 1).T[0, i],
    "gather": lambda x, i: x.gather(0, i),
    "index_select": lambda x, i: x.index_select(0, i),
    "take": lambda x, i: x.take(i),
    "take_along_dim": lambda x, i: x.take_along_dim(i, 0),
    "embedding": lambda x, i: x.reshape(-1, 1).expand(len(ZEROS), 2)[i][:, 1],
    "two tensors": lambda x, i: x.reshape(-1, 1).expand(len(ZEROS), 2)[i, i % 2],
}
ZEROS = [-0.0, 1.0, 0.0, -2.0, -0.0]


@pytest.mark.parametrize(("read", "kind", "size"), in_pairs(READS, FLOATS, [1, 5]))
def test_a_zero_that_is_chosen_keeps_its_sign(read, kind, size):
    x, places = Tensor(ZEROS[:size], dtype=kind), np.array([4, 0, 2, 3, 0, 1]) % size
    with Context(VERIFY=2):
        got = READS[read](x, Tensor(places)).cast("f32").numpy()
    want = np.array(ZEROS)[places]
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


def test_sorted_masked_and_embedded_zeros_keep_their_signs():
    x = Tensor(ZEROS)
    np.testing.assert_array_equal(
        np.signbit(x.sort()[0].numpy()), [True, True, False, True, False]
    )  # -2, -0, 0, -0, 1: equal ones in the order in which they came
    mask = Tensor([True, False, True, False, True])
    assert np.signbit(x.masked_select(mask).numpy()).tolist() == [True, False, True]
    layer = nn.Embedding(5, 1)
    layer.weight.assign(x.reshape(5, 1))
    assert np.signbit(layer(Tensor([4, 2, 0])).numpy()).tolist() == [[True], [False], [True]]
