"""Jitted steps: the body of a program as a function of its first input, called five times."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from fuzz_memory import Held, Memory
from fuzz_methods import Program

from rulewright.interp import Shadowed

CALLS = 5


class Result(NamedTuple):
    """What a call returned, and what that shows by now."""

    then: Shadowed
    held: Held


def step_code(program: Program) -> str:
    """A function that returns the results of all calls, and the state."""
    imports = [line for line in program.lines if line.startswith(("import", "from"))]
    setup = [line for line in program.lines[: program.setup] if line.startswith("t")]
    body = program.lines[program.setup :]
    first, state = setup[0], [line.split(" = ")[0] for line in setup[1:]]
    step = [f"nonlocal {', '.join(state)}"] * bool(state) + body
    step.append(f"return {', '.join(program.outputs)},")
    calls = [again(first, "i"), f"results.append(step({first.split(' = ')[0]}))"]
    lines = [
        "from rulewright import jit", *imports, *setup[1:], "def step(t0):",
        *(f"    {line}" for line in step), "step, results = jit(step), []",
        f"for i in range({CALLS}):", *(f"    {line}" for line in calls),
        f"return results, [{', '.join(state)}]",
    ]  # fmt: skip
    return "\n    ".join(["def program():", *lines])


def again(line: str, number: str) -> str:
    """The line of an input for another call: other random numbers."""
    return re.sub(r"default_rng\((\d+)\)", rf"default_rng(\1 + {number})", line)


def wanted(program: Program) -> tuple[list[list[Result]], list[Held]]:
    """What each call returns, and what the state is in the end, by the model."""
    memory = Memory()
    setup = [line for line in program.lines[: program.setup] if line.startswith("t")]
    for line in setup[1:]:
        memory.run(line)
    results = []
    for call in range(CALLS):
        for line in [again(setup[0], str(call)), *program.lines[program.setup :]]:
            memory.run(line)
        held = [memory.held[n] for n in program.outputs]
        results.append([Result(h.shown(), h) for h in held])
    return results, [memory.held[line.split(" = ")[0]] for line in setup[1:]]


def step_results(program: Program, compare: Callable[[str, np.ndarray, Shadowed], None]) -> None:
    """Run a step by call, and compare when all is done, since results are kept.

    State that is returned is itself, and shows later writes; views of it are copies. A program of
    which every line was refused has no step.
    """
    if not program.outputs:
        return
    expected, state = wanted(program)
    space: dict[str, Any] = {}
    exec(step_code(program), space)
    results, found = space["program"]()
    for call, (tensors, values) in enumerate(zip(results, expected, strict=True)):
        for name, tensor, value in zip(program.outputs, tensors, values, strict=True):
            array, now = tensor.numpy(), value.held.shown()
            is_state = any(tensor is known for known in found)
            if not (is_state and array.shape == now.exact.shape and now.agrees(array).all()):
                compare(f"{name} of call {call}", array, value.then)
    for name, (tensor, held) in enumerate(zip(found, state, strict=True)):
        compare(f"state {name}", tensor.numpy(), held.shown())
