"""Inputs for kernels that are only known by their graph."""

import numpy as np

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def random_array(node: UOp, rng: np.random.Generator) -> np.ndarray:
    """Contents for a parameter: small numbers, so that few results overflow."""
    count = int(np.prod(node.arg[1]))
    if node.dtype.is_float:
        return rng.normal(size=count).astype(node.dtype.np)
    return rng.integers(0, 2 if node.dtype.is_bool else 20, count).astype(node.dtype.np)


def params_of(kernel: UOp) -> list[UOp]:
    found = [n for n in kernel.toposort() if n.op is Ops.PARAM]
    return sorted(found, key=lambda n: int(n.arg[0]))
