"""Which names an expression such as `softmax and not (gradients or hazards)` chooses."""

from __future__ import annotations

import re
from collections.abc import Callable

from rulewright.errors import UsageError

Predicate = Callable[[str], bool]


def selector(expression: str) -> Predicate:
    """Whether a name is chosen: a word stands for the names that hold it, in any case.

    Raises UsageError if the expression is none.
    """
    words = re.findall(r"[()]|[^\s()]+", expression)
    chosen, rest = _either(words, expression)
    if rest:
        raise UsageError(f"-k {expression!r}: expected `and`, `or` or an end, found {rest[0]!r}")
    return chosen


def _either(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    parts, words = _joined("or", _both, words, whole)
    return lambda name: any(part(name) for part in parts), words


def _both(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    parts, words = _joined("and", _one, words, whole)
    return lambda name: all(part(name) for part in parts), words


def _joined(
    conjunction: str,
    operand: Callable[[list[str], str], tuple[Predicate, list[str]]],
    words: list[str],
    whole: str,
) -> tuple[list[Predicate], list[str]]:
    """Operands with a word between them, and what follows."""
    first, words = operand(words, whole)
    parts = [first]
    while words and words[0] == conjunction:
        part, words = operand(words[1:], whole)
        parts.append(part)
    return parts, words


def _one(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    if words and words[0] == "not":
        inner, rest = _one(words[1:], whole)
        return lambda name: not inner(name), rest
    if words and words[0] == "(":
        inner, rest = _either(words[1:], whole)
        if not rest or rest[0] != ")":
            raise UsageError(f"-k {whole!r}: a parenthesis is not closed")
        return inner, rest[1:]
    if not words or words[0] in (")", "and", "or"):
        shown = repr(words[0]) if words else "an end"
        raise UsageError(f"-k {whole!r}: expected a word, found {shown}")
    word = words[0].lower()
    return lambda name: word in name.lower(), words[1:]
