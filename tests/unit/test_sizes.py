"""Forms of sizes: what three samples have in common, and which other sizes are of that form."""

import pytest
from hypothesis import given, strategies as st

from rulewright.driver.sizes import FEW, SizeForm, form_of

SMALL = st.integers(1, 9)


def sample(n, m=0):
    """Sizes of a program of two axes: constants, multiples, sums and products of them."""
    return (3, n, 2 * n, n + 1, m, n * m, n * n, 4 * m + 2)


def test_one_variable_where_that_is_enough():
    form = form_of([sample(n)[:4] for n in (3, 4, 6)], FEW)
    assert form.sizes == (
        SizeForm(0, (), 3),
        SizeForm(1, (0,), 0),
        SizeForm(2, (0,), 0),
        SizeForm(1, (0,), 1),
    )
    assert form.places == (1,) and form.bounds == ((1, FEW),)
    assert form.values(sample(17)[:4]) == (17,)
    assert form.values((3, 17, 34, 17)) is None
    assert form.values(sample(FEW + 1)[:4]) is None


@given(st.lists(st.tuples(SMALL, SMALL), min_size=3, max_size=3, unique=True), SMALL, SMALL)
def test_sizes_of_the_form_are_found_and_no_others(pairs, n, m):
    samples = [sample(*pair) for pair in pairs]
    form = form_of(samples, FEW)
    if form is None:
        return
    for sizes in samples:
        values = form.values(sizes)
        assert values is not None and tuple(s.at(values) for s in form.sizes) == sizes
    values = form.values(sample(n, m))
    if values is not None:
        assert tuple(s.at(values) for s in form.sizes) == sample(n, m)
        wrong = list(sample(n, m))
        wrong[0] += 1
        assert form.values(tuple(wrong)) is None


def test_two_variables_and_their_product():
    form = form_of([sample(*pair) for pair in [(2, 5), (3, 7), (4, 4)]], FEW)
    assert len(form.places) == 2
    for pair in [(2, 5), (9, 4), (30, 60)]:
        values = form.values(sample(*pair))
        assert values is not None and sorted(values) == sorted(pair)


@pytest.mark.parametrize("samples", [
    [(3, 3), (3, 3), (3, 4)],  # the first two do not differ
    [(2, 4, 8, 1), (3, 9, 27, 5), (4, 16, 65, 2)],  # more than two variables
    [(8, 2), (4, 5), (2, 9)],  # two variables, which is well …
])  # fmt: skip
def test_samples_without_a_form_and_with_one(samples):
    form = form_of(samples, FEW)
    assert (form is not None) == (len(samples[0]) == 2 and samples[0] != samples[1])


def test_no_size_becomes_less_than_one_that_was_more():
    form = form_of([(n, n - 2, 20 - n) for n in (3, 5, 9)], FEW)
    assert form.bounds == ((3, 19),)
    form = form_of([(n, n - 3) for n in (3, 5, 9)], FEW)  # of which one was none
    assert form.bounds == ((3, FEW),)


def test_bounds_are_twice_what_is_known_or_a_few():
    assert form_of([(100,), (300,), (200,)], 1).bounds == ((1, 1024),)
    assert form_of([(1,), (3,), (2,)], 1).bounds == ((1, 8),)
    both = form_of([(2, 5), (3, 9), (4, 2)], FEW)
    assert both.bounds == ((1, 64), (1, 64))
