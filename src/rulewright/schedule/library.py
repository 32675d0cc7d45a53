"""Products of matrices that stay alone in their kernels, for a library to do them (MATMUL=blas)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.schedule.facts import NodeFacts, is_large_product
from rulewright.schedule.near import target_row
from rulewright.schedule.requests import Request, is_stored_plainly

_TURNS = frozenset({Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE})
"""Views in which the elements of a matrix still follow each other in rows or columns."""


class LibraryProducts:
    """Which nodes of a graph are such products, as one walk finds them, consumers first."""

    def __init__(self, order: Iterable[UOp], facts: dict[UOp, NodeFacts]) -> None:
        self._texts = target_row(order).get("texts", {}) if options().MATMUL else {}
        self._facts = facts
        self._bodies: dict[UOp, UOp] = {}  # of products, what is summed

    def is_staged(self, node: UOp, asked: Sequence[Request]) -> bool:
        """Whether a node is kept in memory: a product with more after it, or a part of one."""
        if not self._texts:
            return False
        if node.op is Ops.REDUCE_AXIS:
            return self._is_product(node) and not is_stored_plainly(asked)
        return node.op.elementwise and any(self._is_operand(node, r) for r in asked)

    def _is_product(self, node: UOp) -> bool:
        facts = self._facts[node]
        if f"product_{node.dtype.name}" not in self._texts or not is_large_product(node, facts):
            return False
        body = node.src[0].past(_TURNS)
        plain = all("Movement" not in s.past(_TURNS).op.groups for s in body.src)
        alike = all(leaf.dtype is node.dtype for leaf in facts.leaves)
        if body.op is not Ops.MUL or not plain or not alike or len(node.arg[1]) != 1:
            return False
        self._bodies[node] = body
        return True

    def _is_operand(self, node: UOp, request: Request) -> bool:
        """Whether a kernel that is such a product would compute a node."""
        bodies = [self._bodies.get(n) for n in request.root.nodes]
        return any(body is not None and body is not node for body in bodies)
