"""Random programs whose tensors are on several devices, against the model of one memory.

Tensors are cut along any axis, or each device has all of them; they are cut anew on the way. Slopes
are where their leaves are, and a step of an optimiser is that of one device. `python tools/fuzz.py
--devices 4` runs more.
"""

from __future__ import annotations

import random

import pytest
from fuzz_methods import Program
from fuzz_runs import case_of, code, failures, fault
from fuzz_shards import misplaced, sets_of, small_pieces, spread, stepped

from rulewright import Context, Tensor

PROGRAMS = {"values": 12, "gradient": 4, "symbolic": 4, "jit": 4}
PAIR = ("C", "C:1")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", PROGRAMS)
def test_programs_on_several_devices_hold_what_the_model_says(kind, search, unoptimised):
    first, device = random.randrange(1 << 30) * search, "C" if kind == "values" else "INTERP"
    with Context(DEVICE=device, CC=unoptimised), small_pieces():
        wrong = failures(range(first, first + PROGRAMS[kind]), kind, sets_of(4, device))
    found = [f"{code(f.program)}\n# {kind} {f.seed}: {f.cause}\n# {f.error}" for f in wrong]
    assert not found, "\n\n".join(found)


def test_tensors_are_cut_and_whole_on_all_sets_of_devices():
    programs = [spread(seed, "values", sets_of(4)).program for seed in range(40)]
    assert {len(program.devices) for program in programs} == {2, 3, 4}
    assert spread(3, "jit", sets_of(3)).program == spread(3, "jit", sets_of(3)).program
    lines = "\n".join(line for program in programs for line in program.lines)
    for word in ("'C:1'), 0)", "'C:1'))", "'C:1'), 1)", "('C', 'INTERP:1')", ".to('C').shard("):
        assert word in lines, word


def test_a_result_that_is_elsewhere_is_found():
    lines = ["from rulewright import Tensor", f"t0 = Tensor([1.0, 2.0]).shard({PAIR}, 0)",
             "t1 = t0 + 1", "t2 = t0.to('C')"]  # fmt: skip
    program = Program(lines, ["t1"], devices=PAIR)
    assert fault(case_of(program)) is None
    problem = fault(case_of(program._replace(outputs=["t2"])))
    assert problem.text == f"Wrong: t2 is on C, not {PAIR}"
    assert misplaced(program, {"t1": Tensor([1.0], device=PAIR)}) == ""


def test_a_step_that_is_another_is_found():
    leaf = Tensor([1.0, 2.0], dtype="f64").shard_(PAIR, 0).requires_grad_()
    program, slope = Program([], [], devices=PAIR), Tensor([0.5, 1.0], dtype="f64")
    assert stepped(program, {"t0": leaf}, {"t0": slope.shard(PAIR, 0)}) == ""
    assert leaf.tolist() == [0.95, 1.9]
    assert "gradient of t0 is on C, not C,C:1@0" in stepped(program, {"t0": leaf}, {"t0": slope})
