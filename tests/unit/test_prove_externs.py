"""Functions of Python that rules call: a proof for all sizes holds only where they do not look."""

from __future__ import annotations

import pytest

from rulewright.ir.dtypes import dtypes
from rulewright.ir.uop import UOp
from rulewright.lang.allowed import allow_externs
from rulewright.lang.parse import parse_text
from rulewright.verify.prove.files import prove_trees


def is_one(node: UOp) -> bool:
    """A question that each node of a shape answers alike."""
    return node.size == 1


def is_deep(node: UOp) -> bool:
    """How many nodes there are."""
    return node.size == 1 or len(node.toposort()) > 7


def is_deep_below(node: UOp) -> bool:
    """The same of a node that is not a leaf itself."""
    return node.size == 1 or len(UOp.sink(node).toposort()) > 7


def is_long(node: UOp) -> bool:
    """How a node is printed."""
    return node.size == 1 or len(str(node)) > 10_000


def is_based(node: UOp) -> bool:
    """What a node is a view of."""
    return node.size == 1 or node.base.dtype is not node.dtype


def is_listed(node: UOp) -> bool:
    """A size that is looked up, not compared."""
    return node.size == 1 or node.size in {17}


def is_short(node: UOp) -> bool:
    """What dtype a node has."""
    return node.size == 1 or node.dtype is dtypes.u16


def is_spelled(node: UOp) -> bool:
    """A size that is printed."""
    return node.size == 1 or any(f"{size}" == "17" for size in node.shape)


def is_in_loops(node: UOp) -> bool:
    """The loops that are open at a node."""
    return node.size == 1 or len(node.ranges) > 5


def is_tried(node: UOp) -> bool:
    """A question whose failure is an answer."""
    try:
        return node.size == 1 or int(node.size) == 17
    except Exception:
        return False


def is_known(node: UOp) -> bool:
    """The same in a table."""
    return node.size == 1 or {(17,): True}.get(node.shape, False)


@pytest.mark.parametrize(
    ("name", "status", "note"),
    [
        ("is_one", "proved at rank 3", "for one lane"),
        ("is_deep", "bounded", "asks for the nodes of a leaf"),
        ("is_deep_below", "bounded", "asks for the nodes of a leaf"),
        ("is_long", "bounded", "asks for the text of a leaf"),
        ("is_based", "bounded", "asks for the base of a leaf"),
        ("is_listed", "bounded", "a size is looked up"),
        ("is_known", "bounded", "a size is looked up"),
        ("is_short", "refuted", ""),
        ("is_spelled", "bounded", "a size is printed"),
        ("is_in_loops", "bounded", "asks for the ranges of a leaf"),
        ("is_tried", "bounded", "the digits of a size are taken"),
    ],
)
def test_who_walks_to_a_leaf_or_prints_it_has_looked(name, status, note):
    text = f"""extern guard {name}(x: uop) -> bool = "{__name__}:{name}" pure because "a test"
ruleset mine {{
  rule it FLIP[_](x) => x when {name}(x) prove interp
}}"""
    with allow_externs([__name__]):
        [proof] = prove_trees([parse_text(text)], keep=False)
    assert proof.status == status
    assert note in proof.note
