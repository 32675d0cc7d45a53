"""Groups of ops stand in the spec: nowhere in Python is one spelled out again."""

import ast
from pathlib import Path

import pytest

import rulewright
from rulewright.ir.ops import Ops
from rulewright.lang.build import load_table

SOURCE = Path(rulewright.__file__).parent


def ops_of(node):
    """The names of the ops in a literal of ops alone, such as `{Ops.ADD, Ops.MUL}`; else None."""
    if not isinstance(node, ast.Set | ast.Tuple | ast.List) or len(node.elts) < 2:
        return None
    names = [
        item.attr
        for item in node.elts
        if isinstance(item, ast.Attribute) and ast.unparse(item.value) == "Ops"
    ]
    return frozenset(names) if len(names) == len(node.elts) else None


def spelled_out(text, groups):
    """The groups that Python code spells out, with the line of each."""
    if "Ops" not in text:  # most modules name none
        return []
    found = [(node, ops_of(node)) for node in ast.walk(ast.parse(text))]
    return [(node.lineno, groups[ops]) for node, ops in found if ops in groups]


@pytest.fixture(scope="module")
def groups():
    return {frozenset(ops): name for name, ops in load_table()["groups"].items()}


def test_a_group_that_is_spelled_out_is_found_in_any_order(groups):
    text = "a = Ops.ADD, Ops.MUL\nb = [Ops.SHR, Ops.SHL]\nc = {Ops.INDEX, Ops.LOAD}\n"
    assert spelled_out(text, groups) == [(2, "Shift"), (3, "Read")]


def test_no_group_is_spelled_out(groups):
    places = {
        str(path.relative_to(SOURCE)): found
        for path in sorted(SOURCE.rglob("*.py"))
        if "_generated" not in path.parts
        and (found := spelled_out(path.read_text(encoding="utf-8"), groups))
    }
    assert places == {}


def test_no_two_groups_are_the_same(groups):
    assert len(groups) == len(load_table()["groups"])


def test_an_op_knows_its_groups():
    assert Ops.RANGE in Ops.group("Counter")
    assert Ops.RANGE.groups >= {"Counter", "Numeral", "Affine", "Opening"}
    assert Ops.group("Memory") == Ops.group("Outer") | Ops.group("Inner") | {Ops.SUBBUFFER}
