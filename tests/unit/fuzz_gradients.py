"""Gradients of random programs, beside differences of what the model computes."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from fuzz_memory import Memory
from fuzz_methods import Program

from rulewright import Tensor

STEP = 1e-5


STEEP = {
    "sqrt()": (0, 0), "acosh()": (0, 0), "asin()": (-math.pi / 2, math.pi / 2),
    "acos()": (0, math.pi),
}  # fmt: skip
"""Methods that climb infinitely fast where they have these values."""

DIRECTIONS = 5
"""In which slopes are tried to add up."""


def leaves(program: Program) -> list[str]:
    """The inputs of a program."""
    inputs = program.lines[: program.setup]
    return [line.split(" = ")[0] for line in inputs if line.startswith("t")]


def weights(shape: tuple[int, ...]) -> np.ndarray:
    """What each element of an output counts in the loss."""
    return np.cos(np.arange(math.prod(shape)) + 1.0).reshape(shape)


def gradients(program: Program, names: dict[str, Any]) -> dict[str, Tensor]:
    """The gradient of the weighed sum of all outputs for each input."""
    wanted = [names[n] for n in program.outputs if names[n].dtype.is_float]
    wanted = [t for t in wanted if t.requires_grad]
    if not wanted:
        return {}
    loss = sum((t * Tensor(weights(t.shape), device=t.device)).sum() for t in wanted)
    inputs = leaves(program)
    found = loss.gradient(*(names[n] for n in inputs), materialize_grads=True)
    return {name: slope.contiguous() for name, slope in zip(inputs, found, strict=True)}


def difference(program: Program, slopes: dict[str, np.ndarray]) -> str:
    """Where gradients are not what differences say, along one direction; "" if they are.

    Nothing is said where the loss has a corner or a jump, or is no number: left and right
    differ there.
    """
    rng = np.random.default_rng(7)
    along = {n: rng.uniform(0.5, 1.5, s.shape) * rng.choice([-1, 1], s.shape)
             for n, s in slopes.items()}  # fmt: skip
    found = sum(float((slopes[n] * along[n]).sum()) for n in slopes)

    def at(steps: int) -> float:
        return loss(program, {n: steps * STEP * d for n, d in along.items()})

    with np.errstate(all="ignore"):
        near = (at(1) - at(-1)) / 2 / STEP
        scale = max(1.0, abs(near))
        if abs(found - near) <= 1e-4 * scale or np.isnan(near):
            return ""
        if not np.isfinite(found) and not is_finite(program):  # 0 times infinity, as in PyTorch
            return ""
        here, above, below = at(0), at(2), at(-2)
        noise = 20 * abs(near - (above - below) / 4 / STEP) + 1e-14 * abs(here) / STEP
        bend = abs(above - 2 * here + below) / 2 / STEP
    if not noise < 1e-3 * scale or not bend < 1e-2 * scale or abs(found - near) <= noise + bend:
        return ""
    if is_singular(program) or is_jump(program, along):
        return ""
    if is_corner(program, along, near, 1e-2 * scale):
        return ""
    return f"differences give {near}, gradients {found} along one direction"


def is_singular(program: Program) -> bool:
    """Whether a matrix of zeros is factored: its factors are none of those nearby. Or whether a
    value is clipped between equal bounds, where its slope is 1 though it cannot move."""
    memory = Memory()
    for line in program.lines:
        memory.run(line)
        if re.search(r"\.cl(ip|amp)\((\w+), \2\)", line):
            return True
        made = memory.held.get(line.split(" = ")[0])
        if ".qr(" in line and made is not None and not made.storage.parts[1].all():
            return True
    return False


def is_jump(program: Program, along: dict[str, np.ndarray]) -> bool:
    """Whether a truth or whole number is another close by: a branch that holds here alone."""

    def decided(steps: int) -> list[np.ndarray]:
        held = moved_memory(program, {n: steps * STEP * d for n, d in along.items()}).held
        return [t.shown().exact for t in held.values() if not t.dtype.is_float]

    here = decided(0)
    near = (zip(here, decided(steps), strict=True) for steps in (1, -1))
    return any(not np.array_equal(a, b) for pairs in near for a, b in pairs)


def is_corner(program: Program, along: dict[str, np.ndarray], near: float, far: float) -> bool:
    """Whether slopes along two directions do not add up to that along their sum.

    So it is where a norm is 0, though along every one line its slope is the same on both sides.
    """
    rng = np.random.default_rng(8)

    def slope(way: dict[str, np.ndarray]) -> float:
        ahead = loss(program, {n: STEP * d for n, d in way.items()})
        return (ahead - loss(program, {n: -STEP * d for n, d in way.items()})) / 2 / STEP

    with np.errstate(all="ignore"):
        for _ in range(DIRECTIONS):
            other = {n: rng.uniform(-4, 4, d.shape) for n, d in along.items()}
            both = {n: d + other[n] for n, d in along.items()}
            if not abs(near + slope(other) - slope(both)) < far:
                return True
    return False


def is_finite(program: Program) -> bool:
    """Whether no line of a program gives an infinity or NaN, or is where a function climbs
    infinitely fast, by the model."""
    memory = Memory()
    for line in program.lines:
        memory.run(line)
        if not all(np.isfinite(h.storage.parts[1]).all() for h in memory.held.values()):
            return False
        made = memory.held.get(line.split(" = ")[0])
        steep = [places for method, places in STEEP.items() if method in line]
        if made is not None and np.isin(made.storage.parts[1], steep).any():
            return False
    return True


def loss(program: Program, moved: dict[str, np.ndarray]) -> float:
    """The weighed sum of the outputs with inputs moved, by the model."""
    memory = moved_memory(program, moved)
    kept = [memory.held[n] for n in program.outputs]
    return sum(float((t.shown().exact * weights(t.shape)).sum()) for t in kept if t.dtype.is_float)


def moved_memory(program: Program, moved: dict[str, np.ndarray]) -> Memory:
    """What a program holds with inputs moved, by the model."""
    memory = Memory(shadow=False)
    for line in program.lines:
        memory.run(line)
        name = line.split(" = ")[0]
        if name in moved:
            held = memory.held[name]
            for part in held.storage.parts[:2]:
                part[held.at] += moved[name]
    return memory
