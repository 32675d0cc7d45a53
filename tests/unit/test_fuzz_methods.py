"""2,000 random programs out of the table of methods: the C device against the interpreter.

Programs of a batch are realised together, so that the C compiler runs once for all of them. One
that is wrong is run alone, made small line by line, and printed as a function to paste, which
`rulewright bisect FILE.py:program` takes.
"""

from __future__ import annotations

import random

import pytest
from fuzz_methods import CALLS, Program, programs
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from test_fuzz_programs import check, reference

from rulewright import Context, Tensor

IN_ALL, PROGRAMS, BATCH = 2000, 500, 20


def agree(batch: list[Program]) -> None:
    """Realise the outputs of all programs at once and compare each with the interpreter."""
    found = [program.results() for program in batch]
    wanted = [[reference(t) for t in tensors] for tensors in found]
    found = [[t.contiguous() for t in tensors] for tensors in found]  # views are compiled now too
    Tensor.realize(*(t for tensors in found for t in tensors))
    for program, tensors, values in zip(batch, found, wanted, strict=True):
        for name, tensor, value in zip(program.outputs, tensors, values, strict=True):
            check(name, tensor.numpy(), value)


def wrong(program: Program) -> Exception | None:
    """What is wrong with a program by itself; nothing if a line of it does not run."""
    try:
        program.results()
    except Exception:
        return None
    try:
        agree([program])
    except Exception as error:
        return error
    return None


def explanation(batch: list[Program]) -> str:
    """The first program that is wrong by itself, made small; else all of them."""
    for program in batch:
        if wrong(program):
            small = program.smallest(lambda less: wrong(less) is not None)
            return f"{small.code()}\n# {wrong(small)}"
    return "\n".join([program.code() for program in batch] + ["# each is right by itself"])


@pytest.mark.parametrize("part", range(IN_ALL // PROGRAMS))
def test_programs_of_methods_agree_with_the_interpreter(part, search):
    number = random.randrange(1 << 30) if search else part
    print(f"seed {number}")
    phases, ran = [Phase.generate], 0  # lines are taken out here, many times faster

    @seed(number)
    @settings(
        max_examples=PROGRAMS // BATCH, suppress_health_check=list(HealthCheck), phases=phases
    )
    @given(st.lists(programs(), min_size=BATCH, max_size=BATCH))
    def test(batch):
        nonlocal ran
        try:
            agree(batch)
        except Exception as error:
            raise AssertionError(explanation(batch)) from error
        ran += len(batch)

    with Context(VERIFY=int(part == 0)):
        test()
    assert ran >= PROGRAMS


def test_most_methods_are_drawn_from():
    assert len(CALLS) > 230


def test_a_wrong_program_is_made_small():
    lines = ["import numpy as np", "from rulewright import Tensor", "a = Tensor([1.0, 2])",
             "b = a + 1", "c = a.sum()", "d = b * 2", "b += 1"]  # fmt: skip
    small = Program(lines, ["c", "d"]).smallest(
        lambda p: "d" in p.outputs and {"b = a + 1", "d = b * 2"} <= set(p.lines)
        and any(line.startswith("a = ") for line in p.lines)
    )  # fmt: skip
    assert small == Program(["a = Tensor([1.0, 2])", "b = a + 1", "d = b * 2"], ["d"])
    tensors = Program(lines, ["c", "d"]).results()
    assert [t.tolist() for t in tensors] == [3.0, [4.0, 6.0]]
    assert wrong(Program(lines, ["c", "d"])) is None
