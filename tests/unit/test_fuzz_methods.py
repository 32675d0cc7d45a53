"""Random programs out of the table of methods: tensors against a model of memory.

Operands are in memory, constant, counted up, computed and views; programs write into them, realise
on the way, cut by variables, take gradients, and are steps of `jit` with state. A program that is
wrong is made small, and printed as a function to paste, which `rulewright bisect FILE.py:program`
takes. `python tools/fuzz.py` runs more of them.
"""

from __future__ import annotations

import pytest
from fuzz_calls import CALLS, SMOOTH
from fuzz_runs import code, failures

from rulewright import Context

IN_ALL = {"values": 3000, "gradient": 700, "symbolic": 300, "jit": 400}
PART, BATCH = 100, 50
PARTS = [(kind, first) for kind, count in IN_ALL.items() for first in range(0, count, PART)]


@pytest.mark.parametrize(("kind", "first"), PARTS)
def test_programs_hold_what_the_model_says(kind, first):
    device = "C" if kind != "jit" or first == 0 else "INTERP"  # one compilation for each step
    wrong = []
    with Context(VERIFY=int(first == 0), DEVICE=device):
        for begin in range(first, first + PART, BATCH):
            wrong += failures(range(begin, begin + BATCH), kind)
    assert not wrong, "\n\n".join(f"{code(f.program)}\n# {f.cause}\n# {f.error}" for f in wrong)


def test_there_are_enough_programs_of_enough_methods():
    assert sum(IN_ALL.values()) + 2 * IN_ALL["symbolic"] == 5000  # three bindings each
    assert len(CALLS) > 240 and len(SMOOTH) > 130
