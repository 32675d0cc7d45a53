"""Random programs over arrays that grow: `python growing_programs.py 0 10 [fenced]`."""

from __future__ import annotations

import random
import sys

import numpy as np
from again_programs import NUMPY, TENSOR, Program, results

from rulewright import Tensor

SIZES = [6, 7, 8, 9, 11, 16, 23, 5, 4, 40]


def run(seed: int) -> int:
    """Run the program of a seed at each size, beside numpy; how many numpy takes."""
    draw, values = random.Random(seed), np.random.default_rng(seed)
    program, axis, count = Program(draw, [(6, 5), (7, 3)]), draw.randint(0, 2), 0
    for size in SIZES:
        shape = [draw.choice(SIZES), size] if axis == 2 else list(program.size)
        shape[axis % 2] = size
        arrays = values.integers(-3, 4, (2, *shape)).astype(program.kind)
        names = program.names()
        try:
            wanted = results(program, {**NUMPY, "realized": id}, arrays.copy(), names)
        except (ValueError, IndexError):
            continue  # two axes were the same by chance
        tensors = [Tensor(array).realize() for array in arrays]
        actual = results(program, {**TENSOR, "realized": Tensor.realize}, tensors, names)
        where = f"seed {seed}, {program.kind} {shape}: {program.statements}, {names}"
        assert actual.pop("seen") == wanted.pop("seen"), where
        for name, tensor in actual.items():
            np.testing.assert_array_equal(tensor.numpy(), wanted[name], f"{name}: {where}")
        count += 1
    return count


if __name__ == "__main__":
    first, end, *fenced = sys.argv[1:]
    if fenced:
        import fenced  # from now on all memory lies between forbidden pages
    print(sum(map(run, range(int(first), int(end)))))
