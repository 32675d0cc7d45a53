"""Vectors of which some lanes are meant: accesses behind a mask, and choices by position."""

import itertools
import re

import numpy as np
import pytest
from arrays import as_dtype, in_memory
from codegen_kernels import axis, chosen, param
from pairs import in_pairs

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel
from rulewright.codegen.masks import lane_mask, masked_index, masked_indices
from rulewright.errors import ValidationError
from rulewright.interp.evaluator import Evaluator
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import target
from rulewright.verify.validate.bounds import check_bounds
from rulewright.verify.validate.races import check_races

TARGETS = ("C", "C_AVX2", "C_SSE", "C_NEON")


def lanes(vector):
    """The lanes of a vector without loop variables, as the interpreter has them."""
    return Evaluator({}, {}).value(vector).data.tolist()


@pytest.mark.parametrize("op", [Ops.CMPLT, Ops.CMPLE])
@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("step", [-3, -1, 1, 2])
def test_a_mask_holds_where_the_comparison_of_its_lane_does(op, negated, step):
    lane = UOp.range(8, 0, "simd")
    for first, limit in itertools.product((-9, 0, 5), (-20, -1, 0, 3, 7, 30)):
        a = lane * step + UOp.index_const(first)
        test = a.alu(op, UOp.index_const(limit))
        mask = lane_mask([UOp(Ops.NOT, dtypes.bool, (test,)) if negated else test], lane, 8, 32)
        numbers = [first + step * k for k in range(8)]
        wanted = [(n < limit if op is Ops.CMPLT else n <= limit) is not negated for n in numbers]
        assert lanes(mask) == wanted


def test_a_mask_of_several_conditions_holds_where_all_do():
    lane, row = UOp.range(8, 0, "simd"), UOp.variable("row", 0, 9)
    inside = (UOp.index_const(2) <= lane) & (lane < UOp.index_const(6)) & (row < 4)
    for at in (3, 4):
        mask = lane_mask([inside.substitute({row: UOp.index_const(at)})], lane, 8, 16)
        assert lanes(mask) == [at < 4 and 2 <= k < 6 for k in range(8)]


def test_conditions_that_are_no_comparisons_of_positions_have_no_mask():
    lane = UOp.range(8, 0, "simd")
    even = (lane % UOp.index_const(2)).alu(Ops.CMPEQ, UOp.index_const(0))
    square = lane * lane < UOp.index_const(9)
    data = param(0, 8, dtypes.i32).index(lane) < 3
    for condition in (even, square, data):
        assert lane_mask([condition], lane, 8, 32) is None


def test_an_index_that_is_one_of_two_has_no_mask():
    lane = UOp.range(8, 0, "simd")
    first = lane < UOp.index_const(3)
    either = param(1, 40).index(first.where(lane + 5, lane))
    assert masked_index(either, lane, 8, target("C")) is None
    invalid = UOp(Ops.INVALID, dtypes.index)
    place, mask = masked_index(
        param(1, 40).index(first.where(lane + 5, invalid)), lane, 8, target("C")
    )
    assert place.src[1].vmin == place.src[1].vmax == 5 and lanes(mask) == [k < 3 for k in range(8)]


@pytest.mark.parametrize("step", [2, 3, 4])
def test_elements_of_a_step_are_read_between_the_first_and_the_last_that_are_meant(step):
    lane, invalid = UOp.range(8, 0, "simd"), UOp(Ops.INVALID, dtypes.index)
    for first, end in itertools.product((-3, 0, 1, 5), (-2, 0, 1, 5, 8, 11)):
        inside = ~(lane < UOp.index_const(first)) & (lane < UOp.index_const(end))
        read = param(1, 99).index(inside.where(lane * step + 7, invalid))
        starts = range(0, 7 * step + 1, 8)
        places = masked_indices(read, lane, 8, step, starts)
        meant = [k * step for k in range(8) if first <= k < end]
        wanted = range(meant[0], meant[-1] + 1) if meant else range(0)
        for start, (place, mask) in zip(starts, places, strict=True):
            assert place.src[1].vmin == place.src[1].vmax == 7 + start
            assert lanes(mask) == [start + k in wanted for k in range(8)]


@pytest.mark.parametrize("dtype", ["f32", "f64", "i16", "u8"])
@pytest.mark.parametrize(
    ("size", "step", "before", "behind", "first"),
    in_pairs([7, 17, 40, 100], [2, 3, 4, 5], [0, 1, 5], [0, 1, 6], [0, 1]),
)
def test_each_second_element_of_what_is_padded(size, step, before, behind, first, dtype, rng):
    """Nothing is read before the first element of memory, nor behind the last."""
    array = rng.integers(0, 99, (3, size)).astype(getattr(dtypes, dtype).np)
    padding = ((1, 1), (before, behind))
    with Context(VERIFY=1):
        values = (Tensor(array).pad(padding)[:, first::step] + 1).numpy()
    np.testing.assert_array_equal(values, np.pad(array, padding)[:, first::step] + 1)


def test_each_second_element_of_what_is_padded_is_picked_from_masked_vectors():
    x = Tensor.rand(3, 17).realize()
    kernel = (x.pad(((1, 1), (5, 6)))[:, ::2] + 1).schedule()[-1].ast
    source = lower_kernel(kernel, "C").source
    assert re.search(r"= shuffle\(val\d+, val\d+, 0, 2, 4", source) and "load_masked_f32" in source


@pytest.mark.parametrize("name", TARGETS)
def test_odd_products_store_their_tiles_by_masks_of_lanes(name):
    i, j, r = axis(61, 0), axis(37, 1), UOp.range(64, 2, "reduce")
    left, right = param(1, 61 * 64).index(i * 64 + r), param(2, 64 * 37).index(r * 37 + j)
    total = (left * right).reduce(Ops.ADD, r)
    kernel = UOp.sink(param(0, 61 * 37).index(i * 37 + j).store(total).end(i, j))
    source = lower_kernel(kernel, name).source
    body = source[source.rindex("void r_") :]
    assert "store_masked" in body and "load_masked" in body
    assert not re.search(r"data0\[[^]]*\] = (?!.*f32x)", body)  # no element by itself


@pytest.mark.parametrize("dtype", ["bool", "i8", "u16", "i32", "f32", "i64", "f64", "f16"])
@pytest.mark.parametrize("columns", [5, 37, 63])
def test_choices_by_position_are_those_of_numpy(dtype, columns):
    rng = np.random.default_rng(columns)
    kind = getattr(dtypes, dtype)
    values = rng.integers(0, 2 if dtype == "bool" else 50, (29, columns)).astype(kind.np)
    given = Tensor(values).realize()
    with Context(VERIFY=2 if columns == 5 else 1):
        assert np.array_equal(given.tril(-3).numpy(), np.tril(values, -3))
        assert np.array_equal(given.triu(2).numpy(), np.triu(values, 2))


@pytest.mark.parametrize("value", [0.0, -1.5])
@pytest.mark.parametrize("size", [3, 10, 12, 37])
def test_padding_is_what_the_mask_of_a_read_leaves_out(value, size, rng):
    array = rng.normal(size=(6, size)).astype(np.float32)
    padded = Tensor(array).pad(((1, 1), (2, 1)), value=value) * 2
    expected = np.pad(array, ((1, 1), (2, 1)), constant_values=value) * 2
    assert np.array_equal(padded.numpy(), expected)


@pytest.mark.parametrize("shape", [(33, 17, 37), (65, 9, 130), (1, 70, 523)])
@pytest.mark.parametrize("dtype", ["f32", "f64", "f16", "bf16", "i32"])
def test_odd_products_are_those_of_numpy_and_of_the_interpreter(shape, dtype):
    rows, depth, columns = shape
    rng = np.random.default_rng(rows)
    a, b = (rng.integers(-4, 5, s).astype(np.int64) for s in ((rows, depth), (depth, columns)))
    left, right = (in_memory(as_dtype(x, dtype)) for x in (a, b))
    with Context(VERIFY=2 if dtype == "f32" and columns == 37 else 1):
        assert np.array_equal((left @ right).numpy().astype(np.int64), a @ b)
        turned = left.T.contiguous().realize().T @ right
        assert np.array_equal(turned.numpy().astype(np.int64), a @ b)


@pytest.mark.parametrize("columns", [37, 49, 196])
def test_what_is_added_to_an_odd_product_is_read_by_the_masks_of_its_stores(columns):
    depth = 9 if columns == 37 else 64
    rng = np.random.default_rng(columns)
    sizes = ((33, depth), (depth, columns), (33, columns))
    a, b, c = (rng.integers(-4, 5, size).astype(np.float32) for size in sizes)
    left, right, more = (Tensor(x).realize() for x in (a, b, c))
    (item,) = (left @ right + more.relu()).schedule()
    slot = next(k for k, buffer in enumerate(item.buffers) if k and buffer.size == c.size)
    source = lower_kernel(item.ast, "C").source
    assert f"&data{slot}[" in source
    assert not re.search(rf"(?<!&)data{slot}\[", source)  # no element by itself
    with Context(VERIFY=2 if columns == 37 else 1):
        assert np.array_equal((left @ right + more.relu()).numpy(), a @ b + np.maximum(c, 0))


@pytest.mark.parametrize("columns", [37, 196])
def test_lanes_that_are_not_stored_divide_by_nothing(columns):
    rng = np.random.default_rng(columns)
    sizes = ((104, 64), (64, columns), (104, columns))
    a, b, c = (rng.integers(1, 5, size).astype(np.int32) for size in sizes)
    left, right, more = (Tensor(x).realize() for x in (a, b, c))
    assert np.array_equal((left @ right // more).numpy(), a @ b // c)
    assert np.array_equal((left @ right % more).numpy(), a @ b % c)


def masked_store(limit):
    """A kernel that stores 16 lanes at 16 r of 40 elements, of which so many are meant in all."""
    r, memory = UOp.range(3, 0, "loop"), param(0, 40)
    numbers = UOp(Ops.STACK, dtypes.i32.vec(16), tuple(UOp.const(dtypes.i32, k) for k in range(16)))
    rest = (UOp.index_const(limit) - r * 16).alu(Ops.MIN, UOp.index_const(16)).cast(dtypes.i32)
    gate = numbers.alu(Ops.CMPLT, UOp(Ops.STACK, dtypes.i32.vec(16), (rest,) * 16))
    place = UOp(Ops.INDEX, dtypes.f32.vec(16), (memory, r * 16))
    value = UOp.const(dtypes.f32.vec(16), 1.0)
    return UOp.sink(place.store(value, gate).end(r))


def test_lanes_beyond_memory_are_found_and_those_a_mask_leaves_out_are_none():
    check_bounds(masked_store(40))
    with pytest.raises(ValidationError, match="accesses element 40 of 40"):
        check_bounds(masked_store(41))


def overlapping_stores(meant):
    """Rounds that may run in any order store 16 lanes 8 apart, of which so many are meant."""
    r, memory = UOp.range(3, 0, "thread"), param(0, 64)
    numbers = UOp(Ops.STACK, dtypes.i32.vec(16), tuple(UOp.const(dtypes.i32, k) for k in range(16)))
    gate = numbers.alu(Ops.CMPLT, UOp.const(dtypes.i32.vec(16), meant))
    place = UOp(Ops.INDEX, dtypes.f32.vec(16), (memory, r * 8))
    return UOp.sink(place.store(UOp.const(dtypes.f32.vec(16), 1.0), gate).end(r))


def test_lanes_that_two_threads_store_are_a_race_unless_masks_leave_them_out():
    check_races(overlapping_stores(8))
    with pytest.raises(ValidationError, match="race"):
        check_races(overlapping_stores(9))


@pytest.mark.parametrize("on", TARGETS)
def test_sums_of_few_lanes_stay_in_variables(on):
    """Only what is read of a tensor has a mask: the sums' own memory has room for whole vectors."""
    [kernel] = Tensor(np.zeros((30, 100, 7), np.float32)).sum(1).schedule()
    source = lower_kernel(kernel.ast, on).source
    assert re.search(r"^  f32x[48] acc\d+;", source, re.MULTILINE)
    assert not re.search(r"_masked_\w+\(&acc", source)


@pytest.mark.parametrize("on", TARGETS)
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_results_that_each_leave_out_another_part_are_whole_vectors(dtype, on):
    """Of 16 running sums each has another condition: cut there, no vector would be more than one
    element, with 136 exponentials by itself."""
    items = Tensor(np.zeros((4, 37)), dtype=dtype).logcumsumexp(1).schedule()
    sources = [lower_kernel(item.ast, on).source for item in items]
    [blocks] = [s for s in sources if re.search(r"void \w*_16_16_16\(", s)]
    assert not re.search(r"\bmax_f\d\d\(", blocks)
    assert re.search(r"^ +f(32|64)x\d+ ", blocks, re.MULTILINE)


@pytest.mark.parametrize("on", TARGETS)
def test_vectors_of_no_elements_are_none(on):
    none = axis(0, 0)
    store = param(0, 8).index(none).store(param(1, 8).index(none) * 2.0).end(none)
    source = lower_kernel(chosen(UOp.sink(store), "simd(r0)"), on).source
    assert "f32x" not in source


@pytest.mark.parametrize(
    ("shape", "dtype", "method"),
    in_pairs(
        [(9, 31, 7), (3, 40, 5), (2, 65, 33), (5, 17, 3)],
        ["f32", "i8", "f64"],
        ["sum", "max", "prod", "argmin"],
    ),
)
def test_reductions_of_few_columns_are_those_of_numpy(shape, dtype, method, rng):
    x = rng.integers(1, 3 if method == "prod" else 9, shape)
    x = x.astype(getattr(dtypes, dtype).np)
    expected = getattr(np, method)(x.astype(np.float64), axis=1)
    with Context(VERIFY=2):
        result = getattr(Tensor(x), method)(1).numpy()
    if dtype == "i8" and method == "prod":
        expected = np.prod(x.astype(np.int64), axis=1)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_sums_of_what_is_padded_and_scaled_where_a_condition_holds(rng):
    """The padding is the same for all matrices, and the scale is not: nothing is packed."""
    x, scale, limit = rng.normal(size=(2, 17, 17)), rng.normal(size=(2, 1, 1)), rng.normal(size=64)
    padded = (Tensor(x) * Tensor(scale)).pad(((0, 0), (0, 15), (0, 15)))
    below = limit.reshape(2, 32, 1) < np.arange(32) / 16 - 1
    numbers = Tensor.arange(32).reshape(1, 1, 32).double() / 16 - 1
    hits = Tensor(limit).reshape(2, 32, 1) < numbers
    found = hits.unsqueeze(-1).where(padded.unsqueeze(1), 0).sum(2)
    exact = below @ np.pad(x * scale, ((0, 0), (0, 15), (0, 15)))
    np.testing.assert_allclose(found.numpy(), exact, 1e-12, 1e-12)
