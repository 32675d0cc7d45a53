"""What a graph computes, before a step of the pipeline and after it.

Both graphs run in the interpreter on the same sampled inputs. The one before runs in shadow mode
too, which says how far a correct implementation may be from it: sums in any order, products fused
into sums, the ulp bounds of the transcendental functions. Integers and bools must be equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError, ValidationError
from rulewright.interp import Shadowed, evaluate
from rulewright.interp.evaluator import Evaluator
from rulewright.interp.memory import written
from rulewright.interp.program import Region, blocks
from rulewright.interp.shadow import lift
from rulewright.interp.values import Value
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.values.samples import contents, memory_of, variable_values

Array = np.ndarray[Any, Any]
Arrays = Mapping[UOp, Array]

MOST_ELEMENTS = 1 << 20  # of the largest intermediate value, above which a graph is not run
MOST_ITERATIONS = 1 << 10  # of loops that run one iteration after the other
MOST_ITERATIONS_OF_PROGRAM = 1 << 9  # of nested loops of a program, which may all run so


def is_affordable(graph: UOp, most_iterations: int = MOST_ITERATIONS_OF_PROGRAM) -> bool:
    """Whether the interpreter runs a graph in a moment; programs of so many iterations."""
    if graph.op is Ops.LINEAR and not any(item.op is Ops.CALL for item in graph.src):
        items = [n for n in graph.src if n.op is Ops.SPECIAL]
        grid = prod(int(n.vmax) + 1 for n in items)
        return _is_affordable_block(blocks(graph.src), grid, 1, most_iterations)
    for node in graph.toposort():
        trips = [max(1, int(r.vmax) + 1) for r in node.ranges]
        carried = [n for n, r in zip(trips, node.ranges, strict=True) if r.arg[1] == "reduce"]
        if (
            prod(trips) * max(1, prod(node.max_shape)) > MOST_ELEMENTS
            or prod(carried) > MOST_ITERATIONS
        ):
            return False
    return True


def _is_affordable_block(block: Region, elements: int, iterations: int, most: int) -> bool:
    """The same for a loop of a program, within loops of so many elements and iterations."""
    if block.head is not None and block.head.op is Ops.RANGE:
        trips = max(1, int(block.head.vmax) + 1)
        elements *= trips
        iterations *= trips
    inner = [item for item in block.body if isinstance(item, Region)]
    fits = elements <= MOST_ELEMENTS and iterations <= most
    return fits and all(_is_affordable_block(b, elements, iterations, most) for b in inner)


def hides_calls(graph: UOp) -> bool:
    """Whether a graph calls something that was taken out of it, whose effects are not known."""
    return any(n.op is Ops.CALL and not n.src[0].src for n in graph.toposort())


def memory_after(graph: UOp, arrays: Arrays, variables: Mapping[str, int]) -> dict[UOp, Array]:
    """What memory holds after a graph of any stage has run. Raises InterpreterError."""
    own = {node: np.array(array, order="C") for node, array in arrays.items()}
    evaluate(graph, own, variables)
    return own


def shadow_after(graph: UOp, arrays: Arrays, variables: Mapping[str, int]) -> dict[UOp, Shadowed]:
    """The same with tolerances; a LINEAR list, which runs exactly, has none."""
    if graph.op is Ops.LINEAR:
        exact = memory_after(graph, arrays, variables)
        return {node: Shadowed(*lift((array,))) for node, array in exact.items()}
    held = {node: Value((np.array(array, order="C"),)) for node, array in arrays.items()}
    evaluator = Evaluator(dict(held), variables, shadow=True)
    evaluator.run(graph)
    after = {}
    for node, value in held.items():
        flat = lift(written(node, value, evaluator.log))
        after[node] = Shadowed(*(p.reshape(value.data.shape) for p in flat))
    return after


def difference(wanted: Mapping[UOp, Shadowed], held: Arrays) -> str:
    """Where memory does not hold what it should, in a line; nothing where it does."""
    for node, value in wanted.items():
        other = held[node]
        agrees = value.agrees(other)
        if not agrees.all():
            at = tuple(int(i) for i in np.argwhere(~agrees)[0])
            count = int((~agrees).sum())
            return (
                f"{count} of {agrees.size} elements of {node.op}[{node.arg[0]}] differ; element "
                f"{at} was {value.exact[at]!s} and is {other[at]!s} "
                f"(tolerance {float(value.tolerance[at]):.3g})"
            )
    return ""


def check_values(before: UOp, after: UOp, seeds: int = 2) -> None:
    """Raise ValidationError if two graphs leave something else in memory, on sampled inputs.

    Graphs that are too large, or that mean nothing before the step, are left alone.
    """
    if before is after or not (is_affordable(before) and is_affordable(after)):
        return
    memory = tuple(memory_of(before, after))
    replicas = _replicas(before)
    for seed in range(seeds):
        variables = tuple(variable_values(UOp.sink(before, after), seed).items())
        try:
            wanted = _sampled(before, memory, variables, seed, replicas)
        except InterpreterError:
            return
        try:
            held = _sampled(after, memory, variables, seed, replicas)
            problem = difference(wanted, {node: value.exact for node, value in held.items()})
        except InterpreterError as error:
            problem = f"the graph has lost its meaning: {error}"
        if problem:
            raise ValidationError(problem, before=before, after=after)


@lru_cache(maxsize=4)  # what one step makes is what the next one is given: with each of two seeds
def _sampled(
    graph: UOp,
    memory: tuple[UOp, ...],
    variables: tuple[tuple[str, int], ...],
    seed: int,
    replicas: tuple[tuple[UOp, ...], ...] = (),
) -> dict[UOp, Shadowed]:
    values = contents(memory, seed)
    for first, *others in replicas:
        values.update(dict.fromkeys(others, values[first]))
    return shadow_after(graph, values, dict(variables))


def _replicas(graph: UOp) -> tuple[tuple[UOp, ...], ...]:
    """Memories of several devices that each hold the same."""
    stacks = [n for n in graph.toposort() if n.op is Ops.MSTACK and n.arg[0] is None]
    return tuple([s.src for s in stacks if all(part.op is Ops.PARAM for part in s.src)])
