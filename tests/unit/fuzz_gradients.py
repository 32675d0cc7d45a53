"""Gradients of random programs, beside differences of what the model computes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from fuzz_memory import Memory
from fuzz_methods import Program

from rulewright import Tensor

STEP = 1e-5


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
    loss = sum((t * Tensor(weights(t.shape))).sum() for t in wanted)
    inputs = leaves(program)
    found = loss.gradient(*(names[n] for n in inputs), materialize_grads=True)
    return dict(zip(inputs, found, strict=True))


def difference(program: Program, slopes: dict[str, np.ndarray]) -> str:
    """Where gradients are not what differences say, along one direction; "" if they are.

    Nothing is said where the loss has a corner or a jump, or is no number: left and right
    differ there.
    """
    rng = np.random.default_rng(7)
    along = {name: rng.normal(size=slope.shape) for name, slope in slopes.items()}
    with np.errstate(all="ignore"):
        at = {k: loss(program, {n: k * STEP * d for n, d in along.items()}) for k in range(-2, 3)}
        near, far = (at[1] - at[-1]) / 2 / STEP, (at[2] - at[-2]) / 4 / STEP
        right, left = (at[2] - at[0]) / 2 / STEP, (at[0] - at[-2]) / 2 / STEP
        found = sum(float((slopes[n] * along[n]).sum()) for n in slopes)
        scale = max(1.0, abs(near))
        if not np.isfinite(found) and not is_finite(program):  # 0 times infinity, as in PyTorch
            return ""
        noise = 20 * abs(near - far) + 1e-14 * abs(at[0]) / STEP + 1e-6 * scale
    if not noise < 1e-3 * scale or not abs(right - left) < 1e-2 * scale:
        return ""
    if abs(found - near) <= noise + 1e-4 * scale:
        return ""
    return f"differences give {near}, gradients {found} along one direction"


def is_finite(program: Program) -> bool:
    """Whether no line of a program gives an infinity or NaN, by the model."""
    memory = Memory()
    for line in program.lines:
        memory.run(line)
        if not all(np.isfinite(h.storage.parts[1]).all() for h in memory.held.values()):
            return False
    return True


def loss(program: Program, moved: dict[str, np.ndarray]) -> float:
    """The weighed sum of the outputs with inputs moved, by the model."""
    memory = Memory()
    for line in program.lines:
        memory.run(line)
        name = line.split(" = ")[0]
        if name in moved:
            held = memory.held[name]
            for part in held.storage.parts[:2]:
                part[held.at] += moved[name]
    kept = [memory.held[n] for n in program.outputs]
    return sum(float((t.shown().exact * weights(t.shape)).sum()) for t in kept if t.dtype.is_float)
