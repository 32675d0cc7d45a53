"""The table of tensor methods: every row against its reference, on C and on the interpreter.

Rows of a method run together, so that the C compiler is started once for them.
"""

import doctest
import inspect
from itertools import groupby, islice

import pytest

from rulewright import Tensor, dtypes
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import check_gradients, check_refusal, check_rows

ROWS, REFUSALS = all_rows(), all_refusals()
DEVICES = ["C", "INTERP"]
GROUP = 8  # rows of a method that are compiled together


def label(row):
    return f"{row.name}-{row.call}"


def in_groups(rows):
    """Rows in order, those of one method together."""
    for _, several in groupby(rows, key=lambda row: row.name):
        yield from iter(lambda rest=several: list(islice(rest, GROUP)), [])


def names(rows):
    return label(rows[0])


VALUES = list(in_groups(ROWS))
GRADIENTS = list(in_groups(row for row in ROWS if row.gradient))


def public_methods():
    return sorted(
        name for name in dir(Tensor) if not name.startswith("_") and callable(getattr(Tensor, name))
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rows", VALUES, ids=names)
def test_values(rows, device):
    assert check_rows(rows, device) == []


@pytest.mark.parametrize("rows", GRADIENTS, ids=names)
def test_gradients(rows):
    assert check_gradients(rows) == []


@pytest.mark.parametrize("rows", list(in_groups(REFUSALS)), ids=names)
def test_refusals(rows):
    assert [problem for row in rows if (problem := check_refusal(row))] == []


@pytest.mark.parametrize("name", public_methods())
def test_a_method_has_a_row_and_an_example(name):
    assert name in {row.name for row in ROWS}, f"no row for Tensor.{name}: add one to the table"
    text = inspect.getdoc(getattr(Tensor, name)) or ""
    assert ">>>" in text, f"Tensor.{name} has no example"
    finder = doctest.DocTestParser().get_doctest(
        text, {"Tensor": Tensor, "dtypes": dtypes}, name, None, None
    )
    said: list[str] = []
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.DocTestRunner(optionflags=flags).run(finder, out=said.append)
    assert not result.failed, "".join(said)
