"""Drivers: strategies, deep graphs, fuel, traces; and user rules loaded for a while."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rulewright.checks.userfile import load_rules
from rulewright.errors import RewriteError, RuleError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import overlay_key, ruleset
from rulewright.ir.uop import UOp

X, Y = UOp.variable("x", -9, 9), UOp.variable("y", -9, 9)
P, Q = (UOp(Ops.PARAM, dtypes.i32, (), (i, (), None)) for i in range(2))


def rules(tmp_path: Path, text: str, name: str = "user.uop") -> Path:
    """A file of rules."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def user_set(rules: str, head: str = "") -> str:
    """A user's file with one set."""
    return f"{head}\nruleset mine {{ {rules} }}\n"


SQUARE = """
  /// A square becomes a sum, for the test.
  rule square<T: Int>
    x:T * x => x + {7}
    trust "a test"
    example PARAM[0]:i32 * PARAM[0]:i32 => PARAM[0]:i32 + 7
    reject PARAM[0]:i32 * PARAM[1]:i32
"""


# ---- strategies -------------------------------------------------------------------------------


def test_rewrites_to_a_fixpoint() -> None:
    assert rewrite((P + 1) + (Q - Q) + 2, "symbolic") is P + 3


def test_a_graph_without_match_is_the_same_object() -> None:
    node = P + Q
    assert rewrite(node, "symbolic") is node


def test_shared_nodes_are_rewritten_once() -> None:
    shared = P * 1
    seen = []
    rewrite((shared + Q) + (shared + 3), "symbolic", trace=lambda r, a, b: seen.append((r, a)))
    assert seen.count(("mul_one", shared)) == 1


@pytest.mark.parametrize("name", ["symbolic", "readable", "explicit_loads"])
def test_deep_graphs_need_no_recursion(name: str) -> None:
    node = P
    for i in range(100_000):
        node = UOp(Ops.XOR, dtypes.i32, (node, Q if i % 2 else P + 5))
    found = rewrite(node, name)
    assert found.dtype is dtypes.i32 and rewrite(found, name) is found


def test_a_deep_graph_in_which_every_node_changes() -> None:
    node = P
    for _ in range(20_000):
        node = UOp(Ops.ADD, dtypes.i32, (node, UOp.const(dtypes.i32, 1)))
    assert rewrite(node, "symbolic") is P + 20_000


def test_once_does_not_look_at_its_results() -> None:
    element = UOp(Ops.PARAM, dtypes.f32, (), (0, (4,), None)).index(X)
    loaded = rewrite(element, "explicit_loads")
    assert loaded.op is Ops.LOAD and loaded.src[0] is element


def test_parents_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent is taken before its operand: and_or_absorb leaves nothing of the operand."""
    p, q = (UOp(Ops.PARAM, dtypes.bool, (), (i, (), None)) for i in range(2))
    inner = UOp(Ops.AND, dtypes.bool, (q, q))
    node = UOp(Ops.AND, dtypes.bool, (p, UOp(Ops.OR, dtypes.bool, (p, inner))))
    symbolic = ruleset("symbolic")
    seen: list[str] = []
    monkeypatch.setattr(symbolic, "strategy", "parents_first")
    assert rewrite(node, symbolic, trace=lambda r, a, b: seen.append(r)) is p
    assert seen == ["and_or_absorb"]
    monkeypatch.setattr(symbolic, "strategy", "children_first")
    seen.clear()
    assert rewrite(node, symbolic, trace=lambda r, a, b: seen.append(r)) is p
    assert seen == ["and_self", "and_or_absorb"]


def test_parents_first_is_a_fixpoint_too(monkeypatch: pytest.MonkeyPatch) -> None:
    symbolic = ruleset("symbolic")
    node = ((P - Q) * 4 + (Q * 1 + 0) * 4) + (P - P)
    expected = rewrite(node, symbolic)
    monkeypatch.setattr(symbolic, "strategy", "parents_first")
    found = rewrite(node, symbolic)
    assert rewrite(found, symbolic) is found
    monkeypatch.setattr(symbolic, "strategy", "children_first")
    assert rewrite(found, symbolic) is expected


# ---- choice of rules, traces ------------------------------------------------------------------


def test_trace_names_rules_and_terms() -> None:
    seen = []
    after = rewrite(P * 1 + 0, "symbolic", trace=lambda r, a, b: seen.append((r, a, b)))
    assert after is P
    assert seen == [("mul_one", P * 1, P), ("add_zero", P + 0, P)]


def test_only_and_without() -> None:
    node = P * 1 + 0
    assert rewrite(node, "symbolic", only=["mul_one"]) is P + 0
    assert rewrite(node, "symbolic", without=["mul_one"]) is P * 1


def test_unknown_rule_and_set() -> None:
    with pytest.raises(UsageError, match="symbolic has no rule 'nothing'"):
        rewrite(P, "symbolic", only=["nothing"])
    with pytest.raises(UsageError, match="unknown ruleset 'nothing'; known are"):
        rewrite(P, "nothing")


def test_a_sum_of_sets_holds_the_rules_of_its_parts() -> None:
    symbolic = ruleset("symbolic")
    assert set(ruleset("folding").rules) < set(symbolic.rules)
    assert symbolic.closure[:2] == ("symbolic", "folding")
    assert len(symbolic.rules) == len(set(symbolic.rules)) >= 110


# ---- fuel -------------------------------------------------------------------------------------

PING_PONG = """
  /// Forth, for the test.
  rule ping<T: Int>
    ADD!(x:T, $c) => SUB(x, {c})
    when x.op != CONST and c == 12345
    trust "a test"
    example PARAM[0]:i32 + 12345 => PARAM[0]:i32 - 12345
    reject PARAM[0]:i32 + 1
  /// Back, for the test.
  rule pong<T: Int>
    SUB(x:T, $c) => ADD(x, {c})
    when x.op != CONST and c == 12345
    trust "a test"
    example PARAM[0]:i32 - 12345 => PARAM[0]:i32 + 12345
    reject PARAM[0]:i32 - 1
"""

GROWS = """
  /// A term that grows, for the test.
  rule grow<T: Int>
    CDIV(x:T, $c) => CDIV(x * x, {c})
    trust "a test"
    example CDIV(PARAM[0]:i32, 3) => CDIV(PARAM[0]:i32 * PARAM[0]:i32, 3)
    reject CDIV(PARAM[0]:i32, PARAM[1]:i32)
"""


def test_a_circle_is_told(tmp_path: Path) -> None:
    with load_rules(rules(tmp_path, user_set(PING_PONG))), pytest.raises(RewriteError) as told:
        rewrite(P + 12345, "symbolic")
    text = str(told.value)
    assert "rewriting with symbolic does not end: a term needs its own result" in text
    assert "cycle: ping -> pong" in text or "cycle: pong -> ping" in text
    assert "ADD(PARAM[0]:i32, 12345:i32):i32\n" in text and "help:" in text


BACK = """
  /// A term that comes back to what its operand was simplified from, for the test.
  rule back<T: Int>
    SUB(x:T, $c) => SUB(x + {0}, {c})
    when c == 12345
    trust "a test"
    example PARAM[0]:i32 - 12345 => PARAM[0]:i32 + 0 - 12345
    reject PARAM[0]:i32 - 1
"""


def test_a_circle_through_a_simplified_operand_is_told(tmp_path: Path) -> None:
    node = UOp(Ops.SUB, dtypes.i32, (P + 0, UOp.const(dtypes.i32, 12345)))
    with load_rules(rules(tmp_path, user_set(BACK))), pytest.raises(RewriteError) as told:
        rewrite(node, "symbolic")
    assert "cycle: back -> add_zero" in str(told.value) or "add_zero -> back" in str(told.value)


def test_growth_runs_out_of_fuel(tmp_path: Path) -> None:
    with load_rules(rules(tmp_path, user_set(GROWS))), pytest.raises(RewriteError) as told:
        rewrite(UOp(Ops.CDIV, dtypes.i32, (P, UOp.const(dtypes.i32, 3))), "symbolic")
    text = str(told.value)
    assert "no end after 10001 rewrites (limit = 64 for each node)" in text
    assert "cycle: grow\n" in text


# ---- user rules -------------------------------------------------------------------------------


def test_loaded_rules_are_undone(tmp_path: Path) -> None:
    node = P * P
    assert overlay_key() == ()
    with load_rules(rules(tmp_path, user_set(SQUARE))) as loaded:
        assert loaded.rules == ("square",)
        assert rewrite(node, "symbolic") is P + 7
        assert overlay_key() != ()
        names = []
        rewrite(node, "symbolic", trace=lambda r, a, b: names.append(r))
        assert names == ["square"]
    assert rewrite(node, "symbolic") is node
    assert overlay_key() == ()


def test_a_handle_without_with(tmp_path: Path) -> None:
    handle = load_rules(rules(tmp_path, user_set(SQUARE)))
    assert repr(handle) == f"<LoadedRules {', '.join(handle.rules)} at symbolic>"
    try:
        assert rewrite(P * P, "symbolic") is P + 7
    finally:
        handle.close()
        handle.close()
    assert rewrite(P * P, "symbolic") is P * P


def test_rules_load_into_parts_and_all_that_use_them(tmp_path: Path) -> None:
    with load_rules(rules(tmp_path, user_set(SQUARE)), at="folding"):
        assert rewrite(P * P, "symbolic") is P + 7
        assert rewrite(P * P, "folding") is P + 7
        assert rewrite(P * P, "readable") is P * P


def test_the_last_loaded_comes_first(tmp_path: Path) -> None:
    other = SQUARE.replace("7", "8").replace("square", "other_square")
    with load_rules(rules(tmp_path, user_set(SQUARE))):
        with load_rules(rules(tmp_path, user_set(other), "other.uop")):
            assert rewrite(P * P, "symbolic") is P + 8
        assert rewrite(P * P, "symbolic") is P + 7


def test_other_threads_do_not_see_loaded_rules(tmp_path: Path) -> None:
    found = []
    with load_rules(rules(tmp_path, user_set(SQUARE))):
        thread = threading.Thread(target=lambda: found.append(rewrite(P * P, "symbolic")))
        thread.start()
        thread.join()
    assert found == [P * P]


def test_rules_undone_when_the_block_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), load_rules(rules(tmp_path, user_set(SQUARE))):
        1 / 0  # noqa: B018  # any failure
    assert overlay_key() == ()


def test_a_wrong_file_loads_nothing(tmp_path: Path) -> None:
    bad = SQUARE.replace("x + {7}", "z + {7}") + PING_PONG.replace("SUB(x, {c})", "SUBB(x, {c})")
    with pytest.raises(RuleError) as told:
        load_rules(rules(tmp_path, user_set(bad)))
    assert len(told.value.diagnostics) >= 2
    assert "user.uop:" in str(told.value) and overlay_key() == ()


def test_a_file_without_rules(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="expected a ruleset with rules, found none"):
        load_rules(rules(tmp_path, "# nothing\n"))


def test_a_missing_file_and_an_unknown_set(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"load_rules: cannot read .*none\.uop"):
        load_rules(tmp_path / "none.uop")
    with pytest.raises(UsageError, match="unknown ruleset 'nowhere'"):
        load_rules(rules(tmp_path, user_set(SQUARE)), at="nowhere")
