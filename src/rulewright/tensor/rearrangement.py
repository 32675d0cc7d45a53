"""Formulas of `rearrange`: groups of names of axes on both sides of an arrow."""

from __future__ import annotations

import re

from rulewright.errors import ShapeError
from rulewright.ir.shapes import Dim
from rulewright.tensor.shapes import numel, same_size, show_size

_DOTS = "..."


def parsed(formula: str) -> tuple[list[list[str]], list[list[str]]]:
    """The groups of axes on both sides of the arrow. Raises ShapeError for what is no formula."""
    sides = formula.split("->")
    if len(sides) != 2:
        raise ShapeError(f"rearrange: expected one '->' in the formula, found {formula!r}")
    before, after = (_groups(side, formula) for side in sides)
    for side in (before, after):
        names = [n for group in side for n in group if n != "1"]
        if len(set(names)) != len(names):
            raise ShapeError(f"rearrange: an axis is named twice on one side of {formula!r}")
    first, second = ({n for g in side for n in g if n != "1"} for side in (before, after))
    if first != second:
        alone = ", ".join(sorted(first ^ second))
        raise ShapeError(f"rearrange: {alone} stands on one side of {formula!r} only")
    return before, after


def _groups(side: str, formula: str) -> list[list[str]]:
    groups: list[list[str]] = []
    inside = False
    for token in re.findall(r"\w+|\.\.\.|\S", side):
        if token in "()":
            if inside == (token == "("):
                raise ShapeError(f"rearrange: parentheses do not pair, or nest, in {formula!r}")
            inside = token == "("
            if inside:
                groups.append([])
            elif groups[-1] == [_DOTS]:
                groups[-1].append("1")  # one axis, unlike dots that stand alone
        elif token in ("1", _DOTS) or token.isidentifier():
            if inside:
                groups[-1].append(token)
            else:
                groups.append([token])
        else:
            raise ShapeError(f"rearrange: {token!r} is no name of an axis in {formula!r}")
    if inside:
        raise ShapeError(f"rearrange: parentheses do not pair, or nest, in {formula!r}")
    return groups


def spread_dots(
    groups: list[list[str]], rank: int, formula: str, names: list[str] | None = None
) -> list[list[str]]:
    """Groups with the dots spelled out, as `names` or as many axes as are left.

    Raises ShapeError for dots in a group where there are no `names`.
    """
    if names is None:
        if any(_DOTS in g and len(g) > 1 for g in groups):
            raise ShapeError(f"rearrange: ... stands in a group on the left of {formula!r}")
        names = [f"...{i}" for i in range(rank - len(groups) + 1)]
    spread: list[list[str]] = []
    for group in groups:
        if group == [_DOTS]:
            spread += [[n] for n in names]
        else:
            spread.append([m for n in group for m in (names if n == _DOTS else [n])])
    return spread


def solve(group: list[str], size: Dim, known: dict[str, Dim], formula: str) -> None:
    """Add the sizes of the axes of a group, which is one axis of `size`, to those that are known.

    Raises ShapeError if they do not fit, or if more than one is missing.
    """
    names = [n for n in group if n != "1"]
    missing = [n for n in names if n not in known]
    rest = numel([known[n] for n in names if n in known])
    if len(missing) > 1:
        raise ShapeError(
            f"rearrange: the sizes of {' and '.join(missing)} in {formula!r} are not known; "
            "give all but one"
        )
    if not missing:
        if not same_size(rest, size):
            raise ShapeError(
                f"rearrange: ({' '.join(group)}) has size {show_size(rest)}, the axis "
                f"{show_size(size)}"
            )
    elif isinstance(rest, int) and rest == 1:
        known[missing[0]] = size
    else:
        if not isinstance(size, int) or not isinstance(rest, int) or rest == 0 or size % rest:
            raise ShapeError(
                f"rearrange: an axis of size {show_size(size)} is no multiple of "
                f"{show_size(rest)}, as "
                f"({' '.join(group)}) in {formula!r} asks"
            )
        known[missing[0]] = size // rest
