"""Reverse-mode differentiation: a walk against the arrows that asks `spec/55-gradient/`.

For each node y with upstream gradient g the rule set `gradient` rewrites GRAD(y, g) to a TUPLE
with one gradient for each source of y. This module only walks and adds up.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from rulewright.errors import UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.ir.watch import checks
from rulewright.options import options
from rulewright.tensor.added import added
from rulewright.tensor.function_gradient import call_gradients
from rulewright.tensor.nodes import reaching

_CUTS = frozenset({Ops.DETACH, Ops.CONST, Ops.BUFFER, Ops.FUNCTION})


def gradients(
    root: UOp, seed: UOp, targets: Sequence[UOp], ends: Container[UOp] = ()
) -> dict[UOp, UOp]:
    """Gradients of `root` (weighted by `seed`, of its shape) by each target that it depends on.

    No gradient is followed beyond the nodes in `ends`.

    Raises UsageError, naming the op, where there is no gradient rule on the way.
    """
    return gradients_of({root: seed}, targets, ends)


def gradients_of(
    seeds: Mapping[UOp, UOp], targets: Sequence[UOp], ends: Container[UOp] = ()
) -> dict[UOp, UOp]:
    """The same of several roots: the sum of their gradients. `seeds` gives each root's weight."""
    wanted = set(targets)

    def enter(node: UOp) -> bool:
        return node.op not in _CUTS and node not in ends

    needed = reaching(seeds, wanted, enter)
    found = {node: [seed] for node, seed in seeds.items()}
    results: dict[UOp, dict[int, UOp]] = {}  # of calls: gradients by the number of the result
    for node in reversed(UOp.sink(*seeds).toposort(enter)):
        if node not in needed or node in ends or not any(s in needed for s in node.src):
            continue
        parts: list[tuple[UOp, UOp]] = []
        if node in results:
            parts = call_gradients(node, results[node], needed)
        elif node in found and node.op is Ops.RESULT:
            results.setdefault(node.src[0], {})[node.arg[0]] = added(found[node])
        elif node in found:
            parts = _sources(node, added(found[node]))
        for source, part in parts:
            if source in needed:
                found.setdefault(source, []).append(part)
    return {target: added(found[target]) for target in targets if target in found}


def _sources(node: UOp, upstream: UOp) -> list[tuple[UOp, UOp]]:
    """Each source of a node with its gradient, where it has one."""
    rules = ruleset("gradient").match().get(Ops.GRAD)
    question = UOp(Ops.GRAD, dtypes.void, (node, upstream))
    answer = rules(question, None) if rules is not None else None
    if answer is None and node.op is Ops.AFTER and node.src[1].op is Ops.CALL:
        raise UsageError(
            f"no gradient rule for the kernel {node.src[1].src[0].arg[0]}, which is written in "
            "UOps: pass grad_fxn to custom_kernel, or use .detach() where no gradient is wanted"
        )
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
