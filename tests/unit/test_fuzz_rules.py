"""False rules made at random: the tool that asks the prover about them, on a few of each family."""

from __future__ import annotations

from itertools import islice
from random import Random

import numpy as np
import pytest

import fuzz_rules
from rule_fuzz.rules import FAMILIES, Faults, parsed
from rule_fuzz.search import Search
from rulewright.lang.build import load_table
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove.proof import Proof
from rulewright.verify.prove.trial import matcher


@pytest.mark.parametrize("family", FAMILIES)
def test_no_false_rule_is_proved(family):
    found = list(fuzz_rules.findings(7, 8, family, attempts=30))
    assert not [f for f in found if f.is_false_proof or f.status == "crashed"]


def _wrong(text: str) -> bool:
    rule, facts = parsed(f"rule it{'' if text[0] == '<' else ' '}{text}"), Facts(load_table())
    search = Search(rule, facts, matcher(rule, load_table()), Random(1))
    with np.errstate(all="ignore"):
        wrong = search.first(400) is not None
    assert search.matched
    return wrong


@pytest.mark.parametrize(
    ("right", "guard"),
    [
        ("<T: Int> x:T + $c => x when c == 0", "c == 12345"),
        ("<T: bool> x:T & $c => x when c", "T.itemsize == 2"),
        ("<T: f16> equiv nan_payload x:T * $c => x when c == 1", "isnan(c)"),
        ("FLIP[f](x) => x when x.size == 1", "f.count(true) == 4"),
    ],
)
def test_graphs_are_made_that_show_what_is_wrong(right, guard):
    assert not _wrong(right)
    assert _wrong(f"{right} or {guard}")


def test_what_is_called_proved_all_the_same_is_told_with_a_graph(monkeypatch):
    def believes_all(rule, *_):
        return Proof(str(rule.name), "", "", 0, "smt", "proved")

    monkeypatch.setattr(fuzz_rules, "prove_rule", believes_all)
    found = list(fuzz_rules.findings(3, 20, "integers", attempts=30))
    assert len(found) > 5 and all(f.is_false_proof for f in found)
    assert all(f.rule.startswith("rule it") and "graph before {" in f.graph for f in found)
    assert found == list(fuzz_rules.findings(3, 20, "integers", attempts=30))


def test_the_same_rules_are_made_of_a_seed():
    facts = Facts(load_table())
    first, second = (list(islice(Faults(facts, Random(5)).rules(), 200)) for _ in range(2))
    assert first == second
    assert {family for family, _ in first} == {*FAMILIES}
