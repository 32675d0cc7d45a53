"""Combinations that are tried instead of all."""

from itertools import combinations, product

import pytest
from pairs import covering, turns


@pytest.mark.parametrize("sizes", [(3,), (4, 3), (6, 13, 3), (2, 3, 4, 2)])
def test_any_two_values_stand_together(sizes):
    every = list(product(*(range(size) for size in sizes)))
    chosen = covering(every)
    for i, j in combinations(range(len(sizes)), 2):
        assert {(one[i], one[j]) for one in chosen} == set(
            product(range(sizes[i]), range(sizes[j]))
        )
    assert chosen == sorted(set(chosen))
    if len(sizes) > 2:
        assert len(chosen) < len(every) / 1.7


@pytest.mark.parametrize("sizes", [(3,), (4, 3), (3, 12), (6, 13, 3), (2, 4, 2)])
def test_each_value_stands_there_in_turn(sizes):
    chosen = turns([list(range(size)) for size in sizes])
    assert len(chosen) == len(set(chosen)) == max(sizes)
    for values, size in zip(zip(*chosen, strict=True), sizes, strict=True):
        times = [values.count(value) for value in range(size)]
        assert 0 < max(times) <= min(times) + 1
