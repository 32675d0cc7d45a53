"""Sampled contents of memory and values of variables, the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

Array = np.ndarray[Any, Any]

_SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.0, 3e38, 1e-40, 100.0)


def numbers(dtype: DType, count: int, rng: np.random.Generator, special: bool = False) -> Array:
    """`count` values of a dtype: everyday ones, among them the odd ones if `special`."""
    if dtype.is_bool:
        return rng.integers(0, 2, count).astype(dtype.np)
    if dtype.is_float:
        found = rng.standard_normal(count).astype(dtype.np)
        if special:
            at = rng.random(count) < 0.5
            with np.errstate(all="ignore"):
                found[at] = rng.choice(np.array(_SPECIAL), at.sum()).astype(dtype.np)
        return found
    low, high = int(dtype.min), int(dtype.max)
    found = rng.integers(max(low, -4), 13, count)
    if special:
        extremes = np.array([max(low, -1), 0, 1, 2, low, high, low + 1, high - 1], object)
        at = rng.random(count) < 0.5
        mixed = found.astype(object)
        mixed[at] = rng.choice(extremes, at.sum())
        return mixed.astype(dtype.np)
    return found.astype(dtype.np)


def between(low: int, high: int, count: int, rng: np.random.Generator) -> Array:
    """`count` whole numbers from `low` to `high`, the ends among them."""
    low, high = max(low, -(1 << 62)), min(high, 1 << 62)
    found = rng.integers(low, high, count, endpoint=True)
    near = rng.integers(low, min(high, low + 12), count, endpoint=True)
    ends = rng.choice(np.array([low, high, min(high, low + 1), max(low, high - 1)]), count)
    return np.select([rng.random(count) < 0.3, rng.random(count) < 0.5], [ends, near], found)


def memory_of(*graphs: UOp) -> list[UOp]:
    """The PARAMs and BUFFERs of graphs, not those within the kernels that they call; by slot."""
    found: dict[UOp, None] = {}
    stack = list(graphs)
    while stack:
        node = stack.pop()
        if node not in found:
            found[node] = None
            stack.extend(node.src[1:] if node.op is Ops.CALL else node.src)
    held = [n for n in found if n.op in (Ops.PARAM, Ops.BUFFER)]
    return sorted(held, key=lambda n: (n.op.name, n.arg[0], str(n.dtype.name)))


def contents(nodes: Sequence[UOp], seed: int, special: bool = False) -> dict[UOp, Array]:
    """An array for each memory, in its shape."""
    return {
        node: numbers(
            node.dtype,
            prod(node.arg[1]) * node.dtype.count,
            np.random.default_rng([seed, int(node.arg[0]) & 0xFFFF]),
            special,
        ).reshape(node.arg[1])
        for node in nodes
    }


def variable_values(graph: UOp, seed: int) -> dict[str, int]:
    """A value for each variable: near its upper bound, its middle, its lower bound in turn."""
    found = {}
    nodes = graph.toposort()
    bound = {node.src[0] for node in nodes if node.op is Ops.BIND}
    for node in nodes:
        if node.op is Ops.VAR and node not in bound:
            name, low, high = node.arg
            found[name] = (high, (low + high + 1) // 2, low)[seed % 3]
    return found
