"""Rules on a choice between vectors that one condition makes for all lanes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rulewright.ir.ops import Ops
from rulewright.ir.read import build_body
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.matcher import generate_rules

RULES = [
    rule
    for file in parsed_spec()
    for rules in file.all(t.RuleSetDecl)
    for rule in rules.rules
    if any("WHERE" in repr(example.before) for example in rule.all(t.Example))
]


def widened(root: UOp) -> UOp | None:
    """The graph on vectors, but for the conditions of its choices; None if it is no such graph."""
    conditions = {n.src[0] for n in root.toposort() if n.op is Ops.WHERE}
    single = {inner for condition in conditions for inner in condition.toposort()}
    made: dict[UOp, UOp] = {}
    for n in root.toposort():
        if n in single:
            made[n] = n
        elif n.op is Ops.CONST:
            made[n] = UOp.const(n.dtype.vec(4), n.arg)
        elif n.dtype.kind != "Index" and (n.op is Ops.PARAM or n.op.elementwise):
            made[n] = UOp(n.op, n.dtype.vec(4), tuple(made[s] for s in n.src), n.arg)
        else:
            return None
    return made[root] if conditions and fits(made[root]) else None


def fits(root: UOp) -> bool:
    """Whether operands have the lanes of results; a condition may be one for all."""
    for n in root.toposort():
        values = n.src[1:] if n.op is Ops.WHERE else n.src
        conditions = n.src[:1] if n.op is Ops.WHERE else ()
        if n.op.elementwise and any(s.dtype.count != n.dtype.count for s in values):
            return False
        if any(c.dtype.count not in (1, n.dtype.count) for c in conditions):
            return False
    return True


def widened_examples(rule: t.Rule) -> Iterator[UOp]:
    """The rule's examples of elementwise ops, on vectors that one condition chooses from."""
    for example in rule.all(t.Example):
        before = build_body(t.Body((), example.before))
        graph = widened(before) if isinstance(before, UOp) else None
        if graph is not None and graph.dtype.count == 4:
            yield graph


WIDENED = [rule for rule in RULES if list(widened_examples(rule))]


def test_there_are_such_rules():
    assert len(WIDENED) > 12


@pytest.mark.parametrize("rule", WIDENED, ids=lambda r: str(r.name))
def test_what_replaces_a_choice_has_its_lanes(rule):
    names: dict = {}
    exec(compile(generate_rules("rule", [rule], load_table()), "<rule>", "exec"), names)
    for before in widened_examples(rule):
        match = names["MATCH"].get(before.op)
        after = match(before, None) if match else None
        assert after is None or (after.dtype is before.dtype and fits(after))
