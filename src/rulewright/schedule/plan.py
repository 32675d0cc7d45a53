"""What a plan of stages says of each node."""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.ir.uop import UOp
from rulewright.schedule.near import Block, Row
from rulewright.schedule.requests import Root


@dataclass
class StagePlan:
    """The outcome: staged nodes with their kernels, stores with theirs, and reduction loops.

    `rows` are nodes of which kernels keep a row near by, each kernel one of its own; `blocks` are
    those of its reduction loops that go through long rows block by block.
    """

    staged: dict[UOp, Root]
    stores: dict[UOp, Root]
    reduce_loops: dict[UOp, tuple[UOp, ...]]
    rows: dict[UOp, dict[Root, Row]]
    blocks: dict[UOp, Block]

    def root(self, node: UOp) -> Root | None:
        """The kernel that stores a node; None if it is computed where it is asked for."""
        return self.stores.get(node) or self.staged.get(node)
