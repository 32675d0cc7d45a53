"""Wrong variants of externs: proofs of the rules that call them refute each.

Every sixth of them by day; with `SEARCH=1`, as `tox -e nightly` has it, all.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pairs import ALL

from rulewright.codegen import scatter
from rulewright.lang.build import load_table
from rulewright.lang.parse import parse_text
from rulewright.schedule import collect
from rulewright.verify.prove import Settings, prove_rule, rules_of

SPEC = Path(__file__).parents[2] / "spec"
SCATTER, SCHEDULE = SPEC / "70-lowering" / "scatter.uop", SPEC / "60-schedule.uop"

_READ = "if memory in UOp.sink(total, _value(store, chosen)).toposort():"

Edit = tuple[Callable[..., Any], str, str]
WRONG: dict[str, list[Edit]] = {  # by rule: the function, its text, and what stands there instead
    "collect_in_one_walk": [
        (scatter._within, "(UOp.index_const(0) <= number) & ", ""),
        (scatter._within, " & (number < row.src[0])", ""),
        (scatter._walk, "(start,) if total is store.src[1] else ()", "()"),
        (
            scatter._walk,
            "start = target.store(chosen.other)",
            "start = target.store(UOp.const(chosen.other.dtype, 1))",
        ),
        (scatter._walk, "valid = valid & condition.substitute({row: at})", "pass"),
        (scatter._walk, "substitute({row: number})", "substitute({row: number + 1})"),
        (scatter._walk, "_value(store, chosen).substitute({row: at})", "_value(store, chosen)"),
        (scatter._walk, "so_far.alu(total.arg, value)", "so_far.alu(Ops.ADD, value)"),
        (scatter._collected, "or not is_neutral(total.arg, chosen)", ""),
        (scatter._is_data, "loop not in at.ranges and ", ""),
        (scatter._collected, _READ, "if False:"),
    ],
    "add_in_one_walk": [
        (scatter._walk, "(start,) if total is store.src[1] else ()", "(start,)"),
        (scatter.walk_over_values, "not _writes_apart(nest)", "False"),
        (scatter._total, "grown and target in value.src", "grown"),
        (scatter._total, "s.op is Ops.REDUCE and s.arg is value.op", "s.op is Ops.REDUCE"),
        (scatter._within, " & (number < row.src[0])", ""),
    ],
    "write_in_one_walk": [
        (scatter._rises, "steps == (number,) and ", ""),
        (scatter._is_written, "or value.src[1] is not target", ""),
        (scatter._collected, _READ, "if False:"),
        (scatter._collected, "chosen.other.arg < 0 and ", ""),
    ],
    "keep_in_place": [
        (scatter.store_what_changes, " or not _are_apart(place, kept)", ""),
        (scatter.store_what_changes, "old is not target or ", ""),
        (scatter.store_what_changes, "kept.alu(Ops.NOT)", "kept"),
    ],
    "collect_in_walks": [
        (scatter._walk, "valid & (first <= number) & (number < first + each.src[0])", "valid"),
        (scatter._walk, "first <= number", "first < number"),
        (scatter._walk, "number < first + each.src[0]", "number <= first + each.src[0]"),
        (scatter._walk, "first + each < row.src[0]", "first + each <= row.src[0]"),
        (scatter._collected, _READ, "if False:"),
        (scatter.walks_of_items, "-(-places // (own * parts))", "places // (own * parts)"),
        (scatter.walks_of_items, "block // beside * own + item", "block // beside * own"),
    ],
    "collect_outermost": [
        (collect.places_outermost, "order.index(i) for i in range(len(order))", "order"),
        (collect.places_outermost, "order.index(i) for i in node.arg[1]", "node.arg[1]"),
    ],
}
CASES = [(rule, *edit) for rule, edits in WRONG.items() for edit in edits]


@cache
def _rules():
    files = [
        parse_text(path.read_text(encoding="utf-8"), str(path)) for path in (SCATTER, SCHEDULE)
    ]
    return {str(rule.name): (rules, rule) for rules, rule in rules_of(files)}


def wrong(function, old, new):
    """The code of a function with another text in one place."""
    text = textwrap.dedent(inspect.getsource(function))
    assert text.count(old) == 1, f"{function.__name__} says {old!r} {text.count(old)} times"
    names = {}
    exec(compile(text.replace(old, new), function.__code__.co_filename, "exec"),
         vars(inspect.getmodule(function)), names)  # fmt: skip
    return names[function.__name__].__code__


@pytest.mark.parametrize("place", range(0, len(CASES), 1 if ALL else 6))
@pytest.mark.timeout(60)
def test_a_wrong_extern_is_refuted(place, monkeypatch):
    rule, function, old, new = CASES[place]
    monkeypatch.setattr(function, "__code__", wrong(function, old, new))
    rules, declared = _rules()[rule]
    assert prove_rule(declared, load_table(), rules, Settings()).status == "refuted"


def test_without_a_fault_none_is():
    rules, declared = _rules()["collect_in_walks"]
    assert prove_rule(declared, load_table(), rules, Settings(quick=True)).status == "bounded"
