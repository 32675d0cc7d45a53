"""Symbolic sizes of movement ops: an operand for each."""

import pytest

from rulewright.errors import InterpreterError
from rulewright.interp.movement import filled


def test_each_symbolic_size_takes_an_operand():
    assert filled(((0, None), (None, 2)), [3, 4]) == ((0, 3), (4, 2))


@pytest.mark.parametrize("sizes", [[], [1], [1, 2, 3]])
def test_too_few_and_too_many_are_said(sizes):
    with pytest.raises(InterpreterError, match="a movement op with"):
        filled((None, 5, None), sizes)
