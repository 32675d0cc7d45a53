"""Kernels that users write in UOps: values on every device, order, gradients, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from function_helpers import numbers
from outputs_helpers import device

from rulewright import Context, KernelInfo, Tensor, UOp, Variable, dtypes, jit
from rulewright.driver.execute import run_items
from rulewright.errors import ArgumentError, DeviceError, FunctionError, UsageError
from rulewright.ir.ops import Ops

__all__ = ["device"]

DEVICES = ["C", "INTERP", "OPENCL"]


def sums(total: UOp, squares: UOp, x: UOp) -> UOp:
    """Rows' sums and sums of squares, two outputs of one pass."""
    rows, columns = x.shape or ()
    i, j = UOp.range(rows, 0), UOp.range(columns, 1, "reduce")
    value = x.index(i, j)
    return (
        total.index(i)
        .store(value.reduce(Ops.ADD, j))
        .end(i)
        .sink(squares.index(i).store((value * value).reduce(Ops.ADD, j)).end(i))
    )


def softmax(largest: UOp, result: UOp, x: UOp) -> UOp:
    """Each row's softmax, and its largest element."""
    rows, columns = x.shape or ()
    i, each = UOp.range(rows, 0), UOp.range(columns, 3)
    j, k = (UOp.range(columns, id, "reduce") for id in (1, 2))
    top = x.index(i, j).reduce(Ops.MAX, j)
    total = (x.index(i, k) - top).alu(Ops.EXP).reduce(Ops.ADD, k)
    value = (x.index(i, each) - top).alu(Ops.EXP) / total
    return UOp.sink(
        largest.index(i).store(top).end(i), result.index(i, each).store(value).end(i, each)
    )


def tiled(c: UOp, a: UOp, b: UOp) -> UOp:
    """A product of matrices whose workgroups share tiles of 4 by 4."""
    (n, k), m, size = a.shape or (), (b.shape or ())[1], 4
    gi, gj = UOp.range(n // size, 0, "global"), UOp.range(m // size, 1, "global")
    li, lj = UOp.range(size, 2, "local"), UOp.range(size, 3, "local")
    outer, inner = UOp.range(k // size, 4, "reduce"), UOp.range(size, 5, "reduce")
    left, right = UOp.local(a.dtype, size * size, 0), UOp.local(b.dtype, size * size, 1)
    free = UOp.barrier(outer)  # what the last round left has been read
    i, j, mine = gi * size + li, gj * size + lj, li * size + lj
    write_left = left.after(free).index(mine).store(a.index(i, outer * size + lj))
    write_right = right.after(free).index(mine).store(b.index(outer * size + li, j))
    full = UOp.barrier(write_left, write_right)
    product = left.after(full).index(li * size + inner) * right.after(full).index(inner * size + lj)
    dot = product.reduce(Ops.ADD, outer, inner)
    return c.index(i, j).store(dot).end(gi, gj, li, lj).sink(info=KernelInfo("tiled_matmul"))


def triple(out: UOp, x: UOp) -> UOp:
    i = UOp.range((x.shape or ())[0], 0)
    return out.index(i).store(x.index(i) * 3.0).end(i)


def test_two_sums_in_one_kernel(device: str) -> None:
    x = numbers(6, 10)
    empty = Tensor.empty(6, device=device)
    with Context(VERIFY=1):
        total, squares, same = empty.custom_kernel(empty, t := Tensor(x, device=device), fxn=sums)
        items = total.schedule(squares)
        assert len(items) == 1 and len(items[0].written) == 2
        run_items(items)
    assert same is t
    np.testing.assert_allclose(total.numpy(), x.sum(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(squares.numpy(), (x * x).sum(1), rtol=1e-5)


def test_softmax_with_its_largest(device: str) -> None:
    x = numbers(5, 7)
    outputs = Tensor.empty(5, device=device), Tensor.empty(5, 7, device=device)
    largest, result, _ = outputs[0].custom_kernel(
        outputs[1], Tensor(x, device=device) * 2, fxn=softmax
    )
    exact = np.exp(2 * (x - x.max(1, keepdims=True)))
    np.testing.assert_array_equal(largest.numpy(), (x * 2).max(1))
    np.testing.assert_allclose(result.numpy(), exact / exact.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("where", ["INTERP", "OPENCL"])
def test_a_tiled_product_with_local_memory(where: str) -> None:
    if where == "OPENCL":
        pytest.importorskip("pyopencl")
    a, b = numbers(8, 12), numbers(12, 16)
    c = Tensor.empty(8, 16, device=where)
    with Context(VERIFY=1):
        c = c.custom_kernel(Tensor(a, device=where), Tensor(b, device=where), fxn=tiled)[0]
        items = c.schedule()
        run_items(items)
    np.testing.assert_allclose(c.numpy(), a @ b, rtol=1e-5, atol=1e-5)
    if where == "OPENCL":
        program = items[-1].lower()
        assert program is not None and program.name == "tiled_matmul"
        assert program.source.count("barrier(") == 2 and "__local" in program.source


def test_local_memory_needs_workgroups() -> None:
    c = Tensor.empty(4, 4).custom_kernel(Tensor.ones(4, 4), Tensor.ones(4, 4), fxn=tiled)[0]
    with pytest.raises(UsageError, match="no workgroups"), Context(DEVICE="C"):
        c.numpy()


def test_a_grid_is_loops_where_there_is_none() -> None:
    def grid(out: UOp, x: UOp) -> UOp:
        i, j = UOp.range(3, 0, "global"), UOp.range(4, 1, "local")
        return out.index(i * 4 + j).store(x.index(i * 4 + j) + 1.0).end(i, j)

    x = numbers(12)
    made = Tensor.empty(12, device="C").custom_kernel(Tensor(x, device="C"), fxn=grid)[0]
    np.testing.assert_array_equal(made.numpy(), x + 1)


# ---- what is written --------------------------------------------------------------------------


def test_sources_keep_their_values_and_what_is_not_written_stays(device: str) -> None:
    def half(out: UOp) -> UOp:
        i = UOp.range(2, 0)
        return out.index(i).store(out.index(i) + 10.0).end(i)

    x = Tensor([1.0, 2.0, 3.0, 4.0], device=device)
    (new,) = x.custom_kernel(fxn=half)
    assert new.tolist() == [11, 12, 3, 4]
    assert x.tolist() == [1, 2, 3, 4]
    assert x.assign(x.custom_kernel(fxn=half)[0]).tolist() == [11, 12, 3, 4]


@pytest.mark.parametrize("times", [0, 1, 2])
def test_loops_that_never_run_leave_memory_as_it_was(device: str, times: int) -> None:
    def all_of_it(out: UOp) -> UOp:
        i, again = UOp.range(3, 0), UOp.range(times, 1)
        return out.index(i).store(UOp.const(out.dtype, 5)).end(i, again)

    def first(out: UOp) -> UOp:
        zero, five = UOp.index_const(0), UOp.const(out.dtype, 5)
        return out.index(zero).store(five).end(UOp.range(times, 0))

    x = Tensor([1.0, 2.0, 3.0], device=device) + 1
    assert x.custom_kernel(fxn=all_of_it)[0].tolist() == ([5, 5, 5] if times else [2, 3, 4])
    assert x[:1].custom_kernel(fxn=first)[0].tolist() == ([5] if times else [2])


def test_places_of_loops_that_never_run_are_none(device: str) -> None:
    def spread(out: UOp, x: UOp) -> UOp:
        i = UOp.range((x.shape or ())[0], 0)
        return out.index(i * 2 + 1).store(x.index(i)).end(i)

    for size in (0, 2):
        x, none = Tensor.ones(size, device=device), Tensor.zeros(2 * size, device=device)
        assert none.custom_kernel(x, fxn=spread)[0].tolist() == [0, 1] * size


def test_loops_may_be_as_long_as_others_say(device: str) -> None:
    def below(out: UOp, x: UOp) -> UOp:
        i = UOp.range(4, 0)
        j = UOp.range(3 - i, 1)
        return out.index(i + 1 + j, i).store(x.index(j + 1 + i, i)).end(i, j)

    x = numbers(4, 4)
    made = Tensor.zeros(4, 4, device=device).custom_kernel(Tensor(x, device=device), fxn=below)[0]
    np.testing.assert_array_equal(made.numpy(), np.tril(x, -1))


def test_powers_and_absolute_values_of_elements(device: str) -> None:
    def kernel(out: UOp, x: UOp) -> UOp:
        i = UOp.range(4, 0)
        return out.index(i).store(abs(x.index(i)) ** 1.5).end(i)

    x = np.array([-4.0, -0.0, 2.25, 9.0], np.float32)
    (y, _) = Tensor.empty(4, device=device).custom_kernel(Tensor(x, device=device), fxn=kernel)
    np.testing.assert_allclose(y.numpy(), np.abs(x) ** 1.5, rtol=1e-6)
    assert not np.signbit(y.numpy()).any()


def test_a_gate_leaves_elements_alone(device: str) -> None:
    def positive(out: UOp, x: UOp) -> UOp:
        i = UOp.range(4, 0)
        gate = x.index(i) > 0.0
        value = x.index(i).load(UOp.const(x.dtype, -1), gate)
        return out.index(i).store(value, gate).end(i)

    x = Tensor([1.0, -2.0, 3.0, -4.0], device=device)
    assert Tensor.full((4,), 7.0, device=device).custom_kernel(x, fxn=positive)[0].tolist() == [
        1, 7, 3, 7,
    ]  # fmt: skip


def test_order_with_kernels_around_it(device: str) -> None:
    """It runs after what it reads is computed, and before what it read is overwritten."""
    x = Tensor([1.0, 2.0], device=device).realize()
    out = Tensor.empty(2, device=device).custom_kernel(x + 1, fxn=triple)[0]
    late = Tensor.empty(2, device=device).custom_kernel(x, fxn=triple)[0]
    x.assign(x * 100)
    with Context(VERIFY=1):
        Tensor.realize(x, out, late)
    assert (x.tolist(), out.tolist(), late.tolist()) == ([100, 200], [6, 9], [3, 6])


def test_a_kernel_of_a_kernel(device: str) -> None:
    x = Tensor([1.0, 2.0, 5.0], device=device)
    for _ in range(3):
        x = Tensor.empty(3, device=device).custom_kernel(x, fxn=triple)[0]
    assert ((x + 1).sum()).item() == 27 * 8 + 3


def test_the_result_goes_straight_to_its_memory() -> None:
    x = Tensor([1.0, 2.0]).realize()
    items = Tensor.empty(2).custom_kernel(x, fxn=triple)[0].schedule()
    assert [item.ast.arg[0] for item in items] == ["triple_2"]


def test_choices_are_kept_with_the_kernel() -> None:
    def chosen(out: UOp, x: UOp) -> UOp:
        i = UOp.range(64, 0)
        info = KernelInfo("chosen", "r1, r2 = split(r0, 8); simd(r2)")
        return UOp.sink(out.index(i).store(x.index(i) * 2.0).end(i), info=info)

    x = numbers(64)
    made = Tensor.empty(64, device="C").custom_kernel(Tensor(x, device="C"), fxn=chosen)[0]
    (item,) = made.schedule()[-1:]
    program = item.lower()
    assert program is not None
    assert (program.name, program.choices) == ("chosen", "r1, r2 = split(r0, 8); simd(r2)")
    run_items([item])
    np.testing.assert_array_equal(made.numpy(), x * 2)


def test_a_kind_on_a_range_is_a_choice() -> None:
    def unrolled(out: UOp, x: UOp) -> UOp:
        i, j = UOp.range(8, 0), UOp.range(4, 1, "upcast")
        return out.index(i, j).store(x.index(i, j) + 1.0).end(i, j)

    x = numbers(8, 4)
    made = Tensor.empty(8, 4, device="C").custom_kernel(Tensor(x, device="C"), fxn=unrolled)[0]
    items = made.schedule()
    program = items[-1].lower()
    assert program is not None and program.choices == "" and "unroll" in program.source
    run_items(items)
    np.testing.assert_array_equal(made.numpy(), x + 1)


def test_registers_by_hand(device: str) -> None:
    """A running sum in a register: its store is after the start, its result after the loop."""

    def last_sum(out: UOp, x: UOp) -> UOp:
        i, j = UOp.range(3, 0), UOp.range(5, 1, "reduce")
        zero = UOp.index_const(0)
        sum = UOp.register(x.dtype, 1, 0)
        start = sum.after(i).index(zero).store(UOp.const(x.dtype, 0))
        before = sum.after(start, j).index(zero)
        loop = before.store(before + x.index(i, j)).end(j)
        return out.index(i).store(sum.after(loop).index(zero)).end(i)

    x = numbers(3, 5)
    made = Tensor.empty(3, device=device).custom_kernel(Tensor(x, device=device), fxn=last_sum)[0]
    np.testing.assert_allclose(made.numpy(), x.sum(1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("verify", [1, 2])
def test_what_is_written_without_a_loop_is_read_again(device: str, verify: int) -> None:
    def added(out: UOp, x: UOp) -> UOp:
        zero = UOp.index_const(0)
        first = out.index(zero).store(x.index(zero))
        before = out.after(first).index(zero)
        return before.store(before + x.index(zero + 1)).sink()

    with Context(VERIFY=verify):
        x = Tensor([2.0, 5.0], device=device)
        assert Tensor.empty(1, device=device).custom_kernel(x, fxn=added)[0].item() == 7


def test_under_the_jit(device: str) -> None:
    @jit
    def step(x: Tensor) -> tuple[Tensor, Tensor]:
        empty = Tensor.empty(3, device=device)
        total, squares, _ = empty.custom_kernel(empty, x + 1, fxn=sums)
        return total, squares

    for seed in range(4):
        x = numbers(3, 4) + seed
        total, squares = step(Tensor(x, device=device))
        np.testing.assert_allclose(total.numpy(), (x + 1).sum(1), rtol=1e-5)
        np.testing.assert_allclose(squares.numpy(), ((x + 1) ** 2).sum(1), rtol=1e-5)
    assert step.captures == 1


# ---- gradients --------------------------------------------------------------------------------


def sums_backward(total: Tensor, squares: Tensor, call: Any) -> Any:
    x = call.sources[2]
    rows = x.shape[0]
    return None, None, total.reshape(rows, 1) + squares.reshape(rows, 1) * 2 * x


@pytest.mark.parametrize("realized", [False, True])
def test_a_gradient_that_is_given(realized: bool) -> None:
    start = Tensor(numbers(3, 4), requires_grad=True)
    empty = Tensor.empty(3)
    total, squares, _ = empty.custom_kernel(empty, start * 2, fxn=sums, grad_fxn=sums_backward)
    if realized:
        Tensor.realize(total, squares)
    (total * 3 + squares * squares).sum().backward()
    other = Tensor(numbers(3, 4), requires_grad=True)
    x = other * 2
    (x.sum(1) * 3 + (x * x).sum(1) * (x * x).sum(1)).sum().backward()
    assert start.grad is not None and other.grad is not None
    np.testing.assert_allclose(start.grad.numpy(), other.grad.numpy(), rtol=1e-4)


def test_the_gradient_of_one_output_alone() -> None:
    x = Tensor(numbers(3, 4), requires_grad=True)
    empty = Tensor.empty(3)
    total = empty.custom_kernel(empty, x, fxn=sums, grad_fxn=sums_backward)[0]
    total.sum().backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), np.ones((3, 4)))


def test_a_gradient_may_be_a_kernel_and_use_results() -> None:
    def backward(out: UOp, y: UOp, g: UOp) -> UOp:
        i = UOp.range(3, 0)
        return out.index(i).store(g.index(i) * y.index(i)).end(i)

    def exponential(out: UOp, x: UOp) -> UOp:
        i = UOp.range(3, 0)
        return out.index(i).store(x.index(i).alu(Ops.EXP)).end(i)

    def given(g: Tensor, call: Any) -> Any:
        return None, Tensor.empty(3).custom_kernel(call.results[0], g, fxn=backward)[0]

    x = Tensor(numbers(3), requires_grad=True)
    y = Tensor.empty(3).custom_kernel(x, fxn=exponential, grad_fxn=given)[0]
    (y * Tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), np.exp(numbers(3)) * [1, 2, 3], rtol=1e-5)


def test_without_a_gradient() -> None:
    x = Tensor(numbers(3), requires_grad=True)
    y = Tensor.empty(3).custom_kernel(x, fxn=triple)[0]
    with pytest.raises(UsageError, match="grad_fxn"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((None,), "answers 1 gradients, expected 2"),
        ((None, 3), "answers 3 for tensor 1, expected a tensor of shape"),
        ((None, Tensor([1.0])), "expected a tensor of shape"),
    ],
)
def test_gradients_that_do_not_fit(answer: Any, message: str) -> None:
    x = Tensor(numbers(3), requires_grad=True)
    y = Tensor.empty(3).custom_kernel(x, fxn=triple, grad_fxn=lambda g, call: answer)[0]
    with pytest.raises(FunctionError, match=message):
        y.sum().backward()


# ---- errors -----------------------------------------------------------------------------------

I4 = UOp.range(4, 0)
WRONG = {
    "no node": (lambda out, x: 3, "expected a SINK of stores, found a int"),
    "open loop": (lambda out, x: out.index(I4).store(x.index(I4)), "that are never closed: r0"),
    "nothing": (lambda out, x: UOp.sink(), "nothing is stored"),
    "whole memory": (lambda out, x: out.index(I4).store(x + 1.0).end(I4), "ADD of whole memory"),
    "whole target": (lambda out, x: out.store(x.index(I4)).end(I4), "a STORE into PARAM"),
    "dtype": (
        lambda out, x: out.index(I4).store(x.index(I4).cast(dtypes.i32)).end(I4),
        "a STORE of i32 into f32: cast the value first",
    ),
    "indices": (lambda out, x: out.index(I4, I4).store(x.index(I4)).end(I4), "2 indices for mem"),
    "index dtype": (
        lambda out, x: out.index(x.index(I4).cast(dtypes.i32)).store(x.index(I4)).end(I4),
        "index 0 is i32; cast",
    ),
    "outside": (
        lambda out, x: out.index(I4 + 1).store(x.index(I4)).end(I4),
        "index 0 is 1 … 4, outside of an axis of size 4",
    ),
    "before": (
        lambda out, x: out.index(I4).store(x.index(I4 - 1)).end(I4),
        "index 0 is -1 … 2, outside of an axis of size 4",
    ),
    "op": (
        lambda out, x: out.index(I4).store(x.index(I4).replace(src=())).end(I4),
        "INDEX takes 1 operands, found 0",
    ),
    "foreign": (
        lambda out, x: out.index(I4)
        .store(UOp(Ops.PARAM, dtypes.f32, (), (7, (4,), None)).index(I4)).end(I4),
        "a PARAM that is none of the placeholders",
    ),
    "movement": (
        lambda out, x: out.index(I4).store(x.flip((True,)).index(I4)).end(I4),
        "movement ops must be gone",
    ),
    "kind": (
        lambda out, x: out.index(r := UOp.range(4, 0, "fast")).store(x.index(r)).end(r),
        "a range of kind 'fast'",
    ),
    "choice": (
        lambda out, x: UOp.sink(
            out.index(I4).store(x.index(I4)).end(I4), info=KernelInfo("k", "simd(r9)")
        ),
        "there is no range r9",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_kernel(name: str) -> None:
    fxn, message = WRONG[name]
    with pytest.raises(FunctionError, match=message):
        Tensor.empty(4).custom_kernel(Tensor.ones(4), fxn=fxn)


def test_what_is_no_tensor() -> None:
    with pytest.raises(ArgumentError, match="custom_kernel: others is a tensor, found 3"):
        Tensor.empty(4).custom_kernel(3, fxn=triple)  # type: ignore[arg-type]
    symbolic = Tensor.ones(4)[: Variable("n", 1, 4).bind(2)]
    with pytest.raises(FunctionError, match="expected a tensor of known sizes as number 1"):
        Tensor.empty(4).custom_kernel(symbolic, fxn=triple)


def test_what_a_file_holds_is_read(tmp_path: Path) -> None:
    x = Tensor([1.0, 2.0, 3.0]).to(f"DISK:{tmp_path}/x")
    out, same = Tensor.empty(3).custom_kernel(x, fxn=triple)
    assert (out.tolist(), same is x) == ([3.0, 6.0, 9.0], True)


def test_tensors_on_several_devices() -> None:
    with pytest.raises(DeviceError, match="operands are on"):
        Tensor.empty(2, device="C").custom_kernel(Tensor([1.0, 2.0], device="INTERP"), fxn=triple)


def test_a_schedule_is_found_again() -> None:
    """Equal programs with other tensors, and other gradients, are one schedule."""
    found = []
    for scale in range(2):
        x = Tensor(numbers(3) + scale).realize()
        y = Tensor.empty(3).custom_kernel(x, fxn=triple, grad_fxn=lambda g, call: (None, g * 3))[0]
        found.append(y.schedule()[0].ast)
    assert found[0] is found[1]


@pytest.mark.parametrize("kinds", [("loop", "loop"), ("upcast", "simd"), ("upcast", "upcast")])
@pytest.mark.parametrize("turns", [["ijk"], ["jk", "i"], ["k", "j", "i"], ["k", "ij"]])
def test_loops_may_be_closed_in_turn(kinds: tuple[str, str], turns: list[str]) -> None:
    """All of their iterations write, a sum of a row among them."""
    x = np.arange(32, dtype=np.float32).reshape(4, 8)

    def kernel(out: UOp, x: UOp) -> UOp:
        loops = UOp.range(4, 0), UOp.range(2, 1, kinds[0]), UOp.range(4, 2, kinds[1])
        i, j, k = loops
        each = UOp.range(8, 3, "reduce")
        value = x.index(i, each).reduce(Ops.ADD, each) + x.index(i, j * 4 + k)
        effect = out.index(i, j * 4 + k).store(value)
        for turn in turns:
            effect = effect.end(*(loops["ijk".index(name)] for name in turn))
        return effect.sink()

    out = Tensor.zeros(4, 8).contiguous()
    found = Tensor.custom_kernel(out, Tensor(x), fxn=kernel)[0].numpy()
    np.testing.assert_array_equal(found, x.sum(1, keepdims=True) + x)
