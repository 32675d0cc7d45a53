"""Ranges cut where conditions turn: what was put together of many is copied piece by piece."""

import re

import numpy as np
import pytest
from codegen_kernels import axis, inputs, matmul, param, same

from rulewright import Context, Tensor
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.errors import UsageError
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.validate.races import check_races


def chosen(sizes, width, inner=False):
    """Parts of these sizes one after the other: rows of a width, or columns of so many rows."""
    i, j = axis(width if inner else sum(sizes), 0), axis(sum(sizes) if inner else width, 1)
    place, other = (j, i) if inner else (i, j)
    first, value = 0, None
    bounds = np.cumsum([0, *sizes])
    for number, size in reversed(list(enumerate(sizes))):
        first = place - int(bounds[number])
        at = other * size + first if inner else first * width + other
        there = place < int(bounds[number + 1])
        there = there if not number else there & (place < int(bounds[number])).alu(Ops.NOT)
        nowhere = UOp(Ops.INVALID, dtypes.index)
        part = param(number + 1, size * width).index(there.where(at, nowhere))
        value = part if value is None else (place < int(bounds[number + 1])).where(part, value)
    total = sum(sizes)
    at = i * total + j if inner else i * width + j
    return UOp.sink(param(0, total * width).index(at).store(value).end(i, j))


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("sizes", [(3, 1, 4, 1, 5), (2,) * 9, (1,) * 6, (300, 7, 7, 7, 7)])
def test_each_stage_means_the_same(sizes, inner, rng):
    kernel = chosen(sizes, 6, inner)
    assert "pieces(" in lower_kernel(kernel, "C").choices
    given = inputs(kernel, rng)
    parts = [g.reshape((6, -1) if inner else (-1, 6)) for g in given[1:]]
    expected = np.concatenate(parts, 1 if inner else 0)
    for name, graph in lowering_stages(kernel, "C"):
        found = [np.copy(a) for a in given]
        run_kernel(graph, found)
        same(found[0].reshape(expected.shape), expected, name)
        check_races(graph)


def test_no_place_is_compared_with_bounds_any_more():
    for inner in (False, True):
        source = lower_kernel(chosen((5, 6, 7, 8, 9, 10), 16, inner), "C").source
        kernel = source[source.rindex("\nvoid ") :]
        assert "?" not in kernel
        assert not re.search(r" (<=|&) ", kernel)


def test_few_pieces_are_chosen_among():
    for sizes in ((5, 6, 7), (50, 60, 2, 80)):
        assert "pieces(" not in lower_kernel(chosen(sizes, 16), "C").choices


@pytest.mark.parametrize(
    ("kernel", "text", "message"),
    [
        (matmul(4, 6, 5), "r3 = pieces(r0)", "a kernel that reduces nothing"),
        (matmul(4, 6, 5), "r3 = pieces(r2)", "one loop that something is stored along"),
        (chosen((2, 3), 4), "r2 = pieces(r1)", "no condition turns along it"),
        (chosen((2, 3), 4), "r2 = pieces(r0)", "it makes 4 ranges, found names for 1"),
        (chosen((2, 3), 4), "r2, r3 = pieces(r0, r1)", "one loop that something is stored along"),
        (chosen((2, 3), 4), "simd(r0); r2, r3 = pieces(r0)", "one loop that something is stored"),
    ],
)
def test_what_cannot_be_cut_is_refused(kernel, text, message):
    with pytest.raises(UsageError, match=message):
        lower_kernel(kernel.replace(arg=("it", text)), "C")


def test_a_user_may_cut_two_pieces(rng):
    kernel = chosen((2, 3), 4)
    marked = kernel.replace(arg=("it", "r2, r3, r4, r5 = pieces(r0); thread(r2, r4)"))
    given = inputs(kernel, rng)
    for name, graph in lowering_stages(marked, "C"):
        found = [np.copy(a) for a in given]
        run_kernel(graph, found)
        same(found[0], np.concatenate(given[1:]), name)


@pytest.mark.parametrize("count", [5, 33, 129])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cat_and_stack_of_many(count, dim, rng):
    arrays = [
        rng.integers(-9, 9, (2, 1 + n % 3 * (dim != 0), 3)[:2]).astype(np.int32)
        for n in range(count)
    ]
    if dim == 0:
        arrays = [a[:, :1] for a in arrays]
    parts = [Tensor(a).realize() for a in arrays]
    np.testing.assert_array_equal(Tensor.cat(*parts, dim=dim).numpy(), np.concatenate(arrays, dim))
    alike = [a[:1, :1] for a in arrays]
    found = Tensor.stack(*[p[:1, :1] for p in parts], dim=dim)
    np.testing.assert_array_equal(found.numpy(), np.stack(alike, dim))


def test_what_is_computed_of_many_parts_and_its_gradient(rng):
    arrays = [rng.normal(size=(3, n % 4)).astype(np.float32) for n in range(150)]
    parts = [Tensor(a) for a in arrays]
    for part in parts:
        part.requires_grad = True
    whole = Tensor.cat(*parts, dim=1)
    (whole.exp() * 2).sum().backward()
    Tensor.realize(*[p.grad for p in parts])
    for part, a in zip(parts, arrays, strict=True):
        np.testing.assert_allclose(part.grad.numpy(), 2 * np.exp(a), rtol=1e-5)
    with Context(VERIFY=2):
        found = (Tensor.cat(*parts[:40], dim=1) * 3 + 1).numpy()
    np.testing.assert_allclose(found, np.concatenate(arrays[:40], 1) * 3 + 1, rtol=1e-6)


def test_the_source_of_many_parts_grows_with_their_number():
    lengths = [len(lower_kernel(chosen((3,) * n, 4), "C").source) for n in (50, 100, 200)]
    assert lengths[2] < 2.3 * lengths[1] < 2.3 * 2.3 * lengths[0]
    assert Ops.WHERE not in {n.op for n in lower_kernel(chosen((3,) * 50, 4), "C").uops}


def columns_of(parts, transposed=()):
    """What choices `cat` of matrices along columns gets, some of which are transposed."""
    made = [Tensor.ones(*shape).contiguous().realize() for shape in parts]
    turned = [m.T if k in transposed else m for k, m in enumerate(made)]
    (item,) = turned[0].cat(*turned[1:], dim=1).schedule()
    return lower_kernel(item.ast, "C").choices


def test_few_large_parts_are_copied_one_by_one_and_small_ones_are_not():
    assert "pieces(" in columns_of([(64, 100)] * 4)
    assert "pieces(" not in columns_of([(64, 100)] * 3)
    assert "pieces(" not in columns_of([(64, 100), (64, 1), (64, 100), (64, 3)])


def test_two_parts_that_lie_otherwise_in_memory_are_copied_one_by_one(rng):
    assert "pieces(" in columns_of([(64, 64), (64, 64)], {1})
    x, y = (rng.standard_normal((64, 80), dtype=np.float32) for _ in range(2))
    both = Tensor(x.T.copy()).cat(Tensor(y).T, dim=1)
    np.testing.assert_array_equal(both.numpy(), np.concatenate([x.T, y.T], 1))
