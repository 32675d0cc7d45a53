"""The golden programs as they pass the entries at which a set runs: where a rule would fire."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from rulewright.errors import RulewrightError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.pipeline import entries, scheduling
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.render import target as target_of


class Standing(NamedTuple):
    """A graph of a golden program, and the sets that its entry runs, in order."""

    graph: UOp
    sets: tuple[str, ...]


UNBOUNDED = 1 << 20
"""Bounds of an index of which nothing is known."""


def entries_of(name: str, target: str) -> dict[str, tuple[str, ...]]:
    """The entries that run a set for a target, by itself or as a part, with all that they run."""
    runs = {}
    for entry in entries():
        run: tuple[str, ...] = (entry.what,) if entry.action == "rules" else ()
        if entry.action == "lower":
            run = tuple(getattr(target_of(target), entry.what))
        if any(name in ruleset(what).closure for what in run):
            runs[entry.name] = run
    return runs


def graphs(name: str, program: str, targets: Iterable[str]) -> Iterator[Standing]:
    """What the entries that run a set leave of a golden program."""
    from rulewright.codegen.lower import lowering_stages
    from rulewright.schedule.build import kernel_graph
    from rulewright.schedule.callify import callify
    from rulewright.tensor.realize import Plan
    from rulewright.verify.golden import compile_program
    from rulewright.verify.golden_programs import PROGRAMS

    with Context(CACHE=0, DEVICE="C", DEBUG=0, SEED=0, STOP_AFTER=""):
        body = callify(Plan(PROGRAMS[program]()).sink).body
        early = [entry.name for entry in scheduling()]
        for entry, run in entries_of(name, "C").items():
            if entry in early:
                with Context(STOP_AFTER=entry):
                    yield Standing(kernel_graph(body, joined=True), run)
        calls = compile_program(program).calls
        for kernel in dict.fromkeys(c.kernel for c in calls if c.is_kernel):
            for target in targets:
                wanted = entries_of(name, target)
                try:
                    stages = list(lowering_stages(kernel, target))
                except RulewrightError:  # not for this target, as the golden says
                    continue
                yield from (Standing(g, wanted[e]) for e, g in stages if e in wanted)


def nodes_of(standings: Iterable[Standing]) -> Counter[UOp]:
    """Every node of some graphs, with how many of these it stands in."""
    return Counter(n for standing in dict.fromkeys(standings) for n in standing.graph.toposort())


# ---- left sides ----------------------------------------------------------------------------------


def shapes(counts: Counter[UOp], ops: Collection[Op], size: int) -> list[tuple[UOp, int]]:
    """Terms of at most `size` ops that stand in graphs, most frequent and then smallest first.

    What stands below becomes variables, with the bounds of what they stand for. A vector counts as
    its scalar: rules take lanes along.
    """
    terms: Counter[UOp] = Counter()
    for node, count in counts.items():
        if node.op in ops:
            for inside in _cuts(node, ops, size):
                term = _Cut(inside).of(node)
                if term is not None:
                    terms[term] += count
    return sorted(terms.items(), key=lambda pair: (-pair[1], len(pair[0].toposort())))


def _cuts(root: UOp, ops: Collection[Op], size: int) -> Iterator[frozenset[UOp]]:
    """Connected parts that begin at a node, as the sets of nodes in them."""
    last: list[tuple[UOp, ...]] = [(root,)]
    known = {frozenset(last[0])}
    yield from known
    for _ in range(size - 1):
        grown: list[tuple[UOp, ...]] = []
        for inside in last:
            for source in dict.fromkeys(s for node in inside for s in node.src if s.op in ops):
                key = frozenset((*inside, source))
                if source not in inside and key not in known:
                    known.add(key)
                    grown.append((*inside, source))
                    yield key
        last = grown


class _Cut:
    """Makes the scalar term of a part of a graph."""

    def __init__(self, inside: frozenset[UOp]) -> None:
        self.inside = inside
        self.names: dict[UOp, UOp] = {}

    def of(self, node: UOp) -> UOp | None:
        """The term of a node; None where an operand is no scalar value."""
        if node in self.inside:
            parts = [self.of(source) for source in node.src]
            known = tuple(part for part in parts if part is not None)
            if len(known) < len(parts):
                return None
            return UOp(node.op, node.dtype.scalar, known, node.arg)
        if node.op is Ops.CONST:
            return UOp.const(node.dtype.scalar, node.arg)
        if node.op is Ops.INVALID or node.dtype is dtypes.void or node.shape != ():
            return None
        return self.names.setdefault(node, leaf(len(self.names), node))


def leaf(number: int, node: UOp) -> UOp:
    """The variable that stands for a node."""
    kind = node.dtype.scalar
    if kind is not dtypes.index:
        return UOp(Ops.PARAM, kind, (), (number, (), None))
    low, high = (int(v) for v in node.interval)
    return UOp.variable(f"x{number}", max(low, -UNBOUNDED), min(high, UNBOUNDED))
