"""Runs a planted fault through each check and says what catches it."""

from __future__ import annotations

from plants import Plant, planted

from rulewright.codegen.lower import lower_kernel
from rulewright.errors import RulewrightError
from rulewright.ir.devices import target_of
from rulewright.options import Context
from rulewright.tensor.tensor import Tensor
from rulewright.verify.bisect import bisect_program


def compiled(plant: Plant, level: int) -> None:
    """Compile the program of a plant at a level of VERIFY; no device compiler runs."""
    with Context(VERIFY=level, CACHE=int(plant.step == "schedule cache"), DEVICE=plant.target):
        made = plant.program()
        tensors = [t for t in (made if isinstance(made, list) else [made]) if isinstance(t, Tensor)]
        items, _ = tensors[0].schedule_with_vars(*tensors[1:])
        for item in items:
            if not item.is_copy:
                lower_kernel(item.ast, target_of(plant.target))


def is_refused(plant: Plant, level: int) -> bool:
    """Whether compilation with the fault raises an error at a level of VERIFY."""
    with planted(plant):
        try:
            compiled(plant, level)
        except RulewrightError:
            return True
    return False


def named(plant: Plant) -> tuple[str, str]:
    """The step and the rule that `bisect` finds; empty if it finds nothing."""
    with planted(plant), Context(DEVICE=plant.target):
        found = bisect_program(plant.program, plant.target)
    return (found.step, found.rule) if found is not None else ("", "")
