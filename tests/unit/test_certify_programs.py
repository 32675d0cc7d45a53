"""Certificates of whole programs: made by VERIFY=prove, checked again, refused where changed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, function, nn
from rulewright.errors import UsageError
from rulewright.verify.certify import Certificate, recheck

pytest.importorskip("z3")  # of rules that fired, the prover says what they are


def data(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32)).realize()


def certified(folder: Path, make) -> Certificate:
    """The certificate of the one program that `make` runs."""
    with Context(VERIFY="prove", CERTIFICATES=str(folder), CACHE=0):
        make()
    (path,) = folder.iterdir()
    return Certificate.from_json(path.read_text())


def statuses(certificate: Certificate) -> set[str]:
    return {step.claim.status for _, step in certificate.steps()}


PROVED = {
    "matmul": lambda: data(5, 7) @ data(7, 3),
    "sums of rows": lambda: data(3, 17).sum(1),
    "nothing": lambda: data(4, 4)[:0].sum(0),
    "one": lambda: data(1) * 3,
    "views": lambda: (data(3, 5).T.flip(0)[1:] + 1).pad(((1, 0), (0, 2))),
    "variance": lambda: data(4, 9).var(1),
    "integers": lambda: (Tensor([3, -4, 5]).realize() * 2 + 1) & 7,
    "causal": lambda: data(4, 4).tril() @ data(4, 4),
    "convolution": lambda: data(1, 2, 5, 5).conv2d(data(3, 2, 3, 3)),
    "argmax": lambda: data(3, 8).argmax(1),
}


@pytest.mark.parametrize("name", PROVED)
def test_every_step_is_proved(name, tmp_path):
    make = PROVED[name]
    result = certified(tmp_path, lambda: make().realize())
    assert statuses(result) == {"proved"}
    assert not [found for found in recheck(result) if found.problem]


def test_softmax_is_proved_but_for_the_rule_of_its_exponential(tmp_path):
    result = certified(tmp_path, lambda: data(4, 10).softmax(1).realize())
    by_rules = [step for _, step in result.steps() if step.claim.status != "proved"]
    (step,) = by_rules
    assert (step.entry, step.claim.status) == ("decompose", "by rules")
    assert step.claim.rules == ("exp_by_polynomial",)


def test_all_sizes_of_a_variable_are_run(tmp_path):
    n = Variable("n", 1, 12).bind(5)
    given = data(12, 3)
    result = certified(tmp_path, lambda: given[:n].sum(0).realize())
    assert statuses(result) == {"proved"}


def test_of_many_sizes_some_are_run_and_that_is_said(tmp_path):
    n = Variable("n", 1, 1000).bind(5)
    given = data(1000)
    result = certified(tmp_path, lambda: (given[:n] * 2).contiguous().realize())
    notes = {step.claim.note for _, step in result.steps() if step.claim.status == "sampled"}
    assert notes and all("at 3 sizes alone" in note for note in notes)


def test_what_is_read_where_data_says_is_a_term(tmp_path):
    where = Tensor([2, 0, 1]).realize()
    given = data(3, 4)
    result = certified(tmp_path, lambda: given[where].realize())
    weak = {step.entry for _, step in result.steps() if step.claim.status != "proved"}
    on_data = {"indexing", "gates", "indices", "readable", "decompose"}  # arithmetic on numbers
    assert weak <= on_data
    assert not [found for found in recheck(result) if found.problem]


def test_where_data_says_what_is_written_steps_are_sampled(tmp_path):
    where, given = Tensor([2, 0, 1]).realize(), data(3)
    result = certified(tmp_path, lambda: given.scatter(0, where, data(3)).realize())
    notes = {step.claim.note for _, step in result.steps() if step.claim.status == "sampled"}
    assert notes
    assert not [found for found in recheck(result) if found.problem]


def test_a_program_too_large_to_run_is_unchecked(tmp_path):
    given = Tensor.empty(1 << 21)
    result = certified(tmp_path, lambda: (given + 1).schedule())
    assert "unchecked" in statuses(result)


def test_a_write_into_memory_and_a_second_call_are_certified(tmp_path):
    held = data(6)
    for call, make in enumerate(
        (lambda: held.assign(held + 1), lambda: held[2:4].assign(held[:2]))
    ):
        folder = tmp_path / str(call)
        assert statuses(certified(folder, lambda make=make: make().realize())) == {"proved"}


def test_a_training_step_is_proved(tmp_path):
    layer = nn.Linear(5, 3)
    optimiser = nn.optim.SGD([layer.weight, layer.bias], lr=0.1)
    given = data(4, 5)
    for parameter in (layer.weight, layer.bias):
        parameter.realize()

    def step() -> None:
        layer(given).square().mean().backward()
        optimiser.step()

    with Context(VERIFY="prove", CERTIFICATES=str(tmp_path), CACHE=0):
        step()
    found = [Certificate.from_json(path.read_text()) for path in tmp_path.iterdir()]
    assert found and all(statuses(one) == {"proved"} for one in found)


def test_a_function_scheduled_apart_has_steps_of_its_own(tmp_path):
    @function(precompile=True)
    def rows(x):
        return (x @ x.T).relu().sum(1)

    given = data(4, 6)
    result = certified(tmp_path, lambda: rows(given).realize())
    schedules = [chain for chain in result.chains if not chain.target]
    assert len(schedules) == 2
    assert {s.claim.status for s in schedules[1].steps} == {"proved"}
    assert "it calls what is compiled apart" in {s.claim.note for s in schedules[0].steps}
    assert not [found for found in recheck(result) if found.problem]


def test_of_a_library_that_computes_the_call_is_checked(tmp_path):
    pytest.importorskip("scipy_openblas32")
    a, b = data(20, 8), data(8, 20)
    result = certified(tmp_path, lambda: (a @ b).contiguous(arg="blas").realize())
    notes = [found.note for found in recheck(result) if found.step == "source"]
    assert notes == ["a call of a library"]
    assert not [found for found in recheck(result) if found.problem]


def test_scratch_memory_is_in_the_plan_that_is_checked(tmp_path):
    a, b = data(6, 6), data(6, 6)
    result = certified(tmp_path, lambda: ((a @ b).relu() @ b).softmax(1).realize())
    assert result.memory and result.arenas
    crowded = json.loads(result.to_json())
    crowded["memory"] = [[slot, arena, offset + (1 << 40)] for slot, arena, offset in result.memory]
    assert problems(crowded) == ["memory plan"]


def problems(changed: dict) -> list[str]:
    """The steps that are not borne out."""
    found = recheck(Certificate.from_json(json.dumps(changed)))
    return [finding.step for finding in found if finding.problem]


@pytest.fixture(scope="module")
def product(tmp_path_factory) -> dict:
    made = certified(
        tmp_path_factory.mktemp("certificates"), lambda: (data(3, 4) @ data(4, 2)).realize()
    )
    return json.loads(made.to_json())


def test_what_was_made_is_borne_out(product):
    assert problems(product) == []


def test_another_stage_is_noticed(product):
    changed = json.loads(json.dumps(product))
    at = changed["chains"][1]["steps"][-1]["after"]
    assert "ADD(" in changed["graphs"][at]
    changed["graphs"][at] = changed["graphs"][at].replace("= ADD(", "= SUB(", 1)
    assert problems(changed)[0] == "linearize"


def test_an_assumption_left_out_is_noticed(product):
    assert problems({**product, "assumed": product["assumed"][:-1]}) == ["assumed"]


def test_a_certificate_without_kernels_says_so(product):
    bare = Certificate.from_json(json.dumps({**product, "chains": product["chains"][:1]}))
    said = [(found.status, found.note) for found in recheck(bare) if found.step == "kernels"]
    assert said == [("unchecked", "none is lowered for a target")]


def test_what_reduces_by_an_op_without_identity_is_no_step(product):
    changed = json.loads(json.dumps(product))
    changed["graphs"] = [text.replace("REDUCE[ADD]", "REDUCE[SUB]") for text in changed["graphs"]]
    assert "REDUCE[SUB]" in "".join(changed["graphs"])
    assert problems(changed)


def test_a_step_left_out_is_noticed(product):
    changed = json.loads(json.dumps(product))
    steps = changed["chains"][1]["steps"]
    at = next(i for i, s in enumerate(steps) if s["before"] != s["after"])
    del steps[at]
    assert problems(changed)


def test_a_kernel_left_out_is_noticed(product):
    changed = json.loads(json.dumps(product))
    other = json.loads(json.dumps(product))
    other["chains"][1]["steps"] = other["chains"][1]["steps"][-1:]
    assert "kernels" in problems(other)
    changed["chains"] = []
    assert problems(changed) == ["schedule"]


def test_another_source_is_noticed(product):
    changed = json.loads(json.dumps(product))
    changed["chains"][1]["source"] += "\n"
    assert problems(changed) == ["source"]


def test_a_claim_beyond_what_is_shown_is_noticed(tmp_path):
    result = certified(tmp_path, lambda: data(3).exp().realize())
    changed = json.loads(result.to_json())
    weak = [s for c in changed["chains"] for s in c["steps"] if s["status"] == "by rules"]
    assert weak
    for step in weak:
        step["status"] = "proved"
    assert problems(changed) == ["decompose"]


def test_another_spec_is_said(product):
    assert problems({**product, "spec": "another"}) == ["spec"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 2}',
        '{"format": 1, "spec": "", "graphs": [1]}',
        '{"format": 1, "spec": "", "graphs": ["graph g {"], "chains": [], "memory": []}',
        '{"format": 1, "spec": "", "graphs": [], "memory": [], "arenas": [], "assumed": [], '
        '"chains": [{"target": "", "name": "", "source": "", "steps": [{"entry": "x", "before": 7, '
        '"after": 7, "sets": [], "status": "proved", "note": "", "rules": []}]}]}',
    ],
)
def test_what_is_no_certificate_is_said(text, cli, tmp_path):
    path = tmp_path / "wrong.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"expected .*(certificate|format 1)"):
        Certificate.from_json(text)
    result = cli("verify", path)
    assert result.exit_code == 2 and "Error('" not in result.stderr  # in words, not by its class
    assert "wrong.json" in result.output


def test_the_command_checks_in_another_process_and_from_elsewhere(product, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(product))
    bad.write_text(json.dumps({**product, "spec": "another"}))
    command = [sys.executable, "-P", "-m", "rulewright", "verify"]
    done = subprocess.run([*command, good], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "all borne out" in done.stdout and "assumed: the meaning of ops" in done.stdout
    done = subprocess.run([*command, good, bad], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "1 not borne out" in done.stdout


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        Context(VERIFY="prove", CERTIFICATES=str(tmp_path / "file"), CACHE=0),
        pytest.raises(UsageError, match="set CERTIFICATES"),
    ):
        (data(3) + 1).realize()


def test_the_word_is_a_level_and_others_are_not():
    with Context(VERIFY="prove") as chosen:
        assert chosen.VERIFY > 3
    for level in (4, 9):
        expected = "a number from 0 to 3 or 'prove'"
        with pytest.raises(UsageError, match=expected), Context(VERIFY=level):
            pass
    with pytest.raises(UsageError, match="a number from 0 to 3 or 'prove'"):
        from rulewright.options import from_environment

        from_environment({"VERIFY": "proof"})
