"""Checks that a graph is legal at a stage of `spec/30-stages.uop`."""

from __future__ import annotations

from typing import Any

from rulewright.errors import StageError, listed
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_stage, load_table


def stage_statements(stage: str) -> list[dict[str, Any]]:
    """The statements of a stage, its own first, then those of the stages it extends.

    Each says whether it allows, its message, the ops or groups it is about, and where it stands.
    Raises StageError for an unknown stage.
    """
    stages = load_table()["stages"]
    if stage not in stages:
        raise StageError(f"unknown stage {stage!r}; {listed('known are', stages, stage)}")
    row = stages[stage]
    own = [{**s, "file": row["file"]} for s in row["statements"]]
    return own + [s for other in row["extends"] for s in stage_statements(other)]


def check_stage(root: UOp, stage: str, after: str = "") -> None:
    """Raise StageError for the first node, operands first, that `stage` does not allow."""
    statements = stage_statements(stage)
    match = load_stage(stage).MATCH
    for node in root.toposort():
        rules = match.get(node.op)
        number = rules(node, None) if rules is not None else None
        if number is None or not statements[number]["allow"]:
            raise StageError(_message(node, stage, after, statements, number))


def _message(
    node: UOp, stage: str, after: str, statements: list[dict[str, Any]], number: int | None
) -> str:
    """What is wrong with a node: the `forbid` that it fits, or the `allow`s that it nearly fits."""
    where = f" after {after}" if after else ""
    if number is not None:
        statement = statements[number]
        reason = statement["message"] or "it is forbidden"
        reason += f" ({statement['file']}:{statement['line']})"
    else:
        names = {node.op.name, *node.op.groups}
        near = [f"{s['file']}:{s['line']}" for s in statements if names & set(s["heads"])]
        reason = "no `allow` fits" + (f"; the nearest: {', '.join(near)}" if near else "")
    return f"{node.op} is not legal at stage {stage}{where}: {reason}\n{node}"
