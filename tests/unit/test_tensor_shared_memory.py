"""Tensors that only happen to have one memory: equal values, and values that fold to what is there.

A write to one, or to any view of one, is seen by its own views and by nothing else.
"""

from __future__ import annotations

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor, function

VIEWS = {
    "whole": lambda t: t[:],
    "part": lambda t: t[1:5],
    "strided": lambda t: t[::3],
    "turned": lambda t: t[::-1],
    "rows": lambda t: t.reshape(2, 4)[0],
    "columns": lambda t: t.reshape(2, 4).T[1],
    "diagonal": lambda t: t[:4].reshape(2, 2).diagonal() if isinstance(t, Tensor)
    else np.lib.stride_tricks.as_strided(t, (2,), (3 * t.strides[0],)),
    "bits": lambda t: t.bitcast("i32") if isinstance(t, Tensor) else t.view(np.int32),
}  # fmt: skip
TWINS = {
    "equal values": lambda x: (x + 1, x + 1),
    "folded": lambda x: ((y := x + 1), y**1),
    "turned twice": lambda x: ((y := x + 1), y.flip(0).flip(0)),
}


@pytest.mark.parametrize(
    ("twins", "view", "first", "kept"), in_pairs(TWINS, VIEWS, [0, 1], [True, False])
)
def test_twins_are_written_apart(twins, view, first, kept):
    x = Tensor(np.arange(8, dtype=np.float32))
    tensors = list(TWINS[twins](x))
    Tensor.realize(*tensors)
    arrays = [np.arange(1, 9, dtype=np.float32) for _ in tensors]
    views = [VIEWS[view](t) for t in tensors]
    again = [VIEWS[view](t) for t in tensors]
    seen = [VIEWS[view](a) for a in arrays]
    if not kept:
        del tensors
    for number in (first, 1 - first, first):
        views[number] += 100
        seen[number] += 100
        for i in range(2):
            np.testing.assert_array_equal(views[i].numpy(), seen[i])
            np.testing.assert_array_equal(again[i].numpy(), seen[i])
            if kept:
                np.testing.assert_array_equal(tensors[i].numpy(), arrays[i])


@pytest.mark.parametrize("view", [v for v in VIEWS if v != "bits"])
def test_a_function_that_writes_into_a_view_leaves_the_rest(view):
    @function
    def grow(x):
        x.assign(x * 10)
        return x.sum()

    tensor, array = Tensor(np.arange(1, 9, dtype=np.float32)).realize(), np.arange(1.0, 9)
    for _ in range(2):
        part = VIEWS[view](array)
        part *= 10
        assert grow(VIEWS[view](tensor)).item() == part.sum()
        np.testing.assert_array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("code", ["x.det()", "x.inverse()", "x.solve(x)", "x[:, :0].sum(-1)"])
def test_results_of_empty_matrices_have_memory_of_their_own(code):
    x = Tensor(np.zeros((2, 0, 0), np.float32))
    result = eval(code, {"x": x})
    expected = (np.ones(2, np.float32) if code == "x.det()" else result.numpy()) * 2
    result *= 2
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)
