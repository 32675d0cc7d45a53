"""Values that are hostile by themselves are taken or refused in words, and soon.

Lists in themselves, numbers of hundreds of digits, objects that only look like arrays or numbers.
"""

from __future__ import annotations

import numpy as np
import pytest
from arrays import square

from rulewright import Tensor, UOp, dtypes
from rulewright.errors import (
    ArgumentError,
    AxisError,
    PositionError,
    RangeError,
    RulewrightError,
    ShapeError,
    UsageError,
)
from rulewright.ir.expected import shown

ITSELF: list = []
ITSELF.append(ITSELF)
DEEP: list | int = 1
for _ in range(3000):
    DEEP = [DEEP]
HUGE = 10**400


class TextAsIndex:
    def __index__(self):
        return "x"


class FarIndex:
    def __index__(self):
        return -(1 << 80)


class NoArray:
    __array__ = 5


class WrongArray:
    def __array__(self, *args, **rest):
        return "no"


class NoNumber:
    def __float__(self):
        return "x"


class Claims:
    shape, dtype, size = (2, 2), "f4", "x"

    @property
    def __array_interface__(self):
        return {"shape": (1 << 60,), "typestr": "<f4", "version": 3, "data": (0, False)}


class NoRepr:
    def __repr__(self):
        raise ValueError("no")


STRANGE = (
    ITSELF,
    DEEP,
    HUGE,
    -HUGE,
    TextAsIndex(),
    FarIndex(),
    NoArray(),
    WrongArray(),
    NoNumber(),
    Claims(),
    np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")]),
    np.ones((2, 0)),
    np.array([[1, 2], [3, 4]], object),
    UOp.const(dtypes.f32, 1.0),
)


CALLS = {
    "Tensor": lambda v: Tensor(v),
    "full": lambda v: Tensor.full((2,), v),
    "add": lambda v: square() + v,
    "assign": lambda v: square().assign(v),
    "maximum": lambda v: square().maximum(v),
    "index": lambda v: square()[v],
    "put": lambda v: square().index_put([v], 1.0),
    "reshape": lambda v: square().reshape(v),
    "view": lambda v: square().view(v, v),
    "expand": lambda v: square().expand(v),
    "permute": lambda v: square().permute(v),
    "pad": lambda v: square().pad(v),
    "sum": lambda v: square().sum(v),
    "dim": lambda v: square().sum(0, dim=v),
    "var_mean": lambda v: square().var_mean(axis=v, dim=0),
    "select": lambda v: square().select(0, v),
    "narrow": lambda v: square().narrow(0, v, 1),
    "roll": lambda v: square().roll(v),
    "pool": lambda v: square().reshape(1, 1, 2, 2).adaptive_avg_pool2d(v),
    "round": lambda v: square().round(v),
    "normalize": lambda v: square().normalize(eps=v),
    "norm": lambda v: square().norm(v),
    "interpolate": lambda v: square().reshape(1, 1, 2, 2).interpolate(scale_factor=v),
    "dropout": lambda v: square().dropout(v),
    "kaiming": lambda v: Tensor.kaiming_uniform(v),
    "embedding": lambda v: square().embedding(v),
    "repeat": lambda v: square().repeat_interleave(v),
    "unique": lambda v: square().unique(sorted=v),
    "contiguous": lambda v: square().contiguous(arg=v),
    "full_like": lambda v: square().full_like(1, dtype=v),
    "to": lambda v: square().to(square(), dtype=v),
    "isin": lambda v: square().one_hot(v),
    "stack": lambda v: Tensor.stack(v),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", CALLS)
def test_a_strange_value_is_taken_or_refused_in_words(name):
    refused = 0
    for value in STRANGE:
        try:
            found = CALLS[name](value)
        except (RulewrightError, MemoryError) as error:
            assert len(str(error)) > 12 or isinstance(error, MemoryError)
            refused += 1
        else:
            results = found if isinstance(found, list | tuple) else [found]
            assert all(isinstance(result, Tensor) for result in results)
    assert refused > 5


def test_a_list_in_itself_is_no_tensor():
    for value in (ITSELF, DEEP, [[1.0], ITSELF]):
        with pytest.raises(UsageError, match=r"nested 64 levels|rectangular|expected bool"):
            Tensor(value)


def test_positions_beyond_64_bits_are_outside():
    for position in (1 << 64, 1 << 80, -(1 << 64), -(1 << 80), FarIndex()):
        for call in (
            lambda p: square()[p],
            lambda p: square().select(0, p),
            lambda p: square().narrow(0, p, 1),
        ):
            with pytest.raises((PositionError, ShapeError)):
                call(position)


def test_an_index_constant_is_a_size_like_any_other():
    assert square().reshape(UOp.index_const(4)).shape == (4,)
    with pytest.raises(ShapeError):
        square().reshape(UOp.index_const(3))


def test_numbers_that_no_float_holds_are_out_of_range():
    for call in (
        lambda: square() + HUGE, lambda: square().norm(HUGE), lambda: square().normalize(eps=HUGE),
        lambda: square().reshape(1, 1, 2, 2).interpolate(scale_factor=HUGE),
    ):  # fmt: skip
        with pytest.raises((RangeError, ArgumentError)):
            call()


def test_weights_of_no_elements_are_drawn():
    assert Tensor.scaled_uniform(1, 0, 1).tolist() == [[]]
    assert Tensor.glorot_uniform(0, 0).tolist() == []


def test_a_tensor_without_axes_has_no_size_of_one():
    with pytest.raises(AxisError, match="size: a tensor without axes"):
        Tensor(1.0).size(0)


def test_a_value_is_shown_whatever_it_is():
    assert shown([1, "a"]) == "[1, 'a']"
    assert shown(NoRepr()) == "<NoRepr>" and shown(10**5000) == "<int>"
    assert len(shown("a" * 10_000)) == 1001
