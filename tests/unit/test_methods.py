"""The table of tensor methods: every row against its reference, on C and on the interpreter.

Rows that stand beside each other run together, so that the C compiler is started once for them.
Each shape and each dtype of a row runs, not each of its two plainest shapes with each dtype:
kernels hang on the one and on the other, and a row's dtypes take both shapes in turn. The
interpreter, whose kernels are as they were scheduled, gets the first of each. With `SEARCH=1`, as
`tox -e nightly` has it, all of them run on both.
"""

import doctest
import inspect
from dataclasses import replace
from itertools import islice

import pytest

from rulewright import Context, Tensor, dtypes
from rulewright.verify.methods import all_refusals, all_rows
from rulewright.verify.methods.check import check_gradients, check_refusal, check_rows
from rulewright.verify.methods.row import variants

ROWS, REFUSALS = all_rows(), all_refusals()
DEVICES = ["C", "INTERP"]
GROUP = 16  # rows that are compiled together


def label(row):
    return f"{row.name}-{row.text}"


def in_groups(rows):
    """Rows in the order of the table."""
    rest = iter(rows)
    return list(iter(lambda: list(islice(rest, GROUP)), []))


def names(rows):
    return f"{label(rows[0])} to {rows[-1].name}"


VALUES = in_groups(ROWS)
GRADIENTS = in_groups(row for row in ROWS if row.gradient)


def public_methods():
    return sorted(
        name for name in dir(Tensor) if not name.startswith("_") and callable(getattr(Tensor, name))
    )


def in_turn(row):
    """The row with all its shapes at the first dtype, and one of the first two at the others."""
    plain = row.shapes[:2]
    singles = [replace(row, shapes=(plain[at % len(plain)],), dtypes=(kind,))
               for at, kind in enumerate(row.dtypes) if at]  # fmt: skip
    return [replace(row, dtypes=row.dtypes[:1]), *singles]


def plainest(row):
    """The row with its first shape and dtype alone."""
    return [replace(row, shapes=row.shapes[:1], dtypes=row.dtypes[:1])]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rows", VALUES, ids=names)
def test_values(rows, device, search):
    if not search:
        fewer = in_turn if device == "C" else plainest
        rows = [less for row in rows for less in fewer(row)]
    assert check_rows(rows, device) == []


def test_each_shape_and_each_dtype_of_a_row_runs():
    for row in ROWS:
        run = [variant for less in in_turn(row) for variant in variants(less)]
        assert {shapes for shapes, _ in run} == set(row.shapes)
        assert {kind for _, kind in run} == set(row.dtypes)
        assert set(run) <= set(variants(row)) and len(run) == len(set(run))


@pytest.mark.parametrize("rows", GRADIENTS, ids=names)
def test_gradients(rows):
    assert check_gradients(rows) == []


@pytest.mark.parametrize("rows", in_groups(REFUSALS), ids=names)
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
    with Context(DEVICE="INTERP"):  # what rows compute on C
        result = doctest.DocTestRunner(optionflags=flags).run(finder, out=said.append)
    assert not result.failed, "".join(said)
