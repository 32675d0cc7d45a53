"""Copies near by in vectors: of neighbours, of a step, behind conditions, of any length."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rulewright import Context, Tensor
from rulewright.codegen.lanes import turning_points
from rulewright.codegen.lower import lower_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8, "f16": np.float16}


def source(value: Tensor) -> str:
    """The text of the one kernel that computes a value."""
    (item,) = value.schedule()
    text: str = item.lower().source
    return text


def copies_of(value: Tensor) -> str:
    """What the last kernel of a value does before its products, with vectors of 512 bits."""
    text = lower_kernel(value.schedule()[-1].ast, "C").source
    return text[text.index("void r_") : text.index(" = mulacc_f32x16(")]


def small(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Whole numbers, of which products and sums are exact in every dtype."""
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(DTYPES[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, -1, -2, -3, -4, -5])
def test_columns_of_a_step_are_multiplied(step: int, dtype: str) -> None:
    """37 columns: whole vectors, shorter ones and single elements."""
    a, b = small((48, 40), dtype), small((40, 37 * abs(step)), dtype, 1)
    with Context(VERIFY=1):
        found = (Tensor(a) @ Tensor(b)[:, ::step]).numpy()
    np.testing.assert_array_equal(found, a @ b[:, ::step])


@pytest.mark.parametrize("step", [2, 3, 4, -1, -2])
def test_elements_of_a_short_step_are_picked_from_vectors(step: int) -> None:
    b = Tensor(small((64, 64 * abs(step)), "f32")).realize()[:, ::step]
    text = source(Tensor(small((64, 64), "f32")).realize() @ b)
    assert "shuffle(" in text
    assert "#pragma omp simd" not in text


@pytest.mark.parametrize("rows", [1, 5, 16, 31])
@pytest.mark.parametrize("columns", [8, 9, 15, 16, 17, 31, 33, 47, 65, 100])
def test_panels_of_any_width_are_copied(rows: int, columns: int) -> None:
    """Beyond the last column there is nothing to be read: memory ends there."""
    a, b = small((rows, 64), "f32"), small((64, columns), "f32", 1)
    with Context(VERIFY=1):
        found = (Tensor(a) @ Tensor(b)).numpy()
    np.testing.assert_array_equal(found, a @ b)


@pytest.mark.parametrize("padding", [0, 1, 2, 5, (3, 0), (0, 4)])
@pytest.mark.parametrize("stride", [1, 2, 3, 5])
def test_zeros_around_an_image_are_none_of_its_pixels(
    stride: int, padding: int | tuple[int, int]
) -> None:
    x, w = small((2, 4, 23, 21), "f32"), small((8, 4, 3, 3), "f32", 1)
    with Context(VERIFY=1):
        found = Tensor(x).conv2d(Tensor(w), stride=stride, padding=padding).numpy()
    down, across = padding if isinstance(padding, tuple) else (padding, padding)
    wide = np.pad(x, ((0, 0), (0, 0), (down, down), (across, across)))
    under = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), (2, 3))[:, :, ::stride, ::stride]
    np.testing.assert_array_equal(found, np.einsum("ncyxij,ocij->noyx", under, w))


def test_an_image_is_copied_without_a_condition_for_each_pixel() -> None:
    x = Tensor(small((1, 8, 20, 20), "f32")).realize()
    w = Tensor(small((8, 8, 3, 3), "f32")).realize()
    copies = copies_of(x.conv2d(w, padding=1))
    assert "(f32x16 *)&data1[" in copies and "#pragma omp simd" not in copies


@given(
    st.integers(1, 40), st.integers(-7, 7), st.integers(-50, 50), st.integers(-3, 3),
    st.sampled_from([Ops.CMPLT, Ops.CMPLE]), st.booleans(),
)  # fmt: skip
def test_conditions_change_at_turning_points_alone(
    size: int, step: int, more: int, other: int, op: Op, negated: bool
) -> None:
    axis = UOp.range(size, 0, "simd")
    left, right = axis * step + more, axis * other + 1
    value = UOp(op, dtypes.bool, (left, right))
    cuts = turning_points(~value if negated else value, axis)
    holds = [
        x * step + more < x * other + 1 if op is Ops.CMPLT else x * step + more <= x * other + 1
        for x in range(size)
    ]
    assert cuts == [(x, x) for x in range(1, size) if holds[x] != holds[x - 1]]


@given(
    st.integers(1, 40), st.integers(-4, 4), st.integers(-50, 50), st.integers(1, 6),
    st.integers(-5, 5), st.sampled_from([Ops.CMPLT, Ops.CMPLE]),
)  # fmt: skip
def test_outside_of_turning_points_other_ranges_do_not_matter(
    size: int, step: int, more: int, rows: int, each: int, op: Op
) -> None:
    axis, row = UOp.range(size, 0, "simd"), UOp.range(rows, 1, "loop")
    zero = UOp.index_const(0)
    cuts = turning_points(UOp(op, dtypes.bool, (axis * step + row * each + more, zero)), axis)
    test = (lambda n: n < 0) if op is Ops.CMPLT else (lambda n: n <= 0)
    answers = [{test(x * step + r * each + more) for r in range(rows)} for x in range(size)]
    for begin, end in pairwise([0, *sorted(n for pair in cuts for n in pair), size]):
        inside = any(first <= begin and end <= last for first, last in cuts)
        assert inside or len(set().union(*answers[begin:end])) <= 1
    for first, last in cuts:  # and not one value more
        undecided = [x for x in range(size) if len(answers[x]) > 1]
        assert first == last or (undecided[0], undecided[-1] + 1) == (first, last)


def test_conditions_turn_between_what_other_ranges_make_of_them() -> None:
    axis, row = UOp.range(9, 0, "simd"), UOp.range(5, 1, "loop")
    assert turning_points(axis < row + 3, axis) == [(3, 7)]
    assert turning_points(axis < row * 3 - 1, axis) == [(0, 9)]
    assert turning_points((axis // 2 < 3) & (axis < 4), axis) == [(4, 4)]


def test_vectors_in_which_no_condition_turns_have_no_mask() -> None:
    x = Tensor(small((4, 3, 96, 96), "f32")).realize()
    w = Tensor(small((16, 3, 3, 3), "f32")).realize()
    first, plain, last = copies_of(x.conv2d(w, padding=1)).partition("? *(f32x16 *)&data1[")
    assert plain and first.count("load_masked") == last.count("load_masked") == 1


@pytest.mark.parametrize("dtype, columns", [("f64", 4), ("f64", 8), ("f32", 16), ("i32", 20)])
def test_what_is_picked_stands_in_for_what_a_gate_hides(dtype: str, columns: int) -> None:
    """Vectors that were picked on one side of a condition and read on the other."""
    a = small((7, 2 * columns), dtype)
    with Context(VERIFY=1):
        x = Tensor(a).max_pool2d((1, 2))
        x[...] = x.flip()
        x[2] += x[2]
        y = x.maximum(1)
        Tensor.realize(x)
        found = x.numpy(), y.numpy()
    wanted = a.reshape(7, columns, 2).max(-1)[::-1, ::-1].copy()
    wanted[2] *= 2
    np.testing.assert_array_equal(found[0], wanted)
    np.testing.assert_array_equal(found[1], np.maximum(wanted, 1))
