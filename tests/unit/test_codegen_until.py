"""Loops that end, or begin, at the number of a row."""

import pytest
from codegen_kernels import agrees, axis, chosen, param, reduced, row_sum
from pairs import in_pairs

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def triangle(rows, columns, hidden=0.0, op=Ops.ADD):
    """For each row a reduction of its columns up to that on the diagonal."""
    i, j = axis(rows, 0), reduced(columns, 1)
    x = param(1, rows * columns).index(i * columns + j)
    value = (i < j).where(UOp.const(dtypes.f32, hidden), x).reduce(op, j)
    return UOp.sink(param(0, rows).index(i).store(value).end(i))


TILES = "r2, r3 = split(r0, 4); upcast(r3)"


@pytest.mark.parametrize(
    "text",
    [
        "until(r1, r0)",
        f"until(r1, r0); {TILES}",
        f"until(r1, r0); {TILES}; r4, r5 = split(r1, 8); simd(r5); thread(r2)",
        "until(r1, r0); r2, r3 = pad(r0, 5); upcast(r3)",
    ],
)
@pytest.mark.parametrize(("rows", "columns"), [(16, 16), (12, 24), (24, 8), (4, 8)])
def test_a_loop_ends_where_its_steps_count_for_nothing(rows, columns, text, rng):
    agrees(triangle(rows, columns), text, rng)
    agrees(triangle(rows, columns, float("-inf"), Ops.MAX), text, rng)


def test_a_loop_that_ends_early_runs_no_further_than_its_tile():
    sizes = {
        n.arg[0]: n.size
        for n in chosen(triangle(16, 16), f"until(r1, r0); {TILES}").toposort()
        if n.op is Ops.RANGE
    }
    tile = axis(4, 2)
    ends = [sizes[1].substitute({tile: UOp.index_const(t)}).simplify().arg for t in range(4)]
    assert ends == [4, 8, 12, 16]


def test_a_step_that_counts_is_done():
    with pytest.raises(UsageError, match="what r1 computes beyond r0 may count"):
        chosen(row_sum(8, 8), "until(r1, r0)")
    with pytest.raises(UsageError, match="what r1 computes beyond r0 may count"):
        chosen(triangle(8, 8, hidden=1.0), "until(r1, r0)")
    with pytest.raises(UsageError, match="what r1 computes beyond r0 may count"):
        chosen(triangle(8, 8, hidden=0.0, op=Ops.MAX), "until(r1, r0)")


def triangle_in_blocks(rows, columns, size, before=False, hidden=0.0, op=Ops.ADD):
    """For each row a reduction, block by block, of its columns up to the diagonal or from there."""
    i, b, k = axis(rows, 0), reduced(columns // size, 1), reduced(size, 2)
    j = b * size + k
    x = param(1, rows * columns).index(i * columns + j)
    beyond = j < i if before else i < j
    value = beyond.where(UOp.const(dtypes.f32, hidden), x).reduce(op, b, k)
    return UOp.sink(param(0, rows).index(i).store(value).end(i))


@pytest.mark.parametrize(
    ("rows", "columns", "size", "how", "more"),
    [
        (*case, how, more)
        for case, how, more in in_pairs(
            [(16, 16, 4), (12, 24, 8), (24, 8, 8), (4, 9, 3)],
            ["until", "since"],
            [
                "",
                "r3, r4 = split(r0, 4); upcast(r4)",
                "r3, r4 = pad(r0, 5); upcast(r4)",
                "simd(r2)",
                "r3, r4 = split(r0, 4); block(r3); upcast(r4); block(r1)",
            ],
        )
    ],
)
def test_blocks_end_or_begin_at_a_row(rows, columns, size, how, more, rng):
    text = f"{how}(r1, r0); {more}"
    before = how == "since"
    agrees(triangle_in_blocks(rows, columns, size, before), text, rng)
    extreme = triangle_in_blocks(rows, columns, size, before, float("-inf"), Ops.MAX)
    agrees(extreme, text, rng)


def test_blocks_that_begin_at_a_row_are_no_more_than_are_seen():
    text = "since(r1, r0); r4, r5 = split(r0, 4); upcast(r5)"
    graph = chosen(triangle_in_blocks(16, 16, 4, before=True), text)
    [size] = [n.size for n in graph.toposort() if n.op is Ops.RANGE and n.arg[0] == 1]
    tile = axis(4, 4)
    rounds = [size.substitute({tile: UOp.index_const(t)}).simplify().arg for t in range(4)]
    assert rounds == [4, 3, 2, 1]


def test_blocks_with_steps_that_count_are_done():
    for how, before, word in (("until", True, "beyond"), ("since", False, "before")):
        with pytest.raises(UsageError, match=f"what r1 computes {word} r0 may count"):
            chosen(triangle_in_blocks(8, 8, 4, before), f"{how}(r1, r0)")
    with pytest.raises(UsageError, match="what r1 computes before r0 may count"):
        chosen(triangle_in_blocks(8, 8, 4, True, hidden=1.0), "since(r1, r0)")
    with pytest.raises(UsageError, match="what r1 computes before r0 may count"):
        chosen(triangle(8, 8), "since(r1, r0)")  # no blocks


@pytest.mark.parametrize("size", [0, 4])
def test_a_loop_that_another_reduction_needs_whole_does_not_end(size, rng):
    i, b, k = axis(8, 0), reduced(8 // (size or 1), 1), reduced(size or 1, 2)
    steps, j = ((b, k), b * size + k) if size else ((b,), b)
    x = param(1, 64).index(i * 8 + j)
    seen = (i < j).where(UOp.const(dtypes.f32, 0.0), x).reduce(Ops.ADD, *steps)
    block = param(2, 8).index(b).reduce(Ops.ADD, b)  # along the same range
    kernel = UOp.sink(param(0, 8).index(i).store(seen + block).end(i))
    with pytest.raises(UsageError, match="what r1 computes beyond r0 may count"):
        agrees(kernel, "until(r1, r0)", rng)
