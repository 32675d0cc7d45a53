"""What lowering makes of one kernel: everything that a device needs to compile and launch it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rulewright.errors import VariableError
from rulewright.ir.folding import fold_function
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.render import Written


@dataclass(frozen=True)
class Estimates:
    """Work of one run: operations on elements, and bytes of distinct memory touched.

    Whole numbers, or index expressions over the kernel's variables.
    """

    flops: Dim
    bytes: Dim

    def at(self, values: Mapping[str, int]) -> tuple[int, int]:
        """Operations and bytes with these values of variables."""
        return size_at(self.flops, values), size_at(self.bytes, values)


@dataclass(frozen=True)
class KernelProgram:
    """A kernel for one target.

    `source` is a translation unit of its own, `written` what it has in one with other kernels.
    `launch` is (global sizes, local sizes). On a target with workgroups these are the numbers of
    groups and of work items in a group, three of each. On a CPU: the trip count of the axis that
    threads share, and the fewest iterations worth a thread (None: one thread only).
    `parameters` are the slots of its buffers in order; `variables` are named as in its arguments.
    """

    name: str
    source: str
    written: Written
    uops: tuple[UOp, ...]
    launch: tuple[tuple[Dim, ...], tuple[int, ...] | None]
    parameters: tuple[int, ...]
    variables: tuple[UOp, ...]
    estimates: Estimates
    choices: str
    target: str

    @property
    def threads(self) -> bool:
        """Whether several threads may share a run (CPU)."""
        return self.launch[1] is not None and len(self.launch[0]) == 1


def size_at(size: Dim, values: Mapping[str, int]) -> int:
    """A size, with the values of its variables. Raises VariableError if one has none."""
    if isinstance(size, int):
        return size
    known: dict[UOp, int] = {}
    for node in size.toposort():
        if node.op is Ops.CONST:
            known[node] = node.arg
        elif node.op is Ops.VAR:
            known[node] = variable_at(node, values)
        else:
            operands = [known[source] for source in node.src]
            known[node] = fold_function(node.op.name)(node.dtype, *operands)
    return known[size]


def variable_at(variable: UOp, values: Mapping[str, int]) -> int:
    """The value of a variable. Raises VariableError if it has none."""
    name = variable.arg[0]
    if name not in values:
        raise VariableError(f"variable {name} has no value: bind it, or pass it when running")
    return values[name]
