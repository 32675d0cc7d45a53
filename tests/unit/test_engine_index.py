"""Index arithmetic as movement ops make it: the value stays, and reshapes cancel."""

from __future__ import annotations

from math import prod
from random import Random

import numpy as np
import pytest
from engine_graphs import evaluate
from hypothesis import given, strategies as st

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.sums import index_where
from rulewright.ir.uop import UOp

SEEDS = st.integers(0, 2**32 - 1)


def ranges(*sizes: int) -> list[UOp]:
    """Loop variables of the given sizes; a size of 1 is the index 0."""
    return [UOp.range(s, i) if s > 1 else UOp.const(dtypes.index, 0) for i, s in enumerate(sizes)]


def flat(indices: list[UOp], shape: tuple[int, ...]) -> UOp:
    """The row-major position of an element."""
    total = UOp.const(dtypes.index, 0)
    for i, index in enumerate(indices):
        total = total + index * prod(shape[i + 1 :])
    return total


def unflatten(position: UOp, shape: tuple[int, ...]) -> list[UOp]:
    """The indices of the element at a row-major position."""
    return [position // prod(shape[i + 1 :]) % s for i, s in enumerate(shape)]


def simple(node: UOp) -> UOp:
    """The canonical form."""
    return rewrite(node, "symbolic")


A, J, K = ranges(5, 4, 3)
X = UOp.variable("x", 0, 59)
INVALID = UOp(Ops.INVALID, dtypes.index)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((A * 4 + J) // 4, A),
        ((A * 4 + J) % 4, J),
        (A // 4 * 4 + A % 4, A),
        ((A * 12 + J * 3 + K) // 3 % 4, J),
        ((A * 12 + J * 3 + K) // 12, A),
        ((A * 12 + J * 3 + K) % 3, K),
        ((A * 12 + J * 3 + K) % 12, J * 3 + K),
        (X // 20 * 20 + X // 5 % 4 * 5 + X % 5, X),
        (X % 20 // 5 + X // 20 * 4, X // 5),
        (X % 5 + (J + X // 5 * 5), X + J),
        ((X - 3) + 3, X),
        (X * 2 - X - X, UOp.const(dtypes.index, 0)),
        ((A * 4 + (3 - J)) // 4, A),
        ((X < 4).where(X % 4, INVALID), (X < 4).where(X, INVALID)),
        ((X < 30).where(X // 30 + J, INVALID), (X < 30).where(J, INVALID)),
        (UOp.const(dtypes.index, 5) >= X + 1, X < 5),
        ((A * 4 + J) < 8, A < 2),
        ((X < 10) & (X < 20), X < 10),
        ((X < 60) & (X >= 0), UOp.const(dtypes.bool, True)),
    ],
)
def test_known_form(before: UOp, after: UOp) -> None:
    assert simple(before) is simple(after)
    assert simple(after) is after or after.op is not Ops.RANGE


def test_invalid_indices_join() -> None:
    inner = (X < 30).where(X + 1, INVALID)
    outer = (J < 2).where(inner * 2 + 3, INVALID)
    found = simple(outer)
    assert found is ((J < 2) & (X < 30)).where(X * 2 + 5, INVALID)


def factors(random: Random, size: int) -> tuple[int, ...]:
    """A random shape of that many elements."""
    shape = []
    while size > 1:
        divisor = random.choice([d for d in range(2, size + 1) if size % d == 0])
        shape.append(divisor)
        size //= divisor
    return tuple(shape) or (1,)


def merged(random: Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with some neighbouring axes made one."""
    found = [shape[0]]
    for size in shape[1:]:
        if random.random() < 0.5:
            found[-1] *= size
        else:
            found.append(size)
    return tuple(found)


@given(SEEDS)
def test_a_reshape_and_back_is_nothing(seed: int) -> None:
    random = Random(seed)
    shape = factors(random, random.choice((6, 12, 24, 36, 60, 64, 120)))
    finer = tuple(f for s in shape for f in factors(random, s))
    coarser = merged(random, shape)
    other = random.choice((finer, coarser, merged(random, finer), (prod(shape),)))
    if other not in (finer, coarser, (prod(shape),)):
        shape, other = finer, other
    indices = ranges(*shape)
    back = unflatten(flat(unflatten(flat(indices, shape), other), other), shape)
    assert [simple(b) for b in back] == indices


@given(SEEDS)
def test_reshape_chains_keep_their_value(seed: int) -> None:
    random = Random(seed)
    size = random.choice((12, 24, 36, 60, 64))
    shape = factors(random, size)
    indices = ranges(*shape)
    for _ in range(3):
        order = random.sample(range(len(shape)), len(shape))
        indices, shape = [indices[i] for i in order], tuple(shape[i] for i in order)
        if random.random() < 0.4:
            axis = random.randrange(len(shape))
            indices[axis] = shape[axis] - 1 - indices[axis]
        other = factors(random, size)
        indices, shape = unflatten(flat(indices, shape), other), other
    leaves: dict = {}
    for index in indices:
        short = simple(index)
        assert np.array_equal(evaluate(index, leaves, random), evaluate(short, leaves, random))


def arithmetic(random: Random, depth: int) -> UOp:
    """A random expression of small indices."""
    if depth == 0 or random.random() < 0.1:
        low = random.choice((0, 0, -7))
        return UOp.variable(random.choice("abcd"), low, low + 20)
    left = arithmetic(random, depth - 1)
    kind = random.choice("+-*/%ckks")
    number = random.choice((1, 2, 3, 4, 6, 8, 12, -1, -2, 5))
    if kind == "+":
        return left + arithmetic(random, depth - 1)
    if kind == "-":
        return left - arithmetic(random, depth - 1)
    if kind == "/":
        return left // number
    if kind == "%":
        return left % abs(number)
    if kind == "c":
        return left + number
    if kind == "s":
        return (left < number).where(left, arithmetic(random, depth - 1))
    return left * number


@given(SEEDS)
def test_random_arithmetic_keeps_its_value(seed: int) -> None:
    random = Random(seed)
    node = arithmetic(random, 5)
    for test in (node, node < 7, node // 6, node % 6, node.eq(4)):
        leaves: dict = {}
        assert np.array_equal(
            evaluate(test, leaves, random), evaluate(simple(test), leaves, random)
        ), test
        assert simple(simple(test)) is simple(test)


@given(SEEDS)
def test_validity_keeps_what_is_read(seed: int) -> None:
    """Where the condition holds the index is the same; elsewhere nobody looks."""
    random = Random(seed)
    a = UOp.variable("a", 0, 40)
    low, high = sorted((random.randint(0, 40), random.randint(0, 40)))
    condition = (a >= low) & (a < high)
    index = (a - low) * random.choice((1, 3)) // random.choice((2, 5)) % random.choice((4, 7))
    before, after = condition.where(index, INVALID), simple(condition.where(index, INVALID))
    leaves: dict = {}
    assert np.array_equal(evaluate(before, leaves, random), evaluate(after, leaves, random))


@given(SEEDS)
def test_no_rule_asks_for_the_bounds_of_plain_sums(seed: int) -> None:
    """So what `index_where` answers for them without asking is what the rules would say."""
    random = Random(seed)
    index = simple(plain_sum(random, ranges(*(random.randint(2, 9) for _ in range(3)))))
    for part in [n for n in index.toposort()[:-1] if n.op is not Ops.CONST]:
        low, high = sorted(random.sample(range(int(part.vmin), int(part.vmax) + 1), 2))
        narrower = index.substitute({part: UOp.variable("given", low, high)})
        assert simple(narrower) is narrower
        assert index_where(part < high, index) is None


def test_a_loop_keeps_its_size_where_a_condition_says_what_its_variable_is() -> None:
    """It goes as often wherever the condition holds or not, and its END names it as it is."""
    n = UOp.variable("n", 2, 10)
    index = simple(UOp.range(n // 2, 0) * 7 + n)
    inside = index_where(simple(UOp.index_const(9) < n), index)
    assert inside is None or inside.ranges == index.ranges


def plain_sum(random: Random, axes: list[UOp]) -> UOp:
    """Sums of multiples of loops and numbers, in any shape."""
    if random.random() < 0.4:
        return random.choice(axes)
    left = plain_sum(random, axes)
    if random.random() < 0.4:
        return left * random.choice((2, 3, 8))
    return left + random.choice((random.randint(1, 9), plain_sum(random, axes)))
