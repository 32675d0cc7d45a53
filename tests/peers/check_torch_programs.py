"""Values and gradients of random programs, beside those of PyTorch.

Not part of the default run, since PyTorch is large: `tox -e peers`. Lines that PyTorch refuses are
left out of a program, with those that need what they make.
"""

from __future__ import annotations

import random
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

sys.path.append(str(Path(__file__).parents[1] / "unit"))

from fuzz_gradients import gradients, leaves, weights
from fuzz_memory import compiled
from fuzz_methods import Program, written
from fuzz_runs import case_of, code
from torch_words import Peer, Words

from rulewright import Tensor

SEEDS, PART = 2000, 50
TOLERANCE = 1e-7
LEAST_COMMON = 0.7  # of the lines, which PyTorch runs as well
NO_GRADIENT = (
    "modified by an inplace operation",
    "modified inplace",
    "is not implemented",
    "returned an invalid gradient",
    "must match the size of tensor",
)
"""What PyTorch says where it has a value and no gradient of it."""


def run_in_torch(program: Program) -> tuple[Program, dict[str, Any]]:
    """What PyTorch runs of a program, and its names."""
    names: dict[str, Any] = {"Tensor": Words(), "np": np}
    kept = []
    for at, line in enumerate(program.lines):
        if line.startswith(("import", "from")):
            kept.append(line)
            continue
        try:
            exec(compiled(line, "exec"), names)
        except Exception:
            assert at >= program.setup, f"PyTorch refuses an input: {line}"
            continue
        name = line.split(" = ")[0]
        if isinstance(names.get(name, names["np"]), Peer) or name not in names:
            kept.append(line)
        else:
            del names[name]
    outputs = [n for n in program.outputs if isinstance(names.get(n), Peer)]
    return program._replace(lines=kept, outputs=outputs), names


def slopes_in_torch(program: Program, names: dict[str, Any]) -> dict[str, np.ndarray]:
    """As `gradients`, by PyTorch."""
    wanted = [t for t in (names[n] for n in program.outputs) if t.is_floating_point()]
    wanted = [t for t in wanted if t.requires_grad]
    if not wanted:
        return {}
    loss = sum((t * torch.tensor(weights(tuple(t.shape)))).sum() for t in wanted)
    inputs = [names[n] for n in leaves(program)]
    found = torch.autograd.grad(loss, inputs, allow_unused=True, materialize_grads=True)
    return {n: s.detach().numpy() for n, s in zip(leaves(program), found, strict=True)}


def difference(program: Program, theirs: dict[str, Any]) -> str:
    """Where our values or gradients are not PyTorch's; "" if they are, or it says nothing."""
    if not program.outputs or case_of(program) is None:
        return ""
    wanted = {n: theirs[n].detach().numpy() for n in program.outputs}
    try:
        wanted |= {f"gradient of {n}": s for n, s in slopes_in_torch(program, theirs).items()}
    except RuntimeError as error:
        return "" if any(words in str(error) for words in NO_GRADIENT) else f"PyTorch: {error}"
    names: dict[str, Any] = {}
    for line in program.lines:
        exec(compiled(line, "exec"), names)
    found = {n: names[n].contiguous() for n in program.outputs}
    found |= {f"gradient of {n}": s for n, s in gradients(program, names).items()}
    Tensor.realize(*found.values())
    for name, value in wanted.items():
        number = found[name].numpy() if name in found else np.zeros_like(value)
        if name.startswith("gradient"):
            value = np.where(np.isnan(value), number, value)  # of infinity times 0, often
        problem = apart(number, value)
        if problem:
            return f"{name}: {problem}"
    return ""


def apart(found: np.ndarray, wanted: np.ndarray) -> str:
    """How two arrays differ; "" if they do not, but for rounding."""
    if found.shape != wanted.shape:
        return f"shape {found.shape}, PyTorch's {wanted.shape}"
    with np.errstate(all="ignore"):
        scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=1.0)
        close = np.isclose(found, wanted, TOLERANCE, TOLERANCE * scale, equal_nan=True)
    if close.all():
        return ""
    at = tuple(np.argwhere(~close)[0])
    return f"{list(map(int, at))}: {found[at]!r}, PyTorch's {wanted[at]!r}"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("first", range(0, SEEDS, PART))
def test_values_and_gradients_are_those_of_pytorch(first, search):
    first += random.randrange(1 << 30) * search
    wrong = []
    lines, kept = 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first, first + PART):
            program = written(seed, "gradient").program
            common, theirs = run_in_torch(program)
            lines, kept = lines + len(program.lines), kept + len(common.lines)
            problem = difference(common, theirs)
            if problem:
                wrong.append(f"{code(common)}\n# {seed}: {problem}")
    assert not wrong, "\n\n".join(wrong)
    assert kept > LEAST_COMMON * lines, f"PyTorch ran {kept} of {lines} lines"
