"""Graphs that mean nothing are refused before they are scheduled, each for its own reason."""

from __future__ import annotations

import numpy as np
import pytest
from schedule_helpers import DEVICE, array_of, buffer, reduced

from rulewright.driver.graphs import schedule
from rulewright.errors import DTypeError, RulewrightError, ScheduleError, ShapeError, StageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.memories import new_buffer

X = buffer(np.arange(4, dtype=np.float32))
M = buffer(np.arange(6, dtype=np.float32).reshape(2, 3))


def bare(op: object, *src: UOp, arg: object = None, dtype: object = dtypes.f32) -> UOp:
    """A node that no builder would make."""
    return UOp(op, dtype, src, arg)  # type: ignore[arg-type]  # wrong on purpose


VALUES = {
    "reshape": (lambda: X.reshape((5,)), ShapeError, r"RESHAPE.*\(4\): 4 elements cannot be 5"),
    "expand": (lambda: X.expand((5,)), ShapeError, "only axes of size 1 can be repeated"),
    "reshape negative": (lambda: X.reshape((-2, -2)), ShapeError, "expected sizes of 0 or more"),
    "expand negative": (lambda: X.reshape((1, 4)).expand((-1, 4)), ShapeError, "of 0 or more"),
    "expand axes": (lambda: X.expand((1, 4)), ShapeError, "only axes of size 1"),
    "permute": (lambda: M.permute((0, 0)), ShapeError, "expected each of 2 axes once"),
    "permute axis": (lambda: X.permute((1,)), ShapeError, "expected each of 1 axes once"),
    "pad": (lambda: X.pad(((-1, 0),)), ShapeError, "a pair of sizes of 0 or more"),
    "shrink": (lambda: X.shrink(((0, 9),)), ShapeError, "expected bounds within each axis"),
    "shrink turned": (lambda: X.shrink(((3, 1),)), ShapeError, "bounds within each axis"),
    "flip": (lambda: M.flip((True,)), ShapeError, "expected a flag for each axis"),
    "reduce": (lambda: reduced(Ops.ADD, X, 3), ShapeError, "expected some of 1 axes, each once"),
    "reduce twice": (lambda: reduced(Ops.ADD, X, 0, 0), ShapeError, "each once"),
    "reduce by": (
        lambda: reduced(Ops.SUB, X, 0),
        ScheduleError,
        "an op with an identity, found SUB",
    ),
    "bitcast": (
        lambda: bare(Ops.BITCAST, X, dtype=dtypes.i8).cast(dtypes.f32),
        DTypeError,
        "f32 and i8 differ in width",
    ),
    "shapes": (lambda: bare(Ops.ADD, M, X), ShapeError, r"ADD: operands have shapes"),
    "operands": (lambda: bare(Ops.ADD, X), ScheduleError, "ADD takes 2 operands, found 1"),
    "many": (lambda: bare(Ops.NEG, X, X), ScheduleError, "NEG takes 1 operands, found 2"),
    "dtypes": (
        lambda: bare(Ops.ADD, X, X.cast(dtypes.i32)),
        DTypeError,
        "ADD: `b` is i32, where f32 is expected",
    ),
    "result": (
        lambda: bare(Ops.ADD, X, X, dtype=dtypes.i32).cast(dtypes.f32),
        DTypeError,
        "`a` is f32, where i32 is expected",
    ),
    "truth": (
        lambda: bare(Ops.CMPLT, X, X),
        DTypeError,
        "CMPLT: `result` is f32, where bool is expected",
    ),
    "condition": (
        lambda: bare(Ops.WHERE, X, X, X),
        DTypeError,
        "WHERE: `condition` is f32, where bool is expected",
    ),
    "set": (lambda: bare(Ops.SHL, X, X), DTypeError, "SHL takes no f32; it takes u8"),
    "loop": (
        lambda: X + UOp.range(4, 0, "loop").cast(dtypes.f32),
        StageError,
        "RANGE is not legal at stage function",
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_without_meaning(name: str) -> None:
    make, error, message = VALUES[name]
    with pytest.raises(error, match=message) as caught:
        value = make()
        schedule(UOp.sink(new_buffer(value.dtype, (4,), DEVICE).store(value)))
    assert isinstance(caught.value, RulewrightError)


Y = buffer(np.ones(4, np.float32))
STORES = {
    "shape": (lambda: X.store(M), ShapeError, r"STORE of shape \(2, 3\) into .* \(4\)"),
    "dtype": (lambda: X.store(Y.cast(dtypes.i32)), DTypeError, "STORE of i32 into memory of f32"),
    "computed": (lambda: (X + 1.0).store(Y), ScheduleError, "STORE into ADD, which is no memory"),
    "padded": (
        lambda: X.shrink(((0, 2),)).pad(((1, 1),)).store(Y),
        ScheduleError,
        "STORE into PAD, which is no memory",
    ),
    "repeated": (
        lambda: X.shrink(((0, 1),)).expand((4,)).store(Y),
        ScheduleError,
        "each element would be written many times",
    ),
}


@pytest.mark.parametrize("name", STORES)
def test_a_store_without_meaning(name: str) -> None:
    make, error, message = STORES[name]
    with pytest.raises(error, match=message):
        schedule(UOp.sink(make()))
    np.testing.assert_array_equal(array_of(X), np.arange(4))  # and nothing happened


def test_views_of_every_kind_are_stored_into() -> None:
    memory = buffer(np.zeros((3, 4), np.float32))
    part = memory.shrink(((0, 2), (1, 4))).permute((1, 0)).flip((True, False)).reshape((6,))
    schedule(UOp.sink(part.store(buffer(np.arange(6, dtype=np.float32))))).run()
    expected = np.zeros((3, 4), np.float32)
    expected[:2, 1:].T[::-1] = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(array_of(memory), expected)
