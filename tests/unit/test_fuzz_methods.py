"""Thousands of random programs out of the table of methods: tensors against a model of memory.

Operands are in memory, constant, counted up, computed and views, of size 0 and 1; programs write
into them, realise on the way, cut by variables, take gradients, and are steps of `jit` with state.
One that is wrong is made small and printed as a function to paste, which `rulewright bisect
FILE.py:program` takes. By default these are 1,469 programs, the same each time; 5,000 others with
`SEARCH=1`, as `tox -e nightly` has it. Rules do not need them to be covered: those fire in cases
(`test_cover.py`). `python tools/fuzz.py` runs more.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from fuzz_calls import CALLS, SMOOTH
from fuzz_gradients import difference
from fuzz_memory import Memory
from fuzz_methods import BOUND, Program, written
from fuzz_runs import Case, accepted, case_of, code, failures, fault, less_of, refused, smallest
from fuzz_steps import step_code, wanted

from rulewright import Context, Tensor
from rulewright.options import options

SEEDS = {"values": 3200, "gradient": 500, "symbolic": 300, "jit": 400}
BINDINGS = 3  # of each symbolic program
FEWER = 4  # times, but for the first part of each kind, unless they are drawn anew
PART = {"values": 200, "gradient": 100, "symbolic": 100, "jit": 50}  # programs side by side
CHECKED = 50  # the first of each kind are a part of their own: at VERIFY=1, compiled as for users
OPTIMISED = 8  # so is one part of so many; the others without the optimiser
MOST_REFUSED = 0.1  # of jitted steps
STARTS = {kind: [0, *range(CHECKED, SEEDS[kind], PART[kind])] for kind in SEEDS}
PARTS = [(kind, number) for kind, starts in STARTS.items() for number in range(len(starts))]
HEAD = ["import numpy as np", "from rulewright import Tensor, Variable, dtypes"]


def seeds_of(kind, number, anew):
    """The first seed of a part, and that behind its last."""
    first, end = [*STARTS[kind], SEEDS[kind]][number : number + 2]
    return first, end if anew or not number else first + (end - first) // FEWER


@pytest.mark.timeout(120)  # up to 200 programs and, at times, as many calls of the C compiler
@pytest.mark.parametrize(("kind", "number"), PARTS)
def test_programs_hold_what_the_model_says(kind, number, search, unoptimised):
    device = "INTERP" if kind == "jit" and number else "C"  # each step is compiled by itself
    compiler = unoptimised if number % OPTIMISED else options().CC
    first, end = seeds_of(kind, number, search)
    refused.clear()
    with Context(VERIFY=int(number == 0), DEVICE=device, CC=compiler):
        moved = random.randrange(1 << 30) * search
        wrong = failures(range(first + moved, end + moved), kind)
    found = [f"{code(f.program)}\n# {kind} {f.seed}: {f.cause}\n# {f.error}" for f in wrong]
    assert not found, "\n\n".join(found)
    assert refused.total() <= MOST_REFUSED * (end - first), refused


def test_there_are_enough_programs_of_enough_methods():
    for anew, programs in ((True, 5000), (False, 1469)):
        runs = {"values": 1, "gradient": 1, "symbolic": BINDINGS, "jit": 1}
        parts = [(runs[kind], *seeds_of(kind, number, anew)) for kind, number in PARTS]
        assert sum(times * (end - first) for times, first, end in parts) == programs
    assert len(CALLS) > 240 and len(SMOOTH) > 170


def test_a_program_is_the_same_each_time_it_is_written():
    for kind in SEEDS:
        first, again, other = (written(seed, kind).program for seed in (5, 5, 6))
        assert first == again != other
        assert first.kind == kind and first.setup <= len(first.lines)


def test_programs_have_operands_of_all_sorts():
    lines = "\n".join(line for seed in range(60) for line in written(seed, "values").program.lines)
    for sort in ("Tensor.full(", "Tensor.arange(", ".expand(", ".permute(", "* 1\n", "Tensor(np.",
                 "Tensor.realize(", ".assign(", "] *= ", "size=(0,", "size=(1,"):  # fmt: skip
        assert sort in lines, sort


# ---- the model ---------------------------------------------------------------------------------

START = "t0 = Tensor([[1, 2, 3], [4, 5, 6]])"


@pytest.mark.parametrize("view", [
    "t0.T", "t0.reshape(6)", "t0.flatten()", "t0[1]", "t0[:, ::2]", "t0[::-1]", "t0[None]",
    "t0.expand(2, 3)", "t0.split(2, 1)[1]", "t0.diagonal()", "t0.detach()",
    "t0.T[1:].T.unsqueeze(0)", "t0.unfold(1, 2, 1)", "(t0.T, t0.mT)[1]",
    "t0[:, 1:].reshape(2, 1, 2)",
])  # fmt: skip
def test_views_show_what_is_written(view):
    memory, other = Memory(), Memory()
    for line in (START, f"t1 = {view}", "t0 += 10"):
        memory.run(line)
    for line in (START, "t0 += 10", f"t1 = {view}"):
        other.run(line)
    assert memory.held["t1"].storage is memory.held["t0"].storage
    assert memory.held["t1"].shown().exact.tolist() == other.held["t1"].shown().exact.tolist()


@pytest.mark.parametrize("value", [
    "t0 + 0", "t0.clone()", "t0[[1, 0]]", "t0.flip(0)", "t0.repeat(1, 1)", "t0.T.reshape(6)",
    "t0.T.flatten()", "t0[Tensor([0])]", "t0 ** 1", "t0.cast('f32')", "t0[:, 1:].flatten()",
    "(t0.T * 1)[1]", "t0.abs().T", "Tensor.stack([t0])",
])  # fmt: skip
def test_values_do_not(value):
    memory = Memory()
    for line in (START, f"t1 = {value}"):
        memory.run(line)
    before = memory.held["t1"].shown().exact.tolist()
    memory.run("t0 += 10")
    memory.run("t0.assign(t0 * 2)")
    memory.run("t0[0] = 7")
    assert memory.held["t1"].shown().exact.tolist() == before
    assert memory.held["t0"].shown().exact.tolist() == [[7, 7, 7], [28, 30, 32]]


def test_writes_through_views_are_seen_by_all():
    memory = Memory()
    for line in (START, "t1 = t0.T", "t2 = t1[1]", "t2 *= t0[:, 0]", "t1[0, 1:] = 9"):
        memory.run(line)
    assert memory.held["t0"].shown().exact.tolist() == [[1, 2, 3], [9, 20, 6]]
    assert not memory.held["t0"].storage.is_frozen
    memory.run("t3 = t0.cast('i64')")  # the same tensor, or another: nobody says
    memory.run("t4 = t2.expand(5, 2)")
    assert not any(memory.held[name].is_writable for name in ("t0", "t3", "t4"))


def test_errors_travel_from_line_to_line():
    memory = Memory()
    for line in ("t0 = Tensor([0.1, 0.2])", "t1 = t0 / 3", "t0 += t1", "t2 = t0.sum()"):
        memory.run(line)
    shown = memory.held["t2"].shown()
    assert 0 < shown.tolerance < 1e-6 and abs(shown.shadow - 0.4) < 1e-7


# ---- what is wrong is found, and made small ------------------------------------------------------


def program_of(*lines: str, outputs: list[str], kind: str = "values", setup: int = 3) -> Program:
    return Program([*HEAD, *lines], outputs, kind, setup)


@pytest.mark.timeout(60)  # a program is made small by running it many times
def test_a_value_that_is_wrong_is_found():
    program = program_of("t0 = Tensor([1.0, 2.0])", "t1 = t0 * 2", "t2 = t0 + 1", outputs=["t1"])
    case = case_of(program)
    assert fault(case) is None
    case.memory.held["t1"].storage.parts[1][1] += 1e-3
    assert fault(case) is None  # the very number that the interpreter gives is always right
    case.memory.held["t1"].storage.parts[0][1] += 1e-3
    assert fault(case).cause == "wrong value" and "t1[1]" in fault(case).text
    assert smallest(case).cause.startswith("wrong value: ")


def test_a_program_is_made_small():
    program = program_of("t0 = Tensor([1.0, 2])", "t1 = t0 + 1", "t2 = t0.sum()", "t3 = t1 * 2",
                         "t1 += 1", outputs=["t2", "t3"])  # fmt: skip
    needed = {"t0 = Tensor([1.0, 2])", "t1 = t0 + 1", "t3 = t1 * 2"}
    small = less_of(program, lambda p: "t3" in p.outputs and needed <= set(p.lines))
    assert set(small.lines) == needed and small.outputs == ["t3"] and small.setup == 1
    space = {}
    exec(code(program), space)
    assert [t.tolist() for t in space["program"]()] == [3.0, [4.0, 6.0]]


def test_an_error_of_a_step_is_found_with_its_place():
    bad = program_of("t0 = Tensor([1.0])", "t1 = Tensor.nothing(t0)", outputs=["t0"])
    found = fault(Case(bad, Memory()))
    assert found.cause.startswith("UnknownAttributeError in ") and "nothing" in found.cause


def test_gradients_are_compared_along_a_direction():
    line = "t0 = (Tensor(np.array([0.5, -2.0]), dtype='f64')).requires_grad_()"
    program = program_of(line, "t1 = t0 * t0", outputs=["t1"], kind="gradient")
    right = 2 * np.array([0.5, -2.0]) * np.cos([1.0, 2.0])
    assert difference(program, {"t0": right}) == "" and fault(case_of(program)) is None
    assert "differences give" in difference(program, {"t0": right + 0.01})
    corner = program_of(line, "t1 = (t0 - t0.detach()).abs()", outputs=["t1"], kind="gradient")
    at_zero = program_of(line.replace("0.5", "0.0"), "t1 = t0.abs()", outputs=["t1"],
                         kind="gradient")  # fmt: skip
    assert difference(at_zero, {"t0": np.array([3.0, 0.0])}) == ""  # a corner: nothing is said
    assert corner.kind == "gradient"


def test_steps_are_called_with_other_numbers_and_keep_state():
    first = "t0 = Tensor(np.random.default_rng(3).integers(0, 9, (2,)), dtype='i64')"
    program = program_of(first, "t1 = Tensor([1, 2])", "t1 += t0", "t2 = t1 * 2", outputs=["t2"],
                         kind="jit", setup=4)  # fmt: skip
    results, state = wanted(program)
    drawn = [np.random.default_rng(3 + i).integers(0, 9, (2,)) for i in range(5)]
    sums = np.array([1, 2]) + np.cumsum(drawn, axis=0)
    assert [values[0].then.exact.tolist() for values in results] == (sums * 2).tolist()
    assert state[0].shown().exact.tolist() == sums[-1].tolist()
    assert fault(case_of(program)) is None and "nonlocal t1" in step_code(program)
    other = program._replace(lines=[*program.lines[:-2], "t1 -= t0", program.lines[-1]])
    with pytest.raises(AssertionError, match="expected"):
        compare_other(program, other)


def compare_other(program: Program, other: Program) -> None:
    results, _ = wanted(program)
    against, _ = wanted(other)
    for values, wrong in zip(results, against, strict=True):
        assert (values[0].then.exact == wrong[0].then.exact).all(), "expected others"


def test_lines_that_symbolic_tensors_refuse_are_left_out():
    program = program_of(BOUND.format(3), "t0 = Tensor.arange(8)", "t1 = t0[:n]",
                         "t2 = t1.unique()", "t3 = t1 + 1",
                         outputs=["t2", "t3"], kind="symbolic")  # fmt: skip
    kept = accepted(program)
    assert kept.outputs == ["t3"] and "t2 = t1.unique()" not in kept.lines
    case = case_of(kept)
    assert case.bound == 3 and case.memory.held["t3"].shown().exact.tolist() == [1, 2, 3]
    assert fault(case) is None


def test_tensors_of_the_model_have_no_memory_in_common_with_those_of_programs():
    memory, t = Memory(), Tensor([1, 2])
    memory.plain["t"] = t
    memory.run("t0 = t + 0")
    memory.run("t0 += 1")
    assert t.tolist() == [1, 2] and memory.held["t0"].shown().exact.tolist() == [2, 3]
