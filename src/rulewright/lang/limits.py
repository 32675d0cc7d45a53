"""How much a text may hold: what Python could not follow is refused with its place."""

from __future__ import annotations

from typing import Any

from lark import Token, Tree

from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic

MOST_LEVELS = 128
"""Levels of the parse tree: about that many terms of a sum, half as many nodes in each other."""

MOST_DIGITS = 1000
"""Characters of a number; Python itself reads 4300 digits."""

_NUMBERS = ("NUMBER", "SIGNED", "LANES")


def beyond_limits(tree: Tree[Any], path: str, offset: int = 0) -> list[Diagnostic]:
    """The first place that is nested too deep, and each number that is too long.

    `offset` is the number of lines before the text that was parsed.
    """
    problems: list[Diagnostic] = []
    deepest: Diagnostic | None = None
    rest: list[tuple[Any, int]] = [(tree, 1)]
    while rest:
        item, level = rest.pop()
        if isinstance(item, Token):
            if item.type in _NUMBERS and len(item) > MOST_DIGITS:
                problems.append(_too_long(item, path, offset))
        elif isinstance(item, Tree):
            if level > MOST_LEVELS:
                deepest = deepest or _too_deep(item, path, offset)
            else:
                rest += [(child, level + 1) for child in reversed(item.children)]
    return problems if deepest is None else [*problems, deepest]


def _too_long(token: Token, path: str, offset: int) -> Diagnostic:
    message = f"a number has at most {MOST_DIGITS} characters, this one has {len(token)}"
    return Diagnostic("limit", message, _span(token, path, offset))


def _too_deep(tree: Tree[Any], path: str, offset: int) -> Diagnostic:
    message = f"this is nested deeper than {MOST_LEVELS} levels"
    help = "name a part of it: by a line of a graph, or a `let` of a rule"
    return Diagnostic("limit", message, _span(tree.meta, path, offset), help=help)


def _span(at: Any, path: str, offset: int) -> t.Span:
    line, end = at.line + offset, at.end_line + offset
    return t.Span(path, line, at.column, end, at.end_column)
