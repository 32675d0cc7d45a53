"""Mistakes about axes, loops and memory are refuted; their sound neighbours hold for all sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine_graphs import spec_rule

from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.matcher_facts import Facts
from rulewright.lang.parse import parse_text
from rulewright.lang.table import extern_row
from rulewright.verify.prove import prove_rule, rules_of
from rulewright.verify.prove.allsizes import for_all_sizes
from rulewright.verify.prove.trial import matcher

FILES = {path.stem: parse_text(path.read_text(), str(path)) for path in
         (Path(__file__).parent / "sizes").glob("*.uop")}  # fmt: skip
RULES = {(s, str(r.name)): r for s, r in rules_of(FILES.values())}
NAMES = [name for s, name in RULES if s == "wrong"]


def _prove(which, name):
    rows = {str(e.name): extern_row(e) for e in FILES[which].all(t.Extern)}
    table = load_table()
    return prove_rule(RULES[which, name], {**table, "externs": {**table["externs"], **rows}})


@pytest.mark.parametrize("name", NAMES)
def test_a_mistake_is_refuted_by_graphs_that_show_it(name):
    proof = _prove("wrong", name)
    assert proof.status == "refuted"
    graphs = parse_text(proof.counterexample).all(t.Graph)
    assert [str(g.name) for g in graphs] == ["before", "after"]


@pytest.mark.parametrize("name", NAMES)
def test_its_sound_neighbour_is_proved_for_all_sizes(name):
    proof = _prove("right", name)
    assumed = "over the reals, " if name.startswith("gradient") else ""
    assert (proof.status.partition(" at rank")[0], proof.note.partition(";")[0]) == (
        "proved",
        f"{assumed}for one lane, sizes below 2^63",
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("expand_after_elementwise", "rulewright.schedule.externs asks for the op of a leaf"),
        ("split_long_reduce", "equal by `reassoc` only"),
        ("floordiv_of_long_sum", "the digits of a size are taken"),
    ],
)
def test_what_cannot_be_followed_is_said_and_not_called_proved(name, why):
    rule, table = spec_rule(name), load_table()
    found = for_all_sizes(rule, Facts(table), matcher(rule, table))
    assert (found.proved, found.note) == (False, why)


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("<T: Number> -RESHAPE[s](x:T, _..) => RESHAPE[s](-x)", "refuted"),
        ("<T: Number> -RESHAPE[s](x:T, sizes..) => RESHAPE[s](-x, sizes..)", "proved at rank 3"),
        ("RANGE(n) => {0}:index when n.vmax == 1", "refuted"),
        ("RANGE(n) => {0}:index when n.vmin == 1 and n.vmax == 1", "proved"),
        ("<T: f32> REDUCE[ADD](x:T, r, s) => REDUCE[ADD](x, s, r)", "bounded"),
        ("<T: i32> REDUCE[ADD](x:T, r, s) => REDUCE[ADD](x, s, r)", "proved"),
    ],
)
def test_symbolic_sizes_and_the_order_of_floats_count(rule, status):
    text = f"ruleset mine {{ rule it {rule} prove interp }}".replace("it <", "it<")
    ((_, made),) = rules_of([parse_text(text)])
    assert prove_rule(made).status == status
