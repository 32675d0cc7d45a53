"""Axis choices at random: those that are taken keep what a kernel means, the rest is refused."""

import random

import pytest
from codegen_kernels import (
    agrees,
    axis,
    centred,
    elementwise,
    inputs,
    layernorm,
    matmul,
    param,
    row_sum,
    same,
    softmax,
)

from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import Choice, parse_choices, print_choices
from rulewright.codegen.legal import COPIED, REDUCED, STORED
from rulewright.codegen.lower import lower_fresh, lowering_stages
from rulewright.errors import RulewrightError, UsageError
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

KERNELS = {
    "elementwise": elementwise(12),
    "matmul": matmul(4, 6, 5),
    "row sum": row_sum(3, 10),
    "two stores": centred(3, 4),
    "softmax": softmax(5, 6),
    "layernorm": layernorm(4, 6),
}
WORDS = (
    ["split"] * 3
    + ["pad", "tail", "merge", "join", "keep", "pack", "reorder", "reorder"]
    + ["unroll", "upcast", "simd", "vector", "loop", "block", "thread", "reduce"]
)


def random_choice(axes, pick):
    """A statement over ranges that there are, most of them such as can be made."""
    ids, new = axes.open(), max([*axes.open(), 9]) + 20
    word, id = pick.choice(WORDS), pick.choice(ids)
    if word in ("split", "pad", "tail"):
        return Choice(word, id, pick.randint(1, axes.size(id)), (new, new + 1))
    if word in ("merge", "join", "keep"):
        return Choice(word, id, pick.choice(ids), (new,))
    if word == "reorder":
        return Choice(word, id, pick.choice(ids))
    if word == "pack":
        others = tuple(pick.sample(ids, min(len(ids), pick.randint(0, 2))))
        return Choice(word, id, 0, tuple(range(new, new + 1 + len(others))), others)
    if word == "thread" and pick.random() < 0.5:
        return Choice(word, id, others=tuple(pick.sample(ids, min(len(ids), 1))))
    return Choice(word, id)


def random_choices(kernel, pick):
    taken = []
    for _ in range(pick.randint(1, 6)):
        axes = Axes(kernel)
        for choice in taken:
            axes.apply(choice)
        try:
            choice = random_choice(axes, pick)
            axes.apply(choice)
        except UsageError:
            continue
        taken.append(choice)
    return print_choices(taken)


@pytest.mark.parametrize("name", KERNELS)
def test_choices_that_are_taken_keep_the_meaning(name, rng):
    kernel, pick = KERNELS[name], random.Random(int(rng.integers(1 << 30)))
    refused = 0
    for _ in range(25):
        text = random_choices(kernel, pick)
        arrays = inputs(kernel, rng)
        expected = [a.copy() for a in arrays]
        run_kernel(kernel, expected)
        try:
            for _, graph in lowering_stages(kernel.replace(arg=("k", text)), "C"):
                lowered = graph
        except RulewrightError:
            refused += 1
            continue
        run_kernel(lowered, arrays)
        same(arrays, expected)
    assert refused < 5


def taken(kernel, text):
    axes = Axes(kernel)
    for choice in parse_choices(text):
        axes.apply(choice)
    return axes


def loops(kernel, text):
    """The loops of the first store, outermost first."""
    graph = taken(kernel, text).graph()
    return [r.arg[0] for r in graph.src[0].src[1:] if r.op is Ops.RANGE]


def test_reorder_puts_a_loop_around_another():
    kernel = matmul(4, 6, 5)
    assert loops(kernel, "reorder(r1, r0)") == [1, 0]
    assert loops(kernel, "reorder(r0, r1)") == [0, 1]
    assert loops(kernel, "r3, r4 = split(r0, 2); r5, r6 = split(r1, 3); reorder(r5, r4)") == [
        3, 5, 4, 6,
    ]  # fmt: skip
    assert loops(kernel, "reorder(r1, r0); upcast(r1)") == [0, 1], "the kind says the depth"


def test_what_comes_after_a_reorder_keeps_it():
    kernel = softmax(5, 6)
    assert loops(kernel, "reorder(r3, r0); r4 = keep(r2, r3)") == [3, 0]
    assert loops(matmul(4, 6, 5), "reorder(r1, r0); simd(r0); r3, r4 = pack(r2, r1)") == [1, 0]


def test_reduced_loops_change_places_too(rng):
    i = matmul(4, 6, 5)
    text = "r3, r4 = split(r2, 2); reorder(r4, r3)"
    [node] = [n for n in taken(i, text).graph().toposort() if n.op is Ops.REDUCE]
    assert [r.arg[0] for r in node.src[1:]] == [4, 3]


@pytest.mark.parametrize("cut", ["", "; r5, r6 = split(r1, 4); simd(r4); simd(r6)"])
def test_what_is_read_downwards_of_a_copy_ends_at_its_first(cut, rng):
    """Where a last part goes beyond the end: `agrees` refuses what is read before the copy."""
    i, fill = axis(6, 0), axis(6, 1)
    row = UOp(Ops.STAGE, dtypes.f32, (param(1, 6).index(fill) * 2.0, fill), "reg")
    value = row.index(UOp.index_const(5) - i)
    kernel = UOp.sink(param(0, 6).index(i).store(value).end(i))
    agrees(kernel, f"r3, r4 = split(r0, 4){cut}", rng)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("reorder(r0, r0)", "expected different ranges"),
        ("reorder(r0, r2)", "one store or one reduction loops over"),
        ("r3 = join(r0, r0)", "expected different ranges"),
        ("r3 = join(r1, r2)", "the same stores or reductions"),
        ("r3, r4 = pack(r2, r1); r5 = join(r3, r4)", "the same stores or reductions"),
        ("r3, r4 = split(r0, 0)", "expected 1 or more of the range"),
        ("r3, r4 = tail(r0, 4)", "expected 1 to 3 of the range"),
        ("r3, r4 = pad(r2, 4)", "only a stored range is padded"),
        ("r3, r4 = pad(r1, 4); r5, r6 = split(r4, 3)", "the inner part of a padded range"),
        ("thread(r0); r3, r4 = split(r0, 2)", "cut it first, then say thread"),
        ("thread(r0); thread(r1)", "threads share r0 already"),
        ("simd(r2); loop(r2)", "that is reduced can be " + ", ".join(REDUCED)),
        ("reduce(r0)", "that is stored along can be " + ", ".join(STORED)),
        ("r3, r4 = pack(r2, r1); thread(r3)", "of a copy can be " + ", ".join(COPIED)),
        ("r3 = pack(r2)", "is in different loops"),
        ("r3, r4 = simd(r1)", "it makes no range, found names for 2"),
        ("r3 = pack(r2, r1)", "it makes two ranges, found names for 1"),
    ],
)
def test_choices_that_cannot_be_made_are_refused(text, message):
    with pytest.raises(UsageError, match=message):
        taken(matmul(4, 6, 5), text)


def test_threads_share_what_every_store_loops_over():
    assert taken(centred(3, 4), "thread(r0)").kind(0) == "thread"
    with pytest.raises(UsageError, match="every store of the kernel loops over"):
        taken(centred(3, 4), "thread(r1)")


def test_what_would_be_written_out_too_often_is_refused():
    with pytest.raises(UsageError, match="5000 values, each with its own code; at most 1024"):
        taken(elementwise(5000), "upcast(r0)")
    assert taken(elementwise(5000), "simd(r0)").kind(0) == "simd"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thread(r0)", "this target has workgroups"),
        ("r1, r2 = split(r0, 3); vector(r2)", "expected a range of 2 or 4 or 8 or 16 elements"),
    ],
)
def test_choices_that_a_gpu_does_not_have_are_refused(text, message):
    with pytest.raises(UsageError, match=message):
        lower_fresh(elementwise(96).replace(arg=(None, text)), "OPENCL")


def test_what_is_refused_is_not_chosen():
    axes = Axes(matmul(4, 6, 5))
    for wrong in ("thread(r2)", "r3 = merge(r0, r1)", "r3, r4 = pad(r2, 2)"):
        with pytest.raises(UsageError):
            axes.apply(parse_choices(wrong)[0])
    assert axes.choices == [] and axes.graph() is axes.ast


@pytest.mark.parametrize(
    "text",
    [
        "r3 = join(r0, r1); r4, r5 = split(r3, 14)",
        "r3 = join(r0, r1); r4, r5 = pad(r3, 7)",
        "r3, r4 = split(r1, 3); r5, r6 = pad(r3, 4)",
        "r3, r4 = pad(r1, 4); r5, r6 = pad(r4, 3); r7, r8 = pad(r3, 3)",
        "r3, r4 = pad(r0, 3); r5 = join(r4, r1); r6, r7 = pad(r5, 4); r8, r9 = pack(r2, r7)",
    ],
)
def test_an_uneven_cut_of_ranges_that_were_joined_or_cut_is_gated(text, rng):
    kernel = matmul(4, 6, 5)
    arrays = inputs(kernel, rng)
    expected = [a.copy() for a in arrays]
    run_kernel(kernel, expected)
    graph = taken(kernel, text).graph()
    run_kernel(graph, arrays)
    same(arrays, expected)


def test_kinds_chosen_before_a_copy_stay(rng):
    graph = taken(matmul(4, 6, 5), "simd(r0); r3, r4 = pack(r2, r1)").graph()
    assert {n.arg for n in graph.toposort() if n.op is Ops.RANGE} >= {(0, "simd")}
