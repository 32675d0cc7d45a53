"""What two dtypes meet in: PyTorch's table, and the laws of a lattice."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rulewright import Tensor, dtypes
from rulewright.errors import DTypeError

ALL = dtypes.all()

# torch.promote_types, written from the PyTorch manual ("Tensor Attributes", type promotion):
# within a category the narrowest type that holds both; integers beside floats count for nothing.
# A dash: PyTorch promotes these to nothing.
TORCH = """
      bool u8   u16  u32  u64  i8   i16  i32  i64  f16  bf16 f32  f64
bool  bool u8   -    -    -    i8   i16  i32  i64  f16  bf16 f32  f64
u8    u8   u8   -    -    -    i16  i16  i32  i64  f16  bf16 f32  f64
u16   -    -    u16  -    -    -    -    -    -    f16  bf16 f32  f64
u32   -    -    -    u32  -    -    -    -    -    f16  bf16 f32  f64
u64   -    -    -    -    u64  -    -    -    -    f16  bf16 f32  f64
i8    i8   i16  -    -    -    i8   i16  i32  i64  f16  bf16 f32  f64
i16   i16  i16  -    -    -    i16  i16  i32  i64  f16  bf16 f32  f64
i32   i32  i32  -    -    -    i32  i32  i32  i64  f16  bf16 f32  f64
i64   i64  i64  -    -    -    i64  i64  i64  i64  f16  bf16 f32  f64
f16   f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f32  f32  f64
bf16  bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32  bf16 f32  f64
f32   f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64
f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64
"""

# Where PyTorch refuses: numpy's answers for unsigned integers (but i64, no float, where no integer
# holds both), and for the small floats the narrowest that holds both, beside integers themselves.
OURS = {
    ("bool", "u16"): "u16", ("bool", "u32"): "u32", ("bool", "u64"): "u64",
    ("u8", "u16"): "u16", ("u8", "u32"): "u32", ("u8", "u64"): "u64",
    ("u16", "u32"): "u32", ("u16", "u64"): "u64", ("u32", "u64"): "u64",
    ("u16", "i8"): "i32", ("u16", "i16"): "i32", ("u16", "i32"): "i32", ("u16", "i64"): "i64",
    ("u32", "i8"): "i64", ("u32", "i16"): "i64", ("u32", "i32"): "i64", ("u32", "i64"): "i64",
    ("u64", "i8"): "i64", ("u64", "i16"): "i64", ("u64", "i32"): "i64", ("u64", "i64"): "i64",
}  # fmt: skip
FP8 = ("fp8e4m3", "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz")
WITH_FP8 = {"f16": "f32", "bf16": "bf16", "f32": "f32", "f64": "f64"}
OURS |= dict.fromkeys(itertools.combinations(FP8, 2), "bf16")
OURS |= {(small, other): both for small in FP8 for other, both in WITH_FP8.items()}


def table() -> dict[tuple[str, str], str]:
    head, *rows = [line.split() for line in TORCH.strip().splitlines()]
    found = {(a, b): both for a, *row in rows for b, both in zip(head, row, strict=True)}
    exact = {pair: both for pair, both in found.items() if both != "-"}
    for (a, b), both in OURS.items():
        assert exact.get((a, b)) is None, f"{a} and {b} are PyTorch's to promote"
        exact[a, b] = exact[b, a] = both
    for small, other in itertools.product(FP8, ALL):
        if not other.is_float or other.name == small:
            exact[small, other.name] = exact[other.name, small] = small
    return exact


EXPECTED = table()


def test_the_table_has_all_pairs():
    assert set(EXPECTED) == {(a.name, b.name) for a, b in itertools.product(ALL, repeat=2)}


@pytest.mark.parametrize("a", ALL, ids=lambda k: k.name)
def test_promotion(a):
    for b in ALL:
        assert dtypes.promote_types(a, b).name == EXPECTED[a.name, b.name], b


@pytest.mark.parametrize("a", ALL, ids=lambda k: k.name)
def test_tensors_meet_as_their_dtypes_do(a):
    left = Tensor([1], dtype=a)
    for b in ALL:
        right = Tensor([1], dtype=b)
        wanted = EXPECTED[a.name, b.name]
        for found in (left + right, left * right, left.maximum(right), Tensor.where(left == right,
                      left, right), left.cat(right)):  # fmt: skip
            assert found.dtype.name == wanted, b
        assert (left < right).dtype is dtypes.bool


def test_promotion_is_a_lattice():
    for a, b, c in itertools.product(ALL, repeat=3):
        both = dtypes.promote_types(a, b)
        assert both is dtypes.promote_types(b, a)  # commutative
        assert both is dtypes.promote_types(a, both)  # an upper bound
        assert dtypes.promote_types(a, a) is a  # idempotent
        all_three = dtypes.promote_types(a, b, c)  # associative
        assert all_three is dtypes.promote_types(both, c)
        assert all_three is dtypes.promote_types(a, dtypes.promote_types(b, c))
        if dtypes.promote_types(a, c) is c and dtypes.promote_types(b, c) is c:  # the least one
            assert dtypes.promote_types(both, c) is c


def test_void_meets_nothing():
    with pytest.raises(DTypeError, match="no common promotion"):
        dtypes.promote_types(dtypes.void, dtypes.f32)


# ---- tensors without axes ------------------------------------------------------------------------

# torch.result_type(one axis, no axes): a dimension wins over none within a category
WITHOUT_AXES = [
    ("i8", "i64", "i8"), ("u8", "i8", "u8"), ("i64", "i8", "i64"), ("f16", "f64", "f16"),
    ("bf16", "f16", "bf16"), ("f16", "i64", "f16"), ("i8", "bool", "i8"), ("bool", "bool", "bool"),
    ("f32", "bool", "f32"), ("i8", "f64", "f64"), ("i64", "f16", "f16"), ("bool", "i16", "i16"),
    ("bool", "f64", "f64"), ("u8", "bf16", "bf16"),
]  # fmt: skip


@pytest.mark.parametrize(("axes", "none", "both"), WITHOUT_AXES)
def test_a_tensor_without_axes_is_weak(axes, none, both):
    x, y = Tensor([1, 0], dtype=axes), Tensor(1, dtype=none)
    for found in (x + y, y + x, x.maximum(y), Tensor([True, False]).where(x, y)):
        assert found.dtype.name == both
    assert (x + y).cast("i64").tolist() == [1 if both == "bool" else 2, 1]


def test_two_tensors_without_axes_meet_as_any_two():
    found = Tensor(1, dtype="i8") + Tensor(1, dtype="i64")
    assert found.dtype is dtypes.i64


def test_a_reduced_tensor_without_axes_is_weak_too():
    x = Tensor([1.0, 2.0], dtype="f16")
    assert (x * Tensor([1.0, 2.0]).sum()).dtype is dtypes.f16


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [("i64", "f64", "f64"), ("u8", "f16", "f16"), ("f16", "f64", "f64"), ("f32", "f64", "f64"),
     ("f64", "f16", "f64"), ("i32", "u8", "f32"), ("bool", "f64", "f64")],
)  # fmt: skip
def test_functions_of_two_numbers_are_computed_where_they_meet(a, b, both):
    x, y = Tensor([3, 1, 100], dtype=a), Tensor([4, 1, 7], dtype=b)
    wide = x.numpy().astype(float), y.numpy().astype(float)
    bound = {"f16": 1e-3, "f32": 1e-6, "f64": 1e-14}[both]
    for name, wanted in (("hypot", np.hypot), ("logaddexp", np.logaddexp), ("atan2", np.arctan2)):
        result = getattr(x, name)(y)
        assert result.dtype.name == both, name
        np.testing.assert_allclose(result.numpy(), wanted(*wide), bound)
