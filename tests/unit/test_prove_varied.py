"""Rules whose externs look deeper than a pattern: graphs like those that they show are run."""

from __future__ import annotations

from functools import cache
from math import prod
from pathlib import Path

import pytest

from rulewright.codegen import scatter
from rulewright.errors import RulewrightError
from rulewright.ir.ops import Ops
from rulewright.lang.build import load_table
from rulewright.lang.matcher_facts import Facts
from rulewright.lang.parse import parse_text
from rulewright.schedule import collect, externs
from rulewright.verify.prove import Settings, programs, prove_rule, rules_of
from rulewright.verify.prove.builders import _divisors
from rulewright.verify.prove.graphs import ELEMENTS, LONG_DIMS, Graphs, Needs, Retry
from rulewright.verify.prove.varied import graphs_shown, varied
from rulewright.verify.values.samples import generator

SPEC = Path(__file__).parents[2] / "spec"
SCATTER = SPEC / "70-lowering" / "scatter.uop"
SCHEDULE = SPEC / "60-schedule.uop"


@cache
def _rule(file, name):
    rules = rules_of([parse_text(file.read_text(encoding="utf-8"), str(file))])
    return next(rule for _, rule in rules if rule.name == name)


def _status(file, name):
    return prove_rule(_rule(file, name), _table(), "", Settings(quick=True)).status


_table = cache(load_table)


@pytest.mark.parametrize(
    ("file", "name"), [(SCATTER, "keep_in_place"), (SCHEDULE, "collect_outermost")]
)
def test_a_rule_whose_extern_looks_deep_is_run_on_graphs_like_its_examples(file, name):
    assert _status(file, name) == "bounded"


@pytest.mark.parametrize(
    ("helper", "answer"),
    [("_within", lambda at, row: at == at), ("is_neutral", lambda combine, chosen: True)],
)
def test_an_extern_that_forgets_to_ask_is_found(monkeypatch, helper, answer):
    monkeypatch.setattr(scatter, helper, answer)
    assert _status(SCATTER, "collect_in_one_walk") == "refuted"


def test_work_items_that_each_do_what_one_of_them_should_race(monkeypatch):
    """One after the other, or all at once, they leave the same there."""
    walk = scatter._walk

    def of_all_values(nest, hit, outer, first=None, each=None):
        made, all_of_it = walk(nest, hit, outer, first, each), walk(nest, hit, outer)
        before = next(n for n in made.toposort() if n.op is Ops.END and n.src[1:] == (each,))
        old = next(n for n in all_of_it.toposort() if n.op is Ops.END and n is not all_of_it)
        return all_of_it.substitute({old: before})

    monkeypatch.setattr(scatter, "_walk", of_all_values)
    assert _status(SCATTER, "collect_in_walks") == "refuted"


@pytest.mark.parametrize(
    ("name", "module", "helper", "answer"),
    [
        ("collect_apart", collect, "_few_terms", lambda node: [node.src[0]]),
        ("split_many_products", externs, "terms", lambda node: [*node.src, node.src[0]]),
    ],
)
def test_an_extern_that_makes_other_terms_is_found(monkeypatch, name, module, helper, answer):
    monkeypatch.setattr(module, helper, answer)
    assert _status(SCHEDULE, name) == "refuted"


def test_what_a_rule_shows_is_run_however_late_it_is(monkeypatch):
    clock = iter([0.0, 0.0])  # then all time is over
    monkeypatch.setattr(programs.time, "process_time", lambda: next(clock, 1e9))
    proof = prove_rule(_rule(SCHEDULE, "collect_apart"), _table(), "", Settings(quick=True))
    assert proof.status == "timed out" and proof.graphs > 0


def test_graphs_like_one_have_other_sizes_dtypes_and_operands_and_close_each_loop_once():
    seeds, rng = graphs_shown(_rule(SCATTER, "keep_in_place")), generator("varied")
    graphs = []
    for turn in range(300):
        try:
            graphs.append(varied(seeds[0], rng, turn))
        except (Retry, RulewrightError):
            continue
    nodes = [graph.toposort() for graph in graphs]
    assert len(set(graphs)) > 30
    assert len({n.src[0].arg for some in nodes for n in some if n.op is Ops.RANGE}) > 5
    assert len({n.dtype for some in nodes for n in some if n.op is Ops.PARAM}) > 5
    for some in nodes:
        closed = [r for n in some if n.op in (Ops.END, Ops.REDUCE) for r in n.src[1:]]
        assert len(closed) == len(set(closed))


def test_long_axes_are_repeated_to_what_can_be_run():
    """The divisors of a size of 70000^3 elements were counted one by one."""
    text = "ruleset mine { rule it RESHAPE[_](EXPAND(x)) => x prove interp }"
    needs = Needs(next(rules_of([parse_text(text)]))[1], Facts(_table()))
    rng, sizes = generator("long"), []
    for _ in range(300):
        try:
            graph = Graphs(needs, rng, LONG_DIMS)
            sizes.append(prod(graph.concrete(graph.term())))
        except (Retry, RulewrightError):
            continue
    assert max(sizes) <= ELEMENTS and len([s for s in sizes if s > 1000]) > 20


def test_divisors_are_all_of_them():
    for number in range(1, 200):
        assert _divisors(number) == [d for d in range(1, number + 1) if number % d == 0]
