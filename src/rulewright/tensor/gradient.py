"""Reverse-mode differentiation: a walk against the arrows that asks `spec/55-gradient/`.

For each node y with upstream gradient g the rule set `gradient` rewrites GRAD(y, g) to a TUPLE
with one gradient for each source of y. This module only walks and adds up.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.ir.watch import checks
from rulewright.options import options
from rulewright.tensor.nodes import reaching

_CUTS = frozenset({Ops.DETACH, Ops.CONST, Ops.BUFFER})


def gradients(
    root: UOp, seed: UOp, targets: Sequence[UOp], ends: Container[UOp] = ()
) -> dict[UOp, UOp]:
    """Gradients of `root` (weighted by `seed`, of its shape) by each target that it depends on.

    No gradient is followed beyond the nodes in `ends`.

    Raises UsageError, naming the op, where there is no gradient rule on the way.
    """
    wanted = set(targets)

    def enter(node: UOp) -> bool:
        return node.op not in _CUTS and node not in ends

    order = root.toposort(enter)
    needed = reaching([root], wanted, enter)
    found: dict[UOp, UOp] = {root: seed}
    for node in reversed(order):
        upstream = found.get(node)
        if upstream is None or node not in needed or node in ends:
            continue
        if not any(s in needed for s in node.src):
            continue
        for source, part in _sources(node, upstream):
            if source in needed:
                found[source] = found[source] + part if source in found else part
    return {target: found[target] for target in targets if target in found}


def _sources(node: UOp, upstream: UOp) -> list[tuple[UOp, UOp]]:
    """Each source of a node with its gradient, where it has one."""
    rules = ruleset("gradient").match().get(Ops.GRAD)
    question = UOp(Ops.GRAD, dtypes.void, (node, upstream))
    answer = rules(question, None) if rules is not None else None
    if answer is None:
        raise UsageError(
            f"no gradient rule for {node.op.name} with {node.dtype.name} result: "
            "add one to spec/55-gradient/ or by load_rules(at='gradient'), "
            "or use .detach() where no gradient is wanted"
        )
    if options().VERIFY > 1:
        checks().check_gradient(question, answer)
    pairs = zip(node.src, answer.src, strict=False)  # symbolic sizes at the end have none
    return [(source, part) for source, part in pairs if part.op is not Ops.NOGRAD]
