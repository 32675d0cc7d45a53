"""Answers of an evaluation, and for which part of which loops they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulewright.ir.uop import UOp


class Scope:
    """Answers that hold while some loop variables are bound to part of their range."""

    def __init__(self, parent: Scope | None, bounds: Mapping[UOp, tuple[int, int]]) -> None:
        self.parent, self.bounds = parent, dict(bounds)
        self.sequential: frozenset[UOp] = frozenset()
        self.begun = 0  # writes that had happened when the iteration of a sequential loop began
        self.memo: dict[Any, Any] = {}
        self._levels: dict[UOp, int] = {}

    def home(self, node: UOp) -> Scope:
        """The innermost scope from here that binds a loop variable which is open at `node`."""
        scope = self
        if scope.parent is None:
            return scope
        level = self._levels.get(node)
        if level is None:
            level = self._levels[node] = self._level(node)
        for _ in range(level):
            assert scope.parent is not None
            scope = scope.parent
        return scope

    def _level(self, node: UOp) -> int:
        """How far outside of here a node's home is."""
        scope, level = self, 0
        while scope.parent is not None and scope.bounds.keys().isdisjoint(node.ranges):
            scope, level = scope.parent, level + 1
        return level

    def binding(self, loop: UOp) -> Scope | None:
        """The innermost scope from here that binds a loop variable, if one does."""
        scope: Scope | None = self
        while scope is not None and loop not in scope.bounds:
            scope = scope.parent
        return scope

    def start(self, loop: UOp, writes: int) -> None:
        """Note how many writes had happened when a loop began whose values are taken at once."""
        self.memo.setdefault(("begun", loop), writes)

    def started(self, loop: UOp) -> int | None:
        """How many writes had happened when a loop, or its iteration, began; None if not known."""
        scope: Scope | None = self
        while scope is not None:
            if loop in scope.sequential:
                return scope.begun
            if ("begun", loop) in scope.memo:
                return int(scope.memo["begun", loop])
            scope = scope.parent
        return None
