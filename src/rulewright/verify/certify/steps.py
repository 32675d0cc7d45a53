"""One step of compilation: do two graphs leave the same in memory, whatever it held before?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rulewright.errors import InterpreterError, ValidationError
from rulewright.ir.dtypes import dtype
from rulewright.ir.node import reached
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.lang.build import parsed_spec
from rulewright.lang.parse import parse_file
from rulewright.verify.certify.symbolic import Undecided, memory_terms
from rulewright.verify.certify.terms import Refinement, TermNode, TermTable
from rulewright.verify.prove.files import kept_proofs, prove_parsed
from rulewright.verify.validate.values import check_values, hides_calls, is_affordable
from rulewright.verify.values.samples import memory_of


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
    return sorted(reached(roots, lambda at: terms.nodes[at].src))


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


PROVED, BY_RULES, SAMPLED, UNCHECKED = "proved", "by rules", "sampled", "unchecked"
ORDER = (PROVED, BY_RULES, SAMPLED, UNCHECKED)
"""What a step may have been shown to be, the strongest first."""

MOST_ITERATIONS = 1 << 13
"""Iterations of the loops of a program that are run one after another."""

MOST_SIZES = 64
"""Values of symbolic variables that are all run; of more, these."""

_LAWS: tuple[tuple[str, dict[str, bool]], ...] = (
    ("", {}),
    ("floats are added in any order, products fused into sums", {"sums": True}),
    (
        "floats are added and multiplied in any order, products fused into sums",
        {"sums": True, "products": True},
    ),
)
"""What is assumed of arithmetic, and the normal forms that it allows: the least first."""


class Claim(NamedTuple):
    """What was shown about a step: how far, and under which assumptions."""

    status: str
    note: str = ""
    rules: tuple[str, ...] = ()


def compare(before: UOp, after: UOp, sets: Sequence[str] = (), ctx: Any = None) -> Claim:
    """What can be said of a step from one graph to another, which ran rule sets, if any.

    Raises ValidationError if the two leave something else in memory on sampled inputs.
    """
    if before is after:
        return Claim(PROVED, "nothing changed")
    if hides_calls(before) or hides_calls(after):
        return Claim(UNCHECKED, "it calls what is compiled apart")
    if not all(is_affordable(graph, MOST_ITERATIONS) for graph in (before, after)):
        return Claim(UNCHECKED, "too large to be run")
    try:
        return _by_terms(before, after, Unfolding(sets, ctx))
    except InterpreterError as error:
        check_values(before, after)  # raises if it is the graph after the step that means nothing
        return Claim(UNCHECKED, f"it has no meaning by itself: {error}")
    except Undecided as error:
        check_values(before, after)
        graph, rules = rewritten(before, sets, ctx)
        if sets and graph is after:
            note = f"each rule where it fired; values sampled: {error}"
            return Claim(BY_RULES, note, refuse_refuted(rules, sets))
        return Claim(SAMPLED, str(error))


def _by_terms(before: UOp, after: UOp, unfold: Unfolding) -> Claim:
    """The claim where the two leave equal terms. Raises Undecided where they are not seen to."""
    notes: dict[str, None] = {}
    rules: dict[str, None] = {}
    sizes, complete = _sizes(UOp.sink(before, after))
    for variables in sizes:
        law, used = _at(before, after, variables, unfold)
        notes[law] = None
        rules |= dict.fromkeys(used)
    if not complete:
        notes[f"at {len(sizes)} sizes alone"] = None
    told = "; ".join(note for note in notes if note)
    status = SAMPLED if not complete else BY_RULES if rules else PROVED
    return Claim(status, told, refuse_refuted(rules, unfold.sets))


def _sizes(graph: UOp) -> tuple[list[dict[str, int]], bool]:
    """Values of the variables of a graph, and whether these are all that there are."""
    nodes = graph.toposort()
    bound = {n.src[0] for n in nodes if n.op is Ops.BIND}
    free = {n.arg[0]: n.arg[1:] for n in nodes if n.op is Ops.VAR and n not in bound}
    spans = [range(int(low), int(high) + 1) for low, high in free.values()]
    if prod(map(len, spans)) <= MOST_SIZES:
        return [dict(zip(free, row, strict=True)) for row in product(*spans)], True
    ends = [dict.fromkeys((s[0], s[len(s) // 2], s[-1])) for s in spans]
    rows = islice(product(*ends), MOST_SIZES)
    return [dict(zip(free, row, strict=True)) for row in rows], False


def _at(
    before: UOp, after: UOp, variables: Mapping[str, int], unfold: Unfolding
) -> tuple[str, tuple[str, ...]]:
    """The law under which two graphs agree at some sizes, and the rules that were unfolded.

    Raises Undecided if they are not seen to agree.
    """
    terms, memory = TermTable(), memory_of(before, after)
    old, new = (memory_terms(graph, memory, variables, terms) for graph in (before, after))
    wanted = np.concatenate([old[m] for m in memory] or [np.zeros(0, np.int64)])
    left = np.concatenate([new[m] for m in memory] or [np.zeros(0, np.int64)])
    pairs = set(zip(wanted.tolist(), left.tolist(), strict=True))
    pairs = {(a, b) for a, b in pairs if a != b}
    law = _law(terms, pairs)
    if law is not None:
        return law, ()
    if unfold.sets:
        unfolded, rules = unfold(terms, [a for a, _ in pairs])
        law = _law(terms, {(unfolded[a], b) for a, b in pairs})
        if law is not None:
            return law, rules
    raise Undecided(f"{len(pairs)} expressions are not seen to be equal")


def _law(terms: TermTable, pairs: set[tuple[int, int]]) -> str | None:
    """The least that must be assumed for all pairs to be equal; None if that is not enough."""
    for law, allowed in _LAWS:
        refinement = Refinement(terms, **allowed)
        if all(refinement.holds(a, b) for a, b in pairs):
            return law
    return None
