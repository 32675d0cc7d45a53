"""The table of tensor methods: every row against its reference, on C and on the interpreter."""

import doctest
import inspect

import pytest

from rulewright import Tensor, dtypes
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import check_gradient, check_refusal, check_row

ROWS, REFUSALS = all_rows(), all_refusals()
DEVICES = ["C", "INTERP"]


def label(row):
    return f"{row.name}-{row.call}"


def public_methods():
    return sorted(
        name for name in dir(Tensor) if not name.startswith("_") and callable(getattr(Tensor, name))
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("row", ROWS, ids=label)
def test_values(row, device):
    assert check_row(row, device) == []


@pytest.mark.parametrize("row", [r for r in ROWS if r.gradient], ids=label)
def test_gradients(row):
    assert check_gradient(row) == []


@pytest.mark.parametrize("row", REFUSALS, ids=label)
def test_refusals(row):
    assert check_refusal(row) == ""


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
