"""Rules that change the order of effects, or of loops around them, or what memory they are of."""

from __future__ import annotations

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import prove_rule, rules_of


def _status(text: str) -> str:
    text = f"ruleset mine {{ rule it {text} prove interp }}"
    return prove_rule(next(rules_of([parse_text(text)]))[1]).status


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("AFTER(AFTER(x, e), f) => AFTER(x, e, f)", "proved"),
        ("AFTER(AFTER(x, e), f) => AFTER(x, f, e)", "refuted"),
        ("AFTER(x, e, f) => AFTER(x, f, e)", "refuted"),
        ("AFTER(x, e, f) => AFTER(x, e)", "refuted"),
        ("AFTER(x, e, e) => AFTER(x, e)", "bounded"),
    ],
)
def test_of_two_effects_on_one_memory_the_second_is_what_stays(rule, status):
    assert _status(rule) == status


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("END(END(e, r), s) => END(e, s, r)", "proved"),
        ("END(END(e, r), s) => END(e, r, s)", "refuted"),
        ("END(e, r, s) => END(e, s, r)", "refuted"),
        ("END(e, rs.., s) => END(e, s, rs..)", "refuted"),
    ],
)
def test_iterations_that_find_what_others_stored_are_in_the_order_of_the_loops(rule, status):
    assert _status(rule) == status


def test_two_names_may_stand_for_one_memory():
    stores = "AFTER(x, STORE(y, v), STORE(x, w))"
    assert _status(f"{stores} => AFTER(x, STORE(x, w), STORE(y, v))") == "refuted"
    assert _status(f"{stores} => AFTER(x, STORE(x, w))") == "refuted"
    assert _status(f"{stores} => AFTER(AFTER(x, STORE(y, v)), STORE(x, w))") != "refuted"


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("END(STORE(x, v), RANGE(n)) => STORE(x, v) when n.vmin >= 1", "refuted"),
        ("END(STORE(x, v), RANGE(n)) => STORE(x, v) when n.vmin == 1 and n.vmax == 1", "refuted"),
        ("END(STORE(x, v), RANGE(1)) => STORE(x, v)", "refuted"),
        ("END(STORE(x, v), r@RANGE(1)) => END(STORE(x, v), r, 0:index)", "proved"),
        ("END(STORE(x, v), RANGE(n), s@RANGE(_)) => END(STORE(x, v), s) when n.vmin >= 1",
         "refuted"),
    ],
)  # fmt: skip
def test_a_loop_that_was_closed_around_an_effect_is_not_left_open(rule, status):
    assert _status(rule) == status


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ("AFTER(x, BARRIER(e)) => AFTER(x, e)", "unknown"),
        ("AFTER(x, e, BARRIER(f)) => AFTER(x, BARRIER(e, f))", "unknown"),
        ("BARRIER(e, COPIES(f)) => BARRIER(e, f)", "unknown"),
        ("AFTER(AFTER(x, BARRIER(e)), f) => AFTER(x, BARRIER(e), f)", "proved"),
    ],
)
def test_who_waits_for_whom_is_not_seen_where_one_runs_after_the_other(rule, status):
    assert _status(rule) == status
