"""Positions that no index is: of u64, those from 2^63 on. They name no element, and no place."""

from __future__ import annotations

import numpy as np
import pytest

from rulewright import Tensor
from rulewright.lang.build import parsed_spec
from rulewright.lang.parse import parse_text
from rulewright.verify.prove import prove_rule, rules_of

BEYOND = [2**64 - 1, 2**64 - 7, 2**63 + 3, 2**63]


@pytest.fixture
def places(rng):
    """Numbers of 20,000 places, four of them beyond all, values, and their sums by place."""
    at = rng.integers(0, 20_000, 4000).astype(np.uint64)
    at[5:9] = BEYOND
    values = rng.integers(1, 5, 4000).astype(np.float32)
    sums, named = np.zeros(20_000, np.float32), at < 20_000
    np.add.at(sums, at[named].astype(np.int64), values[named])
    return Tensor(at), Tensor(values), sums


@pytest.mark.parametrize("way", ["index_add", "scatter_add", "one_hot"])
def test_what_goes_to_no_place_goes_nowhere(way, places):
    at, values, sums = places
    if way == "one_hot":
        hit = at.reshape(-1, 1) == Tensor.arange(20_000).cast("u64").reshape(1, -1)
        got = hit.where(values.reshape(-1, 1), 0.0).sum(0)
    else:
        got = getattr(Tensor.zeros(20_000), way)(0, at, values)
    np.testing.assert_array_equal(got.numpy(), sums)


@pytest.mark.parametrize("kind", [np.uint64, np.int64, np.uint32, np.int32, np.uint8, np.int8])
def test_a_sum_of_what_no_position_names_is_zero(kind):
    ends = np.iinfo(kind)
    at = np.array([1, ends.max, ends.min, ends.max - 6, ends.max // 2 + 1], kind)
    x = np.arange(1, 9, dtype=np.float32)
    hit = Tensor.arange(8).cast(Tensor(at).dtype).reshape(8, 1) == Tensor(at).reshape(1, -1)
    for sign in (1, -1):
        picked = hit.where(Tensor(x).reshape(8, 1), 0.0)
        got = (picked if sign == 1 else -picked).sum(0).numpy()
        named = [x[int(a)] if 0 <= int(a) < 8 else 0.0 for a in at]
        np.testing.assert_array_equal(got, sign * np.array(named, np.float32))


_NAMES = ("sum_of_chosen", "sum_of_chosen_inside", "sum_of_chosen_negated")


@pytest.mark.parametrize("name", _NAMES)
def test_the_prover_meets_such_positions(name):
    """A position that is no less than 0 as it is may be so as an index."""
    file = next(f for f in parsed_spec() if f.path.endswith("60-schedule.uop"))
    begin = file.text.index(f"rule {name}<")
    text = file.text[begin : file.text.index("prove interp", begin)]
    assert text.count("(0:index <= at)") == 1
    wrong = text.replace("(0:index <= at)", "({0}:I <= i)")
    for number in range(4):  # whatever it is called
        named = wrong.replace(f"rule {name}<", f"rule {name}_{number}<")
        file = parse_text(f"ruleset mine {{ {named} prove interp }}")
        proof = prove_rule(next(rules_of([file]))[1])
        assert (proof.status, "I=u64" in proof.note) == ("refuted", True)
