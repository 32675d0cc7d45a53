"""The tactic for all sizes: the matcher that ships, run on graphs of which no size is known.

Every graph of the pattern up to `RANK` axes is made with unknown sizes (`schemas`), the rule is
applied, with its guards and externs (`unknown` follows each answer to what they ask), and z3 shows
that the result means the same (`equal`). Nothing is said of a rule of which a path stays open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rulewright.errors import RulewrightError
from rulewright.ir.node import watching
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.allowed import called
from rulewright.lang.matcher_facts import Facts
from rulewright.options import set_inside
from rulewright.verify.prove import asked, derivative
from rulewright.verify.prove.elements import Elements
from rulewright.verify.prove.equal import Equality
from rulewright.verify.prove.graphs import Retry
from rulewright.verify.prove.programs import filled
from rulewright.verify.prove.proof import Outcome
from rulewright.verify.prove.schemas import SchemaNeeds, Schemas, require_unseen
from rulewright.verify.prove.smt import SmtDomain, available
from rulewright.verify.prove.transposed import LINEAR, Transposed
from rulewright.verify.prove.trial import (
    Match,
    Meaningless,
    RuleStopsError,
    Verdict,
    compared,
    graphs,
    judge,
    misfit,
)
from rulewright.verify.prove.unknown import Opaque, Paths, Unknown
from rulewright.verify.values.samples import generator

RANK = 3
_PATHS = 4000
_NONE = "no graph of any size was found that it matches"
_BY_POSITION = frozenset({Ops.RESHAPE, Ops.SUBBUFFER})


@dataclass
class AllSizes:
    """What is known of a rule for all sizes: whether it is proved, and why not, or of what.

    `rank` is the most axes that were tried, where that says something; `paths` are those proved.
    """

    proved: bool
    note: str
    rank: int = 0
    paths: int = 0
    counterexample: str = ""


def for_all_sizes(rule: t.Rule, facts: Facts, match: Match) -> AllSizes:
    """Try to prove a rule for all sizes of axes and loops."""
    reason = "" if available() else "z3 is not installed"
    reason = reason or _untried_sizes(rule, facts) or _untried_operands(rule, facts)
    if reason:
        return AllSizes(False, reason)
    first = _up_to(1, rule, facts, match)
    if not first.proved and first.note != _NONE:
        return first
    verdict = _up_to(RANK, rule, facts, match)
    verdict.paths += first.paths
    return verdict


def _untried_sizes(rule: t.Rule, facts: Facts) -> str:
    """What a rule asks of sizes and their number that is not tried for all; nothing if all is."""
    reasons = {
        "operands that are symbolic sizes do not reach the result": _drops_sizes(rule),
        "a guard asks for operands that are symbolic sizes": _asks_sizes(rule),
        "a guard asks how large symbolic sizes may be": asked.asks(rule, "max_shape"),
        "a guard counts more operands than are tried": asked.operands(rule) > asked.MOST,
        "a guard names more axes than are tried for all sizes": asked.axes(rule, facts.ops),
        "a guard asks for lanes, of which there is one": asked.asks_more_lanes(rule),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _untried_operands(rule: t.Rule, facts: Facts) -> str:
    """The same of what operands are."""
    if asked.choices(rule, facts.ops) is not None:
        return "a guard asks for an argument that may be anything"
    if asked.lists_nodes(rule, facts.ops):
        return "a guard compares lists of operands"
    if asked.denies_valid(rule):
        return "a guard asks for what may be INVALID"
    if names := asked.labels(rule, facts.ops):
        return f"`{min(names)}` tells things apart, and a guard asks which it is"
    if fields := asked.leaf_fields(rule, facts.ops):
        return f"a guard asks for the {min(fields)} of a leaf"
    if rule.equiv is not None and rule.equiv.name != "nan_payload":
        return f"equal by `{rule.equiv.name}` only"
    return ""


def judged(run: list[Outcome], all_sizes: AllSizes) -> list[Outcome]:
    """Outcomes of graphs that were run, with what is known of all sizes."""
    for outcome in run:
        if all_sizes.counterexample:
            outcome.status, outcome.counterexample = "refuted", all_sizes.counterexample
            outcome.method = "sizes"
        elif not all_sizes.proved:
            outcome.note = outcome.note or f"not for all sizes: {all_sizes.note}"
        else:
            outcome.status = f"proved at rank {all_sizes.rank}" if all_sizes.rank else "proved"
            assumed = f"{LINEAR}, " if outcome.method == "derivative" else ""
            assumed += all_sizes.note
            outcome.method = f"sizes, {outcome.method}"
            outcome.note = f"{assumed}for one lane, sizes below 2^63; {all_sizes.paths} paths"
    return run


def _up_to(rank: int, rule: t.Rule, facts: Facts, match: Match) -> AllSizes:
    """The same for graphs of so many axes."""
    paths = Paths(SmtDomain(), _PATHS)
    needs = SchemaNeeds(rule, facts)
    proved, shaped = 0, False
    try:
        with set_inside(watching, _Watch()):
            for graph in paths.runs(lambda: _Path(needs, match, paths, rank)):
                if graph.status == "open":
                    return AllSizes(False, graph.note, counterexample=graph.counterexample)
                proved += graph.status == "proved"
                shaped |= graph.shaped
    except Opaque as reason:
        return AllSizes(False, str(reason))
    except RuleStopsError as stop:
        return AllSizes(False, str(stop.__cause__ if isinstance(stop.__cause__, Opaque) else stop))
    if not proved:
        return AllSizes(False, _NONE)
    return AllSizes(True, "", rank if shaped and _counts_axes(rule) else 0, proved)


class _Path:
    """One graph, and what came of it: proved, open, or nothing that matches."""

    def __init__(self, needs: SchemaNeeds, match: Match, paths: Paths, rank: int) -> None:
        self.status, self.note, self.counterexample = "none", "", ""
        self.rule, self.match, self.paths = needs.rule, match, paths
        schemas = Schemas(needs, paths, rank)
        try:
            before = schemas.term()
            after = match(before)
        except Retry:
            return
        except RulewrightError as error:
            raise Opaque(f"{type(error).__name__}: {error}") from None
        finally:
            self.shaped = bool(schemas.ranks)
        if after is None or after is before or not self.paths.possible():
            return
        self.status = "open"
        doubt = self._doubt(before, after)
        if doubt is None:
            self.status = "proved"
            return
        self.note = self.note or "z3 finds no proof for all sizes"
        self.counterexample = counterexample(
            needs.rule, match, paths, lambda: Schemas(needs, paths, rank).term(), doubt
        )

    def _doubt(self, before: UOp, after: UOp) -> Any:
        """What z3 could not exclude; None where the graph after means the same."""
        before, after = compared(before, after)
        self.note = misfit(before, after)
        nodes = UOp.sink(before, after).toposort()
        by_position = any(n.op in _BY_POSITION for n in nodes)
        elements = Elements(self.paths, by_position, self.rule.equiv is not None)
        linear = before.op is Ops.GRAD
        question = Transposed(elements) if linear else Equality(elements)
        if not self.note and question.holds(before, after):
            return None
        anything = self.paths.symbols.z3.BoolVal(True, self.paths.symbols.context)
        return anything if question.open is None else question.open


def _drops_sizes(rule: t.Rule) -> bool:
    """Whether a movement op is made again with an argument, without the sizes that went with it.

    Graphs of the pattern have no sizes that are operands, so nothing would be seen of it.
    """
    known = {_argument(n): _sizes(n) for n in t.walk(rule.pattern) if _is_movement(n)}
    movements = [n for n in t.walk(rule.replacement) if _is_movement(n)]
    return any(known.values()) and any(
        known.get(_argument(n), ("",)) != _sizes(n) for n in movements if _argument(n)
    )


def _asks_sizes(rule: t.Rule) -> bool:
    """Whether a guard or a let looks at such operands, or at `none`, where arguments have them."""
    sizes = {n for node in t.walk(rule.pattern) if _is_movement(node) for n in _sizes(node)}
    asked = [c.guard for c in rule.all(t.When)] + [c.value for c in rule.all(t.Let)]
    nodes = [node for clause in asked for node in t.walk(clause)]
    moves = any(map(_is_movement, t.walk(rule.pattern)))
    names = {str(node.name) for node in nodes if isinstance(node, t.Var)}
    return bool(names & sizes) or (moves and any(isinstance(n, t.NoneLit) for n in nodes))


def _is_movement(node: t.Node) -> bool:
    head = node.head if isinstance(node, t.OpNode) else None
    return isinstance(head, t.OpName) and str(head.name) in _MOVEMENT


def _argument(node: t.Node) -> str:
    args = node.args if isinstance(node, t.OpNode) else ()
    return ", ".join(str(getattr(a, "name", a)) for a in args or ())


def _sizes(node: t.Node) -> tuple[str, ...]:
    """The operands of a movement op behind the first: the names of lists."""
    rest = (node.sources or ())[1:] if isinstance(node, t.OpNode) else ()
    return tuple(str(getattr(s.expr, "name", "_")) for s in rest)


def _counts_axes(rule: t.Rule) -> bool:
    """Whether a rule looks at axes one by one, so that more of them would be another question."""
    if called(rule):
        return True
    heads = [n.head for n in t.walk(rule) if isinstance(n, t.OpNode)]
    names = {str(h.name) for h in heads if isinstance(h, t.OpName | t.GroupName)}
    return bool(names & _AXES) or any(isinstance(h, t.OpSet) for h in heads)


_MOVEMENT = frozenset({"RESHAPE", "EXPAND", "PAD", "SHRINK"})  # PERMUTE and FLIP take no sizes
_AXES = {o.name for o in Ops.group("Movement")} | {"REDUCE_AXIS", "SUBBUFFER", "IOTA", "Movement"}


class _Watch:
    """Leaves index arithmetic with unknown sizes as it is: its rules are proved by themselves. And
    notices who walks to a leaf."""

    def walked(self, nodes: list[UOp]) -> None:
        """Raise Opaque where rules' own functions see a leaf."""
        require_unseen(nodes, "nodes", 3)

    def leaves(self, root: UOp) -> bool:
        """Whether there are unknown sizes."""
        return any(_holds_unknown(n.arg) for n in root.toposort())


def _holds_unknown(arg: Any) -> bool:
    return type(arg) is Unknown or (isinstance(arg, tuple) and any(map(_holds_unknown, arg)))


# ---- counterexamples ----------------------------------------------------------------------------

_SIZES = ((3, 4), (0, 4), (0, 12), (0, 300))
"""The least and largest sizes of counterexamples, the short ones first: of three terms the order
shows."""
_FILLED = 12  # times that memory is filled
_WORK = 2_000_000


def counterexample(
    rule: t.Rule, match: Match, paths: Paths, make: Callable[[], UOp], doubt: Any
) -> str:
    """Graphs of a size at which a rule is wrong by the interpreter; nothing if none is found.

    `make` makes the graph of the path, `doubt` is what z3 could not exclude.
    """
    for least, most in _SIZES:
        sizes = paths.example(doubt, least, most, _WORK)
        if sizes is None:
            continue
        try:
            before = paths.repeat(sizes, make)
            after = match(before)
        except (Retry, RulewrightError):
            continue
        if after is not None and after is not before and (shown := _shown(rule, before, after)):
            return shown
    return ""


def _shown(rule: t.Rule, before: UOp, after: UOp) -> str:
    rng = generator(str(rule.name))
    for _ in range(_FILLED):
        trial = filled(before, after, rng, {})
        try:
            linear = before.op is Ops.GRAD
            verdict = derivative.judge(trial) if linear else judge(trial, rule.equiv)
        except Meaningless:
            continue
        except RulewrightError as error:
            verdict = Verdict(True, why=str(error))
        if verdict.wrong:
            return graphs(trial, verdict.why)
    return ""
