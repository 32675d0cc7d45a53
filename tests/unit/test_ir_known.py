"""What is remembered of rules, and when it is not."""

import numpy as np
import pytest

from rulewright import Context, Tensor, load_rules
from rulewright.ir.known import forget_results, remembered
from rulewright.ir.uop import UOp
from rulewright.runtime.realize import clear_schedule_cache
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


def test_equal_layers_are_found_before_their_kernels_are_made(monkeypatch):
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
