"""Axis choices: their text, what they do to a kernel, what they refuse."""

import re

import numpy as np
import pytest
from codegen_kernels import (
    agrees,
    axis,
    centred,
    chosen,
    elementwise,
    inputs,
    layernorm,
    matmul,
    padded_convolution,
    param,
    reduced,
    row_sum,
    same,
    softmax,
    symbolic,
)
from pairs import in_pairs

from rulewright import Tensor
from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import parse_choices, print_choices
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.errors import UsageError
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import forget_results
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table

MATMUL = "r3, r4 = split(r0, 4); upcast(r4); r5, r6 = split(r1, 8); simd(r6); thread(r3)"


def loops(graph):
    return {n.arg[0]: (n.size, n.arg[1]) for n in graph.toposort() if n.op is Ops.RANGE}


def lowered(kernel, text):
    """The list of UOps that a kernel with these choices becomes on C."""
    *_, (_, graph) = lowering_stages(kernel.replace(arg=("k", text)), "C")
    return list(graph.src)


def _end(uops, loop):
    return next(i for i, n in enumerate(uops) if n.op is Ops.END and loop in n.src[1:])


def test_text_reads_back():
    choices = parse_choices(MATMUL)
    assert print_choices(choices) == MATMUL
    assert parse_choices(print_choices(choices)) == choices
    assert parse_choices("") == ()


@pytest.mark.parametrize("text", ["simd", "simd(3)", "fast(r1)", "r2 == split(r0, 4)", "r1"])
def test_what_is_no_choice_is_refused(text):
    with pytest.raises(UsageError, match="expected such as `simd"):
        parse_choices(text)


def test_split_gives_two_loops(rng):
    found = loops(chosen(elementwise(12), "r1, r2 = split(r0, 4); simd(r2)"))
    assert found == {1: (3, "loop"), 2: (4, "simd")}
    agrees(elementwise(12), "r1, r2 = split(r0, 4)", rng)


def test_uneven_split_is_gated(rng):
    graph = chosen(elementwise(10), "r1, r2 = split(r0, 4)")
    assert loops(graph) == {1: (3, "loop"), 2: (4, "loop")}
    assert any(n.op is Ops.INVALID for n in graph.toposort())
    agrees(elementwise(10), "r1, r2 = split(r0, 4)", rng)
    agrees(row_sum(3, 10), "r2, r3 = split(r1, 4); r4, r5 = split(r3, 3)", rng)
    agrees(row_sum(3, 10, Ops.MAX), "r2, r3 = split(r1, 4); group(r3)", rng)


def test_split_of_a_symbolic_size(rng):
    agrees(symbolic(50), "r2, r3 = split(r0, 16); local(r3); global(r2)", rng, {"n": 37})


def test_outer_part_of_size_one_vanishes():
    assert loops(chosen(elementwise(4), "r1, r2 = split(r0, 4)")) == {2: (4, "loop")}


def test_tail_of_a_reduction(rng):
    graph = chosen(row_sum(3, 10), "r2, r3 = tail(r1, 8)")
    assert sum(n.op is Ops.REDUCE for n in graph.toposort()) == 2
    agrees(row_sum(3, 10), "r2, r3 = tail(r1, 8); r4, r5 = split(r2, 4); simd(r5)", rng)


def test_tail_of_a_store(rng):
    graph = chosen(elementwise(10), "r1, r2 = tail(r0, 8)")
    assert len(graph.src) == 2
    agrees(elementwise(10), "r1, r2 = tail(r0, 8); r3, r4 = split(r1, 4); simd(r4)", rng)
    agrees(matmul(5, 11, 3), "r3, r4 = tail(r1, 8); upcast(r0); simd(r3)", rng)


def test_merge_of_axes_that_step_memory_as_one(rng):
    kernel = matmul(4, 6, 1)
    flat = centred(3, 4)
    with pytest.raises(UsageError, match="use join"):
        chosen(kernel, "r3 = merge(r0, r1)")
    with pytest.raises(UsageError, match="use join"):
        chosen(flat, "r3 = merge(r0, r1)")
    agrees(kernel, "r3 = join(r0, r1); thread(r3)", rng)


def test_what_a_row_needs_twice_is_kept(rng):
    text = "r4 = keep(r2, r3); simd(r4)"
    graph = chosen(softmax(5, 30), text)
    assert sum(n.op is Ops.EXP for n in graph.toposort()) == 1
    assert [n.arg for n in graph.toposort() if n.op is Ops.STAGE] == ["reg"]
    agrees(softmax(5, 30), text, rng)
    with pytest.raises(UsageError, match="nothing costly is computed along both r1 and r3"):
        chosen(layernorm(5, 30), "r4 = keep(r1, r3)")


def test_what_is_reduced_is_computed_before(rng):
    graph = chosen(softmax(5, 30), "r4 = apart(r2); simd(r4)")
    assert sum(n.op is Ops.STAGE for n in graph.toposort()) == 1
    agrees(softmax(5, 30), "r4 = apart(r2); simd(r4)", rng)
    agrees(row_sum(3, 10), "r2 = apart(r1)", rng)
    with pytest.raises(UsageError, match="no single value is reduced along r0 alone"):
        chosen(row_sum(3, 10), "r2 = apart(r0)")
    with pytest.raises(UsageError, match="one range of known size"):
        chosen(symbolic(9), "r2 = apart(r1)")


def test_rows_in_a_tile_are_kept_apart(rng):
    given = softmax(4, 30).replace(
        arg=("k", "r4 = keep(r2, r3); r5, r6 = split(r0, 2); upcast(r6); simd(r4)")
    )
    for target in ("C", "CUDA"):
        arrays = inputs(given, rng)
        expected = [a.copy() for a in arrays]
        run_kernel(given, expected)
        run_kernel(dict(lowering_stages(given, target))["linearize"], arrays)
        same(arrays, expected)


def test_a_range_is_chosen_once():
    with pytest.raises(UsageError, match="there is no range r0 now"):
        chosen(elementwise(12), "r1, r2 = split(r0, 4); simd(r0)")
    with pytest.raises(UsageError, match="there is no range r7 now"):
        chosen(elementwise(12), "simd(r7)")
    with pytest.raises(UsageError, match="two ranges r1"):
        chosen(matmul(4, 4, 4), "r1, r3 = split(r0, 2)")


@pytest.mark.parametrize(
    "refused", ["r9 = keep(r3, r4)", "r9 = merge(r4, r3)", "r9, r4 = split(r1, 2)"]
)
def test_a_refused_choice_leaves_all_as_it_was(refused):
    axes, (cut, refused) = Axes(matmul(8, 8, 8)), parse_choices(f"r3, r4 = split(r0, 4); {refused}")
    axes.apply(cut)
    before = axes.ast, axes.open(), axes.graph()
    with pytest.raises(UsageError):
        axes.apply(refused)
    assert (axes.ast, axes.open(), axes.graph()) == before and axes.choices == [cut]


def test_lanes_of_a_reduction_have_their_own_accumulators(rng):
    graph = chosen(row_sum(3, 12), "r2, r3 = split(r1, 4); simd(r3)")
    reduces = [n for n in graph.toposort() if n.op is Ops.REDUCE]
    assert [n.src[1].arg[0] for n in reduces] == [2, 3]
    agrees(row_sum(3, 12), "r2, r3 = split(r1, 4); simd(r3)", rng)


@pytest.mark.parametrize("target", ["C", "CUDA"])
def test_a_reduction_with_another_inside_is_chained_as_a_whole(target, rng):
    i, outer, inner = axis(5, 0), reduced(3, 1), reduced(20, 2)
    top = param(1, 300).index(i * 60 + outer * 20 + inner).reduce(Ops.MAX, inner)
    total = top.reduce(Ops.ADD, outer)
    kernel = UOp.sink(param(0, 5).index(i).store(total).end(i), info=("k", "unroll(r1)"))
    arrays = inputs(kernel, rng)
    expected = arrays[1].reshape(5, 3, 20).max(2).sum(1)
    run_kernel(dict(lowering_stages(kernel, target))["linearize"], arrays)
    np.testing.assert_allclose(arrays[0], expected, rtol=1e-6)


@pytest.mark.parametrize("target", ["C", "CUDA"])
def test_rounds_that_are_unrolled_keep_their_order(target, rng):
    kernel = row_sum(3, 12).replace(arg=("k", "r2, r3 = split(r1, 4); upcast(r3)"))
    arrays = inputs(kernel, rng)
    expected = arrays[1].reshape(3, 12).sum(1)
    run_kernel(dict(lowering_stages(kernel, target))["linearize"], arrays)
    np.testing.assert_allclose(arrays[0], expected, rtol=1e-5, atol=1e-6)


def test_ranges_in_different_places_are_different_loops(rng):
    i, j, unused = axis(4, 0), reduced(40, 1), reduced(2, 2)
    total = param(1, 160).index(i * 40 + j).reduce(Ops.ADD, j, unused)
    kernel = UOp.sink(param(0, 4).index(i).store(total).end(i))
    given = kernel.replace(arg=("k", "r3, r4 = tail(r1, 32); r5, r6 = split(r3, 16); simd(r6)"))
    arrays = inputs(kernel, rng)
    run_kernel(dict(lowering_stages(given, "C"))["linearize"], arrays)
    np.testing.assert_allclose(arrays[0], 2 * arrays[1].reshape(4, 40).sum(1), rtol=1e-5, atol=1e-5)


PACKED = (
    "r3, r4 = pad(r0, 32); r5, r6 = split(r4, 8); r7, r8 = pad(r1, 48); r9, r10 = split(r8, 16); "
    "r11 = join(r3, r7); r12, r13, r14 = pack(r2, r9, r10); upcast(r13); simd(r14); upcast(r9); "
    "simd(r10); upcast(r6)"
)


@pytest.mark.parametrize("shape", [(64, 96), (37, 96), (64, 80), (37, 37), (5, 5), (511, 513)])
@pytest.mark.parametrize("transposed", [False, True])
def test_packed_and_padded_products_are_the_product(shape, transposed, rng):
    agrees(matmul(*shape, 6, transposed), PACKED, rng)


def test_pack_reads_back():
    assert print_choices(parse_choices(PACKED)) == PACKED


def test_what_is_padded_computes_the_last_value_again_and_does_not_store_it(rng):
    agrees(elementwise(37), "r1, r2 = pad(r0, 8); r3, r4 = split(r1, 2)", rng)
    graph = chosen(elementwise(37), "r1, r2 = pad(r0, 8)")
    (store,) = [n for n in graph.toposort() if n.op is Ops.STORE]
    assert store.src[0].src[1].op is Ops.WHERE, "a gate for what is written"
    reads = [n for n in store.src[1].toposort() if n.op is Ops.INDEX]
    assert reads and all(n.src[1].op is not Ops.WHERE for n in reads), "none for what is read"
    assert all(n.src[1].interval.hi == 36 for n in reads)


def test_whole_vectors_of_a_padded_range_stay_neighbours(rng):
    """48 does not divide 80, but 16 does: only whole vectors are repeated."""
    graph = chosen(elementwise(80), "r1, r2 = pad(r0, 48); r3, r4 = split(r2, 16); simd(r4)")
    lane = next(n for n in graph.toposort() if n.op is Ops.RANGE and n.arg[1] == "simd")
    for node in graph.toposort():
        if node.op is Ops.INDEX:
            index = node.src[1].src[1] if node.src[1].op is Ops.WHERE else node.src[1]
            assert linear(index).stride(lane) == 1
    agrees(elementwise(80), "r1, r2 = pad(r0, 48); r3, r4 = split(r2, 16); simd(r4)", rng)


def test_a_padded_range_whose_parts_are_cut_unevenly_is_stored_once(rng):
    """6 · 2 of 10 groups of 4: what lies beyond is neither stored nor added to what is."""
    text = "r1, r2 = pad(r0, 4); r3, r4 = split(r1, 6); simd(r2)"
    agrees(elementwise(40), text, rng)
    agrees(elementwise(37), text, rng)


BLOCKS = (
    "r3, r4 = split(r2, 8); block(r3); r5, r6 = split(r0, 4); r7, r8 = split(r1, 16); "
    "r9 = join(r7, r5); block(r9); upcast(r6); simd(r8)"
)


@pytest.mark.parametrize("shape", [(8, 32, 24), (4, 16, 8), (7, 40, 20), (1, 5, 9)])
def test_sums_of_blocks_add_up_to_the_sum(shape, rng):
    """All results of a block of the sum are added up before the next block is begun."""
    agrees(matmul(*shape), BLOCKS, rng)


def test_the_block_of_a_sum_is_the_outer_loop():
    graph = lowered(matmul(8, 32, 24), BLOCKS)
    (loop,) = (n for n in graph if n.op is Ops.RANGE and n.size == 3)
    inside = graph[graph.index(loop) : _end(graph, loop)]
    assert any(n.op is Ops.RANGE and n.size == 4 for n in inside)
    assert not any(n.op is Ops.PARAM for s in inside if s.op is Ops.STORE for n in s.src[0].src)


def test_only_stored_ranges_are_padded():
    with pytest.raises(UsageError, match="only a stored range is padded"):
        chosen(matmul(8, 8, 6), "r3, r4 = pad(r2, 4)")


@pytest.mark.parametrize("text", ["r3, r4 = pack(r0, r1)", "r3, r4, r5 = pack(r0, r1, r2)"])
def test_what_nothing_reads_again_is_not_packed(text):
    with pytest.raises(UsageError, match="nothing that is read again depends on all of r0, r1"):
        chosen(matmul(8, 8, 6), text)


def test_a_range_of_a_copy_is_cut_but_not_joined():
    text = "r3, r4 = pack(r2, r1); r5 = join(r3, r4)"
    with pytest.raises(UsageError, match="the same stores or reductions loop over"):
        chosen(matmul(8, 8, 6), text)


COPIED = [  # what is stored is padded beyond a copy, a copy is cut as unevenly as what it is of
    "r3 = pack(r1); r4, r5 = pad(r1, 3)",
    "r3, r4 = hold(r1, r0); r5, r6 = pad(r0, 3)",
    "r3, r4 = hold(r0, r1); r5, r6 = pad(r0, 3); r7, r8 = pad(r3, 3)",
    "r3, r4 = pad(r1, 3); r5 = pack(r4); r6, r7 = pad(r4, 2)",
    "r3, r4 = pack(r1, r2); r5, r6 = split(r3, 6); r7, r8 = split(r6, 4)",
    "r3, r4 = pack(r1, r2); r5, r6 = split(r3, 6); r7, r8 = split(r6, 4); r9, r10 = pad(r1, 3)",
    "r3, r4 = pack(r1, r2); r5, r6 = pad(r3, 3); r7, r8 = split(r5, 2); r9, r10 = pad(r1, 7)",
]


@pytest.mark.parametrize("text", COPIED)
def test_ranges_and_those_of_their_copies_are_cut_each_by_itself(text, rng):
    agrees(matmul(4, 8, 5), text, rng)


@pytest.mark.parametrize(
    "text", ["r3, r4 = pad(r1, 3)", "r3, r4 = pad(r1, 5); r9, r10 = pad(r0, 2)"]
)
@pytest.mark.parametrize("slid", ["r7 = slide(r3, r6)", "r7, r8 = slide(r3, r6, r4)"])
def test_windows_of_a_part_of_a_padded_range_end_where_it_does(text, slid, rng):
    agrees(matmul(5, 8, 8, transposed=True), f"{text}; r5, r6 = split(r2, 4); {slid}", rng)


def test_a_padded_range_is_not_the_places_of_two_windows(rng):
    text = "r3, r4 = pad(r1, 3); r5, r6 = split(r2, 4); r7, r8 = slide(r4, r6, r3, r5)"
    even = text.replace("pad(r1, 3)", "split(r1, 4)")
    agrees(matmul(5, 8, 8, transposed=True), even, rng)
    with pytest.raises(UsageError, match="nothing is read in windows along r4, r6, r3, r5"):
        chosen(matmul(5, 8, 8, transposed=True), text)


def image_in_one_row():
    """A convolution of a row of numbers, whose results are two ranges."""
    o, y, x, k = axis(2, 0), axis(3, 1), axis(4, 2), reduced(3, 3)
    weights = param(2, 6).index(o * 3 + k)
    total = (param(1, 14).index(y * 4 + x + k) * weights).reduce(Ops.ADD, k)
    return UOp.sink(param(0, 24).index(o * 12 + y * 4 + x).store(total).end(o, y, x))


def test_windows_are_read_again_in_windows(rng):
    """What is copied near by is copied again, if the windows are in one of its places."""
    agrees(image_in_one_row(), "r4, r5 = slide(r2, r3, r1); r6, r7 = slide(r2, r3, r1)", rng)
    agrees(image_in_one_row(), "r4, r5 = slide(r2, r3, r1); r6 = slide(r2, r3)", rng)


def test_windows_in_several_places_of_a_copy_are_not_read_again():
    text = "r4, r5 = slide(r2, r3, r1); r6, r7 = split(r4, 2); r8 = slide(r2, r3)"
    with pytest.raises(UsageError, match="nothing is read in windows along r2, r3"):
        chosen(image_in_one_row(), text)


# ---- convolutions --------------------------------------------------------------------------------

BLOCK = (
    "r7, r8 = pad(r2, 4); r9, r10 = pad(r3, 8); r11, r12 = pad(r1, 8); r13 = join(r11, r7); "
    "r14 = join(r13, r9); "
)
HELD = (
    "; r23, r24 = split(r12, 4); r25, r26 = hold(r24, r8, r10); block(r23); stored(r24); "
    "stored(r8); simd(r10); r27, r28 = split(r26, 16); upcast(r27); simd(r28); upcast(r25)"
)
SLID = "r15, r16, r17 = slide(r4, r8, r5, r10, r6)"
ROWS = "r15, r16, r17, r18 = slide(r4, r6, r8, r5, r10); simd(r18)"
PACKED_WINDOWS = "r18, r19, r20, r21, r22 = pack(r4, r5, r6, r8, r10); simd(r22)"


@pytest.mark.parametrize(
    ("outs", "side", "copies"),
    in_pairs([8, 6], [6, 7, 8], [SLID, ROWS, PACKED_WINDOWS, f"{SLID}; {PACKED_WINDOWS}"]),
)
def test_convolutions_of_blocks_are_the_convolution(copies, side, outs, rng):
    """8 does not divide 6 and 7, so that rows are padded, and blocks of them."""
    agrees(padded_convolution(2, outs, 3, side), BLOCK + copies + HELD, rng)


IN_PARTS = (
    "; r30, r31 = split(r4, 2); block(r30); r25, r26 = hold(r12, r8, r10); stored(r12); "
    "stored(r8); simd(r10); r23, r24 = split(r25, 4); r27, r28 = split(r26, 16); r32, r33 = "
    "split(r27, 1); block(r32); block(r23); upcast(r33); simd(r28); upcast(r24)"
)


@pytest.mark.parametrize("copies", [SLID, ROWS])
@pytest.mark.parametrize("outs, ins, side", [(8, 6, 8), (6, 4, 7), (8, 3, 8), (6, 5, 7)])
def test_what_is_held_is_added_up_some_channels_at_a_time(copies, outs, ins, side, rng):
    """In equal parts, or with a last part that adds nothing beyond the end of what is copied."""
    agrees(padded_convolution(2, outs, ins, side), BLOCK + copies + IN_PARTS, rng)


@pytest.mark.parametrize("copies", [SLID, ROWS])
@pytest.mark.parametrize("outs, ins, side", [(8, 6, 8), (6, 4, 7)])
def test_each_part_of_the_channels_is_copied_before_it_is_added_up(copies, outs, ins, side, rng):
    split = "r30, r31 = split(r4, 2); block(r30); "
    text = BLOCK + split + copies.replace("r4", "r31") + IN_PARTS.replace(split, "")
    kernel = padded_convolution(2, outs, ins, side)
    agrees(kernel, text, rng)
    fills = [n.src[1:] for n in chosen(kernel, text).toposort() if n.op is Ops.STAGE]
    assert 2 in [fill[0].size for fill in fills]  # channels that are near by at a time


def test_what_is_copied_and_stored_along_may_have_a_last_part_that_is_shorter(rng):
    agrees(padded_convolution(2, 8, 3, 8), f"{BLOCK}{SLID}; r30, r31 = split(r10, 3)", rng)
    for cut in ("r1", "r4"):
        text = f"r3, r4 = pack(r2, r1); r5, r6 = split({cut}, 4); simd(r6)"
        agrees(matmul(4, 6, 5), text, rng)


SYMBOLIC = [
    "r4, r5 = tail(r1, 16); r6, r7 = split(r4, 16); simd(r7); r8, r9 = split(r5, 16); simd(r9)",
    "r4, r5 = tail(r3, 16); r6, r7 = split(r4, 16); simd(r7); r8, r9 = split(r5, 16); simd(r9)",
    "r4 = keep(r2, r3); r5, r6 = split(r4, 16); simd(r6)",
    "r4 = keep(r2, r3); r5, r6 = split(r4, 16); simd(r6); r7, r8 = tail(r2, 16); "
    "r9, r10 = split(r7, 16); simd(r10); r11, r12 = split(r8, 16); simd(r12); "
    "r13, r14 = tail(r3, 8); r15, r16 = split(r13, 8); simd(r16); r17, r18 = split(r14, 8)",
]


@pytest.mark.parametrize("text", SYMBOLIC)
@pytest.mark.parametrize("n", [1, 15, 16, 17, 48, 50])
def test_whole_blocks_of_a_symbolic_range_and_what_is_left_are_done_apart(n, text, rng):
    """The last block may be where memory near by ends, which has room for what is longest."""
    agrees(softmax(3, UOp.variable("n", 1, 50), 50), text, rng, {"n": n})


def test_the_heuristic_adds_up_as_many_channels_as_stay_in_the_first_cache():
    x, w = Tensor.rand(2, 64, 20, 20).realize(), Tensor.rand(32, 64, 3, 3).realize()
    kernel = x.conv2d(w).schedule()[-1]
    choices = lower_kernel(kernel.ast, "C").choices
    outermost = re.search(r"(r\d+), r\d+ = split\(r4, (\d+)\)", choices)
    assert outermost and f"block({outermost[1]})" in choices
    assert 64 % int(outermost[2]) == 0 and int(outermost[2]) >= 8
    part = re.search(rf"{outermost[1]}, (r\d+) = split", choices)
    assert part and re.search(rf"slide\({part[1]}, ", choices)  # and copies no more at a time


def test_a_tile_of_many_channels_adds_up_all_of_what_is_near_by():
    def choices(*shape):
        return lower_kernel(padded_convolution(*shape), "C").choices

    many = choices(8, 64, 64, 56)
    channels = int(re.search(r"\(r12, (\d+)\); r\d+, r\d+ = hold", many)[1])
    reading = 6  # multiply-adds that a vector of the second cache takes
    assert channels >= reading
    assert "split(r4" not in many
    assert "split(r4" in choices(8, 256, 512, 28), "the copy of all would be too large"
    assert "split(r4" in choices(1, 64, 64, 1000), "rows are too long to lie near by together"


def test_a_kernel_that_is_converted_has_tiles_of_fewer_channels():
    def channels(dtype):
        x, w = (Tensor.rand(1, 64, 28, 28), Tensor.rand(128, 64, 3, 3))
        x, w = (a.cast(dtype).realize().cast("f32") for a in (x, w))
        text = lower_kernel(x.conv2d(w, padding=1).schedule()[-1].ast, "C").choices
        return int(re.search(r"split\(r\d+, (\d+)\); (?:stored|r\d+, r\d+ = hold)", text)[1])

    assert channels("f16") < 12 <= channels("f32")


WINDOWS_IN_PARTS = [  # an image of one channel, a kernel: what is summed first is a window
    ((40, 30), (32, 3)),
    ((37, 41), (24, 2)),
    ((38, 20), (32, 4)),
    ((1, 300), (1, 128)),
]


@pytest.fixture()
def small_first_cache(monkeypatch):
    monkeypatch.setitem(load_table()["targets"]["C"]["limits"], "first_cache", 6144)
    forget_results()
    yield
    forget_results()


@pytest.mark.parametrize(("image", "kernel"), WINDOWS_IN_PARTS)
@pytest.mark.usefixtures("small_first_cache")
def test_places_of_a_window_are_added_up_in_parts(image, kernel, rng):
    x, w = rng.standard_normal(image), rng.standard_normal((4, *kernel))
    x_in, w_in = Tensor(x).realize(), Tensor(w).realize()
    (item,) = x_in[None, None].conv2d(w_in[:, None]).schedule()
    *_, (_, last) = lowering_stages(item.ast, "C")
    assert re.search(r"split.*block.*hold", last.arg[1])
    wanted = np.einsum("yxij,oij->oyx", np.lib.stride_tricks.sliding_window_view(x, kernel), w)
    out = np.zeros(wanted.size)
    run_kernel(last, [out, x.reshape(-1), w.reshape(-1)])
    np.testing.assert_allclose(out.reshape(wanted.shape), wanted, atol=1e-12)


def test_choices_for_convolutions_read_back():
    text = BLOCK + f"{SLID}; {PACKED_WINDOWS}" + HELD
    assert print_choices(parse_choices(text)) == text


def test_an_image_is_copied_once_for_all_positions_of_a_window():
    graph = chosen(padded_convolution(2, 8, 3, 8), BLOCK + SLID)
    (stage,) = [n for n in graph.toposort() if n.op is Ops.STAGE]
    assert [fill.size for fill in stage.src[1:]] == [3, 4 + 2, 8 + 2]


def test_rows_are_copied_once_for_each_position_across():
    graph = chosen(padded_convolution(2, 8, 3, 6), BLOCK + ROWS)
    (stage,) = [n for n in graph.toposort() if n.op is Ops.STAGE]
    assert [fill.size for fill in stage.src[1:]] == [3, 3, 4 + 2, 8]


@pytest.mark.parametrize("side", [6, 8, 14])
def test_rows_with_zeros_around_them_are_copied_as_whole_vectors(side):
    sizes = BLOCK.replace("pad(r3, 8)", "pad(r3, 16)")
    kernel = padded_convolution(2, 8, 3, side)
    stores = [n for n in lowered(kernel, sizes + ROWS + HELD) if n.op is Ops.STORE]
    copies = [s for s in stores if s.src[0].src[0].base.op is Ops.DEFINE_REG]
    # zeros are what the mask of the read leaves out: nothing is chosen beside it
    values = [s.src[1] for s in copies if s.src[1].op is Ops.LOAD]
    assert [v.dtype for v in values if len(v.src) == 3] == [dtypes.f32.vec(16)]


@pytest.mark.parametrize("width", [6, 8, 10, 24])
def test_what_is_held_is_read_as_it_lies(width, rng):
    """Pairs of vectors begin anywhere in rows: still what is stored is read without divisions."""
    sizes = BLOCK.replace("pad(r3, 8)", f"pad(r3, {width})").replace("pad(r2, 4)", "pad(r2, 16)")
    pairs = HELD.replace("upcast(r27)", "r29, r30 = split(r27, 2); upcast(r30)")
    kernel, text = padded_convolution(2, 8, 3, width), sizes + pairs
    agrees(kernel, text, rng)
    graph = lowered(kernel, text)
    stores = [n for n in graph if n.op is Ops.STORE and n.src[0].src[0].base.op is Ops.PARAM]
    divided = {Ops.FLOORDIV, Ops.FLOORMOD, Ops.SHR, Ops.AND}
    assert stores
    for store in stores:
        read = store.src[1].src[0]
        assert read.op is Ops.INDEX and read.src[0].base.op is Ops.DEFINE_REG
        assert divided.isdisjoint(n.op for n in read.src[1].toposort())


AS_THEY_ARE = BLOCK.replace("pad(r2, 4)", "pad(r2, 3)").replace("pad(r3, 8)", "pad(r3, {side})")


@pytest.mark.parametrize("copies", [ROWS, PACKED_WINDOWS, f"{SLID}; {PACKED_WINDOWS}"])
@pytest.mark.parametrize("side, count", [(7, 32), (6, 32), (5, 16), (8, 48)])
@pytest.mark.parametrize("held", [HELD, IN_PARTS])
def test_rows_one_behind_the_other_are_held_as_whole_vectors(copies, side, count, held, rng):
    """The last vector goes on beyond the rows of a block, and so do the copies that it reads."""
    text = AS_THEY_ARE.format(side=side) + copies + held.replace("r8, r10)", f"r8, r10, {count})")
    agrees(padded_convolution(2, 6, 4, side), text, rng)
    assert print_choices(parse_choices(text)) == text


def test_no_more_than_there_is_can_be_left_out_of_what_is_held():
    text = BLOCK + SLID + HELD.replace("r8, r10)", "r8, r10, 31)")
    with pytest.raises(UsageError, match=r"hold\(r24, r8, r10, 31\) needs 32 or more"):
        chosen(padded_convolution(2, 8, 3, 8), text)


@pytest.mark.parametrize("side", [5, 9])
def test_the_heuristic_puts_short_rows_one_behind_the_other(side, rng):
    kernel = padded_convolution(1, 64, 64, side)
    choices = lower_kernel(kernel, "C").choices
    vectors = -(-side * side // 16)
    assert f"r10, {16 * vectors})" in choices or f"r10, {16 * (vectors + vectors % 2)})" in choices
    agrees(kernel, choices, rng)


@pytest.mark.parametrize("images, channels, side", [(4, 512, 3), (5, 256, 3), (7, 320, 3)])
def test_the_heuristic_makes_one_row_of_the_pixels_of_all_images(images, channels, side, rng):
    """Where each has few: all channels, in two parts for threads, read each weight once."""
    kernel = padded_convolution(images, channels, 16, side)
    choices = lower_kernel(kernel, "C").choices
    assert "r9 = join(r0, r2)" in choices and "thread(r7)" in choices
    assert re.search(r"= hold\(r8, r9, r3, \d+\)", choices)
    agrees(kernel, choices, rng)


def test_what_is_divided_for_a_copy_is_divided_once(rng):
    """Pixels of all images are one row of vectors: which image and row it is, each says itself."""
    text = (
        "r9, r10 = hold(r1, r0, r2, r3); r11, r12 = pad(r10, 32); r13, r14 = split(r12, 16); "
        "r20, r21, r22, r23, r24 = pack(r4, r5, r6, r13, r14); stored(r1); stored(r0); stored(r2); "
        "block(r11); r30, r31 = split(r9, 4); block(r30); upcast(r13); simd(r14); upcast(r31)"
    )
    kernel = padded_convolution(3, 8, 4, 7)
    agrees(kernel, text, rng)
    loops = [n.size for n in lowered(kernel, text) if n.op is Ops.RANGE]
    source = loops.index(2), loops.index(16), loops.index(4)
    assert source == tuple(sorted(source))


def test_what_is_not_read_in_windows_does_not_slide():
    with pytest.raises(UsageError, match="nothing is read in windows along r4, r2, r3"):
        chosen(padded_convolution(2, 8, 3, 8), "r7, r8 = slide(r4, r2, r3)")
    with pytest.raises(UsageError, match="nothing is read in windows along r1, r3, r6"):
        chosen(padded_convolution(2, 8, 3, 8), "r7, r8 = slide(r1, r3, r6)")


@pytest.mark.parametrize("text", ["r7, r8 = hold(r4, r3)", "r7, r8 = hold(r1, r3, r5)"])
def test_only_what_is_reduced_along_an_axis_is_held(text):
    with pytest.raises(UsageError, match="no reduction depends on all of"):
        chosen(padded_convolution(2, 8, 3, 8), text)


def test_what_is_held_has_two_axes_of_known_sizes():
    with pytest.raises(UsageError, match="needs two or more ranges of known sizes"):
        chosen(matmul(8, 8, 6), "r3, r4 = hold(r0)")
