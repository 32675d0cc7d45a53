"""Every planted fault is caught, by the checks that README.md says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from catch import compiled, is_refused, named
from plants import PLANTS, planted
from table import NOT_IN_STAGES, NOT_REFUTED, VERIFY, markdown

from rulewright.options import Context

HERE = Path(__file__).parent
BY_NAME = [pytest.param(plant, id=plant.name) for plant in PLANTS]


def test_there_are_enough_and_each_stands_in_the_table():
    assert len(PLANTS) >= 30
    assert {plant.name for plant in PLANTS} == set(VERIFY)
    assert {path.stem for path in (HERE / "rules").iterdir()} == {p.name for p in PLANTS if p.at}


def test_the_readme_is_current():
    found = (HERE / "README.md").read_text(encoding="utf-8")
    assert found == markdown(), "run python tests/planted/table.py > tests/planted/README.md"


@pytest.mark.parametrize("plant", BY_NAME)
def test_verify_refuses_the_fault_at_its_level_and_not_below(plant):
    level = VERIFY[plant.name]
    if level:
        assert is_refused(plant, level)
    assert level == 1 or not is_refused(plant, level - 1 if level else 3)


@pytest.mark.parametrize("plant", BY_NAME)
@pytest.mark.timeout(60)  # of each rule that fired, the prover says what it is
def test_no_fault_in_a_stage_is_certified(plant, tmp_path):
    pytest.importorskip("z3")
    with Context(CERTIFICATES=str(tmp_path)):
        assert is_refused(plant, "prove") == (plant.name not in NOT_IN_STAGES)


@pytest.mark.parametrize("plant", BY_NAME)
def test_bisect_names_the_step_and_the_rule(plant):
    assert named(plant) == (plant.step, plant.rule)


@pytest.mark.parametrize("program", dict.fromkeys(plant.program for plant in PLANTS))
@pytest.mark.timeout(60)  # every application of a rule is run, before and after
def test_nothing_is_refused_without_a_fault(program):
    plant = next(p for p in PLANTS if p.program is program)
    compiled(plant, 3)


def test_prove_refutes_the_planted_rules(cli):
    pytest.importorskip("z3")
    found = cli("prove", HERE / "rules", "--no-cache", "--format", "json")
    proofs = json.loads(found.stdout)["rules"]
    refuted = {proof["rule"] for proof in proofs if proof["status"] == "refuted"}
    assert refuted == {plant.name for plant in PLANTS if plant.at} - set(NOT_REFUTED)


def test_a_fault_is_gone_after_its_block():
    plant = PLANTS[0]
    with planted(plant):
        pass
    compiled(plant, 2)
