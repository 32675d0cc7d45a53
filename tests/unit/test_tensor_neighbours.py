"""Methods of two operands on every kind of operand that has no memory yet, or one element only."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor, Variable

KINDS = {
    "arange": (lambda: Tensor.arange(3), np.arange(3)),
    "arange of one": (lambda: Tensor.arange(1), np.arange(1)),
    "arange in two axes": (lambda: Tensor.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3)),
    "arange as a column": (lambda: Tensor.arange(2).reshape(2, 1), np.arange(2).reshape(2, 1)),
    "arange of i32": (lambda: Tensor.arange(3, dtype="i32"), np.arange(3, dtype=np.int32)),
    "part of an arange": (lambda: Tensor.arange(7)[1:6:2], np.arange(7)[1:6:2]),
    "one in memory": (lambda: Tensor([2]), np.array([2])),
    "one in two axes": (lambda: Tensor([[2]]), np.array([[2]])),
    "no axes": (lambda: Tensor(2), np.array(2)),
    "in memory": (lambda: Tensor([3, 0, -1]), np.array([3, 0, -1])),
    "constant": (lambda: Tensor.full((3,), 2), np.full(3, 2)),
    "constant of one": (lambda: Tensor.full((1,), 2), np.full(1, 2)),
    "bound variable": (lambda: Tensor(Variable("n", 1, 9).bind(4)), np.array(4)),
}
BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "==": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "&": lambda a, b: a & b,
    "maximum": lambda a, b: a.maximum(b) if isinstance(a, Tensor) else np.maximum(a, b),
    "minimum": lambda a, b: a.minimum(b) if isinstance(a, Tensor) else np.minimum(a, b),
    "where": lambda a, b: (a < b).where(a, b) if isinstance(a, Tensor) else np.where(a < b, a, b),
}


@pytest.mark.parametrize("name", BINARY)
def test_operands_without_memory_broadcast_like_any_others(name):
    found, wanted, labels = [], [], []
    for left, (make_left, array_left) in KINDS.items():
        for right, (make_right, array_right) in KINDS.items():
            found.append(BINARY[name](make_left(), make_right()))
            wanted.append(BINARY[name](array_left, array_right))
            labels.append(f"{left} {name} {right}")
    Tensor.realize(*found)
    for label, tensor, value in zip(labels, found, wanted, strict=True):
        assert tensor.shape == value.shape, label
        np.testing.assert_array_equal(tensor.numpy(), value, err_msg=label)


def _stacked(a):
    return Tensor.stack(a, a)[0]


def _joined(a):
    return a.cat(a)[: a.shape[0]]


def _padded(a):
    return a.pad((1, 0))[1:]


@pytest.mark.parametrize("nested", [_stacked, _joined, _padded])
@pytest.mark.parametrize("kind", ["constant", "arange", "in memory", "constant of one"])
def test_parts_that_are_never_there_are_never_asked_for(nested, kind):
    make, array = KINDS[kind]
    for depth in (2, 6, 12):
        found = make()
        for _ in range(depth):
            found = nested(found)
        np.testing.assert_array_equal(found.contiguous().numpy(), array)


def test_a_part_of_nested_stacks_that_is_never_there():
    found, array = Tensor.full((3,), 2.0), np.full(3, 2.0)
    for _ in range(7):
        found, array = Tensor.stack(found, found + 1)[1], np.stack([array, array + 1])[1]
    np.testing.assert_array_equal(found.contiguous().numpy(), array)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tensor.zeros(2).contiguous().realize(),
        lambda: Tensor.zeros(2).contiguous(),
        lambda: Tensor.zeros(2),
        lambda: Tensor.zeros(2).clone(),
        lambda: Tensor.arange(2, dtype="f32").contiguous().realize() * 0,
        lambda: Tensor.zeros(2, requires_grad=True).detach(),
    ],
)
def test_a_write_into_what_was_a_constant_happens_once(make):
    x = make()
    view = x[1:]
    for number in range(1, 4):
        before = x.flip(0), x + 0, x.repeat(2)
        x += 1
        assert x.tolist() == x.tolist() == [number] * 2
        assert view.tolist() == view.tolist() == [number]
        assert [t.tolist() for t in before] == [[number - 1] * n for n in (2, 2, 4)]
        assert x.tolist() == [number] * 2
