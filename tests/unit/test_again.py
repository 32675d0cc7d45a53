"""Random programs that run again and again outside of `jit`, with other numbers and positions.

The second time much is found that the first time made: schedules, kernels that are ready, what was
computed on the way. By default half of the programs, which are the same each time.
"""

import random

import numpy as np
import pytest
from again_programs import NUMPY, TENSOR, Program, results

from rulewright import Tensor

ROUNDS = 7
PARTS, PROGRAMS = 4, 12


@pytest.mark.parametrize("part", range(PARTS))
def test_programs_that_run_again_hold_what_numpy_does(part, search):
    moved = random.randrange(1 << 30) * search
    first = part * PROGRAMS + moved
    for seed in range(first, first + (PROGRAMS if search else PROGRAMS // 2)):
        program, values = Program(random.Random(seed)), np.random.default_rng(seed)
        for _ in range(ROUNDS):
            arrays = values.integers(-3, 4, (2, *program.size)).astype(program.kind)
            names = program.names()
            ours = {**TENSOR, "realized": Tensor.realize}
            tensors = [Tensor(array).realize() for array in arrays]
            actual = results(program, ours, tensors, names)
            wanted = results(program, {**NUMPY, "realized": id}, arrays.copy(), names)
            where = f"seed {seed}, {program.kind} {program.size}: {program.statements}, {names}"
            assert actual.pop("seen") == wanted.pop("seen"), where
            for name, tensor in actual.items():
                np.testing.assert_array_equal(tensor.numpy(), wanted[name], f"{name}: {where}")
