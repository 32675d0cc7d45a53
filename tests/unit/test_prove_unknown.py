"""Runs with sizes of which nothing is known: each answer is followed, and no digit is lost."""

from __future__ import annotations

import operator

import pytest

from rulewright.verify.prove.smt import SmtDomain
from rulewright.verify.prove.unknown import Opaque, Paths, TooLong, Unknown


@pytest.fixture
def paths():
    return Paths(SmtDomain(), 100)


def _answers(paths, body):
    return sorted(paths.runs(body))


def test_every_answer_to_a_question_is_followed(paths):
    def body():
        size = paths.size("n")
        return "one" if size == 1 else "more" if size > 1 else "none"

    assert _answers(paths, body) == ["more", "none", "one"]


def test_an_answer_that_cannot_be_is_not_followed(paths):
    def body():
        size = paths.size("n")
        return (size > 4, size > 2)

    assert _answers(paths, body) == [(False, False), (False, True), (True, True)]


def test_choices_and_answers_go_through_all_combinations(paths):
    def body():
        return paths.choose("ab"), bool(paths.size("n"))

    assert _answers(paths, body) == [("a", False), ("a", True), ("b", False), ("b", True)]


def test_arithmetic_is_that_of_numbers(paths):
    def body():
        n = paths.size("n")
        return (n * 2 + 1 - n) == n + 1 and 7 - n + n == 7 and -n + n == 0 and +n is n

    assert _answers(paths, body) == [True]


def test_a_quotient_and_its_rest_are_the_dividend(paths):
    def body():
        n, d = paths.size("n"), paths.size("d", least=1)
        return n // d * d + n % d == n and 0 <= n % d < d and 7 // d * d + 7 % d == 7

    assert _answers(paths, body) == [True]


def test_division_by_a_size_that_may_be_zero_ends_in_an_error_there(paths):
    def body():
        try:
            return str(7 // paths.size("n") >= 0)
        except ZeroDivisionError as error:
            return str(error)

    assert _answers(paths, body) == ["True", "division by zero"]


@pytest.mark.parametrize("take", [int, float, range, operator.index, [1, 2].__getitem__])
def test_what_takes_the_digits_of_a_size_is_refused(paths, take):
    with pytest.raises(Opaque):
        take(paths.size("n"))


def test_a_size_is_an_int_to_python_and_equal_to_itself_alone(paths):
    n, m = paths.size("n"), paths.size("m")
    assert isinstance(n, int) and type(n) is Unknown
    assert n == n and n != "n" and n is not m
    with pytest.raises(Opaque, match="a size is looked up"):  # it would be none that it equals
        {n: 1}.get(m)


def test_more_paths_than_are_allowed_are_no_proof(paths):
    with pytest.raises(TooLong, match="more than 100 paths"):
        list(paths.runs(lambda: paths.choose(range(101))))
