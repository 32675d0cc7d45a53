"""The movement ops of a node take sizes, axes and flags, and say what they expected else."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import UOp, Variable, dtypes
from rulewright.errors import ArgumentError, RulewrightError, ShapeError
from rulewright.ir.ops import Ops

X = UOp(Ops.PARAM, dtypes.f32, (), (0, (2, 3), "C"))
N = Variable("n", 1, 4)
METHODS = {
    "reshape": (3, 2), "expand": (2, 3), "permute": (1, 0), "flip": (True, False),
    "pad": ((0, 1), (2, 0)), "shrink": ((0, 1), (1, 3)),
}  # fmt: skip
NO_SEQUENCES = ("ab", b"ab", None, 5, 2.5, float("nan"), {0: 1}, {1}, dtypes.f32, X, object(), int)
NO_SIZES = ("a", None, 2.5, True, X, [1], dtypes.f32, 1j, np.ones(2))
NO_PAIRS = (1, "ab", None, (1,), (1, 2, 3), {1: 2}, X, (0, None), ("a", 1), (0.5, 1), (True, 1))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wrong", NO_SEQUENCES)
def test_what_is_no_sequence_is_refused(method, wrong):
    with pytest.raises(ArgumentError, match=f"{method}: expected "):
        getattr(X, method)(wrong)


@pytest.mark.parametrize("method", ["reshape", "expand", "permute"])
@pytest.mark.parametrize("wrong", NO_SIZES, ids=repr)
def test_what_is_no_size_and_no_axis_is_refused(method, wrong):
    for given in ((wrong, 1), (1, wrong), [0, wrong]):
        with pytest.raises(ArgumentError, match=f"{method}: expected "):
            getattr(X, method)(given)


@pytest.mark.parametrize("method", ["pad", "shrink"])
@pytest.mark.parametrize("wrong", NO_PAIRS, ids=repr)
def test_what_is_no_pair_is_refused(method, wrong):
    for given in ((wrong, (0, 1)), ((0, 1), wrong), [wrong]):
        with pytest.raises(ArgumentError, match=f"{method}: expected "):
            getattr(X, method)(given)


@pytest.mark.parametrize("wrong", [0, 1, "a", None, (True,), X], ids=repr)
def test_what_is_no_flag_is_refused(wrong):
    with pytest.raises(ArgumentError, match="flip: expected True or False for each axis"):
        X.flip((True, wrong))


@pytest.mark.parametrize("method", METHODS)
def test_lists_and_numbers_of_numpy_are_taken(method):
    given = METHODS[method]
    expected = getattr(X, method)(given)
    assert getattr(X, method)(list(given)) is expected
    if method != "flip":
        numbers = np.array(given)
        rows = [tuple(r) if r.ndim else r for r in numbers]
        assert getattr(X, method)(tuple(rows)) is expected


def test_symbolic_sizes_stand_anywhere():
    assert X.reshape((N, 6)).shape == (N, 6)
    assert X.pad(((0, N), (0, 0))).shape == ((N + 2), 3)
    assert X.shrink(((0, N), (0, 3))).shape == (N, 3)


NO_ARGUMENTS = (None, 3, "ab", (5,), (None,), ((1,),), ((None, 0), (0, 0)), (X,))


MOVING = sorted((o for o in Ops.group("Movement") if o.shape_rule), key=str)


@pytest.mark.parametrize("op", MOVING, ids=str)
def test_an_argument_from_which_no_shape_follows_is_a_shape_error(op):
    """As graph files and passes may hold: nodes are made without a look at their arguments."""
    refused = 0
    for arg in NO_ARGUMENTS:
        try:
            UOp(op, dtypes.f32, (X,), arg).shape  # noqa: B018  # it is computed
        except RulewrightError as error:
            assert isinstance(error, ShapeError) and f"{op}[{arg}]" in str(error)
            refused += 1
    assert refused > 0 or op is Ops.FLIP  # which has its operand's shape
