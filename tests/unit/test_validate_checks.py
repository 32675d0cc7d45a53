"""The checks of VERIFY by themselves: what each refuses, in words, and what it lets pass."""

from __future__ import annotations

import numpy as np
import pytest
from codegen_kernels import param

from rulewright import Tensor, Variable, jit, load_rules
from rulewright.errors import ValidationError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.verify.validate.bounds import MOST_POINTS, check_bounds
from rulewright.verify.validate.races import check_races
from rulewright.verify.validate.rules import difference
from rulewright.verify.validate.values import check_values

f32, i32 = dtypes.f32, dtypes.i32


def kernel(index: UOp, value: UOp, *loops: UOp, size: int = 8) -> UOp:
    return UOp.sink(param(0, size).index(index).store(value).end(*loops))


I8 = UOp.range(8, 0)
ONE = UOp.const(f32, 1.0)


def test_an_index_past_the_end_is_refused_and_a_valid_one_is_not():
    check_bounds(kernel(I8, ONE, I8))
    with pytest.raises(ValidationError, match="accesses element 8 of 8; an access that must not"):
        check_bounds(kernel(I8 + 1, ONE, I8))
    valid = (I8 < 7).where(I8 + 1, UOp(Ops.INVALID, dtypes.index))
    check_bounds(kernel(valid, ONE, I8))


def test_a_loop_that_never_runs_accesses_nothing():
    beyond = param(1, 1).index(UOp.const(dtypes.index, 1))
    never, twice = UOp.range(0, 0), UOp.range(2, 0)
    check_bounds(kernel(never, beyond, never))
    with pytest.raises(ValidationError, match="element 1 of 1"):
        check_bounds(kernel(twice, beyond, twice))


@pytest.mark.parametrize("size", [8, 1 << 14])  # tried one and all, and solved for
def test_a_loop_may_end_where_another_one_has_come_to(size):
    if size > MOST_POINTS:
        pytest.importorskip("z3")
    outer = UOp.range(size, 0)
    inner = UOp.range(size - outer, 1)
    check_bounds(kernel(outer + inner, ONE, outer, inner, size=size))
    with pytest.raises(ValidationError, match=f"accesses element {size} of {size}"):
        check_bounds(kernel(outer + inner + 1, ONE, outer, inner, size=size))


def test_what_is_read_may_be_any_number():
    pytest.importorskip("z3")
    at = param(1, 8, i32).index(I8).cast(dtypes.index)
    with pytest.raises(ValidationError, match="of 8"):
        check_bounds(kernel(at, ONE, I8))
    inside = (at >= 0).alu(Ops.AND, at < 8)
    check_bounds(kernel(inside.where(at, UOp(Ops.INVALID, dtypes.index)), ONE, I8))


def test_what_is_read_is_divided_by_what_is_not_zero_or_is_itself():
    """x % 0 is x: only a divisor from 1 to 8 keeps what was read inside of 8 elements."""
    pytest.importorskip("z3")
    number, by = (param(1 + i, 8, dtypes.u8).index(I8).cast(dtypes.index) for i in (0, 1))
    with pytest.raises(ValidationError, match="of 8; an access that must not happen needs"):
        check_bounds(kernel(number % by.minimum(8), ONE, I8))
    check_bounds(kernel(number % by.minimum(7).maximum(1), ONE, I8))


def test_two_iterations_that_write_one_element_race():
    check_races(kernel(I8, ONE, I8))
    with pytest.raises(ValidationError, match="race: 2 iterations or work items write element"):
        check_races(kernel(I8 // 2, ONE, I8))


@pytest.mark.parametrize("lanes", [1, 4])
def test_iterations_race_where_sums_of_steps_meet(lanes, rng):
    """As numpy counts them: steps of any sign and order, conditions, loops of one iteration."""
    races = 0
    for _ in range(60):
        counts, steps = rng.integers(1, 5, 3).tolist(), rng.integers(-14, 15, 3).tolist()
        loops = [UOp.range(count, at) for at, count in enumerate(counts)]
        places = 200 + sum(np.multiply(np.indices(counts).T, steps).T) + np.zeros((lanes, 1, 1, 1))
        places += np.arange(lanes)[:, None, None, None]
        index = sum((r * step for r, step in zip(loops, steps, strict=True)), UOp.index_const(200))
        if steps[0] % 2:
            index = (loops[0] >= 0).where(index, UOp(Ops.INVALID, dtypes.index))
        at = UOp(Ops.INDEX, f32.vec(lanes), (param(0, 400), index))
        written = UOp.sink(at.store(UOp.const(f32.vec(lanes), 1.0)).end(*loops))
        if len(np.unique(places)) == places.size:
            check_races(written)
            continue
        races += 1
        with pytest.raises(ValidationError, match="iterations or work items write element"):
            check_races(written)
    assert 10 < races < 58


def test_iterations_that_go_on_from_what_each_other_wrote_race_whatever_loops_are_in_the_index():
    own, item = param(0, 8).index(I8), UOp.range(4, 7, "local")
    for value, races in ((ONE, False), (own + 1.0, True)):  # the same again, or one more each time
        closed = UOp.sink(own.store(value).end(I8, item))
        if races:
            with pytest.raises(ValidationError, match="race: 4 iterations or work items write"):
                check_races(closed)
        else:
            check_races(closed)
    step = UOp.range(4, 8, "reduce")  # one after the other
    so_far = param(0, 8).after(step).index(I8)
    check_races(UOp.sink(so_far.store(so_far + 1.0).end(I8, step)))


def test_an_iteration_that_reads_what_another_writes_races():
    own = param(0, 8).index(I8)
    check_races(kernel(I8, own * 2.0, I8))
    with pytest.raises(ValidationError, match="another iteration writes; keep the value first"):
        check_races(kernel(I8, param(0, 8).index(I8 * -1 + 7) * 2.0, I8))


def test_what_was_read_before_a_loop_began_is_read_by_none_of_its_iterations():
    memory, row, lane = param(0, 8), UOp.range(2, 0), UOp.range(4, 1)
    held, before = UOp.register(f32, 1, 0), UOp.range(8, 2)
    kept = held.index(UOp.index_const(0)).store(memory.index(UOp.index_const(3)))
    value = held.after(kept).index(UOp.index_const(0))
    check_races(UOp.sink(memory.after(kept).index(I8).store(value).end(I8)))
    summed = held.after(before).index(UOp.index_const(0)).store(memory.index(before)).end(before)
    value = held.after(summed).index(UOp.index_const(0))
    check_races(UOp.sink(memory.after(summed).index(I8).store(value).end(I8)))
    # of its own row, which another row writes if it is of the next one
    for at, races in ((row * 4, False), ((1 - row) * 4, True)):
        kept = held.after(row).index(UOp.index_const(0)).store(memory.index(at))
        value = held.after(kept).index(UOp.index_const(0))
        stored = memory.after(kept).index(row * 4 + lane).store(value).end(row, lane)
        if not races:
            check_races(UOp.sink(stored))
            continue
        with pytest.raises(ValidationError, match="another iteration writes; keep the value first"):
            check_races(UOp.sink(stored))


def test_a_read_behind_a_gate_that_is_closed_is_none():
    memory = param(0, 8)
    gate, zero = I8 < 4, UOp.const(f32, 0)
    for after, races in ((4, False), (3, True)):
        gate = UOp.index_const(after if races else 0) > I8
        read = UOp(Ops.LOAD, f32, (memory.index((I8 + after) % 8), zero, gate))
        if not races:
            check_races(kernel(I8, read, I8))
            continue
        with pytest.raises(ValidationError, match="another iteration writes; keep the value first"):
            check_races(kernel(I8, read, I8))


def test_values_are_compared_within_what_sums_may_differ():
    r = UOp.range(64, 1, "reduce")
    x = param(1, 64)
    total = x.index(r).reduce(Ops.ADD, r)
    zero = UOp.index_const(0)
    turned = x.index(r * -1 + 63).reduce(Ops.ADD, r)
    check_values(kernel(zero, total, size=1), kernel(zero, turned, size=1))
    with pytest.raises(ValidationError, match="1 of 1 elements of PARAM"):
        check_values(kernel(zero, total, size=1), kernel(zero, total * 1.001, size=1))


@pytest.mark.parametrize(
    "before, after, right",
    [
        (UOp.variable("n", 0, 9) * 2, UOp.variable("n", 0, 9) + UOp.variable("n", 0, 9), True),
        (UOp.variable("n", -3, 3) % 4, UOp.variable("n", -3, 3), False),
        (param(1, 8).index(I8) + 0.0, param(1, 8).index(I8), False),  # -0.0
        (param(1, 8).index(I8) - 0.0, param(1, 8).index(I8), True),
        (param(1, 8, i32).index(I8) * 2 // 2, param(1, 8, i32).index(I8), False),  # it wraps
    ],
)
def test_a_rewritten_node_keeps_its_value_for_all_operands(before, after, right):
    assert (difference(before, after) == "") is right


def test_the_error_names_entry_and_prints_both_graphs():
    error = ValidationError("it differs", "movement", "wrong", "fold.uop:3", ONE, ONE + 1.0)
    lines = str(error).splitlines()
    assert lines[0] == "movement, rule wrong (fold.uop:3): it differs"
    assert lines[1] == "before" and "after" in lines


def test_a_replay_with_larger_sizes_stays_within_its_buffers():
    x = Tensor(np.arange(20, dtype=np.float32).reshape(10, 2)).realize()
    n = Variable("n", 1, 10)
    double = jit(lambda part: part * 2)
    with Context(VERIFY=1):
        for value in (3, 5, 10):
            found = double(x[: n.bind(value)])
            assert found.tolist() == (x.numpy()[:value] * 2).tolist()


def test_memory_of_no_elements_is_read_before_it_is_written():
    nothing = Tensor(np.zeros(0, np.uint8)).cast("f32")
    image = nothing.pad((0, 16)).reshape(1, 1, 4, 4)
    with Context(VERIFY=1):
        assert image.max_pool2d(2, 1, padding=1).tolist() == np.zeros((1, 1, 5, 5)).tolist()


def test_a_write_without_rounds_needs_no_kernel():
    with Context(VERIFY=1):
        kept = Tensor([[1.0, 2.0]]).clone().realize()
        kept[1:] = 0
        assert kept.schedule() == []
        assert (kept + 1).tolist() == [[2.0, 3.0]]


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_rules_in_loops_that_never_run_change_nothing(shape):
    with Context(VERIFY=3):
        x = Tensor(np.ones(shape, np.float32)).realize()
        assert (x + x).tolist() == (np.ones(shape) * 2).tolist()
        assert (x * 2 + 1).sum(0).tolist() == np.ones(shape).sum(0).tolist()


LEANS = """
ruleset mine {
  /// Sums lean to the right.
  rule lean_right<T: f32> EQUIV
    ADD!(ADD!(x:T, y), z) => x + (y + z)
    expands "nothing leans to the left"
    prove interp
    example (PARAM[0]:f32 + PARAM[1]:f32) + PARAM[2]:f32
      => PARAM[0]:f32 + (PARAM[1]:f32 + PARAM[2]:f32)
    reject (PARAM[0]:f16 + PARAM[1]:f16) + PARAM[2]:f16
}
"""


@pytest.mark.parametrize("equiv", ["equiv reassoc", ""])
def test_a_rule_of_a_user_may_change_what_it_says(tmp_path, equiv):
    path = tmp_path / "leans.uop"
    path.write_text(LEANS.replace("EQUIV", equiv))
    numbers = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    x, y, z = (Tensor(row).realize() for row in numbers)
    with load_rules(path), Context(VERIFY=3):
        if equiv:
            np.testing.assert_allclose((x + y + z).numpy(), numbers.sum(0), rtol=1e-5)
        else:
            with pytest.raises(ValidationError, match=r"rule lean_right \(.*leans.uop:4\)"):
                (x + y + z).numpy()
