"""The tactic for graphs: a rule applied once to graphs, run before and after.

They are made from its pattern, and like those that it shows. Where nothing but what it shows
matches, that says little.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from rulewright.errors import RulewrightError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove import asked, derivative
from rulewright.verify.prove.graphs import (
    DIMS,
    LONG_DIMS,
    Graphs,
    Needs,
    Retry,
    counts,
    is_gradient,
)
from rulewright.verify.prove.proof import TIME, Outcome
from rulewright.verify.prove.rows import DataRows
from rulewright.verify.prove.trial import Match, Meaningless, Trial, Verdict, graphs, judge
from rulewright.verify.prove.varied import graphs_shown, varied
from rulewright.verify.values.samples import Random, generator, numbers, random, special

Array = np.ndarray[Any, Any]

_WANTED, _QUICK = 200, 40
_ATTEMPTS = 40  # graphs made for each that is wanted, at most
_IN_VAIN = 10  # of them after which none is expected, if none has matched
_MOST_MET = 3  # graphs for each that are run at most: some read outside of memory and mean nothing
_STORING = 5  # times as many are like those that a rule shows, where these store: much hangs on it
_CLOCK = 16  # attempts after each of which the clock is read: it takes as long as one of them
_MEMORY = Ops.group("Outer")
_REGISTERS = Ops.group("Inner")
_MOST_ELEMENTS = 1 << 22  # of a value in all iterations of open loops, or iterations of an effect
_ENUMERATED = 20_000  # values of variables that are all tried at once
_BESIDE = (-1, 0, 1)  # whole numbers that a graph names, of which data consists now and then
_WAITING = (Ops.BARRIER, Ops.COPIES)
_FEW = 255  # values, of which some are unlike
_IN_ORDER = 7  # numbers that numpy adds one after the other, however they lie
_EXAMPLES, _LIKE = "its examples", "like its examples"  # graphs that are not of its pattern

UNSEEN = "it changes what BARRIER or COPIES waits for, which graphs do not show: `trust` says why"


def try_graphs(
    rule: t.Rule, facts: Facts, match: Match, quick: bool, end: float
) -> Iterator[Outcome]:
    """One outcome for each choice of the rule's type parameters that was met.

    `end` is the processor time at which nothing more is begun: then what was found is not known to
    be bounded.
    """
    outcomes: dict[str, Outcome] = {}
    rows = DataRows(rule.equiv)

    def judged() -> int:
        return sum(outcome.graphs for outcome in outcomes.values())

    for name, trial in _trials(rule, facts, match, quick, end, judged):
        try:
            verdict, shown = _judged(trial, rule, rows)
        except Meaningless:
            continue
        except RulewrightError as error:
            verdict, shown = Verdict(True, why=str(error)), trial
        method = "examples" if name == _EXAMPLES else _method(trial)
        outcome = outcomes.setdefault(name, Outcome(name, "bounded", method))
        outcome.graphs += 1
        if _waits(trial.before) != _waits(trial.after):
            outcome.status, outcome.note = "unknown", UNSEEN
        if verdict.wrong:
            outcome.status = "refuted"
            outcome.counterexample = graphs(shown, verdict.why)
            break
    if len(outcomes) > 1 and not any(o.status == "refuted" for o in outcomes.values()):
        outcomes.pop(_EXAMPLES, None)  # which says nothing more
    out_of_time = time.process_time() > end
    for outcome in outcomes.values():
        if out_of_time and outcome.status == "bounded":
            outcome.status, outcome.note = "unknown", TIME
        yield outcome
    if not outcomes:
        yield Outcome("", "vacuous", note="no graph was found that it matches")


def _waits(root: UOp) -> list[tuple[Any, ...]]:
    """Where work items wait for each other: behind which stores, in which loops."""
    waiting = [n for n in root.toposort() if n.op in _WAITING]
    return [
        (n.op, frozenset(s for s in n.toposort() if s.op is Ops.STORE), frozenset(n.ranges))
        for n in waiting
    ]


def _method(trial: Trial) -> str:
    return "derivative" if trial.before.op is Ops.GRAD else "interp"


def _judged(trial: Trial, rule: t.Rule, rows: DataRows) -> tuple[Verdict, Trial]:
    if trial.before.op is Ops.GRAD:
        return derivative.judge(trial), trial
    wide = _all_variables(trial)
    try:
        turns = None if _sums_long(trial.before) else rows.of(wide)
        if turns is not None:
            together, alone = turns
            verdict = judge(together, rule.equiv)
            if not verdict.wrong:
                return verdict, wide
            wide = next((one for one in alone if _is_wrong(one, rule.equiv)), wide)
            trial = replace(trial, bindings=wide.bindings)
    except (Meaningless, RulewrightError):  # some turn names no place
        pass
    verdict = judge(wide, rule.equiv)
    if verdict.wrong and wide.before is not trial.before and judge(trial, rule.equiv).wrong:
        return verdict, trial
    return verdict, wide


def _is_wrong(trial: Trial, equiv: t.Equiv | None) -> bool:
    """Whether it is; what has no value is not."""
    try:
        return judge(trial, equiv).wrong
    except Meaningless:
        return False


def _trials(
    rule: t.Rule, facts: Facts, match: Match, quick: bool, end: float, judged: Callable[[], int]
) -> Iterator[tuple[str, Trial]]:
    """Graphs that the rule matches, with what it makes of them, until enough of them are `judged`:
    those that mean something."""
    rng = generator(str(rule.name))
    wanted, needs = _QUICK if quick else _WANTED, Needs(rule, facts)
    count = 0
    for likely in ((), _ops_of_examples(rule)):
        needs.named_ops += likely  # where nothing matches, what the examples have below
        for pool, share in (((*DIMS, *asked.sizes(rule)), 1.0), (LONG_DIMS, 0.3)):
            met, before = 0, judged()
            for attempt in range(int(wanted * _ATTEMPTS * share)):
                enough = judged() - before >= wanted * share or met >= _MOST_MET * wanted * share
                enough |= not met and attempt >= wanted * _IN_VAIN
                if enough or (attempt % _CLOCK == 0 and time.process_time() > end):
                    break
                trial = _one(needs, match, rng, pool)
                if trial is not None:
                    met += 1
                    yield trial
            count += met
            if met and (is_gradient(rule.pattern) or not counts(rule)):
                break
        if count:
            break
    if not (count and is_gradient(rule.pattern)):
        many = not quick and any(
            n.op is Ops.STORE for g in graphs_shown(rule) for n in g.toposort()
        )
        shown = wanted * _STORING if many else wanted // 2
        yield from _like_shown(rule, match, rng, shown, end, judged)


def _like_shown(
    rule: t.Rule, match: Match, rng: Random, wanted: int, end: float, judged: Callable[[], int]
) -> Iterator[tuple[str, Trial]]:
    """Graphs like those that the rule shows, for externs that look below what a pattern says."""
    seeds, calm, before = graphs_shown(rule), _is_calm(rule), judged()
    for attempt in range(wanted * _ATTEMPTS if seeds else 0):
        late = attempt % _CLOCK == 0 and attempt >= len(seeds) and time.process_time() > end
        if judged() - before >= wanted or late:  # what is shown is run, however late it is
            return
        seed = seeds[attempt % len(seeds)]
        try:
            turn = attempt // len(seeds)
            graph = varied(seed, rng, turn - 1) if turn else seed
            after = match(graph)
        except (Retry, RulewrightError):
            continue
        if after is not None and after is not graph:
            is_same = list(map(_shown, graph.toposort())) == list(map(_shown, seed.toposort()))
            trial = filled(graph, after, rng, {}, calm)
            if not calm and _sums_long(graph):
                _round(trial, rng)
            yield _EXAMPLES if is_same else _LIKE, trial


def _sums_long(root: UOp) -> bool:
    """Whether floats are summed of so many that numpy takes them in another order where they lie
    otherwise."""
    for node in root.toposort():
        if node.op is Ops.REDUCE and node.dtype.is_float:
            count = prod(int(loop.vmax) + 1 for loop in node.src[1:])
        elif node.op is Ops.REDUCE_AXIS and node.dtype.is_float:
            count = prod(node.src[0].max_shape[axis] for axis in node.arg[1])
        else:
            continue
        if count > _IN_ORDER:
            return True
    return False


def _round(trial: Trial, rng: Random) -> None:
    """Put small whole numbers where floats are: their sums are the same in any order."""
    for node, held in trial.bindings.items():
        if node.dtype.is_float:
            trial.bindings[node] = rng.integers(-2, 3, held.shape).astype(held.dtype)


def _shown(node: UOp) -> tuple[Any, ...]:
    """What a node is but for its dtype."""
    return node.op, node.arg, len(node.src)


def _one(
    needs: Needs, match: Match, rng: Random, pool: tuple[int, ...]
) -> tuple[str, Trial] | None:
    graphs = Graphs(needs, rng, pool, leaves_only=is_gradient(needs.rule.pattern))
    try:
        before = graphs.term()
        if _size(before, graphs) > _MOST_ELEMENTS:
            return None
        after = match(before)
    except (Retry, RulewrightError):
        return None
    if after is None or after is before:
        return None
    named = ", ".join(f"{n}={k.name}" for n, k in sorted(graphs.types.items()))
    trial = filled(before, after, rng, graphs.variables, calm=_is_calm(needs.rule))
    return named, trial


def _size(node: UOp, graphs: Graphs) -> int:
    """How many elements a value has, for all iterations of the loops that are open around it; of an
    effect how many iterations all loops have, in each other as they may be."""
    is_effect = node.dtype is dtypes.void
    loops = [n for n in node.toposort() if n.op is Ops.RANGE] if is_effect else node.ranges
    shape = () if is_effect else graphs.concrete(node)
    return prod(max(1, int(loop.vmax) + 1) for loop in loops) * prod(shape)


def _is_calm(rule: t.Rule) -> bool:
    """Whether sums may be taken in any order, so that special values would say nothing."""
    return rule.equiv is not None and rule.equiv.name in ("reassoc", "ulp")


# ---- memory and variables ----------------------------------------------------------------------


def filled(
    before: UOp, after: UOp, rng: Random, sizes: dict[str, int], calm: bool = False
) -> Trial:
    """A trial with something in all memory and variables that a graph needs."""
    inner = [n for n in UOp.sink(before, after).toposort() if n.op in _REGISTERS]
    registers = {
        n: UOp(Ops.PARAM, n.dtype, (), (1000 + place, (n.arg[1],), None))
        for place, n in enumerate(inner)
    }
    before, after = before.substitute(registers), after.substitute(registers)
    trial = Trial(before, after, variables=dict(sizes))
    nodes = UOp.sink(before, after).toposort()
    named = {int(n.arg) + d for n in nodes if n.op is Ops.CONST and n.dtype.is_int for d in _BESIDE}
    for node in nodes:
        if node.op in _MEMORY:
            trial.bindings[node] = _data(node.dtype, node.arg[1], rng, calm, sorted(named))
        elif node.op is Ops.VAR and node.arg[0] not in trial.variables:
            trial.variables[node.arg[0]] = int(rng.integers(node.arg[1], node.arg[2] + 1))
    bound = [n for n in before.toposort() if n.op is Ops.BIND]
    for node in bound:
        trial.variables[node.src[0].arg[0]] = int(node.src[1].arg)
    return trial


def _data(
    kind: DType, shape: tuple[int, ...], rng: Random, calm: bool, named: Sequence[int] = ()
) -> Array:
    """Small numbers, some of them special; for an index small ones that are not negative. Integers
    are now and then those that the graphs name, and their neighbours."""
    count = prod(shape)
    if kind is dtypes.index:
        return rng.integers(0, 5, shape)
    if calm and kind.is_float:
        return rng.uniform(-2, 2, shape).astype(kind.np)
    if kind.is_float and rng.random() < 0.5:
        return numbers(kind, count, rng, odd=True).reshape(shape)
    low = 0 if kind.min == 0 or kind.is_bool else -4
    small = rng.integers(low, 2 if kind.is_bool else 6, count).astype(kind.np)
    near = [n for n in named if kind.is_int and kind.min <= n <= kind.max]
    if near and rng.random() < 0.3:
        small = rng.choice(np.array(near, kind.np), count)
    other = np.concatenate([special(kind), random(kind, 8, rng)])
    odd = rng.random(count) < (0.6 if rng.random() < 0.2 else 0.15)
    values: Array = np.where(odd, rng.choice(other, count), small).astype(kind.np)
    if count > _FEW and rng.random() < 0.5:  # many that are alike add up to all there is
        values[:] = True if kind.is_bool else values[0]
    return values.reshape(shape)


def _all_variables(trial: Trial) -> Trial:
    """The same with every free variable as a loop over all its values, where they are few."""
    if trial.before.dtype is dtypes.void:
        return trial
    nodes = trial.before.toposort()
    bound = {n.src[0] for n in nodes if n.op is Ops.BIND}
    sizes = UOp.sink(*(n.src[0] for n in nodes if n.op is Ops.RANGE)).toposort()
    free = [n for n in nodes if n.op is Ops.VAR and n not in bound and n not in sizes]
    free = [n for n in free if not n.arg[0].startswith("n")]
    if not free or prod(n.arg[2] - n.arg[1] + 1 for n in free) > _ENUMERATED:
        return trial
    loops = {n: UOp.range(n.arg[2] - n.arg[1] + 1, 2000 + i) + n.arg[1] for i, n in enumerate(free)}
    before, after = trial.before.substitute(loops), trial.after.substitute(loops)
    return Trial(before, after, trial.bindings, trial.variables)


def _ops_of_examples(rule: t.Rule) -> tuple[str, ...]:
    """The ops that a rule's examples have, for externs that look below what a pattern says."""
    befores = [example.before for example in rule.all(t.Example)]
    heads = [n.head for b in befores for n in t.walk(b) if isinstance(n, t.OpNode)]
    return tuple(sorted({str(head.name) for head in heads if isinstance(head, t.OpName)}))
