"""Rules of a step: ops that a target does not spell, replaced in terms by what its rules make of
them, and what the prover says of rules that fired.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rulewright.errors import ValidationError
from rulewright.ir.dtypes import dtype
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.lang.build import parsed_spec
from rulewright.lang.parse import parse_file
from rulewright.verify.certify.terms import TermNode, TermTable
from rulewright.verify.prove.files import kept_proofs, prove_parsed


class Unfolding:
    """What rule sets make of single ops, found once for each op and its dtypes."""

    def __init__(self, sets: Iterable[str], ctx: Any) -> None:
        self.sets, self.ctx = tuple(sets), ctx
        self._rewrites: dict[Any, tuple[UOp | None, tuple[str, ...]]] = {}

    def __call__(
        self, terms: TermTable, roots: Iterable[int]
    ) -> tuple[dict[int, int], tuple[str, ...]]:
        """Each root with its ops unfolded, and the names of the rules that did it."""
        done: dict[int, int] = {}
        rules: dict[str, None] = {}
        roots = list(roots)
        for at in _below(terms, roots):
            node = terms.nodes[at]
            src = tuple(done[s] for s in node.src)
            body, used = self._of(terms, node)
            if body is None:
                done[at] = terms.add(node._replace(src=src)) if src != node.src else at
            else:
                done[at] = _filled(body, src, terms)
                rules |= dict.fromkeys(used)
        return {root: done[root] for root in roots}, tuple(rules)

    def _of(self, terms: TermTable, node: TermNode) -> tuple[UOp | None, tuple[str, ...]]:
        """What the rules make of an op on parameters; None if they leave it alone."""
        if not isinstance(node.op, Op) or len(node.src) != len(node.op.params):
            return None, ()
        kinds = tuple(terms.nodes[s].dtype for s in node.src)
        key = node.op, node.dtype, node.arg, kinds
        if key not in self._rewrites:
            self._rewrites[key] = self._rewritten(node, kinds)
        return self._rewrites[key]

    def _rewritten(
        self, node: TermNode, kinds: tuple[str, ...]
    ) -> tuple[UOp | None, tuple[str, ...]]:
        leaves = tuple(
            UOp(Ops.PARAM, dtype(kind), (), (i, (), None)) for i, kind in enumerate(kinds)
        )
        whole = UOp(node.op, dtype(node.dtype), leaves, node.arg)
        graph, used = rewritten(whole, self.sets, self.ctx)
        return (None, ()) if graph is whole else (graph, used)


def _below(terms: TermTable, roots: Iterable[int]) -> list[int]:
    """The terms that roots are made of, operands first."""
    below, stack = set(), list(roots)
    while stack:
        at = stack.pop()
        if at not in below:
            below.add(at)
            stack.extend(terms.nodes[at].src)
    return sorted(below)


def _filled(body: UOp, operands: tuple[int, ...], terms: TermTable) -> int:
    """The term of a graph over parameters."""
    numbers: dict[UOp, int] = {}
    for n in body.toposort():
        if n.op is Ops.PARAM:
            numbers[n] = operands[n.arg[0]]
        elif n.op is Ops.CONST:
            numbers[n] = terms.const(n.dtype, n.arg)
        else:
            numbers[n] = terms.node(n.op, n.dtype, n.arg, tuple(numbers[s] for s in n.src))
    return numbers[body]


def rewritten(graph: UOp, sets: Iterable[str], ctx: Any) -> tuple[UOp, tuple[str, ...]]:
    """A graph rewritten by rule sets, one after another, and the names of the rules that fired."""
    used: dict[str, None] = {}

    def note(rule: str, *_: Any) -> None:
        used[rule] = None

    for name in sets:
        graph = rewrite(graph, name, ctx, note)
    return graph, tuple(used)


def refuse_refuted(names: Iterable[str], sets: Sequence[str]) -> tuple[str, ...]:
    """The names of rules of sets, in which no rule of a user is one that the prover refutes.

    Raises ValidationError for such a rule. Those of the spec are the prover's own concern.
    """
    fired = tuple(names)
    places = {
        name: place
        for one in sets
        for module in ruleset(one).modules()[:-1]  # the last one is the spec's
        for name, place in module.RULES.items()
    }
    for name in fired:
        if name not in places:
            continue
        path, line = places[name]
        proof = prove_parsed(parse_file(Path(path)), name)
        if proof is not None and proof.status == "refuted":
            raise ValidationError(
                "it fired, and it is refuted: `rulewright prove` prints the counterexample",
                rule=name,
                place=f"{path}:{line}",
            )
    return fired


def known_statuses(names: Iterable[str]) -> dict[str, str]:
    """What was proved here of rules of the spec, by name; nothing is proved now."""
    wanted = set(names)
    proofs = kept_proofs(parsed_spec(), wanted) if wanted else ()
    return {str(rule.name): proof.status for rule, proof in proofs if proof is not None}
