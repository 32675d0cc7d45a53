"""Tactics in order: each is tried where the one before says too little.

All values of a few bits, then z3 over bit-vectors of each dtype's own width and over unbounded
integers (`integers`); chosen and random values (`scalars`); generated graphs (`programs`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rulewright.ir.ops import op as op_named
from rulewright.ir.text import one_line, print_graph
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.matcher_facts import Facts
from rulewright.lang.more_ops import more_ops
from rulewright.verify.prove import asked
from rulewright.verify.prove.allsizes import for_all_sizes, judged
from rulewright.verify.prove.builders import has_builder
from rulewright.verify.prove.calculus import REALS, proves
from rulewright.verify.prove.floats import FloatTactics, has_floats
from rulewright.verify.prove.integers import IntegerTactics
from rulewright.verify.prove.programs import try_graphs
from rulewright.verify.prove.proof import TIME, Outcome, Proof, conclude
from rulewright.verify.prove.recorded import at_all_inputs
from rulewright.verify.prove.scalars import QUICK, Effort, try_values
from rulewright.verify.prove.structures import QUICK as SOME, Amount, Structures
from rulewright.verify.prove.terms import NeverMatches, Unsupported
from rulewright.verify.prove.trial import Match, RuleStopsError, matcher
from rulewright.verify.prove.typed import TypedRule, Typing, each_op
from rulewright.verify.values.samples import generator


def rules_of(files: Iterable[t.SourceFile]) -> Iterator[tuple[str, t.Rule]]:
    """Every rule of some files with the name of its set, in their order."""
    for file in files:
        for ruleset in file.all(t.RuleSetDecl):
            for rule in ruleset.rules:
                yield str(ruleset.name), rule


@dataclass(frozen=True)
class Settings:
    """How hard to try. `timeout`: seconds of an idle core a question to z3, counted as work.

    `budget`: seconds of processor time after which no more graphs are made for a rule: the last
    resort, for what is tried is counted. `quick` tries few values and graphs, and asks z3 about the
    narrowest integers only.
    """

    timeout: float = 2.0
    quick: bool = False
    budget: float = 60.0


def prove_rule(
    rule: t.Rule,
    table: Mapping[str, Any] | None = None,
    set_name: str = "",
    settings: Settings | None = None,
) -> Proof:
    """Run the tactics on one rule, of the spec or of any other tree.

    `table` is what `lang.build.load_table` gives (the default), with the externs that the rule
    calls. The rule's examples serve as seeds where no graph can be made from its pattern. A trusted
    rule is run too, and refuted where that shows it wrong.
    Raises RuleError for a rule of which no matcher can be made.
    """
    begun = time.process_time()
    span = rule.name.span
    proof = Proof(str(rule.name), set_name, span.file, span.line, "", "declared")
    table, settings = table or load_table(), settings or Settings()
    reasons = [clause.reason.value for clause in rule.all(t.Trust)]
    if reasons:  # run quickly, and believed as far as that shows nothing
        settings = replace(settings, quick=True)
    with np.errstate(all="ignore"):
        conclude(proof, list(_Tactics(rule, table, settings).climb()))
    if reasons and proof.status != "refuted":
        proof.method, proof.status, proof.note, proof.width = "trust", "trusted", reasons[0], ""
    elif note := _of_own_ops(rule, proof.status):
        proof.note = "; ".join(filter(None, [note, proof.note]))
    proof.seconds = round(time.process_time() - begun, 3)
    return proof


def _of_own_ops(rule: t.Rule, status: str) -> str:
    """What is to be said of ops of a file beside the spec: whose clauses `smt` z3 read, which
    `check` compares at samples, or of which it knows nothing where nothing is proved."""
    own = sorted({str(n.name) for n in t.walk(rule) if isinstance(n, t.OpName)} & more_ops())
    written = [name for name in own if op_named(name).row.get("smt")]
    unread = [name for name in own if not op_named(name).smt]
    if status.startswith("proved") and written:
        return f"as far as `smt` of {', '.join(written)} is its `meaning`"
    if status in ("bounded", "unknown") and unread:
        return f"z3 reads no `meaning` of {', '.join(unread)}: a clause `smt` tells it more"
    return ""


class _Tactics:
    """The tactics for one rule."""

    def __init__(self, rule: t.Rule, table: Mapping[str, Any], settings: Settings) -> None:
        self.tree, self.table, self.settings = rule, table, settings
        wanted = [s.value for c in rule.all(t.Prove) for s in c.settings if s.name == "timeout"]
        self.timeout = max([settings.timeout, *map(float, wanted)])
        self.facts = Facts(table)
        self.end = time.process_time() + settings.budget
        self.random = generator(str(rule.name))

    @cached_property
    def match(self) -> Match:
        """The rule as a function, made when first needed."""
        return matcher(self.tree, self.table)

    def climb(self) -> Iterator[Outcome]:
        """One outcome an instance; the counterexample of one is enough."""
        try:
            yield from self._climb()
        except RuleStopsError as stop:
            shown = f"# {one_line(str(stop))}\n{print_graph(stop.node, 'before')}"
            yield Outcome("", "refuted", "interp", counterexample=shown)

    def _climb(self) -> Iterator[Outcome]:
        """Of a rule that computes with whichever op it meets, one rule for each op."""
        for name, tree in each_op(self.tree, self.facts).items():
            for outcome in self._of(tree):
                outcome.dtypes = ", ".join(part for part in (name, outcome.dtypes) if part)
                yield outcome
                if outcome.status == "refuted":
                    return

    def _of(self, tree: t.Rule) -> Iterator[Outcome]:
        try:
            typed = TypedRule(tree, self.facts)
        except Unsupported:
            run = try_graphs(self.tree, self.facts, self.match, self.settings.quick, self.end)
            yield from self._for_all_sizes(self._differentiated(list(run)))
            yield from self._unbuilt()
            return
        integers = IntegerTactics(typed, self.match, self.timeout, self.settings.quick)
        floats = FloatTactics(typed, self.match, self.timeout, self.settings.quick)
        instances = list(typed.instances())
        amount = SOME if self.settings.quick else Amount()
        structures = Structures(typed, self.match, self.random, amount, len(instances))
        for choice in instances:
            tactics = floats if has_floats(choice) else integers
            outcome = self._instance(typed, tactics, choice, len(instances))
            if outcome.status != "refuted":
                tried = structures.outcome(choice, outcome.status == "proved")
                outcome = _with(outcome, tried)
            if outcome.status == "proved" and not outcome.graphs:
                outcome.status, outcome.note = "bounded", "z3 alone: the matcher met no such graph"
            yield outcome
            if outcome.status == "refuted":
                return
        if asked.looks(tree):
            yield from self._on_nodes()

    def _on_nodes(self) -> Iterator[Outcome]:
        """What is wrong where operands are tensors, elements of memory or loops, for a guard that
        asks what they are."""
        run = try_graphs(self.tree, self.facts, self.match, self.settings.quick, self.end)
        yield from (outcome for outcome in run if outcome.status == "refuted")

    def _unbuilt(self) -> Iterator[Outcome]:
        """Of a choice of ops those of which no graph is made: nothing is known of them."""
        nodes = [n for n in t.walk(self.tree.pattern) if isinstance(n, t.OpNode)]
        choices = [self.facts.heads(n.head) for n in nodes if not isinstance(n.head, t.OpName)]
        names = [name for heads in choices for name in heads if not has_builder(op_named(name))]
        if names:
            yield Outcome("", "unknown", note=f"no graph is made of {', '.join(sorted({*names}))}")

    def _differentiated(self, tried: list[Outcome]) -> list[Outcome]:
        """What was tried of a gradient rule, proved where calculus says so too."""
        if not any(clause.method == "derivative" for clause in self.tree.all(t.Prove)):
            return tried
        try:
            shown = proves(self.tree, self.facts, self.timeout)
        except Unsupported:
            return tried
        for outcome in tried:
            if shown and outcome.status == "bounded":
                outcome.status, outcome.method = "proved", "calculus, derivative"
                outcome.note = REALS
        return tried

    def _for_all_sizes(self, run: list[Outcome]) -> list[Outcome]:
        """What running graphs has found: a second opinion where all sizes are proved."""
        if self.settings.quick or any(o.status != "bounded" for o in run):
            return run
        return judged(run, for_all_sizes(self.tree, self.facts, self.match))

    def _instance(
        self, typed: TypedRule, tactics: IntegerTactics | FloatTactics, choice: Typing, count: int
    ) -> Outcome:
        outcome = tactics.outcome(choice)
        if outcome.status not in ("declared", "unknown"):
            return outcome
        effort = QUICK if self.settings.quick else Effort()
        try:
            tried = try_values(typed, choice.names, self.match, self.random, effort, count)
        except NeverMatches:
            tried = Outcome(outcome.dtypes, "vacuous")
        if tried.status == "bounded" and not self.settings.quick:
            known = at_all_inputs(typed, choice, self.match)
            if known is not None:
                return known
        return _with(outcome, tried) if outcome.status == "unknown" else tried


def _with(outcome: Outcome, tried: Outcome) -> Outcome:
    """What is known of an instance, with what the next tactic tried of it.

    Work that ran out leaves what was tried since; time that ran out is not known to be bounded.
    """
    if tried.status == "refuted":
        return tried
    outcome.graphs += tried.graphs
    out_of_time = outcome.status == "unknown" and outcome.note.startswith(TIME)
    if tried.status == "proved" and outcome.status == "unknown":
        return tried
    if tried.status != "vacuous" and outcome.status in ("unknown", "vacuous", "declared"):
        outcome.status = outcome.status if out_of_time else "bounded"
        outcome.method = ", ".join(m for m in (outcome.method, tried.method) if m)
    return outcome
