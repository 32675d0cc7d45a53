"""What is remembered of rules, and when it is not."""

from types import ModuleType

import numpy as np
import pytest

from rulewright import Context, Tensor, load_rules
from rulewright.driver.schedules import clear_schedule_cache
from rulewright.ir.known import forget_results, matched_by, remembered, rules_are_the_specs
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_matcher
from rulewright.schedule import kernels

RULES = """ruleset mine {
  /// Adding a number to itself is doubling it.
  rule twice<T: Int>
    x:T + x => x * 2
    prove smt
    example PARAM[0]:i32 + PARAM[0]:i32 => PARAM[0]:i32 * 2
    reject  PARAM[0]:f32 + PARAM[0]:f32
}
"""


@pytest.fixture
def counted():
    calls = []

    @remembered(8)
    def simplified(node):
        calls.append(node)
        return node.simplify()

    return simplified, calls


def test_a_result_is_found_again(counted):
    simplified, calls = counted
    n = UOp.variable("n", 0, 9)
    assert simplified(n + 0) is simplified(n + 0) is n
    assert len(calls) == 1


def test_other_rules_and_other_checks_find_nothing(counted, tmp_path):
    simplified, calls = counted
    path = tmp_path / "mine.uop"
    path.write_text(RULES)
    node = UOp.variable("n", 0, 9) + 0
    simplified(node)
    with load_rules(path):
        simplified(node)
        simplified(node)
        assert len(calls) == 2
    with Context(VERIFY=3):
        simplified(node)
    assert len(calls) == 3
    simplified(node)
    assert len(calls) == 3, "the rules are those of the first call again"
    forget_results()
    simplified(node)
    assert len(calls) == 4


def layered(layers, width=48):
    x = Tensor(np.ones((5, width), np.float32)).realize()
    for _ in range(layers):
        weight = Tensor(np.ones((width, width), np.float32)).realize()
        x = (x @ weight).relu().softmax(-1)
    return x


def no_rules(name):
    """A matcher in which nothing matches."""
    module = ModuleType(f"no_{name}")
    module.MATCH, module.RULES, module.ACTIONS = {}, (), {}
    return module


def test_rules_run_with_another_matcher_until_the_block_ends(counted):
    simplified, calls = counted
    n = UOp.variable("n", 0, 9)
    assert simplified(n + 0) is n
    with matched_by(no_rules):
        assert simplified(n + 0) is n + 0
        assert not rules_are_the_specs()
        with matched_by(load_matcher):
            assert simplified(n + 0) is n
        assert simplified(n + 0) is n + 0
    assert simplified(n + 0) is n
    assert rules_are_the_specs() and len(calls) == 5


def test_another_matcher_goes_when_the_block_ends_in_an_error():
    n = UOp.variable("n", 0, 9)
    with pytest.raises(ZeroDivisionError), matched_by(no_rules):
        assert (n + 0).simplify() is n + 0
        _ = 1 / 0
    assert (n + 0).simplify() is n


def test_a_user_s_rules_come_before_those_of_another_matcher(tmp_path):
    path = tmp_path / "twice.uop"
    path.write_text(RULES)
    n = UOp.variable("n", 0, 9)
    with matched_by(no_rules), load_rules(path, at="symbolic"):
        assert (n + n).simplify() is n * 2
        assert (n + 0).simplify() is n + 0


def test_equal_layers_are_found_before_their_kernels_are_made(monkeypatch, empty_cache):
    done = []

    def rewrite(node, rules):
        done.append(node)
        return real(node, rules)

    real = kernels.rewrite
    monkeypatch.setattr(kernels, "rewrite", rewrite)
    counts = []
    for layers in (4, 16):
        forget_results()
        clear_schedule_cache()
        done.clear()
        items = layered(layers).schedule()
        assert len(items) > layers
        counts.append(len(done))
    assert counts[0] == counts[1] < 8
