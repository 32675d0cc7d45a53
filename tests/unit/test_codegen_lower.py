"""Programs: names, estimates, launch, caching, and the order of their lists."""

import pytest
from codegen_kernels import (
    KERNELS,
    argmax,
    axis,
    centred,
    elementwise,
    matmul,
    moments,
    padded,
    param,
    row_sum,
    softmax,
    symbolic,
    twice,
)

from rulewright.codegen.linearize import linearize
from rulewright.codegen.lower import lower_kernel
from rulewright.errors import StageError
from rulewright.ir.linear import linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def opened(program):
    """The loops of a program as text: `{` and `}` with the kinds of ranges."""
    parts = []
    for node in program.uops:
        if node.op is Ops.RANGE:
            parts.append(node.arg[1] + "{")
        elif node.op is Ops.END:
            parts.append("}")
    return " ".join(parts)


def test_names_say_what_is_computed():
    assert lower_kernel(elementwise(4096), "C").name == "e_4096"
    assert lower_kernel(matmul(8, 32, 16), "C").name == "r_8_32_16"
    assert lower_kernel(symbolic(9), "C").name == "r_n_n"
    assert lower_kernel(KERNELS["single"], "C").name == "e_1"


def test_equal_kernels_are_one_program():
    assert lower_kernel(elementwise(64), "C") is lower_kernel(elementwise(64), "C")
    assert lower_kernel(elementwise(64), "C") is not lower_kernel(elementwise(64), "CUDA")


def test_estimates():
    work = lower_kernel(matmul(8, 32, 16), "C").estimates
    assert work.flops == 2 * 8 * 32 * 16
    assert work.bytes == 4 * (8 * 32 + 8 * 16 + 32 * 16)
    work = lower_kernel(elementwise(100), "C").estimates
    assert (work.flops, work.bytes) == (300, 800)
    assert lower_kernel(padded(50), "C").estimates.bytes <= 4 * (54 + 54)


def test_estimates_of_symbolic_sizes():
    flops = lower_kernel(symbolic(50), "C").estimates.flops
    n = next(v for v in flops.toposort() if v.op is Ops.VAR)
    assert int(flops.substitute({n: UOp.index_const(7)})) == 7 + 7 + 7


def test_parameters_and_variables():
    program = lower_kernel(symbolic(50), "C")
    assert program.parameters == (0, 1)
    assert [v.arg[0] for v in program.variables] == ["n"]
    assert lower_kernel(centred(5, 200), "C").parameters == (0, 1, 2)


def test_reductions_stand_outside_of_loops_that_do_not_feed_them():
    given = softmax(5, 7).replace(arg=("plain", "loop(r0)"))
    assert opened(lower_kernel(given, "C")) == "loop{ reduce{ } reduce{ } loop{ } }"


def test_reductions_over_one_range_share_a_loop():
    given = moments(4, 500).replace(arg=("plain", "loop(r0)"))
    assert opened(lower_kernel(given, "C")) == "loop{ reduce{ } }"


def test_a_reduction_that_needs_another_has_its_own_loop():
    given = argmax(4, 9).replace(arg=("plain", "loop(r0)"))
    assert opened(lower_kernel(given, "C")) == "loop{ reduce{ } reduce{ } }"


def test_stores_share_a_loop():
    assert opened(lower_kernel(twice(320), "C")) == "loop{ }"


def test_every_loop_is_closed_and_every_source_comes_first():
    inline = {Ops.CONST, Ops.PARAM, Ops.VAR, Ops.AFTER}
    for kernel in KERNELS.values():
        seen, loops = set(), []
        for node in lower_kernel(kernel, "C").uops:
            for source in node.src if node.op is not Ops.END else ():
                base = source.base if source.op is Ops.AFTER else source
                assert base in seen or base.op in inline, f"{source!r} comes after {node!r}"
            if node.op is Ops.RANGE:
                loops.append(node)
            elif node.op is Ops.END:
                assert loops.pop() is node.src[1]
            seen.add(node)
        assert not loops


def test_products_are_joined_with_sums_only():
    assert any(n.op is Ops.MULACC for n in lower_kernel(matmul(8, 32, 16), "C").uops)
    assert not any(n.op is Ops.MULACC for n in lower_kernel(elementwise(64), "C").uops)


def test_index_arithmetic_is_as_wide_as_needed():
    def widths(kernel, target):
        uops = lower_kernel(kernel, target).uops
        return {n.dtype.name for n in uops if n.op in (Ops.RANGE, Ops.SPECIAL)}

    assert widths(elementwise(64), "CUDA") == {"i32"}
    assert widths(elementwise(64), "C") == {"i64"}
    assert widths(row_sum(1 << 16, 1 << 16), "CUDA") == {"i64"}


def test_linear_forms():
    i, j = axis(4, 0), axis(5, 1)
    form = linear(i * 5 + j + 3)
    assert form.constant == 3 and form.stride(i) == 5 and form.stride(j) == 1
    form = linear(i // 2 + j)
    assert form.stride(i) is None and form.uses(i) and form.stride(j) == 1
    assert not linear(j).uses(i)


def test_a_loop_that_is_not_closed():
    i = axis(4, 0)
    with pytest.raises(StageError, match="r0 is never closed"):
        linearize(UOp.sink(param(0, 4).index(i).store(UOp.const(param(0, 4).dtype, 1.0))))


def test_a_loop_that_needs_its_own_end():
    i, memory = axis(4, 0), UOp(Ops.DEFINE_REG, param(0, 4).dtype, (), (0, 4))
    one = UOp.const(memory.dtype, 1.0)
    first = memory.index(i).store(one).end(i)
    second = param(0, 4).index(i).store(memory.after(first).index(i).load()).end(i)
    with pytest.raises(StageError, match="r0 needs its own end"):
        linearize(UOp.sink(second))
